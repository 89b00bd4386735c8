/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Clients of a cache of runs, and beside them an oracle that has plain arrays and times only; and
 * random steps, by the includer's rnd_below().
 */
#ifndef SELFTESTS_RESIDENCIES_H
#define SELFTESTS_RESIDENCIES_H

#include "core/gtt/residency.h"

#define MAX_RUNS	512
#define MAX_CLIENTS	40
#define MAX_UNITS	96
#define NONE		(~0u)

static struct gslot_residency cache;
static struct gslot_run runs[MAX_RUNS];
static struct gslot_resident clients[MAX_CLIENTS];
static struct gslot_unit units_of[MAX_CLIENTS][2][MAX_UNITS];
static struct gslot_unit *units[MAX_CLIENTS];	/* the one of the two that is in use */

/* The oracle's run; the one with the least time is reused next. */
static struct {
	u32 client;
	u32 unit;
	s64 time;
} own[MAX_RUNS];

/* The oracle's client; holds by unit. */
static struct {
	bool there;
	u32 units;
	u32 holds[MAX_UNITS];
	u64 loads;
	u64 evictions;
} of[MAX_CLIENTS];

static s64 latest, earliest;
static u32 refused, busy;

static inline void fresh(u32 count)
{
	gslot_residency_init(&cache, runs, count);
	memset(of, 0, sizeof(of));
	latest = 0;
	earliest = 0;
	for (u32 i = 0; i < count; i++) {
		own[i].client = NONE;
		own[i].time = latest++;
	}
}

static inline void join(u32 c, u32 count)
{
	units[c] = units_of[c][0];
	gslot_residency_join(&cache, &clients[c], units[c], count);
	memset(&of[c], 0, sizeof(of[c]));
	of[c].there = true;
	of[c].units = count;
}

/* The run of a unit. */
static inline u32 where(u32 c, u32 unit)
{
	for (u32 i = 0; i < cache.count; i++)
		if (own[i].client == c && own[i].unit == unit)
			return i;
	return NONE;
}

static inline u32 held_by(u32 c)
{
	u32 sum = 0;

	for (u32 i = 0; i < of[c].units; i++)
		sum += of[c].holds[i] > 0;
	return sum;
}

static inline u32 held(void)
{
	u32 sum = 0;

	for (u32 c = 0; c < MAX_CLIENTS; c++)
		sum += of[c].there ? held_by(c) : 0;
	return sum;
}

static inline u32 resident_of(u32 c)
{
	u32 sum = 0;

	for (u32 i = 0; i < cache.count; i++)
		sum += own[i].client == c;
	return sum;
}

/* The guaranteed share of a client. */
static inline u32 share(void)
{
	u32 sum = 0;

	for (u32 c = 0; c < MAX_CLIENTS; c++)
		sum += of[c].there;
	return cache.count / 2 / sum;
}

static inline bool is_held(u32 run)
{
	return own[run].client != NONE && of[own[run].client].holds[own[run].unit];
}

static inline u32 next_to_go(void)
{
	u32 run = NONE;

	for (u32 i = 0; i < cache.count; i++)
		if (!is_held(i) && (run == NONE || own[i].time < own[run].time))
			run = i;
	return run;
}

/* The oracle's result of a hold. */
static inline int oracle_hold(u32 c, u32 unit)
{
	u32 run = where(c, unit);

	if (of[c].holds[unit]) {
		of[c].holds[unit]++;
		return 0;
	}
	if (held() >= cache.count - cache.count / 2 && held_by(c) >= share())
		return -EDQUOT;
	if (run != NONE) {
		of[c].holds[unit] = 1;
		return 0;
	}
	run = next_to_go();
	if (run == NONE)
		return -EBUSY;
	if (own[run].client != NONE)
		of[own[run].client].evictions++;
	own[run].client = c;
	own[run].unit = unit;
	of[c].loads++;
	of[c].holds[unit] = 1;
	return 1;
}

/* With or without the fast path, as in the kernel. */
static inline int hold(u32 c, u32 unit)
{
	u32 before = held();
	int expected = oracle_hold(c, unit), ret;

	if (of[c].holds[unit] > 1 && rnd_below(2)) {
		assert_true(gslot_residency_hold_more(&clients[c], unit));
		ret = 0;
	} else {
		ret = gslot_residency_hold(&cache, &clients[c], unit);
	}
	assert_int_equal(ret, expected);
	if (ret == -EDQUOT)
		assert_true(held_by(c) >= share());
	if (ret == -EBUSY)
		assert_int_equal(before, cache.count);
	refused += ret == -EDQUOT;
	busy += ret == -EBUSY;
	return ret;
}

/* Also one that is not held: nothing changes. */
static inline void release(u32 c, u32 unit)
{
	bool last = of[c].holds[unit] == 1;

	if (rnd_below(2) && gslot_residency_hold_less(&clients[c], unit))
		assert_false(last);
	else
		gslot_residency_release(&cache, &clients[c], unit);
	if (of[c].holds[unit] && !--of[c].holds[unit])
		own[where(c, unit)].time = latest++;
}

static inline void drop(u32 c, u32 unit)
{
	u32 run = where(c, unit);

	gslot_residency_drop(&cache, &clients[c], unit);
	own[run].client = NONE;
	own[run].time = --earliest;
}

static inline void leave(u32 c)
{
	for (u32 i = 0; i < of[c].units; i++) {
		while (of[c].holds[i])
			release(c, i);
		if (where(c, i) != NONE)
			drop(c, i);
	}
	assert_int_equal(clients[c].resident, 0);
	assert_int_equal(clients[c].held, 0);
	gslot_residency_leave(&cache, &clients[c]);
	of[c].there = false;
}

