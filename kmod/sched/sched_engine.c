// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: one engine of the scheduler
 *
 * An engine holds at most two submissions: the active one and a pending one,
 * which turns active with the promote event. Nothing is submitted while one is
 * pending. A submission is of one context: the hardware would go on with a second
 * one by itself, before the first one's image is where its owner may look for it.
 *
 * Events say that a context left the engine, not what it got done. That is
 * said by the ring's HEAD, which the hardware saved in the context's image
 * before: a request whose tail it has passed is retired.
 */
#include "sched_priv.h"
#include "core/ctx/lrc.h"
#include "base/trace.h"
#include "gen/lrc.h"
#include "gen/regs.h"

/* Identities have 20 bits; 0 stands for nobody. */
#define CTX_ID_LIMIT	0x100000u

static struct sched_channel *channel_of(struct sched_engine *engine)
{
	return engine->client ? &engine->client->channel[engine->id] : NULL;
}

/**
 * sched_engine_quiet() - is nothing on an engine, nor about to be reset?
 * @engine: the engine
 *
 * Return: true if so: it can be given to somebody else.
 * Context: lock held.
 */
bool sched_engine_quiet(const struct sched_engine *engine)
{
	lockdep_assert_held(&engine->sched->lock);
	return !engine->active.context && !engine->pending.context && !engine->resetting;
}

/**
 * sched_engine_holds() - has an engine been given a context, and not let go of it?
 * @engine: the engine
 * @context: the context
 *
 * Return: true if so: its image and ring are the hardware's.
 * Context: lock held.
 */
bool sched_engine_holds(const struct sched_engine *engine,
			const struct gslot_hw_context *context)
{
	lockdep_assert_held(&engine->sched->lock);
	return engine->active.context == context || engine->pending.context == context;
}

/* The hardware reports what was not asked of it: nothing that it says counts. */
static void out_of_step(struct sched_engine *engine)
{
	engine->error = true;
	queue_work(system_highpri_wq, &engine->sched->reset_work);
}

/* Is it up to this request that the hardware was given a context which it has not let go of? */
static bool is_given(const struct sched_engine *engine, const struct gslot_request *rq)
{
	const struct sched_port *active = &engine->active, *pending = &engine->pending;

	return (active->context == rq->context && active->last == rq->seqno) ||
	       (pending->context == rq->context && pending->last == rq->seqno);
}

/**
 * sched_retire() - take a request out of its V-Channel, and tell its client
 * @client: whose
 * @engine: of which engine
 * @rq: the request; the client's from here on, and perhaps freed
 * @result: what became of it; with any but DONE its context is banned
 *
 * Context: lock held; sched_update() follows.
 */
void sched_retire(struct gslot_client *client, enum gslot_engine_id engine,
		  struct gslot_request *rq, enum gslot_request_result result)
{
	lockdep_assert_held(&client->sched->lock);
	/* With its last request the client lets go of what a context needs to be loaded. */
	if (WARN_ON_ONCE(is_given(&client->sched->engine[engine], rq)))
		out_of_step(&client->sched->engine[engine]);
	trace_gslot_request_retire(client->name, engine, rq->context->lrca, rq->context->id,
				   rq->seqno, result);
	list_del_init(&rq->link);
	client->channel[engine].waiting -= rq->seqno > client->channel[engine].given;
	sched_client_changed(client);
	sched_meter_add(&client->sched->engine[engine], client, GSLOT_METER_REQUESTS, 1);
	if (result != GSLOT_REQUEST_DONE)
		rq->context->banned = true;
	client->ops->retired(client->data, engine, rq, result);
}

static bool request_done(const struct gslot_request *rq)
{
	return gslot_lrc_passed(rq->context->state, rq->ring_size, rq->head, rq->tail);
}

/**
 * sched_retire_context() - take a context's requests out of their V-Channel
 * @engine: the engine that it is, or was, on
 * @context: the context
 * @last: seqno of the last request that the port which has ended was given
 * @result: DONE: those up to @last that its saved HEAD has passed; any other: all of them
 *
 * Requests of one channel run in order, so @context's next ones are at its head, or
 * it has none that could be done. A context that was loaded just after the TAIL of a further
 * submission was written has executed the requests of that one, too. The hardware will load it
 * once more for that submission, and execute its workaround batch: they are retired after that.
 * Context: lock held; sched_update() follows.
 */
