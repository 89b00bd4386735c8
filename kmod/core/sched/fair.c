// SPDX-License-Identifier: GPL-2.0
/*
 * The policy `fair`: time in proportion to weights, with a bound on how far a client is from its
 * share at any moment. It is EEVDF (Stoica, Abdel-Wahab: "Earliest eligible virtual deadline
 * first", 1995), with caps, reservations, and debts. docs/scheduling.md, *The policy fair*, has its
 * definitions, its rules, and the proof of its bound.
 *
 * A client's lag is how much less it has had than in a system that serves all clients at once, by
 * weight. Virtual time advances at the rate at which a client of weight 1 would be served; each
 * client has a virtual time of its own. The client with the earliest deadline of those with a lag
 * of zero or more has the engine until its request is served.
 */
#include "fair_priv.h"

/* A client's knobs or state changed: put it into the queues that it belongs in. */
static void fair_update(struct gslot_policy *p, struct gslot_policy_client *c, u64 now)
{
	gslot_fair_place(p, c);
	if (c->fair.reserves)
		gslot_sorted_remove(&p->fair.reserved, c, c->fair.due_at);
	c->fair.reserves = c->fair.reserve.rate && gslot_fair_competes(c) &&
			   !gslot_fair_is_served(p, c);
	if (!c->fair.reserves)
		return;
	gslot_fair_limit(p, c, now);
	c->fair.due_at = c->fair.reserve.empty_at +
			 gslot_bucket_fill_time(&c->fair.reserve, gslot_fair_part(p));
	gslot_sorted_insert(&p->fair.reserved, c, c->fair.due_at);
}

static bool fair_cap_used_up(struct gslot_policy *p, struct gslot_policy_client *c, u64 now)
{
	if (c->knobs.cap >= GSLOT_WHOLE)
		return false;
	gslot_fair_limit(p, c, now);
	return gslot_bucket_level(&c->fair.cap, now) <= 0;
}

static void fair_throttle(struct gslot_policy *p, struct gslot_policy_client *c)
{
	c->fair.capped = true;
	c->fair.release_at = c->fair.cap.empty_at +
			     gslot_bucket_fill_time(&c->fair.cap, gslot_fair_part(p));
	gslot_sorted_insert(&p->fair.capped, c, c->fair.release_at);
}

static void fair_unthrottle(struct gslot_policy *p, struct gslot_policy_client *c)
{
	gslot_sorted_remove(&p->fair.capped, c, c->fair.release_at);
	c->fair.capped = false;
}

/* A client's quantum bounds its requests, also if it is shorter than the least request. */
static u64 fair_request(const struct gslot_policy *p, const struct gslot_policy_client *c, u64 ns)
{
	return min(max(ns, gslot_fair_part(p)), gslot_policy_quantum(p, c));
}

/* If the owner's request is served, its next one begins, and is longer, as it does not sleep. */
static bool fair_renew(const struct gslot_policy *p, struct gslot_policy_client *owner)
{
	if (gslot_before(owner->fair.vtime, owner->fair.deadline))
		return false;
	owner->fair.request_ns = fair_request(p, owner, 2 * owner->fair.request_ns);
	owner->fair.deadline = owner->fair.vtime +
			       gslot_fair_virtual(owner->fair.request_ns, owner->fair.weight);
	return true;
}

static void fair_end_turn(struct gslot_policy *p, u64 now)
{
	struct gslot_policy_client *c = p->fair.owner;

	/* If it had the engine for longer than it asked for, that was more than one request. */
	fair_renew(p, c);
	p->fair.owner = NULL;
	p->fair.idle = false;
	c->fair.least_lag_ns = min(c->fair.least_lag_ns, gslot_fair_lag_ns(p, c));
	if (fair_cap_used_up(p, c, now))
		fair_throttle(p, c);
	fair_update(p, c, now);
}

