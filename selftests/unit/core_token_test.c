// SPDX-License-Identifier: GPL-2.0
/* The pin token: which vGPU holds it, for how long, and with which rights; in random lives. */
#include "test.h"
#include "core/mem/token.h"

#define MEMBERS		80u
#define LIVES		100u
#define STEPS		2000u
#define LOOK_MS		20u

static struct gslot_token token;
static struct gslot_token_member members[MEMBERS];
static u64 now;

/* What should be: when each joined, and if it waits; the queue, the holder first */
static u64 joined[MEMBERS];
static bool waits[MEMBERS], firsts[MEMBERS];
static u32 queue[MEMBERS], waiting, count;

/* When the holder was last seen to have pinned pages, or got the token; pages since then */
static u64 progress, short_until[MEMBERS];
static u32 pins, patience, hold_max;

/* For how long what others use was taken, by each, and in all; by the present holder */
static u64 taken[MEMBERS], taken_all, stretch;
/* It could do so, or could not because of what it had taken itself. */
static bool had_right;
/* The holder does so when it may. */
static bool takes;
/* The token was looked at all the while. */
static bool looked;

/* Return: the holder; the number of members if there is none. */
static u32 first(void)
{
	return waiting ? queue[0] : count;
}

/* One that goes first stands behind the holder, others that do, and those that have waited long. */
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

/* The first in the queue gets the token: for how long may it hold that? */
static void granted(void)
{
	u32 holder = first();
	u64 rest;

	stretch = 0;
	had_right = false;
	progress = now;
	pins = 0;
	if (holder == count)
		return;
	rest = members[holder].rest_until;
	patience = rest > now + 1000 ? 200 : 2000;
	hold_max = now < short_until[holder] ? 2000 : 10000;
}

/* @holder loses the token: to have held it for long is paid for. */
static void settled(u32 holder, u64 lasted)
{
	if (lasted > 2000)
		short_until[holder] = max(short_until[holder], now + 5 * (lasted - 2000));
}

static void begin(u32 members_count)
{
	memset(&token, 0, sizeof(token));
	memset(members, 0, sizeof(members));
	memset(waits, 0, sizeof(waits));
	waiting = 0;
	memset(short_until, 0, sizeof(short_until));
	memset(taken, 0, sizeof(taken));
	taken_all = 0;
	count = members_count;
	now = 1 + rnd();
	granted();
}

/* For how long the holder may hold the token: one that goes first does not wait for long. */
static u32 hold_most(void)
{
	for (u32 at = 1; at < waiting; at++)
		if (firsts[queue[at]])
			return 2000;
	return hold_max;
}

static void check(void)
{
	const struct gslot_token_member *m = token.holder;
	u32 holder = first();

	for (u32 i = 0; i < count; i++)
		assert_int_equal(members[i].waits, waits[i]);
	for (u32 at = 0; at < waiting; at++, m = m->next)
		assert_ptr_equal(m, &members[queue[at]]);
	assert_null(m);
	if (holder == count || now - token.since < GSLOT_TOKEN_POSTPONE_MS)
		assert_false(gslot_token_may_postpone(&token, now));
}

/* Time passes: a millisecond at a time while the holder takes what others use. */
static void pass(u32 ms)
{
	u32 holder = first();

	while (ms--) {
		bool may = gslot_token_may_take(&token, now);

		had_right |= may || (holder < count && members[holder].rest_until > now);
		assert_true(may || !gslot_token_may_postpone(&token, now));
		if (may && takes)
			gslot_token_take(&token, now);
		now++;
		if (!may || !takes)
			continue;
		taken[holder]++;
		taken_all++;
		stretch++;
	}
}

/* The holder pins some pages. */
static void pin(void)
{
	u32 holder = first(), n = rnd() % (2 * GSLOT_TOKEN_PROGRESS);

	if (holder == count)
		return;
	members[holder].pinned += n;
	pins += n;
}

