// SPDX-License-Identifier: GPL-2.0
/*
 * The scheduler. One lock protects everything, as everything is short: lists of few requests, two
 * ports per engine. It is taken in hard interrupts. Waiters for the hardware sleep on the @wait of
 * an engine, which is woken whenever the engine has released something.
 */
#include <linux/err.h>
#include <linux/slab.h>

#include "sched_priv.h"
#include "base/compat.h"
#include "base/copy_policy.h"
#include "base/trace.h"
#include "gen/regs.h"

/* Longer than a preempt timeout and a reset. */
#define WAIT_JIFFIES	(2 * HZ)

/* The next four: events of the hardware, reported with interrupts off (hw/hw.h). */
static void sched_on_context_status(void *data, enum gslot_engine_id engine, u32 status, u32 ctx_id)
{
	struct gslot_sched *sched = data;

	spin_lock(&sched->lock);
	sched_engine_event(&sched->engine[engine], status, ctx_id);
	spin_unlock(&sched->lock);
}

static void sched_on_context_status_end(void *data, enum gslot_engine_id engine)
{
	struct gslot_sched *sched = data;

	spin_lock(&sched->lock);
	sched_notify_released(&sched->engine[engine]);
	sched_update(sched);
	spin_unlock(&sched->lock);
	wake_up_all(&sched->engine[engine].wait);
}

static void sched_on_user_interrupt(void *data, enum gslot_engine_id engine)
{
	struct gslot_sched *sched = data;

	spin_lock(&sched->lock);
	sched_user_interrupt(&sched->engine[engine]);
	spin_unlock(&sched->lock);
}

static void sched_on_error(void *data, enum gslot_engine_id engine, u32 eir, u32 fault)
{
	struct gslot_sched *sched = data;

	spin_lock(&sched->lock);
	sched_engine_fail(&sched->engine[engine]);
	spin_unlock(&sched->lock);
}

const struct gslot_hw_events gslot_sched_hw_events = {
	.context_status = sched_on_context_status,
	.context_status_end = sched_on_context_status_end,
	.user_interrupt = sched_on_user_interrupt,
	.error = sched_on_error,
};

static void sched_init_engines(struct gslot_sched *sched)
{
	struct sched_engine *engine;

	for (engine = sched->engine; engine < sched_engines_end(sched); engine++) {
		engine->sched = sched;
		engine->id = engine - sched->engine;
		init_waitqueue_head(&engine->wait);
	}
}

static void sched_destroy_contexts(struct gslot_sched *sched)
{
	struct sched_engine *engine;

	for (engine = sched->engine; engine < sched_engines_end(sched); engine++) {
		sched_golden_fini(engine);
		sched_preempt_destroy(engine);
	}
}

/**
 * gslot_sched_create() - create the scheduler of a GPU
 * @hw: the GPU; its events go to &gslot_sched_hw_events with the result
 *
 * Return: the scheduler, or ERR_PTR: -ENOMEM, or -ENOSPC if the host's part of the GGTT is full.
 * Context: may sleep.
 */
struct gslot_sched *gslot_sched_create(struct gslot_hw *hw)
{
	struct gslot_sched *sched = kzalloc(sizeof(*sched), GFP_KERNEL);
	struct sched_engine *engine;
	int ret;

	if (!sched)
		return ERR_PTR(-ENOMEM);
	sched->hw = hw;
	sched->tick_hz = gslot_timestamp_hz(gslot_hw_gen(hw), gslot_hw_fuse(hw, GEN_CTC_MODE));
	spin_lock_init(&sched->lock);
	sched_init_engines(sched);
	sched_runqs_init(sched);
	mutex_init(&sched->policy_lock);
	mutex_init(&sched->reset_lock);
	INIT_LIST_HEAD(&sched->clients);
	INIT_WORK(&sched->reset_work, sched_reset_work);
	hrtimer_setup(&sched->timer.hrtimer, sched_timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS);
	ret = sched_meters_init(sched);
	if (ret)
		goto err_sched;
	for (engine = sched->engine; engine < sched_engines_end(sched); engine++) {
		ret = sched_preempt_create(engine);
		if (ret)
			goto err_contexts;
	}
	return sched;

err_contexts:
	sched_destroy_contexts(sched);
	sched_meters_fini(sched);
err_sched:
	kfree(sched);
	return ERR_PTR(ret);
}