static void fair_begin_turn(struct gslot_policy *p, struct gslot_policy_client *c, u64 now,
			    bool extra)
{
	p->fair.owner = c;
	p->fair.idle = false;
	p->fair.extra = extra;
	c->fair.most_lag_ns = max(c->fair.most_lag_ns, gslot_fair_lag_ns(p, c));
	fair_update(p, c, now);
}

/* Time has passed: clients that have time of their cap again, or are not barred, compete. */
static void fair_catch_up(struct gslot_policy *p, u64 now)
{
	const struct gslot_sorted_entry *first;
	bool any_without;
	u32 i;

	gslot_debt_pay(p, now);
	gslot_fair_advance(p, now);
	while ((first = gslot_sorted_first(&p->fair.capped)) && !gslot_before(now, first->key)) {
		struct gslot_policy_client *c = first->client;

		fair_unthrottle(p, c);
		fair_update(p, c, now);
	}
	if (!p->fair.any_barred && !gslot_debt_any(p, now))
		return;
	any_without = gslot_debt_any_without(p, now);
	p->fair.any_barred = false;
	for (i = 0; i < p->count; i++) {
		struct gslot_policy_client *c = p->clients[i];
		bool barred = gslot_debt_sits_out(c, now, any_without);

		p->fair.any_barred |= barred;
		if (barred == c->fair.barred)
			continue;
		c->fair.barred = barred;
		fair_update(p, c, now);
	}
}

static void fair_join(struct gslot_policy *p, struct gslot_policy_client *c, u64 now)
{
	gslot_fair_advance(p, now);
	c->fair.weight = c->knobs.weight;
	c->fair.request_ns = gslot_policy_quantum(p, c);
	gslot_bucket_set(&c->fair.cap, now, c->knobs.cap, gslot_fair_burst(p, c));
	if (c->knobs.reserve)
		gslot_bucket_set(&c->fair.reserve, now, c->knobs.reserve, 0);
}

static void fair_leave(struct gslot_policy *p, struct gslot_policy_client *c, u64 now)
{
	gslot_fair_advance(p, now);
	if (c->fair.capped)
		fair_unthrottle(p, c);
	gslot_fair_forget(p, c);
}

/* It asks for its share of some quanta at most: a longer request would be due much later. */
static void fair_shorten_request(const struct gslot_policy *p, struct gslot_policy_client *c)
{
	u32 weight = p->fair.weight + (c->fair.member ? 0 : c->fair.weight);
	u64 most = GSLOT_FAIR_WAKE_QUANTA * p->quantum_ns * c->fair.weight / weight;

	c->fair.request_ns = min(c->fair.request_ns, max(most, gslot_fair_part(p)));
	c->fair.deadline = c->fair.vtime +
			   gslot_fair_virtual(c->fair.request_ns, c->fair.weight);
}

static void fair_wake(struct gslot_policy *p, struct gslot_policy_client *c, u64 now)
{
	fair_catch_up(p, now);
	if (c == p->fair.owner)
		p->fair.idle = false;
	else
		fair_shorten_request(p, c);
	c->fair.wants = true;
	fair_update(p, c, now);
}

/* Its next requests are about as long as what it has needed. */
static void fair_sleep(struct gslot_policy *p, struct gslot_policy_client *c, u64 now)
{
	fair_catch_up(p, now);
	c->fair.wants = false;
	c->fair.most_lag_ns = max(c->fair.most_lag_ns, gslot_fair_lag_ns(p, c));
	c->fair.request_ns = fair_request(p, c, (c->fair.request_ns + c->fair.burst_ns) / 2);
	c->fair.burst_ns = 0;
	fair_update(p, c, now);
}

