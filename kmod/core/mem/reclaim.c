// SPDX-License-Identifier: GPL-2.0
#include "reclaim.h"

/* Much is needed if it is more than one in this many pages. */
#define RECLAIM_MUCH	64
/* A longer gap between two uses is a pause. */
#define RECLAIM_PAUSE_MS	10000

/* When a step is taken */
enum reclaim_when {
	RECLAIM_ALWAYS,
	RECLAIM_HOST,		/* the host needs pages, and no limit is reached */
	RECLAIM_MUCH_OR_LIMIT,	/* it needs much, or a limit is reached */
	RECLAIM_TAKE,		/* a limit is reached, and what is in use may be taken */
	RECLAIM_POSTPONE,	/* and submissions may be postponed */
};

static const struct reclaim_step {
	enum reclaim_when when;
	bool all;	/* of all vGPUs; else of those that have pinned much, down to that */
	u32 idle_ms;	/* for how long the memory will be idle */
} reclaim_steps[] = {
	{ .when = RECLAIM_ALWAYS, .all = true, .idle_ms = RECLAIM_PAUSE_MS },
	{ .when = RECLAIM_HOST, .all = true, .idle_ms = 1000 },
	{ .when = RECLAIM_MUCH_OR_LIMIT, .all = false, .idle_ms = GSLOT_RECLAIM_YOUNG_MS },
	{ .when = RECLAIM_TAKE, .all = false, .idle_ms = 0 },
	{ .when = RECLAIM_MUCH_OR_LIMIT, .all = true, .idle_ms = GSLOT_RECLAIM_YOUNG_MS },
	{ .when = RECLAIM_POSTPONE, .all = false, .idle_ms = 0 },
	{ .when = RECLAIM_POSTPONE, .all = true, .idle_ms = 0 },
};

static bool reclaim_is_taken(const struct reclaim_step *step, const struct gslot_reclaim_need *need)
{
	switch (step->when) {
	case RECLAIM_HOST:
		return !need->limit;
	case RECLAIM_MUCH_OR_LIMIT:
		return need->limit || need->wanted > need->total / RECLAIM_MUCH;
	case RECLAIM_TAKE:
		return need->limit && need->may_take;
	case RECLAIM_POSTPONE:
		return need->limit && need->may_postpone;
	default:
		return true;
	}
}

/* Up to the last one that is taken. */
static u32 reclaim_cold_steps(const struct gslot_reclaim_need *need)
{
	u32 n = ARRAY_SIZE(reclaim_steps);

	while (!reclaim_is_taken(&reclaim_steps[n - 1], need))
		n--;
	return n;
}

/**
 * gslot_reclaim_share() - how many pages each vGPU has if all are equal
 * @pages: the pages
 * @count: how many vGPUs share them; 0 counts as 1
 *
 * Return: the share of a vGPU, pages.
 */
u64 gslot_reclaim_share(u64 pages, u32 count)
{
	return pages / max(count, 1U);
}

/**
 * gslot_reclaim_own_from() - from how many pages on a vGPU gives its own, rather than to ask
 * @max: how many all vGPUs may have
 * @spare: how many of them are kept free
 * @count: how many vGPUs there are; 0 counts as 1
 *
 * Return: a little less than the share of a vGPU: equal ones hardly ever have all of theirs at
 * once, and would ask each other for the rest.
 */
u64 gslot_reclaim_own_from(u64 max, u64 spare, u32 count)
{
	return gslot_reclaim_share(max - min(max, spare), count) / 8 * 7;
}

/**
 * gslot_reclaim_gives_needed() - whether a vGPU gives what will be needed soon
 * @pinned: how many pages the vGPU has pinned
 * @most: the most that any vGPU has
 * @dropped: how many it has unpinned of what its guest's programs use
 *
 * If the programs need over a third more than the vGPU has, and no vGPU has much more, pages that
 * it takes from another one with the pin token are used for a few requests only, and the other one
 * has to pin them again. In make bench T=swap two vGPUs complete more requests with the token if
 * they need a fifth more than there is, and fewer if they need half more.
 *
 * Return: true if it gives any of its own; false: what will be idle for GSLOT_RECLAIM_YOUNG_MS.
 */
