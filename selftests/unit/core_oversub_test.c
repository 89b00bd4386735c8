// SPDX-License-Identifier: GPL-2.0
/*
 * The controllers of oversubscription: gover by the rules of Algorithm 1, lend against max-min
 * shares in floating point; and both over random lives, in which no cap is lost or made (gover),
 * or below what it must be (lend).
 */
#include <math.h>

#include "test.h"
#include "core/oversub/oversub.h"

#define MS	1000000ull
#define SECOND	(1000 * MS)
#define MAX	GSLOT_MAX_VGPUS

static struct gslot_oversub o;
static struct gslot_oversub_client c[MAX + 1];
static u64 now;

static void fresh(const struct gslot_oversub_ops *ops, u32 count, u32 sold, u32 fps)
{
	now = 100 * SECOND;
	gslot_oversub_init(&o, ops, now);
	for (u32 i = 0; i < count; i++)
		assert_int_equal(gslot_oversub_join(&o, &c[i], sold, fps), 0);
}

/* In the time to the next look: it has used so much of the GPU, per mille, and has waited. */
static void did(u32 i, u32 busy, u32 waited, u32 frames)
{
	c[i].counters.busy_ns += o.ops->period_ns / 1000 * busy;
	c[i].counters.waited_ns += o.ops->period_ns / 1000 * waited;
	c[i].counters.frames += frames;
}

static enum gslot_oversub_verdict look(void)
{
	now += o.ops->period_ns;
	return gslot_oversub_look(&o, now);
}

static void expect_caps(u32 a, u32 b, u32 d)
{
	assert_int_equal(c[0].cap, a);
	assert_int_equal(c[1].cap, b);
	assert_int_equal(c[2].cap, d);
}

static void test_join(void **state)
{
	(void)state;
	fresh(&gslot_oversub_gover, MAX, 1, 0);
	assert_int_equal(gslot_oversub_join(&o, &c[MAX], 1, 0), -ENOSPC);
	gslot_oversub_leave(&o, &c[3]);
	assert_ptr_equal(o.clients[3], &c[4]);
	assert_int_equal(c[MAX - 1].index, MAX - 2);
	assert_int_equal(gslot_oversub_join(&o, &c[3], 0, 0), -EINVAL);
	assert_int_equal(gslot_oversub_join(&o, &c[3], 1001, 0), -EINVAL);
	assert_int_equal(gslot_oversub_join(&o, &c[3], 1000, 0), 0);
	assert_int_equal(c[3].index, MAX - 1);
}

/* u_i > U_o three times in succession. */
static void test_gover_heavy(void **state)
{
	(void)state;
	fresh(&gslot_oversub_gover, 3, 500, 0);
	for (u32 i = 0; i < 8; i++) {
		did(0, i == 2 || i > 4 ? 451 : 450, 0, 0);
		did(1, 200, 0, 0);
		did(2, 100, 0, 0);
		assert_int_equal(look(), i < 7 ? GSLOT_OVERSUB_STEADY : GSLOT_OVERSUB_MOVED);
	}
	/* A fifth of the 400 that the lightest one does not use. */
	expect_caps(580, 500, 420);
	assert_int_equal(c[0].use, 902);
	did(0, 540, 0, 0);
	did(1, 200, 0, 0);
	did(2, 300, 0, 0);
	assert_int_equal(look(), GSLOT_OVERSUB_MOVED);
	/* The other one is lighter now: 200 of 500, not 300 of 420. */
	expect_caps(640, 440, 420);
}

/* fps_i < fps_t, at once; the lightest one by w_u * u_i + w_e * e_i. */
static void test_gover_deficit(void **state)
{
	(void)state;
	fresh(&gslot_oversub_gover, 3, 500, 50);
	did(0, 100, 0, 49);
	did(1, 300, 0, 60);
	did(2, 100, 0, 50);
	/* 600 - 100 and 200: frames above the target count for 10 each. */
	assert_int_equal(look(), GSLOT_OVERSUB_MOVED);
	expect_caps(580, 500, 420);
	did(0, 100, 0, 49);
	did(1, 300, 0, 100);
	did(2, 100, 0, 50);
	assert_int_equal(look(), GSLOT_OVERSUB_MOVED);
	expect_caps(620, 460, 420);
}

