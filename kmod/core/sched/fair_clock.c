// SPDX-License-Identifier: GPL-2.0
/*
 * Virtual time, and who competes in it.
 *
 * What holds whenever nothing of this is running: the lags of all members are zero together with
 * what was given up, but for what division left; a member that is not served is in the queue
 * "ready" if its lag is not below zero, and in "later" if it is; and who is in "ready" competes.
 */
#include "fair_priv.h"

/* More at once would not fit. */
#define MOST_NS	1000000000000ull
/* Later than anything, in virtual time. */
#define FAR	(U64_MAX / 4)

/* In nanoseconds, with GSLOT_FAIR_SHIFT fractional bits. */
static s64 lag(const struct gslot_policy *p, const struct gslot_policy_client *c)
{
	return (s64)(p->fair.now - c->fair.served) * c->fair.weight;
}

/**
 * gslot_fair_lag_ns() - how far is a client behind?
 * @p: what is shared
 * @c: the client
 *
 * Return: nanoseconds, as of the last event; below zero: it is ahead; 0 if it does not compete.
 */
s64 gslot_fair_lag_ns(const struct gslot_policy *p, const struct gslot_policy_client *c)
{
	return c->fair.member ? lag(p, c) / (1 << GSLOT_FAIR_SHIFT) : 0;
}

/**
 * gslot_fair_unqueue() - take a client out of "ready" or "later"
 * @p: what is shared
 * @c: the client; perhaps in neither
 */
void gslot_fair_unqueue(struct gslot_policy *p, struct gslot_policy_client *c)
{
	if (c->fair.queue == GSLOT_FAIR_READY)
		gslot_sorted_remove(&p->fair.ready, c, c->fair.deadline);
	else if (c->fair.queue == GSLOT_FAIR_LATER)
		gslot_sorted_remove(&p->fair.later, c, c->fair.served);
	c->fair.queue = GSLOT_FAIR_NONE;
}

static void enqueue(struct gslot_policy *p, struct gslot_policy_client *c)
{
	if (gslot_before(p->fair.now, c->fair.served)) {
		gslot_sorted_insert(&p->fair.later, c, c->fair.served);
		c->fair.queue = GSLOT_FAIR_LATER;
	} else {
		gslot_sorted_insert(&p->fair.ready, c, c->fair.deadline);
		c->fair.queue = GSLOT_FAIR_READY;
	}
}

/* It begins with no lag, and a request of its own length. */
static void enter(struct gslot_policy *p, struct gslot_policy_client *c)
{
	c->fair.member = true;
	c->fair.served = p->fair.now;
	c->fair.remainder = 0;
	c->fair.deadline = c->fair.served +
			   gslot_fair_virtual(c->fair.request_ns, c->fair.weight);
	p->fair.weight += c->fair.weight;
}

/* What one has overrun by it makes up for while it is ahead: nothing is left when it is not. */
static void settle_overrun(const struct gslot_policy *p, struct gslot_policy_client *c)
{
	s64 lag_ns = gslot_fair_lag_ns(p, c);
	u64 ahead = lag_ns < 0 ? -lag_ns : 0;

	c->fair.overrun_ns = min(c->fair.overrun_ns, ahead);
}

/* Somebody is gone: what it was behind by is nobody's claim. */
static void quit(struct gslot_policy *p, struct gslot_policy_client *c)
{
	p->fair.given_up += lag(p, c);
	c->fair.member = false;
	p->fair.weight -= c->fair.weight;
	if (p->fair.weight)
		return;
	p->fair.given_up = 0;
	p->fair.remainder = 0;
}

/**
 * gslot_fair_place() - put a client where it belongs, now
 * @p: what is shared
 * @c: the client
 */
void gslot_fair_place(struct gslot_policy *p, struct gslot_policy_client *c)
{
	bool served = gslot_fair_is_served(p, c), competes = gslot_fair_competes(c);

	gslot_fair_unqueue(p, c);
	if ((served || competes) && !c->fair.member)
		enter(p, c);
	settle_overrun(p, c);
	if (served || !c->fair.member)
		return;
	if (competes || gslot_before(p->fair.now, c->fair.served))
		enqueue(p, c);
	else
		quit(p, c);
}

/* Those whose time has come are eligible; or gone, if they only made up for what they had. */
static void mature(struct gslot_policy *p)
{
	const struct gslot_sorted_entry *first;

	while ((first = gslot_sorted_first(&p->fair.later)) &&
	       !gslot_before(p->fair.now, first->key))
		gslot_fair_place(p, first->client);
}

