// SPDX-License-Identifier: GPL-2.0
/*
 * The policy rr by examples: which client is next, when the owner is preempted, what is owed. In
 * random lives it does what a simple oracle says, in order, and no client starves.
 */
#include "policies.h"
#include "core/sched/policy_priv.h"

#define MS	1000000ull
#define QUANTUM	(16 * MS)
#define STEP	(4 * MS)
#define MAX	8
#define NONE	MAX

struct world {
	struct gslot_policy p;
	struct gslot_policy_client c[GSLOT_MAX_VGPUS + 1];
	u64 now;
};

static struct world w;

/* @count clients, of which those of the mask @awake are awake; only the first 64 can be. */
static void fresh(u32 count, u64 awake)
{
	w.now = 1000 * MS;
	gslot_policy_init(&w.p, &gslot_rr, QUANTUM);
	for (u32 i = 0; i < count; i++) {
		assert_int_equal(gslot_policy_join(&w.p, &w.c[i], w.now), 0);
		if (i < 64 && (awake >> i & 1))
			gslot_policy_wake(&w.p, &w.c[i], w.now);
	}
}

/* The verdict after @ms; with GIVE, the next client is the owner. */
static enum gslot_policy_verdict ask(u64 ms, bool busy)
{
	w.now += ms * MS;
	return gslot_policy_pick(&w.p, w.now, busy).verdict;
}

static void wake(u32 i)
{
	gslot_policy_wake(&w.p, &w.c[i], w.now);
}

static void go_to_sleep(u32 i)
{
	gslot_policy_sleep(&w.p, &w.c[i], w.now);
}

static void expect_given(u32 i, u64 ms, bool busy)
{
	assert_int_equal(ask(ms, busy), GSLOT_POLICY_GIVE);
	assert_ptr_equal(w.p.owner, &w.c[i]);
}

/* The owner is preempted, and off @ms later. */
static void overrun(u64 ms)
{
	gslot_policy_preempt(&w.p, w.now);
	w.now += ms * MS;
	gslot_policy_off(&w.p, w.now);
}

static u64 debt(u32 i)
{
	return w.c[i].debt.debt_ns;
}

static void test_no_client(void **state)
{
	(void)state;
	fresh(0, 0);
	assert_int_equal(ask(1, false), GSLOT_POLICY_KEEP);
	fresh(3, 0);
	assert_int_equal(ask(1, false), GSLOT_POLICY_KEEP);
	fresh(3, 2);
	expect_given(1, 0, false);
	go_to_sleep(1);
	assert_int_equal(ask(100, false), GSLOT_POLICY_KEEP);
	assert_ptr_equal(w.p.owner, &w.c[1]);
}

static void test_order(void **state)
{
	(void)state;
	fresh(4, 0xf);
	expect_given(0, 0, false);
	for (u32 i = 1; i < 20; i++)
		expect_given(i % 4, 16, false);
	assert_int_equal(w.p.turns, 20);
	assert_int_equal(w.c[2].turns, 5);
	assert_int_equal(w.c[2].held_ns, 5 * QUANTUM);
}

static void test_lone_keeps(void **state)
{
	(void)state;
	fresh(3, 2);
	expect_given(1, 0, false);
	assert_int_equal(ask(1000, true), GSLOT_POLICY_KEEP);
	assert_int_equal(gslot_policy_timer(&w.p, w.now), 0);
	assert_int_equal(gslot_policy_held(&w.p, &w.c[1], w.now), 1000 * MS);
}

static void test_quantum(void **state)
{
	(void)state;
	fresh(3, 7);
	expect_given(0, 0, false);
	assert_int_equal(gslot_policy_timer(&w.p, w.now), QUANTUM);
	assert_int_equal(ask(10, true), GSLOT_POLICY_KEEP);
	assert_int_equal(gslot_policy_timer(&w.p, w.now), 6 * MS);
	assert_int_equal(ask(6, true), GSLOT_POLICY_PREEMPT);
	assert_int_equal(gslot_policy_timer(&w.p, w.now), 0);
	overrun(1);
	expect_given(1, 0, false);
}

