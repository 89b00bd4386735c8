/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The policy `fair`: time in proportion to weights, with a bound on how far a client is from its
 * share at any moment. It is EEVDF (Stoica, Abdel-Wahab: "Earliest eligible virtual deadline
 * first", 1995), with caps, reservations, and debts. docs/scheduling.md has the proof of its bound.
 *
 * Lag. Ideally all clients that compete would have the engine at the same time, each at a rate
 * proportional to its weight. A client's lag is how much less it has had than that. Virtual time
 * advances at the rate at which a client of weight 1 would be served. Each client has a virtual
 * time of its own, which advances as it is served, and is behind by its lag over its weight. The
 * sum of all lags is zero.
 *
 * Choice. A client asks for time in requests of some milliseconds: at most a quantum, and as much
 * as it mostly needs if it sleeps often. A client with a lag of zero or more is eligible; its
 * request is due when the ideal system would have served it. The eligible client with the earliest
 * deadline has the engine until its request is served. One with an earlier deadline may
 * preempt it after an eighth of a quantum.
 *
 * Sleep. A client that sleeps with a lag above zero has had all that it wanted, and forfeits its
 * lag. Forfeited lag goes to all others, by weight, as soon as that makes no client wait for longer
 * than the bound. A client that sleeps with a lag below zero stays a member, unserved, until its
 * lag is zero. So no client gains by sleeping, and one that is ahead stays so until others have
 * caught up.
 *
 * Caps are token buckets that hold what is used in a tenth of a second. One with an empty bucket
 * does not compete.
 *
 * Reservations are token buckets, too. One with time in its bucket goes before others. What
 * it gets beyond its share in this way is extra time: virtual time stands still meanwhile.
 *
 * A client that does not yield pays by its lag, as for any time that it had; from two quanta on it
 * is also charged a debt (debt.h), and does not compete while it sits out.
 *
 * Copies. If much has to be copied for the client that is due first, another one without anything
 * to copy is preferred if the first will not be late for that; but only one at a time.
 */
#ifndef _GSLOT_CORE_FAIR_H
#define _GSLOT_CORE_FAIR_H

#include "core/types.h"

struct gslot_policy;
struct gslot_policy_client;

/* Fractional bits of virtual time, which is in nanoseconds of a client of weight 1. */
#define GSLOT_FAIR_SHIFT	20
/* This part of a quantum is the shortest request, and the shortest turn that is preempted. */
#define GSLOT_FAIR_PART		8u
/* Only so many of those that are due first may be preferred to the first. */
#define GSLOT_FAIR_LOOK		8u
/* A client that wakes asks for at most its share of so many quanta. */
#define GSLOT_FAIR_WAKE_QUANTA	4u
/* A client that does not yield for so many quanta owes, and sits out. */
#define GSLOT_FAIR_QUANTA	2u
/* What a cap allows in this time may be used at once. */
#define GSLOT_FAIR_CAP_NS	100000000ull
/* A client that has had more than its cap makes up for no more than that. */
#define GSLOT_FAIR_OWED_NS	1000000000ull

s64 gslot_fair_lag_ns(const struct gslot_policy *p, const struct gslot_policy_client *c);

#endif
