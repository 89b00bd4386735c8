// SPDX-License-Identifier: GPL-2.0
#include "histogram.h"

#define NS_PER_US	1000u
#define WHOLE		1000u	/* per mille */

static u32 bucket_of(u64 us)
{
	u32 bucket = us ? fls64(us) - 1 : 0;

	return bucket < GSLOT_HISTOGRAM_BUCKETS ? bucket : GSLOT_HISTOGRAM_BUCKETS - 1;
}

/**
 * gslot_histogram_add() - it happened once more
 * @h: the histogram
 * @ns: how long it took, nanoseconds
 */
void gslot_histogram_add(struct gslot_histogram *h, u64 ns)
{
	h->count[bucket_of(ns / NS_PER_US)]++;
}

/**
 * gslot_histogram_total() - how often did it happen?
 * @h: the histogram
 *
 * Return: that.
 */
u64 gslot_histogram_total(const struct gslot_histogram *h)
{
	u64 total = 0;
	u32 i;

	for (i = 0; i < GSLOT_HISTOGRAM_BUCKETS; i++)
		total += h->count[i];
	return total;
}

/**
 * gslot_histogram_from_us() - where does a bucket begin?
 * @bucket: its number, less than GSLOT_HISTOGRAM_BUCKETS
 *
 * Return: the shortest time that it has, microseconds.
 */
u64 gslot_histogram_from_us(u32 bucket)
{
	return bucket ? (u64)1 << bucket : 0;
}

/**
 * gslot_histogram_to_us() - where does a bucket end?
 * @bucket: its number, less than GSLOT_HISTOGRAM_BUCKETS
 *
 * Return: all that it has took less than this, microseconds; U64_MAX: there is no limit.
 */
u64 gslot_histogram_to_us(u32 bucket)
{
	return bucket < GSLOT_HISTOGRAM_BUCKETS - 1 ? (u64)2 << bucket : U64_MAX;
}

/**
 * gslot_histogram_percentile_us() - how long do most take at most?
 * @h: the histogram
 * @per_mille: how many are most: 1 to 1000
 *
 * Return: a time, microseconds, so that at least so many took less, as precise as buckets are;
 * U64_MAX if it is beyond the last one's beginning; 0 if there was none at all.
 */
u64 gslot_histogram_percentile_us(const struct gslot_histogram *h, u32 per_mille)
{
	u64 total = gslot_histogram_total(h), below = 0, most;
	u32 i;

	if (!total)
		return 0;
	/* Rounded up, and without what total * per_mille would overflow. */
	most = total / WHOLE * per_mille + (total % WHOLE * per_mille + WHOLE - 1) / WHOLE;
	for (i = 0; i < GSLOT_HISTOGRAM_BUCKETS - 1; i++) {
		below += h->count[i];
		if (below >= most)
			break;
	}
	return gslot_histogram_to_us(i);
}
