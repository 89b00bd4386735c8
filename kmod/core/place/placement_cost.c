// SPDX-License-Identifier: GPL-2.0
/* The cost of places: how many slots are copied. */
#include "placement_priv.h"

/**
 * gslot_place_add() - add a vGPU to the load of slots
 * @load: the load
 * @v: the vGPU
 * @place: its first slot, or GSLOT_PLACE_NONE
 */
void gslot_place_add(struct gslot_place_load *load, const struct gslot_place_vgpu *v, u32 place)
{
	u32 i;

	if (place == GSLOT_PLACE_NONE)
		return;
	for (i = place; i < place + v->size; i++) {
		load->count[i]++;
		load->use[i] += gslot_place_use(v);
	}
}

/**
 * gslot_place_remove() - undo gslot_place_add()
 * @load: the load
 * @v: the vGPU
 * @place: its first slot, or GSLOT_PLACE_NONE
 */
void gslot_place_remove(struct gslot_place_load *load, const struct gslot_place_vgpu *v, u32 place)
{
	u32 i;

	if (place == GSLOT_PLACE_NONE)
		return;
	for (i = place; i < place + v->size; i++) {
		load->count[i]--;
		load->use[i] -= gslot_place_use(v);
	}
}

/**
 * gslot_place_fill() - compute the load of all slots
 * @load: to be set
 * @p: the vGPUs and slots; by @next
 */
void gslot_place_fill(struct gslot_place_load *load, const struct gslot_places *p)
{
	u32 i;

	memset(load, 0, sizeof(*load));
	for (i = 0; i < p->count; i++)
		gslot_place_add(load, &p->vgpus[i], p->vgpus[i].next);
}

/**
 * gslot_place_shared() - how many slots will be shared
 * @p: the vGPUs and slots; by @next
 *
 * Return: how many.
 */
u32 gslot_place_shared(const struct gslot_places *p)
{
	struct gslot_place_load load;
	u32 i, shared = 0;

	gslot_place_fill(&load, p);
	for (i = 0; i < p->slots; i++)
		shared += load.count[i] > 1;
	return shared;
}

/**
 * gslot_place_copies() - how many slots are copied in a round
 * @p: the vGPUs and slots; by @next
 *
 * A slot that several share is copied whenever one of them is switched in, as another was there
 * meanwhile.
 *
 * Return: the expected number, times GSLOT_PLACE_ALWAYS.
 */
u64 gslot_place_copies(const struct gslot_places *p)
{
	struct gslot_place_load load;
	u64 copies = 0;
	u32 i;

	gslot_place_fill(&load, p);
	for (i = 0; i < p->slots; i++)
		if (load.count[i] > 1)
			copies += load.use[i];
	return copies;
}

/**
 * gslot_place_moving() - what it costs to move a vGPU
 * @v: the vGPU
 * @place: its new place
 *
 * A vGPU without a place costs nothing, since it needs one.
 *
 * Return: slots copied, times GSLOT_PLACE_ALWAYS.
 */
u64 gslot_place_moving(const struct gslot_place_vgpu *v, u32 place)
{
	if (v->place == GSLOT_PLACE_NONE || v->place == place)
		return 0;
	return (u64)v->size * GSLOT_PLACE_MOVE * GSLOT_PLACE_ALWAYS;
}

/**
 * gslot_place_cost() - how many slots are copied as long as places last
 * @p: the vGPUs and slots; by @next
 *
 * Return: the expected number, those of moving included, times GSLOT_PLACE_ALWAYS.
 */
u64 gslot_place_cost(const struct gslot_places *p)
{
	u64 cost = gslot_place_copies(p) * p->rounds;
	u32 i;

	for (i = 0; i < p->count; i++)
		if (!p->vgpus[i].idle)
			cost += gslot_place_moving(&p->vgpus[i], p->vgpus[i].next);
	return cost;
}