/**
 * gslot_sched_destroy() - undo gslot_sched_create()
 * @sched: the scheduler; it has no clients, and the hardware is stopped
 *
 * Context: may sleep.
 */
void gslot_sched_destroy(struct gslot_sched *sched)
{
	hrtimer_cancel(&sched->timer.hrtimer);
	cancel_work_sync(&sched->reset_work);
	hrtimer_cancel(&sched->timer.hrtimer);	/* the work may have armed it again */
	sched_destroy_contexts(sched);
	sched_meters_fini(sched);
	mutex_destroy(&sched->reset_lock);
	mutex_destroy(&sched->policy_lock);
	kfree(sched);
}

/**
 * gslot_client_create() - create a client of the scheduler
 * @sched: the scheduler
 * @name: of the vGPU; must outlive the client
 * @meter: of the vGPU; likewise
 *
 * A client lives as long as its vGPU exists, open or not: its debts, its lag and what is left of
 * its cap must not be voided by closing the vGPU and opening it again.
 *
 * Return: the client, detached, or ERR_PTR: -ENOMEM, or -ENOSPC if there are too many.
 * Context: may sleep.
 */
struct gslot_client *gslot_client_create(struct gslot_sched *sched, const char *name,
					 struct gslot_meter *meter)
{
	struct gslot_client *client = kzalloc(sizeof(*client), GFP_KERNEL);
	int ret;
	u32 i;

	if (!client)
		return ERR_PTR(-ENOMEM);
	client->sched = sched;
	client->name = name;
	client->meter = meter;
	client->preempt_ns = GSLOT_SCHED_PREEMPT_US * NSEC_PER_USEC;
	for (i = 0; i < GSLOT_NR_ENGINES; i++)
		INIT_LIST_HEAD(&client->channel[i].requests);

	spin_lock_irq(&sched->lock);
	ret = sched_join(client);
	if (!ret)
		list_add_tail(&client->link, &sched->clients);
	spin_unlock_irq(&sched->lock);
	if (ret) {
		kfree(client);
		return ERR_PTR(ret);
	}
	return client;
}

/**
 * gslot_client_destroy() - destroy a client
 * @client: the client, detached
 *
 * Context: may sleep.
 */
void gslot_client_destroy(struct gslot_client *client)
{
	struct gslot_sched *sched = client->sched;

	spin_lock_irq(&sched->lock);
	sched_quit(client);
	list_del(&client->link);
	spin_unlock_irq(&sched->lock);
	kfree(client);
}

/**
 * gslot_client_attach() - let a client submit requests
 * @client: the client, detached
 * @ops: upcalls
 * @data: for @ops
 *
 * Context: may sleep.
 */
void gslot_client_attach(struct gslot_client *client, const struct gslot_client_ops *ops,
			 void *data)
{
	struct gslot_sched *sched = client->sched;

	spin_lock_irq(&sched->lock);
	client->ops = ops;
	client->data = data;
	client->paused = false;
	client->awaits = 0;
	client->user_irq_mask = 0;
	spin_unlock_irq(&sched->lock);
}

/**
 * gslot_client_detach() - undo gslot_client_attach()
 * @client: the client; its channels are empty
 *
 * Its upcalls are not called any more when this returns.
 * Context: may sleep.
 */
void gslot_client_detach(struct gslot_client *client)
{
	struct gslot_sched *sched = client->sched;

	gslot_sched_pause(client);
	spin_lock_irq(&sched->lock);
	client->cpu_before_ns += client->ops->cpu_ns(client->data);
	client->ops = NULL;
	client->data = NULL;
	spin_unlock_irq(&sched->lock);
}

