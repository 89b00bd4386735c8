// SPDX-License-Identifier: GPL-2.0
/* What debugfs shows of a vGPU's execution. */
#include <linux/seq_file.h>

#include "exec_priv.h"

static void exec_show_ports(struct seq_file *m, const char *what,
			    const struct gslot_vexec_element ports[2])
{
	int i;

	for (i = 0; i < 2; i++)
		if (ports[i].valid)
			seq_printf(m, " %s%d=0x%x:%llu", what, i, ports[i].lrca, ports[i].last);
}

static void exec_show_engine(struct seq_file *m, const struct exec_engine *engine,
			     const char *name)
{
	seq_printf(m, "%s: queued=%u retired=%llu", name, engine->queued, engine->ports.retired);
	exec_show_ports(m, "active", engine->ports.active);
	exec_show_ports(m, "pending", engine->ports.pending);
	seq_printf(m, " hung=%u\n", engine->ports.hung);
}

/**
 * gslot_exec_show() - show a vGPU's execution in debugfs
 * @exec: the vGPU's
 * @m: destination
 *
 * Context: the vGPU's lock is held; may sleep.
 */
void gslot_exec_show(struct gslot_exec *exec, struct seq_file *m)
{
	const struct exec_stats *stats = &exec->stats;
	const struct ppgtt *ppgtt = &exec->ppgtt;
	u32 i, contexts = 0, pending = 0, relocs = 0;
	struct exec_context *ctx;
	struct exec_request *rq;

	lockdep_assert_held(&exec->cfg.lock->mutex);
	list_for_each_entry(rq, &exec->requests, link) {
		pending++;
		relocs += rq->relocs.count;
	}
	list_for_each_entry(ctx, &exec->contexts.list, link)
		contexts++;
	seq_printf(m, "submissions: %llu\nrefused: %llu\nretried: %llu\ndenied: %llu\n",
		   stats->submissions, stats->refused, stats->retried, stats->denied);
	seq_printf(m, "throttled: %llu\n", stats->throttled);
	seq_printf(m, "pending: %u\nrelocations: %u\n", pending, relocs);
	seq_printf(m, "user_copies: %llu\nbatch_pages: %u\n", stats->user_copies,
		   exec->batch_pages);
	seq_printf(m, "contexts: %u\ncontext_pages: %u\nimports: %llu\nexports: %llu\n",
		   contexts, exec->contexts.pages, stats->imports, stats->exports);
	seq_printf(m, "evicted: %llu\n", stats->evicted);
	seq_printf(m, "tables: %u\ncompared: %llu\nupdated: %llu\ninvalid_entries: %llu\n"
		   "tracked: %u\n", ppgtt->count, ppgtt->compared, ppgtt->updated, ppgtt->invalid,
		   gslot_guestmem_tracked(exec->cfg.mem));
	for (i = 0; i < GSLOT_NR_ENGINES; i++)
		exec_show_engine(m, &exec->engine[i], gslot_engines[i].name);
	gslot_client_show(exec->client, m);
}
