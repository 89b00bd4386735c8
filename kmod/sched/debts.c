// SPDX-License-Identifier: GPL-2.0
/*
 * What a client owes the others travels with a migration: otherwise a guest that does not yield
 * would be rid of its debt by moving. The shares of time that policies count besides are of one
 * host, and begin anew.
 */
#include <linux/ktime.h>

#include "sched_priv.h"

/**
 * gslot_client_debts() - get a client's debts
 * @client: the client
 * @debts: out: by engine, GSLOT_NR_ENGINES of them; those of a run queue for all engines are the
 *	debts of each
 *
 * Context: any, without the locks that the client's upcalls take.
 */
void gslot_client_debts(struct gslot_client *client, struct gslot_client_debt *debts)
{
	struct gslot_sched *sched = client->sched;
	unsigned long flags;
	u64 now;
	u32 i;

	spin_lock_irqsave(&sched->lock, flags);
	/* Time that has gone by since the last event pays, too. */
	sched_update(sched);
	now = ktime_get_ns();
	for (i = 0; i < GSLOT_NR_ENGINES; i++) {
		const struct gslot_debt_client *debt =
			&sched_policy_client(sched->engine[i].runq, client)->debt;

		debts[i].debt_ns = debt->debt_ns;
		debts[i].resets_ns = max(debt->resets_until, now) - now;
	}
	spin_unlock_irqrestore(&sched->lock, flags);
}

/**
 * gslot_client_import_debts() - let a client owe what it owed on another host
 * @client: the client
 * @debts: by engine; a run queue for all engines takes the largest. One that is smaller than what
 *	the client owes there already changes nothing
 *
 * Context: any, without the locks that the client's upcalls take.
 */
void gslot_client_import_debts(struct gslot_client *client, const struct gslot_client_debt *debts)
{
	struct gslot_sched *sched = client->sched;
	unsigned long flags;
	u64 now;
	u32 i;

	spin_lock_irqsave(&sched->lock, flags);
	now = ktime_get_ns();
	for (i = 0; i < GSLOT_NR_ENGINES; i++) {
		struct sched_runq *runq = sched->engine[i].runq;

		gslot_policy_import_debt(&runq->policy, sched_policy_client(runq, client), now,
					 debts[i].debt_ns, debts[i].resets_ns);
	}
	sched_update(sched);
	spin_unlock_irqrestore(&sched->lock, flags);
}
