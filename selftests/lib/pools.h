/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A fence pool and its clients, its counts from the ranges alone, and the victims that a search of
 * all positions finds; and random steps, by the includer's rnd_below().
 */
#ifndef SELFTESTS_POOLS_H
#define SELFTESTS_POOLS_H

#include "core/gtt/fence_pool.h"

#ifndef MAX_CLIENTS
#define MAX_CLIENTS	40
#define MAX_RANGES	48
#endif
#define MAX_PAGES	256

struct world {
	struct gslot_fence_pool pool;
	struct gslot_pool_client clients[MAX_CLIENTS];
	struct gslot_pool_range ranges[MAX_CLIENTS][MAX_RANGES];
	bool there[MAX_CLIENTS];
	/* How often a client lost a range to another one, for a fence and for pages. */
	u32 lost_fence[MAX_CLIENTS];
	u32 lost_pages[MAX_CLIENTS];
};

static struct world w;

static inline void fresh(u32 pages, u32 clients)
{
	memset(&w, 0, sizeof(w));
	gslot_pool_init(&w.pool, pages);
	for (u32 i = 0; i < clients; i++) {
		gslot_pool_join(&w.pool, &w.clients[i]);
		w.there[i] = true;
	}
}

static inline u32 index_of(const struct gslot_pool_client *client)
{
	return client - w.clients;
}

/* The range of each page; NULL: it is free. No page is in two ranges. */
static inline void draw_map(struct gslot_pool_range **map)
{
	memset(map, 0, MAX_PAGES * sizeof(*map));
	for (u32 c = 0; c < MAX_CLIENTS; c++)
		for (u32 i = 0; i < MAX_RANGES; i++) {
			struct gslot_pool_range *r = &w.ranges[c][i];

			if (!r->client)
				continue;
			assert_true(r->first + r->count <= w.pool.pages);
			for (u32 page = r->first; page < r->first + r->count; page++) {
				assert_null(map[page]);
				map[page] = r;
			}
		}
}

/* The pool's counts are those of its ranges. */
static inline void check_world(void)
{
	struct gslot_pool_range *map[MAX_PAGES];
	u32 fences = 0;

	draw_map(map);
	for (u32 c = 0; c < MAX_CLIENTS; c++) {
		struct gslot_pool_client count = { };

		for (u32 i = 0; i < MAX_RANGES; i++) {
			struct gslot_pool_range *r = &w.ranges[c][i];

			if (!r->client)
				continue;
			assert_ptr_equal(r->client, &w.clients[c]);
			count.ranges++;
			count.pages += r->count;
			if (r->fence < 0)
				continue;
			assert_true(r->fence < GEN_NR_FENCES);
			assert_false(fences & BIT(r->fence));
			fences |= BIT(r->fence);
			count.fences++;
		}
		assert_int_equal(count.ranges, w.clients[c].ranges);
		assert_int_equal(count.pages, w.clients[c].pages);
		assert_int_equal(count.fences, w.clients[c].fences);
	}
	assert_int_equal(fences, w.pool.fences);
}

/* The cost of a position, counted page by page. */
struct cost {
	u32 shares;
	bool just_used;
	u32 others;
	u64 used;
};

static inline struct cost cost_of(u32 client, u32 first, u32 count, struct gslot_pool_range **map)
{
	u32 share = w.pool.pages / w.pool.clients, lost[MAX_CLIENTS] = { };
	struct gslot_pool_range *last = NULL;
	struct cost cost = { };

	for (u32 page = first; page < first + count; page++) {
		struct gslot_pool_range *r = map[page];

		if (!r || r == last)
			continue;
		last = r;
		if (r->used > cost.used)
			cost.used = r->used;
		if (r->client == &w.clients[client])
			cost.just_used |= r->used == r->client->used;
		else if (w.clients[client].pages + count > share)
			cost.others += r->count;
		if (r->client != &w.clients[client] && r->count <= share)
			lost[index_of(r->client)] += r->count;
	}
	for (u32 c = 0; c < MAX_CLIENTS; c++) {
		u32 has = w.clients[c].pages, kept = has - lost[c];
		u32 entitled = has < share ? has : share;

		if (kept < entitled)
			cost.shares += entitled - kept;
	}
	return cost;
}

