// SPDX-License-Identifier: GPL-2.0
/*
 * The policy cap: gOver's Algorithms 2 and 3 by examples; and in random lives against an oracle,
 * which knows only what each client was given and has had in the present second.
 */
#include "policies.h"
#include "core/sched/policy_priv.h"

#define MS	1000000ull
#define SECOND	GSLOT_CAP_PERIOD_NS
#define STAGE	GSLOT_CAP_STAGE_NS
#define QUANTUM	(16 * MS)
#define MAX	8

struct world {
	struct gslot_policy p;
	struct gslot_policy_client c[GSLOT_MAX_VGPUS];
	u64 now;
};

static struct world w;

static void set_cap(u32 i, u32 cap)
{
	struct gslot_policy_knobs knobs = w.c[i].knobs;

	knobs.cap = cap;
	assert_int_equal(gslot_policy_set_knobs(&w.p, &w.c[i], w.now, &knobs), 0);
}

/* @count clients with @cap each, all of them awake, at the beginning of a second. */
static void fresh(u32 count, u32 cap)
{
	w.now = 5000 * MS + 7;
	gslot_policy_init(&w.p, &gslot_cap, QUANTUM);
	for (u32 i = 0; i < count; i++) {
		assert_int_equal(gslot_policy_join(&w.p, &w.c[i], w.now), 0);
		set_cap(i, cap);
		gslot_policy_wake(&w.p, &w.c[i], w.now);
	}
	w.now += SECOND;
}

static enum gslot_policy_verdict ask(u64 ns, bool busy)
{
	w.now += ns;
	return gslot_policy_pick(&w.p, w.now, busy).verdict;
}

static void expect_given(u32 i, u64 ns, bool busy)
{
	assert_int_equal(ask(ns, busy), GSLOT_POLICY_GIVE);
	assert_ptr_equal(w.p.owner, &w.c[i]);
}

static void off(u64 ns)
{
	w.now += ns;
	gslot_policy_off(&w.p, w.now);
}

static s64 left(u32 i)
{
	return w.c[i].cap.timeslice_ns;
}

static void test_stages(void **state)
{
	(void)state;
	fresh(1, 300);
	gslot_policy_sleep(&w.p, &w.c[0], w.now);
	for (u32 second = 0; second < 3; second++) {
		for (u32 i = 1; i <= GSLOT_CAP_STAGES; i++) {
			assert_int_equal(ask(0, false), GSLOT_POLICY_KEEP);
			assert_int_equal(left(0), i * 30 * MS);
			ask(STAGE - 1, false);
			assert_int_equal(left(0), i * 30 * MS);
			w.now++;
		}
	}
}

static void test_ring(void **state)
{
	(void)state;
	fresh(4, 1000);
	expect_given(0, 0, false);
	for (u32 i = 1; i < 20; i++) {
		u64 timer = gslot_policy_timer(&w.p, w.now);

		assert_int_equal(timer, QUANTUM);
		assert_int_equal(ask(timer - 1, true), GSLOT_POLICY_KEEP);
		assert_int_equal(ask(1, true), GSLOT_POLICY_PREEMPT);
		off(0);
		expect_given(i % 4, 0, false);
	}
	/* No client that has used up its cap. */
	fresh(3, 200);
	set_cap(1, 1000);
	w.now += SECOND;
	expect_given(0, 0, false);
	expect_given(1, QUANTUM, false);
	expect_given(2, QUANTUM, false);
	expect_given(0, QUANTUM, false);
	assert_int_equal(gslot_policy_timer(&w.p, w.now), 4 * MS);
	assert_int_equal(ask(4 * MS, true), GSLOT_POLICY_PREEMPT);
	off(0);
	expect_given(1, 0, false);
	expect_given(2, QUANTUM, false);
	expect_given(1, 4 * MS, false);
	assert_ptr_equal(gslot_policy_next(&w.p, w.now), NULL);
	assert_int_equal(ask(QUANTUM, true), GSLOT_POLICY_KEEP);
	assert_int_equal(gslot_policy_timer(&w.p, w.now), 100 * MS - 88 * MS);
	/* At the next stage they are back. */
	assert_int_equal(ask(12 * MS, true), GSLOT_POLICY_PREEMPT);
	off(0);
	expect_given(2, 0, false);
}