/* Two that miss their targets, or one with no donor for its cap: a warning. */
static void test_gover_warning(void **state)
{
	(void)state;
	fresh(&gslot_oversub_gover, 3, 500, 50);
	did(0, 100, 0, 49);
	did(1, 100, 0, 49);
	did(2, 10, 0, 50);
	assert_int_equal(look(), GSLOT_OVERSUB_OVERLOAD);
	expect_caps(500, 500, 500);
	did(0, 100, 0, 49);
	did(1, 500, 0, 50);
	did(2, 500, 0, 50);
	assert_int_equal(look(), GSLOT_OVERSUB_OVERLOAD);
	fresh(&gslot_oversub_gover, 1, 500, 50);
	assert_int_equal(look(), GSLOT_OVERSUB_OVERLOAD);
	fresh(&gslot_oversub_gover, 0, 500, 50);
	assert_int_equal(look(), GSLOT_OVERSUB_STEADY);
}

/* It goes back when it has not been needed three times. */
static void test_gover_return(void **state)
{
	(void)state;
	fresh(&gslot_oversub_gover, 3, 500, 50);
	did(0, 500, 0, 40);
	did(1, 400, 0, 50);
	did(2, 100, 0, 50);
	assert_int_equal(look(), GSLOT_OVERSUB_MOVED);
	expect_caps(580, 500, 420);
	/* Well with what it has, not with what it was sold. */
	for (u32 i = 0; i < 5; i++) {
		did(0, 460, 0, 50);
		did(1, 400, 0, 50);
		did(2, 100, 0, 50);
		look();
		expect_caps(580, 500, 420);
	}
	for (u32 i = 0; i < 3; i++) {
		expect_caps(580, 500, 420);
		did(0, 440, 0, 50);
		did(1, 400, 0, 50);
		did(2, 100, 0, 50);
		look();
	}
	expect_caps(500, 500, 500);
	/* And when either leaves. */
	for (u32 i = 0; i < 3; i += 2) {
		fresh(&gslot_oversub_gover, 3, 500, 50);
		did(0, 500, 0, 40);
		did(1, 400, 0, 50);
		did(2, 100, 0, 50);
		look();
		expect_caps(580, 500, 420);
		gslot_oversub_leave(&o, &c[i]);
		assert_int_equal(c[2 - i].cap, 500);
	}
}

/* Calm three times in succession, and a total load below U_l. */
static void test_gover_room(void **state)
{
	(void)state;
	fresh(&gslot_oversub_gover, 2, 500, 50);
	for (u32 i = 1; i < 10; i++) {
		did(0, 300, 0, 50);
		did(1, 198, 0, 50);
		assert_int_equal(look(), i % 3 ? GSLOT_OVERSUB_STEADY : GSLOT_OVERSUB_ROOM);
	}
	for (u32 i = 0; i < 10; i++) {
		did(0, 300, 0, 50);
		did(1, 201, 0, 50);
		assert_int_equal(look(), GSLOT_OVERSUB_STEADY);
	}
	for (u32 i = 0; i < 10; i++) {
		did(0, 10, 0, i % 3 ? 50 : 49);
		did(1, 10, 0, 50);
		assert_int_equal(look(), i % 3 ? GSLOT_OVERSUB_STEADY : GSLOT_OVERSUB_MOVED);
	}
}

