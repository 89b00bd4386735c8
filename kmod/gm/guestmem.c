// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: guest memory
 *
 * A page of the guest is pinned and mapped for the GPU when something refers
 * to it for the first time. Whoever lets go of a page has made sure before that
 * the GPU does not use it any more.
 *
 * With the last reference a page becomes idle, and stays pinned for a while: see
 * guestmem_idle.c.
 *
 * Pages are pinned in batches, and unpinned one at a time or in batches, if the user has it
 * that way: VFIO pins and unpins under a lock that a second thread which unmaps holds
 * while it waits for the first. So if two of them do so at once, pages can be let go of
 * between their turns alone.
 *
 * When memory is unmapped, VFIO wants its pages back, looks whether it has got
 * them, and gives up on the whole system if it asked ten times in vain. So a
 * guest that keeps on submitting must not get them pinned again in between: the
 * range is withheld until VFIO has certainly looked. Several ranges may be at a time;
 * where there is no room for one more, it is added to one that there is, with all
 * that lies between them: to wait there is a delay, and does no harm.
 *
 * The lock is held while pages are pinned, and pinning takes the mmap lock of
 * the guest's process: no lock that a page fault handler takes may be held by
 * a caller of this file. It is held, too, while pages are unpinned: a page that is not known
 * any more is not pinned either.
 */
#include <linux/dma-mapping.h>
#include <linux/init.h>
#include <linux/jiffies.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "guestmem_priv.h"
#include "base/account.h"

#define PIN_BATCH	64
#define UNPIN_BATCH	512U	/* as many as VFIO takes at once */
#define WITHHOLD_JIFFIES	msecs_to_jiffies(20)
#define MAX_GFN		BIT_ULL(52)

static struct kmem_cache *page_cache;

/**
 * gslot_guestmems_init() - be ready for guests' pages
 *
 * Return: 0 or -ENOMEM.
 * Context: may sleep.
 */
int __init gslot_guestmems_init(void)
{
	page_cache = KMEM_CACHE(gslot_guest_page, SLAB_ACCOUNT);
	return page_cache ? 0 : -ENOMEM;
}

/**
 * gslot_guestmems_exit() - undo gslot_guestmems_init()
 *
 * Context: may sleep; no vGPU is open.
 */
void gslot_guestmems_exit(void)
{
	kmem_cache_destroy(page_cache);
}

/**
 * gslot_guestmem_init() - prepare to pin pages of a guest
 * @mem: to be initialised
 * @user: who pins pages, until gslot_guestmem_fini()
 * @dev: the GPU
 * @vgpu_lock: the vGPU's lock
 *
 * Context: any; nobody uses it yet.
 */
void gslot_guestmem_init(struct gslot_guestmem *mem, const struct gslot_user *user,
			 struct device *dev, struct gslot_vgpu_lock *vgpu_lock)
{
	mem->user = user;
	mem->dev = dev;
	mem->vgpu_lock = vgpu_lock;
	mutex_init(&mem->lock);
	xa_init_flags(&mem->pages, XA_FLAGS_ACCOUNT);
	mem->count = 0;
	mem->failed = 0;
	atomic_set(&mem->progress, 0);
	guestmem_idle_init(mem);
	mem->unmapping = false;
	mem->nr_withheld = 0;
}

static void page_get(struct gslot_guestmem *mem, struct gslot_guest_page *page)
{
	lockdep_assert_held(&mem->lock);
	if (!page->refs)
		guestmem_idle_take(mem, page);
	WRITE_ONCE(page->refs, page->refs + 1);
}

/* Whoever puts some calls guestmem_idle_limit() then. */
static void page_put(struct gslot_guestmem *mem, struct gslot_guest_page *page)
{
	lockdep_assert_held(&mem->lock);
	WRITE_ONCE(page->refs, page->refs - 1);
	if (!page->refs)
		guestmem_idle_add(mem, page);
}

/**
 * guestmem_limit() - how many pages may be pinned or unpinned in one call
 * @mem: the guest's memory
 * @batch: how many the caller would
 *
 * Return: as many at most.
 * Context: any.
 */
u32 guestmem_limit(const struct gslot_guestmem *mem, u32 batch)
{
	return min(mem->user->ops->pin_limit(mem->user->data), batch);
}

static void unpin(struct gslot_guestmem *mem, u64 gfn, u32 count)
{
	mem->user->ops->unpin(mem->user->data, gfn, count);
	gslot_guestmem_advance(mem);
}

