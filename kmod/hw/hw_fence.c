// SPDX-License-Identifier: GPL-2.0
/*
 * Fences: how the aperture shows tiled memory.
 */
#include "hw_priv.h"

static void fence_program(struct gslot_hw *hw, u32 index)
{
	u64 value = hw->fences[index];

	lockdep_assert_held(&hw->fence_lock);
	/* Invalid while its halves disagree; the half with the bit comes last. */
	hw_write(hw, GEN_FENCE_LO(index), 0);
	hw_read(hw, GEN_FENCE_LO(index));
	hw_write(hw, GEN_FENCE_HI(index), upper_32_bits(value));
	hw_write(hw, GEN_FENCE_LO(index), lower_32_bits(value));
	hw_read(hw, GEN_FENCE_LO(index));
}

/**
 * gslot_hw_fence_write() - set a fence
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
	fence_program(hw, index);
	spin_unlock(&hw->fence_lock);
}

/**
 * hw_fences_restore() - set all fences as they were: the GPU has lost them
 * @hw: the GPU
 *
 * Context: process; does not sleep.
 */
void hw_fences_restore(struct gslot_hw *hw)
{
	u32 i;

	for (i = 0; i < GEN_NR_FENCES; i++) {
		spin_lock(&hw->fence_lock);
		fence_program(hw, i);
		spin_unlock(&hw->fence_lock);
	}
}
