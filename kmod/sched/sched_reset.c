// SPDX-License-Identifier: GPL-2.0
/*
 * Engines that are late, or have failed, are reset. The context on the engine loses its requests;
 * those that were not loaded stay queued.
 */
#include "sched_priv.h"
#include "base/trace.h"

static bool reset_is_due(const struct sched_engine *engine)
{
	return engine->state == SCHED_ENGINE_LATE || engine->state == SCHED_ENGINE_FAILED;
}

static void reset_claim(struct sched_engine *engine)
{
	sched_busy_lost(engine);
	sched_engine_set_state(engine, SCHED_ENGINE_RESETTING);
}

/*
 * Claim the engine for a reset: its events are ignored from here on. Only if the cause still holds,
 * or another client's work would be lost.
 */
static bool reset_begin(struct sched_engine *engine, const struct gslot_client *client)
{
	struct gslot_sched *sched = engine->sched;
	bool claimed;

	spin_lock_irq(&sched->lock);
	if (client)
		claimed = !sched_engine_quiet(engine) && engine->owner == client;
	else
		claimed = engine->tlb.stuck ||
			  (!sched_engine_quiet(engine) && reset_is_due(engine));
	if (claimed)
		reset_claim(engine);
	else if (sched_engine_quiet(engine) && reset_is_due(engine))
		sched_engine_set_ready(engine);
	spin_unlock_irq(&sched->lock);
	return claimed;
}

static void reset_finish(struct sched_engine *engine, enum gslot_request_result result)
{
	struct gslot_hw_context *guilty = engine->active.context ?: engine->pending.context;
	/* Caused or demanded by the client: the policy limits how many others must bear. */
	bool by_client = engine->reset_from == SCHED_ENGINE_LATE || result != GSLOT_REQUEST_HUNG;

	trace_gslot_engine_reset(engine->owner ? engine->owner->name : "-", engine->id,
				 guilty ? guilty->lrca : 0, result);
	engine->active = (struct sched_port) { };
	engine->pending = (struct sched_port) { };
	sched_engine_set_ready(engine);
	engine->tlb.stuck = false;
	/* No manual says that a reset flushes the TLBs of page tables: the next load does. */
	engine->tlb.stale = true;
	sched_meter_add(engine, engine->owner, GSLOT_METER_RESETS, 1);
	sched_notify_released(engine);
	wake_up_all(&engine->wait);
	if (!guilty || (guilty == &engine->preempt && result != GSLOT_REQUEST_CANCELLED))
		return;
	if (engine->owner && result != GSLOT_REQUEST_CANCELLED)
		sched_meter_add(engine, engine->owner, GSLOT_METER_HANGS, 1);
	if (engine->owner && by_client)
		gslot_policy_reset(&engine->runq->policy,
				   sched_policy_client(engine->runq, engine->owner),
				   ktime_get_ns());
	if (guilty != &engine->preempt)
		sched_retire_context(engine, guilty, U64_MAX, result);
}

/*
 * The engine cannot be reset alone: reset all of them. What ran is lost, as its images are from
 * before; contexts on other engines hang in their guests. If that fails, too, the GPU is wedged: it
 * has no access to memory then, so its engines are as quiet.
 */
static void reset_all(struct sched_engine *claimed, enum gslot_request_result result)
{
	struct gslot_sched *sched = claimed->sched;
	struct sched_engine *engine;

	spin_lock_irq(&sched->lock);
	for (engine = sched->engine; engine < sched_engines_end(sched); engine++)
		reset_claim(engine);
	spin_unlock_irq(&sched->lock);

	gslot_hw_full_reset(sched->hw);

	spin_lock_irq(&sched->lock);
	for (engine = sched->engine; engine < sched_engines_end(sched); engine++)
		reset_finish(engine, engine == claimed ? result : GSLOT_REQUEST_HUNG);
	spin_unlock_irq(&sched->lock);
}

static void reset_claimed(struct sched_engine *engine, enum gslot_request_result result)
{
	struct gslot_sched *sched = engine->sched;

	if (gslot_hw_engine_reset(sched->hw, engine->id)) {
		reset_all(engine, result);
		return;
	}
	spin_lock_irq(&sched->lock);
	reset_finish(engine, result);
	spin_unlock_irq(&sched->lock);
}

/*
 * Reset an engine. With a client: only if its work is on the engine; NULL: if the engine is late,
 * has failed, or its TLB is stuck. Requests of the context that ran get @result. Sleeps.
 */
void sched_engine_reset(struct sched_engine *engine, const struct gslot_client *client,
			enum gslot_request_result result)
{
	struct gslot_sched *sched = engine->sched;

	mutex_lock(&sched->reset_lock);
	if (reset_begin(engine, client))
		reset_claimed(engine, result);
	/* Also for an engine that was quiet, and need not be reset any more. */
	spin_lock_irq(&sched->lock);
	sched_update(sched);
	spin_unlock_irq(&sched->lock);
	mutex_unlock(&sched->reset_lock);
}

static bool reset_is_overdue(struct sched_engine *engine)
{
	struct gslot_sched *sched = engine->sched;
	bool late;

	spin_lock_irq(&sched->lock);
	late = reset_is_due(engine) || engine->tlb.stuck;
	spin_unlock_irq(&sched->lock);
	return late;
}

/* Reset the engines that are late, stuck, or have failed. */
void sched_reset_work(struct work_struct *work)
{
	struct gslot_sched *sched = container_of(work, struct gslot_sched, reset_work);
	struct sched_engine *engine;

	for (engine = sched->engine; engine < sched_engines_end(sched); engine++) {
		if (!reset_is_overdue(engine))
			continue;
		/* Perhaps it has yielded, and the interrupt was lost. */
		gslot_hw_poll(sched->hw, engine->id);
		if (reset_is_overdue(engine))
			sched_engine_reset(engine, NULL,
					   READ_ONCE(engine->state) == SCHED_ENGINE_FAILED ?
					   GSLOT_REQUEST_ERROR : GSLOT_REQUEST_HUNG);
	}
}

/**
 * gslot_sched_hang() - give up a context that cannot go on: its guest sees an engine that hangs
 * @client: the client, paused
 * @id: the engine
 * @context: the context, off the hardware; all its requests are retired as HUNG, unless the
 *	hardware has one after all: then the scheduler resets the engine
 *
 * Context: any, without the locks that the client's upcalls take.
 */
void gslot_sched_hang(struct gslot_client *client, enum gslot_engine_id id,
		      const struct gslot_hw_context *context)
{
	struct gslot_sched *sched = client->sched;
	struct gslot_request *rq, *next;
	unsigned long flags;

	spin_lock_irqsave(&sched->lock, flags);
	sched_meter_add(&sched->engine[id], client, GSLOT_METER_HANGS, 1);
	list_for_each_entry_safe(rq, next, &client->channel[id].requests, link)
		if (rq->context == context && !sched_retire(client, id, rq, GSLOT_REQUEST_HUNG))
			break;
	sched_update(sched);
	spin_unlock_irqrestore(&sched->lock, flags);
}
