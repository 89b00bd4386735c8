// SPDX-License-Identifier: GPL-2.0
/*
 * The policy `credit`: VMCG's ("A virtual multi-channel GPU fair scheduling method", IEEE TPDS
 * 2019). Each client has a queue of request blocks (V-Channel), and credits; each block that is
 * dispatched costs one. Other policies are measured against it, so its weaknesses are kept: a block
 * costs the same however long it runs, and a client that queues more gets more. Overruns of four
 * quanta and resets become debts, as under all policies (debt.c).
 *
 * Credits. What a client has left is the paper's credit1, what it is given credit2:
 *
 *   CREDIT_i = (e^(BW_i * MSIZE_i) + NUM_i) / (e^(BW * MSIZE) + sum of NUM_j) * CREDIT   (eq. 2)
 *
 * It is computed, and credit1 set to it, when no client has credit left; when an interval has
 * elapsed; and when a client with work has no credit and the engine is idle.
 *
 * Rounds. In a round clients with work and credit have a turn each, ordered by the CPU time that
 * their workers spent in the round before: the first one for 16 ms, another for cpu_i / cpu_1 *
 * 16 ms. In a turn four blocks are dispatched at most. A round is over when all clients with work
 * and credit have had a turn; then CPU counters are cleared.
 *
 * Where the paper is silent:
 *
 * - BW * MSIZE is that of the whole, which as a fraction of the whole is 1. So with three clients
 *   or more that do nothing, more is given out than CREDIT.
 * - CREDIT, and the interval.
 * - Weights (it measures 4:2:1 without saying how): CREDIT_i is multiplied by the weight relative
 *   to the mean; with equal weights this is equation 2.
 * - Credits are whole; each client is given at least one, or it would never run.
 * - A client that joins is given at once what equation 2 says, and comes last, as its worker has
 *   spent no CPU time.
 * - A slice has a least length: a worker that has just woken spent no CPU time before.
 * - A client's turn ends with the last of its four blocks, and another one's begins when the engine
 *   is idle; it is only preempted at the end of its slice. If there is no other client, it has
 *   another turn at once.
 */
#include "credit_priv.h"
#include "policy_priv.h"

/*
 * e^x for a fraction @x from 0 to GSLOT_CREDIT_EXP_ONE, which is 1; with GSLOT_CREDIT_EXP_BITS
 * fractional bits, too small by less than 2^-19. It is the series of e^x to its 13th term, each
 * term cut off after 32 bits. The terms that are left out are less than 2^-32 together, and what is
 * cut off is less than 17 * 2^-32.
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

static u64 credit_queued(const struct gslot_policy_client *c)
{
	return (u64)min(c->load.queued, GSLOT_CREDIT_MAX_QUEUED) << GSLOT_CREDIT_EXP_BITS;
}

/* e^(BW_i * MSIZE_i) + NUM_i, with each factor limited to the whole. */
static u64 credit_numerator(const struct gslot_policy_client *c)
{
	u32 bandwidth = min(c->load.bandwidth, GSLOT_WHOLE);
	u32 memory = min(c->load.memory, GSLOT_WHOLE);

	return gslot_credit_exp(bandwidth * memory) + credit_queued(c);
}

/* e^(BW * MSIZE) + the sum of NUM_j */
static u64 credit_denominator(const struct gslot_policy *p)
{
	u64 sum = gslot_credit_exp(GSLOT_CREDIT_EXP_ONE);
	u32 i;

	for (i = 0; i < p->count; i++)
		sum += credit_queued(p->clients[i]);
	return sum;
}

/*
 * Equation 2, times the weight relative to the mean. With GSLOT_MAX_VGPUS clients of the
 * longest queue and the largest weight the numerator is less than 2^62, the denominator than 2^58.
 */
static void credit_give(const struct gslot_policy *p, struct gslot_policy_client *c)
{
	u64 weights = 0, credit;
	u32 i;

	for (i = 0; i < p->count; i++)
		weights += p->clients[i]->knobs.weight;
	credit = credit_numerator(c) * GSLOT_CREDIT_TOTAL * c->knobs.weight * p->count /
		 (credit_denominator(p) * weights);
	c->credit.credit2 = credit ? credit : 1;
	c->credit.credit1 = c->credit.credit2;
}

static void credit_give_all(struct gslot_policy *p, u64 now)
{
	u32 i;

	for (i = 0; i < p->count; i++)
		credit_give(p, p->clients[i]);
	p->credit.given_at = now;
}

/* Blocks that were dispatched and not paid for. */
static u64 credit_unpaid(const struct gslot_policy_client *c)
{
	return c->load.dispatched - min(c->load.dispatched, c->credit.dispatched);
}

static u32 credit_left(const struct gslot_policy_client *c)
{
	u64 blocks = credit_unpaid(c);

	return blocks < c->credit.credit1 ? c->credit.credit1 - (u32)blocks : 0;
}

static void credit_pay(struct gslot_policy *p)
{
	u32 i;

	for (i = 0; i < p->count; i++) {
		struct gslot_policy_client *c = p->clients[i];

		c->credit.credit1 = credit_left(c);
		c->credit.dispatched = c->load.dispatched;
	}
}

