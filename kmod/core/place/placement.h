/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Placement of vGPUs in slots. A set of slots is a bit mask of those in use.
 *
 * Slots may be shared: the vGPU that runs next then finds another's entries there, and its own are
 * copied. A placement policy says where each vGPU goes. It works on structs of the caller, takes no
 * lock and allocates nothing.
 */
#ifndef _GSLOT_CORE_PLACEMENT_H
#define _GSLOT_CORE_PLACEMENT_H

#include "core/limits.h"
#include "core/types.h"

#define GSLOT_PLACEMENT_MAX	64	/* slots in a set */

/**
 * gslot_slots_mask() - the bits of some slots in a row
 * @first: the first slot
 * @count: how many; @first + @count is at most 64
 */
static inline u64 gslot_slots_mask(u32 first, u32 count)
{
	if (!count)
		return 0;
	return (~0ULL >> (GSLOT_PLACEMENT_MAX - count)) << first;
}

#define GSLOT_PLACE_VGPUS	1024	/* vGPUs that a policy can place */
#define GSLOT_PLACE_ALWAYS	1000	/* the use of a vGPU that runs in each round */
/*
 * All slots of a vGPU that moves are copied once. It counts as twice, since how often vGPUs will
 * run is a guess, and so small a gain may be none.
 */
#define GSLOT_PLACE_MOVE	2

/**
 * struct gslot_place_vgpu - a vGPU that wants a place
 * @size: how many slots in a row
 * @use: in how many of GSLOT_PLACE_ALWAYS rounds it runs
 * @idle: it does not run, and needs no place; so also one that is being destroyed
 * @place: its present first slot, or GSLOT_PLACE_NONE
 * @next: to be its first slot, by the policy; GSLOT_PLACE_NONE if and only if it is idle
 * @order: of the policies: the vGPU at this position of their order
 * @was: of the policies: its place before a change that may be undone
 * @best: of the policies: the best place so far
 */
struct gslot_place_vgpu {
	u32 size;
	u32 use;
	bool idle;
	u32 place;
	u32 next;
	u32 order;
	u32 was;
	u32 best;
};

/**
 * struct gslot_places - the vGPUs and slots
 * @slots: how many slots, at most 64
 * @count: how many vGPUs
 * @vgpus: those
 * @rounds: for how many rounds places are expected to last, not 0
 * @due: a period of re-placement is over (20 s in DymGPU)
 * @exact: by the policy `optimal`: no places cost less
 *
 * A vGPU that is idle and has a place leaves it now. One that is awake and has none is new.
 */
struct gslot_places {
	u32 slots;
	u32 count;
	struct gslot_place_vgpu *vgpus;
	u32 rounds;
	bool due;
	bool exact;
};

/**
 * struct gslot_place_ops - a placement policy
 * @name: for people
 * @place: sets @next of all that are awake; that of the others is set
 */
struct gslot_place_ops {
	const char *name;
	void (*place)(struct gslot_places *p);
};

extern const struct gslot_place_ops gslot_place_score;
extern const struct gslot_place_ops gslot_place_size;
extern const struct gslot_place_ops gslot_place_utilization;
extern const struct gslot_place_ops gslot_place_optimal;

int gslot_place(const struct gslot_place_ops *ops, struct gslot_places *p);
u64 gslot_place_copies(const struct gslot_places *p);
u64 gslot_place_cost(const struct gslot_places *p);
u64 gslot_place_least(struct gslot_places *p);

int gslot_first_fit(u64 used, u32 nr, u32 count);

#endif
