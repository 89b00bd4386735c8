/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DOC: the pin token
 *
 * All vGPUs of a GPU together may pin a limited number of pages. If two vGPUs need more than is
 * left, and take it from each other page by page, neither ever has all that it needs. So one vGPU
 * at a time holds the pin token. The others unpin memory for the holder (core/mem/reclaim.h), and
 * do not use the room that is reserved for it. Linux once had a swap token for the same reason
 * (mm/thrash.c).
 *
 * 1. A vGPU that needs room joins the queue for the token. The first vGPU in the queue is the
 *    holder. A vGPU with less than its share overtakes those that have theirs. It does not overtake
 *    the holder, nor a vGPU that has waited for GSLOT_TOKEN_MAX_MS.
 * 2. The holder may take memory that others use, between their requests, for
 *    GSLOT_TOKEN_STRETCH_MS.
 * 3. Once it has held the token for GSLOT_TOKEN_POSTPONE_MS, it may have the submissions of others
 *    postponed in that time, too. Outside of the time in 2 the programs of the other vGPUs run: so
 *    vGPUs that do not fit together do not spend all of their time on pinning memory.
 * 4. The holder passes the token on when it needs no more room.
 * 5. The holder loses the token if it pins fewer than GSLOT_TOKEN_PROGRESS pages for
 *    GSLOT_TOKEN_PATIENCE_MS.
 * 6. While it pins more, it may hold the token for GSLOT_TOKEN_MAX_MS, but only for
 *    GSLOT_TOKEN_PATIENCE_MS if a vGPU with less than its share waits.
 *
 * The long limit in 6 is there because pages may arrive slowly, from a disk for example. If the
 * holder lost the token before it has pinned all that it needs, the next holder would take these
 * pages, and all of them might begin anew for ever. The short limit is there because a guest can
 * have its vGPU hold the token for long by pinning slowly. A vGPU with less than its share waits
 * for GSLOT_TOKEN_PATIENCE_MS at most for each other vGPU.
 *
 * A guest may need more memory than there is. So two things are rationed, however the holder loses
 * the token, or passes it on:
 *
 * - The time in which it takes memory that others use. After that no holder may do so for as long,
 *   and this vGPU not for GSLOT_TOKEN_REST times as long. If it gets the token more than half of
 *   GSLOT_TOKEN_PATIENCE_MS before it may do so again, the time in 5 is
 *   GSLOT_TOKEN_PATIENCE_SHORT_MS. So memory in use is taken for half of the time at most, and by
 *   one vGPU for a sixth of the time.
 * - The time beyond GSLOT_TOKEN_PATIENCE_MS for which it holds the token. For GSLOT_TOKEN_REST
 *   times as long, this vGPU may hold the token for GSLOT_TOKEN_PATIENCE_MS only.
 *
 * While vGPUs ask for room, and for GSLOT_TOKEN_SPARE_MS after that, some pages are kept free in
 * addition. So a vGPU that needs a few often finds them at once, and several vGPUs pin pages at the
 * same time.
 */
#ifndef _GSLOT_CORE_TOKEN_H
#define _GSLOT_CORE_TOKEN_H

#include "core/types.h"

/* For how long the holder may make no progress; and the shorter time */
#define GSLOT_TOKEN_PATIENCE_MS		2000
#define GSLOT_TOKEN_PATIENCE_SHORT_MS	200
/* Pinning this many pages is progress. */
#define GSLOT_TOKEN_PROGRESS		16
/* For how long a vGPU that makes progress may hold the token */
#define GSLOT_TOKEN_MAX_MS		10000
/* For how long the holder may take what others use, and from when on it may have them postponed */
#define GSLOT_TOKEN_STRETCH_MS		1800
#define GSLOT_TOKEN_POSTPONE_MS		200
/* The rest after that, and after the token was held for long, as a multiple */
#define GSLOT_TOKEN_REST		5
/* For how long after a request for room pages are kept free: this part, and this many at most */
#define GSLOT_TOKEN_SPARE_MS		2000
#define GSLOT_TOKEN_SPARE_PART		32
#define GSLOT_TOKEN_SPARE_MAX		16384

/**
 * struct gslot_token_member - a vGPU that may wait for the token
 * @next: the next one in the queue; NULL: it is the last one, or does not wait
 * @waits: it is in the queue: it waits for the token, or holds it
 * @first: it has asked with less than its share since it waits; it overtakes members that have not
 * @joined: when it joined the queue, ms
 * @pinned: how many pages it has pinned within the limits since it was opened; kept up to date
 *	while it holds the token
 * @rest_until: it does not take what others use before that, ms
 * @short_until: it may not hold the token for long if it gets it before that, ms
 */
struct gslot_token_member {
	struct gslot_token_member *next;
	bool waits;
	bool first;
	u64 joined;
	u64 pinned;
	u64 rest_until;
	u64 short_until;
};

/**
 * struct gslot_token - the pin token, and the queue for it; all zeros: the queue is empty
 * @holder: the first vGPU in the queue, which holds the token; NULL: none does
 * @number: changes each time that the token changes hands
 * @since: when @holder got the token, ms
 * @patience: for how long it may make no progress, ms
 * @max: for how long it may hold the token, ms
 * @takes_since: since when it takes what others use, ms; 0: it does not
 * @progress_at: when it was last seen to have pinned pages, or got the token, ms
 * @pinned_seen: its @pinned at that time
 * @rest_until: no holder takes memory in use before that, ms
 * @spare_until: pages are kept free before that, ms
 */
struct gslot_token {
	struct gslot_token_member *holder;
	u32 number;
	u64 since;
	u32 patience;
	u32 max;
	u64 takes_since;
	u64 progress_at;
	u64 pinned_seen;
	u64 rest_until;
	u64 spare_until;
};

void gslot_token_join(struct gslot_token *token, struct gslot_token_member *member, bool first,
		      u64 now);
void gslot_token_leave(struct gslot_token *token, struct gslot_token_member *member, u64 now);
void gslot_token_expire(struct gslot_token *token, u64 now);
void gslot_token_take(struct gslot_token *token, u64 now);
bool gslot_token_may_take(const struct gslot_token *token, u64 now);
bool gslot_token_may_postpone(const struct gslot_token *token, u64 now);
u64 gslot_token_spare(const struct gslot_token *token, u64 now, u64 max);

#endif
