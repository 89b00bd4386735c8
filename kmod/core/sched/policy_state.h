/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What each policy knows of a client and of a run queue. Only the policy in use looks at its part;
 * all parts are zeroed when another one begins.
 */
#ifndef _GSLOT_CORE_POLICY_STATE_H
#define _GSLOT_CORE_POLICY_STATE_H

#include "core/types.h"
#include "bucket.h"
#include "sorted.h"

/**
 * struct gslot_cap_client - a client, for the policy cap
 * @timeslice_ns: how long it may still have the engine; negative if it has overrun
 */
struct gslot_cap_client {
	s64 timeslice_ns;
};

/**
 * struct gslot_cap - a run queue, for the policy cap
 * @next: index at which the search for the next client begins: behind the one that was last
 * @stage: of the period, 0 .. GSLOT_CAP_STAGES - 1
 * @stage_since: when the stage began
 * @charged_until: up to here the owner's time is taken off its timeslice
 * @idle: the owner has nothing to do, and is not charged
 */
struct gslot_cap {
	u32 next;
	u32 stage;
	u64 stage_since;
	u64 charged_until;
	bool idle;
};

/**
 * struct gslot_credit_client - a client, for the policy credit
 * @credit1: credit that is left
 * @credit2: credit that it was given last
 * @dispatched: how many of its blocks are paid for
 * @cpu_ns: CPU time of its worker when the round began, ns
 * @spent_ns: CPU time of its worker in the round before
 * @slice_ns: the longest that its turn in this round takes
 * @served: it has had a turn in this round
 */
struct gslot_credit_client {
	u32 credit1;
	u32 credit2;
	u64 dispatched;
	u64 cpu_ns;
	u64 spent_ns;
	u64 slice_ns;
	bool served;
};

/**
 * struct gslot_credit - a run queue, for the policy credit
 * @given_at: when credits were given out last
 * @turn_since: when the owner's turn began
 * @turn_dispatched: how many of its blocks had been dispatched then
 */
struct gslot_credit {
	u64 given_at;
	u64 turn_since;
	u64 turn_dispatched;
};

/**
 * struct gslot_rr - a run queue, for the policy rr
 * @next: index at which the search for the next client begins: behind the one that was last
 */
struct gslot_rr {
	u32 next;
};

/**
 * struct gslot_debt_client - what a client owes
 * @debt_ns: its debt
 * @debtor_since: when it became a debtor
 * @grace_until: it has just had work: until then debtors wait for it
 * @resets_until: when its budget of resets is whole again
 * @was_reset: its engine was reset since it was charged last
 */
struct gslot_debt_client {
	u64 debt_ns;
	u64 debtor_since;
	u64 grace_until;
	u64 resets_until;
	bool was_reset;
};

/**
 * struct gslot_debt - what the clients of a run queue owe
 * @debtors: how many owe anything
 * @resets_until: the latest of all clients' @resets_until
 * @paid_until: debts are paid up to here
 * @idle: the owner has nothing to do, and no other client wants the engine
 */
struct gslot_debt {
	u32 debtors;
	u64 resets_until;
	u64 paid_until;
	bool idle;
};

enum gslot_fair_queue {
	GSLOT_FAIR_NONE,
	GSLOT_FAIR_ELIGIBLE,	/* by virtual deadline */
	GSLOT_FAIR_INELIGIBLE,	/* ahead: by virtual time */
};

/**
 * struct gslot_fair_client - a client, for the policy fair
 * @wants: it has work
 * @barred: it is a debtor, and sits out
 * @capped: its cap is used up, and it is in &gslot_fair.capped
 * @reserves: it is in &gslot_fair.reserved
 * @member: its weight counts: it competes, or is ahead since it did
 * @queue: the queue of members that it is in
 * @weight: its weight
 * @vtime: its virtual time
 * @remainder: of @vtime: what division left, less than @weight
 * @deadline: virtual time at which its request is due
 * @request_ns: length of its requests
 * @burst_ns: how long it has been served since it woke
 * @overrun_ns: how much of what it is ahead by is time in which it did not yield
 * @cap: its cap; unused if it has none
 * @release_at: with @capped: when its cap has time again
 * @reserve: its reservation; of rate 0 if it has none
 * @due_at: with @reserves: when it is to be served by its reservation
 * @most_lag_ns: the most that it ever was behind
 * @least_lag_ns: the least: below zero it was ahead
 */
struct gslot_fair_client {
	bool wants;
	bool barred;
	bool capped;
	bool reserves;
	bool member;
	enum gslot_fair_queue queue;
	u32 weight;
	u64 vtime;
	u32 remainder;
	u64 deadline;
	u64 request_ns;
	u64 burst_ns;
	u64 overrun_ns;
	struct gslot_bucket cap;
	u64 release_at;
	struct gslot_bucket reserve;
	u64 due_at;
	s64 most_lag_ns;
	s64 least_lag_ns;
};

/**
 * struct gslot_fair - a run queue, for the policy fair
 * @vtime: its virtual time
 * @remainder: of @vtime: what division left
 * @weight: sum of all members' weights
 * @forfeited: lag that clients have given up and no member has got yet, nanoseconds with
 *	GSLOT_FAIR_SHIFT fractional bits
 * @until: time is accounted for up to here, ns
 * @owner: the owner
 * @idle: the owner has nothing to do
 * @extra: the owner is served beyond its share: virtual time stands still
 * @any_barred: there is a client that is barred
 * @preferred_until: virtual time at which the client that was preferred last is due
 * @stretch_ns: the longest that a client did not yield
 * @eligible: members that are not ahead, by deadline
 * @ineligible: members that are ahead, by virtual time
 * @capped: clients without time of their cap, by when they have some again
 * @reserved: clients that compete and have a reservation, by when it has time
 */
struct gslot_fair {
	u64 vtime;
	u64 remainder;
	u32 weight;
	u64 forfeited;
	u64 until;
	struct gslot_policy_client *owner;
	bool idle;
	bool extra;
	bool any_barred;
	u64 preferred_until;
	u64 stretch_ns;
	struct gslot_sorted eligible;
	struct gslot_sorted ineligible;
	struct gslot_sorted capped;
	struct gslot_sorted reserved;
};

#endif
