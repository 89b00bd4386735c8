/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DOC: memory reclaim
 *
 * The GPU has no local memory. What a vGPU uses is pinned memory of its guest, which the host can
 * neither swap nor merge. Most of it is named by page tables of address spaces that do not run
 * now. vGPUs unpin such memory if the host needs some, or if a vGPU waits for room because all of
 * them together have pinned as much as they may: then a limit is reached. They do so in steps. A
 * policy says what each vGPU gives in a step. The next step follows if those before it have not
 * given enough (core/mem/steps.h).
 *
 * `cold` is the default policy (reclaim.c). It predicts for how long the memory of each address
 * space will be idle: from its last use until one average gap between two uses later; or, if the
 * next use is late, for as long as it has been idle. What will be idle for longest goes first. If
 * programs run one after the other, as most do on a GPU, this is what will be needed last. It is
 * also what programs seldom need, or never again.
 *
 * 1. All vGPUs give memory that will be idle for ten seconds or more.
 * 2. For the host, if no limit is reached: all vGPUs give memory that will be idle for a second or
 *    more. A program hardly notices that this is pinned again.
 * 3. At a limit, or if the host asks for much, as it does the longer it finds nothing else: vGPUs
 *    with more than their share give memory that will be idle for GSLOT_RECLAIM_YOUNG_MS or more,
 *    down to the share. That is an equal part of what will be left, or &gslot_reclaim_client.low.
 * 4. At a limit, if the holder of the pin token (core/mem/token.h) may take what others use: vGPUs
 *    with more than their share give any memory that is idle now, down to the share.
 * 5. As 3, but all vGPUs give such memory.
 * 6. At a limit, if the holder may have submissions postponed: as 4, but meanwhile these vGPUs
 *    process no submissions, except for the holder. So their memory is idle when the requests that
 *    run are done. They also give what their submissions have prepared.
 * 7. As 6, but all vGPUs give such memory.
 *
 * No vGPU gives what it keeps in any case, &gslot_reclaim_client.min pages. While a vGPU waits for
 * the token, what its submissions have prepared is of no use. So from 3 on it gives that, and any
 * memory that is idle now.
 *
 * `gpuswap` and `quota` are policies of papers, to be measured against (reclaim_gpuswap.c,
 * reclaim_quota.c).
 */
#ifndef _GSLOT_CORE_RECLAIM_H
#define _GSLOT_CORE_RECLAIM_H

#include "core/types.h"

/**
 * struct gslot_reclaim_use - when some memory is used
 * @last_ms: when it was used last; 0: never
 * @gap_ms: for how long it is idle between two uses, the last ones counting most; 0: not known
 */
struct gslot_reclaim_use {
	u64 last_ms;
	u64 gap_ms;
};

/**
 * struct gslot_reclaim_order - what a vGPU does in a step
 * @pages: how many pages it gives at most
 * @keep: how many it keeps, whatever it has given meanwhile by another order
 * @idle_ms: for how long they will be idle at least, by gslot_reclaim_idle_ms(); those first that
 *	will be for longest
 * @random: it gives arbitrary ones of them
 * @prepared: it gives what submissions under way have prepared, too
 * @takes: it gives what it uses, for the holder of the pin token
 * @postpones: it processes no submission as long as the holder may have that
 */
struct gslot_reclaim_order {
	u64 pages;
	u64 keep;
	u32 idle_ms;
	bool random;
	bool prepared;
	bool takes;
	bool postpones;
};

/**
 * struct gslot_reclaim_client - what a vGPU has, and may have; pages
 * @next: another one; NULL: there is none
 * @pinned: how many it has pinned
 * @asks: how many more it asks for
 * @min: how many it keeps
 * @low: with more it gives before others; 0: its share
 * @holder: it holds the pin token
 * @waits: it waits for the token, or holds it
 * @order: what it does in the step that was planned last
 */
struct gslot_reclaim_client {
	struct gslot_reclaim_client *next;
	u64 pinned;
	u64 asks;
	u64 min;
	u64 low;
	bool holder;
	bool waits;
	struct gslot_reclaim_order order;
};

/**
 * struct gslot_reclaim_need - what is needed
 * @clients: the open vGPUs; NULL: there is none
 * @count: how many vGPUs are open
 * @wanted: how many pages are to be given
 * @total: how many all vGPUs have pinned
 * @max: how many they may have pinned
 * @chunk: how many pages are given together, not 0
 * @limit: a limit is exceeded, or would be; else the host needs them
 * @may_take: the holder of the pin token may take what others use
 * @may_postpone: and have their submissions postponed
 */
struct gslot_reclaim_need {
	struct gslot_reclaim_client *clients;
	u32 count;
	u64 wanted;
	u64 total;
	u64 max;
	u64 chunk;
	bool limit;
	bool may_take;
	bool may_postpone;
};

/**
 * struct gslot_reclaim_ops - a policy
 * @name: its name
 * @quotas: no vGPU may pin more than gslot_reclaim_share() of what all of them may
 * @spares: pages are kept free while vGPUs ask for room, and one that has
 *	gslot_reclaim_own_from() gives its own memory first
 * @steps: how many steps may be taken
 * @plan: set the orders of all vGPUs in a step, less than @steps
 */
struct gslot_reclaim_ops {
	const char *name;
	bool quotas;
	bool spares;
	u32 (*steps)(const struct gslot_reclaim_need *need);
	void (*plan)(const struct gslot_reclaim_need *need, u32 step);
};

extern const struct gslot_reclaim_ops gslot_reclaim_cold;
extern const struct gslot_reclaim_ops gslot_reclaim_gpuswap;
extern const struct gslot_reclaim_ops gslot_reclaim_quota;

/* What will be idle for less counts as in use. */
#define GSLOT_RECLAIM_YOUNG_MS	100

u64 gslot_reclaim_share(u64 pages, u32 count);
u64 gslot_reclaim_own_from(u64 max, u64 spare, u32 count);
bool gslot_reclaim_gives_needed(u64 pinned, u64 most, u64 dropped);
void gslot_reclaim_used(struct gslot_reclaim_use *use, u64 from, u64 to);
u64 gslot_reclaim_idle_ms(const struct gslot_reclaim_use *use, u64 now);
u64 gslot_reclaim_most_idle_ms(u64 first_ms, u64 gap_ms, u64 now);

#endif
