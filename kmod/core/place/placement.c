// SPDX-License-Identifier: GPL-2.0
#include "placement.h"

/**
 * gslot_first_fit() - find free slots in a row
 * @used: the slots in use
 * @nr: how many slots there are, at most 64
 * @count: how many are wanted
 *
 * Return: the first of the lowest run that is long enough, or -ENOSPC.
 */
int gslot_first_fit(u64 used, u32 nr, u32 count)
{
	u32 first;

	if (nr > GSLOT_PLACEMENT_MAX)
		nr = GSLOT_PLACEMENT_MAX;
	if (count > nr)
		return -ENOSPC;
	for (first = 0; first <= nr - count; first++)
		if (!(used & gslot_slots_mask(first, count)))
			return first;
	return -ENOSPC;
}