/* A client that leaves delays no other one. */
static void test_leave(void **state)
{
	(void)state;
	for (u32 gone = 0; gone < 4; gone++) {
		fresh(4, 1000);
		expect_given(0, 0, false);
		expect_given(1, QUANTUM, false);
		gslot_policy_leave(&w.p, &w.c[gone], w.now);
		expect_given(gone == 2 ? 3 : 2, QUANTUM, false);
	}
}

/* A cap holds even if no other client has work. */
static void test_idle(void **state)
{
	(void)state;
	fresh(2, 100);
	gslot_policy_sleep(&w.p, &w.c[1], w.now);
	for (u32 i = 0; i < 25; i++) {
		expect_given(0, 0, false);
		assert_int_equal(gslot_policy_timer(&w.p, w.now), 10 * MS);
		assert_int_equal(ask(10 * MS, i & 1), GSLOT_POLICY_PREEMPT);
		off(0);
		assert_int_equal(ask(0, false), GSLOT_POLICY_KEEP);
		assert_null(w.p.owner);
		assert_int_equal(gslot_policy_timer(&w.p, w.now), 90 * MS);
		w.now += 90 * MS;
	}
	assert_int_equal(w.c[0].held_ns, 25 * 10 * MS);
}

/* What is not used is there later in the second, and not in the next one. */
static void test_carry(void **state)
{
	(void)state;
	fresh(1, 400);
	gslot_policy_sleep(&w.p, &w.c[0], w.now);
	ask(9 * STAGE, false);
	gslot_policy_wake(&w.p, &w.c[0], w.now);
	expect_given(0, 0, false);
	assert_int_equal(left(0), 400 * MS);
	assert_int_equal(ask(STAGE - 1, true), GSLOT_POLICY_KEEP);
	assert_int_equal(left(0), 300 * MS + 1);
	assert_int_equal(ask(1, true), GSLOT_POLICY_KEEP);
	assert_int_equal(left(0), 40 * MS);
	assert_int_equal(ask(40 * MS, true), GSLOT_POLICY_PREEMPT);
}

/* An overrun is taken off later stages, to the end of the second. */
static void test_overrun(void **state)
{
	(void)state;
	fresh(1, 200);
	expect_given(0, 0, false);
	assert_int_equal(ask(20 * MS, true), GSLOT_POLICY_PREEMPT);
	assert_int_equal(gslot_policy_timer(&w.p, w.now), 0);
	off(50 * MS);
	assert_int_equal(left(0), -50 * (s64)MS);
	assert_int_equal(ask(30 * MS, false), GSLOT_POLICY_KEEP);
	assert_int_equal(left(0), -30 * (s64)MS);
	ask(STAGE, false);
	assert_null(w.p.owner);
	expect_given(0, STAGE, false);
	assert_int_equal(left(0), 10 * MS);
	assert_int_equal(ask(10 * MS, true), GSLOT_POLICY_PREEMPT);
	/* Across the end of the second: only what is behind it counts. */
	off(695 * MS);
	assert_int_equal(left(0), 20 * MS - 5 * MS);
	expect_given(0, 0, false);
}

static void test_new_cap(void **state)
{
	(void)state;
	fresh(2, 100);
	gslot_policy_sleep(&w.p, &w.c[1], w.now);
	assert_int_equal(ask(0, false), GSLOT_POLICY_GIVE);
	set_cap(1, 500);
	w.now += STAGE / 2;
	ask(0, false);
	assert_int_equal(left(1), 10 * MS);
	/* A stage that has begun since the last event began with the old cap. */
	w.now += STAGE;
	set_cap(1, 300);
	assert_int_equal(left(1), 60 * MS);
	w.now += STAGE;
	ask(0, false);
	assert_int_equal(left(1), 90 * MS);
}

/* An idle owner is not charged; one is while its work drains. */
static void test_empty_queue(void **state)
{
	(void)state;
	fresh(2, 1000);
	gslot_policy_sleep(&w.p, &w.c[1], w.now);
	expect_given(0, 0, false);
	assert_int_equal(ask(10 * MS, true), GSLOT_POLICY_KEEP);
	gslot_policy_sleep(&w.p, &w.c[0], w.now);
	assert_int_equal(ask(0, true), GSLOT_POLICY_KEEP);
	assert_int_equal(ask(10 * MS, false), GSLOT_POLICY_KEEP);
	assert_ptr_equal(w.p.owner, &w.c[0]);
	assert_int_equal(gslot_policy_timer(&w.p, w.now), 0);
	assert_int_equal(ask(10 * MS, false), GSLOT_POLICY_KEEP);
	w.now += 10 * MS;
	gslot_policy_wake(&w.p, &w.c[0], w.now);
	assert_int_equal(left(0), 80 * MS);
	assert_int_equal(ask(10 * MS, true), GSLOT_POLICY_KEEP);
	assert_int_equal(left(0), 70 * MS);
	gslot_policy_sleep(&w.p, &w.c[0], w.now);
	gslot_policy_wake(&w.p, &w.c[1], w.now);
	assert_int_equal(ask(0, true), GSLOT_POLICY_PREEMPT);
	off(0);
	expect_given(1, 0, false);
	/* The time of a switch is not charged. */
	w.now += 5 * MS;
	gslot_policy_begin(&w.p, w.now);
	ask(10 * MS, true);
	assert_int_equal(left(1), 90 * MS);
}

