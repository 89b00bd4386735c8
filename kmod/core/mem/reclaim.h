/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DOC: memory reclaim
 *
 * The GPU has no local memory: what a vGPU uses is pinned memory of its guest, which the host can
 * neither swap nor merge. Most of it is named by page tables of address spaces that do not run
 * now. If the host needs memory, or a vGPU waits for room because all of them together have pinned
 * as much as they may, vGPUs unpin it, in steps. A step says for how long an address space must
 * have been unused, and of which vGPUs. The next step follows if those before it have not given
 * enough.
 *
 * A program that has not used its GPU for a second hardly notices that its memory is pinned again,
 * so such memory goes first, of all vGPUs. More is taken only if much is needed: the kernel asks
 * for more the longer it finds nothing else. Then vGPUs give first that have pinned more than each
 * would have if what is left were shared equally, or than the administrator has set. What was used
 * in the last 100 ms stays: to pin it again at once would cost more than it helps.
 *
 * What a vGPU has prepared that waits for a turn is of no use until then, so the youngest of these
 * steps take it, too.
 *
 * That may not be enough for a vGPU that owns a turn (core/mem/turns.h): others may use all of
 * their memory all the time. So the last steps postpone the submissions of other vGPUs, until the
 * requests that run are done. Then their memory is unused, however lately it was used.
 */
#ifndef _GSLOT_CORE_RECLAIM_H
#define _GSLOT_CORE_RECLAIM_H

#include "core/types.h"

/**
 * struct gslot_reclaim_need - what is needed
 * @wanted: how many pages
 * @total: how many all vGPUs have pinned
 * @limit: a limit is exceeded, or would be; else the host needs them
 * @may_postpone: submissions may be postponed
 */
struct gslot_reclaim_need {
	u64 wanted;
	u64 total;
	bool limit;
	bool may_postpone;
};

/**
 * struct gslot_reclaim_vgpu - what a vGPU has, and may have; pages
 * @pinned: how many it has pinned
 * @min: so many it keeps
 * @low: with more it gives before others; 0: its share
 * @owner: it owns the turn
 * @waits: it waits for a turn, or owns it
 */
struct gslot_reclaim_vgpu {
	u64 pinned;
	u64 min;
	u64 low;
	bool owner;
	bool waits;
};

/**
 * struct gslot_reclaim_order - what a vGPU does in a step
 * @pages: how many pages it gives at most
 * @age_ms: for how long they must have been unused
 * @prepared: it gives what submissions under way have prepared, too
 * @postpones: it processes no submission until the turn is over
 */
struct gslot_reclaim_order {
	u64 pages;
	u32 age_ms;
	bool prepared;
	bool postpones;
};

u32 gslot_reclaim_steps(const struct gslot_reclaim_need *need);
u64 gslot_reclaim_share(u64 wanted, u64 total, u32 vgpus);
struct gslot_reclaim_order gslot_reclaim_order(u32 step, const struct gslot_reclaim_vgpu *vgpu,
					       u64 share);

#endif
