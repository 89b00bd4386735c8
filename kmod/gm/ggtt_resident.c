// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: what of a private GGTT is in the physical one
 *
 * What prepared commands name is held: it is resident, at the same place, from before they
 * are queued until they are retired (core/gtt/residency.h). It shows what the private GGTT shows;
 * so a change of that is written wherever it is resident, held or not.
 *
 * If vGPUs have places, what is held need not be resident: see ggtt_placed.c.
 */
#include "ggtt_priv.h"
#include "base/guest_error.h"
#include "hw/hw.h"
#include "base/trace.h"

/* Units that are evicted before somebody else gets the lock. */
#define EVICT_BATCH	64

/* The guest's graphics address of a unit. */
static u64 addr_of(const struct gslot_ggtt *ggtt, u32 unit)
{
	u32 entry = unit * GSLOT_UNIT_PAGES;

	if (entry >= ggtt->nr_low)
		entry += GGTT_LOW_PAGES - ggtt->nr_low;
	return (u64)entry << GEN_PAGE_SHIFT;
}

static void load(struct gslot_ggtt *ggtt, u32 unit)
{
	u32 run = ggtt->resident.units[unit].run, i;
	u64 ptes[GSLOT_RUN_ENTRIES];

	for (i = 0; i < GSLOT_RUN_ENTRIES; i++)
		ptes[i] = gslot_ggtt_pte(ggtt, unit * GSLOT_UNIT_PAGES + i);
	gslot_runs_write(ggtt->cfg.runs, run, 0, ptes, GSLOT_RUN_ENTRIES);
	ggtt->loaded = true;
	trace_gslot_resident_load(dev_name(ggtt->cfg.guest_errors->dev), addr_of(ggtt, unit),
				  (u64)gslot_runs_entry(ggtt->cfg.runs, run) << GEN_PAGE_SHIFT);
}

/* Return: 0 or -errno. */
static int hold_first(struct gslot_ggtt *ggtt, u32 unit)
{
	struct gslot_runs *runs = ggtt->cfg.runs;
	int ret;

	mutex_lock(&runs->lock);
	ret = gslot_residency_hold(&runs->residency, &ggtt->resident, unit);
	if (ret > 0)
		load(ggtt, unit);
	mutex_unlock(&runs->lock);
	return min(ret, 0);
}

/* Does an access begin in a unit, and end in the next one? */
static bool is_across(u64 addr, u32 len)
{
	u64 unit_bytes = GSLOT_UNIT_PAGES << GEN_PAGE_SHIFT;

	return addr % unit_bytes + len > unit_bytes;
}

/**
 * gslot_ggtt_hold() - commands name graphics memory: have it resident
 * @ggtt: the private GGTT
 * @addr: the guest's graphics address
 * @len: bytes accessed there, less than a page
 * @phys: the physical one, valid until gslot_ggtt_release()
 *
 * The GPU sees it with gslot_ggtt_publish(); if vGPUs have places, when it is the vGPU's.
 *
 * Return: 0; -EDQUOT if the vGPU's own requests hold too much; -EBUSY if others do; or
 * -EFAULT if not all of it is the vGPU's own: commands that were checked once are held again
 * when the vGPU has less graphics memory.
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
	if (runs->loading.rule)
		gslot_ggtt_hold_placed(ggtt, entry);
	else if (!gslot_residency_hold_more(&ggtt->resident, unit))
		ret = hold_first(ggtt, unit);
	if (ret)
		return ret;
	run = runs->loading.rule ? gslot_loading_run(&ggtt->resident, unit) :
				   ggtt->resident.units[unit].run;
	*phys = ((u64)(gslot_runs_entry(runs, run) + entry % GSLOT_UNIT_PAGES) << GEN_PAGE_SHIFT) +
		offset_in_page(addr);
	ggtt->resident.units[unit].across += is_across(addr, len);
	return 0;
}

/**
 * gslot_ggtt_release() - undo gslot_ggtt_hold(): the commands are over
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
	/* What is held does not leave the window: gslot_ggtt_must_wait(). */
	if (WARN_ON_ONCE(entry < 0 || !ggtt->resident.units[unit].holds))
		return;
	ggtt->resident.units[unit].across -= is_across(addr, len);
	if (runs->loading.rule) {
		gslot_ggtt_release_placed(ggtt, entry);
		return;
	}
	if (gslot_residency_hold_less(&ggtt->resident, unit))
		return;
	mutex_lock(&runs->lock);
	gslot_residency_release(&runs->residency, &ggtt->resident, unit);
	mutex_unlock(&runs->lock);
}

/**
 * gslot_ggtt_publish() - let the GPU see what was made resident
 * @ggtt: the private GGTT
 *
 * Before commands that name it are queued. Costs nothing if nothing was.
 * Context: the vGPU's lock is held; may sleep.
 */
void gslot_ggtt_publish(struct gslot_ggtt *ggtt)
{
	lockdep_assert_held(&ggtt->cfg.lock->mutex);
	if (ggtt->cfg.runs->loading.rule)
		gslot_ggtt_publish_placed(ggtt);
	if (!ggtt->loaded)
		return;
	ggtt->loaded = false;
	mutex_lock(&ggtt->cfg.runs->lock);
	gslot_runs_flush(ggtt->cfg.runs);
	mutex_unlock(&ggtt->cfg.runs->lock);
}

/* An entry of a unit, or the one behind it, has changed. */
static void update(struct gslot_ggtt *ggtt, u32 unit, u32 entry)
{
	u32 run = ggtt->resident.units[unit].run, index = entry - unit * GSLOT_UNIT_PAGES;
	u64 pte = gslot_ggtt_pte(ggtt, entry);

	if (run != GSLOT_NO_RUN && index < ggtt->cfg.runs->stride)
		gslot_runs_write(ggtt->cfg.runs, run, index, &pte, 1);
}

