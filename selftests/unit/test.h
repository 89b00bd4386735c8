/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What every unit test needs: cmocka with TAP output, and reproducible random
 * numbers.
 */
#ifndef UNIT_TEST_H
#define UNIT_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* xorshift64*; SEED= in the environment repeats a run. */
static uint64_t test_rng_state;

static inline void test_seed(void)
{
	const char *seed = getenv("SEED");

	test_rng_state = seed ? strtoull(seed, NULL, 0) : 0x9e3779b97f4a7c15ULL;
	if (!test_rng_state)
		test_rng_state = 1;
	printf("# SEED=%#llx\n", (unsigned long long)test_rng_state);
}

static inline uint64_t rnd64(void)
{
	test_rng_state ^= test_rng_state >> 12;
	test_rng_state ^= test_rng_state << 25;
	test_rng_state ^= test_rng_state >> 27;
	return test_rng_state * 0x2545f4914f6cdd1dULL;
}

static inline uint32_t rnd(void)
{
	return rnd64() >> 32;
}

/* 0 to n - 1 */
static inline uint32_t rnd_below(uint32_t n)
{
	return n ? rnd() % n : 0;
}

/* lo to hi */
static inline int rnd_range(int lo, int hi)
{
	return lo + (int)rnd_below(hi - lo + 1);
}

/* Number of rounds of a randomised test, times ROUNDS=. */
static inline unsigned rounds(unsigned n)
{
	const char *factor = getenv("ROUNDS");

	return factor ? n * (unsigned)strtoul(factor, NULL, 0) : n;
}

#define run_tap_tests(name, tests)					\
	(cmocka_set_message_output(CM_OUTPUT_TAP), test_seed(),		\
	 cmocka_run_group_tests_name(name, tests, NULL, NULL))

#endif
