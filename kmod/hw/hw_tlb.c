// SPDX-License-Identifier: GPL-2.0
/*
 * Invalidation of the engines' translation caches for per-process page tables.
 * (Those for the GGTT follow GEN_GFX_FLSH_CNTL.)
 */
#include "hw_priv.h"

#define TLB_TIMEOUT_US	4000

/* Too short to sleep. */
static int wait_invalidated(struct hw_engine *engine)
{
	u32 busy;

	return readl_poll_timeout_atomic(engine->hw->regs + engine->info->tlb_inv, busy,
					 !(busy & 1), 1, TLB_TIMEOUT_US);
}

/**
 * gslot_hw_tlb_invalidate() - let engines forget PPGTT translations
 * @hw: the GPU
 * @engines: bit mask of enum gslot_engine_id
 *
 * When it returns, none of them uses an entry that was changed before the
 * call: what is behind it may be reused.
 *
 * Return: those of which that is not so, as they do not answer: bit mask. They
 * must be reset before anything is reused.
 * Context: process; spins, a microsecond or two, at most 4 ms an engine.
 */
u32 gslot_hw_tlb_invalidate(struct gslot_hw *hw, u32 engines)
{
	struct hw_engine *engine;
	u32 late = 0;

	if (!hw_usable(hw))
		return 0;
	/* Page table entries first. */
	wmb();
	mutex_lock(&hw->tlb_lock);
	for (engine = hw->engines; engine < hw_engines_end(hw); engine++)
		if (engines & BIT(engine->id))
			hw_write(hw, engine->info->tlb_inv, 1);
	for (engine = hw->engines; engine < hw_engines_end(hw); engine++)
		if (engines & BIT(engine->id) && wait_invalidated(engine))
			late |= BIT(engine->id);
	mutex_unlock(&hw->tlb_lock);

	if (late)
		dev_err_ratelimited(&hw->pdev->dev, "TLB invalidation timed out, engines 0x%x\n",
				    late);
	return late;
}
