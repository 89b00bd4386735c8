// SPDX-License-Identifier: GPL-2.0
/*
 * Better places by few moves: the vGPUs that cause most copies are placed anew. And if a vGPU is
 * better off where it was, those that overlap it there are placed anew.
 */
#include "placement_priv.h"

/* How many tries there are at most; and how many vGPUs all tries look at, together. */
#define MOST_TRIES	8u
#define LOOKS		64u

static u32 evict_most_tries(u32 n)
{
	return min(MOST_TRIES, LOOKS / n + 1);
}

/* How many copies are saved by taking a vGPU out. */
static u64 evict_saved(const struct gslot_place_load *load, const struct gslot_place_vgpu *v)
{
	u64 copies = 0;
	u32 i;

	for (i = v->next; i < v->next + v->size; i++)
		if (load->count[i] == 2)
			copies += load->use[i];
		else if (load->count[i] > 2)
			copies += gslot_place_use(v);
	return copies;
}

/* The vGPU with a place that saves most for its size if it moves; NULL: none is worth it. */
static struct gslot_place_vgpu *evict_worst(const struct gslot_placement *p,
					    const struct gslot_place_load *load)
{
	struct gslot_place_vgpu *worst = NULL;
	u64 copies, most = 0;
	u32 i;

	for (i = 0; i < p->count; i++) {
		struct gslot_place_vgpu *v = &p->vgpus[i];

		if (v->next == GSLOT_PLACE_NONE)
			continue;
		copies = evict_saved(load, v);
		if (copies * p->rounds <= gslot_place_moving(v, GSLOT_PLACE_NONE))
			continue;
		if (!worst || copies * worst->size > most * v->size) {
			worst = v;
			most = copies;
		}
	}
	return worst;
}

/* Place those that are out where that costs least, and take them out again. */
static void evict_try_places(struct gslot_placement *p, u32 n, u64 *lowest)
{
	gslot_place_remember(p);
	gslot_place_insert(p, n);
	gslot_place_descend(p, n, 1);
	gslot_place_consider(p, lowest);
	gslot_place_recall(p);
}

/*
 * Look for places that cost less than @lowest, by few moves. @order is set; @n are awake. Sets
 * @best.
 */
void gslot_place_evict(struct gslot_placement *p, u32 n, u64 *lowest)
{
	struct gslot_place_load load;
	struct gslot_place_vgpu *v;
	u32 out = 0;

	gslot_place_stay(p);
	gslot_place_fill(&load, p);
	for (v = evict_worst(p, &load); v; v = evict_worst(p, &load)) {
		gslot_place_remove(&load, v, v->next);
		v->next = GSLOT_PLACE_NONE;
		if (++out <= evict_most_tries(n))
			evict_try_places(p, n, lowest);
	}
	if (out > evict_most_tries(n))
		evict_try_places(p, n, lowest);
}

/* Move a vGPU back to where it was, and those that overlap it there elsewhere. */
static void evict_go_back(struct gslot_placement *p, u32 n, struct gslot_place_vgpu *v)
{
	u64 mask = gslot_place_mask(v, v->place);
	u32 i;

	for (i = 0; i < p->count; i++)
		if (gslot_place_mask(&p->vgpus[i], p->vgpus[i].next) & mask)
			p->vgpus[i].next = GSLOT_PLACE_NONE;
	v->next = v->place;
	gslot_place_insert(p, n);
	gslot_place_descend(p, n, 1);
}

/*
 * Look for places that cost less than @lowest, by moving others. @order and @best are set; @n are
 * awake. Sets @best.
 */
void gslot_place_go_back(struct gslot_placement *p, u32 n, u64 *lowest)
{
	u32 k, tries = 0;

	for (k = 0; k < n && tries < evict_most_tries(n); k++) {
		struct gslot_place_vgpu *v = &p->vgpus[p->vgpus[k].order];

		if (v->place == GSLOT_PLACE_NONE || v->best == v->place)
			continue;
		gslot_place_take_best(p);
		evict_go_back(p, n, v);
		gslot_place_consider(p, lowest);
		tries++;
	}
}