/* An owner without work yields at once, but not while its work drains. */
static void test_conserving(void **state)
{
	(void)state;
	fresh(3, 3);
	expect_given(0, 0, false);
	go_to_sleep(0);
	assert_int_equal(ask(1, true), GSLOT_POLICY_KEEP);
	expect_given(1, 0, false);
}

/* A client that leaves delays no other one, whichever was last and wherever it was. */
static void test_leave(void **state)
{
	(void)state;
	for (u32 owner = 0; owner < 4; owner++) {
		for (u32 gone = 0; gone < 4; gone++) {
			u32 next = (owner + 1) % 4;

			fresh(4, 0xf);
			for (u32 i = 0; i <= owner; i++)
				expect_given(i, i ? 16 : 0, false);
			gslot_policy_leave(&w.p, &w.c[gone], w.now);
			assert_ptr_equal(w.p.owner, gone == owner ? NULL : &w.c[owner]);
			assert_int_equal(w.p.count, 3);
			expect_given(next == gone ? (next + 1) % 4 : next, 16, false);
		}
	}
}

/* A client that joins is behind all others. */
static void test_join(void **state)
{
	(void)state;
	fresh(2, 3);
	expect_given(0, 0, false);
	expect_given(1, 16, false);
	assert_int_equal(gslot_policy_join(&w.p, &w.c[2], w.now), 0);
	wake(2);
	expect_given(2, 16, false);
	expect_given(0, 16, false);
	fresh(GSLOT_MAX_VGPUS, 0);
	assert_int_equal(gslot_policy_join(&w.p, &w.c[GSLOT_MAX_VGPUS], w.now), -ENOSPC);
}

static void expect_next(u32 i)
{
	assert_ptr_equal(gslot_policy_next(&w.p, w.now), i < MAX ? &w.c[i] : NULL);
}

/* The next client while one has the engine; there may be none. */
static void test_next(void **state)
{
	(void)state;
	fresh(0, 0);
	expect_next(NONE);
	fresh(4, 0xe);
	expect_next(1);
	expect_given(1, 0, false);
	expect_next(2);
	go_to_sleep(2);
	expect_next(3);
	go_to_sleep(3);
	expect_next(NONE);
	wake(0);
	expect_next(0);
	/* It is the same however often it is asked: nothing was given. */
	expect_next(0);
	assert_int_equal(w.p.turns, 1);
	/* The owner without work is not next; without any other there is none. */
	go_to_sleep(1);
	expect_next(0);
	go_to_sleep(0);
	expect_next(NONE);
	/* Once it is off, the last owner may be next, if it has work. */
	fresh(2, 1);
	expect_given(0, 0, false);
	expect_next(NONE);
	overrun(0);
	expect_next(0);
	expect_given(0, 0, false);
}

/* A debtor is not next before the grace of others is over. */
static void test_next_debtor(void **state)
{
	(void)state;
	fresh(3, 3);
	expect_given(0, 0, false);
	overrun(100);
	expect_given(1, 0, false);
	expect_next(NONE);
	wake(2);
	expect_next(2);
	go_to_sleep(2);
	go_to_sleep(1);
	expect_next(NONE);
	/* All that have work owe. */
	fresh(2, 3);
	expect_given(0, 0, false);
	overrun(1000);
	expect_given(1, 0, false);
	overrun(1000);
	expect_given(0, 0, false);
	expect_next(1);
}

/* The time of a switch is not the owner's, nor of its quantum. */
static void test_begin(void **state)
{
	(void)state;
	fresh(2, 3);
	expect_given(0, 0, false);
	w.now += 5 * MS;
	gslot_policy_begin(&w.p, w.now);
	assert_int_equal(gslot_policy_held(&w.p, &w.c[0], w.now), 0);
	assert_int_equal(gslot_policy_timer(&w.p, w.now), QUANTUM);
	assert_int_equal(ask(15, true), GSLOT_POLICY_KEEP);
	expect_given(1, 1, false);
	assert_int_equal(w.c[0].held_ns, QUANTUM);
	/* An owner that needs no loading has the engine from then on. */
	expect_given(0, 16, false);
	assert_int_equal(w.c[1].held_ns, QUANTUM);
	assert_int_equal(w.p.turns, 3);
}

