// SPDX-License-Identifier: GPL-2.0
/* Interrupt storms: how many interrupts there are in a second, and how late one is at most. */
#include "test.h"
#include "core/sched/storm.h"

#define US	1000ull
#define SECOND	1000000000ull

/* Interrupts in ten seconds of a source that has one each @every ns. */
static u32 taken(u64 every, u64 *longest)
{
	struct gslot_storm storm = { };
	u64 now, until = 0, masked;
	u32 count = 0;

	*longest = 0;
	for (now = SECOND; now < 11 * SECOND; now += every) {
		if (now < until)
			continue;
		count++;
		masked = gslot_storm_event(&storm, now);
		if (masked)
			until = now + masked;
		*longest = masked > *longest ? masked : *longest;
	}
	return count;
}

static void test_usual(void **state)
{
	u64 longest;

	(void)state;
	assert_int_equal(taken(1000 * US, &longest), 10000);
	assert_int_equal(longest, 0);
	assert_int_equal(taken(250 * US, &longest), 40000);
	assert_int_equal(longest, 0);
}

static void test_storm(void **state)
{
	u64 longest;

	(void)state;
	for (u64 every = 1 * US; every < 250 * US; every += US) {
		u32 count = taken(every, &longest);

		assert_in_range(count, 10 * 1900, 10 * 4000 + GSLOT_STORM_BURST);
		assert_in_range(longest, 1000 * US, 16000 * US);
	}
}

/* A burst is masked for a moment, each time. */
static void test_burst(void **state)
{
	struct gslot_storm storm = { };
	u64 now = SECOND;

	(void)state;
	for (u32 burst = 0; burst < 10; burst++) {
		for (u32 i = 1; i < GSLOT_STORM_BURST; i++)
			assert_int_equal(gslot_storm_event(&storm, now += US), 0);
		assert_int_equal(gslot_storm_event(&storm, now += US), GSLOT_STORM_MIN_NS);
		now += 20000 * US;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_usual),
		cmocka_unit_test(test_storm),
		cmocka_unit_test(test_burst),
	};

	return run_tap_tests("core_storm", tests);
}