static void test_own_quantum(void **state)
{
	struct gslot_policy_knobs knobs;

	(void)state;
	fresh(2, 1000);
	knobs = w.c[0].knobs;
	knobs.quantum_ns = 3 * MS;
	assert_int_equal(gslot_policy_set_knobs(&w.p, &w.c[0], w.now, &knobs), 0);
	expect_given(0, 0, false);
	assert_int_equal(gslot_policy_timer(&w.p, w.now), 3 * MS);
	expect_given(1, 3 * MS, false);
	assert_int_equal(gslot_policy_timer(&w.p, w.now), QUANTUM);
	assert_int_equal(gslot_policy_patience(&w.p, 640), 640);
	assert_int_equal(gslot_policy_blocks(&w.p), U32_MAX);
}

/* After any jump of time it is as if there had been events all the time. */
static void test_jump(void **state)
{
	static struct world before;

	(void)state;
	for (u32 i = 0; i < rounds(300); i++) {
		u64 jump = rnd64() >> rnd_range(20, 40);
		s64 once;

		fresh(1, rnd_range(1, 1000));
		expect_given(0, rnd64() % SECOND, false);
		if (!w.p.owner)
			continue;
		before = w;
		w.now += jump;
		gslot_policy_off(&w.p, w.now);
		once = left(0);
		w = before;
		if (jump > 100 * SECOND) {
			w.now += jump - jump % SECOND - 20 * SECOND;
			jump = 20 * SECOND + jump % SECOND;
		}
		while (jump) {
			u64 step = rnd64() % STAGE + 1;

			step = min(step, jump);
			w.now += step;
			jump -= step;
			gslot_policy_wake(&w.p, &w.c[0], w.now);
			w.p.ops->ran(&w.p, &w.c[0], w.now);
		}
		assert_int_equal(left(0), once);
	}
	fresh(3, 1);
	assert_int_not_equal(ask(1ull << 62, false), GSLOT_POLICY_PREEMPT);
}

/* Eighty with an eightieth each, that never sleep: all have all of it. */
static void test_many(void **state)
{
	(void)state;
	fresh(GSLOT_MAX_VGPUS, 12);
	for (u64 end = w.now + 5 * SECOND; w.now < end;) {
		u64 timer;

		switch (ask(0, w.p.owner)) {
		case GSLOT_POLICY_PREEMPT:
			off(0);
			continue;
		default:
			timer = gslot_policy_timer(&w.p, w.now);
			assert_true(timer);
			w.now += min(timer, end - w.now);
		}
	}
	for (u32 i = 0; i < GSLOT_MAX_VGPUS; i++)
		assert_in_range(gslot_policy_held(&w.p, &w.c[i], w.now), 60 * MS - 2 * MS, 60 * MS);
}

/* What a client was given in this second, and has had of it. */
struct account {
	bool there;
	u32 cap;
	s64 given, had;
	u64 waits_since;
};

#define LONGEST	(60 * MS)

static struct account accounts[MAX];
static u64 began;
static u32 stage;
static bool busy, charged;

/* Step by step to @until: no stage begins in a step. */
static void account_until(u64 until)
{
	while (w.now < until) {
		u64 step = min(until, began + STAGE) - w.now;

		if (w.p.owner && charged)
			accounts[w.p.owner - w.c].had += step;
		w.now += step;
		if (w.now < began + STAGE)
			continue;
		began += STAGE;
		stage = (stage + 1) % GSLOT_CAP_STAGES;
		for (u32 i = 0; i < MAX; i++) {
			struct account *a = &accounts[i];

			if (!a->there)
				continue;
			if (!stage) {
				/* Its cap, and the longest that it took to yield. */
				assert_true(a->had - a->given <= (s64)LONGEST);
				a->given = 0;
				a->had = 0;
			}
			a->given += 100000 * w.c[i].knobs.cap;
		}
	}
}

