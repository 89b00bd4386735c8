/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Guest memory from inside; for kmod/gm only. Where functions say that the lock is held, it is
 * &gslot_guestmem.lock.
 */
#ifndef _GSLOT_GM_GUESTMEM_PRIV_H
#define _GSLOT_GM_GUESTMEM_PRIV_H

#include "guestmem.h"

/* Idle pages that are released before somebody else gets the lock: a millisecond. */
#define GUESTMEM_BATCH	256U

/**
 * struct guestmem_run - pages in a row that are to be unpinned in one call; {} without any
 * @gfn: the first
 * @count: how many
 */
struct guestmem_run {
	u64 gfn;
	u32 count;
};

/* guestmem.c: pages that are pinned, but not known any more. */
u32 guestmem_limit(const struct gslot_guestmem *mem, u32 batch);
void guestmem_forget(struct gslot_guestmem *mem, struct gslot_guest_page *page,
		     struct guestmem_run *run);
void guestmem_unpin_run(struct gslot_guestmem *mem, struct guestmem_run *run);

/* guestmem_idle.c */
void guestmem_idle_init(struct gslot_guestmem *mem);
void guestmem_idle_fini(struct gslot_guestmem *mem);
void guestmem_idle_add(struct gslot_guestmem *mem, struct gslot_guest_page *page);
void guestmem_idle_take(struct gslot_guestmem *mem, struct gslot_guest_page *page);
void guestmem_idle_limit(struct gslot_guestmem *mem);
u32 guestmem_idle_release(struct gslot_guestmem *mem, u32 count);

#endif
