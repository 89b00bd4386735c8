// SPDX-License-Identifier: GPL-2.0
/*
 * The policy `optimal`: the places that cost least as long as they last (gslot_place_cost()).
 *
 * It takes the best of these: no vGPU moves; what each other policy chooses; the vGPUs that run
 * most side by side, and the rest in one pile, for each width of the pile; few vGPUs move, those
 * that cause most copies. The first and the best are improved by moving one vGPU at a time. A few
 * vGPUs are placed in all ways that may be better, unless these are too many. @exact says that
 * nothing is better: all ways were tried, or the cost is the lower bound.
 *
 * It is weakest where nearly all have to move at once: of four to seven vGPUs of 6, 11 or 16
 * slots at random places of 54, two cases in three are as good as can be, and the mean costs 3 %
 * more than that.
 *
 * A move costs, so none is made for nothing, and places stay until a change makes up for it.
 */
#include "placement_priv.h"

#define PASSES	4

/* Whether a vGPU is to be placed before another. Equal vGPUs are neighbours in the order. */
bool gslot_place_heavier(const struct gslot_place_vgpu *a, const struct gslot_place_vgpu *b)
{
	if (a->use != b->use)
		return a->use > b->use;
	if (a->size != b->size)
		return a->size > b->size;
	return a->place < b->place;
}

/*
 * Remember places, from @next in @best, if they cost less than @lowest, the cost of the best so
 * far.
 */
void gslot_place_consider(struct gslot_placement *p, u64 *lowest)
{
	u64 cost = gslot_place_cost(p);
	u32 i;

	if (cost >= *lowest)
		return;
	*lowest = cost;
	for (i = 0; i < p->count; i++)
		p->vgpus[i].best = p->vgpus[i].next;
}

/* Return to the best places so far. */
void gslot_place_take_best(struct gslot_placement *p)
{
	u32 i;

	for (i = 0; i < p->count; i++)
		p->vgpus[i].next = p->vgpus[i].best;
}

/* Reverse the order of all slots. */
static void optimal_mirror(struct gslot_placement *p)
{
	u32 i;

	for (i = 0; i < p->count; i++) {
		struct gslot_place_vgpu *v = &p->vgpus[i];

		if (!v->idle)
			v->next = p->slots - v->size - v->next;
	}
}

/*
 * A pile of a width at the right end. All that are larger stand beside it, and as many others,
 * the busiest, as there is @room for; the last of these stands in the pile with a part of it.
 */
static void optimal_pile(struct gslot_placement *p, u32 n, u32 width, u32 room)
{
	struct gslot_place_vgpu *v = p->vgpus;
	u32 k, sum = 0;

	for (k = 0; k < n; k++) {
		struct gslot_place_vgpu *one = &v[v[k].order];

		if (one->size <= width && one->size > room) {
			one->next = p->slots - width - room;
			room = 0;
			continue;
		}
		if (one->size <= width)
			room -= one->size;
		one->next = sum;
		sum += one->size;
	}
}

/*
 * A pile of a width where those that are larger have not room enough beside it, by @over slots:
 * of these the one that runs least stands in it from the left, and, if that does not do, the
 * next from the right.
 */
static void optimal_squeeze(struct gslot_placement *p, u32 n, u32 width, u32 over)
{
	u32 k, sum = 0, place = p->slots - width, left = min(over, width), right = over - left;
	struct gslot_place_vgpu *v = p->vgpus, *one, *last = NULL, *other = NULL;

	for (k = 0; k < n; k++) {
		one = &v[v[k].order];
		if (one->size <= width)
			continue;
		other = last;
		last = one;
	}
	if (right)
		place -= other->size - right;
	for (k = 0; k < n; k++) {
		one = &v[v[k].order];
		if (one->size <= width) {
			one->next = place;
		} else if (one == last) {
			one->next = place + left - one->size;
		} else if (one == other && right) {
			one->next = p->slots - one->size;
		} else {
			one->next = sum;
			sum += one->size;
		}
	}
}

/* Return: whether there are places with a pile of this width. */
static bool optimal_pile_of(struct gslot_placement *p, u32 n, u32 width)
{
	struct gslot_place_vgpu *v = p->vgpus;
	u32 k, larger = 0, room = p->slots - width;

	for (k = 0; k < n; k++)
		if (v[v[k].order].size > width)
			larger += v[v[k].order].size;
	if (larger <= room)
		optimal_pile(p, n, width, room - larger);
	else if (larger - room <= 2 * width)
		optimal_squeeze(p, n, width, larger - room);
	else
		return false;
	return true;
}

static void optimal_consider_piles(struct gslot_placement *p, u32 n, u64 *lowest)
{
	u64 widths = 0;
	u32 i, width;

	for (i = 0; i < p->count; i++)
		if (!p->vgpus[i].idle)
			widths |= 1ull << (p->vgpus[i].size - 1);
	for (width = 1; width <= p->slots; width++) {
		if (!(widths >> (width - 1) & 1) || !optimal_pile_of(p, n, width))
			continue;
		gslot_place_consider(p, lowest);
		optimal_mirror(p);
		gslot_place_consider(p, lowest);
	}
}

/* What the other policies choose; `utilization` in a period, and at the end of one. */
static void optimal_consider_others(struct gslot_placement *p, u64 *lowest)
{
	bool due = p->due;

	gslot_place_score.place(p);
	gslot_place_consider(p, lowest);
	gslot_place_size.place(p);
	gslot_place_consider(p, lowest);
	p->due = false;
	gslot_place_utilization.place(p);
	gslot_place_consider(p, lowest);
	p->due = true;
	gslot_place_utilization.place(p);
	gslot_place_consider(p, lowest);
	p->due = due;
}

static void optimal_place(struct gslot_placement *p)
{
	u64 lowest = ~0ull, least = gslot_place_least(p) * p->rounds;
	u32 n = gslot_place_sort(p, gslot_place_heavier);

	p->exact = !n;
	if (!n)
		return;
	gslot_place_stay(p);
	gslot_place_insert(p, n);
	gslot_place_descend(p, n, PASSES);
	gslot_place_consider(p, &lowest);
	optimal_consider_others(p, &lowest);
	n = gslot_place_sort(p, gslot_place_heavier);
	gslot_place_chain(p, n);
	gslot_place_consider(p, &lowest);
	optimal_consider_piles(p, n, &lowest);
	gslot_place_evict(p, n, &lowest);
	gslot_place_take_best(p);
	gslot_place_descend(p, n, PASSES);
	gslot_place_consider(p, &lowest);
	gslot_place_go_back(p, n, &lowest);
	p->exact = lowest == least || gslot_place_search(p, n, &lowest);
	gslot_place_take_best(p);
}

const struct gslot_place_ops gslot_place_optimal = {
	.name = "optimal",
	.place = optimal_place,
};