void sched_retire_context(struct sched_engine *engine, struct gslot_hw_context *context,
			  u64 last, enum gslot_request_result result)
{
	struct sched_channel *channel = channel_of(engine);
	struct gslot_request *rq, *next;

	lockdep_assert_held(&engine->sched->lock);
	if (!channel)
		return;
	list_for_each_entry_safe(rq, next, &channel->requests, link) {
		if (result == GSLOT_REQUEST_DONE &&
		    (rq->context != context || rq->seqno > last || !request_done(rq)))
			break;
		if (rq->context == context)
			sched_retire(engine->client, engine->id, rq, result);
	}
}

/* The hardware saved a port's context and left it. */
static void context_out(struct sched_engine *engine, const struct sched_port *port)
{
	struct gslot_hw_context *context = port->context;

	if (!context || context == &engine->preempt)
		return;
	sched_busy_saved(engine, context);
	sched_retire_context(engine, context, port->last, GSLOT_REQUEST_DONE);
}

/*
 * The hardware says that it is through with what a port holds. If the HEAD that
 * it saved says otherwise, it would say so again however often it is asked:
 * that is an error of the context. If the hardware was given it once more meanwhile, its requests
 * are not retired before a reset has made it let go.
 */
static void context_complete(struct sched_engine *engine, const struct sched_port *port)
{
	struct sched_channel *channel = channel_of(engine);
	struct gslot_request *rq;

	context_out(engine, port);
	if (!port->context || port->context == &engine->preempt || !channel)
		return;
	rq = list_first_entry_or_null(&channel->requests, struct gslot_request, link);
	if (!rq || rq->context != port->context || rq->seqno > port->last)
		return;
	if (sched_engine_holds(engine, port->context)) {
		out_of_step(engine);
		return;
	}
	sched_meter_add(engine, engine->client, GSLOT_METER_HANGS, 1);
	sched_retire_context(engine, port->context, U64_MAX, GSLOT_REQUEST_ERROR);
}

static void promote(struct sched_engine *engine, u32 status)
{
	struct sched_port old = engine->active;

	if (!engine->pending.context) {
		out_of_step(engine);
		return;
	}
	engine->active = engine->pending;
	engine->pending = (struct sched_port) { };
	if (status & CSB_LITE_RESTORE)
		return;
	if (status & CSB_COMPLETE) {
		context_complete(engine, &old);
		return;
	}
	context_out(engine, &old);
	if (old.context && old.context != &engine->preempt &&
	    engine->active.context == &engine->preempt && engine->client)
		sched_meter_add(engine, engine->client, GSLOT_METER_PREEMPTIONS, 1);
}

static void port_done(struct sched_engine *engine, u32 ctx_id)
{
	struct sched_port old = engine->active;

	if (!old.context || old.context->id != ctx_id) {
		out_of_step(engine);
		return;
	}
	engine->active = (struct sched_port) { };
	context_complete(engine, &old);
}

/**
 * sched_engine_event() - the hardware reports something of an engine
 * @engine: the engine
 * @status: lower half of the CSB entry
 * @ctx_id: its upper half: &gslot_hw_context.id
 *
 * Context: lock held; sched_update() follows.
 */
void sched_engine_event(struct sched_engine *engine, u32 status, u32 ctx_id)
{
	lockdep_assert_held(&engine->sched->lock);
	trace_gslot_csb(engine->id, status, ctx_id);
	if (engine->resetting)
		return;
	if (status & CSB_PROMOTE)
		promote(engine, status);
	else if (status & (CSB_COMPLETE | CSB_ACTIVE_IDLE))
		port_done(engine, ctx_id);
}

static u64 descriptor(struct sched_engine *engine, const struct sched_port *port)
{
	struct gslot_hw_context *context = port->context;
	struct gslot_sched *sched = engine->sched;

	/* On top of what is active, it is restored "lite": with a tail that moved. */
	if (!sched_engine_holds(engine, context)) {
		sched->next_id = sched->next_id % (CTX_ID_LIMIT - 1) + 1;
		context->id = sched->next_id;
		sched_busy_load(engine, context);
	}
	WRITE_ONCE(context->state[LRC_RING_TAIL], port->tail);
	return context->desc | (u64)context->id << CTX_DESC_ID_SHIFT;
}

/* Before the hardware has it: what the guest does when it sees its work begin comes after. */
static void trace_submit(struct sched_engine *engine, const struct sched_port *port)
{
	struct gslot_request *rq;

	if (!trace_gslot_request_submit_enabled())
		return;
	list_for_each_entry(rq, &engine->client->channel[engine->id].requests, link)
		if (rq->context == port->context && rq->seqno <= port->last)
			trace_gslot_request_submit(engine->client->name, engine->id,
						   rq->context->lrca, rq->context->id,
						   rq->seqno, rq->tail);
}

