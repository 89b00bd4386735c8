// SPDX-License-Identifier: GPL-2.0
/*
 * The monitor: utilisation over a window, and which vGPUs are idle; by examples, and in random
 * walks against an oracle that keeps every reading and computes from all of them what it is asked.
 */
#include "test.h"
#include "core/place/monitor.h"

#define SECOND		GSLOT_MONITOR_PERIOD_NS
#define LONGEST		GSLOT_MONITOR_LONGEST_NS
#define IDLE_AFTER	(20 * SECOND)
#define HISTORY		2000

static struct gslot_monitor_client client;
static struct gslot_monitor_reading reading;

static void begin(u64 now)
{
	reading = (struct gslot_monitor_reading) { .now = now };
	gslot_monitor_begin(&client, &reading);
}

/* @ns pass, of which the GPU is used for @busy_ns. */
static void pass(u64 ns, u64 busy_ns)
{
	reading.now += ns;
	reading.busy_ns += busy_ns;
	gslot_monitor_sample(&client, &reading, IDLE_AFTER);
}

static void test_mean(void **state)
{
	u32 i;

	(void)state;
	begin(12345 * SECOND);
	assert_int_equal(client.use, 0);
	assert_int_equal(gslot_monitor_last(&client), 0);
	assert_false(client.idle);
	/* While it is young: of the time that there was. */
	pass(SECOND, SECOND / 2);
	assert_int_equal(client.use, 500);
	assert_int_equal(gslot_monitor_last(&client), 500);
	pass(SECOND, 0);
	assert_int_equal(client.use, 250);
	assert_int_equal(gslot_monitor_last(&client), 0);
	for (i = 2; i < GSLOT_MONITOR_SAMPLES; i++)
		pass(SECOND, 0);
	assert_int_equal(client.use, 25);
	/* The one that had something leaves the window. */
	pass(SECOND, 0);
	assert_int_equal(client.use, 0);
	for (i = 1; i <= GSLOT_MONITOR_SAMPLES; i++) {
		pass(SECOND, SECOND);
		assert_int_equal(client.use, i * 50);
	}
	pass(SECOND, SECOND);
	assert_int_equal(client.use, 1000);
	pass(SECOND / 2, SECOND / 8);
	assert_int_equal(gslot_monitor_last(&client), 250);
}

/* By the time that passed, not by the number of readings. */
static void test_irregular(void **state)
{
	u32 i;

	(void)state;
	begin(0);
	pass(3 * SECOND, 3 * SECOND);
	pass(SECOND / 2, 0);
	pass(SECOND / 2, 0);
	assert_int_equal(client.use, 750);
	begin(0);
	for (i = 0; i < 100; i++)
		pass(1, 1);
	assert_int_equal(client.use, 1000);
	pass(SECOND, 0);
	assert_int_equal(client.use, 0);
}

/* Several engines at once are not more than all of the GPU. */
static void test_engines(void **state)
{
	(void)state;
	begin(0);
	pass(SECOND, 4 * SECOND);
	assert_int_equal(client.use, 1000);
	pass(SECOND, 0);
	assert_int_equal(client.use, 500);
	pass(SECOND, UINT64_MAX / 2);
	assert_int_equal(client.use, 666);
}

static void test_idle(void **state)
{
	u32 i;

	(void)state;
	begin(0);
	for (i = 1; i < 20; i++) {
		pass(SECOND, 0);
		assert_false(client.idle);
	}
	pass(SECOND, 0);
	assert_true(client.idle);
	/* Awake with the first reading that shows anything, of each kind. */
	reading.requests++;
	pass(SECOND, 0);
	assert_false(client.idle);
	for (i = 0; i < 20; i++)
		pass(SECOND, 0);
	assert_true(client.idle);
	pass(SECOND, 1);
	assert_false(client.idle);
	for (i = 0; i < 20; i++)
		pass(SECOND, 0);
	assert_true(client.idle);
	reading.pending = true;
	pass(SECOND, 0);
	assert_false(client.idle);
	/* For as long as it waits for its turn. */
	for (i = 0; i < 100; i++)
		pass(SECOND, 0);
	assert_false(client.idle);
	assert_int_equal(client.use, 0);
	reading.pending = false;
	for (i = 0; i < 19; i++)
		pass(SECOND, 0);
	assert_false(client.idle);
	pass(SECOND, 0);
	assert_true(client.idle);
}

/* Another threshold counts from the next reading on, for the time that has passed already. */
static void test_threshold(void **state)
{
	u32 i;

	(void)state;
	begin(0);
	for (i = 0; i < 5; i++)
		pass(SECOND, 0);
	assert_false(client.idle);
	reading.now += SECOND;
	gslot_monitor_sample(&client, &reading, 6 * SECOND);
	assert_true(client.idle);
	reading.now += SECOND;
	gslot_monitor_sample(&client, &reading, 8 * SECOND);
	assert_false(client.idle);
	reading.now += SECOND;
	gslot_monitor_sample(&client, &reading, UINT64_MAX);
	assert_false(client.idle);
	reading.now += 1;
	gslot_monitor_sample(&client, &reading, 1);
	assert_true(client.idle);
	/* Work is work whatever the threshold. */
	reading.now += SECOND;
	reading.requests++;
	gslot_monitor_sample(&client, &reading, 0);
	assert_false(client.idle);
}

