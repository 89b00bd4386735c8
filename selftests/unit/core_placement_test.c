// SPDX-License-Identifier: GPL-2.0
/*
 * Placement policies: the papers' examples, the rules of each, what they have in common over
 * random vGPUs, and how far each is from the best of all ways where these can be counted.
 */
#include "places.h"

static const struct gslot_place_ops *const policies[] = {
	&gslot_place_score, &gslot_place_size, &gslot_place_utilization,
};

static void test_bad(void **state)
{
	static const struct {
		u32 slots, rounds, size, use, place;
		int err;
	} bad[] = {
		{ 0, 1, 1, 0, NONE, -EINVAL },
		{ 65, 1, 1, 0, NONE, -EINVAL },
		{ 8, 0, 1, 0, NONE, -EINVAL },
		{ 8, 1, 0, 0, NONE, -EINVAL },
		{ 8, 1, 9, 0, NONE, -ENOSPC },
		{ 8, 1, ~0u, 0, NONE, -ENOSPC },
		{ 8, 1, 1, 1001, NONE, -EINVAL },
		{ 8, 1, 2, 0, 7, -EINVAL },
		{ 8, 1, 2, 0, NONE - 1, -EINVAL },
		{ 8, 1, 8, 1000, 0, 0 },
		{ 64, 1, 64, 0, NONE, 0 },
	};

	(void)state;
	for (u32 k = 0; k < ARRAY_SIZE(policies); k++) {
		for (u32 i = 0; i < ARRAY_SIZE(bad); i++) {
			fresh(bad[i].slots, bad[i].rounds);
			add(bad[i].size, bad[i].use, bad[i].place);
			assert_int_equal(gslot_place(policies[k], &places), bad[i].err);
		}
		fresh(64, 1);
		for (u32 i = 0; i < GSLOT_PLACE_VGPUS; i++)
			add(1 + i % 64, i % 1001, NONE);
		place_by(policies[k]);
		add(1, 0, NONE);
		assert_int_equal(gslot_place(policies[k], &places), -E2BIG);
		fresh(64, 1);
		place_by(policies[k]);
	}
}

static u64 copies(void)
{
	return gslot_place_copies(&places) / GSLOT_PLACE_ALWAYS;
}

/* 5 slots, 1 to 4 taken: one of 2 gets 4 and 5. 12 slots, four of 6: 24 are copied. */
static void test_score(void **state)
{
	(void)state;
	fresh(5, 1);
	add(4, 1000, 0);
	add(2, 1000, NONE);
	place_by(&gslot_place_score);
	expect_places((u32[]) { 0, 3 });

	fresh(12, 1);
	for (u32 i = 0; i < 4; i++)
		add(6, 1000, NONE);
	place_by(&gslot_place_score);
	expect_places((u32[]) { 0, 6, 0, 6 });
	assert_int_equal(copies(), 24);
	vgpus[3].next = 0;
	assert_int_equal(copies(), 18);
}

/* One that left makes room for a new one; those that are placed stay. */
static void test_score_leaves(void **state)
{
	(void)state;
	fresh(8, 1);
	add(4, 1000, 0);
	add(4, 1000, 4);
	add(2, 1000, NONE);
	vgpus[1].idle = true;
	place_by(&gslot_place_score);
	expect_places((u32[]) { 0, NONE, 4 });
}

