/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Debts of clients that do not yield when they are preempted.
 *
 * A client that does not yield goes on until its engine is reset, in time that belongs to others.
 * That time is its debt. A debtor sits out while a client without debt has work, or has just had
 * some. Debts are paid one after another, the oldest first, by time in which no debtor has the
 * engine, or has it with nothing to do because no other client wants it. So in the long run all
 * debtors together have at most half of the time, however many they are.
 *
 * Debts of less than a quantum are paid before all others: else a client that was a moment late
 * would sit out behind clients that were late for seconds. The others get paid nevertheless, as a
 * client that had a quantum has paid more in that time than it then owes.
 *
 * A client has a budget of resets. When it is used up, the client sits out after each reset until
 * it has budget again, no matter which others have work.
 */
#ifndef _GSLOT_CORE_DEBT_H
#define _GSLOT_CORE_DEBT_H

#include "core/types.h"

struct gslot_policy;
struct gslot_policy_client;

/* Debtors wait for so long for a client without debt that has no more work. */
#define GSLOT_DEBT_GRACE_NS	100000000ull
/* The largest debt: no guest waits for longer by its own fault alone. */
#define GSLOT_DEBT_MAX_NS	2000000000ull
/* The budget of resets, and the time in which one more is allowed. */
#define GSLOT_DEBT_RESETS	30u
#define GSLOT_DEBT_RESET_NS	2000000000ull
/* cap and credit charge a client that overruns by so many quanta. */
#define GSLOT_DEBT_HOG_QUANTA	4u

void gslot_debt_pay(struct gslot_policy *p, u64 now);
void gslot_debt_wake(struct gslot_policy *p, struct gslot_policy_client *c, u64 now);
void gslot_debt_sleep(struct gslot_policy *p, struct gslot_policy_client *c, u64 now);
void gslot_debt_ran(struct gslot_policy *p, struct gslot_policy_client *c, u64 now, u64 ns);
void gslot_debt_charge(struct gslot_policy *p, struct gslot_policy_client *c, u64 now, u64 ns);
void gslot_debt_charge_hog(struct gslot_policy *p, struct gslot_policy_client *c, u64 now, u64 ns);
void gslot_debt_reset(struct gslot_policy *p, struct gslot_policy_client *c, u64 now);
void gslot_debt_leave(struct gslot_policy *p, struct gslot_policy_client *c, u64 now);
bool gslot_debt_any(const struct gslot_policy *p, u64 now);
bool gslot_debt_any_without(const struct gslot_policy *p, u64 now);
bool gslot_debt_sits_out(const struct gslot_policy_client *c, u64 now, bool any_without);
u64 gslot_debt_timer(const struct gslot_policy *p, u64 now);
u64 gslot_debt_sooner(const struct gslot_policy *p, u64 now, u64 ns);
u64 gslot_debt_patience(const struct gslot_policy *p, u64 full_ns);

#endif
