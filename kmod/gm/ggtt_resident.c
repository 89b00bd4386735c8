// SPDX-License-Identifier: GPL-2.0
/*
 * The resident part of a private GGTT: docs/graphics-memory.md, "Residency". A run shows what the
 * private GGTT shows: a changed entry is written wherever it is resident, held or not. With a copy
 * policy with places (base/copy_policy.h) a held unit need not be resident.
 */
#include <linux/mm.h>

#include "ggtt_priv.h"
#include "base/copy_policy.h"
#include "base/trace.h"

/* Units that are evicted before the lock is released for others. */
#define EVICT_BATCH	64

/* The guest's graphics address of a unit. */
static u64 resident_addr(const struct gslot_ggtt *ggtt, u32 unit)
{
	return (u64)gslot_ggtt_page_of(ggtt, unit * GSLOT_UNIT_PAGES) << GEN_PAGE_SHIFT;
}

static void resident_load(struct gslot_ggtt *ggtt, u32 unit)
{
	u32 run = ggtt->resident.units[unit].run, i;
	u64 ptes[GSLOT_RUN_ENTRIES];

	for (i = 0; i < GSLOT_RUN_ENTRIES; i++)
		ptes[i] = gslot_ggtt_pte(ggtt, unit * GSLOT_UNIT_PAGES + i);
	gslot_runs_write(ggtt->cfg.runs, run, 0, ptes, GSLOT_RUN_ENTRIES);
	ggtt->loaded = true;
	trace_gslot_resident_load(gslot_ggtt_name(ggtt), resident_addr(ggtt, unit),
				  (u64)gslot_runs_entry(ggtt->cfg.runs, run) << GEN_PAGE_SHIFT);
}

/* Return: 0 or -errno. */
static int resident_hold_first(struct gslot_ggtt *ggtt, u32 unit)
{
	struct gslot_runs *runs = ggtt->cfg.runs;
	int ret;

	mutex_lock(&runs->lock);
	ret = gslot_residency_hold(&runs->residency, &ggtt->resident, unit);
	if (ret > 0)
		resident_load(ggtt, unit);
	mutex_unlock(&runs->lock);
	return min(ret, 0);
}

/* Does an access begin in a unit and end in the next one? */
static bool resident_is_across(u64 addr, u32 len)
{
	u64 unit_bytes = GSLOT_UNIT_PAGES << GEN_PAGE_SHIFT;

	return addr % unit_bytes + len > unit_bytes;
}

/**
 * gslot_ggtt_hold() - make resident what prepared commands name
 * @ggtt: the private GGTT
 * @addr: the guest's graphics address
 * @len: bytes accessed there, less than a page
 * @phys: the physical address, valid until gslot_ggtt_release()
 *
 * The GPU sees it after gslot_ggtt_publish(); with places, when the vGPU has the engines.
 *
 * Return: 0; -EDQUOT if the vGPU's own requests hold too much; -EBUSY if those of others do; or
 * -EFAULT if part of it is not in the window: commands that were checked once are held again
 * after the vGPU has lost graphics memory.
 * Context: the vGPU's lock is held; may sleep.
 */
int gslot_ggtt_hold(struct gslot_ggtt *ggtt, u64 addr, u32 len, u64 *phys)
{
	struct gslot_runs *runs = ggtt->cfg.runs;
	int entry = gslot_ggtt_entry_of(ggtt, addr), ret = 0;
	u32 unit, run;

	lockdep_assert_held(&ggtt->cfg.lock->mutex);
	if (!gslot_window_has(&ggtt->cfg.window, addr, len))
		return -EFAULT;
	/* The window and the units of it change together: gslot_ggtt_resize(). */
	if (WARN_ON_ONCE(entry < 0))
		return -EFAULT;
	unit = entry / GSLOT_UNIT_PAGES;
	if (unlikely(runs->policy)) {
		run = runs->policy->ops->hold(runs->policy, ggtt, entry);
	} else {
		if (!gslot_residency_hold_more(&ggtt->resident, unit))
			ret = resident_hold_first(ggtt, unit);
		if (ret)
			return ret;
		run = ggtt->resident.units[unit].run;
	}
	*phys = ((u64)(gslot_runs_entry(runs, run) + entry % GSLOT_UNIT_PAGES) << GEN_PAGE_SHIFT) +
		offset_in_page(addr);
	ggtt->resident.units[unit].across += resident_is_across(addr, len);
	return 0;
}

