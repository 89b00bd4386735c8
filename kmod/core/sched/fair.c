// SPDX-License-Identifier: GPL-2.0
#include "fair_priv.h"

static u64 within(u64 ns, u64 least, u64 most)
{
	return min(max(ns, least), most);
}

/* What a client has, and is, changed: it is put where it belongs. */
static void update(struct gslot_policy *p, struct gslot_policy_client *c, u64 now)
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

static bool used_up(struct gslot_policy *p, struct gslot_policy_client *c, u64 now)
{
	if (!gslot_fair_has_cap(c))
		return false;
	gslot_fair_limit(p, c, now);
	return gslot_bucket_level(&c->fair.cap, now) <= 0;
}

static void hold_back(struct gslot_policy *p, struct gslot_policy_client *c)
{
	c->fair.capped = true;
	c->fair.release_at = c->fair.cap.empty_at +
			     gslot_bucket_fill_time(&c->fair.cap, gslot_fair_part(p));
	gslot_sorted_insert(&p->fair.capped, c, c->fair.release_at);
}

static void release(struct gslot_policy *p, struct gslot_policy_client *c)
{
	gslot_sorted_remove(&p->fair.capped, c, c->fair.release_at);
	c->fair.capped = false;
}

/* The owner's request is served: there is another one. It is longer, as it does not sleep. */
static bool renew(const struct gslot_policy *p, struct gslot_policy_client *owner)
{
	if (gslot_before(owner->fair.served, owner->fair.deadline))
		return false;
	owner->fair.request_ns = within(2 * owner->fair.request_ns, gslot_fair_part(p),
					gslot_fair_quantum(p, owner));
	owner->fair.deadline = owner->fair.served +
			       gslot_fair_virtual(owner->fair.request_ns, owner->fair.weight);
	return true;
}

/* The owner has it no more. */
static void let_go(struct gslot_policy *p, u64 now)
{
	struct gslot_policy_client *c = p->fair.owner;

	/* If it had it for longer than it asked for, that was more than one request. */
	renew(p, c);
	p->fair.owner = NULL;
	p->fair.idle = false;
	c->fair.least_lag_ns = min(c->fair.least_lag_ns, gslot_fair_lag_ns(p, c));
	if (used_up(p, c, now))
		hold_back(p, c);
	update(p, c, now);
}

static void begin(struct gslot_policy *p, struct gslot_policy_client *c, u64 now, bool apart)
{
	p->fair.owner = c;
	p->fair.idle = false;
	p->fair.apart = apart;
	c->fair.most_lag_ns = max(c->fair.most_lag_ns, gslot_fair_lag_ns(p, c));
	update(p, c, now);
}

/* Time has gone by: who has some of its cap again, and who need not sit out, competes. */
static void look(struct gslot_policy *p, u64 now)
{
	const struct gslot_sorted_entry *first;
	bool any_without;
	u32 i;

	gslot_debt_pay(p, now);
	gslot_fair_advance(p, now);
	while ((first = gslot_sorted_first(&p->fair.capped)) && !gslot_before(now, first->key)) {
		struct gslot_policy_client *c = first->client;

		release(p, c);
		update(p, c, now);
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
		update(p, c, now);
	}
}

static void fair_join(struct gslot_policy *p, struct gslot_policy_client *c, u64 now)
{
	gslot_fair_advance(p, now);
	c->fair.weight = c->knobs.weight;
	c->fair.request_ns = gslot_fair_quantum(p, c);
	gslot_bucket_set(&c->fair.cap, now, c->knobs.cap, gslot_fair_burst(p, c));
	if (c->knobs.reserve)
		gslot_bucket_set(&c->fair.reserve, now, c->knobs.reserve, 0);
}

static void fair_leave(struct gslot_policy *p, struct gslot_policy_client *c, u64 now)
{
	gslot_debt_leave(p, c);
	gslot_fair_advance(p, now);
	if (c->fair.capped)
		release(p, c);
	gslot_fair_forget(p, c);
}

