/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A page of guest memory, and the CPU's access to it.
 *
 * All that the module reads and writes of a guest's memory passes here, and each
 * write passes gslot_guest_page_map_write(): whoever must know which pages changed
 * asks in one place, and memory of another kind than the system's is known in one.
 * What the GPU and the guest itself write does not pass here: for dirty pages the
 * first is all that the GPU has mapped, and VFIO knows the second.
 */
#ifndef _GSLOT_GM_GUEST_PAGE_H
#define _GSLOT_GM_GUEST_PAGE_H

#include <linux/highmem.h>
#include <linux/list.h>
#include <linux/string.h>
#include <linux/types.h>

/**
 * struct gslot_guest_page - one pinned page of a guest
 * @gfn: guest frame number: bus address as the guest's driver uses it >> 12
 * @page: the page
 * @dma: its bus address for the GPU
 * @refs: users; changed under the vGPU's lock, and under that of struct gslot_guestmem, too,
 *	if it is or becomes 0
 * @since: when the last one let go of it, jiffies
 * @idle: in the list of those without users
 */
struct gslot_guest_page {
	u64 gfn;
	struct page *page;
	dma_addr_t dma;
	u32 refs;
	u32 since;
	struct list_head idle;
};

/**
 * gslot_guest_page_map_read() - begin to read a page
 * @page: the page; referred to until gslot_guest_page_unmap()
 *
 * The guest may write there meanwhile.
 *
 * Return: its contents.
 * Context: any; nested mappings end in the reverse order.
 */
static inline const void *gslot_guest_page_map_read(const struct gslot_guest_page *page)
{
	return kmap_local_page(page->page);
}

/**
 * gslot_guest_page_map_write() - begin to write a page
 * @page: the page; referred to until gslot_guest_page_unmap()
 *
 * Return: its contents.
 * Context: as gslot_guest_page_map_read().
 */
static inline void *gslot_guest_page_map_write(struct gslot_guest_page *page)
{
	return kmap_local_page(page->page);
}

/**
 * gslot_guest_page_unmap() - the access is over
 * @contents: what gslot_guest_page_map_read() or gslot_guest_page_map_write() gave
 */
static inline void gslot_guest_page_unmap(const void *contents)
{
	kunmap_local(contents);
}

/**
 * gslot_guest_page_read() - copy from a page
 * @page: the page; referred to
 * @offset: where from
 * @to: where to
 * @bytes: how much, within the page
 *
 * Context: any.
 */
static inline void gslot_guest_page_read(const struct gslot_guest_page *page, u32 offset, void *to,
					 u32 bytes)
{
	const void *from = gslot_guest_page_map_read(page);

	memcpy(to, from + offset, bytes);
	gslot_guest_page_unmap(from);
}

/**
 * gslot_guest_page_write() - copy to a page
 * @page: the page; referred to
 * @offset: where to
 * @from: where from
 * @bytes: how much, within the page
 *
 * Context: any.
 */
static inline void gslot_guest_page_write(struct gslot_guest_page *page, u32 offset,
					  const void *from, u32 bytes)
{
	void *to = gslot_guest_page_map_write(page);

	memcpy(to + offset, from, bytes);
	gslot_guest_page_unmap(to);
}

#endif
