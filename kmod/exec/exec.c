// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: execution
 *
 * What the vGPU asks of execution: submissions, resets, and standing still.
 * See exec.h for the contract, worker.c for who does the work.
 */
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/ktime.h>
#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "exec_priv.h"
#include "../account.h"
#include "../compat.h"
#include "gen/regs.h"

/* How long gslot_exec_drop_all() keeps the vGPU's lock at a time. */
#define DROP_MS		20

static int alloc_buffers(struct gslot_exec *exec)
{
	exec->state = kmalloc(GEN_PAGE_SIZE, GSLOT_GFP_GUEST);
	exec->image = kvmalloc(GEN9_RCS_CTX_PAGES * GEN_PAGE_SIZE, GSLOT_GFP_GUEST);
	exec->batch = kvmalloc(EXEC_BATCH_BYTES, GSLOT_GFP_GUEST);
	return exec->state && exec->image && exec->batch ? 0 : -ENOMEM;
}

static void free_buffers(struct gslot_exec *exec)
{
	kvfree(exec->user_copy);
	kvfree(exec->commands);
	kvfree(exec->batch);
	kvfree(exec->image);
	kfree(exec->state);
}

static void invalidate_tlbs(void *data)
{
	struct gslot_exec *exec = data;

	gslot_sched_invalidate_tlbs(exec->cfg.sched, exec->client);
}

/**
 * gslot_exec_create() - make a vGPU able to execute
 * @config: the layers around it
 *
 * Return: the object, or ERR_PTR. Context: may sleep.
 */
struct gslot_exec *gslot_exec_create(const struct gslot_exec_config *config)
{
	struct gslot_exec *exec = kzalloc(sizeof(*exec), GSLOT_GFP_GUEST);
	int err;

	if (!exec)
		return ERR_PTR(-ENOMEM);
	exec->cfg = *config;
	exec->gen = gslot_hw_gen(config->hw);
	spin_lock_init(&exec->latch_lock);
	mutex_init(&exec->reset_lock);
	mutex_init(&exec->quiesce_lock);
	init_llist_head(&exec->retired);
	INIT_LIST_HEAD(&exec->contexts);
	hash_init(exec->by_lrca);
	kthread_init_work(&exec->work, exec_work);
	kthread_init_delayed_work(&exec->retry, exec_retry_work);

	err = alloc_buffers(exec);
	if (err)
		goto err_buffers;
	err = ppgtt_init(&exec->ppgtt, config->hw, config->mem, config->max_tables,
			 invalidate_tlbs, exec);
	if (err)
		goto err_buffers;
	exec->worker = kthread_run_worker(0, "gslot/%s", config->name);
	if (IS_ERR(exec->worker)) {
		err = PTR_ERR(exec->worker);
		goto err_ppgtt;
	}
	exec->memcg = get_mem_cgroup_from_mm(current->mm);
	exec->client = gslot_client_create(config->sched, config->name,
					   &exec_client_ops, exec);
	if (IS_ERR(exec->client)) {
		err = PTR_ERR(exec->client);
		exec->client = NULL;
		goto err_worker;
	}
	return exec;

err_worker:
	mem_cgroup_put(exec->memcg);
	kthread_destroy_worker(exec->worker);
err_ppgtt:
	ppgtt_fini(&exec->ppgtt);
err_buffers:
	free_buffers(exec);
	kfree(exec);
	return ERR_PTR(err);
}

/**
 * gslot_exec_destroy() - undo gslot_exec_create()
 * @exec: the object; nobody submits or resets any more
 *
 * Context: may sleep, without the vGPU's lock.
 */
void gslot_exec_destroy(struct gslot_exec *exec)
{
	gslot_exec_quiesce(exec);
	gslot_exec_drop_all(exec);
	gslot_client_destroy(exec->client);
	exec->client = NULL;
	kthread_cancel_delayed_work_sync(&exec->retry);
	kthread_destroy_worker(exec->worker);
	mutex_lock(exec->cfg.lock);
	ppgtt_fini(&exec->ppgtt);
	mutex_unlock(exec->cfg.lock);
	mem_cgroup_put(exec->memcg);
	free_buffers(exec);
	kfree(exec);
}

/**
 * gslot_exec_submit() - the guest submitted an execution list
 * @exec: the vGPU's
 * @id: the engine
 * @desc0: first element
 * @desc1: second element, or 0
 *
 * A guest that does not wait for its events loses the submissions between.
 * Context: any.
 */
void gslot_exec_submit(struct gslot_exec *exec, enum gslot_engine_id id, u64 desc0, u64 desc1)
{
	struct exec_engine *engine = &exec->engine[id];
	struct exec_submission submission = { .desc = { desc0, desc1 } };
	unsigned long flags;

	spin_lock_irqsave(&exec->latch_lock, flags);
	if (engine->nr_latched == EXEC_LATCHED)
		engine->nr_latched--;
	engine->latched[engine->nr_latched++] = submission;
	spin_unlock_irqrestore(&exec->latch_lock, flags);
	exec_kick(exec);
}

