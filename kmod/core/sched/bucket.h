/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Token buckets, of time: one fills at a rate, and what is used is taken out of it.
 *
 * What a bucket holds is not stored, but when it was, or will be, empty: then nothing has to be
 * done for it to fill.
 */
#ifndef _GSLOT_CORE_BUCKET_H
#define _GSLOT_CORE_BUCKET_H

#include "core/types.h"

/**
 * struct gslot_bucket - a token bucket
 * @rate: how fast it fills: of each second so many milliseconds; 1 .. 1000
 * @empty_at: when it was empty if nothing had been taken out since, or will be
 */
struct gslot_bucket {
	u32 rate;
	u64 empty_at;
};

/**
 * gslot_bucket_fill_time() - how long does it take to fill by so much?
 * @b: the bucket
 * @ns: so much; less than 2^50
 *
 * Return: nanoseconds, rounded up.
 */
static inline u64 gslot_bucket_fill_time(const struct gslot_bucket *b, u64 ns)
{
	return (ns * 1000 + b->rate - 1) / b->rate;
}

/**
 * gslot_bucket_level() - what is in it?
 * @b: the bucket
 * @now: time, ns
 *
 * Return: nanoseconds; less than 0 if more was taken out than there was.
 */
static inline s64 gslot_bucket_level(const struct gslot_bucket *b, u64 now)
{
	return (s64)(now - b->empty_at) * b->rate / 1000;
}

/**
 * gslot_bucket_limit() - it holds no more than so much, and owes no more
 * @b: the bucket
 * @now: time, ns
 * @most: what it may hold, ns
 * @owed: what it may owe, ns
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
 * gslot_bucket_take() - something is taken out
 * @b: the bucket
 * @ns: how much; it may be more than there is
 */
static inline void gslot_bucket_take(struct gslot_bucket *b, u64 ns)
{
	b->empty_at += gslot_bucket_fill_time(b, ns);
}

/**
 * gslot_bucket_set() - from now on it fills at another rate, and holds so much now
 * @b: the bucket
 * @now: time, ns
 * @rate: the rate; 1 .. 1000
 * @level: what it holds, ns; less than 0: what it owes
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
