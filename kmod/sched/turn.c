// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: turns
 *
 * One client owns all engines at a time. The policy (core/policy.h) decides;
 * here its decisions are carried out: the owner is taken off by draining the
 * engines, and the next one gets them when all are quiet.
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
	bool runnable = client_runnable(client);

	lockdep_assert_held(&client->sched->lock);
	if (runnable && !client->policy.awake)
		gslot_policy_wake(policy, &client->policy, ktime_get_ns());
	else if (!runnable && client->policy.awake)
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

/* Nothing of @client, which had the GPU, is on the hardware any more. */
static void client_left(struct gslot_client *client)
{
	sched_user_irqs_left(client->sched, client);
	wake_up_all(&client->sched->wait);
}

static void owner_left(struct gslot_sched *sched, u64 now)
{
	struct gslot_client *client = sched_owner(sched);

	sched->switch_ns += now - sched->policy.leaving_since;
	gslot_policy_off(&sched->policy, now);
	client_left(client);
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
	struct gslot_client *owner = sched_owner(sched);
	u64 since = policy->since;

	if (policy->leaving || gslot_hw_wedged(sched->hw))
		return 0;
	if (gslot_policy_pick(policy, now, !all_quiet(sched)).verdict == GSLOT_POLICY_GIVE) {
		if (owner)
			client_left(owner);
		trace_switch(last, sched_owner(sched), now - since, now - policy->leaving_since);
		sched_user_irqs_give(sched);
	}
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
 * Called after everything that changes what that is. Context: lock held.
 */
void sched_update(struct gslot_sched *sched)
{
	ktime_t now = ktime_get();
	u64 recheck_ns;
	u32 i;

	lockdep_assert_held(&sched->lock);
	if (sched->policy.leaving && all_quiet(sched))
		owner_left(sched, ktime_to_ns(now));
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

/* Quantum ends, drain deadlines, and events without an interrupt. */
enum hrtimer_restart sched_timer(struct hrtimer *timer)
{
	struct gslot_sched *sched = container_of(timer, struct gslot_sched, timer);
	unsigned long flags;
	u32 i;

	for (i = 0; i < GSLOT_NR_ENGINES; i++)
		if (sched->engine[i].present)
			gslot_hw_poll(sched->hw, i);

	spin_lock_irqsave(&sched->lock, flags);
	sched->timer_at = 0;
	sched_user_irqs_unmask(sched);
	if (mark_late(sched))
		queue_work(system_highpri_wq, &sched->reset_work);
	sched_update(sched);
	spin_unlock_irqrestore(&sched->lock, flags);
	return HRTIMER_NORESTART;
}
