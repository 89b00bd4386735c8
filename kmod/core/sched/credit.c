// SPDX-License-Identifier: GPL-2.0
#include "policy.h"

/**
 * gslot_credit_exp() - e to the power of a fraction
 * @x: the fraction, 0 .. GSLOT_CREDIT_EXP_ONE, which is 1
 *
 * The series of e^x to its 13th term, each of them cut off behind 32 bits: what is left out of the
 * series is less than 2^-32, and what is cut off, 17 * 2^-32 in all.
 *
 * Return: e^x with GSLOT_CREDIT_EXP_BITS fractional bits; too small by less than 2^-19.
 */
u32 gslot_credit_exp(u32 x)
{
	u64 term = 1ull << 32, sum = 0;
	u32 k;

	for (k = 1; k <= 14; k++) {
		sum += term;
		term = term * x / ((u64)GSLOT_CREDIT_EXP_ONE * k);
	}
	return sum >> (32 - GSLOT_CREDIT_EXP_BITS);
}

static u64 queued(const struct gslot_policy_client *c)
{
	return (u64)min(c->load.queued, GSLOT_CREDIT_MAX_QUEUED) << GSLOT_CREDIT_EXP_BITS;
}

/* e^(BW_i * MSIZE_i) + NUM_i. More than the whole is the whole. */
static u64 numerator(const struct gslot_policy_client *c)
{
	u32 bandwidth = min(c->load.bandwidth, 1000u), memory = min(c->load.memory, 1000u);

	return gslot_credit_exp(bandwidth * memory) + queued(c);
}

/* e^(BW * MSIZE) + the sum of NUM_j */
static u64 denominator(const struct gslot_policy *p)
{
	u64 sum = gslot_credit_exp(GSLOT_CREDIT_EXP_ONE);
	u32 i;

	for (i = 0; i < p->count; i++)
		sum += queued(p->clients[i]);
	return sum;
}

/*
 * Equation 2, times the weight relative to the mean. With 80 clients of the longest queue and the
 * largest weight what is above is less than 2^62, and what is below less than 2^58.
 */
static void give_credit(const struct gslot_policy *p, struct gslot_policy_client *c)
{
	u64 weights = 0, credit;
	u32 i;

	for (i = 0; i < p->count; i++)
		weights += p->clients[i]->knobs.weight;
	credit = numerator(c) * GSLOT_CREDIT_TOTAL * c->knobs.weight * p->count /
		 (denominator(p) * weights);
	c->credit.credit2 = credit ? credit : 1;
	c->credit.credit1 = c->credit.credit2;
}

static void give_credits(struct gslot_policy *p, u64 now)
{
	u32 i;

	for (i = 0; i < p->count; i++)
		give_credit(p, p->clients[i]);
	p->credit.given_at = now;
}

/* Blocks that were dispatched and not paid for. */
static u64 unpaid(const struct gslot_policy_client *c)
{
	return c->load.dispatched - min(c->load.dispatched, c->credit.dispatched);
}

static u32 credit_left(const struct gslot_policy_client *c)
{
	u64 blocks = unpaid(c);

	return blocks < c->credit.credit1 ? c->credit.credit1 - (u32)blocks : 0;
}

static void pay(struct gslot_policy *p)
{
	u32 i;

	for (i = 0; i < p->count; i++) {
		struct gslot_policy_client *c = p->clients[i];

		c->credit.credit1 = credit_left(c);
		c->credit.dispatched = c->load.dispatched;
	}
}

/*
 * Are credits to be given out? @gone is looked at as if it were asleep, and what is shared is
 * idle but for those who can run.
 */
static bool credits_due(const struct gslot_policy *p, u64 now, bool busy,
			const struct gslot_policy_client *gone)
{
	bool any_credit = false, any_waits = false, any_runs = false;
	bool any_without = gslot_debt_any_without(p, now);
	u32 i;

	for (i = 0; i < p->count; i++) {
		const struct gslot_policy_client *c = p->clients[i];
		bool credit = credit_left(c), awake = c->awake && c != gone &&
						      !gslot_debt_sits_out(c, now, any_without);

		any_credit |= credit;
		any_waits |= awake && !credit;
		any_runs |= awake && credit;
	}
	return !any_credit || now - p->credit.given_at >= GSLOT_CREDIT_INTERVAL_NS ||
	       (any_waits && !any_runs && !busy);
}

/* CPU time that its worker has spent in this round. */
static u64 spending(const struct gslot_policy_client *c)
{
	return c->load.cpu_ns - min(c->load.cpu_ns, c->credit.cpu_ns);
}

/*
 * Of those that have work, and have credit or are given it, and had no turn in this round, the
 * one that has spent the most CPU time in the round before; of all those in the round to come if
 * there is none.
 */
static struct gslot_policy_client *choose(const struct gslot_policy *p, u64 time, bool credits,
					  const struct gslot_policy_client *gone)
{
	bool any_without = gslot_debt_any_without(p, time);
	struct gslot_policy_client *now = NULL, *later = NULL;
	u32 i;

	for (i = 0; i < p->count; i++) {
		struct gslot_policy_client *c = p->clients[i];

		if (!c->awake || c == gone || !(credits || credit_left(c)) ||
		    gslot_debt_sits_out(c, time, any_without))
			continue;
		if (!c->credit.served && (!now || c->credit.spent_ns > now->credit.spent_ns))
			now = c;
		if (!later || spending(c) > spending(later))
			later = c;
	}
	return now ? now : later;
}

