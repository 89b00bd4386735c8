// SPDX-License-Identifier: GPL-2.0
/*
 * Loading: examples worked by hand, for each rule; what the papers say is copied; and that what
 * is complete is not looked at.
 */
#include "test.h"
#include "loads.h"

/* A stretch, said by hand. */
struct stretch {
	u32 unit;
	u32 count;
	u32 run;
};

static void expect_pass(u32 c, enum gslot_loading_why why, const struct stretch *list, u32 count)
{
	struct gslot_loading_pass pass = begin(c, why);

	for (u32 i = 0; i < count; i++) {
		assert_true(step(&pass));
		assert_int_equal(pass.unit, list[i].unit);
		assert_int_equal(pass.count, list[i].count);
		assert_int_equal(pass.run, list[i].run);
	}
	assert_false(step(&pass));
	expect_same();
}

#define EXPECT(c, why, ...) do {							\
	static const struct stretch list[] = { __VA_ARGS__ };				\
											\
	expect_pass(c, GSLOT_LOADING_##why, list, ARRAY_SIZE(list));			\
} while (0)

#define EXPECT_NOTHING(c, why) expect_pass(c, GSLOT_LOADING_##why, NULL, 0)

static void test_names(void **state)
{
	static const struct gslot_loading_rule rules[] = {
		{ .name = "slot", .shared = true }, { .name = "sparse", .shown = true },
		{ .name = "demand" }, { .name = "predictive", .ahead = true },
	};

	(void)state;
	assert_int_equal(gslot_loading_nr_rules, 4);
	for (u32 i = 0; i < 4; i++) {
		assert_string_equal(gslot_loading_rules[i].name, rules[i].name);
		assert_int_equal(gslot_loading_rules[i].shared, rules[i].shared);
		assert_int_equal(gslot_loading_rules[i].shown, rules[i].shown);
		assert_int_equal(gslot_loading_rules[i].ahead, rules[i].ahead);
	}
}

/* Low graphics memory, and then as many whole slots as there are, 64 at most. */
static void test_init(void **state)
{
	static const struct {
		u32 runs;
		u32 slots;
	} cases[] = {
		{ 1, 0 }, { 1024, 0 }, { 2047, 0 }, { 2048, 0 }, { 2049, 0 }, { 3071, 0 },
		{ 3072, 1 }, { 3073, 1 }, { 4095, 1 }, { 4096, 2 }, { 14336, 12 },
		{ 30720, 28 }, { 67583, 63 }, { 67584, 64 }, { 67585, 64 }, { 68608, 64 },
		{ ~0u, 64 },
	};

	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(cases); i++) {
		struct gslot_residency r = { .count = cases[i].runs };

		memset(&l, 0xff, sizeof(l));
		gslot_loading_init(&l, &gslot_loading_rules[2], &r);
		assert_int_equal(l.slots, cases[i].slots);
		assert_int_equal(gslot_loading_slots(cases[i].runs), cases[i].slots);
		assert_ptr_equal(l.rule, &gslot_loading_rules[2]);
		assert_ptr_equal(l.r, &r);
		assert_null(l.active);
		for (u32 slot = 0; slot < ARRAY_SIZE(l.users); slot++)
			assert_int_equal(l.users[slot], 0);
	}
	gslot_loading_init(&l, NULL, &all);
	assert_null(l.rule);
}

/* Low graphics memory is where it is; all that follows is in slots behind the largest there is. */
static void test_run(void **state)
{
	(void)state;
	fresh("demand", LOW + 64 * SLOT);
	come(0, 1024, 100, 3);
	assert_int_equal(gslot_loading_run(&clients[0], 0), 0);
	assert_int_equal(gslot_loading_run(&clients[0], 1023), 1023);
	assert_int_equal(gslot_loading_run(&clients[0], 1024), 5120);
	assert_int_equal(gslot_loading_run(&clients[0], 1123), 5219);
	come(1, 2048, 16384, 0);
	assert_int_equal(gslot_loading_run(&clients[1], 2047), 2047);
	assert_int_equal(gslot_loading_run(&clients[1], 2048), 2048);
	come(2, 1, 1024, 63);
	assert_int_equal(gslot_loading_run(&clients[2], 0), 0);
	assert_int_equal(gslot_loading_run(&clients[2], 1024), 67583);
	expect_same();
	expect_free();
}