/* The virtual time of one that is ahead, but for what it has overrun by. */
static u64 regular(const struct gslot_policy *p, const struct gslot_policy_client *c)
{
	u64 overrun = gslot_fair_virtual(c->fair.overrun_ns, c->fair.weight);

	return c->fair.served - min(overrun, c->fair.served - p->fair.now);
}

/* The one that is served, if it is ahead; else NULL. */
static const struct gslot_policy_client *served_ahead(const struct gslot_policy *p)
{
	const struct gslot_policy_client *owner = p->fair.owner;

	return owner && gslot_fair_is_served(p, owner) &&
	       gslot_before(p->fair.now, owner->fair.served) ? owner : NULL;
}

/* Has anybody been served beyond a virtual time, which is not before now? */
static bool any_beyond(const struct gslot_policy *p, u64 at)
{
	const struct gslot_policy_client *owner = served_ahead(p);
	const struct gslot_sorted *later = &p->fair.later;
	u32 i;

	for (i = later->count; i && gslot_before(at, later->entry[i - 1].key); i--)
		if (gslot_before(at, regular(p, later->entry[i - 1].client)))
			return true;
	return owner && gslot_before(at, regular(p, owner));
}

/* When is the first request due of those that are not ahead? Not before now. */
static u64 first_due(const struct gslot_policy *p)
{
	const struct gslot_sorted_entry *ready = gslot_sorted_first(&p->fair.ready);
	const struct gslot_policy_client *owner = p->fair.owner;
	u64 due = ready ? ready->key : p->fair.now + FAR;

	if (owner && gslot_fair_is_served(p, owner) && !served_ahead(p) &&
	    gslot_before(owner->fair.deadline, due))
		due = owner->fair.deadline;
	return gslot_before(due, p->fair.now) ? p->fair.now : due;
}

/* Virtual time goes by in no time: up to the first one that is ahead, or as far as it can. */
static void jump(struct gslot_policy *p)
{
	const struct gslot_sorted_entry *first = gslot_sorted_first(&p->fair.later);
	const struct gslot_policy_client *owner = served_ahead(p);
	u64 by = p->fair.given_up / p->fair.weight;

	if (first)
		by = min(by, first->key - p->fair.now);
	if (owner)
		by = min(by, owner->fair.served - p->fair.now);
	p->fair.now += by;
	p->fair.given_up -= by * p->fair.weight;
	mature(p);
}

/**
 * gslot_fair_pass_on() - claims that were given up are everybody's, by weight
 * @p: what is shared
 *
 * They are so by virtual time that goes by in no time. But nobody is to be due before its turn can
 * have come: while anybody has been served beyond the time at which the first one is due, claims
 * are kept, as if those who gave them up still waited, and were never served. What one has overrun
 * by does not count: who waits does so for that anyway.
 */
void gslot_fair_pass_on(struct gslot_policy *p)
{
	while (p->fair.weight && p->fair.given_up >= p->fair.weight &&
	       !any_beyond(p, first_due(p)))
		jump(p);
}

/* Of @ns: how long until the first one in "later" has no lag? */
static u64 until_next(const struct gslot_policy *p, u64 ns)
{
	const struct gslot_sorted_entry *first = gslot_sorted_first(&p->fair.later);
	u64 most = ((ns << GSLOT_FAIR_SHIFT) + p->fair.remainder) / p->fair.weight, need;

	if (!first || first->key - p->fair.now > most)
		return ns;
	need = (first->key - p->fair.now) * p->fair.weight;
	need = need > p->fair.remainder ? need - p->fair.remainder : 0;
	return min(ns, (need + (1ull << GSLOT_FAIR_SHIFT) - 1) >> GSLOT_FAIR_SHIFT);
}

/* The owner is served for some time, but no longer than weights stay what they are. */
static u64 serve(struct gslot_policy *p, u64 ns)
{
	struct gslot_fair_client *c = &p->fair.owner->fair;
	u64 sum;

	ns = until_next(p, ns);
	sum = (ns << GSLOT_FAIR_SHIFT) + p->fair.remainder;
	p->fair.now += sum / p->fair.weight;
	p->fair.remainder = sum % p->fair.weight;
	sum = (ns << GSLOT_FAIR_SHIFT) + c->remainder;
	c->served += sum / c->weight;
	c->remainder = sum % c->weight;
	mature(p);
	return ns;
}

