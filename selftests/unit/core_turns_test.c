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

/* What should be: when each joined, if it waits; who waits, in order, the owner first */
static u64 joined[MEMBERS];
static bool waits[MEMBERS], firsts[MEMBERS];
static u32 queue[MEMBERS], waiting, count;

/* When the owner was last seen to have pinned pages, or its turn began; pages since then */
static u64 progress, short_until[MEMBERS];
static u32 pins, turn_patience, turn_max;

/* For how long what others use was taken, by each, and in all; in the present turn */
static u64 taken[MEMBERS], taken_all, stretch;
/* In this turn it could do so, or could not because of what it had taken itself. */
static bool had_right;
/* The owner does so when it may. */
static bool takes;
/* The turn was looked at all the while. */
static bool looked;

/* Return: the number of members if none owns the turn. */
static u32 first(void)
{
	return waiting ? queue[0] : count;
}

/* One that goes first stands behind the owner, others that do, and those that have waited long. */
static u32 place_of(u32 i)
{
	u32 at;

	for (at = waiting; at > 1 && firsts[i]; at--) {
		u32 before = queue[at - 1];

		if (firsts[before] || now - joined[before] >= 10000)
			break;
	}
	return at;
}

static void queue_add(u32 i)
{
	u32 at = place_of(i);

	memmove(&queue[at + 1], &queue[at], (waiting - at) * sizeof(*queue));
	queue[at] = i;
	waiting++;
	waits[i] = true;
}

static void queue_del(u32 i)
{
	u32 at;

	for (at = 0; queue[at] != i; at++)
		;
	waiting--;
	memmove(&queue[at], &queue[at + 1], (waiting - at) * sizeof(*queue));
	waits[i] = false;
}

/* A turn begins, if there is an owner: how long may it last? */
static void turn_began(void)
{
	u32 owner = first();
	u64 rest;

	stretch = 0;
	had_right = false;
	progress = now;
	pins = 0;
	if (owner == count)
		return;
	rest = members[owner].rest_until;
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
	memset(waits, 0, sizeof(waits));
	waiting = 0;
	memset(short_until, 0, sizeof(short_until));
	memset(taken, 0, sizeof(taken));
	taken_all = 0;
	count = members_count;
	now = 1 + rnd();
	turn_began();
}

/* How long the present turn may last: a vGPU that goes first does not wait for a long one. */
static u32 turn_most(void)
{
	for (u32 at = 1; at < waiting; at++)
		if (firsts[queue[at]])
			return 2000;
	return turn_max;
}

static void check(void)
{
	const struct gslot_turns_member *m = turns.owner;
	u32 owner = first();

	for (u32 i = 0; i < count; i++)
		assert_int_equal(members[i].waits, waits[i]);
	for (u32 at = 0; at < waiting; at++, m = m->next)
		assert_ptr_equal(m, &members[queue[at]]);
	assert_null(m);
	if (owner == count || now - turns.began < GSLOT_TURN_POSTPONE_MS)
		assert_false(gslot_turns_may_postpone(&turns, now));
}

/* Time passes: a millisecond at a time while the owner takes what others use. */
static void pass(u32 ms)
{
	u32 owner = first();

	while (ms--) {
		bool may = gslot_turns_may_take(&turns, now);

		had_right |= may || (owner < count && members[owner].rest_until > now);
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
	bool alone = !waiting, goes_first = rnd() % 2;

	gslot_turns_join(&turns, &members[i], goes_first, now);
	if (waits[i] && (firsts[i] || !goes_first || first() == i))
		return;
	if (waits[i])
		queue_del(i);
	else
		joined[i] = now;
	firsts[i] = goes_first;
	queue_add(i);
	if (alone)
		turn_began();
}

static void leave(u32 i)
{
	bool owned = first() == i;

	if (owned)
		turn_ended(i, now - turns.began);
	gslot_turns_leave(&turns, &members[i], now);
	if (waits[i])
		queue_del(i);
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
		assert_true(owner == count || lasted < turn_most());
		assert_true(owner == count || now - progress < turn_patience);
		return;
	}
	assert_true(lasted >= turn_most() || now - progress >= turn_patience);
	assert_int_equal(turns.began, now);
	/* The rest after another vGPU's stretch is shorter than a turn. */
	assert_true(had_right || !looked);
	turn_ended(owner, lasted);
	queue_del(owner);
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
	looked = false;
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
 * some lives they pin pages meanwhile. Looked at often enough, the rations hold, those that go
 * first wait for no long turn, and the others have their turns, too.
 */
static void test_rations(void **state)
{
	(void)state;
	for (u32 life = 0; life < LIVES; life++) {
		u64 longest = 0, wait = 0, others = 0, began;

		begin(1 + rnd() % 8);
		began = now;
		takes = true;
		looked = true;
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
			if (turns.number == number || !turns.owner)
				continue;
			if (firsts[first()])
				wait = max(wait, now - joined[first()]);
			else
				others = max(others, now - joined[first()]);
		}
		assert_in_range(longest, 0, GSLOT_TURN_STRETCH_MS);
		assert_true(taken_all);
		assert_in_range(taken_all, 0, (now - began) / 2 + GSLOT_TURN_PATIENCE_MS);
		for (u32 k = 0; k < count; k++)
			assert_in_range(taken[k], 0, (now - began) / (GSLOT_TURN_REST + 1) +
						     GSLOT_TURN_STRETCH_MS);
		assert_in_range(wait, 0, count * (GSLOT_TURN_PATIENCE_MS + LOOK_MS));
		/* From ten seconds on they are overtaken no more. */
		assert_in_range(others, 0, GSLOT_TURN_MAX_MS +
					   2 * count * (GSLOT_TURN_MAX_MS + LOOK_MS));
	}
}

