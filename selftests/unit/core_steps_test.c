// SPDX-License-Identifier: GPL-2.0
/* Steps of memory reclaim: when the next one follows, and when all is over. */
#include "test.h"
#include "core/mem/steps.h"

#define STEPS	6u

static struct gslot_steps steps;
static struct gslot_steps_look look;

static int setup(void **state)
{
	(void)state;
	steps = (struct gslot_steps) { };
	look = (struct gslot_steps_look) { .now = 1000000, .count = STEPS };
	return 0;
}

static enum gslot_steps_action after(u64 ms)
{
	enum gslot_steps_action action;

	look.now += ms;
	action = gslot_steps_look(&steps, &look);
	look.fell = 0;
	return action;
}

static void take(void)
{
	gslot_steps_taken(&steps, look.now);
	look.given = 0;
}

static void take_all(void)
{
	steps.next = STEPS - 1;
	take();
}

/* vGPUs that are done have the next step follow at once; after the last one all is over. */
static void test_done(void **state)
{
	u32 i;

	(void)state;
	for (i = 0; i < STEPS; i++) {
		assert_int_equal(after(0), GSLOT_STEPS_TAKE);
		assert_int_equal(steps.next, i);
		take();
	}
	assert_int_equal(after(0), GSLOT_STEPS_END);
	assert_int_equal(after(GSLOT_STEP_LOOK_MS - 1), GSLOT_STEPS_WAIT);
	assert_int_equal(after(1), GSLOT_STEPS_TAKE);
	assert_int_equal(steps.next, 0);
}

/* While vGPUs make progress a step lasts, for a second. */
static void test_progress(void **state)
{
	u64 began;

	(void)state;
	take();
	began = look.now;
	look.busy = true;
	for (;;) {
		look.fell = GSLOT_STEP_PROGRESS;
		if (after(GSLOT_STEP_LOOK_MS) == GSLOT_STEPS_TAKE)
			break;
	}
	assert_int_equal(look.now - began, GSLOT_STEP_MAX_MS);
}

/* With one page less in a look there is none; a look that is early does not matter. */
static void test_no_progress(void **state)
{
	(void)state;
	take();
	look.busy = true;
	look.fell = GSLOT_STEP_PROGRESS;
	assert_int_equal(after(GSLOT_STEP_LOOK_MS), GSLOT_STEPS_LAST);
	look.fell = GSLOT_STEP_PROGRESS - 1;
	assert_int_equal(after(GSLOT_STEP_LOOK_MS - 1), GSLOT_STEPS_LAST);
	look.fell = 1;
	assert_int_equal(after(1), GSLOT_STEPS_LAST);
	look.fell = GSLOT_STEP_PROGRESS - 1;
	assert_int_equal(after(GSLOT_STEP_LOOK_MS), GSLOT_STEPS_TAKE);
}

/* The last step is taken again for the holder of the token: sooner if it has given much. */
static void test_urgent(void **state)
{
	(void)state;
	look.urgent = true;
	take_all();
	assert_int_equal(after(GSLOT_STEP_LOOK_MS - 1), GSLOT_STEPS_WAIT);
	assert_int_equal(after(1), GSLOT_STEPS_TAKE);
	assert_int_equal(steps.next, STEPS - 1);
	take();
	look.given = GSLOT_STEP_PROGRESS;
	assert_int_equal(after(GSLOT_STEP_PAUSE_MS - 1), GSLOT_STEPS_WAIT);
	assert_int_equal(after(1), GSLOT_STEPS_TAKE);
	take();
	look.given = GSLOT_STEP_PROGRESS - 1;
	assert_int_equal(after(GSLOT_STEP_PAUSE_MS), GSLOT_STEPS_WAIT);
	assert_int_equal(after(GSLOT_STEP_LOOK_MS - GSLOT_STEP_PAUSE_MS), GSLOT_STEPS_TAKE);
	take();
	look.busy = true;
	assert_int_equal(after(GSLOT_STEP_LOOK_MS), GSLOT_STEPS_TAKE);
}

/* Without one, vGPUs that make no progress in it are left after some looks. */
static void test_stalls(void **state)
{
	u32 looks = 0;

	(void)state;
	look.busy = true;
	take_all();
	look.fell = GSLOT_STEP_PROGRESS;
	assert_int_equal(after(GSLOT_STEP_LOOK_MS), GSLOT_STEPS_LAST);
	do {
		looks++;
	} while (after(GSLOT_STEP_LOOK_MS) == GSLOT_STEPS_WAIT);
	assert_int_equal(looks, GSLOT_STEP_STALLS);
	assert_int_equal(steps.next, 0);
}

/* However often the token changes hands, first steps come at intervals, and later ones follow. */
static void test_restarts(void **state)
{
	u32 first = 0, taken = 0, ms;

	(void)state;
	for (ms = 0; ms < 10000; ms++) {
		gslot_steps_restart(&steps, look.now);
		look.urgent = ms % 2;
		if (after(1) != GSLOT_STEPS_TAKE)
			continue;
		first += !steps.next;
		taken += steps.next == STEPS - 1;
		take();
	}
	assert_in_range(first, 10000 / GSLOT_STEP_AGAIN_MS, 10000 / GSLOT_STEP_LOOK_MS);
	assert_true(taken >= first);
	look.now = steps.first_at + GSLOT_STEP_AGAIN_MS - 1;
	steps.next = 2;
	gslot_steps_restart(&steps, look.now);
	assert_int_equal(steps.next, 2);
	gslot_steps_restart(&steps, look.now + 1);
	assert_int_equal(steps.next, 0);
}

/* Whatever vGPUs do, each step but the last is over after a second. */
static void test_random(void **state)
{
	u64 began, ends = 0;

	(void)state;
	began = look.now;
	while (ends < 2000) {
		enum gslot_steps_action action;
		u32 next = steps.next;

		look.busy = rnd_below(8);
		if (rnd_below(4))
			look.fell = rnd_below(2 * GSLOT_STEP_PROGRESS);
		action = after(rnd_below(2 * GSLOT_STEP_LOOK_MS));
		switch (action) {
		case GSLOT_STEPS_LAST:
			assert_true(look.busy);
			assert_true(next == STEPS || look.now - began <
				    GSLOT_STEP_MAX_MS + GSLOT_STEP_LOOK_MS);
			break;
		case GSLOT_STEPS_WAIT:
			assert_true(next == STEPS ? look.busy : !next);
			break;
		case GSLOT_STEPS_TAKE:
			assert_true(next < STEPS);
			began = look.now;
			take();
			break;
		case GSLOT_STEPS_END:
			assert_int_equal(next, STEPS);
			assert_true(!look.busy || steps.stalls >= GSLOT_STEP_STALLS);
			began = look.now;
			ends++;
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_done, setup),
		cmocka_unit_test_setup(test_progress, setup),
		cmocka_unit_test_setup(test_no_progress, setup),
		cmocka_unit_test_setup(test_urgent, setup),
		cmocka_unit_test_setup(test_stalls, setup),
		cmocka_unit_test_setup(test_restarts, setup),
		cmocka_unit_test_setup(test_random, setup),
	};

	return run_tap_tests("core_steps", tests);
}
