// SPDX-License-Identifier: GPL-2.0
/*
 * The policy fair by examples, and in random lives, beside an ideal system: lags are those of that
 * system, and never beyond their bound.
 */
#include <math.h>

#include "policies.h"
#include "core/sched/fair_priv.h"

#define MS	1000000ull
#define QUANTUM	(16 * MS)
#define PART	(QUANTUM / GSLOT_FAIR_PART)
#define MAX	32

struct world {
	struct gslot_policy p;
	struct gslot_policy_client c[GSLOT_MAX_VGPUS];
	u64 now;
	u64 off_at;		/* while the owner is being preempted */
	u64 overrun;		/* how long the next owner takes to yield */
	u64 run[GSLOT_MAX_VGPUS];
	u32 timers;		/* timers that expired */
	u32 soon;		/* less than a microsecond after they were set */
	void (*watch)(bool picked);	/* called after each step */
};

static struct world w;

static void fresh(u32 count, u64 awake)
{
	memset(&w, 0, sizeof(w));
	w.now = 1000 * MS;
	gslot_policy_init(&w.p, &gslot_fair, QUANTUM);
	for (u32 i = 0; i < count; i++) {
		assert_int_equal(gslot_policy_join(&w.p, &w.c[i], w.now), 0);
		if (i < 64 && (awake >> i & 1))
			gslot_policy_wake(&w.p, &w.c[i], w.now);
	}
}

static void set_knobs(u32 i, struct gslot_policy_knobs knobs)
{
	if (!knobs.weight)
		knobs.weight = GSLOT_POLICY_WEIGHT;
	if (!knobs.cap)
		knobs.cap = GSLOT_WHOLE;
	assert_int_equal(gslot_policy_set_knobs(&w.p, &w.c[i], w.now, &knobs), 0);
}

static void watch(bool picked)
{
	if (w.watch)
		w.watch(picked);
}

static void wake(u32 i)
{
	gslot_policy_wake(&w.p, &w.c[i], w.now);
	watch(false);
}

static void go_to_sleep(u32 i)
{
	gslot_policy_sleep(&w.p, &w.c[i], w.now);
	watch(false);
}

/* An owner that is being preempted is not off yet. */
static bool used(void)
{
	return w.p.owner && (w.p.leaving || w.p.owner->awake);
}

static void off(void)
{
	gslot_policy_off(&w.p, w.now);
	watch(false);
}

static void pick(void)
{
	if (gslot_policy_pick(&w.p, w.now, used()).verdict == GSLOT_POLICY_PREEMPT)
		w.off_at = w.now + w.overrun;
	watch(true);
}

/* As the scheduler: ask, and preempt. */
static void ask(void)
{
	if (w.p.leaving)
		return;
	pick();
	while (w.p.leaving && w.off_at == w.now) {
		off();
		pick();
	}
}

/* The time of the next event without a cause. */
static u64 next_at(u64 end)
{
	u64 timer;

	if (w.p.leaving)
		return min(w.off_at, end);
	timer = gslot_policy_timer(&w.p, w.now);
	if (!timer || w.now + timer > end)
		return end;
	w.timers++;
	w.soon += timer < 1000;
	return w.now + timer;
}

static void go_to(u64 at)
{
	if (used())
		w.run[w.p.owner - w.c] += at - w.now;
	w.now = at;
	if (w.p.leaving && w.now == w.off_at)
		off();
}

/* Let time pass with the policy's own events only. */
static void pass(u64 ns)
{
	u64 end = w.now + ns;

	ask();
	while (w.now < end) {
		go_to(next_at(end));
		ask();
	}
}

static void expect_owner(u32 i)
{
	assert_ptr_equal(w.p.owner, &w.c[i]);
}

static s64 lag(u32 i)
{
	return gslot_fair_lag_ns(&w.p, &w.c[i]);
}

static void expect_near(u64 value, u64 expected, u64 error)
{
	assert_in_range(value, expected - min(expected, error), expected + error);
}

static void test_no_client(void **state)
{
	(void)state;
	fresh(3, 0);
	pass(MS);
	assert_null(w.p.owner);
	assert_int_equal(gslot_policy_timer(&w.p, w.now), 0);
	wake(1);
	pass(1000 * MS);
	expect_owner(1);
	assert_int_equal(gslot_policy_timer(&w.p, w.now), 0);
	go_to_sleep(1);
	pass(MS);
	expect_owner(1);
	wake(2);
	ask();
	expect_owner(2);
	/* Preempted with nothing to do, as a client that is paused. */
	go_to_sleep(2);
	pass(MS);
	gslot_policy_off(&w.p, w.now);
	pass(MS);
	assert_null(w.p.owner);
	wake(0);
	pass(MS);
	expect_owner(0);
}

/* All alike, one has a quantum after the other; or two, if none is due before it. */
static void test_alike(void **state)
{
	(void)state;
	fresh(4, 0xf);
	pass(4000 * MS);
	for (u32 i = 0; i < 4; i++) {
		expect_near(w.run[i], 1000 * MS, QUANTUM);
		assert_in_range(w.c[i].turns, 1000 / 16 / 2, 1000 / 16 + 1);
	}
}

