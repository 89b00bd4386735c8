// SPDX-License-Identifier: GPL-2.0
/*
 * The policy rr: who is next, when the owner is preempted, and, over a run
 * with random loads, that nobody waits longer than all others' quanta.
 */
#include "test.h"
#include "rr.h"

#define MS	1000000ull
#define QUANTUM	(16 * MS)
#define MAX	8

static struct gslot_rr_decision ask(u32 count, u32 runnable, u32 owner, u32 last, bool busy,
				    u64 held)
{
	static const u64 none[MAX];
	bool r[MAX];
	struct gslot_rr rr = {
		.count = count, .runnable = r, .eager = r, .debt_ns = none,
		.owner = owner, .last = last,
		.owner_busy = busy, .held_ns = held, .quantum_ns = QUANTUM,
	};

	for (u32 i = 0; i < MAX; i++)
		r[i] = runnable >> i & 1;
	return gslot_rr_decide(&rr);
}

static void test_nobody(void **state)
{
	(void)state;
	assert_int_equal(ask(0, 0, GSLOT_RR_NONE, GSLOT_RR_NONE, false, 0).verdict, GSLOT_RR_KEEP);
	assert_int_equal(ask(3, 0, GSLOT_RR_NONE, 1, false, 0).verdict, GSLOT_RR_KEEP);
	assert_int_equal(ask(3, 0, 1, 0, false, 100 * MS).verdict, GSLOT_RR_KEEP);
}

static void test_first(void **state)
{
	struct gslot_rr_decision d = ask(3, 4, GSLOT_RR_NONE, GSLOT_RR_NONE, false, 0);

	(void)state;
	assert_int_equal(d.verdict, GSLOT_RR_GIVE);
	assert_int_equal(d.next, 2);
}

static void test_order(void **state)
{
	(void)state;
	for (u32 last = 0; last < 4; last++) {
		struct gslot_rr_decision d = ask(4, 0xf, GSLOT_RR_NONE, last, false, 0);

		assert_int_equal(d.verdict, GSLOT_RR_GIVE);
		assert_int_equal(d.next, (last + 1) % 4);
	}
}

static void test_lone_keeps(void **state)
{
	struct gslot_rr_decision d = ask(3, 2, 1, 0, true, 1000 * MS);

	(void)state;
	assert_int_equal(d.verdict, GSLOT_RR_KEEP);
	assert_int_equal(d.recheck_ns, 0);
}

static void test_quantum(void **state)
{
	struct gslot_rr_decision d = ask(3, 7, 1, 0, true, 10 * MS);

	(void)state;
	assert_int_equal(d.verdict, GSLOT_RR_KEEP);
	assert_int_equal(d.recheck_ns, 6 * MS);
	assert_int_equal(ask(3, 7, 1, 0, true, 16 * MS).verdict, GSLOT_RR_PREEMPT);
}

/* An owner without work gives way at once, but not while its work drains. */
static void test_conserving(void **state)
{
	struct gslot_rr_decision d = ask(3, 1, 1, 0, false, 1 * MS);

	(void)state;
	assert_int_equal(d.verdict, GSLOT_RR_GIVE);
	assert_int_equal(d.next, 0);
	assert_int_equal(ask(3, 1, 1, 0, true, 1 * MS).verdict, GSLOT_RR_KEEP);
}

/* Simulated time; the owner's stretches are never longer than it is let. */
static void test_bounded_wait(void **state)
{
	u64 waiting[MAX] = { }, work[MAX] = { }, held = 0, worst = 0;
	u32 owner = GSLOT_RR_NONE, last = GSLOT_RR_NONE;

	(void)state;
	for (unsigned int i = 0; i < rounds(100000); i++) {
		struct gslot_rr_decision d;
		u32 runnable = 0;

		for (u32 c = 0; c < MAX; c++) {
			if (!work[c] && !rnd_below(40))
				work[c] = rnd_below(60) * MS;
			if (work[c])
				runnable |= 1u << c;
		}
		d = ask(MAX, runnable, owner, last, owner < MAX && work[owner], held);
		if (d.verdict == GSLOT_RR_PREEMPT) {
			last = owner;
			owner = GSLOT_RR_NONE;
			d = ask(MAX, runnable, owner, last, false, 0);
		}
		if (d.verdict == GSLOT_RR_GIVE) {
			if (owner != GSLOT_RR_NONE)
				last = owner;
			owner = d.next;
			held = 0;
		}
		held += MS;
		for (u32 c = 0; c < MAX; c++) {
			waiting[c] = work[c] && c != owner ? waiting[c] + MS : 0;
			worst = waiting[c] > worst ? waiting[c] : worst;
		}
		if (owner < MAX && work[owner])
			work[owner] -= MS;
	}
	assert_true(worst <= (MAX - 1) * (QUANTUM + MS));
}

