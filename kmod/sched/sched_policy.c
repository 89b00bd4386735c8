// SPDX-License-Identifier: GPL-2.0
/*
 * All run queues have one policy (core/sched/policy.h), which an administrator can change at any
 * time; the knobs of each client, too. What policies need to know of a client's work is in struct
 * gslot_policy_load, which is updated here.
 */
#include <linux/string.h>
#include <linux/sysfs.h>

#include "sched_priv.h"
#include "base/policies.h"

static const struct gslot_policy_ops *sched_policy_find(const char *name)
{
	u32 i;

	for (i = 0; gslot_policies[i]; i++)
		if (sysfs_streq(name, gslot_policies[i]->name))
			return gslot_policies[i];
	return NULL;
}

/* All run queues have the same. */
static const struct gslot_policy_ops *sched_policy_current(const struct gslot_sched *sched)
{
	lockdep_assert_held(&sched->policy_lock);
	return sched->runq[0].policy.ops;
}

/* No engine has, or gets, an owner. */
static void sched_policy_change(struct gslot_sched *sched, const struct gslot_policy_ops *ops)
{
	struct sched_runq *runq;
	u64 now;

	spin_lock_irq(&sched->lock);
	now = ktime_get_ns();
	for (runq = sched->runq; runq < sched_runqs_end(sched); runq++)
		if (!WARN_ON_ONCE(runq->policy.owner))
			gslot_policy_change(&runq->policy, ops, now);
	spin_unlock_irq(&sched->lock);
}

/**
 * gslot_sched_set_policy() - change the policy
 * @sched: the scheduler
 * @name: of the policy; a newline may follow
 *
 * Owners are preempted, as at the end of their turns, and clients go on.
 *
 * Return: 0, or -EINVAL if there is no policy of that name.
 * Context: may sleep, as long as a preemption and a reset take.
 */
int gslot_sched_set_policy(struct gslot_sched *sched, const char *name)
{
	const struct gslot_policy_ops *ops = sched_policy_find(name);

	if (!ops)
		return -EINVAL;
	mutex_lock(&sched->policy_lock);
	if (ops != sched_policy_current(sched)) {
		gslot_sched_halt(sched);
		sched_wait_off(sched, NULL);
		sched_policy_change(sched, ops);
		gslot_sched_resume(sched);
	}
	mutex_unlock(&sched->policy_lock);
	return 0;
}

/**
 * gslot_sched_show_policies() - the names of all policies
 * @sched: the scheduler
 * @buf: buffer of sysfs
 *
 * Return: how much was written to it.
 * Context: may sleep.
 */
ssize_t gslot_sched_show_policies(struct gslot_sched *sched, char *buf)
{
	const struct gslot_policy_ops *in_use;
	ssize_t n = 0;
	u32 i;

	mutex_lock(&sched->policy_lock);
	in_use = sched_policy_current(sched);
	/* The one in use is in brackets, as the block layer shows its schedulers. */
	for (i = 0; gslot_policies[i]; i++)
		n += sysfs_emit_at(buf, n, gslot_policies[i] == in_use ? "%s[%s]" : "%s%s",
				   n ? " " : "", gslot_policies[i]->name);
	mutex_unlock(&sched->policy_lock);
	return n + sysfs_emit_at(buf, n, "\n");
}

/**
 * gslot_sched_set_quantum_ms() - set the quantum
 * @sched: the scheduler
 * @ms: milliseconds; for clients that have no quantum of their own
 *
 * Return: 0, or -EINVAL if it is not from 1 to GSLOT_SCHED_QUANTUM_MAX_MS.
 * Context: may sleep.
 */
int gslot_sched_set_quantum_ms(struct gslot_sched *sched, u32 ms)
{
	struct sched_runq *runq;

	if (!ms || ms > GSLOT_SCHED_QUANTUM_MAX_MS)
		return -EINVAL;
	spin_lock_irq(&sched->lock);
	for (runq = sched->runq; runq < sched_runqs_end(sched); runq++)
		runq->policy.quantum_ns = ms * NSEC_PER_MSEC;
	sched_update(sched);
	spin_unlock_irq(&sched->lock);
	return 0;
}

