// SPDX-License-Identifier: GPL-2.0
/*
 * What all policies have in common, and the change from one to another: what stays, what the new
 * one knows, and a life in which they change all the time.
 */
#include "policies.h"

#define MS	1000000ull
#define QUANTUM	(16 * MS)
#define MAX	8

struct world {
	struct gslot_policy p;
	struct gslot_policy_client c[MAX];
	u64 now;
};

static struct world w, fresh;

static void world_init(struct world *it, const struct gslot_policy_ops *ops, u64 now)
{
	memset(it, 0, sizeof(*it));
	it->now = now;
	gslot_policy_init(&it->p, ops, QUANTUM);
}

static void world_join(struct world *it, u32 count)
{
	for (u32 i = 0; i < count; i++)
		assert_int_equal(gslot_policy_join(&it->p, &it->c[i], it->now), 0);
}

static struct gslot_policy_knobs any_knobs(void)
{
	u32 cap = rnd_range(1, GSLOT_WHOLE);

	return (struct gslot_policy_knobs) {
		.weight = rnd_range(1, GSLOT_POLICY_WEIGHT_MAX),
		.cap = cap,
		.reserve = rnd_below(cap + 1),
		.quantum_ns = rnd_below(2) ? rnd_range(1, 100) * MS : 0,
	};
}

/* Knobs out of range are refused, and nothing changes. */
static void test_knobs(void **state)
{
	static const struct gslot_policy_knobs bad[] = {
		{ .weight = 0, .cap = 500 },
		{ .weight = GSLOT_POLICY_WEIGHT_MAX + 1, .cap = 500 },
		{ .weight = 1, .cap = 0 },
		{ .weight = 1, .cap = GSLOT_WHOLE + 1 },
		{ .weight = 1, .cap = 500, .reserve = 501 },
		{ .weight = U32_MAX, .cap = U32_MAX, .reserve = U32_MAX },
	};

	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(all_policies); i++) {
		world_init(&w, all_policies[i], MS);
		world_join(&w, 1);
		for (u32 k = 0; k < ARRAY_SIZE(bad); k++) {
			const struct gslot_policy_knobs before = w.c[0].knobs;

			assert_int_equal(gslot_policy_set_knobs(&w.p, &w.c[0], w.now, &bad[k]),
					 -EINVAL);
			assert_memory_equal(&before, &w.c[0].knobs, sizeof(before));
		}
	}
}

/* What a change does not touch. */
struct kept {
	bool awake;
	struct gslot_policy_knobs knobs;
	struct gslot_policy_load load;
	u64 turns;
	u64 held_ns;
};

static struct kept keep(const struct gslot_policy_client *c)
{
	struct kept it;

	memset(&it, 0, sizeof(it));
	it.awake = c->awake;
	it.knobs.weight = c->knobs.weight;
	it.knobs.cap = c->knobs.cap;
	it.knobs.reserve = c->knobs.reserve;
	it.knobs.quantum_ns = c->knobs.quantum_ns;
	it.load.queued = c->load.queued;
	it.load.dispatched = c->load.dispatched;
	it.load.cpu_ns = c->load.cpu_ns;
	it.load.bandwidth = c->load.bandwidth;
	it.load.memory = c->load.memory;
	it.turns = c->turns;
	it.held_ns = c->held_ns;
	return it;
}

/* Some of it, with debts, credits and timeslices; then the engine has no owner. */
static void live(struct world *it, u32 steps)
{
	while (steps--) {
		struct gslot_policy *p = &it->p;
		bool busy = p->owner && p->owner->awake && rnd_below(4);

		it->now += rnd_below(8 * MS);
		any_event(p, p->clients[rnd_below(p->count)], it->now);
		if (p->owner)
			p->owner->load.dispatched += rnd_below(gslot_policy_blocks(p) & 0xff);
		if (gslot_policy_pick(p, it->now, busy).verdict == GSLOT_POLICY_PREEMPT) {
			it->now += rnd_below(100 * MS);
			gslot_policy_off(p, it->now);
		}
	}
	if (it->p.owner)
		gslot_policy_off(&it->p, it->now);
}

