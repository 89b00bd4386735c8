// SPDX-License-Identifier: GPL-2.0
/*
 * Run queues, one for each engine or one for all: docs/scheduling.md, "Turns". With one for all,
 * the owner has left when the last engine is quiet, and the next one gets them when what it names
 * is loaded (sched_copy.c).
 *
 * All clients have joined all run queues. A client is awake on a run queue if it has work for one
 * of its engines.
 */
#include <linux/ktime.h>

#include "sched_priv.h"
#include "base/trace.h"
#include "core/sched/policy_list.h"

static void runq_group(struct gslot_sched *sched, bool together)
{
	struct sched_engine *engine;
	struct sched_runq *runq;

	for (runq = sched->runq; runq < sched_runqs_end(sched); runq++)
		runq->engines = 0;
	for (engine = sched->engine; engine < sched_engines_end(sched); engine++) {
		engine->runq = &sched->runq[together ? 0 : engine->id];
		engine->runq->engines |= BIT(engine->id);
	}
}

/* One run queue for each engine, without clients. */
void sched_runqs_init(struct gslot_sched *sched)
{
	struct sched_runq *runq;

	for (runq = sched->runq; runq < sched_runqs_end(sched); runq++) {
		runq->sched = sched;
		gslot_policy_init(&runq->policy, &gslot_fair, SCHED_QUANTUM_NS);
	}
	runq_group(sched, false);
}

/*
 * Use one run queue for all engines, or one for each. No engine has an owner; sched_update()
 * follows.
 */
void sched_regroup(struct gslot_sched *sched, bool together)
{
	struct gslot_client *client;
	struct sched_runq *runq;

	lockdep_assert_held(&sched->lock);
	for (runq = sched->runq; runq < sched_runqs_end(sched); runq++)
		WARN_ON_ONCE(runq->policy.owner);
	runq_group(sched, together);
	list_for_each_entry(client, &sched->clients, link)
		sched_client_changed(client);
}

/* The client joins all run queues. Return: 0, or -ENOSPC: it has joined none. */
int sched_join(struct gslot_client *client)
{
	struct gslot_sched *sched = client->sched;
	u64 now = ktime_get_ns();
	struct sched_runq *runq;
	int ret = 0;

	lockdep_assert_held(&sched->lock);
	for (runq = sched->runq; runq < sched_runqs_end(sched); runq++)
		/* All have the same clients: each has room, or none has. */
		ret = gslot_policy_join(&runq->policy, sched_policy_client(runq, client), now);
	return ret;
}

/* The client, which is detached, and so asleep, leaves all run queues. */
void sched_quit(struct gslot_client *client)
{
	struct gslot_sched *sched = client->sched;
	u64 now = ktime_get_ns();
	struct sched_runq *runq;

	lockdep_assert_held(&sched->lock);
	for (runq = sched->runq; runq < sched_runqs_end(sched); runq++)
		gslot_policy_leave(&runq->policy, sched_policy_client(runq, client), now);
}

/*
 * How long a client had work that may run, and for how much of that it was the owner, preemption
 * included. The policy cap charges the latter, so it can be compared with a cap; it is more than
 * the client's contexts ran (busy.c) by the time of switches. The rest the client waited.
 *
 * Time is counted before the owner of a run queue changes, and before a client wakes or falls
 * asleep: so two additions are enough, however many clients wait.
 */
static struct sched_work *runq_work(const struct sched_runq *runq, struct gslot_client *client)
{
	return &client->work[runq - runq->sched->runq];
}

/* Count the owner's time: the owner may change now. */
static void runq_count_owner(struct sched_runq *runq, u64 now)
{
	struct gslot_client *owner = sched_owner(runq);

	lockdep_assert_held(&runq->sched->lock);
	if (owner && runq->policy.owner->awake)
		runq_work(runq, owner)->had_ns += now - runq->counted_at;
	runq->counted_at = now;
}

/* Count a client's time: it may wake or fall asleep now. */
static void runq_count_client(struct sched_runq *runq, struct gslot_client *client, u64 now)
{
	struct sched_work *work = runq_work(runq, client);

	lockdep_assert_held(&runq->sched->lock);
	runq_count_owner(runq, now);
	if (sched_policy_client(runq, client)->awake)
		work->awake_ns += now - work->counted_at;
	work->counted_at = now;
}