static void test_gover_random(void **state)
{
	u32 seen[4] = { };

	(void)state;
	for (u32 life = 0; life < rounds(60); life++) {
		bool there[MAX] = { };
		u32 max = life % 3 ? 6 : MAX;

		fresh(&gslot_oversub_gover, 0, 0, 0);
		for (u32 step = 0; step < 1000; step++) {
			u32 i = rnd_below(max);
			u64 caps = 0, sold = 0;

			if (!there[i]) {
				gslot_oversub_join(&o, &c[i], rnd_range(1, 1000),
						   rnd_below(2) * 50);
				there[i] = true;
			} else if (!rnd_below(20)) {
				gslot_oversub_leave(&o, &c[i]);
				there[i] = false;
			}
			for (u32 k = 0; k < o.count; k++)
				did(o.clients[k] - c, rnd_below(o.clients[k]->cap * 9 / 8 + 1), 0,
				    rnd_below(50) ? 50 : 49);
			if (!rnd_below(100))
				now += rnd64() >> rnd_range(10, 40);
			seen[look()]++;
			for (u32 k = 0; k < o.count; k++) {
				assert_in_range(o.clients[k]->cap, 1, GSLOT_WHOLE);
				caps += o.clients[k]->cap;
				sold += o.clients[k]->sold;
			}
			assert_int_equal(caps, sold);
		}
	}
	for (u32 i = 0; i < 4; i++)
		assert_true(seen[i] > 10);
}

/* After too long without a look the interval is discarded; the next look begins anew. */
static void test_jump(void **state)
{
	(void)state;
	fresh(&gslot_oversub_gover, 2, 500, 50);
	now += 11 * SECOND;
	assert_int_equal(gslot_oversub_look(&o, now), GSLOT_OVERSUB_STEADY);
	assert_int_equal(gslot_oversub_look(&o, now), GSLOT_OVERSUB_STEADY);
	did(0, 250, 0, 50);
	did(1, 250, 0, 50);
	assert_int_equal(look(), GSLOT_OVERSUB_STEADY);
	assert_int_equal(c[0].use, 500);
	assert_int_equal(c[0].fps, 50);
	/* Counters that go back say nothing. */
	c[0].counters = (struct gslot_oversub_counters) { };
	did(1, 250, 0, 50);
	assert_int_equal(look(), GSLOT_OVERSUB_MOVED);
	assert_int_equal(c[0].use, 0);
}

/* A second of it, in ten looks; what was said at its end. */
static enum gslot_oversub_verdict second(const u32 busy[], const u32 waited[], u32 count,
					 u32 frames)
{
	enum gslot_oversub_verdict verdict = GSLOT_OVERSUB_STEADY;

	for (u32 k = 0; k < GSLOT_OVERSUB_LOOKS; k++) {
		assert_int_equal(verdict, GSLOT_OVERSUB_STEADY);
		for (u32 i = 0; i < count; i++)
			did(i, busy[i], waited[i], frames / 10);
		verdict = look();
	}
	return verdict;
}

/* Unused time goes to a client that wants it; its owner has it back at the next look. */
static void test_lend_and_return(void **state)
{
	static const u32 alone[] = { 500, 0, 0 }, more[] = { 900, 0, 0 }, both[] = { 900, 100, 0 };
	static const u32 waits[] = { 500, 0, 0 }, no_wait[] = { 0, 0, 0 };

	(void)state;
	fresh(&gslot_oversub_lend, 3, 500, 0);
	second(alone, waits, 3, 0);
	assert_true(c[0].cap >= 990);
	assert_true(c[1].cap >= 500);
	second(more, no_wait, 3, 0);
	assert_true(c[0].cap >= 980);
	/* It wakes, and wants all: at the next look it has half. */
	did(0, 900, 100, 0);
	did(1, both[1], 900, 0);
	look();
	assert_in_range(c[0].cap, 480, 520);
	assert_in_range(c[1].cap, 480, 520);
	assert_int_equal(c[2].cap, 500);
}

