// SPDX-License-Identifier: GPL-2.0
/*
 * Clocks. The GPU runs at its highest fused frequency; the package's power control lowers that when
 * it must. The render standby state (RC6) stays off, as forcewake is always held.
 */
#include "hw_priv.h"

/* Fuses are in units of 50 MHz; requests on Gen9, in thirds of that. */
static u32 power_frequency(struct gslot_hw *hw, u32 fused)
{
	if (hw->part->gen >= 9)
		return fused * 3 << 23;
	return fused << 24;
}

/* Set the highest frequency, and turn RC6 off. */
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
	hw_write(hw, GEN_RP_VIDEO_FREQ, power_frequency(hw, highest));
	hw_write(hw, GEN_RP_CONTROL, RP_CONTROL_SOFTWARE);
	hw_write(hw, GEN_RPNSWREQ, power_frequency(hw, highest));
}

/* Set the lowest frequency; nothing runs. */
void hw_power_fini(struct gslot_hw *hw)
{
	u32 lowest = gslot_hw_fuse(hw, GEN_RP_STATE_CAP) >> 16 & 0xff;

	if (lowest)
		hw_write(hw, GEN_RPNSWREQ, power_frequency(hw, lowest));
	hw_write(hw, GEN_RP_CONTROL, 0);
}