/* May the channel's first request be submitted? Return: the request, or NULL. */
struct gslot_request *sched_channel_first(struct sched_channel *channel)
{
	struct gslot_request *rq = list_first_entry_or_null(&channel->requests,
							    struct gslot_request, link);

	if (!rq || channel->closed || (channel->limit && rq->seqno > channel->limit))
		return NULL;
	return rq;
}

/* Has a client work for any of these engines that may run? */
static bool runq_client_runnable(struct gslot_client *client, u32 engines)
{
	u32 i;

	if (!sched_client_may_run(client))
		return false;
	for (i = 0; i < GSLOT_NR_ENGINES; i++)
		if (engines & BIT(i) && sched_channel_first(&client->channel[i]))
			return true;
	return false;
}

/* The client's work, or whether it may run, has changed; sched_update() follows. */
void sched_client_changed(struct gslot_client *client)
{
	u64 now = ktime_get_ns();
	struct sched_runq *runq;

	lockdep_assert_held(&client->sched->lock);
	for (runq = client->sched->runq; runq < sched_runqs_end(client->sched); runq++) {
		struct gslot_policy_client *c = sched_policy_client(runq, client);

		sched_load_changed(runq, client);
		runq_count_client(runq, client, now);
		runq->awake -= c->awake;
		if (runq_client_runnable(client, runq->engines))
			gslot_policy_wake(&runq->policy, c, now);
		else
			gslot_policy_sleep(&runq->policy, c, now);
		runq->awake += c->awake;
	}
}

static void runq_give(struct sched_engine *engine, struct gslot_client *client, u64 now)
{
	sched_engine_set_owner(engine, client);
	engine->given_at = now;
	sched_meter_given(engine);
	sched_user_irqs_given(engine);
}

/* Take an engine, which is quiet, from its owner. */
static void runq_take(struct sched_engine *engine, u64 now)
{
	struct gslot_client *client = engine->owner;

	/* The release may not be reported yet: the end of an interrupt's events does that. */
	sched_notify_released(engine);
	if (sched_engine_leaving(engine))
		sched_meter_yielded(engine, now);
	sched_meter_add(engine, client, GSLOT_METER_HELD_NS, now - engine->given_at);
	sched_engine_set_owner(engine, NULL);
	sched_user_irqs_left(engine, client);
	wake_up_all(&engine->wait);
}

/* Take the engines that are quiet from their owner. Return: true if all are free now. */
static bool runq_take_quiet(struct sched_runq *runq, u64 now)
{
	struct sched_engine *engine;
	bool free = true;

	for (engine = runq->sched->engine; engine < sched_engines_end(runq->sched); engine++) {
		if (engine->runq != runq)
			continue;
		if (engine->owner && sched_engine_quiet(engine))
			runq_take(engine, now);
		free &= !engine->owner;
	}
	return free;
}

/* An owner that is leaving has left with the last of its engines. */
static void runq_let_leave(struct sched_runq *runq, u64 now)
{
	struct gslot_policy *policy = &runq->policy;

	if (!policy->leaving || !runq_take_quiet(runq, now))
		return;
	runq->switch_ns += now - policy->leaving_since;
	gslot_policy_off(policy, now);
}

/*
 * Begin to take from a client all engines that it owns; NULL: from all clients. sched_update()
 * follows.
 */
void sched_preempt_owner(struct gslot_sched *sched, const struct gslot_client *client)
{
	u64 now = ktime_get_ns();
	struct sched_runq *runq;

	lockdep_assert_held(&sched->lock);
	for (runq = sched->runq; runq < sched_runqs_end(sched); runq++) {
		const struct gslot_client *owner = sched_owner(runq);

		if (owner && (!client || owner == client))
			gslot_policy_preempt(&runq->policy, now);
	}
}

/*
 * Give the engines of a run queue, which have no owner, to the owner that its policy has chosen.
 * sched_update() follows, or is under way.
 */
