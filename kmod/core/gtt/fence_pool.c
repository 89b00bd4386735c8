// SPDX-License-Identifier: GPL-2.0
/*
 * The fence pool: see fence_pool.h. All ranges are in a list, sorted by position. There are few:
 * 32 with a fence, and those without one have some 64 pages each. So a request for which nothing
 * is free, which is rare, may walk them all for each position that it tries.
 */
#include "fence_pool.h"

/* One for the range that an instruction reads, and one for the range that it writes. */
#define MIN_FENCES	2u

/* The page behind a range; 0 for @ends. */
static u32 pool_end(const struct gslot_pool_range *range)
{
	return range->first + range->count;
}

/* The first page behind a range that is not free. */
static u32 pool_free_until(const struct gslot_fence_pool *pool,
			   const struct gslot_pool_range *range)
{
	return range->next == &pool->ends ? pool->pages : range->next->first;
}

/* Pages that each client is guaranteed. */
static u32 pool_page_share(const struct gslot_fence_pool *pool)
{
	return pool->pages / pool->clients;
}

/* Fences that each client is guaranteed, if all can have two. */
static u32 pool_fence_share(const struct gslot_fence_pool *pool)
{
	u32 share = GEN_NR_FENCES / pool->clients;

	return max(share, MIN_FENCES);
}

/**
 * gslot_pool_fence_victim() - choose the range that gives up its fence
 * @pool: the pool
 * @client: the vGPU that needs a fence
 *
 * Return: the range to be removed, or NULL if a fence is free.
 */
struct gslot_pool_range *gslot_pool_fence_victim(const struct gslot_fence_pool *pool,
						 const struct gslot_pool_client *client)
{
	bool own = client->fences >= pool_fence_share(pool);
	struct gslot_pool_range *r, *victim = NULL;
	u32 most = 0;

	if (~pool->fences)
		return NULL;
	for (r = pool->ends.next; r != &pool->ends; r = r->next) {
		bool is_own = r->client == client;

		if (r->fence < 0 || is_own != own)
			continue;
		if (victim && (r->client->fences < most ||
			       (r->client->fences == most && r->used > victim->used)))
			continue;
		victim = r;
		most = r->client->fences;
	}
	return victim;
}

/* Large ranges are kept apart from small ones. */
static bool pool_is_large(const struct gslot_fence_pool *pool, u32 count)
{
	return count > pool->pages / 16;
}

/* Find consecutive free pages: the first ones, or the last ones for a large range. */
static bool pool_find_free(const struct gslot_fence_pool *pool, u32 count, u32 *first)
{
	bool large = pool_is_large(pool, count);
	const struct gslot_pool_range *start = large ? pool->ends.prev : &pool->ends, *r = start;

	do {
		if (pool_free_until(pool, r) - pool_end(r) >= count) {
			*first = large ? pool_free_until(pool, r) - count : pool_end(r);
			return true;
		}
		r = large ? r->prev : r->next;
	} while (r != start);
	return false;
}

/* The cost of a position; earlier members count first */
struct pool_cost {
	u32 shares;	/* pages that other clients lose of their shares */
	bool just_used;	/* the client loses the range that it used last */
	u32 others;	/* all pages that other clients lose, if the client exceeds its share */
	u64 used;	/* when any of the lost ranges was last used */
};

static bool pool_cheaper(const struct pool_cost *a, const struct pool_cost *b)
{
	if (a->shares != b->shares)
		return a->shares < b->shares;
	if (a->just_used != b->just_used)
		return b->just_used;
	if (a->others != b->others)
		return a->others < b->others;
	return a->used < b->used;
}

/* Pages of @taken that a client would lose of its share. */
static u32 pool_shortfall(const struct gslot_fence_pool *pool, const struct gslot_pool_client *c)
{
	u32 share = pool_page_share(pool);
	u32 spare = c->pages > share ? c->pages - share : 0;

	return c->taken > spare ? c->taken - spare : 0;
}

/*
 * The cost of [first, first + count), of which @r is the first range. A range that is larger than
 * a share does not count as part of a share.
 */