static void test_weights(void **state)
{
	static const u32 weights[] = { 400, 200, 100, 1, 10000 };

	(void)state;
	fresh(5, 0x1f);
	for (u32 i = 0; i < 5; i++)
		set_knobs(i, (struct gslot_policy_knobs) { .weight = weights[i] });
	pass(100000 * MS);
	for (u32 i = 0; i < 5; i++)
		expect_near(w.run[i], 100000 * MS * weights[i] / 10701, QUANTUM);
}

/*
 * A client that wakes, and mostly needs little, waits for the few that are due before it, however
 * many work: on average for an eighth of a quantum.
 */
static void test_waking(void **state)
{
	u64 sum = 0, worst = 0;

	(void)state;
	fresh(8, 0xfe);
	for (u32 round = 0; round < 300; round++) {
		u64 since;

		pass(rnd_range(20, 200) * MS + rnd_below(MS));
		since = w.now;
		wake(0);
		ask();
		while (w.p.owner != &w.c[0])
			pass(MS / 100);
		if (round >= 100) {
			sum += w.now - since;
			worst = max(worst, w.now - since);
		}
		pass(MS / 2);
		go_to_sleep(0);
		ask();
	}
	print_message("# mean %.2f ms, worst %.2f ms\n", sum / 200 / 1e6, worst / 1e6);
	assert_in_range(sum / 200, 0, PART);
	assert_in_range(worst, 0, 2 * PART);
}

/*
 * A client that wakes and mostly needs a quantum or more waits for at most 5 of them, beside 31
 * others.
 */
static void test_waking_long(void **state)
{
	u64 worst = 0;

	(void)state;
	fresh(32, 0xfffffffe);
	for (u32 round = 0; round < 100; round++) {
		u64 since, run;

		/* It makes up for what it had. */
		pass(4000 * MS + rnd_below(100 * MS));
		since = w.now;
		wake(0);
		ask();
		while (w.p.owner != &w.c[0])
			pass(MS / 10);
		worst = max(worst, w.now - since);
		for (run = w.run[0]; w.run[0] < run + 4 * QUANTUM; )
			pass(MS);
		go_to_sleep(0);
		ask();
	}
	print_message("# worst %.2f ms\n", worst / 1e6);
	assert_in_range(worst, 0, 5 * QUANTUM);
}

/*
 * No client is preempted before an eighth of a quantum; one that goes on and on has whole quanta.
 */
static void test_part(void **state)
{
	u64 turns;

	(void)state;
	fresh(3, 1);
	for (u32 i = 0; i < 20; i++) {
		wake(1);
		pass(3 * MS);
		go_to_sleep(1);
		pass(5 * MS);
	}
	wake(2);
	go_to_sleep(0);
	pass(MS);
	expect_owner(2);
	wake(0);
	go_to_sleep(2);
	pass(MS / 10);
	expect_owner(0);
	wake(1);
	pass(PART - MS / 5);
	expect_owner(0);
	pass(MS / 5);
	expect_owner(1);
	turns = w.p.turns;
	pass(1600 * MS);
	assert_in_range(w.p.turns - turns, 50, 110);
}

/* An idle client costs nothing, nor does one that had much to do when no other had. */
static void test_idle(void **state)
{
	(void)state;
	fresh(2, 1);
	pass(10000 * MS);
	assert_int_equal(w.run[0], 10000 * MS);
	assert_int_equal(w.p.turns, 1);
	wake(1);
	pass(10000 * MS);
	expect_near(w.run[0], 15000 * MS, QUANTUM);
	expect_near(w.run[1], 5000 * MS, QUANTUM);
}

/* A client that submits and withdraws without end gains nothing, and takes nothing from others. */
static void test_canceller(void **state)
{
	(void)state;
	fresh(3, 3);
	for (u32 i = 0; i < 5000; i++) {
		wake(2);
		pass(rnd_below(3 * MS));
		go_to_sleep(2);
		pass(rnd_below(MS));
	}
	expect_near(w.run[0], w.run[1], 2 * QUANTUM);
	assert_true(w.run[2] < w.now / 3);
	/* That they made up for what it left does not make them wait. */
	assert_true(w.run[0] + w.run[1] + w.run[2] + QUANTUM > w.now - 1000 * MS);
}

/* Caps hold, beside others and alone; others have the rest. */
static void test_caps(void **state)
{
	(void)state;
	for (u32 others = 0; others < 4; others++) {
		fresh(1 + others, (1 << (1 + others)) - 1);
		set_knobs(0, (struct gslot_policy_knobs) { .weight = 10000, .cap = 150 });
		pass(20000 * MS);
		assert_in_range(w.run[0], 2900 * MS, 3016 * MS);
		for (u32 i = 1; i <= others; i++)
			expect_near(w.run[i], (20000 * MS - w.run[0]) / others, 2 * QUANTUM);
	}
}

