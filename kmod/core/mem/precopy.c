// SPDX-License-Identifier: GPL-2.0
#include "precopy.h"

/* Plan to hold submissions before the end of the round that has begun @now. */
static void precopy_plan(struct gslot_precopy *p, u64 now, u64 round)
{
	u64 lead = max(round / GSLOT_PRECOPY_LEAD_PART, (u64)GSLOT_PRECOPY_LEAD_MS);

	p->from = now + (round > lead ? round - lead : 0);
	p->until = p->from + GSLOT_PRECOPY_HOLD_MS;
	p->reports = 0;
}

/**
 * gslot_precopy_asked() - the VMM has had a report of dirty pages, and asks how much is left
 * @p: the vGPU
 * @now: the time, ms, not 0
 * @pinned: how many pages it has pinned
 * @released: submissions are held, and all that can be released is
 */
void gslot_precopy_asked(struct gslot_precopy *p, u64 now, u64 pinned, bool released)
{
	u64 round = now - p->asked;
	bool first = !p->asked;

	p->asked = now;
	if (p->from && now >= p->from) {
		p->reports += released;
		if (p->reports > 1)
			p->until = min(p->until, now + GSLOT_PRECOPY_STOP_MS);
		return;
	}
	p->from = 0;
	if (p->rounds)
		p->rounds--;
	else if (!first && round <= GSLOT_PRECOPY_ROUND_MS && pinned >= GSLOT_PRECOPY_PAGES)
		precopy_plan(p, now, round);
}

/**
 * gslot_precopy_holds() - are submissions held?
 * @p: the vGPU
 * @now: the time, ms
 * @next: out: when that changes, ms; U64_MAX: not before the VMM asks
 *
 * Return: whether they are.
 */
bool gslot_precopy_holds(struct gslot_precopy *p, u64 now, u64 *next)
{
	*next = U64_MAX;
	if (!p->from)
		return false;
	if (now < p->from) {
		*next = p->from;
		return false;
	}
	if (now < p->until) {
		*next = p->until;
		return true;
	}
	p->from = 0;
	p->rest = min(p->rest ? 2 * p->rest : 1, (u32)GSLOT_PRECOPY_REST);
	p->rounds = p->rest;
	return false;
}