/* What there is goes to those below their targets first. */
static void test_lend_target(void **state)
{
	static const u32 busy[] = { 600, 400 }, waits[] = { 400, 600 };

	(void)state;
	fresh(&gslot_oversub_lend, 2, 300, 50);
	for (u32 i = 0; i < 10; i++) {
		for (u32 k = 0; k < 2; k++)
			did(k, busy[k], waits[k], k ? 4 : 10);
		look();
	}
	/* 100 frames for 600, so 300 for 50; 40 for 400, so 500 for 50; and a little for both. */
	assert_in_range(c[0].lend.need, 300, 320);
	assert_in_range(c[1].lend.need, 500, 525);
	assert_true(c[1].cap >= c[1].lend.need);
	assert_true(c[0].cap + c[1].cap <= 1000);
}

/* Max-min shares of @free by weight, in floating point. */
static void max_min(u32 count, const double asks[], const double weights[], double given[],
		    double free)
{
	double low = 0, high = 1e6;

	for (u32 k = 0; k < 100; k++) {
		double level = (low + high) / 2, sum = 0;

		for (u32 i = 0; i < count; i++)
			sum += fmin(asks[i], level * weights[i]);
		if (sum > free)
			high = level;
		else
			low = level;
	}
	for (u32 i = 0; i < count; i++)
		given[i] = fmin(asks[i], low * weights[i]);
}

static void test_lend_shares(void **state)
{
	(void)state;
	for (u32 k = 0; k < rounds(300); k++) {
		u32 count = 1 + rnd_below(k % 3 ? 6 : MAX), sum = 0;
		double asks[MAX], weights[MAX], given[MAX];

		fresh(&gslot_oversub_lend, 0, 0, 0);
		for (u32 i = 0; i < count; i++)
			assert_int_equal(gslot_oversub_join(&o, &c[i], rnd_range(1, 1000), 0), 0);
		for (u32 i = 0; i < count; i++)
			did(i, rnd_below(300), rnd_below(700), 0);
		look();
		for (u32 i = 0; i < count; i++) {
			asks[i] = c[i].lend.want;
			weights[i] = c[i].sold;
		}
		max_min(count, asks, weights, given, GSLOT_WHOLE);
		for (u32 i = 0; i < count; i++) {
			/* Shares are whole: what is cut off stays, less than one of each. */
			assert_true(fabs(c[i].lend.given - given[i]) <= 2 * count);
			assert_in_range(c[i].cap, max(c[i].sold, c[i].lend.given), 1000);
			sum += c[i].lend.given;
		}
		assert_true(sum <= GSLOT_WHOLE);
	}
}

/* One more like them fits into the worst second of the last minute, or does not. */
static void test_lend_room(void **state)
{
	static const u32 light[] = { 200, 200 }, heavy[] = { 500, 500 }, no_wait[] = { 0, 0 };

	(void)state;
	fresh(&gslot_oversub_lend, 2, 500, 50);
	for (u32 i = 1; i < 100; i++)
		assert_int_equal(second(light, no_wait, 2, 60), i < GSLOT_OVERSUB_KNOWN ?
				 GSLOT_OVERSUB_STEADY : GSLOT_OVERSUB_ROOM);
	assert_int_equal(second(heavy, no_wait, 2, 60), GSLOT_OVERSUB_STEADY);
	for (u32 i = 1; i < 100; i++)
		assert_int_equal(second(light, no_wait, 2, 60), i < GSLOT_OVERSUB_SECONDS ?
				 GSLOT_OVERSUB_STEADY : GSLOT_OVERSUB_ROOM);
	/* Nothing is known of a new client: no room is reported until it has been seen. */
	assert_int_equal(gslot_oversub_join(&o, &c[2], 500, 0), 0);
	for (u32 i = 1; i < GSLOT_OVERSUB_KNOWN; i++)
		assert_int_equal(second(light, no_wait, 2, 60), GSLOT_OVERSUB_STEADY);
	assert_int_equal(second(light, no_wait, 2, 60), GSLOT_OVERSUB_ROOM);
	/* Without clients there is always room for one. */
	fresh(&gslot_oversub_lend, 0, 0, 0);
	assert_int_equal(second(NULL, NULL, 0, 0), GSLOT_OVERSUB_ROOM);
}

