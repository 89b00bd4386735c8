// SPDX-License-Identifier: GPL-2.0
/*
 * Ranges that are being unmapped: when their pages may be pinned, and random lives.
 */
#include "test.h"
#include "unmaps.h"

static u64 left(u32 v, u64 time, u64 first, u64 last)
{
	return gslot_unmaps_time_left(&all, &vgpus[v].ranges, time, first, last);
}

static int setup(void **state)
{
	(void)state;
	start_life();
	return 0;
}

static void test_one(void **state)
{
	struct gslot_unmap_ranges *vgpu = &vgpus[0].ranges;

	(void)state;
	gslot_unmaps_begin(&all, vgpu, 5, 10, U64_MAX);
	assert_int_equal(left(0, 5, 0, 9), 0);
	assert_int_equal(left(0, 5000, 9, 10), U64_MAX);
	assert_int_equal(left(0, 5000, U64_MAX, U64_MAX), U64_MAX);
	gslot_unmaps_end(&all, vgpu, 5000);
	assert_int_equal(left(0, 5000, 10, 10), AFTER);
	assert_int_equal(left(0, 5000 + AFTER - 1, 10, 10), 1);
	assert_int_equal(left(0, 5000 + AFTER, 10, 10), 0);
}

/* One that was notified waits for those of its process that are notified later; no other does. */
static void test_several(void **state)
{
	(void)state;
	gslot_unmaps_begin(&all, &vgpus[4].ranges, 5, 1, 2);
	gslot_unmaps_end(&all, &vgpus[4].ranges, 6);
	gslot_unmaps_begin(&all, &vgpus[0].ranges, 5, 1, 2);
	gslot_unmaps_end(&all, &vgpus[0].ranges, 6);
	gslot_unmaps_begin(&all, &vgpus[1].ranges, 7, 1, 2);
	assert_int_equal(left(0, 5000, 2, 2), U64_MAX);
	for (u32 v = 2; v < VGPUS; v++)
		assert_int_equal(left(v, 5000, 2, 2), 0);
	gslot_unmaps_end(&all, &vgpus[1].ranges, 5000);
	assert_int_equal(left(0, 5000 + AFTER - 1, 2, 2), 1);
	assert_int_equal(left(0, 5000 + AFTER, 2, 2), 0);
}

/* A pin postpones the end if it began before it and is slow: of each vGPU once. */
static void test_slow_pins(void **state)
{
	struct gslot_unmap_ranges *vgpu = &vgpus[0].ranges;
	u64 end = 10 + AFTER;

	(void)state;
	gslot_unmaps_begin(&all, vgpu, 5, 1, 2);
	gslot_unmaps_end(&all, vgpu, 10);
	gslot_unmaps_pin_begin(&vgpus[1].ranges, end - 1);
	assert_int_equal(left(0, end + SLOW_PIN - 1, 2, 2), U64_MAX);
	gslot_unmaps_pin_end(&all, &vgpus[1].ranges, end + SLOW_PIN - 1);
	assert_int_equal(left(0, end + SLOW_PIN - 1, 2, 2), 0);

	gslot_unmaps_begin(&all, vgpu, 5, 1, 2);
	gslot_unmaps_end(&all, vgpu, 10);
	gslot_unmaps_pin_begin(&vgpus[1].ranges, end - 1);
	gslot_unmaps_pin_end(&all, &vgpus[1].ranges, end + SLOW_PIN);
	assert_int_equal(left(0, end + SLOW_PIN, 2, 2), AFTER);
	gslot_unmaps_pin_begin(&vgpus[1].ranges, end + SLOW_PIN);
	gslot_unmaps_pin_begin(&vgpus[4].ranges, 5);
	assert_int_equal(left(0, 5000, 2, 2), U64_MAX);
	gslot_unmaps_pin_end(&all, &vgpus[1].ranges, 5000);
	assert_int_equal(left(0, 5000, 2, 2), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_one, setup),
		cmocka_unit_test_setup(test_several, setup),
		cmocka_unit_test_setup(test_slow_pins, setup),
		cmocka_unit_test(test_lives),
	};

	return run_tap_tests("core_unmap_ranges", tests);
}
