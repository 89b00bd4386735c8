// SPDX-License-Identifier: GPL-2.0
#include "reclaim.h"

/* Much is needed if it is more than one of so many pages. */
#define RECLAIM_MUCH	64
/* The steps, from the first on, that are taken if it is not. */
#define RECLAIM_STEPS_LITTLE	2
/* What was used more lately than this is kept as long as nothing is postponed. */
#define RECLAIM_YOUNG_MS	100
/* Those that postpone nothing. */
#define RECLAIM_STEPS_MILD	6

static const struct reclaim_step {
	u32 age_ms;	/* for how long the memory was unused */
	bool all;	/* of all vGPUs; else of those that have pinned much */
	bool postpones;	/* see struct gslot_reclaim_order */
} reclaim_steps[] = {
	{ 4000, true, false },
	{ 1000, true, false },
	{ 500, false, false },
	{ RECLAIM_YOUNG_MS, false, false },
	{ 500, true, false },
	{ RECLAIM_YOUNG_MS, true, false },
	{ 0, false, true },
	{ 0, true, true },
};

/**
 * gslot_reclaim_steps() - how many steps may be taken
 * @need: what is needed
 *
 * Return: the number of steps.
 */
u32 gslot_reclaim_steps(const struct gslot_reclaim_need *need)
{
	if (need->limit && need->may_postpone)
		return ARRAY_SIZE(reclaim_steps);
	if (need->limit || need->wanted > need->total / RECLAIM_MUCH)
		return RECLAIM_STEPS_MILD;
	return RECLAIM_STEPS_LITTLE;
}

/**
 * gslot_reclaim_share() - how many pages each vGPU would have if all were equal
 * @wanted: how many pages are needed
 * @total: how many all vGPUs have pinned
 * @vgpus: how many vGPUs are open, not 0
 *
 * Return: the share of a vGPU in what is left when what is needed was given, pages.
 */
u64 gslot_reclaim_share(u64 wanted, u64 total, u32 vgpus)
{
	return wanted < total ? (total - wanted) / vgpus : 0;
}

/**
 * gslot_reclaim_order() - what a vGPU does in a step
 * @step: the step, less than gslot_reclaim_steps()
 * @vgpu: the vGPU
 * @share: gslot_reclaim_share(); it may be of another time than @vgpu
 *
 * Return: the order.
 */
struct gslot_reclaim_order gslot_reclaim_order(u32 step, const struct gslot_reclaim_vgpu *vgpu,
					       u64 share)
{
	const struct reclaim_step *s = &reclaim_steps[step];
	u64 low = vgpu->low ? vgpu->low : share;
	bool idle = vgpu->waits && !vgpu->owner && s->age_ms <= RECLAIM_YOUNG_MS;
	u64 pages = 0;

	if (vgpu->pinned > vgpu->min && (s->all || vgpu->pinned > low))
		pages = vgpu->pinned - vgpu->min;
	return (struct gslot_reclaim_order) {
		.pages = pages,
		.age_ms = idle ? 0 : s->age_ms,
		.prepared = idle || (s->postpones && !vgpu->owner),
		.postpones = pages && s->postpones && !vgpu->owner,
	};
}
