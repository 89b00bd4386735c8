// SPDX-License-Identifier: GPL-2.0
/*
 * Clocks. The GPU runs at one frequency, the highest that its fuses name; the
 * package's power control lowers it when it must. The render standby state
 * (RC6) stays off: forcewake is held anyway.
 */
#include "hw_priv.h"

/* Fused frequencies count 50 MHz; requests on Gen9, a third of that. */
static u32 frequency_request(struct gslot_hw *hw, u32 fused)
{
	if (hw->part->gen >= 9)
		return fused * 3 << 23;
	return fused << 24;
}

/**
 * hw_power_init() - go to the highest frequency, and stay awake
 * @hw: the GPU
 *
 * Context: any.
 */
void hw_power_init(struct gslot_hw *hw)
{
	u32 highest = gslot_hw_fuse(hw, GEN_RP_STATE_CAP) & 0xff;

	hw_write(hw, GEN_RC_CONTROL, 0);
	hw_write(hw, GEN_RC_STATE, 0);
	if (hw->part->gen >= 9)
		hw_write(hw, GEN9_POWER_GATING, 0);
	hw_write(hw, GEN_RP_INTERRUPT_MASK, ~0u);
	if (!highest)
		return;
	hw_write(hw, GEN_RP_VIDEO_FREQ, frequency_request(hw, highest));
	hw_write(hw, GEN_RP_CONTROL, RP_CONTROL_SOFTWARE);
	hw_write(hw, GEN_RPNSWREQ, frequency_request(hw, highest));
}

/**
 * hw_power_fini() - go to the lowest frequency
 * @hw: the GPU; nothing runs
 *
 * Context: any.
 */
void hw_power_fini(struct gslot_hw *hw)
{
	u32 lowest = gslot_hw_fuse(hw, GEN_RP_STATE_CAP) >> 16 & 0xff;

	if (lowest)
		hw_write(hw, GEN_RPNSWREQ, frequency_request(hw, lowest));
	hw_write(hw, GEN_RP_CONTROL, 0);
}