/* It asks for no more than it would be served in some quanta, or it would be due much later. */
static void ask_for_less(const struct gslot_policy *p, struct gslot_policy_client *c)
{
	u32 weight = p->fair.weight + (c->fair.member ? 0 : c->fair.weight);
	u64 most = GSLOT_FAIR_WAKE_QUANTA * p->quantum_ns * c->fair.weight / weight;

	c->fair.request_ns = min(c->fair.request_ns, max(most, gslot_fair_part(p)));
	c->fair.deadline = c->fair.served +
			   gslot_fair_virtual(c->fair.request_ns, c->fair.weight);
}

static void fair_wake(struct gslot_policy *p, struct gslot_policy_client *c, u64 now)
{
	look(p, now);
	if (c == p->fair.owner) {
		p->fair.idle = false;
		p->debt.idle = false;
	} else {
		ask_for_less(p, c);
	}
	c->fair.wants = true;
	update(p, c, now);
}

/* Its next requests are about as long as what it has needed. */
static void fair_sleep(struct gslot_policy *p, struct gslot_policy_client *c, u64 now)
{
	look(p, now);
	gslot_debt_slept(c, now);
	c->fair.wants = false;
	c->fair.most_lag_ns = max(c->fair.most_lag_ns, gslot_fair_lag_ns(p, c));
	c->fair.request_ns = within((c->fair.request_ns + c->fair.burst_ns) / 2,
				    gslot_fair_part(p), gslot_fair_quantum(p, c));
	c->fair.burst_ns = 0;
	update(p, c, now);
}

/* What is left of its cap, and its reservation, is left. */
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
	if (old->cap < GSLOT_POLICY_ALWAYS)
		level = min(level, gslot_bucket_level(&c->fair.cap, now));
	gslot_bucket_set(&c->fair.cap, now, c->knobs.cap, level);
	if (c->fair.capped) {
		release(p, c);
		if (used_up(p, c, now))
			hold_back(p, c);
	}
	if (c->fair.weight != c->knobs.weight)
		gslot_fair_set_weight(p, c, c->knobs.weight);
	update(p, c, now);
}

static void fair_ran(struct gslot_policy *p, struct gslot_policy_client *c, u64 now, u64 ns)
{
	gslot_debt_pay(p, now);
	gslot_fair_advance(p, now);
	if (c == p->fair.owner)
		let_go(p, now);
}

/*
 * What it had it pays for by its lag. That is all for work that cannot be interrupted for a while,
 * or who has it would be worse off by chance; but not for what takes so long that it had better not
 * begin while others may want the GPU.
 */
static void fair_charge(struct gslot_policy *p, struct gslot_policy_client *c, u64 now, u64 ns)
{
	p->fair.stretch_ns = max(p->fair.stretch_ns, ns);
	/* Apart it is not ahead by that. */
	if (!p->fair.apart)
		c->fair.overrun_ns += ns;
	if (ns >= GSLOT_FAIR_QUANTA * p->quantum_ns)
		gslot_debt_charge(p, c, now, ns);
}

static struct gslot_policy_client *first_reserved(const struct gslot_policy *p, u64 now)
{
	const struct gslot_sorted_entry *first = gslot_sorted_first(&p->fair.reserved);

	return first && !gslot_before(now, first->key) ? first->client : NULL;
}

static struct gslot_policy_client *first_ready(const struct gslot_policy *p)
{
	const struct gslot_sorted_entry *first = gslot_sorted_first(&p->fair.ready);

	return first ? first->client : NULL;
}

/*
 * The same, or one for which nothing has to be copied if the first can wait for it. Until that one
 * would have been due no other one is: all who wait, wait for one such request at most.
 */
static struct gslot_policy_client *preferred(const struct gslot_policy *p)
{
	const struct gslot_sorted *ready = &p->fair.ready;
	u32 i, n = min(ready->count, GSLOT_FAIR_LOOK);

	if (!n || !ready->entry[0].client->load.to_copy ||
	    gslot_before(p->fair.now, p->fair.preferred_until))
		return first_ready(p);
	for (i = 1; i < n; i++) {
		struct gslot_policy_client *c = ready->entry[i].client;
		u64 end = p->fair.now + gslot_fair_virtual(gslot_fair_quantum(p, c),
							   p->fair.weight);

		if (!c->load.to_copy && !gslot_before(ready->entry[0].key, end))
			return c;
	}
	return first_ready(p);
}

