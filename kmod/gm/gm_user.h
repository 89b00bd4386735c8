/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Callbacks from gm to the device's user (VFIO), which has the guest's memory and maps the
 * vGPU's GGTT entries and aperture.
 */
#ifndef _GSLOT_GM_USER_H
#define _GSLOT_GM_USER_H

#include <linux/types.h>

struct page;

#define GSLOT_GM_NO_GFN	(~0ULL)

/* A part of BAR 0 or BAR 2 that a user may map. */
enum gslot_map_area {
	GSLOT_MAP_TABLE,	/* the GGTT entries */
	GSLOT_MAP_APERTURE,
	GSLOT_MAP_FACES,	/* registers: offsets are those in BAR 0 */
};

/**
 * struct gslot_gm_user_ops - callbacks from gm to the device's user
 * @pin: pin pages in a row, from @gfn on, for reading and writing. Returns how many it pinned,
 *	or -errno as vfio_pin_pages(). May sleep, and takes the mmap lock
 * @unpin: unpin pages in a row; may sleep
 * @pin_limit: how many pages one call may pin if more than one call unpins them, and one call
 *	may unpin if more than one call pinned them
 * @can_map: whether the user's mapping of the aperture can have a page of guest memory in it
 * @track: track the guest's writes to the page @gfn, for which it has pinned @page, until the first
 *	one: that it reports (gslot_guestmem_written()), also for all pages that were tracked with
 *	this one as @parent; that is GSLOT_GM_NO_GFN, or a page that must be tracked. Returns
 *	whether it does so. May sleep
 * @untrack: act as at the first write, if the page is tracked; may sleep
 * @untrack_all: likewise, for all pages
 * @unmap: remove the user's mappings of a part of a map area; @offset and @size in bytes. May sleep
 */
struct gslot_gm_user_ops {
	int (*pin)(void *data, u64 gfn, u32 count, struct page **pages);
	void (*unpin)(void *data, u64 gfn, u32 count);
	u32 (*pin_limit)(void *data);
	bool (*can_map)(void *data, struct page *page);
	bool (*track)(void *data, u64 gfn, struct page *page, u64 parent);
	void (*untrack)(void *data, u64 gfn);
	void (*untrack_all)(void *data);
	void (*unmap)(void *data, enum gslot_map_area area, u64 offset, u64 size);
};

/* The device's user. */
struct gslot_gm_user {
	const struct gslot_gm_user_ops *ops;	/* its callbacks; valid while the vGPU is open */
	void *data;				/* their first argument */
};

#endif
