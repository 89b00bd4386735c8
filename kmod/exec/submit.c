// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: from a submission to requests
 *
 * Each of the two elements is a context whose tail has moved. What is new
 * becomes a request; then the guest is told that its list was taken. A list
 * that cannot be executed is not told about at all: the virtual engine hangs,
 * as the hardware would, and the guest's own recovery must deal with it.
 */
#include <linux/err.h>
#include <linux/slab.h>

#include "exec_priv.h"

void exec_tell(struct gslot_exec *exec, enum gslot_engine_id engine,
	       const struct gslot_vexec_events *events)
{
	const struct gslot_exec_ops *ops = exec->cfg.ops;
	u32 i;

	for (i = 0; i < events->count; i++)
		ops->csb(exec->cfg.data, engine, events->event[i].status, events->event[i].id);
	if (events->count)
		ops->csb_irq(exec->cfg.data, engine);
}

static void refuse(struct gslot_exec *exec, enum gslot_engine_id engine, u64 desc, int err,
		   u32 bad_cmd)
{
	exec->refused++;
	gslot_vexec_hang(&exec->engine[engine].ports);
	dev_warn_ratelimited(gslot_hw_dev(exec->cfg.hw),
			     "%s: %s: context 0x%llx refused (%d), command 0x%08x\n",
			     exec->cfg.name, gslot_engines[engine].name, desc, err, bad_cmd);
	if (bad_cmd)
		exec->cfg.ops->cs_error(exec->cfg.data, engine, bad_cmd);
}

static int check_desc(struct gslot_exec *exec, enum gslot_engine_id engine, u64 desc)
{
	u32 addressing = (desc & CTX_DESC_ADDRESSING) >> CTX_DESC_ADDRESSING_SHIFT;

	if (!gslot_hw_has_engine(exec->cfg.hw, engine))
		return -ENODEV;
	if (!(desc & CTX_DESC_VALID) || addressing != CTX_ADDRESSING_LEGACY_64B)
		return -EINVAL;
	return 0;
}

/* The guest moved the tail of a context that is in flight. */
static int read_tail(struct exec_context *ctx)
{
	u32 tail;
	int err;

	err = gslot_ggtt_read(ctx->exec->cfg.ggtt,
			      ctx->lrca + LRC_STATE_PAGE * GEN_PAGE_SIZE +
			      LRC_RING_TAIL * sizeof(u32), &tail, sizeof(tail));
	if (err)
		return err;
	return exec_context_set_tail(ctx, tail);
}

static struct exec_request *create_request(struct exec_context *ctx)
{
	struct exec_request *rq = kzalloc(sizeof(*rq), GFP_KERNEL);

	if (!rq)
		return NULL;
	INIT_LIST_HEAD(&rq->base.link);
	INIT_LIST_HEAD(&rq->batches);
	rq->context = ctx;
	rq->base.context = &ctx->hw;
	rq->base.head = ctx->position;
	rq->base.tail = ctx->lrc.tail;
	rq->base.ring_size = ctx->lrc.size;
	return rq;
}

void exec_put_request(struct exec_request *rq)
{
	exec_free_batches(rq->context->exec, rq);
	kfree(rq);
}

static void queue_request(struct exec_context *ctx, struct exec_request *rq)
{
	struct gslot_exec *exec = ctx->exec;
	struct exec_engine *engine = &exec->engine[ctx->engine];

	ctx->in_flight++;
	ctx->position = rq->base.tail;
	engine->queued++;
	WRITE_ONCE(engine->tail, rq->base.tail);
	WRITE_ONCE(engine->start, ctx->lrc.start);
	gslot_sched_queue(exec->client, ctx->engine, &rq->base);
	/* Numbers are given in order, and only here. */
	ctx->last = rq->base.seqno;
}

/* Return: the request for what is new, NULL if nothing is, or ERR_PTR. */
static struct exec_request *prepare(struct exec_context *ctx, u32 *bad_cmd)
{
	struct exec_request *rq;
	int err;

	err = ctx->in_flight ? read_tail(ctx) : exec_context_load(ctx);
	if (err)
		return ERR_PTR(err);
	if (ctx->lrc.tail == ctx->position)
		return NULL;
	rq = create_request(ctx);
	if (!rq)
		return ERR_PTR(-ENOMEM);
	err = exec_ring_copy(ctx, rq, ctx->position, ctx->lrc.tail, bad_cmd);
	if (!err)
		err = ppgtt_sync(&ctx->exec->ppgtt, ctx->root);
	if (err) {
		exec_put_request(rq);
		return ERR_PTR(err);
	}
	return rq;
}

static int submit_element(struct gslot_exec *exec, enum gslot_engine_id engine, u64 desc,
			  struct gslot_vexec_element *element, u32 *bad_cmd)
{
	struct exec_context *ctx;
	struct exec_request *rq;
	int err;

	err = check_desc(exec, engine, desc);
	if (err)
		return err;
	ctx = exec_context_get(exec, engine, desc & CTX_DESC_LRCA);
	if (IS_ERR(ctx))
		return PTR_ERR(ctx);
	rq = prepare(ctx, bad_cmd);
	if (!IS_ERR_OR_NULL(rq))
		queue_request(ctx, rq);
	else if (!ctx->in_flight)	/* loaded for nothing */
		exec_context_put_root(ctx);
	if (IS_ERR(rq))
		return PTR_ERR(rq);
	element->lrca = ctx->lrca;
	element->id = upper_32_bits(desc);
	element->last = ctx->last;
	element->valid = true;
	return 0;
}

/**
 * exec_submit_one() - take a submission of the guest
 * @exec: the vGPU's
 * @id: the engine
 * @submission: the descriptors
 *
 * Return: 0 if it was taken or refused; -EAGAIN if there is no room for it
 * before a request of this engine is retired. It is to be repeated then: what
 * was queued of it already is not queued twice.
 */
int exec_submit_one(struct gslot_exec *exec, enum gslot_engine_id id,
		    const struct exec_submission *submission)
{
	struct gslot_vexec_element list[2] = { };
	struct gslot_vexec_events events;
	u32 bad_cmd = 0;
	int i, err;

	if (exec->engine[id].ports.hung)
		return 0;
	gslot_ggtt_sync(exec->cfg.ggtt);
	ppgtt_next_generation(&exec->ppgtt);
	for (i = 0; i < 2; i++) {
		u64 desc = submission->desc[i];

		if (i && !(desc & CTX_DESC_VALID))
			break;
		err = submit_element(exec, id, desc, &list[i], &bad_cmd);
		if (err == -EAGAIN && exec->engine[id].queued)
			return err;
		if (err) {
			refuse(exec, id, desc, err, bad_cmd);
			return 0;
		}
	}
	gslot_vexec_submit(&exec->engine[id].ports, list, &events);
	exec_tell(exec, id, &events);
	return 0;
}
