// SPDX-License-Identifier: GPL-2.0
/* The best of all ways to place a few vGPUs, by branch and bound, without recursion. */
#include "placement_priv.h"

#define MOST_VGPUS	6
/* Ways looked at, whole or in part, until it is given up: some 100 us. */
#define MOST_STEPS	4000

/* The first few vGPUs of the order are placed */
struct node {
	u64 once;	/* slots of one or more of them */
	u64 twice;	/* slots of several of them */
	u64 cost;	/* what they cost */
	u32 place;	/* where the next one is tried */
};

static const struct gslot_place_vgpu *search_at(const struct gslot_placement *p, u32 k)
{
	return &p->vgpus[p->vgpus[k].order];
}

/* The cost with the next vGPU where it is tried. */
static u64 search_step(const struct gslot_placement *p, const struct node *nodes, u32 k)
{
	const struct gslot_place_vgpu *v = search_at(p, k);
	const struct node *node = &nodes[k];
	u64 mask = gslot_place_mask(v, node->place), alone = node->once & ~node->twice & mask;
	u64 copies = (u64)gslot_place_use(v) * hweight64(node->once & mask);
	u32 i;

	for (i = 0; i < k && alone; i++)
		copies += (u64)gslot_place_use(search_at(p, i)) *
			  hweight64(alone & gslot_place_mask(search_at(p, i), nodes[i].place));
	return node->cost + copies * p->rounds + gslot_place_moving(v, node->place);
}

/* A lower bound of the cost of all from @k on: what does not fit into free slots is copied. */
static u64 search_rest(const struct gslot_placement *p, u32 k, u32 n, u64 once)
{
	u32 i, part, need = 0, room = p->slots - hweight64(once);
	u64 copies = 0;

	for (i = k; i < n; i++)
		need += search_at(p, i)->size;
	for (i = n; i > k && need > room; i--) {
		part = min(search_at(p, i - 1)->size, need - room);
		copies += (u64)part * gslot_place_use(search_at(p, i - 1));
		need -= part;
	}
	return copies * p->rounds;
}

static bool search_alike(const struct gslot_place_vgpu *a, const struct gslot_place_vgpu *b)
{
	return a->size == b->size && a->use == b->use && a->place == b->place;
}

static void search_found(struct gslot_placement *p, const struct node *nodes, u32 n)
{
	u32 k;

	for (k = 0; k < n; k++)
		p->vgpus[p->vgpus[k].order].best = nodes[k].place;
}

/* Place the next vGPU where it is tried. Equal vGPUs need not be tried in each order. */
static void search_descend(const struct gslot_placement *p, struct node *nodes, u32 k, u64 cost)
{
	u64 mask = gslot_place_mask(search_at(p, k), nodes[k].place);

	nodes[k + 1] = (struct node) {
		.once = nodes[k].once | mask,
		.twice = nodes[k].twice | (nodes[k].once & mask),
		.cost = cost,
		.place = search_alike(search_at(p, k), search_at(p, k + 1)) ? nodes[k].place : 0,
	};
}

/*
 * Look for places of the @n vGPUs that are awake that cost less than @lowest. @order is set. Sets
 * @best. Returns whether no places cost less than @lowest now.
 */
bool gslot_place_search(struct gslot_placement *p, u32 n, u64 *lowest)
{
	struct node nodes[MOST_VGPUS] = { };
	u32 k = 0, steps;

	if (n > MOST_VGPUS)
		return false;
	if (!n)
		return true;
	for (steps = 0; steps < MOST_STEPS; steps++) {
		u64 cost, mask;

		while (nodes[k].place > p->slots - search_at(p, k)->size) {
			if (!k)
				return true;
			nodes[--k].place++;
		}
		cost = search_step(p, nodes, k);
		mask = gslot_place_mask(search_at(p, k), nodes[k].place);
		if (cost + search_rest(p, k + 1, n, nodes[k].once | mask) >= *lowest) {
			nodes[k].place++;
		} else if (k + 1 < n) {
			search_descend(p, nodes, k, cost);
			k++;
		} else {
			*lowest = cost;
			search_found(p, nodes, n);
			nodes[k].place++;
		}
	}
	return false;
}
