/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is owed by clients that do not let go of what is shared when they are told to.
 *
 * Who does not yield goes on until it is reset, and that time is the others'. It is owed: a debtor
 * sits out as long as somebody without debt has work, or had some just now. Debts are paid one
 * after another, the oldest first, by time that no debtor has what is shared, or only as nobody
 * else wants it and with nothing to do. So in the long run debtors together have it for half of the
 * time at most, however many they are.
 *
 * Those of less than a quantum come before all others, or who was a moment late would sit out
 * behind who was so for seconds. All others are paid nevertheless: who had a quantum paid for more
 * in it than what it then owes.
 *
 * Who has to be reset again and again has a budget of resets. When that is used up it sits out
 * after each one, whoever else has work, until it has one again.
 */
#ifndef _GSLOT_CORE_DEBT_H
#define _GSLOT_CORE_DEBT_H

#include "core/types.h"

struct gslot_policy;
struct gslot_policy_client;

/* Work that comes within this time after the last was done keeps debtors waiting. */
#define GSLOT_DEBT_GRACE_NS	100000000ull
/* No debt is larger: a guest waits for no longer by its own fault alone. */
#define GSLOT_DEBT_MAX_NS	2000000000ull
/* Resets that one may need: so many at once, and one more each time that this has passed. */
#define GSLOT_DEBT_RESETS	30u
#define GSLOT_DEBT_RESET_NS	2000000000ull
/* Policies of papers charge who overruns by so many quanta. */
#define GSLOT_DEBT_HOG_QUANTA	4u

/**
 * struct gslot_debt_client - of a client
 * @debt_ns: what it owes
 * @debtor_since: when it became a debtor
 * @eager_until: it had work a moment ago
 * @resets_until: when it has its whole budget of resets again
 * @was_reset: since it was charged last
 */
struct gslot_debt_client {
	u64 debt_ns;
	u64 debtor_since;
	u64 eager_until;
	u64 resets_until;
	bool was_reset;
};

/**
 * struct gslot_debt - of what is shared
 * @debtors: how many owe anything
 * @resets_until: the latest time at which one has its whole budget of resets again
 * @paid_until: debts are paid up to here
 * @idle: its owner uses it for nothing, and nobody else wants it
 */
struct gslot_debt {
	u32 debtors;
	u64 resets_until;
	u64 paid_until;
	bool idle;
};

void gslot_debt_pay(struct gslot_policy *p, u64 now);
void gslot_debt_slept(struct gslot_policy_client *c, u64 now);
void gslot_debt_charge(struct gslot_policy *p, struct gslot_policy_client *c, u64 now, u64 ns);
void gslot_debt_charge_hog(struct gslot_policy *p, struct gslot_policy_client *c, u64 now, u64 ns);
void gslot_debt_reset(struct gslot_policy *p, struct gslot_policy_client *c, u64 now);
void gslot_debt_leave(struct gslot_policy *p, const struct gslot_policy_client *c);
bool gslot_debt_any(const struct gslot_policy *p, u64 now);
bool gslot_debt_any_without(const struct gslot_policy *p, u64 now);
bool gslot_debt_sits_out(const struct gslot_policy_client *c, u64 now, bool any_without);
u64 gslot_debt_timer(const struct gslot_policy *p, u64 now);
u64 gslot_debt_sooner(const struct gslot_policy *p, u64 now, u64 ns);
u64 gslot_debt_patience(const struct gslot_policy *p, u64 full_ns);

#endif
