// SPDX-License-Identifier: GPL-2.0
/* Turns: their order, how long they last, and who may be postponed; in random lives. */
#include "test.h"
#include "core/mem/turns.h"

#define MEMBERS		80u
#define LIVES		100u
#define STEPS		2000u
#define LOOK_MS		20u

static struct gslot_turns turns;
static struct gslot_turns_member members[MEMBERS];
static u64 now;

/* What should be: when each joined, in which order; 0: it does not wait */
static u64 joined[MEMBERS], order[MEMBERS], next_order;
static u32 count;

/* How long others were postponed, by each, and in all; in the present turn */
static u64 postponed[MEMBERS], postponed_all, stretch;

static void begin(u32 members_count)
{
	memset(&turns, 0, sizeof(turns));
	memset(members, 0, sizeof(members));
	memset(order, 0, sizeof(order));
	memset(postponed, 0, sizeof(postponed));
	postponed_all = 0;
	stretch = 0;
	count = members_count;
	now = 1 + rnd();
}

/* Return: the number of members if none waits. */
static u32 first(void)
{
	u32 best = count;

	for (u32 i = 0; i < count; i++)
		if (order[i] && (best == count || order[i] < order[best]))
			best = i;
	return best;
}

static void check(void)
{
	u32 owner = first(), waiting = 0, linked = 0;

	assert_ptr_equal(turns.owner, owner == count ? NULL : &members[owner]);
	for (u32 i = 0; i < count; i++) {
		assert_int_equal(members[i].waits, order[i] != 0);
		waiting += order[i] != 0;
	}
	for (struct gslot_turns_member *m = turns.owner; m; m = m->next) {
		linked++;
		/* In the order in which they joined. */
		if (m->next)
			assert_true(order[m - members] < order[m->next - members]);
	}
	assert_int_equal(linked, waiting);
	if (owner == count || now - turns.began < GSLOT_TURN_POSTPONE_MS)
		assert_false(gslot_turns_may_postpone(&turns, now));
}

/* Time passes: a millisecond at a time where others are postponed. */
static void pass(u32 ms)
{
	u32 owner = first();

	while (ms--) {
		bool may = gslot_turns_may_postpone(&turns, now);

		now++;
		if (!may)
			continue;
		postponed[owner]++;
		postponed_all++;
		stretch++;
	}
}

static void join(u32 i)
{
	gslot_turns_join(&turns, &members[i], now);
	if (order[i])
		return;
	order[i] = ++next_order;
	joined[i] = now;
}

static void leave(u32 i)
{
	if (first() == i)
		stretch = 0;
	gslot_turns_leave(&turns, &members[i], now);
	order[i] = 0;
}

static void expire(void)
{
	u32 owner = first(), number = turns.number;
	u64 lasted = now - turns.began;

	gslot_turns_expire(&turns, now);
	if (owner == count || turns.number == number) {
		assert_true(owner == count || lasted < GSLOT_TURN_MS);
		return;
	}
	assert_true(lasted >= GSLOT_TURN_SHORT_MS);
	assert_int_equal(turns.began, now);
	order[owner] = 0;
	stretch = 0;
}

static void step(void)
{
	u32 number = turns.number, owner = first();

	switch (rnd() % 3) {
	case 0:
		join(rnd() % count);
		break;
	case 1:
		leave(rnd() % count);
		break;
	default:
		expire();
	}
	check();
	/* Each turn has a number of its own. */
	assert_int_equal(turns.number != number, first() != owner);
}

static void test_lives(void **state)
{
	(void)state;
	for (u32 life = 0; life < LIVES; life++) {
		begin(1 + rnd() % MEMBERS);
		for (u32 i = 0; i < STEPS; i++) {
			pass(rnd() % 4 ? rnd() % 50 : rnd() % 3000);
			step();
		}
	}
}

/*
 * All want room all the time, and never have enough. They leave when they like, and come back.
 * Looked at often enough, the rations hold, and each has its turn.
 */
static void test_rations(void **state)
{
	(void)state;
	for (u32 life = 0; life < LIVES; life++) {
		u64 longest = 0, wait = 0, began;

		begin(1 + rnd() % 8);
		began = now;
		for (u32 i = 0; i < 20 * STEPS; i++) {
			u32 number = turns.number;

			for (u32 k = 0; k < count; k++)
				join(k);
			pass(LOOK_MS);
			longest = max(longest, stretch);
			if (!(rnd() % 64))
				leave(first());
			else
				expire();
			check();
			if (turns.number != number && turns.owner)
				wait = max(wait, now - joined[first()]);
		}
		assert_in_range(longest, 0, GSLOT_TURN_MS - GSLOT_TURN_POSTPONE_MS + LOOK_MS);
		assert_true(postponed_all);
		assert_in_range(postponed_all, 0, (now - began) / 2 + GSLOT_TURN_MS);
		for (u32 k = 0; k < count; k++)
			assert_in_range(postponed[k], 0,
					(now - began) / (GSLOT_TURN_REST + 1) + GSLOT_TURN_MS);
		assert_in_range(wait, 0, count * (u64)(GSLOT_TURN_MS + LOOK_MS));
	}
}

/* To the millisecond. */
static void test_limits(void **state)
{
	struct gslot_turns t = { 0 };
	struct gslot_turns_member a = { 0 }, b = { 0 };

	(void)state;
	gslot_turns_join(&t, &a, 10000);
	gslot_turns_join(&t, &b, 10000);
	assert_false(gslot_turns_may_postpone(&t, 10199));
	assert_true(gslot_turns_may_postpone(&t, 10200));
	gslot_turns_expire(&t, 11999);
	assert_ptr_equal(t.owner, &a);
	/* It had 1.8 s of that right: none has it for as long, and this one not for 9 s. */
	gslot_turns_expire(&t, 12000);
	assert_ptr_equal(t.owner, &b);
	assert_false(gslot_turns_may_postpone(&t, 13799));
	assert_true(gslot_turns_may_postpone(&t, 13800));
	gslot_turns_expire(&t, 12199);
	assert_ptr_equal(t.owner, &b);
	gslot_turns_expire(&t, 12200);
	assert_null(t.owner);
	gslot_turns_join(&t, &a, 20000);
	assert_false(gslot_turns_may_postpone(&t, 20999));
	assert_true(gslot_turns_may_postpone(&t, 21000));
	/* A turn that ends early is paid for, too: here 100 ms. */
	gslot_turns_leave(&t, &a, 21100);
	gslot_turns_join(&t, &a, 21100);
	assert_false(gslot_turns_may_postpone(&t, 21599));
	assert_true(gslot_turns_may_postpone(&t, 21600));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lives),
		cmocka_unit_test(test_rations),
		cmocka_unit_test(test_limits),
	};

	return run_tap_tests("core_turns", tests);
}