#define PATIENCE	(640 * MS)
#define CROWD		17

/*
 * Client 0 has work nearly always, in short pieces; all others have endless
 * work and never yield. Simulated by the millisecond, as sched/turn.c does it.
 */
static void crowd(u32 count, u64 *share, u64 *longest)
{
	u64 debt[CROWD] = { }, since[CROWD] = { };
	u64 held = 0, wait = 0, good = 0, end = 0;
	const u64 total = 60000 * MS;
	u32 owner = GSLOT_RR_NONE, last = GSLOT_RR_NONE;
	bool runnable[CROWD], eager[CROWD];

	*longest = 0;
	for (u64 now = 1; now < total; now += MS) {
		struct gslot_rr_decision d;
		struct gslot_rr rr = {
			.count = count, .runnable = runnable, .eager = eager, .debt_ns = debt,
			.owner = owner, .last = last, .owner_busy = owner && owner < count,
			.held_ns = held, .quantum_ns = QUANTUM,
		};

		for (u32 i = 0; i < count; i++) {
			runnable[i] = i || now / MS % 5;	/* a gap each 5 ms */
			eager[i] = true;
		}
		wait = owner == 0 ? 0 : wait + MS;
		*longest = wait > *longest ? wait : *longest;
		if (!end)
			gslot_rr_pay(debt, since, count, MS);
		if (end && now < end)
			continue;
		if (end) {	/* it was reset */
			debt[owner] = gslot_rr_charge(debt[owner], QUANTUM, held - QUANTUM);
			since[owner] = now;
			last = owner;
			owner = GSLOT_RR_NONE;
			rr.owner = owner;
			rr.last = last;
			rr.owner_busy = false;
			end = 0;
		}
		d = gslot_rr_decide(&rr);
		if (d.verdict == GSLOT_RR_PREEMPT) {
			u32 debtors = 0;

			for (u32 i = 0; i < count; i++)
				debtors += i != owner && debt[i] >= QUANTUM;
			held += gslot_rr_patience(PATIENCE, debtors);
			end = now + held - QUANTUM;
			continue;
		}
		if (d.verdict == GSLOT_RR_GIVE && d.next != owner) {
			last = owner;
			owner = d.next;
			held = 0;
		}
		held += MS;
		good += owner == 0;
	}
	*share = good * MS * 100 / total;
}

/* However many do not yield: who does has nearly half, and is not kept waiting long. */
static void test_debt(void **state)
{
	static const u32 counts[] = { 2, 3, 5, CROWD };
	u64 share, longest;

	(void)state;
	for (unsigned int i = 0; i < ARRAY_SIZE(counts); i++) {
		crowd(counts[i], &share, &longest);
		print_message("# %u that do not yield: share %u%%, longest wait %u ms\n",
			      counts[i] - 1, (u32)share, (u32)(longest / MS));
		assert_true(share >= 40);
		assert_true(longest <= 3500 * MS);
	}
}

static void test_pay_in_order(void **state)
{
	u64 debt[3] = { 10 * MS, 20 * MS, 5 * MS }, since[3] = { 7, 3, 9 };

	(void)state;
	gslot_rr_pay(debt, since, 3, 15 * MS);
	assert_int_equal(debt[1], 5 * MS);
	assert_int_equal(debt[0], 10 * MS);
	gslot_rr_pay(debt, since, 3, 17 * MS);
	assert_int_equal(debt[1], 0);
	assert_int_equal(debt[0], 0);
	assert_int_equal(debt[2], 3 * MS);
	gslot_rr_pay(debt, since, 3, 1000 * MS);
	assert_int_equal(debt[2], 0);
	assert_int_equal(gslot_rr_charge(0, QUANTUM, 3 * MS), 3 * MS);
	assert_int_equal(gslot_rr_charge(0, QUANTUM, 640 * MS), 656 * MS);
	assert_int_equal(gslot_rr_charge(1500 * MS, QUANTUM, 900 * MS), GSLOT_RR_MAX_DEBT_NS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nobody),
		cmocka_unit_test(test_first),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_lone_keeps),
		cmocka_unit_test(test_quantum),
		cmocka_unit_test(test_conserving),
		cmocka_unit_test(test_bounded_wait),
		cmocka_unit_test(test_debt),
		cmocka_unit_test(test_pay_in_order),
	};

	return run_tap_tests("core_rr", tests);
}
