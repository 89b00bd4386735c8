// SPDX-License-Identifier: GPL-2.0
/*
 * Pinning guest memory. A pinned page is mapped for the GPU, and in gslot_guestmem.pages. Pages are
 * pinned in batches, and unpinned in runs as long as the user allows. VFIO takes a lock to pin or
 * unpin pages. If two threads unmap memory at once, the second one holds this lock while it waits
 * for the notifications of the first to end. So pages can be unpinned only between two
 * notifications, and one call has to unpin many (vgpu/unmap.c).
 *
 * gslot_guestmem.lock is held for all of it. So a page that is not in the array is not pinned.
 */
#include <linux/dma-mapping.h>
#include <linux/init.h>
#include <linux/jiffies.h>
#include <linux/slab.h>

#include "guestmem_priv.h"
#include "base/account.h"

/* For how long after a slow call each further call pins few pages only. */
#define SLOW_JIFFIES	HZ
#define UNPIN_BATCH	512U	/* the most that VFIO takes in a call */

static struct kmem_cache *pin_page_cache;

/**
 * gslot_guestmem_cache_init() - create the slab cache of struct gslot_guest_page
 *
 * Return: 0 or -ENOMEM.
 * Context: may sleep.
 */
int __init gslot_guestmem_cache_init(void)
{
	pin_page_cache = KMEM_CACHE(gslot_guest_page, SLAB_ACCOUNT);
	return pin_page_cache ? 0 : -ENOMEM;
}

/**
 * gslot_guestmem_cache_exit() - undo gslot_guestmem_cache_init()
 *
 * Context: may sleep; no vGPU is open.
 */
void gslot_guestmem_cache_exit(void)
{
	kmem_cache_destroy(pin_page_cache);
}

/* How many of @count pages one call may pin or unpin. */
static u32 pin_user_limit(const struct gslot_guestmem *mem, u32 count)
{
	return min(mem->user->ops->pin_limit(mem->user->data), count);
}

static int pin_user_pin(struct gslot_guestmem *mem, u64 gfn, u32 count, struct page **pages)
{
	unsigned long start = jiffies;
	int pinned;

	guestmem_block_pin_begin(mem->block);
	pinned = mem->user->ops->pin(mem->user->data, gfn, count, pages);
	guestmem_block_pin_end(mem->block);
	/* At this rate a full batch takes more than a second. Memory stays slow for a while. */
	if (time_after(jiffies, start + count * HZ / GSLOT_PIN_BATCH))
		mem->slow_until = jiffies + SLOW_JIFFIES;
	WRITE_ONCE(mem->slow, time_before(jiffies, mem->slow_until));
	/* Also if it failed: it may have waited for pages, and does so no more. */
	gslot_guestmem_note_progress(mem);
	return pinned;
}

static void pin_user_unpin(struct gslot_guestmem *mem, u64 gfn, u32 count)
{
	mem->user->ops->unpin(mem->user->data, gfn, count);
	gslot_guestmem_note_progress(mem);
}

/* Unpin the pages that guestmem_unpin() has collected; @run is {} when this returns. */
void guestmem_unpin_run(struct gslot_guestmem *mem, struct guestmem_run *run)
{
	lockdep_assert_held(&mem->lock);
	if (run->count)
		pin_user_unpin(mem, run->gfn, run->count);
	gslot_pinned_uncharge(mem->all, run->count);
	*run = (struct guestmem_run) {};
}

static void pin_dma_unmap(struct gslot_guestmem *mem, struct gslot_guest_page **pages, u32 count)
{
	while (count-- > 0)
		dma_unmap_page_attrs(mem->dev, (*pages++)->dma, PAGE_SIZE, DMA_BIDIRECTIONAL,
				     DMA_ATTR_SKIP_CPU_SYNC);
}

/*
 * Unmap and free a page that is not in the list of idle ones, and unpin it together with its
 * neighbours. @run collects pages in a row; the caller ends with guestmem_unpin_run(), and holds
 * the lock until then.
 */
void guestmem_unpin(struct gslot_guestmem *mem, struct gslot_guest_page *page,
		    struct guestmem_run *run)
{
	u64 gfn = page->gfn;

	lockdep_assert_held(&mem->lock);
	xa_erase(&mem->pages, gfn);
	WRITE_ONCE(mem->count, mem->count - 1);
	guestmem_log_unpinned(mem, page);
	pin_dma_unmap(mem, &page, 1);
	kmem_cache_free(pin_page_cache, page);
	if (gfn != run->gfn + run->count || run->count == pin_user_limit(mem, UNPIN_BATCH))
		guestmem_unpin_run(mem, run);
	if (!run->count)
		run->gfn = gfn;
	run->count++;
}

/* Map @count pinned pages for the GPU: all or none. Return: 0 or -ENOMEM. */
static int pin_dma_map(struct gslot_guestmem *mem, struct gslot_guest_page **to,
		       struct page **pages, u64 gfn, u32 count)
{
	u32 i;

