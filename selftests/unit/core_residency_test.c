// SPDX-License-Identifier: GPL-2.0
/*
 * Residency: examples worked by hand; long random sequences with many clients, compared with an
 * oracle that has plain arrays and times only; and all states of small caches.
 */
#include "test.h"
#include "residencies.h"

/* Four runs, one client: its first two holds are of the half that is not shared. */
static void test_example(void **state)
{
	(void)state;
	fresh(4);
	join(0, 8);
	assert_int_equal(gslot_residency_hold(&cache, &clients[0], 5), 1);
	assert_int_equal(gslot_residency_hold(&cache, &clients[0], 7), 1);
	assert_int_equal(units[0][5].run, 0);
	assert_int_equal(units[0][7].run, 1);
	assert_int_equal(gslot_residency_hold(&cache, &clients[0], 5), 0);
	assert_int_equal(units[0][5].holds, 2);
	assert_int_equal(gslot_residency_hold(&cache, &clients[0], 6), -EDQUOT);
	assert_int_equal(units[0][6].run, GSLOT_NO_RUN);
	/* Released once, it is held; released twice, it is still resident. */
	gslot_residency_release(&cache, &clients[0], 5);
	assert_int_equal(cache.held, 2);
	gslot_residency_release(&cache, &clients[0], 5);
	assert_int_equal(cache.held, 1);
	assert_int_equal(cache.resident, 2);
	assert_int_equal(units[0][5].run, 0);
	assert_int_equal(gslot_residency_hold(&cache, &clients[0], 5), 0);
	assert_int_equal(clients[0].loads, 2);
	assert_int_equal(clients[0].evictions, 0);
}

static void touch(u32 c, u32 unit, int expected)
{
	assert_int_equal(gslot_residency_hold(&cache, &clients[c], unit), expected);
	gslot_residency_release(&cache, &clients[c], unit);
}

/*
 * A unit that is released once too often is not held: the next client gets its run, and its own
 * next hold gets another one.
 */
static void test_release_unheld(void **state)
{
	(void)state;
	fresh(2);
	join(0, 8);
	join(1, 8);
	for (u32 unit = 0; unit < 2; unit++) {
		gslot_residency_release(&cache, &clients[0], unit);
		assert_int_equal(units[0][unit].holds, 0);
	}
	touch(0, 0, 1);
	gslot_residency_release(&cache, &clients[0], 0);
	assert_int_equal(units[0][0].holds, 0);
	assert_int_equal(cache.held, 0);
	assert_int_equal(clients[0].held, 0);
	touch(1, 0, 1);
	touch(1, 1, 1);
	assert_int_equal(units[0][0].run, GSLOT_NO_RUN);
	assert_false(gslot_residency_hold_more(&clients[0], 0));
	touch(0, 0, 1);
}

static const u32 *with_run(void)
{
	static u32 at[4];

	for (u32 i = 0; i < 4; i++)
		at[i] = runs[i].client ? runs[i].unit : NONE;
	return at;
}

/* Free runs are used first, then those released longest ago; dropped ones before all others. */
static void test_order(void **state)
{
	(void)state;
	fresh(4);
	join(0, 16);
	for (u32 i = 0; i < 4; i++)
		touch(0, i, 1);
	assert_memory_equal(with_run(), ((u32[]) { 0, 1, 2, 3 }), 16);
	touch(0, 0, 0);
	touch(0, 8, 1);
	assert_memory_equal(with_run(), ((u32[]) { 0, 8, 2, 3 }), 16);
	assert_int_equal(clients[0].evictions, 1);
	/* 2 would be next, and is held. */
	assert_int_equal(gslot_residency_hold(&cache, &clients[0], 2), 0);
	touch(0, 9, 1);
	assert_memory_equal(with_run(), ((u32[]) { 0, 8, 2, 9 }), 16);
	gslot_residency_release(&cache, &clients[0], 2);
	/* Now 0, 8, 9, 2; and 9 and then 8 are dropped. */
	gslot_residency_drop(&cache, &clients[0], 9);
	gslot_residency_drop(&cache, &clients[0], 8);
	assert_memory_equal(with_run(), ((u32[]) { 0, NONE, 2, NONE }), 16);
	assert_int_equal(clients[0].resident, 2);
	touch(0, 10, 1);
	touch(0, 11, 1);
	assert_memory_equal(with_run(), ((u32[]) { 0, 10, 2, 11 }), 16);
	assert_int_equal(clients[0].evictions, 2);
	touch(0, 12, 1);
	assert_memory_equal(with_run(), ((u32[]) { 12, 10, 2, 11 }), 16);
	assert_int_equal(clients[0].evictions, 3);
	assert_int_equal(clients[0].loads, 9);
}