/* Algorithm 1: its example, and its boundaries. */
static void test_size(void **state)
{
	static const struct {
		u32 slots, count, size[4], next[4], shared;
	} at[] = {
		{ 5, 4, { 4, 4, 3, 2 }, { 0, 1, 1, 1 }, 3 },
		{ 5, 4, { 2, 4, 3, 4 }, { 1, 0, 1, 1 }, 3 },
		{ 12, 4, { 6, 6, 6, 6 }, { 0, 6, 6, 6 }, 6 },
		{ 8, 2, { 4, 4 }, { 0, 4 }, 0 },
		{ 8, 3, { 4, 4, 4 }, { 0, 4, 4 }, 4 },
		{ 8, 2, { 3, 4 }, { 4, 0 }, 0 },
		{ 8, 2, { 8, 1 }, { 0, 0 }, 1 },
		{ 8, 1, { 3 }, { 0 }, 0 },
		{ 1, 3, { 1, 1, 1 }, { 0, 0, 0 }, 1 },
	};

	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(at); i++) {
		fresh(at[i].slots, 1);
		for (u32 k = 0; k < at[i].count; k++)
			add(at[i].size[k], 1000, NONE);
		/* One that had slots for itself has left: all are placed anew. */
		add(at[i].slots, 1000, 0);
		vgpus[at[i].count].idle = true;
		place_by(&gslot_place_size);
		expect_valid();
		for (u32 k = 0; k < at[i].count; k++)
			assert_int_equal(vgpus[k].next, at[i].next[k]);
		assert_int_equal(oracle_shared(), at[i].shared);
	}
}

/* New vGPUs: in 5 slots, 4 and 4 have three in common, where the small ones go. */
static void test_size_comes(void **state)
{
	(void)state;
	fresh(5, 1);
	add(4, 1000, NONE);
	add(4, 1000, NONE);
	place_by(&gslot_place_size);
	expect_places((u32[]) { 0, 1 });
	settle();
	add(3, 1000, NONE);
	add(2, 1000, NONE);
	place_by(&gslot_place_size);
	expect_places((u32[]) { 0, 1, 1, 1 });

	/* No larger than the overlap: none moves, even if others could be better placed. */
	fresh(10, 1);
	add(4, 1000, 2);
	add(4, 1000, 4);
	add(2, 1000, NONE);
	place_by(&gslot_place_size);
	expect_places((u32[]) { 2, 4, 4 });

	/* Larger: all anew has no shared slot, beside the last one it has two. */
	fresh(10, 1);
	add(4, 1000, 0);
	add(2, 1000, 4);
	add(3, 1000, NONE);
	place_by(&gslot_place_size);
	expect_places((u32[]) { 0, 7, 4 });

	/* Larger, but as good: none moves. */
	fresh(8, 1);
	add(4, 1000, 4);
	add(4, 1000, 0);
	add(4, 1000, NONE);
	place_by(&gslot_place_size);
	expect_places((u32[]) { 4, 0, 4 });

	/* It does not fit where the others are. */
	fresh(8, 1);
	add(4, 1000, 0);
	add(3, 1000, 5);
	add(8, 1000, NONE);
	place_by(&gslot_place_size);
	expect_places((u32[]) { 0, 0, 0 });
}

/*
 * One that had slots of its own leaves, or is idle, which is the same: the rest are placed anew.
 */
static void test_size_leaves(void **state)
{
	(void)state;
	fresh(5, 1);
	add(4, 1000, 0);
	add(4, 1000, 1);
	add(3, 1000, 1);
	add(2, 1000, 1);
	vgpus[3].idle = true;
	place_by(&gslot_place_size);
	expect_places((u32[]) { 0, 1, 1, NONE });
	settle();
	vgpus[0].idle = true;
	place_by(&gslot_place_size);
	expect_places((u32[]) { NONE, 0, 2, NONE });
	settle();
	/* They are back. */
	vgpus[0].idle = false;
	vgpus[3].idle = false;
	place_by(&gslot_place_size);
	expect_places((u32[]) { 0, 1, 1, 1 });
	/* Two that shared slots with each other, and with no other, leave together. */
	fresh(8, 1);
	add(2, 1000, 0);
	add(2, 1000, 0);
	add(3, 1000, 5);
	vgpus[0].idle = true;
	place_by(&gslot_place_size);
	expect_places((u32[]) { NONE, 0, 5 });
	vgpus[1].idle = true;
	place_by(&gslot_place_size);
	expect_places((u32[]) { NONE, NONE, 0 });
}

