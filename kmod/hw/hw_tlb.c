// SPDX-License-Identifier: GPL-2.0
/* Invalidation of the engines' PPGTT TLBs. (GEN_GFX_FLSH_CNTL invalidates those of the GGTT.) */
#include "hw_priv.h"

#define TLB_TIMEOUT_US	4000

/* Spins: a sleep would take longer. */
static int hw_tlb_wait(struct hw_engine *engine)
{
	u32 busy;

	return readl_poll_timeout_atomic(engine->hw->regs + engine->info->tlb_inv, busy,
					 !(busy & 1), 1, TLB_TIMEOUT_US);
}

/**
 * gslot_hw_tlb_invalidate() - invalidate the PPGTT TLBs of engines
 * @hw: the GPU
 * @engines: bit mask of enum gslot_engine_id
 *
 * When it returns, no engine uses an entry that was changed before the call, and the page behind
 * it may be reused.
 *
 * Return: bit mask of the engines that did not answer; they must be reset before a page is reused.
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
		if (engines & BIT(engine->id) && hw_tlb_wait(engine))
			late |= BIT(engine->id);
	mutex_unlock(&hw->tlb_lock);

	if (late)
		dev_err_ratelimited(&hw->pdev->dev, "TLB invalidation timed out, engines 0x%x\n",
				    late);
	return late;
}
