// SPDX-License-Identifier: GPL-2.0
/*
 * The policy `rr`: clients have the engine in turn, each for a quantum at most, and no longer than
 * it has work. A client that does not yield owes, and sits out (debt.c).
 */
#include "policy_priv.h"

/* The next client that can run after the last owner, which comes last itself. */
static struct gslot_policy_client *rr_next(const struct gslot_policy *p, u64 now)
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
	if (p->rr.next > c->index)
		p->rr.next--;
}

static struct gslot_policy_choice rr_pick(struct gslot_policy *p, u64 now, bool busy)
{
	struct gslot_policy_choice choice = { GSLOT_POLICY_KEEP, rr_next(p, now) };
	const struct gslot_policy_client *owner = p->owner;

	if (!choice.client || choice.client == owner)
		return choice;
	if (!owner || (!busy && !owner->awake)) {
		/* Free. An idle owner keeps it until another client wants it. */
		choice.verdict = GSLOT_POLICY_GIVE;
	} else if (now - p->since >= p->quantum_ns) {
		choice.verdict = busy ? GSLOT_POLICY_PREEMPT : GSLOT_POLICY_GIVE;
	}
	if (choice.verdict == GSLOT_POLICY_GIVE)
		p->rr.next = choice.client->index + 1;
	return choice;
}

static u64 rr_timer(const struct gslot_policy *p, u64 now)
{
	const struct gslot_policy_client *next = rr_next(p, now);
	u64 held = now - p->since;

	if (p->owner && next && next != p->owner && held < p->quantum_ns)
		return p->quantum_ns - held;
	return 0;
}

const struct gslot_policy_ops gslot_rr = {
	.name = "rr",
	.leave = rr_leave,
	.charge = gslot_debt_charge,
	.pick = rr_pick,
	.next = rr_next,
	.timer = rr_timer,
};