/* Algorithm 2: by use, side by side; the first that has no room and all after it at the end. */
static void test_utilization(void **state)
{
	(void)state;
	fresh(12, 1);
	add(6, 100, NONE);
	add(6, 900, NONE);
	add(6, 500, NONE);
	add(6, 900, NONE);
	places.due = true;
	place_by(&gslot_place_utilization);
	expect_places((u32[]) { 6, 0, 6, 6 });

	/* It has room, but one before it had none. */
	fresh(10, 1);
	add(1, 100, 0);
	add(6, 300, 0);
	add(6, 200, 0);
	places.due = true;
	place_by(&gslot_place_utilization);
	expect_places((u32[]) { 9, 0, 4 });

	fresh(10, 1);
	add(2, 100, 0);
	add(4, 300, 0);
	add(4, 200, 0);
	vgpus[2].idle = true;
	places.due = true;
	place_by(&gslot_place_utilization);
	expect_places((u32[]) { 4, 0, NONE });
}

/* Between periods none moves. */
static void test_utilization_comes(void **state)
{
	(void)state;
	fresh(10, 1);
	add(4, 100, 6);
	add(4, 0, NONE);
	add(4, 0, NONE);
	add(2, 0, NONE);
	place_by(&gslot_place_utilization);
	expect_places((u32[]) { 6, 0, 6, 4 });
}

/* Each policy, of whatever there is, says places that are possible, and says them again. */
static void test_random(void **state)
{
	static u32 next[64];

	(void)state;
	for (unsigned int round = 0; round < rounds(5000); round++) {
		any_places(64, 40);
		for (u32 k = 0; k < ARRAY_SIZE(policies); k++) {
			place_by(policies[k]);
			expect_valid();
			for (u32 i = 0; i < places.count; i++)
				next[i] = vgpus[i].next;
			place_by(policies[k]);
			expect_places(next);
		}
	}
}

/* Once all are placed and nothing has changed, none moves. */
static void test_stays(void **state)
{
	(void)state;
	for (unsigned int round = 0; round < rounds(5000); round++) {
		any_places(64, 40);
		for (u32 k = 0; k < ARRAY_SIZE(policies); k++) {
			for (u32 i = 0; i < places.count; i++)
				vgpus[i].place = NONE;
			place_by(policies[k]);
			settle();
			place_by(policies[k]);
			for (u32 i = 0; i < places.count; i++)
				assert_int_equal(vgpus[i].next, vgpus[i].place);
		}
	}
}

static u64 shared_slots(const struct gslot_placement *p)
{
	(void)p;
	return oracle_shared();
}

/*
 * All sizes of up to four vGPUs in up to six slots: no policy is better than the best of all ways,
 * and `size` is as good.
 */
static void test_brute_force(void **state)
{
	u64 sum[ARRAY_SIZE(policies)] = { }, best = 0;

	(void)state;
	for (u32 slots = 1; slots <= 6; slots++) {
		for (u32 count = 1; count <= 4; count++) {
			u32 sizes[4] = { 1, 1, 1, 1 };

			do {
				u64 shared[ARRAY_SIZE(policies)], lowest;

				fresh(slots, 1);
				for (u32 i = 0; i < count; i++)
					add(sizes[i], 1000, NONE);
				places.due = true;
				lowest = brute_force(shared_slots);
				best += lowest;
				for (u32 k = 0; k < ARRAY_SIZE(policies); k++) {
					place_by(policies[k]);
					expect_valid();
					shared[k] = oracle_shared();
					assert_true(shared[k] >= lowest);
					sum[k] += shared[k];
				}
				assert_int_equal(shared[1], lowest);
			} while (next_sizes(sizes, count));
		}
	}
	for (u32 k = 0; k < ARRAY_SIZE(policies); k++)
		print_message("# %s: %u shared slots, the best of all ways %u\n",
			      policies[k]->name, (u32)sum[k], (u32)best);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bad),
		cmocka_unit_test(test_score),
		cmocka_unit_test(test_score_leaves),
		cmocka_unit_test(test_size),
		cmocka_unit_test(test_size_comes),
		cmocka_unit_test(test_size_leaves),
		cmocka_unit_test(test_utilization),
		cmocka_unit_test(test_utilization_comes),
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_stays),
		cmocka_unit_test(test_brute_force),
	};

	return run_tap_tests("core_placement", tests);
}
