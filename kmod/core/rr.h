/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The policy `rr`: clients have what is shared in turn, each for a quantum at
 * most, and no longer than it has work.
 *
 * Who does not yield at the end of its quantum goes on until it is reset, and
 * that time is the others'. It is owed: a debtor sits out as long as somebody
 * without debt has work, or had some just now. Debts are paid one after another
 * by time that no debtor has what is shared, or only as nobody else wants it and
 * with nothing to do. So in the long run debtors together have it for half of the
 * time at most, however many they are.
 */
#ifndef _GSLOT_CORE_RR_H
#define _GSLOT_CORE_RR_H

#include "types.h"

/* Work that comes within this time after the last was done keeps debtors waiting. */
#define GSLOT_RR_GRACE_NS	100000000ull
/* No debt is larger: a guest waits for no longer by its own fault alone. */
#define GSLOT_RR_MAX_DEBT_NS	2000000000ull

/**
 * struct gslot_rr_client - of a client
 * @debt_ns: what it owes
 * @debtor_since: when it became a debtor; those that owe longest are paid first
 * @eager_until: it had work a moment ago
 */
struct gslot_rr_client {
	u64 debt_ns;
	u64 debtor_since;
	u64 eager_until;
};

/**
 * struct gslot_rr - of what is shared
 * @next: index at which the search for the next one begins: behind who had it last
 * @paid_until: debts are paid up to here
 * @idle: its owner uses it for nothing, and nobody else wants it
 */
struct gslot_rr {
	u32 next;
	u64 paid_until;
	bool idle;
};

extern const struct gslot_policy_ops gslot_rr;

#endif
