// SPDX-License-Identifier: GPL-2.0
#include "policy.h"

/* Algorithm 2: 100 ms * cap. What an administrator has changed counts from the next stage on. */
static s64 stage_timeslice(const struct gslot_policy_client *c)
{
	return GSLOT_CAP_STAGE_NS / GSLOT_POLICY_ALWAYS * c->knobs.cap;
}

static u64 stage_end(const struct gslot_policy *p)
{
	return p->cap.stage_since + GSLOT_CAP_STAGE_NS;
}

/* Busy time is schedule-out less schedule-in; it is charged at each look, as stages go by. */
static void charge_owner(struct gslot_policy *p, u64 until)
{
	u64 since;

	if (!p->owner)
		return;
	/* What it took to give it is nobody's. */
	since = max(p->cap.charged_until, p->since);
	if (!p->cap.idle && until > since)
		p->owner->cap.timeslice_ns -= until - since;
	p->cap.charged_until = until;
}

static void begin_stage(struct gslot_policy *p)
{
	u32 i;

	p->cap.stage_since += GSLOT_CAP_STAGE_NS;
	p->cap.stage = (p->cap.stage + 1) % GSLOT_CAP_STAGES;
	for (i = 0; i < p->count; i++) {
		struct gslot_policy_client *c = p->clients[i];

		if (!p->cap.stage)
			c->cap.timeslice_ns = 0;
		c->cap.timeslice_ns += stage_timeslice(c);
	}
}

/* The stages that have begun since the last look, one by one; whole seconds leave nothing. */
static void advance(struct gslot_policy *p, u64 now)
{
	u64 periods = (now - p->cap.stage_since) / GSLOT_CAP_PERIOD_NS;

	if (periods > 1) {
		p->cap.stage_since += (periods - 1) * GSLOT_CAP_PERIOD_NS;
		p->cap.charged_until = p->cap.stage_since;
	}
	while (now >= stage_end(p)) {
		charge_owner(p, stage_end(p));
		begin_stage(p);
	}
	charge_owner(p, now);
}

static bool allowed(const struct gslot_policy_client *c)
{
	return c->awake && c->cap.timeslice_ns > 0;
}

/* Algorithm 3: the next one in the ring with a timeslice left; who had it last comes last. */
static struct gslot_policy_client *next_allowed(const struct gslot_policy *p, u64 now)
{
	bool any_without = gslot_debt_any_without(p, now);
	u32 i;

	for (i = 0; i < p->count; i++) {
		struct gslot_policy_client *c = p->clients[(p->cap.next + i) % p->count];

		if (allowed(c) && !gslot_debt_sits_out(c, now, any_without))
			return c;
	}
	return NULL;
}

/* The periods are those since the first one came. */
static void cap_join(struct gslot_policy *p, struct gslot_policy_client *c, u64 now)
{
	if (p->count == 1) {
		p->cap.stage_since = now;
		p->cap.stage = 0;
	}
	advance(p, now);
	c->cap.timeslice_ns = stage_timeslice(c);
}

static void cap_leave(struct gslot_policy *p, struct gslot_policy_client *c, u64 now)
{
	gslot_debt_leave(p, c);
	if (p->cap.next > c->index)
		p->cap.next--;
}

/* An owner that had nothing to do has some again. */
static void cap_wake(struct gslot_policy *p, struct gslot_policy_client *c, u64 now)
{
	advance(p, now);
	if (c != p->owner)
		return;
	p->cap.idle = false;
	gslot_debt_pay(p, now);
	p->debt.idle = false;
}

static void cap_sleep(struct gslot_policy *p, struct gslot_policy_client *c, u64 now)
{
	gslot_debt_slept(c, now);
}

/* Stages that began while it had its old cap gave it that. */
static void cap_changed(struct gslot_policy *p, struct gslot_policy_client *c, u64 now,
			const struct gslot_policy_knobs *old)
{
	const struct gslot_policy_knobs knobs = c->knobs;

	c->knobs = *old;
	advance(p, now);
	c->knobs = knobs;
}

static void cap_ran(struct gslot_policy *p, struct gslot_policy_client *c, u64 now, u64 ns)
{
	advance(p, now);
	gslot_debt_pay(p, now);
}

static u64 quantum(const struct gslot_policy *p, const struct gslot_policy_client *c)
{
	return c->knobs.quantum_ns ? c->knobs.quantum_ns : p->quantum_ns;
}

static bool may_go_on(const struct gslot_policy *p, u64 now, bool another)
{
	const struct gslot_policy_client *c = p->owner;

	return c->cap.timeslice_ns > 0 && !(another && now - p->since >= quantum(p, c));
}

static enum gslot_policy_verdict choose(const struct gslot_policy *p, u64 now, bool busy,
					const struct gslot_policy_client *next)
{
	const struct gslot_policy_client *owner = p->owner;
	bool another = next && next != owner;

	if (owner && (busy || owner->awake)) {
		if (may_go_on(p, now, another))
			return GSLOT_POLICY_KEEP;
		/* With nobody left, what is shared is idle. */
		if (busy || !another)
			return GSLOT_POLICY_PREEMPT;
	}
	return another ? GSLOT_POLICY_GIVE : GSLOT_POLICY_KEEP;
}

static struct gslot_policy_choice cap_pick(struct gslot_policy *p, u64 now, bool busy)
{
	struct gslot_policy_choice choice;

	advance(p, now);
	gslot_debt_pay(p, now);
	choice.client = next_allowed(p, now);
	choice.verdict = choose(p, now, busy, choice.client);
	if (choice.verdict == GSLOT_POLICY_GIVE) {
		p->cap.next = choice.client->index + 1;
		p->cap.charged_until = now;
		p->cap.idle = false;
	} else {
		p->cap.idle = p->owner && !busy && !p->owner->awake;
	}
	p->debt.idle = choice.verdict == GSLOT_POLICY_KEEP && p->cap.idle;
	return choice;
}

/* Has anybody work who has used up what he may have? */
static bool any_waits_for_stage(const struct gslot_policy *p)
{
	u32 i;

	for (i = 0; i < p->count; i++)
		if (p->clients[i]->awake && !allowed(p->clients[i]))
			return true;
	return false;
}

/* When the owner must be off: its timeslice is used up, or its quantum while another waits. */
static u64 owner_until(const struct gslot_policy *p, u64 now)
{
	const struct gslot_policy_client *c = p->owner, *next = next_allowed(p, now);
	u64 left = c->cap.timeslice_ns > 0 ? c->cap.timeslice_ns : 1;
	u64 turn_end = p->since + quantum(p, c);

	if (next && next != c)
		left = min(left, turn_end - min(now, turn_end - 1));
	return left;
}

static u64 cap_timer(const struct gslot_policy *p, u64 now)
{
	u64 ns = 0;

	if (p->owner && !p->cap.idle)
		ns = owner_until(p, now);
	if (any_waits_for_stage(p)) {
		u64 stage = stage_end(p) - min(now, stage_end(p) - 1);

		ns = ns ? min(ns, stage) : stage;
	}
	return gslot_debt_sooner(p, now, ns);
}

const struct gslot_policy_ops gslot_cap = {
	.name = "cap",
	.join = cap_join,
	.leave = cap_leave,
	.wake = cap_wake,
	.sleep = cap_sleep,
	.changed = cap_changed,
	.ran = cap_ran,
	.charge = gslot_debt_charge_hog,
	.reset = gslot_debt_reset,
	.pick = cap_pick,
	.next = next_allowed,
	.timer = cap_timer,
	.patience = gslot_debt_patience,
};