	for (i = 0; i < count; i++) {
		*to[i] = (struct gslot_guest_page) { .gfn = gfn + i, .page = pages[i], .refs = 1 };
		/* No sync: the guest may have the page at two addresses, and owns its contents. */
		to[i]->dma = dma_map_page_attrs(mem->dev, pages[i], 0, PAGE_SIZE,
						DMA_BIDIRECTIONAL, DMA_ATTR_SKIP_CPU_SYNC);
		if (dma_mapping_error(mem->dev, to[i]->dma)) {
			pin_dma_unmap(mem, to, i);
			return -ENOMEM;
		}
	}
	return 0;
}

/* Put @count pages in a row into the array: all or none. Return: 0 or -ENOMEM. */
static int pin_store(struct gslot_guestmem *mem, struct gslot_guest_page **pages, u64 gfn,
		     u32 count)
{
	XA_STATE(xas, &mem->pages, gfn);
	u32 i = 0;

	do {
		xas_lock(&xas);
		for (; i < count; i++) {
			xas_store(&xas, pages[i]);
			if (xas_error(&xas))
				break;
			xas_next(&xas);
		}
		xas_unlock(&xas);
	} while (xas_nomem(&xas, GSLOT_GFP_GUEST));
	if (i == count)
		return 0;
	while (i-- > 0)
		xa_erase(&mem->pages, gfn + i);
	return xas_error(&xas);
}

/*
 * -EFAULT: there is no guest memory, or devices may only read it. -ENOMEM: the host has no room, or
 * the call was interrupted, or did not wait. Then another try may succeed.
 */
static int pin_error(int ret)
{
	return ret == -ENOMEM || ret == -EAGAIN || ret == -EINTR ? -ENOMEM : -EFAULT;
}

/* How many more pages the limits allow. */
static u64 pin_room(const struct gslot_guestmem *mem)
{
	u64 max = gslot_guestmem_max(mem);

	return min(max - min_t(u64, max, mem->count), gslot_pinned_room(mem->all, mem));
}

/* How many pages are pinned beyond the limits. */
u64 guestmem_pin_excess(const struct gslot_guestmem *mem)
{
	u64 max = gslot_guestmem_max(mem);

	return max(mem->count - min_t(u64, max, mem->count), gslot_pinned_excess(mem->all));
}

/* guestmem_pin() without the limits. */
static int pin_pages(struct gslot_guestmem *mem, u64 gfn, u32 count, struct gslot_guest_page **out)
{
	struct page *pages[GSLOT_PIN_BATCH];
	int pinned, ret;

	lockdep_assert_held(&mem->lock);
	ret = guestmem_log_prepare(mem, gfn, count);
	if (ret)
		return ret;
	if (!kmem_cache_alloc_bulk(pin_page_cache, GSLOT_GFP_GUEST, count, (void **)out))
		return -ENOMEM;
	pinned = pin_user_pin(mem, gfn, count, pages);
	if (pinned < 0) {
		ret = pin_error(pinned);
		goto err_free;
	}
	if (pinned < count) {
		ret = -EFAULT;
		goto err_unpin;
	}
	ret = pin_dma_map(mem, out, pages, gfn, count);
	if (ret)
		goto err_unpin;
	ret = pin_store(mem, out, gfn, count);
	if (ret)
		goto err_unmap;
	WRITE_ONCE(mem->count, mem->count + count);
	WRITE_ONCE(mem->pinned, mem->pinned + count);
	return 0;

err_unmap:
	pin_dma_unmap(mem, out, count);
err_unpin:
	if (pinned)
		pin_user_unpin(mem, gfn, pinned);
err_free:
	kmem_cache_free_bulk(pin_page_cache, count, (void **)out);
	return ret;
}

/*
 * Pin pages in a row, none of which is pinned: all or none. @count is limited by
 * guestmem_pin_limit(). @out gets the pages, with a reference to each. Takes the mmap lock. Return:
 * 0; -EFAULT if one of them is no guest memory; -ENOMEM if the host has no room; -ENOBUFS if the
 * vGPU, or all vGPUs together, may not have so many.
 */
int guestmem_pin(struct gslot_guestmem *mem, u64 gfn, u32 count, struct gslot_guest_page **out,
		 const struct guestmem_charge *charge)
{
	int ret;

	lockdep_assert_held(&mem->lock);
	if (!charge->limited)
		gslot_pinned_charge_always(mem->all, mem, count);
	else if (mem->count + count > gslot_guestmem_max(mem) ||
		 !gslot_pinned_charge(mem->all, mem, count, charge->made))
		return -ENOBUFS;
	ret = pin_pages(mem, gfn, count, out);
	if (ret)
		gslot_pinned_uncharge(mem->all, count);
	else if (charge->limited)
		WRITE_ONCE(mem->pinned_limited, mem->pinned_limited + count);
	return ret;
}

/*
 * How many of @count pages in a row, the first of which is not pinned, one call of guestmem_pin()
 * may pin: a batch at most, only those up to the next pinned one, and as many as the limits allow
 * if they hold, but at least one.
 */
u32 guestmem_pin_limit(struct gslot_guestmem *mem, u64 gfn, u32 count, bool limited)
{
	u32 run = pin_user_limit(mem, min(count, gslot_guestmem_pin_batch(mem)));
	unsigned long known = gfn + 1;

	lockdep_assert_held(&mem->lock);
	if (limited)
		run = clamp_t(u64, pin_room(mem), 1, run);
	return xa_find(&mem->pages, &known, gfn + run - 1, XA_PRESENT) ? known - gfn : run;
}
