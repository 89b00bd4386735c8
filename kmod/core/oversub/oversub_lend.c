// SPDX-License-Identifier: GPL-2.0
/*
 * Our controller of caps. At each look it estimates of each client
 *
 * - what it wants: the time it had work in the last second, or since the last look if that is
 *   more; and
 * - what it needs: of that, what its target costs by the mean cost of a frame in the last second.
 *
 * The GPU is divided in proportion to the sold caps: first what clients need, then what they want;
 * what is left then any client may have. No cap is below the sold one: what a client does not use
 * takes nothing from others, and it has it at once when it wakes. If there is not enough for all,
 * the scheduling policy divides it better than old estimates do.
 */
#include "oversub.h"

/* A little more than measured: the cost of a frame varies. */
static u32 lend_with_margin(u64 share)
{
	share += share / 32 + 2;
	return share < GSLOT_WHOLE ? share : GSLOT_WHOLE;
}

static u32 lend_per_mille(u64 part, u64 whole)
{
	return min(part, whole) * GSLOT_WHOLE / whole;
}

/* Since @before, @ns ago: how much of the time had it work? */
static u32 lend_worked(const struct gslot_oversub_client *c,
		       const struct gslot_oversub_counters *before, u64 ns)
{
	return lend_per_mille(c->counters.busy_ns - min(c->counters.busy_ns, before->busy_ns) +
			 c->counters.waited_ns - min(c->counters.waited_ns, before->waited_ns), ns);
}

/*
 * Of a second, @whole: would it have met its target in the time that it waited, by what its frames
 * have cost; or has it wanted all that there is?
 */
static bool lend_lacked(const struct gslot_oversub_client *c, u64 frames, u64 busy, u64 waited,
			u64 whole)
{
	if (frames >= c->qos_fps || !waited)
		return false;
	return !frames || waited >= busy / frames * (c->qos_fps - frames) ||
	       busy + waited >= whole / 10 * 9;
}

static void lend_estimate(struct gslot_oversub *o, struct gslot_oversub_client *c)
{
	struct gslot_oversub_counters *oldest = &c->lend.looks[o->looks % GSLOT_OVERSUB_LOOKS];
	u64 frames = c->counters.frames - min(c->counters.frames, oldest->frames);
	u64 busy = c->counters.busy_ns - min(c->counters.busy_ns, oldest->busy_ns);
	u64 waited = c->counters.waited_ns - min(c->counters.waited_ns, oldest->waited_ns);

	c->lend.lacked = lend_lacked(c, frames, busy, waited, o->passed_ns * GSLOT_OVERSUB_LOOKS);
	c->lend.want = max(lend_worked(c, &c->last, o->passed_ns),
			   lend_worked(c, oldest, o->passed_ns * GSLOT_OVERSUB_LOOKS));
	c->lend.want = lend_with_margin(c->lend.want);
	c->lend.need = c->lend.want;
	if (c->qos_fps && frames)
		c->lend.need = min(c->lend.want,
				   lend_with_margin(busy / frames * c->qos_fps / 1000000));
	c->lend.second = max(c->lend.second, c->lend.need);
	*oldest = c->counters;
}

/* Divide @free by sold caps. A client that gets all that it asks for leaves the rest to others. */
static u32 lend_fill(struct gslot_oversub *o, u32 free,
		     u32 (*asks)(const struct gslot_oversub_client *c))
{
	u32 i, given, sold;

	do {
		u32 pot = free;

		sold = 0;
		given = 0;
		for (i = 0; i < o->count; i++)
			if (asks(o->clients[i]) > o->clients[i]->lend.given)
				sold += o->clients[i]->sold;
		for (i = 0; i < o->count; i++) {
			struct gslot_oversub_client *c = o->clients[i];
			u32 part;

			if (asks(c) <= c->lend.given)
				continue;
			part = min(asks(c) - c->lend.given, pot * c->sold / sold);
			c->lend.given += part;
			given += part;
		}
		free -= given;
	} while (given);
	return free;
}