/* First debts of less than a quantum, each in the order in which they were made. */
static void test_pay_in_order(void **state)
{
	static const u64 over[] = { 10, 20, 5 }, owed[] = { 10, 36, 5 };

	(void)state;
	fresh(3, 7);
	for (u32 i = 0; i < 3; i++) {
		expect_given(i, 0, false);
		overrun(over[i]);
		assert_int_equal(debt(i), owed[i] * MS);
	}
	for (u32 i = 0; i < 3; i++)
		go_to_sleep(i);
	ask(3, false);
	assert_int_equal(debt(0), 7 * MS);
	assert_int_equal(debt(1), 36 * MS);
	assert_int_equal(debt(2), 5 * MS);
	ask(8, false);
	assert_int_equal(debt(0), 0);
	assert_int_equal(debt(1), 36 * MS);
	assert_int_equal(debt(2), 4 * MS);
	ask(1000, false);
	assert_int_equal(debt(1) + debt(2), 0);
}

/* No debt is larger than that; a client with one makes others wait, and waits. */
static void test_charge(void **state)
{
	(void)state;
	fresh(2, 1);
	expect_given(0, 0, false);
	overrun(640);
	assert_int_equal(debt(0), 656 * MS);
	assert_int_equal(gslot_policy_patience(&w.p, 640 * MS), 320 * MS);
	expect_given(0, 0, false);
	assert_int_equal(gslot_policy_patience(&w.p, 640 * MS), 640 * MS);
	wake(1);
	assert_int_equal(ask(16, true), GSLOT_POLICY_PREEMPT);
	overrun(1900);
	assert_int_equal(debt(0), GSLOT_DEBT_MAX_NS);
	expect_given(1, 0, false);
	go_to_sleep(1);
	/* As long as the grace of the other one lasts. */
	assert_int_equal(gslot_policy_timer(&w.p, w.now), QUANTUM);
	assert_int_equal(ask(99, false), GSLOT_POLICY_KEEP);
	expect_given(0, 1, false);
}

/* An idle owner keeps no other client from the engine: that time pays, too. */
static void test_pay_idle(void **state)
{
	(void)state;
	fresh(2, 1);
	expect_given(0, 0, false);
	overrun(100);
	assert_int_equal(debt(0), 116 * MS);
	expect_given(0, 0, false);
	assert_int_equal(ask(50, true), GSLOT_POLICY_KEEP);
	assert_int_equal(debt(0), 116 * MS);
	go_to_sleep(0);
	assert_int_equal(ask(0, false), GSLOT_POLICY_KEEP);
	w.now += 50 * MS;
	wake(0);
	assert_int_equal(debt(0), 66 * MS);
	assert_int_equal(ask(10, true), GSLOT_POLICY_KEEP);
	assert_int_equal(debt(0), 66 * MS);
}

#define PATIENCE	(640 * MS)
#define CROWD		32

/*
 * Client 0 has work nearly always, in short pieces; all others have endless work and never yield.
 * Simulated by the millisecond, as kmod/sched does it.
 */
static void crowd(u32 count, u64 *share, u64 *longest)
{
	const u64 total = 60000;
	u64 wait = 0, good = 0, end = 0;

	*longest = 0;
	fresh(count, ~0ull);
	for (u64 ms = 1; ms < total; ms++) {
		w.now += MS;
		if (ms % 5)
			wake(0);
		else
			go_to_sleep(0);	/* a gap each 5 ms */
		good += w.p.owner == &w.c[0];
		wait = w.p.owner == &w.c[0] ? 0 : wait + 1;
		*longest = max(wait, *longest);
		if (w.p.leaving && w.now < end)
			continue;
		if (w.p.leaving)	/* it was reset */
			gslot_policy_off(&w.p, w.now);
		if (ask(0, w.p.owner && w.p.owner != &w.c[0]) == GSLOT_POLICY_PREEMPT)
			end = w.now + gslot_policy_patience(&w.p, PATIENCE);
	}
	*share = good * 100 / total;
}

