// SPDX-License-Identifier: GPL-2.0
#include "rr.h"

/* The next that can run after @from; @from itself comes last. */
static u32 next_runnable(const struct gslot_rr *rr, u32 from)
{
	u32 i, n;

	if (from >= rr->count)
		from = rr->count - 1;
	for (i = 1; i <= rr->count; i++) {
		n = (from + i) % rr->count;
		if (rr->runnable[n])
			return n;
	}
	return GSLOT_RR_NONE;
}

struct gslot_rr_decision gslot_rr_decide(const struct gslot_rr *rr)
{
	struct gslot_rr_decision d = { .verdict = GSLOT_RR_KEEP, .next = rr->owner };
	bool owned = rr->owner < rr->count;
	u32 next;

	if (!rr->count) {
		d.next = GSLOT_RR_NONE;
		return d;
	}
	next = next_runnable(rr, owned ? rr->owner : rr->last);
	if (!owned || (!rr->owner_busy && !rr->runnable[rr->owner])) {
		/* Free. Who had it keeps it until somebody else wants it. */
		if (next != GSLOT_RR_NONE) {
			d.verdict = GSLOT_RR_GIVE;
			d.next = next;
		}
		return d;
	}
	if (next == GSLOT_RR_NONE || next == rr->owner)
		return d;
	if (rr->held_ns >= rr->quantum_ns) {
		d.verdict = rr->owner_busy ? GSLOT_RR_PREEMPT : GSLOT_RR_GIVE;
		d.next = next;
	} else {
		d.recheck_ns = rr->quantum_ns - rr->held_ns;
	}
	return d;
}
