/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What placement policies have in common.
 */
#ifndef _GSLOT_CORE_PLACEMENT_PRIV_H
#define _GSLOT_CORE_PLACEMENT_PRIV_H

#include "placement.h"

/* The load of slots */
struct gslot_place_load {
	u32 count[GSLOT_PLACEMENT_MAX];	/* how many vGPUs use each */
	u32 use[GSLOT_PLACEMENT_MAX];	/* the sum of their uses */
};

/* Whether one must come before another. */
typedef bool (*gslot_place_before)(const struct gslot_place_vgpu *a,
				   const struct gslot_place_vgpu *b);

/* The slots of @v at @place. */
static inline u64 gslot_place_mask(const struct gslot_place_vgpu *v, u32 place)
{
	if (place == GSLOT_PLACE_NONE)
		return 0;
	return (~0ULL >> (GSLOT_PLACEMENT_MAX - v->size)) << place;
}

/* A vGPU that has not been seen to run yet may run. */
static inline u32 gslot_place_use(const struct gslot_place_vgpu *v)
{
	return max(v->use, 1u);
}

void gslot_place_add(struct gslot_place_load *load, const struct gslot_place_vgpu *v, u32 place);
void gslot_place_remove(struct gslot_place_load *load, const struct gslot_place_vgpu *v, u32 place);
void gslot_place_fill(struct gslot_place_load *load, const struct gslot_placement *p);
u64 gslot_place_copies(const struct gslot_placement *p);
u64 gslot_place_cost(const struct gslot_placement *p);
u64 gslot_place_least(struct gslot_placement *p);
u64 gslot_place_taken(const struct gslot_placement *p);
void gslot_place_remember(struct gslot_placement *p);
void gslot_place_recall(struct gslot_placement *p);
void gslot_place_stay(struct gslot_placement *p);
u32 gslot_place_sort(struct gslot_placement *p, gslot_place_before before);
void gslot_place_chain(struct gslot_placement *p, u32 n);
bool gslot_place_heavier(const struct gslot_place_vgpu *a, const struct gslot_place_vgpu *b);
u64 gslot_place_moving(const struct gslot_place_vgpu *v, u32 place);
void gslot_place_insert(struct gslot_placement *p, u32 n);
void gslot_place_consider(struct gslot_placement *p, u64 *lowest);
void gslot_place_take_best(struct gslot_placement *p);
void gslot_place_evict(struct gslot_placement *p, u32 n, u64 *lowest);
void gslot_place_go_back(struct gslot_placement *p, u32 n, u64 *lowest);
void gslot_place_descend(struct gslot_placement *p, u32 n, u32 passes);
bool gslot_place_search(struct gslot_placement *p, u32 n, u64 *lowest);
u32 gslot_place_shared(const struct gslot_placement *p);

#endif
