/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Guest memory that the GPU or the module uses: pinned on first reference,
 * counted per page, and for a while kept pinned when nobody refers to it any
 * more: guests use the same memory again and again.
 */
#ifndef _GSLOT_GM_GUESTMEM_H
#define _GSLOT_GM_GUESTMEM_H

#include <linux/atomic.h>
#include <linux/mutex.h>
#include <linux/types.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>

#include "base/lock.h"
#include "guest_page.h"
#include "gm_user.h"

struct device;

#define GSLOT_MAX_WITHHELD	16

/**
 * struct gslot_withheld - a range that is being unmapped
 * @first: its first page
 * @last: its last page
 * @until: when that is over for certain, jiffies
 */
struct gslot_withheld {
	u64 first;
	u64 last;
	unsigned long until;
};

/**
 * struct gslot_guestmem - the pinned pages of one vGPU
 * @user: who pins pages
 * @dev: the GPU, for DMA mapping
 * @vgpu_lock: the vGPU's lock
 * @lock: protects @pages and their counts
 * @pages: struct gslot_guest_page by gfn
 * @count: how many, for debugfs
 * @failed: how often pages could not be pinned, for debugfs
 * @progress: changes as long as somebody lets go of pages, or of what refers to them
 * @idle: those that nobody refers to, the one that was let go first in front
 * @nr_idle: how many
 * @release: unpins those that have been idle for long
 * @unmapping: whether memory is being unmapped
 * @wanted: how many wait for the vGPU's lock, or want it to stand still
 * @withheld: ranges that are being unmapped
 * @nr_withheld: how many
 */
struct gslot_guestmem {
	const struct gslot_user *user;
	struct device *dev;
	struct gslot_vgpu_lock *vgpu_lock;	/* see gpu.c */
	struct mutex lock;	/* protects pages and their counts */
	struct xarray pages;
	u32 count;
	u64 failed;
	atomic_t progress;
	struct list_head idle;
	u32 nr_idle;
	struct delayed_work release;
	bool unmapping;
	struct gslot_withheld withheld[GSLOT_MAX_WITHHELD];
	u32 nr_withheld;
};

/* The module's. */
int gslot_guestmems_init(void);
void gslot_guestmems_exit(void);

/* Life. */
void gslot_guestmem_init(struct gslot_guestmem *mem, const struct gslot_user *user,
			 struct device *dev, struct gslot_vgpu_lock *vgpu_lock);
void gslot_guestmem_fini(struct gslot_guestmem *mem);

/* References to pages. */
struct gslot_guest_page *gslot_guestmem_get(struct gslot_guestmem *mem, u64 gfn);
int gslot_guestmem_get_range(struct gslot_guestmem *mem, u64 gfn, u32 count,
			     struct gslot_guest_page **pages);
void gslot_guestmem_put(struct gslot_guestmem *mem, struct gslot_guest_page *page);
void gslot_guestmem_put_all(struct gslot_guestmem *mem, struct gslot_guest_page *const *pages,
			    u32 count);

/*
 * Counts change under the vGPU's lock. So whoever has it, and a reference, needs no other lock
 * to count more of them, or to give back one that is not the last one.
 */
static inline void gslot_guestmem_get_more(struct gslot_guest_page *page, u32 count)
{
	WRITE_ONCE(page->refs, page->refs + count);
}

/* Return: false, and nothing is done, if it is the last reference. */
static inline bool gslot_guestmem_put_shared(struct gslot_guest_page *page)
{
	if (page->refs == 1)
		return false;
	WRITE_ONCE(page->refs, page->refs - 1);
	return true;
}

/* Pages that nobody refers to. */
void gslot_guestmem_trim(struct gslot_guestmem *mem);
bool gslot_guestmem_withhold(struct gslot_guestmem *mem, u64 gfn, u64 count);

/*
 * While memory is unmapped, to unpin a page may have to wait for VFIO's lock for long: no
 * more are than must be, whatever locks he holds who does.
 */
static inline void gslot_guestmem_set_unmapping(struct gslot_guestmem *mem, bool unmapping)
{
	WRITE_ONCE(mem->unmapping, unmapping);
}

/*
 * Who waits for somebody to let go of memory looks whether this moves: how much there is
 * to let go of is up to the guest, and how long a page takes, to the host's IOMMU.
 */
static inline void gslot_guestmem_advance(struct gslot_guestmem *mem)
{
	atomic_inc(&mem->progress);
}

static inline int gslot_guestmem_progress(const struct gslot_guestmem *mem)
{
	return atomic_read(&mem->progress);
}

#endif
