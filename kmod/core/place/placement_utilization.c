// SPDX-License-Identifier: GPL-2.0
/*
 * The policy `utilization`, DymGPU's second: the vGPUs that run most share nothing. In order of
 * their use vGPUs stand side by side as long as there is room; all others stand at the right end.
 *
 * They are placed so after each period. Between two periods no vGPU moves; a new one goes where it
 * shares nothing, else to the right end.
 */
#include "placement_priv.h"

static bool utilization_busier(const struct gslot_place_vgpu *a, const struct gslot_place_vgpu *b)
{
	return a->use > b->use;
}

static void utilization_place_all(struct gslot_placement *p)
{
	struct gslot_place_vgpu *v = p->vgpus;
	u32 i, n = gslot_place_sort(p, utilization_busier), sum = 0;
	bool room = true;

	for (i = 0; i < n; i++) {
		struct gslot_place_vgpu *one = &v[v[i].order];

		room = room && one->size <= p->slots - sum;
		one->next = room ? sum : p->slots - one->size;
		if (room)
			sum += one->size;
	}
}

/* The lowest place at which a vGPU shares no slot, or GSLOT_PLACE_NONE. */
static u32 utilization_first_fit(const struct gslot_placement *p, const struct gslot_place_vgpu *v)
{
	u64 taken = gslot_place_taken(p);
	u32 place;

	for (place = 0; place <= p->slots - v->size; place++)
		if (!(taken & gslot_place_mask(v, place)))
			return place;
	return GSLOT_PLACE_NONE;
}

static void utilization_place(struct gslot_placement *p)
{
	u32 i;

	if (p->due) {
		utilization_place_all(p);
		return;
	}
	gslot_place_stay(p);
	for (i = 0; i < p->count; i++) {
		struct gslot_place_vgpu *v = &p->vgpus[i];

		if (v->idle || v->next != GSLOT_PLACE_NONE)
			continue;
		v->next = utilization_first_fit(p, v);
		if (v->next == GSLOT_PLACE_NONE)
			v->next = p->slots - v->size;
	}
}

const struct gslot_place_ops gslot_place_utilization = {
	.name = "utilization",
	.place = utilization_place,
};
