// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: a private GGTT with a place in the physical one
 *
 * Where what prepared commands name will be is known as soon as they are prepared; that it is
 * there, when the vGPU gets the GPU: others may have the same place (core/place/loading.h). So the
 * scheduler has it loaded before it gives the vGPU an engine; and what commands name that are
 * prepared while it has one, or may have, is loaded before they are queued. If it has none any
 * more by then, it is loaded again before it gets one.
 *
 * The scheduler's thread has the lock of the entries alone. An entry that changes meanwhile is
 * written by whoever changes it, with the same lock, before its page is let go of.
 */
#include <linux/ktime.h>

#include "ggtt_priv.h"
#include "base/guest_error.h"
#include "base/trace.h"

/* The access may begin in the last page of a unit, and end in the next one. */
static bool reaches_on(const struct gslot_ggtt *ggtt, u32 entry)
{
	u32 next = entry + 1;

	return next % GSLOT_UNIT_PAGES == 0 && next != ggtt->nr_low && next != ggtt->nr_entries;
}

/**
 * gslot_ggtt_hold_placed() - commands name an entry
 * @ggtt: the private GGTT; it has a place
 * @entry: of its window
 *
 * Context: the vGPU's lock is held; may sleep.
 */
void gslot_ggtt_hold_placed(struct gslot_ggtt *ggtt, u32 entry)
{
	struct gslot_runs *runs = ggtt->cfg.runs;
	u32 unit = entry / GSLOT_UNIT_PAGES;

	lockdep_assert_held(&ggtt->cfg.lock->mutex);
	mutex_lock(&runs->lock);
	gslot_loading_hold(&runs->loading, &ggtt->resident, unit);
	if (reaches_on(ggtt, entry))
		gslot_loading_hold(&runs->loading, &ggtt->resident, unit + 1);
	mutex_unlock(&runs->lock);
}

/**
 * gslot_ggtt_release_placed() - undo gslot_ggtt_hold_placed()
 * @ggtt: the private GGTT
 * @entry: the same
 *
 * Context: the vGPU's lock is held; may sleep.
 */
void gslot_ggtt_release_placed(struct gslot_ggtt *ggtt, u32 entry)
{
	struct gslot_runs *runs = ggtt->cfg.runs;
	u32 unit = entry / GSLOT_UNIT_PAGES;

	lockdep_assert_held(&ggtt->cfg.lock->mutex);
	mutex_lock(&runs->lock);
	gslot_loading_release(&runs->loading, &ggtt->resident, unit);
	if (reaches_on(ggtt, entry))
		gslot_loading_release(&runs->loading, &ggtt->resident, unit + 1);
	mutex_unlock(&runs->lock);
}

/* Return: how many entries were written; 0: the pass is over. */
static u32 load_stretch(struct gslot_ggtt *ggtt, struct gslot_loading_pass *pass)
{
	struct gslot_runs *runs = ggtt->cfg.runs;
	u32 first, i, n;

	if (!gslot_loading_next(&runs->loading, pass))
		return 0;
	first = pass->unit * GSLOT_UNIT_PAGES;
	n = pass->count * GSLOT_UNIT_PAGES;
	for (i = 0; i < n; i++)
		runs->ptes[i] = gslot_ggtt_pte(ggtt, first + i);
	gslot_runs_write(runs, pass->run, 0, runs->ptes, n);
	if (pass->why == GSLOT_LOADING_AHEAD)
		runs->stats.ahead += n;
	else if (first < ggtt->nr_low)
		runs->stats.low += n;
	else
		runs->stats.high += n;
	return n;
}

/**
 * gslot_ggtt_publish_placed() - load what commands name that may be executed at once
 * @ggtt: the private GGTT; it has a place
 *
 * Context: the vGPU's lock is held; may sleep.
 */
void gslot_ggtt_publish_placed(struct gslot_ggtt *ggtt)
{
	struct gslot_loading_pass pass = {
		.why = GSLOT_LOADING_MORE, .client = &ggtt->resident,
	};
	struct gslot_runs *runs = ggtt->cfg.runs;

	lockdep_assert_held(&ggtt->cfg.lock->mutex);
	mutex_lock(&runs->lock);
	if (runs->loading.active == &ggtt->resident) {
		while (load_stretch(ggtt, &pass))
			;
		gslot_runs_flush(runs);
	}
	mutex_unlock(&runs->lock);
}

