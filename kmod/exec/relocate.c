// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: prepared commands of a vGPU that moves
 *
 * When a vGPU gets another place in graphics memory, the addresses in its unfinished requests
 * change. They release what they name before the move, and hold it again afterwards, with the new
 * addresses. Only kmod/places calls this.
 */
#include <linux/lockdep.h>

#include "exec_priv.h"

/**
 * gslot_exec_unhold() - release all graphics memory that prepared commands name
 * @exec: the vGPU's; quiesced, until gslot_exec_rehold()
 *
 * Context: the vGPU's lock is held; may sleep.
 */
void gslot_exec_unhold(struct gslot_exec *exec)
{
	struct exec_request *rq;
	struct exec_context *ctx;
	u32 i;

	lockdep_assert_held(&exec->cfg.lock->mutex);
	list_for_each_entry(rq, &exec->requests, link)
		exec_relocs_release(exec, &rq->relocs);
	list_for_each_entry(ctx, &exec->contexts.list, link)
		for (i = 0; i < EXEC_WA_BATCHES; i++)
			exec_relocs_release(exec, &ctx->wa_relocs[i]);
}

static int relocate_rehold_context(struct exec_context *ctx)
{
	int ret = 0;
	u32 i;

	for (i = 0; ctx->in_flight && !ret && i < EXEC_WA_BATCHES; i++)
		ret = exec_relocs_hold(ctx->exec, &ctx->wa_relocs[i]);
	return ret;
}

/**
 * gslot_exec_rehold() - undo gslot_exec_unhold()
 * @exec: the vGPU's; quiesced
 *
 * With a place this always succeeds. Without, other vGPUs may hold more by now.
 *
 * Return: 0, or as gslot_ggtt_hold(): then some of it is held, and gslot_exec_unhold() undoes
 * that.
 * Context: the vGPU's lock is held; may sleep.
 */
int gslot_exec_rehold(struct gslot_exec *exec)
{
	struct exec_request *rq;
	struct exec_context *ctx;
	int ret = 0;

	lockdep_assert_held(&exec->cfg.lock->mutex);
	list_for_each_entry(rq, &exec->requests, link) {
		ret = exec_relocs_hold(exec, &rq->relocs);
		if (ret)
			return ret;
	}
	list_for_each_entry(ctx, &exec->contexts.list, link) {
		ret = relocate_rehold_context(ctx);
		if (ret)
			return ret;
	}
	gslot_ggtt_publish(exec->cfg.ggtt);
	return 0;
}