/* What its buckets hold stays. */
static void fair_changed(struct gslot_policy *p, struct gslot_policy_client *c, u64 now,
			 const struct gslot_policy_knobs *old)
{
	s64 level = 0;

	gslot_fair_advance(p, now);
	gslot_fair_limit(p, c, now);
	if (c->fair.reserve.rate)
		level = gslot_bucket_level(&c->fair.reserve, now);
	c->fair.reserve.rate = 0;
	if (c->knobs.reserve)
		gslot_bucket_set(&c->fair.reserve, now, c->knobs.reserve, level);
	level = gslot_fair_burst(p, c);
	if (old->cap < GSLOT_WHOLE)
		level = min(level, gslot_bucket_level(&c->fair.cap, now));
	gslot_bucket_set(&c->fair.cap, now, c->knobs.cap, level);
	if (c->fair.capped) {
		fair_unthrottle(p, c);
		if (fair_cap_used_up(p, c, now))
			fair_throttle(p, c);
	}
	if (c->fair.weight != c->knobs.weight)
		gslot_fair_set_weight(p, c, c->knobs.weight);
	fair_update(p, c, now);
}

static void fair_ran(struct gslot_policy *p, struct gslot_policy_client *c, u64 now)
{
	gslot_fair_advance(p, now);
	if (c == p->fair.owner)
		fair_end_turn(p, now);
}

/*
 * An overrun has lowered the client's lag already. That is enough for work that cannot be preempted
 * for a while: its client should not be worse off by chance. Work that takes very long should not
 * begin while others may want the engine, so it is a debt as well.
 */
static void fair_charge(struct gslot_policy *p, struct gslot_policy_client *c, u64 now, u64 ns)
{
	p->fair.stretch_ns = max(p->fair.stretch_ns, ns);
	/* Extra time does not make it ahead. */
	if (!p->fair.extra)
		c->fair.overrun_ns += ns;
	if (ns >= GSLOT_FAIR_QUANTA * p->quantum_ns)
		gslot_debt_charge(p, c, now, ns);
}

static struct gslot_policy_client *fair_first_reserved(const struct gslot_policy *p, u64 now)
{
	const struct gslot_sorted_entry *first = gslot_sorted_first(&p->fair.reserved);

	return first && !gslot_before(now, first->key) ? first->client : NULL;
}

static struct gslot_policy_client *fair_first_eligible(const struct gslot_policy *p)
{
	const struct gslot_sorted_entry *first = gslot_sorted_first(&p->fair.eligible);

	return first ? first->client : NULL;
}

/*
 * The first one; or one without anything to copy if the first can wait for it. Until that one
 * would have been due no other is preferred: each that waits does so for one such request at most.
 */
static struct gslot_policy_client *fair_preferred(const struct gslot_policy *p)
{
	const struct gslot_sorted *ready = &p->fair.eligible;
	u32 i, n = min(ready->count, GSLOT_FAIR_LOOK);

	if (!n || !ready->entry[0].client->load.to_copy ||
	    gslot_before(p->fair.vtime, p->fair.preferred_until))
		return fair_first_eligible(p);
	for (i = 1; i < n; i++) {
		struct gslot_policy_client *c = ready->entry[i].client;
		u64 end = p->fair.vtime + gslot_fair_virtual(gslot_policy_quantum(p, c),
							     p->fair.weight);

		if (!c->load.to_copy && !gslot_before(ready->entry[0].key, end))
			return c;
	}
	return fair_first_eligible(p);
}

static struct gslot_policy_client *fair_prefer(struct gslot_policy *p)
{
	struct gslot_policy_client *c = fair_preferred(p);

	if (c != fair_first_eligible(p))
		p->fair.preferred_until = c->fair.deadline;
	return c;
}

/* No client is eligible: what division left can make it so, if all lags are next to zero. */
static struct gslot_policy_client *fair_first_ineligible(const struct gslot_policy *p)
{
	u32 i;

	for (i = 0; i < p->fair.ineligible.count; i++)
		if (gslot_fair_competes(p->fair.ineligible.entry[i].client))
			return p->fair.ineligible.entry[i].client;
	return NULL;
}

static struct gslot_policy_client *fair_next(const struct gslot_policy *p, u64 now)
{
	struct gslot_policy_client *c = fair_first_reserved(p, now);

