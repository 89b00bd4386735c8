// SPDX-License-Identifier: GPL-2.0
/* Fence registers, by which the aperture detiles memory. */
#include "hw_priv.h"

static void hw_fence_program(struct gslot_hw *hw, u32 index)
{
	u64 value = hw->fences[index];

	lockdep_assert_held(&hw->fence_lock);
	/* Invalid until both halves are written; the valid bit is in the last one. */
	hw_write(hw, GEN_FENCE_LO(index), 0);
	hw_read(hw, GEN_FENCE_LO(index));
	hw_write(hw, GEN_FENCE_HI(index), upper_32_bits(value));
	hw_write(hw, GEN_FENCE_LO(index), lower_32_bits(value));
	hw_read(hw, GEN_FENCE_LO(index));
}

/**
 * gslot_hw_fence_write() - write a fence register
 * @hw: the GPU
 * @index: which one
 * @value: the 64-bit register; 0 disables
 *
 * Context: process; does not sleep.
 */
void gslot_hw_fence_write(struct gslot_hw *hw, u32 index, u64 value)
{
	if (WARN_ON_ONCE(index >= GEN_NR_FENCES))
		return;
	spin_lock(&hw->fence_lock);
	hw->fences[index] = value;
	hw_fence_program(hw, index);
	spin_unlock(&hw->fence_lock);
}

/* Write all fences again, as the GPU has lost them. */
void hw_fences_restore(struct gslot_hw *hw)
{
	u32 i;

	for (i = 0; i < GEN_NR_FENCES; i++) {
		spin_lock(&hw->fence_lock);
		hw_fence_program(hw, i);
		spin_unlock(&hw->fence_lock);
	}
}
