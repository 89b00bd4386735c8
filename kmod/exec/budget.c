// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: what a guest can make the host hold
 *
 * Contexts and rings stay until the room is needed: then those go that were not used
 * for longest. Copies of batches go with their requests, so who finds no room for one
 * has to wait, unless the request that wants it has it all itself.
 */
#include <linux/build_bug.h>
#include <linux/err.h>
#include <linux/list.h>

#include "exec_priv.h"

static_assert(EXEC_MAX_PAGES + EXEC_MAX_BATCH_PAGES <= GSLOT_EXEC_GGTT_PAGES);

/**
 * gslot_exec_host_memory() - what a guest can make the host hold
 * @tables: how many of its page tables may have a shadow at a time
 *
 * Return: bytes: contexts, rings, copies of batches, shadow tables.
 * Context: any.
 */
u64 gslot_exec_host_memory(u32 tables)
{
	return (u64)(EXEC_MAX_PAGES + EXEC_MAX_BATCH_PAGES) * GEN_PAGE_SIZE +
	       (u64)tables * PPGTT_TABLE_BYTES;
}

/**
 * exec_create_bo() - memory for a context or its ring
 * @exec: the vGPU's
 * @pages: how many
 * @keep: a context that is not to be evicted for it, or NULL
 *
 * There has to be room both in what this vGPU may use, and, in one piece, among its
 * entries of the GGTT.
 *
 * Return: the memory, or ERR_PTR: -ENOMEM, -ENOSPC, or -EDQUOT.
 * Context: lock held; may sleep.
 */
struct gslot_bo *exec_create_bo(struct gslot_exec *exec, u32 pages,
				const struct exec_context *keep)
{
	struct gslot_bo *bo;

	lockdep_assert_held(&exec->cfg.lock->mutex);
	while (exec->pages + pages > EXEC_MAX_PAGES)
		if (!exec_context_evict(exec, keep))
			return ERR_PTR(-EDQUOT);
	do {
		bo = gslot_bo_create(exec->cfg.hw, exec->cfg.quota, pages);
	} while (PTR_ERR_OR_ZERO(bo) == -ENOSPC && exec_context_evict(exec, keep));
	if (!IS_ERR(bo))
		exec->pages += pages;
	return bo;
}

/**
 * exec_destroy_bo() - undo exec_create_bo()
 * @exec: the vGPU's
 * @bo: the memory, or NULL; the GPU does not use it any more
 *
 * Context: lock held; may sleep.
 */
void exec_destroy_bo(struct gslot_exec *exec, struct gslot_bo *bo)
{
	lockdep_assert_held(&exec->cfg.lock->mutex);
	if (!bo)
		return;
	exec->pages -= bo->count;
	gslot_bo_destroy(bo);
}

/**
 * exec_batch_room() - is there room for copies of batches?
 * @exec: the vGPU's
 * @rq: the request that calls them
 * @pages: how many
 *
 * Return: 0; -EDQUOT if other requests may make some; -E2BIG if @rq has it all.
 * Context: lock held.
 */
int exec_batch_room(struct gslot_exec *exec, const struct exec_request *rq, u32 pages)
{
	const struct exec_batch *batch;
	u32 own = 0;

	lockdep_assert_held(&exec->cfg.lock->mutex);
	if (exec->batch_pages + pages <= EXEC_MAX_BATCH_PAGES)
		return 0;
	list_for_each_entry(batch, &rq->batches, link)
		own += batch->bo->count;
	return own + pages > EXEC_MAX_BATCH_PAGES ? -E2BIG : -EDQUOT;
}
