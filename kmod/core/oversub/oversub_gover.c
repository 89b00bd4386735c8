// SPDX-License-Identifier: GPL-2.0
/*
 * gOver's controller, Algorithm 1 of the paper, once a second. A client is overloaded if it has
 * used more than U_o of its cap three times in succession, or has fewer frames than its target. If
 * it is the only one, the lightest one, with the least w_u * u_i + w_e * e_i, gives it 0.2 of what
 * it has not used of its cap. If there are several: a warning. One more fits if no client was
 * overloaded three times in succession and the sum of u_i * cap_i is below U_l. Where the paper is
 * silent:
 *
 * - What was lent goes back when it is no longer needed: three times in succession its borrower
 *   would not have been overloaded with the cap that it was sold. The plainer rule, when it is
 *   not overloaded with what it has borrowed, would give and take all the time.
 * - Of those that have lent, the one that joined first gets it back first.
 * - One overloaded client is a reason to warn, like several, if no other has anything left.
 * - After one more was said to fit, that takes three calm looks again.
 */
#include "oversub.h"

/* e_i = fps_t - fps_i; negative if it has more frames than it is to have. */
static s64 gover_deficit(const struct gslot_oversub_client *c)
{
	return c->qos_fps ? (s64)c->qos_fps - c->fps : 0;
}

static bool gover_overloaded(const struct gslot_oversub_client *c)
{
	return c->gover.heavy >= GSLOT_OVERSUB_TIMES || gover_deficit(c) > 0;
}

static bool gover_too_much_for_sold(const struct gslot_oversub_client *c)
{
	return gover_deficit(c) > 0 || (u64)c->use * c->cap > (u64)GSLOT_OVERSUB_HIGH * c->sold;
}

static void gover_count(struct gslot_oversub_client *c)
{
	c->gover.heavy = c->use > GSLOT_OVERSUB_HIGH ? c->gover.heavy + 1 : 0;
	c->gover.calm = gover_too_much_for_sold(c) ? 0 : c->gover.calm + 1;
}

static s64 gover_load(const struct gslot_oversub_client *c)
{
	return GSLOT_OVERSUB_W_USE * (s64)c->use + GSLOT_OVERSUB_W_DEFICIT * gover_deficit(c);
}

static struct gslot_oversub_client *gover_lightest(const struct gslot_oversub *o,
						   const struct gslot_oversub_client *but)
{
	struct gslot_oversub_client *least = NULL;
	u32 i;

	for (i = 0; i < o->count; i++) {
		struct gslot_oversub_client *c = o->clients[i];

		if (c != but && (!least || gover_load(c) < gover_load(least)))
			least = c;
	}
	return least;
}

static u32 gover_unused(const struct gslot_oversub_client *c)
{
	return c->use < GSLOT_WHOLE ? c->cap * (GSLOT_WHOLE - c->use) / GSLOT_WHOLE : 0;
}

static enum gslot_oversub_verdict gover_mitigate(struct gslot_oversub *o,
						 struct gslot_oversub_client *c)
{
	struct gslot_oversub_client *from = gover_lightest(o, c);
	u32 part = from ? gover_unused(from) / GSLOT_OVERSUB_PART : 0;

	part = min(part, GSLOT_WHOLE - c->cap);
	if (!part)
		return GSLOT_OVERSUB_OVERLOAD;
	from->cap -= part;
	c->cap += part;
	return GSLOT_OVERSUB_MOVED;
}

/* All that is above the sold caps is what others are below theirs: both sums are equal. */
static void gover_settle(struct gslot_oversub *o, struct gslot_oversub_client *c)
{
	u32 i, part;

	for (i = 0; i < o->count && c->cap != c->sold; i++) {
		struct gslot_oversub_client *other = o->clients[i];

		if (c->cap > c->sold && other->cap < other->sold) {
			part = min(c->cap - c->sold, other->sold - other->cap);
			c->cap -= part;
			other->cap += part;
		} else if (c->cap < c->sold && other->cap > other->sold) {
			part = min(c->sold - c->cap, other->cap - other->sold);
			c->cap += part;
			other->cap -= part;
		}
	}
}

static void gover_give_back(struct gslot_oversub *o)
{
	u32 i;

	for (i = 0; i < o->count; i++) {
		struct gslot_oversub_client *c = o->clients[i];

		if (c->cap > c->sold && c->gover.calm >= GSLOT_OVERSUB_TIMES)
			gover_settle(o, c);
	}
}

/* total_load = the sum of u_i * cap_i, per mille */
static u64 gover_total_load(const struct gslot_oversub *o)
{
	u64 sum = 0;
	u32 i;

	for (i = 0; i < o->count; i++)
		sum += (u64)o->clients[i]->use * o->clients[i]->cap;
	return sum / GSLOT_WHOLE;
}

static enum gslot_oversub_verdict gover_look(struct gslot_oversub *o)
{
	struct gslot_oversub_client *over = NULL;
	u32 i, several = 0;

	for (i = 0; i < o->count; i++) {
		gover_count(o->clients[i]);
		if (gover_overloaded(o->clients[i])) {
			over = o->clients[i];
			several++;
		}
	}
	gover_give_back(o);
	if (several) {
		o->calm = 0;
		return several > 1 ? GSLOT_OVERSUB_OVERLOAD : gover_mitigate(o, over);
	}
	if (++o->calm < GSLOT_OVERSUB_TIMES || gover_total_load(o) >= GSLOT_OVERSUB_LOW)
		return GSLOT_OVERSUB_STEADY;
	o->calm = 0;
	return GSLOT_OVERSUB_ROOM;
}

const struct gslot_oversub_ops gslot_oversub_gover = {
	.name = "gover",
	.period_ns = 1000000000ull,
	.leave = gover_settle,
	.look = gover_look,
};
