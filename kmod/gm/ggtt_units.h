/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A private GGTT as a copy policy with places sees it: units, and the entries that show them.
 */
#ifndef _GSLOT_GM_GGTT_UNITS_H
#define _GSLOT_GM_GGTT_UNITS_H

#include <linux/types.h>

struct gslot_ggtt;
struct gslot_resident;

struct gslot_resident *gslot_ggtt_units(struct gslot_ggtt *ggtt);
u32 gslot_ggtt_low_units(const struct gslot_ggtt *ggtt);
void gslot_ggtt_ptes(const struct gslot_ggtt *ggtt, u32 unit, u32 count, u64 *ptes);

/* ggtt.c, ggtt_resident.c */
const char *gslot_ggtt_name(const struct gslot_ggtt *ggtt);
void gslot_ggtt_evict(struct gslot_ggtt *ggtt);

#endif