/* A cap holds in each second, and does not keep a client from its share below it. */
static void test_cap_window(void **state)
{
	(void)state;
	fresh(2, 3);
	set_knobs(0, (struct gslot_policy_knobs) { .cap = 300 });
	for (u32 i = 0; i < 100; i++) {
		u64 before = w.run[0], ns = 1 + rnd_below(1000 * MS);

		if (rnd_below(3))
			wake(0);
		else
			go_to_sleep(0);
		pass(ns);
		assert_true(w.run[0] - before <= ns * 3 / 10 + 30 * MS + MS);
	}
	wake(0);
	/* A change does not fill it. */
	pass(3000 * MS);
	memset(w.run, 0, sizeof(w.run));
	for (u32 i = 0; i < 1000; i++) {
		set_knobs(0, (struct gslot_policy_knobs) { .cap = 300 + i % 2 });
		pass(MS);
	}
	assert_in_range(w.run[0], 250 * MS, 335 * MS);
	set_knobs(0, (struct gslot_policy_knobs) { .cap = 700 });
	pass(100 * MS);
	memset(w.run, 0, sizeof(w.run));
	pass(5000 * MS);
	expect_near(w.run[0], 2500 * MS, QUANTUM);
	set_knobs(0, (struct gslot_policy_knobs) { .cap = 1 });
	memset(w.run, 0, sizeof(w.run));
	pass(10000 * MS);
	assert_in_range(w.run[0], 1, 40 * MS);
}

/* A client has its reservation, whatever its weight; others have the rest, by weight. */
static void test_reserve(void **state)
{
	(void)state;
	fresh(4, 0xf);
	set_knobs(0, (struct gslot_policy_knobs) { .weight = 1, .reserve = 500 });
	set_knobs(1, (struct gslot_policy_knobs) { .weight = 1, .reserve = 100 });
	set_knobs(2, (struct gslot_policy_knobs) { .weight = 1000 });
	set_knobs(3, (struct gslot_policy_knobs) { .weight = 3000 });
	pass(1000 * MS);
	memset(w.run, 0, sizeof(w.run));
	for (u32 i = 0; i < 10; i++) {
		u64 before[2] = { w.run[0], w.run[1] };

		pass(1000 * MS);
		assert_in_range(w.run[0] - before[0], 480 * MS, 540 * MS);
		assert_in_range(w.run[1] - before[1], 80 * MS, 140 * MS);
	}
	expect_near(w.run[3], w.run[2] * 3, 4 * QUANTUM);
	/* Its share is more than that: it has its share. */
	set_knobs(2, (struct gslot_policy_knobs) { .weight = 10000, .reserve = 100 });
	set_knobs(0, (struct gslot_policy_knobs) { .weight = 1 });
	set_knobs(1, (struct gslot_policy_knobs) { .weight = 1 });
	pass(1000 * MS);
	memset(w.run, 0, sizeof(w.run));
	pass(10000 * MS);
	expect_near(w.run[2], 10000 * MS * 10000 / 13002, 2 * QUANTUM);
}

/*
 * Eight with a reservation of a tenth each, of which four sleep and wake. A timer is set for a time
 * at which something happens: there are no more than some for each part of a quantum. One may be
 * less than a microsecond away by chance, but not one after another.
 */
static void test_timers(void **state)
{
	const u64 length = 10000 * MS;
	u64 end;
	u32 i;

	(void)state;
	fresh(8, 0xff);
	for (i = 0; i < 8; i++)
		set_knobs(i, (struct gslot_policy_knobs) { .reserve = 100 });
	pass(1000 * MS);
	w.timers = 0;
	w.soon = 0;
	for (end = w.now + length; w.now < end; ) {
		i = rnd_below(4);
		if (w.c[i].awake)
			go_to_sleep(i);
		else
			wake(i);
		pass(rnd_below(20 * MS));
	}
	printf("# %u timers, %u of them within a microsecond\n", w.timers, w.soon);
	assert_in_range(w.timers, 1, 4 * length / PART);
	assert_in_range(w.soon, 0, length / (100 * MS));
}

/*
 * A client that never yields, beside one with work for a sixteenth of the time: what it has beyond
 * what it is given, and its resets, are bounded.
 */
static void test_hog(void **state)
{
	const u64 patience = 640 * MS;
	u64 longest = 0, resets = 0, done = 0;

	(void)state;
	fresh(2, 2);
	for (u32 frame = 0; frame < 2000; frame++) {
		u64 since = w.now;

		wake(0);
		w.overrun = 0;
		while (w.run[0] < (frame + 1) * MS) {
			bool hog;

			/* Until the other one is the owner, preemption included. */
			w.overrun = w.p.owner == &w.c[1] ?
				    gslot_policy_patience(&w.p, patience) : 0;
			hog = w.p.leaving;
			ask();
			if (w.p.leaving && !hog)
				resets++;
			go_to(next_at(w.now + MS));
			if (hog && !w.p.leaving) {
				gslot_policy_reset(&w.p, &w.c[1], w.now);
				done++;
			}
		}
		longest = max(longest, w.now - since);
		go_to_sleep(0);
		w.overrun = 0;
		pass(15 * MS);
	}
	assert_true(resets > 10 && done > 10);
	assert_in_range(longest, 0, patience + QUANTUM + 2 * MS);
	assert_true(w.run[1] <= (w.now - 1000 * MS) / 2 + 2 * patience);
	/* 30, and one every two seconds. */
	assert_in_range(done, 0, 31 + (w.now - 1000 * MS) / GSLOT_DEBT_RESET_NS);
}

