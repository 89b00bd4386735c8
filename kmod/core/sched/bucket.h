/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Token buckets of time: a bucket fills at a rate, and what is used is taken out of it.
 *
 * It stores when it was, or will be, empty, instead of what it holds: so it fills without being
 * updated.
 */
#ifndef _GSLOT_CORE_BUCKET_H
#define _GSLOT_CORE_BUCKET_H

#include "core/limits.h"
#include "core/types.h"

/* A token bucket */
struct gslot_bucket {
	u32 rate;	/* how fast it fills, per mille of the time; 1 .. GSLOT_WHOLE */
	u64 empty_at;	/* when it was, or will be, empty if nothing more is taken out */
};

/* How long a bucket takes to fill by @ns, which is less than 2^50; rounded up. */
static inline u64 gslot_bucket_fill_time(const struct gslot_bucket *b, u64 ns)
{
	return (ns * GSLOT_WHOLE + b->rate - 1) / b->rate;
}

/* What a bucket holds, ns; below zero if more was taken out than there was. */
static inline s64 gslot_bucket_level(const struct gslot_bucket *b, u64 now)
{
	return (s64)(now - b->empty_at) * b->rate / GSLOT_WHOLE;
}

/* Limit what a bucket holds to @most ns, and what it owes to @owed ns. */
static inline void gslot_bucket_limit(struct gslot_bucket *b, u64 now, u64 most, u64 owed)
{
	u64 full = now - gslot_bucket_fill_time(b, most);
	u64 least = now + gslot_bucket_fill_time(b, owed);

	if ((s64)(b->empty_at - full) < 0)
		b->empty_at = full;
	if ((s64)(b->empty_at - least) > 0)
		b->empty_at = least;
}

/* Take @ns out of a bucket; it may be more than there is. */
static inline void gslot_bucket_take(struct gslot_bucket *b, u64 ns)
{
	b->empty_at += gslot_bucket_fill_time(b, ns);
}

/* Set the rate, 1 .. GSLOT_WHOLE, and the level of a bucket, ns; below zero: what it owes. */
static inline void gslot_bucket_set(struct gslot_bucket *b, u64 now, u32 rate, s64 level)
{
	b->rate = rate;
	if (level >= 0)
		b->empty_at = now - gslot_bucket_fill_time(b, level);
	else
		b->empty_at = now + gslot_bucket_fill_time(b, -level);
}

#endif
