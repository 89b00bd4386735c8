// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: turns
 *
 * Each engine has an owner of its own: whose requests it is given, whom its
 * interrupts are told to, from whom it is taken as soon as it is quiet. What the
 * policy (core/policy.h) shares out is all of them together: it has one turn for
 * the GPU, which is over when no engine is left to its owner, and the next one gets
 * them at once; or, if vGPUs have places in graphics memory, when what it names is there
 * (loader.c).
 */
#include <linux/ktime.h>

#include "sched_priv.h"
#include "../trace.h"

static bool client_runnable(const struct gslot_client *client)
{
	u32 i;

	if (client->paused)
		return false;
	for (i = 0; i < GSLOT_NR_ENGINES; i++)
		if (!client->channel[i].closed && !list_empty(&client->channel[i].requests))
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
	struct gslot_policy *policy = &client->sched->policy;

	lockdep_assert_held(&client->sched->lock);
	if (client_runnable(client))
		gslot_policy_wake(policy, &client->policy, ktime_get_ns());
	else
		gslot_policy_sleep(policy, &client->policy, ktime_get_ns());
}

static bool all_quiet(const struct gslot_sched *sched)
{
	u32 i;

	for (i = 0; i < GSLOT_NR_ENGINES; i++)
		if (!sched_engine_quiet(&sched->engine[i]))
			return false;
	return true;
}

static void give(struct sched_engine *engine, struct gslot_client *client, u64 now)
{
	engine->client = client;
	engine->given_at = now;
	sched_user_irqs_given(engine);
}

/* Nothing of the client whose engine it was is on it any more. */
static void left(struct sched_engine *engine, u64 now)
{
	struct gslot_client *client = engine->client;

	/* What made it quiet may not be told yet: the end of an interrupt's events does that. */
	sched_notify_released(engine);
	engine->client = NULL;
	engine->leaving = false;
	client->channel[engine->id].held_ns += now - engine->given_at;
	sched_user_irqs_left(engine, client);
	wake_up_all(&engine->wait);
}

/* Take from the owner the engines that are quiet; with the last of them its turn is over. */
static void let_leave(struct gslot_sched *sched, u64 now)
{
	bool over = sched->policy.leaving;
	u32 i;

	for (i = 0; i < GSLOT_NR_ENGINES; i++) {
		struct sched_engine *engine = &sched->engine[i];

		if (engine->leaving && sched_engine_quiet(engine))
			left(engine, now);
		over &= !engine->client;
	}
	if (!over)
		return;
	sched->switch_ns += now - sched->policy.leaving_since;
	gslot_policy_off(&sched->policy, now);
}

/**
 * sched_leave() - begin to take all engines from their owner
 * @sched: the scheduler
 *
 * Context: lock held; sched_update() follows, or is under way.
 */
void sched_leave(struct gslot_sched *sched)
{
	u32 i;

	lockdep_assert_held(&sched->lock);
	gslot_policy_preempt(&sched->policy, ktime_get_ns());
	for (i = 0; i < GSLOT_NR_ENGINES; i++)
		sched->engine[i].leaving = sched->engine[i].client;
}

/**
 * sched_take_all() - who had the turn before has nothing on the hardware: it has no engine
 * @sched: the scheduler
 * @now: time, ns
 *
 * Context: lock held; sched_update() follows, or is under way.
 */
void sched_take_all(struct gslot_sched *sched, u64 now)
{
	u32 i;

	lockdep_assert_held(&sched->lock);
	for (i = 0; i < GSLOT_NR_ENGINES; i++)
		if (sched->engine[i].client)
			left(&sched->engine[i], now);
}

/**
 * sched_give_all() - the owner of the turn has all engines
 * @sched: the scheduler; they are nobody's
 * @now: time, ns
 *
 * Context: lock held; sched_update() follows, or is under way.
 */
void sched_give_all(struct gslot_sched *sched, u64 now)
{
	u32 i;

	lockdep_assert_held(&sched->lock);
	for (i = 0; i < GSLOT_NR_ENGINES; i++)
		give(&sched->engine[i], sched_owner(sched), now);
}

static void trace_switch(const struct gslot_policy_client *from, const struct gslot_client *to,
			 u64 ran_ns, u64 switch_ns)
{
	const char *name = from ? container_of(from, struct gslot_client, policy)->name : "-";

	if (from != &to->policy)
		trace_gslot_switch(name, to->name, ran_ns, switch_ns);
}

/* Ask the policy. Return: after how many nanoseconds to ask again; 0: not for its sake. */
static u64 decide(struct gslot_sched *sched, u64 now)
{
	struct gslot_policy *policy = &sched->policy;
	const struct gslot_policy_client *last = policy->last;
	u64 since = policy->since;

	if (policy->leaving || sched->loader.client || sched->halted || gslot_hw_wedged(sched->hw))
		return 0;
	switch (gslot_policy_pick(policy, now, !all_quiet(sched)).verdict) {
	case GSLOT_POLICY_GIVE:
		trace_switch(last, sched_owner(sched), now - since, now - policy->leaving_since);
		sched_take_all(sched, now);
		if (!sched_load(sched, now))
			sched_give_all(sched, now);
		break;
	case GSLOT_POLICY_PREEMPT:
		sched_leave(sched);
		break;
	case GSLOT_POLICY_KEEP:
		break;
	}
	sched_load_ahead(sched, now);
	return gslot_policy_timer(policy, now);
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
	if (!all_quiet(sched))
		earlier(&at, ktime_add_ns(now, SCHED_WATCH_NS));
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
	u64 recheck_ns;
	u32 i;

	lockdep_assert_held(&sched->lock);
	let_leave(sched, ktime_to_ns(now));
	recheck_ns = decide(sched, ktime_to_ns(now));
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
	for (i = 0; i < GSLOT_NR_ENGINES; i++)
		sched_user_irqs_unmask(&sched->engine[i]);
	if (mark_late(sched))
		queue_work(system_highpri_wq, &sched->reset_work);
	sched_update(sched);
	spin_unlock_irqrestore(&sched->lock, flags);
	return HRTIMER_NORESTART;
}
