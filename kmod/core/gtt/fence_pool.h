/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DOC: the fence pool
 *
 * The physical aperture and its 32 fences are shared by any number of vGPUs. What needs them is
 * a range of a vGPU's low graphics memory: it is given as many pages of the aperture in a row,
 * anywhere, and a fence if it is tiled. It keeps them until somebody else needs the room, and
 * comes back when it is next touched.
 *
 * All clients have the same share of pages and of fences. Who has his share and wants more
 * gives up what he has not used for longest; who has less takes it from those that have more. So
 * nobody takes from another what is of that one's share, with two exceptions. The pages of a
 * range are in a row: where no row can be had otherwise, the one is taken that costs others
 * least of their shares. And everybody may have two fences, even if there are not so many: an
 * instruction may read one range and write another, and would else never be done. Who has a
 * range that is larger than a share has it while nobody wants his own: it is the first to go.
 */
#ifndef _GSLOT_CORE_FENCE_POOL_H
#define _GSLOT_CORE_FENCE_POOL_H

#include "core/types.h"
#include "gen/regs.h"

/**
 * struct gslot_pool_client - a vGPU
 * @ranges: how many ranges it has in the pool
 * @pages: how many pages these have
 * @fences: how many of them have a fence
 * @used: when it last used one of them
 * @taken: scratch: pages that it would lose
 */
struct gslot_pool_client {
	u32 ranges;
	u32 pages;
	u32 fences;
	u64 used;
	u32 taken;
};

/**
 * struct gslot_pool_range - what is in the pool, or may be
 * @client: whose; NULL: it is not in the pool
 * @first: its first page in the pool
 * @count: how many pages
 * @fence: the fence that it has, or -1
 * @used: when it was last used
 * @prev: the one before it in the pool
 * @next: the one behind it
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
 * @pages: how many pages it has
 * @fences: bit mask of the fences that are in use
 * @clients: how many there are
 * @clock: counts uses
 * @ends: before the first range, and behind the last one
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

/* Room for a range: who must go first, and where it will be. */
struct gslot_pool_range *gslot_pool_fence_victim(const struct gslot_fence_pool *pool,
						 const struct gslot_pool_client *client);
u32 gslot_pool_choose(const struct gslot_fence_pool *pool, const struct gslot_pool_client *client,
		      u32 count);
struct gslot_pool_range *gslot_pool_victim(const struct gslot_fence_pool *pool, u32 first,
					   u32 count);

/* A range in the pool. */
void gslot_pool_insert(struct gslot_fence_pool *pool, struct gslot_pool_client *client,
		       struct gslot_pool_range *range, u32 first, u32 count, bool fenced);
void gslot_pool_use(struct gslot_fence_pool *pool, struct gslot_pool_range *range);
void gslot_pool_remove(struct gslot_fence_pool *pool, struct gslot_pool_range *range);

/**
 * gslot_pool_page_share() - how many pages a client has for certain
 * @pool: the pool; it has clients
 *
 * Return: pages.
 */
static inline u32 gslot_pool_page_share(const struct gslot_fence_pool *pool)
{
	return pool->pages / pool->clients;
}

#endif
