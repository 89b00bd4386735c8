// SPDX-License-Identifier: GPL-2.0
/*
 * Copy policies with places (base/copy_policy.h). What a vGPU's requests name may have to be loaded
 * before they run, which takes too long for an interrupt. So between the decision for a client and
 * its turn no client has an engine, and no decision is taken until the loading is over. Then the
 * client gets the engines, and its time begins. All engines have one run queue.
 */
#include <linux/ktime.h>

#include "sched_priv.h"
#include "base/copy_policy.h"

static struct gslot_ggtt *copy_ggtt(const struct gslot_client *client)
{
	return client->ops->ggtt(client->data);
}

/* The policy is about to pick: note how much is to be copied for each client. */
void sched_look_at_copies(struct sched_runq *runq)
{
	struct gslot_copy_policy *policy = runq->sched->copy_policy;
	struct gslot_client *client;

	lockdep_assert_held(&runq->sched->lock);
	if (likely(!policy))
		return;
	list_for_each_entry(client, &runq->sched->clients, link) {
		struct gslot_policy_client *c = sched_policy_client(runq, client);

		if (c->awake)
			c->load.to_copy = policy->ops->to_copy(policy, copy_ggtt(client));
	}
}

/*
 * Have the owner of a run queue loaded before it gets the engines, which no client has. Return:
 * false: nothing is to be loaded, it gets them now.
 */
bool sched_load(struct sched_runq *runq, u64 now)
{
	struct gslot_sched *sched = runq->sched;
	struct gslot_copy_policy *policy = sched->copy_policy;

	lockdep_assert_held(&sched->lock);
	if (likely(!policy) || !policy->ops->give(policy, copy_ggtt(sched_owner(runq))))
		return false;
	sched->halts++;
	sched->load_since = now;
	return true;
}

/* Tell the copy policy which client is next, if that is known. */
void sched_load_ahead(struct sched_runq *runq, u64 now)
{
	struct gslot_sched *sched = runq->sched;
	struct gslot_copy_policy *policy = sched->copy_policy;
	struct gslot_client *client;

	lockdep_assert_held(&sched->lock);
	if (likely(!policy) || sched->load_since || !runq->policy.owner)
		return;
	client = sched_client(runq, gslot_policy_next(&runq->policy, now));
	if (client)
		policy->ops->next(policy, copy_ggtt(client));
}

/**
 * gslot_sched_loaded() - what a client names is loaded: it gets the engines
 * @sched: the scheduler
 * @ggtt: the private GGTT that &gslot_copy_policy_ops.give was called with; its client may have
 *	been paused since, and gets nothing then
 *
 * Context: process context, without the scheduler's lock.
 */
void gslot_sched_loaded(struct gslot_sched *sched, const struct gslot_ggtt *ggtt)
{
	struct sched_runq *runq = &sched->runq[0];
	const struct gslot_client *owner;
	u64 now = ktime_get_ns();

	spin_lock_irq(&sched->lock);
	sched->halts--;
	sched->load_ns += now - sched->load_since;
	sched->load_since = 0;
	owner = sched_owner(runq);
	if (owner && copy_ggtt(owner) == ggtt && !runq->policy.leaving) {
		gslot_policy_begin(&runq->policy, now);
		sched_give_all(runq, now);
	}
	sched_update(sched);
	spin_unlock_irq(&sched->lock);
}

/**
 * gslot_sched_set_copy_policy() - change the copy policy
 * @sched: the scheduler, halted, with all clients paused
 * @policy: the copy policy; NULL: nothing is loaded before a client runs
 *
 * Context: may sleep.
 */
void gslot_sched_set_copy_policy(struct gslot_sched *sched, struct gslot_copy_policy *policy)
{
	spin_lock_irq(&sched->lock);
	sched->copy_policy = policy;
	sched_regroup(sched, policy);
	sched_update(sched);
	spin_unlock_irq(&sched->lock);
}