/* One client takes a run from another, which counts the eviction. */
static void test_others(void **state)
{
	(void)state;
	fresh(4);
	join(0, 4);
	join(1, 4);
	for (u32 i = 0; i < 4; i++)
		touch(0, i, 1);
	touch(1, 3, 1);
	assert_int_equal(units[0][0].run, GSLOT_NO_RUN);
	assert_int_equal(units[1][3].run, 0);
	assert_int_equal(clients[0].evictions, 1);
	assert_int_equal(clients[1].evictions, 0);
	assert_int_equal(clients[0].resident, 3);
	assert_int_equal(clients[1].resident, 1);
	assert_int_equal(cache.resident, 4);
}

/* Hold units from the first one on until one is refused. Return: the error. */
static int hold_all(u32 c)
{
	for (u32 unit = held_by(c); unit < of[c].units; unit++) {
		int ret = hold(c, unit);

		if (ret < 0)
			return ret;
	}
	return 0;
}

/*
 * 16 runs, of which 8 are not shared. Each further client makes the shares smaller than what the
 * earlier ones hold: they hold 8, 4, 2 and 2, which is all, and the fifth, with a share of 1, has
 * to wait until another one releases a unit.
 */
static void test_busy(void **state)
{
	static const u32 holds[] = { 8, 4, 2, 2 };

	(void)state;
	fresh(16);
	for (u32 c = 0; c < ARRAY_SIZE(holds); c++) {
		join(c, 16);
		assert_int_equal(hold_all(c), -EDQUOT);
		assert_int_equal(clients[c].held, holds[c]);
	}
	join(4, 16);
	assert_int_equal(share(), 1);
	assert_int_equal(hold_all(4), -EBUSY);
	assert_int_equal(clients[4].resident, 0);
	/* It keeps what it holds, even if that exceeds its share. */
	assert_int_equal(hold(0, 0), 0);
	release(0, 0);
	release(0, 7);
	assert_int_equal(hold(4, 0), 1);
	assert_int_equal(hold(4, 1), -EDQUOT);
	expect_same();
	/* With a share of 0 no client is guaranteed a run. */
	for (u32 c = 5; c < 9; c++)
		join(c, 1);
	assert_int_equal(hold(8, 0), -EDQUOT);
	for (u32 c = 0; c < 9; c++)
		leave(c);
	expect_free();
}

/* Each client that joins takes all that it may, in each cache, until shares are 0. */
static void test_comes(void **state)
{
	(void)state;
	for (u32 count = 1; count <= MAX_UNITS; count++) {
		fresh(count);
		for (u32 c = 0; c < MAX_CLIENTS; c++) {
			join(c, MAX_UNITS);
			assert_true(hold_all(c) < 0);
			expect_same();
		}
		for (u32 c = 0; c < MAX_CLIENTS; c++)
			leave(c);
		expect_free();
	}
	print_message("# %u refused, and %u as all were held\n", refused, busy);
}

