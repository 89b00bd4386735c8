/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DOC: memory that is being unmapped
 *
 * VFIO tells its devices one after another that memory is unmapped, and then checks whether any of
 * its pages is still pinned. If one is, VFIO begins again; after ten rounds it hits a BUG_ON(). So
 * a guest that keeps on submitting must not get pages of the range pinned between its notification
 * and VFIO's check. No pages are pinned there from the beginning of a notification until @after
 * its end: the thread that unmaps may have to wait for its processor in between, for a period of
 * its CPU bandwidth limit, say.
 *
 * The other devices of a VFIO container are notified after that, which may take seconds, up to what
 * their guest has mapped. A guest may have several vGPUs: so a range is blocked for one that was
 * notified as well while another one of the process is notified of the same range, and @after that.
 * A process may have several containers: so one that was not notified of the range may pin pages
 * there.
 *
 * VFIO's lock is held while pages are pinned, and VFIO needs it for its check. Pages may arrive
 * slowly: so a range is blocked as well while a pin is under way that began before its end, and
 * @after longer if that took more than @slow_pin. The kernel's mutex makes VFIO wait for two such
 * pins at most.
 *
 * Times are in jiffies, counted in 64 bits. The owner (kmod/gm/guestmem_block.c) has the lock.
 */
#ifndef _GSLOT_CORE_UNMAP_RANGES_H
#define _GSLOT_CORE_UNMAP_RANGES_H

#include "core/types.h"

/* How many ranges of a vGPU may be blocked at once. */
#ifndef GSLOT_MAX_UNMAP_RANGES
#define GSLOT_MAX_UNMAP_RANGES	64
#endif

/* A range that is being unmapped, where no page may be pinned */
struct gslot_unmap_range {
	u64 first;	/* its first page */
	u64 last;	/* its last page */
	u64 until;	/* when pages may be pinned again, if no notification of it is under way */
	u64 first_until;	/* the same, before slow pins postponed it */
};

/* Those of one vGPU */
struct gslot_unmap_ranges {
	struct gslot_unmap_ranges *next;	/* of the next vGPU */
	const void *process;	/* that opened the vGPU last, or NULL */
	u64 pin_since;		/* when the pin began, if @pinning */
	bool pinning;		/* VFIO pins pages for it */
	bool notified;		/* VFIO notifies it of a range, from @first to @last */
	u64 first;
	u64 last;
	u32 count;		/* number of ranges */
	struct gslot_unmap_range range[GSLOT_MAX_UNMAP_RANGES];
};

/* Those of all vGPUs: a guest may have some of several GPUs */
struct gslot_unmaps {
	u64 after;	/* how long after a notification pages may not be pinned */
	u64 slow_pin;	/* a pin that takes longer may keep VFIO from its check */
	struct gslot_unmap_ranges *vgpus;
	u32 count;	/* number of ranges */
};

void gslot_unmaps_add(struct gslot_unmaps *all, struct gslot_unmap_ranges *vgpu);
void gslot_unmaps_remove(struct gslot_unmaps *all, struct gslot_unmap_ranges *vgpu);
void gslot_unmaps_begin(struct gslot_unmaps *all, struct gslot_unmap_ranges *vgpu, u64 now,
			u64 first, u64 last);
void gslot_unmaps_end(const struct gslot_unmaps *all, struct gslot_unmap_ranges *vgpu, u64 now);
void gslot_unmaps_pin_begin(struct gslot_unmap_ranges *vgpu, u64 now);
void gslot_unmaps_pin_end(struct gslot_unmaps *all, struct gslot_unmap_ranges *vgpu, u64 now);
u64 gslot_unmaps_time_left(struct gslot_unmaps *all, struct gslot_unmap_ranges *vgpu, u64 now,
			   u64 first, u64 last);

#endif
