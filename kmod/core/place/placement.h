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

/* selftests/fuzz has fewer. */
#ifndef GSLOT_PLACEMENT_MAX
#define GSLOT_PLACEMENT_MAX	64	/* slots in a set */
#endif

#define GSLOT_PLACE_VGPUS	1024	/* vGPUs that a policy can place */
#define GSLOT_PLACE_ALWAYS	GSLOT_WHOLE	/* the use of a vGPU that runs in each round */
/*
 * All slots of a vGPU that moves are copied once. It counts as twice, since how often vGPUs will
 * run is a guess, and so small a gain may be none.
 */
#define GSLOT_PLACE_MOVE	2

/* A vGPU that wants a place */
struct gslot_place_vgpu {
	u32 size;	/* how many slots in a row */
	u32 use;	/* in how many of GSLOT_PLACE_ALWAYS rounds it runs */
	/* It does not run, and needs no place; so also one that is being destroyed */
	bool idle;
	u32 place;	/* its present first slot, or GSLOT_PLACE_NONE */
	/* To be its first slot, by the policy; GSLOT_PLACE_NONE if and only if it is idle */
	u32 next;
	u32 order;	/* of the policies: the vGPU at this position of their order */
	u32 was;	/* of the policies: its place before a change that may be undone */
	u32 best;	/* of the policies: the best place so far */
};

/*
 * The vGPUs and slots. A vGPU that is idle and has a place leaves it now. One that is awake and has
 * none is new.
 */
struct gslot_placement {
	u32 slots;			/* how many slots, at most 64 */
	u32 count;			/* how many vGPUs */
	struct gslot_place_vgpu *vgpus;	/* array of @count vGPUs */
	u32 rounds;			/* for how many rounds places are expected to last, not 0 */
	bool due;			/* a period of re-placement is over (20 s in DymGPU) */
	bool exact;			/* by the policy `optimal`: no places cost less */
};

/* A placement policy */
struct gslot_place_ops {
	const char *name;	/* as in sysfs */
	/* Sets @next of all that are awake; that of the others is set */
	void (*place)(struct gslot_placement *p);
};

extern const struct gslot_place_ops gslot_place_score;
extern const struct gslot_place_ops gslot_place_size;
extern const struct gslot_place_ops gslot_place_utilization;
extern const struct gslot_place_ops gslot_place_optimal;

int gslot_place(const struct gslot_place_ops *ops, struct gslot_placement *p);

#endif
