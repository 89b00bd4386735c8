// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: guest memory
 *
 * A page of the guest is pinned and mapped for the GPU when something refers
 * to it for the first time. Whoever lets go of a page has made sure before that
 * the GPU does not use it any more.
 *
 * With the last reference a page becomes idle. It stays pinned until as many as
 * MAX_IDLE others have become so after it, or the guest's memory is unmapped:
 * to pin a page costs several times what it costs to find it pinned, and a driver
 * that frees an object hands the same memory out with the next one.
 *
 * Pages are pinned in batches, and released one at a time or in batches, if the user
 * has it that way. In batches where memory is unmapped: VFIO pins and unpins under a lock
 * that a second thread which unmaps holds while it waits for the first. So if two of them
 * do so at once, pages can be let go of between their turns alone.
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
 * a caller of this file.
 */
#include <linux/dma-mapping.h>
#include <linux/jiffies.h>
#include <linux/sched.h>
#include <linux/sizes.h>
#include <linux/slab.h>

#include "guestmem.h"
#include "../account.h"

#define PIN_BATCH	64
#define UNPIN_BATCH	512U	/* as many as VFIO takes at once */
#define TRIM_BATCH	512U	/* unpinned before somebody else gets the lock */
#define MAX_IDLE	(SZ_64M >> PAGE_SHIFT)
#define WITHHOLD_JIFFIES	msecs_to_jiffies(20)
#define MAX_GFN		BIT_ULL(52)

/**
 * gslot_guestmem_init() - prepare to pin pages of a guest
 * @mem: to be initialised
 * @user: who pins pages, until gslot_guestmem_fini()
 * @dev: the GPU
 *
 * Context: any; nobody uses it yet.
 */
void gslot_guestmem_init(struct gslot_guestmem *mem, const struct gslot_user *user,
			 struct device *dev)
{
	mem->user = user;
	mem->dev = dev;
	mutex_init(&mem->lock);
	xa_init_flags(&mem->pages, XA_FLAGS_ACCOUNT);
	mem->count = 0;
	mem->failed = 0;
	atomic_set(&mem->progress, 0);
	INIT_LIST_HEAD(&mem->idle);
	mem->nr_idle = 0;
	atomic_set(&mem->wanted, 0);
	mem->nr_withheld = 0;
}

static void page_get(struct gslot_guestmem *mem, struct gslot_guest_page *page)
{
	lockdep_assert_held(&mem->lock);
	if (page->refs++)
		return;
	list_del(&page->idle);
	mem->nr_idle--;
}

static void unpin(struct gslot_guestmem *mem, u64 gfn, u32 count)
{
	mem->user->ops->unpin(mem->user->data, gfn, count);
	gslot_guestmem_advance(mem);
}

/* It is not known any more, but pinned. */
static void page_forget(struct gslot_guestmem *mem, struct gslot_guest_page *page)
{
	xa_erase(&mem->pages, page->gfn);
	mem->count--;
	dma_unmap_page_attrs(mem->dev, page->dma, PAGE_SIZE, DMA_BIDIRECTIONAL,
			     DMA_ATTR_SKIP_CPU_SYNC);
	kfree(page);
}

static void idle_forget(struct gslot_guestmem *mem, struct gslot_guest_page *page)
{
	list_del(&page->idle);
	mem->nr_idle--;
	page_forget(mem, page);
}

static void idle_unpin(struct gslot_guestmem *mem, struct gslot_guest_page *page)
{
	u64 gfn = page->gfn;

	idle_forget(mem, page);
	unpin(mem, gfn, 1);
}

/* Unpin the oldest idle pages until @left are left. */
static void idle_shrink(struct gslot_guestmem *mem, u32 left)
{
	while (mem->nr_idle > left)
		idle_unpin(mem, list_first_entry(&mem->idle, struct gslot_guest_page, idle));
}

static void page_put(struct gslot_guestmem *mem, struct gslot_guest_page *page)
{
	lockdep_assert_held(&mem->lock);
	if (--page->refs)
		return;
	list_add_tail(&page->idle, &mem->idle);
	mem->nr_idle++;
	idle_shrink(mem, MAX_IDLE);
}

/**
 * gslot_guestmem_trim() - unpin what nobody refers to
 * @mem: the guest's memory
 *
 * Context: may sleep; the vGPU's lock is better not held, as this may take long.
 */
void gslot_guestmem_trim(struct gslot_guestmem *mem)
{
	u32 left = READ_ONCE(mem->nr_idle), n;

	/* No more than there are now: a guest may make others idle all the while. */
	for (; left; left -= n) {
		n = min(left, TRIM_BATCH);
		mutex_lock(&mem->lock);
		idle_shrink(mem, mem->nr_idle - min(mem->nr_idle, n));
		mutex_unlock(&mem->lock);
		cond_resched();
	}
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
	unsigned long gfn;

	mutex_lock(&mem->lock);
	idle_shrink(mem, 0);
	WARN_ON(mem->count);
	xa_for_each(&mem->pages, gfn, page) {
		page_forget(mem, page);
		unpin(mem, gfn, 1);
	}
	mutex_unlock(&mem->lock);
	xa_destroy(&mem->pages);
	mutex_destroy(&mem->lock);
}