/* Targets missed in two seconds of a minute, while it had work, are too many. */
static void test_lend_overload(void **state)
{
	static const u32 busy[] = { 400, 400 }, waits[] = { 100, 0 }, no_wait[] = { 0, 0 };
	static const u32 little[] = { 99, 0 }, most[] = { 450, 0 }, all[] = { 500, 0 };

	(void)state;
	fresh(&gslot_oversub_lend, 2, 500, 50);
	/* The first second is discarded; and a client that has not waited has no more work. */
	assert_int_equal(second(busy, waits, 2, 40), GSLOT_OVERSUB_STEADY);
	for (u32 i = 0; i < 5; i++)
		assert_int_equal(second(busy, no_wait, 2, 40), GSLOT_OVERSUB_STEADY);
	/* Nor does a client count that waited for less time than its ten missing frames cost. */
	for (u32 i = 0; i < 5; i++)
		assert_int_equal(second(busy, little, 2, 40), GSLOT_OVERSUB_STEADY);
	for (u32 i = 0; i < 5; i++)
		assert_int_equal(second(busy, waits, 2, 50), GSLOT_OVERSUB_STEADY);
	assert_int_equal(second(busy, waits, 2, 40), GSLOT_OVERSUB_STEADY);
	for (u32 i = 1; i < GSLOT_OVERSUB_SECONDS - 1; i++)
		assert_int_equal(second(busy, waits, 2, 50), GSLOT_OVERSUB_STEADY);
	assert_int_equal(second(busy, waits, 2, 40), GSLOT_OVERSUB_OVERLOAD);
	/* A client with work all the time misses its target, even if alone it had missed it too. */
	fresh(&gslot_oversub_lend, 2, 500, 500);
	for (u32 i = 0; i < 5; i++)
		assert_int_equal(second(busy, most, 2, 40), GSLOT_OVERSUB_STEADY);
	assert_int_equal(second(busy, all, 2, 40), GSLOT_OVERSUB_STEADY);
	assert_int_equal(second(busy, all, 2, 40), GSLOT_OVERSUB_OVERLOAD);
	fresh(&gslot_oversub_lend, 2, 500, 50);
	assert_int_equal(second(busy, no_wait, 2, 50), GSLOT_OVERSUB_STEADY);
	assert_int_equal(second(busy, waits, 2, 40), GSLOT_OVERSUB_STEADY);
	assert_int_equal(second(busy, waits, 2, 40), GSLOT_OVERSUB_OVERLOAD);
	/* It counts anew. */
	assert_int_equal(second(busy, waits, 2, 40), GSLOT_OVERSUB_STEADY);
	for (u32 i = 0; i < GSLOT_OVERSUB_SECONDS - 1; i++)
		assert_int_equal(second(busy, waits, 2, 50), GSLOT_OVERSUB_STEADY);
	assert_int_equal(second(busy, waits, 2, 40), GSLOT_OVERSUB_STEADY);
}

static void test_lend_random(void **state)
{
	(void)state;
	for (u32 life = 0; life < rounds(20); life++) {
		bool there[MAX] = { };
		u32 max = life % 3 ? 6 : MAX;

		fresh(&gslot_oversub_lend, 0, 0, 0);
		for (u32 step = 0; step < 1000; step++) {
			u32 i = rnd_below(max);
			bool jumps = !rnd_below(100);

			if (!there[i]) {
				gslot_oversub_join(&o, &c[i], rnd_range(1, 1000),
						   rnd_below(2) * 50);
				there[i] = true;
			} else if (!rnd_below(50)) {
				gslot_oversub_leave(&o, &c[i]);
				there[i] = false;
			}
			for (u32 k = 0; k < o.count; k++)
				did(o.clients[k] - c, rnd_below(1100), rnd_below(500),
				    rnd_below(8));
			if (jumps)
				now += rnd64() >> rnd_range(10, 40);
			if (!rnd_below(200) && o.count)
				o.clients[0]->counters = (struct gslot_oversub_counters) { };
			look();
			for (u32 k = 0; k < o.count && !jumps; k++)
				assert_in_range(o.clients[k]->cap, o.clients[k]->sold, 1000);
		}
	}
}