static void random_client(u32 i)
{
	struct account *a = &accounts[i];

	if (!a->there && !rnd_below(50)) {
		if (!w.p.count) {
			began = w.now;
			stage = 0;
		}
		assert_int_equal(gslot_policy_join(&w.p, &w.c[i], w.now), 0);
		*a = (struct account) { .there = true, .given = STAGE, .waits_since = w.now };
	} else if (a->there && !rnd_below(500)) {
		gslot_policy_leave(&w.p, &w.c[i], w.now);
		a->there = false;
	} else if (a->there && !rnd_below(50)) {
		set_cap(i, rnd_below(3) ? rnd_range(1, 1000) : rnd_range(1, 50));
	} else if (a->there && rnd_below(3)) {
		gslot_policy_wake(&w.p, &w.c[i], w.now);
		charged |= w.p.owner == &w.c[i];
	} else if (a->there) {
		gslot_policy_sleep(&w.p, &w.c[i], w.now);
	}
}

static void check_accounts(void)
{
	bool any_without = gslot_debt_any_without(&w.p, w.now);

	for (u32 i = 0; i < MAX; i++) {
		struct account *a = &accounts[i];
		bool can = a->there && w.c[i].awake && a->given > a->had &&
			   !gslot_debt_sits_out(&w.c[i], w.now, any_without);

		if (!a->there)
			continue;
		assert_int_equal(left(i), a->given - a->had);
		/*
		 * The engine is not idle, and no client waits for more than a few turns of each
		 * other.
		 */
		assert_false(can && !w.p.owner && !w.p.leaving);
		if (!can || w.p.owner == &w.c[i])
			a->waits_since = w.now;
		assert_in_range(w.now - a->waits_since, 0, MAX * 2 * (QUANTUM + LONGEST));
	}
}

/* For a while another policy decides. When cap does again, a second begins. */
static void change(void)
{
	if (w.p.owner)
		off(0);
	live_elsewhere(&w.p, &w.now, &gslot_cap);
	began = w.now;
	stage = 0;
	charged = false;
	for (u32 i = 0; i < MAX; i++) {
		accounts[i].given = 100000 * w.c[i].knobs.cap;
		accounts[i].had = 0;
		accounts[i].waits_since = w.now;
	}
}

static void test_random(void **state)
{
	u64 leaves = 0, given = 0, preempted = 0;

	(void)state;
	w.now = 1;
	gslot_policy_init(&w.p, &gslot_cap, QUANTUM);
	memset(accounts, 0, sizeof(accounts));
	for (unsigned int i = 0; i < rounds(300000); i++) {
		u64 timer = w.p.count ? gslot_policy_timer(&w.p, w.now) : 0;
		u64 step = rnd_below(8 * MS);

		if (timer && !w.p.leaving)
			step = min(step, timer);
		if (w.p.leaving)
			step = min(step, LONGEST - min(w.now - leaves, LONGEST));
		account_until(w.now + step);
		random_client(rnd_below(MAX));
		if (!rnd_below(2000))
			change();
		if (!w.p.count)
			continue;
		if (w.p.leaving && (!rnd_below(6) || w.now - leaves >= LONGEST))
			gslot_policy_off(&w.p, w.now);
		if (w.p.leaving)
			continue;
		busy = w.p.owner && (w.p.owner->awake || !rnd_below(4));
		switch (ask(0, busy)) {
		case GSLOT_POLICY_GIVE:
			given++;
			charged = true;
			break;
		case GSLOT_POLICY_PREEMPT:
			preempted++;
			charged = true;
			leaves = w.now;
			break;
		default:
			charged = w.p.owner && (busy || w.p.owner->awake);
		}
		check_accounts();
	}
	print_message("# given %u times, preempted %u times\n", (u32)given, (u32)preempted);
	assert_true(given > 1000 && preempted > 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stages),
		cmocka_unit_test(test_ring),
		cmocka_unit_test(test_leave),
		cmocka_unit_test(test_idle),
		cmocka_unit_test(test_carry),
		cmocka_unit_test(test_overrun),
		cmocka_unit_test(test_new_cap),
		cmocka_unit_test(test_empty_queue),
		cmocka_unit_test(test_own_quantum),
		cmocka_unit_test(test_jump),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_random),
	};

	return run_tap_tests("core_cap", tests);
}
