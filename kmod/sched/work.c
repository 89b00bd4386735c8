// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: what a client had to do, and whether it could
 *
 * Of each turn a client is in: how long it had work that may run, and for how much of that the
 * turn was its own, taking off included. That is what the policy cap charges, so it can be compared
 * with a cap; it is more than its contexts ran (busy.c) by what it takes to give and to take
 * an engine. The rest of that time it waited.
 *
 * A turn's time is counted before its owner changes, and before anybody wakes or falls asleep: so
 * two additions are enough, however many clients wait.
 */
#include <linux/ktime.h>

#include "sched_priv.h"

static struct sched_work *work_of(const struct sched_runq *runq, struct gslot_client *client)
{
	return &client->work[runq - runq->sched->runq];
}

/**
 * sched_work_owner() - whose a turn is may change now
 * @runq: the turn
 * @now: time, ns
 *
 * Context: lock held.
 */
void sched_work_owner(struct sched_runq *runq, u64 now)
{
	struct gslot_client *owner = sched_owner(runq);

	lockdep_assert_held(&runq->sched->lock);
	if (owner && runq->policy.owner->awake)
		work_of(runq, owner)->had_ns += now - runq->counted_at;
	runq->counted_at = now;
}

/**
 * sched_work_client() - whether a client has work in a turn may change now
 * @runq: the turn
 * @client: the client
 * @now: time, ns
 *
 * Context: lock held.
 */
void sched_work_client(struct sched_runq *runq, struct gslot_client *client, u64 now)
{
	struct sched_work *work = work_of(runq, client);

	lockdep_assert_held(&runq->sched->lock);
	sched_work_owner(runq, now);
	if (sched_policy_client(runq, client)->awake)
		work->awake_ns += now - work->counted_at;
	work->counted_at = now;
}

/**
 * gslot_client_work() - what had a client to do, and could it?
 * @client: the client
 * @work: GSLOT_NR_ENGINES of them: a turn each, of what the client did there since it came. Unless
 *	one turn is for all engines, a turn is an engine. None of the times ever goes back
 *
 * Context: may sleep.
 */
void gslot_client_work(struct gslot_client *client, struct gslot_client_work *work)
{
	struct gslot_sched *sched = client->sched;
	struct sched_runq *runq;
	u64 now;

	spin_lock_irq(&sched->lock);
	now = ktime_get_ns();
	for (runq = sched->runq; runq < sched_runqs_end(sched); runq++, work++) {
		const struct sched_work *seen = work_of(runq, client);

		sched_work_client(runq, client, now);
		work->had_ns = seen->had_ns;
		work->waited_ns = seen->awake_ns - seen->had_ns;
	}
	spin_unlock_irq(&sched->lock);
}