static void join(u32 i)
{
	bool alone = !waiting, goes_first = rnd() % 2;

	gslot_token_join(&token, &members[i], goes_first, now);
	if (waits[i] && (firsts[i] || !goes_first || first() == i))
		return;
	if (waits[i])
		queue_del(i);
	else
		joined[i] = now;
	firsts[i] = goes_first;
	queue_add(i);
	if (alone)
		granted();
}

static void leave(u32 i)
{
	bool held = first() == i;

	if (held)
		settled(i, now - token.since);
	gslot_token_leave(&token, &members[i], now);
	if (waits[i])
		queue_del(i);
	if (held)
		granted();
}

static void expire(void)
{
	u32 holder = first(), number = token.number;
	u64 lasted = now - token.since;

	if (pins >= GSLOT_TOKEN_PROGRESS) {
		progress = now;
		pins = 0;
	}
	gslot_token_expire(&token, now);
	if (holder == count || token.number == number) {
		assert_true(holder == count || lasted < hold_most());
		assert_true(holder == count || now - progress < patience);
		return;
	}
	assert_true(lasted >= hold_most() || now - progress >= patience);
	assert_int_equal(token.since, now);
	/* The rest after another vGPU's stretch is shorter than the patience. */
	assert_true(had_right || !looked);
	settled(holder, lasted);
	queue_del(holder);
	granted();
}

static void step(void)
{
	u32 number = token.number, holder = first();

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
	/* The number changes with the holder. */
	assert_int_equal(token.number != number, first() != holder);
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
 * first do not wait for long, and the others get the token, too.
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
			u32 number = token.number;

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
			if (token.number == number || !token.holder)
				continue;
			if (firsts[first()])
				wait = max(wait, now - joined[first()]);
			else
				others = max(others, now - joined[first()]);
		}
		assert_in_range(longest, 0, GSLOT_TOKEN_STRETCH_MS);
		assert_true(taken_all);
		assert_in_range(taken_all, 0, (now - began) / 2 + GSLOT_TOKEN_PATIENCE_MS);
		for (u32 k = 0; k < count; k++)
			assert_in_range(taken[k], 0, (now - began) / (GSLOT_TOKEN_REST + 1) +
						     GSLOT_TOKEN_STRETCH_MS);
		assert_in_range(wait, 0, count * (GSLOT_TOKEN_PATIENCE_MS + LOOK_MS));
		/* From ten seconds on they are overtaken no more. */
		assert_in_range(others, 0, GSLOT_TOKEN_MAX_MS +
					   2 * count * (GSLOT_TOKEN_MAX_MS + LOOK_MS));
	}
}

/* To the millisecond. */
static void test_limits(void **state)
{
	struct gslot_token t = { 0 };
	struct gslot_token_member a = { 0 }, b = { 0 };

	(void)state;
	gslot_token_join(&t, &a, false, 10000);
	gslot_token_join(&t, &b, false, 10000);
	assert_false(gslot_token_may_postpone(&t, 10199));
	assert_true(gslot_token_may_take(&t, 10000));
	assert_true(gslot_token_may_postpone(&t, 10200));
	gslot_token_take(&t, 10200);
	gslot_token_take(&t, 10300);
	assert_true(gslot_token_may_take(&t, 11999));
	assert_false(gslot_token_may_take(&t, 12000));
	gslot_token_expire(&t, 11999);
	assert_ptr_equal(t.holder, &a);
	/* It had 1.8 s of that right: none has it for as long, and this one not for 9 s. */
	gslot_token_expire(&t, 12000);
	assert_ptr_equal(t.holder, &b);
	assert_false(gslot_token_may_take(&t, 13799));
	assert_true(gslot_token_may_postpone(&t, 13800));
	gslot_token_expire(&t, 13999);
	assert_ptr_equal(t.holder, &b);
	gslot_token_expire(&t, 14000);
	assert_null(t.holder);
	gslot_token_join(&t, &a, false, 14000);
	gslot_token_expire(&t, 14199);
	assert_ptr_equal(t.holder, &a);
	gslot_token_expire(&t, 14200);
	assert_null(t.holder);
	gslot_token_join(&t, &a, false, 20000);
	assert_false(gslot_token_may_take(&t, 20999));
	assert_true(gslot_token_may_postpone(&t, 21000));
	gslot_token_take(&t, 21000);
	/* What a vGPU took before it left early is paid for, too: here 100 ms. */
	gslot_token_leave(&t, &a, 21100);
	gslot_token_join(&t, &a, false, 21100);
	assert_false(gslot_token_may_take(&t, 21599));
	assert_true(gslot_token_may_take(&t, 21600));
	/* It has not taken anything: nothing is paid. */
	gslot_token_leave(&t, &a, 22000);
	gslot_token_join(&t, &a, false, 22000);
	assert_true(gslot_token_may_take(&t, 22000));
}

