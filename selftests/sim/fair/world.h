/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An engine that vGPUs share, in simulated time: what kmod/sched does with a policy, without
 * hardware. A vGPU has the engine until its requests are done, or until it is preempted: at the
 * next arbitration point of its request, or after the policy's preempt timeout. A request that has
 * not yielded by then is lost. A switch takes a while, which is charged to no vGPU.
 */
#ifndef _SIM_FAIR_WORLD_H
#define _SIM_FAIR_WORLD_H

#include "load.h"
#include "core/sched/policy_list.h"

#define QUANTUM		(16 * MS)
#define SWITCH		(100 * US)
#define PATIENCE	(640 * MS)
#define MOST		32

/**
 * struct guest - a vGPU
 * @policy: what the policy knows of it
 * @load: its load
 * @seed: of its random numbers: its load is the same by every policy
 * @queued: requests that were never dispatched
 * @serials: their numbers, in the order of all vGPUs' requests, a ring from @first on
 * @first: index of the oldest one
 * @left: rest of the request that was dispatched last; 0: it is complete
 * @wakes_at: when it has requests again; NEVER: not by itself
 * @withdraws_at: when it withdraws requests that have not begun; NEVER: it does not
 * @woke_at: when it woke; NEVER: it has run since
 * @ran_ns: how long its requests ran
 * @ever_ns: the same, which world_forget() keeps
 * @overrun_ns: how long they ran although they were to yield; kept, too
 * @lag_ns: the largest distance of @ever_ns from its share; kept, too: if all vGPUs always have
 *	work, this is its lag
 * @requests: how many are complete
 * @hung: how many are lost
 * @wait_ns: the longest that it waited when it woke
 */
struct guest {
	struct gslot_policy_client policy;
	const struct load *load;
	u64 seed;
	u32 queued;
	u64 serials[LOAD_DEPTH];
	u32 first;
	u64 left;
	u64 wakes_at;
	u64 withdraws_at;
	u64 woke_at;
	u64 ran_ns;
	u64 ever_ns;
	u64 overrun_ns;
	double lag_ns;
	u64 requests;
	u64 hung;
	u64 wait_ns;
};

#define BOUND_MOMENTS	4096

/**
 * struct bound - the bound of the policy fair
 * @moments: V0 of virtual deadlines: when no vGPU was behind with a request that is due at @due or
 *	earlier, and each one's overruns by then, without those that it has not made up for; later
 *	moments have an earlier @due
 * @count: number of moments
 * @others_ns: the largest N
 * @used: the largest lag, as a part of its bound Q + N
 */
struct bound {
	struct moment {
		u64 due;
		u64 overrun_ns[MOST];
	} moments[BOUND_MOMENTS];
	u32 count;
	u64 others_ns;
	double used;
};

/**
 * struct world - an engine, and the vGPUs that share it
 * @policy: the run queue
 * @guests: the vGPUs
 * @count: their number
 * @weights: sum of their weights
 * @ever_ns: how long requests of any of them ran
 * @stretch_ns: the longest that one took to yield
 * @now: time
 * @serial: number of the latest request
 * @runs: the vGPU with a request that runs; NULL: none
 * @loaded: the vGPU that the last switch was to
 * @switched_at: end of the present switch; 0: there is none
 * @off_at: when the owner, which is being preempted, is off
 * @timer_at: when the policy wants to be asked
 * @switch_ns: time of switches
 * @unused_ns: time in which a vGPU had work, and there was neither a request nor a switch
 * @bound: of the policy fair
 */
struct world {
	struct gslot_policy policy;
	struct guest guests[MOST];
	u32 count;
	u32 weights;
	u64 ever_ns;
	u64 stretch_ns;
	u64 now;
	u64 serial;
	struct guest *runs;
	struct guest *loaded;
	u64 switched_at;
	u64 off_at;
	u64 timer_at;
	u64 switch_ns;
	u64 unused_ns;
	struct bound bound;
};

void world_init(struct world *w, const struct gslot_policy_ops *ops);
void world_add(struct world *w, const struct load *load, u64 seed,
	       const struct gslot_policy_knobs *knobs);
void world_run(struct world *w, u64 until);
/* After each choice. */
void bound_look(struct world *w);
/* Reset what was counted so far. */
void world_forget(struct world *w);

/* Does a policy count requests? If not, it need not know that one ends and another begins. */
static inline bool counts_requests(const struct gslot_policy_ops *ops)
{
	return ops->blocks;
}

/*
 * What VMCG begins with: one queue for all, first come first served, without preemption. Its
 * clients are guests.
 */
extern const struct gslot_policy_ops fcfs;

#endif
