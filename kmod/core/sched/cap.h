/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The policy `cap`: gOver's ("Economy-oriented GPU virtualization with dynamic and adaptive
 * oversubscription", IEEE TC 2023), Algorithms 2 and 3. A client has at most its cap of each
 * second. It is here as what others are measured against, so its weaknesses are kept:
 *
 * - At the end of a second all is forgotten, also by how much somebody has overrun.
 * - What a client has saved up to then it may use at once: in a second that does not begin with
 *   one of the policy's it may have nearly twice its cap.
 * - Of those that may run each has the same. The paper gives a vGPU a weight too, as a lower
 *   bound "by fair sharing", but neither algorithm looks at it.
 *
 * Where the paper is silent:
 *
 * - How long one may run while others wait is the quantum of &gslot_policy, or the client's own;
 *   GVT-g, which gOver was built in, looked once a millisecond.
 * - Who comes in the middle of a second has the timeslice of one stage at once.
 * - Who has it with nothing to do keeps it until somebody wants it, at no cost: the paper's busy
 *   time ends with the schedule-out, and an empty queue is not scheduled in at all.
 */
#ifndef _GSLOT_CORE_CAP_H
#define _GSLOT_CORE_CAP_H

#include "core/types.h"

/* Algorithm 2: a period of a second, in ten stages. */
#define GSLOT_CAP_STAGE_NS	100000000ull
#define GSLOT_CAP_STAGES	10u
#define GSLOT_CAP_PERIOD_NS	(GSLOT_CAP_STAGES * GSLOT_CAP_STAGE_NS)

/**
 * struct gslot_cap_client - of a client
 * @timeslice_ns: how long it may still have what is shared; negative if it has overrun
 */
struct gslot_cap_client {
	s64 timeslice_ns;
};

/**
 * struct gslot_cap - of what is shared
 * @next: index at which the search for the next one begins: behind who had it last
 * @stage: of the period, 0 .. GSLOT_CAP_STAGES - 1
 * @stage_since: when it began
 * @charged_until: up to here the owner's time is taken off its timeslice
 * @idle: the owner has it with nothing to do, and is not charged
 */
struct gslot_cap {
	u32 next;
	u32 stage;
	u64 stage_since;
	u64 charged_until;
	bool idle;
};

extern const struct gslot_policy_ops gslot_cap;

#endif