/* The holder pins pages: it holds the token up to a limit, and postpones others no longer. */
static void test_progress(void **state)
{
	struct gslot_token t = { 0 };
	struct gslot_token_member a = { .pinned = 1000 }, b = { 0 };

	(void)state;
	gslot_token_join(&t, &a, false, 10000);
	gslot_token_join(&t, &b, false, 10000);
	a.pinned += GSLOT_TOKEN_PROGRESS - 1;
	gslot_token_expire(&t, 11000);
	a.pinned++;
	gslot_token_expire(&t, 11999);
	assert_ptr_equal(t.holder, &a);
	gslot_token_take(&t, 10200);
	assert_true(gslot_token_may_postpone(&t, 11999));
	assert_false(gslot_token_may_postpone(&t, 12000));
	gslot_token_expire(&t, 13998);
	assert_ptr_equal(t.holder, &a);
	a.pinned += GSLOT_TOKEN_PROGRESS - 1;
	gslot_token_expire(&t, 13999);
	assert_ptr_equal(t.holder, &b);
	/* The ration counts from when the stretch ended. */
	assert_int_equal(t.rest_until, 13800);
	assert_int_equal(a.rest_until, 21000);
	for (u64 now = 13999; now < 23999; now += 20) {
		b.pinned += GSLOT_TOKEN_PROGRESS;
		gslot_token_expire(&t, now);
		assert_ptr_equal(t.holder, &b);
	}
	gslot_token_expire(&t, 23999);
	assert_null(t.holder);
	/* It held the token for 8 s too long: for 40 s it may not do so again. */
	gslot_token_join(&t, &b, false, 63998);
	b.pinned += GSLOT_TOKEN_PROGRESS;
	gslot_token_expire(&t, 65000);
	b.pinned += GSLOT_TOKEN_PROGRESS;
	gslot_token_expire(&t, 65997);
	assert_ptr_equal(t.holder, &b);
	gslot_token_expire(&t, 65998);
	assert_null(t.holder);
	gslot_token_join(&t, &b, false, 65998);
	b.pinned += GSLOT_TOKEN_PROGRESS;
	gslot_token_expire(&t, 67998);
	assert_ptr_equal(t.holder, &b);
	/* It holds it for long again; and then for a short time, whose end is seen late. */
	b.pinned += GSLOT_TOKEN_PROGRESS;
	for (u64 now = 69000; now <= 76000; now += 1000, b.pinned += GSLOT_TOKEN_PROGRESS)
		gslot_token_expire(&t, now);
	assert_null(t.holder);
	assert_int_equal(b.short_until, 76000 + GSLOT_TOKEN_REST * (10002 - 2000));
	gslot_token_join(&t, &b, false, 80000);
	gslot_token_expire(&t, 82015);
	assert_null(t.holder);
	assert_int_equal(b.short_until, 76000 + GSLOT_TOKEN_REST * (10002 - 2000));
}