/*
 * Low graphics memory of two slots and of one, and of neither; high graphics memory that fills a
 * part of a slot, or is not there: the slot counts, however little of it a client has.
 */
static void test_users(void **state)
{
	(void)state;
	fresh("slot", LOW + 4 * SLOT);
	come(0, 2048, 1025, 0);
	come(1, 1024, 1024, 1);
	come(2, 1, 2049, 1);
	come(3, 0, 1, 3);
	come(4, 1025, 0, 0);
	assert_memory_equal(l.users, ((u32[]) { 4, 2, 1, 3, 1, 2, 0 }), 28);
	set_idle(2, true);
	assert_memory_equal(l.users, ((u32[]) { 3, 2, 1, 2, 0, 1, 0 }), 28);
	set_idle(2, true);
	assert_memory_equal(l.users, ((u32[]) { 3, 2, 1, 2, 0, 1, 0 }), 28);
	/* The place of an idle client makes no difference until it is active again. */
	move(2, 0);
	assert_memory_equal(l.users, ((u32[]) { 3, 2, 1, 2, 0, 1, 0 }), 28);
	set_idle(2, false);
	assert_memory_equal(l.users, ((u32[]) { 4, 2, 2, 3, 1, 1, 0 }), 28);
	move(2, 1);
	assert_memory_equal(l.users, ((u32[]) { 4, 2, 1, 3, 1, 2, 0 }), 28);
	unplace(2);
	set_idle(2, true);
	set_idle(2, false);
	assert_memory_equal(l.users, ((u32[]) { 3, 2, 1, 2, 0, 1, 0 }), 28);
	move(2, 1);
	assert_memory_equal(l.users, ((u32[]) { 4, 2, 1, 3, 1, 2, 0 }), 28);
	expect_same();
	expect_free();
}

/* An exclusive slot is loaded once; one that others have a place in each time. */
static void test_slot(void **state)
{
	(void)state;
	fresh("slot", LOW + 3 * SLOT);
	come(0, 100, 130, 0);
	/* Alone, it is loaded once, and no more. */
	EXPECT(0, SWITCH, { 0, 64, 0 }, { 64, 36, 64 }, { 100, 64, 2048 }, { 164, 64, 2112 },
	       { 228, 2, 2176 });
	EXPECT_NOTHING(0, SWITCH);
	/* They share low graphics memory. */
	come(1, 100, 70, 1);
	EXPECT(1, SWITCH, { 0, 64, 0 }, { 64, 36, 64 }, { 100, 64, 3072 }, { 164, 6, 3136 });
	EXPECT(0, SWITCH, { 0, 64, 0 }, { 64, 36, 64 });
	/* Each time, whichever client had it last: gScale does not check. */
	EXPECT(0, SWITCH, { 0, 64, 0 }, { 64, 36, 64 });
	EXPECT(1, SWITCH, { 0, 64, 0 }, { 64, 36, 64 });
	assert_int_equal(clients[0].loads, 330);
	assert_int_equal(clients[0].evictions, 200);
	/* An idle client does not count; what it overwrote is loaded once more. */
	set_idle(1, true);
	EXPECT(0, SWITCH, { 0, 64, 0 }, { 64, 36, 64 });
	EXPECT_NOTHING(0, SWITCH);
	/* Not even for itself: it needs what is not there. */
	EXPECT(1, SWITCH, { 0, 64, 0 }, { 64, 36, 64 });
	EXPECT_NOTHING(1, SWITCH);
	set_idle(1, false);
	EXPECT(1, SWITCH, { 0, 64, 0 }, { 64, 36, 64 });
	/* A slot is shared if nothing in it is: 100 units of one, 1 of another. */
	come(2, 0, 1, 0);
	EXPECT(0, SWITCH, { 0, 64, 0 }, { 64, 36, 64 }, { 100, 64, 2048 }, { 164, 64, 2112 },
	       { 228, 2, 2176 });
	EXPECT(2, SWITCH, { 0, 1, 2048 });
	EXPECT(2, SWITCH, { 0, 1, 2048 });
	leave(2);
	EXPECT(0, SWITCH, { 0, 64, 0 }, { 64, 36, 64 }, { 100, 1, 2048 });
	/* MORE and AHEAD are of what commands name, as ever. */
	EXPECT_NOTHING(0, MORE);
	EXPECT_NOTHING(1, AHEAD);
	expect_free();
}

