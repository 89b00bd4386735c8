// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: turns
 *
 * Each engine has an owner of its own: whose requests it is given, whom its
 * interrupts are told to, from whom it is taken as soon as it is quiet. And each has a
 * turn of its own: a policy (core/sched/policy.h) that shares it out, and nothing else. So
 * different clients run on different engines at the same time; how long one of them takes
 * to yield on one engine is nobody's affair on another, and so is what it owes for it.
 *
 * But if vGPUs have places in graphics memory, and two of them may have the same one,
 * there is one turn for all engines, the first: it is over when no engine is left to its
 * owner, and the next one gets them when what it names is there (sched_copy.c).
 *
 * Every client has joined every turn. It is awake in those that share out an engine that
 * it has work for.
 */
#include <linux/ktime.h>

#include "sched_priv.h"
#include "base/trace.h"

static void group(struct gslot_sched *sched, bool together)
{
	struct sched_runq *runq;
	u32 i;

	for (runq = sched->runq; runq < sched_runqs_end(sched); runq++)
		runq->engines = 0;
	for (i = 0; i < GSLOT_NR_ENGINES; i++) {
		runq = &sched->runq[together ? 0 : i];
		runq->engines |= BIT(i);
		sched->engine[i].runq = runq;
	}
}

/**
 * sched_runqs_init() - a turn for each engine, and no client
 * @sched: the scheduler
 *
 * Context: any; nobody else knows the scheduler yet.
 */
void sched_runqs_init(struct gslot_sched *sched)
{
	struct sched_runq *runq;

	for (runq = sched->runq; runq < sched_runqs_end(sched); runq++) {
		runq->sched = sched;
		gslot_policy_init(&runq->policy, &gslot_fair, SCHED_QUANTUM_NS);
	}
	group(sched, false);
}

/**
 * sched_regroup() - one turn for all engines, or one for each
 * @sched: the scheduler; nobody has an engine
 * @together: one for all
 *
 * Context: lock held; sched_update() follows.
 */
void sched_regroup(struct gslot_sched *sched, bool together)
{
	struct gslot_client *client;
	struct sched_runq *runq;

	lockdep_assert_held(&sched->lock);
	for (runq = sched->runq; runq < sched_runqs_end(sched); runq++)
		WARN_ON_ONCE(runq->policy.owner);
	group(sched, together);
	list_for_each_entry(client, &sched->clients, link)
		sched_client_changed(client);
}

/**
 * sched_join() - a client comes
 * @client: the client
 *
 * Return: 0, or -ENOSPC: it is in no turn then.
 * Context: lock held.
 */
int sched_join(struct gslot_client *client)
{
	struct gslot_sched *sched = client->sched;
	u64 now = ktime_get_ns();
	struct sched_runq *runq;
	int ret = 0;

	lockdep_assert_held(&sched->lock);
	for (runq = sched->runq; runq < sched_runqs_end(sched); runq++)
		/* All of them have the same clients: there is room in each, or in none. */
		ret = gslot_policy_join(&runq->policy, sched_policy_client(runq, client), now);
	return ret;
}

/**
 * sched_part() - a client goes
 * @client: the client, paused
 *
 * Context: lock held.
 */
void sched_part(struct gslot_client *client)
{
	struct gslot_sched *sched = client->sched;
	u64 now = ktime_get_ns();
	struct sched_runq *runq;

	lockdep_assert_held(&sched->lock);
	for (runq = sched->runq; runq < sched_runqs_end(sched); runq++)
		gslot_policy_leave(&runq->policy, sched_policy_client(runq, client), now);
}

/* May a client use any of these engines, and has it what for? */
static bool client_runnable(const struct gslot_client *client, u32 engines)
{
	u32 i;

	if (client->paused || client->stopped)
		return false;
	for (i = 0; i < GSLOT_NR_ENGINES; i++)
		if (engines & BIT(i) && !client->channel[i].closed &&
		    !list_empty(&client->channel[i].requests))
			return true;
	return false;
}

/**
 * sched_client_changed() - what a client has to do, or may, is not what it was
 * @client: the client
 *
 * Context: lock held; sched_update() follows.
 */
void sched_client_changed(struct gslot_client *client)
{
	u64 now = ktime_get_ns();
	struct sched_runq *runq;

	lockdep_assert_held(&client->sched->lock);
	for (runq = client->sched->runq; runq < sched_runqs_end(client->sched); runq++) {
		struct gslot_policy_client *c = sched_policy_client(runq, client);

		sched_load_changed(runq, client);
		sched_work_client(runq, client, now);
		runq->awake -= c->awake;
		if (client_runnable(client, runq->engines))
			gslot_policy_wake(&runq->policy, c, now);
		else
			gslot_policy_sleep(&runq->policy, c, now);
		runq->awake += c->awake;
	}
}

