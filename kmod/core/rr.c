// SPDX-License-Identifier: GPL-2.0
#include "policy.h"

/* Has anybody work, or had some just now, who owes nothing? Then debtors sit out. */
static bool debtors_barred(const struct gslot_policy *p, u64 now)
{
	u32 i;

	for (i = 0; i < p->count; i++) {
		const struct gslot_policy_client *c = p->clients[i];

		if (!c->rr.debt_ns && (c->awake || now < c->rr.eager_until))
			return true;
	}
	return false;
}

/* The next that can run after who had it last; that one itself comes last. */
static struct gslot_policy_client *next_awake(const struct gslot_policy *p, u64 now)
{
	bool barred = debtors_barred(p, now);
	u32 i;

	for (i = 0; i < p->count; i++) {
		struct gslot_policy_client *c = p->clients[(p->rr.next + i) % p->count];

		if (c->awake && !(barred && c->rr.debt_ns))
			return c;
	}
	return NULL;
}

static struct gslot_policy_client *oldest_debtor(const struct gslot_policy *p)
{
	struct gslot_policy_client *oldest = NULL;
	u32 i;

	for (i = 0; i < p->count; i++) {
		struct gslot_policy_client *c = p->clients[i];

		if (c->rr.debt_ns && (!oldest || c->rr.debtor_since < oldest->rr.debtor_since))
			oldest = c;
	}
	return oldest;
}

/* Time in which a debtor has it, or somebody does not let go of it, pays nothing. */
static void pay(struct gslot_policy *p, u64 now)
{
	u64 ns = now - p->rr.paid_until;
	struct gslot_policy_client *c;

	p->rr.paid_until = now;
	if (p->leaving || (p->owner && p->owner->rr.debt_ns && !p->rr.idle))
		return;
	while (ns && (c = oldest_debtor(p))) {
		u64 part = min(ns, c->rr.debt_ns);

		c->rr.debt_ns -= part;
		ns -= part;
	}
}

static void rr_leave(struct gslot_policy *p, struct gslot_policy_client *c, u64 now)
{
	if (p->rr.next > c->index)
		p->rr.next--;
}

/* An owner that had nothing to do has some again. */
static void rr_wake(struct gslot_policy *p, struct gslot_policy_client *c, u64 now)
{
	if (c != p->owner)
		return;
	pay(p, now);
	p->rr.idle = false;
}

static void rr_sleep(struct gslot_policy *p, struct gslot_policy_client *c, u64 now)
{
	c->rr.eager_until = now + GSLOT_RR_GRACE_NS;
}

static void rr_ran(struct gslot_policy *p, struct gslot_policy_client *c, u64 now, u64 ns)
{
	pay(p, now);
}

/* Who overruns by a quantum or more owes the quantum as well. */
static void rr_charge(struct gslot_policy *p, struct gslot_policy_client *c, u64 now, u64 ns)
{
	if (!c->rr.debt_ns)
		c->rr.debtor_since = now;
	c->rr.debt_ns += ns < p->quantum_ns ? ns : ns + p->quantum_ns;
	c->rr.debt_ns = min(c->rr.debt_ns, GSLOT_RR_MAX_DEBT_NS);
}

static struct gslot_policy_choice choose(const struct gslot_policy *p, u64 now, bool busy)
{
	struct gslot_policy_choice choice = { GSLOT_POLICY_KEEP, next_awake(p, now) };
	const struct gslot_policy_client *owner = p->owner;

	if (!choice.client || choice.client == owner)
		return choice;
	if (!owner || (!busy && !owner->awake)) {
		/* Free. Who had it kept it until somebody else wanted it. */
		choice.verdict = GSLOT_POLICY_GIVE;
	} else if (now - p->since >= p->quantum_ns) {
		choice.verdict = busy ? GSLOT_POLICY_PREEMPT : GSLOT_POLICY_GIVE;
	}
	return choice;
}

static struct gslot_policy_choice rr_pick(struct gslot_policy *p, u64 now, bool busy)
{
	struct gslot_policy_choice choice;

	pay(p, now);
	choice = choose(p, now, busy);
	if (choice.verdict == GSLOT_POLICY_GIVE)
		p->rr.next = choice.client->index + 1;
	p->rr.idle = choice.verdict == GSLOT_POLICY_KEEP && p->owner && !busy && !p->owner->awake;
	return choice;
}

/* Does somebody sit out? Debts get paid, and grace ends, without anybody saying so. */
static bool any_barred(const struct gslot_policy *p, u64 now)
{
	u32 i;

	if (!debtors_barred(p, now))
		return false;
	for (i = 0; i < p->count; i++) {
		const struct gslot_policy_client *c = p->clients[i];

		if (c != p->owner && c->awake && c->rr.debt_ns)
			return true;
	}
	return false;
}

static u64 rr_timer(const struct gslot_policy *p, u64 now)
{
	const struct gslot_policy_client *next = next_awake(p, now);
	u64 held = now - p->since;

	if (p->owner && next && next != p->owner && held < p->quantum_ns)
		return p->quantum_ns - held;
	return any_barred(p, now) ? p->quantum_ns : 0;
}

/*
 * Less for each other one that owes a quantum or more: many that do not yield, one
 * after another for the first time, must not add up.
 */
static u64 rr_patience(const struct gslot_policy *p, u64 full_ns)
{
	u32 i, debtors = 0;

	for (i = 0; i < p->count; i++)
		debtors += p->clients[i] != p->owner &&
			   p->clients[i]->rr.debt_ns >= p->quantum_ns;
	return full_ns / (min(debtors, 15u) + 1);
}

const struct gslot_policy_ops gslot_rr = {
	.name = "rr",
	.leave = rr_leave,
	.wake = rr_wake,
	.sleep = rr_sleep,
	.ran = rr_ran,
	.charge = rr_charge,
	.pick = rr_pick,
	.next = next_awake,
	.timer = rr_timer,
	.patience = rr_patience,
};