/* A slot that three have is shared until one is left in it; idle or gone is the same. */
static void test_sharers(void **state)
{
	(void)state;
	fresh("slot", LOW + 2 * SLOT);
	for (u32 c = 0; c < 3; c++)
		come(c, 0, 10 + c, 0);
	for (u32 i = 0; i < 6; i++)
		assert_int_equal(go_over(i % 3, GSLOT_LOADING_SWITCH), 10 + i % 3);
	set_idle(0, true);
	for (u32 i = 0; i < 4; i++)
		assert_int_equal(go_over(1 + i % 2, GSLOT_LOADING_SWITCH), 11 + i % 2);
	leave(1);
	assert_int_equal(go_over(2, GSLOT_LOADING_SWITCH), 0);
	/* One that is idle and one that is not: what was written over, and it alone. */
	assert_int_equal(go_over(0, GSLOT_LOADING_SWITCH), 10);
	assert_int_equal(go_over(2, GSLOT_LOADING_SWITCH), 10);
	assert_int_equal(go_over(2, GSLOT_LOADING_SWITCH), 0);
	expect_same();
	expect_free();
}

/* What the guest has anything in, and what commands name, once. */
static void test_sparse(void **state)
{
	(void)state;
	fresh("sparse", LOW + 2 * SLOT);
	come(0, 100, 200, 0);
	EXPECT_NOTHING(0, SWITCH);
	show(0, 3, 3, 16);
	show(0, 99, 2, 1);
	EXPECT(0, SWITCH, { 3, 3, 3 }, { 99, 1, 99 }, { 100, 1, 2048 });
	EXPECT_NOTHING(0, SWITCH);
	/* Named, and with nothing in it; next to another, it is the same stretch. */
	hold(0, 101, 1);
	show(0, 102, 1, 1);
	EXPECT(0, SWITCH, { 101, 2, 2049 });
	/* A loaded unit is not loaded again when it changes: the change is written to it. */
	show(0, 3, 3, 0);
	EXPECT_NOTHING(0, SWITCH);
	/* The other one takes what it has, and not the rest. */
	come(1, 50, 60, 0);
	show(1, 4, 1, 2);
	hold(1, 52, 1);
	EXPECT(1, SWITCH, { 4, 1, 4 }, { 52, 1, 2050 });
	assert_int_equal(clients[0].evictions, 2);
	assert_int_equal(clients[0].missing, 0);
	/* There is nothing in unit 4 any more. */
	EXPECT(0, SWITCH, { 102, 1, 2050 });
	show(0, 4, 1, 1);
	EXPECT_NOTHING(0, MORE);
	EXPECT(0, SWITCH, { 4, 1, 4 });
	assert_int_equal(clients[1].missing, 1);
	expect_free();
}

