// SPDX-License-Identifier: GPL-2.0
/* What debugfs shows of the scheduler. */
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
	struct gslot_client copy;
	u64 held_ns;
	u32 depth[GSLOT_NR_ENGINES];
	u32 i;

	spin_lock_irq(&sched->lock);
	copy = *client;
	held_ns = gslot_policy_held(&sched->policy, &client->policy, ktime_get_ns());
	for (i = 0; i < GSLOT_NR_ENGINES; i++) {
		depth[i] = queued(&client->channel[i]);
		if (sched->engine[i].client == client)
			copy.channel[i].busy_ns += sched_busy_running(&sched->engine[i]);
	}
	spin_unlock_irq(&sched->lock);

	seq_printf(m, "paused: %u\nheld_ns: %llu\nturns: %llu\npreemptions: %llu\n",
		   copy.paused, held_ns, copy.policy.turns, copy.preemptions);
	seq_printf(m, "requests: %llu\nhangs: %llu\n", copy.requests, copy.hangs);
	for (i = 0; i < GSLOT_NR_ENGINES; i++)
		seq_printf(m, "%s_channel: busy_ns=%llu held_ns=%llu queued=%u seqno=%llu\n",
			   gslot_engines[i].name, copy.channel[i].busy_ns,
			   copy.channel[i].held_ns, depth[i], copy.channel[i].seqno);
}

static void show_port(struct seq_file *m, const char *what, const struct sched_port *port,
		      const struct sched_engine *engine)
{
	if (port->context == &engine->idle)
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

/**
 * gslot_sched_show() - the scheduler, for debugfs
 * @sched: the scheduler
 * @m: where to
 *
 * Context: may sleep.
 */
void gslot_sched_show(struct gslot_sched *sched, struct seq_file *m)
{
	const struct gslot_policy *policy = &sched->policy;
	struct gslot_client *client, *owner;
	u32 i;

	spin_lock_irq(&sched->lock);
	owner = sched_owner(sched);
	seq_printf(m, "policy: %s\nquantum_ns: %llu\nowner: %s\nleaving: %u\n",
		   policy->ops->name, policy->quantum_ns, owner ? owner->name : "-",
		   policy->leaving);
	seq_printf(m, "turns: %llu\nswitch_ns: %llu\nload_ns: %llu\nengine_resets: %llu\n",
		   policy->turns, sched->switch_ns, sched->loader.ns, sched->resets);
	if (sched->loader.client)
		seq_printf(m, "loading: %s\n", sched->loader.client->name);
	for (i = 0; i < GSLOT_NR_ENGINES; i++)
		show_engine(m, &sched->engine[i]);
	list_for_each_entry(client, &sched->clients, link)
		seq_printf(m, "%s: turns=%llu held_ns=%llu requests=%llu hangs=%llu debt_ns=%llu\n",
			   client->name, client->policy.turns, client->policy.held_ns,
			   client->requests, client->hangs, client->policy.rr.debt_ns);
	spin_unlock_irq(&sched->lock);
}
