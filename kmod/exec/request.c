// SPDX-License-Identifier: GPL-2.0
/* Requests: the new part of a guest's ring, scanned, in the hardware's ring at the same offsets. */
#include <linux/bug.h>
#include <linux/err.h>
#include <linux/slab.h>

#include "exec_priv.h"
#include "base/account.h"
#include "base/trace.h"
#include "core/cmd/ring.h"
#include "gen/cmds.h"

/* Copy commands to the buffer, at the same offsets, and scan them there. */
static int request_scan(struct exec_request *rq, u32 from, u32 to, u32 *bad_cmd)
{
	struct exec_context *ctx = rq->context;
	u32 *cmds = ctx->exec->scratch.commands + from;
	struct exec_scan es = {
		.scan = { .kind = GSLOT_SCAN_RING, .level = GSLOT_LEVEL_RING },
		.ctx = ctx,
		.rq = rq,
		.relocs = &rq->relocs,
		.to = ctx->ring->vaddr + from,
	};
	int ret;

	ret = gslot_ggtt_read(ctx->exec->cfg.ggtt, ctx->lrc.start + from, cmds, to - from);
	if (ret)
		return ret;
	ret = exec_scan(&es, cmds, (to - from) / sizeof(u32));
	/* At the end of the ring the tail is 0. */
	if (!ret && es.scan.open && to % ctx->lrc.size == rq->base.tail) {
		es.scan.bad_cmd = MI_CMD(OP_MI_BATCH_BUFFER_START);
		ret = -EPERM;
	}
	if (ret)
		*bad_cmd = es.bad_user_cmd ?: es.scan.bad_cmd;
	return ret;
}

static void request_publish(struct exec_context *ctx, u32 from, u32 to)
{
	memcpy(ctx->ring->vaddr + from, ctx->exec->scratch.commands + from, to - from);
}

/* Do the offsets lie in the ring, and does the ring fit into the buffers allocated for it? */
static bool request_in_ring(const struct exec_context *ctx, u32 from, u32 to)
{
	u32 size = ctx->lrc.size;

	return from < size && to < size && size <= ctx->exec->scratch.commands_size &&
	       ctx->ring && size >> GEN_PAGE_SHIFT <= ctx->ring->count;
}

/*
 * Copy the commands of a request to the hardware's ring, scanned. They must not overwrite commands
 * before them that the hardware may still execute. Commands that do not pass are never written to
 * the hardware's ring.
 *
 * The last command must not start a batch: HEAD would be at the tail, where the request is
 * complete, while the batch is still to run.
 *
 * Return: 0; -EAGAIN if there is no room until a request of the context is retired; or -errno.
 */
static int request_copy(struct exec_request *rq, u32 *bad_cmd)
{
	struct exec_context *ctx = rq->context;
	u32 from = rq->base.head, to = rq->base.tail;
	u32 end = from <= to ? to : ctx->lrc.size;
	int ret;

	/* exec_context_load() has allocated the buffers. */
	if (WARN_ON_ONCE(!request_in_ring(ctx, from, to)))
		return -EINVAL;
	if (!gslot_ring_has_room(ctx->lrc.size, ctx->oldest, from, to))
		return -EAGAIN;
	ret = request_scan(rq, from, end, bad_cmd);
	if (!ret && to < from)
		ret = request_scan(rq, 0, to, bad_cmd);
	if (ret)
		return ret;
	request_publish(ctx, from, end);
	if (to < from)
		request_publish(ctx, 0, to);
	return 0;
}

static struct exec_request *request_create(struct exec_context *ctx)
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

/* The request is retired, or was never queued. */
void exec_request_free(struct exec_request *rq)
{
	struct gslot_exec *exec = rq->context->exec;

	lockdep_assert_held(&exec->cfg.lock->mutex);
	exec_batches_free(exec, rq);
	exec_relocs_free(exec, &rq->relocs);
	list_del(&rq->link);
	kfree(rq);
}

/* Sync the page tables, through which user batches are read. */
static int request_sync_tables(struct exec_context *ctx)
{
	struct ppgtt *ppgtt = &ctx->exec->ppgtt;
	u64 compared = ppgtt->compared, updated = ppgtt->updated, invalid = ppgtt->invalid;
	int ret = ppgtt_sync(ppgtt, ctx->root);

	trace_gslot_ppgtt_sync(ctx->exec->cfg.name, ctx->engine, ctx->hw.lrca,
			       ppgtt->compared - compared, ppgtt->updated - updated,
			       ppgtt->invalid - invalid, ret);
	return ret;
}

/*
 * Make a request of the new commands in a context's ring. @bad_cmd gets the command that was
 * refused, if one was.
 * Return: the request, NULL if there are no new commands, or ERR_PTR.
 */
struct exec_request *exec_request_prepare(struct exec_context *ctx, u32 *bad_cmd)
{
	struct exec_request *rq;
	int ret;

	lockdep_assert_held(&ctx->exec->cfg.lock->mutex);
	ret = exec_context_load(ctx);
	if (ret)
		return ERR_PTR(ret);
	if (ctx->lrc.tail == ctx->position)
		return NULL;
	rq = request_create(ctx);
	if (!rq)
		return ERR_PTR(-ENOMEM);
	ret = request_sync_tables(ctx);
	if (!ret)
		ret = request_copy(rq, bad_cmd);
	trace_gslot_request_prepare(ctx->exec->cfg.name, ctx->engine, ctx->hw.lrca, rq->base.head,
				    rq->base.tail, *bad_cmd, ret);
	if (ret) {
		exec_request_free(rq);
		return ERR_PTR(ret);
	}
	gslot_ggtt_publish(ctx->exec->cfg.ggtt);
	return rq;
}

/* Give a request to the scheduler. */
void exec_request_queue(struct exec_request *rq)
{
	struct exec_context *ctx = rq->context;
	struct gslot_exec *exec = ctx->exec;
	struct exec_engine *engine = &exec->engine[ctx->engine];

	lockdep_assert_held(&exec->cfg.lock->mutex);
	/* From here on the context's own image says where it is. */
	if (engine->batch.lrca == ctx->hw.lrca)
		engine->batch.lrca = 0;
	ctx->in_flight++;
	if (ctx->root)
		ppgtt_root_ran(&exec->ppgtt, ctx->root);
	ctx->position = rq->base.tail;
	engine->queued++;
	WRITE_ONCE(engine->tail, rq->base.tail);
	WRITE_ONCE(engine->start, ctx->lrc.start);
	gslot_sched_queue(exec->client, ctx->engine, &rq->base);
	/* Only this function queues, in order: so sequence numbers grow. */
	ctx->last = rq->base.seqno;
}
