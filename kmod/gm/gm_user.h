/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whoever has opened a vGPU, as graphics memory knows him: he has the guest's memory, and
 * maps the GGTT entries and the aperture.
 */
#ifndef _GSLOT_GM_USER_H
#define _GSLOT_GM_USER_H

#include <linux/types.h>

struct page;

/**
 * enum gslot_view - what a user may map
 * @GSLOT_VIEW_TABLE: the GGTT entries
 * @GSLOT_VIEW_APERTURE: the aperture
 */
enum gslot_view {
	GSLOT_VIEW_TABLE,
	GSLOT_VIEW_APERTURE,
};

/**
 * struct gslot_user_ops - what graphics memory asks of the user
 * @pin: pin pages in a row for reading and writing, the first of them at a gfn: how many
 *	were, or -errno as vfio_pin_pages(); may sleep, and takes the mmap lock
 * @unpin: undo that for pages in a row; may sleep
 * @pin_limit: how many pages may be pinned in one call, if they are not unpinned in one,
 *	and unpinned in one, if they were not pinned in one
 * @can_map: whether a page may be put into the user's mapping of the aperture as it is
 * @unmap: take the user's mappings of a part of a view away, offset and size in bytes of it;
 *	may sleep
 */
struct gslot_user_ops {
	int (*pin)(void *data, u64 gfn, u32 count, struct page **pages);
	void (*unpin)(void *data, u64 gfn, u32 count);
	u32 (*pin_limit)(void *data);
	bool (*can_map)(void *data, struct page *page);
	void (*unmap)(void *data, enum gslot_view view, u64 offset, u64 size);
};

/**
 * struct gslot_user - the user
 * @ops: what he does for the vGPU, while it is open
 * @data: for @ops
 */
struct gslot_user {
	const struct gslot_user_ops *ops;
	void *data;
};

#endif
