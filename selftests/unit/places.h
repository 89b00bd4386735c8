/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the tests of placement have in common: vGPUs and slots, what places cost said a second
 * time and as simply as can be, and all places there are.
 */
#ifndef UNIT_PLACES_H
#define UNIT_PLACES_H

#include "test.h"
#include "core/place/placement_priv.h"

#define NONE	GSLOT_PLACE_NONE

static struct gslot_place_vgpu vgpus[GSLOT_PLACE_VGPUS + 1];
static struct gslot_placement places = { .vgpus = vgpus };

/* No vGPU is there, and places are to last for @rounds. */
static inline void fresh(u32 slots, u32 rounds)
{
	places = (struct gslot_placement) { .slots = slots, .rounds = rounds, .vgpus = vgpus };
}

static inline void add(u32 size, u32 use, u32 place)
{
	vgpus[places.count++] = (struct gslot_place_vgpu) {
		.size = size, .use = use, .place = place,
	};
}

static inline void place_by(const struct gslot_place_ops *ops)
{
	assert_int_equal(gslot_place(ops, &places), 0);
}

/* Apply @next to all vGPUs; a destroyed one has none. */
static inline void settle(void)
{
	for (u32 i = 0; i < places.count; i++)
		vgpus[i].place = vgpus[i].next;
}

static inline u64 oracle_copies(void)
{
	u64 copies = 0;

	for (u32 i = 0; i < places.count; i++) {
		for (u32 slot = vgpus[i].next; !vgpus[i].idle &&
		     slot < vgpus[i].next + vgpus[i].size; slot++) {
			bool shared = false;

			for (u32 k = 0; k < places.count; k++)
				shared |= k != i && !vgpus[k].idle && slot >= vgpus[k].next &&
					  slot < vgpus[k].next + vgpus[k].size;
			if (shared)
				copies += vgpus[i].use ? vgpus[i].use : 1;
		}
	}
	return copies;
}

static inline u64 oracle_cost(void)
{
	u64 cost = oracle_copies() * places.rounds;

	for (u32 i = 0; i < places.count; i++)
		if (!vgpus[i].idle && vgpus[i].place != NONE && vgpus[i].place != vgpus[i].next)
			cost += 2 * 1000 * vgpus[i].size;
	return cost;
}

static inline u32 oracle_shared(void)
{
	u32 shared = 0;

	for (u32 slot = 0; slot < places.slots; slot++) {
		u32 there = 0;

		for (u32 i = 0; i < places.count; i++)
			there += !vgpus[i].idle && slot >= vgpus[i].next &&
				 slot < vgpus[i].next + vgpus[i].size;
		shared += there > 1;
	}
	return shared;
}

/* Each vGPU that is not idle has a place, an idle one has none. */
static inline void expect_valid(void)
{
	for (u32 i = 0; i < places.count; i++) {
		if (vgpus[i].idle)
			assert_int_equal(vgpus[i].next, NONE);
		else
			assert_in_range(vgpus[i].next, 0, places.slots - vgpus[i].size);
	}
	assert_int_equal(gslot_place_copies(&places), oracle_copies());
	assert_int_equal(gslot_place_cost(&places), oracle_cost());
}

static inline void expect_places(const u32 *next)
{
	expect_valid();
	for (u32 i = 0; i < places.count; i++)
		assert_int_equal(vgpus[i].next, next[i]);
}

/* The next of all ways to place them; begins with all that are awake at 0. */
static inline bool next_way(void)
{
	for (u32 i = 0; i < places.count; i++) {
		if (vgpus[i].idle)
			continue;
		if (vgpus[i].next < places.slots - vgpus[i].size) {
			vgpus[i].next++;
			return true;
		}
		vgpus[i].next = 0;
	}
	return false;
}

/* The lowest of what @value says of all ways to place them. */
static inline u64 brute_force(u64 (*value)(const struct gslot_placement *p))
{
	u64 lowest = ~0ull;

	for (u32 i = 0; i < places.count; i++)
		vgpus[i].next = vgpus[i].idle ? NONE : 0;
	do {
		u64 one = value(&places);

		lowest = one < lowest ? one : lowest;
	} while (next_way());
	return lowest;
}

/* Any vGPUs, sizes and places; some are idle. */
static inline void any_places(u32 most_slots, u32 most_vgpus)
{
	u32 count = rnd_below(most_vgpus + 1), largest, slots = rnd_range(1, most_slots);

	fresh(slots, rnd_below(4) ? rnd_range(1, 200) : 1);
	places.due = rnd_below(2);
	largest = rnd_below(2) ? slots : (slots + 3) / 4;
	for (u32 i = 0; i < count; i++) {
		u32 size = rnd_range(1, largest);

		add(size, rnd_below(4) ? rnd_below(1001) : 0,
		    rnd_below(4) ? rnd_below(slots - size + 1) : NONE);
		vgpus[i].idle = !rnd_below(6);
	}
}

/* All multisets of @count sizes, in non-increasing order, one after another. */
static inline bool next_sizes(u32 *sizes, u32 count)
{
	for (u32 i = count; i--;) {
		if (sizes[i] < (i ? sizes[i - 1] : places.slots)) {
			sizes[i]++;
			while (++i < count)
				sizes[i] = 1;
			return true;
		}
	}
	return false;
}

#endif
