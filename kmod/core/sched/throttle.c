// SPDX-License-Identifier: GPL-2.0
#include "throttle.h"

/* The largest time that a bucket can compute with: days. */
#define TAKEN_MAX	((u64)1 << 49)

static bool throttle_is_bounded(const struct gslot_throttle *t)
{
	return t->bucket.rate && t->bucket.rate < GSLOT_THROTTLE_ALL;
}

/*
 * Take out what was used since the last call. The bucket is limited after that, not before: while
 * time was used, it filled.
 */
static void throttle_charge(struct gslot_throttle *t, u64 now, u64 used)
{
	gslot_bucket_take(&t->bucket, min(used - t->used, TAKEN_MAX));
	gslot_bucket_limit(&t->bucket, now, GSLOT_THROTTLE_BURST(t->bucket.rate),
			   GSLOT_THROTTLE_OWED_NS);
	t->used = used;
}

/**
 * gslot_throttle_set() - set the rate at which CPU time may be used
 * @t: the throttle
 * @now: time, ns
 * @used: what has been used so far, ns; never goes back
 * @rate: per mille of a processor's; GSLOT_THROTTLE_LEAST .. GSLOT_THROTTLE_ALL
 *
 * What the bucket holds, or owes, stays; but it is full if there was no bound before.
 */
void gslot_throttle_set(struct gslot_throttle *t, u64 now, u64 used, u32 rate)
{
	s64 level = GSLOT_THROTTLE_BURST(rate);

	if (throttle_is_bounded(t)) {
		throttle_charge(t, now, used);
		level = min(level, gslot_bucket_level(&t->bucket, now));
	} else {
		t->waits = false;
	}
	t->used = used;
	gslot_bucket_set(&t->bucket, now, rate, level);
}

/**
 * gslot_throttle_wait() - whether the user may go on
 * @t: the throttle
 * @now: time, ns
 * @used: what it has used so far, ns; never goes back
 *
 * Return: 0, or after how many nanoseconds the user should ask again.
 */
u64 gslot_throttle_wait(struct gslot_throttle *t, u64 now, u64 used)
{
	s64 level;
	u64 wake_at;

	if (!throttle_is_bounded(t))
		return 0;
	throttle_charge(t, now, used);
	level = gslot_bucket_level(&t->bucket, now);
	t->waits = t->waits ? level < (s64)GSLOT_THROTTLE_GO_LEVEL(t->bucket.rate) : level <= 0;
	if (!t->waits)
		return 0;
	wake_at = t->bucket.empty_at +
		  gslot_bucket_fill_time(&t->bucket, GSLOT_THROTTLE_WAKE_LEVEL(t->bucket.rate));
	return wake_at - now;
}
