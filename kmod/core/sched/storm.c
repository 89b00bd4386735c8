// SPDX-License-Identifier: GPL-2.0
#include "storm.h"

/* How far ahead of the time a burst brings a source that has been quiet. */
#define BURST_NS	((GSLOT_STORM_BURST - 1) * GSLOT_STORM_EACH_NS)
/* A storm that begins again sooner than this is the same one. */
#define CALM_NS		(2 * GSLOT_STORM_MIN_NS)

/**
 * gslot_storm_event() - count an interrupt of a source
 * @storm: the source
 * @now: ns
 *
 * Return: 0, or for how long to mask the source, ns.
 */
u64 gslot_storm_event(struct gslot_storm *storm, u64 now)
{
	u64 masked;

	storm->paid = max(storm->paid, now) + GSLOT_STORM_EACH_NS;
	if (storm->paid - now <= BURST_NS)
		return 0;
	if (now - storm->until >= CALM_NS)
		storm->shift = 0;
	masked = GSLOT_STORM_MIN_NS << storm->shift;
	if (storm->shift < GSLOT_STORM_MAX_SHIFT)
		storm->shift++;
	storm->until = now + masked;
	return masked;
}