/* The smallest caches; and more clients than runs, which take turns. */
static void test_edge(void **state)
{
	(void)state;
	fresh(1);
	join(0, 3);
	assert_int_equal(hold(0, 2), 1);
	assert_int_equal(hold(0, 2), 0);
	assert_int_equal(hold(0, 0), -EDQUOT);
	release(0, 2);
	release(0, 2);
	join(1, 1);
	assert_int_equal(hold(1, 0), 1);
	assert_int_equal(hold(0, 2), -EDQUOT);
	assert_int_equal(clients[0].evictions, 1);
	leave(0);
	leave(1);
	expect_free();

	for (u32 count = 1; count <= 5; count++) {
		fresh(count);
		for (u32 c = 0; c < 8; c++)
			join(c, 2);
		assert_int_equal(share(), 0);
		for (u32 i = 0; i < 40; i++) {
			u32 c = i % 8;

			assert_int_equal(hold(c, 0), 1);
			assert_int_equal(hold(c, 1), count > 2 ? 1 : -EDQUOT);
			expect_same();
			assert_int_equal(hold((c + 1) % 8, 0), count > 4 ? 1 : -EDQUOT);
			for (u32 k = 0; k < 8; k++) {
				leave(k);
				join(k, 2);
			}
		}
		for (u32 c = 0; c < 8; c++)
			leave(c);
		expect_free();
	}
}

/* A client without graphics memory may join and leave. */
static void test_nothing(void **state)
{
	(void)state;
	fresh(2);
	join(0, 0);
	join(1, 1);
	expect_same();
	leave(0);
	assert_int_equal(hold(1, 0), 1);
	leave(1);
	expect_free();
}

/* Held and resident units get other numbers and keep their runs. */
static void test_resize(void **state)
{
	(void)state;
	fresh(8);
	join(0, 6);
	join(1, 6);
	assert_int_equal(hold(0, 1), 1);
	assert_int_equal(hold(0, 5), 1);
	assert_int_equal(hold(1, 5), 1);
	assert_int_equal(hold(0, 2), 1);
	release(0, 2);
	resize(0, 3, 7, 12);
	assert_int_equal(units[0][9].run, 1);
	assert_int_equal(units[0][9].holds, 1);
	assert_int_equal(units[0][2].run, 3);
	assert_int_equal(units[0][5].run, GSLOT_NO_RUN);
	expect_same();
	/* The unit that is next to lose its run loses its own. */
	for (u32 i = 0; i < 6; i++)
		if (hold(1, i) >= 0)
			release(1, i);
	expect_same();
	resize(0, 7, 2, 5);
	assert_int_equal(units[0][4].run, 1);
	assert_int_equal(units[0][4].holds, 1);
	expect_same();
	resize(0, 2, 0, 0);
	assert_int_equal(clients[0].resident, 0);
	expect_same();
	leave(0);
	leave(1);
	expect_free();
}

/* A random sequence, checked after every few steps; for some time no unit is released. */
static void live(u32 count, u32 nr_clients, u32 nr_units, u32 steps, u32 every)
{
	fresh(count);
	for (u32 i = 0; i < steps; i++) {
		any_step(nr_clients, nr_units, i / 2000 & 1);
		if (i % every == 0)
			expect_same();
	}
	for (u32 c = 0; c < nr_clients; c++)
		if (of[c].there)
			leave(c);
	expect_free();
}

static void test_small(void **state)
{
	(void)state;
	for (u32 i = 0; i < rounds(60); i++)
		live(rnd_range(1, 16), rnd_range(1, 8), rnd_range(1, 24), 5000, 1);
}

static void test_large(void **state)
{
	(void)state;
	for (u32 i = 0; i < rounds(10); i++)
		live(rnd_range(100, MAX_RUNS), rnd_range(2, MAX_CLIENTS), MAX_UNITS, 10000, 101);
}

/* Hold as many as possible: at least the share, without a release by another client. */
static void expect_share(u32 c)
{
	int ret = hold_all(c);

	assert_true(!ret || ret == -EDQUOT);
	assert_true(!ret || held_by(c) >= share());
}

