// SPDX-License-Identifier: GPL-2.0
/*
 * The dirty log of the aperture (guestmem_log.c): what the guest's CPU may have written. A page
 * fault shows that it does, or is about to. A report removes the mappings, so that the next access
 * faults again. A page under a fence may be any of the fence's range, which is tiled: they count as
 * written together.
 */
#include <linux/bitmap.h>
#include <linux/minmax.h>

#include "ggtt_priv.h"

/* The guest's CPU writes a page of the aperture, or may do so until its mapping is removed. */
void gslot_ggtt_log_note(struct gslot_ggtt *ggtt, u32 page)
{
	const struct gslot_aperture_range *range;

	lockdep_assert_held(&ggtt->map_lock);
	if (!ggtt->logging || page >= ggtt->nr_low)
		return;
	range = gslot_aperture_range_of(ggtt, page);
	if (range)
		bitmap_set(ggtt->written, range->first,
			   min(range->count, ggtt->nr_low - range->first));
	else
		__set_bit(page, ggtt->written);
}

/* Pages that the guest's CPU may have written are dirty. None of them is mapped any more. */
void gslot_ggtt_log_written(struct gslot_ggtt *ggtt)
{
	u32 i;

	lockdep_assert_held(&ggtt->cfg.lock->mutex);
	lockdep_assert_held(&ggtt->map_lock);
	for_each_set_bit(i, ggtt->written, ggtt->nr_low)
		if (ggtt->shown[i])
			gslot_guest_page_set_dirty(ggtt->shown[i]);
	bitmap_zero(ggtt->written, ggtt->nr_low);
}

/**
 * gslot_ggtt_log_start() - start the dirty log of the aperture
 * @ggtt: the private GGTT
 *
 * Context: may sleep.
 */
void gslot_ggtt_log_start(struct gslot_ggtt *ggtt)
{
	mutex_lock(&ggtt->map_lock);
	ggtt->logging = true;
	gslot_ggtt_unmap_aperture(ggtt, 0, ggtt->nr_low);
	mutex_unlock(&ggtt->map_lock);
}

/**
 * gslot_ggtt_log_stop() - stop the dirty log of the aperture
 * @ggtt: the private GGTT
 *
 * Context: may sleep.
 */
void gslot_ggtt_log_stop(struct gslot_ggtt *ggtt)
{
	mutex_lock(&ggtt->map_lock);
	ggtt->logging = false;
	bitmap_zero(ggtt->written, ggtt->nr_low);
	mutex_unlock(&ggtt->map_lock);
}

/**
 * gslot_ggtt_log_collect() - mark dirty what the guest's CPU may have written by the aperture
 * @ggtt: the private GGTT
 *
 * Context: the vGPU's lock is held; may sleep.
 */
void gslot_ggtt_log_collect(struct gslot_ggtt *ggtt)
{
	lockdep_assert_held(&ggtt->cfg.lock->mutex);
	mutex_lock(&ggtt->map_lock);
	gslot_ggtt_unmap_aperture(ggtt, 0, ggtt->nr_low);
	gslot_ggtt_log_written(ggtt);
	mutex_unlock(&ggtt->map_lock);
}
