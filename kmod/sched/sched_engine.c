// SPDX-License-Identifier: GPL-2.0
/*
 * Submissions to an engine. It has at most two: the active one and a pending one, which becomes
 * active with the promote event. Nothing is submitted while one is pending. A submission has one
 * context: the hardware would go on with a second one by itself, before the first one has been
 * written back.
 *
 * Events say that a context left the engine, not what it has done. The ring's HEAD says that, which
 * the hardware saved in the context's image before: a request is retired when HEAD has passed its
 * tail.
 */
#include "sched_priv.h"
#include "core/ctx/lrc.h"
#include "base/trace.h"
#include "gen/lrc.h"

/* Ids have 20 bits; 0 is never used. */
#define CTX_ID_LIMIT	0x100000u

static struct sched_channel *engine_channel(struct sched_engine *engine)
{
	return engine->owner ? &engine->owner->channel[engine->id] : NULL;
}

/* Whether nothing is on the engine, and it is not being reset: then another client can get it. */
bool sched_engine_quiet(const struct sched_engine *engine)
{
	lockdep_assert_held(&engine->sched->lock);
	return !engine->active.context && !engine->pending.context &&
	       engine->state != SCHED_ENGINE_RESETTING;
}

/* Whether all engines of a bit mask are quiet. */
bool sched_engines_quiet(const struct gslot_sched *sched, u32 engines)
{
	const struct sched_engine *engine;

	lockdep_assert_held(&sched->lock);
	for (engine = sched->engine; engine < sched_engines_end(sched); engine++)
		if (engines & BIT(engine->id) && !sched_engine_quiet(engine))
			return false;
	return true;
}

/*
 * Whether the engine was given the context, and has not released it: the hardware may use its image
 * and ring.
 */
bool sched_engine_holds(const struct sched_engine *engine,
			const struct gslot_hw_context *context)
{
	lockdep_assert_held(&engine->sched->lock);
	return engine->active.context == context || engine->pending.context == context;
}

/* Is the request the last one of a submission that the hardware has? */
static bool engine_is_given(const struct sched_engine *engine, const struct gslot_request *rq)
{
	const struct sched_port *active = &engine->active, *pending = &engine->pending;

	return (active->context == rq->context && active->last == rq->seqno) ||
	       (pending->context == rq->context && pending->last == rq->seqno);
}

/* base/trace.h has their names. */
static_assert(GSLOT_REQUEST_DONE == 0 && GSLOT_REQUEST_CANCELLED == 1 && GSLOT_REQUEST_HUNG == 2 &&
	      GSLOT_REQUEST_ERROR == 3);

/*
 * Take a request out of its V-Channel and hand it to its client, which may free it. After the last
 * request of a context, the client releases what the context needs to be loaded. With any result
 * but DONE the context is banned. sched_update() follows.
 *
 * Return: false if the hardware may still load the context for the request: the scheduler is wrong
 * about the engine. Then the request stays queued, and the engine is reset if it is not quiet soon.
 */
bool sched_retire(struct gslot_client *client, enum gslot_engine_id engine,
		  struct gslot_request *rq, enum gslot_request_result result)
{
	lockdep_assert_held(&client->sched->lock);
	if (WARN_ON_ONCE(engine_is_given(&client->sched->engine[engine], rq))) {
		sched_engine_fail(&client->sched->engine[engine]);
		return false;
	}
	trace_gslot_request_retire(client->name, engine, rq->context->lrca, rq->context->id,
				   rq->seqno, result);
	list_del_init(&rq->link);
	client->channel[engine].waiting -= rq->seqno > client->channel[engine].given;
	sched_client_changed(client);
	sched_meter_add(&client->sched->engine[engine], client, GSLOT_METER_REQUESTS, 1);
	if (result != GSLOT_REQUEST_DONE)
		rq->context->banned = true;
	client->ops->retired(client->data, engine, rq, result);
	return true;
}

static bool engine_request_done(const struct gslot_request *rq)
{
	return gslot_lrc_passed(rq->context->state, rq->ring_size, rq->head, rq->tail);
}

/*
 * Take a context's requests out of their V-Channel. With the result DONE, those that its saved HEAD
 * has passed, up to @last, the last one of the submission that has ended; else all of them.
 * sched_update() follows.
 *
 * Requests of a channel run in order, so those of @context are at its head, or none of them can be
 * done. A context that was loaded just after the TAIL of a further submission was written has
 * executed the requests of that one, too. The hardware will load it once more for that submission,
 * and execute its workaround batch: those requests are retired after that.
 */
