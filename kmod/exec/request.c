// SPDX-License-Identifier: GPL-2.0
/*
 * Requests: what is new in a context's ring, prepared and queued.
 */
#include <linux/err.h>
#include <linux/slab.h>

#include "exec_priv.h"
#include "base/account.h"
#include "base/trace.h"

/* The guest moved the tail of a context that is in flight. */
static int read_tail(struct exec_context *ctx)
{
	u32 tail;
	int ret;

	ret = gslot_ggtt_read(ctx->exec->cfg.ggtt,
			      ctx->hw.lrca + LRC_STATE_PAGE * GEN_PAGE_SIZE +
			      LRC_RING_TAIL * sizeof(u32), &tail, sizeof(tail));
	if (ret)
		return ret;
	return exec_context_set_tail(ctx, tail);
}

static struct exec_request *create_request(struct exec_context *ctx)
{
	struct exec_request *rq = kzalloc(sizeof(*rq), GSLOT_GFP_GUEST);

	if (!rq)
		return NULL;
	INIT_LIST_HEAD(&rq->base.link);
	INIT_LIST_HEAD(&rq->batches);
	list_add_tail(&rq->link, &ctx->exec->requests);
	rq->context = ctx;
	rq->base.context = &ctx->hw;
	rq->base.head = ctx->position;
	rq->base.tail = ctx->lrc.tail;
	rq->base.ring_size = ctx->lrc.size;
	rq->relocs.hold = true;
	rq->budget = gslot_copy_budget;
	return rq;
}

/**
 * exec_put_request() - a request is over, or will not be queued
 * @rq: the request
 *
 * Context: lock held; may sleep.
 */
void exec_put_request(struct exec_request *rq)
{
	lockdep_assert_held(&rq->context->exec->cfg.lock->mutex);
	exec_free_batches(rq->context->exec, rq);
	exec_relocs_free(rq->context->exec, &rq->relocs);
	list_del(&rq->link);
	kfree(rq);
}

/* Batches are read through the tables. */
static int sync_tables(struct exec_context *ctx)
{
	struct ppgtt *ppgtt = &ctx->exec->ppgtt;
	u64 compared = ppgtt->compared, updated = ppgtt->updated, invalid = ppgtt->invalid;
	int ret = ppgtt_sync(ppgtt, ctx->root);

	trace_gslot_ppgtt_sync(ctx->exec->cfg.name, ctx->engine, ctx->hw.lrca,
			       ppgtt->compared - compared, ppgtt->updated - updated,
			       ppgtt->invalid - invalid, ret);
	return ret;
}

/**
 * exec_request_prepare() - make a request of what is new in a context's ring
 * @ctx: the context
 * @bad_cmd: the command that was refused, if one was
 *
 * Return: the request, NULL if nothing is new, or ERR_PTR.
 * Context: lock held; may sleep.
 */
struct exec_request *exec_request_prepare(struct exec_context *ctx, u32 *bad_cmd)
{
	struct exec_request *rq;
	int ret;

	lockdep_assert_held(&ctx->exec->cfg.lock->mutex);
	ret = ctx->in_flight ? read_tail(ctx) : exec_context_load(ctx);
	if (ret)
		return ERR_PTR(ret);
	if (ctx->lrc.tail == ctx->position)
		return NULL;
	rq = create_request(ctx);
	if (!rq)
		return ERR_PTR(-ENOMEM);
	ret = sync_tables(ctx);
	if (!ret)
		ret = exec_ring_copy(ctx, rq, ctx->position, ctx->lrc.tail, bad_cmd);
	trace_gslot_request_prepare(ctx->exec->cfg.name, ctx->engine, ctx->hw.lrca, rq->base.head,
				    rq->base.tail, *bad_cmd, ret);
	if (ret) {
		exec_put_request(rq);
		return ERR_PTR(ret);
	}
	gslot_ggtt_publish(ctx->exec->cfg.ggtt);
	return rq;
}

/**
 * exec_request_queue() - give a request to the scheduler
 * @rq: the request
 *
 * Context: lock held.
 */
void exec_request_queue(struct exec_request *rq)
{
	struct exec_context *ctx = rq->context;
	struct gslot_exec *exec = ctx->exec;
	struct exec_engine *engine = &exec->engine[ctx->engine];

	lockdep_assert_held(&exec->cfg.lock->mutex);
	ctx->in_flight++;
	ctx->position = rq->base.tail;
	engine->queued++;
	WRITE_ONCE(engine->tail, rq->base.tail);
	WRITE_ONCE(engine->start, ctx->lrc.start);
	gslot_sched_queue(exec->client, ctx->engine, &rq->base);
	/* Numbers are given in order, and only here. */
	ctx->last = rq->base.seqno;
}
