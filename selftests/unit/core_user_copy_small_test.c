// SPDX-License-Identifier: GPL-2.0
/*
 * Copies of user batches with limits so small that each is met exactly, and passed by one.
 */
#define GSLOT_COPY_DWORDS	64
#define GSLOT_COPY_RUNS		4
#define MEM_DWORDS		0x400

#include "test.h"
#include "user_copies.h"
#include "core/cmd/user_copy.c"

#define CALLED		0x200

static int setup(void **state)
{
	(void)state;
	memset(mem, 0, sizeof(mem));
	return 0;
}

/* A batch of @dwords that begins with a call of one of @called, which does nothing. */
static int call(u32 dwords, u32 called)
{
	setup(NULL);
	put_start(0, MI_BB_SECOND_LEVEL, CALLED);
	mem[dwords - 1] = BBE;
	mem[CALLED + called - 1] = BBE;
	return make(0, GSLOT_LEVEL_FIRST);
}

/* Behind each of the two runs is a dword that ends it. */
static void test_full(void **state)
{
	u32 dwords, called;

	(void)state;
	for (dwords = 4; dwords < 2 * GSLOT_COPY_DWORDS; dwords++)
		for (called = 1; called < 2 * GSLOT_COPY_DWORDS; called++) {
			bool fits = dwords + 1 + called + 1 <= GSLOT_COPY_DWORDS;

			assert_int_equal(call(dwords, called), fits ? 0 : -E2BIG);
			if (!fits)
				continue;
			assert_int_equal(copy.used, dwords + called + 2);
			check_copy();
			check_follows(0, GSLOT_LEVEL_FIRST);
		}
}

/* The last command reaches up to the end of the copy, or beyond it. */
static void test_last_command(void **state)
{
	u32 begins_at, n;

	(void)state;
	for (n = 1; n <= 8; n++)
		for (begins_at = 0; begins_at < GSLOT_COPY_DWORDS + 2; begins_at++) {
			bool fits = begins_at + 2 * n + 1 + 2 <= GSLOT_COPY_DWORDS;

			setup(NULL);
			mem[begins_at] = LRI(n);
			mem[begins_at + 2 * n + 1] = BBE;
			assert_int_equal(make(0, GSLOT_LEVEL_FIRST), fits ? 0 : -E2BIG);
		}
}

static void test_runs(void **state)
{
	u32 n, i;

	(void)state;
	for (n = 0; n < 2 * GSLOT_COPY_RUNS; n++) {
		setup(NULL);
		for (i = 0; i < n; i++)
			put_start(3 * i, MI_BB_SECOND_LEVEL, CALLED + 2 * i);
		mem[3 * n] = BBE;
		for (i = 0; i < n; i++)
			mem[CALLED + 2 * i] = BBE;
		assert_int_equal(make(0, GSLOT_LEVEL_FIRST), n < GSLOT_COPY_RUNS ? 0 : -E2BIG);
	}
}

/* What a request may cost in all: each part of it just enough, and one less. */
static void test_budget(void **state)
{
	const struct gslot_copy_budget enough = {
		.dwords = 8 + 3,
		.runs = 3,
		.starts = 2,
	};
	u32 i;

	(void)state;
	/* At the end of a page: nothing is read but the batch. */
	put_start(0x400 - 8, MI_BB_SECOND_LEVEL, 0x200 - 1);
	put_start(0x400 - 5, MI_BB_SECOND_LEVEL, 0x300 - 2);
	mem[0x400 - 1] = BBE;
	mem[0x200 - 1] = BBE;
	mem[0x300 - 1] = BBE;
	for (i = 0; i < 4; i++) {
		budget = enough;
		budget.dwords -= i == 1;
		budget.runs -= i == 2;
		budget.starts -= i == 3;
		copy.engine = GSLOT_BCS0;
		copy.read = read_mem;
		copy.budget = &budget;
		assert_int_equal(gslot_user_copy(&copy, at(0x400 - 8), GSLOT_LEVEL_FIRST),
				 i ? -E2BIG : 0);
		assert_true(i || !(budget.dwords || budget.runs || budget.starts));
	}
}

static void test_random(void **state)
{
	u32 ok = 0, full = 0, big = 0, i, n;

	(void)state;
	for (n = 0; n < rounds(100000); n++) {
		u32 level = rnd_range(GSLOT_LEVEL_FIRST, GSLOT_LEVEL_SECOND);
		u32 from = rnd_below(32);
		int err;

		memset(mem, 0, 128 * sizeof(u32));
		for (i = 0; i < 6; i++)
			put_start(rnd_below(96),
				  rnd_below(2) ? MI_BB_SECOND_LEVEL : MI_BB_PREDICATE,
				  rnd_below(100));
		for (i = 0; i < 4; i++)
			mem[rnd_below(100)] = BBE;
		mem[100] = BBE;
		err = make(from, level);
		big += err == -E2BIG;
		if (err)
			continue;
		check_copy();
		check_follows(from, level);
		full += copy.used == GSLOT_COPY_DWORDS;
		ok++;
	}
	printf("# %u of %u were copied, %u of them filled the copy; %u were too large\n", ok, n,
	       full, big);
	assert_true(ok > n / 100 && full && big);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_full, setup),
		cmocka_unit_test_setup(test_last_command, setup),
		cmocka_unit_test_setup(test_runs, setup),
		cmocka_unit_test_setup(test_budget, setup),
		cmocka_unit_test_setup(test_random, setup),
	};

	return run_tap_tests("user_copy_small", tests);
}
