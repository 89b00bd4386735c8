// SPDX-License-Identifier: GPL-2.0
/* What debugfs shows of the scheduler. */
#include <linux/bitops.h>
#include <linux/log2.h>
#include <linux/seq_file.h>

#include "sched_priv.h"

static u32 queued(const struct sched_channel *channel)
{
	struct gslot_request *rq;
	u32 n = 0;

	list_for_each_entry(rq, &channel->requests, link)
		n++;
	return n;
}

/* Of all engines together. */
static u64 counted(const struct gslot_meter *meter, enum gslot_meter_count what)
{
	u64 sum = 0;
	u32 i;

	for (i = 0; i < GSLOT_NR_ENGINES; i++)
		sum += meter->engine[i].count[what];
	return sum;
}

/* A client's turns, the time that it had in them, and what it owes, of all engines together. */
struct account {
	u64 turns;
	u64 held_ns;
	u64 debt_ns;
};

static struct account account(struct gslot_client *client, u64 now)
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

/* Of the last bucket, which has no end, where it begins is all that is known. */
static u64 percentile(const struct gslot_histogram *h, u32 per_mille)
{
	return min(gslot_histogram_percentile_us(h, per_mille),
		   gslot_histogram_from_us(GSLOT_HISTOGRAM_BUCKETS - 1));
}

static void show_histogram(struct seq_file *m, const char *engine, const char *what,
			   const struct gslot_histogram *h)
{
	u32 i;

	seq_printf(m, "%s_%s_us: count=%llu p50=%llu p99=%llu", engine, what,
		   gslot_histogram_total(h), percentile(h, 500), percentile(h, 990));
	for (i = 0; i < GSLOT_HISTOGRAM_BUCKETS; i++)
		if (h->count[i])
			seq_printf(m, " %llu=%llu", gslot_histogram_from_us(i), h->count[i]);
	seq_putc(m, '\n');
}

static void show_lag(struct seq_file *m, const char *engine, const struct gslot_policy *policy,
		     const struct gslot_policy_client *c)
{
	seq_printf(m, "%s_lag_ns: now=%lld most=%lld least=%lld quantum=%llu longest_yield=%llu\n",
		   engine, gslot_fair_lag_ns(policy, c), c->fair.most_lag_ns,
		   c->fair.least_lag_ns, policy->quantum_ns, policy->fair.stretch_ns);
}

static void show_channel(struct seq_file *m, struct gslot_client *client,
			 enum gslot_engine_id id)
{
	const struct sched_channel *channel = &client->channel[id];
	struct sched_engine *engine = &client->sched->engine[id];
	const struct sched_engine_meter *meter = &client->meter->engine[id];

	seq_printf(m, "%s_channel: busy_ns=%llu held_ns=%llu queued=%u waiting=%u seqno=%llu\n",
		   gslot_engines[id].name,
		   sched_meter_now(client->meter, engine, GSLOT_METER_BUSY_NS),
		   sched_meter_now(client->meter, engine, GSLOT_METER_HELD_NS),
		   queued(channel), channel->waiting, channel->seqno);
	show_lag(m, gslot_engines[id].name, &engine->runq->policy,
		 sched_policy_client(engine->runq, client));
	show_histogram(m, gslot_engines[id].name, "queue", &meter->queued);
	show_histogram(m, gslot_engines[id].name, "yield", &meter->yielded);
}

/**
 * gslot_client_show() - one client, for debugfs
 * @client: the client
 * @m: where to
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
	sum = account(client, now);
	seq_printf(m, "paused: %u\nstopped: %u\nheld_ns: %llu\nturns: %llu\npreemptions: %llu\n",
		   client->paused, client->stopped, sum.held_ns, sum.turns,
		   counted(client->meter, GSLOT_METER_PREEMPTIONS));
	seq_printf(m, "requests: %llu\nhangs: %llu\n",
		   counted(client->meter, GSLOT_METER_REQUESTS),
		   counted(client->meter, GSLOT_METER_HANGS));
	for (i = 0; i < GSLOT_NR_ENGINES; i++)
		show_channel(m, client, i);
	spin_unlock_irq(&sched->lock);
}

static void show_port(struct seq_file *m, const char *what, const struct sched_port *port,
		      const struct sched_engine *engine)
{
	if (port->context == &engine->preempt)
		seq_printf(m, " %s=idle", what);
	else if (port->context)
		seq_printf(m, " %s=%u:0x%x", what, port->context->id, port->tail);
}

static void show_engine(struct seq_file *m, const struct sched_engine *engine)
{
	seq_printf(m, "%s:", gslot_engines[engine->id].name);
	if (engine->client)
		seq_printf(m, " client=%s", engine->client->name);
	show_port(m, "active", &engine->active, engine);
	show_port(m, "pending", &engine->pending, engine);
	if (engine->leaving)
		seq_puts(m, " leaving=1");
	if (engine->deadline)
		seq_puts(m, " draining=1");
	if (engine->error)
		seq_puts(m, " error=1");
	if (engine->resetting)
		seq_puts(m, " resetting=1");
	seq_putc(m, '\n');
}

static void show_turn(struct seq_file *m, const struct sched_runq *runq)
{
	const struct gslot_client *owner = sched_owner(runq);
	const char *name = is_power_of_2(runq->engines) ?
			   gslot_engines[__ffs(runq->engines)].name : "all";

	seq_printf(m, "%s_turn: owner=%s leaving=%u turns=%llu switch_ns=%llu\n", name,
		   owner ? owner->name : "-", runq->policy.leaving, runq->policy.turns,
		   runq->switch_ns);
}

static void show_client(struct seq_file *m, struct gslot_client *client, u64 now)
{
	const struct account sum = account(client, now);

	seq_printf(m, "%s: turns=%llu held_ns=%llu requests=%llu hangs=%llu debt_ns=%llu\n",
		   client->name, sum.turns, sum.held_ns,
		   counted(client->meter, GSLOT_METER_REQUESTS),
		   counted(client->meter, GSLOT_METER_HANGS), sum.debt_ns);
}

/**
 * gslot_sched_show() - the scheduler, for debugfs
 * @sched: the scheduler
 * @m: where to
 *
 * Context: may sleep.
 */
void gslot_sched_show(struct gslot_sched *sched, struct seq_file *m)
{
	const struct gslot_policy *policy = &sched->runq[0].policy;
	struct gslot_client *client;
	struct sched_runq *runq;
	u64 turns = 0, switch_ns = 0, now;
	u32 i;

	spin_lock_irq(&sched->lock);
	now = ktime_get_ns();
	for (runq = sched->runq; runq < sched_runqs_end(sched); runq++) {
		turns += runq->policy.turns;
		switch_ns += runq->switch_ns;
	}
	seq_printf(m, "policy: %s\nquantum_ns: %llu\n", policy->ops->name, policy->quantum_ns);
	seq_printf(m, "turns: %llu\nswitch_ns: %llu\nload_ns: %llu\nengine_resets: %llu\n",
		   turns, switch_ns, sched->load_ns,
		   counted(sched->meter, GSLOT_METER_RESETS));
	if (sched->load_since && sched_owner(&sched->runq[0]))
		seq_printf(m, "loading: %s\n", sched_owner(&sched->runq[0])->name);
	for (runq = sched->runq; runq < sched_runqs_end(sched); runq++)
		if (runq->engines)
			show_turn(m, runq);
	for (i = 0; i < GSLOT_NR_ENGINES; i++)
		show_engine(m, &sched->engine[i]);
	list_for_each_entry(client, &sched->clients, link)
		show_client(m, client, now);
	spin_unlock_irq(&sched->lock);
}
