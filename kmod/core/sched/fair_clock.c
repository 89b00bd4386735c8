// SPDX-License-Identifier: GPL-2.0
/*
 * Virtual time, and which clients are members.
 *
 * Invariants, outside of these functions:
 *
 * - The lags of all members and the forfeited lag add up to zero, but for what division left.
 * - A member that is not being served is in "eligible" if its lag is not below zero, else in
 *   "ineligible".
 * - A client in "eligible" competes.
 */
#include "fair_priv.h"

/* Longer times are served in parts: they would overflow. */
#define MOST_NS	1000000000000ull
/* Later than anything, in virtual time. */
#define FAR	(U64_MAX / 4)

/* In nanoseconds, with GSLOT_FAIR_SHIFT fractional bits. */
static s64 clock_lag(const struct gslot_policy *p, const struct gslot_policy_client *c)
{
	return (s64)(p->fair.vtime - c->fair.vtime) * c->fair.weight;
}

/**
 * gslot_fair_lag_ns() - the lag of a client
 * @p: the run queue
 * @c: the client
 *
 * Return: nanoseconds, as of the last event; below zero: it is ahead; 0 if it is no member.
 */
s64 gslot_fair_lag_ns(const struct gslot_policy *p, const struct gslot_policy_client *c)
{
	return c->fair.member ? clock_lag(p, c) / (1 << GSLOT_FAIR_SHIFT) : 0;
}

/* Take a client out of the queue of members that it is in, if it is in one. */
static void clock_unqueue(struct gslot_policy *p, struct gslot_policy_client *c)
{
	if (c->fair.queue == GSLOT_FAIR_ELIGIBLE)
		gslot_sorted_remove(&p->fair.eligible, c, c->fair.deadline);
	else if (c->fair.queue == GSLOT_FAIR_INELIGIBLE)
		gslot_sorted_remove(&p->fair.ineligible, c, c->fair.vtime);
	c->fair.queue = GSLOT_FAIR_NONE;
}

static void clock_enqueue(struct gslot_policy *p, struct gslot_policy_client *c)
{
	if (gslot_before(p->fair.vtime, c->fair.vtime)) {
		gslot_sorted_insert(&p->fair.ineligible, c, c->fair.vtime);
		c->fair.queue = GSLOT_FAIR_INELIGIBLE;
	} else {
		gslot_sorted_insert(&p->fair.eligible, c, c->fair.deadline);
		c->fair.queue = GSLOT_FAIR_ELIGIBLE;
	}
}

/* It begins with a lag of zero, and a whole request. */
static void clock_enter(struct gslot_policy *p, struct gslot_policy_client *c)
{
	c->fair.member = true;
	c->fair.vtime = p->fair.vtime;
	c->fair.remainder = 0;
	c->fair.deadline = c->fair.vtime +
			   gslot_fair_virtual(c->fair.request_ns, c->fair.weight);
	p->fair.weight += c->fair.weight;
}

/* Being ahead makes up for overruns: when the client is not ahead any more, none is left. */
static void clock_settle_overrun(const struct gslot_policy *p, struct gslot_policy_client *c)
{
	s64 lag_ns = gslot_fair_lag_ns(p, c);
	u64 ahead = lag_ns < 0 ? -lag_ns : 0;

	c->fair.overrun_ns = min(c->fair.overrun_ns, ahead);
}

/* It is no member any more, and forfeits its lag. */
static void clock_quit(struct gslot_policy *p, struct gslot_policy_client *c)
{
	p->fair.forfeited += clock_lag(p, c);
	c->fair.member = false;
	p->fair.weight -= c->fair.weight;
	if (p->fair.weight)
		return;
	p->fair.forfeited = 0;
	p->fair.remainder = 0;
}

/* Make a client a member or not, and queue it. */
void gslot_fair_place(struct gslot_policy *p, struct gslot_policy_client *c)
{
	bool served = gslot_fair_is_served(p, c), competes = gslot_fair_competes(c);

	clock_unqueue(p, c);
	if ((served || competes) && !c->fair.member)
		clock_enter(p, c);
	clock_settle_overrun(p, c);
	if (served || !c->fair.member)
		return;
	if (competes || gslot_before(p->fair.vtime, c->fair.vtime))
		clock_enqueue(p, c);
	else
		clock_quit(p, c);
}

