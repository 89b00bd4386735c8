/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How much each client uses the GPU. As in DymGPU, each is sampled once a second: its utilisation
 * is the mean of the last 20 seconds. A client that has not used the GPU for a while, 20 seconds
 * unless an administrator says otherwise, is idle until it does.
 *
 * Time in which a client owns the GPU without work does not count: a policy may leave the GPU with
 * its last owner.
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

/**
 * struct gslot_monitor_reading - what a client has done so far
 * @now: time, ns
 * @busy_ns: how long it has used the GPU in all, what runs included; two engines for a second
 *	each are two seconds
 * @requests: how many requests it has submitted in all
 * @pending: some of them are not done: they run, or wait for their turn
 */
struct gslot_monitor_reading {
	u64 now;
	u64 busy_ns;
	u64 requests;
	bool pending;
};

/**
 * struct gslot_monitor_interval - the time between two readings
 * @passed_ns: how long it was, GSLOT_MONITOR_LONGEST_NS at most
 * @used_ns: how much of that the client used, @passed_ns at most
 */
struct gslot_monitor_interval {
	u64 passed_ns;
	u64 used_ns;
};

/**
 * struct gslot_monitor_client - a sampled client
 * @use: its utilisation, per mille
 * @idle: it has had nothing to do for as long as that takes
 * @last: the reading before
 * @window: the last intervals, all of them empty at first
 * @next: where in @window the next one goes
 * @sum: of @window
 * @quiet_ns: how long it has had nothing to do
 */
struct gslot_monitor_client {
	u32 use;
	bool idle;
	struct gslot_monitor_reading last;
	struct gslot_monitor_interval window[GSLOT_MONITOR_SAMPLES];
	u32 next;
	struct gslot_monitor_interval sum;
	u64 quiet_ns;
};

void gslot_monitor_begin(struct gslot_monitor_client *c, const struct gslot_monitor_reading *r);
void gslot_monitor_sample(struct gslot_monitor_client *c, const struct gslot_monitor_reading *r,
			  u64 idle_after_ns);
u32 gslot_monitor_last(const struct gslot_monitor_client *c);

#endif