/* However many do not yield: the client that does has nearly half, and does not wait long. */
static void test_debt(void **state)
{
	static const u32 counts[] = { 2, 3, 5, 17, CROWD };
	u64 share, longest;

	(void)state;
	for (unsigned int i = 0; i < ARRAY_SIZE(counts); i++) {
		crowd(counts[i], &share, &longest);
		print_message("# %u that do not yield: share %u%%, longest wait %u ms\n",
			      counts[i] - 1, (u32)share, (u32)longest);
		assert_true(share >= 40);
		assert_true(longest <= 3500);
	}
}

/* A debt gets paid however many new ones others make. */
static void test_all_overrun(void **state)
{
	static const u64 overruns[] = { QUANTUM / 2, QUANTUM, 2 * QUANTUM };

	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(overruns); i++) {
		u64 end = 0, sum = 0;

		fresh(6, 0x3f);
		for (u32 ms = 0; ms < 60000; ms++) {
			w.now += MS;
			if (w.p.leaving && w.now < end)
				continue;
			if (w.p.leaving)
				gslot_policy_off(&w.p, w.now);
			/* One of them is quicker. */
			if (ask(0, w.p.owner) == GSLOT_POLICY_PREEMPT)
				end = w.now + overruns[i] / (w.p.owner == &w.c[0] ? 2 : 1);
		}
		for (u32 k = 1; k < 6; k++)
			sum += w.c[k].turns;
		assert_in_range(w.c[0].turns, sum / 6, sum);
		for (u32 k = 1; k < 6; k++)
			assert_in_range(w.c[k].turns, sum / 6, sum / 4);
	}
}

/*
 * The oracle: what rr should do, as simply as it can be said. Clients are numbers, in the order in
 * which they joined; the search for the next one begins behind @after.
 */
struct oracle {
	u32 nr;
	u32 id[MAX];
	u32 after;
	bool awake[MAX];
	u64 debt[MAX];
	u64 since[MAX];
	u64 eager_until[MAX];
	u64 held[MAX];
	u32 owner;
	u64 given;
	bool leaving;
	u64 left_at;
	u64 paid;
	bool idle;
};

static struct oracle o;

static u32 place(u32 id)
{
	u32 i;

	for (i = 0; i < o.nr && o.id[i] != id; i++)
		;
	return i;
}

static u32 oracle_next(void)
{
	bool barred = false;
	u32 i, id;

	for (i = 0; i < o.nr; i++)
		barred |= !o.debt[o.id[i]] && (o.awake[o.id[i]] || w.now < o.eager_until[o.id[i]]);
	for (i = 0; i < o.nr; i++) {
		id = o.id[(place(o.after) + 1 + i) % o.nr];
		if (o.after == NONE)
			id = o.id[i];
		if (o.awake[id] && !(barred && o.debt[id]))
			return id;
	}
	return NONE;
}

/* Small debts before large ones, old ones before young ones. */
static bool is_first(u32 id, u32 other)
{
	bool small = o.debt[id] < QUANTUM, other_small = o.debt[other] < QUANTUM;

	return small == other_small ? o.since[id] < o.since[other] : small;
}

static void oracle_pay(void)
{
	u64 part, ns = w.now - o.paid;
	u32 i, first;

	o.paid = w.now;
	while (ns && !o.leaving && (o.owner == NONE || !o.debt[o.owner] || o.idle)) {
		first = NONE;
		for (i = 0; i < o.nr; i++)
			if (o.debt[o.id[i]] && (first == NONE || is_first(o.id[i], first)))
				first = o.id[i];
		if (first == NONE)
			return;
		part = min(ns, o.debt[first]);
		o.debt[first] -= part;
		ns -= part;
	}
}

