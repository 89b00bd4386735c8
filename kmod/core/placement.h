/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Placement of vGPUs in slots. A set of slots is a bit mask of those in use.
 */
#ifndef _GSLOT_CORE_PLACEMENT_H
#define _GSLOT_CORE_PLACEMENT_H

#include "types.h"

#define GSLOT_PLACEMENT_MAX	64	/* slots in a set */

/**
 * gslot_slots_mask() - the bits of some slots in a row
 * @first: the first slot
 * @count: how many; @first + @count is at most 64
 */
static inline u64 gslot_slots_mask(u32 first, u32 count)
{
	if (!count)
		return 0;
	return (~0ULL >> (GSLOT_PLACEMENT_MAX - count)) << first;
}

int gslot_first_fit(u64 used, u32 nr, u32 count);
u32 gslot_count_fits(u64 used, u32 nr, u32 count);

#endif
