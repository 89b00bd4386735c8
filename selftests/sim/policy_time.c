// SPDX-License-Identifier: GPL-2.0
/*
 * How long policies take to decide: an event of a client, the choice, and when to choose again, as
 * the scheduler asks for at each interrupt. Half of all clients have work at any time.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "core/sched/policy_list.h"

#define MS	1000000ull
#define EVENTS	1000000
#define TIMES	5	/* the best counts: the machine is not ours alone */

static const struct gslot_policy_ops *const policies[] = {
	&gslot_fair, &gslot_rr, &gslot_credit, &gslot_cap,
};

static const u32 counts[] = { 2, 8, 32, 64 };

static struct gslot_policy policy;
static struct gslot_policy_client clients[GSLOT_MAX_VGPUS];
static u64 seed = 1;

static u32 rnd(u32 below)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return (seed >> 33) % below;
}

static u64 now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

/* Of one of them something is done, or has come. */
static void event(struct gslot_policy *p, u64 now)
{
	struct gslot_policy_client *c = p->clients[rnd(p->count)];

	c->load.queued = rnd(4);
	if (rnd(2))
		gslot_policy_wake(p, c, now);
	else
		gslot_policy_sleep(p, c, now);
}

static void decide(struct gslot_policy *p, u64 now)
{
	bool busy = p->owner && p->owner->awake;

	if (gslot_policy_pick(p, now, busy).verdict == GSLOT_POLICY_PREEMPT) {
		gslot_policy_off(p, now);
		gslot_policy_pick(p, now, false);
	}
	gslot_policy_timer(p, now);
}

/* A decision, ns. */
static double time_of(const struct gslot_policy_ops *ops, u32 count)
{
	u64 now = MS, ns;

	gslot_policy_init(&policy, ops, 16 * MS);
	for (u32 i = 0; i < count; i++)
		if (gslot_policy_join(&policy, &clients[i], now))
			exit(1);
	ns = now_ns();
	for (u32 i = 0; i < EVENTS; i++) {
		now += rnd(MS);
		event(&policy, now);
		decide(&policy, now);
	}
	return (double)(now_ns() - ns) / EVENTS;
}

int main(void)
{
	printf("A decision, ns\n\nvGPUs ");
	for (u32 k = 0; k < ARRAY_SIZE(policies); k++)
		printf("  %8s", policies[k]->name);
	printf("\n");
	for (u32 n = 0; n < ARRAY_SIZE(counts); n++) {
		printf("%5u ", counts[n]);
		for (u32 k = 0; k < ARRAY_SIZE(policies); k++) {
			double best = time_of(policies[k], counts[n]);

			for (u32 i = 1; i < TIMES; i++) {
				double it = time_of(policies[k], counts[n]);

				best = min(best, it);
			}
			printf("  %8.0f", best);
		}
		printf("\n");
	}
	return 0;
}
