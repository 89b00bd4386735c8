// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: a private GGTT with a place in the physical one
 *
 * The place of a vGPU says which physical entries show what its commands name, so addresses are
 * known when commands are prepared. But vGPUs may share a place: so the entries are written before
 * the vGPU gets an engine, and what it names while it may have the engines before that is queued.
 * See "Places" in docs/graphics-memory.md.
 *
 * The loader's thread takes the lock of the runs alone. A task that changes an entry meanwhile
 * writes it under the same lock, before its page is released.
 */
#include <linux/ktime.h>

#include "places_priv.h"
#include "base/trace.h"
#include "gm/ggtt_units.h"

/* An access may begin in the last page of a unit and end in the next unit. */
static bool placed_reaches_next(const struct gslot_resident *r, u32 entry)
{
	u32 next = entry / GSLOT_UNIT_PAGES + 1;

	return entry % GSLOT_UNIT_PAGES == GSLOT_UNIT_PAGES - 1 && next != r->low &&
	       next != r->count;
}

/* The run that this returns shows the entry's unit when it is loaded. */
u32 placed_hold(struct gslot_copy_policy *policy, struct gslot_ggtt *ggtt, u32 entry)
{
	struct gslot_gpu_places *places = places_of(policy);
	struct gslot_resident *r = gslot_ggtt_units(ggtt);
	u32 unit = entry / GSLOT_UNIT_PAGES, run;

	mutex_lock(&places->vgpus->runs.lock);
	gslot_loading_hold(&places->loading, r, unit);
	if (placed_reaches_next(r, entry))
		gslot_loading_hold(&places->loading, r, unit + 1);
	run = gslot_loading_run(r, unit);
	mutex_unlock(&places->vgpus->runs.lock);
	return run;
}

void placed_release(struct gslot_copy_policy *policy, struct gslot_ggtt *ggtt, u32 entry)
{
	struct gslot_gpu_places *places = places_of(policy);
	struct gslot_resident *r = gslot_ggtt_units(ggtt);
	u32 unit = entry / GSLOT_UNIT_PAGES;

	mutex_lock(&places->vgpus->runs.lock);
	gslot_loading_release(&places->loading, r, unit);
	if (placed_reaches_next(r, entry))
		gslot_loading_release(&places->loading, r, unit + 1);
	mutex_unlock(&places->vgpus->runs.lock);
}

/* Return: how many entries were written; 0: the pass is over. */
static u32 placed_load_some(struct gslot_gpu_places *places, struct gslot_ggtt *ggtt,
			    struct gslot_loading_pass *pass)
{
	struct gslot_runs *runs = &places->vgpus->runs;
	u32 n;

	if (!gslot_loading_next(&places->loading, pass))
		return 0;
	n = pass->count * GSLOT_UNIT_PAGES;
	gslot_ggtt_ptes(ggtt, pass->unit, pass->count, places->ptes);
	gslot_runs_write(runs, pass->run, 0, places->ptes, n);
	if (pass->why == GSLOT_LOADING_AHEAD)
		places->stats.ahead += n;
	else if (pass->unit < pass->client->low)
		places->stats.low += n;
	else
		places->stats.high += n;
	return n;
}

void placed_publish(struct gslot_copy_policy *policy, struct gslot_ggtt *ggtt)
{
	struct gslot_gpu_places *places = places_of(policy);
	struct gslot_loading_pass pass = {
		.why = GSLOT_LOADING_MORE, .client = gslot_ggtt_units(ggtt),
	};
	struct gslot_runs *runs = &places->vgpus->runs;

	mutex_lock(&runs->lock);
	if (places->loading.active == pass.client) {
		while (placed_load_some(places, ggtt, &pass))
			;
		gslot_runs_flush(runs);
	}
	mutex_unlock(&runs->lock);
}

/* An estimate, as no lock is taken. The rule does not change meanwhile. */
u32 placed_to_copy(struct gslot_copy_policy *policy, struct gslot_ggtt *ggtt)
{
	const struct gslot_loading *loading = &places_of(policy)->loading;
	const struct gslot_resident *r = gslot_ggtt_units(ggtt);

	if (READ_ONCE(loading->active) == r)
		return 0;
	return loading->rule->shared ? GSLOT_SLOT_UNITS : READ_ONCE(r->missing);
}

