// SPDX-License-Identifier: GPL-2.0
/*
 * Holding submissions in pre-copy: by examples, with a model of a VMM that sends memory in rounds,
 * and with random questions by the bounds that precopy.h states.
 */
#include "test.h"
#include "core/mem/precopy.h"

#define PAGES	12288ull		/* 48 MB */

static struct gslot_precopy p;
static u64 now, next;

static int setup(void **state)
{
	(void)state;
	p = (struct gslot_precopy) { };
	now = 5000;
	return 0;
}

static bool holds(void)
{
	return gslot_precopy_update(&p, now, &next);
}

static void ask(u64 after, u64 pinned)
{
	now += after;
	gslot_precopy_asked(&p, now, pinned);
}

static void release(u64 after)
{
	now += after;
	gslot_precopy_released(&p, now);
}

static void test_before_the_end(void **state)
{
	(void)state;
	ask(0, PAGES);
	assert_false(holds());
	assert_int_equal(next, U64_MAX);
	ask(600, PAGES);
	assert_false(holds());
	assert_int_equal(next, now + 450);
	now += 449;
	assert_false(holds());
	now++;
	assert_true(holds());
	assert_int_equal(next, now + GSLOT_PRECOPY_DRAIN_MAX_MS);
}

/* A round that ends sooner than the one before has the hold planned anew; a short one, too. */
static void test_short_rounds(void **state)
{
	(void)state;
	ask(0, PAGES);
	ask(1400, PAGES);
	ask(200, PAGES);
	assert_false(holds());
	assert_int_equal(next, now + 150);
	/* The same report */
	ask(GSLOT_PRECOPY_ROUND_MIN_MS - 1, PAGES);
	assert_false(holds());
	assert_int_equal(next, now + 150 - (GSLOT_PRECOPY_ROUND_MIN_MS - 1));
	ask(47, PAGES);
	assert_false(holds());
	assert_int_equal(next, now + 1);
	ask(GSLOT_PRECOPY_ROUND_MIN_MS, PAGES);
	assert_true(holds());
}

static void test_not_worth_it(void **state)
{
	u32 i;

	(void)state;
	ask(0, PAGES);
	for (i = 0; i < 10; i++) {
		ask(500, GSLOT_PRECOPY_MIN_PAGES - 1);
		assert_false(holds());
		assert_int_equal(next, U64_MAX);
		ask(GSLOT_PRECOPY_ROUND_MAX_MS + 1, PAGES);
		assert_false(holds());
		assert_int_equal(next, U64_MAX);
	}
	ask(GSLOT_PRECOPY_ROUND_MAX_MS, GSLOT_PRECOPY_MIN_PAGES);
	assert_int_not_equal(p.from, 0);
}

/* Held now, for the first time: the next rounds take @round ms. */
static void hold(u64 round)
{
	ask(0, PAGES);
	ask(round, PAGES);
	now = p.from;
	assert_true(holds());
}

/* The VMM has a moment to stop after the second report since all was released. */
static void test_two_reports(void **state)
{
	u64 ended;

	(void)state;
	hold(400);
	/* Requests run on: these reports count for nothing. */
	ask(50, PAGES);
	ask(400, PAGES);
	ask(400, PAGES);
	release(10);
	ended = now;
	assert_true(holds());
	assert_int_equal(next, ended + GSLOT_PRECOPY_HOLD_MAX_MS);
	ask(390, 100);
	/* All is released again. */
	release(5);
	assert_true(holds());
	assert_int_equal(next, ended + GSLOT_PRECOPY_HOLD_MAX_MS);
	ask(395, 100);
	assert_true(holds());
	assert_int_equal(next, now + GSLOT_PRECOPY_SWITCHOVER_MS);
	/* It has asked again, and has no more time than that. */
	ask(100, 100);
	now += GSLOT_PRECOPY_SWITCHOVER_MS - 101;
	assert_true(holds());
	now++;
	assert_false(holds());
	assert_int_equal(next, U64_MAX);
}

