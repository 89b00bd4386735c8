// SPDX-License-Identifier: GPL-2.0
/*
 * A lower bound of the number of slots that are copied in a round, wherever vGPUs are.
 *
 * A slot that only one vGPU uses saves copies: the more, the more that vGPU runs. Let L be the size
 * of the largest vGPU that has no slot for itself: its L slots save nothing. Each larger vGPU has a
 * slot for itself.
 *
 * Lemma: no three of the larger vGPUs share a slot. Proof: two of the three would have the slot for
 * themselves on the same side of the shared one, and the vGPU that reaches farther on that side
 * would cover the slot of the other.
 *
 * So if the larger vGPUs need more slots than there are, at least the excess is shared. The rest of
 * the slots saves most if the vGPUs that run most have it.
 */
#include "placement_priv.h"

static bool bound_busier(const struct gslot_place_vgpu *a, const struct gslot_place_vgpu *b)
{
	return a->use > b->use;
}

static const struct gslot_place_vgpu *bound_at(const struct gslot_placement *p, u32 k)
{
	return &p->vgpus[p->vgpus[k].order];
}

/*
 * What is saved at most if the largest vGPU without a slot for itself has @size; 0: all have one.
 * Each larger vGPU has one slot, and those that run most have the others. Of those of that size the
 * one that runs least has none.
 */
static u64 bound_saved_if(const struct gslot_placement *p, u32 n, u32 size)
{
	u32 k, part, larger = 0, count = 0, none = n, room;
	u64 saved = 0;

	for (k = 0; k < n; k++) {
		if (bound_at(p, k)->size == size)
			none = k;
		if (bound_at(p, k)->size > size) {
			larger += bound_at(p, k)->size;
			count++;
		}
	}
	room = p->slots - (larger > p->slots + size ? larger - p->slots : size);
	if (larger > 2 * p->slots || count > room)
		return 0;
	room -= count;
	for (k = 0; k < n; k++) {
		u32 own = bound_at(p, k)->size > size;

		if (k == none)
			continue;
		part = min(bound_at(p, k)->size - own, room);
		saved += (u64)(part + own) * gslot_place_use(bound_at(p, k));
		room -= part;
	}
	return saved;
}

/* A lower bound of gslot_place_copies(), wherever vGPUs are; mostly some places reach it. */
u64 gslot_place_least(struct gslot_placement *p)
{
	u32 n = gslot_place_sort(p, bound_busier), k, size;
	u64 all = 0, saved = bound_saved_if(p, n, 0), sizes = 0;

	for (k = 0; k < n; k++) {
		all += (u64)bound_at(p, k)->size * gslot_place_use(bound_at(p, k));
		sizes |= 1ull << (bound_at(p, k)->size - 1);
	}
	for (size = 1; size <= p->slots; size++)
		if (sizes >> (size - 1) & 1)
			saved = max(saved, bound_saved_if(p, n, size));
	return all - saved;
}