/* Whether it is time to give out credits. @gone counts as asleep. @busy: work is on the engine. */
static bool credit_is_due(const struct gslot_policy *p, u64 now, bool busy,
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

/* CPU time of its worker in this round. */
static u64 credit_spending(const struct gslot_policy_client *c)
{
	return c->load.cpu_ns - min(c->load.cpu_ns, c->credit.cpu_ns);
}

/*
 * Of the clients that have work and credit (or are given it), and had no turn in this round, the
 * one with the most CPU time of its worker in the round before; if there is none, the same of all
 * clients, in the round to come.
 */
static struct gslot_policy_client *credit_choose(const struct gslot_policy *p, u64 time,
						 bool credits,
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
		if (!later || credit_spending(c) > credit_spending(later))
			later = c;
	}
	return now ? now : later;
}

/* cpu_i / cpu_1 * 16 ms; if no worker has spent any, all slices are the same. */
static u64 credit_slice(u64 spent, u64 most)
{
	u64 ns = GSLOT_CREDIT_SLICE_NS;

	/* The product must fit. */
	while (most >> 32) {
		most >>= 1;
		spent >>= 1;
	}
	if (most)
		ns = ns * spent / most;
	return max(ns, GSLOT_CREDIT_MIN_SLICE_NS);
}

static void credit_begin_round(struct gslot_policy *p)
{
	u64 most = 0;
	u32 i;

	for (i = 0; i < p->count; i++)
		most = max(most, credit_spending(p->clients[i]));
	for (i = 0; i < p->count; i++) {
		struct gslot_policy_client *c = p->clients[i];

		c->credit.spent_ns = credit_spending(c);
		c->credit.cpu_ns = c->load.cpu_ns;
		c->credit.slice_ns = credit_slice(c->credit.spent_ns, most);
		c->credit.served = false;
	}
}

static void credit_begin_turn(struct gslot_policy *p, struct gslot_policy_client *c, u64 now)
{
	/* All clients that can run have had a turn. */
	if (c->credit.served)
		credit_begin_round(p);
	c->credit.served = true;
	p->credit.turn_since = now;
	p->credit.turn_dispatched = c->load.dispatched;
}

/* The time of the switch is not of the slice. */
static u64 credit_turn_end(const struct gslot_policy *p)
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

static bool credit_turn_is_over(const struct gslot_policy *p, u64 now)
{
	return !credit_blocks(p) || now >= credit_turn_end(p);
}

static void credit_join(struct gslot_policy *p, struct gslot_policy_client *c, u64 now)
{
	if (p->count == 1)
		p->credit.given_at = now;
	c->credit.dispatched = c->load.dispatched;
	c->credit.cpu_ns = c->load.cpu_ns;
	c->credit.slice_ns = GSLOT_CREDIT_MIN_SLICE_NS;
	credit_give(p, c);
}

/* The owner's turn goes on, or it has another one, or another client has. */
static struct gslot_policy_choice credit_pick(struct gslot_policy *p, u64 now, bool busy)
{
	struct gslot_policy_choice choice = { GSLOT_POLICY_KEEP, NULL };
	const struct gslot_policy_client *owner = p->owner;

	credit_pay(p);
	if (credit_is_due(p, now, busy, NULL))
		credit_give_all(p, now);
	if (owner && (busy || owner->awake) && !credit_turn_is_over(p, now))
		return choice;
	choice.client = credit_choose(p, now, false, NULL);
	if (!choice.client)
		return choice;
	if (choice.client == owner) {
		credit_begin_turn(p, choice.client, now);
	} else if (!busy) {
		choice.verdict = GSLOT_POLICY_GIVE;
		credit_begin_turn(p, choice.client, now);
	} else if (now >= credit_turn_end(p)) {
		choice.verdict = GSLOT_POLICY_PREEMPT;
	}
	return choice;
}

static struct gslot_policy_client *credit_next(const struct gslot_policy *p, u64 now)
{
	return credit_choose(p, now, credit_is_due(p, now, false, p->owner), p->owner);
}

/* The end of the owner's slice if another client waits; the interval if one has no credit. */
static u64 credit_timer(const struct gslot_policy *p, u64 now)
{
	u64 until = p->credit.given_at + GSLOT_CREDIT_INTERVAL_NS;
	bool waits = false;
	u32 i;

	for (i = 0; i < p->count; i++)
		waits |= p->clients[i]->awake && !credit_left(p->clients[i]);
	if (p->owner && credit_choose(p, now, false, p->owner)) {
		until = waits ? min(until, credit_turn_end(p)) : credit_turn_end(p);
		waits = true;
	}
	if (!waits)
		return 0;
	return until > now ? until - now : 1;
}

const struct gslot_policy_ops gslot_credit = {
	.name = "credit",
	.join = credit_join,
	.charge = gslot_debt_charge_hog,
	.pick = credit_pick,
	.next = credit_next,
	.timer = credit_timer,
	.blocks = credit_blocks,
};
