// SPDX-License-Identifier: GPL-2.0
#include "debt.h"
#include "policy.h"

static bool debt_is_large(const struct gslot_policy *p, const struct gslot_policy_client *c)
{
	return c->debt.debt_ns >= p->quantum_ns;
}

/* Debts of less than a quantum are paid before larger ones, and of those the oldest first. */
static bool debt_is_before(const struct gslot_policy *p, const struct gslot_policy_client *c,
			   const struct gslot_policy_client *other)
{
	if (debt_is_large(p, c) != debt_is_large(p, other))
		return !debt_is_large(p, c);
	return c->debt.debtor_since < other->debt.debtor_since;
}

static struct gslot_policy_client *debt_first(const struct gslot_policy *p)
{
	struct gslot_policy_client *first = NULL;
	u32 i;

	for (i = 0; i < p->count; i++) {
		struct gslot_policy_client *c = p->clients[i];

		if (c->debt.debt_ns && (!first || debt_is_before(p, c, first)))
			first = c;
	}
	return first;
}

/**
 * gslot_debt_pay() - the time until now pays debts
 * @p: the run queue
 * @now: time, ns
 *
 * Time in which a debtor has the engine, or a client does not yield, pays nothing.
 */
void gslot_debt_pay(struct gslot_policy *p, u64 now)
{
	u64 ns = now - p->debt.paid_until;

	p->debt.paid_until = now;
	if (p->leaving || (p->owner && p->owner->debt.debt_ns && !p->debt.idle))
		return;
	while (ns && p->debt.debtors) {
		struct gslot_policy_client *c = debt_first(p);
		u64 part = min(ns, c->debt.debt_ns);

		c->debt.debt_ns -= part;
		p->debt.debtors -= !c->debt.debt_ns;
		ns -= part;
	}
}

/**
 * gslot_debt_wake() - a client has work; the @wake of policies
 * @p: the run queue
 * @c: the client; an owner without work let debts be paid until now
 * @now: time, ns
 */
void gslot_debt_wake(struct gslot_policy *p, struct gslot_policy_client *c, u64 now)
{
	if (c != p->owner)
		return;
	gslot_debt_pay(p, now);
	p->debt.idle = false;
}

/**
 * gslot_debt_ran() - the owner has had the engine until now; the @ran of policies
 * @p: the run queue
 * @c: the owner
 * @now: time, ns
 * @ns: for how long
 */
void gslot_debt_ran(struct gslot_policy *p, struct gslot_policy_client *c, u64 now, u64 ns)
{
	gslot_debt_pay(p, now);
}

/**
 * gslot_debt_sleep() - a client has no work any more; the @sleep of policies
 * @p: the run queue
 * @c: the client
 * @now: time, ns
 */
void gslot_debt_sleep(struct gslot_policy *p, struct gslot_policy_client *c, u64 now)
{
	c->debt.grace_until = now + GSLOT_DEBT_GRACE_NS;
}

/**
 * gslot_debt_charge() - charge a client for the time that others waited for it to yield
 * @p: the run queue
 * @c: the client
 * @now: time, ns
 * @ns: that time; from a quantum on a quantum is added
 */
void gslot_debt_charge(struct gslot_policy *p, struct gslot_policy_client *c, u64 now, u64 ns)
{
	c->debt.was_reset = false;
	if (!ns)
		return;
	if (!c->debt.debt_ns) {
		c->debt.debtor_since = now;
		p->debt.debtors++;
	}
	c->debt.debt_ns += ns < p->quantum_ns ? ns : ns + p->quantum_ns;
	c->debt.debt_ns = min(c->debt.debt_ns, GSLOT_DEBT_MAX_NS);
}

/**
 * gslot_debt_charge_hog() - the same for the policies of papers, which know no debts
 * @p: the run queue
 * @c: the client
 * @now: time, ns
 * @ns: that time
 *
 * Requests that are only long are left to the policy. A client is charged if it was reset, or so
 * late that many like it would make others wait for seconds.
 */
void gslot_debt_charge_hog(struct gslot_policy *p, struct gslot_policy_client *c, u64 now, u64 ns)
{
	if (c->debt.was_reset || ns >= GSLOT_DEBT_HOG_QUANTA * p->quantum_ns)
		gslot_debt_charge(p, c, now, ns);
}

