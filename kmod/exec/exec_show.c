// SPDX-License-Identifier: GPL-2.0
/* What debugfs shows of a vGPU's execution. */
#include <linux/seq_file.h>

#include "exec_priv.h"

static void show_ports(struct seq_file *m, const char *what,
		       const struct gslot_vexec_element ports[2])
{
	int i;

	for (i = 0; i < 2; i++)
		if (ports[i].valid)
			seq_printf(m, " %s%d=0x%x:%llu", what, i, ports[i].lrca, ports[i].last);
}

static void show_engine(struct seq_file *m, const struct exec_engine *engine, const char *name)
{
	seq_printf(m, "%s: queued=%u retired=%llu", name, engine->queued, engine->ports.retired);
	show_ports(m, "active", engine->ports.active);
	show_ports(m, "pending", engine->ports.pending);
	seq_printf(m, " hung=%u\n", engine->ports.hung);
}

/**
 * gslot_exec_show() - a vGPU's execution, for debugfs
 * @exec: the vGPU's
 * @m: where to
 *
 * Context: the vGPU's lock is held; may sleep.
 */
void gslot_exec_show(struct gslot_exec *exec, struct seq_file *m)
{
	struct ppgtt *ppgtt = &exec->ppgtt;
	struct exec_context *ctx;
	struct exec_request *rq;
	u32 i, contexts = 0, pending = 0, relocs = 0;

	lockdep_assert_held(&exec->cfg.lock->mutex);
	list_for_each_entry(rq, &exec->requests, link) {
		pending++;
		relocs += rq->relocs.count;
	}
	list_for_each_entry(ctx, &exec->contexts, link)
		contexts++;
	seq_printf(m, "submissions: %llu\nrefused: %llu\nretried: %llu\ndenied: %llu\n",
		   exec->submissions, exec->refused, exec->retried, exec->denied);
	seq_printf(m, "throttled: %llu\n", exec->throttled);
	seq_printf(m, "pending: %u\nrelocations: %u\n", pending, relocs);
	seq_printf(m, "user_copies: %llu\nbatch_pages: %u\n", exec->user_copies,
		   exec->batch_pages);
	seq_printf(m, "contexts: %u\ncontext_pages: %u\nimports: %llu\nexports: %llu\nevicted: %llu\n",
		   contexts, exec->pages, exec->imports, exec->exports, exec->evicted);
	seq_printf(m, "tables: %u\ncompared: %llu\nupdated: %llu\ninvalid_entries: %llu\n",
		   ppgtt->count, ppgtt->compared, ppgtt->updated, ppgtt->invalid);
	for (i = 0; i < GSLOT_NR_ENGINES; i++)
		show_engine(m, &exec->engine[i], gslot_engines[i].name);
	gslot_client_show(exec->client, m);
}
