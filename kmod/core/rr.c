// SPDX-License-Identifier: GPL-2.0
#include "rr.h"

/* Has anybody else work who owes nothing? Then a debtor sits out. */
static bool barred(const struct gslot_rr *rr, u32 client)
{
	u32 i;

	if (!rr->debt_ns[client])
		return false;
	for (i = 0; i < rr->count; i++)
		if (i != client && rr->eager[i] && !rr->debt_ns[i])
			return true;
	return false;
}

static bool any_barred(const struct gslot_rr *rr)
{
	u32 i;

	for (i = 0; i < rr->count; i++)
		if (i != rr->owner && rr->runnable[i] && barred(rr, i))
			return true;
	return false;
}

/* The next that can run after @from; @from itself comes last. */
static u32 next_runnable(const struct gslot_rr *rr, u32 from)
{
	u32 i, n;

	if (from >= rr->count)
		from = rr->count - 1;
	for (i = 1; i <= rr->count; i++) {
		n = (from + i) % rr->count;
		if (rr->runnable[n] && !barred(rr, n))
			return n;
	}
	return GSLOT_RR_NONE;
}

static struct gslot_rr_decision decide(const struct gslot_rr *rr)
{
	struct gslot_rr_decision d = { .verdict = GSLOT_RR_KEEP, .next = rr->owner };
	bool owned = rr->owner < rr->count;
	u32 next;

	if (!rr->count) {
		d.next = GSLOT_RR_NONE;
		return d;
	}
	next = next_runnable(rr, owned ? rr->owner : rr->last);
	if (!owned || (!rr->owner_busy && !rr->runnable[rr->owner])) {
		/* Free. Who had it keeps it until somebody else wants it. */
		if (next != GSLOT_RR_NONE) {
			d.verdict = GSLOT_RR_GIVE;
			d.next = next;
		}
		return d;
	}
	if (next == GSLOT_RR_NONE || next == rr->owner)
		return d;
	if (rr->held_ns >= rr->quantum_ns) {
		d.verdict = rr->owner_busy ? GSLOT_RR_PREEMPT : GSLOT_RR_GIVE;
		d.next = next;
	} else {
		d.recheck_ns = rr->quantum_ns - rr->held_ns;
	}
	return d;
}

struct gslot_rr_decision gslot_rr_decide(const struct gslot_rr *rr)
{
	struct gslot_rr_decision d = decide(rr);

	/* Debts get paid, and grace ends, without anybody saying so. */
	if (rr->count && any_barred(rr) && (!d.recheck_ns || d.recheck_ns > rr->quantum_ns))
		d.recheck_ns = rr->quantum_ns;
	return d;
}

u64 gslot_rr_charge(u64 debt_ns, u64 quantum_ns, u64 overrun_ns)
{
	debt_ns += overrun_ns < quantum_ns ? overrun_ns : overrun_ns + quantum_ns;
	return debt_ns < GSLOT_RR_MAX_DEBT_NS ? debt_ns : GSLOT_RR_MAX_DEBT_NS;
}

static u32 oldest_debtor(const u64 *debt_ns, const u64 *since, u32 count)
{
	u32 i, oldest = GSLOT_RR_NONE;

	for (i = 0; i < count; i++)
		if (debt_ns[i] && (oldest == GSLOT_RR_NONE || since[i] < since[oldest]))
			oldest = i;
	return oldest;
}

void gslot_rr_pay(u64 *debt_ns, const u64 *since, u32 count, u64 ns)
{
	u32 i;

	while (ns && (i = oldest_debtor(debt_ns, since, count)) != GSLOT_RR_NONE) {
		u64 part = ns < debt_ns[i] ? ns : debt_ns[i];

		debt_ns[i] -= part;
		ns -= part;
	}
}

u64 gslot_rr_patience(u64 full_ns, u32 debtors)
{
	return full_ns / ((debtors < 15 ? debtors : 15) + 1);
}
