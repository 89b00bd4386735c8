/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DOC: the fence pool
 *
 * Any number of vGPUs share the physical aperture and its 32 fences. A range of a vGPU's low
 * graphics memory that needs them gets as many consecutive pages of the aperture, anywhere, and a
 * fence if it is tiled. It keeps them until another range needs the pages or the fence, and gets
 * them again when it is next accessed. The owner of a pool is kmod/gm/aperture_pool.c, which has
 * the lock, and the mappings and the registers that belong to a range.
 *
 * All clients have equal shares of pages and of fences. A client that has its share and needs more
 * gives up what it has not used for longest; a client that has less takes from those that have
 * more. So no client loses a part of its share to another, with two exceptions. The pages of a
 * range are consecutive: if no position is free of cost, the one is taken that costs the others
 * the least of their shares. And each client may have two fences, even if there are too few: an
 * instruction that reads one range and writes another could otherwise never complete. A range
 * that is larger than a share is evicted first, when another client needs its own share.
 */
#ifndef _GSLOT_CORE_FENCE_POOL_H
#define _GSLOT_CORE_FENCE_POOL_H

#include "core/types.h"
#include "gen/regs.h"

/**
 * struct gslot_pool_client - a vGPU
 * @ranges: number of its ranges in the pool
 * @pages: number of their pages
 * @fences: how many of them have a fence
 * @used: when it last used one of them, by @clock
 * @taken: scratch of gslot_pool_choose(): pages that it would lose
 */
struct gslot_pool_client {
	u32 ranges;
	u32 pages;
	u32 fences;
	u64 used;
	u32 taken;
};

/**
 * struct gslot_pool_range - a range of pages in the pool
 * @client: its client; NULL: it is not in the pool
 * @first: its first page in the pool
 * @count: number of pages
 * @fence: number of its fence, or -1
 * @used: when it was last used, by @clock
 * @prev: the range before it in the pool
 * @next: the range behind it
 */
struct gslot_pool_range {
	struct gslot_pool_client *client;
	u32 first;
	u32 count;
	int fence;
	u64 used;
	struct gslot_pool_range *prev;
	struct gslot_pool_range *next;
};

/**
 * struct gslot_fence_pool - the aperture of a GPU
 * @pages: number of its pages
 * @fences: bit mask of the fences that are in use
 * @clients: number of clients
 * @clock: number of uses so far
 * @ends: head of the list of ranges
 */
struct gslot_fence_pool {
	u32 pages;
	u32 fences;
	u32 clients;
	u64 clock;
	struct gslot_pool_range ends;
};

void gslot_pool_init(struct gslot_fence_pool *pool, u32 pages);
void gslot_pool_join(struct gslot_fence_pool *pool, struct gslot_pool_client *client);
void gslot_pool_leave(struct gslot_fence_pool *pool, struct gslot_pool_client *client);

/* Make room for a range. */
struct gslot_pool_range *gslot_pool_fence_victim(const struct gslot_fence_pool *pool,
						 const struct gslot_pool_client *client);
u32 gslot_pool_choose(const struct gslot_fence_pool *pool, const struct gslot_pool_client *client,
		      u32 count);
struct gslot_pool_range *gslot_pool_victim(const struct gslot_fence_pool *pool, u32 first,
					   u32 count);

/* Ranges in the pool. */
void gslot_pool_insert(struct gslot_fence_pool *pool, struct gslot_pool_client *client,
		       struct gslot_pool_range *range, u32 first, u32 count, bool fenced);
void gslot_pool_use(struct gslot_fence_pool *pool, struct gslot_pool_range *range);
void gslot_pool_remove(struct gslot_fence_pool *pool, struct gslot_pool_range *range);

#endif
