/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Random steps of clients with places, which come, go, are moved, name graphics memory and are
 * given the GPU, by the includer's rnd_below().
 */
#ifndef SELFTESTS_LOADING_LIVES_H
#define SELFTESTS_LOADING_LIVES_H

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
static inline u32 any_client(void)
{
	u32 from = rnd_below(w.clients);

	for (u32 i = 0; i < w.clients; i++) {
		u32 c = (from + i) % w.clients;

		if (of[c].there && of[c].place != NOWHERE)
			return c;
	}
	return NO_CLIENT;
}

static inline u32 slots_of(u32 c)
{
	return (of[c].count - of[c].low + SLOT - 1) / SLOT;
}

static inline void any_place(u32 c)
{
	move(c, rnd_below(w.slots - slots_of(c) + 1));
}

static inline u32 any_low(void)
{
	return rnd_below(4) ? w.low : rnd_below(w.low + 1);
}

static inline u32 any_high(void)
{
	return rnd_below(4) ? rnd_below(w.high + 1) : w.high;
}

static inline void any_join(u32 c)
{
	join(c, any_low(), any_high());
	set_idle(c, !rnd_below(8));
	if (rnd_below(8))
		any_place(c);
}

/* Somewhere in a client's graphics memory. */
static inline u32 any_units(u32 c, u32 *count)
{
	u32 first = rnd_below(of[c].count);

	*count = 1 + rnd_below(rnd_below(4) ? 4 : w.stretch);
	*count = min(*count, of[c].count - first);
	return first;
}

static inline void any_release(u32 c)
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
static inline void any_small_step(void)
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
static inline void any_resize_in_place(u32 c)
{
	u32 high = rnd_below(slots_of(c) * SLOT + 1);

	clear(c);
	resize(c, any_low(), min(high, w.high), rnd_below(2));
}

/* Others come and go; those of @but are in a pass. */
static inline void any_large_step(u32 but)
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
static inline void interrupted(u32 c, enum gslot_loading_why why)
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

static inline void any_pass(void)
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

static inline void any_step(void)
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

#endif
