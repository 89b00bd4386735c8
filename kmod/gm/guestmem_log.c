// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: the dirty log
 *
 * During a migration a VMM asks for reports of the pages that the device may have written since the
 * last report. Such a page is dirty until it is reported: gslot_guest_page.dirty while it is
 * pinned, a bit of the log afterwards. Only pinned pages are written.
 *
 * What writes, and when the page becomes dirty:
 * - the GPU, by page tables: exec/ppgtt_log.c
 * - the GPU, by the GGTT, where commands name it; and its status page of a context: exec/exec_log.c
 * - the guest's CPU, by the aperture, which KVM does not log: ggtt_log.c
 * - the module: after each write (guest_access.h).
 *
 * It becomes dirty after the last write, or before it, with the vGPU's lock held until no write can
 * follow. While writes may follow, each report has it. A report reads the log with that lock held.
 * So a write that is not in a report is in the next one. Once the vGPU is stopped, a last report
 * has all that is left.
 *
 * Unpinning must not fail: so the bits of a page are allocated before it is pinned.
 */
#include <linux/bitmap.h>
#include <linux/err.h>
#include <linux/gfp.h>
#include <linux/minmax.h>

#include "guestmem_priv.h"
#include "base/account.h"

/* The log is off at first. */
void guestmem_log_init(struct gslot_guestmem *mem)
{
	xa_init_flags(&mem->log.maps, XA_FLAGS_ACCOUNT);
}

/* Return: the bit map of a page, or NULL. */
static unsigned long *guestmem_log_map(struct gslot_guestmem *mem, u64 gfn)
{
	lockdep_assert_held(&mem->lock);
	return xa_load(&mem->log.maps, gfn / GSLOT_LOG_PAGES);
}

/* Have a bit map for a page. Return: 0 or -ENOMEM. */
static int guestmem_log_add_map(struct gslot_guestmem *mem, u64 gfn)
{
	unsigned long map;
	int ret;

	if (guestmem_log_map(mem, gfn))
		return 0;
	map = get_zeroed_page(GSLOT_GFP_GUEST);
	if (!map)
		return -ENOMEM;
	ret = xa_err(xa_store(&mem->log.maps, gfn / GSLOT_LOG_PAGES, (void *)map,
			      GSLOT_GFP_GUEST));
	if (ret)
		free_page(map);
	return ret;
}

/* @count pages are about to be pinned, at most GSLOT_PIN_BATCH. Return: 0 or -ENOMEM. */
int guestmem_log_prepare(struct gslot_guestmem *mem, u64 gfn, u32 count)
{
	lockdep_assert_held(&mem->lock);
	if (!mem->log.on)
		return 0;
	return guestmem_log_add_map(mem, gfn) ?: guestmem_log_add_map(mem, gfn + count - 1);
}

/* A page is unpinned. */
void guestmem_log_unpinned(struct gslot_guestmem *mem, const struct gslot_guest_page *page)
{
	lockdep_assert_held(&mem->lock);
	if (mem->log.on && page->dirty)
		__set_bit(page->gfn % GSLOT_LOG_PAGES, guestmem_log_map(mem, page->gfn));
}

static void guestmem_log_free(struct gslot_guestmem *mem)
{
	unsigned long index;
	void *map;

	mem->log.on = false;
	xa_for_each(&mem->log.maps, index, map)
		free_page((unsigned long)map);
	xa_destroy(&mem->log.maps);
}

static int guestmem_log_begin(struct gslot_guestmem *mem)
{
	struct gslot_guest_page *page;
	unsigned long gfn;
	int ret;

	lockdep_assert_held(&mem->lock);
	/* It may be left of a start that failed. */
	guestmem_log_free(mem);
	xa_for_each(&mem->pages, gfn, page) {
		ret = guestmem_log_add_map(mem, gfn);
		if (ret) {
			guestmem_log_free(mem);
			return ret;
		}
		WRITE_ONCE(page->dirty, false);
		cond_resched();
	}
	mem->log.on = true;
	return 0;
}

/**
 * gslot_guestmem_log_start() - start the dirty log: no page is dirty
 * @mem: the guest's memory
 *
 * Return: 0 or -ENOMEM.
 * Context: the vGPU's lock is held; may sleep.
 */
int gslot_guestmem_log_start(struct gslot_guestmem *mem)
{
	int ret;

	lockdep_assert_held(&mem->vgpu_lock->mutex);
	mutex_lock(&mem->lock);
	ret = guestmem_log_begin(mem);
	mutex_unlock(&mem->lock);
	return ret;
}

/**
 * gslot_guestmem_log_stop() - stop the dirty log, if it is started
 * @mem: the guest's memory
 *
 * Context: may sleep.
 */
void gslot_guestmem_log_stop(struct gslot_guestmem *mem)
{
	mutex_lock(&mem->lock);
	guestmem_log_free(mem);
	mutex_unlock(&mem->lock);
}

/**
 * gslot_guestmem_log_next() - skip pages that the dirty log knows nothing of
 * @mem: the guest's memory
 * @first: the first page of a range; out: the first one that may be dirty
 * @last: the last page of the range
 *
 * Return: whether there may be one.
 * Context: may sleep.
 */
bool gslot_guestmem_log_next(struct gslot_guestmem *mem, u64 *first, u64 last)
{
	unsigned long index = *first / GSLOT_LOG_PAGES;
	bool found;

	mutex_lock(&mem->lock);
	found = xa_find(&mem->log.maps, &index, last / GSLOT_LOG_PAGES, XA_PRESENT);
	mutex_unlock(&mem->lock);
	if (found)
		*first = max_t(u64, *first, index * GSLOT_LOG_PAGES);
	return found;
}

/* Move the dirty bits of pinned pages to their bit map. */
static void guestmem_log_collect(struct gslot_guestmem *mem, u64 first, u64 last,
				 unsigned long *map)
{
	struct gslot_guest_page *page;
	unsigned long gfn;

	xa_for_each_range(&mem->pages, gfn, page, first, last) {
		if (!READ_ONCE(page->dirty))
			continue;
		WRITE_ONCE(page->dirty, false);
		__set_bit(gfn % GSLOT_LOG_PAGES, map);
	}
}

/**
 * gslot_guestmem_log_read() - read and clear the dirty bits of a range
 * @mem: the guest's memory
 * @first: the first page of a range that is in one bit map
 * @last: its last page
 * @map: out: GSLOT_LOG_PAGES bits; that of a page has the number of the page modulo that
 *
 * Context: the vGPU's lock is held: what was written by now is dirty; may sleep.
 */
void gslot_guestmem_log_read(struct gslot_guestmem *mem, u64 first, u64 last, unsigned long *map)
{
	u32 start = first % GSLOT_LOG_PAGES, count = last - first + 1;
	unsigned long *from;

	lockdep_assert_held(&mem->vgpu_lock->mutex);
	bitmap_zero(map, GSLOT_LOG_PAGES);
	mutex_lock(&mem->lock);
	from = guestmem_log_map(mem, first);
	if (from) {
		guestmem_log_collect(mem, first, last, from);
		bitmap_set(map, start, count);
		bitmap_and(map, map, from, GSLOT_LOG_PAGES);
		bitmap_clear(from, start, count);
	}
	mutex_unlock(&mem->lock);
}
