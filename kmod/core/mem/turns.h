/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DOC: turns
 *
 * All vGPUs of a GPU together may pin a limited number of pages. If two of them need more than is
 * left, and take it from each other page by page, neither ever has all that it needs. So they take
 * turns: first those that have less than their share, then the others, in the order in which they
 * asked. During a turn the others give memory to its owner alone (core/mem/reclaim.h). The owner
 * ends its turn when it has all that it needs. If it pins fewer than GSLOT_TURN_PROGRESS pages for
 * GSLOT_TURN_PATIENCE_MS, that ends it as well.
 *
 * The owner may take what others use, between their requests, for GSLOT_TURN_STRETCH_MS. Once the
 * turn has lasted for GSLOT_TURN_POSTPONE_MS, it may have their submissions postponed meanwhile.
 * Else their programs run: vGPUs that do not fit together do not spend all of their time on pinning
 * memory.
 *
 * Pages may arrive slowly, from a disk for example. If a turn ended before its owner has pinned all
 * that it needs, the next owner would take that, and all of them might begin anew for ever. So a
 * turn lasts longer while its owner pins pages, up to GSLOT_TURN_MAX_MS; but no longer than
 * GSLOT_TURN_PATIENCE_MS while a vGPU with less than its share waits. A guest can make its turns
 * last by pinning slowly: so a vGPU with less than its share waits for one such turn of each other
 * vGPU at most. One that has waited for GSLOT_TURN_MAX_MS is overtaken no more.
 *
 * As long as vGPUs ask for room, some pages are kept free in addition. So a vGPU that needs a few
 * often finds them at once, and several vGPUs pin pages at a time.
 *
 * A guest may need more than there is. So both are rationed. The time in which an owner takes what
 * others use, however its turn ends: after it no owner has this right for as long, and that vGPU
 * not for GSLOT_TURN_REST times as long. If its next turn begins more than a second before it has
 * that right again, its patience is GSLOT_TURN_PATIENCE_SHORT_MS. So memory in use is taken
 * for half of the time at most, by one vGPU for a sixth of the time, and for less than two seconds
 * at a stretch. And what a turn lasts beyond GSLOT_TURN_PATIENCE_MS: for GSLOT_TURN_REST times as
 * long the turns of that vGPU last for GSLOT_TURN_PATIENCE_MS at most.
 */
#ifndef _GSLOT_CORE_TURNS_H
#define _GSLOT_CORE_TURNS_H

#include "core/types.h"

/* For how long the owner of a turn may make no progress; and the shorter time */
#define GSLOT_TURN_PATIENCE_MS		2000
#define GSLOT_TURN_PATIENCE_SHORT_MS	200
/* Pinning this many pages is progress. */
#define GSLOT_TURN_PROGRESS		16
/* How long a turn lasts at most, though its owner makes progress */
#define GSLOT_TURN_MAX_MS		10000
/* For how long the owner may take what others use, and from when on it may have them postponed */
#define GSLOT_TURN_STRETCH_MS		1800
#define GSLOT_TURN_POSTPONE_MS		200
/* The rest after that, and after a long turn, as a multiple */
#define GSLOT_TURN_REST			5
/* For how long after a request for room pages are kept free: this part, and this many at most */
#define GSLOT_TURN_SPARE_MS		2000
#define GSLOT_TURN_SPARE_PART	32
#define GSLOT_TURN_SPARE_MAX	16384

/**
 * struct gslot_turns_member - a vGPU that may wait for a turn
 * @next: the one that asked after it; NULL: it is the last, or does not wait
 * @waits: it waits for its turn, or owns it
 * @first: it goes before those without; true once it had less than its share while it waits
 * @joined: when it began to wait, ms
 * @pinned: how many pages it has pinned within the limits since it was opened; kept up to date
 *	while it owns the turn
 * @rest_until: it does not take what others use before that, ms
 * @short_until: it has no long turns before that, ms
 */
struct gslot_turns_member {
	struct gslot_turns_member *next;
	bool waits;
	bool first;
	u64 joined;
	u64 pinned;
	u64 rest_until;
	u64 short_until;
};

/**
 * struct gslot_turns - those that wait; all zeros: none does
 * @owner: the first one, which owns the turn; NULL: there is no turn
 * @number: changes with each turn
 * @began: when it began, ms
 * @patience: for how long its owner may make no progress, ms
 * @max: how long it lasts at most, ms
 * @takes_since: since when it takes what others use, ms; 0: it does not
 * @progress_at: when it was last seen to have pinned pages, or began, ms
 * @pinned_seen: its @pinned at that time
 * @rest_until: no memory in use is taken before that, ms
 * @spare_until: pages are kept free before that, ms
 */
struct gslot_turns {
	struct gslot_turns_member *owner;
	u32 number;
	u64 began;
	u32 patience;
	u32 max;
	u64 takes_since;
	u64 progress_at;
	u64 pinned_seen;
	u64 rest_until;
	u64 spare_until;
};

void gslot_turns_join(struct gslot_turns *turns, struct gslot_turns_member *member, bool first,
		      u64 now);
void gslot_turns_leave(struct gslot_turns *turns, struct gslot_turns_member *member, u64 now);
void gslot_turns_expire(struct gslot_turns *turns, u64 now);
void gslot_turns_take(struct gslot_turns *turns, u64 now);
bool gslot_turns_may_take(const struct gslot_turns *turns, u64 now);
bool gslot_turns_may_postpone(const struct gslot_turns *turns, u64 now);
u64 gslot_turns_spare(const struct gslot_turns *turns, u64 now, u64 max);

#endif
