// SPDX-License-Identifier: GPL-2.0
/*
 * The policy `score`, gScale's: nobody ever moves, and who comes goes where the fewest are:
 * each slot of a place counts as often as it is taken, and the left-most of those with the
 * lowest sum is it.
 */
#include "placement_priv.h"

static u32 lowest_score(const struct gslot_places *p, const struct gslot_place_load *load, u32 size)
{
	u32 i, place = 0, score = 0, lowest;

	for (i = 0; i < size; i++)
		score += load->count[i];
	lowest = score;
	for (i = size; i < p->slots; i++) {
		score += load->count[i] - load->count[i - size];
		if (score < lowest) {
			lowest = score;
			place = i - size + 1;
		}
	}
	return place;
}

static void score_place(struct gslot_places *p)
{
	struct gslot_place_load load;
	u32 i;

	gslot_place_stay(p);
	gslot_place_fill(&load, p);
	for (i = 0; i < p->count; i++) {
		struct gslot_place_vgpu *v = &p->vgpus[i];

		if (v->idle || v->place != GSLOT_PLACE_NONE)
			continue;
		v->next = lowest_score(p, &load, v->size);
		gslot_place_add(&load, v, v->next);
	}
}

const struct gslot_place_ops gslot_place_score = {
	.name = "score",
	.place = score_place,
};
