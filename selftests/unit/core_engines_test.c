// SPDX-License-Identifier: GPL-2.0
/* The timestamps of engines: how fast they count, and that they wrap. */
#include "test.h"
#include "core/regs/engines.h"

static void test_hz(void **state)
{
	(void)state;
	assert_int_equal(gslot_timestamp_hz(8, 0), 12500000);
	assert_int_equal(gslot_timestamp_hz(9, 0), 3000000);
	assert_int_equal(gslot_timestamp_hz(9, 4), 12000000);
	assert_int_equal(gslot_timestamp_hz(9, 6), 24000000);
}

/* Any time that a context ran for, with any wait before and after. */
static void test_ran(void **state)
{
	(void)state;
	assert_int_equal(gslot_context_ran(7, 7, 0), 0);
	assert_int_equal(gslot_context_ran(0xfffffff0, 0x10, 0x20), 0x20);
	for (unsigned int i = 0; i < rounds(100000); i++) {
		u64 ran = rnd64() >> (25 + rnd_below(30)), wait = rnd();
		u32 from = rnd();

		assert_int_equal(gslot_context_ran(from, from + ran, ran + wait), ran);
	}
	/* A clock that is a bit behind makes no round of it. */
	assert_int_equal(gslot_context_ran(0, 1000, 990), 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hz),
		cmocka_unit_test(test_ran),
	};

	return run_tap_tests("core_engines", tests);
}
