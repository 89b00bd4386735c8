// SPDX-License-Identifier: GPL-2.0
/* N of the bound of the policy fair (docs/scheduling.md), without reservations and copies. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "world.h"
#include "core/sched/fair_priv.h"

/* Lags are rounded, and looked at as late as the timer fires. */
#define NEAR_NS		2000
/* What division leaves. */
#define CLOSE_NS	1

static s64 lag_ns(const struct world *w, u32 i)
{
	return gslot_fair_lag_ns(&w->policy, &w->guests[i].policy);
}

/* How much of what it is ahead by is time in which it did not yield. */
static u64 not_made_up(const struct world *w, u32 i)
{
	s64 lag = lag_ns(w, i);

	return lag < 0 ? min(w->guests[i].policy.fair.overrun_ns, (u64)-lag) : 0;
}

static void note_moment(struct world *w)
{
	struct bound *b = &w->bound;
	u64 due = w->policy.fair.vtime + U64_MAX / 4;
	u32 i;

	for (i = 0; i < w->count; i++)
		if (lag_ns(w, i) > CLOSE_NS &&
		    gslot_before(w->guests[i].policy.fair.deadline, due))
			due = w->guests[i].policy.fair.deadline;
	while (b->count && !gslot_before(due, b->moments[b->count - 1].due))
		b->count--;
	if (b->count == BOUND_MOMENTS) {
		fprintf(stderr, "too many moments\n");
		exit(1);
	}
	b->moments[b->count].due = due;
	for (i = 0; i < w->count; i++)
		b->moments[b->count].overrun_ns[i] = w->guests[i].overrun_ns - not_made_up(w, i);
	b->count++;
}

/* The time for which others did not yield since V0 of @i, or before and have not made up for. */
static u64 others_ns(const struct world *w, u32 i)
{
	const struct bound *b = &w->bound;
	const struct moment *m;
	u64 sum = 0;
	u32 k;

	if (!b->count)
		return 0;
	m = &b->moments[b->count - 1];
	while (m > b->moments && !gslot_before(w->guests[i].policy.fair.deadline, m->due))
		m--;
	for (k = 0; k < w->count; k++)
		if (k != i)
			sum += w->guests[k].overrun_ns - m->overrun_ns[k];
	return sum;
}

void bound_look(struct world *w)
{
	u32 i;

	if (w->policy.ops != &gslot_fair || w->policy.leaving)
		return;
	for (i = 0; i < w->count; i++) {
		s64 lag = lag_ns(w, i);
		u64 others;

		if (lag <= NEAR_NS)
			continue;
		others = others_ns(w, i);
		w->bound.others_ns = max(w->bound.others_ns, others);
		w->bound.used = fmax(w->bound.used, (double)lag / (QUANTUM + others + NEAR_NS));
	}
	note_moment(w);
}
