// SPDX-License-Identifier: GPL-2.0
/* Rings: all states of small ones, against a ring that is filled byte by byte. */
#include "test.h"
#include "core/cmd/ring.h"

#define MAX_SIZE	12

/* Are all units of [from, to) free, and does the tail not reach the head? */
static bool fits(u32 size, u32 head, u32 position, u32 tail)
{
	bool busy[MAX_SIZE] = { false };

	for (u32 i = head; i != position; i = (i + 1) % size)
		busy[i] = true;
	for (u32 i = position; i != tail; i = (i + 1) % size) {
		if (busy[i])
			return false;
		busy[i] = true;
	}
	/* A full ring looks like an empty one to the hardware. */
	return tail != head || head == position;
}

static void test_exhaustive(void **state)
{
	u32 room = 0, none = 0;

	(void)state;
	for (u32 size = 1; size <= MAX_SIZE; size++)
		for (u32 head = 0; head < size; head++)
			for (u32 position = 0; position < size; position++)
				for (u32 tail = 0; tail < size; tail++) {
					bool want = fits(size, head, position, tail);

					assert_int_equal(gslot_ring_has_room(size, head, position,
									     tail), want);
					room += want;
					none += !want;
				}
	assert_true(room > 1000 && none > 1000);
}

static void test_distance(void **state)
{
	(void)state;
	assert_int_equal(gslot_ring_distance(0x4000, 0, 0), 0);
	assert_int_equal(gslot_ring_distance(0x4000, 8, 0), 0x3ff8);
	assert_int_equal(gslot_ring_distance(0x4000, 0, 0x3ff8), 0x3ff8);
	assert_int_equal(gslot_ring_distance(0x200000, 0x1ffff8, 8), 0x10);
}

/* What a guest tried: a tail that comes around over commands not yet executed. */
static void test_wrap_over_commands(void **state)
{
	(void)state;
	assert_false(gslot_ring_has_room(0x4000, 0, 0x2000, 0x1ff8));
	assert_false(gslot_ring_has_room(0x4000, 0, 0x2000, 0));
	assert_true(gslot_ring_has_room(0x4000, 0, 0x2000, 0x3ff8));
	assert_true(gslot_ring_has_room(0x4000, 0x2000, 0x2000, 0x1ff8));
	assert_true(gslot_ring_has_room(0x4000, 0x2000, 0x2000, 0x2000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exhaustive),
		cmocka_unit_test(test_distance),
		cmocka_unit_test(test_wrap_over_commands),
	};

	return run_tap_tests("ring", tests);
}
