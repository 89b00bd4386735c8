// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: policies and knobs
 *
 * All turns are given by one policy (core/sched/policy.h), which an administrator chooses at any time;
 * and he says of each client what it is to have. A policy that looks at what clients do, beyond
 * who has work, finds it in &struct gslot_policy_load, which is kept up to date here.
 */
#include <linux/string.h>
#include <linux/sysfs.h>

#include "sched_priv.h"
#include "base/baselines.h"

static const struct gslot_policy_ops *find(const char *name)
{
	u32 i;

	for (i = 0; gslot_policies[i]; i++)
		if (sysfs_streq(name, gslot_policies[i]->name))
			return gslot_policies[i];
	return NULL;
}

/* All turns have the same. */
static const struct gslot_policy_ops *current_policy(const struct gslot_sched *sched)
{
	lockdep_assert_held(&sched->policy_lock);
	return sched->runq[0].policy.ops;
}

/* Nobody has a turn, nor gets one. */
static void change(struct gslot_sched *sched, const struct gslot_policy_ops *ops)
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
 * gslot_sched_set_policy() - an administrator says how turns are given
 * @sched: the scheduler
 * @name: of the policy; a newline may follow
 *
 * Clients are taken off the hardware, as at the end of a turn, and go on.
 *
 * Return: 0, or -EINVAL if there is none of that name.
 * Context: may sleep, as long as a preemption and a reset take.
 */
int gslot_sched_set_policy(struct gslot_sched *sched, const char *name)
{
	const struct gslot_policy_ops *ops = find(name);

	if (!ops)
		return -EINVAL;
	mutex_lock(&sched->policy_lock);
	if (ops != current_policy(sched)) {
		gslot_sched_halt(sched);
		sched_wait_off(sched, NULL);
		change(sched, ops);
		gslot_sched_go_on(sched);
	}
	mutex_unlock(&sched->policy_lock);
	return 0;
}

/**
 * gslot_sched_show_policies() - what policies there are
 * @sched: the scheduler
 * @buf: of sysfs
 *
 * Return: how much was written there.
 * Context: may sleep.
 */
ssize_t gslot_sched_show_policies(struct gslot_sched *sched, char *buf)
{
	ssize_t n = 0;
	u32 i;

	mutex_lock(&sched->policy_lock);
	/* The one that is chosen in brackets, as the block layer shows its schedulers. */
	for (i = 0; gslot_policies[i]; i++)
		n += sysfs_emit_at(buf, n,
				   gslot_policies[i] == current_policy(sched) ? "%s[%s]" : "%s%s",
				   n ? " " : "", gslot_policies[i]->name);
	mutex_unlock(&sched->policy_lock);
	return n + sysfs_emit_at(buf, n, "\n");
}

/**
 * gslot_sched_set_quantum_ms() - an administrator says how long a turn is while others wait
 * @sched: the scheduler
 * @ms: milliseconds; of those clients that have no quantum of their own
 *
 * Return: 0, or -EINVAL if that is not from 1 to GSLOT_SCHED_QUANTUM_MAX_MS.
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
 * gslot_sched_quantum_ms() - how long is a turn while others wait?
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
 * gslot_client_set_knobs() - an administrator says what a client is to have
 * @client: the client
 * @knobs: that, in each turn
 *
 * Return: 0, or -EINVAL if one of them is out of its range: then all is as it was.
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
	/* Each finds them good, or none does. */
	for (runq = sched->runq; runq < sched_runqs_end(sched); runq++)
		ret = gslot_policy_set_knobs(&runq->policy, sched_policy_client(runq, client), now,
					     knobs);
	sched_update(sched);
	spin_unlock_irq(&sched->lock);
	return ret;
}

/**
 * gslot_client_set_preempt_us() - how long may a client take to let go of an engine?
 * @client: the client
 * @us: microseconds; then the engine is reset. From the next time on that it is to
 *
 * Context: any.
 */
void gslot_client_set_preempt_us(struct gslot_client *client, u32 us)
{
	WRITE_ONCE(client->preempt_ns, us * NSEC_PER_USEC);
}

/**
 * gslot_client_set_load() - how much does a client use, that the scheduler does not know?
 * @client: the client
 * @bandwidth: of the memory's bandwidth, per mille of the whole
 * @memory: of graphics memory, the same
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

/**
 * sched_load_changed() - what a client does in a turn is not what it was
 * @runq: the turn
 * @client: the client
 *
 * Its worker's CPU time is that of all engines: it is not known for which it was.
 *
 * Context: lock held.
 */
void sched_load_changed(struct sched_runq *runq, struct gslot_client *client)
{
	struct gslot_policy_load *load = &sched_policy_client(runq, client)->load;
	u32 i;

	lockdep_assert_held(&runq->sched->lock);
	load->cpu_ns = client->ops->cpu_ns(client->data);
	/* sched_look_at_copies() knows if there is any to be copied at all. */
	load->to_copy = 0;
	load->queued = 0;
	for (i = 0; i < GSLOT_NR_ENGINES; i++)
		if (runq->engines & BIT(i))
			load->queued += client->channel[i].waiting;
}

/**
 * sched_blocks() - how many requests may an engine be given that it never was?
 * @engine: the engine, somebody's
 *
 * Return: so many, or U32_MAX: any number.
 * Context: lock held.
 */
u32 sched_blocks(const struct sched_engine *engine)
{
	lockdep_assert_held(&engine->sched->lock);
	return gslot_policy_blocks(&engine->runq->policy);
}

/**
 * sched_dispatched() - an engine was given requests that it never was before
 * @engine: the engine, somebody's
 * @count: how many
 * @last: number of the last one
 *
 * What is preempted and given again is not counted twice.
 *
 * Context: lock held.
 */
void sched_dispatched(struct sched_engine *engine, u32 count, u64 last)
{
	struct gslot_client *client = engine->client;
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
