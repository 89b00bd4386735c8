// SPDX-License-Identifier: GPL-2.0
#include <linux/bitops.h>
#include <linux/math64.h>
#include <linux/minmax.h>

#include "slots.h"
#include "../core/placement.h"
#include "gen/regs.h"

static u32 slots_of(u64 size)
{
	return div64_u64(size + GSLOT_SLOT_SIZE - 1, GSLOT_SLOT_SIZE);
}

static u32 low_first(const struct gslot_placement *p)
{
	return slots_of(p->window.low_phys);
}

static u32 high_first(const struct gslot_placement *p)
{
	return slots_of(p->window.high_phys - GEN_LOW_GM_SIZE);
}

/**
 * gslot_slots_init() - all slots of a GPU, none in use
 * @slots: to be initialised
 * @end: where graphics memory ends that vGPUs may have
 *
 * Context: any.
 */
void gslot_slots_init(struct gslot_slots *slots, u64 end)
{
	u64 high = end - GEN_LOW_GM_SIZE;

	*slots = (struct gslot_slots) {
		.nr_low = GEN_LOW_GM_SIZE / GSLOT_SLOT_SIZE,
		.nr_high = min_t(u64, div64_u64(high, GSLOT_SLOT_SIZE), GSLOT_MAX_SLOTS),
	};
}

/**
 * gslot_slots_mark() - note what a vGPU has
 * @slots: in which it is noted
 * @p: its placement
 *
 * Context: any; one at a time (the GPU's lock).
 */
void gslot_slots_mark(struct gslot_slots *slots, const struct gslot_placement *p)
{
	slots->low |= gslot_slots_mask(low_first(p), slots_of(p->window.low_size));
	slots->high |= gslot_slots_mask(high_first(p), slots_of(p->window.high_size));
	slots->fences |= gslot_slots_mask(p->fence_first, p->fence_count);
}

/**
 * gslot_slots_take() - place a vGPU by first fit
 * @slots: the slots of the GPU
 * @p: sizes in; places out
 *
 * Return: 0, or -ENOSPC.
 * Context: any; one at a time (the GPU's lock).
 */
int gslot_slots_take(struct gslot_slots *slots, struct gslot_placement *p)
{
	int low = gslot_first_fit(slots->low, slots->nr_low, slots_of(p->window.low_size));
	int high = gslot_first_fit(slots->high, slots->nr_high, slots_of(p->window.high_size));
	int fence = gslot_first_fit(slots->fences, GEN_NR_FENCES, p->fence_count);

	if (low < 0 || high < 0 || fence < 0)
		return -ENOSPC;
	p->window.low_phys = low * GSLOT_SLOT_SIZE;
	p->window.high_phys = GEN_LOW_GM_SIZE + high * GSLOT_SLOT_SIZE;
	p->fence_first = fence;
	gslot_slots_mark(slots, p);
	return 0;
}

/**
 * gslot_slots_take_at() - place a vGPU in slots that the caller chose
 * @slots: the slots of the GPU
 * @p: sizes and fences in; places out
 * @low: its first low slot
 * @high: its first high slot
 *
 * Return: 0, -EINVAL if there are no such slots, -EBUSY if one is in use.
 * Context: any; one at a time (the GPU's lock).
 */
int gslot_slots_take_at(struct gslot_slots *slots, struct gslot_placement *p, u32 low, u32 high)
{
	u32 nr_low = slots_of(p->window.low_size), nr_high = slots_of(p->window.high_size);

	if (nr_low > slots->nr_low || low > slots->nr_low - nr_low ||
	    nr_high > slots->nr_high || high > slots->nr_high - nr_high)
		return -EINVAL;
	if ((slots->low & gslot_slots_mask(low, nr_low)) ||
	    (slots->high & gslot_slots_mask(high, nr_high)))
		return -EBUSY;
	p->window.low_phys = low * GSLOT_SLOT_SIZE;
	p->window.high_phys = GEN_LOW_GM_SIZE + high * GSLOT_SLOT_SIZE;
	gslot_slots_mark(slots, p);
	return 0;
}

/**
 * gslot_slots_release() - a vGPU gives back what it has
 * @slots: the slots of the GPU
 * @p: its placement
 *
 * Context: any; one at a time (the GPU's lock).
 */
void gslot_slots_release(struct gslot_slots *slots, const struct gslot_placement *p)
{
	slots->low &= ~gslot_slots_mask(low_first(p), slots_of(p->window.low_size));
	slots->high &= ~gslot_slots_mask(high_first(p), slots_of(p->window.high_size));
	slots->fences &= ~gslot_slots_mask(p->fence_first, p->fence_count);
}

/**
 * gslot_slots_fit() - how many vGPUs of one size still fit
 * @slots: the slots of the GPU
 * @low: bytes of low graphics memory
 * @high: bytes of high graphics memory
 * @fences: number of fences
 *
 * Return: how many.
 * Context: any; nobody changes @slots meanwhile.
 */
u32 gslot_slots_fit(const struct gslot_slots *slots, u64 low, u64 high, u32 fences)
{
	u32 fit = gslot_count_fits(slots->low, slots->nr_low, slots_of(low));

	fit = min(fit, gslot_count_fits(slots->high, slots->nr_high, slots_of(high)));
	return min(fit, gslot_count_fits(slots->fences, GEN_NR_FENCES, fences));
}

/**
 * gslot_slots_free_low() - how much low graphics memory nobody has
 * @slots: the slots of the GPU
 *
 * Return: bytes, in one piece or in several.
 * Context: any; nobody changes @slots meanwhile.
 */
u64 gslot_slots_free_low(const struct gslot_slots *slots)
{
	return (slots->nr_low - hweight64(slots->low)) * (u64)GSLOT_SLOT_SIZE;
}

/**
 * gslot_slots_free_high() - how much high graphics memory nobody has
 * @slots: the slots of the GPU
 *
 * Return: bytes, in one piece or in several.
 * Context: any; nobody changes @slots meanwhile.
 */
u64 gslot_slots_free_high(const struct gslot_slots *slots)
{
	return (slots->nr_high - hweight64(slots->high)) * (u64)GSLOT_SLOT_SIZE;
}

/**
 * gslot_slots_free_fences() - how many fences nobody has
 * @slots: the slots of the GPU
 *
 * Return: fences, in a row or not.
 * Context: any; nobody changes @slots meanwhile.
 */
u32 gslot_slots_free_fences(const struct gslot_slots *slots)
{
	return GEN_NR_FENCES - hweight32(slots->fences);
}
