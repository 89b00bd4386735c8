// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: guest memory
 *
 * A page of the guest is pinned and mapped for the GPU when something refers
 * to it for the first time, and released with the last reference. Whoever lets
 * go of a page has made sure before that the GPU does not use it any more.
 *
 * Pages are pinned in batches and released one at a time. That is what the
 * type 1 back end of VFIO allows; iommufd wants every range released as it was
 * pinned, so there batches are of one page.
 *
 * When memory is unmapped, VFIO wants its pages back, looks whether it has got
 * them, and gives up on the whole system if it asked ten times in vain. So a
 * guest that keeps on submitting must not get them pinned again in between: the
 * range is barred until VFIO has certainly looked.
 *
 * The lock is held while pages are pinned, and pinning takes the mmap lock of
 * the guest's process: no lock that a page fault handler takes may be held by
 * a caller of this file.
 */
#include <linux/dma-mapping.h>
#include <linux/iommu.h>
#include <linux/jiffies.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "guestmem.h"
#include "../compat.h"

#define PIN_BATCH	64
#define BAR_JIFFIES	msecs_to_jiffies(20)
#define MAX_GFN		BIT_ULL(52)

/**
 * gslot_guestmem_init() - prepare to pin pages of a guest
 * @mem: to be initialised
 * @vdev: the VFIO device, which is open until gslot_guestmem_fini()
 * @dev: the GPU
 */
void gslot_guestmem_init(struct gslot_guestmem *mem, struct vfio_device *vdev, struct device *dev)
{
	mem->vdev = vdev;
	mem->dev = dev;
	mutex_init(&mem->lock);
	xa_init(&mem->pages);
	mem->count = 0;
	mem->barred_until = 0;
}

static void page_release(struct gslot_guestmem *mem, struct gslot_guest_page *page)
{
	xa_erase(&mem->pages, page->gfn);
	mem->count--;
	dma_unmap_page(mem->dev, page->dma, PAGE_SIZE, DMA_BIDIRECTIONAL);
	vfio_unpin_pages(mem->vdev, page->gfn << PAGE_SHIFT, 1);
	kfree(page);
}

/**
 * gslot_guestmem_fini() - the guest is gone
 * @mem: no page of it should be referred to; what is left is released
 */
void gslot_guestmem_fini(struct gslot_guestmem *mem)
{
	struct gslot_guest_page *page;
	unsigned long gfn;

	WARN_ON(mem->count);
	mutex_lock(&mem->lock);
	xa_for_each(&mem->pages, gfn, page)
		page_release(mem, page);
	mutex_unlock(&mem->lock);
	xa_destroy(&mem->pages);
	mutex_destroy(&mem->lock);
}

/* Take over one page that is pinned already; on failure it is unpinned. */
static struct gslot_guest_page *page_add(struct gslot_guestmem *mem, u64 gfn, struct page *page)
{
	struct gslot_guest_page *gp = kmalloc(sizeof(*gp), GFP_KERNEL);
	int ret = -ENOMEM;

	if (!gp)
		goto err_unpin;
	*gp = (struct gslot_guest_page) { .gfn = gfn, .page = page, .refs = 1 };
	gp->dma = dma_map_page(mem->dev, page, 0, PAGE_SIZE, DMA_BIDIRECTIONAL);
	if (dma_mapping_error(mem->dev, gp->dma)) {
		ret = -ENOMEM;
		goto err_free;
	}
	ret = xa_err(xa_store(&mem->pages, gfn, gp, GFP_KERNEL));
	if (ret)
		goto err_unmap;
	mem->count++;
	return gp;

err_unmap:
	dma_unmap_page(mem->dev, gp->dma, PAGE_SIZE, DMA_BIDIRECTIONAL);
err_free:
	kfree(gp);
err_unpin:
	vfio_unpin_pages(mem->vdev, gfn << PAGE_SHIFT, 1);
	return ERR_PTR(ret);
}

static void put_locked(struct gslot_guestmem *mem, struct gslot_guest_page *page)
{
	lockdep_assert_held(&mem->lock);
	if (!--page->refs)
		page_release(mem, page);
}

/* Pin @count pages in a row, none of which is known yet. */
static int pin_run(struct gslot_guestmem *mem, u64 gfn, u32 count, struct gslot_guest_page **out)
{
	struct page *pages[PIN_BATCH];
	int pinned, i, k, ret = -EFAULT;

	pinned = vfio_pin_pages(mem->vdev, gfn << PAGE_SHIFT, count, IOMMU_READ | IOMMU_WRITE,
				pages);
	if (pinned < 0)		/* -EINVAL: nothing is mapped there */
		return pinned == -EINVAL ? -EFAULT : pinned;
	for (i = 0; i < pinned; i++) {
		out[i] = page_add(mem, gfn + i, pages[i]);
		if (IS_ERR(out[i])) {
			ret = PTR_ERR(out[i]);
			goto err_release;
		}
	}
	if (pinned == count)
		return 0;

err_release:
	for (k = i + 1; k < pinned; k++)
		vfio_unpin_pages(mem->vdev, (gfn + k) << PAGE_SHIFT, 1);
	while (i-- > 0)
		put_locked(mem, out[i]);
	return ret;
}