/**
 * gslot_debt_reset() - the engine had to be reset for a client to yield; the charge follows
 * @p: the run queue
 * @c: the client
 * @now: time, ns
 */
void gslot_debt_reset(struct gslot_policy *p, struct gslot_policy_client *c, u64 now)
{
	c->debt.resets_until = max(c->debt.resets_until, now) + GSLOT_DEBT_RESET_NS;
	p->debt.resets_until = max(p->debt.resets_until, c->debt.resets_until);
	c->debt.was_reset = true;
}

/**
 * gslot_debt_leave() - a client leaves, and its debt is void; the @leave of policies
 * @p: the run queue
 * @c: the client
 * @now: time, ns
 */
void gslot_debt_leave(struct gslot_policy *p, struct gslot_policy_client *c, u64 now)
{
	p->debt.debtors -= !!c->debt.debt_ns;
}

static bool debt_over_budget(u64 resets_until, u64 now)
{
	return resets_until > now + GSLOT_DEBT_RESETS * GSLOT_DEBT_RESET_NS;
}

/**
 * gslot_debt_any() - may any client have to sit out?
 * @p: the run queue
 * @now: time, ns
 *
 * Return: false if not: there is nothing to be looked at.
 */
bool gslot_debt_any(const struct gslot_policy *p, u64 now)
{
	return p->debt.debtors || debt_over_budget(p->debt.resets_until, now);
}

/**
 * gslot_debt_any_without() - has a client without debt work, or has it just had some?
 * @p: the run queue
 * @now: time, ns
 *
 * Return: true if so: debtors sit out.
 */
bool gslot_debt_any_without(const struct gslot_policy *p, u64 now)
{
	u32 i;

	for (i = 0; i < p->count; i++) {
		const struct gslot_policy_client *c = p->clients[i];

		if (!c->debt.debt_ns && (c->awake || now < c->debt.grace_until))
			return true;
	}
	return false;
}

/**
 * gslot_debt_sits_out() - may a client not have the engine, whatever work it has?
 * @c: the client
 * @now: time, ns
 * @any_without: gslot_debt_any_without()
 *
 * Return: true if so.
 */
bool gslot_debt_sits_out(const struct gslot_policy_client *c, u64 now, bool any_without)
{
	return (any_without && c->debt.debt_ns) || debt_over_budget(c->debt.resets_until, now);
}

/**
 * gslot_debt_timer() - when to look again which clients sit out?
 * @p: the run queue
 * @now: time, ns
 *
 * Debts are paid, and grace ends, without an event.
 *
 * Return: after how many nanoseconds; 0: no client with work sits out.
 */
u64 gslot_debt_timer(const struct gslot_policy *p, u64 now)
{
	bool any_without;
	u32 i;

	if (!gslot_debt_any(p, now))
		return 0;
	any_without = gslot_debt_any_without(p, now);
	for (i = 0; i < p->count; i++) {
		const struct gslot_policy_client *c = p->clients[i];

		if (c != p->owner && c->awake && gslot_debt_sits_out(c, now, any_without))
			return p->quantum_ns;
	}
	return 0;
}

/**
 * gslot_debt_sooner() - the sooner one of a policy's timer and that of debts
 * @p: the run queue
 * @now: time, ns
 * @ns: the policy's timer; 0: none
 *
 * Return: after how many nanoseconds; 0: neither.
 */
u64 gslot_debt_sooner(const struct gslot_policy *p, u64 now, u64 ns)
{
	u64 debt = gslot_debt_timer(p, now);

	return ns && debt ? min(ns, debt) : ns + debt;
}

/**
 * gslot_debt_patience() - preempt timeout of the owner
 * @p: the run queue
 * @full_ns: if no other client owes anything
 *
 * It is shorter for each other client that owes a quantum or more: the timeouts of many that do not
 * yield, one after another for the first time, must not add up.
 *
 * Return: nanoseconds.
 */
u64 gslot_debt_patience(const struct gslot_policy *p, u64 full_ns)
{
	u32 i, debtors = 0;

	for (i = 0; i < p->count; i++)
		debtors += p->clients[i] != p->owner && debt_is_large(p, p->clients[i]);
	return full_ns / (min(debtors, 15u) + 1);
}