/**
 * guestmem_unpin_run() - unpin what guestmem_forget() has collected
 * @mem: the guest's memory
 * @run: the pages; {} when this returns
 *
 * Context: lock held; may sleep.
 */
void guestmem_unpin_run(struct gslot_guestmem *mem, struct guestmem_run *run)
{
	lockdep_assert_held(&mem->lock);
	if (run->count)
		unpin(mem, run->gfn, run->count);
	*run = (struct guestmem_run) {};
}

static void unmap_pages(struct gslot_guestmem *mem, struct gslot_guest_page **pages, u32 count)
{
	while (count-- > 0)
		dma_unmap_page_attrs(mem->dev, (*pages++)->dma, PAGE_SIZE, DMA_BIDIRECTIONAL,
				     DMA_ATTR_SKIP_CPU_SYNC);
}

/**
 * guestmem_forget() - a page is not known any more
 * @mem: the guest's memory
 * @page: the page, not idle; freed
 * @run: it is unpinned with its neighbours: at the latest when the caller calls
 *	guestmem_unpin_run() for them
 *
 * Context: lock held until then; may sleep.
 */
void guestmem_forget(struct gslot_guestmem *mem, struct gslot_guest_page *page,
		     struct guestmem_run *run)
{
	u64 gfn = page->gfn;

	lockdep_assert_held(&mem->lock);
	xa_erase(&mem->pages, gfn);
	mem->count--;
	unmap_pages(mem, &page, 1);
	kmem_cache_free(page_cache, page);
	if (gfn != run->gfn + run->count || run->count == guestmem_limit(mem, UNPIN_BATCH))
		guestmem_unpin_run(mem, run);
	if (!run->count)
		run->gfn = gfn;
	run->count++;
}

/**
 * gslot_guestmem_fini() - the guest is gone
 * @mem: no page of it should be referred to; what is left is released
 *
 * Context: may sleep; nobody uses it any more.
 */
void gslot_guestmem_fini(struct gslot_guestmem *mem)
{
	struct gslot_guest_page *page;
	struct guestmem_run run = {};
	unsigned long gfn;

	guestmem_idle_fini(mem);
	mutex_lock(&mem->lock);
	WARN_ON(mem->count);
	xa_for_each(&mem->pages, gfn, page)
		guestmem_forget(mem, page, &run);
	guestmem_unpin_run(mem, &run);
	mutex_unlock(&mem->lock);
	xa_destroy(&mem->pages);
	mutex_destroy(&mem->lock);
}

/* Make @count pages that were pinned known to the GPU. Return: 0 or -ENOMEM. */
static int map_pages(struct gslot_guestmem *mem, struct gslot_guest_page **to,
		     struct page **pages, u64 gfn, u32 count)
{
	u32 i;

	for (i = 0; i < count; i++) {
		*to[i] = (struct gslot_guest_page) { .gfn = gfn + i, .page = pages[i], .refs = 1 };
		/* The guest may show one page at two addresses, and owns its contents. */
		to[i]->dma = dma_map_page_attrs(mem->dev, pages[i], 0, PAGE_SIZE,
						DMA_BIDIRECTIONAL, DMA_ATTR_SKIP_CPU_SYNC);
		if (dma_mapping_error(mem->dev, to[i]->dma))
			break;
	}
	if (i == count)
		return 0;
	unmap_pages(mem, to, i);
	return -ENOMEM;
}