/**
 * gslot_sched_queue() - add a request to a V-Channel
 * @client: the client
 * @engine: the engine
 * @rq: the request; the caller has set context, head, tail and ring size. It may be retired before
 *	this returns: as CANCELLED if its context is banned
 *
 * Context: any, without the locks that the client's upcalls take.
 */
void gslot_sched_queue(struct gslot_client *client, enum gslot_engine_id engine,
		       struct gslot_request *rq)
{
	struct sched_channel *channel = &client->channel[engine];
	struct gslot_sched *sched = client->sched;
	unsigned long flags;

	spin_lock_irqsave(&sched->lock, flags);
	rq->seqno = ++channel->seqno;
	rq->queued_at = ktime_get_ns();
	list_add_tail(&rq->link, &channel->requests);
	channel->waiting++;
	trace_gslot_request_queue(client->name, engine, rq->context->lrca, rq->context->id,
				  rq->seqno, rq->tail);
	sched_client_changed(client);
	/* The hardware cannot have it yet. */
	if (rq->context->banned)
		sched_retire(client, engine, rq, GSLOT_REQUEST_CANCELLED);
	sched_update(sched);
	spin_unlock_irqrestore(&sched->lock, flags);
}

static bool sched_nothing_on(struct gslot_client *client, struct sched_engine *engine)
{
	struct gslot_sched *sched = client->sched;
	bool off;

	spin_lock_irq(&sched->lock);
	off = engine->owner != client || sched_engine_quiet(engine);
	spin_unlock_irq(&sched->lock);
	return off;
}

static void sched_close_channel(struct gslot_client *client, enum gslot_engine_id engine,
				bool close)
{
	struct gslot_sched *sched = client->sched;

	spin_lock_irq(&sched->lock);
	client->channel[engine].closed = close;
	sched_client_changed(client);
	sched_update(sched);
	spin_unlock_irq(&sched->lock);
}

/* Return: whether all are cancelled. */
static bool sched_cancel_queued(struct gslot_client *client, enum gslot_engine_id engine)
{
	struct sched_channel *channel = &client->channel[engine];
	struct gslot_sched *sched = client->sched;
	struct gslot_request *rq, *next;
	bool empty;

	spin_lock_irq(&sched->lock);
	list_for_each_entry_safe(rq, next, &channel->requests, link)
		if (!sched_retire(client, engine, rq, GSLOT_REQUEST_CANCELLED))
			break;
	empty = list_empty(&channel->requests);
	spin_unlock_irq(&sched->lock);
	return empty;
}

/**
 * gslot_sched_cancel() - cancel all requests of a client on an engine
 * @client: the client
 * @id: the engine
 * @force: do not wait for an arbitration point: reset the engine
 *
 * On return they are retired as CANCELLED, and nothing of the client is on that engine.
 * Context: may sleep.
 */
void gslot_sched_cancel(struct gslot_client *client, enum gslot_engine_id id, bool force)
{
	struct gslot_sched *sched = client->sched;
	struct sched_engine *engine = &sched->engine[id];

	sched_close_channel(client, id, true);
	if (force && !sched_nothing_on(client, engine)) {
		/* Perhaps its work is done, and the interrupt was lost. */
		gslot_hw_poll(sched->hw, id);
		if (!sched_nothing_on(client, engine))
			sched_engine_reset(engine, client, GSLOT_REQUEST_CANCELLED);
	}
	if (!wait_event_timeout(engine->wait, sched_nothing_on(client, engine), WAIT_JIFFIES))
		sched_engine_reset(engine, client, GSLOT_REQUEST_CANCELLED);
	if (!sched_cancel_queued(client, id)) {
		sched_engine_reset(engine, NULL, GSLOT_REQUEST_HUNG);
		WARN_ON_ONCE(!sched_cancel_queued(client, id));
	}
	sched_close_channel(client, id, false);
}

