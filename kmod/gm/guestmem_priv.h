/* SPDX-License-Identifier: GPL-2.0 */
/* Guest memory from inside: how guestmem.c pins and unpins pages. For kmod/gm only. */
#ifndef _GSLOT_GM_GUESTMEM_PRIV_H
#define _GSLOT_GM_GUESTMEM_PRIV_H

#include "guestmem.h"

/* Pages in a row that one call is to unpin; {} without any. */
struct guestmem_run {
	u64 gfn;	/* the first */
	u32 count;
};

/* How pages are counted that are to be pinned. */
struct guestmem_charge {
	bool limited;	/* within the limits; else in any case */
	u32 made;	/* how many were unpinned to make room for them */
};

u64 guestmem_pin_excess(const struct gslot_guestmem *mem);
int guestmem_pin(struct gslot_guestmem *mem, u64 gfn, u32 count, struct gslot_guest_page **out,
		 const struct guestmem_charge *charge);
u32 guestmem_pin_limit(struct gslot_guestmem *mem, u64 gfn, u32 count, bool limited);
void guestmem_unpin(struct gslot_guestmem *mem, struct gslot_guest_page *page,
		    struct guestmem_run *run);
void guestmem_unpin_run(struct gslot_guestmem *mem, struct guestmem_run *run);

void guestmem_block_open(struct gslot_guestmem_block *b);
void guestmem_block_pin_begin(struct gslot_guestmem_block *b);
void guestmem_block_pin_end(struct gslot_guestmem_block *b);
bool guestmem_block_wait_lock(struct gslot_guestmem *mem, u64 first, u64 last);

void guestmem_track_init(struct gslot_guestmem *mem);
void guestmem_track_fini(struct gslot_guestmem *mem);
void guestmem_log_init(struct gslot_guestmem *mem);
int guestmem_log_prepare(struct gslot_guestmem *mem, u64 gfn, u32 count);
void guestmem_log_unpinned(struct gslot_guestmem *mem, const struct gslot_guest_page *page);

#endif
