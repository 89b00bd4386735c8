// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: what a guest can make the host hold
 *
 * Contexts and rings stay until their room is needed: then the least recently used contexts are
 * evicted. Copies of batches live as long as their requests. If there is no room for a copy, its
 * submission waits until another request is retired, unless its own request uses all of the room.
 */
#include <linux/build_bug.h>
#include <linux/err.h>
#include <linux/slab.h>

#include "exec_priv.h"
#include "base/account.h"

#define MAX_PAGES	4096	/* contexts and rings: 16 MB of GGTT */
#define MAX_BATCH_PAGES	1024	/* copies of batches */
#define CACHE_LINE	64

static_assert(MAX_PAGES + MAX_BATCH_PAGES <= GSLOT_EXEC_GGTT_PAGES);

/**
 * gslot_exec_host_memory() - how much host memory a guest can make execution hold
 * @tables: how many of its page tables may have a shadow at a time
 *
 * Return: bytes of contexts, rings, copies of batches and shadow tables.
 * Context: any.
 */
u64 gslot_exec_host_memory(u32 tables)
{
	return (u64)(MAX_PAGES + MAX_BATCH_PAGES) * GEN_PAGE_SIZE +
	       (u64)tables * PPGTT_TABLE_BYTES;
}

/* Evict the least recently used context. Return: false if all are in use, or the one to @keep. */
static bool budget_evict(struct gslot_exec *exec, const struct exec_context *keep)
{
	struct exec_context *ctx;

	list_for_each_entry_reverse(ctx, &exec->contexts.list, link) {
		if (ctx == keep || ctx->in_flight ||
		    !gslot_sched_released(exec->client, ctx->engine, &ctx->hw))
			continue;
		exec_context_export(ctx);
		exec_context_destroy(ctx);
		exec->stats.evicted++;
		return true;
	}
	return false;
}

/*
 * Allocate memory for a context or its ring; to make room, contexts other than @keep are evicted.
 * The memory needs consecutive GGTT entries of the vGPU's quota.
 * Return: the memory, or ERR_PTR: -ENOMEM, -ENOSPC, or -EDQUOT.
 */
struct gslot_bo *exec_create_bo(struct gslot_exec *exec, u32 pages,
				const struct exec_context *keep)
{
	struct gslot_bo *bo;

	lockdep_assert_held(&exec->cfg.lock->mutex);
	while (exec->contexts.pages + pages > MAX_PAGES)
		if (!budget_evict(exec, keep))
			return ERR_PTR(-EDQUOT);
	do {
		bo = gslot_bo_create(exec->cfg.hw, exec->cfg.quota, pages);
	} while (PTR_ERR_OR_ZERO(bo) == -ENOSPC && budget_evict(exec, keep));
	if (!IS_ERR(bo))
		exec->contexts.pages += pages;
	return bo;
}

/* The GPU no longer uses @bo, which may be NULL. */
void exec_destroy_bo(struct gslot_exec *exec, struct gslot_bo *bo)
{
	lockdep_assert_held(&exec->cfg.lock->mutex);
	if (!bo)
		return;
	exec->contexts.pages -= bo->count;
	gslot_bo_destroy(bo);
}

/* Return: 0; -EDQUOT if other requests use the room; -E2BIG if @rq alone uses all of it. */
static int budget_check_batch(struct gslot_exec *exec, const struct exec_request *rq, u32 pages)
{
	const struct exec_batch *batch;
	u32 own = 0;

	if (exec->batch_pages + pages <= MAX_BATCH_PAGES)
		return 0;
	list_for_each_entry(batch, &rq->batches, link)
		own += batch->bo->count;
	return own + pages > MAX_BATCH_PAGES ? -E2BIG : -EDQUOT;
}

static struct exec_batch *budget_add_batch(struct gslot_exec *exec, struct exec_request *rq,
					   u32 pages)
{
	struct exec_batch *batch;
	int ret;

	ret = budget_check_batch(exec, rq, pages);
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

/*
 * Allocate memory for a copy of a batch that @rq calls, and that it keeps until it is retired.
 * @ggtt gets the physical graphics address of the copy, which no guest can access.
 * Return: the memory, zeroed; or ERR_PTR: -EDQUOT if other requests of the vGPU use the room,
 * -E2BIG if @rq alone does, -ENOMEM, -ENOSPC.
 */
void *exec_batch_alloc(struct gslot_exec *exec, struct exec_request *rq, u32 bytes, u64 *ggtt)
{
	struct exec_batch *batch = list_first_entry_or_null(&rq->batches, struct exec_batch, link);
	void *copy;

	lockdep_assert_held(&exec->cfg.lock->mutex);
	bytes = ALIGN(bytes, CACHE_LINE);
	if (!batch || batch->used + bytes > batch->bo->count * GEN_PAGE_SIZE)
		batch = budget_add_batch(exec, rq, DIV_ROUND_UP(bytes, GEN_PAGE_SIZE));
	if (IS_ERR(batch))
		return batch;
	copy = batch->bo->vaddr + batch->used;
	*ggtt = gslot_bo_ggtt(batch->bo) + batch->used;
	batch->used += bytes;
	return copy;
}

/* The request no longer runs. */
void exec_batches_free(struct gslot_exec *exec, struct exec_request *rq)
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