/* @client: NULL: any. */
static bool sched_is_off(const struct gslot_client *client, struct sched_engine *engine)
{
	struct gslot_sched *sched = engine->sched;
	bool off;

	spin_lock_irq(&sched->lock);
	off = client ? engine->owner != client : !engine->owner;
	spin_unlock_irq(&sched->lock);
	return off;
}

/*
 * Wait until a client, which is being preempted and gets no engine, owns none; NULL: all clients.
 * Sleeps as long as a preemption and a reset take.
 */
void sched_wait_off(struct gslot_sched *sched, const struct gslot_client *client)
{
	struct sched_engine *engine;

	for (engine = sched->engine; engine < sched_engines_end(sched); engine++)
		if (!wait_event_timeout(engine->wait, sched_is_off(client, engine), WAIT_JIFFIES))
			sched_engine_reset(engine, client ?: READ_ONCE(engine->owner),
					   GSLOT_REQUEST_HUNG);
}

/*
 * Take a client off the hardware for a @reason, &gslot_client.paused or stopped; or undo that. A
 * client that both of them block stays off until neither does.
 */
static void sched_set_blocked(struct gslot_client *client, bool *reason, bool blocked)
{
	struct gslot_sched *sched = client->sched;
	unsigned long flags;

	spin_lock_irqsave(&sched->lock, flags);
	*reason = blocked;
	sched_client_changed(client);
	if (blocked)
		sched_preempt_owner(sched, client);
	sched_update(sched);
	spin_unlock_irqrestore(&sched->lock, flags);
	if (blocked)
		sched_wait_off(sched, client);
}

/**
 * gslot_sched_pause() - take a client off the hardware
 * @client: the client; its requests stay queued
 *
 * Context: may sleep.
 */
void gslot_sched_pause(struct gslot_client *client)
{
	struct gslot_copy_policy *policy = READ_ONCE(client->sched->copy_policy);

	sched_set_blocked(client, &client->paused, true);
	if (unlikely(policy))
		policy->ops->forget(policy, client->ops->ggtt(client->data));
}

/**
 * gslot_sched_unpause() - undo gslot_sched_pause()
 * @client: the client
 *
 * Context: any, without the locks that the client's upcalls take.
 */
void gslot_sched_unpause(struct gslot_client *client)
{
	sched_set_blocked(client, &client->paused, false);
}

/**
 * gslot_sched_limit() - let a client go on with the request that each engine is at, and no other
 * @client: the client; if @limited, paused and off the hardware
 * @limited: true: requests behind the first one of a channel wait; false: they do not any more
 *
 * Context: any, without the locks that the client's upcalls take.
 */
void gslot_sched_limit(struct gslot_client *client, bool limited)
{
	struct gslot_sched *sched = client->sched;
	unsigned long flags;
	u32 i;

	spin_lock_irqsave(&sched->lock, flags);
	for (i = 0; i < GSLOT_NR_ENGINES; i++) {
		struct sched_channel *channel = &client->channel[i];
		struct gslot_request *rq;

		channel->limit = 0;
		rq = sched_channel_first(channel);
		if (limited && rq)
			channel->limit = rq->seqno;
	}
	sched_client_changed(client);
	sched_update(sched);
	spin_unlock_irqrestore(&sched->lock, flags);
}

/**
 * gslot_client_set_stopped() - stop a client, or let it go on, independently of gslot_sched_pause()
 * @client: the client
 * @stopped: its requests stay queued, and it is off the hardware when this returns
 *
 * Context: may sleep, without the locks that the client's upcalls take.
 */
void gslot_client_set_stopped(struct gslot_client *client, bool stopped)
{
	sched_set_blocked(client, &client->stopped, stopped);
}

/**
 * gslot_sched_halt() - let no client own an engine
 * @sched: the scheduler
 *
 * Does not wait: owners are being preempted. If all clients are to be paused, each would get the
 * engine before it is paused, and take its time to yield, without this.
 * Context: any, without the locks that clients' upcalls take.
 */
