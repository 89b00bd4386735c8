/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Histograms of times: a counter for each power of two of microseconds.
 */
#ifndef _GSLOT_CORE_HISTOGRAM_H
#define _GSLOT_CORE_HISTOGRAM_H

#include "core/types.h"

#define GSLOT_HISTOGRAM_BUCKETS	24

/* How many times were how long */
struct gslot_histogram {
	/*
	 * Of times from 2^i us to just below 2^(i+1) us; the first bucket has those of less than a
	 * microsecond, too, and the last one all that were longer
	 */
	u64 count[GSLOT_HISTOGRAM_BUCKETS];
};

void gslot_histogram_add(struct gslot_histogram *h, u64 ns);
u64 gslot_histogram_total(const struct gslot_histogram *h);
u64 gslot_histogram_percentile_us(const struct gslot_histogram *h, u32 per_mille);

/* The shortest time in a bucket, microseconds. */
static inline u64 gslot_histogram_from_us(u32 bucket)
{
	return bucket ? (u64)1 << bucket : 0;
}

/* The times in a bucket are shorter than this, microseconds; U64_MAX: no limit. */
static inline u64 gslot_histogram_to_us(u32 bucket)
{
	return bucket < GSLOT_HISTOGRAM_BUCKETS - 1 ? (u64)2 << bucket : U64_MAX;
}

#endif
