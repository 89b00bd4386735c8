// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: the aperture
 *
 * Through BAR2 a CPU sees low graphics memory. Where no fence is, it would see
 * nothing but the pages that the GGTT names: so a guest's aperture page is
 * mapped straight to its own page in memory, and no physical aperture is
 * involved (the ladder mapping of gScale). Under a fence, the physical aperture
 * is needed for its detiling, and is mapped at the vGPU's physical place. What
 * has neither is mapped to the vGPU's sink page.
 */
#include <linux/io.h>
#include <linux/mm.h>

#include "ggtt_priv.h"
#include "../hw/hw.h"

/**
 * gslot_ggtt_unmap_aperture() - the guest must look anew
 * @ggtt: the private GGTT
 * @first: entry of the window
 * @count: how many; those above low graphics memory are not in the aperture
 *
 * Takes away what a fault has mapped, in as few pieces as possible.
 * Context: map_lock held; may sleep.
 */
void gslot_ggtt_unmap_aperture(struct gslot_ggtt *ggtt, u32 first, u32 count)
{
	u32 limit = min(first + count, ggtt->nr_low), end;

	lockdep_assert_held(&ggtt->map_lock);
	first = find_next_bit(ggtt->mapped, limit, first);
	while (first < limit) {
		end = find_next_zero_bit(ggtt->mapped, limit, first);
		bitmap_clear(ggtt->mapped, first, end - first);
		gslot_ggtt_unmap_view(ggtt, GSLOT_VIEW_APERTURE, (u64)first << PAGE_SHIFT,
				      (u64)(end - first) << PAGE_SHIFT);
		ggtt->stats.zaps++;
		first = find_next_bit(ggtt->mapped, limit, end);
	}
}

/*
 * Is the physical aperture needed to show a page? Under a fence it is; and for
 * a page that this kernel's KVM could not map.
 */
static bool needs_aperture(const struct gslot_ggtt *ggtt, unsigned long page)
{
	const struct gslot_guest_page *shown = ggtt->shown[page];
	const struct gslot_user *user = ggtt->cfg.user;

	return gslot_ggtt_fence_covers(ggtt, (u64)page << PAGE_SHIFT) ||
	       (shown && !user->ops->can_map(user->data, shown->page));
}

/**
 * gslot_ggtt_aperture_fault() - the guest touches a page of the aperture
 * @ggtt: the private GGTT
 * @vmf: the fault
 * @page: which page of the aperture
 *
 * Return: VM_FAULT_NOPAGE, or an error of vmf_insert_pfn().
 * Context: page fault: may sleep, and does not take the vGPU's lock, whose owner may
 * wait for the mmap lock.
 */
vm_fault_t gslot_ggtt_aperture_fault(struct gslot_ggtt *ggtt, struct vm_fault *vmf,
				     unsigned long page)
{
	struct page *target = ggtt->sink;
	vm_fault_t ret;

	mutex_lock(&ggtt->map_lock);
	ggtt->stats.aperture_faults++;
	if (page < ggtt->nr_low) {
		__set_bit(page, ggtt->mapped);
		if (ggtt->shown[page] && !needs_aperture(ggtt, page))
			target = ggtt->shown[page]->page;
	}
	ret = vmf_insert_pfn(vmf->vma, vmf->address, page_to_pfn(target));
	mutex_unlock(&ggtt->map_lock);
	return ret;
}

/**
 * gslot_ggtt_aperture_access() - read or write the aperture without a mapping
 * @ggtt: the private GGTT
 * @offset: offset in the aperture
 * @buf: data
 * @len: at most 8, and within one page
 * @write: direction
 *
 * Context: may sleep.
 */
void gslot_ggtt_aperture_access(struct gslot_ggtt *ggtt, u64 offset, void *buf, size_t len,
				bool write)
{
	struct gslot_guest_page *page;

	if (!write)
		memset(buf, 0, len);
	if (offset >> PAGE_SHIFT >= ggtt->nr_low)
		return;
	mutex_lock(&ggtt->map_lock);
	page = ggtt->shown[offset >> PAGE_SHIFT];
	if (page && write)
		gslot_guest_page_write(page, offset_in_page(offset), buf, len);
	else if (page)
		gslot_guest_page_read(page, offset_in_page(offset), buf, len);
	mutex_unlock(&ggtt->map_lock);
}