/* Clients that are not ahead any more become eligible; or leave, if they only were ahead. */
static void clock_mature(struct gslot_policy *p)
{
	const struct gslot_sorted_entry *first;

	while ((first = gslot_sorted_first(&p->fair.ineligible)) &&
	       !gslot_before(p->fair.vtime, first->key))
		gslot_fair_place(p, first->client);
}

/* The virtual time of a client that is ahead, without its overruns. */
static u64 clock_without_overrun(const struct gslot_policy *p, const struct gslot_policy_client *c)
{
	u64 overrun = gslot_fair_virtual(c->fair.overrun_ns, c->fair.weight);

	return c->fair.vtime - min(overrun, c->fair.vtime - p->fair.vtime);
}

/* The owner, if it is served and ahead; else NULL. */
static const struct gslot_policy_client *clock_owner_ahead(const struct gslot_policy *p)
{
	const struct gslot_policy_client *owner = p->fair.owner;

	return owner && gslot_fair_is_served(p, owner) &&
	       gslot_before(p->fair.vtime, owner->fair.vtime) ? owner : NULL;
}

/* Whether any client has been served beyond @at, which is not before now. Overruns do not count. */
static bool clock_any_beyond(const struct gslot_policy *p, u64 at)
{
	const struct gslot_policy_client *owner = clock_owner_ahead(p);
	const struct gslot_sorted *later = &p->fair.ineligible;
	u32 i;

	for (i = later->count; i && gslot_before(at, later->entry[i - 1].key); i--)
		if (gslot_before(at, clock_without_overrun(p, later->entry[i - 1].client)))
			return true;
	return owner && gslot_before(at, clock_without_overrun(p, owner));
}

/* When the first request of those that are not ahead is due; not before now. */
static u64 clock_first_due(const struct gslot_policy *p)
{
	const struct gslot_sorted_entry *ready = gslot_sorted_first(&p->fair.eligible);
	const struct gslot_policy_client *owner = p->fair.owner;
	u64 due = ready ? ready->key : p->fair.vtime + FAR;

	if (owner && gslot_fair_is_served(p, owner) && !clock_owner_ahead(p) &&
	    gslot_before(owner->fair.deadline, due))
		due = owner->fair.deadline;
	return gslot_before(due, p->fair.vtime) ? p->fair.vtime : due;
}

/* Advance virtual time at once, up to the first client that is ahead, or as far as it can. */
static void clock_jump(struct gslot_policy *p)
{
	const struct gslot_sorted_entry *first = gslot_sorted_first(&p->fair.ineligible);
	const struct gslot_policy_client *owner = clock_owner_ahead(p);
	u64 by = p->fair.forfeited / p->fair.weight;

	if (first)
		by = min(by, first->key - p->fair.vtime);
	if (owner)
		by = min(by, owner->fair.vtime - p->fair.vtime);
	p->fair.vtime += by;
	p->fair.forfeited -= by * p->fair.weight;
	clock_mature(p);
}

/*
 * Distribute forfeited lag to all members, by weight. That is what an advance of virtual time in no
 * time does. But no request may become due before it can have been served: while any client has
 * been served beyond the time at which the first request is due, the lag is kept, as if the clients
 * that forfeited it still waited and were never served. Overruns do not count here: others wait for
 * them anyway.
 */
void gslot_fair_pass_on(struct gslot_policy *p)
{
	while (p->fair.weight && p->fair.forfeited >= p->fair.weight &&
	       !clock_any_beyond(p, clock_first_due(p)))
		clock_jump(p);
}

/* How much of @ns passes until the first client in "ineligible" has a lag of zero. */
static u64 clock_until_next(const struct gslot_policy *p, u64 ns)
{
	const struct gslot_sorted_entry *first = gslot_sorted_first(&p->fair.ineligible);
	u64 most = ((ns << GSLOT_FAIR_SHIFT) + p->fair.remainder) / p->fair.weight, need;

	if (!first || first->key - p->fair.vtime > most)
		return ns;
	need = (first->key - p->fair.vtime) * p->fair.weight;
	need = need > p->fair.remainder ? need - p->fair.remainder : 0;
	return min(ns, (need + (1ull << GSLOT_FAIR_SHIFT) - 1) >> GSLOT_FAIR_SHIFT);
}

