// SPDX-License-Identifier: GPL-2.0
#include "throttle.h"

/* All that a bucket can reckon with: days. */
#define TAKEN_MAX	((u64)1 << 49)

/* He goes on with no less, ns. */
static u64 enough(const struct gslot_throttle *t)
{
	return GSLOT_THROTTLE_BURST(t->bucket.rate) / 4;
}

static bool is_bounded(const struct gslot_throttle *t)
{
	return t->bucket.rate && t->bucket.rate < GSLOT_THROTTLE_ALL;
}

/*
 * What was used since he was looked at last is taken out. What it holds is limited after that, not
 * before: while he used it, more came.
 */
static void charge(struct gslot_throttle *t, u64 now, u64 used)
{
	gslot_bucket_take(&t->bucket, min(used - t->used, TAKEN_MAX));
	gslot_bucket_limit(&t->bucket, now, GSLOT_THROTTLE_BURST(t->bucket.rate),
			   GSLOT_THROTTLE_OWED_NS);
	t->used = used;
}

/**
 * gslot_throttle_set() - somebody says how much CPU time may be used from now on
 * @t: by whom
 * @now: time, ns
 * @used: what he has used so far, ns; never goes back
 * @rate: per mille of a processor's; GSLOT_THROTTLE_LEAST .. GSLOT_THROTTLE_ALL
 *
 * What he has left, or owes, stays, but where there was no bound before: then he begins with all
 * that may be used at once.
 */
void gslot_throttle_set(struct gslot_throttle *t, u64 now, u64 used, u32 rate)
{
	s64 level = GSLOT_THROTTLE_BURST(rate);

	if (is_bounded(t)) {
		charge(t, now, used);
		level = min(level, gslot_bucket_level(&t->bucket, now));
	} else {
		t->waits = false;
	}
	t->used = used;
	gslot_bucket_set(&t->bucket, now, rate, level);
}

/**
 * gslot_throttle_wait() - may somebody go on?
 * @t: who
 * @now: time, ns
 * @used: what he has used so far, ns; never goes back
 *
 * Return: 0, or after how many nanoseconds he may if he uses nothing meanwhile.
 */
u64 gslot_throttle_wait(struct gslot_throttle *t, u64 now, u64 used)
{
	u64 full;

	if (!is_bounded(t))
		return 0;
	charge(t, now, used);
	full = t->bucket.empty_at + gslot_bucket_fill_time(&t->bucket, enough(t));
	if (t->waits)
		t->waits = (s64)(full - now) > 0;
	else
		t->waits = gslot_bucket_level(&t->bucket, now) <= 0;
	return t->waits ? full - now : 0;
}