void gslot_sched_halt(struct gslot_sched *sched)
{
	unsigned long flags;

	spin_lock_irqsave(&sched->lock, flags);
	sched->halts++;
	sched_preempt_owner(sched, NULL);
	sched_update(sched);
	spin_unlock_irqrestore(&sched->lock, flags);
}

/**
 * gslot_sched_resume() - undo one gslot_sched_halt()
 * @sched: the scheduler
 *
 * Context: any, without the locks that clients' upcalls take.
 */
void gslot_sched_resume(struct gslot_sched *sched)
{
	unsigned long flags;

	spin_lock_irqsave(&sched->lock, flags);
	sched->halts--;
	sched_update(sched);
	spin_unlock_irqrestore(&sched->lock, flags);
}

/**
 * gslot_sched_released() - has the hardware released a context?
 * @client: the client
 * @id: the engine
 * @context: the context; all its requests are retired, but a submission may have crossed that
 *
 * Return: false if the hardware still has it: then &gslot_client_ops.released follows.
 * Context: any.
 */
bool gslot_sched_released(struct gslot_client *client, enum gslot_engine_id id,
			  const struct gslot_hw_context *context)
{
	struct gslot_sched *sched = client->sched;
	unsigned long flags;
	bool held;

	spin_lock_irqsave(&sched->lock, flags);
	held = sched_engine_holds(&sched->engine[id], context);
	if (held)
		client->awaits |= BIT(id);
	spin_unlock_irqrestore(&sched->lock, flags);
	return !held;
}

/**
 * gslot_sched_awaited() - the context that must be written back for an engine to go on
 * @client: the client
 * @id: the engine
 *
 * To be called before retired requests are processed: those of the context are retired by then.
 *
 * Return: a context that is off the hardware, stays off, and is all that keeps the next one from
 * being loaded; NULL if there is none, or the hardware still has it: then
 * &gslot_client_ops.released follows.
 * Context: any.
 */
struct gslot_hw_context *gslot_sched_awaited(struct gslot_client *client,
					     enum gslot_engine_id id)
{
	struct gslot_sched *sched = client->sched;
	struct gslot_hw_context *context;
	unsigned long flags;

	spin_lock_irqsave(&sched->lock, flags);
	context = sched_awaited(client, id);
	if (context && sched_engine_holds(&sched->engine[id], context)) {
		client->awaits |= BIT(id);
		context = NULL;
	}
	spin_unlock_irqrestore(&sched->lock, flags);
	return context;
}

/**
 * gslot_sched_writeback_pending() - has a context been loaded since its last writeback?
 * @client: the client
 * @id: the engine
 * @context: the context
 *
 * Return: true if it has been loaded.
 * Context: any.
 */
bool gslot_sched_writeback_pending(struct gslot_client *client, enum gslot_engine_id id,
				   const struct gslot_hw_context *context)
{
	return READ_ONCE(client->channel[id].writeback) == context;
}

/**
 * gslot_sched_writeback_done() - a context has been written back, or goes
 * @client: the client
 * @id: the engine
 * @context: the context, off the hardware
 *
 * Context: any.
 */
void gslot_sched_writeback_done(struct gslot_client *client, enum gslot_engine_id id,
				const struct gslot_hw_context *context)
{
	struct gslot_sched *sched = client->sched;
	unsigned long flags;

	spin_lock_irqsave(&sched->lock, flags);
	if (client->channel[id].writeback == context) {
		WRITE_ONCE(client->channel[id].writeback, NULL);
		sched_update(sched);
	}
	spin_unlock_irqrestore(&sched->lock, flags);
}

/* Something left the engine: tell the owner, if it waits for that. */
void sched_notify_released(struct sched_engine *engine)
{
	struct gslot_client *client = engine->owner;

	lockdep_assert_held(&engine->sched->lock);
	if (!client || !(client->awaits & BIT(engine->id)))
		return;
	client->awaits &= ~BIT(engine->id);
	client->ops->released(client->data, engine->id);
}