static void oracle_off(void)
{
	u64 over = w.now - o.left_at;

	oracle_pay();
	o.held[o.owner] += w.now - o.given;
	if (o.leaving) {
		if (!o.debt[o.owner])
			o.since[o.owner] = w.now;
		o.debt[o.owner] += over + (over < QUANTUM ? 0 : QUANTUM);
		o.debt[o.owner] = min(o.debt[o.owner], GSLOT_DEBT_MAX_NS);
	}
	o.owner = NONE;
	o.leaving = false;
}

static enum gslot_policy_verdict oracle_pick(bool busy)
{
	u32 next;

	oracle_pay();
	next = oracle_next();
	o.idle = next == NONE && o.owner != NONE && !busy && !o.awake[o.owner];
	if (next == NONE || next == o.owner)
		return GSLOT_POLICY_KEEP;
	if (o.owner != NONE && (busy || o.awake[o.owner])) {
		if (w.now - o.given < QUANTUM)
			return GSLOT_POLICY_KEEP;
		if (busy) {
			o.leaving = true;
			o.left_at = w.now;
			return GSLOT_POLICY_PREEMPT;
		}
	}
	if (o.owner != NONE)
		oracle_off();
	o.owner = next;
	o.after = next;
	o.given = w.now;
	return GSLOT_POLICY_GIVE;
}

static void both_join(u32 id)
{
	assert_int_equal(gslot_policy_join(&w.p, &w.c[id], w.now), 0);
	o.id[o.nr++] = id;
	o.awake[id] = false;
	o.debt[id] = 0;
	o.eager_until[id] = 0;
	o.held[id] = 0;
}

static void both_leave(u32 id)
{
	u32 i = place(id);

	gslot_policy_leave(&w.p, &w.c[id], w.now);
	if (o.owner == id)
		oracle_off();
	oracle_pay();
	if (o.after == id)
		o.after = i ? o.id[i - 1] : NONE;
	o.nr--;
	memmove(&o.id[i], &o.id[i + 1], (o.nr - i) * sizeof(o.id[0]));
}

static void both_wake(u32 id, bool awake)
{
	if (awake)
		wake(id);
	else
		go_to_sleep(id);
	if (awake && !o.awake[id] && o.owner == id) {
		oracle_pay();
		o.idle = false;
	}
	if (o.awake[id] && !awake)
		o.eager_until[id] = w.now + GSLOT_DEBT_GRACE_NS;
	o.awake[id] = awake;
}

static void both_preempt(void)
{
	gslot_policy_preempt(&w.p, w.now);
	if (o.leaving)
		return;
	oracle_pay();
	o.left_at = w.now;
	o.leaving = true;
}

static void both_off(void)
{
	gslot_policy_off(&w.p, w.now);
	oracle_off();
}

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

static void both_pick(bool busy)
{
	enum gslot_policy_verdict verdict = ask(0, busy);

	assert_int_equal(verdict, oracle_pick(busy));
	if (!o.leaving && !rnd_below(4))
		check_next();
	/* A switch takes a while, now and then. */
	if (verdict == GSLOT_POLICY_GIVE && !rnd_below(4)) {
		w.now += rnd_below(STEP);
		gslot_policy_begin(&w.p, w.now);
		o.given = w.now;
	}
}

/* For a while another policy decides. When rr does again, no client owes anything. */
static void both_change(void)
{
	if (o.owner != NONE)
		both_off();
	live_elsewhere(&w.p, &w.now, &gslot_rr);
	o.after = NONE;
	o.paid = w.now;
	for (u32 i = 0; i < o.nr; i++) {
		u32 id = o.id[i];

		o.awake[id] = w.c[id].awake;
		o.debt[id] = 0;
		o.eager_until[id] = 0;
		o.held[id] = w.c[id].held_ns;
	}
}

