/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DOC: turns
 *
 * All vGPUs of a GPU together may pin a limited number of pages. If two of them need more than is
 * left, and take it from each other page by page, neither ever has all that it needs. So they take
 * turns, in the order in which they asked. During a turn the others give memory to its owner alone
 * (core/mem/reclaim.h). The owner ends its turn when it has all that it needs. GSLOT_TURN_MS ends
 * it as well.
 *
 * Once a turn has lasted for GSLOT_TURN_POSTPONE_MS, the owner may have submissions of the others
 * postponed. Until then their programs run: vGPUs that do not fit together do not spend all of
 * their time on pinning memory.
 *
 * A guest may need more than there is. So the time in which an owner may have others postponed is
 * rationed, however its turn ends. After it no owner has this right for as long, and that vGPU not
 * for GSLOT_TURN_REST times as long. Turns without much of it are short. So others are postponed
 * for half of the time at most, by one vGPU for a sixth of the time, and for less than a turn at a
 * stretch.
 */
#ifndef _GSLOT_CORE_TURNS_H
#define _GSLOT_CORE_TURNS_H

#include "core/types.h"

/* How long a turn lasts at most, and a short one */
#define GSLOT_TURN_MS		2000
#define GSLOT_TURN_SHORT_MS	200
#define GSLOT_TURN_POSTPONE_MS	200
#define GSLOT_TURN_REST		5

/**
 * struct gslot_turns_member - a vGPU that may wait for a turn
 * @next: the one that asked after it; NULL: it is the last, or does not wait
 * @waits: it waits for its turn, or owns it
 * @rest_until: it has no others postponed before that, ms
 */
struct gslot_turns_member {
	struct gslot_turns_member *next;
	bool waits;
	u64 rest_until;
};

/**
 * struct gslot_turns - those that wait; all zeros: none does
 * @owner: the first one, which owns the turn; NULL: there is no turn
 * @number: changes with each turn
 * @began: when it began, ms
 * @rest_until: no vGPU is postponed before that, ms
 */
struct gslot_turns {
	struct gslot_turns_member *owner;
	u32 number;
	u64 began;
	u64 rest_until;
};

void gslot_turns_join(struct gslot_turns *turns, struct gslot_turns_member *member, u64 now);
void gslot_turns_leave(struct gslot_turns *turns, struct gslot_turns_member *member, u64 now);
void gslot_turns_expire(struct gslot_turns *turns, u64 now);
bool gslot_turns_may_postpone(const struct gslot_turns *turns, u64 now);

#endif
