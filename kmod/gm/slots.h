/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Who has which slots of graphics memory, and which fences. In terms of
 * core/placement.
 */
#ifndef _GSLOT_GM_SLOTS_H
#define _GSLOT_GM_SLOTS_H

#include "../core/window.h"

#define GSLOT_MAX_SLOTS		64
#define GSLOT_MAX_VGPU_FENCES	8

/**
 * struct gslot_slots - the slots and fences of one GPU
 * @low: bit mask of used low slots (64 MB each)
 * @high: bit mask of used high slots, counted from 256 MB
 * @nr_low: how many low slots there are
 * @nr_high: how many high slots there are, the host's part excluded
 * @fences: bit mask of used physical fences
 */
struct gslot_slots {
	u64 low;
	u64 high;
	u32 nr_low;
	u32 nr_high;
	u32 fences;
};

/**
 * struct gslot_placement - what one vGPU got
 * @window: sizes and physical places
 * @fence_first: its first physical fence
 * @fence_count: how many
 */
struct gslot_placement {
	struct gslot_window window;
	u32 fence_first;
	u32 fence_count;
};

/* Who has what. */
void gslot_slots_init(struct gslot_slots *slots, u64 end);
int gslot_slots_take(struct gslot_slots *slots, struct gslot_placement *p);
int gslot_slots_take_at(struct gslot_slots *slots, struct gslot_placement *p, u32 low, u32 high);
void gslot_slots_mark(struct gslot_slots *slots, const struct gslot_placement *p);
void gslot_slots_release(struct gslot_slots *slots, const struct gslot_placement *p);

/* What nobody has. */
u32 gslot_slots_fit(const struct gslot_slots *slots, u64 low, u64 high, u32 fences);
u64 gslot_slots_free_low(const struct gslot_slots *slots);
u64 gslot_slots_free_high(const struct gslot_slots *slots);
u32 gslot_slots_free_fences(const struct gslot_slots *slots);

#endif