	if (!c)
		c = fair_preferred(p);
	return c ? c : fair_first_ineligible(p);
}

/* Whether the owner still has time by its reservation. */
static bool fair_reservation_lasts(const struct gslot_policy *p, u64 now)
{
	const struct gslot_policy_client *owner = p->fair.owner;

	return owner->fair.reserve.rate && gslot_bucket_level(&owner->fair.reserve, now) > 0;
}

static bool fair_is_ahead(const struct gslot_policy *p, const struct gslot_policy_client *c)
{
	return gslot_before(p->fair.vtime, c->fair.vtime);
}

/* Whether the owner, which has work, yields to @next. */
static bool fair_gives_way(const struct gslot_policy *p, u64 now, bool renewed,
			   const struct gslot_policy_client *next)
{
	const struct gslot_policy_client *owner = p->fair.owner;
	bool reserved = fair_first_reserved(p, now) == next;

	if (!renewed && now - p->since < gslot_fair_part(p))
		return false;
	if (reserved || p->fair.extra)
		return !fair_reservation_lasts(p, now);
	if (renewed && fair_is_ahead(p, owner))
		return true;
	return gslot_before(next->fair.deadline, owner->fair.deadline);
}

/*
 * Does the owner yield to @next? If its request is served and it has a reservation it goes on by
 * that. It is ahead, so this is extra time, which ends with its reservation.
 */
static bool fair_turn_is_over(struct gslot_policy *p, u64 now, bool renewed,
			      const struct gslot_policy_client *next)
{
	bool over = fair_gives_way(p, now, renewed, next);

	if (!over && renewed && fair_is_ahead(p, p->fair.owner))
		p->fair.extra = true;
	return over;
}

static enum gslot_policy_verdict fair_choose(struct gslot_policy *p, u64 now, bool busy,
					     bool renewed,
					     const struct gslot_policy_client *next)
{
	struct gslot_policy_client *owner = p->fair.owner;

	if (!owner || p->fair.idle)
		return next ? GSLOT_POLICY_GIVE : GSLOT_POLICY_KEEP;
	if (!next && !fair_reservation_lasts(p, now))
		p->fair.extra = false;
	if (!owner->fair.barred && !fair_cap_used_up(p, owner, now) &&
	    !(next && fair_turn_is_over(p, now, renewed, next)))
		return GSLOT_POLICY_KEEP;
	/* Without another client the engine is idle. */
	return busy || !next ? GSLOT_POLICY_PREEMPT : GSLOT_POLICY_GIVE;
}

/* An owner without work stays the owner until another client wants the engine. */
static void fair_note_idle(struct gslot_policy *p, u64 now, bool busy)
{
	struct gslot_policy_client *owner = p->fair.owner;
	bool idle = owner && !busy && !owner->fair.wants;

	if (p->fair.idle == idle)
		return;
	p->fair.idle = idle;
	fair_update(p, owner, now);
}

static struct gslot_policy_choice fair_pick(struct gslot_policy *p, u64 now, bool busy)
{
	struct gslot_policy_choice choice;
	bool reserved, renewed;

	fair_catch_up(p, now);
	fair_note_idle(p, now, busy);
	renewed = p->fair.owner && !p->fair.idle && fair_renew(p, p->fair.owner);
	gslot_fair_pass_on(p);
	choice.client = fair_first_reserved(p, now);
	reserved = choice.client;
	if (!reserved)
		choice.client = fair_first_eligible(p);
	if (!choice.client && (!p->fair.owner || p->fair.idle))
		choice.client = fair_first_ineligible(p);
	choice.verdict = fair_choose(p, now, busy, renewed, choice.client);
	if (choice.verdict != GSLOT_POLICY_GIVE)
		return choice;
	if (!reserved && choice.client == fair_first_eligible(p))
		choice.client = fair_prefer(p);
	if (p->fair.owner)
		fair_end_turn(p, now);
	fair_begin_turn(p, choice.client, now,
			reserved && gslot_before(p->fair.vtime, choice.client->fair.vtime));
	return choice;
}

