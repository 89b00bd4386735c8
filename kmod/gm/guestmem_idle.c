// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: idle pages
 *
 * Pages that nobody refers to any more, but that are still pinned. To pin one costs more than
 * ten times what it costs to find it pinned, and a driver that frees an object hands the same
 * memory out with the next one: so a page stays for IDLE_JIFFIES, which is longer than the
 * rounds of a program. After that a work item unpins it, a batch at a time: the lock is free
 * in between, and who submits something does not wait for pages that others need no more.
 *
 * It is done at once, and by whoever submits, only where there is no room: if there would
 * be more than MAX_IDLE of them, or if the host can pin no more. A page costs the host some
 * 130 bytes while it is pinned, of ours, VFIO's and the array's: 33 MB for MAX_IDLE. Its
 * memory is the guest's anyway.
 *
 * While memory is unmapped, each unpinning may have to wait for VFIO's lock for long: what
 * may wait is left for later.
 *
 * The list has them in the order in which they were let go of, so its head is the one to
 * look at; and as objects are let go of page by page, neighbours there are mostly
 * neighbours in memory, too, and are unpinned in one call.
 */
#include <linux/jiffies.h>
#include <linux/sched.h>
#include <linux/sizes.h>
#include <linux/workqueue.h>

#include "guestmem_priv.h"

#define MAX_IDLE	(SZ_1G >> PAGE_SHIFT)
#define IDLE_JIFFIES	(10 * HZ)
/* Where there is nothing to do yet, nobody looks more often. */
#define LOOK_JIFFIES	HZ
/* Between two batches. */
#define PAUSE_JIFFIES	1

/* How long until a page has been idle for long enough; 0 or less: it has. */
static int time_left(const struct gslot_guest_page *page)
{
	return (int)(page->since + IDLE_JIFFIES - (u32)jiffies);
}

static bool has_room(const struct gslot_guestmem *mem)
{
	return mem->nr_idle <= MAX_IDLE;
}

/* How many of the oldest are not to stay: a batch at most. */
static u32 count_due(struct gslot_guestmem *mem)
{
	u32 n = has_room(mem) ? 0 : mem->nr_idle - MAX_IDLE, i = 0;
	struct gslot_guest_page *page;

	list_for_each_entry(page, &mem->idle, idle) {
		if (i == GUESTMEM_BATCH || (i >= n && time_left(page) > 0))
			break;
		i++;
	}
	return i;
}

/* While there are idle pages, the work is queued, or looks at them before it ends. */
static void look_later(struct gslot_guestmem *mem)
{
	const struct gslot_guest_page *oldest;
	int left;

	lockdep_assert_held(&mem->lock);
	oldest = list_first_entry_or_null(&mem->idle, struct gslot_guest_page, idle);
	if (!oldest)
		return;
	left = has_room(mem) ? time_left(oldest) : 0;
	/* Where memory is mapped for devices, it is not unmapped while they sleep. */
	queue_delayed_work(system_freezable_wq, &mem->release,
			   left > 0 ? max(left, LOOK_JIFFIES) : PAUSE_JIFFIES);
}

static void release_old(struct work_struct *work)
{
	struct gslot_guestmem *mem = container_of(to_delayed_work(work), struct gslot_guestmem,
						  release);

	mutex_lock(&mem->lock);
	guestmem_idle_release(mem, count_due(mem));
	look_later(mem);
	mutex_unlock(&mem->lock);
}

/**
 * guestmem_idle_init() - no page is idle yet
 * @mem: the guest's memory
 *
 * Context: any; nobody uses it yet.
 */
void guestmem_idle_init(struct gslot_guestmem *mem)
{
	INIT_LIST_HEAD(&mem->idle);
	mem->nr_idle = 0;
	INIT_DELAYED_WORK(&mem->release, release_old);
}

/**
 * guestmem_idle_fini() - release all idle pages
 * @mem: the guest's memory; nobody lets go of any more
 *
 * Context: may sleep, without the lock.
 */
void guestmem_idle_fini(struct gslot_guestmem *mem)
{
	cancel_delayed_work_sync(&mem->release);
	mutex_lock(&mem->lock);
	while (mem->nr_idle)
		guestmem_idle_release(mem, GUESTMEM_BATCH);
	mutex_unlock(&mem->lock);
}

/**
 * guestmem_idle_add() - nobody refers to a page any more
 * @mem: the guest's memory
 * @page: the page
 *
 * Whoever adds some calls guestmem_idle_limit() then.
 * Context: lock held.
 */
void guestmem_idle_add(struct gslot_guestmem *mem, struct gslot_guest_page *page)
{
	lockdep_assert_held(&mem->lock);
	page->since = jiffies;
	list_add_tail(&page->idle, &mem->idle);
	if (!mem->nr_idle++)
		look_later(mem);
}

/**
 * guestmem_idle_take() - undo guestmem_idle_add(): somebody refers to a page, or it goes away
 * @mem: the guest's memory
 * @page: the page
 *
 * Context: lock held.
 */
void guestmem_idle_take(struct gslot_guestmem *mem, struct gslot_guest_page *page)
{
	lockdep_assert_held(&mem->lock);
	list_del(&page->idle);
	mem->nr_idle--;
}

/**
 * guestmem_idle_release() - unpin the oldest idle pages
 * @mem: the guest's memory
 * @count: how many, if there are; fewer, but one at least, while memory is unmapped
 *
 * Return: how many were unpinned.
 * Context: lock held; may sleep.
 */
u32 guestmem_idle_release(struct gslot_guestmem *mem, u32 count)
{
	struct gslot_guest_page *page, *next;
	struct guestmem_run run = {};
	u32 n = 0;

	lockdep_assert_held(&mem->lock);
	list_for_each_entry_safe(page, next, &mem->idle, idle) {
		if (n == count || (n && READ_ONCE(mem->unmapping)))
			break;
		guestmem_idle_take(mem, page);
		guestmem_forget(mem, page, &run);
		n++;
	}
	guestmem_unpin_run(mem, &run);
	return n;
}

/**
 * guestmem_idle_limit() - unpin what is too much; while memory is unmapped, soon
 * @mem: the guest's memory
 *
 * Context: lock held; may sleep.
 */
void guestmem_idle_limit(struct gslot_guestmem *mem)
{
	lockdep_assert_held(&mem->lock);
	while (!has_room(mem) && !READ_ONCE(mem->unmapping))
		guestmem_idle_release(mem, GUESTMEM_BATCH);
	if (!has_room(mem))
		mod_delayed_work(system_freezable_wq, &mem->release, PAUSE_JIFFIES);
}

/**
 * gslot_guestmem_trim() - unpin what nobody refers to; while memory is unmapped, later
 * @mem: the guest's memory
 *
 * Context: may sleep; the vGPU's lock is better not held, as this may take long.
 */
void gslot_guestmem_trim(struct gslot_guestmem *mem)
{
	u32 left = READ_ONCE(mem->nr_idle), n;

	/* No more than there are now: a guest may make others idle all the while. */
	do {
		mutex_lock(&mem->lock);
		n = guestmem_idle_release(mem, min(left, GUESTMEM_BATCH));
		mutex_unlock(&mem->lock);
		left -= n;
		cond_resched();
	} while (n && !READ_ONCE(mem->unmapping));
}