/* The oracle's resize: a part of a client's units gets other numbers. */
static inline void oracle_keep(u32 c, const u32 *holds, const struct gslot_units_kept *kept)
{
	memcpy(&of[c].holds[kept->to], &holds[kept->from], kept->count * sizeof(*holds));
}

/* The number of a unit after that, or NONE. */
static inline u32 renumbered(u32 unit, const struct gslot_units_kept *kept)
{
	for (u32 i = 0; i < 2; i++)
		if (unit >= kept[i].from && unit - kept[i].from < kept[i].count)
			return kept[i].to + unit - kept[i].from;
	return NONE;
}

/* Resize two parts of a client's units; units that go are released and dropped. */
static inline void resize(u32 c, u32 low, u32 new_low, u32 new_count)
{
	u32 high = of[c].units - low, new_high = new_count - new_low, before[MAX_UNITS];
	struct gslot_units_kept kept[] = {
		{ 0, 0, low < new_low ? low : new_low },
		{ low, new_low, high < new_high ? high : new_high },
	};

	for (u32 i = 0; i < of[c].units; i++) {
		if (renumbered(i, kept) != NONE)
			continue;
		while (of[c].holds[i])
			release(c, i);
		if (where(c, i) != NONE)
			drop(c, i);
	}
	memcpy(before, of[c].holds, sizeof(before));
	memset(of[c].holds, 0, sizeof(of[c].holds));
	oracle_keep(c, before, &kept[0]);
	oracle_keep(c, before, &kept[1]);
	for (u32 i = 0; i < cache.count; i++)
		if (own[i].client == c)
			own[i].unit = renumbered(own[i].unit, kept);
	of[c].units = new_count;
	units[c] = units_of[c][units[c] == units_of[c][0]];
	/* The previous array is not accessed any more. */
	memset(units[c], 0x5a, sizeof(units_of[c][0]));
	gslot_residency_resize(&cache, &clients[c], units[c], new_count, kept, 2);
	assert_ptr_equal(clients[c].units, units[c]);
	assert_int_equal(clients[c].count, new_count);
}

/* The list has exactly the runs that are not held, in order. */
static inline void expect_order(void)
{
	s64 time = INT64_MIN;
	u32 listed = 0, prev = GSLOT_NO_RUN;

	for (u32 i = cache.first; i != GSLOT_NO_RUN; i = runs[i].next) {
		assert_in_range(i, 0, cache.count - 1);
		assert_int_equal(runs[i].prev, prev);
		assert_false(is_held(i));
		assert_true(own[i].time > time);
		assert_true(++listed <= cache.count);
		time = own[i].time;
		prev = i;
	}
	assert_int_equal(cache.last, prev);
	assert_int_equal(listed, cache.count - held());
}

static inline void expect_client(u32 c)
{
	assert_int_equal(clients[c].held, held_by(c));
	assert_int_equal(clients[c].resident, resident_of(c));
	assert_int_equal(clients[c].loads, of[c].loads);
	assert_int_equal(clients[c].evictions, of[c].evictions);
	for (u32 i = 0; i < of[c].units; i++) {
		u32 run = units[c][i].run;

		assert_int_equal(units[c][i].holds, of[c].holds[i]);
		if (run != GSLOT_NO_RUN) {
			assert_in_range(run, 0, cache.count - 1);
			assert_ptr_equal(runs[run].client, &clients[c]);
			assert_int_equal(runs[run].unit, i);
			assert_int_equal(own[run].client, c);
			assert_int_equal(own[run].unit, i);
		}
		/* Otherwise it is in no list, as resident_of() says, too. */
		assert_true(run != GSLOT_NO_RUN || !of[c].holds[i]);
	}
}

static inline void expect_same(void)
{
	u32 resident = 0, there = 0;

	for (u32 i = 0; i < cache.count; i++) {
		resident += own[i].client != NONE;
		if (own[i].client == NONE)
			assert_null(runs[i].client);
		else
			assert_ptr_equal(runs[i].client, &clients[own[i].client]);
	}
	for (u32 c = 0; c < MAX_CLIENTS; c++) {
		there += of[c].there;
		if (of[c].there)
			expect_client(c);
	}
	assert_int_equal(cache.clients, there);
	assert_int_equal(cache.resident, resident);
	assert_int_equal(cache.held, held());
	assert_true(cache.held <= cache.count);
	expect_order();
}

static inline void expect_free(void)
{
	expect_same();
	assert_int_equal(cache.clients, 0);
	assert_int_equal(cache.resident, 0);
	assert_int_equal(cache.held, 0);
}

static inline void any_resize(u32 c, u32 nr_units)
{
	u32 count = 1 + rnd_below(nr_units);

	resize(c, rnd_below(of[c].units + 1), rnd_below(count + 1), count);
}

static inline void any_unit(u32 c, bool greedy)
{
	u32 unit = rnd_below(of[c].units), what = rnd_below(16);

	if (what < 8 || greedy)
		hold(c, unit);
	else if (of[c].holds[unit] || what == 14)
		release(c, unit);
	else if (what == 15 && where(c, unit) != NONE)
		drop(c, unit);
}

static inline void any_step(u32 nr_clients, u32 nr_units, bool greedy)
{
	u32 c = rnd_below(nr_clients);

	if (rnd_below(200)) {
		if (of[c].there)
			any_unit(c, greedy);
	} else if (!of[c].there) {
		join(c, 1 + rnd_below(nr_units));
	} else if (!rnd_below(4)) {
		leave(c);
	} else if (rnd_below(2)) {
		any_resize(c, nr_units);
	}
}

#endif
