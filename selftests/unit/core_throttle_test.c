// SPDX-License-Identifier: GPL-2.0
/*
 * CPU time that may be used: by examples, and in random sequences by the bound that throttle.h
 * states, over all spans of time; and a user that wants it gets all that is due.
 */
#include "test.h"
#include "core/sched/throttle.h"

#define MS	1000000ull
#define SECOND	1000000000ull

static struct gslot_throttle t;
static u64 now, used;

static void fresh(u32 rate)
{
	t = (struct gslot_throttle) { };
	now = 77 * SECOND + 3;
	used = 5 * SECOND;
	gslot_throttle_set(&t, now, used, rate);
}

static u64 ask(void)
{
	return gslot_throttle_wait(&t, now, used);
}

/* One thread: it takes at least as long as it costs. */
static void use(u64 ns)
{
	now += ns;
	used += ns;
}

/* How long before the end of its wait the user may go on if it asks. */
static u64 spare(void)
{
	return gslot_bucket_fill_time(&t.bucket, GSLOT_THROTTLE_WAKE_LEVEL(t.bucket.rate)) -
	       gslot_bucket_fill_time(&t.bucket, GSLOT_THROTTLE_GO_LEVEL(t.bucket.rate));
}

/* The user waits for @ns; it may go on spare() before that, and not earlier. */
static void expect_wait(u64 ns)
{
	u64 least = ns - spare();

	assert_int_equal(ask(), ns);
	now += least - 1;
	assert_int_equal(ask(), spare() + 1);
	now += 1;
	assert_int_equal(ask(), 0);
	now += spare();
}

/* The user empties its bucket, and waits; does it go on if waking up costs @cost ns? */
static bool goes_on(u32 rate, u64 cost)
{
	fresh(rate);
	used += GSLOT_THROTTLE_BURST(rate);
	now += ask();
	used += cost;
	return !ask();
}

/* What waking up may cost; at these rates no time is rounded. */
static void test_waking(void **state)
{
	static const struct {
		u32 rate;
		u64 most;	/* ns */
	} row[] = {
		{ GSLOT_THROTTLE_LEAST, 5 * MS / 8 }, { 100, 10 * MS / 8 }, { 500, 50 * MS / 8 },
	};

	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(row); i++) {
		assert_true(goes_on(row[i].rate, 0));
		assert_true(goes_on(row[i].rate, row[i].most));
		assert_false(goes_on(row[i].rate, row[i].most + 1));
	}
}

static void test_burst(void **state)
{
	(void)state;
	fresh(100);
	assert_int_equal(ask(), 0);
	used += 10 * MS - 1;
	assert_int_equal(ask(), 0);
	used += 1;
	expect_wait(25 * MS);
	/* A quarter of the bucket; and all of it, however long the user waits. */
	now += 3600 * SECOND;
	assert_int_equal(ask(), 0);
	used += 10 * MS;
	expect_wait(25 * MS);
}

static void test_least(void **state)
{
	(void)state;
	fresh(GSLOT_THROTTLE_LEAST);
	used += 4 * MS;
	assert_int_equal(ask(), 0);
	used += 2 * MS;
	expect_wait(100 * MS + 125 * MS);
}

static void test_debt(void **state)
{
	(void)state;
	fresh(GSLOT_THROTTLE_LEAST);
	/* Of what took half a minute a second is owed. */
	used += 30 * SECOND;
	expect_wait(100 * SECOND + 125 * MS);
	fresh(500);
	used += 1ull << 62;
	expect_wait(2 * SECOND + 25 * MS);
}

/*
 * Each call forgives what is owed beyond a second, also what is used by asking too early: a third
 * of the time, at a limit of a hundredth. So the worker does not let a guest have it ask.
 */
