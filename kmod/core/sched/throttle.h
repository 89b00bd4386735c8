/* SPDX-License-Identifier: GPL-2.0 */
/*
 * CPU time that somebody may use: so much of it as time goes by, by a token bucket.
 *
 * Who may use it says how much he has used so far, as often as he likes, and asks before each
 * thing that he does. What it will cost is not known then: he may begin it as long as there is
 * anything in the bucket, and owes what it costs beyond that. When nothing is left he waits until
 * a part of the bucket is full again, so that he does not go on in crumbs.
 *
 * Who begins things of C ns of CPU time at most, and does nothing without having asked, uses no
 * more in any t ns than t * rate / 1000 + GSLOT_THROTTLE_BURST(rate) + C, if C is no more than
 * GSLOT_THROTTLE_OWED_NS. What one thing costs beyond that is forgiven: who did something long
 * once does not stand still for ever.
 */
#ifndef _GSLOT_CORE_THROTTLE_H
#define _GSLOT_CORE_THROTTLE_H

#include "bucket.h"
#include "core/types.h"

/* Of a processor's time, per mille. */
#define GSLOT_THROTTLE_LEAST	10
#define GSLOT_THROTTLE_ALL	1000	/* no bound */

/* What may be used at once, ns: that of a tenth of a second, but at least a few milliseconds. */
#define GSLOT_THROTTLE_BURST(rate)	max((u64)(rate) * 100000, (u64)5000000)
/* What may be owed, ns. */
#define GSLOT_THROTTLE_OWED_NS		1000000000ull

/**
 * struct gslot_throttle - somebody who uses CPU time
 * @bucket: what he may use now; its rate is 0 before the first gslot_throttle_set()
 * @used: what he had used when he was looked at last, ns
 * @waits: there was nothing left, and not enough has come since
 */
struct gslot_throttle {
	struct gslot_bucket bucket;
	u64 used;
	bool waits;
};

void gslot_throttle_set(struct gslot_throttle *t, u64 now, u64 used, u32 rate);
u64 gslot_throttle_wait(struct gslot_throttle *t, u64 now, u64 used);

#endif
