// SPDX-License-Identifier: GPL-2.0
/*
 * Tilings and fences, against definitions by address bits and by division and
 * remainder.
 */
#include "test.h"
#include "gen9_tile.h"
#include "gen/regs.h"

/* Address bits inside a tile, the most significant one first, by tiling. */
static const struct layout {
	Gen9Tiling tiling;
	unsigned cpp;
	const char *bits;
} layouts[] = {
	{ GEN9_TILING_X, 0, "yyyxxxxxxxxx" },
	{ GEN9_TILING_Y, 0, "xxxyyyyyxxxx" },
	{ GEN9_TILING_YF, 1, "xyxyyyyyxxxx" },
	{ GEN9_TILING_YF, 2, "xyxyxyyyxxxx" },
	{ GEN9_TILING_YF, 4, "xyxyxyyyxxxx" },
	{ GEN9_TILING_YF, 8, "xyxyxyxyxxxx" },
	{ GEN9_TILING_YF, 16, "xyxyxyxyxxxx" },
	{ GEN9_TILING_YS, 1, "xyxyxyxyyyyyxxxx" },
	{ GEN9_TILING_YS, 4, "xyxyxyxyxyyyxxxx" },
	{ GEN9_TILING_YS, 16, "xyxyxyxyxyxyxxxx" },
};

static unsigned count(const char *s, char c)
{
	unsigned n = 0;

	for (; *s; s++)
		n += *s == c;
	return n;
}

static uint32_t by_layout(const char *bits, uint32_t x, uint32_t y)
{
	unsigned xb = count(bits, 'x'), yb = count(bits, 'y');
	uint32_t out = 0;

	for (; *bits; bits++)
		out = out << 1 | ((*bits == 'x' ? x >> --xb : y >> --yb) & 1);
	return out;
}

static void test_swizzle(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(layouts); i++) {
		const struct layout *l = &layouts[i];
		unsigned xb = count(l->bits, 'x'), yb = count(l->bits, 'y');

		assert_int_equal(gen9_tile_width_shift(l->tiling, l->cpp), xb);
		assert_int_equal(gen9_tile_height_shift(l->tiling, l->cpp), yb);
		for (uint32_t y = 0; y < 1u << yb; y++)
			for (uint32_t x = 0; x < 1u << xb; x++)
				assert_int_equal(gen9_tile_swizzle(l->tiling, l->cpp, x, y),
						 by_layout(l->bits, x, y));
	}
}

/* Each byte of a surface has exactly one address. */
static void test_bijective(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(layouts); i++) {
		const struct layout *l = &layouts[i];
		unsigned w = 1u << count(l->bits, 'x');
		unsigned h = 1u << count(l->bits, 'y');
		unsigned pitch = 3 * w, rows = 2 * h;
		uint8_t *seen = calloc(pitch, rows);

		for (uint32_t y = 0; y < rows; y++) {
			for (uint32_t x = 0; x < pitch; x++) {
				uint64_t o = gen9_tile_offset(l->tiling, pitch,
							      l->cpp, x, y);

				assert_true(o < (uint64_t)pitch * rows);
				assert_false(seen[o]);
				seen[o] = 1;
			}
		}
		free(seen);
	}
}

static void test_offset(void **state)
{
	(void)state;
	for (unsigned i = 0; i < rounds(200000); i++) {
		uint32_t x = rnd_below(1 << 17), y = rnd_below(1 << 15);
		uint32_t pitch = (rnd_below(255) + 1) * 512;

		assert_int_equal(gen9_tile_offset(GEN9_TILING_LINEAR, pitch, 4,
						  x, y),
				 (uint64_t)y * pitch + x);
		assert_int_equal(gen9_tile_offset(GEN9_TILING_X, pitch, 4, x, y),
				 ((uint64_t)(y / 8) * (pitch / 512) + x / 512) *
				 4096 + y % 8 * 512 + x % 512);
		assert_int_equal(gen9_tile_offset(GEN9_TILING_Y, pitch, 4, x, y),
				 ((uint64_t)(y / 32) * (pitch / 128) + x / 128) *
				 4096 + x % 128 / 16 * 512 + y % 32 * 16 +
				 x % 16);
	}
}

static void set_fence(uint32_t *fences, int i, uint32_t start, uint32_t size,
		      uint32_t pitch, bool y)
{
	fences[2 * i] = start | FENCE_VALID | (y ? FENCE_TILE_Y : 0);
	fences[2 * i + 1] = (start + size - 0x1000) | (pitch / 128 - 1);
}

static void test_fence_none(void **state)
{
	uint32_t fences[64] = { 0 };
	uint64_t out;

	(void)state;
	assert_false(gen9_fence_translate(fences, 0x1234567, &out));
	assert_int_equal(out, 0x1234567);
	set_fence(fences, 3, 0x100000, 0x10000, 512, false);
	assert_false(gen9_fence_translate(fences, 0xfffff, &out));
	assert_int_equal(out, 0xfffff);
	assert_false(gen9_fence_translate(fences, 0x110000, &out));
	assert_int_equal(out, 0x110000);
	fences[6] &= ~FENCE_VALID;
	assert_false(gen9_fence_translate(fences, 0x100000, &out));
}

static void test_fence_tiled(void **state)
{
	uint32_t fences[64];

	(void)state;
	for (unsigned i = 0; i < rounds(50000); i++) {
		bool y_tiled = rnd() & 1;
		uint32_t tw = y_tiled ? 128 : 512;
		uint32_t pitch = (rnd_below(64) + 1) * tw;
		uint32_t start = rnd_below(0x4000) << 12;
		uint32_t size = (rnd_below(0x4000) + 1) << 12;
		uint32_t o = rnd_below(size);
		uint64_t out;

		memset(fences, 0, sizeof(fences));
		set_fence(fences, rnd_below(32), start, size, pitch, y_tiled);
		assert_true(gen9_fence_translate(fences, start + o, &out));
		assert_int_equal(out, start +
			gen9_tile_offset(y_tiled ? GEN9_TILING_Y : GEN9_TILING_X,
					 pitch, 4, o % pitch, o / pitch));
	}
}

static void test_fence_priority(void **state)
{
	uint32_t fences[64] = { 0 };
	uint64_t out;

	(void)state;
	set_fence(fences, 5, 0x100000, 0x10000, 512, false);
	set_fence(fences, 9, 0x100000, 0x10000, 1024, true);
	assert_true(gen9_fence_translate(fences, 0x100200, &out));
	assert_int_equal(out, 0x100000 + 512);	/* row 1 of an X tile */
}

/* Random registers: no crash, and aligned 16 bytes stay together. */
static void test_fence_garbage(void **state)
{
	uint32_t fences[64];

	(void)state;
	for (unsigned i = 0; i < rounds(100000); i++) {
		uint64_t base = rnd_below(0x10000000) & ~15u, first, out;

		for (int k = 0; k < 64; k++)
			fences[k] = rnd_below(4) ? rnd() : rnd_below(2) - 1;
		gen9_fence_translate(fences, base, &first);
		for (int k = 0; k < 16; k++) {
			gen9_fence_translate(fences, base + k, &out);
			assert_int_equal(out, first + k);
		}
		gen9_fence_translate(fences, rnd64(), &out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_swizzle),
		cmocka_unit_test(test_bijective),
		cmocka_unit_test(test_offset),
		cmocka_unit_test(test_fence_none),
		cmocka_unit_test(test_fence_tiled),
		cmocka_unit_test(test_fence_priority),
		cmocka_unit_test(test_fence_garbage),
	};

	return run_tap_tests("model_tile", tests);
}
