// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: the worker
 *
 * Everything that may sleep or takes long is done by one thread a vGPU, under
 * the vGPU's lock. A trapped register write or a hard interrupt only notes
 * what happened and wakes it.
 *
 * The lock is let go of after each submission, and within one as soon as the vGPU
 * is to stand still (gslot_guestmem_wanted()): what a guest submits may take
 * seconds, and VFIO does not wait that long for memory that it takes away.
 */
#include <linux/sched.h>
#include <linux/sched/mm.h>

#include "exec_priv.h"
#include "gen/regs.h"

void exec_kick(struct gslot_exec *exec)
{
	kthread_queue_work(exec->worker, &exec->work);
}

/* The scheduler's lock is held, perhaps in a hard interrupt. */
static void note_retired(void *data, enum gslot_engine_id engine, struct gslot_request *base,
			 enum gslot_request_result result)
{
	struct exec_request *rq = container_of(base, struct exec_request, base);
	struct gslot_exec *exec = data;

	rq->result = result;
	llist_add(&rq->retired, &exec->retired);
	exec_kick(exec);
}

static void note_user_interrupt(void *data, enum gslot_engine_id engine)
{
	struct gslot_exec *exec = data;

	exec->cfg.ops->user_interrupt(exec->cfg.data, engine);
}

static void note_released(void *data, enum gslot_engine_id engine)
{
	struct gslot_exec *exec = data;

	WRITE_ONCE(exec->released, true);
	exec_kick(exec);
}

static u32 listens(void *data)
{
	struct gslot_exec *exec = data;

	return exec->cfg.ops->listens(exec->cfg.data);
}

const struct gslot_client_ops exec_client_ops = {
	.retired = note_retired,
	.user_interrupt = note_user_interrupt,
	.released = note_released,
	.listens = listens,
};

static void context_done(struct exec_context *ctx)
{
	exec_context_complete(ctx);
	if (!ctx->exported)
		exec_context_export(ctx);
}

static void hang(struct exec_context *ctx, enum gslot_request_result result)
{
	struct gslot_exec *exec = ctx->exec;

	ctx->loaded = false;
	gslot_vexec_hang(&exec->engine[ctx->engine].ports);
	if (result == GSLOT_REQUEST_ERROR)
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
		exec_tell(exec, id, &events);
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
			exec_context_settle(container_of(awaited[i], struct exec_context, hw));
}

/* What retired, or left the hardware, may be the room that a submission waits for. */
static void hurry_attempts(struct gslot_exec *exec)
{
	u32 i;

	for (i = 0; i < GSLOT_NR_ENGINES; i++) {
		exec->engine[i].attempt.not_before = 0;
		exec->engine[i].attempt.starved = false;
	}
}

/**
 * exec_process_retired() - do what retired requests entail, in order
 * @exec: the vGPU's; its lock is held
 *
 * Return: whether there were any.
 */
bool exec_process_retired(struct gslot_exec *exec)
{
	struct gslot_hw_context *awaited[GSLOT_NR_ENGINES];
	struct exec_request *rq, *next;
	struct llist_node *list;

	find_awaited(exec, awaited);
	list = llist_reverse_order(llist_del_all(&exec->retired));
	llist_for_each_entry_safe(rq, next, list, retired)
		retire_one(exec, rq);
	settle(awaited);
	if (list)
		hurry_attempts(exec);
	return !!list;
}

/* The oldest submission that nobody has looked at, if the engine can take one. */
static bool take_latched(struct gslot_exec *exec, enum gslot_engine_id id,
			 struct exec_submission *submission)
{
	struct exec_engine *engine = &exec->engine[id];
	bool taken = false;

	if (engine->stopped || engine->queued >= EXEC_MAX_QUEUED)
		return false;
	spin_lock_irq(&exec->latch_lock);
	if (engine->nr_latched) {
		taken = true;
		*submission = engine->latched[0];
		engine->nr_latched--;
		memmove(&engine->latched[0], &engine->latched[1],
			engine->nr_latched * sizeof(engine->latched[0]));
	}
	spin_unlock_irq(&exec->latch_lock);
	return taken;
}

static void process_doomed(struct gslot_exec *exec)
{
	u64 pml4[EXEC_DOOMED];
	u32 i, n;

	spin_lock_irq(&exec->latch_lock);
	n = exec->nr_doomed;
	memcpy(pml4, exec->doomed, n * sizeof(pml4[0]));
	exec->nr_doomed = 0;
	spin_unlock_irq(&exec->latch_lock);
	for (i = 0; i < n; i++)
		ppgtt_root_doom(&exec->ppgtt, pml4[i] >> GEN_PAGE_SHIFT);
}

/* One submission of the engine whose turn it is. Return: whether there was one. */
static bool process_submission(struct gslot_exec *exec)
{
	struct exec_submission submission;
	u32 i;

	for (i = 0; i < GSLOT_NR_ENGINES; i++) {
		u32 id = (exec->turn + i) % GSLOT_NR_ENGINES;

		if (!exec->engine[id].attempt.valid && take_latched(exec, id, &submission))
			exec_attempt_start(exec, id, &submission);
		if (!exec_attempt_due(exec, id))
			continue;
		/* One that was interrupted goes on, before what it did is worth nothing. */
		exec->turn = id + exec_attempt(exec, id);
		return true;
	}
	return false;
}

/* The lock is not held for longer than this. Return: whether there was work. */
static bool step(struct gslot_exec *exec)
{
	bool retired;

	process_doomed(exec);
	retired = exec_process_retired(exec);
	if (xchg(&exec->released, false))
		hurry_attempts(exec);
	exec->interrupted = gslot_guestmem_wanted(exec->cfg.mem);
	if (exec->interrupted)
		return retired;
	ppgtt_reap(&exec->ppgtt);
	return process_submission(exec) || retired;
}

static void work_off(struct gslot_exec *exec)
{
	struct mem_cgroup *old = set_active_memcg(exec->memcg);
	bool more;

	do {
		mutex_lock(exec->cfg.lock);
		more = step(exec);
		mutex_unlock(exec->cfg.lock);
		cond_resched();
	} while (more);
	set_active_memcg(old);
}

void exec_work(struct kthread_work *work)
{
	work_off(container_of(work, struct gslot_exec, work));
}

void exec_retry_work(struct kthread_work *work)
{
	work_off(container_of(work, struct gslot_exec, retry.work));
}
