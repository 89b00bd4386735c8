/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An engine that vGPUs share, in simulated time: what kmod/sched does with a policy, without
 * hardware. A vGPU has the engine until its requests are done, or until it is taken off: at the
 * next point at which its request can be preempted, or when the patience of the policy is over. A
 * request that did not yield by then is gone. Passing the engine from one to another takes a
 * while, which is nobody's.
 */
#ifndef _SIM_FAIR_WORLD_H
#define _SIM_FAIR_WORLD_H

#include "load.h"
#include "core/sched/policy.h"

#define QUANTUM		(16 * MS)
#define SWITCH		(100 * US)
#define PATIENCE	(640 * MS)
#define MOST		32

/**
 * struct guest - a vGPU
 * @policy: what the policy knows of it
 * @load: what it does
 * @seed: of its random numbers: whatever is done to it, it does the same
 * @queued: requests that were never dispatched
 * @serials: of those, in order, from @first on, around: in the order in which all came
 * @first: where the oldest one is
 * @left: what is still to be done of the one that was dispatched last; 0: it is done
 * @wakes_at: when it has requests again; NEVER: not by itself
 * @withdraws_at: when it withdraws what has not begun; NEVER: it does not
 * @woke_at: when it woke; NEVER: it has run since
 * @ran_ns: how long its requests ran
 * @ever_ns: the same, and it is never forgotten
 * @overrun_ns: how long it ran although it was to yield
 * @lag_ns: how far that was from its share of what all had done, at worst, ever: as long as all
 *	of them always have work, this is its lag
 * @requests: how many are done
 * @hung: how many are gone
 * @wait_ns: how long it waited when it woke, at worst
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
 * struct bound - what the bound of the policy fair is about
 * @moments: when nobody was behind with a request that is due at @due or earlier, and how long each
 *	had not yielded by then and made up for; later ones have an earlier @due
 * @count: how many there are
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
 * struct world - the engine, and all who share it
 * @policy: who has it
 * @guests: the vGPUs
 * @count: how many there are
 * @weights: of all of them
 * @ever_ns: how long requests of any of them ran
 * @stretch_ns: the longest that one took to be off
 * @now: time
 * @serial: of the request that came last
 * @runs: whose request runs; NULL: none does
 * @loaded: who was switched to last
 * @switched_at: when the switch that is under way is over; 0: none is
 * @off_at: when the owner, who is to leave, is taken off
 * @timer_at: when the policy wants to be asked
 * @switch_ns: time that switches took
 * @unused_ns: time in which somebody had work, and there was neither a request nor a switch
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
/* What was counted so far is forgotten. */
void world_forget(struct world *w);

/* Does a policy count requests? If not, it is nothing to it that one ends and another begins. */
static inline bool counts_requests(const struct gslot_policy_ops *ops)
{
	return ops->blocks;
}

/*
 * What VMCG begins with: one queue for all, first come first served, and nobody is ever taken
 * off. With it the clients of a policy are guests.
 */
extern const struct gslot_policy_ops fcfs;

#endif
