// SPDX-License-Identifier: GPL-2.0
#include "policy.h"

/* The next that can run after who had it last; that one itself comes last. */
static struct gslot_policy_client *next_awake(const struct gslot_policy *p, u64 now)
{
	bool any_without = gslot_debt_any_without(p, now);
	u32 i;

	for (i = 0; i < p->count; i++) {
		struct gslot_policy_client *c = p->clients[(p->rr.next + i) % p->count];

		if (c->awake && !gslot_debt_sits_out(c, now, any_without))
			return c;
	}
	return NULL;
}

static void rr_leave(struct gslot_policy *p, struct gslot_policy_client *c, u64 now)
{
	gslot_debt_leave(p, c);
	if (p->rr.next > c->index)
		p->rr.next--;
}

/* An owner that had nothing to do has some again. */
static void rr_wake(struct gslot_policy *p, struct gslot_policy_client *c, u64 now)
{
	if (c != p->owner)
		return;
	gslot_debt_pay(p, now);
	p->debt.idle = false;
}

static void rr_sleep(struct gslot_policy *p, struct gslot_policy_client *c, u64 now)
{
	gslot_debt_slept(c, now);
}

static void rr_ran(struct gslot_policy *p, struct gslot_policy_client *c, u64 now, u64 ns)
{
	gslot_debt_pay(p, now);
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

	gslot_debt_pay(p, now);
	choice = choose(p, now, busy);
	if (choice.verdict == GSLOT_POLICY_GIVE)
		p->rr.next = choice.client->index + 1;
	p->debt.idle = choice.verdict == GSLOT_POLICY_KEEP && p->owner && !busy && !p->owner->awake;
	return choice;
}

static u64 rr_timer(const struct gslot_policy *p, u64 now)
{
	const struct gslot_policy_client *next = next_awake(p, now);
	u64 held = now - p->since;

	if (p->owner && next && next != p->owner && held < p->quantum_ns)
		return p->quantum_ns - held;
	return gslot_debt_timer(p, now);
}

const struct gslot_policy_ops gslot_rr = {
	.name = "rr",
	.leave = rr_leave,
	.wake = rr_wake,
	.sleep = rr_sleep,
	.ran = rr_ran,
	.charge = gslot_debt_charge,
	.reset = gslot_debt_reset,
	.pick = rr_pick,
	.next = next_awake,
	.timer = rr_timer,
	.patience = gslot_debt_patience,
};
