// SPDX-License-Identifier: GPL-2.0
/*
 * The policy `cap`: gOver's ("Economy-oriented GPU virtualization with dynamic and adaptive
 * oversubscription", IEEE TC 2023), Algorithms 2 and 3. A client has at most its cap of each
 * second. Other policies are measured against it, so its weaknesses are kept:
 *
 * - At the end of a second what a client used is forgotten. Only debts stay (debt.c): for overruns
 *   of four quanta or more, and for resets.
 * - A client may use at once what it has saved until then: in a second that does not begin with
 *   one of the policy's it may have nearly twice its cap.
 * - All clients that may run have the same. The paper gives a vGPU a weight too, as a lower bound
 *   "by fair sharing", but neither algorithm uses it.
 *
 * Where the paper is silent:
 *
 * - The longest turn while others wait is a quantum; GVT-g, which gOver was built in, looked once a
 *   millisecond.
 * - A client that joins in the middle of a second has the timeslice of one stage at once.
 * - An owner with nothing to do keeps the engine until another client wants it, at no cost: the
 *   paper's busy time ends with the schedule-out, and an empty queue is not scheduled in at all.
 */
#include "policy_priv.h"

/* Algorithm 2: 100 ms * cap. A cap that was changed counts from the next stage on. */
static s64 cap_stage_timeslice(const struct gslot_policy_client *c)
{
	return GSLOT_CAP_STAGE_NS / GSLOT_WHOLE * c->knobs.cap;
}

static u64 cap_stage_end(const struct gslot_policy *p)
{
	return p->cap.stage_since + GSLOT_CAP_STAGE_NS;
}

/* Busy time is schedule-out less schedule-in; it is charged at each event, as stages pass. */
static void cap_charge_owner(struct gslot_policy *p, u64 until)
{
	u64 since;

	if (!p->owner)
		return;
	/* The time of the switch is not charged. */
	since = max(p->cap.charged_until, p->since);
	if (!p->cap.idle && until > since)
		p->owner->cap.timeslice_ns -= until - since;
	p->cap.charged_until = until;
}

static void cap_begin_stage(struct gslot_policy *p)
{
	u32 i;

	p->cap.stage_since += GSLOT_CAP_STAGE_NS;
	p->cap.stage = (p->cap.stage + 1) % GSLOT_CAP_STAGES;
	for (i = 0; i < p->count; i++) {
		struct gslot_policy_client *c = p->clients[i];

		if (!p->cap.stage)
			c->cap.timeslice_ns = 0;
		c->cap.timeslice_ns += cap_stage_timeslice(c);
	}
}

/* The stages that have begun since the last event, one by one; whole periods leave nothing. */
static void cap_advance(struct gslot_policy *p, u64 now)
{
	u64 periods = (now - p->cap.stage_since) / GSLOT_CAP_PERIOD_NS;

	if (periods > 1) {
		p->cap.stage_since += (periods - 1) * GSLOT_CAP_PERIOD_NS;
		p->cap.charged_until = p->cap.stage_since;
	}
	while (now >= cap_stage_end(p)) {
		cap_charge_owner(p, cap_stage_end(p));
		cap_begin_stage(p);
	}
	cap_charge_owner(p, now);
}

static bool cap_allowed(const struct gslot_policy_client *c)
{
	return c->awake && c->cap.timeslice_ns > 0;
}

/* Algorithm 3: the next one in the ring with a timeslice left; the last owner comes last. */
static struct gslot_policy_client *cap_next(const struct gslot_policy *p, u64 now)
{
	bool any_without = gslot_debt_any_without(p, now);
	u32 i;

	for (i = 0; i < p->count; i++) {
		struct gslot_policy_client *c = p->clients[(p->cap.next + i) % p->count];

		if (cap_allowed(c) && !gslot_debt_sits_out(c, now, any_without))
			return c;
	}
	return NULL;
}