/* A jump of the clock is one interval of five seconds at most, and makes no vGPU idle by itself. */
static void test_jump(void **state)
{
	static const u64 jumps[] = { 6 * SECOND, 3600 * SECOND, 1ull << 55, 1ull << 63 };
	u32 i, k;

	(void)state;
	for (k = 0; k < ARRAY_SIZE(jumps); k++) {
		begin(7);
		for (i = 0; i < GSLOT_MONITOR_SAMPLES; i++)
			pass(SECOND, SECOND);
		pass(jumps[k], 0);
		assert_false(client.idle);
		assert_int_equal(client.use, 1000 * 19 / 24);
		for (i = 1; i < GSLOT_MONITOR_SAMPLES; i++)
			pass(SECOND, SECOND);
		assert_int_equal(client.use, 1000 * 19 / 24);
		pass(SECOND, SECOND);
		assert_int_equal(client.use, 1000);
		/* What was used in it counts in proportion. */
		begin(7);
		pass(jumps[k], jumps[k] / 4);
		assert_in_range(client.use, 249, 250);
		pass(5 * SECOND, 0);
		assert_in_range(client.use, 124, 125);
	}
	begin(0);
	pass(1000 * SECOND, 0);
	pass(1000 * SECOND, 0);
	pass(1000 * SECOND, 0);
	assert_false(client.idle);
	pass(1000 * SECOND, 0);
	assert_true(client.idle);
}

/* A clock that stands or goes back, and counters that shrink: nothing is made of them. */
static void test_nonsense(void **state)
{
	u32 i;

	(void)state;
	begin(100 * SECOND);
	for (i = 0; i < 10; i++)
		pass(SECOND, SECOND / 2);
	assert_int_equal(client.use, 500);
	/* Twice at one time: it counts, with the next interval. */
	pass(0, SECOND);
	assert_int_equal(client.use, 500);
	pass(SECOND, 0);
	assert_int_equal(client.use, 545);
	reading.now -= 50 * SECOND;
	gslot_monitor_sample(&client, &reading, IDLE_AFTER);
	assert_int_equal(client.use, 545);
	pass(SECOND, 0);
	assert_int_equal(client.use, 500);
	reading.busy_ns = 0;
	reading.requests = 0;
	pass(SECOND, 0);
	assert_int_equal(client.use, 461);
	pass(SECOND, SECOND / 2);
	assert_int_equal(client.use, 464);
	for (i = 0; i < 20; i++)
		pass(SECOND, 0);
	assert_true(client.idle);
}

static struct gslot_monitor_reading history[HISTORY];
static u32 count;

static u64 cut(u64 ns)
{
	return ns < LONGEST ? ns : LONGEST;
}

static u32 oracle_use(void)
{
	u32 first = count > GSLOT_MONITOR_SAMPLES ? count - GSLOT_MONITOR_SAMPLES : 1;
	double passed = 0, used = 0;
	u32 i;

	for (i = first; i < count; i++) {
		double ns = history[i].now - history[i - 1].now;
		double busy = history[i].busy_ns - history[i - 1].busy_ns;

		passed += cut(ns);
		used += (busy < ns ? busy : ns) * cut(ns) / ns;
	}
	return used * 1000 / passed;
}

static bool oracle_idle(u64 idle_after_ns)
{
	u64 quiet = 0;
	u32 i;

	for (i = count - 1; i; i--) {
		const struct gslot_monitor_reading *r = &history[i], *last = r - 1;

		if (r->pending || r->requests != last->requests || r->busy_ns != last->busy_ns)
			break;
		quiet += cut(r->now - last->now);
	}
	return i < count - 1 && quiet >= idle_after_ns;
}

/* Mostly a second; now and then nothing like it. */
static u64 random_step(void)
{
	switch (rnd_below(20)) {
	case 0:
		return rnd_range(1, 1000);
	case 1:
		return rnd64() % (100 * SECOND) + 1;
	case 2:
		return rnd64() >> rnd_range(8, 40) | 1;
	default:
		return SECOND + rnd_below(SECOND / 10);
	}
}

static void random_work(u64 step, bool busy)
{
	reading.pending = busy && rnd_below(2);
	if (busy && rnd_below(2))
		reading.requests += rnd_below(100);
	if (busy && rnd_below(2))
		reading.busy_ns += rnd_below(4) ? rnd64() % step : step * rnd_range(1, 4);
}

static void test_walk(void **state)
{
	unsigned int walk, idles = 0, wakes = 0;

	(void)state;
	for (walk = 0; walk < rounds(200); walk++) {
		u64 idle_after = rnd_below(2) ? IDLE_AFTER : 1 + rnd64() % (60 * SECOND);
		bool busy = false;

		begin(rnd64() >> 8);
		history[0] = reading;
		for (count = 1; count < HISTORY;) {
			bool was = client.idle;
			u64 step = random_step();

			busy = rnd_below(30) ? busy : !busy;
			random_work(step, busy);
			reading.now += step;
			history[count++] = reading;
			gslot_monitor_sample(&client, &reading, idle_after);
			assert_in_range(client.use + 1, oracle_use(), oracle_use() + 2);
			assert_in_range(client.use, 0, 1000);
			assert_int_equal(client.idle, oracle_idle(idle_after));
			idles += client.idle && !was;
			wakes += was && !client.idle;
			if (reading.now >> 62)
				break;
		}
	}
	print_message("# %u times idle, %u times awake again\n", idles, wakes);
	assert_true(idles > 100 && wakes > 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mean),
		cmocka_unit_test(test_irregular),
		cmocka_unit_test(test_engines),
		cmocka_unit_test(test_idle),
		cmocka_unit_test(test_threshold),
		cmocka_unit_test(test_jump),
		cmocka_unit_test(test_nonsense),
		cmocka_unit_test(test_walk),
	};

	return run_tap_tests("core_monitor", tests);
}
