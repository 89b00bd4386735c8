/* SPDX-License-Identifier: GPL-2.0 */
/* A page of guest memory. */
#ifndef _GSLOT_GM_GUEST_PAGE_H
#define _GSLOT_GM_GUEST_PAGE_H

#include <linux/compiler.h>
#include <linux/list.h>
#include <linux/types.h>

struct page;

/* One pinned page of a guest. */
struct gslot_guest_page {
	u64 gfn;	/* guest frame number: bus address as the guest's driver uses it >> 12 */
	struct page *page;
	dma_addr_t dma;	/* its bus address for the GPU */
	/* References; changed with the vGPU's lock, from and to 0 with gslot_guestmem.lock, too */
	u32 refs;
	u32 since;	/* when the last reference was put, jiffies */
	bool tracked;	/* nothing has written it since: guestmem_track.c; read without a lock */
	bool dirty;	/* for the dirty log (guestmem_log.c): it may have been written */
	struct list_head idle;	/* in the list of idle pages, while @refs is 0 */
};

/* The page was written, or may have been, until now. */
static inline void gslot_guest_page_set_dirty(struct gslot_guest_page *page)
{
	WRITE_ONCE(page->dirty, true);
}

#endif
