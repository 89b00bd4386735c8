/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A vGPU's private GGTT: the entries as the guest wrote them, in memory that
 * the guest maps and writes without an exit; and the pages that they name,
 * pinned and put into the physical GGTT when the guest's writes are
 * synchronised (its flush register, and every submission).
 */
#ifndef _GSLOT_GM_GGTT_H
#define _GSLOT_GM_GGTT_H

#include "../core/window.h"
#include "guestmem.h"

struct gslot_hw;
struct gslot_ggtt;

int gslot_ggtt_sync(struct gslot_ggtt *ggtt);
struct gslot_guest_page *gslot_ggtt_page(struct gslot_ggtt *ggtt, u64 addr);
int gslot_ggtt_read(struct gslot_ggtt *ggtt, u64 addr, void *buf, size_t len);
const struct gslot_window *gslot_ggtt_window(struct gslot_ggtt *ggtt);

#endif
