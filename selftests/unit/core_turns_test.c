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

/* When the owner was last seen to have pinned pages, or its turn began; pages since then */
static u64 progress, short_until[MEMBERS];
static u32 pins, turn_patience, turn_max;

/* For how long what others use was taken, by each, and in all; in the present turn */
static u64 taken[MEMBERS], taken_all, stretch;
/* The owner does so when it may. */
static bool takes;

static u32 first(void);

/* A turn begins, if there is an owner: how long may it last? */
static void turn_began(void)
{
	u32 owner = first();
	u64 rest;

	stretch = 0;
	progress = now;
	pins = 0;
	if (owner == count)
		return;
	rest = max(turns.rest_until, members[owner].rest_until);
	turn_patience = rest > now + 1000 ? 200 : 2000;
	turn_max = now < short_until[owner] ? 2000 : 10000;
}

/* The turn of @owner ends: a long one is paid for. */
static void turn_ended(u32 owner, u64 lasted)
{
	if (lasted > 2000)
		short_until[owner] = max(short_until[owner], now + 5 * (lasted - 2000));
}

static void begin(u32 members_count)
{
	memset(&turns, 0, sizeof(turns));
	memset(members, 0, sizeof(members));
	memset(order, 0, sizeof(order));
	memset(short_until, 0, sizeof(short_until));
	memset(taken, 0, sizeof(taken));
	taken_all = 0;
	count = members_count;
	now = 1 + rnd();
	turn_began();
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

/* Time passes: a millisecond at a time while the owner takes what others use. */
static void pass(u32 ms)
{
	u32 owner = first();

	while (ms--) {
		bool may = gslot_turns_may_take(&turns, now);

		assert_true(may || !gslot_turns_may_postpone(&turns, now));
		if (may && takes)
			gslot_turns_take(&turns, now);
		now++;
		if (!may || !takes)
			continue;
		taken[owner]++;
		taken_all++;
		stretch++;
	}
}

/* The owner pins some pages. */
static void pin(void)
{
	u32 owner = first(), n = rnd() % (2 * GSLOT_TURN_PROGRESS);

	if (owner == count)
		return;
	members[owner].pinned += n;
	pins += n;
}

static void join(u32 i)
{
	bool alone = first() == count;

	gslot_turns_join(&turns, &members[i], now);
	if (order[i])
		return;
	order[i] = ++next_order;
	joined[i] = now;
	if (alone)
		turn_began();
}

static void leave(u32 i)
{
	bool owned = first() == i;

	if (owned)
		turn_ended(i, now - turns.began);
	gslot_turns_leave(&turns, &members[i], now);
	order[i] = 0;
	if (owned)
		turn_began();
}

static void expire(void)
{
	u32 owner = first(), number = turns.number;
	u64 lasted = now - turns.began;

	if (pins >= GSLOT_TURN_PROGRESS) {
		progress = now;
		pins = 0;
	}
	gslot_turns_expire(&turns, now);
	if (owner == count || turns.number == number) {
		assert_true(owner == count || lasted < turn_max);
		assert_true(owner == count || now - progress < turn_patience);
		return;
	}
	assert_true(lasted >= turn_max || now - progress >= turn_patience);
	assert_int_equal(turns.began, now);
	turn_ended(owner, lasted);
	order[owner] = 0;
	turn_began();
}

static void step(void)
{
	u32 number = turns.number, owner = first();

	switch (rnd() % 4) {
	case 0:
		join(rnd() % count);
		break;
	case 1:
		leave(rnd() % count);
		break;
	case 2:
		pin();
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
			takes = rnd() % 2;
			pass(rnd() % 4 ? rnd() % 50 : rnd() % 3000);
			step();
		}
	}
}

/*
 * All want room all the time, and never have enough. They leave when they like, and come back. In
 * some lives they pin pages meanwhile. Looked at often enough, the rations hold, and each has its
 * turn.
 */
