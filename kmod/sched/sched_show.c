// SPDX-License-Identifier: GPL-2.0
/* What debugfs shows of the scheduler. */
#include <linux/bitops.h>
#include <linux/log2.h>
#include <linux/seq_file.h>

#include "sched_priv.h"
#include "core/sched/fair.h"

static u32 sched_show_queued(const struct sched_channel *channel)
{
	struct gslot_request *rq;
	u32 n = 0;

	list_for_each_entry(rq, &channel->requests, link)
		n++;
	return n;
}

/* On all engines together. */
static u64 sched_show_sum(const struct gslot_meter *meter, enum gslot_meter_count what)
{
	u64 sum = 0;
	u32 i;

	for (i = 0; i < GSLOT_NR_ENGINES; i++)
		sum += meter->engine[i].count[what];
	return sum;
}

/* A client's turns, their time, and its debts, on all run queues together. */
struct account {
	u64 turns;
	u64 held_ns;
	u64 debt_ns;
};

static struct account sched_show_account(struct gslot_client *client, u64 now)
{
	struct account sum = { };
	struct sched_runq *runq;

	for (runq = client->sched->runq; runq < sched_runqs_end(client->sched); runq++) {
		const struct gslot_policy_client *c = sched_policy_client(runq, client);

		sum.turns += c->turns;
		sum.held_ns += gslot_policy_held(&runq->policy, c, now);
		sum.debt_ns += c->debt.debt_ns;
	}
	return sum;
}

/* The last bucket has no end: only where it begins is known. */
static u64 sched_show_percentile(const struct gslot_histogram *h, u32 per_mille)
{
	return min(gslot_histogram_percentile_us(h, per_mille),
		   gslot_histogram_from_us(GSLOT_HISTOGRAM_BUCKETS - 1));
}

static void sched_show_histogram(struct seq_file *m, const char *engine, const char *what,
				 const struct gslot_histogram *h)
{
	u32 i;

	seq_printf(m, "%s_%s_us: count=%llu p50=%llu p99=%llu", engine, what,
		   gslot_histogram_total(h), sched_show_percentile(h, 500),
		   sched_show_percentile(h, 990));
	for (i = 0; i < GSLOT_HISTOGRAM_BUCKETS; i++)
		if (h->count[i])
			seq_printf(m, " %llu=%llu", gslot_histogram_from_us(i), h->count[i]);
	seq_putc(m, '\n');
}

static void sched_show_lag(struct seq_file *m, const char *engine,
			   const struct gslot_policy *policy, const struct gslot_policy_client *c)
{
	seq_printf(m, "%s_lag_ns: now=%lld most=%lld least=%lld quantum=%llu longest_yield=%llu\n",
		   engine, gslot_fair_lag_ns(policy, c), c->fair.most_lag_ns,
		   c->fair.least_lag_ns, policy->quantum_ns, policy->fair.stretch_ns);
}

static void sched_show_channel(struct seq_file *m, struct gslot_client *client,
			       enum gslot_engine_id id)
{
	const struct sched_channel *channel = &client->channel[id];
	struct sched_engine *engine = &client->sched->engine[id];
	const struct sched_engine_meter *meter = &client->meter->engine[id];

	seq_printf(m, "%s_channel: busy_ns=%llu held_ns=%llu queued=%u waiting=%u seqno=%llu\n",
		   gslot_engines[id].name,
		   sched_meter_now(client->meter, engine, GSLOT_METER_BUSY_NS),
		   sched_meter_now(client->meter, engine, GSLOT_METER_HELD_NS),
		   sched_show_queued(channel), channel->waiting, channel->seqno);
	sched_show_lag(m, gslot_engines[id].name, &engine->runq->policy,
		       sched_policy_client(engine->runq, client));
	sched_show_histogram(m, gslot_engines[id].name, "queue", &meter->queued);
	sched_show_histogram(m, gslot_engines[id].name, "yield", &meter->yielded);
}

/**
 * gslot_client_show() - show a client in debugfs
 * @client: the client
 * @m: the file
 *
 * Context: may sleep.
 */