void sched_give_all(struct sched_runq *runq, u64 now)
{
	struct gslot_client *owner = sched_owner(runq);
	struct sched_engine *engine;

	lockdep_assert_held(&runq->sched->lock);
	for (engine = runq->sched->engine; engine < sched_engines_end(runq->sched); engine++)
		if (engine->runq == runq)
			runq_give(engine, owner, now);
}

static void runq_trace_switch(const struct sched_runq *runq, const struct gslot_client *from,
			      u64 ran_ns, u64 switch_ns)
{
	const struct gslot_client *to = sched_owner(runq);

	if (from != to)
		trace_gslot_switch(runq->engines, from ? from->name : "-", to->name, ran_ns,
				   switch_ns);
}

/* Ask the policy. Return: after how many nanoseconds to ask again; 0: not without an event. */
static u64 runq_decide(struct sched_runq *runq, u64 now)
{
	struct gslot_sched *sched = runq->sched;
	struct gslot_policy *policy = &runq->policy;
	struct gslot_client *last = sched_client(runq, policy->last);
	bool busy = !sched_engines_quiet(sched, runq->engines);
	u64 since = min(policy->since, now);

	if (policy->leaving || sched->halts || gslot_hw_wedged(sched->hw))
		return 0;
	sched_look_at_copies(runq);
	switch (gslot_policy_pick(policy, now, busy).verdict) {
	case GSLOT_POLICY_GIVE:
		runq_trace_switch(runq, last, now - since, now - policy->leaving_since);
		/* The last owner has nothing on them. */
		WARN_ON_ONCE(!runq_take_quiet(runq, now));
		if (sched_load(runq, now))
			gslot_policy_hold(policy);
		else
			sched_give_all(runq, now);
		break;
	case GSLOT_POLICY_PREEMPT:
		/* An owner that waits for work is quiet already. */
		runq_let_leave(runq, now);
		break;
	case GSLOT_POLICY_KEEP:
		break;
	}
	sched_load_ahead(runq, now);
	return gslot_policy_timer(policy, now);
}

/* The same, but not again of a run queue without work: most events are of others. */
static u64 runq_look(struct sched_runq *runq, u64 now)
{
	bool was_idle = runq->idle;

	runq->idle = !runq->awake && sched_engines_quiet(runq->sched, runq->engines);
	return was_idle && runq->idle ? 0 : runq_decide(runq, now);
}

/* Bring the hardware up to date, after everything that changes what it should do. */
void sched_update(struct gslot_sched *sched)
{
	ktime_t now = ktime_get();
	struct sched_engine *engine;
	struct sched_runq *runq;
	u64 recheck_ns = 0;

	lockdep_assert_held(&sched->lock);
	for (runq = sched->runq; runq < sched_runqs_end(sched); runq++) {
		if (!runq->engines)
			continue;
		runq_count_owner(runq, ktime_to_ns(now));
		runq_let_leave(runq, ktime_to_ns(now));
		recheck_ns = min_not_zero(recheck_ns, runq_look(runq, ktime_to_ns(now)));
	}
	for (engine = sched->engine; engine < sched_engines_end(sched); engine++)
		sched_engine_update(engine);
	sched_timer_arm(sched, now, recheck_ns);
}

/**
 * gslot_client_work() - what a client had to do, and whether it was the owner
 * @client: the client
 * @work: GSLOT_NR_ENGINES entries, one per run queue, which is one per engine unless there is one
 *	for all: times since the client joined, which never go back
 *
 * Context: may sleep.
 */
void gslot_client_work(struct gslot_client *client, struct gslot_client_work *work)
{
	struct gslot_sched *sched = client->sched;
	struct sched_runq *runq;
	u64 now;

	spin_lock_irq(&sched->lock);
	now = ktime_get_ns();
	for (runq = sched->runq; runq < sched_runqs_end(sched); runq++) {
		const struct sched_work *seen = runq_work(runq, client);

		runq_count_client(runq, client, now);
		work->had_ns = seen->had_ns;
		work->waited_ns = seen->awake_ns - seen->had_ns;
		work++;
	}
	spin_unlock_irq(&sched->lock);
}