static void count_shown(struct gslot_ggtt *ggtt, u32 unit)
{
	u32 i, shown = 0;

	for (i = 0; i < GSLOT_UNIT_PAGES; i++)
		shown += !!ggtt->shown[unit * GSLOT_UNIT_PAGES + i];
	ggtt->resident.units[unit].shown = shown;
}

/**
 * gslot_ggtt_update() - entries show something else: so does what is resident of them
 * @ggtt: the private GGTT
 * @entries: which, in order
 * @count: how many
 *
 * No GGTT lookup finds what they showed before when this returns.
 * Context: the vGPU's lock is held; may sleep.
 */
void gslot_ggtt_update(struct gslot_ggtt *ggtt, const u32 *entries, u32 count)
{
	struct gslot_runs *runs = ggtt->cfg.runs;
	u32 i;

	lockdep_assert_held(&ggtt->cfg.lock->mutex);
	mutex_lock(&runs->lock);
	for (i = 0; i < count; i++) {
		u32 unit = entries[i] / GSLOT_UNIT_PAGES;

		update(ggtt, unit, entries[i]);
		if (unit && entries[i] % GSLOT_UNIT_PAGES == 0)
			update(ggtt, unit - 1, entries[i]);
		if (i + 1 == count || entries[i + 1] / GSLOT_UNIT_PAGES != unit)
			count_shown(ggtt, unit);
	}
	/* What others wrote over it, too. */
	gslot_runs_flush(runs);
	mutex_unlock(&runs->lock);
}

/* Some of what is resident from a unit on, up to another. Return: the unit to go on with. */
static u32 evict_some(struct gslot_ggtt *ggtt, u32 unit, u32 end)
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
		if (runs->loading.rule)
			gslot_loading_drop(&runs->loading, &ggtt->resident, unit);
		else
			gslot_residency_drop(&runs->residency, &ggtt->resident, unit);
	}
	if (!ggtt->resident.resident)
		unit = end;
	gslot_runs_flush(runs);
	mutex_unlock(&runs->lock);
	return unit;
}

/* It may be much: others get the lock in between. */
static void evict_units(struct gslot_ggtt *ggtt, u32 unit, u32 end)
{
	while (unit < end) {
		unit = evict_some(ggtt, unit, end);
		cond_resched();
	}
}

/**
 * gslot_ggtt_evict() - nothing of the vGPU is to be resident
 * @ggtt: the private GGTT; nothing of it is held
 *
 * No GGTT lookup finds a page of it when this returns.
 * Context: the vGPU's lock is held; may sleep.
 */
void gslot_ggtt_evict(struct gslot_ggtt *ggtt)
{
	lockdep_assert_held(&ggtt->cfg.lock->mutex);
	WARN_ON(ggtt->resident.held);
	evict_units(ggtt, 0, ggtt->resident.count);
}

/**
 * gslot_ggtt_keep_units() - what is resident has other numbers
 * @ggtt: the private GGTT, whose entries have them already
 * @kept: which units before are which after, in ascending order
 * @nr_kept: how many such parts; nothing of what is in none of them is held
 *
 * The physical entries stay as they are, but for those of pages that were behind a unit and are
 * not any more.
 * Context: the vGPU's lock is held; may sleep.
 */
void gslot_ggtt_keep_units(struct gslot_ggtt *ggtt, const struct gslot_units_kept *kept,
			   u32 nr_kept)
{
	struct gslot_runs *runs = ggtt->cfg.runs;
	u32 i, gone = 0;

	lockdep_assert_held(&ggtt->cfg.lock->mutex);
	for (i = 0; i < nr_kept; i++) {
		evict_units(ggtt, gone, kept[i].from);
		gone = kept[i].from + kept[i].count;
	}
	evict_units(ggtt, gone, ggtt->resident.count);

	mutex_lock(&runs->lock);
	gslot_residency_resize(&runs->residency, &ggtt->resident, ggtt->units,
			       ggtt->nr_entries / GSLOT_UNIT_PAGES, kept, nr_kept);
	gslot_loading_set_low(&ggtt->resident, ggtt->nr_low / GSLOT_UNIT_PAGES);
	for (i = 0; i < nr_kept; i++) {
		u32 behind = kept[i].to + kept[i].count;

		update(ggtt, behind - 1, behind * GSLOT_UNIT_PAGES);
	}
	gslot_runs_flush(runs);
	mutex_unlock(&runs->lock);
}

/**
 * gslot_ggtt_join() - a private GGTT may have something resident
 * @ggtt: the private GGTT; nothing of it is
 *
 * Context: may sleep.
 */
void gslot_ggtt_join(struct gslot_ggtt *ggtt)
{
	struct gslot_runs *runs = ggtt->cfg.runs;

	mutex_lock(&runs->lock);
	gslot_residency_join(&runs->residency, &ggtt->resident, ggtt->units,
			     ggtt->nr_entries / GSLOT_UNIT_PAGES);
	gslot_loading_join(&runs->loading, &ggtt->resident, ggtt->nr_low / GSLOT_UNIT_PAGES);
	mutex_unlock(&runs->lock);
}

/**
 * gslot_ggtt_leave() - undo gslot_ggtt_join()
 * @ggtt: the private GGTT; nothing of it is resident
 *
 * Context: may sleep.
 */
void gslot_ggtt_leave(struct gslot_ggtt *ggtt)
{
	struct gslot_runs *runs = ggtt->cfg.runs;

	mutex_lock(&runs->lock);
	gslot_loading_leave(&runs->loading, &ggtt->resident);
	gslot_residency_leave(&runs->residency, &ggtt->resident);
	mutex_unlock(&runs->lock);
}