/* A client that leaves takes its debt with it: no other waits for it any more, or is owed more. */
static void test_leave(void **state)
{
	(void)state;
	for (u32 round = 0; round < 200; round++) {
		s64 sum = 0;

		fresh(5, 0x1f);
		w.overrun = rnd_below(12 * MS);
		pass(rnd_below(200 * MS));
		go_to_sleep(rnd_below(5));
		pass(rnd_below(2) * MS);
		w.overrun = 0;
		gslot_policy_leave(&w.p, &w.c[rnd_below(5)], w.now);
		ask();
		for (u32 i = 0; i < w.p.count; i++)
			sum += gslot_fair_lag_ns(&w.p, w.p.clients[i]);
		sum += w.p.fair.forfeited >> GSLOT_FAIR_SHIFT;
		assert_in_range(sum + 100, 0, 200);
		pass(1000 * MS);
	}
}

/*
 * If much has to be copied for the client that is due first, another one is preferred; but not
 * twice before the first has had its turn, and not if the first would be late.
 */
static void test_copies(void **state)
{
	(void)state;
	fresh(4, 0xf);
	w.c[0].load.to_copy = 100;
	assert_ptr_equal(gslot_policy_next(&w.p, w.now), &w.c[1]);
	ask();
	expect_owner(1);
	pass(QUANTUM);
	expect_owner(0);
	pass(2 * QUANTUM);
	for (u32 i = 1; i < 4; i++)
		w.c[i].load.to_copy = 1;
	pass(8 * QUANTUM);
	for (u32 i = 0; i < 4; i++)
		expect_near(w.run[i], w.run[0], QUANTUM + MS);
	/* With only one more, a quantum of that one would be half of the time. */
	fresh(2, 3);
	ask();
	pass(QUANTUM);
	expect_owner(1);
	w.c[0].load.to_copy = 1;
	pass(QUANTUM + 1);
	expect_owner(0);
	/* After a client has not yielded for long there is no time for it. */
	fresh(3, 7);
	w.overrun = QUANTUM * 3 / 4;
	pass(7 * QUANTUM / 4 - MS);
	w.overrun = 0;
	w.c[1].load.to_copy = 1;
	pass(2 * MS);
	expect_owner(2);
	fresh(3, 7);
	w.overrun = QUANTUM * 3 / 2;
	pass(5 * QUANTUM / 2 - MS);
	w.overrun = 0;
	w.c[1].load.to_copy = 1;
	pass(2 * MS);
	expect_owner(1);
}

/* A client that asks for little at a time has it when it is due, though another asks for more. */
static void test_requests(void **state)
{
	(void)state;
	fresh(2, 3);
	set_knobs(1, (struct gslot_policy_knobs) { .quantum_ns = QUANTUM / 4 });
	pass(160 * MS);
	memset(w.run, 0, sizeof(w.run));
	w.c[1].turns = 0;
	pass(1600 * MS);
	expect_near(w.run[1], 800 * MS, QUANTUM / 4);
	assert_in_range(w.c[1].turns, 150, 210);
}

/* A quantum that is shorter than the least request of the others bounds the client's own. */
static void test_short_quantum(void **state)
{
	(void)state;
	fresh(2, 3);
	set_knobs(1, (struct gslot_policy_knobs) { .quantum_ns = QUANTUM / 16 });
	pass(160 * MS);
	set_knobs(1, (struct gslot_policy_knobs) { .quantum_ns = QUANTUM / 12 });
	pass(160 * MS);
	assert_in_range(w.c[1].fair.request_ns, 1, QUANTUM / 12);
	for (u32 i = 0; i < 4; i++) {
		go_to_sleep(1);
		assert_in_range(w.c[1].fair.request_ns, 1, QUANTUM / 12);
		pass(MS);
		wake(1);
	}
}

/*
 * A client with too many resets sits out, alone as well, until it has budget again; not for ever.
 */
static void test_resets(void **state)
{
	(void)state;
	fresh(2, 2);
	for (u32 i = 0; i < GSLOT_DEBT_RESETS; i++)
		gslot_policy_reset(&w.p, &w.c[1], w.now);
	pass(MS);
	expect_owner(1);
	gslot_policy_reset(&w.p, &w.c[1], w.now);
	pass(MS);
	assert_null(w.p.owner);
	assert_true(gslot_policy_timer(&w.p, w.now));
	pass(GSLOT_DEBT_RESET_NS - 10 * MS);
	assert_null(w.p.owner);
	wake(0);
	pass(MS);
	expect_owner(0);
	pass(60 * MS);
	assert_true(w.c[1].turns > 1);
}

/*
 * The ideal system: clients that compete are served at the same time, by weight. Lags are computed
 * anew here, in floating point and without queues.
 */
/* Nanoseconds, virtual or not. */
#define CLOSE	1

struct ideal {
	bool member[MAX];
	double lag[MAX];
	u32 weight[MAX];
	double forfeited;
};

static struct ideal ideal;

/* Number of clients: w.c[0] and so on. Some of them may have left. */
static u32 lives;

static bool competes(u32 i)
{
	const struct gslot_fair_client *c = &w.c[i].fair;

	return (w.c[i].awake && !c->barred && !c->capped) || (w.p.owner == &w.c[i] && used());
}

/* In virtual time. */
static double behind(u32 i)
{
	return ideal.lag[i] / ideal.weight[i];
}

/*
 * Since a client was last not ahead: how much it overran, and how much of what it is ahead by does
 * not keep forfeited lag from being distributed.
 */
