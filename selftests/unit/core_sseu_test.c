// SPDX-License-Identifier: GPL-2.0
/* Contexts may power no more units than the fuses leave. */
#include "test.h"
#include "core/regs/sseu.h"
#include "gen/regs.h"

#define GT2	(1u << 25 | 8u << 20)	/* Skylake: a slice, three of four subslices */

static void test_fuses(void **state)
{
	const u32 none[3] = { 0 }, some[3] = { 0x00010300, 0, 0 };
	/* Broadwell GT3: three subslices a slice, bytes without a gap. */
	const u32 bdw[3] = { 0xff0f0f0f, 0xfffff0ff, 0xffffffff };
	struct gslot_sseu sseu;

	(void)state;
	gslot_sseu_init(&sseu, 9, GT2, none);
	assert_int_equal(sseu.slices, 1);
	assert_int_equal(sseu.subslices, 3);
	assert_int_equal(sseu.eus, 8);
	gslot_sseu_init(&sseu, 9, GT2, some);
	assert_int_equal(sseu.eus, 8);
	gslot_sseu_init(&sseu, 9, 7u << 25, none);
	assert_int_equal(sseu.slices, 3);
	assert_int_equal(sseu.subslices, 4);
	gslot_sseu_init(&sseu, 8, 1u << 25, bdw);
	assert_int_equal(sseu.slices, 1);
	assert_int_equal(sseu.subslices, 3);
	assert_int_equal(sseu.eus, 4);
	gslot_sseu_init(&sseu, 8, 2u << 25, bdw);
	assert_int_equal(sseu.eus, 4);		/* byte 5 */
	gslot_sseu_init(&sseu, 8, 4u << 25, bdw);
	assert_int_equal(sseu.eus, 0);
}

static u32 bits(u32 value, u32 shift, u32 n)
{
	return value >> shift & ((1u << n) - 1);
}

/* All values of all fields, for each GPU that there can be. */
static void test_limit(void **state)
{
	struct gslot_sseu sseu;

	(void)state;
	for (u32 i = 0; i < 3 * 4 * 8; i++) {
		sseu = (struct gslot_sseu) { 1 + i % 3, 1 + i / 3 % 4, 1 + i / 12 };
		for (u32 v = 0; v < 1u << 19; v++) {
			u32 got = gslot_sseu_limit(&sseu, v | PWR_CLK_ENABLE);
			u32 most = bits(got, 4, 4), least = bits(got, 0, 4);

			if (most < 1 || most > sseu.eus || least < 1 || least > most ||
			    bits(got, 15, 3) > sseu.slices || bits(got, 8, 3) > sseu.subslices ||
			    !(got & PWR_CLK_ENABLE))
				fail_msg("%#x becomes %#x", v, got);
			if ((got ^ v) & (PWR_CLK_SLICES_ENABLE | PWR_CLK_SUBSLICES_ENABLE))
				fail_msg("%#x becomes %#x", v, got);
			if (!!(v & PWR_CLK_SLICES_ENABLE) != !!bits(got, 15, 3))
				fail_msg("%#x becomes %#x", v, got);
		}
	}
}

/* A driver that reads the fuses gets what it requests. */
static void test_honest(void **state)
{
	const struct gslot_sseu sseu = { 1, 3, 8 }, none = { 0 };
	const u32 all = PWR_CLK_ENABLE | PWR_CLK_SLICES_ENABLE | 1u << 15 |
			PWR_CLK_SUBSLICES_ENABLE | 3u << 8 | 8u << 4 | 8;
	const u32 less = PWR_CLK_ENABLE | PWR_CLK_SUBSLICES_ENABLE | 1u << 8 | 6u << 4 | 2;

	(void)state;
	assert_int_equal(gslot_sseu_limit(&sseu, all), all);
	assert_int_equal(gslot_sseu_limit(&sseu, less), less);
	assert_int_equal(gslot_sseu_limit(&sseu, all & ~PWR_CLK_ENABLE), 0);
	assert_int_equal(gslot_sseu_limit(&sseu, 0xffffffff), all);
	assert_int_equal(gslot_sseu_limit(&none, all), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fuses),
		cmocka_unit_test(test_limit),
		cmocka_unit_test(test_honest),
	};

	return run_tap_tests("core_sseu", tests);
}
