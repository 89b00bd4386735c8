/* SPDX-License-Identifier: GPL-2.0 */
/* What the tests of policies share: all policies, and a while under any of them. */
#ifndef UNIT_POLICIES_H
#define UNIT_POLICIES_H

#include "test.h"
#include "core/sched/policy_list.h"

static const struct gslot_policy_ops *const all_policies[] = {
	&gslot_fair, &gslot_rr, &gslot_credit, &gslot_cap,
};

static inline const struct gslot_policy_ops *any_policy(void)
{
	return all_policies[rnd_below(ARRAY_SIZE(all_policies))];
}

/* A client has work, or none, and its counters go on. */
static inline void any_event(struct gslot_policy *p, struct gslot_policy_client *c, u64 now)
{
	c->load.queued = rnd_below(100);
	c->load.cpu_ns += rnd_below(1000000);
	if (rnd_below(4))
		gslot_policy_wake(p, c, now);
	else
		gslot_policy_sleep(p, c, now);
}

/* Some steps under any other policy, and then under @ops: there is no owner before or after. */
static inline void live_elsewhere(struct gslot_policy *p, u64 *now,
				  const struct gslot_policy_ops *ops)
{
	gslot_policy_change(p, any_policy(), *now);
	for (u32 i = rnd_below(50); i && p->count; i--) {
		bool busy = p->owner && p->owner->awake && rnd_below(4);

		*now += rnd_below(8000000);
		any_event(p, p->clients[rnd_below(p->count)], *now);
		if (p->owner)
			p->owner->load.dispatched += rnd_below(gslot_policy_blocks(p) & 0xff);
		if (gslot_policy_pick(p, *now, busy).verdict == GSLOT_POLICY_PREEMPT) {
			*now += rnd_below(8000000);
			gslot_policy_off(p, *now);
		}
	}
	if (p->owner)
		gslot_policy_off(p, *now);
	gslot_policy_change(p, ops, *now);
}

#endif