static inline int compare(const struct cost *a, const struct cost *b)
{
	if (a->shares != b->shares)
		return a->shares < b->shares ? -1 : 1;
	if (a->just_used != b->just_used)
		return b->just_used ? -1 : 1;
	if (a->others != b->others)
		return a->others < b->others ? -1 : 1;
	return a->used < b->used ? -1 : a->used > b->used;
}

/* No position costs less. */
static inline struct cost check_choice(u32 client, u32 count, u32 first)
{
	struct gslot_pool_range *map[MAX_PAGES];
	struct cost chosen;

	assert_true(first + count <= w.pool.pages);
	draw_map(map);
	chosen = cost_of(client, first, count, map);
	for (u32 other = 0; other + count <= w.pool.pages; other++) {
		struct cost cost = cost_of(client, other, count, map);

		assert_true(compare(&chosen, &cost) <= 0);
	}
	return chosen;
}

/* A client with its share loses its oldest; one with less takes the oldest of the one with most. */
static inline void check_fence_victim(u32 client, const struct gslot_pool_range *victim)
{
	struct gslot_pool_client *me = &w.clients[client];
	u32 share = GEN_NR_FENCES / w.pool.clients;
	bool own = me->fences >= (share < 2 ? 2 : share);

	assert_true(victim->fence >= 0);
	assert_int_equal(victim->client == me, own);
	for (u32 c = 0; c < MAX_CLIENTS; c++) {
		bool is_own = c == client;

		if (own != is_own)
			continue;
		assert_true(w.clients[c].fences <= victim->client->fences);
		if (w.clients[c].fences != victim->client->fences)
			continue;
		for (u32 i = 0; i < MAX_RANGES; i++) {
			const struct gslot_pool_range *r = &w.ranges[c][i];

			if (r->client && r->fence >= 0)
				assert_true(victim->used <= r->used);
		}
	}
}

static inline void lose(u32 to, struct gslot_pool_range *victim, u32 *lost)
{
	if (index_of(victim->client) != to)
		lost[index_of(victim->client)]++;
	gslot_pool_remove(&w.pool, victim);
}

/* Make room and insert the range, as the module does. */
static inline struct cost place(u32 client, struct gslot_pool_range *range, u32 count, bool fenced)
{
	struct gslot_pool_range *victim;
	struct cost cost;
	u32 first;

	if (fenced) {
		victim = gslot_pool_fence_victim(&w.pool, &w.clients[client]);
		assert_int_equal(!!victim, w.pool.fences == ~0u);
		if (victim) {
			check_fence_victim(client, victim);
			lose(client, victim, w.lost_fence);
		}
	}
	first = gslot_pool_choose(&w.pool, &w.clients[client], count);
	cost = check_choice(client, count, first);
	while ((victim = gslot_pool_victim(&w.pool, first, count)))
		lose(client, victim, w.lost_pages);
	gslot_pool_insert(&w.pool, &w.clients[client], range, first, count, fenced);
	assert_int_equal(range->count, count);
	assert_int_equal(range->fence >= 0, fenced);
	return cost;
}

static inline struct gslot_pool_range *any_range(u32 client)
{
	return &w.ranges[client][rnd_below(MAX_RANGES)];
}

static inline void come_or_go(u32 client)
{
	if (!w.there[client]) {
		gslot_pool_join(&w.pool, &w.clients[client]);
	} else {
		for (u32 i = 0; i < MAX_RANGES; i++)
			if (w.ranges[client][i].client)
				gslot_pool_remove(&w.pool, &w.ranges[client][i]);
		gslot_pool_leave(&w.pool);
	}
	w.there[client] = !w.there[client];
}

static inline void random_step(u32 clients, u32 largest)
{
	u32 client = rnd_below(clients);
	struct gslot_pool_range *r = any_range(client);

	if (!rnd_below(50)) {
		come_or_go(client);
		return;
	}
	if (!w.there[client])
		return;
	if (r->client && !rnd_below(4))
		gslot_pool_remove(&w.pool, r);
	else if (r->client)
		gslot_pool_use(&w.pool, r);
	else
		place(client, r, rnd_below(8) ? 1 + rnd_below(largest / 8) :
		      1 + rnd_below(largest), rnd_below(2));
}

#endif
