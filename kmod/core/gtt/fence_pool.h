/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DOC: the fence pool
 *
 * Any number of vGPUs share the physical aperture and its 32 fences: docs/graphics-memory.md, "The
 * aperture and fences". The owner of a pool is kmod/gm/aperture_pool.c, which has the lock, and the
 * mappings and the registers of a range.
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

/* A vGPU */
struct gslot_pool_client {
	u32 ranges;	/* number of its ranges in the pool */
	u32 pages;	/* number of their pages */
	u32 fences;	/* how many of them have a fence */
	u64 used;	/* when it last used one of them, by @clock */
	u32 taken;	/* scratch of gslot_pool_choose(): pages that it would lose */
};

/* A range of pages in the pool */
struct gslot_pool_range {
	struct gslot_pool_client *client;	/* its client; NULL: it is not in the pool */
	u32 first;				/* its first page in the pool */
	u32 count;				/* number of pages */
	int fence;				/* number of its fence, or -1 */
	u64 used;				/* when it was last used, by @clock */
	struct gslot_pool_range *prev;		/* the range before it in the pool */
	struct gslot_pool_range *next;		/* the range behind it */
};

/* The aperture of a GPU */
struct gslot_fence_pool {
	u32 pages;			/* number of its pages */
	u32 fences;			/* bit mask of the fences that are in use */
	u32 clients;			/* number of clients */
	u64 clock;			/* number of uses so far */
	struct gslot_pool_range ends;	/* head of the list of ranges */
};

struct gslot_pool_range *gslot_pool_fence_victim(const struct gslot_fence_pool *pool,
						 const struct gslot_pool_client *client);
u32 gslot_pool_choose(const struct gslot_fence_pool *pool, const struct gslot_pool_client *client,
		      u32 count);
struct gslot_pool_range *gslot_pool_victim(const struct gslot_fence_pool *pool, u32 first,
					   u32 count);
void gslot_pool_insert(struct gslot_fence_pool *pool, struct gslot_pool_client *client,
		       struct gslot_pool_range *range, u32 first, u32 count, bool fenced);
void gslot_pool_remove(struct gslot_fence_pool *pool, struct gslot_pool_range *range);

/* A pool without clients. */
static inline void gslot_pool_init(struct gslot_fence_pool *pool, u32 pages)
{
	*pool = (struct gslot_fence_pool) { .pages = pages };
	pool->ends.prev = &pool->ends;
	pool->ends.next = &pool->ends;
}

static inline void gslot_pool_join(struct gslot_fence_pool *pool, struct gslot_pool_client *client)
{
	*client = (struct gslot_pool_client) { };
	pool->clients++;
}

/* The client has no range in the pool. */
static inline void gslot_pool_leave(struct gslot_fence_pool *pool)
{
	pool->clients--;
}

/* A range in the pool is used. */
static inline void gslot_pool_use(struct gslot_fence_pool *pool, struct gslot_pool_range *range)
{
	range->used = ++pool->clock;
	range->client->used = range->used;
}

#endif
