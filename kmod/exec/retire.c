// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: from the end of a request to what the guest sees of it
 *
 * The scheduler retires a request in a hard interrupt, which only adds it to a list. The worker
 * processes the list in order: it writes the context's state to the guest's image, then the events
 * that report it.
 */
#include <linux/bug.h>
#include <linux/kernel.h>

#include "exec_priv.h"
#include "base/guest_error.h"
#include "gen/regs.h"

/* Write context status events for the guest, in order. */
void exec_notify(struct gslot_exec *exec, enum gslot_engine_id engine,
		 const struct gslot_vexec_events *events)
{
	const struct gslot_exec_ops *ops = exec->cfg.ops;
	u32 i;

	lockdep_assert_held(&exec->cfg.lock->mutex);
	for (i = 0; i < events->count; i++)
		ops->csb(exec->cfg.data, engine, events->event[i].status, events->event[i].id);
	ops->changed(exec->cfg.data, engine);
	if (events->count)
		ops->csb_irq(exec->cfg.data, engine);
}

/**
 * gslot_exec_read_reg() - read a ring register as the guest sees it
 * @exec: the vGPU's
 * @id: the engine
 * @reg: RING_HEAD, RING_TAIL, RING_START, RING_ACTHD or RING_EXECLIST_STATUS_HI, by which a driver
 *	finds the context to blame for a hang
 *
 * Return: its value as of the last completion; 0 for other registers.
 * Context: any.
 */
u32 gslot_exec_read_reg(struct gslot_exec *exec, enum gslot_engine_id id, u32 reg)
{
	const struct exec_engine *engine = &exec->engine[id];

	switch (reg) {
	case RING_HEAD:
		return READ_ONCE(engine->head);
	case RING_TAIL:
		return READ_ONCE(engine->tail);
	case RING_START:
		return READ_ONCE(engine->start);
	case RING_ACTHD:
		return READ_ONCE(engine->start) + READ_ONCE(engine->head);
	case RING_EXECLIST_STATUS_HI:
		return READ_ONCE(engine->ports.active[0].valid) ?
		       READ_ONCE(engine->ports.active[0].id) : 0;
	default:
		return 0;
	}
}

/*
 * The last request of a context is retired. By then the hardware has released the context: else
 * this would free page tables that the GPU may still use. If it has not, by an error of the
 * scheduler, the page tables stay until the context is loaded again or destroyed, which both need
 * the release.
 */
static void retire_context(struct exec_context *ctx)
{
	if (WARN_ON_ONCE(!gslot_sched_released(ctx->exec->client, ctx->engine, &ctx->hw)))
		return;
	exec_context_unload(ctx);
	exec_context_report(ctx);
	if (!ctx->exported)
		exec_context_export(ctx);
}

static void retire_hung(struct exec_context *ctx, enum gslot_request_result result)
{
	struct gslot_exec *exec = ctx->exec;

	/* The hardware's state is lost: only the guest's image is left. */
	ctx->loaded = false;
	ctx->dirty = false;
	gslot_vexec_hang(&exec->engine[ctx->engine].ports);
	if (result != GSLOT_REQUEST_ERROR)
		return;
	gslot_guest_err(exec->cfg.guest_errors, GSLOT_GUEST_ERR_ENGINE, "%s: context 0x%x",
			gslot_engines[ctx->engine].name, ctx->hw.lrca);
	exec->cfg.ops->cs_error(exec->cfg.data, ctx->engine, 0);
}

static void retire_request(struct gslot_exec *exec, struct exec_request *rq)
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
		retire_hung(ctx, rq->result);
	if (!ctx->in_flight)
		retire_context(ctx);
	exec_request_free(rq);
	gslot_vexec_retire(&engine->ports, seqno, &events);
	if (!engine->resetting)
		exec_notify(exec, id, &events);
}

/*
 * Process retired requests, in order. Then write back the contexts for which the scheduler waits
 * before it loads the next ones. gslot_sched_awaited() names a context when its requests are
 * retired: so it is called before the list of retired requests is taken, which has all of them
 * then.
 * Return: whether there were retired requests.
 */
bool exec_process_retired(struct gslot_exec *exec)
{
	struct gslot_hw_context *awaited[GSLOT_NR_ENGINES];
	struct exec_request *rq, *next;
	struct llist_node *list;
	u32 i;

	lockdep_assert_held(&exec->cfg.lock->mutex);
	for (i = 0; i < GSLOT_NR_ENGINES; i++)
		awaited[i] = exec->engine[i].queued ? gslot_sched_awaited(exec->client, i) : NULL;
	list = llist_reverse_order(llist_del_all(&exec->worker.retired));
	llist_for_each_entry_safe(rq, next, list, retired)
		retire_request(exec, rq);
	for (i = 0; i < GSLOT_NR_ENGINES; i++)
		if (awaited[i])
			exec_context_write_back(container_of(awaited[i], struct exec_context, hw));
	if (list)
		exec_attempts_retry_now(exec);
	return !!list;
}
