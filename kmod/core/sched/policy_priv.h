/* SPDX-License-Identifier: GPL-2.0 */
/* What policies share: debts (debt.c), a client's quantum, and the sooner of two timers. */
#ifndef _GSLOT_CORE_POLICY_PRIV_H
#define _GSLOT_CORE_POLICY_PRIV_H

#include "policy_list.h"

/* Debtors wait for this long for a client without debt that has no more work. */
#define GSLOT_DEBT_GRACE_NS	100000000ull
/* selftests/fuzz has smaller ones. */
#ifndef GSLOT_DEBT_MAX_NS
/* The largest debt: no guest waits for longer by its own fault alone. */
#define GSLOT_DEBT_MAX_NS	2000000000ull
/* The budget of resets, and the time in which one more is allowed. */
#define GSLOT_DEBT_RESETS	30u
#define GSLOT_DEBT_RESET_NS	2000000000ull
/* cap and credit charge a client that overruns by this many quanta. */
#define GSLOT_DEBT_HOG_QUANTA	4u
#endif

void gslot_debt_pay(struct gslot_policy *p, u64 now);
void gslot_debt_charge(struct gslot_policy *p, struct gslot_policy_client *c, u64 now, u64 ns);
void gslot_debt_charge_hog(struct gslot_policy *p, struct gslot_policy_client *c, u64 now, u64 ns);
bool gslot_debt_any(const struct gslot_policy *p, u64 now);
bool gslot_debt_any_without(const struct gslot_policy *p, u64 now);
bool gslot_debt_sits_out(const struct gslot_policy_client *c, u64 now, bool any_without);
u64 gslot_debt_timer(const struct gslot_policy *p, u64 now);

/* The longest turn of a client while another one waits. */
static inline u64 gslot_policy_quantum(const struct gslot_policy *p,
				       const struct gslot_policy_client *c)
{
	return c->knobs.quantum_ns ? c->knobs.quantum_ns : p->quantum_ns;
}

/* The sooner one of two timers; 0: never. */
static inline u64 gslot_sooner(u64 ns, u64 other)
{
	return !ns || (other && other < ns) ? other : ns;
}

#endif
