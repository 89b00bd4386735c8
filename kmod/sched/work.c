// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: work and ownership of a client
 *
 * For each run queue: how long a client had work that may run, and for how much of that it was the
 * owner, preemption included. The policy cap charges the latter, so it can be compared with a cap;
 * it is more than the client's contexts ran (busy.c) by the time of switches. The rest the client
 * waited.
 *
 * Time is counted before the owner of a run queue changes, and before a client wakes or falls
 * asleep: so two additions are enough, however many clients wait.
 */
#include <linux/ktime.h>

#include "sched_priv.h"

static struct sched_work *work_of(const struct sched_runq *runq, struct gslot_client *client)
{
	return &client->work[runq - runq->sched->runq];
}

/* Count the owner's time: the owner may change now. */
void sched_work_owner(struct sched_runq *runq, u64 now)
{
	struct gslot_client *owner = sched_owner(runq);

	lockdep_assert_held(&runq->sched->lock);
	if (owner && runq->policy.owner->awake)
		work_of(runq, owner)->had_ns += now - runq->counted_at;
	runq->counted_at = now;
}

/* Count a client's time: it may wake or fall asleep now. */
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
 * gslot_client_work() - what a client had to do, and whether it was the owner
 * @client: the client
 * @work: GSLOT_NR_ENGINES entries, one per run queue, which is one per engine unless there is one
 *	for all: times since the client joined, which never go back
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