void gslot_client_show(struct gslot_client *client, struct seq_file *m)
{
	struct gslot_sched *sched = client->sched;
	struct account sum;
	u64 now;
	u32 i;

	spin_lock_irq(&sched->lock);
	now = ktime_get_ns();
	sum = sched_show_account(client, now);
	seq_printf(m, "paused: %u\nstopped: %u\nheld_ns: %llu\nturns: %llu\npreemptions: %llu\n",
		   client->paused, client->stopped, sum.held_ns, sum.turns,
		   sched_show_sum(client->meter, GSLOT_METER_PREEMPTIONS));
	seq_printf(m, "requests: %llu\nhangs: %llu\n",
		   sched_show_sum(client->meter, GSLOT_METER_REQUESTS),
		   sched_show_sum(client->meter, GSLOT_METER_HANGS));
	for (i = 0; i < GSLOT_NR_ENGINES; i++)
		sched_show_channel(m, client, i);
	spin_unlock_irq(&sched->lock);
}

static void sched_show_port(struct seq_file *m, const char *what, const struct sched_port *port,
			    const struct sched_engine *engine)
{
	if (port->context == &engine->preempt)
		seq_printf(m, " %s=idle", what);
	else if (port->context)
		seq_printf(m, " %s=%u:0x%x", what, port->context->id, port->tail);
}

static const char *const sched_show_states[] = {
	[SCHED_ENGINE_FREE] = "free",
	[SCHED_ENGINE_OWNED] = "owned",
	[SCHED_ENGINE_DRAINING] = "draining",
	[SCHED_ENGINE_LATE] = "late",
	[SCHED_ENGINE_FAILED] = "failed",
	[SCHED_ENGINE_RESETTING] = "resetting",
};

static void sched_show_engine(struct seq_file *m, const struct sched_engine *engine)
{
	seq_printf(m, "%s: state=%s owner=%s", gslot_engines[engine->id].name,
		   sched_show_states[engine->state], engine->owner ? engine->owner->name : "-");
	sched_show_port(m, "active", &engine->active, engine);
	sched_show_port(m, "pending", &engine->pending, engine);
	seq_putc(m, '\n');
}

static void sched_show_runq(struct seq_file *m, const struct sched_runq *runq)
{
	const struct gslot_client *owner = sched_owner(runq);
	const char *name = is_power_of_2(runq->engines) ?
			   gslot_engines[__ffs(runq->engines)].name : "all";

	seq_printf(m, "%s_runq: owner=%s leaving=%u turns=%llu switch_ns=%llu\n", name,
		   owner ? owner->name : "-", runq->policy.leaving, runq->policy.turns,
		   runq->switch_ns);
}

static void sched_show_client(struct seq_file *m, struct gslot_client *client, u64 now)
{
	const struct account sum = sched_show_account(client, now);

	seq_printf(m, "%s: turns=%llu held_ns=%llu requests=%llu hangs=%llu debt_ns=%llu\n",
		   client->name, sum.turns, sum.held_ns,
		   sched_show_sum(client->meter, GSLOT_METER_REQUESTS),
		   sched_show_sum(client->meter, GSLOT_METER_HANGS), sum.debt_ns);
}

/**
 * gslot_sched_show() - show the scheduler in debugfs
 * @sched: the scheduler
 * @m: the file
 *
 * Context: may sleep.
 */
void gslot_sched_show(struct gslot_sched *sched, struct seq_file *m)
{
	const struct gslot_policy *policy = &sched->runq[0].policy;
	const struct sched_engine *engine;
	struct gslot_client *client;
	struct sched_runq *runq;
	u64 turns = 0, switch_ns = 0, now;

	spin_lock_irq(&sched->lock);
	now = ktime_get_ns();
	for (runq = sched->runq; runq < sched_runqs_end(sched); runq++) {
		turns += runq->policy.turns;
		switch_ns += runq->switch_ns;
	}
	seq_printf(m, "policy: %s\nquantum_ns: %llu\n", policy->ops->name, policy->quantum_ns);
	seq_printf(m, "turns: %llu\nswitch_ns: %llu\nload_ns: %llu\nengine_resets: %llu\n",
		   turns, switch_ns, sched->load_ns,
		   sched_show_sum(sched->meter, GSLOT_METER_RESETS));
	seq_printf(m, "timer_irqs: %llu\ntimer_least_gap_ns: %llu\n", sched->timer.irqs,
		   sched->timer.least_gap_ns);
	if (sched->load_since && sched_owner(&sched->runq[0]))
		seq_printf(m, "loading: %s\n", sched_owner(&sched->runq[0])->name);
	for (runq = sched->runq; runq < sched_runqs_end(sched); runq++)
		if (runq->engines)
			sched_show_runq(m, runq);
	for (engine = sched->engine; engine < sched_engines_end(sched); engine++)
		sched_show_engine(m, engine);
	list_for_each_entry(client, &sched->clients, link)
		sched_show_client(m, client, now);
	spin_unlock_irq(&sched->lock);
}
