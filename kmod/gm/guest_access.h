/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The CPU's access to a page of guest memory.
 *
 * The module reads and writes a guest's memory only by these functions, and each write ends with
 * gslot_guest_page_unmap_write(), which notes it for the dirty log. What the GPU writes does not
 * pass here: it may write every page that it has mapped.
 */
#ifndef _GSLOT_GM_GUEST_ACCESS_H
#define _GSLOT_GM_GUEST_ACCESS_H

#include <linux/highmem.h>
#include <linux/string.h>
#include <linux/types.h>

#include "guest_page.h"

/*
 * Map the contents of a page for the CPU. The page is referenced until it is unmapped; the guest
 * may write to it meanwhile. Any context; nested mappings are unmapped in reverse order.
 */
static inline const void *gslot_guest_page_map_read(const struct gslot_guest_page *page)
{
	return kmap_local_page(page->page);
}

static inline void *gslot_guest_page_map_write(struct gslot_guest_page *page)
{
	return kmap_local_page(page->page);
}

static inline void gslot_guest_page_unmap(const void *contents)
{
	kunmap_local(contents);
}

/* For contents of gslot_guest_page_map_write(). */
static inline void gslot_guest_page_unmap_write(struct gslot_guest_page *page, void *contents)
{
	gslot_guest_page_set_dirty(page);
	kunmap_local(contents);
}

/* Copy from a page that is referenced; all bytes are within the page. Any context. */
static inline void gslot_guest_page_read(const struct gslot_guest_page *page, u32 offset, void *to,
					 u32 bytes)
{
	const void *from = gslot_guest_page_map_read(page);

	memcpy(to, from + offset, bytes);
	gslot_guest_page_unmap(from);
}

/* Copy to a page, likewise. */
static inline void gslot_guest_page_write(struct gslot_guest_page *page, u32 offset,
					  const void *from, u32 bytes)
{
	void *to = gslot_guest_page_map_write(page);

	memcpy(to + offset, from, bytes);
	gslot_guest_page_unmap_write(page, to);
}

#endif
