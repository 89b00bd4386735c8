// SPDX-License-Identifier: GPL-2.0
#include "precopy.h"

/* Plan to hold submissions before the end of the round that has begun @now. */
static void precopy_plan(struct gslot_precopy *p, u64 now, u64 round)
{
	u64 lead = max(round / GSLOT_PRECOPY_LEAD_PART, (u64)GSLOT_PRECOPY_LEAD_MIN_MS);

	p->from = now + (round > lead ? round - lead : 0);
	p->until = p->from + GSLOT_PRECOPY_DRAIN_MAX_MS;
	p->released = false;
	p->reports = 0;
}

/* Submissions are held no more, or what was planned is given up. */
static void precopy_end_hold(struct gslot_precopy *p, u64 now)
{
	if (p->from && now >= p->from) {
		p->backoff = min(p->backoff ? 2 * p->backoff : 2, (u32)GSLOT_PRECOPY_BACKOFF_MAX);
		p->not_before = now + p->backoff * (now - p->from);
	}
	p->from = 0;
}

/**
 * gslot_precopy_enter() - a vGPU enters pre-copy
 * @p: the vGPU
 * @now: the time, ms
 */
void gslot_precopy_enter(struct gslot_precopy *p, u64 now)
{
	if (now >= p->not_before)
		p->backoff = 0;
}

/**
 * gslot_precopy_leave() - a vGPU leaves pre-copy; submissions are held no more
 * @p: the vGPU
 * @now: the time, ms
 */
void gslot_precopy_leave(struct gslot_precopy *p, u64 now)
{
	precopy_end_hold(p, now);
	p->asked = 0;
}

/**
 * gslot_precopy_asked() - the VMM has had a report of dirty pages, and asks how much is left
 * @p: the vGPU
 * @now: the time, ms, not 0
 * @pinned: how many pages it has pinned
 *
 * gslot_precopy_update() is to be called next.
 */
void gslot_precopy_asked(struct gslot_precopy *p, u64 now, u64 pinned)
{
	u64 round = now - p->asked;
	bool first = !p->asked;

	if (!first && round < GSLOT_PRECOPY_ROUND_MIN_MS)
		return;
	p->asked = now;
	if (p->from && now >= p->from) {
		p->reports += p->released;
		if (p->reports > 1)
			p->until = min(p->until, now + GSLOT_PRECOPY_SWITCHOVER_MS);
		return;
	}
	p->from = 0;
	if (!first && round <= GSLOT_PRECOPY_ROUND_MAX_MS && now >= p->not_before &&
	    pinned >= GSLOT_PRECOPY_MIN_PAGES)
		precopy_plan(p, now, round);
}

/**
 * gslot_precopy_released() - no request is left, and all that can be released is
 * @p: the vGPU; its submissions are held
 * @now: the time, ms
 *
 * gslot_precopy_update() is to be called next. Only the first call of a hold has an effect.
 */
void gslot_precopy_released(struct gslot_precopy *p, u64 now)
{
	if (!p->from || now < p->from || now >= p->until || p->released)
		return;
	p->released = true;
	p->until = now + GSLOT_PRECOPY_HOLD_MAX_MS;
}

/**
 * gslot_precopy_update() - begin or end a hold of submissions, if it is time
 * @p: the vGPU
 * @now: the time, ms
 * @next: out: when that is the next time, ms; U64_MAX: not before the VMM asks. If it asks, that
 *	may be earlier
 *
 * Return: whether submissions are held.
 */
bool gslot_precopy_update(struct gslot_precopy *p, u64 now, u64 *next)
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
	precopy_end_hold(p, now);
	return false;
}