static void compare(void)
{
	assert_int_equal(w.p.count, o.nr);
	assert_ptr_equal(w.p.owner, o.owner == NONE ? NULL : &w.c[o.owner]);
	assert_int_equal(w.p.leaving, o.leaving);
	for (u32 i = 0; i < o.nr; i++) {
		u32 id = o.id[i];

		assert_int_equal(debt(id), o.debt[id]);
		assert_int_equal(gslot_policy_held(&w.p, &w.c[id], w.now),
				 o.held[id] + (o.owner == id ? w.now - o.given : 0));
	}
}

static void random_event(void)
{
	u32 id = rnd_below(MAX);

	switch (rnd_below(400)) {
	case 0:
		if (place(id) < o.nr)
			both_leave(id);
		break;
	case 1:
	case 2:
		if (place(id) == o.nr)
			both_join(id);
		break;
	case 3:		/* paused */
		if (o.owner != NONE) {
			both_wake(o.owner, false);
			both_preempt();
		}
		break;
	default:
		if (place(id) < o.nr)
			both_wake(id, rnd_below(4));
	}
}

/*
 * While a client waits, each other one has a turn and overruns, and each one that joins; while
 * debts keep it out, as often as it takes to pay all of them.
 */
#define LONGEST_OVERRUN	(40 * MS)
#define TURN		(QUANTUM + LONGEST_OVERRUN + 3 * STEP)
#define DEBTOR_WAIT	(MAX * GSLOT_DEBT_MAX_NS * 5)

struct waiting {
	u64 since;
	u64 without_debt_since;
	u32 turns;	/* of others, at most, until its own */
};

static void begin_waiting(struct waiting *waiting)
{
	for (u32 i = 0; i < MAX; i++)
		waiting[i] = (struct waiting) { w.now, w.now, MAX };
}

static void check_waits(struct waiting *waiting, bool joined)
{
	for (u32 i = 0; i < MAX; i++) {
		struct waiting *wait = &waiting[i];
		bool waits = place(i) < o.nr && o.awake[i] && o.owner != i;

		if (!waits)
			wait->since = w.now;
		if (!waits || o.debt[i]) {
			wait->without_debt_since = w.now;
			wait->turns = MAX;
		}
		wait->turns += joined;
		assert_in_range(w.now - wait->since, 0, DEBTOR_WAIT);
		assert_in_range(w.now - wait->without_debt_since, 0, wait->turns * TURN);
	}
}

static void test_random(void **state)
{
	struct waiting waiting[MAX] = { };
	bool busy = false;

	(void)state;
	fresh(0, 0);
	o = (struct oracle) { .after = NONE, .owner = NONE };
	for (unsigned int i = 0; i < rounds(1000000); i++) {
		u32 before = o.nr;

		w.now += rnd_below(STEP);
		random_event();
		if (!rnd_below(2000)) {
			both_change();
			begin_waiting(waiting);
		}
		/* A client that is awake is mostly on the hardware; one that has left is not. */
		busy = o.owner != NONE && (o.leaving ? busy : o.awake[o.owner] || !rnd_below(4));
		if (o.leaving && (!rnd_below(8) || w.now - o.left_at > LONGEST_OVERRUN - STEP))
			busy = false;
		if (o.leaving && !busy)
			both_off();
		if (!o.leaving)
			both_pick(busy);
		compare();
		check_waits(waiting, o.nr > before);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_client),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_lone_keeps),
		cmocka_unit_test(test_quantum),
		cmocka_unit_test(test_conserving),
		cmocka_unit_test(test_leave),
		cmocka_unit_test(test_join),
		cmocka_unit_test(test_next),
		cmocka_unit_test(test_next_debtor),
		cmocka_unit_test(test_begin),
		cmocka_unit_test(test_pay_in_order),
		cmocka_unit_test(test_pay_idle),
		cmocka_unit_test(test_charge),
		cmocka_unit_test(test_debt),
		cmocka_unit_test(test_all_overrun),
		cmocka_unit_test(test_random),
	};

	return run_tap_tests("core_rr", tests);
}
