// SPDX-License-Identifier: GPL-2.0
/* The cost of places: how many slots are copied. */
#include "placement_priv.h"

/* Count a vGPU at @place in the load (@by 1), or take it out (-1); no place: nothing. */
static void cost_count(struct gslot_place_load *load, const struct gslot_place_vgpu *v, u32 place,
		       int by)
{
	u32 i;

	if (place == GSLOT_PLACE_NONE)
		return;
	for (i = place; i < place + v->size; i++) {
		load->count[i] += by;
		load->use[i] += by * (int)gslot_place_use(v);
	}
}

void gslot_place_add(struct gslot_place_load *load, const struct gslot_place_vgpu *v, u32 place)
{
	cost_count(load, v, place, 1);
}

void gslot_place_remove(struct gslot_place_load *load, const struct gslot_place_vgpu *v, u32 place)
{
	cost_count(load, v, place, -1);
}

/* Compute the load of all slots, by @next. */
void gslot_place_fill(struct gslot_place_load *load, const struct gslot_placement *p)
{
	u32 i;

	memset(load, 0, sizeof(*load));
	for (i = 0; i < p->count; i++)
		gslot_place_add(load, &p->vgpus[i], p->vgpus[i].next);
}

/* How many slots will be shared, by @next. */
u32 gslot_place_shared(const struct gslot_placement *p)
{
	struct gslot_place_load load;
	u32 i, shared = 0;

	gslot_place_fill(&load, p);
	for (i = 0; i < p->slots; i++)
		shared += load.count[i] > 1;
	return shared;
}

/*
 * How many slots are copied in a round, by @next: the expected number, times GSLOT_PLACE_ALWAYS. A
 * slot that several share is copied whenever one of them is switched in, as another was there
 * meanwhile.
 */
u64 gslot_place_copies(const struct gslot_placement *p)
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

/*
 * What it costs to move a vGPU: slots copied, times GSLOT_PLACE_ALWAYS. A vGPU without a place
 * costs nothing, since it needs one.
 */
u64 gslot_place_moving(const struct gslot_place_vgpu *v, u32 place)
{
	if (v->place == GSLOT_PLACE_NONE || v->place == place)
		return 0;
	return (u64)v->size * GSLOT_PLACE_MOVE * GSLOT_PLACE_ALWAYS;
}

/*
 * How many slots are copied as long as places last, by @next: the expected number, those of moving
 * included, times GSLOT_PLACE_ALWAYS.
 */
u64 gslot_place_cost(const struct gslot_placement *p)
{
	u64 cost = gslot_place_copies(p) * p->rounds;
	u32 i;

	for (i = 0; i < p->count; i++)
		if (!p->vgpus[i].idle)
			cost += gslot_place_moving(&p->vgpus[i], p->vgpus[i].next);
	return cost;
}
