/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Interrupt storms: when to mask a source, and for how long.
 *
 * A guest decides how often the hardware interrupts the host. So a source has a steady rate, and
 * bursts. One that exceeds them is masked for a while; after that the caller assumes one interrupt.
 * If it goes on, it is masked for twice as long each time, up to a bound, which is also the longest
 * that an interrupt is late.
 */
#ifndef _GSLOT_CORE_STORM_H
#define _GSLOT_CORE_STORM_H

#include "core/types.h"

#define GSLOT_STORM_EACH_NS	250000ull	/* what an interrupt uses up: 4 a ms */
#define GSLOT_STORM_BURST	32		/* interrupts of a source that was quiet */
#define GSLOT_STORM_MIN_NS	1000000ull	/* first time masked */
#define GSLOT_STORM_MAX_SHIFT	4		/* 16 ms at most */

/* A source */
struct gslot_storm {
	u64 paid;	/* its interrupts so far are within the rate until then, ns */
	u32 shift;	/* the next time, it is masked for GSLOT_STORM_MIN_NS << @shift */
	u64 until;	/* end of the last masking, ns */
};

u64 gslot_storm_event(struct gslot_storm *storm, u64 now);

#endif