/* What commands name, and no more; units that are held by two go when both have let go. */
static void test_demand(void **state)
{
	(void)state;
	fresh("demand", LOW + 2 * SLOT);
	come(0, 100, 200, 0);
	come(1, 200, 100, 0);
	show(0, 0, 300, 16);
	EXPECT_NOTHING(0, SWITCH);
	hold(0, 10, 5);
	hold(0, 12, 1);
	hold(0, 95, 10);
	assert_int_equal(clients[0].missing, 15);
	EXPECT(0, SWITCH, { 10, 5, 10 }, { 95, 5, 95 }, { 100, 5, 2048 });
	EXPECT_NOTHING(0, SWITCH);
	hold(1, 12, 1);
	hold(1, 198, 4);
	EXPECT(1, SWITCH, { 12, 1, 12 }, { 198, 2, 198 }, { 200, 2, 2048 });
	assert_int_equal(clients[0].missing, 3);
	EXPECT_NOTHING(1, MORE);
	/* More is named while it has the GPU. */
	hold(1, 13, 1);
	EXPECT(1, MORE, { 13, 1, 13 });
	assert_int_equal(clients[0].missing, 4);
	release(0, 12, 1);
	assert_int_equal(clients[0].missing, 4);
	release(0, 12, 1);
	assert_int_equal(clients[0].missing, 3);
	EXPECT(0, SWITCH, { 13, 1, 13 }, { 100, 2, 2048 });
	/* What was let go of stays, and is named again for nothing. */
	release(0, 13, 1);
	hold(0, 13, 1);
	EXPECT_NOTHING(0, MORE);
	release(0, 13, 1);
	drop(0, 13);
	EXPECT_NOTHING(0, SWITCH);
	hold(0, 13, 1);
	EXPECT(0, MORE, { 13, 1, 13 });
	expect_free();
}

/* Released once too often, a unit is not held, and nothing of it is loaded. */
static void test_release_unheld(void **state)
{
	(void)state;
	fresh("demand", LOW + 2 * SLOT);
	come(0, 100, 200, 0);
	show(0, 0, 300, 16);
	gslot_loading_release(&l, &clients[0], 12);
	assert_int_equal(clients[0].units[12].holds, 0);
	assert_int_equal(clients[0].held, 0);
	assert_int_equal(clients[0].missing, 0);
	EXPECT_NOTHING(0, SWITCH);
	hold(0, 12, 1);
	EXPECT(0, MORE, { 12, 1, 12 });
}

/* Ahead of its turn, but not over what commands of the client with the GPU name. */
static void test_predictive(void **state)
{
	(void)state;
	fresh("predictive", LOW + 2 * SLOT);
	come(0, 100, 100, 0);
	come(1, 100, 100, 0);
	hold(1, 20, 1);
	/* No client has the GPU. */
	EXPECT(1, AHEAD, { 20, 1, 20 });
	assert_null(l.active);
	hold(0, 10, 3);
	EXPECT(0, SWITCH, { 10, 3, 10 });
	hold(1, 11, 4);
	hold(1, 100, 1);
	EXPECT(1, AHEAD, { 13, 2, 13 }, { 100, 1, 2048 });
	EXPECT_NOTHING(1, AHEAD);
	assert_int_equal(clients[1].missing, 2);
	assert_ptr_equal(l.active, &clients[0]);
	/* A unit that was released can be overwritten. */
	release(0, 12, 1);
	EXPECT(1, AHEAD, { 12, 1, 12 });
	/* What it names now, and has not had loaded, is not there to be in the way. */
	hold(0, 13, 1);
	EXPECT_NOTHING(1, AHEAD);
	EXPECT(0, MORE, { 13, 1, 13 });
	EXPECT_NOTHING(1, AHEAD);
	EXPECT(1, SWITCH, { 11, 1, 11 }, { 13, 1, 13 });
	assert_int_equal(clients[0].missing, 2);
	EXPECT_NOTHING(0, AHEAD);
	/* No client has the GPU once the one that had it loses its place. */
	release_all(1);
	clear(1);
	move(1, 0);
	assert_null(l.active);
	EXPECT(0, AHEAD, { 11, 1, 11 }, { 13, 1, 13 });
	EXPECT_NOTHING(0, SWITCH);
	expect_free();
}

