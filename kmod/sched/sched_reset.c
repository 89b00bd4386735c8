// SPDX-License-Identifier: GPL-2.0
/*
 * Engines that do not yield, or that stopped with an error, are reset. The
 * context that ran loses its requests; what had not been loaded keeps them.
 */
#include "sched_priv.h"
#include "base/trace.h"

/*
 * Claim the engine for a reset: its events are ignored from here on. Only if
 * the cause still holds: nobody else's work may suffer for it.
 */
static bool reset_begin(struct sched_engine *engine, const struct gslot_client *client)
{
	struct gslot_sched *sched = engine->sched;
	unsigned long flags;
	bool claimed;

	spin_lock_irqsave(&sched->lock, flags);
	if (client)
		claimed = !sched_engine_quiet(engine) && engine->client == client;
	else
		claimed = engine->stuck || (!sched_engine_quiet(engine) &&
					    (engine->late || engine->error));
	if (claimed) {
		sched_busy_lost(engine);
		engine->resetting = true;
	} else if (sched_engine_quiet(engine)) {
		engine->error = false;
		engine->late = false;
	}
	spin_unlock_irqrestore(&sched->lock, flags);
	return claimed;
}

static void reset_finish(struct sched_engine *engine, enum gslot_request_result result)
{
	struct gslot_hw_context *guilty = engine->active.context ?: engine->pending.context;
	/* By its own fault, or its own wish: other vGPUs bear with so many resets and no more. */
	bool by_client = engine->late || result == GSLOT_REQUEST_CANCELLED;

	trace_gslot_engine_reset(engine->client ? engine->client->name : "-", engine->id,
				 guilty ? guilty->lrca : 0, result);
	engine->active = (struct sched_port) { };
	engine->pending = (struct sched_port) { };
	engine->resetting = false;
	engine->error = false;
	engine->stuck = false;
	/* No manual says that a reset empties the TLBs of page tables: the next load does. */
	engine->stale = true;
	engine->late = false;
	engine->deadline = 0;
	sched_meter_add(engine, engine->client, GSLOT_METER_RESETS, 1);
	sched_notify_released(engine);
	wake_up_all(&engine->wait);
	if (!guilty || guilty == &engine->preempt)
		return;
	if (engine->client && result != GSLOT_REQUEST_CANCELLED)
		sched_meter_add(engine, engine->client, GSLOT_METER_HANGS, 1);
	if (engine->client && by_client)
		gslot_policy_reset(&engine->runq->policy,
				   sched_policy_client(engine->runq, engine->client),
				   ktime_get_ns());
	sched_retire_context(engine, guilty, U64_MAX, result);
}

/*
 * The engine cannot be reset alone: all of them are. Whatever ran is lost, as
 * its images are from before; what ran on the other engines did not ask for that, and hangs
 * in its guest. If not even that helps, the GPU is wedged; it has
 * no access to memory then, so it is as true that nothing is on it.
 */
static void reset_all(struct sched_engine *claimed, enum gslot_request_result result)
{
	struct gslot_sched *sched = claimed->sched;
	unsigned long flags;
	u32 i;

	spin_lock_irqsave(&sched->lock, flags);
	for (i = 0; i < GSLOT_NR_ENGINES; i++) {
		struct sched_engine *engine = &sched->engine[i];

		sched_busy_lost(engine);
		engine->resetting = true;
	}
	spin_unlock_irqrestore(&sched->lock, flags);

	gslot_hw_full_reset(sched->hw);

	spin_lock_irqsave(&sched->lock, flags);
	for (i = 0; i < GSLOT_NR_ENGINES; i++)
		reset_finish(&sched->engine[i],
			     i == claimed->id ? result : GSLOT_REQUEST_HUNG);
	spin_unlock_irqrestore(&sched->lock, flags);
}

static void reset_claimed(struct sched_engine *engine, enum gslot_request_result result)
{
	struct gslot_sched *sched = engine->sched;
	unsigned long flags;

	if (gslot_hw_engine_reset(sched->hw, engine->id)) {
		reset_all(engine, result);
		return;
	}
	spin_lock_irqsave(&sched->lock, flags);
	reset_finish(engine, result);
	spin_unlock_irqrestore(&sched->lock, flags);
}

/**
 * sched_engine_reset() - reset an engine
 * @engine: the engine
 * @client: whose work must be on it; NULL: if it is late, has an error, or its
 *	TLB is stuck
 * @result: what becomes of the requests of the context that ran
 *
 * Context: may sleep; without the lock.
 */
void sched_engine_reset(struct sched_engine *engine, const struct gslot_client *client,
			enum gslot_request_result result)
{
	struct gslot_sched *sched = engine->sched;
	unsigned long flags;

	mutex_lock(&sched->reset_lock);
	if (reset_begin(engine, client))
		reset_claimed(engine, result);
	/* Also what waited for an error to be looked at that nobody's work was on. */
	spin_lock_irqsave(&sched->lock, flags);
	sched_update(sched);
	spin_unlock_irqrestore(&sched->lock, flags);
	mutex_unlock(&sched->reset_lock);
}

static bool overdue(struct sched_engine *engine)
{
	struct gslot_sched *sched = engine->sched;
	unsigned long flags;
	bool late;

	spin_lock_irqsave(&sched->lock, flags);
	late = engine->error || engine->late || engine->stuck;
	spin_unlock_irqrestore(&sched->lock, flags);
	return late;
}

/**
 * sched_reset_work() - reset the engines that are late, stuck, or have an error
 * @work: &gslot_sched.reset_work
 *
 * Context: work item.
 */
void sched_reset_work(struct work_struct *work)
{
	struct gslot_sched *sched = container_of(work, struct gslot_sched, reset_work);
	u32 i;

	for (i = 0; i < GSLOT_NR_ENGINES; i++) {
		struct sched_engine *engine = &sched->engine[i];

		if (!overdue(engine))
			continue;
		/* Perhaps it did yield, and the interrupt was lost. */
		gslot_hw_poll(sched->hw, i);
		if (overdue(engine))
			sched_engine_reset(engine, NULL,
					   READ_ONCE(engine->error) ? GSLOT_REQUEST_ERROR :
								      GSLOT_REQUEST_HUNG);
	}
}
