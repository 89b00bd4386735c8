// SPDX-License-Identifier: GPL-2.0
/*
 * How few slots can be copied in a round, wherever vGPUs are?
 *
 * A slot saves a copy if it is a single vGPU's; it saves the more the more that one runs. Let @L
 * be the size of the largest vGPU that has no slot of its own: its L slots save nothing. All that
 * are larger have some. Of those no three have a slot in common: two of them would have theirs
 * on the same side of it, and the one that reaches farther would cover the other's. So if they
 * need more slots than there are, at least the excess is shared. What is left of the slots saves
 * most if those that run most have it.
 */
#include "placement_priv.h"

static bool busier(const struct gslot_place_vgpu *a, const struct gslot_place_vgpu *b)
{
	return a->use > b->use;
}

static const struct gslot_place_vgpu *at(const struct gslot_places *p, u32 k)
{
	return &p->vgpus[p->vgpus[k].order];
}

/*
 * What is saved at most if the largest that has no slot of its own has @size; 0: all have. Those
 * that run most have what there is, but for a slot of each that is larger; who runs least of
 * that size has none.
 */
static u64 saved_if(const struct gslot_places *p, u32 n, u32 size)
{
	u32 k, part, larger = 0, count = 0, none = n, room;
	u64 saved = 0;

	for (k = 0; k < n; k++) {
		if (at(p, k)->size == size)
			none = k;
		if (at(p, k)->size > size) {
			larger += at(p, k)->size;
			count++;
		}
	}
	room = p->slots - (larger > p->slots + size ? larger - p->slots : size);
	if (larger > 2 * p->slots || count > room)
		return 0;
	room -= count;
	for (k = 0; k < n; k++) {
		u32 own = at(p, k)->size > size;

		if (k == none)
			continue;
		part = min(at(p, k)->size - own, room);
		saved += (u64)(part + own) * gslot_place_use(at(p, k));
		room -= part;
	}
	return saved;
}

/**
 * gslot_place_least() - how few slots can be copied in a round
 * @p: what there is; present places do not matter
 *
 * Return: a number that gslot_place_copies() is never below; mostly there are places for
 * which it is that.
 */
u64 gslot_place_least(struct gslot_places *p)
{
	u32 n = gslot_place_sort(p, busier), k, size;
	u64 all = 0, saved = saved_if(p, n, 0), sizes = 0;

	for (k = 0; k < n; k++) {
		all += (u64)at(p, k)->size * gslot_place_use(at(p, k));
		sizes |= 1ull << (at(p, k)->size - 1);
	}
	for (size = 1; size <= p->slots; size++)
		if (sizes >> (size - 1) & 1)
			saved = max(saved, saved_if(p, n, size));
	return all - saved;
}
