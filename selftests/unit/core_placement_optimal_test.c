// SPDX-License-Identifier: GPL-2.0
/*
 * The placement policy `optimal`: against all ways where these can be counted, against the lower
 * bound and the other policies where they cannot; and that no vGPU is moved without a gain.
 */
#include "places.h"

static const struct gslot_place_ops *const others[] = {
	&gslot_place_score, &gslot_place_size, &gslot_place_utilization,
};

static u64 cost_of(const struct gslot_place_ops *ops)
{
	place_by(ops);
	expect_valid();
	return oracle_cost();
}

/* No other policy's places cost less, and none can have fewer copies than the bound says. */
static u64 expect_best(void)
{
	u64 cost = cost_of(&gslot_place_optimal), least = gslot_place_least(&places);

	for (u32 k = 0; k < ARRAY_SIZE(others); k++) {
		assert_true(cost_of(others[k]) >= cost);
		assert_true(oracle_copies() >= least);
	}
	place_by(&gslot_place_optimal);
	assert_int_equal(oracle_cost(), cost);
	assert_true(oracle_copies() >= least);
	return cost;
}

/* 12 slots, four of 6: 18 are copied, not 24. */
static void test_example(void **state)
{
	(void)state;
	fresh(12, 1);
	for (u32 i = 0; i < 4; i++)
		add(6, 1000, NONE);
	assert_int_equal(expect_best(), 18000);
	assert_true(places.exact);
	assert_int_equal(gslot_place_least(&places), 18000);
	fresh(5, 1);
	add(4, 1000, NONE);
	add(4, 1000, NONE);
	add(3, 1000, NONE);
	add(2, 1000, NONE);
	expect_best();
	assert_true(places.exact);
	assert_int_equal(oracle_shared(), 3);
}

/* A vGPU that hardly runs shares, even a large one; one that never ran counts as such. */
static void test_use(void **state)
{
	(void)state;
	fresh(12, 1);
	add(6, 1, NONE);
	add(6, 0, NONE);
	add(6, 1000, NONE);
	assert_int_equal(expect_best(), 12);
	/* The idle one needs no place. */
	vgpus[0].idle = true;
	assert_int_equal(expect_best(), 0);
}

/* From score's places: moving one of 6 costs 12 once, and saves 6 in a round. */
static void test_moving(void **state)
{
	(void)state;
	for (u32 rounds = 1; rounds < 5; rounds++) {
		fresh(12, rounds);
		for (u32 i = 0; i < 4; i++)
			add(6, 1000, i % 2 * 6);
		assert_int_equal(expect_best(),
				 rounds < 3 ? rounds * 24000 : rounds * 18000 + 12000);
		assert_true(places.exact);
	}
}

/* No vGPU has a better place: none moves, though other places would do as well. */
static void test_stays(void **state)
{
	(void)state;
	fresh(12, 1000000);
	add(3, 1000, 9);
	add(2, 1000, 4);
	add(1, 1000, 0);
	place_by(&gslot_place_optimal);
	expect_places((u32[]) { 9, 4, 0 });
}

static u64 all_costs(const struct gslot_placement *p)
{
	(void)p;
	return oracle_cost();
}

static u64 all_copies(const struct gslot_placement *p)
{
	(void)p;
	return oracle_copies();
}

/* Of what is not at its lowest, how much and how often. */
struct excess {
	u32 cases;
	u32 proven;
	u32 above;
	u64 sum;
	u64 most;
};

static void note(struct excess *e, u64 cost, u64 lowest)
{
	u64 above = lowest ? (cost - lowest) * 1000 / lowest : cost ? 1000 : 0;

	assert_true(cost >= lowest);
	if (places.exact)
		assert_int_equal(cost, lowest);
	e->cases++;
	e->proven += places.exact;
	e->above += cost > lowest;
	e->sum += above;
	e->most = above > e->most ? above : e->most;
}

static void tell(const struct excess *e, const char *what)
{
	print_message("# %s: of %u cases %u said to be exact, %u above the lowest\n", what,
		      e->cases, e->proven, e->above);
	print_message("# %s: above by %.1f %% at most, %.3f %% in the mean\n", what,
		      e->most / 10.0, e->sum / 10.0 / e->cases);
}

static void any_use(void)
{
	static const u32 uses[] = { 0, 1, 100, 500, 900, 1000 };
	bool come = rnd_below(3) == 0;

	places.rounds = rnd_below(2) ? rnd_range(1, 10) : rnd_range(10, 1000);
	places.due = rnd_below(2);
	for (u32 i = 0; i < places.count; i++) {
		vgpus[i].use = rnd_below(2) ? uses[rnd_below(ARRAY_SIZE(uses))] : rnd_below(1001);
		vgpus[i].place = come || !rnd_below(5) ? NONE :
				 rnd_below(places.slots - vgpus[i].size + 1);
		vgpus[i].idle = !rnd_below(12);
	}
}

static void against_brute_force(struct excess *e)
{
	u64 lowest = brute_force(all_costs), cost = expect_best();

	note(e, cost, lowest);
}

/*
 * All sizes of up to five vGPUs in up to seven slots; the rest is at random. Of up to four all
 * ways are tried.
 */
