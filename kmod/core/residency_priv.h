/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whose run is whose: the one place where that changes, however it is decided.
 */
#ifndef _GSLOT_CORE_RESIDENCY_PRIV_H
#define _GSLOT_CORE_RESIDENCY_PRIV_H

#include "residency.h"

void gslot_residency_take(struct gslot_residency *r, u32 run);
void gslot_residency_give(struct gslot_residency *r, u32 run, struct gslot_resident *client,
			  u32 unit);

#endif