/**
 * gslot_exec_listen() - the guest masked or unmasked user interrupts
 * @exec: the vGPU's
 *
 * Context: any, without the locks that &gslot_exec_ops.listens takes.
 */
void gslot_exec_listen(struct gslot_exec *exec)
{
	gslot_client_listen(exec->client);
}

/**
 * gslot_exec_lock() - take the vGPU's lock before the worker is done
 * @exec: the vGPU's
 *
 * A guest waits for this: the worker leaves what it is at, between two tables.
 * Context: may sleep.
 */
void gslot_exec_lock(struct gslot_exec *exec)
{
	gslot_guestmem_want(exec->cfg.mem);
	mutex_lock(exec->cfg.lock);
	gslot_guestmem_unwant(exec->cfg.mem);
}

/**
 * gslot_exec_unlock() - undo gslot_exec_lock()
 * @exec: the vGPU's
 */
void gslot_exec_unlock(struct gslot_exec *exec)
{
	bool interrupted = exec->interrupted;

	mutex_unlock(exec->cfg.lock);
	if (interrupted)
		exec_kick(exec);
}

/* From here on the worker leaves these engines alone. */
static void stop_engines(struct gslot_exec *exec, u32 engines)
{
	u32 i;

	gslot_exec_lock(exec);
	spin_lock_irq(&exec->latch_lock);
	for (i = 0; i < GSLOT_NR_ENGINES; i++) {
		if (!(engines & BIT(i)))
			continue;
		exec->engine[i].stopped = true;
		exec->engine[i].nr_latched = 0;
		exec->engine[i].attempt.valid = false;
	}
	spin_unlock_irq(&exec->latch_lock);
	gslot_exec_unlock(exec);
}

/*
 * Memory as a reset leaves it: what was saved last, but for what the guest
 * writes now. So everything is imported again.
 */
static void reset_contexts(struct gslot_exec *exec, u32 engines)
{
	struct exec_context *ctx;

	list_for_each_entry(ctx, &exec->contexts, link) {
		if (!(engines & BIT(ctx->engine)))
			continue;
		exec_context_export(ctx);
		ctx->loaded = false;
	}
}

/**
 * gslot_exec_reset() - the guest resets engines
 * @exec: the vGPU's
 * @engines: bit mask
 *
 * A vCPU waits for this: the worker leaves what it is at, whatever engine it is for.
 * Context: may sleep, without the vGPU's lock.
 */
void gslot_exec_reset(struct gslot_exec *exec, u32 engines)
{
	u32 i;

	/* Or one would let submissions in, and the other cancel what runs by then. */
	mutex_lock(&exec->reset_lock);
	stop_engines(exec, engines);
	for (i = 0; i < GSLOT_NR_ENGINES; i++)
		if (engines & BIT(i))
			gslot_sched_cancel(exec->client, i, true);

	gslot_exec_lock(exec);
	exec_process_retired(exec);
	reset_contexts(exec, engines);
	for (i = 0; i < GSLOT_NR_ENGINES; i++) {
		struct exec_engine *engine = &exec->engine[i];

		if (!(engines & BIT(i)))
			continue;
		gslot_vexec_reset(&engine->ports);
		engine->head = 0;
		engine->tail = 0;
		engine->start = 0;
		engine->stopped = false;
		engine->waiting = false;
	}
	gslot_exec_unlock(exec);
	mutex_unlock(&exec->reset_lock);
	exec_kick(exec);
}

static void export_all(struct gslot_exec *exec)
{
	struct exec_context *ctx;

	list_for_each_entry(ctx, &exec->contexts, link)
		if (!ctx->in_flight)
			exec_context_export(ctx);
}

/**
 * gslot_exec_quiesce() - let the hardware not use the vGPU's memory
 * @exec: the vGPU's
 *
 * The worker looks at no submission until gslot_exec_resume(), and leaves the
 * one that it is at soon.
 *
 * Nests. Context: may sleep, without the vGPU's lock.
 */
void gslot_exec_quiesce(struct gslot_exec *exec)
{
	mutex_lock(&exec->quiesce_lock);
	if (!exec->quiesced++) {
		gslot_guestmem_want(exec->cfg.mem);
		/* Who had the lock before has let go of it when we have had it. */
		mutex_lock(exec->cfg.lock);
		mutex_unlock(exec->cfg.lock);
		gslot_sched_pause(exec->client);
		mutex_lock(exec->cfg.lock);
		exec_process_retired(exec);
		export_all(exec);
		mutex_unlock(exec->cfg.lock);
	}
	mutex_unlock(&exec->quiesce_lock);
}

/**
 * gslot_exec_resume() - undo one gslot_exec_quiesce()
 * @exec: the vGPU's
 */
void gslot_exec_resume(struct gslot_exec *exec)
{
	mutex_lock(&exec->quiesce_lock);
	if (!--exec->quiesced) {
		gslot_guestmem_unwant(exec->cfg.mem);
		gslot_sched_unpause(exec->client);
		exec_kick(exec);
	}
	mutex_unlock(&exec->quiesce_lock);
}

