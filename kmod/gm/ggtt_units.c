// SPDX-License-Identifier: GPL-2.0
#include <linux/device.h>

#include "ggtt_priv.h"
#include "ggtt_units.h"
#include "base/guest_error.h"

/**
 * gslot_ggtt_name() - the name of the vGPU, for traces
 * @ggtt: its private GGTT
 *
 * Return: the name; valid as long as @ggtt.
 * Context: any.
 */
const char *gslot_ggtt_name(const struct gslot_ggtt *ggtt)
{
	return dev_name(ggtt->cfg.guest_errors->dev);
}

/**
 * gslot_ggtt_units() - the units of a private GGTT, as residency knows them
 * @ggtt: the private GGTT
 *
 * Return: them; &gslot_runs.lock protects them.
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
 * An entry that changes meanwhile is written again by gslot_ggtt_update(), before its page is
 * released.
 *
 * Context: the lock of the runs is held.
 */
void gslot_ggtt_ptes(const struct gslot_ggtt *ggtt, u32 unit, u32 count, u64 *ptes)
{
	u32 i;

	lockdep_assert_held(&ggtt->cfg.runs->lock);
	for (i = 0; i < count * GSLOT_UNIT_PAGES; i++)
		ptes[i] = gslot_ggtt_pte(ggtt, unit * GSLOT_UNIT_PAGES + i);
}
