// SPDX-License-Identifier: GPL-2.0
/*
 * The same lives with room for two ranges of each vGPU: a new one replaces the oldest.
 */
#define GSLOT_MAX_UNMAP_RANGES	2

#include "test.h"
#include "unmaps.h"
#include "core/mem/unmap_ranges.c"

static void add(struct gslot_unmap_ranges *vgpu, u64 time, u64 page)
{
	gslot_unmaps_begin(&all, vgpu, time, page, page);
	gslot_unmaps_end(&all, vgpu, time);
}

static bool blocked(struct gslot_unmap_ranges *vgpu, u64 time, u64 page)
{
	return gslot_unmaps_time_left(&all, vgpu, time, page, page);
}

/* The room is met exactly, and passed by one. */
static void test_oldest(void **state)
{
	struct gslot_unmap_ranges *vgpu = &vgpus[0].ranges;

	(void)state;
	all = (struct gslot_unmaps) { .after = AFTER, .slow_pin = SLOW_PIN };
	gslot_unmaps_add(&all, vgpu);
	add(vgpu, 10, 1);
	add(vgpu, 11, 2);
	assert_int_equal(all.count, 2);
	assert_true(blocked(vgpu, 11, 1) && blocked(vgpu, 11, 2));
	add(vgpu, 12, 3);
	assert_int_equal(all.count, 2);
	assert_true(!blocked(vgpu, 12, 1) && blocked(vgpu, 12, 2) && blocked(vgpu, 12, 3));
	/* The same range again takes no room, and is the youngest then. */
	add(vgpu, 13, 2);
	add(vgpu, 14, 4);
	assert_true(blocked(vgpu, 14, 2) && !blocked(vgpu, 14, 3) && blocked(vgpu, 14, 4));
	gslot_unmaps_remove(&all, vgpu);
	assert_int_equal(all.count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_oldest),
		cmocka_unit_test(test_lives),
	};

	return run_tap_tests("core_unmap_ranges_small", tests);
}
