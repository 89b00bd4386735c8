/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Guest memory that the GPU or the module uses: pinned with the first reference to a page, and
 * for a while kept pinned without one, as guests use the same memory again and again.
 */
#ifndef _GSLOT_GM_GUESTMEM_H
#define _GSLOT_GM_GUESTMEM_H

#include <linux/atomic.h>
#include <linux/err.h>
#include <linux/list.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/types.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>

#include "base/lock.h"
#include "core/mem/unmap_ranges.h"
#include "guest_page.h"
#include "gm_user.h"
#include "pinned.h"

struct device;

/* The most pages that one call pins. */
#define GSLOT_PIN_BATCH		64U
/* The same while pages arrive slowly, or memory is being unmapped. */
#define GSLOT_PIN_FEW		4U

/* How many guest pages one bit map has, which is a page of the host: 128 MB of guest memory. */
#define GSLOT_LOG_PAGES		(BITS_PER_BYTE * PAGE_SIZE)

/* Where no page of a vGPU may be pinned: guestmem_block.c */
struct gslot_guestmem_block {
	struct gslot_unmap_ranges ranges;
	bool any;		/* there are some; read without a lock */
	struct mm_struct *mm;	/* of the process that opened the vGPU last, or NULL */
	bool unmapping;		/* pages are being unpinned for VFIO; without a lock */
};

/* Pages that may have been written, and are not reported yet; gslot_guestmem.lock */
struct gslot_dirty_log {
	bool on;
	/* Bit maps of pages, GSLOT_LOG_PAGES each, where pages are or were pinned */
	struct xarray maps;
};

/* The pinned pages of one vGPU. */
struct gslot_guestmem {
	const struct gslot_gm_user *user; /* pins and unpins pages */
	struct device *dev;	/* the GPU, for DMA mapping */
	struct gslot_vgpu_lock *vgpu_lock;
	struct mutex lock;	/* protects @pages, their counts, and @log */
	struct xarray pages;	/* struct gslot_guest_page by gfn */
	u32 count;		/* number of pinned pages; read without a lock */
	u64 max;		/* how many there may be; without a lock */
	u64 low;		/* with this many it gives its own first; without a lock */
	struct gslot_pinned *all;	/* those of all vGPUs of the GPU, this one included */
	u64 pinned;		/* how many were pinned since it was created */
	u64 pinned_limited;	/* how many of these within the limits; without a lock */
	u64 failed;		/* how often pages could not be pinned, for debugfs */
	/* jiffies; each pin for which there was no room moves it by REFUSED_JIFFIES */
	unsigned long refused_until;
	bool slow;		/* a call that pinned pages lately took long; without a lock */
	unsigned long slow_until;	/* until when, jiffies */
	atomic_t progress;	/* changes while pages are pinned, unpinned or dropped */
	struct list_head idle;	/* pages without references, the longest idle first */
	u32 nr_idle;
	struct delayed_work release; /* unpins pages that have been idle for long */
	bool unpin_soon;	/* idle pages do not stay pinned for long; without a lock */
	struct gslot_guestmem_block *block;
	struct gslot_dirty_log log;
	struct xarray tracked;	/* the pages that are tracked, by gfn; its own lock */
	u32 nr_tracked;		/* how many; with that lock, read without it */
	atomic64_t writes;	/* changes when a page is tracked no more; not 0 */
	unsigned long compared;	/* when tables were compared last, jiffies; without a lock */
	struct delayed_work untrack; /* ends all tracking once no tables are compared any more */
};

/* guestmem_pin.c */
int gslot_guestmem_cache_init(void);
void gslot_guestmem_cache_exit(void);

/* guestmem_block.c */
void gslot_guestmem_block_init(struct gslot_guestmem_block *b);
void gslot_guestmem_block_fini(struct gslot_guestmem_block *b);
void gslot_guestmem_block_begin(struct gslot_guestmem_block *b, u64 gfn, u64 count);
void gslot_guestmem_block_end(struct gslot_guestmem_block *b);

/* guestmem_log.c */
int gslot_guestmem_log_start(struct gslot_guestmem *mem);
void gslot_guestmem_log_stop(struct gslot_guestmem *mem);
bool gslot_guestmem_log_next(struct gslot_guestmem *mem, u64 *first, u64 last);
void gslot_guestmem_log_read(struct gslot_guestmem *mem, u64 first, u64 last, unsigned long *map);

/* guestmem_track.c */
u64 gslot_guestmem_compare_begin(struct gslot_guestmem *mem);
bool gslot_guestmem_track(struct gslot_guestmem *mem, struct gslot_guest_page *page,
			  const struct gslot_guest_page *parent);
void gslot_guestmem_untrack(struct gslot_guestmem *mem, struct gslot_guest_page *page);
void gslot_guestmem_untrack_gfn(struct gslot_guestmem *mem, u64 gfn);
void gslot_guestmem_untrack_all(struct gslot_guestmem *mem);
void gslot_guestmem_written(struct gslot_guestmem *mem, u64 gfn);

/* How many pages are tracked; without a lock. */
static inline u32 gslot_guestmem_tracked(const struct gslot_guestmem *mem)
{
	return READ_ONCE(mem->nr_tracked);
}

