// SPDX-License-Identifier: GPL-2.0
/*
 * The policy `score`, gScale's: no vGPU ever moves. A new one goes where the fewest are: the score
 * of a place is the sum of the users of its slots, and the left-most place with the lowest score is
 * taken.
 */
#include "placement_priv.h"

static u32 score_lowest(const struct gslot_placement *p, const struct gslot_place_load *load,
			u32 size)
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

static void score_place(struct gslot_placement *p)
{
	struct gslot_place_load load;
	u32 i;

	gslot_place_stay(p);
	gslot_place_fill(&load, p);
	for (i = 0; i < p->count; i++) {
		struct gslot_place_vgpu *v = &p->vgpus[i];

		if (v->idle || v->place != GSLOT_PLACE_NONE)
			continue;
		v->next = score_lowest(p, &load, v->size);
		gslot_place_add(&load, v, v->next);
	}
}

const struct gslot_place_ops gslot_place_score = {
	.name = "score",
	.place = score_place,
};
