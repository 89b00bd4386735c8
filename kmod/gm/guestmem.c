// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: guest memory
 *
 * The first reference to a page pins it and maps it for the GPU (guestmem_pin.c). The caller that
 * puts the last one has made sure before that the GPU does not use the page any more.
 *
 * A page without references is idle, and stays pinned for IDLE_JIFFIES: to pin a page costs more
 * than ten times what it costs to find it pinned, and a driver hands freed memory out again sooner.
 * Then a work item unpins it. It drops the lock after each batch, so a submission does not wait for
 * pages that are not needed. In pre-copy, where all pinned pages are sent in each round, a page is
 * unpinned after SOON_JIFFIES.
 *
 * A caller that submits unpins idle pages itself only if there are more than MAX_IDLE, if no more
 * can be pinned, or in exchange for pages that the GGTT names at a limit. A pinned page costs the
 * host some 130 bytes (the module's, VFIO's and the array's): 33 MB for MAX_IDLE. While memory is
 * being unmapped, each unpinning may wait for VFIO's lock for long: what can wait then is left for
 * later.
 *
 * No page of a range that is being unmapped is pinned: guestmem_block.c.
 *
 * The lock is held while pages are pinned, and pinning takes the mmap lock of the guest's process.
 * So a caller of this file holds no lock that a page fault handler takes.
 */
#include <linux/jiffies.h>
#include <linux/sched.h>
#include <linux/sizes.h>

#include "guestmem_priv.h"

#define MAX_GFN		BIT_ULL(52)
/* How many pins may find no room in a row; then one is tried every REFUSED_JIFFIES. */
#define MAX_REFUSED	64U
#define REFUSED_JIFFIES	(HZ / 10)
#define MAX_IDLE	(SZ_1G >> PAGE_SHIFT)
#define IDLE_JIFFIES	(10 * HZ)
#define SOON_JIFFIES	HZ
/* The work item's shortest interval while no page is due. */
#define LOOK_JIFFIES	HZ
/* The interval between two batches. */
#define PAUSE_JIFFIES	1
/* Idle pages that are unpinned before the lock is dropped: a millisecond. */
#define IDLE_BATCH	256U

/* How long until a page has been idle for long; 0 or less if it has. */
static int guestmem_idle_time_left(const struct gslot_guestmem *mem,
				   const struct gslot_guest_page *page)
{
	u32 most = READ_ONCE(mem->unpin_soon) ? SOON_JIFFIES : IDLE_JIFFIES;

	return (int)(page->since + most - (u32)jiffies);
}

static u32 guestmem_idle_excess(const struct gslot_guestmem *mem)
{
	return mem->nr_idle > MAX_IDLE ? mem->nr_idle - MAX_IDLE : 0;
}

/* While there are idle pages, the work is queued, or will look at them before it ends. */
static void guestmem_idle_queue_work(struct gslot_guestmem *mem)
{
	const struct gslot_guest_page *oldest;
	int left;

	lockdep_assert_held(&mem->lock);
	oldest = list_first_entry_or_null(&mem->idle, struct gslot_guest_page, idle);
	if (!oldest)
		return;
	left = guestmem_idle_excess(mem) ? 0 : guestmem_idle_time_left(mem, oldest);
	/* Freezable: no page is unmapped for a device that sleeps. */
	queue_delayed_work(system_freezable_wq, &mem->release,
			   left > 0 ? max(left, LOOK_JIFFIES) : PAUSE_JIFFIES);
}

/* The caller calls guestmem_idle_limit() later. */
static void guestmem_idle_add(struct gslot_guestmem *mem, struct gslot_guest_page *page)
{
	lockdep_assert_held(&mem->lock);
	page->since = jiffies;
	list_add_tail(&page->idle, &mem->idle);
	WRITE_ONCE(mem->nr_idle, mem->nr_idle + 1);
	if (mem->nr_idle == 1)
		guestmem_idle_queue_work(mem);
}

static void guestmem_idle_del(struct gslot_guestmem *mem, struct gslot_guest_page *page)
{
	lockdep_assert_held(&mem->lock);
	list_del(&page->idle);
	WRITE_ONCE(mem->nr_idle, mem->nr_idle - 1);
}

/*
 * Unpin the oldest @count idle pages; fewer, but at least one, while memory is being unmapped.
 * Objects are freed page by page, so neighbours in the list are mostly neighbours in memory, and
 * unpinned in one call. Return: how many were unpinned.
 */
static u32 guestmem_idle_unpin(struct gslot_guestmem *mem, u32 count)
{
	struct gslot_guest_page *page, *next;
	struct guestmem_run run = {};
	u32 n = 0;

	lockdep_assert_held(&mem->lock);
	list_for_each_entry_safe(page, next, &mem->idle, idle) {
		if (n == count || (n && gslot_guestmem_is_unmapping(mem)))
			break;
		guestmem_idle_del(mem, page);
		guestmem_unpin(mem, page, &run);
		n++;
	}
	guestmem_unpin_run(mem, &run);
	return n;
}

/* Unpin what is too much; while memory is being unmapped, soon. */
static void guestmem_idle_limit(struct gslot_guestmem *mem)
{
	lockdep_assert_held(&mem->lock);
	while (guestmem_idle_excess(mem) && !gslot_guestmem_is_unmapping(mem))
		guestmem_idle_unpin(mem, IDLE_BATCH);
	if (guestmem_idle_excess(mem))
		mod_delayed_work(system_freezable_wq, &mem->release, PAUSE_JIFFIES);
}

/* How many of the oldest idle pages are too many, or have been idle for long: at most a batch. */
static u32 guestmem_idle_due(struct gslot_guestmem *mem)
{
	u32 excess = guestmem_idle_excess(mem), i = 0;
	struct gslot_guest_page *page;

	list_for_each_entry(page, &mem->idle, idle) {
		if (i == IDLE_BATCH || (i >= excess && guestmem_idle_time_left(mem, page) > 0))
			break;
		i++;
	}
	return i;
}

static void guestmem_idle_work(struct work_struct *work)
{
	struct gslot_guestmem *mem = container_of(to_delayed_work(work), struct gslot_guestmem,
						  release);

	mutex_lock(&mem->lock);
	guestmem_idle_unpin(mem, guestmem_idle_due(mem));
	guestmem_idle_queue_work(mem);
	mutex_unlock(&mem->lock);
}

/**
 * gslot_guestmem_unpin_idle() - unpin all idle pages; while memory is being unmapped, only some
 * @mem: the guest's memory
 *
 * Context: may sleep. It may take long, so better without the vGPU's lock.
 */
void gslot_guestmem_unpin_idle(struct gslot_guestmem *mem)
{
	u32 left = READ_ONCE(mem->nr_idle), n;

	/* No more than there are now: the guest may make more pages idle all the while. */
	do {
		mutex_lock(&mem->lock);
		n = guestmem_idle_unpin(mem, min(left, IDLE_BATCH));
		mutex_unlock(&mem->lock);
		left -= n;
		cond_resched();
	} while (n && !gslot_guestmem_is_unmapping(mem));
}

/**
 * gslot_guestmem_unpin_unused() - unpin pages that have been idle for a time, at most a batch
 * @mem: the guest's memory; while it is being unmapped nothing is unpinned
 * @age: the time, jiffies
 * @most: how many pages at most
 *
 * The caller has the vGPU's lock, so no task waits for a page with the locks that this takes. But
 * it may wait for VFIO's lock, and for the mmap lock of the guest's process, for each page.
 *
 * Return: how many pages were unpinned.
 * Context: the vGPU's lock is held; may sleep.
 */
u32 gslot_guestmem_unpin_unused(struct gslot_guestmem *mem, u32 age, u32 most)
{
	struct gslot_guest_page *page;
	u32 n = 0;

	lockdep_assert_held(&mem->vgpu_lock->mutex);
	if (gslot_guestmem_is_unmapping(mem))
		return 0;
	mutex_lock(&mem->lock);
	list_for_each_entry(page, &mem->idle, idle) {
		if (n == min(most, IDLE_BATCH) || (u32)jiffies - page->since < age)
			break;
		n++;
	}
	n = guestmem_idle_unpin(mem, n);
	mutex_unlock(&mem->lock);
	return n;
}

/**
 * gslot_guestmem_unpin_soon() - set how long idle pages stay pinned
 * @mem: the guest's memory
 * @soon: a second, not ten
 *
 * Context: any.
 */
void gslot_guestmem_unpin_soon(struct gslot_guestmem *mem, bool soon)
{
	WRITE_ONCE(mem->unpin_soon, soon);
	/* It finds out when the next page is due: here that might be postponed again and again. */
	if (soon)
		mod_delayed_work(system_freezable_wq, &mem->release, PAUSE_JIFFIES);
}

/**
 * gslot_guestmem_init() - prepare to pin pages of a guest
 * @mem: to be initialised; all zeros before the first time
 * @user: pins and unpins pages, until gslot_guestmem_fini()
 * @dev: the GPU
 * @all: the pinned pages of all its vGPUs
 * @block: where no page of the vGPU may be pinned
 * @vgpu_lock: the vGPU's lock
 *
 * Context: a thread of the process that maps the memory; not in use yet.
 */
void gslot_guestmem_init(struct gslot_guestmem *mem, const struct gslot_gm_user *user,
			 struct device *dev, struct gslot_pinned *all,
			 struct gslot_guestmem_block *block, struct gslot_vgpu_lock *vgpu_lock)
{
	*mem = (struct gslot_guestmem) {
		.user = user,
		.dev = dev,
		.max = U64_MAX,
		.all = all,
		.block = block,
		.vgpu_lock = vgpu_lock,
		/* The budget of refused pins is the vGPU's, however often it is opened. */
		.refused_until = mem->refused_until,
	};
	guestmem_block_open(block);
	mutex_init(&mem->lock);
	xa_init_flags(&mem->pages, XA_FLAGS_ACCOUNT);
	guestmem_log_init(mem);
	guestmem_track_init(mem);
	INIT_LIST_HEAD(&mem->idle);
	INIT_DELAYED_WORK(&mem->release, guestmem_idle_work);
}

/**
 * gslot_guestmem_fini() - unpin all pages: the vGPU is closed
 * @mem: the guest's memory; there should be no reference to a page left
 *
 * Context: may sleep; not in use any more.
 */
void gslot_guestmem_fini(struct gslot_guestmem *mem)
{
	struct gslot_guest_page *page;
	struct guestmem_run run = {};
	unsigned long gfn;

	cancel_delayed_work_sync(&mem->release);
	mutex_lock(&mem->lock);
	while (mem->nr_idle)
		guestmem_idle_unpin(mem, IDLE_BATCH);
	WARN_ON(mem->count);
	xa_for_each(&mem->pages, gfn, page)
		guestmem_unpin(mem, page, &run);
	guestmem_unpin_run(mem, &run);
	mutex_unlock(&mem->lock);
	gslot_guestmem_log_stop(mem);
	guestmem_track_fini(mem);
	xa_destroy(&mem->pages);
	mutex_destroy(&mem->lock);
}

/**
 * gslot_guestmem_unpin_range() - unpin the idle pages of a range
 * @mem: the guest's memory
 * @gfn: the first page
 * @count: how many, not 0
 *
 * For a range that is being unmapped, where pinning is blocked: gslot_guestmem_block_begin().
 *
 * Return: true if none is pinned any more. False if some have references: then this has to be
 * called again when they have none.
 * Context: may sleep.
 */
bool gslot_guestmem_unpin_range(struct gslot_guestmem *mem, u64 gfn, u64 count)
{
	u64 last = gfn + min(count - 1, ~gfn);
	struct guestmem_run run = {};
	struct gslot_guest_page *page;
	unsigned long index;
	bool unpinned = true;

	mutex_lock(&mem->lock);
	xa_for_each_range(&mem->pages, index, page, gfn, last) {
		if (READ_ONCE(page->refs)) {
			unpinned = false;
			continue;
		}
		guestmem_idle_del(mem, page);
		guestmem_unpin(mem, page, &run);
	}
	guestmem_unpin_run(mem, &run);
	mutex_unlock(&mem->lock);
	return unpinned;
}

/* The caller calls guestmem_idle_limit() later. */
static void guestmem_put_page(struct gslot_guestmem *mem, struct gslot_guest_page *page)
{
	lockdep_assert_held(&mem->lock);
	WRITE_ONCE(page->refs, page->refs - 1);
	WARN_ON_ONCE(!page->refs && page->tracked);
	if (!page->refs)
		guestmem_idle_add(mem, page);
}

/* Get references to the first of @count pages, as far as they are pinned. Return: how many. */
static u32 guestmem_get_pinned(struct gslot_guestmem *mem, u64 gfn, u32 count,
			       struct gslot_guest_page **pages)
{
	XA_STATE(xas, &mem->pages, gfn);
	struct gslot_guest_page *page;
	u32 i, n = 0;

	lockdep_assert_held(&mem->lock);
	/* For the array alone: the lock keeps the pages. */
	rcu_read_lock();
	xas_for_each(&xas, page, gfn + count - 1) {
		if (page->gfn != gfn + n)
			break;
		if (!page->refs)
			guestmem_idle_del(mem, page);
		gslot_guest_page_get_more(page, 1);
		pages[n++] = page;
	}
	rcu_read_unlock();
	/* What gets a reference may write it. */
	for (i = 0; i < n; i++)
		gslot_guestmem_untrack(mem, pages[i]);
	return n;
}

/* Is a pin to be tried? Not if too many have found no room lately. */
static bool guestmem_may_try(const struct gslot_guestmem *mem)
{
	return time_before(mem->refused_until, jiffies + MAX_REFUSED * REFUSED_JIFFIES);
}

/* There was no room for a pin. */
static void guestmem_note_refused(struct gslot_guestmem *mem)
{
	if (time_before(mem->refused_until, jiffies))
		mem->refused_until = jiffies;
	mem->refused_until += REFUSED_JIFFIES;
}

/* Once some idle pages were unpinned, does another task wait for that to end? */
static bool guestmem_must_yield(const struct gslot_guestmem *mem, u32 unpinned)
{
	return unpinned && (gslot_guestmem_is_unmapping(mem) ||
			    gslot_vgpu_lock_contended(mem->vgpu_lock));
}

/*
 * Idle pages make room: the number of pages that a process may lock is limited, and so are the
 * pinned pages of a vGPU and of the GPU, and the memory that the host allocates for a guest. If the
 * host has no room, only so many tries follow at once, whether others succeed in between or not:
 * VFIO writes a line to the kernel's log each time that the process's limit is reached.
 */
static int guestmem_pin_new(struct gslot_guestmem *mem, u64 gfn, u32 count, bool limited,
			    struct gslot_guest_page **out)
{
	struct guestmem_charge charge = { .limited = limited };
	int ret = -ENOMEM;
	u32 n;

	while (guestmem_may_try(mem)) {
		ret = guestmem_pin(mem, gfn, count, out, &charge);
		if (ret == -ENOMEM)
			guestmem_note_refused(mem);
		else if (ret != -ENOBUFS || guestmem_must_yield(mem, charge.made))
			break;
		n = guestmem_idle_unpin(mem, IDLE_BATCH);
		if (!n)
			break;
		charge.made += n;
	}
	/* At a limit they replace idle pages, two for each, so that the excess falls. */
	if (!ret && !limited && !gslot_guestmem_is_unmapping(mem))
		guestmem_idle_unpin(mem, min_t(u64, guestmem_pin_excess(mem), 2 * count));
	/* The next try may find room. */
	if (ret == -ENOMEM && !guestmem_may_try(mem))
		guestmem_idle_unpin(mem, IDLE_BATCH);
	if (ret && ret != -ENOBUFS)
		WRITE_ONCE(mem->failed, mem->failed + 1);
	return ret;
}

/*
 * Get references to the first of @count pages: those that are pinned, or as many as one call pins.
 * Return: how many; -EFAULT if one of these is no guest memory; -ENOMEM or -ENOBUFS.
 */
static int guestmem_get_some(struct gslot_guestmem *mem, u64 gfn, u32 count, bool limited,
			     struct gslot_guest_page **pages)
{
	u32 n = guestmem_get_pinned(mem, gfn, count, pages);

	if (n)
		return n;
	n = guestmem_pin_limit(mem, gfn, count, limited);
	return guestmem_pin_new(mem, gfn, n, limited, pages) ?: n;
}

/* guestmem_get_some() with the vGPU's lock alone, for pages that may be pinned. */
static int guestmem_lock_and_get(struct gslot_guestmem *mem, u64 gfn, u32 count, bool limited,
				 struct gslot_guest_page **pages)
{
	struct pin_cookie cookie;
	int ret = -ENOMEM;

	lockdep_assert_held(&mem->vgpu_lock->mutex);
	if (gfn >= MAX_GFN || count > MAX_GFN - gfn)
		return -EFAULT;
	cookie = lockdep_pin_lock(&mem->vgpu_lock->mutex);
	if (guestmem_block_wait_lock(mem, gfn, gfn + count - 1))
		ret = guestmem_get_some(mem, gfn, count, limited, pages);
	mutex_unlock(&mem->lock);
	lockdep_unpin_lock(&mem->vgpu_lock->mutex, cookie);
	return ret;
}

/*
 * Get references to pages in a row, one of which is bad, one by one: for a tick at least, and then
 * until the vGPU's lock is contended. Return: as gslot_guestmem_get_row().
 */
static int guestmem_get_each(struct gslot_guestmem *mem, u64 gfn, u32 count, bool limited,
			     struct gslot_guest_page **pages)
{
	unsigned long start = jiffies;
	u32 n = 0;
	int ret;

	do {
		ret = guestmem_lock_and_get(mem, gfn + n, 1, limited, &pages[n]);
		if (ret == -EFAULT)
			pages[n] = NULL;
		else if (ret < 0)
			return n ?: ret;
	} while (++n < count && (!time_after(jiffies, start + 1) ||
				 !gslot_vgpu_lock_contended(mem->vgpu_lock)));
	return n;
}

/**
 * gslot_guestmem_get_row() - get references to pages in a row, pinning them if need be
 * @mem: the guest's memory
 * @gfn: the first page
 * @count: how many, not 0
 * @limited: no more are pinned than may be; else in any case
 * @pages: the pages on success; NULL for one that is no guest memory
 *
 * The pages may arrive slowly, so it gets no more than one call pins; the caller calls it again for
 * the rest. It does not drop the vGPU's lock meanwhile: what the caller has found out under it
 * stays true.
 *
 * Return: how many of the pages it got, from the first on, at least one; -ENOMEM if the host has no
 * room, or the pages are being unmapped; with @limited -ENOBUFS if the vGPU, or all vGPUs together,
 * have as many pages as they may have.
 * Context: the vGPU's lock is held; may sleep, without any lock that a page fault takes.
 */
int gslot_guestmem_get_row(struct gslot_guestmem *mem, u64 gfn, u32 count, bool limited,
			   struct gslot_guest_page **pages)
{
	int ret = guestmem_lock_and_get(mem, gfn, count, limited, pages);

	if (ret != -EFAULT)
		return ret;
	if (count > 1)
		return guestmem_get_each(mem, gfn, count, limited, pages);
	pages[0] = NULL;
	return 1;
}

/**
 * gslot_guestmem_get() - gslot_guestmem_get_row() for one page
 * @mem: the guest's memory
 * @gfn: the page
 * @limited: as there
 *
 * Return: the page; or ERR_PTR: -EFAULT if it is no guest memory; -ENOMEM or -ENOBUFS.
 * Context: as gslot_guestmem_get_row().
 */
struct gslot_guest_page *gslot_guestmem_get(struct gslot_guestmem *mem, u64 gfn, bool limited)
{
	struct gslot_guest_page *page;
	int ret = guestmem_lock_and_get(mem, gfn, 1, limited, &page);

	return ret < 0 ? ERR_PTR(ret) : page;
}

/**
 * gslot_guestmem_put_all() - put references to pages
 * @mem: the guest's memory
 * @pages: the pages; the GPU does not use one any more if this is its last reference
 * @count: how many
 *
 * Context: may sleep.
 */
void gslot_guestmem_put_all(struct gslot_guestmem *mem, struct gslot_guest_page *const *pages,
			    u32 count)
{
	mutex_lock(&mem->lock);
	while (count--)
		guestmem_put_page(mem, *pages++);
	guestmem_idle_limit(mem);
	mutex_unlock(&mem->lock);
}