/* Put @count pages in a row into the array: all or none. Return: 0 or -ENOMEM. */
static int store_pages(struct gslot_guestmem *mem, struct gslot_guest_page **pages, u64 gfn,
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

static int pin(struct gslot_guestmem *mem, u64 gfn, u32 count, struct page **pages)
{
	return mem->user->ops->pin(mem->user->data, gfn, count, pages);
}

/*
 * Memory that is not there, or that devices may only read, is none for the GPU. It
 * may be another time if the host has no room, or does not let us wait for it.
 */
static int pin_error(int ret)
{
	return ret == -ENOMEM || ret == -EAGAIN || ret == -EINTR ? -ENOMEM : -EFAULT;
}

/* Pin @count pages in a row, none of which is known yet: all or none. */
static int pin_run(struct gslot_guestmem *mem, u64 gfn, u32 count, struct gslot_guest_page **out)
{
	struct page *pages[PIN_BATCH];
	int pinned, ret;

	if (!kmem_cache_alloc_bulk(page_cache, GSLOT_GFP_GUEST, count, (void **)out))
		return -ENOMEM;
	pinned = pin(mem, gfn, count, pages);
	if (pinned < 0) {
		ret = pin_error(pinned);
		goto err_free;
	}
	if (pinned < count) {
		ret = -EFAULT;
		goto err_unpin;
	}
	ret = map_pages(mem, out, pages, gfn, count);
	if (ret)
		goto err_unpin;
	ret = store_pages(mem, out, gfn, count);
	if (ret)
		goto err_unmap;
	mem->count += count;
	return 0;

err_unmap:
	unmap_pages(mem, out, count);
err_unpin:
	if (pinned)
		unpin(mem, gfn, pinned);
err_free:
	kmem_cache_free_bulk(page_cache, count, (void **)out);
	return ret;
}

/* What a process may lock is limited, and so is what a guest makes the host allocate. */
static int pin_new(struct gslot_guestmem *mem, u64 gfn, u32 count, struct gslot_guest_page **out)
{
	int ret;

	do {
		ret = pin_run(mem, gfn, count, out);
	} while (ret == -ENOMEM && guestmem_idle_release(mem, GUESTMEM_BATCH));
	if (ret)
		mem->failed++;
	return ret;
}

/* How many pages from @gfn on, which is unknown, are so too, and may be pinned in one call. */
static u32 unknown_run(struct gslot_guestmem *mem, u64 gfn, u32 count)
{
	u32 run = min(count, guestmem_limit(mem, PIN_BATCH));
	unsigned long known = gfn + 1;

	return xa_find(&mem->pages, &known, gfn + run - 1, XA_PRESENT) ? known - gfn : run;
}

/* Unpin the idle pages of a range. Return: whether no page of it is left. */
static bool unpin_range(struct gslot_guestmem *mem, u64 first, u64 last)
{
	struct gslot_guest_page *page;
	struct guestmem_run run = {};
	unsigned long gfn;
	bool empty = true;

	xa_for_each_range(&mem->pages, gfn, page, first, last) {
		if (READ_ONCE(page->refs)) {
			empty = false;
			continue;
		}
		guestmem_idle_take(mem, page);
		guestmem_forget(mem, page, &run);
	}
	guestmem_unpin_run(mem, &run);
	return empty;
}

/* Forget the ranges whose time is over. */
static void expire_withheld(struct gslot_guestmem *mem)
{
	u32 i = 0;

	while (i < mem->nr_withheld) {
		if (time_before(jiffies, mem->withheld[i].until))
			i++;
		else
			mem->withheld[i] = mem->withheld[--mem->nr_withheld];
	}
}

static void withhold(struct gslot_guestmem *mem, u64 first, u64 last)
{
	struct gslot_withheld *range;

	expire_withheld(mem);
	if (mem->nr_withheld < GSLOT_MAX_WITHHELD) {
		range = &mem->withheld[mem->nr_withheld++];
		range->first = first;
		range->last = last;
	} else {
		range = &mem->withheld[0];
		range->first = min(range->first, first);
		range->last = max(range->last, last);
	}
	range->until = jiffies + WITHHOLD_JIFFIES;
}

/**
 * gslot_guestmem_withhold() - a range is being unmapped
 * @mem: the guest's memory
 * @gfn: the first page
 * @count: how many, not 0
 *
 * Unpins what nobody refers to. Whoever wants a page of the range within the
 * next moment waits, and then gets what is there by then.
 *
 * Return: true if none is pinned any more; false if some are in use: then the
 * range is not withheld, and this has to be called again when they are not.
 * Context: may sleep.
 */
bool gslot_guestmem_withhold(struct gslot_guestmem *mem, u64 gfn, u64 count)
{
	u64 last = gfn + min(count - 1, ~gfn);
	bool empty;

	mutex_lock(&mem->lock);
	empty = unpin_range(mem, gfn, last);
	if (empty)
		withhold(mem, gfn, last);
	mutex_unlock(&mem->lock);
	return empty;
}

/* How long a page of a range is withheld yet, jiffies; 0 if none is. */
static long withheld_for(struct gslot_guestmem *mem, u64 first, u64 last)
{
	long left = 0;
	u32 i;

	expire_withheld(mem);
	for (i = 0; i < mem->nr_withheld; i++)
		if (first <= mem->withheld[i].last && last >= mem->withheld[i].first)
			left = max(left, (long)(mem->withheld[i].until - jiffies));
	return left;
}

/* Take the lock when no page of a range is withheld. */
static void lock_available(struct gslot_guestmem *mem, u64 gfn, u32 count)
{
	long left;

	mutex_lock(&mem->lock);
	while ((left = withheld_for(mem, gfn, gfn + count - 1)) > 0) {
		mutex_unlock(&mem->lock);
		schedule_timeout_uninterruptible(left);
		mutex_lock(&mem->lock);
	}
}

/* Refer to the first of @count pages, as far as they are known. Return: how many. */
static u32 get_known(struct gslot_guestmem *mem, u64 gfn, u32 count,
		     struct gslot_guest_page **pages)
{
	XA_STATE(xas, &mem->pages, gfn);
	struct gslot_guest_page *page;
	u32 n = 0;

	/* The lock keeps the pages; the array itself wants RCU. */
	rcu_read_lock();
	xas_for_each(&xas, page, gfn + count - 1) {
		if (page->gfn != gfn + n)
			break;
		page_get(mem, page);
		pages[n++] = page;
	}
	rcu_read_unlock();
	return n;
}

/**
 * gslot_guestmem_get_range() - refer to pages in a row, pinning them if need be
 * @mem: the guest's memory
 * @gfn: the first page
 * @count: how many
 * @pages: the pages, on success
 *
 * It may wait for long, and never lets go of the vGPU's lock meanwhile: what the caller has
 * found out under it stays true.
 *
 * Return: 0; or, and then no page is referred to, -EFAULT if one of them is no
 * guest memory, -ENOMEM if the host has no room.
 * Context: the vGPU's lock is held; may sleep, without any lock that a page fault takes.
 */
int gslot_guestmem_get_range(struct gslot_guestmem *mem, u64 gfn, u32 count,
			     struct gslot_guest_page **pages)
{
	struct pin_cookie cookie;
	u32 i = 0, run;
	int ret = 0;

	lockdep_assert_held(&mem->vgpu_lock->mutex);
	if (gfn >= MAX_GFN || count > MAX_GFN - gfn)
		return -EFAULT;
	cookie = lockdep_pin_lock(&mem->vgpu_lock->mutex);
	lock_available(mem, gfn, count);
	for (;;) {
		i += get_known(mem, gfn + i, count - i, &pages[i]);
		if (i == count)
			break;
		run = unknown_run(mem, gfn + i, count - i);
		ret = pin_new(mem, gfn + i, run, &pages[i]);
		if (ret)
			break;
		i += run;
	}
	if (ret) {
		while (i-- > 0)
			page_put(mem, pages[i]);
		guestmem_idle_limit(mem);
	}
	mutex_unlock(&mem->lock);
	lockdep_unpin_lock(&mem->vgpu_lock->mutex, cookie);
	return ret;
}

/**
 * gslot_guestmem_get() - refer to a page, pinning it if need be
 * @mem: the guest's memory
 * @gfn: the page
 *
 * Return: the page, or ERR_PTR as gslot_guestmem_get_range().
 * Context: as gslot_guestmem_get_range().
 */
struct gslot_guest_page *gslot_guestmem_get(struct gslot_guestmem *mem, u64 gfn)
{
	struct gslot_guest_page *page;
	int ret = gslot_guestmem_get_range(mem, gfn, 1, &page);

	return ret ? ERR_PTR(ret) : page;
}

/**
 * gslot_guestmem_put_all() - give references back
 * @mem: the guest's memory
 * @pages: the pages; the GPU does not reach one any more if this is its last
 *	reference
 * @count: how many
 *
 * Context: may sleep.
 */
void gslot_guestmem_put_all(struct gslot_guestmem *mem, struct gslot_guest_page *const *pages,
			    u32 count)
{
	mutex_lock(&mem->lock);
	while (count--)
		page_put(mem, *pages++);
	guestmem_idle_limit(mem);
	mutex_unlock(&mem->lock);
}

/**
 * gslot_guestmem_put() - give a reference back
 * @mem: the guest's memory
 * @page: the page
 *
 * Context: may sleep.
 */
void gslot_guestmem_put(struct gslot_guestmem *mem, struct gslot_guest_page *page)
{
	gslot_guestmem_put_all(mem, &page, 1);
}
