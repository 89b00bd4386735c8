// SPDX-License-Identifier: GPL-2.0
#include "reclaim.h"

/* The host needs much if it wants more than one of so many pages. */
#define RECLAIM_MUCH	64
/* The steps, from the first on, that are taken if it does not. */
#define RECLAIM_STEPS_LITTLE	2

static const struct reclaim_step {
	u32 age_ms;	/* for how long the memory was unused */
	bool all;	/* of all vGPUs; else of those that have pinned more than a share */
} reclaim_steps[] = {
	{ 4000, true },
	{ 1000, true },
	{ 500, false },
	{ 100, false },
	{ 500, true },
	{ 100, true },
};

/**
 * gslot_reclaim_steps() - how many steps may be taken
 * @wanted: how many pages the host wants
 * @total: how many all vGPUs have pinned
 *
 * Return: the number of steps.
 */
u32 gslot_reclaim_steps(u64 wanted, u64 total)
{
	return wanted > total / RECLAIM_MUCH ? ARRAY_SIZE(reclaim_steps) : RECLAIM_STEPS_LITTLE;
}

/**
 * gslot_reclaim_share() - how many pages each vGPU would have if all were equal
 * @wanted: how many pages the host wants
 * @total: how many all vGPUs have pinned
 * @vgpus: how many vGPUs are open, not 0
 *
 * Return: the share of a vGPU in what is left when the host has what it wants, pages.
 */
u64 gslot_reclaim_share(u64 wanted, u64 total, u32 vgpus)
{
	return wanted < total ? (total - wanted) / vgpus : 0;
}

/**
 * gslot_reclaim_age_ms() - for how long the memory must have been unused that a vGPU gives
 * @step: the step, less than gslot_reclaim_steps()
 * @pinned: how many pages the vGPU has pinned
 * @share: gslot_reclaim_share(); it may be of another time than @pinned
 *
 * Return: milliseconds; GSLOT_RECLAIM_NOTHING if the vGPU gives nothing in this step.
 */
u32 gslot_reclaim_age_ms(u32 step, u64 pinned, u64 share)
{
	const struct reclaim_step *s = &reclaim_steps[step];

	return s->all || pinned > share ? s->age_ms : GSLOT_RECLAIM_NOTHING;
}