static struct gslot_oversub_advice advice;

/* So many ms later a controller says something; the word is then. */
static void says(u32 ms, enum gslot_oversub_verdict verdict, enum gslot_oversub_verdict word)
{
	enum gslot_oversub_verdict before = advice.word;

	now += ms * MS;
	assert_int_equal(gslot_oversub_advise(&advice, verdict, now), word != before);
	assert_int_equal(advice.word, word);
}

/* What was said holds for a while, and no word comes within a second of another. */
static void test_advice(void **state)
{
	(void)state;
	now = 100 * SECOND;
	says(0, GSLOT_OVERSUB_STEADY, GSLOT_OVERSUB_STEADY);
	says(100, GSLOT_OVERSUB_MOVED, GSLOT_OVERSUB_STEADY);
	says(100, GSLOT_OVERSUB_ROOM, GSLOT_OVERSUB_ROOM);
	says(500, GSLOT_OVERSUB_OVERLOAD, GSLOT_OVERSUB_ROOM);
	says(499, GSLOT_OVERSUB_STEADY, GSLOT_OVERSUB_ROOM);
	says(1, GSLOT_OVERSUB_STEADY, GSLOT_OVERSUB_OVERLOAD);
	/* As each of them says it again: gover every third second that there is room. */
	for (u32 i = 0; i < 5; i++) {
		says(1000, GSLOT_OVERSUB_STEADY, i ? GSLOT_OVERSUB_ROOM : GSLOT_OVERSUB_OVERLOAD);
		says(1000, GSLOT_OVERSUB_STEADY, i ? GSLOT_OVERSUB_ROOM : GSLOT_OVERSUB_OVERLOAD);
		says(1000, GSLOT_OVERSUB_ROOM, GSLOT_OVERSUB_ROOM);
	}
	says(4999, GSLOT_OVERSUB_MOVED, GSLOT_OVERSUB_ROOM);
	says(1, GSLOT_OVERSUB_STEADY, GSLOT_OVERSUB_STEADY);
	says(1000, GSLOT_OVERSUB_OVERLOAD, GSLOT_OVERSUB_OVERLOAD);
	assert_true(gslot_oversub_reset_advice(&advice, now));
	assert_false(gslot_oversub_reset_advice(&advice, now));
	says(100, GSLOT_OVERSUB_STEADY, GSLOT_OVERSUB_STEADY);
	says(100, GSLOT_OVERSUB_ROOM, GSLOT_OVERSUB_STEADY);
	says(800, GSLOT_OVERSUB_STEADY, GSLOT_OVERSUB_ROOM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_join),
		cmocka_unit_test(test_gover_heavy),
		cmocka_unit_test(test_gover_deficit),
		cmocka_unit_test(test_gover_warning),
		cmocka_unit_test(test_gover_return),
		cmocka_unit_test(test_gover_room),
		cmocka_unit_test(test_gover_random),
		cmocka_unit_test(test_jump),
		cmocka_unit_test(test_lend_and_return),
		cmocka_unit_test(test_lend_target),
		cmocka_unit_test(test_lend_shares),
		cmocka_unit_test(test_lend_room),
		cmocka_unit_test(test_lend_overload),
		cmocka_unit_test(test_lend_random),
		cmocka_unit_test(test_advice),
	};

	return run_tap_tests("core_oversub", tests);
}