static struct gslot_policy_client *prefer(struct gslot_policy *p)
{
	struct gslot_policy_client *c = preferred(p);

	if (c != first_ready(p))
		p->fair.preferred_until = c->fair.deadline;
	return c;
}

/* Nobody is eligible: what division left can make it so, if all have a lag of next to zero. */
static struct gslot_policy_client *first_later(const struct gslot_policy *p)
{
	u32 i;

	for (i = 0; i < p->fair.later.count; i++)
		if (gslot_fair_competes(p->fair.later.entry[i].client))
			return p->fair.later.entry[i].client;
	return NULL;
}

static struct gslot_policy_client *fair_next(const struct gslot_policy *p, u64 now)
{
	struct gslot_policy_client *c = first_reserved(p, now);

	if (!c)
		c = preferred(p);
	return c ? c : first_later(p);
}

/* Is what its owner has by its reservation not at an end? */
static bool reservation_lasts(const struct gslot_policy *p, u64 now)
{
	const struct gslot_policy_client *owner = p->fair.owner;

	return owner->fair.reserve.rate && gslot_bucket_level(&owner->fair.reserve, now) > 0;
}

static bool is_ahead(const struct gslot_policy *p, const struct gslot_policy_client *c)
{
	return gslot_before(p->fair.now, c->fair.served);
}

/* Does the owner, which has work, give way to @next? */
static bool gives_way(const struct gslot_policy *p, u64 now, bool renewed,
		      const struct gslot_policy_client *next)
{
	const struct gslot_policy_client *owner = p->fair.owner;
	bool reserved = first_reserved(p, now) == next;

	if (!renewed && now - p->since < gslot_fair_part(p))
		return false;
	if (reserved || p->fair.apart)
		return !reservation_lasts(p, now);
	if (renewed && is_ahead(p, owner))
		return true;
	return gslot_before(next->fair.deadline, owner->fair.deadline);
}

/*
 * Does the owner give it to @next? One that has a reservation goes on by it when its request is
 * served; as it is ahead that is apart, and what it is served apart ends with its reservation.
 */
static bool is_over(struct gslot_policy *p, u64 now, bool renewed,
		    const struct gslot_policy_client *next)
{
	bool over = gives_way(p, now, renewed, next);

	if (!over && renewed && is_ahead(p, p->fair.owner))
		p->fair.apart = true;
	return over;
}

static enum gslot_policy_verdict choose(struct gslot_policy *p, u64 now, bool busy, bool renewed,
					const struct gslot_policy_client *next)
{
	struct gslot_policy_client *owner = p->fair.owner;

	if (!owner || p->fair.idle)
		return next ? GSLOT_POLICY_GIVE : GSLOT_POLICY_KEEP;
	if (!next && !reservation_lasts(p, now))
		p->fair.apart = false;
	if (!owner->fair.barred && !used_up(p, owner, now) &&
	    !(next && is_over(p, now, renewed, next)))
		return GSLOT_POLICY_KEEP;
	/* With nobody left, what is shared is idle. */
	return busy || !next ? GSLOT_POLICY_PREEMPT : GSLOT_POLICY_GIVE;
}

/* An owner without work keeps it until somebody wants it. */
static void look_at_owner(struct gslot_policy *p, u64 now, bool busy)
{
	struct gslot_policy_client *owner = p->fair.owner;
	bool idle = owner && !busy && !owner->fair.wants;

	if (p->fair.idle == idle)
		return;
	p->fair.idle = idle;
	update(p, owner, now);
}

static struct gslot_policy_choice fair_pick(struct gslot_policy *p, u64 now, bool busy)
{
	struct gslot_policy_choice choice;
	bool reserved, renewed;

