// SPDX-License-Identifier: GPL-2.0
/*
 * Loading: random lives of many clients, which come, go, are moved, name graphics memory and are
 * given the GPU, beside the oracle. Whatever happens, also while a pass is under way: what may be
 * executed finds its own client's graphics memory, and all counts are right.
 */
#include "loads.h"

/* The limits of a world in which clients live at random. */
struct world {
	u32 slots;
	u32 clients;
	u32 low;
	u32 high;
	u32 stretch;
};

static struct world w;

/* A client that has a place, or NO_CLIENT. */
static u32 any_client(void)
{
	u32 from = rnd_below(w.clients);

	for (u32 i = 0; i < w.clients; i++) {
		u32 c = (from + i) % w.clients;

		if (of[c].there && of[c].place != NOWHERE)
			return c;
	}
	return NO_CLIENT;
}

static u32 slots_of(u32 c)
{
	return (of[c].count - of[c].low + SLOT - 1) / SLOT;
}

static void any_place(u32 c)
{
	move(c, rnd_below(w.slots - slots_of(c) + 1));
}

static u32 any_low(void)
{
	return rnd_below(4) ? w.low : rnd_below(w.low + 1);
}

static u32 any_high(void)
{
	return rnd_below(4) ? rnd_below(w.high + 1) : w.high;
}

static void any_join(u32 c)
{
	join(c, any_low(), any_high());
	set_idle(c, !rnd_below(8));
	if (rnd_below(8))
		any_place(c);
}

/* Somewhere in a client's graphics memory. */
static u32 any_units(u32 c, u32 *count)
{
	u32 first = rnd_below(of[c].count);

	*count = 1 + rnd_below(rnd_below(4) ? 4 : w.stretch);
	*count = min(*count, of[c].count - first);
	return first;
}

static void any_release(u32 c)
{
	u32 count, first = any_units(c, &count);

	if (!rnd_below(16)) {
		release_all(c);
		return;
	}
	for (u32 unit = first; unit < first + count; unit++) {
		if (of[c].holds[unit])
			release(c, unit, 1);
		else if (is_there(c, unit) && !rnd_below(8))
			drop(c, unit);
	}
}

/* What may happen while a pass is under way, too. */
static void any_small_step(void)
{
	u32 c = any_client(), count, first;

	if (c == NO_CLIENT || !of[c].count)
		return;
	first = any_units(c, &count);
	switch (rnd_below(5)) {
	case 0:
		show(c, first, count, rnd_below(3));
		break;
	case 1:
		any_release(c);
		break;
	case 2:
		if (active != NO_CLIENT)
			go_over(active, GSLOT_LOADING_MORE);
		break;
	default:
		hold(c, first, count);
	}
}

/* A client that is resized where it is has room there: the slots that it has, or fewer. */
static void any_resize_in_place(u32 c)
{
	u32 high = rnd_below(slots_of(c) * SLOT + 1);

	clear(c);
	resize(c, any_low(), min(high, w.high), rnd_below(2));
}

/* Others come and go; those of @but are in a pass. */
static void any_large_step(u32 but)
{
	u32 c = rnd_below(w.clients);

	if (c == but)
		return;
	if (!of[c].there) {
		any_join(c);
	} else if (of[c].place == NOWHERE) {
		any_place(c);
	} else if (rnd_below(3)) {
		set_idle(c, rnd_below(2));
	} else {
		switch (rnd_below(5)) {
		case 0:
			leave(c);
			break;
		case 1:
			unplace(c);
			resize(c, any_low(), any_high(), rnd_below(2));
			break;
		case 2:
			any_resize_in_place(c);
			break;
		case 3:
			clear(c);
			any_place(c);
			break;
		default:
			unplace(c);
		}
	}
}

/* A pass in which the lock is let go of. */
static void interrupted(u32 c, enum gslot_loading_why why)
{
	struct gslot_loading_pass pass = begin(c, why);

	while (step(&pass)) {
		if (why == GSLOT_LOADING_AHEAD)
			expect_secure();
		while (!rnd_below(3))
			any_small_step();
		if (!rnd_below(50))
			any_large_step(c);
	}
}

static void any_pass(void)
{
	enum gslot_loading_why why = rnd_below(2) ? GSLOT_LOADING_SWITCH : GSLOT_LOADING_AHEAD;
	u32 c = any_client();

	if (c == NO_CLIENT || (why == GSLOT_LOADING_AHEAD && c == active))
		return;
	if (rnd_below(2))
		interrupted(c, why);
	else
		go_over(c, why);
}

static void any_step(void)
{
	switch (rnd_below(12)) {
	case 0:
		any_large_step(NO_CLIENT);
		break;
	case 1:
	case 2:
		any_pass();
		break;
	default:
		any_small_step();
	}
}

/* A life, looked at after every so many steps. */
static void live(const char *rule, const struct world *limits, u32 steps, u32 every)
{
	w = *limits;
	fresh(rule, LOW + w.slots * SLOT + rnd_below(SLOT));
	assert_int_equal(l.slots, w.slots);
	for (u32 i = 0; i < steps; i++) {
		any_step();
		if (i % every == 0)
			expect_same();
		else
			expect_secure();
	}
	expect_free();
}

static void live_by_all_rules(const struct world *limits, u32 steps, u32 every)
{
	for (u32 i = 0; i < gslot_loading_nr_rules; i++)
		live(gslot_loading_rules[i].name, limits, steps, every);
}

/* Little graphics memory, which all want; high and low graphics memory are a part of a slot. */
static void test_small(void **state)
{
	(void)state;
	for (u32 i = 0; i < rounds(6); i++)
		live_by_all_rules(&(struct world) {
			.slots = rnd_range(1, 3), .clients = rnd_range(2, 6),
			.low = rnd_range(1, 100), .high = rnd_range(1, 200),
			.stretch = rnd_range(8, 150),
		}, 3000, 1);
}

/* Two slots of low graphics memory, or less, and several slots of high, not all of it full. */
static void test_large(void **state)
{
	(void)state;
	for (u32 i = 0; i < rounds(1); i++)
		live_by_all_rules(&(struct world) {
			.slots = rnd_range(4, 8), .clients = 8, .low = rnd_range(1000, LOW),
			.high = rnd_range(1500, 4 * SLOT), .stretch = 500,
		}, 1000, 20);
}

/* As many slots as there can be, and the largest clients. */
static void test_largest(void **state)
{
	(void)state;
	live_by_all_rules(&(struct world) {
		.slots = 64, .clients = MAX_CLIENTS, .low = LOW, .high = 16 * SLOT,
		.stretch = 3000,
	}, 150 * rounds(1), 50);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_small),
		cmocka_unit_test(test_large),
		cmocka_unit_test(test_largest),
	};

	return run_tap_tests("core_loading_lives", tests);
}