/**
 * gslot_sched_quantum_ms() - the quantum
 * @sched: the scheduler
 *
 * Return: milliseconds.
 * Context: any.
 */
u32 gslot_sched_quantum_ms(const struct gslot_sched *sched)
{
	return div_u64(READ_ONCE(sched->runq[0].policy.quantum_ns), NSEC_PER_MSEC);
}

/**
 * gslot_client_set_knobs() - set a client's knobs
 * @client: the client
 * @knobs: the knobs, on each run queue
 *
 * Return: 0, or -EINVAL if one is out of range: then nothing has changed.
 * Context: may sleep.
 */
int gslot_client_set_knobs(struct gslot_client *client, const struct gslot_policy_knobs *knobs)
{
	struct gslot_sched *sched = client->sched;
	struct sched_runq *runq;
	int ret = 0;
	u64 now;

	spin_lock_irq(&sched->lock);
	now = ktime_get_ns();
	/* Either all run queues accept them, or none does. */
	for (runq = sched->runq; runq < sched_runqs_end(sched); runq++)
		ret = gslot_policy_set_knobs(&runq->policy, sched_policy_client(runq, client), now,
					     knobs);
	sched_update(sched);
	spin_unlock_irq(&sched->lock);
	return ret;
}

/**
 * gslot_client_set_preempt_us() - set a client's preempt timeout
 * @client: the client
 * @us: microseconds; holds from the next preemption on
 *
 * Context: any.
 */
void gslot_client_set_preempt_us(struct gslot_client *client, u32 us)
{
	WRITE_ONCE(client->preempt_ns, us * NSEC_PER_USEC);
}

/**
 * gslot_client_set_load() - set what a client uses, as far as the scheduler does not know it
 * @client: the client
 * @bandwidth: its part of the memory's bandwidth, per mille
 * @memory: its part of graphics memory, per mille
 *
 * Context: may sleep.
 */
void gslot_client_set_load(struct gslot_client *client, u32 bandwidth, u32 memory)
{
	struct gslot_sched *sched = client->sched;
	struct sched_runq *runq;

	spin_lock_irq(&sched->lock);
	for (runq = sched->runq; runq < sched_runqs_end(sched); runq++) {
		struct gslot_policy_load *load = &sched_policy_client(runq, client)->load;

		load->bandwidth = bandwidth;
		load->memory = memory;
	}
	spin_unlock_irq(&sched->lock);
}

/*
 * Update what a run queue knows of a client's work. The CPU time of its worker is that of all
 * engines: it is not known which of them it was for.
 */
void sched_load_changed(struct sched_runq *runq, struct gslot_client *client)
{
	struct gslot_policy_load *load = &sched_policy_client(runq, client)->load;
	u32 i;

	lockdep_assert_held(&runq->sched->lock);
	load->cpu_ns = client->cpu_before_ns;
	if (client->ops)
		load->cpu_ns += client->ops->cpu_ns(client->data);
	/* sched_look_at_copies() sets it if there is anything to copy at all. */
	load->to_copy = 0;
	load->queued = 0;
	for (i = 0; i < GSLOT_NR_ENGINES; i++)
		if (runq->engines & BIT(i))
			load->queued += client->channel[i].waiting;
}

/*
 * Count requests that were submitted for the first time, up to number @last. A request that is
 * preempted and submitted again is not counted twice.
 */
void sched_dispatched(struct sched_engine *engine, u32 count, u64 last)
{
	struct gslot_client *client = engine->owner;
	struct sched_channel *channel = &client->channel[engine->id];
	struct gslot_policy_load *load = &sched_policy_client(engine->runq, client)->load;
	const u64 now = ktime_get_ns();
	const struct gslot_request *rq;

	lockdep_assert_held(&engine->sched->lock);
	if (!count)
		return;
	list_for_each_entry(rq, &channel->requests, link) {
		if (rq->seqno > last)
			break;
		if (rq->seqno > channel->given)
			sched_meter_queued(engine, now - rq->queued_at);
	}
	channel->given = last;
	channel->waiting -= count;
	load->queued -= count;
	load->dispatched += count;
}
