/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DOC: the pinned pages of a GPU
 *
 * How many pages are pinned for all vGPUs of a GPU, and how many may be. The limit holds for pages
 * that page tables name. What the GGTT names is counted, but pinned in any case: the guest may
 * write to it by the aperture as soon as it has flushed the entry, and the vGPU's graphics memory
 * bounds it.
 *
 * Some room may be reserved for one vGPU: the others do not use what is unpinned for it.
 */
#ifndef _GSLOT_GM_PINNED_H
#define _GSLOT_GM_PINNED_H

#include <linux/atomic.h>
#include <linux/spinlock.h>
#include <linux/types.h>

struct gslot_guestmem;

/* Pages of all vGPUs of a GPU */
struct gslot_pinned {
	atomic_long_t count;	/* how many are pinned, or about to be */
	u64 max;		/* how many may be; without a lock */
	u64 quota;		/* how many each vGPU may have; without a lock */
	u64 spare;		/* how many are to be kept free; without a lock */
	u64 share;		/* a vGPU with this many gives its own; without a lock */
	u32 most;		/* the most that any vGPU had lately; without a lock */
	spinlock_t lock;	/* held while the rest is written; see gpu.c */
	const struct gslot_guestmem *owner;	/* room is reserved for this memory; or NULL */
	u64 reserved;		/* how many pages it still needs */
	unsigned long scarce_until;	/* gslot_pinned_note_scarce(); without a lock */
};

void gslot_pinned_init(struct gslot_pinned *all, u64 max);
bool gslot_pinned_charge(struct gslot_pinned *all, const struct gslot_guestmem *mem, u32 count,
			 u32 made);
void gslot_pinned_charge_always(struct gslot_pinned *all, const struct gslot_guestmem *mem,
				u32 count);
void gslot_pinned_reserve(struct gslot_pinned *all, const struct gslot_guestmem *owner, u64 pages);
void gslot_pinned_note_scarce(struct gslot_pinned *all);
bool gslot_pinned_is_scarce(const struct gslot_pinned *all);
u64 gslot_pinned_room(const struct gslot_pinned *all, const struct gslot_guestmem *mem);
u64 gslot_pinned_excess(const struct gslot_pinned *all);
u64 gslot_pinned_shortfall(const struct gslot_pinned *all);

static inline void gslot_pinned_uncharge(struct gslot_pinned *all, u32 count)
{
	atomic_long_sub(count, &all->count);
}

#endif