/* cpu_i / cpu_1 * 16 ms; if nobody has spent any, all are alike. */
static u64 slice(u64 spent, u64 most)
{
	u64 ns = GSLOT_CREDIT_SLICE_NS;

	/* So that the product has room. */
	while (most >> 32) {
		most >>= 1;
		spent >>= 1;
	}
	if (most)
		ns = ns * spent / most;
	return max(ns, GSLOT_CREDIT_MIN_SLICE_NS);
}

static void begin_round(struct gslot_policy *p)
{
	u64 most = 0;
	u32 i;

	for (i = 0; i < p->count; i++)
		most = max(most, spending(p->clients[i]));
	for (i = 0; i < p->count; i++) {
		struct gslot_policy_client *c = p->clients[i];

		c->credit.spent_ns = spending(c);
		c->credit.cpu_ns = c->load.cpu_ns;
		c->credit.slice_ns = slice(c->credit.spent_ns, most);
		c->credit.served = false;
	}
}

static void begin_turn(struct gslot_policy *p, struct gslot_policy_client *c, u64 now)
{
	/* All that can run have had theirs. */
	if (c->credit.served)
		begin_round(p);
	c->credit.served = true;
	p->credit.turn_since = now;
	p->credit.turn_dispatched = c->load.dispatched;
}

/* What it took to give it to the owner is not of its slice. */
static u64 turn_ends(const struct gslot_policy *p)
{
	return max(p->credit.turn_since, p->since) + p->owner->credit.slice_ns;
}

static u32 credit_blocks(const struct gslot_policy *p)
{
	const struct gslot_policy_client *c = p->owner;
	u64 dispatched = c->load.dispatched - min(c->load.dispatched, p->credit.turn_dispatched);

	if (dispatched >= GSLOT_CREDIT_BLOCKS)
		return 0;
	return min(GSLOT_CREDIT_BLOCKS - (u32)dispatched, credit_left(c));
}

static bool turn_over(const struct gslot_policy *p, u64 now)
{
	return !credit_blocks(p) || now >= turn_ends(p);
}

static void credit_join(struct gslot_policy *p, struct gslot_policy_client *c, u64 now)
{
	if (p->count == 1)
		p->credit.given_at = now;
	c->credit.dispatched = c->load.dispatched;
	c->credit.cpu_ns = c->load.cpu_ns;
	c->credit.slice_ns = GSLOT_CREDIT_MIN_SLICE_NS;
	give_credit(p, c);
}

static void credit_leave(struct gslot_policy *p, struct gslot_policy_client *c, u64 now)
{
	gslot_debt_leave(p, c);
}

/* An owner that had nothing to do has some again. */
static void credit_wake(struct gslot_policy *p, struct gslot_policy_client *c, u64 now)
{
	if (c != p->owner)
		return;
	gslot_debt_pay(p, now);
	p->debt.idle = false;
}

static void credit_sleep(struct gslot_policy *p, struct gslot_policy_client *c, u64 now)
{
	gslot_debt_slept(c, now);
}

static void credit_ran(struct gslot_policy *p, struct gslot_policy_client *c, u64 now, u64 ns)
{
	gslot_debt_pay(p, now);
}

/* The owner's turn goes on, or another one of it begins, or somebody else's. */
static struct gslot_policy_choice pick(struct gslot_policy *p, u64 now, bool busy)
{
	struct gslot_policy_choice choice = { GSLOT_POLICY_KEEP, NULL };
	const struct gslot_policy_client *owner = p->owner;

	pay(p);
	if (credits_due(p, now, busy, NULL))
		give_credits(p, now);
	if (owner && (busy || owner->awake) && !turn_over(p, now))
		return choice;
	choice.client = choose(p, now, false, NULL);
	if (!choice.client)
		return choice;
	if (choice.client == owner) {
		begin_turn(p, choice.client, now);
	} else if (!busy) {
		choice.verdict = GSLOT_POLICY_GIVE;
		begin_turn(p, choice.client, now);
	} else if (now >= turn_ends(p)) {
		choice.verdict = GSLOT_POLICY_PREEMPT;
	}
	return choice;
}

static struct gslot_policy_choice credit_pick(struct gslot_policy *p, u64 now, bool busy)
{
	struct gslot_policy_choice choice;

	gslot_debt_pay(p, now);
	choice = pick(p, now, busy);
	p->debt.idle = choice.verdict == GSLOT_POLICY_KEEP && p->owner && !busy && !p->owner->awake;
	return choice;
}

static struct gslot_policy_client *credit_next(const struct gslot_policy *p, u64 now)
{
	return choose(p, now, credits_due(p, now, false, p->owner), p->owner);
}

/* The end of the owner's slice if another waits for it; the interval if one has no credit. */
static u64 credit_timer(const struct gslot_policy *p, u64 now)
{
	u64 until = p->credit.given_at + GSLOT_CREDIT_INTERVAL_NS;
	bool waits = false;
	u32 i;

	for (i = 0; i < p->count; i++)
		waits |= p->clients[i]->awake && !credit_left(p->clients[i]);
	if (p->owner && choose(p, now, false, p->owner)) {
		until = waits ? min(until, turn_ends(p)) : turn_ends(p);
		waits = true;
	}
	if (!waits)
		return gslot_debt_timer(p, now);
	return gslot_debt_sooner(p, now, until > now ? until - now : 1);
}

const struct gslot_policy_ops gslot_credit = {
	.name = "credit",
	.join = credit_join,
	.leave = credit_leave,
	.wake = credit_wake,
	.sleep = credit_sleep,
	.ran = credit_ran,
	.charge = gslot_debt_charge_hog,
	.reset = gslot_debt_reset,
	.pick = credit_pick,
	.next = credit_next,
	.timer = credit_timer,
	.patience = gslot_debt_patience,
	.blocks = credit_blocks,
};
