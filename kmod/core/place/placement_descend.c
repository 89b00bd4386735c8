// SPDX-License-Identifier: GPL-2.0
/* Better places, one vGPU at a time. */
#include "placement_priv.h"

/* What one more vGPU of this use adds to the copies of a slot. */
static u32 descend_added(const struct gslot_place_load *load, u32 slot, u32 use)
{
	if (!load->count[slot])
		return 0;
	return load->count[slot] == 1 ? load->use[slot] + use : use;
}

/* The place that costs least for @v, which is not in @load; where it is now if that is as good. */
static u32 descend_cheapest(const struct gslot_placement *p, const struct gslot_place_load *load,
			    const struct gslot_place_vgpu *v)
{
	u32 place, i, best = GSLOT_PLACE_NONE, use = gslot_place_use(v);
	u64 cost, lowest = ~0ull, copies = 0, moving = gslot_place_moving(v, GSLOT_PLACE_NONE);

	for (i = 0; i < v->size; i++)
		copies += descend_added(load, i, use);
	for (place = 0; place <= p->slots - v->size; place++) {
		cost = copies * p->rounds + (place == v->place ? 0 : moving);
		if (cost < lowest || (cost == lowest && place == v->next)) {
			lowest = cost;
			best = place;
		}
		if (place + v->size < p->slots)
			copies += descend_added(load, place + v->size, use);
		copies -= descend_added(load, place, use);
	}
	return best;
}

/* Find places for vGPUs without @next, one after another. @order is set; @n are awake. */
void gslot_place_insert(struct gslot_placement *p, u32 n)
{
	struct gslot_place_load load;
	u32 k;

	gslot_place_fill(&load, p);
	for (k = 0; k < n; k++) {
		struct gslot_place_vgpu *v = &p->vgpus[p->vgpus[k].order];

		if (v->next != GSLOT_PLACE_NONE)
			continue;
		v->next = descend_cheapest(p, &load, v);
		gslot_place_add(&load, v, v->next);
	}
}

/*
 * Find a better place for each of the @n vGPUs that are awake, as long as that makes a difference,
 * in @passes passes at most. @next and @order are set. No step costs more than it saves.
 */
void gslot_place_descend(struct gslot_placement *p, u32 n, u32 passes)
{
	struct gslot_place_load load;
	u32 k, pass, place;
	bool moved = true;

	gslot_place_fill(&load, p);
	for (pass = 0; moved && pass < passes; pass++) {
		moved = false;
		for (k = 0; k < n; k++) {
			struct gslot_place_vgpu *v = &p->vgpus[p->vgpus[k].order];

			gslot_place_remove(&load, v, v->next);
			place = descend_cheapest(p, &load, v);
			moved |= place != v->next;
			v->next = place;
			gslot_place_add(&load, v, place);
		}
	}
}
