// SPDX-License-Identifier: GPL-2.0
/* The best of all ways to place a few vGPUs, by branch and bound, without recursion. */
#include "placement_priv.h"

#define MOST_VGPUS	6
/* Ways looked at, whole or in part, until it is given up: some 100 us. */
#define MOST_STEPS	4000

/**
 * struct node - where the first few of an order are
 * @once: slots in which one of them is
 * @twice: slots in which several are
 * @cost: what they cost
 * @place: where the next one is tried
 */
struct node {
	u64 once;
	u64 twice;
	u64 cost;
	u32 place;
};

static const struct gslot_place_vgpu *at(const struct gslot_places *p, u32 k)
{
	return &p->vgpus[p->vgpus[k].order];
}

/* What it costs if the next one is tried where it is. */
static u64 step(const struct gslot_places *p, const struct node *nodes, u32 k)
{
	const struct gslot_place_vgpu *v = at(p, k);
	const struct node *node = &nodes[k];
	u64 mask = gslot_place_mask(v, node->place), alone = node->once & ~node->twice & mask;
	u64 copies = (u64)gslot_place_use(v) * hweight64(node->once & mask);
	u32 i;

	for (i = 0; i < k && alone; i++)
		copies += (u64)gslot_place_use(at(p, i)) *
			  hweight64(alone & gslot_place_mask(at(p, i), nodes[i].place));
	return node->cost + copies * p->rounds + gslot_place_moving(v, node->place);
}

/* All from @k on cost that at least: those that do not fit into free slots copy. */
static u64 rest(const struct gslot_places *p, u32 k, u32 n, u64 once)
{
	u32 i, part, need = 0, room = p->slots - hweight64(once);
	u64 copies = 0;

	for (i = k; i < n; i++)
		need += at(p, i)->size;
	for (i = n; i > k && need > room; i--) {
		part = min(at(p, i - 1)->size, need - room);
		copies += (u64)part * gslot_place_use(at(p, i - 1));
		need -= part;
	}
	return copies * p->rounds;
}

static bool alike(const struct gslot_place_vgpu *a, const struct gslot_place_vgpu *b)
{
	return a->size == b->size && a->use == b->use && a->place == b->place;
}

static void found(struct gslot_places *p, const struct node *nodes, u32 n)
{
	u32 k;

	for (k = 0; k < n; k++)
		p->vgpus[p->vgpus[k].order].best = nodes[k].place;
}

/* The next one goes where it is tried. Those that are alike need not be tried in each order. */
static void descend(const struct gslot_places *p, struct node *nodes, u32 k, u64 cost)
{
	u64 mask = gslot_place_mask(at(p, k), nodes[k].place);

	nodes[k + 1] = (struct node) {
		.once = nodes[k].once | mask,
		.twice = nodes[k].twice | (nodes[k].once & mask),
		.cost = cost,
		.place = alike(at(p, k), at(p, k + 1)) ? nodes[k].place : 0,
	};
}

/**
 * gslot_place_search() - look for places that cost less
 * @p: what there is; @order of its vGPUs is set; @best of them is, if there are such places
 * @n: how many are awake
 * @lowest: what the best known places cost
 *
 * Return: no places cost less than @lowest says now.
 */
bool gslot_place_search(struct gslot_places *p, u32 n, u64 *lowest)
{
	struct node nodes[MOST_VGPUS] = { };
	u32 k = 0, steps;

	if (n > MOST_VGPUS)
		return false;
	if (!n)
		return true;
	for (steps = 0; steps < MOST_STEPS; steps++) {
		u64 cost, mask;

		while (nodes[k].place > p->slots - at(p, k)->size) {
			if (!k)
				return true;
			nodes[--k].place++;
		}
		cost = step(p, nodes, k);
		mask = gslot_place_mask(at(p, k), nodes[k].place);
		if (cost + rest(p, k + 1, n, nodes[k].once | mask) >= *lowest) {
			nodes[k].place++;
		} else if (k + 1 < n) {
			descend(p, nodes, k, cost);
			k++;
		} else {
			*lowest = cost;
			found(p, nodes, n);
			nodes[k].place++;
		}
	}
	return false;
}
