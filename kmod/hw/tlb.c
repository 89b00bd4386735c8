// SPDX-License-Identifier: GPL-2.0
/*
 * Invalidation of the engines' translation caches for per-process page tables.
 * (Those for the GGTT follow GEN_GFX_FLSH_CNTL.)
 */
#include "device.h"

#define TLB_TIMEOUT_US	4000

/**
 * gslot_hw_tlb_invalidate() - let engines forget PPGTT translations
 * @hw: the GPU
 * @engines: bit mask of enum gslot_engine_id
 *
 * When it returns, none of them uses an entry that was changed before the
 * call: what is behind it may be reused.
 * Context: any; waits, at most 4 ms an engine.
 */
void gslot_hw_tlb_invalidate(struct gslot_hw *hw, u32 engines)
{
	struct hw_engine *engine;
	unsigned long flags;
	u32 late = 0;

	/* Page table entries first. */
	wmb();
	spin_lock_irqsave(&hw->tlb_lock, flags);
	for (engine = hw->engines; engine < hw_engines_end(hw); engine++)
		if (engines & BIT(engine->id))
			hw_write(hw, engine->info->tlb_inv, 1);
	for (engine = hw->engines; engine < hw_engines_end(hw); engine++)
		if (engines & BIT(engine->id) &&
		    hw_wait(hw, engine->info->tlb_inv, 1, 0, TLB_TIMEOUT_US))
			late |= BIT(engine->id);
	spin_unlock_irqrestore(&hw->tlb_lock, flags);

	if (late)
		dev_err_ratelimited(&hw->pdev->dev, "TLB invalidation timed out, engines 0x%x\n",
				    late);
}
