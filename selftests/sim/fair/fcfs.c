// SPDX-License-Identifier: GPL-2.0
#include "world.h"

static u64 oldest(const struct gslot_policy_client *c)
{
	const struct guest *g = (const struct guest *)c;

	return g->queued ? g->serials[g->first] : NEVER;
}

static struct gslot_policy_client *fcfs_next(const struct gslot_policy *p, u64 now)
{
	struct gslot_policy_client *first = NULL;
	u32 i;

	for (i = 0; i < p->count; i++)
		if (oldest(p->clients[i]) < (first ? oldest(first) : NEVER))
			first = p->clients[i];
	return first;
}

static struct gslot_policy_choice fcfs_pick(struct gslot_policy *p, u64 now, bool busy)
{
	struct gslot_policy_choice choice = { GSLOT_POLICY_KEEP, fcfs_next(p, now) };

	if (!busy && choice.client && choice.client != p->owner)
		choice.verdict = GSLOT_POLICY_GIVE;
	return choice;
}

static u64 fcfs_timer(const struct gslot_policy *p, u64 now)
{
	return 0;
}

static u32 fcfs_blocks(const struct gslot_policy *p)
{
	return fcfs_next(p, 0) == p->owner;
}

const struct gslot_policy_ops fcfs = {
	.name = "fcfs",
	.pick = fcfs_pick,
	.next = fcfs_next,
	.timer = fcfs_timer,
	.blocks = fcfs_blocks,
};
