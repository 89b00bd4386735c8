// SPDX-License-Identifier: GPL-2.0
/*
 * Flushing TLBs after a client's page tables changed. Every context has page tables of its own, and
 * loading others flushes an engine's TLB (PRM Skylake volume 3, "Logical Ring Context Format", page
 * directory pointers). So a TLB has entries of one context only, which is on the engine now, or was
 * last:
 *
 * - The client's work is on the engine: the TLB is invalidated by register, and waited for.
 * - Another client's is: the TLB has been flushed.
 * - None is: the TLB is not used now, and the next context is loaded with its page directories
 *   written, the same ones or not.
 *
 * An engine that does not answer must not be waited for: it is reset, and if that fails all of the
 * GPU, and if that fails the GPU is wedged.
 */
#include "sched_priv.h"

static u32 tlb_engines_in_use(struct gslot_sched *sched, const struct gslot_client *client)
{
	struct sched_engine *engine;
	u32 engines = 0;

	spin_lock_irq(&sched->lock);
	for (engine = sched->engine; engine < sched_engines_end(sched); engine++) {
		if (sched_engine_quiet(engine))
			engine->tlb.stale = true;
		else if (engine->owner == client)
			engines |= BIT(engine->id);
	}
	spin_unlock_irq(&sched->lock);
	return engines;
}

/*
 * The engine did not answer in time. If it has left the client meanwhile, another context was
 * loaded, or will be, with other page tables: a reset is not needed, and would lose another vGPU's
 * work. A stuck engine is given nothing else.
 */
static void tlb_reset_stuck(struct sched_engine *engine, const struct gslot_client *client)
{
	struct gslot_sched *sched = engine->sched;

	spin_lock_irq(&sched->lock);
	engine->tlb.stuck = engine->owner == client && !sched_engine_quiet(engine);
	engine->tlb.stale = true;
	spin_unlock_irq(&sched->lock);
	sched_engine_reset(engine, NULL, GSLOT_REQUEST_HUNG);
}

/**
 * gslot_sched_invalidate_tlbs() - flush a client's page tables from TLBs
 * @sched: the scheduler
 * @client: the client; NULL if it has left
 *
 * When it returns, no engine uses an entry that was changed before the call: the memory behind it
 * may be reused.
 * Context: may sleep.
 */
void gslot_sched_invalidate_tlbs(struct gslot_sched *sched, const struct gslot_client *client)
{
	struct sched_engine *engine;
	u32 engines, late = 0;

	wmb();	/* changed entries before any walk that must not find the old ones */
	engines = tlb_engines_in_use(sched, client);
	if (engines)
		late = gslot_hw_tlb_invalidate(sched->hw, engines);
	for (engine = sched->engine; engine < sched_engines_end(sched); engine++)
		if (late & BIT(engine->id))
			tlb_reset_stuck(engine, client);
}