/* One that goes first waits for no other one but the holder, and not for long. */
static void test_first(void **state)
{
	struct gslot_token t = { 0 };
	struct gslot_token_member a = { 0 }, b = { 0 }, c = { 0 }, d = { 0 };

	(void)state;
	gslot_token_join(&t, &a, false, 10000);
	gslot_token_join(&t, &b, false, 10000);
	a.pinned += GSLOT_TOKEN_PROGRESS;
	gslot_token_expire(&t, 11500);
	a.pinned += GSLOT_TOKEN_PROGRESS;
	gslot_token_expire(&t, 13000);
	assert_ptr_equal(t.holder, &a);
	gslot_token_join(&t, &c, true, 13000);
	gslot_token_join(&t, &d, true, 13001);
	assert_ptr_equal(a.next, &c);
	assert_ptr_equal(c.next, &d);
	assert_ptr_equal(d.next, &b);
	gslot_token_expire(&t, 13001);
	assert_ptr_equal(t.holder, &c);
	/* Those that go first wait for each other. */
	c.pinned += GSLOT_TOKEN_PROGRESS;
	gslot_token_expire(&t, 15000);
	assert_ptr_equal(t.holder, &c);
	gslot_token_expire(&t, 15001);
	assert_ptr_equal(t.holder, &d);
	/* The next one does not go first: the holder may hold the token for long. */
	d.pinned += GSLOT_TOKEN_PROGRESS;
	gslot_token_expire(&t, 16500);
	d.pinned += GSLOT_TOKEN_PROGRESS;
	gslot_token_expire(&t, 18000);
	assert_ptr_equal(t.holder, &d);
}

/* One that has waited for ten seconds is overtaken no more. */
static void test_overtaken(void **state)
{
	struct gslot_token t = { 0 };
	struct gslot_token_member a = { 0 }, b = { 0 }, c = { 0 }, d = { 0 };

	(void)state;
	gslot_token_join(&t, &a, false, 10000);
	gslot_token_join(&t, &b, false, 10000);
	gslot_token_join(&t, &c, true, 19999);
	gslot_token_join(&t, &d, true, 20000);
	assert_ptr_equal(a.next, &c);
	assert_ptr_equal(c.next, &b);
	assert_ptr_equal(b.next, &d);
	gslot_token_leave(&t, &c, 20000);
	/* One that has less than its share later goes first from then on. */
	gslot_token_join(&t, &c, false, 20000);
	assert_ptr_equal(d.next, &c);
	gslot_token_join(&t, &c, true, 20000);
	assert_ptr_equal(d.next, &c);
	gslot_token_leave(&t, &d, 20000);
	gslot_token_join(&t, &d, false, 20000);
	gslot_token_join(&t, &b, false, 20000);
	gslot_token_join(&t, &d, true, 20001);
	assert_ptr_equal(b.next, &c);
	assert_ptr_equal(c.next, &d);
	/* It goes first: none before it may hold the token for long. */
	a.pinned += GSLOT_TOKEN_PROGRESS;
	gslot_token_expire(&t, 20000);
	assert_ptr_equal(t.holder, &b);
}

/* Pages are kept free for a while after a vGPU has asked for room: a part, up to a limit. */
static void test_spare(void **state)
{
	struct gslot_token t = { 0 };
	struct gslot_token_member a = { 0 };
	u64 most = (u64)GSLOT_TOKEN_SPARE_PART * GSLOT_TOKEN_SPARE_MAX;

	(void)state;
	assert_int_equal(gslot_token_spare(&t, 1000, most), 0);
	gslot_token_join(&t, &a, false, 1000);
	assert_int_equal(gslot_token_spare(&t, 2999, 320), 320 / GSLOT_TOKEN_SPARE_PART);
	assert_int_equal(gslot_token_spare(&t, 2999, most - 1), GSLOT_TOKEN_SPARE_MAX - 1);
	assert_int_equal(gslot_token_spare(&t, 2999, most), GSLOT_TOKEN_SPARE_MAX);
	assert_int_equal(gslot_token_spare(&t, 2999, UINT64_MAX), GSLOT_TOKEN_SPARE_MAX);
	assert_int_equal(gslot_token_spare(&t, 2999, 0), 0);
	assert_int_equal(gslot_token_spare(&t, 3000, most), 0);
	/* It asks again. */
	gslot_token_join(&t, &a, false, 3000);
	assert_int_equal(gslot_token_spare(&t, 4999, most), GSLOT_TOKEN_SPARE_MAX);
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

	return run_tap_tests("core_token", tests);
}
