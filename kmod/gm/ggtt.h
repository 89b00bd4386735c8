/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A vGPU's private GGTT: the guest's PTEs, in memory that the guest maps and writes without an
 * exit; and the shadow GGTT: the pages that they name, pinned when the PTEs are synced (at the
 * guest's flush register, and at every submission), and resident in the physical GGTT where
 * commands name them.
 */
#ifndef _GSLOT_GM_GGTT_H
#define _GSLOT_GM_GGTT_H

#include "core/gtt/residency.h"
#include "core/cmd/window.h"
#include "guestmem.h"

struct gslot_ggtt;

int gslot_ggtt_sync(struct gslot_ggtt *ggtt);
u64 gslot_ggtt_tables_synced(const struct gslot_ggtt *ggtt);
int gslot_ggtt_sync_round(struct gslot_ggtt *ggtt, u32 round);
struct gslot_guest_page *gslot_ggtt_page(struct gslot_ggtt *ggtt, u64 addr);
int gslot_ggtt_read(struct gslot_ggtt *ggtt, u64 addr, void *buf, size_t len);
const struct gslot_window *gslot_ggtt_window(struct gslot_ggtt *ggtt);

int gslot_ggtt_hold(struct gslot_ggtt *ggtt, u64 addr, u32 len, u64 *phys);
void gslot_ggtt_release(struct gslot_ggtt *ggtt, u64 addr, u32 len);
void gslot_ggtt_publish(struct gslot_ggtt *ggtt);

#endif