static void test_keeps(void **state)
{
	struct kept kept[MAX];

	(void)state;
	world_init(&w, &gslot_rr, MS);
	world_join(&w, MAX);
	for (u32 round = 0; round < rounds(2000); round++) {
		const struct gslot_policy_ops *ops = any_policy();
		struct gslot_policy_knobs knobs = any_knobs();
		u64 turns;

		gslot_policy_set_knobs(&w.p, &w.c[rnd_below(MAX)], w.now, &knobs);
		w.c[rnd_below(MAX)].load.memory = rnd_below(1001);
		w.c[rnd_below(MAX)].load.bandwidth = rnd_below(1001);
		live(&w, 30);
		turns = w.p.turns;
		for (u32 i = 0; i < MAX; i++)
			kept[i] = keep(&w.c[i]);
		gslot_policy_change(&w.p, ops, w.now);
		assert_ptr_equal(w.p.ops, ops);
		assert_null(w.p.owner);
		assert_int_equal(w.p.count, MAX);
		assert_int_equal(w.p.quantum_ns, QUANTUM);
		assert_int_equal(w.p.turns, turns);
		for (u32 i = 0; i < MAX; i++) {
			const struct kept now = keep(&w.c[i]);

			assert_ptr_equal(w.p.clients[i], &w.c[i]);
			assert_int_equal(w.c[i].index, i);
			assert_memory_equal(&now, &kept[i], sizeof(now));
		}
	}
}

static u32 owner_of(const struct world *it)
{
	return it->p.owner ? it->p.owner->index : MAX;
}

/* The same event in both worlds. */
static void both_event(u32 i, u64 step)
{
	u32 queued = rnd_below(100), cpu = rnd_below(MS), blocks = rnd_below(4);
	bool awake = rnd_below(4), busy = w.p.owner && w.p.owner->awake && rnd_below(4);
	u64 late = rnd_below(100 * MS);

	for (struct world *it = &w;; it = &fresh) {
		struct gslot_policy_client *c = &it->c[i];

		it->now += step;
		c->load.queued = queued;
		c->load.cpu_ns += cpu;
		if (awake)
			gslot_policy_wake(&it->p, c, it->now);
		else
			gslot_policy_sleep(&it->p, c, it->now);
		if (it->p.owner)
			it->p.owner->load.dispatched += min(blocks, gslot_policy_blocks(&it->p));
		if (gslot_policy_pick(&it->p, it->now, busy).verdict == GSLOT_POLICY_PREEMPT) {
			it->now += late;
			gslot_policy_off(&it->p, it->now);
		}
		if (it == &fresh)
			return;
	}
}

/*
 * To the new policy all clients have just joined: it decides as with clients that it never saw
 * before, whatever they were under others.
 */
static void test_forgets(void **state)
{
	(void)state;
	for (u32 round = 0; round < rounds(2000); round++) {
		const struct gslot_policy_ops *ops = any_policy();

		world_init(&w, any_policy(), MS);
		world_join(&w, MAX);
		live(&w, 100);
		for (u32 i = 0; i < MAX; i++)
			w.c[i].load.queued = 0;
		world_init(&fresh, ops, w.now);
		world_join(&fresh, MAX);
		for (u32 i = 0; i < MAX; i++)
			if (w.c[i].awake)
				gslot_policy_wake(&fresh.p, &fresh.c[i], fresh.now);
		gslot_policy_change(&w.p, ops, w.now);
		for (u32 step = 0; step < 100; step++) {
			both_event(rnd_below(MAX), rnd_below(8 * MS));
			assert_int_equal(owner_of(&w), owner_of(&fresh));
			assert_int_equal(gslot_policy_timer(&w.p, w.now),
					 gslot_policy_timer(&fresh.p, fresh.now));
			assert_int_equal(gslot_policy_blocks(&w.p),
					 gslot_policy_blocks(&fresh.p));
			assert_int_equal(gslot_policy_patience(&w.p, 1000),
					 gslot_policy_patience(&fresh.p, 1000));
		}
	}
}

