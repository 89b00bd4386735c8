// SPDX-License-Identifier: GPL-2.0
/*
 * Fences: with all pitches and many sizes, a fence is valid exactly if the detiled address of each
 * byte in it is in it.
 */
#include "test.h"
#include "core/gtt/fence.h"

#define PAGE		4096ull
#define LOW_SIZE	(64ull << 20)
/* What stays together in all tilings. */
#define PIECE		16

static u64 fence(u64 start, u64 size, u32 pitch, bool y)
{
	u64 hi = ((start + size - PAGE) & FENCE_END) | (pitch / 128 - 1);

	return hi << 32 | start | (y ? FENCE_TILE_Y : 0) | FENCE_VALID;
}

/* Where the hardware finds byte @offset of a fence, counted from its start. */
static u64 detile(u64 offset, u32 pitch, bool y)
{
	u64 col = offset % pitch, row = offset / pitch;

	if (y)
		return (row / 32 * (pitch / 128) + col / 128) * PAGE +
		       col % 128 / 16 * 512 + row % 32 * 16 + col % 16;
	return (row / 8 * (pitch / 512) + col / 512) * PAGE + row % 8 * 512 + col % 512;
}

/* Tries pieces of [from, size); @step 16 tries them all. */
static bool stays(u64 from, u64 size, u32 pitch, bool y, u32 step)
{
	for (u64 offset = from; offset < size; offset += step)
		if (detile(offset, pitch, y) + PIECE > size)
			return false;
	return true;
}

static void check(u64 size, u32 pitch, bool y, bool expect)
{
	u64 value = fence(LOW_SIZE - size, size, pitch, y);

	if (gslot_fence_confine(value, LOW_SIZE) != (expect ? value : 0))
		fail_msg("%s, pitch %u, %llu pages: should %swork", y ? "Y" : "X", pitch,
			 (unsigned long long)(size / PAGE), expect ? "" : "not ");
}

/* Every pitch, every size up to two rows of tiles or 64 pages: all bytes. */
static void test_small(void **state)
{
	(void)state;
	for (int y = 0; y < 2; y++) {
		u32 width = y ? 128 : 512;

		for (u32 pitch = width; pitch <= 32 * width; pitch += width)
			for (u64 size = PAGE; size <= 64 * PAGE; size += PAGE)
				check(size, pitch, y, stays(0, size, pitch, y, PIECE));
	}
}

/* All pitches that there are, around whole rows of tiles. */
static void test_large(void **state)
{
	(void)state;
	for (int y = 0; y < 2; y++) {
		u32 width = y ? 128 : 512;

		for (u32 pitch = width; pitch <= 2048 * 128; pitch += width) {
			u64 row = pitch / width * PAGE;

			for (u64 size = row; size <= 2 * row; size += row) {
				/* One place of each tile in the middle, all of the last lines. */
				u64 lines = size - 2 * pitch;

				check(size, pitch, y, stays(0, size, pitch, y, width) &&
				      stays(lines, size, pitch, y, PIECE));
				check(size + PAGE, pitch, y,
				      stays(size, size + PAGE, pitch, y, PIECE));
				if (size > PAGE)
					check(size - PAGE, pitch, y,
					      stays(0, size - PAGE, pitch, y, PIECE));
			}
		}
	}
}

/* No manual says what the hardware does with a part of a tile. */
static void test_part_of_a_tile(void **state)
{
	(void)state;
	for (u32 pitch = 128; pitch <= 4096; pitch += 128)
		if (pitch % 512)
			for (u64 size = PAGE; size <= 64 * PAGE; size += PAGE)
				check(size, pitch, false, false);
}

static void test_wide(void **state)
{
	(void)state;
	check(8 << 20, 2048 * 128, true, true);
	for (u32 pitch = 2049 * 128; pitch <= 4096 * 128; pitch += 128)
		check(pitch / 128 * PAGE, pitch, true, false);
}

static void test_range(void **state)
{
	u64 good = fence(0, 8 * PAGE, 1024, true);

	(void)state;
	assert_int_equal(gslot_fence_confine(good, 8 * PAGE), good);
	assert_int_equal(gslot_fence_confine(good, 8 * PAGE - 1), 0);
	assert_int_equal(gslot_fence_confine(good & ~(u64)FENCE_VALID, LOW_SIZE), 0);
	/* Backwards, and beyond low graphics memory. */
	assert_int_equal(gslot_fence_confine(good | 16 * PAGE,
					     LOW_SIZE), 0);
	assert_int_equal(gslot_fence_confine(fence(LOW_SIZE, 8 * PAGE, 1024, true), LOW_SIZE), 0);
	assert_int_equal(gslot_fence_confine(fence(0xffff8000, 8 * PAGE, 1024, true), LOW_SIZE), 0);
	/* Bits that mean nothing do not reach the hardware. */
	assert_int_equal(gslot_fence_confine(good | 0xffc, LOW_SIZE), good);
}

/* A fence that was moved shows the same bytes, row by row. */
static void check_elsewhere(u64 value)
{
	u64 start = gslot_fence_start(value), size = gslot_fence_last(value) + 1 - start;
	u64 place = (u64)(rnd() % (65536 - (u32)(size / PAGE))) * PAGE;
	u64 there = gslot_fence_at(value, place);

	assert_int_equal(gslot_fence_start(there), place);
	assert_int_equal(gslot_fence_last(there) + 1 - place, size);
	assert_int_equal(gslot_fence_confine(there, 65536 * PAGE), there);
	assert_int_equal(gslot_fence_at(there, start), value);
	assert_int_equal(size / PAGE % gslot_fence_row_pages(value), 0);
}

/* A page shows only bytes of its row. */
static void test_rows(void **state)
{
	(void)state;
	for (int y = 0; y < 2; y++) {
		u32 width = y ? 128 : 512;

		for (u32 pitch = width; pitch <= 64 * width; pitch += width) {
			u64 size = 4 * (pitch / width) * PAGE;
			u64 value = gslot_fence_confine(fence(0, size, pitch, y), LOW_SIZE);
			u64 row = gslot_fence_row_pages(value) * PAGE;

			assert_int_equal(row, size / 4);
			for (u64 offset = 0; offset < size; offset += PIECE)
				assert_int_equal(detile(offset, pitch, y) / row, offset / row);
		}
	}
}

/* A random fence that passes shows only bytes in it. */
static void test_random(void **state)
{
	unsigned working = 0;

	(void)state;
	for (unsigned i = 0; i < rounds(200000); i++) {
		u64 value = rnd64() & 0x03fff7ff03fff003ull, out;
		u64 start, size;
		u32 pitch;

		/* Few pitches divide anything at random. */
		value &= ~((u64)(rnd() & FENCE_PITCH) << 32);
		out = gslot_fence_confine(value, LOW_SIZE);
		if (!out)
			continue;
		working++;
		start = gslot_fence_start(out);
		size = gslot_fence_last(out) + 1 - start;
		pitch = ((out >> 32 & FENCE_PITCH) + 1) * 128;
		assert_true(start + size <= LOW_SIZE);
		assert_true(stays(0, size, pitch, out & FENCE_TILE_Y, 65536 + PIECE));
		check_elsewhere(out);
	}
	assert_true(working > 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_small),
		cmocka_unit_test(test_large),
		cmocka_unit_test(test_part_of_a_tile),
		cmocka_unit_test(test_wide),
		cmocka_unit_test(test_range),
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_random),
	};

	return run_tap_tests("core: fences", tests);
}