bool gslot_reclaim_gives_needed(u64 pinned, u64 most, u64 dropped)
{
	return pinned >= most / 8 * 7 && dropped > pinned / 3;
}

/* @share: of the vGPU in what is left when what is needed was given */
static struct gslot_reclaim_order reclaim_cold_order(const struct reclaim_step *step,
						     const struct gslot_reclaim_client *client,
						     u64 share)
{
	bool other = !client->holder, postpones = step->when == RECLAIM_POSTPONE && other;
	bool takes = postpones || (step->when == RECLAIM_TAKE && other);
	bool waits = client->waits && other && step->idle_ms <= GSLOT_RECLAIM_YOUNG_MS;
	u64 much = max(client->min, client->low ? client->low : share);
	u64 kept = step->all ? client->min : much;
	u64 pages = client->pinned - min(client->pinned, kept);

	return (struct gslot_reclaim_order) {
		.pages = pages,
		.keep = kept,
		.idle_ms = waits ? 0 : step->idle_ms,
		.prepared = waits || postpones,
		.takes = pages && takes,
		.postpones = pages && postpones,
	};
}

static void reclaim_cold_plan(const struct gslot_reclaim_need *need, u32 step)
{
	u64 left = need->total - min(need->total, need->wanted);
	u64 share = gslot_reclaim_share(left, need->count);
	const struct reclaim_step *s = &reclaim_steps[step];
	struct gslot_reclaim_client *client;

	for (client = need->clients; client; client = client->next) {
		client->order = (struct gslot_reclaim_order) {};
		if (reclaim_is_taken(s, need))
			client->order = reclaim_cold_order(s, client, share);
	}
}

const struct gslot_reclaim_ops gslot_reclaim_cold = {
	.name = "cold",
	.spares = true,
	.steps = reclaim_cold_steps,
	.plan = reclaim_cold_plan,
};

/**
 * gslot_reclaim_used() - note that memory was used
 * @use: of the memory; all zeros before that
 * @from: when that began, ms, not 0
 * @to: when it ended, ms
 *
 * After a pause the gaps before it do not count: they say nothing about what the program does now,
 * and the pause says nothing about how often it will use the memory from now on.
 */
void gslot_reclaim_used(struct gslot_reclaim_use *use, u64 from, u64 to)
{
	u64 gap = from - min(from, use->last_ms);

	if (!use->last_ms || gap >= RECLAIM_PAUSE_MS)
		gap = 0;
	else if (use->gap_ms)
		gap = (3 * use->gap_ms + gap) / 4;
	use->gap_ms = gap;
	use->last_ms = to;
}

/**
 * gslot_reclaim_idle_ms() - predict for how long memory will be idle
 * @use: of the memory
 * @now: the time, ms
 *
 * Return: the time until it is used again, if that happens as regularly as before. If it is late,
 * it is not used as before: then as long as it has been idle.
 */
u64 gslot_reclaim_idle_ms(const struct gslot_reclaim_use *use, u64 now)
{
	u64 idle = now - min(now, use->last_ms);

	return idle < use->gap_ms ? use->gap_ms - idle : idle;
}

/**
 * gslot_reclaim_most_idle_ms() - the most that gslot_reclaim_idle_ms() predicts for any of some
 * @first_ms: none of them was last used before; U64_MAX: there is none
 * @gap_ms: none of them has a longer gap
 * @now: the time, ms
 *
 * Return: that, or more.
 */
u64 gslot_reclaim_most_idle_ms(u64 first_ms, u64 gap_ms, u64 now)
{
	return max(now - min(now, first_ms), gap_ms);
}