/* To the millisecond. */
static void test_limits(void **state)
{
	struct gslot_turns t = { 0 };
	struct gslot_turns_member a = { 0 }, b = { 0 };

	(void)state;
	gslot_turns_join(&t, &a, false, 10000);
	gslot_turns_join(&t, &b, false, 10000);
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
	gslot_turns_expire(&t, 13999);
	assert_ptr_equal(t.owner, &b);
	gslot_turns_expire(&t, 14000);
	assert_null(t.owner);
	gslot_turns_join(&t, &a, false, 14000);
	gslot_turns_expire(&t, 14199);
	assert_ptr_equal(t.owner, &a);
	gslot_turns_expire(&t, 14200);
	assert_null(t.owner);
	gslot_turns_join(&t, &a, false, 20000);
	assert_false(gslot_turns_may_take(&t, 20999));
	assert_true(gslot_turns_may_postpone(&t, 21000));
	gslot_turns_take(&t, 21000);
	/* A turn that ends early is paid for, too: here 100 ms. */
	gslot_turns_leave(&t, &a, 21100);
	gslot_turns_join(&t, &a, false, 21100);
	assert_false(gslot_turns_may_take(&t, 21599));
	assert_true(gslot_turns_may_take(&t, 21600));
	/* It has not taken anything: nothing is paid. */
	gslot_turns_leave(&t, &a, 22000);
	gslot_turns_join(&t, &a, false, 22000);
	assert_true(gslot_turns_may_take(&t, 22000));
}

/* The owner pins pages: its turn goes on, up to a limit. Others are postponed no longer for it. */
static void test_progress(void **state)
{
	struct gslot_turns t = { 0 };
	struct gslot_turns_member a = { .pinned = 1000 }, b = { 0 };

	(void)state;
	gslot_turns_join(&t, &a, false, 10000);
	gslot_turns_join(&t, &b, false, 10000);
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
	gslot_turns_join(&t, &b, false, 63998);
	b.pinned += GSLOT_TURN_PROGRESS;
	gslot_turns_expire(&t, 65000);
	b.pinned += GSLOT_TURN_PROGRESS;
	gslot_turns_expire(&t, 65997);
	assert_ptr_equal(t.owner, &b);
	gslot_turns_expire(&t, 65998);
	assert_null(t.owner);
	gslot_turns_join(&t, &b, false, 65998);
	b.pinned += GSLOT_TURN_PROGRESS;
	gslot_turns_expire(&t, 67998);
	assert_ptr_equal(t.owner, &b);
	/* Another long one, and a short one that is seen to end late. */
	b.pinned += GSLOT_TURN_PROGRESS;
	for (u64 now = 69000; now <= 76000; now += 1000, b.pinned += GSLOT_TURN_PROGRESS)
		gslot_turns_expire(&t, now);
	assert_null(t.owner);
	assert_int_equal(b.short_until, 76000 + GSLOT_TURN_REST * (10002 - 2000));
	gslot_turns_join(&t, &b, false, 80000);
	gslot_turns_expire(&t, 82015);
	assert_null(t.owner);
	assert_int_equal(b.short_until, 76000 + GSLOT_TURN_REST * (10002 - 2000));
}

