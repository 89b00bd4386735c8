/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Slices, subslices and execution units: how many exist, and how many of them a context powers
 * (R_PWR_CLK_STATE).
 */
#ifndef _GSLOT_CORE_SSEU_H
#define _GSLOT_CORE_SSEU_H

#include "core/types.h"

/* The units that the fuses leave enabled */
struct gslot_sseu {
	u8 slices;
	u8 subslices;	/* subslices in a slice */
	u8 eus;		/* execution units in the subslice that has most */
};

void gslot_sseu_init(struct gslot_sseu *sseu, u32 gen, u32 fuse2, const u32 *eu_disable);
u32 gslot_sseu_limit(const struct gslot_sseu *sseu, u32 value);

#endif
