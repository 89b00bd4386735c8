// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: which TLBs must forget a client's page tables
 *
 * Every context has page tables of its own, and loading others makes an engine
 * forget what it knew (PRM Skylake volume 3, "Logical Ring Context Format",
 * page directory pointers). So an engine knows the tables of one context, which
 * is on it now, or was last:
 *
 * - the client is on it: the TLB is invalidated by register, and waited for;
 * - another client is: it has forgotten;
 * - nobody is: it uses nothing now, and the next context is loaded with its
 *   page directories written, the same ones or not.
 *
 * Nobody may wait for an engine that does not answer: it is reset, and if that
 * fails all of the GPU, and if that fails the GPU is wedged.
 */
#include "sched_priv.h"

static u32 engines_in_use(struct gslot_sched *sched, const struct gslot_client *client)
{
	unsigned long flags;
	u32 i, engines = 0;

	spin_lock_irqsave(&sched->lock, flags);
	for (i = 0; i < GSLOT_NR_ENGINES; i++) {
		struct sched_engine *engine = &sched->engine[i];

		if (sched_engine_quiet(engine))
			engine->stale = true;
		else if (engine->client == client)
			engines |= BIT(i);
	}
	spin_unlock_irqrestore(&sched->lock, flags);
	return engines;
}

/*
 * The engine did not answer in time. If it has left the client meanwhile, another context was
 * loaded, or will be, with other page tables: nothing is to be reset, least of all another
 * vGPU's work. An engine that is stuck is given nothing else.
 */
static void reset_stuck(struct sched_engine *engine, const struct gslot_client *client)
{
	struct gslot_sched *sched = engine->sched;
	unsigned long flags;

	spin_lock_irqsave(&sched->lock, flags);
	engine->stuck = engine->client == client && !sched_engine_quiet(engine);
	engine->stale = true;
	spin_unlock_irqrestore(&sched->lock, flags);
	sched_engine_reset(engine, NULL, GSLOT_REQUEST_HUNG);
}

/**
 * gslot_sched_invalidate_tlbs() - let engines forget a client's page tables
 * @sched: the scheduler
 * @client: whose entries were changed; NULL if it has left
 *
 * When it returns, no engine uses an entry that was changed before the call:
 * what is behind it may be reused.
 * Context: may sleep.
 */
void gslot_sched_invalidate_tlbs(struct gslot_sched *sched, const struct gslot_client *client)
{
	u32 i, engines, late = 0;

	wmb();	/* changed entries before any walk that must not find them */
	engines = engines_in_use(sched, client);
	if (engines)
		late = gslot_hw_tlb_invalidate(sched->hw, engines);
	for (i = 0; i < GSLOT_NR_ENGINES; i++)
		if (late & BIT(i))
			reset_stuck(&sched->engine[i], client);
}