static u64 own[MAX], irregular[MAX];

/* In virtual time, without overruns. */
static double ahead(u32 i)
{
	return max(-ideal.lag[i] - (double)irregular[i], 0.0) / ideal.weight[i];
}

/* How long, in virtual time, until the first request is due of those that are not ahead? */
static double first_due(void)
{
	double first = 1e18;

	for (u32 i = 0; i < lives; i++) {
		const struct gslot_fair_client *c = &w.c[i].fair;

		if (ideal.member[i] && competes(i) && ideal.lag[i] > -CLOSE)
			first = min(first, (double)(s64)(c->deadline - c->vtime) /
				    (1 << GSLOT_FAIR_SHIFT) - behind(i));
	}
	return max(first, 0.0);
}

static bool any_beyond(double at)
{
	for (u32 i = 0; i < lives; i++)
		if (ideal.member[i] && ahead(i) > at)
			return true;
	return false;
}

/* Is forfeited lag to be distributed? The code under test decides if it is too close to say. */
static bool passes_on(void)
{
	double due = first_due();

	if (ideal.forfeited < 1 || any_beyond(due + CLOSE))
		return false;
	return !any_beyond(due - CLOSE) ||
	       w.p.fair.forfeited < (ideal.forfeited - 1) * (1 << GSLOT_FAIR_SHIFT);
}

static void ideal_quit(u32 i)
{
	ideal.member[i] = false;
	ideal.forfeited += max(ideal.lag[i], 0.0);
}

/* Distribute forfeited lag, by weight, up to where a client comes to be behind. */
static void ideal_jump(void)
{
	double weights = 0, by = 1e18;

	for (u32 i = 0; i < lives; i++) {
		if (!ideal.member[i])
			continue;
		weights += ideal.weight[i];
		if (ideal.lag[i] < 0)
			by = min(by, -behind(i));
	}
	if (weights)
		by = min(by, ideal.forfeited / weights);
	ideal.forfeited = weights ? ideal.forfeited - by * weights : 0;
	for (u32 i = 0; i < lives; i++) {
		if (!ideal.member[i])
			continue;
		ideal.lag[i] += by * ideal.weight[i];
		if (ideal.lag[i] > -0.001 && ideal.lag[i] < 0)
			ideal.lag[i] = 0;
		ideal.member[i] = ideal.lag[i] < 0 || competes(i);
	}
}

static void ideal_look(bool picked)
{
	for (u32 i = 0; i < lives; i++) {
		if (competes(i) && !ideal.member[i]) {
			ideal.member[i] = true;
			ideal.lag[i] = 0;
			ideal.weight[i] = w.c[i].knobs.weight;
		}
	}
	for (u32 i = 0; i < lives; i++)
		if (ideal.member[i] && !competes(i) && ideal.lag[i] >= 0)
			ideal_quit(i);
	while (picked && passes_on())
		ideal_jump();
	for (u32 i = 0; i < lives; i++) {
		if (!ideal.member[i] || ideal.lag[i] >= 0) {
			own[i] = 0;
			irregular[i] = 0;
		}
	}
}

static void ideal_pass(u64 ns)
{
	double left = ns;

	while (left > 0 && used() && !w.p.fair.extra) {
		double step = left, weights = 0;

		for (u32 i = 0; i < lives; i++)
			weights += ideal.member[i] ? ideal.weight[i] : 0;
		for (u32 i = 0; i < lives; i++)
			if (ideal.member[i] && !competes(i))
				step = min(step, -ideal.lag[i] * weights / ideal.weight[i]);
		for (u32 i = 0; i < lives; i++)
			if (ideal.member[i])
				ideal.lag[i] += step * ideal.weight[i] / weights;
		ideal.lag[w.p.owner - w.c] -= step;
		left -= step;
		for (u32 i = 0; i < lives; i++)
			if (ideal.member[i] && !competes(i) && ideal.lag[i] > -0.001)
				ideal.member[i] = false;
	}
}

/* A client that is behind forfeits its lag. Return: what others now wait for. */
static u64 ideal_reweight(u32 i, u32 weight)
{
	bool heavier = weight > ideal.weight[i];

	if (!ideal.member[i] || weight == ideal.weight[i])
		return 0;
	if (ideal.lag[i] > 0) {
		ideal.forfeited += ideal.lag[i];
		ideal.lag[i] = 0;
	}
	ideal.weight[i] = weight;
	if (heavier || ideal.lag[i] >= 0)
		return 0;
	irregular[i] = -ideal.lag[i];
	return irregular[i];
}

/*
 * What a client that leaves is ahead by is taken from others that are behind, the first due first.
 */
static void ideal_leave(u32 i)
{
	double left = ideal.member[i] ? max(-ideal.lag[i], 0.0) : 0;
	bool struck[MAX] = { false };

	ideal.member[i] = false;
	while (left > 0) {
		u32 first = MAX;
		double by;

		for (u32 n = 0; n < w.p.count; n++) {
			u32 k = w.p.clients[n] - w.c;

			if (ideal.member[k] && !struck[k] && ideal.lag[k] > 0 &&
			    (first == MAX || gslot_before(w.c[k].fair.deadline,
							  w.c[first].fair.deadline)))
				first = k;
		}
		if (first == MAX)
			break;
		struck[first] = true;
		by = min(left, ideal.lag[first]);
		left -= by;
		ideal.lag[first] -= by;
	}
	ideal.forfeited -= min(left, ideal.forfeited);
}

