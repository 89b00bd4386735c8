/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DOC: holding submissions in pre-copy
 *
 * In pre-copy a VMM sends the guest's memory in rounds while the guest runs. It asks in each round
 * which pages are dirty, and stops the guest when it can send what is left within the downtime that
 * its user allows. All that a vGPU uses is dirty in each round. So without help it is sent while
 * the guest is stopped, or the rounds never end.
 *
 * Therefore the submissions of a vGPU that has much memory pinned are held for a while:
 *
 * 1. Shortly before the end of a round they are held. Queued requests run; then the vGPU's pages
 *    are unpinned.
 * 2. The report at the end of that round still has these pages: a report has what was pinned at the
 *    report before, or was pinned or written since. They are sent in the next round, while the
 *    guest's processors run.
 * 3. The second report has few pages, and the VMM can stop the guest. If it has not done so after
 *    GSLOT_PRECOPY_SWITCHOVER_MS, submissions are processed again.
 *
 * After a hold there is no other one for 2, 4, 8, and so on up to GSLOT_PRECOPY_BACKOFF_MAX times
 * as long, also if the vGPU leaves pre-copy and comes back. So submissions are held for a third of
 * the time at most.
 *
 * The VMM asks the device how much is left right after each report. The end of a round is predicted
 * from the length of the last one, as what the vGPU uses is sent in each.
 *
 * A hold ends GSLOT_PRECOPY_HOLD_MAX_MS after all was released, whatever the VMM does, and if the
 * queued requests have not ended after GSLOT_PRECOPY_DRAIN_MAX_MS. A stock i915 that runs takes an
 * engine for hung if the request of a heartbeat does not end within four heartbeats of 2.5 s. In a
 * vGPU it does not preempt, so its preempt timeout of 640 ms does not apply.
 */
#ifndef _GSLOT_CORE_PRECOPY_H
#define _GSLOT_CORE_PRECOPY_H

#include "core/types.h"

/* How long queued requests may run on while submissions are held */
#define GSLOT_PRECOPY_DRAIN_MAX_MS	2500
/*
 * For how long submissions are held at most when all is released, and the longest round for which
 * that may be enough
 */
#define GSLOT_PRECOPY_HOLD_MAX_MS	2000
#define GSLOT_PRECOPY_ROUND_MAX_MS	1500
/* If the VMM asks again earlier than this, it asks for the same report. */
#define GSLOT_PRECOPY_ROUND_MIN_MS	5
/* How long before the end of a round they are held: this part of it, and this time at least */
#define GSLOT_PRECOPY_LEAD_PART		4
#define GSLOT_PRECOPY_LEAD_MIN_MS	50
/* How long the VMM may take to stop the guest, after it has asked */
#define GSLOT_PRECOPY_SWITCHOVER_MS	250
/* With fewer pages pinned than this, 4 MB, nothing is held. */
#define GSLOT_PRECOPY_MIN_PAGES		1024
/* The longest time without a hold after one, as a multiple */
#define GSLOT_PRECOPY_BACKOFF_MAX	64

/**
 * struct gslot_precopy - a vGPU in pre-copy, or not; all zeros when it is opened
 * @asked: when the VMM asked for the last report, ms; 0: never in this pre-copy
 * @from: from when on submissions are held, ms; 0: that is not planned
 * @until: with @from: when that ends, ms
 * @not_before: the earliest time of the next hold, ms
 * @released: with @from: all that can be released has been
 * @reports: with @from: how many reports there were since then
 * @backoff: the multiple that led to @not_before; 0: none
 */
struct gslot_precopy {
	u64 asked;
	u64 from;
	u64 until;
	u64 not_before;
	bool released;
	u32 reports;
	u32 backoff;
};

void gslot_precopy_enter(struct gslot_precopy *p, u64 now);
void gslot_precopy_leave(struct gslot_precopy *p, u64 now);
void gslot_precopy_asked(struct gslot_precopy *p, u64 now, u64 pinned);
void gslot_precopy_released(struct gslot_precopy *p, u64 now);
bool gslot_precopy_update(struct gslot_precopy *p, u64 now, u64 *next);

#endif
