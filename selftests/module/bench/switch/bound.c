// SPDX-License-Identifier: GPL-2.0
/*
 * Belady's choice. Each resident unit is in the list of the next request that names it. So the unit
 * that is needed again last is in the last list that is not empty.
 */
#include <stdlib.h>
#include <string.h>

#include "bound.h"
#include "tap.h"

#define UNITS	(MOST_CLIENTS * SET_UNITS)
#define NONE	(~0u)

/**
 * struct cache - what is resident
 * @prev: by unit, the one before it in its list
 * @next: by unit, the one after it
 * @list: by unit, its list; NONE: it is not resident
 * @first: by list, its first unit
 * @last: all lists behind this one are empty
 * @used: number of resident units
 */
struct cache {
	u32 prev[UNITS];
	u32 next[UNITS];
	u32 list[UNITS];
	u32 *first;
	u32 last;
	u32 used;
};

static struct cache cache;

static u32 unit_of(const struct named *rq, u32 i)
{
	return rq->client * SET_UNITS + (rq->first + i) % SET_UNITS;
}

static void *allocate(size_t count)
{
	u32 *p = malloc(count * sizeof(*p));

	if (!p)
		tap_die("no memory");
	memset(p, 0xff, count * sizeof(*p));
	return p;
}

/*
 * For each unit of each request, the next request that names it; @count: none. In the end @known
 * has the first request that names each unit.
 */
static u32 *find_next(const struct named *requests, u32 count, u32 *known)
{
	u32 *next = allocate((size_t)count * NAMED_UNITS), r, i;

	for (i = 0; i < UNITS; i++)
		known[i] = count;
	for (r = count; r--; ) {
		for (i = 0; i < NAMED_UNITS; i++) {
			u32 unit = unit_of(&requests[r], i);

			next[(size_t)r * NAMED_UNITS + i] = known[unit];
			known[unit] = r;
		}
	}
	return next;
}

static void insert(u32 unit, u32 list)
{
	u32 next = cache.first[list];

	cache.list[unit] = list;
	cache.prev[unit] = NONE;
	cache.next[unit] = next;
	if (next != NONE)
		cache.prev[next] = unit;
	cache.first[list] = unit;
	if (list > cache.last)
		cache.last = list;
	cache.used++;
}

static void take_out(u32 unit)
{
	u32 prev = cache.prev[unit], next = cache.next[unit];

	if (prev == NONE)
		cache.first[cache.list[unit]] = next;
	else
		cache.next[prev] = next;
	if (next != NONE)
		cache.prev[next] = prev;
	cache.list[unit] = NONE;
	cache.used--;
}

static void take_out_last(void)
{
	while (cache.first[cache.last] == NONE)
		cache.last--;
	take_out(cache.first[cache.last]);
}

/* Return: how many of its units were not resident. */
static u32 do_request(u32 runs, const struct named *rq, const u32 *next)
{
	u32 i, missing = 0;

	for (i = 0; i < NAMED_UNITS; i++) {
		if (cache.list[unit_of(rq, i)] == NONE)
			missing++;
		else
			take_out(unit_of(rq, i));
	}
	while (cache.used + NAMED_UNITS > runs)
		take_out_last();
	for (i = 0; i < NAMED_UNITS; i++)
		insert(unit_of(rq, i), next[i]);
	return missing;
}

/* The best units to be resident at first: those named first. */
static void fill(u32 runs, const struct named *requests, u32 count, const u32 *known)
{
	u32 r, i;

	for (r = 0; r < count; r++) {
		for (i = 0; i < NAMED_UNITS && cache.used < runs; i++)
			if (known[unit_of(&requests[r], i)] == r)
				insert(unit_of(&requests[r], i), r);
	}
}

u32 bound_loads(u32 runs, const struct named *requests, u32 count, u32 from, u32 to)
{
	u32 *known = allocate(UNITS), *next = find_next(requests, count, known);
	u32 r, missing, loads = 0;

	memset(cache.list, 0xff, sizeof(cache.list));
	cache.first = allocate(count + 1);
	cache.last = 0;
	cache.used = 0;
	fill(runs, requests, count, known);
	for (r = 0; r < to; r++) {
		missing = do_request(runs, &requests[r], next + (size_t)r * NAMED_UNITS);
		if (r >= from)
			loads += missing;
	}
	free(cache.first);
	free(next);
	free(known);
	return loads;
}

static int by_use(const void *a, const void *b)
{
	return (int)clients[*(const u32 *)a].use - (int)clients[*(const u32 *)b].use;
}

double bound_loads_blind(u32 runs)
{
	u32 order[MOST_CLIENTS], i, out = nr_clients * SET_UNITS, uses = 0;
	double loads = 0;

	out = out > runs ? out - runs : 0;
	for (i = 0; i < nr_clients; i++) {
		order[i] = i;
		uses += clients[i].use;
	}
	qsort(order, nr_clients, sizeof(*order), by_use);
	for (i = 0; i < nr_clients; i++) {
		u32 part = out < SET_UNITS ? out : SET_UNITS;

		loads += (double)part / SET_UNITS * NAMED_UNITS * clients[order[i]].use / uses;
		out -= part;
	}
	return loads;
}