/*
 * How long each was served out of turn: while it was being preempted, or though another client had
 * been due earlier when it was given the engine.
 */
static u64 out_of_turn[MAX];
/* The owner's present turn is so. */
static bool before_others;

/* Rounding, and how late a timer is looked at. */
#define NEAR	2000

/*
 * V0: moments at which all clients that were behind were due after @due; later ones have an earlier
 * @due. What others were served out of turn since the last one is what a client may be behind for.
 */
static struct moment {
	u64 due;
	u64 out_of_turn[MAX];
} moments[4096];

static u32 n_moments;

static void forget_moments(void)
{
	memset(moments, 0, sizeof(moments[0]));
	moments[0].due = w.p.fair.vtime + U64_MAX / 4;
	n_moments = 1;
}

static u64 not_made_up(u32 i)
{
	return w.c[i].fair.member && lag(i) < 0 ? min(irregular[i], (u64)-lag(i)) : 0;
}

static void note_moment(void)
{
	u64 due = w.p.fair.vtime + U64_MAX / 4;

	for (u32 i = 0; i < lives; i++)
		if (w.c[i].fair.member && lag(i) > CLOSE &&
		    gslot_before(w.c[i].fair.deadline, due))
			due = w.c[i].fair.deadline;
	while (n_moments && !gslot_before(due, moments[n_moments - 1].due))
		n_moments--;
	assert_true(n_moments < ARRAY_SIZE(moments));
	moments[n_moments].due = due;
	for (u32 i = 0; i < lives; i++)
		moments[n_moments].out_of_turn[i] = out_of_turn[i] - not_made_up(i);
	n_moments++;
}

/* N: what others were served out of turn since V0 of @i. */
static u64 waits_for(u32 i)
{
	const struct moment *m = &moments[n_moments - 1];
	u64 sum = 0;

	while (m > moments && !gslot_before(w.c[i].fair.deadline, m->due))
		m--;
	for (u32 k = 0; k < lives; k++)
		if (k != i)
			sum += out_of_turn[k] - m->out_of_turn[k];
	return sum;
}

/* Is another client due before the owner, of those that are eligible? */
static bool is_before_others(u32 owner)
{
	for (u32 i = 0; i < lives; i++)
		if (i != owner && competes(i) && w.c[i].fair.member && lag(i) >= 0 &&
		    gslot_before(w.c[i].fair.deadline, w.c[owner].fair.deadline))
			return true;
	return false;
}

/* The turn of the owner, or of its next request, begins. */
static void note_turn(void)
{
	static u64 deadline;
	u32 owner = w.p.owner - w.c;

	if (!w.p.owner || (w.p.since != w.now && w.c[owner].fair.deadline == deadline))
		return;
	before_others = is_before_others(owner);
	deadline = w.c[owner].fair.deadline;
}

/* Clients that woke, and were not given the engine yet; and how often that ended. */
static struct wait {
	bool waits;
	u64 from;	/* virtual time at which it woke */
	u32 weight;	/* largest sum of weights since */
	u64 ns;		/* in which others were served, without extra time */
} waiting[MAX];

static u64 waits, decisions;
static double worst_wait_of_bound;

static void begin_wait(u32 i)
{
	waiting[i] = (struct wait) { .waits = w.p.owner != &w.c[i], .from = w.p.fair.vtime };
}

static void end_wait(u32 i)
{
	const struct wait *wait = &waiting[i];
	double most = (double)(s64)(w.c[i].fair.deadline - wait->from) /
		      (1 << GSLOT_FAIR_SHIFT) * wait->weight + QUANTUM + waits_for(i) + NEAR;

	if (!wait->waits)
		return;
	if (wait->ns > most)
		fail_msg("%u: it waited for %llu, others %llu, %f at most", i,
			 (unsigned long long)wait->ns, (unsigned long long)waits_for(i), most);
	waits++;
	worst_wait_of_bound = max(worst_wait_of_bound, wait->ns / most);
	waiting[i].waits = false;
}

static void account_waits(u64 ns)
{
	for (u32 i = 0; i < lives; i++) {
		waiting[i].waits &= w.c[i].awake && !w.c[i].fair.barred && !w.c[i].fair.capped;
		waiting[i].ns += ns;
		waiting[i].weight = max(waiting[i].weight, w.p.fair.weight);
	}
}

static void watch_lives(bool picked)
{
	ideal_look(picked);
	decisions += picked;
	if (!picked || w.p.leaving || !w.p.owner)
		return;
	note_turn();
	end_wait(w.p.owner - w.c);
}

static double worst_behind, worst_of_bound;

static void check_lag(u32 i)
{
	double error = lag(i) - (ideal.member[i] ? ideal.lag[i] : 0);
	u64 most = QUANTUM + waits_for(i) + NEAR;

	if (error > 100 || error < -100)
		fail_msg("%u: lag %lld, ideal %f", i, (long long)lag(i), ideal.lag[i]);
	if (lag(i) > (s64)most || -lag(i) > (s64)(QUANTUM + own[i] + NEAR))
		fail_msg("%u: lag %lld, others %llu, own %llu", i, (long long)lag(i),
			 (unsigned long long)waits_for(i), (unsigned long long)own[i]);
	worst_behind = fmax(worst_behind, lag(i));
	worst_of_bound = fmax(worst_of_bound, (double)lag(i) / most);
}