static void submit(struct sched_engine *engine, const struct sched_port *port)
{
	u64 desc = descriptor(engine, port);

	if (engine->stale)
		desc |= CTX_DESC_FORCE_PD_RESTORE;
	engine->stale = false;
	engine->pending = *port;
	trace_submit(engine, port);
	wmb();	/* images before the submission that makes the GPU read them */
	gslot_hw_submit(engine->sched->hw, engine->id, desc);
}

/*
 * The first context of the channel, up to its last request in a row: @new ones at most that the
 * hardware was never given; it is then how many of these there are.
 */
static struct sched_port next_port(struct sched_channel *channel, u32 *new)
{
	struct sched_port port = { };
	struct gslot_request *rq;
	u32 room = *new;

	*new = 0;
	list_for_each_entry(rq, &channel->requests, link) {
		bool is_new = rq->seqno > channel->given;

		if ((port.context && port.context != rq->context) || (is_new && *new == room))
			break;
		*new += is_new;
		port.context = rq->context;
		port.tail = rq->tail;
		port.last = rq->seqno;
	}
	return port;
}

/**
 * sched_awaited() - whose image has to be handed over before an engine can go on?
 * @client: whose
 * @id: the engine
 *
 * Return: the context that was loaded last, if it owes its image and the next
 * request is of another one; else NULL. The hardware may still have it.
 * Context: lock held.
 */
struct gslot_hw_context *sched_awaited(struct gslot_client *client, enum gslot_engine_id id)
{
	struct sched_channel *channel = &client->channel[id];
	struct gslot_request *rq = list_first_entry_or_null(&channel->requests,
							    struct gslot_request, link);

	lockdep_assert_held(&client->sched->lock);
	return rq && rq->context != channel->owing ? channel->owing : NULL;
}

static void fill(struct sched_engine *engine)
{
	struct gslot_client *client = engine->client;
	struct sched_channel *channel = &client->channel[engine->id];
	u32 new = sched_blocks(engine);
	struct sched_port port;

	if (channel->closed || list_empty(&channel->requests) ||
	    sched_awaited(client, engine->id))
		return;
	port = next_port(channel, &new);
	if (!port.context)
		return;
	/* What runs but is not at the head is about to be reported complete. */
	if (engine->active.context && engine->active.context != port.context)
		return;
	if (engine->active.context && engine->active.tail == port.tail)
		return;
	WRITE_ONCE(channel->owing, port.context);
	submit(engine, &port);
	sched_dispatched(engine, new, port.last);
}

/**
 * sched_engine_idle() - give an engine the context without work
 * @engine: the engine; nothing is pending
 *
 * Context: lock held.
 */
void sched_engine_idle(struct sched_engine *engine)
{
	const struct sched_port port = { .context = &engine->preempt };

	lockdep_assert_held(&engine->sched->lock);
	submit(engine, &port);
}

/* Put the context without work in the way: what runs yields, and idles. */
static void drain(struct sched_engine *engine)
{
	u64 preempt_ns = READ_ONCE(engine->client->preempt_ns);

	if (sched_engine_quiet(engine)) {
		engine->deadline = 0;
		return;
	}
	if (!engine->deadline)
		engine->deadline = ktime_add_ns(ktime_get(),
						gslot_policy_patience(&engine->runq->policy,
								      preempt_ns));
	if (!engine->pending.context && engine->active.context != &engine->preempt)
		sched_engine_idle(engine);
}

static bool may_run(const struct gslot_client *client)
{
	return !client->paused && !client->stopped;
}

/**
 * sched_engine_update() - give an engine what it should have
 * @engine: the engine
 *
 * Requests of its client's, or if it is to be left, the context without work.
 * Context: lock held; called by sched_update().
 */
void sched_engine_update(struct sched_engine *engine)
{
	struct gslot_sched *sched = engine->sched;
	struct sched_channel *channel = channel_of(engine);

	lockdep_assert_held(&engine->sched->lock);
	if (engine->resetting || engine->stuck || gslot_hw_wedged(sched->hw))
		return;
	if (engine->leaving || (channel && channel->closed && !sched_engine_quiet(engine))) {
		drain(engine);
		return;
	}
	engine->deadline = 0;
	engine->late = false;
	if (!engine->pending.context && !engine->error && channel && may_run(engine->client))
		fill(engine);
}
