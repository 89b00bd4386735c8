// SPDX-License-Identifier: GPL-2.0
/*
 * Loading: random lives of many clients, which come, go, are moved, name graphics memory and are
 * given the GPU, beside the oracle. Whatever happens, also while a pass is under way: what may be
 * executed finds its own client's graphics memory, and all counts are right.
 */
#include "test.h"
#include "loading_lives.h"

/* A life, looked at after every so many steps. */
static void live(const char *rule, const struct world *limits, u32 steps, u32 every)
{
	w = *limits;
	fresh(rule, LOW + w.slots * SLOT + rnd_below(SLOT));
	assert_int_equal(l.slots, w.slots);
	for (u32 i = 0; i < steps; i++) {
		any_step();
		if (i % every == 0)
			expect_same();
		else
			expect_secure();
	}
	expect_free();
}

static void live_by_all_rules(const struct world *limits, u32 steps, u32 every)
{
	for (u32 i = 0; i < gslot_loading_nr_rules; i++)
		live(gslot_loading_rules[i].name, limits, steps, every);
}

/* Little graphics memory, which all want; high and low graphics memory are a part of a slot. */
static void test_small(void **state)
{
	(void)state;
	for (u32 i = 0; i < rounds(6); i++)
		live_by_all_rules(&(struct world) {
			.slots = rnd_range(1, 3), .clients = rnd_range(2, 6),
			.low = rnd_range(1, 100), .high = rnd_range(1, 200),
			.stretch = rnd_range(8, 150),
		}, 3000, 1);
}

/* Two slots of low graphics memory, or less, and several slots of high, not all of it full. */
static void test_large(void **state)
{
	(void)state;
	for (u32 i = 0; i < rounds(1); i++)
		live_by_all_rules(&(struct world) {
			.slots = rnd_range(4, 8), .clients = 8, .low = rnd_range(1000, LOW),
			.high = rnd_range(1500, 4 * SLOT), .stretch = 500,
		}, 1000, 20);
}

/* As many slots as there can be, and the largest clients. */
static void test_largest(void **state)
{
	(void)state;
	live_by_all_rules(&(struct world) {
		.slots = 64, .clients = MAX_CLIENTS, .low = LOW, .high = 16 * SLOT,
		.stretch = 3000,
	}, 150 * rounds(1), 50);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_small),
		cmocka_unit_test(test_large),
		cmocka_unit_test(test_largest),
	};

	return run_tap_tests("core_loading_lives", tests);
}