void sched_retire_context(struct sched_engine *engine, struct gslot_hw_context *context,
			  u64 last, enum gslot_request_result result)
{
	struct sched_channel *channel = engine_channel(engine);
	struct gslot_request *rq, *next;

	lockdep_assert_held(&engine->sched->lock);
	if (!channel)
		return;
	list_for_each_entry_safe(rq, next, &channel->requests, link) {
		if (result == GSLOT_REQUEST_DONE &&
		    (rq->context != context || rq->seqno > last || !engine_request_done(rq)))
			break;
		if (rq->context == context &&
		    !sched_retire(engine->owner, engine->id, rq, result))
			break;
	}
}

/* The hardware saved a port's context and left it. */
static void engine_context_out(struct sched_engine *engine, const struct sched_port *port)
{
	struct gslot_hw_context *context = port->context;

	if (!context || context == &engine->preempt)
		return;
	sched_busy_saved(engine, context);
	sched_retire_context(engine, context, port->last, GSLOT_REQUEST_DONE);
}

/*
 * The hardware says that a port's context is complete. If the HEAD that it saved says otherwise, it
 * would say so again however often the context is submitted: that is an error of the context. If it
 * was submitted once more meanwhile, only a reset makes the hardware release it, and its requests
 * are retired after that.
 */
static void engine_context_complete(struct sched_engine *engine, const struct sched_port *port)
{
	struct sched_channel *channel = engine_channel(engine);
	struct gslot_request *rq;

	engine_context_out(engine, port);
	if (!port->context || port->context == &engine->preempt || !channel)
		return;
	rq = list_first_entry_or_null(&channel->requests, struct gslot_request, link);
	if (!rq || rq->context != port->context || rq->seqno > port->last)
		return;
	if (sched_engine_holds(engine, port->context)) {
		sched_engine_fail(engine);
		return;
	}
	sched_meter_add(engine, engine->owner, GSLOT_METER_HANGS, 1);
	sched_retire_context(engine, port->context, U64_MAX, GSLOT_REQUEST_ERROR);
}

static void engine_promote(struct sched_engine *engine, u32 status)
{
	struct sched_port old = engine->active;

	if (!engine->pending.context) {
		sched_engine_fail(engine);
		return;
	}
	engine->active = engine->pending;
	engine->pending = (struct sched_port) { };
	if (status & CSB_LITE_RESTORE)
		return;
	if (status & CSB_COMPLETE) {
		engine_context_complete(engine, &old);
		return;
	}
	engine_context_out(engine, &old);
	if (old.context && old.context != &engine->preempt &&
	    engine->active.context == &engine->preempt && engine->owner)
		sched_meter_add(engine, engine->owner, GSLOT_METER_PREEMPTIONS, 1);
}

static void engine_port_done(struct sched_engine *engine, u32 ctx_id)
{
	struct sched_port old = engine->active;

	if (!old.context || old.context->id != ctx_id) {
		sched_engine_fail(engine);
		return;
	}
	engine->active = (struct sched_port) { };
	engine_context_complete(engine, &old);
}

/*
 * Handle an entry of the context status buffer; @ctx_id is &gslot_hw_context.id. sched_update()
 * follows.
 */
void sched_engine_event(struct sched_engine *engine, u32 status, u32 ctx_id)
{
	lockdep_assert_held(&engine->sched->lock);
	trace_gslot_csb(engine->id, status, ctx_id);
	if (engine->state == SCHED_ENGINE_RESETTING)
		return;
	if (status & CSB_PROMOTE)
		engine_promote(engine, status);
	else if (status & (CSB_COMPLETE | CSB_ACTIVE_IDLE))
		engine_port_done(engine, ctx_id);
}

static u64 engine_descriptor(struct sched_engine *engine, const struct sched_port *port)
{
	struct gslot_hw_context *context = port->context;
	struct gslot_sched *sched = engine->sched;

	/* If it is active already this is a lite restore: only the tail has moved. */
	if (!sched_engine_holds(engine, context)) {
		sched->next_id = sched->next_id % (CTX_ID_LIMIT - 1) + 1;
		context->id = sched->next_id;
		sched_busy_load(engine, context);
	}
	WRITE_ONCE(context->state[LRC_RING_TAIL], port->tail);
	return context->desc | (u64)context->id << CTX_DESC_ID_SHIFT;
}

/* Before the submission: what the guest does when its work begins comes later in the trace. */
static void engine_trace_submit(struct sched_engine *engine, const struct sched_port *port)
{
	struct gslot_request *rq;

	if (!trace_gslot_request_submit_enabled() || !engine->owner)
		return;
	list_for_each_entry(rq, &engine->owner->channel[engine->id].requests, link)
		if (rq->context == port->context && rq->seqno <= port->last)
			trace_gslot_request_submit(engine->owner->name, engine->id,
						   rq->context->lrca, rq->context->id,
						   rq->seqno, rq->tail);
}