/* A request that does not end, and one that ends at the last moment. */
static void test_drain(void **state)
{
	(void)state;
	hold(400);
	now += GSLOT_PRECOPY_DRAIN_MAX_MS - 1;
	assert_true(holds());
	now++;
	assert_false(holds());
	/* Too late, or for a hold that is only planned */
	release(0);
	assert_false(holds());
	ask(4 * GSLOT_PRECOPY_DRAIN_MAX_MS, PAGES);
	ask(400, PAGES);
	release(0);
	assert_int_not_equal(p.from, 0);
	assert_false(p.released);
	now = p.from;
	assert_true(holds());
	release(GSLOT_PRECOPY_DRAIN_MAX_MS - 1);
	now += GSLOT_PRECOPY_HOLD_MAX_MS - 1;
	assert_true(holds());
	now++;
	assert_false(holds());
}

/* The VMM asks every 100 ms. Return: how long until submissions are held. */
static u64 until_held(void)
{
	u64 began = now;

	while (!holds())
		ask(100, PAGES);
	return now - began;
}

/* It does not stop: no hold for 2, 4, .. 64, 64 .. times as long. */
static void test_in_vain(void **state)
{
	u32 i, backoff = 2;

	(void)state;
	hold(100);
	for (i = 0; i < 10; i++) {
		release(100);
		now += GSLOT_PRECOPY_HOLD_MAX_MS;
		assert_false(holds());
		assert_in_range(until_held(), backoff * (GSLOT_PRECOPY_HOLD_MAX_MS + 100),
				backoff * (GSLOT_PRECOPY_HOLD_MAX_MS + 100) + 200);
		now = p.from;
		backoff = min(2 * backoff, (u32)GSLOT_PRECOPY_BACKOFF_MAX);
	}
}

/* A vGPU that leaves pre-copy and comes back is not held at once, or later as after the first. */
static void test_leave(void **state)
{
	u64 ended;
	u32 i;

	(void)state;
	for (i = 1; i < 3; i++) {
		gslot_precopy_enter(&p, now);
		hold(100);
		now += 700;
		gslot_precopy_leave(&p, now);
		assert_false(holds());
		ended = now;
		gslot_precopy_enter(&p, now);
		assert_in_range(until_held(), 1400, 1600);
		gslot_precopy_leave(&p, now);
		assert_int_equal(p.backoff, 4);
		now = ended + 10000;
	}
}

/* One that was to be held, and leaves before, may be held at once. */
static void test_leave_early(void **state)
{
	(void)state;
	ask(0, PAGES);
	ask(600, PAGES);
	gslot_precopy_leave(&p, now);
	now += 5000;
	assert_false(holds());
	assert_int_equal(next, U64_MAX);
	assert_int_equal(p.not_before, 0);
}

/* A VMM that asks all the time, and never stops: submissions are held for a third at most. */
static void test_often(void **state)
{
	u32 i, held = 0;

	(void)state;
	for (i = 0; i < 60000; i++) {
		ask(1, PAGES);
		if (holds() && rnd_below(2))
			release(0);
		held += holds();
		assert_true(held <= GSLOT_PRECOPY_DRAIN_MAX_MS + GSLOT_PRECOPY_HOLD_MAX_MS + i / 3);
	}
	assert_true(held > GSLOT_PRECOPY_SWITCHOVER_MS);
}

/* A VMM, and the guest that it moves; times in ms, memory in pages */
struct vmm {
	u64 rate;	/* pages that it sends in a ms */
	u64 allowed;	/* downtime */
	u64 used;	/* pages that the vGPU uses */
	u64 drains;	/* how long its queued requests run */
	u32 asks;	/* how often it asks for each report */
	/* What follows is the result. */
	u64 held;	/* for how long submissions were held */
	u64 rounds;
	u64 left;	/* when it stopped the guest */
};