static bool all_quiet(const struct gslot_sched *sched, u32 engines)
{
	u32 i;

	for (i = 0; i < GSLOT_NR_ENGINES; i++)
		if (engines & BIT(i) && !sched_engine_quiet(&sched->engine[i]))
			return false;
	return true;
}

static void give(struct sched_engine *engine, struct gslot_client *client, u64 now)
{
	engine->client = client;
	engine->given_at = now;
	sched_meter_given(engine);
	sched_user_irqs_given(engine);
}

/* Nothing of the client whose engine it was is on it any more. */
static void left(struct sched_engine *engine, u64 now)
{
	struct gslot_client *client = engine->client;

	/* What made it quiet may not be told yet: the end of an interrupt's events does that. */
	sched_notify_released(engine);
	if (engine->leaving)
		sched_meter_yielded(engine, now);
	sched_meter_add(engine, client, GSLOT_METER_HELD_NS, now - engine->given_at);
	engine->client = NULL;
	engine->leaving = false;
	sched_user_irqs_left(engine, client);
	wake_up_all(&engine->wait);
}

/* Take from the owner the engines that are quiet; with the last of them its turn is over. */
static void let_leave(struct sched_runq *runq, u64 now)
{
	struct gslot_policy *policy = &runq->policy;
	bool over = policy->leaving;
	u32 i;

	for (i = 0; i < GSLOT_NR_ENGINES; i++) {
		struct sched_engine *engine = &runq->sched->engine[i];

		if (engine->runq != runq)
			continue;
		if (engine->leaving && sched_engine_quiet(engine))
			left(engine, now);
		over &= !engine->client;
	}
	if (!over)
		return;
	runq->switch_ns += now - policy->leaving_since;
	gslot_policy_off(policy, now);
}

/* Begin to take the engines of a turn from its owner; sched_update() follows, or is under way. */
static void leave(struct sched_runq *runq)
{
	u64 now = ktime_get_ns();
	u32 i;

	gslot_policy_preempt(&runq->policy, now);
	for (i = 0; i < GSLOT_NR_ENGINES; i++) {
		struct sched_engine *engine = &runq->sched->engine[i];

		if (engine->runq != runq || !engine->client || engine->leaving)
			continue;
		engine->leaving = true;
		engine->leaving_since = now;
	}
}

/**
 * sched_leave() - begin to take from a client all engines that it has
 * @sched: the scheduler
 * @client: the client; NULL: whoever has any
 *
 * Context: lock held; sched_update() follows.
 */
void sched_leave(struct gslot_sched *sched, const struct gslot_client *client)
{
	struct sched_runq *runq;

	lockdep_assert_held(&sched->lock);
	for (runq = sched->runq; runq < sched_runqs_end(sched); runq++) {
		const struct gslot_client *owner = sched_owner(runq);

		if (owner && (!client || owner == client))
			leave(runq);
	}
}

/* Who had the turn before has nothing on the hardware: it has no engine. */
static void take_all(struct sched_runq *runq, u64 now)
{
	u32 i;

	for (i = 0; i < GSLOT_NR_ENGINES; i++) {
		struct sched_engine *engine = &runq->sched->engine[i];

		if (engine->runq == runq && engine->client)
			left(engine, now);
	}
}

/**
 * sched_give_all() - the owner of a turn has its engines
 * @runq: the turn; its engines are nobody's
 * @now: time, ns
 *
 * Context: lock held; sched_update() follows, or is under way.
 */
void sched_give_all(struct sched_runq *runq, u64 now)
{
	struct gslot_client *owner = sched_owner(runq);
	u32 i;

	lockdep_assert_held(&runq->sched->lock);
	for (i = 0; i < GSLOT_NR_ENGINES; i++)
		if (runq->engines & BIT(i))
			give(&runq->sched->engine[i], owner, now);
}

static void trace_switch(const struct sched_runq *runq, const struct gslot_client *from,
			 u64 ran_ns, u64 switch_ns)
{
	const struct gslot_client *to = sched_owner(runq);

	if (from != to)
		trace_gslot_switch(runq->engines, from ? from->name : "-", to->name, ran_ns,
				   switch_ns);
}