/* 64 in one step; low graphics memory and what follows in different ones; any number at the end. */
static void test_stretches(void **state)
{
	(void)state;
	fresh("demand", LOW + 2 * SLOT);
	come(0, 1024, 193, 1);
	hold(0, 1000, 217);
	EXPECT(0, SWITCH, { 1000, 24, 1000 }, { 1024, 64, 3072 }, { 1088, 64, 3136 },
	       { 1152, 64, 3200 }, { 1216, 1, 3264 });
	/* Where one has 128 MB, the other's high graphics memory does not begin there. */
	come(1, 2048, 1, 0);
	hold(1, 1984, 65);
	EXPECT(1, SWITCH, { 1984, 64, 1984 }, { 2048, 1, 2048 });
	/* All that there is, across a border of slots; and nothing at all. */
	come(2, 0, 2048, 0);
	hold(2, 0, 2048);
	assert_int_equal(go_over(2, GSLOT_LOADING_SWITCH), 2048);
	join(3, 0, 0);
	move(3, 0);
	EXPECT_NOTHING(3, SWITCH);
	EXPECT_NOTHING(3, MORE);
	expect_free();
}

/* More low graphics memory, and less of the rest: units have other numbers, and no other run. */
static void test_resize(void **state)
{
	(void)state;
	fresh("sparse", LOW + 2 * SLOT);
	come(0, 1024, 1100, 0);
	show(0, 1023, 2, 16);
	show(0, 2100, 2, 16);
	EXPECT(0, SWITCH, { 1023, 1, 1023 }, { 1024, 1, 2048 }, { 2100, 2, 3124 });
	assert_memory_equal(l.users, ((u32[]) { 1, 0, 1, 1 }), 16);
	unplace(0);
	resize(0, 2048, 1000, false);
	assert_memory_equal(l.users, ((u32[]) { 0, 0, 0, 0 }), 16);
	move(0, 1);
	assert_memory_equal(l.users, ((u32[]) { 1, 1, 0, 1 }), 16);
	EXPECT(0, SWITCH, { 1023, 1, 1023 }, { 2048, 1, 3072 });
	hold(0, 2047, 1);
	EXPECT(0, MORE, { 2047, 1, 2047 });
	unplace(0);
	resize(0, 1024, 0, false);
	move(0, 0);
	EXPECT(0, SWITCH, { 1023, 1, 1023 });
	expect_free();
}

/* A client that keeps its place counts in the slots that it has then, unless it is idle by then. */
static void test_resize_in_place(void **state)
{
	(void)state;
	fresh("slot", LOW + 3 * SLOT);
	come(0, 1024, 2100, 0);
	come(1, 1024, 10, 1);
	assert_memory_equal(l.users, ((u32[]) { 2, 0, 1, 2, 1 }), 20);
	gslot_loading_begin_resize(&l, &clients[0]);
	assert_memory_equal(l.users, ((u32[]) { 1, 0, 0, 1, 0 }), 20);
	assert_int_equal(clients[0].place, 0);
	gslot_loading_end_resize(&l, &clients[0], 1024);
	resize(0, 2048, 1100, false);
	assert_memory_equal(l.users, ((u32[]) { 2, 1, 1, 2, 0 }), 20);
	resize(0, 1024, 2000, true);
	assert_memory_equal(l.users, ((u32[]) { 1, 0, 0, 1, 0 }), 20);
	resize(0, 1024, 2000, false);
	assert_memory_equal(l.users, ((u32[]) { 2, 0, 1, 2, 0 }), 20);
	expect_same();
	expect_free();
}

/* Rounds of four clients with places: how many slots of high graphics memory were copied? */
static u32 copies(const u32 *places, u32 n)
{
	u32 sum = 0;

	fresh("slot", LOW + 12 * SLOT);
	for (u32 c = 0; c < 4; c++)
		come(c, SLOT, 6 * SLOT, places[c]);
	for (u32 i = 0; i < n * 4; i++) {
		u32 written = go_over(i % 4, GSLOT_LOADING_SWITCH);

		/* All have low graphics memory, so that is copied each time. */
		assert_true(written >= SLOT);
		assert_int_equal(written % SLOT, 0);
		sum += written / SLOT - 1;
	}
	expect_same();
	expect_free();
	return sum;
}

