// SPDX-License-Identifier: GPL-2.0
#include "ggtt_priv.h"

/**
 * gslot_ggtt_units() - the units of a private GGTT, as residency knows them
 * @ggtt: the private GGTT
 *
 * Return: the units; &gslot_runs.lock protects them.
 * Context: any.
 */
struct gslot_resident *gslot_ggtt_units(struct gslot_ggtt *ggtt)
{
	return &ggtt->resident;
}

/**
 * gslot_ggtt_low_units() - how many units of low graphics memory are there?
 * @ggtt: the private GGTT
 *
 * Return: the number.
 * Context: the vGPU's lock is held.
 */
u32 gslot_ggtt_low_units(const struct gslot_ggtt *ggtt)
{
	lockdep_assert_held(&ggtt->cfg.lock->mutex);
	return ggtt->nr_low / GSLOT_UNIT_PAGES;
}

/**
 * gslot_ggtt_ptes() - the physical entries that show some units
 * @ggtt: the private GGTT
 * @unit: the first unit
 * @count: how many units
 * @ptes: gets GSLOT_UNIT_PAGES entries for each
 *
 * An entry that changes meanwhile is written again before its page is released.
 * Context: gslot_runs.lock is held.
 */
void gslot_ggtt_ptes(const struct gslot_ggtt *ggtt, u32 unit, u32 count, u64 *ptes)
{
	u32 i;

	lockdep_assert_held(&ggtt->cfg.runs->lock);
	for (i = 0; i < count * GSLOT_UNIT_PAGES; i++)
		ptes[i] = gslot_ggtt_pte(ggtt, unit * GSLOT_UNIT_PAGES + i);
}
