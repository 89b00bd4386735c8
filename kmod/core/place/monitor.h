/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How much each client uses the GPU, by samples once a second: docs/graphics-memory.md, *The
 * monitor*.
 */
#ifndef _GSLOT_CORE_MONITOR_H
#define _GSLOT_CORE_MONITOR_H

#include "core/types.h"

#define GSLOT_MONITOR_PERIOD_NS	1000000000ull
#define GSLOT_MONITOR_SAMPLES	20
/*
 * A longer interval says little: the machine slept, or was too busy to sample. It counts for no
 * more than this.
 */
#define GSLOT_MONITOR_LONGEST_NS	(5 * GSLOT_MONITOR_PERIOD_NS)

/* What a client has done so far */
struct gslot_monitor_reading {
	u64 now;	/* time, ns */
	/*
	 * How long it has used the GPU in all, what runs included; two engines for a second each
	 * are two seconds
	 */
	u64 busy_ns;
	u64 requests;	/* how many requests it has submitted in all */
	bool pending;	/* some of them are not done: they run, or wait for their turn */
};

/* The time between two readings */
struct gslot_monitor_interval {
	u64 passed_ns;	/* how long it was, GSLOT_MONITOR_LONGEST_NS at most */
	u64 used_ns;	/* how much of that the client used, @passed_ns at most */
};

/* A sampled client */
struct gslot_monitor_client {
	u32 use;				/* its utilisation, per mille */
	/* It has had nothing to do for as long as that takes */
	bool idle;
	struct gslot_monitor_reading last;	/* the reading before */
	/* The last intervals, all of them empty at first */
	struct gslot_monitor_interval window[GSLOT_MONITOR_SAMPLES];
	u32 next;				/* where in @window the next one goes */
	struct gslot_monitor_interval sum;	/* of @window */
	u64 quiet_ns;				/* how long it has had nothing to do */
};

void gslot_monitor_sample(struct gslot_monitor_client *c, const struct gslot_monitor_reading *r,
			  u64 idle_after_ns);
u32 gslot_monitor_last(const struct gslot_monitor_client *c);

/* Begin to sample a client: not idle, and without any use. */
static inline void gslot_monitor_begin(struct gslot_monitor_client *c,
				       const struct gslot_monitor_reading *r)
{
	*c = (struct gslot_monitor_client) { .last = *r };
}

#endif
