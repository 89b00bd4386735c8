// SPDX-License-Identifier: GPL-2.0
#include "policy.h"

static bool owes_much(const struct gslot_policy *p, const struct gslot_policy_client *c)
{
	return c->debt.debt_ns >= p->quantum_ns;
}

/* Who owes less than a quantum is paid before who owes more, and of those who owes longest. */
static bool is_first(const struct gslot_policy *p, const struct gslot_policy_client *c,
		     const struct gslot_policy_client *other)
{
	if (owes_much(p, c) != owes_much(p, other))
		return !owes_much(p, c);
	return c->debt.debtor_since < other->debt.debtor_since;
}

static struct gslot_policy_client *first_debtor(const struct gslot_policy *p)
{
	struct gslot_policy_client *first = NULL;
	u32 i;

	for (i = 0; i < p->count; i++) {
		struct gslot_policy_client *c = p->clients[i];

		if (c->debt.debt_ns && (!first || is_first(p, c, first)))
			first = c;
	}
	return first;
}

/**
 * gslot_debt_pay() - the time until now pays debts
 * @p: what is shared
 * @now: time, ns
 *
 * Time in which a debtor has it, or somebody does not let go of it, pays nothing.
 */
void gslot_debt_pay(struct gslot_policy *p, u64 now)
{
	u64 ns = now - p->debt.paid_until;

	p->debt.paid_until = now;
	if (p->leaving || (p->owner && p->owner->debt.debt_ns && !p->debt.idle))
		return;
	while (ns && p->debt.debtors) {
		struct gslot_policy_client *c = first_debtor(p);
		u64 part = min(ns, c->debt.debt_ns);

		c->debt.debt_ns -= part;
		p->debt.debtors -= !c->debt.debt_ns;
		ns -= part;
	}
}

/**
 * gslot_debt_slept() - a client has no work any more
 * @c: the client
 * @now: time, ns
 */
void gslot_debt_slept(struct gslot_policy_client *c, u64 now)
{
	c->debt.eager_until = now + GSLOT_DEBT_GRACE_NS;
}

/**
 * gslot_debt_charge() - others have waited for a client to let go
 * @p: what is shared
 * @c: the client
 * @now: time, ns
 * @ns: for so long
 *
 * Who overruns by a quantum or more owes the quantum as well.
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
 * gslot_debt_charge_hog() - the same, by the policy of a paper, which knows no debts
 * @p: what is shared
 * @c: the client
 * @now: time, ns
 * @ns: for so long
 *
 * What requests overrun by that are only long is left to the policy. A client that was reset, or
 * yields so late that many of them would make others wait for seconds, is charged.
 */
void gslot_debt_charge_hog(struct gslot_policy *p, struct gslot_policy_client *c, u64 now, u64 ns)
{
	if (c->debt.was_reset || ns >= GSLOT_DEBT_HOG_QUANTA * p->quantum_ns)
		gslot_debt_charge(p, c, now, ns);
}

/**
 * gslot_debt_reset() - what is shared had to be reset for a client to let go; the charge follows
 * @p: what is shared
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
 * gslot_debt_leave() - a client goes, and what it owes is nobody's
 * @p: what is shared
 * @c: the client
 */
void gslot_debt_leave(struct gslot_policy *p, const struct gslot_policy_client *c)
{
	p->debt.debtors -= !!c->debt.debt_ns;
}

/* More resets than one may need. */
static bool over_budget(u64 resets_until, u64 now)
{
	return resets_until > now + GSLOT_DEBT_RESETS * GSLOT_DEBT_RESET_NS;
}

/**
 * gslot_debt_any() - may anybody have to sit out?
 * @p: what is shared
 * @now: time, ns
 *
 * Return: false if not: there is nothing to be looked at.
 */
bool gslot_debt_any(const struct gslot_policy *p, u64 now)
{
	return p->debt.debtors || over_budget(p->debt.resets_until, now);
}

/**
 * gslot_debt_any_without() - has anybody work, or had some just now, who owes nothing?
 * @p: what is shared
 * @now: time, ns
 *
 * Return: true if so: debtors sit out.
 */
bool gslot_debt_any_without(const struct gslot_policy *p, u64 now)
{
	u32 i;

	for (i = 0; i < p->count; i++) {
		const struct gslot_policy_client *c = p->clients[i];

		if (!c->debt.debt_ns && (c->awake || now < c->debt.eager_until))
			return true;
	}
	return false;
}

/**
 * gslot_debt_sits_out() - is a client not to have what is shared, whatever work it has?
 * @c: the client
 * @now: time, ns
 * @any_without: what gslot_debt_any_without() says
 *
 * Return: true if so.
 */
bool gslot_debt_sits_out(const struct gslot_policy_client *c, u64 now, bool any_without)
{
	return (any_without && c->debt.debt_ns) || over_budget(c->debt.resets_until, now);
}

/**
 * gslot_debt_timer() - when to look again who sits out?
 * @p: what is shared
 * @now: time, ns
 *
 * Debts get paid, and grace ends, without anybody saying so.
 *
 * Return: after how many nanoseconds; 0: nobody sits out that has work.
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
 * gslot_debt_sooner() - a policy's timer, and that of debts
 * @p: what is shared
 * @now: time, ns
 * @ns: after how many nanoseconds the policy is to be asked; 0: it need not
 *
 * Return: the sooner one of both; 0: neither.
 */
u64 gslot_debt_sooner(const struct gslot_policy *p, u64 now, u64 ns)
{
	u64 debt = gslot_debt_timer(p, now);

	return ns && debt ? min(ns, debt) : ns + debt;
}

/**
 * gslot_debt_patience() - how long may the owner take to be off?
 * @p: what is shared
 * @full_ns: if nobody owes anything
 *
 * Less for each other one that owes a quantum or more: many that do not yield, one after another
 * for the first time, must not add up.
 *
 * Return: nanoseconds.
 */
u64 gslot_debt_patience(const struct gslot_policy *p, u64 full_ns)
{
	u32 i, debtors = 0;

	for (i = 0; i < p->count; i++)
		debtors += p->clients[i] != p->owner && owes_much(p, p->clients[i]);
	return full_ns / (min(debtors, 15u) + 1);
}