/* A cap holds from the change on: no client begins with the stage of one without a cap. */
static void test_knobs_at_once(void **state)
{
	const struct gslot_policy_knobs knobs = { .weight = 100, .cap = 200 };

	(void)state;
	world_init(&w, &gslot_rr, MS);
	world_join(&w, 1);
	assert_int_equal(gslot_policy_set_knobs(&w.p, &w.c[0], w.now, &knobs), 0);
	gslot_policy_wake(&w.p, &w.c[0], w.now);
	w.now += 5000 * MS;
	gslot_policy_change(&w.p, &gslot_cap, w.now);
	assert_int_equal(gslot_policy_pick(&w.p, w.now, false).verdict, GSLOT_POLICY_GIVE);
	w.now += 20 * MS;
	assert_int_equal(gslot_policy_pick(&w.p, w.now, true).verdict, GSLOT_POLICY_PREEMPT);
}

static u64 leaves;

/* Clients join and leave, their knobs change, and the policy does. */
static void any_change(bool *there)
{
	const struct gslot_policy_knobs knobs = any_knobs();
	u32 i = rnd_below(MAX);

	if (!there[i]) {
		assert_int_equal(gslot_policy_join(&w.p, &w.c[i], w.now), 0);
		there[i] = true;
		return;
	}
	switch (rnd_below(500)) {
	case 0:
		gslot_policy_leave(&w.p, &w.c[i], w.now);
		there[i] = false;
		break;
	case 1:
		if (w.p.owner)
			gslot_policy_off(&w.p, w.now);
		gslot_policy_change(&w.p, any_policy(), w.now);
		break;
	case 2:
		assert_int_equal(gslot_policy_set_knobs(&w.p, &w.c[i], w.now, &knobs), 0);
		break;
	default:
		any_event(&w.p, &w.c[i], w.now);
	}
}

/* A client with work is the owner, or may dispatch, or the policy asks for a timer. */
static void check(bool busy)
{
	bool awake = false;

	for (u32 i = 0; i < w.p.count; i++) {
		awake |= w.p.clients[i]->awake;
		assert_int_equal(w.p.clients[i]->index, i);
	}
	if (w.p.leaving || busy)
		return;
	if (awake && (!w.p.owner || !gslot_policy_blocks(&w.p)))
		assert_true(gslot_policy_timer(&w.p, w.now));
}

static u64 held(void)
{
	u64 sum = 0;

	for (u32 i = 0; i < w.p.count; i++)
		sum += gslot_policy_held(&w.p, w.p.clients[i], w.now);
	return sum;
}

static void test_random(void **state)
{
	bool there[MAX] = { false };

	(void)state;
	world_init(&w, &gslot_rr, 0);
	for (unsigned int i = 0; i < rounds(500000); i++) {
		u64 step = rnd_below(8 * MS), before = held();
		enum gslot_policy_verdict verdict;
		bool busy;

		w.now += step;
		/* All of the time in which there is an owner is the owner's. */
		assert_int_equal(held() - before, w.p.owner ? step : 0);
		any_change(there);
		if (w.p.leaving && (!rnd_below(6) || w.now - leaves > 60 * MS))
			gslot_policy_off(&w.p, w.now);
		if (w.p.leaving || !w.p.count)
			continue;
		if (w.p.owner && w.p.owner->awake)
			w.p.owner->load.dispatched += min(rnd_below(6), gslot_policy_blocks(&w.p));
		busy = w.p.owner && (w.p.owner->awake ? rnd_below(4) : !rnd_below(4));
		verdict = gslot_policy_pick(&w.p, w.now, busy).verdict;
		if (verdict == GSLOT_POLICY_GIVE)
			assert_true(w.p.owner->awake);
		leaves = w.now;
		/* One that has nothing on the hardware is off at once. */
		if (verdict == GSLOT_POLICY_PREEMPT && !busy)
			gslot_policy_off(&w.p, w.now);
		check(busy);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_knobs),
		cmocka_unit_test(test_keeps),
		cmocka_unit_test(test_forgets),
		cmocka_unit_test(test_knobs_at_once),
		cmocka_unit_test(test_random),
	};

	return run_tap_tests("core_policy", tests);
}