static u32 lend_need(const struct gslot_oversub_client *c)
{
	return c->lend.need;
}

static u32 lend_want(const struct gslot_oversub_client *c)
{
	return c->lend.want;
}

static void lend_set_caps(struct gslot_oversub *o)
{
	u32 i, free;

	for (i = 0; i < o->count; i++)
		o->clients[i]->lend.given = 0;
	free = lend_fill(o, GSLOT_WHOLE, lend_need);
	free = lend_fill(o, free, lend_want);
	for (i = 0; i < o->count; i++) {
		struct gslot_oversub_client *c = o->clients[i];

		c->cap = min(max(c->lend.given + free, c->sold), GSLOT_WHOLE);
	}
}

static bool lend_misses_target(const struct gslot_oversub_client *c)
{
	return c->lend.seconds && c->lend.lacked;
}

static void lend_end_second(struct gslot_oversub *o)
{
	bool missed = false;
	u32 i;

	for (i = 0; i < o->count; i++) {
		struct gslot_oversub_client *c = o->clients[i];

		missed |= lend_misses_target(c);
		c->lend.needs[c->lend.seconds++ % GSLOT_OVERSUB_SECONDS] = c->lend.second;
		c->lend.second = 0;
	}
	o->missed = o->missed << 1 | missed;
	o->missed &= BIT(GSLOT_OVERSUB_SECONDS) - 1;
}

static u32 lend_mean_need(const struct gslot_oversub_client *c)
{
	u32 i, sum = 0, seconds = min(c->lend.seconds, GSLOT_OVERSUB_SECONDS);

	for (i = 0; i < seconds; i++)
		sum += c->lend.needs[i];
	return sum / seconds;
}

/* What it needed @ago seconds ago; before it joined, its mean need. */
static u32 lend_need_ago(const struct gslot_oversub_client *c, u32 ago)
{
	if (ago >= c->lend.seconds)
		return lend_mean_need(c);
	return c->lend.needs[(c->lend.seconds - 1 - ago) % GSLOT_OVERSUB_SECONDS];
}

/* Whether one more client, like the mean of all, would have fitted into their worst second. */
static bool lend_one_more_fits(const struct gslot_oversub *o)
{
	u32 ago, i, mean = 0, peak = 0;

	if (o->missed)
		return false;
	for (i = 0; i < o->count; i++) {
		if (o->clients[i]->lend.seconds < GSLOT_OVERSUB_KNOWN)
			return false;
		mean += lend_mean_need(o->clients[i]);
	}
	for (ago = 0; ago < GSLOT_OVERSUB_SECONDS; ago++) {
		u32 sum = 0;

		for (i = 0; i < o->count; i++)
			sum += lend_need_ago(o->clients[i], ago);
		peak = max(peak, sum);
	}
	return peak + mean / max(o->count, 1u) <= GSLOT_WHOLE;
}

static enum gslot_oversub_verdict lend_look(struct gslot_oversub *o)
{
	u32 i;

	for (i = 0; i < o->count; i++)
		lend_estimate(o, o->clients[i]);
	lend_set_caps(o);
	if (++o->looks % GSLOT_OVERSUB_LOOKS)
		return GSLOT_OVERSUB_STEADY;
	lend_end_second(o);
	if (hweight64(o->missed) >= GSLOT_OVERSUB_MISSED) {
		o->missed = 0;
		return GSLOT_OVERSUB_OVERLOAD;
	}
	return lend_one_more_fits(o) ? GSLOT_OVERSUB_ROOM : GSLOT_OVERSUB_STEADY;
}

const struct gslot_oversub_ops gslot_oversub_lend = {
	.name = "lend",
	.period_ns = 1000000000ull / GSLOT_OVERSUB_LOOKS,
	.look = lend_look,
};