static void check_lags(void)
{
	double sum = 0;

	/* Lags are as of the last event before a preemption. */
	if (w.p.leaving)
		return;
	for (u32 i = 0; i < lives; i++) {
		check_lag(i);
		sum += lag(i);
		/* What division leaves does not add up. */
		ideal.lag[i] = (double)(s64)(w.p.fair.vtime - w.c[i].fair.vtime) *
			       w.c[i].fair.weight / (1 << GSLOT_FAIR_SHIFT);
	}
	sum += w.p.fair.forfeited / (1 << GSLOT_FAIR_SHIFT);
	assert_true(sum < 1000 && sum > -1000);
	ideal.forfeited = (double)w.p.fair.forfeited / (1 << GSLOT_FAIR_SHIFT);
	note_moment();
}

/* The owner has the engine for a while. */
static void account(u64 ns)
{
	u32 owner = w.p.owner - w.c;

	if (!used() || w.p.fair.extra)
		return;
	account_waits(ns);
	if (w.p.leaving) {
		own[owner] += ns;
		irregular[owner] += ns;
	}
	if (w.p.leaving || before_others)
		out_of_turn[owner] += ns;
}

/* As pass(), with the ideal system beside it. */
static void pass_beside(u64 ns)
{
	u64 end = w.now + ns;

	ask();
	while (w.now < end) {
		u64 at = next_at(end);

		account(at - w.now);
		ideal_pass(at - w.now);
		go_to(at);
		ask();
		check_lags();
	}
}

/* What happens in a life, beside that clients sleep and wake. */
struct life {
	u64 overrun;	/* how long clients take to yield */
	bool weights;
	bool coarse;	/* all at whole milliseconds, by a weight that divides nothing */
	bool copies;
	bool caps;
	bool reserves;
	bool changes;	/* of knobs, at any time */
	bool leaves;	/* and joins */
};

/* Some time. */
static u64 some_time(const struct life *life, u64 most)
{
	u64 ns = rnd_below(most);

	return life->coarse ? ns / MS * MS : ns;
}

static void any_knobs(const struct life *life, u32 i)
{
	static const u32 weights[] = { 100, 200, 400, 1, 10000 };
	struct gslot_policy_knobs knobs = { .weight = GSLOT_POLICY_WEIGHT };

	if (life->weights)
		knobs.weight = weights[rnd_below(5)];
	if (life->coarse)
		knobs.weight = 7;
	if (life->caps && rnd_below(2))
		knobs.cap = rnd_range(50, 999);
	if (life->reserves && rnd_below(2))
		knobs.reserve = rnd_range(0, (knobs.cap ? knobs.cap : 1000) / lives);
	if (life->changes && rnd_below(2))
		knobs.quantum_ns = rnd_range(1, 16) * MS;
	waiting[i].waits = false;
	out_of_turn[i] += ideal_reweight(i, knobs.weight);
	set_knobs(i, knobs);
	watch(false);
}

static bool there[MAX];

static void join(const struct life *life, u32 i)
{
	assert_int_equal(gslot_policy_join(&w.p, &w.c[i], w.now), 0);
	there[i] = true;
	any_knobs(life, i);
}

static void leave(u32 i)
{
	if (w.p.owner == &w.c[i])
		return;
	go_to_sleep(i);
	ideal_leave(i);
	gslot_policy_leave(&w.p, &w.c[i], w.now);
	there[i] = false;
}

static void begin_life(const struct life *life, u32 count)
{
	fresh(0, 0);
	memset(&ideal, 0, sizeof(ideal));
	memset(own, 0, sizeof(own));
	memset(irregular, 0, sizeof(irregular));
	memset(out_of_turn, 0, sizeof(out_of_turn));
	memset(there, 0, sizeof(there));
	memset(waiting, 0, sizeof(waiting));
	before_others = false;
	forget_moments();
	lives = count;
	w.watch = watch_lives;
	for (u32 i = 0; i < count; i++)
		join(life, i);
}

static void any_step(const struct life *life, u32 i)
{
	w.overrun = life->overrun && !rnd_below(4) ?
		    gslot_policy_patience(&w.p, some_time(life, life->overrun)) : 0;
	if (w.p.leaving && life->overrun > QUANTUM && !rnd_below(4))
		gslot_policy_reset(&w.p, w.p.owner, w.now);
	if (life->leaves && !there[i])
		join(life, i);
	else if (life->leaves && !rnd_below(20))
		leave(i);
	else if (life->changes && !rnd_below(5))
		any_knobs(life, i);
	if (!there[i])
		return;
	w.c[i].load.to_copy = life->copies ? rnd_below(2) : 0;
	if (!rnd_below(3)) {
		go_to_sleep(i);
	} else if (!w.c[i].awake) {
		wake(i);
		begin_wait(i);
	}
}

static void live(const struct life *life, u32 count, u32 steps)
{
	begin_life(life, count);
	while (steps--) {
		any_step(life, rnd_below(count));
		pass_beside(some_time(life, rnd_below(3) ? QUANTUM / 4 : 4 * QUANTUM));
	}
}