static void test_brute_force(void **state)
{
	struct excess e = { };

	(void)state;
	for (u32 slots = 1; slots <= 7; slots++) {
		for (u32 count = 1; count <= 5; count++) {
			u32 sizes[5] = { 1, 1, 1, 1, 1 };

			fresh(slots, 1);
			do {
				for (u32 times = 0; times < rounds(count > 4 ? 1 : 4); times++) {
					fresh(slots, 1);
					for (u32 i = 0; i < count; i++)
						add(sizes[i], 0, NONE);
					any_use();
					against_brute_force(&e);
					assert_true(places.exact || count > 4);
				}
			} while (next_sizes(sizes, count));
		}
	}
	tell(&e, "few");
	assert_true(e.proven >= e.cases / 100 * 99);
}

/* So many that not all ways are tried: by 1 % above the best in the mean, at most. */
static void test_heuristic(void **state)
{
	struct excess e = { };

	(void)state;
	for (unsigned int round = 0; round < rounds(300); round++) {
		u32 slots = rnd_range(2, 6), least = slots > 4 ? slots - 2 : 1;

		fresh(slots, 1);
		for (u32 i = 0; i < 9; i++)
			add(rnd_range(least, slots), 0, NONE);
		any_use();
		for (u32 i = 0; i < 9; i++)
			vgpus[i].idle = false;
		against_brute_force(&e);
	}
	tell(&e, "nine");
	assert_true(e.sum <= 10 * e.cases);
}

/* The bound is one, and mostly it is reached (the excess is of the best ways over the bound). */
static void test_bound(void **state)
{
	struct excess e = { };

	(void)state;
	for (unsigned int round = 0; round < rounds(3000); round++) {
		u64 least;

		fresh(rnd_range(1, 6), 1);
		for (u32 count = rnd_range(1, 4); count; count--)
			add(rnd_range(1, places.slots), rnd_below(1001), NONE);
		least = gslot_place_least(&places);
		places.exact = false;
		note(&e, brute_force(all_copies), least);
	}
	tell(&e, "the bound");
}

/* vGPUs of the sizes that there are: 384, 704, 1024 MB, and what their guests may do. */
static void some_guests(u32 count, bool come)
{
	static const u32 sizes[] = { 6, 11, 16 };

	fresh(54, rnd_range(1, 100));
	for (u32 i = 0; i < count; i++) {
		u32 size = sizes[rnd_below(3)];

		add(size, rnd_below(1001), come ? NONE : rnd_below(54 - size + 1));
	}
}

/* Many that come at once: mostly as good as the bound says. */
static void test_many_come(void **state)
{
	struct excess e = { };

	(void)state;
	for (unsigned int round = 0; round < rounds(500); round++) {
		u64 cost;

		some_guests(rnd_range(2, 64), true);
		cost = expect_best();
		note(&e, cost, gslot_place_least(&places) * places.rounds);
	}
	tell(&e, "many that come");
}

/* Anything: never worse than another policy, nor than to stay; and repeated, the same. */
static void test_random(void **state)
{
	static u32 next[64];

	(void)state;
	for (unsigned int round = 0; round < rounds(3000); round++) {
		any_places(64, 40);
		expect_best();
		for (u32 i = 0; i < places.count; i++)
			next[i] = vgpus[i].next;
		place_by(&gslot_place_optimal);
		expect_places(next);
	}
}

static u32 moved(void)
{
	u32 n = 0;

	for (u32 i = 0; i < places.count; i++)
		n += vgpus[i].next != vgpus[i].place;
	return n;
}

/*
 * Asked again when nothing has changed: an exact result stays; else a vGPU moves only if that
 * saves more than it costs, so the moves come to an end.
 */
static void test_settles(void **state)
{
	u32 more = 0;

	(void)state;
	for (unsigned int round = 0; round < rounds(1000); round++) {
		bool exact;

		if (round % 2)
			any_places(64, 40);
		else
			some_guests(rnd_range(2, 40), false);
		place_by(&gslot_place_optimal);
		for (u32 asked = 0; ; asked++) {
			u64 stay = oracle_copies() * places.rounds;

			exact = places.exact;
			settle();
			place_by(&gslot_place_optimal);
			if (!moved())
				break;
			assert_false(exact);
			assert_true(oracle_cost() < stay);
			assert_in_range(asked, 0, 10);
			more++;
		}
	}
	print_message("# asked again, it moved a vGPU %u times\n", more);
}

/* The measured use of 32 vGPUs changes by 2 % all the time: none moves back and forth. */
static void test_noise(void **state)
{
	u32 use[32], moves = 0;

	(void)state;
	some_guests(32, true);
	places.rounds = 40;
	for (u32 i = 0; i < 32; i++)
		use[i] = vgpus[i].use;
	place_by(&gslot_place_optimal);
	settle();
	for (u32 second = 0; second < 1000; second++) {
		for (u32 i = 0; i < 32; i++) {
			vgpus[i].use = use[i] * rnd_range(980, 1020) / 1000;
			vgpus[i].use = vgpus[i].use > 1000 ? 1000 : vgpus[i].use;
		}
		place_by(&gslot_place_optimal);
		moves += moved();
		settle();
	}
	print_message("# %u moves in 1000 times\n", moves);
	assert_in_range(moves, 0, 32);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_example),
		cmocka_unit_test(test_use),
		cmocka_unit_test(test_moving),
		cmocka_unit_test(test_stays),
		cmocka_unit_test(test_brute_force),
		cmocka_unit_test(test_heuristic),
		cmocka_unit_test(test_bound),
		cmocka_unit_test(test_many_come),
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_settles),
		cmocka_unit_test(test_noise),
	};

	return run_tap_tests("core_placement_optimal", tests);
}
