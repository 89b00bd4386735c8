// SPDX-License-Identifier: GPL-2.0
/*
 * The fence pool: see fence_pool.h. All ranges are in a list, in the order of their places.
 * There are few: fences are 32, and a range without one is of 64 pages or so. So what is asked
 * rarely, when there is no room, takes a look at all of them for each place that is tried.
 */
#include "fence_pool.h"

/* A fence for what is read and one for what is written. */
#define MIN_FENCES	2u

/* The last page of a range and one: 0 for what is before the first range. */
static u32 end_of(const struct gslot_pool_range *range)
{
	return range->first + range->count;
}

/* The first page that is not free behind a range. */
static u32 free_until(const struct gslot_fence_pool *pool, const struct gslot_pool_range *range)
{
	return range->next == &pool->ends ? pool->pages : range->next->first;
}

/**
 * gslot_pool_init() - no client, everything free
 * @pool: to be initialised
 * @pages: how many it has
 */
void gslot_pool_init(struct gslot_fence_pool *pool, u32 pages)
{
	*pool = (struct gslot_fence_pool) { .pages = pages };
	pool->ends.prev = &pool->ends;
	pool->ends.next = &pool->ends;
}

/**
 * gslot_pool_join() - a vGPU comes
 * @pool: the pool
 * @client: to be initialised; it has nothing
 */
void gslot_pool_join(struct gslot_fence_pool *pool, struct gslot_pool_client *client)
{
	*client = (struct gslot_pool_client) { };
	pool->clients++;
}

/**
 * gslot_pool_leave() - a vGPU goes
 * @pool: the pool
 * @client: it has nothing: gslot_pool_remove()
 */
void gslot_pool_leave(struct gslot_fence_pool *pool, struct gslot_pool_client *client)
{
	pool->clients--;
}

/* How many fences a client has for certain, if there are enough for all to have two. */
static u32 fence_share(const struct gslot_fence_pool *pool)
{
	u32 share = GEN_NR_FENCES / pool->clients;

	return max(share, MIN_FENCES);
}

/**
 * gslot_pool_fence_victim() - who must give up his fence
 * @pool: the pool
 * @client: wants one
 *
 * Return: the range to be removed, or NULL if a fence is free.
 */
struct gslot_pool_range *gslot_pool_fence_victim(const struct gslot_fence_pool *pool,
						 const struct gslot_pool_client *client)
{
	bool own = client->fences >= fence_share(pool);
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

/* Ranges that are large for the pool are kept out of the way of small ones. */
static bool is_large(const struct gslot_fence_pool *pool, u32 count)
{
	return count > pool->pages / 16;
}

/* Find free pages in a row: the first ones, or for a large range the last ones. */
static bool find_free(const struct gslot_fence_pool *pool, u32 count, u32 *first)
{
	bool large = is_large(pool, count);
	const struct gslot_pool_range *start = large ? pool->ends.prev : &pool->ends, *r = start;

	do {
		if (free_until(pool, r) - end_of(r) >= count) {
			*first = large ? free_until(pool, r) - count : end_of(r);
			return true;
		}
		r = large ? r->prev : r->next;
	} while (r != start);
	return false;
}

/**
 * struct weight - what a place costs; what comes first counts most
 * @shares: pages that others lose of their shares
 * @just_used: whether it costs the client what it used last
 * @others: pages that others lose at all, if the client has its share
 * @used: when what would be lost was last used
 */
struct weight {
	u32 shares;
	bool just_used;
	u32 others;
	u64 used;
};

static bool lighter(const struct weight *a, const struct weight *b)
{
	if (a->shares != b->shares)
		return a->shares < b->shares;
	if (a->just_used != b->just_used)
		return b->just_used;
	if (a->others != b->others)
		return a->others < b->others;
	return a->used < b->used;
}

/* How far the loss of some pages would put a client below its share. */
static u32 missing(const struct gslot_fence_pool *pool, const struct gslot_pool_client *c)
{
	u32 share = gslot_pool_page_share(pool);
	u32 spare = c->pages > share ? c->pages - share : 0;

	return c->taken > spare ? c->taken - spare : 0;
}

/*
 * What it costs to have [first, first + count), of which @r is the first range. One that is
 * larger than a share is of nobody's share.
 */
static struct weight weigh(const struct gslot_fence_pool *pool,
			   const struct gslot_pool_client *client,
			   const struct gslot_pool_range *r, u32 first, u32 count)
{
	bool above = client->pages + count > gslot_pool_page_share(pool);
	const struct gslot_pool_range *it;
	struct weight w = { };

	for (it = r; it != &pool->ends && it->first < first + count; it = it->next)
		it->client->taken = 0;
	for (it = r; it != &pool->ends && it->first < first + count; it = it->next) {
		struct gslot_pool_client *c = it->client;

		w.used = max(w.used, it->used);
		if (c == client) {
			w.just_used |= it->used == c->used;
			continue;
		}
		if (above)
			w.others += it->count;
		if (it->count > gslot_pool_page_share(pool))
			continue;
		w.shares -= missing(pool, c);
		c->taken += it->count;
		w.shares += missing(pool, c);
	}
	return w;
}

/**
 * gslot_pool_choose() - where a range is to be
 * @pool: the pool
 * @client: whose
 * @count: its pages; not more than the pool has
 *
 * A place that costs least begins where it does not cost one range less to begin earlier: at
 * the start of the pool, or behind a range.
 *
 * Return: the first page. What is there has to be removed: gslot_pool_victim().
 */
u32 gslot_pool_choose(const struct gslot_fence_pool *pool, const struct gslot_pool_client *client,
		      u32 count)
{
	const struct gslot_pool_range *r = &pool->ends;
	struct weight best, w;
	u32 first;

	if (find_free(pool, count, &first))
		return first;
	best = weigh(pool, client, r->next, 0, count);
	first = 0;
	for (r = pool->ends.next; r != &pool->ends; r = r->next) {
		if (end_of(r) + count > pool->pages)
			break;
		w = weigh(pool, client, r->next, end_of(r), count);
		if (!lighter(&w, &best))
			continue;
		best = w;
		first = end_of(r);
	}
	return first;
}

/**
 * gslot_pool_victim() - what is in the way
 * @pool: the pool
 * @first: the first page that is needed
 * @count: how many
 *
 * Return: a range to be removed; NULL if there is none: the pages are free.
 */
struct gslot_pool_range *gslot_pool_victim(const struct gslot_fence_pool *pool, u32 first,
					   u32 count)
{
	struct gslot_pool_range *r;

	for (r = pool->ends.next; r != &pool->ends; r = r->next)
		if (end_of(r) > first && r->first < first + count)
			return r;
	return NULL;
}

/**
 * gslot_pool_insert() - a range gets its place
 * @pool: the pool
 * @client: whose
 * @range: to be initialised; it is not in the pool
 * @first: the first page
 * @count: how many; they are free
 * @fenced: whether it gets a fence, too, of which one is free
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
 * gslot_pool_use() - a range is used
 * @pool: the pool
 * @range: in it
 */
void gslot_pool_use(struct gslot_fence_pool *pool, struct gslot_pool_range *range)
{
	range->used = ++pool->clock;
	range->client->used = range->used;
}

/**
 * gslot_pool_remove() - a range gives up its place
 * @pool: the pool
 * @range: in it
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