static void live_all(struct life life, u32 lifes)
{
	u64 timers = 0, soon = 0, lived = 0, events = 0;

	worst_behind = 0;
	worst_of_bound = 0;
	worst_wait_of_bound = 0;
	for (u32 i = 0; i < rounds(lifes); i++) {
		life.weights = i & 1 && !life.coarse;
		live(&life, 2 + rnd_below(MAX - 1), 500);
		timers += w.timers;
		soon += w.soon;
		lived += w.now - 1000 * MS;
		events += 500;
	}
	print_message("# behind by %.1f ms at worst, %.2f of the bound; waits: %.2f of theirs\n",
		      worst_behind / MS, worst_of_bound, worst_wait_of_bound);
	/* A timer is set for a time at which something happens, or timers would storm. */
	print_message("# %llu timers in %llu s, %llu of them within a microsecond\n",
		      (unsigned long long)timers, (unsigned long long)lived / (1000 * MS),
		      (unsigned long long)soon);
	assert_in_range(timers, 0, 4 * lived / PART + 4 * events);
	assert_in_range(soon, 0, timers / 20);
}

/* A lag that grew while few competed stays when many wake: their number does not make it less. */
static void test_bound_then_wake(void **state)
{
	(void)state;
	fresh(32, 3);
	w.overrun = 640 * MS;
	pass(QUANTUM + MS);
	assert_true(w.p.leaving);
	w.overrun = 0;
	pass(638 * MS);
	for (u32 i = 2; i < 32; i++)
		wake(i);
	for (u32 i = 0; i < 10; i++) {
		pass(MS);
		assert_in_range(lag(1), 300 * MS, QUANTUM + 640 * MS);
	}
}

/* If all yield at once, no lag is larger than a quantum. */
static void test_bound(void **state)
{
	(void)state;
	live_all((struct life) { 0 }, 60);
}

/* If not, a client's lag is bounded by its own overrun, or by those of others in addition. */
static void test_bound_overrun(void **state)
{
	(void)state;
	live_all((struct life) { .overrun = QUANTUM - 1 }, 60);
	live_all((struct life) { .overrun = 640 * MS }, 60);
}

/* All at the same times, and by weights that divide nothing: many are at the same place. */
static void test_bound_ties(void **state)
{
	(void)state;
	live_all((struct life) { .coarse = true }, 30);
	live_all((struct life) { .coarse = true, .overrun = QUANTUM - 1 }, 30);
}

/* A request of a client that is preferred is what all others may wait for in addition. */
static void test_bound_copies(void **state)
{
	(void)state;
	live_all((struct life) { .copies = true }, 30);
	live_all((struct life) { .copies = true, .overrun = QUANTUM - 1 }, 30);
}

static void test_bound_caps(void **state)
{
	(void)state;
	live_all((struct life) { .caps = true, .overrun = 30 * MS }, 60);
}

/* A reservation used before the request is due is out of turn; beyond, it is extra time. */
static void test_bound_reserves(void **state)
{
	(void)state;
	live_all((struct life) { .reserves = true }, 60);
	live_all((struct life) { .reserves = true, .overrun = 640 * MS }, 60);
}

static void test_bound_changes(void **state)
{
	(void)state;
	live_all((struct life) { .changes = true }, 60);
	live_all((struct life) { .changes = true, .overrun = 640 * MS }, 60);
}

static void test_bound_leaves(void **state)
{
	(void)state;
	live_all((struct life) { .leaves = true }, 60);
	live_all((struct life) { .leaves = true, .overrun = 640 * MS }, 60);
}

static void test_bound_all(void **state)
{
	(void)state;
	live_all((struct life) {
		.overrun = 640 * MS, .copies = true, .caps = true, .reserves = true,
		.changes = true, .leaves = true,
	}, 120);
	print_message("# %llu decisions, %llu waits\n", (unsigned long long)decisions,
		      (unsigned long long)waits);
	assert_true(decisions > 1000000 && waits > 50000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_client),
		cmocka_unit_test(test_alike),
		cmocka_unit_test(test_weights),
		cmocka_unit_test(test_waking),
		cmocka_unit_test(test_waking_long),
		cmocka_unit_test(test_part),
		cmocka_unit_test(test_idle),
		cmocka_unit_test(test_canceller),
		cmocka_unit_test(test_caps),
		cmocka_unit_test(test_cap_window),
		cmocka_unit_test(test_reserve),
		cmocka_unit_test(test_timers),
		cmocka_unit_test(test_hog),
		cmocka_unit_test(test_leave),
		cmocka_unit_test(test_copies),
		cmocka_unit_test(test_requests),
		cmocka_unit_test(test_short_quantum),
		cmocka_unit_test(test_resets),
		cmocka_unit_test(test_bound_then_wake),
		cmocka_unit_test(test_bound),
		cmocka_unit_test(test_bound_overrun),
		cmocka_unit_test(test_bound_ties),
		cmocka_unit_test(test_bound_copies),
		cmocka_unit_test(test_bound_caps),
		cmocka_unit_test(test_bound_reserves),
		cmocka_unit_test(test_bound_changes),
		cmocka_unit_test(test_bound_leaves),
		cmocka_unit_test(test_bound_all),
	};

	return run_tap_tests("core_fair", tests);
}
