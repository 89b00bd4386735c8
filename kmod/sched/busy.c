// SPDX-License-Identifier: GPL-2.0
/*
 * How long a client's contexts ran. Each context counts the time that it is loaded in
 * RING_CTX_TIMESTAMP, which the hardware restores from its image and saves there. The difference is
 * how long it ran, however late its events are seen. For a context that runs the register has it.
 */
#include <linux/math64.h>

#include "sched_priv.h"
#include "gen/lrc.h"
#include "gen/regs.h"

static u64 busy_ran_ns(const struct gslot_sched *sched, const struct gslot_hw_context *context,
		       u32 now, u64 wall_ns)
{
	u64 wall = mul_u64_u32_div(wall_ns, sched->tick_hz, NSEC_PER_SEC);

	return mul_u64_u32_div(gslot_context_ran(context->timestamp, now, wall), NSEC_PER_SEC,
			       sched->tick_hz);
}

/* The engine, which does not have the context, is about to load it. */
void sched_busy_load(struct sched_engine *engine, struct gslot_hw_context *context)
{
	lockdep_assert_held(&engine->sched->lock);
	context->timestamp = context->state[LRC_CTX_TIMESTAMP];
	context->counted_at = ktime_get();
}

/* The hardware saved a context, not the preempt context: count its time. */
void sched_busy_saved(struct sched_engine *engine, struct gslot_hw_context *context)
{
	u32 saved = READ_ONCE(context->state[LRC_CTX_TIMESTAMP]);
	ktime_t now = ktime_get();

	lockdep_assert_held(&engine->sched->lock);
	if (engine->owner)
		sched_meter_add(engine, engine->owner, GSLOT_METER_BUSY_NS,
				busy_ran_ns(engine->sched, context, saved,
					    ktime_to_ns(ktime_sub(now, context->counted_at))));
	context->timestamp = saved;
	context->counted_at = now;
}

/*
 * How long the active context has run that is not counted yet, ns. The register may be another
 * context's already: a context has not run for longer than it has been on the engine.
 */
u64 sched_busy_running(struct sched_engine *engine)
{
	struct gslot_hw_context *context = engine->active.context;
	struct gslot_sched *sched = engine->sched;
	u64 wall_ns;
	u32 now;

	lockdep_assert_held(&sched->lock);
	if (!context || context == &engine->preempt || engine->state == SCHED_ENGINE_RESETTING)
		return 0;
	now = gslot_hw_read(sched->hw, gslot_engines[engine->id].base + RING_CTX_TIMESTAMP);
	wall_ns = ktime_to_ns(ktime_sub(ktime_get(), context->counted_at));
	return min(busy_ran_ns(sched, context, now, wall_ns), wall_ns);
}

/**
 * gslot_client_use() - what a client has done so far
 * @client: the client
 *
 * Return: a consistent snapshot; time in which it owns an engine with nothing on it is not counted.
 * Context: may sleep.
 */
struct gslot_client_use gslot_client_use(struct gslot_client *client)
{
	struct gslot_sched *sched = client->sched;
	struct gslot_client_use use = { };
	u32 i;

	spin_lock_irq(&sched->lock);
	for (i = 0; i < GSLOT_NR_ENGINES; i++) {
		const struct sched_channel *channel = &client->channel[i];

		use.busy_ns += sched_meter_now(client->meter, &sched->engine[i],
					       GSLOT_METER_BUSY_NS);
		use.requests += channel->seqno;
		use.pending |= !list_empty(&channel->requests);
	}
	spin_unlock_irq(&sched->lock);
	return use;
}

/* The engine is about to be reset, so the active context will not be saved: count its time. */
void sched_busy_lost(struct sched_engine *engine)
{
	u64 ns = sched_busy_running(engine);

	lockdep_assert_held(&engine->sched->lock);
	if (engine->owner)
		sched_meter_add(engine, engine->owner, GSLOT_METER_BUSY_NS, ns);
}
