// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: page tables that the guest does not write
 *
 * A table that is compared again and again, and is always the same, can be tracked instead: the
 * device's user has KVM report the guest's first write to its page, which ends that. It ends as
 * well when anything else of the vGPU gets a reference to the page, as the GPU, or the module, may
 * write it then; and when the page leaves the guest's memory.
 *
 * The guest can write a tracked page only by instructions that KVM emulates: those by which drivers
 * write tables, but not all that programs have. At another one KVM gives up, and the VMM stops the
 * guest. So a page must not be tracked any more when the guest's driver has freed it. The driver
 * first removes the table from its parent, the one that names it, and a table is tracked only while
 * a parent is: that write ends the tracking of all tables below. The driver says when it destroys a
 * root. And if no table is compared for a second, none stays tracked: the guest may have been
 * started anew, by itself.
 *
 * Not reported is what other devices (a second vGPU is one), the VMM, or KVM itself write to the
 * guest's memory, nor what FXSAVE, SGDT and their like write, or code in system management mode. A
 * driver that has them write its page tables has to touch these pages itself, too. If it does not,
 * that guest's GPU uses entries as they were, of pages that are still pinned.
 */
#include <linux/jiffies.h>
#include <linux/xarray.h>

#include "base/account.h"
#include "guestmem_priv.h"

/* So long after the last comparison, tracking ends. */
#define TRACK_TABLES_IDLE	HZ

static void track_idle_work(struct work_struct *work)
{
	struct gslot_guestmem *mem = container_of(to_delayed_work(work), struct gslot_guestmem,
						  untrack);
	unsigned long end = READ_ONCE(mem->compared) + TRACK_TABLES_IDLE;

	if (time_before(jiffies, end))
		schedule_delayed_work(&mem->untrack, end - jiffies);
	else
		gslot_guestmem_untrack_all(mem);
}

void guestmem_track_init(struct gslot_guestmem *mem)
{
	xa_init_flags(&mem->tracked, XA_FLAGS_ACCOUNT);
	mem->nr_tracked = 0;
	atomic64_set(&mem->writes, 1);
	INIT_DELAYED_WORK(&mem->untrack, track_idle_work);
}

/* No page is tracked, or will be. */
void guestmem_track_fini(struct gslot_guestmem *mem)
{
	cancel_delayed_work_sync(&mem->untrack);
	WARN_ON_ONCE(!xa_empty(&mem->tracked));
	xa_destroy(&mem->tracked);
}

static bool track_insert(struct gslot_guestmem *mem, struct gslot_guest_page *page)
{
	void *old;

	xa_lock(&mem->tracked);
	old = __xa_store(&mem->tracked, page->gfn, page, GSLOT_GFP_GUEST);
	if (!xa_is_err(old)) {
		WRITE_ONCE(page->tracked, true);
		WRITE_ONCE(mem->nr_tracked, mem->nr_tracked + 1);
	}
	xa_unlock(&mem->tracked);
	return !xa_is_err(old);
}

/* Return: whether the page was tracked until now. */
static bool track_erase(struct gslot_guestmem *mem, u64 gfn)
{
	struct gslot_guest_page *page;

	xa_lock(&mem->tracked);
	page = __xa_erase(&mem->tracked, gfn);
	if (page) {
		WRITE_ONCE(page->tracked, false);
		WRITE_ONCE(mem->nr_tracked, mem->nr_tracked - 1);
	}
	xa_unlock(&mem->tracked);
	return page;
}

/**
 * gslot_guestmem_compare_begin() - page tables are about to be compared
 * @mem: the guest's memory
 *
 * Return: a number, not 0. While a further call returns the same, all pages that were found to be
 * tracked after this call still are.
 * Context: any.
 */
u64 gslot_guestmem_compare_begin(struct gslot_guestmem *mem)
{
	WRITE_ONCE(mem->compared, jiffies);
	return atomic64_read_acquire(&mem->writes);
}

/**
 * gslot_guestmem_track() - have the first write to a page end its being tracked
 * @mem: the guest's memory
 * @page: a page to which the caller has a reference
 * @parent: a page; a write to it ends the tracking of @page as well. NULL: there is none
 *
 * The guest may write to the page until this returns: the caller compares it once more.
 *
 * Return: whether it is tracked now: &gslot_guest_page.tracked until it is written, or may be. If
 * @parent is not tracked, it is not.
 * Context: the vGPU's lock is held; may sleep.
 */
bool gslot_guestmem_track(struct gslot_guestmem *mem, struct gslot_guest_page *page,
			  const struct gslot_guest_page *parent)
{
	const struct gslot_gm_user *user = mem->user;

	lockdep_assert_held(&mem->vgpu_lock->mutex);
	if (page->refs != 1 || page->tracked)
		return false;
	/* Before the user tracks it: it may be written at once. */
	if (!track_insert(mem, page))
		return false;
	if (!user->ops->track(user->data, page->gfn, page->page,
			      parent ? parent->gfn : GSLOT_GM_NO_GFN)) {
		track_erase(mem, page->gfn);
		return false;
	}
	schedule_delayed_work(&mem->untrack, TRACK_TABLES_IDLE);
	return true;
}

/**
 * gslot_guestmem_untrack() - end the tracking of a page, and of those below it
 * @mem: the guest's memory
 * @page: the page, tracked or not
 *
 * Context: the vGPU's lock is held; may sleep.
 */
void gslot_guestmem_untrack(struct gslot_guestmem *mem, struct gslot_guest_page *page)
{
	lockdep_assert_held(&mem->vgpu_lock->mutex);
	if (READ_ONCE(page->tracked))
		gslot_guestmem_untrack_gfn(mem, page->gfn);
}

/**
 * gslot_guestmem_untrack_gfn() - end the tracking of a page, and of those below it
 * @mem: the guest's memory
 * @gfn: the page, tracked or not
 *
 * Context: may sleep.
 */
void gslot_guestmem_untrack_gfn(struct gslot_guestmem *mem, u64 gfn)
{
	mem->user->ops->untrack(mem->user->data, gfn);
}

/**
 * gslot_guestmem_untrack_all() - end the tracking of all pages
 * @mem: the guest's memory
 *
 * Context: may sleep.
 */
void gslot_guestmem_untrack_all(struct gslot_guestmem *mem)
{
	mem->user->ops->untrack_all(mem->user->data);
}

/**
 * gslot_guestmem_written() - the guest has written to a page, which the user tracks no more
 * @mem: the guest's memory
 * @gfn: the page
 *
 * Context: any but interrupts.
 */
void gslot_guestmem_written(struct gslot_guestmem *mem, u64 gfn)
{
	/* In this order: a reader of the new number does not find the page tracked any more. */
	if (track_erase(mem, gfn))
		atomic64_inc_return(&mem->writes);
}
