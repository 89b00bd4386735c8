// SPDX-License-Identifier: GPL-2.0
/*
 * Debts of clients that do not yield when they are preempted: docs/scheduling.md, *vGPUs that do
 * not yield*.
 *
 * Debts of less than a quantum are paid before all others: else a client that was a moment late
 * would sit out behind clients that were late for seconds. The others get paid nevertheless, as a
 * client that had a quantum has paid more in that time than it then owes.
 *
 * An imported debt is unverified: no client here waited for it. So it keeps the client itself from
 * running: it is paid last, and no preempt timeout is shorter for it. What the client is charged
 * here is a debt like any other.
 */
#include "policy_priv.h"

/* How much a client was charged here. */
static u64 debt_own_ns(const struct gslot_policy_client *c)
{
	return c->debt.debt_ns - c->debt.imported_ns;
}

static bool debt_is_large(const struct gslot_policy *p, const struct gslot_policy_client *c)
{
	return debt_own_ns(c) >= p->quantum_ns;
}

/* Debts of less than a quantum come before larger ones, the oldest first; imported ones last. */
static bool debt_is_before(const struct gslot_policy *p, const struct gslot_policy_client *c,
			   const struct gslot_policy_client *other)
{
	if (!debt_own_ns(c) != !debt_own_ns(other))
		return debt_own_ns(c);
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

/*
 * The time until now pays debts. Time in which a debtor has the engine, unless it is idle and no
 * other client wants it, or in which a client does not yield, pays nothing.
 */
void gslot_debt_pay(struct gslot_policy *p, u64 now)
{
	u64 ns = now - p->debt.paid_until;

	p->debt.paid_until = now;
	if (p->leaving || (p->owner && p->owner->debt.debt_ns && !p->debt.idle))
		return;
	while (ns && p->debt.debtors) {
		struct gslot_policy_client *c = debt_first(p);
		u64 own = debt_own_ns(c), part = min(ns, own ?: c->debt.debt_ns);

		c->debt.debt_ns -= part;
		if (!own)
			c->debt.imported_ns -= part;
		p->debt.debtors -= !c->debt.debt_ns;
		ns -= part;
	}
}

/* Others waited for @ns for a client to yield. From a quantum on a quantum is added. */
void gslot_debt_charge(struct gslot_policy *p, struct gslot_policy_client *c, u64 now, u64 ns)
{
	u64 own = debt_own_ns(c);

	c->debt.was_reset = false;
	if (!ns)
		return;
	if (!own)
		c->debt.debtor_since = now;
	p->debt.debtors += !c->debt.debt_ns;
	own += ns < p->quantum_ns ? ns : ns + p->quantum_ns;
	own = min(own, GSLOT_DEBT_MAX_NS);
	/* If it owes the most that a client can, it is its own debt that counts. */
	c->debt.imported_ns = min(c->debt.imported_ns, GSLOT_DEBT_MAX_NS - own);
	c->debt.debt_ns = own + c->debt.imported_ns;
}

/*
 * The same for the policies of papers, which know no debts. Requests that are only long are left to
 * the policy: a client is charged if it was reset, or so late that many like it would make others
 * wait for seconds.
 */
void gslot_debt_charge_hog(struct gslot_policy *p, struct gslot_policy_client *c, u64 now, u64 ns)
{
	if (c->debt.was_reset || ns >= GSLOT_DEBT_HOG_QUANTA * p->quantum_ns)
		gslot_debt_charge(p, c, now, ns);
}

/**
 * gslot_policy_reset() - the engine was reset after a preempt timeout
 * @p: the run queue
 * @c: the client that did not yield; it is charged by the gslot_policy_off() that follows
 * @now: time, ns
 */
void gslot_policy_reset(struct gslot_policy *p, struct gslot_policy_client *c, u64 now)
{
	c->debt.resets_until = max(c->debt.resets_until, now) + GSLOT_DEBT_RESET_NS;
	p->debt.resets_until = max(p->debt.resets_until, c->debt.resets_until);
	c->debt.was_reset = true;
}

/**
 * gslot_policy_import_debt() - a client has debts from another host
 * @p: the run queue
 * @c: the client
 * @now: time, ns
 * @debt_ns: the least that it owes from now on, up to GSLOT_DEBT_MAX_NS
 * @resets_ns: the least time until its budget of resets is whole again, up to what it is after the
 *	reset that exceeds the budget: the client sits out for the time of one reset at most
 */
void gslot_policy_import_debt(struct gslot_policy *p, struct gslot_policy_client *c, u64 now,
			      u64 debt_ns, u64 resets_ns)
{
	const u64 most = (GSLOT_DEBT_RESETS + 1) * GSLOT_DEBT_RESET_NS;

	gslot_debt_pay(p, now);
	debt_ns = min(debt_ns, GSLOT_DEBT_MAX_NS);
	if (debt_ns > c->debt.debt_ns) {
		if (!c->debt.debt_ns) {
			c->debt.debtor_since = now;
			p->debt.debtors++;
		}
		c->debt.imported_ns += debt_ns - c->debt.debt_ns;
		c->debt.debt_ns = debt_ns;
	}
	c->debt.resets_until = max(c->debt.resets_until, now + min(resets_ns, most));
	p->debt.resets_until = max(p->debt.resets_until, c->debt.resets_until);
}

static bool debt_over_budget(u64 resets_until, u64 now)
{
	return resets_until > now + GSLOT_DEBT_RESETS * GSLOT_DEBT_RESET_NS;
}

/* Whether a client may have to sit out; false: no client has to be looked at. */
bool gslot_debt_any(const struct gslot_policy *p, u64 now)
{
	return p->debt.debtors || debt_over_budget(p->debt.resets_until, now);
}

/* Whether a client without debt has work, or has just had some: then debtors sit out. */
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

/* Whether a client may not have the engine, whatever work it has. */
bool gslot_debt_sits_out(const struct gslot_policy_client *c, u64 now, bool any_without)
{
	return (any_without && c->debt.debt_ns) || debt_over_budget(c->debt.resets_until, now);
}

/*
 * After how many ns to look again which clients sit out, as debts are paid, and grace ends, without
 * an event; 0: no client with work sits out.
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
 * gslot_policy_patience() - preempt timeout of the owner
 * @p: the run queue
 * @full_ns: if no other client owes anything
 *
 * It is shorter for each other client that was charged a quantum or more here: the timeouts of many
 * that do not yield, one after another for the first time, must not add up.
 *
 * Return: nanoseconds.
 */
u64 gslot_policy_patience(const struct gslot_policy *p, u64 full_ns)
{
	u32 i, debtors = 0;

	for (i = 0; i < p->count; i++)
		debtors += p->clients[i] != p->owner && debt_is_large(p, p->clients[i]);
	return full_ns / (min(debtors, 15u) + 1);
}