/* Take over one page that is pinned already; on failure it is unpinned. */
static struct gslot_guest_page *page_add(struct gslot_guestmem *mem, u64 gfn, struct page *page)
{
	struct gslot_guest_page *gp = kmalloc(sizeof(*gp), GSLOT_GFP_GUEST);
	int ret = -ENOMEM;

	if (!gp)
		goto err_unpin;
	*gp = (struct gslot_guest_page) { .gfn = gfn, .page = page, .refs = 1 };
	/* The guest may show one page at two addresses, and owns its contents. */
	gp->dma = dma_map_page_attrs(mem->dev, page, 0, PAGE_SIZE, DMA_BIDIRECTIONAL,
				     DMA_ATTR_SKIP_CPU_SYNC);
	if (dma_mapping_error(mem->dev, gp->dma)) {
		ret = -ENOMEM;
		goto err_free;
	}
	ret = xa_err(xa_store(&mem->pages, gfn, gp, GSLOT_GFP_GUEST));
	if (ret)
		goto err_unmap;
	mem->count++;
	return gp;

err_unmap:
	dma_unmap_page_attrs(mem->dev, gp->dma, PAGE_SIZE, DMA_BIDIRECTIONAL,
			     DMA_ATTR_SKIP_CPU_SYNC);
err_free:
	kfree(gp);
err_unpin:
	unpin(mem, gfn, 1);
	return ERR_PTR(ret);
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

/* Pin @count pages in a row, none of which is known yet. */
static int pin_run(struct gslot_guestmem *mem, u64 gfn, u32 count, struct gslot_guest_page **out)
{
	struct page *pages[PIN_BATCH];
	int pinned, i, k, ret = -EFAULT;

	pinned = pin(mem, gfn, count, pages);
	if (pinned == -ENOMEM && mem->nr_idle) {
		/* What a process may lock is limited. */
		idle_shrink(mem, 0);
		pinned = pin(mem, gfn, count, pages);
	}
	if (pinned < 0) {
		mem->failed++;
		return pin_error(pinned);
	}
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
		unpin(mem, gfn + k, 1);
	while (i-- > 0)
		page_put(mem, out[i]);
	return ret;
}

static u32 limit_to(const struct gslot_guestmem *mem, u32 batch)
{
	return min(mem->user->ops->pin_limit(mem->user->data), batch);
}

/* How many of the next pages are unknown and may be pinned in one call. */
static u32 unknown_run(struct gslot_guestmem *mem, u64 gfn, u32 count)
{
	u32 limit = limit_to(mem, PIN_BATCH), run = 1;

	while (run < min(count, limit) && !xa_load(&mem->pages, gfn + run))
		run++;
	return run;
}

/* Unpin the idle pages of a range. Return: whether no page of it is left. */
static bool unpin_range(struct gslot_guestmem *mem, u64 first, u64 last)
{
	u32 limit = limit_to(mem, UNPIN_BATCH), run = 0;
	struct gslot_guest_page *page;
	unsigned long gfn;
	bool empty = true;
	u64 start = 0;

	xa_for_each_range(&mem->pages, gfn, page, first, last) {
		if (page->refs) {
			empty = false;
			continue;
		}
		if (run && (run == limit || gfn != start + run)) {
			unpin(mem, start, run);
			run = 0;
		}
		start = run ? start : gfn;
		run++;
		idle_forget(mem, page);
	}
	if (run)
		unpin(mem, start, run);
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
 * Return: 0; or, and then no page is referred to, -EFAULT if one of them is no
 * guest memory, -ENOMEM if the host has no room.
 * Context: may sleep, without any lock that a page fault takes.
 */
int gslot_guestmem_get_range(struct gslot_guestmem *mem, u64 gfn, u32 count,
			     struct gslot_guest_page **pages)
{
	u32 i = 0, run;
	int ret = 0;

	if (gfn >= MAX_GFN || count > MAX_GFN - gfn)
		return -EFAULT;
	lock_available(mem, gfn, count);
	for (;;) {
		i += get_known(mem, gfn + i, count - i, &pages[i]);
		if (i == count)
			break;
		run = unknown_run(mem, gfn + i, count - i);
		ret = pin_run(mem, gfn + i, run, &pages[i]);
		if (ret)
			break;
		i += run;
	}
	if (ret)
		while (i-- > 0)
			page_put(mem, pages[i]);
	mutex_unlock(&mem->lock);
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
