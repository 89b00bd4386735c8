// SPDX-License-Identifier: GPL-2.0
/*
 * The policy credit: equation 2 and e^x against floating point; rounds, slices, four blocks at a
 * time and the three causes of replenishment by examples; and random lives in which credits are
 * counted.
 */
#include <math.h>

#include "policies.h"
#include "core/sched/credit_priv.h"
#include "core/sched/policy_priv.h"

#define MS		1000000ull
#define QUANTUM		(16 * MS)
#define INTERVAL	GSLOT_CREDIT_INTERVAL_NS
#define MAX		8

struct world {
	struct gslot_policy p;
	struct gslot_policy_client c[GSLOT_MAX_VGPUS];
	u64 now;
};

static struct world w;

static void fresh(u32 count, bool awake)
{
	w.now = 5000 * MS;
	gslot_policy_init(&w.p, &gslot_credit, QUANTUM);
	for (u32 i = 0; i < count; i++) {
		assert_int_equal(gslot_policy_join(&w.p, &w.c[i], w.now), 0);
		if (awake)
			gslot_policy_wake(&w.p, &w.c[i], w.now);
	}
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

static void dispatch(u32 blocks)
{
	w.p.owner->load.dispatched += blocks;
}

static u32 credit(u32 i)
{
	return w.c[i].credit.credit1;
}

static void test_exp(void **state)
{
	double worst = 0;

	(void)state;
	for (u32 x = 0; x <= GSLOT_CREDIT_EXP_ONE; x += 7) {
		double is = exp(x / 1e6), got = ldexp(gslot_credit_exp(x), -GSLOT_CREDIT_EXP_BITS);

		assert_true(got <= is);
		worst = max(worst, is - got);
	}
	print_message("# e^x is too small by %g at most\n", worst);
	assert_true(worst < ldexp(1, -19));
	assert_int_equal(gslot_credit_exp(0), 1 << GSLOT_CREDIT_EXP_BITS);
}

/* Equation 2 in floating point. */
static double equation_2(u32 i)
{
	double below = exp(1), weights = 0;
	const struct gslot_policy_load *l = &w.c[i].load;

	for (u32 k = 0; k < w.p.count; k++) {
		below += min(w.c[k].load.queued, GSLOT_CREDIT_MAX_QUEUED);
		weights += w.c[k].knobs.weight;
	}
	return (exp(min(l->bandwidth, 1000u) / 1e3 * min(l->memory, 1000u) / 1e3) +
		min(l->queued, GSLOT_CREDIT_MAX_QUEUED)) / below * GSLOT_CREDIT_TOTAL *
	       w.c[i].knobs.weight / (weights / w.p.count);
}

static void set_weight(u32 i, u32 weight)
{
	struct gslot_policy_knobs knobs = w.c[i].knobs;

	knobs.weight = weight;
	assert_int_equal(gslot_policy_set_knobs(&w.p, &w.c[i], w.now, &knobs), 0);
}

static void test_equation(void **state)
{
	(void)state;
	for (u32 k = 0; k < rounds(2000); k++) {
		u32 count = k & 1 ? GSLOT_MAX_VGPUS : 1 + rnd_below(6);

		fresh(count, false);
		for (u32 i = 0; i < count; i++) {
			struct gslot_policy_load *l = &w.c[i].load;

			if (k & 2)
				set_weight(i, rnd_range(1, GSLOT_POLICY_WEIGHT_MAX));
			l->queued = rnd_below(10) ? rnd_below(k & 4 ? 10 : 5000) : rnd();
			l->bandwidth = rnd_below(10) ? rnd_below(1001) : rnd();
			l->memory = rnd_below(10) ? rnd_below(1001) : rnd();
		}
		ask(INTERVAL, false);
		for (u32 i = 0; i < count; i++) {
			double is = equation_2(i);
			u32 got = w.c[i].credit.credit2;

			assert_int_equal(got, credit(i));
			assert_true(got >= 1);
			assert_true(got <= max(is, 1.0) && (got == 1 || got > is - 1 - is / 1e5));
		}
	}
	/* The largest of all. */
	fresh(GSLOT_MAX_VGPUS, false);
	for (u32 i = 0; i < GSLOT_MAX_VGPUS; i++) {
		set_weight(i, i ? 1 : GSLOT_POLICY_WEIGHT_MAX);
		w.c[i].load = (struct gslot_policy_load) {
			.queued = i ? 0 : U32_MAX, .bandwidth = U32_MAX, .memory = U32_MAX,
		};
	}
	ask(INTERVAL, false);
	assert_true(fabs(credit(0) - equation_2(0)) < 2);
}

/* By hand: a whole GPU and 10 queued, beside one that does nothing. */
static void test_example(void **state)
{
	(void)state;
	fresh(2, false);
	w.c[0].load = (struct gslot_policy_load) {
		.queued = 10, .bandwidth = 1000, .memory = 1000,
	};
	ask(INTERVAL, false);
	assert_int_equal(credit(0), 1000);
	assert_int_equal(credit(1), 78);
	/* 4:2:1 */
	fresh(3, false);
	for (u32 i = 0; i < 3; i++) {
		set_weight(i, 400 >> i);
		w.c[i].load.queued = 10;
	}
	ask(INTERVAL, false);
	assert_int_equal(credit(0), 576);
	assert_int_equal(credit(1), 288);
	assert_int_equal(credit(2), 144);
}

/* All spend alike: four blocks each, in the order in which they joined. */
static void test_four(void **state)
{
	(void)state;
	fresh(3, true);
	expect_given(0, 0, false);
	for (u32 i = 1; i < 20; i++) {
		for (u32 k = GSLOT_CREDIT_BLOCKS; k; k--) {
			assert_int_equal(gslot_policy_blocks(&w.p), k);
			assert_int_equal(ask(MS / 8, true), GSLOT_POLICY_KEEP);
			dispatch(1);
		}
		assert_int_equal(gslot_policy_blocks(&w.p), 0);
		assert_int_equal(ask(MS / 8, true), GSLOT_POLICY_KEEP);
		expect_given(i % 3, 0, false);
	}
	assert_int_equal(w.c[0].credit.credit2 - credit(0), 28);
	assert_int_equal(w.c[1].credit.credit2 - credit(1), 24);
	gslot_policy_preempt(&w.p, w.now);
	assert_int_equal(gslot_policy_blocks(&w.p), 0);
	gslot_policy_off(&w.p, w.now);
	assert_int_equal(gslot_policy_blocks(&w.p), 0);
}

/*
 * Turns of a round are ordered by, and as long in proportion to, the CPU time of the round before.
 */
static void test_slices(void **state)
{
	static const u64 cpu[] = { 30, 0, 120, 60 };
	static const u32 order[] = { 2, 3, 0, 1 };
	static const u64 slices[] = { 16 * MS, 8 * MS, 4 * MS, GSLOT_CREDIT_MIN_SLICE_NS };

	(void)state;
	fresh(4, true);
	expect_given(0, 0, false);
	for (u32 i = 0; i < 4; i++)
		w.c[i].load.cpu_ns += cpu[i] * MS;
	for (u32 i = 1; i < 4; i++) {
		assert_int_equal(ask(GSLOT_CREDIT_SLICE_NS, true), GSLOT_POLICY_PREEMPT);
		gslot_policy_off(&w.p, w.now);
		expect_given(i, 0, false);
	}
	for (u32 i = 0; i < 4; i++) {
		assert_ptr_equal(gslot_policy_next(&w.p, w.now), &w.c[order[i]]);
		expect_given(order[i], i ? 0 : GSLOT_CREDIT_SLICE_NS, false);
		assert_int_equal(gslot_policy_timer(&w.p, w.now), slices[i]);
		assert_int_equal(ask(slices[i] - 1, true), GSLOT_POLICY_KEEP);
		assert_int_equal(ask(1, true), GSLOT_POLICY_PREEMPT);
		gslot_policy_off(&w.p, w.now);
	}
	/* Counters were cleared: all are alike again. */
	expect_given(0, 0, false);
	assert_int_equal(gslot_policy_timer(&w.p, w.now), GSLOT_CREDIT_SLICE_NS);
	/* The time of a switch is not of the slice. */
	w.now += 3 * MS;
	gslot_policy_begin(&w.p, w.now);
	assert_int_equal(gslot_policy_timer(&w.p, w.now), GSLOT_CREDIT_SLICE_NS);
}

/* Years of CPU time do no harm. */
static void test_large_slices(void **state)
{
	(void)state;
	fresh(2, true);
	expect_given(0, 0, false);
	expect_given(1, GSLOT_CREDIT_SLICE_NS, false);
	w.c[0].load.cpu_ns = 1ull << 62;
	w.c[1].load.cpu_ns = 1ull << 61;
	expect_given(0, GSLOT_CREDIT_SLICE_NS, false);
	assert_int_equal(w.c[0].credit.slice_ns, GSLOT_CREDIT_SLICE_NS);
	assert_int_equal(w.c[1].credit.slice_ns, GSLOT_CREDIT_SLICE_NS / 2);
}

static void spend_all(u32 i)
{
	w.c[i].load.dispatched += credit(i);
}

static void test_replenishment(void **state)
{
	(void)state;
	/* No client has any. */
	fresh(2, true);
	expect_given(0, 0, false);
	spend_all(0);
	assert_int_equal(ask(0, true), GSLOT_POLICY_KEEP);
	assert_int_equal(credit(0), 0);
	expect_given(1, 0, false);
	/* It waits, though it has work: the other one has credit. */
	assert_int_equal(ask(100 * MS, true), GSLOT_POLICY_KEEP);
	assert_int_equal(credit(0), 0);
	assert_int_equal(gslot_policy_timer(&w.p, w.now), INTERVAL - 100 * MS);
	spend_all(1);
	w.c[0].load.queued = 1;
	w.c[1].load.queued = 1;
	assert_int_equal(ask(0, true), GSLOT_POLICY_KEEP);
	assert_int_equal(credit(0), (u32)(2 / (exp(1) + 2) * GSLOT_CREDIT_TOTAL));
	/* An interval has elapsed. */
	fresh(2, true);
	expect_given(0, 0, false);
	spend_all(0);
	expect_given(1, 0, false);
	dispatch(1);
	assert_int_equal(ask(INTERVAL - 1, true), GSLOT_POLICY_KEEP);
	assert_int_equal(credit(0), 0);
	assert_int_equal(ask(1, true), GSLOT_POLICY_KEEP);
	assert_int_equal(credit(0), w.c[0].credit.credit2);
	assert_int_equal(credit(1), w.c[1].credit.credit2);
	/* One has no credit, but work, and the engine is idle. */
	fresh(2, false);
	gslot_policy_wake(&w.p, &w.c[0], w.now);
	expect_given(0, 0, false);
	spend_all(0);
	assert_int_equal(ask(0, true), GSLOT_POLICY_KEEP);
	assert_int_equal(gslot_policy_blocks(&w.p), 0);
	gslot_policy_sleep(&w.p, &w.c[0], w.now);
	assert_int_equal(ask(1, false), GSLOT_POLICY_KEEP);
	assert_int_equal(credit(0), 0);
	gslot_policy_wake(&w.p, &w.c[0], w.now);
	assert_int_equal(ask(1, false), GSLOT_POLICY_KEEP);
	assert_int_equal(credit(0), w.c[0].credit.credit2);
	assert_int_equal(gslot_policy_blocks(&w.p), GSLOT_CREDIT_BLOCKS);
}

/* Alone it goes on, without a gap. */
static void test_alone(void **state)
{
	(void)state;
	fresh(2, false);
	gslot_policy_wake(&w.p, &w.c[1], w.now);
	expect_given(1, 0, false);
	for (u32 i = 0; i < 1000; i++) {
		dispatch(gslot_policy_blocks(&w.p));
		assert_int_equal(ask(50 * MS, i & 1), GSLOT_POLICY_KEEP);
		if (i & 1 && !gslot_policy_blocks(&w.p))
			ask(0, false);
		assert_true(gslot_policy_blocks(&w.p));
	}
	assert_int_equal(w.p.turns, 1);
	assert_int_equal(gslot_policy_patience(&w.p, 640), 640);
}

/* Counters that go back, and more blocks than there was credit for. */
static void test_nonsense(void **state)
{
	(void)state;
	fresh(2, true);
	expect_given(0, 0, false);
	dispatch(U32_MAX);
	ask(0, true);
	assert_int_equal(credit(0), 0);
	w.c[0].load.dispatched = 0;
	w.c[0].load.cpu_ns = 5;
	ask(MS, true);
	assert_int_equal(credit(0), 0);
	expect_given(1, 0, false);
	w.c[0].load.cpu_ns = 0;
	w.c[1].load.dispatched = 0;
	ask(1ull << 60, false);
	assert_int_equal(credit(0), w.c[0].credit.credit2);
	for (u32 i = 0; i < 10; i++)
		ask(1ull << 50, i & 1);
}

static u64 waits_since[GSLOT_MAX_VGPUS], counted[GSLOT_MAX_VGPUS];

/* The next client gets the engine if the owner has no work any more. */
static void check_next(void)
{
	struct gslot_policy_client *next = gslot_policy_next(&w.p, w.now), *given = NULL;
	static struct world before;

	before = w;
	if (w.p.owner)
		gslot_policy_sleep(&w.p, w.p.owner, w.now);
	if (ask(0, false) == GSLOT_POLICY_GIVE)
		given = w.p.owner;
	assert_ptr_equal(next, given);
	w = before;
}

#define LONGEST	(40 * MS)

static void check(u32 max, u64 given_at)
{
	bool any_without = gslot_debt_any_without(&w.p, w.now);
	bool runs = w.p.owner, can = false;

	for (u32 k = 0; k < w.p.count; k++) {
		struct gslot_policy_client *c = w.p.clients[k];
		u32 i = c - w.c;

		/* A credit a block, and none is lost or made. */
		if (w.p.credit.given_at != given_at)
			counted[i] = c->load.dispatched;
		assert_int_equal(c->credit.credit1 + (c->load.dispatched - counted[i]),
				 c->credit.credit2);
		bool awake = c->awake && !gslot_debt_sits_out(c, w.now, any_without);

		can |= awake;
		if (!awake || !c->credit.credit1 || w.p.owner == c)
			waits_since[i] = w.now;
		assert_in_range(w.now - waits_since[i], 0,
				2 * max * (GSLOT_CREDIT_SLICE_NS + LONGEST + 8 * MS));
	}
	/* The engine is not idle while there is work. */
	assert_true(runs || !can || w.p.leaving);
}

/* For a while another policy decides. When credit does again, all are given credit at once. */
static void change(void)
{
	if (w.p.owner)
		gslot_policy_off(&w.p, w.now);
	live_elsewhere(&w.p, &w.now, &gslot_credit);
	for (u32 k = 0; k < w.p.count; k++) {
		u32 i = w.p.clients[k] - w.c;

		counted[i] = w.c[i].load.dispatched;
		waits_since[i] = w.now;
	}
}

static void random_life(u32 max, u32 steps)
{
	static bool there[GSLOT_MAX_VGPUS];
	u64 leaves = 0;

	fresh(0, false);
	memset(there, 0, sizeof(there));
	while (steps--) {
		u32 i = rnd_below(max);
		u64 given_at;
		bool busy;

		if (!rnd_below(1000))
			change();
		given_at = w.p.credit.given_at;
		w.now += rnd_below(rnd_below(4) ? MS : 8 * MS);
		if (!there[i]) {
			assert_int_equal(gslot_policy_join(&w.p, &w.c[i], w.now), 0);
			there[i] = true;
			waits_since[i] = w.now;
			counted[i] = 0;
		} else if (!rnd_below(1000)) {
			gslot_policy_leave(&w.p, &w.c[i], w.now);
			there[i] = false;
		} else if (rnd_below(4)) {
			w.c[i].load.queued = rnd_below(100);
			w.c[i].load.cpu_ns += rnd_below(MS);
			gslot_policy_wake(&w.p, &w.c[i], w.now);
		} else {
			gslot_policy_sleep(&w.p, &w.c[i], w.now);
		}
		if (w.p.leaving && (!rnd_below(8) || w.now - leaves > LONGEST - 8 * MS))
			gslot_policy_off(&w.p, w.now);
		if (w.p.leaving || !w.p.count)
			continue;
		if (w.p.owner && w.p.owner->awake)
			dispatch(rnd_below(gslot_policy_blocks(&w.p) + 1));
		busy = w.p.owner && rnd_below(3);
		given_at = w.p.count == 1 ? 0 : given_at;
		if (ask(0, busy) == GSLOT_POLICY_PREEMPT)
			leaves = w.now;
		check(max, given_at);
		if (!w.p.leaving && !rnd_below(8))
			check_next();
	}
}

static void test_random(void **state)
{
	(void)state;
	random_life(3, rounds(60000));
	random_life(MAX, rounds(100000));
	random_life(GSLOT_MAX_VGPUS, rounds(30000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exp),
		cmocka_unit_test(test_equation),
		cmocka_unit_test(test_example),
		cmocka_unit_test(test_four),
		cmocka_unit_test(test_slices),
		cmocka_unit_test(test_large_slices),
		cmocka_unit_test(test_replenishment),
		cmocka_unit_test(test_alone),
		cmocka_unit_test(test_nonsense),
		cmocka_unit_test(test_random),
	};

	return run_tap_tests("core_credit", tests);
}
