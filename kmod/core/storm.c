// SPDX-License-Identifier: GPL-2.0
#include "storm.h"

u64 gslot_storm_event(struct gslot_storm *storm, u64 now)
{
	u64 masked;

	if (now - storm->window >= GSLOT_STORM_WINDOW_NS) {
		storm->window = now;
		storm->count = 0;
	}
	if (++storm->count < GSLOT_STORM_BUDGET)
		return 0;
	if (now - storm->until >= 2 * GSLOT_STORM_WINDOW_NS)
		storm->shift = 0;
	masked = GSLOT_STORM_MIN_NS << storm->shift;
	if (storm->shift < GSLOT_STORM_MAX_SHIFT)
		storm->shift++;
	storm->until = now + masked;
	storm->window = storm->until;
	storm->count = 0;
	return masked;
}