/**
 * gslot_ggtt_to_copy() - how much would have to be copied for a vGPU to have the GPU?
 * @ggtt: the private GGTT; it has a place
 *
 * Return: units, roughly: it may be another number at once.
 * Context: any; no GGTT gets a place, or needs none any more.
 */
u32 gslot_ggtt_to_copy(const struct gslot_ggtt *ggtt)
{
	const struct gslot_loading *loading = &ggtt->cfg.runs->loading;

	if (READ_ONCE(loading->active) == &ggtt->resident)
		return 0;
	return loading->rule->shared ? GSLOT_SLOT_UNITS : READ_ONCE(ggtt->resident.missing);
}

/**
 * gslot_ggtt_load() - a vGPU is to have the GPU, now or next
 * @ggtt: the private GGTT; it has a place
 * @why: which of these
 *
 * The lock of the entries is let go of again and again. Nobody else loads meanwhile but who has
 * the GPU, and that is none, or is not in the way.
 * Context: the scheduler's thread; may sleep.
 */
void gslot_ggtt_load(struct gslot_ggtt *ggtt, enum gslot_loading_why why)
{
	struct gslot_loading_pass pass = { .why = why, .client = &ggtt->resident };
	struct gslot_runs *runs = ggtt->cfg.runs;
	ktime_t begin = ktime_get();
	u32 n, written = 0;

	do {
		mutex_lock(&runs->lock);
		n = load_stretch(ggtt, &pass);
		written += n;
		if (!n)
			gslot_runs_flush(runs);
		if (!n && written && why == GSLOT_LOADING_SWITCH) {
			runs->stats.loads++;
			runs->stats.load_ns += ktime_to_ns(ktime_sub(ktime_get(), begin));
		}
		mutex_unlock(&runs->lock);
	} while (n);
	trace_gslot_place_load(dev_name(ggtt->cfg.guest_errors->dev), why, written,
			       ktime_to_ns(ktime_sub(ktime_get(), begin)));
}

/**
 * gslot_ggtt_unplace() - take a private GGTT's place
 * @ggtt: the private GGTT; it holds nothing, and stands still until it has one again, or needs
 *	none
 *
 * Context: the vGPU's lock is held; may sleep.
 */
void gslot_ggtt_unplace(struct gslot_ggtt *ggtt)
{
	struct gslot_runs *runs = ggtt->cfg.runs;

	lockdep_assert_held(&ggtt->cfg.lock->mutex);
	gslot_ggtt_evict(ggtt);
	mutex_lock(&runs->lock);
	gslot_loading_leave(&runs->loading, &ggtt->resident);
	mutex_unlock(&runs->lock);
}

/**
 * gslot_ggtt_place() - give a private GGTT a place
 * @ggtt: the private GGTT; it has none
 * @place: the first slot of its high graphics memory
 *
 * Context: the vGPU's lock is held; may sleep.
 */
void gslot_ggtt_place(struct gslot_ggtt *ggtt, u32 place)
{
	struct gslot_runs *runs = ggtt->cfg.runs;

	lockdep_assert_held(&ggtt->cfg.lock->mutex);
	mutex_lock(&runs->lock);
	gslot_loading_move(&runs->loading, &ggtt->resident, place);
	mutex_unlock(&runs->lock);
}

/**
 * gslot_ggtt_place_of() - where is it?
 * @ggtt: the private GGTT
 *
 * Return: its first slot, or GSLOT_PLACE_NONE.
 * Context: may sleep.
 */
u32 gslot_ggtt_place_of(struct gslot_ggtt *ggtt)
{
	struct gslot_runs *runs = ggtt->cfg.runs;
	u32 place;

	mutex_lock(&runs->lock);
	place = ggtt->resident.place;
	mutex_unlock(&runs->lock);
	return place;
}

/**
 * gslot_ggtt_set_idle() - does it count among those who share slots?
 * @ggtt: the private GGTT
 * @idle: it does not
 *
 * Context: may sleep.
 */
void gslot_ggtt_set_idle(struct gslot_ggtt *ggtt, bool idle)
{
	struct gslot_runs *runs = ggtt->cfg.runs;

	mutex_lock(&runs->lock);
	gslot_loading_set_idle(&runs->loading, &ggtt->resident, idle);
	mutex_unlock(&runs->lock);
}
