// SPDX-License-Identifier: GPL-2.0
/*
 * The policy `size`, DymGPU's first: the fewest shared slots. The largest vGPUs stand side by
 * side, and all others where the last of these begins.
 *
 * A new vGPU goes there as well, if that is no worse than placing all anew. All are placed anew
 * when a vGPU left that had slots for itself.
 */
#include "placement_priv.h"

static bool size_larger(const struct gslot_place_vgpu *a, const struct gslot_place_vgpu *b)
{
	return a->size > b->size;
}

/* Whether a vGPU that left had slots that no remaining one uses. */
static bool size_freed(const struct gslot_placement *p)
{
	u64 left = 0, stay = 0;
	u32 i;

	for (i = 0; i < p->count; i++) {
		const struct gslot_place_vgpu *v = &p->vgpus[i];

		if (v->idle)
			left |= gslot_place_mask(v, v->place);
		else
			stay |= gslot_place_mask(v, v->place);
	}
	return left & ~stay;
}

/* Where small vGPUs are sent */
struct pile {
	u32 place;	/* its first slot: the right-most at which a vGPU begins */
	/* How many slots the last two of those that stand side by side have in common */
	u32 overlap;
};

static struct pile size_find_pile(const struct gslot_placement *p)
{
	struct pile pile = { };
	u32 i, size = 0, end = 0;

	for (i = 0; i < p->count; i++) {
		const struct gslot_place_vgpu *v = &p->vgpus[i];

		if (v->next == GSLOT_PLACE_NONE)
			continue;
		if (v->next > pile.place) {
			pile.place = v->next;
			size = 0;
		}
		if (v->next == pile.place)
			size = max(size, v->size);
	}
	for (i = 0; i < p->count; i++) {
		const struct gslot_place_vgpu *v = &p->vgpus[i];

		if (v->next < pile.place)
			end = max(end, v->next + v->size);
	}
	if (end > pile.place)
		pile.overlap = min(end - pile.place, size);
	return pile;
}

/* Those that are placed, and @v with them. */
static void size_place_anew(struct gslot_placement *p, const struct gslot_place_vgpu *v)
{
	u32 i, n, kept = 0;

	n = gslot_place_sort(p, size_larger);
	for (i = 0; i < n; i++) {
		u32 one = p->vgpus[i].order;

		if (&p->vgpus[one] == v || p->vgpus[one].next != GSLOT_PLACE_NONE)
			p->vgpus[kept++].order = one;
	}
	gslot_place_chain(p, kept);
}

static void size_come(struct gslot_placement *p, struct gslot_place_vgpu *v)
{
	struct pile pile = size_find_pile(p);
	u32 shared = p->slots + 1;

	if (v->size <= p->slots - pile.place) {
		v->next = pile.place;
		if (v->size <= pile.overlap)
			return;
		shared = gslot_place_shared(p);
	}
	/* Placing all anew may turn out to be worse. */
	gslot_place_remember(p);
	size_place_anew(p, v);
	if (shared <= gslot_place_shared(p))
		gslot_place_recall(p);
}

static void size_place(struct gslot_placement *p)
{
	u32 i;

	if (size_freed(p)) {
		gslot_place_chain(p, gslot_place_sort(p, size_larger));
		return;
	}
	gslot_place_stay(p);
	for (i = 0; i < p->count; i++) {
		struct gslot_place_vgpu *v = &p->vgpus[i];

		if (!v->idle && v->next == GSLOT_PLACE_NONE)
			size_come(p, v);
	}
}

const struct gslot_place_ops gslot_place_size = {
	.name = "size",
	.place = size_place,
};
