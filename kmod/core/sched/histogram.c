// SPDX-License-Identifier: GPL-2.0
#include "core/limits.h"
#include "histogram.h"

#define NS_PER_US	1000u

/**
 * gslot_histogram_add() - count a time
 * @h: the histogram
 * @ns: the time, nanoseconds
 */
void gslot_histogram_add(struct gslot_histogram *h, u64 ns)
{
	u32 bucket = fls64(ns / NS_PER_US | 1) - 1;

	h->count[min(bucket, GSLOT_HISTOGRAM_BUCKETS - 1u)]++;
}

/**
 * gslot_histogram_total() - how many times were counted
 * @h: the histogram
 *
 * Return: their number.
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
 * gslot_histogram_percentile_us() - a time that so many were shorter than
 * @h: the histogram
 * @per_mille: how many; 1 to GSLOT_WHOLE
 *
 * Return: microseconds, rounded up to the end of a bucket; U64_MAX if it is in the last bucket;
 * 0 if nothing was counted.
 */
u64 gslot_histogram_percentile_us(const struct gslot_histogram *h, u32 per_mille)
{
	const u32 whole = GSLOT_WHOLE;
	u64 total = gslot_histogram_total(h), below = 0, most;
	u32 i;

	if (!total)
		return 0;
	/* Rounded up, and without the overflow of total * per_mille. */
	most = total / whole * per_mille + (total % whole * per_mille + whole - 1) / whole;
	for (i = 0; i < GSLOT_HISTOGRAM_BUCKETS - 1; i++) {
		below += h->count[i];
		if (below >= most)
			break;
	}
	return gslot_histogram_to_us(i);
}