static void test_forgiven(void **state)
{
	const u64 each = 20000;

	(void)state;
	fresh(GSLOT_THROTTLE_LEAST);
	used += SECOND + 5 * MS;
	for (u32 i = 0; i < 1000; i++) {
		assert_int_equal(ask(), 100 * SECOND + 125 * MS);
		now += 3 * each;
		used += each;
	}
}

static void test_no_bound(void **state)
{
	(void)state;
	t = (struct gslot_throttle) { };
	assert_int_equal(gslot_throttle_wait(&t, 1, 1), 0);
	fresh(GSLOT_THROTTLE_ALL);
	for (u32 i = 0; i < 1000; i++) {
		used += SECOND;
		assert_int_equal(ask(), 0);
	}
	/* What was used without a bound is not owed. */
	gslot_throttle_set(&t, now, used, 100);
	assert_int_equal(ask(), 0);
	used += 10 * MS;
	expect_wait(25 * MS);
}

static void test_change(void **state)
{
	(void)state;
	fresh(10);
	used += 105 * MS;
	assert_int_equal(ask(), 10 * SECOND + 125 * MS);
	/* 100 ms are owed: it takes a second to have them back at this rate, and 25 ms to go on. */
	gslot_throttle_set(&t, now, used, 100);
	expect_wait(SECOND + 25 * MS);
	/*
	 * What is left stays, as far as the new bucket holds it; what was used meanwhile is taken
	 * out.
	 */
	fresh(1000);
	gslot_throttle_set(&t, now, used, 900);
	used += 60 * MS;
	gslot_throttle_set(&t, now, used, 200);
	used += 20 * MS;
	expect_wait(25 * MS);
	/* Without a bound the user goes on at once, and begins with a full bucket. */
	used += SECOND;
	assert_true(ask() > 0);
	gslot_throttle_set(&t, now, used, GSLOT_THROTTLE_ALL);
	assert_int_equal(ask(), 0);
	gslot_throttle_set(&t, now, used, 100);
	assert_int_equal(ask(), 0);
}

/* As much as was due by then, at @rate. */
static double due(u32 rate)
{
	return (double)now * rate / 1000;
}

static void test_random(void **state)
{
	(void)state;
	for (u32 left_rounds = rounds(400); left_rounds; left_rounds--) {
		u32 rate = rnd_range(GSLOT_THROTTLE_LEAST, GSLOT_THROTTLE_ALL - 1);
		u64 most = 1 + rnd_below(1u << rnd_range(4, 29));
		bool eager = rnd_below(2);
		double least, first, excess;

		fresh(rate);
		first = used - due(rate);
		least = first;
		for (u32 i = 0; i < 500; i++) {
			u64 wait = ask();

			excess = used - due(rate);
			if (eager)
				assert_true(excess >= first - GSLOT_THROTTLE_BURST(rate));
			if (excess < least)
				least = excess;
			if (wait && rnd_below(3)) {
				u64 left = rnd64() % (wait + 1);

				/* At least half of these ask when they may go on. */
				if (rnd_below(2))
					left %= spare() + 1;
				now += wait - left;
				assert_int_equal(ask(), left > spare() ? left : 0);
				if (left > spare())
					now += left;
				assert_int_equal(ask(), 0);
			} else if (wait) {
				now += wait;
			}
			if (!eager && !rnd_below(4))
				now += rnd_below(200 * MS);
			excess = used - due(rate);
			if (excess < least)
				least = excess;
			if (ask())
				continue;
			use(1 + rnd64() % most);
			excess = used - due(rate);
			assert_true(excess - least <= GSLOT_THROTTLE_BURST(rate) + most + 1);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_burst),
		cmocka_unit_test(test_waking),
		cmocka_unit_test(test_least),
		cmocka_unit_test(test_debt),
		cmocka_unit_test(test_forgiven),
		cmocka_unit_test(test_no_bound),
		cmocka_unit_test(test_change),
		cmocka_unit_test(test_random),
	};

	return run_tap_tests("core_throttle", tests);
}