static void take(struct gslot_policy *p, struct gslot_policy_client *c, u64 since, u64 ns)
{
	c->fair.burst_ns += ns;
	gslot_fair_limit(p, c, since);
	gslot_bucket_take(&c->fair.cap, ns);
	if (c->fair.reserve.rate)
		gslot_bucket_take(&c->fair.reserve, ns);
}

/**
 * gslot_fair_advance() - the owner has been served until now
 * @p: what is shared
 * @now: time, ns
 */
void gslot_fair_advance(struct gslot_policy *p, u64 now)
{
	u64 since = max(p->fair.until, p->since), ns;

	p->fair.until = now;
	if (!p->fair.owner || p->fair.idle || since >= now)
		return;
	ns = now - since;
	take(p, p->fair.owner, since, ns);
	while (ns && !p->fair.apart)
		ns -= serve(p, min(ns, MOST_NS));
}

/* What is left of its request is as long as it was. */
static void reweigh(struct gslot_policy *p, struct gslot_policy_client *c, u32 weight)
{
	s64 behind = lag(p, c), left = (s64)(c->fair.deadline - c->fair.served) * c->fair.weight;

	if (behind > 0) {
		p->fair.given_up += behind;
		behind = 0;
	}
	/* Who is ahead is so for longer now. That is not to keep claims from being passed on. */
	if (weight < c->fair.weight)
		c->fair.overrun_ns = -behind >> GSLOT_FAIR_SHIFT;
	p->fair.weight += weight - c->fair.weight;
	c->fair.served = p->fair.now - behind / (s64)weight;
	c->fair.deadline = c->fair.served + left / (s64)weight;
	c->fair.remainder = 0;
}

/**
 * gslot_fair_set_weight() - a client competes with another weight
 * @p: what is shared
 * @c: the client
 * @weight: the weight
 *
 * A client that is behind gives its claim up, as one that sleeps and wakes: its request would be
 * due before others that were before it. What it is ahead by it is ahead by.
 */
void gslot_fair_set_weight(struct gslot_policy *p, struct gslot_policy_client *c, u32 weight)
{
	gslot_fair_unqueue(p, c);
	if (c->fair.member)
		reweigh(p, c, weight);
	c->fair.weight = weight;
	gslot_fair_place(p, c);
}

/* Of all that are behind, the one whose request is due first; NULL if there is none. */
static struct gslot_policy_client *first_behind(const struct gslot_policy *p)
{
	struct gslot_policy_client *first = NULL;
	u32 i;

	for (i = 0; i < p->count; i++) {
		struct gslot_policy_client *c = p->clients[i];

		/* What is less than its weight division leaves. */
		if (!c->fair.member || lag(p, c) < c->fair.weight)
			continue;
		if (!first || gslot_before(c->fair.deadline, first->fair.deadline))
			first = c;
	}
	return first;
}

/* It is as if it had been served for longer; its request stays as long as it was. */
static void shift(struct gslot_policy *p, struct gslot_policy_client *c, u64 by)
{
	gslot_fair_unqueue(p, c);
	c->fair.served += by;
	c->fair.deadline += by;
	gslot_fair_place(p, c);
}

/**
 * gslot_fair_forget() - a client goes, and is owed nothing, and owes nothing
 * @p: what is shared
 * @c: the client; it does not compete
 *
 * If it is ahead others are behind for that, all together by as much. Nobody will make up for
 * it: it is struck from what they are behind, the first due first, and then from what is nobody's
 * claim. In that order no one is late for it: those that are due before another one are behind by
 * no more than they were, and by less if what was kept for others is less.
 */
void gslot_fair_forget(struct gslot_policy *p, struct gslot_policy_client *c)
{
	struct gslot_policy_client *first;
	u64 ahead;

	gslot_fair_unqueue(p, c);
	if (!c->fair.member)
		return;
	ahead = -lag(p, c);
	c->fair.member = false;
	p->fair.weight -= c->fair.weight;
	while ((first = first_behind(p))) {
		u64 behind = lag(p, first);
		u64 by = min(behind, ahead) / first->fair.weight;

		if (!by)
			break;
		ahead -= by * first->fair.weight;
		shift(p, first, by);
	}
	p->fair.given_up -= min(ahead, p->fair.given_up);
}