/**
 * gslot_ggtt_release() - undo gslot_ggtt_hold(): the commands are retired
 * @ggtt: the private GGTT
 * @addr: the same address
 * @len: the same length
 *
 * Context: the vGPU's lock is held; may sleep.
 */
void gslot_ggtt_release(struct gslot_ggtt *ggtt, u64 addr, u32 len)
{
	int entry = gslot_ggtt_entry_of(ggtt, addr);
	struct gslot_runs *runs = ggtt->cfg.runs;
	u32 unit = entry / GSLOT_UNIT_PAGES;

	lockdep_assert_held(&ggtt->cfg.lock->mutex);
	/* What is held does not leave the window: gslot_ggtt_shrink_is_held(). */
	if (WARN_ON_ONCE(entry < 0 || !ggtt->resident.units[unit].holds))
		return;
	ggtt->resident.units[unit].across -= resident_is_across(addr, len);
	if (unlikely(runs->policy)) {
		runs->policy->ops->release(runs->policy, ggtt, entry);
		return;
	}
	if (gslot_residency_hold_less(&ggtt->resident, unit))
		return;
	mutex_lock(&runs->lock);
	gslot_residency_release(&runs->residency, &ggtt->resident, unit);
	mutex_unlock(&runs->lock);
}

/**
 * gslot_ggtt_publish() - let the GPU see what was made resident: before commands are queued
 * @ggtt: the private GGTT
 *
 * Context: the vGPU's lock is held; may sleep.
 */
void gslot_ggtt_publish(struct gslot_ggtt *ggtt)
{
	struct gslot_runs *runs = ggtt->cfg.runs;

	lockdep_assert_held(&ggtt->cfg.lock->mutex);
	if (unlikely(runs->policy))
		runs->policy->ops->publish(runs->policy, ggtt);
	if (!ggtt->loaded)
		return;
	ggtt->loaded = false;
	mutex_lock(&runs->lock);
	gslot_runs_flush(runs);
	mutex_unlock(&runs->lock);
}

/* Write a changed entry of a unit, or of the page behind it, if the unit is resident. */
static void resident_update(struct gslot_ggtt *ggtt, u32 unit, u32 entry)
{
	u32 run = ggtt->resident.units[unit].run, index = entry - unit * GSLOT_UNIT_PAGES;
	u64 pte = gslot_ggtt_pte(ggtt, entry);

	if (run != GSLOT_NO_RUN && index < ggtt->cfg.runs->stride)
		gslot_runs_write(ggtt->cfg.runs, run, index, &pte, 1);
}

static void resident_count_shown(struct gslot_ggtt *ggtt, u32 unit)
{
	u32 i, shown = 0;

	for (i = 0; i < GSLOT_UNIT_PAGES; i++)
		shown += !!ggtt->shown[unit * GSLOT_UNIT_PAGES + i];
	ggtt->resident.units[unit].shown = shown;
}

/*
 * Propagate changed entries, in ascending order, to the physical GGTT. When this returns no GGTT
 * lookup finds what they showed before.
 */
void gslot_ggtt_update(struct gslot_ggtt *ggtt, const u32 *entries, u32 count)
{
	struct gslot_runs *runs = ggtt->cfg.runs;
	u32 i;

	lockdep_assert_held(&ggtt->cfg.lock->mutex);
	mutex_lock(&runs->lock);
	for (i = 0; i < count; i++) {
		u32 unit = entries[i] / GSLOT_UNIT_PAGES;

		resident_update(ggtt, unit, entries[i]);
		if (unit && entries[i] % GSLOT_UNIT_PAGES == 0)
			resident_update(ggtt, unit - 1, entries[i]);
		if (i + 1 == count || entries[i + 1] / GSLOT_UNIT_PAGES != unit)
			resident_count_shown(ggtt, unit);
	}
	/* A run of these entries may be another vGPU's by now, and not flushed yet. */
	gslot_runs_flush(runs);
	mutex_unlock(&runs->lock);
}