/* One that goes first waits for no other one, and not for a long turn. */
static void test_first(void **state)
{
	struct gslot_turns t = { 0 };
	struct gslot_turns_member a = { 0 }, b = { 0 }, c = { 0 }, d = { 0 };

	(void)state;
	gslot_turns_join(&t, &a, false, 10000);
	gslot_turns_join(&t, &b, false, 10000);
	a.pinned += GSLOT_TURN_PROGRESS;
	gslot_turns_expire(&t, 11500);
	a.pinned += GSLOT_TURN_PROGRESS;
	gslot_turns_expire(&t, 13000);
	assert_ptr_equal(t.owner, &a);
	gslot_turns_join(&t, &c, true, 13000);
	gslot_turns_join(&t, &d, true, 13001);
	assert_ptr_equal(a.next, &c);
	assert_ptr_equal(c.next, &d);
	assert_ptr_equal(d.next, &b);
	gslot_turns_expire(&t, 13001);
	assert_ptr_equal(t.owner, &c);
	/* Those that go first wait for each other. */
	c.pinned += GSLOT_TURN_PROGRESS;
	gslot_turns_expire(&t, 15000);
	assert_ptr_equal(t.owner, &c);
	gslot_turns_expire(&t, 15001);
	assert_ptr_equal(t.owner, &d);
	/* The next one does not go first: there is time for a long turn. */
	d.pinned += GSLOT_TURN_PROGRESS;
	gslot_turns_expire(&t, 16500);
	d.pinned += GSLOT_TURN_PROGRESS;
	gslot_turns_expire(&t, 18000);
	assert_ptr_equal(t.owner, &d);
}

/* One that has waited for ten seconds is overtaken no more. */
static void test_overtaken(void **state)
{
	struct gslot_turns t = { 0 };
	struct gslot_turns_member a = { 0 }, b = { 0 }, c = { 0 }, d = { 0 };

	(void)state;
	gslot_turns_join(&t, &a, false, 10000);
	gslot_turns_join(&t, &b, false, 10000);
	gslot_turns_join(&t, &c, true, 19999);
	gslot_turns_join(&t, &d, true, 20000);
	assert_ptr_equal(a.next, &c);
	assert_ptr_equal(c.next, &b);
	assert_ptr_equal(b.next, &d);
	gslot_turns_leave(&t, &c, 20000);
	/* One that has less than its share later goes first from then on. */
	gslot_turns_join(&t, &c, false, 20000);
	assert_ptr_equal(d.next, &c);
	gslot_turns_join(&t, &c, true, 20000);
	assert_ptr_equal(d.next, &c);
	gslot_turns_leave(&t, &d, 20000);
	gslot_turns_join(&t, &d, false, 20000);
	gslot_turns_join(&t, &b, false, 20000);
	gslot_turns_join(&t, &d, true, 20001);
	assert_ptr_equal(b.next, &c);
	assert_ptr_equal(c.next, &d);
	/* It goes first: no turn before its own is long. */
	a.pinned += GSLOT_TURN_PROGRESS;
	gslot_turns_expire(&t, 20000);
	assert_ptr_equal(t.owner, &b);
}

/* Pages are kept free for a while after a vGPU has asked for room: a part, up to a limit. */
static void test_spare(void **state)
{
	struct gslot_turns t = { 0 };
	struct gslot_turns_member a = { 0 };
	u64 most = (u64)GSLOT_TURN_SPARE_PART * GSLOT_TURN_SPARE_MAX;

	(void)state;
	assert_int_equal(gslot_turns_spare(&t, 1000, most), 0);
	gslot_turns_join(&t, &a, false, 1000);
	assert_int_equal(gslot_turns_spare(&t, 2999, 320), 320 / GSLOT_TURN_SPARE_PART);
	assert_int_equal(gslot_turns_spare(&t, 2999, most - 1), GSLOT_TURN_SPARE_MAX - 1);
	assert_int_equal(gslot_turns_spare(&t, 2999, most), GSLOT_TURN_SPARE_MAX);
	assert_int_equal(gslot_turns_spare(&t, 2999, UINT64_MAX), GSLOT_TURN_SPARE_MAX);
	assert_int_equal(gslot_turns_spare(&t, 2999, 0), 0);
	assert_int_equal(gslot_turns_spare(&t, 3000, most), 0);
	/* It asks again. */
	gslot_turns_join(&t, &a, false, 3000);
	assert_int_equal(gslot_turns_spare(&t, 4999, most), GSLOT_TURN_SPARE_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lives),
		cmocka_unit_test(test_rations),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_progress),
		cmocka_unit_test(test_first),
		cmocka_unit_test(test_overtaken),
		cmocka_unit_test(test_spare),
	};

	return run_tap_tests("core_turns", tests);
}