/* Ask the policy. Return: after how many nanoseconds to ask again; 0: not for its sake. */
static u64 decide(struct sched_runq *runq, u64 now)
{
	struct gslot_sched *sched = runq->sched;
	struct gslot_policy *policy = &runq->policy;
	struct gslot_client *last = sched_client(runq, policy->last);
	u64 since = min(policy->since, now);

	if (policy->leaving || sched->halts || gslot_hw_wedged(sched->hw))
		return 0;
	sched_look_at_copies(runq);
	switch (gslot_policy_pick(policy, now, !all_quiet(sched, runq->engines)).verdict) {
	case GSLOT_POLICY_GIVE:
		trace_switch(runq, last, now - since, now - policy->leaving_since);
		take_all(runq, now);
		if (sched_load(runq, now))
			gslot_policy_hold(policy);
		else
			sched_give_all(runq, now);
		break;
	case GSLOT_POLICY_PREEMPT:
		leave(runq);
		/* Of one that waits for work there is nothing to wait for. */
		let_leave(runq, now);
		break;
	case GSLOT_POLICY_KEEP:
		break;
	}
	sched_load_ahead(runq, now);
	return gslot_policy_timer(policy, now);
}

/* The same; but not again of engines that nobody has work for: most events are of others. */
static u64 look(struct sched_runq *runq, u64 now)
{
	bool was_idle = runq->idle;

	runq->idle = !runq->awake && all_quiet(runq->sched, runq->engines);
	return was_idle && runq->idle ? 0 : decide(runq, now);
}

static void earlier(ktime_t *at, ktime_t other)
{
	if (!*at || ktime_before(other, *at))
		*at = other;
}

static void arm_timer(struct gslot_sched *sched, ktime_t now, u64 recheck_ns)
{
	ktime_t at = 0;
	u32 i;

	if (recheck_ns)
		at = ktime_add_ns(now, recheck_ns);
	for (i = 0; i < GSLOT_NR_ENGINES; i++) {
		if (sched->engine[i].deadline && !sched->engine[i].late)
			earlier(&at, sched->engine[i].deadline);
		if (sched->engine[i].masked_until)
			earlier(&at, sched->engine[i].masked_until);
	}
	if (!all_quiet(sched, ~0u))
		earlier(&at, ktime_add_ns(now, SCHED_WATCH_NS));
	if (at && ktime_before(at, sched->timer_from))
		at = sched->timer_from;
	if (!at || (sched->timer_at && !ktime_before(at, sched->timer_at)))
		return;
	sched->timer_at = at;
	hrtimer_start(&sched->timer, at, HRTIMER_MODE_ABS);
}

/**
 * sched_update() - bring the hardware to what it should do now
 * @sched: the scheduler
 *
 * Called after everything that changes what that is.
 * Context: lock held.
 */
void sched_update(struct gslot_sched *sched)
{
	ktime_t now = ktime_get();
	struct sched_runq *runq;
	u64 recheck_ns = 0;
	u32 i;

	lockdep_assert_held(&sched->lock);
	for (runq = sched->runq; runq < sched_runqs_end(sched); runq++) {
		if (!runq->engines)
			continue;
		sched_work_owner(runq, ktime_to_ns(now));
		let_leave(runq, ktime_to_ns(now));
		recheck_ns = min_not_zero(recheck_ns, look(runq, ktime_to_ns(now)));
	}
	for (i = 0; i < GSLOT_NR_ENGINES; i++)
		sched_engine_update(&sched->engine[i]);
	arm_timer(sched, now, recheck_ns);
}

/* Those that did not yield in time are for the work: a reset takes a while. */
static bool mark_late(struct gslot_sched *sched)
{
	ktime_t now = ktime_get();
	bool any = false;
	u32 i;

	for (i = 0; i < GSLOT_NR_ENGINES; i++) {
		struct sched_engine *engine = &sched->engine[i];

		if (engine->deadline && !engine->late && !sched_engine_quiet(engine) &&
		    !ktime_before(now, engine->deadline)) {
			engine->late = true;
			any = true;
		}
	}
	return any;
}

/**
 * sched_timer() - quantum ends, drain deadlines, and events without an interrupt
 * @timer: &gslot_sched.timer
 *
 * Return: HRTIMER_NORESTART; it is armed by sched_update().
 * Context: timer interrupt.
 */
enum hrtimer_restart sched_timer(struct hrtimer *timer)
{
	struct gslot_sched *sched = container_of(timer, struct gslot_sched, timer);
	unsigned long flags;
	u32 i;

	for (i = 0; i < GSLOT_NR_ENGINES; i++)
		gslot_hw_poll(sched->hw, i);

	spin_lock_irqsave(&sched->lock, flags);
	sched->timer_at = 0;
	sched->timer_from = ktime_add_ns(ktime_get(), SCHED_TIMER_GAP_NS);
	for (i = 0; i < GSLOT_NR_ENGINES; i++)
		sched_user_irqs_unmask(&sched->engine[i]);
	sched_meter_look(sched);
	if (mark_late(sched))
		queue_work(system_highpri_wq, &sched->reset_work);
	sched_update(sched);
	spin_unlock_irqrestore(&sched->lock, flags);
	return HRTIMER_NORESTART;
}