static void test_rations(void **state)
{
	(void)state;
	for (u32 life = 0; life < LIVES; life++) {
		u64 most = life % 2 ? GSLOT_TURN_MAX_MS : GSLOT_TURN_PATIENCE_MS;
		u64 longest = 0, wait = 0, began;

		begin(1 + rnd() % 8);
		began = now;
		takes = true;
		for (u32 i = 0; i < 20 * STEPS; i++) {
			u32 number = turns.number;

			for (u32 k = 0; k < count; k++)
				join(k);
			pass(LOOK_MS);
			if (life % 2)
				pin();
			longest = max(longest, stretch);
			if (!(rnd() % 64))
				leave(first());
			else
				expire();
			check();
			if (turns.number != number && turns.owner)
				wait = max(wait, now - joined[first()]);
		}
		assert_in_range(longest, 0, GSLOT_TURN_STRETCH_MS);
		assert_true(taken_all);
		assert_in_range(taken_all, 0, (now - began) / 2 + GSLOT_TURN_PATIENCE_MS);
		for (u32 k = 0; k < count; k++)
			assert_in_range(taken[k], 0, (now - began) / (GSLOT_TURN_REST + 1) +
						     GSLOT_TURN_STRETCH_MS);
		assert_in_range(wait, 0, count * (most + LOOK_MS));
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
	assert_true(gslot_turns_may_take(&t, 10000));
	assert_true(gslot_turns_may_postpone(&t, 10200));
	gslot_turns_take(&t, 10200);
	gslot_turns_take(&t, 10300);
	assert_true(gslot_turns_may_take(&t, 11999));
	assert_false(gslot_turns_may_take(&t, 12000));
	gslot_turns_expire(&t, 11999);
	assert_ptr_equal(t.owner, &a);
	/* It had 1.8 s of that right: none has it for as long, and this one not for 9 s. */
	gslot_turns_expire(&t, 12000);
	assert_ptr_equal(t.owner, &b);
	assert_false(gslot_turns_may_take(&t, 13799));
	assert_true(gslot_turns_may_postpone(&t, 13800));
	gslot_turns_expire(&t, 12199);
	assert_ptr_equal(t.owner, &b);
	gslot_turns_expire(&t, 12200);
	assert_null(t.owner);
	gslot_turns_join(&t, &a, 20000);
	assert_false(gslot_turns_may_take(&t, 20999));
	assert_true(gslot_turns_may_postpone(&t, 21000));
	gslot_turns_take(&t, 21000);
	/* A turn that ends early is paid for, too: here 100 ms. */
	gslot_turns_leave(&t, &a, 21100);
	gslot_turns_join(&t, &a, 21100);
	assert_false(gslot_turns_may_take(&t, 21599));
	assert_true(gslot_turns_may_take(&t, 21600));
	/* It has not taken anything: nothing is paid. */
	gslot_turns_leave(&t, &a, 22000);
	gslot_turns_join(&t, &a, 22000);
	assert_true(gslot_turns_may_take(&t, 22000));
}

/* The owner pins pages: its turn goes on, up to a limit. Others are postponed no longer for it. */
static void test_progress(void **state)
{
	struct gslot_turns t = { 0 };
	struct gslot_turns_member a = { .pinned = 1000 }, b = { 0 };

	(void)state;
	gslot_turns_join(&t, &a, 10000);
	gslot_turns_join(&t, &b, 10000);
	a.pinned += GSLOT_TURN_PROGRESS - 1;
	gslot_turns_expire(&t, 11000);
	a.pinned++;
	gslot_turns_expire(&t, 11999);
	assert_ptr_equal(t.owner, &a);
	gslot_turns_take(&t, 10200);
	assert_true(gslot_turns_may_postpone(&t, 11999));
	assert_false(gslot_turns_may_postpone(&t, 12000));
	gslot_turns_expire(&t, 13998);
	assert_ptr_equal(t.owner, &a);
	a.pinned += GSLOT_TURN_PROGRESS - 1;
	gslot_turns_expire(&t, 13999);
	assert_ptr_equal(t.owner, &b);
	/* The ration counts from when the stretch ended. */
	assert_int_equal(t.rest_until, 13800);
	assert_int_equal(a.rest_until, 21000);
	for (u64 now = 13999; now < 23999; now += 20) {
		b.pinned += GSLOT_TURN_PROGRESS;
		gslot_turns_expire(&t, now);
		assert_ptr_equal(t.owner, &b);
	}
	gslot_turns_expire(&t, 23999);
	assert_null(t.owner);
	/* It lasted for 8 s longer than others: for 40 s its turns are not long. */
	gslot_turns_join(&t, &b, 63998);
	b.pinned += GSLOT_TURN_PROGRESS;
	gslot_turns_expire(&t, 65000);
	b.pinned += GSLOT_TURN_PROGRESS;
	gslot_turns_expire(&t, 65997);
	assert_ptr_equal(t.owner, &b);
	gslot_turns_expire(&t, 65998);
	assert_null(t.owner);
	gslot_turns_join(&t, &b, 65998);
	b.pinned += GSLOT_TURN_PROGRESS;
	gslot_turns_expire(&t, 67998);
	assert_ptr_equal(t.owner, &b);
	/* Another long one, and a short one that is seen to end late. */
	b.pinned += GSLOT_TURN_PROGRESS;
	for (u64 now = 69000; now <= 76000; now += 1000, b.pinned += GSLOT_TURN_PROGRESS)
		gslot_turns_expire(&t, now);
	assert_null(t.owner);
	assert_int_equal(b.short_until, 76000 + GSLOT_TURN_REST * (10002 - 2000));
	gslot_turns_join(&t, &b, 80000);
	gslot_turns_expire(&t, 82015);
	assert_null(t.owner);
	assert_int_equal(b.short_until, 76000 + GSLOT_TURN_REST * (10002 - 2000));
}

/* Pages are kept free for a while after a vGPU has asked for room: a part, up to a limit. */
static void test_spare(void **state)
{
	struct gslot_turns t = { 0 };
	struct gslot_turns_member a = { 0 };
	u64 most = (u64)GSLOT_TURN_SPARE_PART * GSLOT_TURN_SPARE_MAX;

	(void)state;
	assert_int_equal(gslot_turns_spare(&t, 1000, most), 0);
	gslot_turns_join(&t, &a, 1000);
	assert_int_equal(gslot_turns_spare(&t, 2999, 320), 320 / GSLOT_TURN_SPARE_PART);
	assert_int_equal(gslot_turns_spare(&t, 2999, most - 1), GSLOT_TURN_SPARE_MAX - 1);
	assert_int_equal(gslot_turns_spare(&t, 2999, most), GSLOT_TURN_SPARE_MAX);
	assert_int_equal(gslot_turns_spare(&t, 2999, UINT64_MAX), GSLOT_TURN_SPARE_MAX);
	assert_int_equal(gslot_turns_spare(&t, 2999, 0), 0);
	assert_int_equal(gslot_turns_spare(&t, 3000, most), 0);
	/* It asks again. */
	gslot_turns_join(&t, &a, 3000);
	assert_int_equal(gslot_turns_spare(&t, 4999, most), GSLOT_TURN_SPARE_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lives),
		cmocka_unit_test(test_rations),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_progress),
		cmocka_unit_test(test_spare),
	};

	return run_tap_tests("core_turns", tests);
}
