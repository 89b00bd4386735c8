/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DOC: holding submissions in pre-copy
 *
 * In pre-copy a VMM sends the guest's memory in rounds while the guest runs. It asks in each round
 * which pages are dirty, and stops the guest when the rest can be sent within the downtime that its
 * user allows. What a vGPU uses counts as dirty in each round. So without help its memory is sent
 * while the guest is stopped, or the rounds never end.
 *
 * Therefore a vGPU that uses much memory lets go of all of it for a while: its submissions are
 * held, the requests that were queued run, then its pages are unpinned. The memory is sent once
 * more, while the guest's processors run, and little is left for the downtime.
 *
 * A report of dirty pages has what was pinned, or was written, since the report before it. So two
 * reports have to follow once all is released: the first still has everything. The VMM asks how
 * much is left right after each report. Rounds in a row take about the same time, as what the vGPU
 * uses is sent in each: so submissions are held a little before the end of a round, and the GPU
 * rests for one round, not for two.
 *
 * The VMM may go on nevertheless, as the processors write memory, too. Then submissions are held no
 * more, and the vGPU runs for twice as many rounds each time. Neither a VMM that does not end nor
 * a long round keeps the GPU: submissions are held for GSLOT_PRECOPY_HOLD_MS at most. A stock i915
 * resets an engine that makes no progress for three heartbeats of 2.5 s.
 */
#ifndef _GSLOT_CORE_PRECOPY_H
#define _GSLOT_CORE_PRECOPY_H

#include "core/types.h"

/* For how long submissions are held at most, and the longest round for which that may be enough */
#define GSLOT_PRECOPY_HOLD_MS	2000
#define GSLOT_PRECOPY_ROUND_MS	1500
/* How long before the end of a round they are held: this part of it, and this time at least */
#define GSLOT_PRECOPY_LEAD_PART	4
#define GSLOT_PRECOPY_LEAD_MS	50
/* How long the VMM may take to stop the guest, after it has asked */
#define GSLOT_PRECOPY_STOP_MS	250
/* With fewer pages pinned than this, 4 MB, nothing is held. */
#define GSLOT_PRECOPY_PAGES	1024
/* The most rounds without a hold after one in vain */
#define GSLOT_PRECOPY_REST	64

/**
 * struct gslot_precopy - a vGPU in pre-copy; all zeros when it begins
 * @asked: when the VMM asked last, ms; 0: never
 * @from: from when on submissions are held, ms; 0: that is not planned
 * @until: with @from: when that ends, ms
 * @reports: with @from: how many reports there were since all was released
 * @rounds: how many rounds are to pass before the next hold
 * @rest: of the last hold: what @rounds was set to after it; 0: there was none
 */
struct gslot_precopy {
	u64 asked;
	u64 from;
	u64 until;
	u32 reports;
	u32 rounds;
	u32 rest;
};

void gslot_precopy_asked(struct gslot_precopy *p, u64 now, u64 pinned, bool released);
bool gslot_precopy_holds(struct gslot_precopy *p, u64 now, u64 *next);

#endif