/* Periods are counted from when the first client joined. */
static void cap_join(struct gslot_policy *p, struct gslot_policy_client *c, u64 now)
{
	if (p->count == 1) {
		p->cap.stage_since = now;
		p->cap.stage = 0;
	}
	cap_advance(p, now);
	c->cap.timeslice_ns = cap_stage_timeslice(c);
}

static void cap_leave(struct gslot_policy *p, struct gslot_policy_client *c, u64 now)
{
	if (p->cap.next > c->index)
		p->cap.next--;
}

static void cap_wake(struct gslot_policy *p, struct gslot_policy_client *c, u64 now)
{
	cap_advance(p, now);
	if (c == p->owner)
		p->cap.idle = false;
}

/* Stages that began while it had its old cap gave it that. */
static void cap_changed(struct gslot_policy *p, struct gslot_policy_client *c, u64 now,
			const struct gslot_policy_knobs *old)
{
	const struct gslot_policy_knobs knobs = c->knobs;

	c->knobs = *old;
	cap_advance(p, now);
	c->knobs = knobs;
}

static void cap_ran(struct gslot_policy *p, struct gslot_policy_client *c, u64 now)
{
	cap_advance(p, now);
}

static bool cap_may_go_on(const struct gslot_policy *p, u64 now, bool another)
{
	const struct gslot_policy_client *c = p->owner;

	if (another && now - p->since >= gslot_policy_quantum(p, c))
		return false;
	return c->cap.timeslice_ns > 0;
}

static enum gslot_policy_verdict cap_choose(const struct gslot_policy *p, u64 now, bool busy,
					    const struct gslot_policy_client *next)
{
	const struct gslot_policy_client *owner = p->owner;
	bool another = next && next != owner;

	if (owner && (busy || owner->awake)) {
		if (cap_may_go_on(p, now, another))
			return GSLOT_POLICY_KEEP;
		/* Without another client the engine is idle. */
		if (busy || !another)
			return GSLOT_POLICY_PREEMPT;
	}
	return another ? GSLOT_POLICY_GIVE : GSLOT_POLICY_KEEP;
}

static struct gslot_policy_choice cap_pick(struct gslot_policy *p, u64 now, bool busy)
{
	struct gslot_policy_choice choice;

	cap_advance(p, now);
	choice.client = cap_next(p, now);
	choice.verdict = cap_choose(p, now, busy, choice.client);
	if (choice.verdict == GSLOT_POLICY_GIVE) {
		p->cap.next = choice.client->index + 1;
		p->cap.charged_until = now;
		p->cap.idle = false;
	} else {
		p->cap.idle = p->owner && !busy && !p->owner->awake;
	}
	return choice;
}

/* Whether a client has work, and no timeslice left. */
static bool cap_any_waits(const struct gslot_policy *p)
{
	u32 i;

	for (i = 0; i < p->count; i++)
		if (p->clients[i]->awake && !cap_allowed(p->clients[i]))
			return true;
	return false;
}

/* How long the owner may go on: for its timeslice, or its quantum while another waits. */
static u64 cap_owner_until(const struct gslot_policy *p, u64 now)
{
	const struct gslot_policy_client *c = p->owner, *next = cap_next(p, now);
	u64 left = c->cap.timeslice_ns > 0 ? c->cap.timeslice_ns : 1;
	u64 turn_end = p->since + gslot_policy_quantum(p, c);

	if (next && next != c)
		left = min(left, turn_end - min(now, turn_end - 1));
	return left;
}

static u64 cap_timer(const struct gslot_policy *p, u64 now)
{
	u64 ns = 0;

	if (p->owner && !p->cap.idle)
		ns = cap_owner_until(p, now);
	if (cap_any_waits(p))
		ns = gslot_sooner(ns, cap_stage_end(p) - min(now, cap_stage_end(p) - 1));
	return ns;
}

const struct gslot_policy_ops gslot_cap = {
	.name = "cap",
	.join = cap_join,
	.leave = cap_leave,
	.wake = cap_wake,
	.changed = cap_changed,
	.ran = cap_ran,
	.charge = gslot_debt_charge_hog,
	.pick = cap_pick,
	.next = cap_next,
	.timer = cap_timer,
};
