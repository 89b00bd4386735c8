// SPDX-License-Identifier: GPL-2.0
/*
 * The dirty log (gm/guestmem_log.c): what the GPU writes for a vGPU. Commands with privilege write
 * where their relocations say; what they name is dirty when it is released, and in each report
 * until then. So is a context's status page, while the context is in flight.
 */
#include "exec_priv.h"

static void log_contexts(struct gslot_exec *exec)
{
	struct exec_context *ctx;
	struct exec_request *rq;
	u32 i;

	list_for_each_entry(rq, &exec->requests, link)
		exec_relocs_log(exec, &rq->relocs);
	list_for_each_entry(ctx, &exec->contexts.list, link) {
		for (i = 0; i < EXEC_WA_BATCHES; i++)
			exec_relocs_log(exec, &ctx->wa_relocs[i]);
		if (ctx->root && ctx->pphwsp)
			gslot_guest_page_set_dirty(ctx->pphwsp);
	}
}

/**
 * gslot_exec_log_start() - start the dirty log
 * @exec: the vGPU's
 *
 * The first report marks dirty what is in use by then.
 *
 * Context: the vGPU's lock is held.
 */
void gslot_exec_log_start(struct gslot_exec *exec)
{
	lockdep_assert_held(&exec->cfg.lock->mutex);
	exec->ppgtt.logging = true;
}

/**
 * gslot_exec_log_begin() - begin a report of the dirty log
 * @exec: the vGPU's
 *
 * Context: the vGPU's lock is held.
 */
void gslot_exec_log_begin(struct gslot_exec *exec)
{
	lockdep_assert_held(&exec->cfg.lock->mutex);
	ppgtt_log_next_round(&exec->ppgtt);
	log_contexts(exec);
}

/**
 * gslot_exec_log_stop() - stop the dirty log
 * @exec: the vGPU's
 *
 * Context: the vGPU's lock is held.
 */
void gslot_exec_log_stop(struct gslot_exec *exec)
{
	lockdep_assert_held(&exec->cfg.lock->mutex);
	exec->ppgtt.logging = false;
}

/**
 * gslot_exec_log_collect() - mark dirty what the GPU may have written before gslot_exec_log_begin()
 * @exec: the vGPU's
 * @key: 0 at first; a call that returns -EINTR leaves in it where to go on
 *
 * Return: 0; -EINTR if the vGPU's lock is contended: some is done, and the next call does more.
 * Context: the vGPU's lock is held; may sleep.
 */
int gslot_exec_log_collect(struct gslot_exec *exec, unsigned long *key)
{
	lockdep_assert_held(&exec->cfg.lock->mutex);
	return ppgtt_log_collect(&exec->ppgtt, key);
}
