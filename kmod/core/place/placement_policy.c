// SPDX-License-Identifier: GPL-2.0
/* What is the same under every placement policy. */
#include "placement_priv.h"

static int check_vgpu(const struct gslot_places *p, const struct gslot_place_vgpu *v)
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
 * gslot_place() - find places
 * @ops: the policy
 * @p: what there is; @next of its vGPUs is set
 *
 * Return: 0; -EINVAL if a size is 0, a use or a place is not possible, or the number of slots or
 * rounds; -ENOSPC if a vGPU is larger than all slots together; -E2BIG if there are too many.
 */
int gslot_place(const struct gslot_place_ops *ops, struct gslot_places *p)
{
	u32 i;
	int ret;

	if (!p->slots || p->slots > GSLOT_PLACEMENT_MAX || !p->rounds)
		return -EINVAL;
	if (p->count > GSLOT_PLACE_VGPUS)
		return -E2BIG;
	for (i = 0; i < p->count; i++) {
		ret = check_vgpu(p, &p->vgpus[i]);
		if (ret)
			return ret;
	}
	p->exact = false;
	for (i = 0; i < p->count; i++)
		p->vgpus[i].next = GSLOT_PLACE_NONE;
	ops->place(p);
	return 0;
}

/**
 * gslot_place_stay() - all that have a place and are awake keep it
 * @p: what there is
 */
void gslot_place_stay(struct gslot_places *p)
{
	u32 i;

	for (i = 0; i < p->count; i++) {
		struct gslot_place_vgpu *v = &p->vgpus[i];

		v->next = v->idle ? GSLOT_PLACE_NONE : v->place;
	}
}

/**
 * gslot_place_taken() - slots in which somebody will be
 * @p: what there is; by @next of its vGPUs
 *
 * Return: the set of them.
 */
u64 gslot_place_taken(const struct gslot_places *p)
{
	u64 taken = 0;
	u32 i;

	for (i = 0; i < p->count; i++)
		taken |= gslot_place_mask(&p->vgpus[i], p->vgpus[i].next);
	return taken;
}

/**
 * gslot_place_sort() - bring those that are awake into an order
 * @p: what there is: @order of its vGPUs is set, of as many as are awake
 * @before: must one come before another?
 *
 * Who is equal stays in the order in which they are given.
 *
 * Return: how many are awake.
 */
u32 gslot_place_sort(struct gslot_places *p, gslot_place_before before)
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

/**
 * gslot_place_chain() - side by side, in order
 * @p: what there is: @next of those in @order is set
 * @n: how many of @order
 *
 * Who has no room for itself goes to the right end, and all others where that one begins, or as
 * near to it as they fit.
 */
void gslot_place_chain(struct gslot_places *p, u32 n)
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