/* How many of the next pages are unknown and may be pinned in one call. */
static u32 unknown_run(struct gslot_guestmem *mem, u64 gfn, u32 count)
{
	u32 limit = gslot_vfio_uses_iommufd(mem->vdev) ? 1 : PIN_BATCH, run = 1;

	while (run < min(count, limit) && !xa_load(&mem->pages, gfn + run))
		run++;
	return run;
}

/**
 * gslot_guestmem_bar() - a range is being unmapped
 * @mem: the guest's memory
 * @gfn: the first page
 * @count: how many, not 0; none of them is pinned
 *
 * Whoever wants one of them within the next moment waits, and then gets what
 * is there by then.
 */
void gslot_guestmem_bar(struct gslot_guestmem *mem, u64 gfn, u64 count)
{
	mutex_lock(&mem->lock);
	mem->barred_first = gfn;
	mem->barred_last = gfn + min(count - 1, ~gfn);
	/* 0 means that there is none. */
	mem->barred_until = (jiffies + BAR_JIFFIES) | 1;
	mutex_unlock(&mem->lock);
}

/* Take the lock when no page of a range is barred. */
static void lock_unbarred(struct gslot_guestmem *mem, u64 gfn, u32 count)
{
	long left;

	mutex_lock(&mem->lock);
	while (mem->barred_until) {
		left = (long)(mem->barred_until - jiffies);
		if (left <= 0) {
			mem->barred_until = 0;
			break;
		}
		if (gfn > mem->barred_last || gfn + count - 1 < mem->barred_first)
			break;
		mutex_unlock(&mem->lock);
		schedule_timeout_uninterruptible(left);
		mutex_lock(&mem->lock);
	}
}

/**
 * gslot_guestmem_get_range() - refer to pages in a row
 * @mem: the guest's memory
 * @gfn: the first page
 * @count: how many
 * @pages: the pages, on success
 *
 * Context: may sleep.
 * Return: 0, or -errno, and then no page is referred to: -EFAULT if one of
 * them is no guest memory.
 */
int gslot_guestmem_get_range(struct gslot_guestmem *mem, u64 gfn, u32 count,
			     struct gslot_guest_page **pages)
{
	u32 i = 0, run;
	int ret = 0;

	if (gfn >= MAX_GFN || count > MAX_GFN - gfn)
		return -EFAULT;
	lock_unbarred(mem, gfn, count);
	while (i < count) {
		pages[i] = xa_load(&mem->pages, gfn + i);
		if (pages[i]) {
			pages[i++]->refs++;
			continue;
		}
		run = unknown_run(mem, gfn + i, count - i);
		ret = pin_run(mem, gfn + i, run, &pages[i]);
		if (ret)
			break;
		i += run;
	}
	if (ret)
		while (i-- > 0)
			put_locked(mem, pages[i]);
	mutex_unlock(&mem->lock);
	return ret;
}

/**
 * gslot_guestmem_get() - refer to a page
 * @mem: the guest's memory
 * @gfn: the page
 *
 * Context: may sleep.
 * Return: the page, or ERR_PTR: -EFAULT if it is no guest memory.
 */
struct gslot_guest_page *gslot_guestmem_get(struct gslot_guestmem *mem, u64 gfn)
{
	struct gslot_guest_page *page;
	int ret = gslot_guestmem_get_range(mem, gfn, 1, &page);

	return ret ? ERR_PTR(ret) : page;
}

/**
 * gslot_guestmem_put() - give a reference back
 * @mem: the guest's memory
 * @page: the page; the GPU does not reach it any more if this is the last one
 *
 * Context: may sleep.
 */
void gslot_guestmem_put(struct gslot_guestmem *mem, struct gslot_guest_page *page)
{
	mutex_lock(&mem->lock);
	put_locked(mem, page);
	mutex_unlock(&mem->lock);
}

/**
 * gslot_guestmem_overlaps() - is any page of a range pinned?
 * @mem: the guest's memory
 * @gfn: the first page
 * @count: how many
 */
bool gslot_guestmem_overlaps(struct gslot_guestmem *mem, u64 gfn, u64 count)
{
	unsigned long index = gfn;

	if (!count)
		return false;
	return xa_find(&mem->pages, &index, gfn + min(count - 1, ~gfn), XA_PRESENT);
}
