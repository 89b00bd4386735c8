// SPDX-License-Identifier: GPL-2.0
/*
 * The guest's view of the aperture. A page without a fence is mapped straight to the guest's own
 * page, without the physical aperture (the ladder mapping of gScale). One under a fence is mapped
 * to the place of its range in the physical aperture (aperture_pool.c), all others to the vGPU's
 * sink. See docs/graphics-memory.md, "The aperture and fences".
 */
#include <linux/io.h>
#include <linux/mm.h>

#include "ggtt_priv.h"
#include "guest_access.h"
#include "base/compat_mm.h"

/*
 * Remove the guest's aperture mappings of entries; those above low graphics memory have none. In
 * one call, from the first page that a fault has mapped to the last: gaps cost less than another
 * TLB shootdown.
 */
void gslot_ggtt_unmap_aperture(struct gslot_ggtt *ggtt, u32 first, u32 count)
{
	u32 limit = min(first + count, ggtt->nr_low), end;

	lockdep_assert_held(&ggtt->map_lock);
	first = find_next_bit(ggtt->mapped, limit, first);
	if (first >= limit)
		return;
	end = find_last_bit(ggtt->mapped, limit) + 1;
	bitmap_clear(ggtt->mapped, first, end - first);
	gslot_ggtt_unmap_area(ggtt, GSLOT_MAP_APERTURE, (u64)first << PAGE_SHIFT,
			      (u64)(end - first) << PAGE_SHIFT);
	ggtt->stats.removals++;
}

/*
 * The range by which a page needs the physical aperture: that of the first fence that covers it;
 * else its linear range, if this kernel's KVM cannot map the page directly; else NULL.
 */
struct gslot_aperture_range *gslot_aperture_range_of(struct gslot_ggtt *ggtt, u32 page)
{
	const struct gslot_gm_user *user = ggtt->cfg.user;
	u32 i;

	lockdep_assert_held(&ggtt->map_lock);
	if (page >= ggtt->nr_low)
		return NULL;
	for (i = 0; i < GEN_NR_FENCES; i++)
		if (page - ggtt->fenced[i].first < ggtt->fenced[i].count)
			return &ggtt->fenced[i];
	if (ggtt->shown[page] && !user->ops->can_map(user->data, ggtt->shown[page]->page))
		return &ggtt->linear[page / GSLOT_LINEAR_PAGES];
	return NULL;
}

static vm_fault_t aperture_map_direct(struct gslot_ggtt *ggtt, struct vm_fault *vmf, u32 page)
{
	struct page *target = ggtt->sink;

	lockdep_assert_held(&ggtt->map_lock);
	if (page < ggtt->nr_low && ggtt->shown[page])
		target = ggtt->shown[page]->page;
	return gslot_insert_mixed(vmf, page_to_pfn(target));
}

/**
 * gslot_ggtt_aperture_fault() - page fault in the guest's mapping of the aperture
 * @ggtt: the private GGTT
 * @vmf: the fault
 * @page: which page of the aperture
 *
 * Return: VM_FAULT_NOPAGE, or an error of vmf_insert_mixed().
 * Context: page fault: may sleep, and does not take the vGPU's lock, as its holder may wait for the
 * mmap lock.
 */
vm_fault_t gslot_ggtt_aperture_fault(struct gslot_ggtt *ggtt, struct vm_fault *vmf,
				     unsigned long page)
{
	unsigned long pfn;
	vm_fault_t ret;

	if (gslot_aperture_lock(ggtt, page, &pfn))
		ret = vmf_insert_pfn_prot(vmf->vma, vmf->address, pfn,
					  pgprot_writecombine(vmf->vma->vm_page_prot));
	else
		ret = aperture_map_direct(ggtt, vmf, page);
	if (page < ggtt->nr_low)
		__set_bit(page, ggtt->mapped);
	gslot_ggtt_log_note(ggtt, page);
	ggtt->stats.aperture_faults++;
	mutex_unlock(&ggtt->map_lock);
	return ret;
}

static void aperture_access_physical(unsigned long pfn, u32 offset, void *buf, size_t len,
				     bool write)
{
	void __iomem *va = ioremap_wc(PFN_PHYS(pfn), PAGE_SIZE);

	if (!va)
		return;
	if (write)
		memcpy_toio(va + offset, buf, len);
	else
		memcpy_fromio(buf, va + offset, len);
	/* The write arrives before map_lock is dropped and the place can change its owner. */
	wmb();
	iounmap(va);
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
	u32 entry = offset >> PAGE_SHIFT;
	struct gslot_guest_page *page;
	unsigned long pfn;
	bool physical;

	if (!write)
		memset(buf, 0, len);
	physical = gslot_aperture_lock(ggtt, entry, &pfn);
	page = entry < ggtt->nr_low ? ggtt->shown[entry] : NULL;
	if (write)
		gslot_ggtt_log_note(ggtt, entry);
	if (physical)
		aperture_access_physical(pfn, offset_in_page(offset), buf, len, write);
	else if (page && write)
		gslot_guest_page_write(page, offset_in_page(offset), buf, len);
	else if (page)
		gslot_guest_page_read(page, offset_in_page(offset), buf, len);
	mutex_unlock(&ggtt->map_lock);
}
