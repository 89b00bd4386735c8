// SPDX-License-Identifier: GPL-2.0
/* Histograms of times: which bucket, its bounds, and percentiles. */
#include "test.h"
#include "core/sched/histogram.h"

#define US	1000ull
#define LAST	(GSLOT_HISTOGRAM_BUCKETS - 1)

/* The one bucket that a time is counted in. */
static u32 bucket_of(u64 ns)
{
	struct gslot_histogram h = { };
	u32 i, found = ~0u;

	gslot_histogram_add(&h, ns);
	assert_int_equal(gslot_histogram_total(&h), 1);
	for (i = 0; i < GSLOT_HISTOGRAM_BUCKETS; i++)
		if (h.count[i])
			found = i;
	return found;
}

static void test_bounds(void **state)
{
	u32 i;

	(void)state;
	assert_int_equal(bucket_of(0), 0);
	assert_int_equal(bucket_of(US - 1), 0);
	assert_int_equal(bucket_of(US), 0);
	assert_int_equal(gslot_histogram_from_us(0), 0);
	for (i = 0; i < LAST; i++) {
		u64 end = gslot_histogram_to_us(i);

		assert_int_equal(end, (u64)2 << i);
		assert_int_equal(gslot_histogram_from_us(i + 1), end);
		assert_int_equal(bucket_of(end * US - 1), i);
		assert_int_equal(bucket_of(end * US), i + 1);
	}
	assert_true(gslot_histogram_to_us(LAST) == U64_MAX);
	assert_int_equal(bucket_of(~0ull), LAST);
}

/* Every time is in the bucket that says so, and in no other. */
static void test_any(void **state)
{
	(void)state;
	for (u32 shift = 0; shift < 64; shift++) {
		for (u64 k = 1; k < 8; k++) {
			u64 ns = (k << shift) - 1, us = ns / US;
			u32 bucket = bucket_of(ns);

			assert_true(us >= gslot_histogram_from_us(bucket));
			assert_true(us < gslot_histogram_to_us(bucket));
		}
	}
}

static void test_percentiles(void **state)
{
	struct gslot_histogram h = { };
	u32 i;

	(void)state;
	assert_int_equal(gslot_histogram_percentile_us(&h, 500), 0);
	for (i = 0; i < 99; i++)
		gslot_histogram_add(&h, 10 * US);
	gslot_histogram_add(&h, 5000 * US);
	assert_int_equal(gslot_histogram_percentile_us(&h, 1), 16);
	assert_int_equal(gslot_histogram_percentile_us(&h, 500), 16);
	assert_int_equal(gslot_histogram_percentile_us(&h, 990), 16);
	assert_int_equal(gslot_histogram_percentile_us(&h, 991), 8192);
	assert_int_equal(gslot_histogram_percentile_us(&h, 1000), 8192);
	gslot_histogram_add(&h, ~0ull);
	assert_true(gslot_histogram_percentile_us(&h, 1000) == U64_MAX);
}

/* What has been counted for years does not overflow. */
static void test_many(void **state)
{
	struct gslot_histogram h = { .count = { [3] = ~0ull / 4, [7] = ~0ull / 4 } };

	(void)state;
	assert_int_equal(gslot_histogram_percentile_us(&h, 499), 16);
	assert_int_equal(gslot_histogram_percentile_us(&h, 502), 256);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_any),
		cmocka_unit_test(test_percentiles),
		cmocka_unit_test(test_many),
	};

	return run_tap_tests("core_histogram", tests);
}