/* Rounded up, and not zero. */
static u64 fair_until(u64 at, u64 now)
{
	return gslot_before(now, at) ? at - now : 1;
}

/* How long @virtual takes at weight @weight: never too short, and too long by a microsecond. */
static u64 fair_real_time(u64 virtual, u32 weight)
{
	return ((virtual >> 10) + 1) * weight / (1 << (GSLOT_FAIR_SHIFT - 10)) + 1;
}

/* When a bucket is empty if all of the time is taken out of it; 0: never. */
static u64 fair_drain_time(const struct gslot_bucket *b, u64 now)
{
	s64 level = gslot_bucket_level(b, now);

	if (b->rate == GSLOT_WHOLE)
		return 0;
	return level > 0 ? level * GSLOT_WHOLE / (GSLOT_WHOLE - b->rate) + 1 : 1;
}

/* When the owner may have to yield to a client that competes. */
static u64 fair_owner_timer(const struct gslot_policy *p, u64 now)
{
	const struct gslot_policy_client *owner = p->fair.owner;
	const struct gslot_sorted_entry *later = gslot_sorted_first(&p->fair.ineligible);
	u64 ns = 0, part = fair_until(p->since + gslot_fair_part(p), now);
	const struct gslot_policy_client *ready = fair_first_eligible(p);
	bool reserved = fair_first_reserved(p, now);

	if (owner->knobs.cap < GSLOT_WHOLE)
		ns = fair_drain_time(&owner->fair.cap, now);
	if (p->fair.extra)
		return gslot_sooner(ns, max(part, fair_drain_time(&owner->fair.reserve, now)));
	if (ready || later || reserved)
		ns = gslot_sooner(ns, fair_real_time(owner->fair.deadline - owner->fair.vtime,
						     owner->fair.weight));
	/* Until then only the end of the owner's reservation counts: fair_reserved_timer(). */
	if (reserved)
		return ns;
	if (ready && gslot_before(ready->fair.deadline, owner->fair.deadline))
		ns = gslot_sooner(ns, part);
	if (later)
		ns = gslot_sooner(ns, max(part, fair_real_time(later->key - p->fair.vtime,
							       p->fair.weight)));
	return ns;
}

/* When a client is to be served by its reservation, if the owner is not any more. */
static u64 fair_reserved_timer(const struct gslot_policy *p, u64 now)
{
	const struct gslot_sorted_entry *first = gslot_sorted_first(&p->fair.reserved);
	u64 ns;

	if (!first)
		return 0;
	ns = fair_until(first->key, now);
	if (!p->fair.owner || p->fair.idle)
		return ns;
	ns = max(ns, fair_until(p->since + gslot_fair_part(p), now));
	if (!fair_reservation_lasts(p, now))
		return ns;
	return p->fair.owner->fair.reserve.rate == GSLOT_WHOLE ? 0 :
	       max(ns, fair_drain_time(&p->fair.owner->fair.reserve, now));
}

static u64 fair_timer(const struct gslot_policy *p, u64 now)
{
	const struct gslot_sorted_entry *capped = gslot_sorted_first(&p->fair.capped);
	u64 ns = fair_reserved_timer(p, now);

	if (capped)
		ns = gslot_sooner(ns, fair_until(capped->key, now));
	return p->fair.owner && !p->fair.idle ? gslot_sooner(ns, fair_owner_timer(p, now)) : ns;
}

const struct gslot_policy_ops gslot_fair = {
	.name = "fair",
	.join = fair_join,
	.leave = fair_leave,
	.wake = fair_wake,
	.sleep = fair_sleep,
	.changed = fair_changed,
	.ran = fair_ran,
	.charge = fair_charge,
	.pick = fair_pick,
	.next = fair_next,
	.timer = fair_timer,
};
