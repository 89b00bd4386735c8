/* SPDX-License-Identifier: GPL-2.0 */
/* Between fair.c, which chooses, and fair_clock.c, which keeps virtual time and lags. */
#ifndef _GSLOT_CORE_FAIR_PRIV_H
#define _GSLOT_CORE_FAIR_PRIV_H

#include "fair.h"
#include "policy_priv.h"

/* Fractional bits of virtual time, which is in nanoseconds of a client of weight 1. */
#define GSLOT_FAIR_SHIFT	20
/* This part of a quantum is the shortest request, and the shortest turn that is preempted. */
#define GSLOT_FAIR_PART		8u
/* At most this many of those that are due first may be preferred to the first. */
#define GSLOT_FAIR_LOOK		8u
/* A client that wakes asks for at most its share of this many quanta. */
#define GSLOT_FAIR_WAKE_QUANTA	4u
/* A client that does not yield for this many quanta owes, and sits out. */
#define GSLOT_FAIR_QUANTA	2u
/* What a cap allows in this time may be used at once. */
#define GSLOT_FAIR_CAP_NS	100000000ull
/* A client that has had more than its cap makes up for no more than that. */
#define GSLOT_FAIR_OWED_NS	1000000000ull

/* fair_clock.c */
void gslot_fair_advance(struct gslot_policy *p, u64 now);
void gslot_fair_place(struct gslot_policy *p, struct gslot_policy_client *c);
void gslot_fair_set_weight(struct gslot_policy *p, struct gslot_policy_client *c, u32 weight);
void gslot_fair_pass_on(struct gslot_policy *p);
void gslot_fair_forget(struct gslot_policy *p, struct gslot_policy_client *c);

/* sorted.c */
void gslot_sorted_insert(struct gslot_sorted *s, struct gslot_policy_client *c, u64 key);
void gslot_sorted_remove(struct gslot_sorted *s, const struct gslot_policy_client *c, u64 key);

/* Whether one time is before another, less than 2^63 away. */
static inline bool gslot_before(u64 a, u64 b)
{
	return (s64)(a - b) < 0;
}

/* The entry with the first key; NULL if there is none. */
static inline const struct gslot_sorted_entry *gslot_sorted_first(const struct gslot_sorted *s)
{
	return s->count ? &s->entry[0] : NULL;
}

/* So much time of a client of such a weight, in virtual time. */
static inline u64 gslot_fair_virtual(u64 ns, u32 weight)
{
	return (ns << GSLOT_FAIR_SHIFT) / weight;
}

/* The shortest turn while another client waits. */
static inline u64 gslot_fair_part(const struct gslot_policy *p)
{
	return p->quantum_ns / GSLOT_FAIR_PART;
}

/* What may be used of a cap at once. */
static inline u64 gslot_fair_burst(const struct gslot_policy *p,
				   const struct gslot_policy_client *c)
{
	return max(GSLOT_FAIR_CAP_NS / GSLOT_WHOLE * c->knobs.cap, 2 * gslot_fair_part(p));
}

/* Buckets hold, and owe, no more than they may. */
static inline void gslot_fair_limit(const struct gslot_policy *p, struct gslot_policy_client *c,
				    u64 now)
{
	gslot_bucket_limit(&c->fair.cap, now, gslot_fair_burst(p, c), GSLOT_FAIR_OWED_NS);
	if (c->fair.reserve.rate)
		gslot_bucket_limit(&c->fair.reserve, now, 2 * gslot_fair_part(p),
				   gslot_policy_quantum(p, c));
}

/* Whether it is to be served, if its turn comes. */
static inline bool gslot_fair_competes(const struct gslot_policy_client *c)
{
	return c->fair.wants && !c->fair.barred && !c->fair.capped;
}

/* An owner with work is being served, and in no queue. */
static inline bool gslot_fair_is_served(const struct gslot_policy *p,
					const struct gslot_policy_client *c)
{
	return p->fair.owner == c && !p->fair.idle;
}

#endif
