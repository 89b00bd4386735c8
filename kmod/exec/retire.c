// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: from the end of a request to what the guest sees of it
 *
 * The scheduler says in a hard interrupt that a request is over, which is only noted.
 * The worker does what follows from it in order: the context's state goes to the
 * guest, then the events that tell about it.
 */
#include <linux/bug.h>
#include <linux/kernel.h>
#include <linux/llist.h>

#include "exec_priv.h"
#include "base/guest_error.h"
#include "gen/regs.h"

/*
 * The scheduler retires the last request that a context was given for when the hardware has let
 * go of it. If it had not, page tables would be freed that the GPU may use: so they are kept until
 * the context is loaded anew, or destroyed, both of which take a context that is released.
 */
static void context_done(struct exec_context *ctx)
{
	if (WARN_ON_ONCE(!gslot_sched_released(ctx->exec->client, ctx->engine, &ctx->hw)))
		return;
	exec_context_complete(ctx);
	if (!ctx->exported)
		exec_context_export(ctx);
}

static void hang(struct exec_context *ctx, enum gslot_request_result result)
{
	struct gslot_exec *exec = ctx->exec;

	/* What it had is lost: the guest's image is all there is. */
	ctx->loaded = false;
	ctx->dirty = false;
	gslot_vexec_hang(&exec->engine[ctx->engine].ports);
	if (result != GSLOT_REQUEST_ERROR)
		return;
	gslot_guest_err(exec->cfg.guest_errors, GSLOT_CAUSE_ENGINE, "%s: context 0x%x",
		       gslot_engines[ctx->engine].name, ctx->hw.lrca);
	exec->cfg.ops->cs_error(exec->cfg.data, ctx->engine, 0);
}

static void retire_one(struct gslot_exec *exec, struct exec_request *rq)
{
	struct exec_context *ctx = rq->context;
	enum gslot_engine_id id = ctx->engine;
	struct exec_engine *engine = &exec->engine[id];
	u64 seqno = rq->base.seqno;
	struct gslot_vexec_events events;

	engine->queued--;
	engine->waiting = false;
	ctx->oldest = rq->base.tail;
	ctx->in_flight--;
	WRITE_ONCE(engine->head, ctx->hw.state[LRC_RING_HEAD] & RING_HEAD_ADDR);
	if (rq->result == GSLOT_REQUEST_HUNG || rq->result == GSLOT_REQUEST_ERROR)
		hang(ctx, rq->result);
	if (!ctx->in_flight)
		context_done(ctx);
	exec_put_request(rq);
	gslot_vexec_retire(&engine->ports, seqno, &events);
	if (!engine->stopped)
		exec_notify(exec, id, &events);
}

/* The contexts whose images keep others from being loaded. */
static void find_awaited(struct gslot_exec *exec, struct gslot_hw_context *awaited[])
{
	u32 i;

	for (i = 0; i < GSLOT_NR_ENGINES; i++)
		awaited[i] = exec->engine[i].queued ? gslot_sched_awaited(exec->client, i) : NULL;
}

static void settle(struct gslot_hw_context *const awaited[])
{
	u32 i;

	for (i = 0; i < GSLOT_NR_ENGINES; i++)
		if (awaited[i])
			exec_context_writeback_done(container_of(awaited[i], struct exec_context, hw));
}

/**
 * exec_process_retired() - do what retired requests entail, in order
 * @exec: the vGPU's
 *
 * Return: whether there were any.
 * Context: lock held; may sleep.
 */
bool exec_process_retired(struct gslot_exec *exec)
{
	struct gslot_hw_context *awaited[GSLOT_NR_ENGINES];
	struct exec_request *rq, *next;
	struct llist_node *list;

	lockdep_assert_held(&exec->cfg.lock->mutex);
	find_awaited(exec, awaited);
	list = llist_reverse_order(llist_del_all(&exec->retired));
	llist_for_each_entry_safe(rq, next, list, retired)
		retire_one(exec, rq);
	settle(awaited);
	if (list)
		exec_hurry_attempts(exec);
	return !!list;
}