static void place_four(const struct gslot_place_ops *ops, u32 *to)
{
	struct gslot_place_vgpu vgpus[4];
	struct gslot_placement p = { .slots = 12, .vgpus = vgpus, .rounds = 1250 };

	for (p.count = 1; p.count <= 4; p.count++) {
		vgpus[p.count - 1] = (struct gslot_place_vgpu) {
			.size = 6, .use = GSLOT_PLACE_ALWAYS, .place = NOWHERE,
		};
		assert_int_equal(gslot_place(ops, &p), 0);
		for (u32 i = 0; i < p.count; i++)
			vgpus[i].place = vgpus[i].next;
	}
	for (u32 i = 0; i < 4; i++)
		to[i] = vgpus[i].place;
}

/* DymGPU's example: 12 slots, four vGPUs of 6, placed as gScale does, and piled up. */
static void test_dymgpu(void **state)
{
	u32 gscale[4], size[4];

	(void)state;
	place_four(&gslot_place_score, gscale);
	place_four(&gslot_place_size, size);
	assert_memory_equal(gscale, ((u32[]) { 0, 6, 0, 6 }), 16);
	assert_memory_equal(size, ((u32[]) { 0, 6, 6, 6 }), 16);
	for (u32 n = 1; n <= 4; n++) {
		assert_int_equal(copies(gscale, n), 24 + 24 * (n - 1));
		assert_int_equal(copies(size, n), 24 + 18 * (n - 1));
	}
}

/*
 * If nothing is missing, nothing is looked at, however much graphics memory there is: there is
 * none to look at.
 */
static bool next_blind(struct gslot_loading_pass *pass)
{
	u32 c = pass->client - clients;
	bool more;

	clients[c].units = NULL;
	all.runs = NULL;
	more = gslot_loading_next(&l, pass);
	clients[c].units = units[c][0];
	all.runs = runs;
	return more;
}

static void expect_blind(u32 c, enum gslot_loading_why why)
{
	struct gslot_loading_pass pass = pass_of(c, why);

	assert_false(next_blind(&pass));
	assert_int_equal(pass.unit, of[c].count);
}

static void test_complete(void **state)
{
	static const char *const names[] = { "demand", "predictive", "sparse", "slot" };

	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(names); i++) {
		struct gslot_loading_pass pass = pass_of(0, GSLOT_LOADING_SWITCH);

		fresh(names[i], LOW + 16 * SLOT);
		come(0, LOW, 16 * SLOT, 0);
		if (i < 2)
			expect_blind(0, GSLOT_LOADING_SWITCH);
		expect_blind(0, GSLOT_LOADING_MORE);
		expect_blind(0, GSLOT_LOADING_AHEAD);
		hold(0, 10, 3);
		hold(0, 100, 3);
		if (i >= 2)
			continue;
		/* It is over with the last one that was missing. */
		assert_true(gslot_loading_next(&l, &pass));
		assert_int_equal(pass.unit, 10);
		assert_true(gslot_loading_next(&l, &pass));
		assert_int_equal(pass.unit, 100);
		assert_false(next_blind(&pass));
		expect_blind(0, GSLOT_LOADING_SWITCH);
		release(0, 101, 1);
		expect_blind(0, GSLOT_LOADING_SWITCH);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_init),
		cmocka_unit_test(test_run),
		cmocka_unit_test(test_users),
		cmocka_unit_test(test_slot),
		cmocka_unit_test(test_sharers),
		cmocka_unit_test(test_sparse),
		cmocka_unit_test(test_demand),
		cmocka_unit_test(test_release_unheld),
		cmocka_unit_test(test_predictive),
		cmocka_unit_test(test_stretches),
		cmocka_unit_test(test_resize),
		cmocka_unit_test(test_resize_in_place),
		cmocka_unit_test(test_dymgpu),
		cmocka_unit_test(test_complete),
	};

	return run_tap_tests("core_loading", tests);
}