static void engine_submit(struct sched_engine *engine, const struct sched_port *port)
{
	u64 desc = engine_descriptor(engine, port);

	if (engine->tlb.stale)
		desc |= CTX_DESC_FORCE_PD_RESTORE;
	engine->tlb.stale = false;
	engine->pending = *port;
	engine_trace_submit(engine, port);
	gslot_hw_submit(engine->sched->hw, engine->id, desc);
}

/*
 * The channel's first context, up to its last request in a row, with at most @new requests that
 * were never submitted; @new is then how many there are.
 */
static struct sched_port engine_next_port(struct sched_channel *channel, u32 *new)
{
	struct sched_port port = { };
	struct gslot_request *rq;
	u32 room = *new;

	*new = 0;
	list_for_each_entry(rq, &channel->requests, link) {
		bool is_new = rq->seqno > channel->given;

		if ((port.context && port.context != rq->context) || (is_new && *new == room) ||
		    (channel->limit && rq->seqno > channel->limit))
			break;
		*new += is_new;
		port.context = rq->context;
		port.tail = rq->tail;
		port.last = rq->seqno;
	}
	return port;
}

/*
 * The context that must be written back before a client's next one is loaded. The hardware may
 * still have it. NULL: none.
 */
struct gslot_hw_context *sched_awaited(struct gslot_client *client, enum gslot_engine_id id)
{
	struct sched_channel *channel = &client->channel[id];
	struct gslot_request *rq = list_first_entry_or_null(&channel->requests,
							    struct gslot_request, link);

	lockdep_assert_held(&client->sched->lock);
	return rq && rq->context != channel->writeback ? channel->writeback : NULL;
}

static void engine_fill(struct sched_engine *engine)
{
	struct gslot_client *client = engine->owner;
	struct sched_channel *channel = &client->channel[engine->id];
	u32 new = gslot_policy_blocks(&engine->runq->policy);
	struct sched_port port;

	if (!sched_channel_first(channel) || sched_awaited(client, engine->id))
		return;
	port = engine_next_port(channel, &new);
	if (!port.context)
		return;
	/* What is active but not at the head is about to be reported complete. */
	if (engine->active.context && engine->active.context != port.context)
		return;
	if (engine->active.context && engine->active.tail == port.tail)
		return;
	WRITE_ONCE(channel->writeback, port.context);
	engine_submit(engine, &port);
	sched_dispatched(engine, new, port.last);
}

/* Nothing is pending on the engine. */
void sched_engine_submit_preempt(struct sched_engine *engine)
{
	const struct sched_port port = { .context = &engine->preempt };

	lockdep_assert_held(&engine->sched->lock);
	engine_submit(engine, &port);
}

/* Have the active context yield. */
static void engine_drain(struct sched_engine *engine)
{
	u64 preempt_ns = READ_ONCE(engine->owner->preempt_ns);

	if (sched_engine_quiet(engine))
		return;
	if (engine->state == SCHED_ENGINE_OWNED) {
		engine->deadline = ktime_add_ns(ktime_get(),
						gslot_policy_patience(&engine->runq->policy,
								      preempt_ns));
		sched_engine_set_state(engine, SCHED_ENGINE_DRAINING);
	}
	if (!engine->pending.context && engine->active.context != &engine->preempt)
		sched_engine_submit_preempt(engine);
}

/*
 * Submit what the engine should have: requests of its owner, or the preempt context if the owner is
 * to leave. Called by sched_update() only.
 */
void sched_engine_update(struct sched_engine *engine)
{
	struct gslot_sched *sched = engine->sched;
	struct sched_channel *channel = engine_channel(engine);

	lockdep_assert_held(&engine->sched->lock);
	if (engine->state == SCHED_ENGINE_RESETTING || engine->tlb.stuck ||
	    gslot_hw_wedged(sched->hw))
		return;
	if (sched_engine_leaving(engine) ||
	    (channel && channel->closed && !sched_engine_quiet(engine))) {
		engine_drain(engine);
		return;
	}
	if (engine->state == SCHED_ENGINE_DRAINING || engine->state == SCHED_ENGINE_LATE)
		sched_engine_set_ready(engine);
	if (!engine->pending.context && engine->state == SCHED_ENGINE_OWNED &&
	    sched_client_may_run(engine->owner))
		engine_fill(engine);
}
