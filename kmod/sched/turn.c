// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: turns
 *
 * One client owns all engines at a time. The policy decides on a snapshot;
 * here its decisions are carried out: the owner is taken off by draining the
 * engines, and the next one gets them when all are quiet.
 */
#include <linux/ktime.h>

#include "sched_priv.h"
#include "../core/rr.h"
#include "../trace.h"

static bool client_runnable(const struct gslot_client *client)
{
	u32 i;

	if (client->paused || gslot_hw_wedged(client->sched->hw))
		return false;
	for (i = 0; i < GSLOT_NR_ENGINES; i++)
		if (!client->channel[i].closed && !list_empty(&client->channel[i].requests))
			return true;
	return false;
}

static bool all_quiet(const struct gslot_sched *sched)
{
	u32 i;

	for (i = 0; i < GSLOT_NR_ENGINES; i++)
		if (!sched_engine_quiet(&sched->engine[i]))
			return false;
	return true;
}

/* The time that the owner took to leave was not its own. */
static void charge(struct gslot_client *client, ktime_t now, ktime_t leaving_since)
{
	u64 overrun = ktime_to_ns(ktime_sub(now, leaving_since));

	if (!client->debt_ns)
		client->debtor_since = ktime_to_ns(now);
	client->debt_ns = gslot_rr_charge(client->debt_ns, SCHED_QUANTUM_NS, overrun);
}

/* Time in which a debtor has the GPU, or somebody does not let go of it, pays nothing. */
static void pay(struct gslot_sched *sched, ktime_t now)
{
	u64 debt[SCHED_MAX_CLIENTS], since[SCHED_MAX_CLIENTS];
	u64 ns = ktime_to_ns(ktime_sub(now, sched->paid_until));
	struct gslot_client *client;
	u32 n = 0;

	sched->paid_until = now;
	if (sched->leaving || (sched->owner && sched->owner->debt_ns))
		return;
	list_for_each_entry(client, &sched->clients, link) {
		debt[n] = client->debt_ns;
		since[n++] = client->debtor_since;
	}
	gslot_rr_pay(debt, since, n, ns);
	n = 0;
	list_for_each_entry(client, &sched->clients, link)
		client->debt_ns = debt[n++];
}

/**
 * sched_patience() - how long may the owner take to leave?
 * @sched: the scheduler
 *
 * Return: nanoseconds. Context: lock held.
 */
u64 sched_patience(const struct gslot_sched *sched)
{
	struct gslot_client *client;
	u32 debtors = 0;

	list_for_each_entry(client, &sched->clients, link)
		debtors += client != sched->owner && client->debt_ns >= SCHED_QUANTUM_NS;
	return gslot_rr_patience(SCHED_PREEMPT_NS, debtors);
}

/* Nothing of the owner is on the hardware any more. */
static void owner_left(struct gslot_sched *sched, ktime_t now)
{
	struct gslot_client *client = sched->owner;

	sched->owner = NULL;
	sched->last = client;
	if (sched->leaving)
		sched->switch_ns += ktime_to_ns(ktime_sub(now, sched->leaving_since));
	if (sched->leaving && client)
		charge(client, now, sched->leaving_since);
	sched->leaving = false;
	if (!client)
		return;
	client->held_ns += ktime_to_ns(ktime_sub(now, sched->owned_since));
	sched_user_irqs_left(sched, client);
	wake_up_all(&sched->wait);
}

static void give(struct gslot_sched *sched, struct gslot_client *client, ktime_t now)
{
	struct gslot_client *from = sched->owner;
	u64 held = ktime_to_ns(ktime_sub(now, sched->owned_since));

	if (from)
		owner_left(sched, now);
	else
		from = sched->last;
	if (from != client) {
		sched->turns++;
		client->turns++;
		trace_gslot_switch(from ? from->name : "-", client->name, held,
				   ktime_to_ns(ktime_sub(now, sched->leaving_since)));
	}
	sched->owner = client;
	sched->owned_since = now;
	sched_user_irqs_give(sched);
}

/* Begin to take the owner off. */
void sched_leave(struct gslot_sched *sched)
{
	if (sched->leaving)
		return;
	sched->leaving = true;
	sched->leaving_since = ktime_get();
}

static struct gslot_rr_decision decide(struct gslot_sched *sched, struct gslot_client *clients[],
				       ktime_t now)
{
	bool runnable[SCHED_MAX_CLIENTS], eager[SCHED_MAX_CLIENTS];
	u64 debt[SCHED_MAX_CLIENTS];
	struct gslot_rr rr = {
		.runnable = runnable,
		.eager = eager,
		.debt_ns = debt,
		.owner = GSLOT_RR_NONE,
		.last = GSLOT_RR_NONE,
		.owner_busy = !all_quiet(sched),
		.held_ns = ktime_to_ns(ktime_sub(now, sched->owned_since)),
		.quantum_ns = SCHED_QUANTUM_NS,
	};
	struct gslot_client *client;

	list_for_each_entry(client, &sched->clients, link) {
		if (client == sched->owner)
			rr.owner = rr.count;
		if (client == sched->last)
			rr.last = rr.count;
		runnable[rr.count] = client_runnable(client);
		if (runnable[rr.count])
			client->eager_until = ktime_add_ns(now, GSLOT_RR_GRACE_NS);
		eager[rr.count] = !client->paused && ktime_before(now, client->eager_until);
		debt[rr.count] = client->debt_ns;
		clients[rr.count++] = client;
	}
	return gslot_rr_decide(&rr);
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
	struct gslot_client *clients[SCHED_MAX_CLIENTS];
	struct gslot_rr_decision d = { .verdict = GSLOT_RR_KEEP };
	ktime_t now = ktime_get();
	u32 i;

	pay(sched, now);
	if (sched->leaving && all_quiet(sched))
		owner_left(sched, now);
	if (!sched->leaving) {
		d = decide(sched, clients, now);
		if (d.verdict == GSLOT_RR_GIVE)
			give(sched, clients[d.next], now);
		else if (d.verdict == GSLOT_RR_PREEMPT)
			sched_leave(sched);
		if (d.verdict == GSLOT_RR_GIVE && sched->nr_clients > 1)
			d.recheck_ns = SCHED_QUANTUM_NS;
	}
	for (i = 0; i < GSLOT_NR_ENGINES; i++)
		sched_engine_update(&sched->engine[i]);
	arm_timer(sched, now, d.recheck_ns);
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
