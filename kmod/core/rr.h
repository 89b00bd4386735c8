/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The policy `rr`: vGPUs own the whole GPU in turn, each for a quantum at
 * most, and no longer than it has work.
 */
#ifndef _GSLOT_CORE_RR_H
#define _GSLOT_CORE_RR_H

#include "types.h"

#define GSLOT_RR_NONE		(~0u)

/**
 * struct gslot_rr - a snapshot to decide on
 * @count: how many clients there are
 * @runnable: for each: it has work and may run
 * @owner: the client that has the GPU, or GSLOT_RR_NONE
 * @last: the client that had it last, where the search begins
 * @owner_busy: some of the owner's work is on the hardware
 * @held_ns: how long the owner has had it
 * @quantum_ns: how long it may keep it while another waits
 */
struct gslot_rr {
	u32 count;
	const bool *runnable;
	u32 owner;
	u32 last;
	bool owner_busy;
	u64 held_ns;
	u64 quantum_ns;
};

enum gslot_rr_verdict {
	GSLOT_RR_KEEP,		/* all stays as it is */
	GSLOT_RR_GIVE,		/* the hardware is free: @next has it now */
	GSLOT_RR_PREEMPT,	/* take the owner off, then ask again */
};

/**
 * struct gslot_rr_decision - what to do
 * @verdict: what
 * @next: with GSLOT_RR_GIVE: to whom; GSLOT_RR_NONE: to nobody
 * @recheck_ns: if not 0: ask again after this time, whatever happens
 */
struct gslot_rr_decision {
	enum gslot_rr_verdict verdict;
	u32 next;
	u64 recheck_ns;
};

struct gslot_rr_decision gslot_rr_decide(const struct gslot_rr *rr);

#endif