/* guestmem.c */
void gslot_guestmem_init(struct gslot_guestmem *mem, const struct gslot_gm_user *user,
			 struct device *dev, struct gslot_pinned *all,
			 struct gslot_guestmem_block *block, struct gslot_vgpu_lock *vgpu_lock);
void gslot_guestmem_fini(struct gslot_guestmem *mem);
int gslot_guestmem_get_row(struct gslot_guestmem *mem, u64 gfn, u32 count, bool limited,
			   struct gslot_guest_page **pages);
struct gslot_guest_page *gslot_guestmem_get(struct gslot_guestmem *mem, u64 gfn, bool limited);
void gslot_guestmem_put_all(struct gslot_guestmem *mem, struct gslot_guest_page *const *pages,
			    u32 count);
void gslot_guestmem_unpin_idle(struct gslot_guestmem *mem);
u32 gslot_guestmem_unpin_unused(struct gslot_guestmem *mem, u32 age, u32 most);
void gslot_guestmem_unpin_soon(struct gslot_guestmem *mem, bool soon);
bool gslot_guestmem_unpin_range(struct gslot_guestmem *mem, u64 gfn, u64 count);

/* As gslot_guestmem_put_all(), for one page. */
static inline void gslot_guestmem_put(struct gslot_guestmem *mem, struct gslot_guest_page *page)
{
	gslot_guestmem_put_all(mem, &page, 1);
}

/*
 * Reference counts change under the vGPU's lock. So a caller that holds it, and has a reference,
 * needs no other lock to get more of them, or to put one that is not the last.
 */
static inline void gslot_guest_page_get_more(struct gslot_guest_page *page, u32 count)
{
	WRITE_ONCE(page->refs, page->refs + count);
}

/* Return: false, with nothing done, if it is the last reference. */
static inline bool gslot_guest_page_put_not_last(struct gslot_guest_page *page)
{
	if (page->refs == 1)
		return false;
	WRITE_ONCE(page->refs, page->refs - 1);
	return true;
}

/*
 * While memory is being unmapped, unpinning a page may wait for VFIO's lock for long: only pages
 * that must be unpinned are.
 */
static inline void gslot_guestmem_set_unmapping(struct gslot_guestmem_block *b, bool unmapping)
{
	WRITE_ONCE(b->unmapping, unmapping);
}

static inline bool gslot_guestmem_is_unmapping(const struct gslot_guestmem *mem)
{
	return READ_ONCE(mem->block->unmapping);
}

/*
 * How many pages in a row a caller gets at a time: what one call pins. The vGPU's lock is held
 * meanwhile, and VFIO's, which an unmapping needs first of all. An unmapping gives up after 2 s
 * without progress; a full batch of pages from a slow disk takes longer.
 */
static inline u32 gslot_guestmem_pin_batch(const struct gslot_guestmem *mem)
{
	return READ_ONCE(mem->slow) || gslot_guestmem_is_unmapping(mem) ? GSLOT_PIN_FEW :
									  GSLOT_PIN_BATCH;
}

/*
 * A caller that waits until memory is unpinned watches this counter: how much there is to unpin
 * is up to the guest, and the time for a page, to the host's IOMMU. It waits for tasks that pin
 * pages, too: the time for a page is then up to the disk or the process that it comes from.
 */
static inline void gslot_guestmem_note_progress(struct gslot_guestmem *mem)
{
	atomic_inc(&mem->progress);
}

static inline int gslot_guestmem_progress(const struct gslot_guestmem *mem)
{
	return atomic_read(&mem->progress);
}

/*
 * Set how many pages of the vGPU may be pinned. If more are, the next page of a page table is
 * pinned only after others were unpinned.
 */
static inline void gslot_guestmem_set_max(struct gslot_guestmem *mem, u64 max)
{
	WRITE_ONCE(mem->max, max);
}

/* Set up to how many pages the vGPU may ask others for theirs, whatever its share is. */
static inline void gslot_guestmem_set_low(struct gslot_guestmem *mem, u64 low)
{
	WRITE_ONCE(mem->low, low);
}

/* How many pages the vGPU may have, by its own limit and the quota of each vGPU. */
static inline u64 gslot_guestmem_max(const struct gslot_guestmem *mem)
{
	return min(READ_ONCE(mem->max), READ_ONCE(mem->all->quota));
}

/* Has it as many as it may have? */
static inline bool gslot_guestmem_at_max(const struct gslot_guestmem *mem)
{
	return READ_ONCE(mem->count) >= gslot_guestmem_max(mem);
}

/*
 * Is the vGPU to give its own memory, rather than to ask others for theirs? It has its share, and
 * no vGPU has memory that will be idle for long.
 */
static inline bool gslot_guestmem_gives_own(const struct gslot_guestmem *mem)
{
	return READ_ONCE(mem->count) >= max(READ_ONCE(mem->all->share), READ_ONCE(mem->low)) &&
	       gslot_pinned_is_scarce(mem->all);
}

/* How many pages were pinned until now; without a lock, for a caller that waits until some are. */
static inline u64 gslot_guestmem_pin_progress(const struct gslot_guestmem *mem)
{
	return READ_ONCE(mem->pinned);
}

#endif