	look(p, now);
	look_at_owner(p, now, busy);
	renewed = p->fair.owner && !p->fair.idle && renew(p, p->fair.owner);
	gslot_fair_pass_on(p);
	choice.client = first_reserved(p, now);
	reserved = choice.client;
	if (!reserved)
		choice.client = first_ready(p);
	if (!choice.client && (!p->fair.owner || p->fair.idle))
		choice.client = first_later(p);
	choice.verdict = choose(p, now, busy, renewed, choice.client);
	p->debt.idle = p->fair.idle && choice.verdict == GSLOT_POLICY_KEEP;
	if (choice.verdict != GSLOT_POLICY_GIVE)
		return choice;
	if (!reserved && choice.client == first_ready(p))
		choice.client = prefer(p);
	if (p->fair.owner)
		let_go(p, now);
	begin(p, choice.client, now,
	      reserved && gslot_before(p->fair.now, choice.client->fair.served));
	return choice;
}

static u64 sooner(u64 ns, u64 other)
{
	return !ns || (other && other < ns) ? other : ns;
}

/* After so long, rounded up, or at once. */
static u64 until(u64 at, u64 now)
{
	return gslot_before(now, at) ? at - now : 1;
}

/* When so much virtual time of @weight has gone by; never early, and late by a microsecond. */
static u64 real_time(u64 virtual, u32 weight)
{
	return ((virtual >> 10) + 1) * weight / (1 << (GSLOT_FAIR_SHIFT - 10)) + 1;
}

/* When is a bucket empty if what is taken out of it is all of the time? 0: never. */
static u64 drain_time(const struct gslot_bucket *b, u64 now)
{
	s64 level = gslot_bucket_level(b, now);

	if (b->rate == 1000)
		return 0;
	return level > 0 ? level * 1000 / (1000 - b->rate) + 1 : 1;
}

/* When may the owner have to give way to somebody who competes? */
static u64 owner_timer(const struct gslot_policy *p, u64 now)
{
	const struct gslot_policy_client *owner = p->fair.owner;
	const struct gslot_sorted_entry *later = gslot_sorted_first(&p->fair.later);
	u64 ns = 0, part = until(p->since + gslot_fair_part(p), now);
	const struct gslot_policy_client *ready = first_ready(p);
	bool reserved = first_reserved(p, now);

	if (gslot_fair_has_cap(owner))
		ns = drain_time(&owner->fair.cap, now);
	if (p->fair.apart)
		return sooner(ns, max(part, drain_time(&owner->fair.reserve, now)));
	if (ready || later || reserved)
		ns = sooner(ns, real_time(owner->fair.deadline - owner->fair.served,
					  owner->fair.weight));
	/* Before that is_over() asks for nothing but the owner's reservation: reserved_timer(). */
	if (reserved)
		return ns;
	if (ready && gslot_before(ready->fair.deadline, owner->fair.deadline))
		ns = sooner(ns, part);
	if (later)
		ns = sooner(ns, max(part, real_time(later->key - p->fair.now, p->fair.weight)));
	return ns;
}

/* When is somebody to be given it by its reservation, if nobody else is any more by his? */
static u64 reserved_timer(const struct gslot_policy *p, u64 now)
{
	const struct gslot_sorted_entry *first = gslot_sorted_first(&p->fair.reserved);
	u64 ns;

	if (!first)
		return 0;
	ns = until(first->key, now);
	if (!p->fair.owner || p->fair.idle)
		return ns;
	ns = max(ns, until(p->since + gslot_fair_part(p), now));
	if (!reservation_lasts(p, now))
		return ns;
	return p->fair.owner->fair.reserve.rate == 1000 ? 0 :
	       max(ns, drain_time(&p->fair.owner->fair.reserve, now));
}

static u64 fair_timer(const struct gslot_policy *p, u64 now)
{
	const struct gslot_sorted_entry *capped = gslot_sorted_first(&p->fair.capped);
	u64 ns = sooner(gslot_debt_timer(p, now), reserved_timer(p, now));

	if (capped)
		ns = sooner(ns, until(capped->key, now));
	return p->fair.owner && !p->fair.idle ? sooner(ns, owner_timer(p, now)) : ns;
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
	.reset = gslot_debt_reset,
	.pick = fair_pick,
	.next = fair_next,
	.timer = fair_timer,
	.patience = gslot_debt_patience,
};
