// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: fences
 *
 * A fence lets the CPU see a tiled surface as a linear one through the
 * aperture. A vGPU has a few fences of its own, numbered from 0; each is backed
 * by a physical one that is given the translated addresses. A fence that could
 * show anything but the vGPU's low graphics memory (core/fence) is stored and
 * has no effect.
 */
#include "ggtt_priv.h"
#include "../core/fence.h"
#include "../hw/hw.h"

/* What the hardware may be given of it, in the guest's addresses; or 0. */
static u64 confined(const struct gslot_ggtt *ggtt, u64 value)
{
	return gslot_fence_confine(value, ggtt->cfg.window->low_size);
}

/**
 * gslot_ggtt_fence_covers() - is an address shown detiled?
 * @ggtt: the private GGTT
 * @addr: the guest's graphics address
 *
 * Return: true if a fence that has an effect covers it.
 * Context: map_lock held.
 */
bool gslot_ggtt_fence_covers(const struct gslot_ggtt *ggtt, u64 addr)
{
	u32 i;

	lockdep_assert_held(&ggtt->map_lock);
	for (i = 0; i < ggtt->nr_fences; i++) {
		u64 value = confined(ggtt, ggtt->fences[i]);

		if (value && addr >= gslot_fence_start(value) && addr <= gslot_fence_last(value))
			return true;
	}
	return false;
}

static void unmap_fenced(struct gslot_ggtt *ggtt, u64 value)
{
	u64 start, end;

	value = confined(ggtt, value);
	if (!value)
		return;
	start = gslot_fence_start(value);
	end = gslot_fence_last(value) + 1;
	gslot_ggtt_unmap_aperture(ggtt, start >> GEN_PAGE_SHIFT, (end - start) >> GEN_PAGE_SHIFT);
}

/**
 * gslot_ggtt_fences_clear() - all fences are 0
 * @ggtt: the private GGTT
 *
 * Context: map_lock held; may sleep.
 */
void gslot_ggtt_fences_clear(struct gslot_ggtt *ggtt)
{
	u32 i;

	lockdep_assert_held(&ggtt->map_lock);
	for (i = 0; i < ggtt->nr_fences; i++) {
		unmap_fenced(ggtt, ggtt->fences[i]);
		ggtt->fences[i] = 0;
	}
}

/**
 * gslot_ggtt_fence_write() - the guest writes one of its fences
 * @ggtt: the private GGTT
 * @index: its number; fences that the vGPU does not have ignore writes
 * @value: the 64-bit register
 *
 * Both what the fence covered and what it covers now is mapped anew when it is
 * next touched.
 *
 * Context: may sleep.
 */
void gslot_ggtt_fence_write(struct gslot_ggtt *ggtt, u32 index, u64 value)
{
	if (index >= ggtt->nr_fences)
		return;
	mutex_lock(&ggtt->map_lock);
	if (ggtt->fences[index] != value) {
		unmap_fenced(ggtt, ggtt->fences[index]);
		unmap_fenced(ggtt, value);
		ggtt->fences[index] = value;
	}
	mutex_unlock(&ggtt->map_lock);
}

/**
 * gslot_ggtt_fence_read() - the guest reads a fence
 * @ggtt: the private GGTT
 * @index: its number
 *
 * Return: the 64-bit register as it was written; 0 for one that the vGPU does
 * not have.
 * Context: any.
 */
u64 gslot_ggtt_fence_read(struct gslot_ggtt *ggtt, u32 index)
{
	return index < ggtt->nr_fences ? READ_ONCE(ggtt->fences[index]) : 0;
}
