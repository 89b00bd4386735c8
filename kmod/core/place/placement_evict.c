// SPDX-License-Identifier: GPL-2.0
/*
 * Better places by few moves: those in whose way others are most are placed anew. And if one is
 * better off where it was, those in its way are.
 */
#include "placement_priv.h"

/* How often places are tried, at most, and how often each of many vGPUs is looked at in all. */
#define MOST_TRIES	8u
#define LOOKS		64u

static u32 most_tries(u32 n)
{
	return min(MOST_TRIES, LOOKS / n + 1);
}

/* How many copies fewer there are if it is taken out. */
static u64 saved(const struct gslot_place_load *load, const struct gslot_place_vgpu *v)
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

/* Of those that are somewhere, the one that saves most for what it costs to move it, or NULL. */
static struct gslot_place_vgpu *worst(const struct gslot_places *p,
				      const struct gslot_place_load *load)
{
	struct gslot_place_vgpu *worst = NULL;
	u64 copies, most = 0;
	u32 i;

	for (i = 0; i < p->count; i++) {
		struct gslot_place_vgpu *v = &p->vgpus[i];

		if (v->next == GSLOT_PLACE_NONE)
			continue;
		copies = saved(load, v);
		if (copies * p->rounds <= gslot_place_moving(v, GSLOT_PLACE_NONE))
			continue;
		if (!worst || copies * worst->size > most * v->size) {
			worst = v;
			most = copies;
		}
	}
	return worst;
}

/* Those that are out go where that costs least; who is out is remembered. */
static void try_places(struct gslot_places *p, u32 n, u64 *lowest)
{
	u32 i;

	for (i = 0; i < p->count; i++)
		p->vgpus[i].was = p->vgpus[i].next;
	gslot_place_insert(p, n);
	gslot_place_descend(p, n, 1);
	gslot_place_consider(p, lowest);
	for (i = 0; i < p->count; i++)
		p->vgpus[i].next = p->vgpus[i].was;
}

/**
 * gslot_place_evict() - look for places that cost less, by few moves
 * @p: what there is; @order of its vGPUs is set; @best of them is, if there are such places
 * @n: how many are awake
 * @lowest: what the best known places cost
 */
void gslot_place_evict(struct gslot_places *p, u32 n, u64 *lowest)
{
	struct gslot_place_load load;
	struct gslot_place_vgpu *v;
	u32 out = 0;

	gslot_place_stay(p);
	gslot_place_fill(&load, p);
	for (v = worst(p, &load); v; v = worst(p, &load)) {
		gslot_place_remove(&load, v, v->next);
		v->next = GSLOT_PLACE_NONE;
		if (++out <= most_tries(n))
			try_places(p, n, lowest);
	}
	if (out > most_tries(n))
		try_places(p, n, lowest);
}

/* It goes where it was; who is in its way, somewhere else. */
static void go_back(struct gslot_places *p, u32 n, struct gslot_place_vgpu *v)
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

/**
 * gslot_place_go_back() - look for places that cost less, by moving others
 * @p: what there is; @order of its vGPUs is set; @best is, and is set if there are such places
 * @n: how many are awake
 * @lowest: what the best known places cost
 */
void gslot_place_go_back(struct gslot_places *p, u32 n, u64 *lowest)
{
	u32 k, tries = 0;

	for (k = 0; k < n && tries < most_tries(n); k++) {
		struct gslot_place_vgpu *v = &p->vgpus[p->vgpus[k].order];

		if (v->place == GSLOT_PLACE_NONE || v->best == v->place)
			continue;
		gslot_place_take_best(p);
		go_back(p, n, v);
		gslot_place_consider(p, lowest);
		tries++;
	}
}
