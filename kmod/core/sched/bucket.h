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

/**
 * struct gslot_bucket - a token bucket
 * @rate: how fast it fills, per mille of the time; 1 .. GSLOT_WHOLE
 * @empty_at: when it was, or will be, empty if nothing more is taken out
 */
struct gslot_bucket {
	u32 rate;
	u64 empty_at;
};

/**
 * gslot_bucket_fill_time() - how long a bucket takes to fill by some time
 * @b: the bucket
 * @ns: that time; less than 2^50
 *
 * Return: nanoseconds, rounded up.
 */
static inline u64 gslot_bucket_fill_time(const struct gslot_bucket *b, u64 ns)
{
	return (ns * GSLOT_WHOLE + b->rate - 1) / b->rate;
}

/**
 * gslot_bucket_level() - what a bucket holds
 * @b: the bucket
 * @now: time, ns
 *
 * Return: nanoseconds; below zero if more was taken out than there was.
 */
static inline s64 gslot_bucket_level(const struct gslot_bucket *b, u64 now)
{
	return (s64)(now - b->empty_at) * b->rate / GSLOT_WHOLE;
}

/**
 * gslot_bucket_limit() - limit what a bucket holds, and owes
 * @b: the bucket
 * @now: time, ns
 * @most: the most that it holds, ns
 * @owed: the most that it owes, ns
 */
static inline void gslot_bucket_limit(struct gslot_bucket *b, u64 now, u64 most, u64 owed)
{
	u64 full = now - gslot_bucket_fill_time(b, most);
	u64 least = now + gslot_bucket_fill_time(b, owed);

	if ((s64)(b->empty_at - full) < 0)
		b->empty_at = full;
	if ((s64)(b->empty_at - least) > 0)
		b->empty_at = least;
}

/**
 * gslot_bucket_take() - take time out of a bucket
 * @b: the bucket
 * @ns: how much; it may be more than there is
 */
static inline void gslot_bucket_take(struct gslot_bucket *b, u64 ns)
{
	b->empty_at += gslot_bucket_fill_time(b, ns);
}

/**
 * gslot_bucket_set() - set the rate and the level of a bucket
 * @b: the bucket
 * @now: time, ns
 * @rate: the rate from now on; 1 .. GSLOT_WHOLE
 * @level: what it holds, ns; below zero: what it owes
 */
static inline void gslot_bucket_set(struct gslot_bucket *b, u64 now, u32 rate, s64 level)
{
	b->rate = rate;
	if (level >= 0)
		b->empty_at = now - gslot_bucket_fill_time(b, level);
	else
		b->empty_at = now + gslot_bucket_fill_time(b, -level);
}

#endif