/* A report has what is pinned, and what was at the report before. */
static void move(struct vmm *v)
{
	u64 pinned = v->used, before = v->used, left = 131072, drained = 0;
	u32 asks;

	v->held = 0;
	for (v->rounds = 0; v->rounds < 100;) {
		now++;
		left -= min(left, v->rate);
		if (holds()) {
			v->held++;
			if (drained++ >= v->drains) {
				pinned = 200;
				gslot_precopy_released(&p, now);
			}
		} else {
			drained = 0;
			pinned = v->used;
			before = v->used;
		}
		if (left > v->rate * v->allowed)
			continue;
		left = max(left, before);
		before = pinned;
		for (asks = 0; asks < v->asks; asks++)
			gslot_precopy_asked(&p, now, pinned);
		v->rounds++;
		if (left <= v->rate * v->allowed)
			break;
	}
	v->left = left;
}

/* However long a round is, little is left, and the hold is little longer than a round. */
static void test_moves(void **state)
{
	u64 round, drains;

	(void)state;
	for (round = 60; round < 1000; round += 7) {
		for (drains = 0; drains <= round / 8; drains += 5) {
			struct vmm v = {
				.rate = 24,
				.allowed = 50,
				.used = 24 * (round + 50),
				.drains = drains,
				.asks = 1 + drains % 2,
			};

			setup(NULL);
			move(&v);
			assert_in_range(v.left, 1, 24 * 50);
			assert_in_range(v.rounds, 3, 6);
			assert_in_range(v.held, 1, round + round / 4 + 120);
		}
	}
}

/*
 * A request that runs for longer than a round, and ends soon enough: the first hold is not in vain,
 * and ends within two rounds of its end.
 */
static void test_long_request(void **state)
{
	u64 round, drains;

	(void)state;
	for (round = 60; round < GSLOT_PRECOPY_HOLD_MAX_MS / 2 - 50; round += 13) {
		for (drains = 0; drains < GSLOT_PRECOPY_DRAIN_MAX_MS; drains += 31) {
			struct vmm v = {
				.rate = 24,
				.allowed = 50,
				.used = 24 * (round + 50),
				.drains = drains,
				.asks = 1,
			};

			setup(NULL);
			move(&v);
			assert_in_range(v.left, 1, 24 * 50);
			assert_in_range(v.held, 1, drains + 2 * round + 120);
			assert_int_equal(p.backoff, 0);
		}
	}
}

/*
 * Whatever is asked: no hold is longer than is stated, and each has two questions before it, after
 * the one before.
 */
static void test_random(void **state)
{
	u64 began = 0, released = 0, asked = 0, i;
	bool held = false;

	(void)state;
	for (i = 0; i < rounds(2000000); i++) {
		now += rnd_below(4) ? rnd_below(40) : rnd_below(3000);
		if (rnd_below(2)) {
			ask(0, rnd_below(4096));
			asked++;
		}
		if (!rnd_below(8)) {
			release(0);
			if (held && !released && holds())
				released = now;
		}
		if (held && (!holds() || now - began >= GSLOT_PRECOPY_DRAIN_MAX_MS +
						       GSLOT_PRECOPY_HOLD_MAX_MS ||
			     (!released && now - began >= GSLOT_PRECOPY_DRAIN_MAX_MS) ||
			     (released && now - released >= GSLOT_PRECOPY_HOLD_MAX_MS))) {
			assert_false(holds());
			held = false;
			asked = 0;
		}
		if (!held && holds()) {
			assert_true(asked > 1);
			held = true;
			began = p.until - GSLOT_PRECOPY_DRAIN_MAX_MS;
			released = 0;
		}
		assert_true(next > now);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_before_the_end, setup),
		cmocka_unit_test_setup(test_short_rounds, setup),
		cmocka_unit_test_setup(test_not_worth_it, setup),
		cmocka_unit_test_setup(test_two_reports, setup),
		cmocka_unit_test_setup(test_drain, setup),
		cmocka_unit_test_setup(test_in_vain, setup),
		cmocka_unit_test_setup(test_leave, setup),
		cmocka_unit_test_setup(test_leave_early, setup),
		cmocka_unit_test_setup(test_often, setup),
		cmocka_unit_test_setup(test_moves, setup),
		cmocka_unit_test_setup(test_long_request, setup),
		cmocka_unit_test_setup(test_random, setup),
	};

	return run_tap_tests("core_precopy", tests);
}