/**
 * gslot_exec_drop_range() - drop every reference into a range of memory
 * @exec: the vGPU's; quiesced, its lock held
 * @gfn: first page
 * @count: how many
 */
void gslot_exec_drop_range(struct gslot_exec *exec, u64 gfn, u64 count)
{
	struct exec_context *ctx;

	list_for_each_entry(ctx, &exec->contexts, link) {
		if (ctx->pphwsp && ctx->pphwsp->gfn - gfn < count)
			exec_context_set_pphwsp(ctx, NULL);
	}
	ppgtt_drop_range(&exec->ppgtt, gfn, count);
}

static void cancel_all(struct gslot_exec *exec)
{
	u32 i;

	/* The guest is told of nothing any more. */
	mutex_lock(exec->cfg.lock);
	for (i = 0; i < GSLOT_NR_ENGINES; i++)
		gslot_vexec_hang(&exec->engine[i].ports);
	mutex_unlock(exec->cfg.lock);
	for (i = 0; i < GSLOT_NR_ENGINES; i++)
		gslot_sched_cancel(exec->client, i, false);
	mutex_lock(exec->cfg.lock);
	exec_process_retired(exec);
	mutex_unlock(exec->cfg.lock);
}

/* A context, or a few page tables. Return: whether something may be left. */
static bool drop_one(struct gslot_exec *exec)
{
	struct exec_context *ctx;

	ctx = list_first_entry_or_null(&exec->contexts, struct exec_context, link);
	if (!ctx)
		return ppgtt_drop_some(&exec->ppgtt);
	exec_context_export(ctx);
	exec_context_destroy(ctx);
	return true;
}

/*
 * As much as can be done in a moment. Not less: each time that it lets go of the lock
 * it may have to wait for others, and a DMA unmap waits for all of this.
 */
static bool drop_some(struct gslot_exec *exec)
{
	ktime_t until;
	bool more;
	u32 i;

	mutex_lock(exec->cfg.lock);
	until = ktime_add_ms(ktime_get(), DROP_MS);
	do {
		more = drop_one(exec);
	} while (more && ktime_before(ktime_get(), until));
	for (i = 0; !more && i < GSLOT_NR_ENGINES; i++)
		gslot_vexec_reset(&exec->engine[i].ports);
	mutex_unlock(exec->cfg.lock);
	return more;
}

/* Who takes a mutex again at once gets it before those that wait for it. */
static void let_others(struct gslot_exec *exec)
{
	/* One of them wants it to stand still, as it does. */
	if (gslot_guestmem_wanted(exec->cfg.mem) > 1)
		usleep_range(20, 100);
	else
		cond_resched();
}

/**
 * gslot_exec_drop_all() - forget all contexts and page tables
 * @exec: the vGPU's; quiesced
 *
 * What is still queued is cancelled; virtual engines are as after a reset. A guest
 * may have millions of entries, and a vCPU wait for the lock: it is let go of
 * every few milliseconds.
 *
 * Context: may sleep, without the vGPU's lock.
 */
void gslot_exec_drop_all(struct gslot_exec *exec)
{
	mutex_lock(&exec->reset_lock);
	cancel_all(exec);
	mutex_unlock(&exec->reset_lock);
	while (drop_some(exec))
		let_others(exec);
}

/**
 * gslot_exec_idle() - has the guest no work under way?
 * @exec: the vGPU's; its lock is held
 *
 * Submissions that nobody has looked at yet do not count.
 */
bool gslot_exec_idle(const struct gslot_exec *exec)
{
	u32 i;

	for (i = 0; i < GSLOT_NR_ENGINES; i++)
		if (exec->engine[i].queued || exec->engine[i].ports.hung ||
		    !gslot_vexec_idle(&exec->engine[i].ports))
			return false;
	return true;
}

/**
 * gslot_exec_ppgtt_destroy() - the guest destroys a PPGTT
 * @exec: the vGPU's
 * @pml4: bus address of its PML4
 *
 * Only noted; if too many are, the tables stay until room is needed.
 * Context: any.
 */
void gslot_exec_ppgtt_destroy(struct gslot_exec *exec, u64 pml4)
{
	unsigned long flags;

	spin_lock_irqsave(&exec->latch_lock, flags);
	if (exec->nr_doomed < EXEC_DOOMED)
		exec->doomed[exec->nr_doomed++] = pml4;
	spin_unlock_irqrestore(&exec->latch_lock, flags);
	exec_kick(exec);
}

/**
 * gslot_exec_read_reg() - a ring register as the guest reads it
 * @exec: the vGPU's
 * @id: the engine
 * @reg: RING_HEAD, RING_TAIL, RING_START, RING_ACTHD or
 *	RING_EXECLIST_STATUS_HI, by which a driver knows what it has to blame
 *
 * Return: its value as of the last completion; 0 for others. Context: any.
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
