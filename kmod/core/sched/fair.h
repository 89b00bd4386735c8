/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The policy `fair`: time in proportion to weights, with a bound on how far anybody is from it at
 * any moment. It is EEVDF (Stoica, Abdel-Wahab: "Earliest eligible virtual deadline first", 1995),
 * with caps, reservations, and debts. docs/scheduling.md has the proof of its bound.
 *
 * Lag. Those that compete would ideally have what is shared at the same time, each at a rate
 * in proportion to its weight. How much less somebody has had of it is its lag. Virtual time goes
 * by at the rate at which one of weight 1 would be served; each client has its own, which goes
 * by as it is served, and is behind by its lag over its weight. All lags together are zero.
 *
 * Choice. A client asks for time request by request, of some milliseconds: a quantum at most, and
 * for who sleeps often as much as it mostly needs. Who has no lag below zero is eligible for its
 * next request, which is due when the ideal system would have served it. Of those eligible the one
 * whose request is due first is given what is shared until it is served; somebody whose request is
 * due earlier may interrupt it after an eighth of a quantum.
 *
 * Sleep. Who sleeps with a lag above zero has had all that it wanted; what others had more than
 * their share is not owed to anybody any more, and is all others' claim, by weight, as soon as that
 * makes nobody wait longer than the bound. Who sleeps with a lag below zero goes on to compete,
 * and is not served, until it has none. So nobody gains by sleeping, and no debt is forgiven but by
 * whom it is owed to.
 *
 * Caps are token buckets, which hold what is used in a tenth of a second. Who has used it up does
 * not compete until it has some.
 *
 * Reservations are token buckets, too. Who has some in it is given what is shared before others.
 * What it has beyond its share in that way is not of the time that is shared: virtual time stands
 * still.
 *
 * Who does not yield pays for it by its lag, as for any time that it had; and if that was two
 * quanta or more, owes (debt.h) and does not compete.
 *
 * Copies. If much has to be copied for the one whose request is due first, another one for which
 * nothing has is preferred, if the first will not be late for that; but only one at a time.
 */
#ifndef _GSLOT_CORE_FAIR_H
#define _GSLOT_CORE_FAIR_H

#include "core/types.h"
#include "bucket.h"
#include "sorted.h"

struct gslot_policy;
struct gslot_policy_client;

/* Virtual time has so many fractional bits; it is in nanoseconds of one of weight 1. */
#define GSLOT_FAIR_SHIFT	20
/* Nobody is interrupted before this part of a quantum, and no request is shorter. */
#define GSLOT_FAIR_PART		8u
/* So many of those that are due first may be preferred to the first. */
#define GSLOT_FAIR_LOOK		8u
/* Who wakes asks for what it would be served in so many quanta, if that is less than it needs. */
#define GSLOT_FAIR_WAKE_QUANTA	4u
/* Who does not yield for so many quanta owes, and sits out. */
#define GSLOT_FAIR_QUANTA	2u
/* What is used of a cap in such a time may be used at once. */
#define GSLOT_FAIR_CAP_NS	100000000ull
/* Who has had more of its cap than there was makes up for no more than that. */
#define GSLOT_FAIR_OWED_NS	1000000000ull

enum gslot_fair_queue {
	GSLOT_FAIR_NONE,
	GSLOT_FAIR_READY,	/* eligible, by virtual deadline */
	GSLOT_FAIR_LATER,	/* not eligible yet, by virtual time */
};

/**
 * struct gslot_fair_client - of a client
 * @wants: it has work
 * @barred: it owes, and sits out
 * @capped: it has used up its cap, and is in &gslot_fair.capped
 * @reserves: it is in &gslot_fair.reserved
 * @member: its weight counts: it competes, or did and has a lag below zero
 * @queue: in which other queue it is
 * @weight: that with which it competes
 * @served: its virtual time
 * @remainder: of @served: what division left, less than @weight
 * @deadline: virtual time at which its request is due
 * @request_ns: how long its requests are
 * @burst_ns: how long it has been served since it woke
 * @overrun_ns: how much of what it is ahead by it had as it did not yield
 * @cap: its cap; of no meaning if it has none
 * @release_at: with @capped: when it has some of it again
 * @reserve: its reservation; its rate is 0 if it has none
 * @due_at: with @reserves: when it is to be served by it
 * @most_lag_ns: the most that it ever was behind
 * @least_lag_ns: the least, which is below zero: it was ahead
 */
struct gslot_fair_client {
	bool wants;
	bool barred;
	bool capped;
	bool reserves;
	bool member;
	enum gslot_fair_queue queue;
	u32 weight;
	u64 served;
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
 * struct gslot_fair - of what is shared
 * @now: virtual time
 * @remainder: of @now: what division left
 * @weight: of all members together
 * @given_up: what those who are gone were behind by, nanoseconds with GSLOT_FAIR_SHIFT fractional
 *	bits; nobody has it yet
 * @until: time is accounted for up to here, ns
 * @owner: who has it
 * @idle: it has it for nothing
 * @apart: what it has is beyond its share: virtual time stands still
 * @any_barred: somebody is
 * @preferred_until: virtual time at which the one that was preferred last is due
 * @stretch_ns: the longest that anybody did not yield
 * @ready: GSLOT_FAIR_READY
 * @later: GSLOT_FAIR_LATER
 * @capped: who has used up its cap, by when there is some of it again
 * @reserved: who competes and has a reservation, by when there is some of it
 */
struct gslot_fair {
	u64 now;
	u64 remainder;
	u32 weight;
	u64 given_up;
	u64 until;
	struct gslot_policy_client *owner;
	bool idle;
	bool apart;
	bool any_barred;
	u64 preferred_until;
	u64 stretch_ns;
	struct gslot_sorted ready;
	struct gslot_sorted later;
	struct gslot_sorted capped;
	struct gslot_sorted reserved;
};

s64 gslot_fair_lag_ns(const struct gslot_policy *p, const struct gslot_policy_client *c);

extern const struct gslot_policy_ops gslot_fair;

#endif