/*
 * Load the entries of a vGPU that is to have the engines, now or next, in the loader's thread. The
 * lock of the runs is released between two steps. Meanwhile placed_publish() may load units of the
 * active vGPU: that is this one, or, with GSLOT_LOADING_AHEAD, one that loses no unit that its
 * commands name.
 */
void placed_load(struct gslot_gpu_places *places, struct gslot_ggtt *ggtt,
		 enum gslot_loading_why why)
{
	struct gslot_loading_pass pass = { .why = why, .client = gslot_ggtt_units(ggtt) };
	struct gslot_runs *runs = &places->vgpus->runs;
	ktime_t begin = ktime_get();
	u32 n, written = 0;

	do {
		mutex_lock(&runs->lock);
		n = placed_load_some(places, ggtt, &pass);
		written += n;
		if (!n)
			gslot_runs_flush(runs);
		if (!n && written && why == GSLOT_LOADING_SWITCH) {
			places->stats.loads++;
			places->stats.load_ns += ktime_to_ns(ktime_sub(ktime_get(), begin));
		}
		mutex_unlock(&runs->lock);
	} while (n);
	/* base/trace.h has their names. */
	static_assert(GSLOT_LOADING_SWITCH == 0 && GSLOT_LOADING_AHEAD == 2);
	trace_gslot_place_load(gslot_ggtt_name(ggtt), why, written,
			       ktime_to_ns(ktime_sub(ktime_get(), begin)));
}

static void placed_forget(struct gslot_gpu_places *places, struct gslot_ggtt *ggtt)
{
	mutex_lock(&places->vgpus->runs.lock);
	gslot_loading_leave(&places->loading, gslot_ggtt_units(ggtt));
	mutex_unlock(&places->vgpus->runs.lock);
}

/* The other vGPUs may move then. */
void placed_leave(struct gslot_copy_policy *policy, struct gslot_ggtt *ggtt)
{
	struct gslot_gpu_places *places = places_of(policy);

	placed_forget(places, ggtt);
	place_look_again(places, 0);
}

/* Nothing is held. The vGPU is quiesced until it has another place, or there are none. */
void placed_unplace(struct gslot_gpu_places *places, struct gslot_ggtt *ggtt)
{
	gslot_ggtt_evict(ggtt);
	placed_forget(places, ggtt);
}

/* Give a private GGTT a place, from the slot @place on for its high graphics memory. */
void placed_place(struct gslot_gpu_places *places, struct gslot_ggtt *ggtt, u32 place)
{
	struct gslot_resident *r = gslot_ggtt_units(ggtt);

	mutex_lock(&places->vgpus->runs.lock);
	r->low = gslot_ggtt_low_units(ggtt);
	gslot_loading_move(&places->loading, r, place);
	mutex_unlock(&places->vgpus->runs.lock);
}

/* Until placed_end_resize() the vGPU is quiesced, and nothing of it is held. It keeps its place. */
void placed_begin_resize(struct gslot_gpu_places *places, struct gslot_ggtt *ggtt)
{
	gslot_ggtt_evict(ggtt);
	mutex_lock(&places->vgpus->runs.lock);
	gslot_loading_begin_resize(&places->loading, gslot_ggtt_units(ggtt));
	mutex_unlock(&places->vgpus->runs.lock);
}

/* The vGPU has new units, which fit into its place, or still the old ones. */
void placed_end_resize(struct gslot_gpu_places *places, struct gslot_ggtt *ggtt)
{
	mutex_lock(&places->vgpus->runs.lock);
	gslot_loading_end_resize(&places->loading, gslot_ggtt_units(ggtt),
				 gslot_ggtt_low_units(ggtt));
	mutex_unlock(&places->vgpus->runs.lock);
}

/* Return: the first slot of a private GGTT, or GSLOT_PLACE_NONE. */
u32 placed_place_of(struct gslot_gpu_places *places, struct gslot_ggtt *ggtt)
{
	u32 place;

	mutex_lock(&places->vgpus->runs.lock);
	place = gslot_ggtt_units(ggtt)->place;
	mutex_unlock(&places->vgpus->runs.lock);
	return place;
}

/* Let a private GGTT count among those that share slots, unless it is idle. */
void placed_set_idle(struct gslot_gpu_places *places, struct gslot_ggtt *ggtt, bool idle)
{
	mutex_lock(&places->vgpus->runs.lock);
	gslot_loading_set_idle(&places->loading, gslot_ggtt_units(ggtt), idle);
	mutex_unlock(&places->vgpus->runs.lock);
}