static struct pool_cost pool_cost_of(const struct gslot_fence_pool *pool,
				     const struct gslot_pool_client *client,
				     const struct gslot_pool_range *r, u32 first, u32 count)
{
	bool above = client->pages + count > pool_page_share(pool);
	const struct gslot_pool_range *it;
	struct pool_cost cost = { };

	for (it = r; it != &pool->ends && it->first < first + count; it = it->next)
		it->client->taken = 0;
	for (it = r; it != &pool->ends && it->first < first + count; it = it->next) {
		struct gslot_pool_client *c = it->client;

		cost.used = max(cost.used, it->used);
		if (c == client) {
			cost.just_used |= it->used == c->used;
			continue;
		}
		if (above)
			cost.others += it->count;
		if (it->count > pool_page_share(pool))
			continue;
		cost.shares -= pool_shortfall(pool, c);
		c->taken += it->count;
		cost.shares += pool_shortfall(pool, c);
	}
	return cost;
}

/**
 * gslot_pool_choose() - choose a position for a range
 * @pool: the pool
 * @client: the range's client
 * @count: its pages; not more than the pool has
 *
 * One of the positions with the least cost is at the start of the pool or directly behind a
 * range: any other can move down to there without the loss of a further range.
 *
 * Return: the first page. The caller removes the ranges that are there: gslot_pool_victim().
 */
u32 gslot_pool_choose(const struct gslot_fence_pool *pool, const struct gslot_pool_client *client,
		      u32 count)
{
	const struct gslot_pool_range *r = &pool->ends;
	struct pool_cost best, cost;
	u32 first;

	if (pool_find_free(pool, count, &first))
		return first;
	best = pool_cost_of(pool, client, r->next, 0, count);
	first = 0;
	for (r = pool->ends.next; r != &pool->ends; r = r->next) {
		if (pool_end(r) + count > pool->pages)
			break;
		cost = pool_cost_of(pool, client, r->next, pool_end(r), count);
		if (!pool_cheaper(&cost, &best))
			continue;
		best = cost;
		first = pool_end(r);
	}
	return first;
}

/**
 * gslot_pool_victim() - find a range that occupies given pages
 * @pool: the pool
 * @first: the first page
 * @count: number of pages
 *
 * Return: a range to be removed; NULL if the pages are free.
 */
struct gslot_pool_range *gslot_pool_victim(const struct gslot_fence_pool *pool, u32 first,
					   u32 count)
{
	struct gslot_pool_range *r;

	for (r = pool->ends.next; r != &pool->ends; r = r->next)
		if (pool_end(r) > first && r->first < first + count)
			return r;
	return NULL;
}

/**
 * gslot_pool_insert() - put a range into the pool
 * @pool: the pool
 * @client: its client
 * @range: the range, not in the pool; it is initialised
 * @first: its first page
 * @count: number of pages; they are free
 * @fenced: it gets a fence; one is free
 */
void gslot_pool_insert(struct gslot_fence_pool *pool, struct gslot_pool_client *client,
		       struct gslot_pool_range *range, u32 first, u32 count, bool fenced)
{
	struct gslot_pool_range *next = pool->ends.next;

	while (next != &pool->ends && next->first < first)
		next = next->next;
	*range = (struct gslot_pool_range) {
		.client = client, .first = first, .count = count, .fence = -1,
		.prev = next->prev, .next = next,
	};
	next->prev->next = range;
	next->prev = range;
	client->ranges++;
	client->pages += count;
	if (fenced) {
		for (range->fence = 0; pool->fences & BIT(range->fence); range->fence++)
			;
		pool->fences |= BIT(range->fence);
		client->fences++;
	}
	gslot_pool_use(pool, range);
}

/**
 * gslot_pool_remove() - take a range out of the pool
 * @pool: the pool
 * @range: a range in the pool
 */
void gslot_pool_remove(struct gslot_fence_pool *pool, struct gslot_pool_range *range)
{
	range->prev->next = range->next;
	range->next->prev = range->prev;
	range->client->ranges--;
	range->client->pages -= range->count;
	if (range->fence >= 0) {
		pool->fences &= ~(u32)BIT(range->fence);
		range->client->fences--;
	}
	range->client = NULL;
}
