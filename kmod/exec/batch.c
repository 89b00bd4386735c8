// SPDX-License-Identifier: GPL-2.0
/*
 * Memory for copies of batches.
 */
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "exec_priv.h"
#include "base/account.h"

#define CACHE_LINE	64

static struct exec_batch *add_batch(struct gslot_exec *exec, struct exec_request *rq, u32 pages)
{
	struct exec_batch *batch;
	int ret;

	ret = exec_batch_room(exec, rq, pages);
	if (ret)
		return ERR_PTR(ret);
	batch = kzalloc(sizeof(*batch), GSLOT_GFP_GUEST);
	if (!batch)
		return ERR_PTR(-ENOMEM);
	batch->bo = gslot_bo_create(exec->cfg.hw, exec->cfg.quota, pages);
	if (IS_ERR(batch->bo)) {
		ret = PTR_ERR(batch->bo);
		kfree(batch);
		return ERR_PTR(ret);
	}
	exec->batch_pages += pages;
	list_add(&batch->link, &rq->batches);
	return batch;
}

/**
 * exec_batch_alloc() - get memory for a copy of a batch
 * @exec: the vGPU's
 * @rq: the request that calls it, and keeps it until it is retired
 * @bytes: how large it is
 * @ggtt: where the GPU sees it; no guest does
 *
 * Return: the memory, zeroed; -EDQUOT if other requests of the vGPU have what is
 * missing; or another ERR_PTR.
 * Context: lock held; may sleep.
 */
void *exec_batch_alloc(struct gslot_exec *exec, struct exec_request *rq, u32 bytes, u64 *ggtt)
{
	struct exec_batch *batch = list_first_entry_or_null(&rq->batches, struct exec_batch, link);
	void *place;

	lockdep_assert_held(&exec->cfg.lock->mutex);
	bytes = ALIGN(bytes, CACHE_LINE);
	if (!batch || batch->used + bytes > batch->bo->count * GEN_PAGE_SIZE)
		batch = add_batch(exec, rq, DIV_ROUND_UP(bytes, GEN_PAGE_SIZE));
	if (IS_ERR(batch))
		return batch;
	place = batch->bo->vaddr + batch->used;
	*ggtt = gslot_bo_ggtt(batch->bo) + batch->used;
	batch->used += bytes;
	return place;
}

/**
 * exec_free_batches() - nobody executes a request's batches any more
 * @exec: the vGPU's
 * @rq: the request
 *
 * Context: lock held; may sleep.
 */
void exec_free_batches(struct gslot_exec *exec, struct exec_request *rq)
{
	struct exec_batch *batch, *next;

	lockdep_assert_held(&exec->cfg.lock->mutex);
	list_for_each_entry_safe(batch, next, &rq->batches, link) {
		exec->batch_pages -= batch->bo->count;
		gslot_bo_destroy(batch->bo);
		kfree(batch);
	}
	INIT_LIST_HEAD(&rq->batches);
}
