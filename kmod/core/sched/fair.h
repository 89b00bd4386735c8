/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The policy `fair`: time in proportion to weights, with a bound on how far a client is from its
 * share at any moment. It is EEVDF (Stoica, Abdel-Wahab: "Earliest eligible virtual deadline
 * first", 1995), with caps, reservations, and debts. docs/scheduling.md, *The policy fair*, has its
 * definitions, its rules, and the proof of its bound.
 *
 * A client's lag is how much less it has had than in a system that serves all clients at once, by
 * weight. Virtual time advances at the rate at which a client of weight 1 would be served; each
 * client has a virtual time of its own. The client with the earliest deadline of those with a lag
 * of zero or more has the engine until its request is served.
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
