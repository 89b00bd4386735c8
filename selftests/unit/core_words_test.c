// SPDX-License-Identifier: GPL-2.0
/* Comparing words: each bit of a table makes a difference, and nothing behind its end. */
#include "test.h"
#include "core/gtt/words.h"

#define WORDS	512

static void test_each_bit(void **state)
{
	u64 a[WORDS], b[WORDS];

	(void)state;
	for (u32 i = 0; i < WORDS; i++)
		a[i] = i * 0x9e3779b97f4a7c15ull;
	memcpy(b, a, sizeof(b));
	assert_false(gslot_words_differ(a, b, WORDS));
	for (u32 bit = 0; bit < WORDS * 64; bit++) {
		b[bit / 64] ^= 1ull << bit % 64;
		assert_true(gslot_words_differ(a, b, WORDS));
		b[bit / 64] ^= 1ull << bit % 64;
	}
	assert_false(gslot_words_differ(a, b, WORDS));
}

static void test_end(void **state)
{
	u64 a[WORDS] = { 0 }, b[WORDS] = { 0 };

	(void)state;
	for (u32 count = 0; count < WORDS; count += GSLOT_WORDS_STEP) {
		b[count] = 1;
		assert_false(gslot_words_differ(a, b, count));
		assert_true(gslot_words_differ(a, b, count + GSLOT_WORDS_STEP));
		b[count] = 0;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_bit),
		cmocka_unit_test(test_end),
	};

	return run_tap_tests("words", tests);
}