/* The owner is served for @ns, but no longer than the sum of weights stays what it is. */
static u64 clock_serve(struct gslot_policy *p, u64 ns)
{
	struct gslot_fair_client *c = &p->fair.owner->fair;
	u64 sum;

	ns = clock_until_next(p, ns);
	sum = (ns << GSLOT_FAIR_SHIFT) + p->fair.remainder;
	p->fair.vtime += sum / p->fair.weight;
	p->fair.remainder = sum % p->fair.weight;
	sum = (ns << GSLOT_FAIR_SHIFT) + c->remainder;
	c->vtime += sum / c->weight;
	c->remainder = sum % c->weight;
	clock_mature(p);
	return ns;
}

static void clock_take(struct gslot_policy *p, struct gslot_policy_client *c, u64 since, u64 ns)
{
	c->fair.burst_ns += ns;
	gslot_fair_limit(p, c, since);
	gslot_bucket_take(&c->fair.cap, ns);
	if (c->fair.reserve.rate)
		gslot_bucket_take(&c->fair.reserve, ns);
}

/* Account for the time until @now. */
void gslot_fair_advance(struct gslot_policy *p, u64 now)
{
	u64 since = max(p->fair.until, p->since), ns;

	p->fair.until = now;
	if (!p->fair.owner || p->fair.idle || since >= now)
		return;
	ns = now - since;
	clock_take(p, p->fair.owner, since, ns);
	while (ns && !p->fair.extra)
		ns -= clock_serve(p, min(ns, MOST_NS));
}

/* The rest of its request stays as long as it was. */
static void clock_reweigh(struct gslot_policy *p, struct gslot_policy_client *c, u32 weight)
{
	s64 left = (s64)(c->fair.deadline - c->fair.vtime) * c->fair.weight;
	s64 behind = clock_lag(p, c);

	if (behind > 0) {
		p->fair.forfeited += behind;
		behind = 0;
	}
	/* It is ahead for longer now. That must not keep forfeited lag from being distributed. */
	if (weight < c->fair.weight)
		c->fair.overrun_ns = -behind >> GSLOT_FAIR_SHIFT;
	p->fair.weight += weight - c->fair.weight;
	c->fair.vtime = p->fair.vtime - behind / (s64)weight;
	c->fair.deadline = c->fair.vtime + left / (s64)weight;
	c->fair.remainder = 0;
}

/*
 * Change the weight of a client. One that is behind forfeits its lag, as one that sleeps and wakes:
 * else its request would become due before others that were due before it. One that is ahead stays
 * ahead by the same time.
 */
void gslot_fair_set_weight(struct gslot_policy *p, struct gslot_policy_client *c, u32 weight)
{
	clock_unqueue(p, c);
	if (c->fair.member)
		clock_reweigh(p, c, weight);
	c->fair.weight = weight;
	gslot_fair_place(p, c);
}

/* Of the members that are behind, the one with the earliest deadline; NULL: none. */
static struct gslot_policy_client *clock_first_behind(const struct gslot_policy *p)
{
	struct gslot_policy_client *first = NULL;
	u32 i;

	for (i = 0; i < p->count; i++) {
		struct gslot_policy_client *c = p->clients[i];

		/* Less than its weight is what division leaves. */
		if (!c->fair.member || clock_lag(p, c) < c->fair.weight)
			continue;
		if (!first || gslot_before(c->fair.deadline, first->fair.deadline))
			first = c;
	}
	return first;
}

/* As if it had been served for longer; its request stays as long as it was. */
static void clock_shift(struct gslot_policy *p, struct gslot_policy_client *c, u64 by)
{
	clock_unqueue(p, c);
	c->fair.vtime += by;
	c->fair.deadline += by;
	gslot_fair_place(p, c);
}

/*
 * A client, which does not compete, leaves, and takes no lag with it.
 *
 * If it is ahead, others are behind by as much, all together, and it will not make up for that. So
 * their lag is reduced, that of the earliest deadline first, and in the end the forfeited lag. In
 * this order no client is late for it: those that are due before another one are behind by no more
 * than they were, and by less if less is kept for others.
 */
void gslot_fair_forget(struct gslot_policy *p, struct gslot_policy_client *c)
{
	struct gslot_policy_client *first;
	u64 ahead;

	clock_unqueue(p, c);
	if (!c->fair.member)
		return;
	ahead = -clock_lag(p, c);
	c->fair.member = false;
	p->fair.weight -= c->fair.weight;
	while ((first = clock_first_behind(p))) {
		u64 behind = clock_lag(p, first);
		u64 by = min(behind, ahead) / first->fair.weight;

		if (!by)
			break;
		ahead -= by * first->fair.weight;
		clock_shift(p, first, by);
	}
	p->fair.forfeited -= min(ahead, p->fair.forfeited);
}