/*
 * While no client joins, no hold returns -EBUSY, whatever clients hold and release, and whichever
 * leave: all shares, and what some hold beyond their share, never exceed the runs.
 */
static void test_certain(void **state)
{
	(void)state;
	for (u32 i = 0; i < rounds(3000); i++) {
		u32 there = rnd_range(1, MAX_CLIENTS);

		fresh(rnd_range(1, MAX_UNITS));
		for (u32 c = 0; c < there; c++)
			join(c, MAX_UNITS);
		for (u32 k = 0; k < 30; k++) {
			u32 c = rnd_below(there), some = rnd_below(1 + held_by(c));

			expect_share(c);
			while (some--)
				release(c, held_by(c) - 1);
			if (there > 1 && !rnd_below(10))
				leave(--there);
		}
		for (u32 c = 0; c < there; c++)
			expect_share(c);
		expect_same();
	}
}

/*
 * All states of a small cache with a number of clients, by how much each holds. @seen: the states
 * found so far, by these numbers.
 */
struct states {
	u32 count;
	u32 clients;
	bool seen[12 * 12 * 12 * 12];
	u8 queue[12 * 12 * 12 * 12][4];
	u32 found;
};

static void found(struct states *s, const u8 *holds)
{
	u32 at = ((holds[0] * 12u + holds[1]) * 12 + holds[2]) * 12 + holds[3];

	if (s->seen[at])
		return;
	s->seen[at] = true;
	memcpy(s->queue[s->found++], holds, 4);
}

/* Set the cache to a state directly: quotas forbid most ways there. */
static void put(const struct states *s, const u8 *holds)
{
	fresh(s->count);
	for (u32 c = 0; c < s->clients; c++) {
		join(c, s->count);
		for (u32 unit = 0; unit < holds[c]; unit++) {
			cache.clients = 1;
			clients[c].held = 0;
			cache.held = 0;
			assert_int_equal(gslot_residency_hold(&cache, &clients[c], unit), 1);
			clients[c].held = unit + 1;
		}
		cache.clients = c + 1;
	}
	cache.held = holds[0] + holds[1] + holds[2] + holds[3];
}

/* From a state: the client's next hold, and a release. */
static void expect_step(struct states *s, const u8 *holds, u32 c)
{
	u32 all = holds[0] + holds[1] + holds[2] + holds[3];
	u8 next[4];
	int ret;

	memcpy(next, holds, 4);
	put(s, holds);
	ret = gslot_residency_hold(&cache, &clients[c], holds[c]);
	assert_int_not_equal(ret, -EBUSY);
	if (all < s->count - s->count / 2 || holds[c] < s->count / 2 / s->clients)
		assert_int_equal(ret, 1);
	if (ret == 1) {
		next[c]++;
		found(s, next);
	}
	if (holds[c]) {
		next[c] = holds[c] - 1;
		found(s, next);
	}
}

static void test_all_states(void **state)
{
	static struct states s;
	u32 sum = 0;

	(void)state;
	for (u32 count = 1; count <= 11; count++) {
		for (u32 there = 1; there <= 4; there++) {
			memset(&s, 0, sizeof(s));
			s.count = count;
			s.clients = there;
			found(&s, (u8[4]) { });
			for (u32 i = 0; i < s.found; i++)
				for (u32 c = 0; c < there; c++)
					expect_step(&s, s.queue[i], c);
			sum += s.found;
		}
	}
	print_message("# %u states\n", sum);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_example),
		cmocka_unit_test(test_release_unheld),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_others),
		cmocka_unit_test(test_busy),
		cmocka_unit_test(test_comes),
		cmocka_unit_test(test_edge),
		cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_resize),
		cmocka_unit_test(test_small),
		cmocka_unit_test(test_large),
		cmocka_unit_test(test_certain),
		cmocka_unit_test(test_all_states),
	};

	return run_tap_tests("core_residency", tests);
}
