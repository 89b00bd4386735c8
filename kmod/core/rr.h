/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The policy `rr`: vGPUs own the whole GPU in turn, each for a quantum at
 * most, and no longer than it has work.
 *
 * Who does not yield at the end of its quantum goes on until it is reset, and
 * that time is the others'. It is owed: a debtor sits out as long as somebody
 * without debt has work, or had some just now. Debts are paid one after another
 * by time that no debtor has the GPU. So in the long run debtors together
 * have it for half of the time at most, however many they are.
 */
#ifndef _GSLOT_CORE_RR_H
#define _GSLOT_CORE_RR_H

#include "types.h"

#define GSLOT_RR_NONE		(~0u)
/* Work that comes within this time after the last was done keeps debtors waiting. */
#define GSLOT_RR_GRACE_NS	100000000ull
/* No debt is larger: a guest waits for no longer by its own fault alone. */
#define GSLOT_RR_MAX_DEBT_NS	2000000000ull

/**
 * struct gslot_rr - a snapshot to decide on
 * @count: how many clients there are
 * @runnable: for each: it has work and may run
 * @eager: for each: it is runnable, or was so within the grace time
 * @debt_ns: for each: what it owes
 * @owner: the client that has the GPU, or GSLOT_RR_NONE
 * @last: the client that had it last, where the search begins
 * @owner_busy: some of the owner's work is on the hardware
 * @held_ns: how long the owner has had it
 * @quantum_ns: how long it may keep it while another waits
 */
struct gslot_rr {
	u32 count;
	const bool *runnable;
	const bool *eager;
	const u64 *debt_ns;
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

/**
 * gslot_rr_charge() - a client was taken off the GPU
 * @debt_ns: what it owed before
 * @quantum_ns: how long it might have it
 * @overrun_ns: for how much longer it had it, until it was off, resets included
 *
 * Who overruns by a quantum or more owes the quantum as well.
 *
 * Return: what it owes now.
 */
u64 gslot_rr_charge(u64 debt_ns, u64 quantum_ns, u64 overrun_ns);

/**
 * gslot_rr_pay() - time passes in which no debtor has the GPU
 * @debt_ns: for each client: what it owes; changed
 * @since: for each: when it became a debtor; those that owe longest are paid first
 * @count: how many there are
 * @ns: how much time
 */
void gslot_rr_pay(u64 *debt_ns, const u64 *since, u32 count, u64 ns);

/**
 * gslot_rr_patience() - how long may a client take to yield?
 * @full_ns: if nobody has done others harm
 * @debtors: how many others owe a quantum or more
 *
 * Return: less for each debtor: many that do not yield, one after another for
 * the first time, must not add up.
 */
u64 gslot_rr_patience(u64 full_ns, u32 debtors);

#endif
