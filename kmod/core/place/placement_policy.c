// SPDX-License-Identifier: GPL-2.0
/* What all placement policies share. */
#include "placement_priv.h"

static int policy_check_vgpu(const struct gslot_placement *p, const struct gslot_place_vgpu *v)
{
	if (!v->size || v->use > GSLOT_PLACE_ALWAYS)
		return -EINVAL;
	if (v->size > p->slots)
		return -ENOSPC;
	if (v->place != GSLOT_PLACE_NONE && v->place > p->slots - v->size)
		return -EINVAL;
	return 0;
}

/**
 * gslot_place() - choose places
 * @ops: the policy
 * @p: the vGPUs and slots; gets @next of all vGPUs
 *
 * Return: 0; -EINVAL if a size is 0, or a use, a place, the number of slots or of rounds is out of
 * range; -ENOSPC if a vGPU is larger than all slots together; -E2BIG if there are too many.
 */
int gslot_place(const struct gslot_place_ops *ops, struct gslot_placement *p)
{
	u32 i;
	int ret;

	if (!p->slots || p->slots > GSLOT_PLACEMENT_MAX || !p->rounds)
		return -EINVAL;
	if (p->count > GSLOT_PLACE_VGPUS)
		return -E2BIG;
	for (i = 0; i < p->count; i++) {
		ret = policy_check_vgpu(p, &p->vgpus[i]);
		if (ret)
			return ret;
	}
	p->exact = false;
	for (i = 0; i < p->count; i++)
		p->vgpus[i].next = GSLOT_PLACE_NONE;
	ops->place(p);
	return 0;
}

/* All vGPUs that are awake keep their places. */
void gslot_place_stay(struct gslot_placement *p)
{
	u32 i;

	for (i = 0; i < p->count; i++) {
		struct gslot_place_vgpu *v = &p->vgpus[i];

		v->next = v->idle ? GSLOT_PLACE_NONE : v->place;
	}
}

/* Keep all places in @was. */
void gslot_place_remember(struct gslot_placement *p)
{
	u32 i;

	for (i = 0; i < p->count; i++)
		p->vgpus[i].was = p->vgpus[i].next;
}

void gslot_place_recall(struct gslot_placement *p)
{
	u32 i;

	for (i = 0; i < p->count; i++)
		p->vgpus[i].next = p->vgpus[i].was;
}

/* The slots that will be in use, by @next. */
u64 gslot_place_taken(const struct gslot_placement *p)
{
	u64 taken = 0;
	u32 i;

	for (i = 0; i < p->count; i++)
		taken |= gslot_place_mask(&p->vgpus[i], p->vgpus[i].next);
	return taken;
}

/*
 * Sort the vGPUs that are awake: sets @order of as many vGPUs, and returns their number. @before:
 * one must come before another. The sort is stable.
 */
u32 gslot_place_sort(struct gslot_placement *p, gslot_place_before before)
{
	struct gslot_place_vgpu *v = p->vgpus;
	u32 i, k, n = 0;

	for (i = 0; i < p->count; i++) {
		if (v[i].idle)
			continue;
		for (k = n++; k && before(&v[i], &v[v[k - 1].order]); k--)
			v[k].order = v[k - 1].order;
		v[k].order = i;
	}
	return n;
}

/*
 * Place the first @n vGPUs of @order side by side, from the first slot on, until no slot is left.
 * If there is too little room for the last one of these, it goes to the right end, and overlaps
 * others. All that follow begin at the same slot as that one, or go to the right end if they are
 * larger.
 */
void gslot_place_chain(struct gslot_placement *p, u32 n)
{
	struct gslot_place_vgpu *v = p->vgpus;
	u32 i, sum = 0, last = 0;

	for (i = 0; i < n; i++) {
		struct gslot_place_vgpu *one = &v[v[i].order];

		if (sum < p->slots) {
			last = min(sum, p->slots - one->size);
			sum += one->size;
		}
		one->next = min(last, p->slots - one->size);
	}
}
