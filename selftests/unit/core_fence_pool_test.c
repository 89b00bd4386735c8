// SPDX-License-Identifier: GPL-2.0
/*
 * The fence pool: with random guests, ranges and uses, no two ranges overlap, no fence is used
 * twice, each range gets a position, and the ranges that are evicted for it are those that a search
 * of all positions finds. A hostile guest takes nothing of another's share.
 */
#include "test.h"
#include "pools.h"

static void test_random(void **state)
{
	(void)state;
	for (unsigned round = 0; round < rounds(60); round++) {
		u32 clients = 1 + rnd_below(MAX_CLIENTS);
		u32 pages = 16 + rnd_below(MAX_PAGES - 16);

		fresh(pages, clients);
		for (u32 step = 0; step < 150; step++) {
			random_step(clients, rnd_below(10) ? pages / 2 : pages);
			if (step % 8 == 0)
				check_world();
		}
		check_world();
	}
}

/* A range of the whole pool, after others have fragmented it. */
static void test_all_of_it(void **state)
{
	(void)state;
	fresh(64, 4);
	for (u32 i = 0; i < 48; i++)
		place(1 + i % 3, &w.ranges[1 + i % 3][i / 3], 1, i < 16);
	for (u32 i = 0; i < 48; i += 2)
		gslot_pool_remove(&w.pool, &w.ranges[1 + i % 3][i / 3]);
	place(0, &w.ranges[0][0], 64, true);
	assert_int_equal(w.clients[0].pages, 64);
	for (u32 c = 1; c < 4; c++)
		assert_int_equal(w.clients[c].ranges, 0);
	check_world();
}

/* Small ranges from below, large ones from above: they are kept apart. */
static void test_large_and_small(void **state)
{
	(void)state;
	fresh(256, 1);
	place(0, &w.ranges[0][0], 16, false);
	place(0, &w.ranges[0][1], 64, false);
	place(0, &w.ranges[0][2], 16, false);
	place(0, &w.ranges[0][3], 128, false);
	assert_int_equal(w.ranges[0][0].first, 0);
	assert_int_equal(w.ranges[0][1].first, 192);
	assert_int_equal(w.ranges[0][2].first, 16);
	assert_int_equal(w.ranges[0][3].first, 64);
}

/* With ranges of one size there is no fragmentation: no client loses a part of its share. */
static void test_share_of_pages(void **state)
{
	(void)state;
	for (u32 clients = 2; clients <= MAX_CLIENTS / 2; clients++) {
		u32 size = 4, share = MAX_PAGES / clients / size;

		fresh(MAX_PAGES, clients);
		/* The hostile client has everything, and asks for more while others join. */
		for (u32 step = 0; step < 300; step++) {
			u32 client = rnd_below(3) ? 0 : 1 + rnd_below(clients - 1);
			struct gslot_pool_range *r = any_range(client);

			if (client && r - w.ranges[client] >= (int)share)
				continue;
			if (!r->client)
				place(client, r, size, false);
			else if (rnd_below(2))
				gslot_pool_remove(&w.pool, r);
		}
		for (u32 c = 1; c < clients; c++)
			assert_int_equal(w.lost_pages[c], 0);
		check_world();
	}
}

static void test_share_of_fences(void **state)
{
	(void)state;
	for (u32 clients = 2; clients <= 16; clients++) {
		u32 share = GEN_NR_FENCES / clients;

		fresh(MAX_PAGES, clients);
		for (u32 step = 0; step < 500; step++) {
			u32 client = rnd_below(3) ? 0 : 1 + rnd_below(clients - 1);
			struct gslot_pool_range *r = any_range(client);

			if (client && r - w.ranges[client] >= (int)share)
				continue;
			if (!r->client)
				place(client, r, 1, true);
			else if (rnd_below(2))
				gslot_pool_remove(&w.pool, r);
		}
		for (u32 c = 1; c < clients; c++)
			assert_int_equal(w.lost_fence[c] + w.lost_pages[c], 0);
		check_world();
	}
}

/* More vGPUs than fences: a vGPU that is active gets two, and keeps them for a while. */
static void test_more_than_fences(void **state)
{
	(void)state;
	fresh(MAX_PAGES, MAX_CLIENTS);
	for (u32 step = 0; step < 2000; step++) {
		u32 client = rnd_below(MAX_CLIENTS);
		struct gslot_pool_range *r = w.ranges[client];

		for (u32 i = 0; i < 2; i++)
			if (!r[i].client)
				place(client, &r[i], 1, true);
			else
				gslot_pool_use(&w.pool, &r[i]);
		assert_true(r[0].client && r[1].client);
	}
	check_world();
}

/* A range that is larger than a share takes pages from others, which take them back. */
static void test_larger_than_share(void **state)
{
	struct gslot_pool_range *big = &w.ranges[0][0];

	(void)state;
	fresh(256, 4);
	for (u32 step = 0; step < 200; step++) {
		u32 client = 1 + step % 3;

		if (!big->client)
			place(0, big, 128, true);
		for (u32 i = 0; i < 4; i++) {
			struct gslot_pool_range *r = &w.ranges[client][i];

			if (!r->client)
				assert_int_equal(place(client, r, 16, true).shares, 0);
		}
		assert_int_equal(w.clients[client].pages, 64);
	}
	check_world();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_all_of_it),
		cmocka_unit_test(test_large_and_small),
		cmocka_unit_test(test_share_of_pages),
		cmocka_unit_test(test_share_of_fences),
		cmocka_unit_test(test_more_than_fences),
		cmocka_unit_test(test_larger_than_share),
	};

	return run_tap_tests("core: the fence pool", tests);
}