/* Evict some of the units from @unit up to @end. Return: the unit to go on with. */
static u32 resident_evict_some(struct gslot_ggtt *ggtt, u32 unit, u32 end)
{
	struct gslot_runs *runs = ggtt->cfg.runs;
	u32 run, evicted = 0;

	mutex_lock(&runs->lock);
	for (; ggtt->resident.resident && unit < end; unit++) {
		run = ggtt->resident.units[unit].run;
		if (run == GSLOT_NO_RUN)
			continue;
		if (evicted++ == EVICT_BATCH)
			break;
		gslot_runs_clear(runs, run);
		gslot_residency_drop(&runs->residency, &ggtt->resident, unit);
	}
	if (!ggtt->resident.resident)
		unit = end;
	gslot_runs_flush(runs);
	mutex_unlock(&runs->lock);
	return unit;
}

/* There may be many: the lock is released in between. */
static void resident_evict_units(struct gslot_ggtt *ggtt, u32 unit, u32 end)
{
	while (unit < end) {
		unit = resident_evict_some(ggtt, unit, end);
		cond_resched();
	}
}

/**
 * gslot_ggtt_evict() - evict all units, until no GGTT lookup finds a page of them
 * @ggtt: the private GGTT; none of them is held
 *
 * Context: the vGPU's lock is held; may sleep.
 */
void gslot_ggtt_evict(struct gslot_ggtt *ggtt)
{
	lockdep_assert_held(&ggtt->cfg.lock->mutex);
	WARN_ON(ggtt->resident.held);
	resident_evict_units(ggtt, 0, ggtt->resident.count);
}

/*
 * Renumber the resident units after a change of the window; the entries have the new numbers
 * already. @kept has the ranges of units that stay, in ascending order; no unit outside of them is
 * held. Physical entries stay as they are, except those of a page that is no longer behind a unit.
 */
void gslot_ggtt_keep_units(struct gslot_ggtt *ggtt, const struct gslot_units_kept *kept,
			   u32 nr_kept)
{
	struct gslot_runs *runs = ggtt->cfg.runs;
	u32 i, gone = 0;

	lockdep_assert_held(&ggtt->cfg.lock->mutex);
	for (i = 0; i < nr_kept; i++) {
		resident_evict_units(ggtt, gone, kept[i].from);
		gone = kept[i].from + kept[i].count;
	}
	resident_evict_units(ggtt, gone, ggtt->resident.count);

	mutex_lock(&runs->lock);
	gslot_residency_resize(&runs->residency, &ggtt->resident, ggtt->units,
			       ggtt->nr_entries / GSLOT_UNIT_PAGES, kept, nr_kept);
	for (i = 0; i < nr_kept; i++) {
		u32 behind = kept[i].to + kept[i].count;

		resident_update(ggtt, behind - 1, behind * GSLOT_UNIT_PAGES);
	}
	gslot_runs_flush(runs);
	mutex_unlock(&runs->lock);
}

/* Let units of a private GGTT become resident; none of them is. */
void gslot_ggtt_join(struct gslot_ggtt *ggtt)
{
	struct gslot_runs *runs = ggtt->cfg.runs;

	mutex_lock(&runs->lock);
	gslot_residency_join(&runs->residency, &ggtt->resident, ggtt->units,
			     ggtt->nr_entries / GSLOT_UNIT_PAGES);
	mutex_unlock(&runs->lock);
}

/* Undo gslot_ggtt_join(); no unit is resident. */
void gslot_ggtt_leave(struct gslot_ggtt *ggtt)
{
	struct gslot_runs *runs = ggtt->cfg.runs;
	/* A vGPU that could not be opened leaves while the policy may be changed. */
	struct gslot_copy_policy *policy = READ_ONCE(runs->policy);

	if (unlikely(policy))
		policy->ops->leave(policy, ggtt);
	mutex_lock(&runs->lock);
	gslot_residency_leave(&runs->residency, &ggtt->resident);
	mutex_unlock(&runs->lock);
}
