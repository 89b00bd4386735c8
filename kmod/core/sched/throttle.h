/* SPDX-License-Identifier: GPL-2.0 */
/*
 * CPU time that a user (a vGPU's worker) may use, limited by a token bucket.
 *
 * The user asks before each operation. The cost is not known then: it may begin while the bucket
 * holds anything, and owes the rest. When the bucket is empty, the user waits until it holds
 * GSLOT_THROTTLE_WAKE_LEVEL(), to avoid tiny slices. Waking up and asking cost time as well, so
 * GSLOT_THROTTLE_GO_LEVEL() is enough for the user to go on. If they cost more than the difference
 * between the two at each wake-up, it may never go on.
 *
 * A user with operations of at most C ns of CPU time, that asks before each of them, uses no
 * more in any t ns than t * rate / 1000 + GSLOT_THROTTLE_BURST(rate) + C, if C is no more than
 * GSLOT_THROTTLE_OWED_NS. What one operation costs beyond that is forgiven: a user with one long
 * operation does not wait for ever. What it uses without having asked is taken out at the next
 * call; but each call forgives what is owed beyond GSLOT_THROTTLE_OWED_NS. So a user that waits
 * must not be woken to ask as often as others like.
 */
#ifndef _GSLOT_CORE_THROTTLE_H
#define _GSLOT_CORE_THROTTLE_H

#include "bucket.h"
#include "core/types.h"

/* Of a processor's time, per mille. */
#define GSLOT_THROTTLE_LEAST	10
#define GSLOT_THROTTLE_ALL	GSLOT_WHOLE	/* no bound */

/* What may be used at once, ns: that of a tenth of a second, but at least 5 ms. */
#define GSLOT_THROTTLE_BURST(rate)	max((u64)(rate) * 100000, (u64)5000000)
/* Levels, ns: that to which a user waits, and the least at which it goes on when it asks again. */
#define GSLOT_THROTTLE_WAKE_LEVEL(rate)	(GSLOT_THROTTLE_BURST(rate) / 4)
#define GSLOT_THROTTLE_GO_LEVEL(rate)	(GSLOT_THROTTLE_BURST(rate) / 8)
/* What may be owed, ns. */
#define GSLOT_THROTTLE_OWED_NS		1000000000ull

/* A user of CPU time */
struct gslot_throttle {
	/* What it may use now; of rate 0 before the first gslot_throttle_set() */
	struct gslot_bucket bucket;
	u64 used;	/* what it had used at the last call, ns */
	bool waits;	/* the bucket was empty, and the user may not go on yet */
};

void gslot_throttle_set(struct gslot_throttle *t, u64 now, u64 used, u32 rate);
u64 gslot_throttle_wait(struct gslot_throttle *t, u64 now, u64 used);

#endif
