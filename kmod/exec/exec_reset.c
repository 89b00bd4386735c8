// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: cancelling work
 *
 * When a guest resets an engine, the requests that it has queued there are cancelled. When a vGPU
 * is closed, or reset as a whole, execution drops all that it has of it.
 */
#include <linux/delay.h>
#include <linux/ktime.h>

#include "exec_priv.h"
#include "base/trace.h"

/* How long gslot_exec_drop_all() keeps the vGPU's lock at a time. */
#define DROP_MS		20

/* From here on the worker processes nothing for these engines. */
static void exec_reset_begin(struct gslot_exec *exec, u32 engines)
{
	struct exec_inbox *inbox = &exec->worker.inbox;
	u32 i;

	gslot_exec_lock(exec);
	for (i = 0; i < GSLOT_NR_ENGINES; i++)
		if (engines & BIT(i))
			exec_attempt_end(exec, i);
	spin_lock_irq(&inbox->lock);
	for (i = 0; i < GSLOT_NR_ENGINES; i++) {
		if (!(engines & BIT(i)))
			continue;
		exec->engine[i].resetting = true;
		inbox->nr_submissions[i] = 0;
	}
	spin_unlock_irq(&inbox->lock);
	gslot_exec_unlock(exec);
}

/*
 * After a reset, guest memory has the images that were saved last, and what the guest writes from
 * now on. So all images are imported again.
 */
static void exec_reset_contexts(struct gslot_exec *exec, u32 engines)
{
	struct exec_context *ctx;

	list_for_each_entry(ctx, &exec->contexts.list, link) {
		if (!(engines & BIT(ctx->engine)))
			continue;
		exec_context_export(ctx);
		ctx->loaded = false;
	}
}

/**
 * gslot_exec_reset() - reset virtual engines: the guest writes GDRST, or the device is reset
 * @exec: the vGPU's
 * @engines: bit mask of enum gslot_engine_id
 *
 * When this returns, the vGPU's work on these engines is off the hardware: by preemption, or by an
 * engine reset, which the guest has asked for. A vCPU waits for it: so the worker stops what it is
 * doing, for whatever engine.
 *
 * Context: may sleep, without the vGPU's lock.
 */
void gslot_exec_reset(struct gslot_exec *exec, u32 engines)
{
	u32 i;

	trace_gslot_guest_reset(exec->cfg.name, engines);
	/* A second reset would cancel submissions that are taken once the first one is done. */
	mutex_lock(&exec->reset_lock);
	exec_reset_begin(exec, engines);
	for (i = 0; i < GSLOT_NR_ENGINES; i++)
		if (engines & BIT(i))
			gslot_sched_cancel(exec->client, i, true);

	gslot_exec_lock(exec);
	exec_process_retired(exec);
	exec_reset_contexts(exec, engines);
	for (i = 0; i < GSLOT_NR_ENGINES; i++) {
		struct exec_engine *engine = &exec->engine[i];

		if (!(engines & BIT(i)))
			continue;
		gslot_vexec_reset(&engine->ports);
		WRITE_ONCE(engine->head, 0);
		WRITE_ONCE(engine->tail, 0);
		WRITE_ONCE(engine->start, 0);
		engine->batch.lrca = 0;
		engine->resetting = false;
		engine->waiting = false;
	}
	gslot_exec_unlock(exec);
	mutex_unlock(&exec->reset_lock);
	exec_kick(exec);
}

static void exec_reset_cancel_all(struct gslot_exec *exec)
{
	u32 i;

	/* The guest gets no more events. */
	mutex_lock(&exec->cfg.lock->mutex);
	for (i = 0; i < GSLOT_NR_ENGINES; i++) {
		gslot_vexec_hang(&exec->engine[i].ports);
		exec_attempt_end(exec, i);
	}
	mutex_unlock(&exec->cfg.lock->mutex);
	for (i = 0; i < GSLOT_NR_ENGINES; i++)
		gslot_sched_cancel(exec->client, i, false);
	mutex_lock(&exec->cfg.lock->mutex);
	exec_process_retired(exec);
	mutex_unlock(&exec->cfg.lock->mutex);
}

/* Drop a context, or a few page tables. Return: whether something may be left. */
static bool exec_reset_drop_one(struct gslot_exec *exec)
{
	struct exec_context *ctx;

	ctx = list_first_entry_or_null(&exec->contexts.list, struct exec_context, link);
	if (!ctx)
		return ppgtt_drop_roots(&exec->ppgtt);
	exec_context_export(ctx);
	exec_context_destroy(ctx);
	return true;
}

/*
 * Drop as much as DROP_MS allow. Not less: each time that this unlocks, it may have to wait for
 * other tasks, and a DMA unmap waits for all of it.
 */
static bool exec_reset_drop_some(struct gslot_exec *exec)
{
	ktime_t until;
	bool more;
	u32 i;

	mutex_lock(&exec->cfg.lock->mutex);
	until = ktime_add_ms(ktime_get(), DROP_MS);
	do {
		more = exec_reset_drop_one(exec);
	} while (more && ktime_before(ktime_get(), until));
	for (i = 0; !more && i < GSLOT_NR_ENGINES; i++)
		gslot_vexec_reset(&exec->engine[i].ports);
	mutex_unlock(&exec->cfg.lock->mutex);
	return more;
}

/**
 * gslot_exec_drop_all() - drop all contexts and page tables
 * @exec: the vGPU's; quiesced
 *
 * Cancels what is still queued, and leaves virtual engines as after a reset. A guest may have
 * millions of entries, and a vCPU may wait for the lock: so this unlocks every few milliseconds.
 *
 * Context: may sleep, without the vGPU's lock.
 */
void gslot_exec_drop_all(struct gslot_exec *exec)
{
	mutex_lock(&exec->reset_lock);
	exec_reset_cancel_all(exec);
	mutex_unlock(&exec->reset_lock);
	while (exec_reset_drop_some(exec)) {
		/*
		 * A task that takes a mutex again at once gets it before its waiters. One of those
		 * that contend for it is the caller, which has quiesced the vGPU.
		 */
		if (gslot_vgpu_lock_contended(exec->cfg.lock) > 1)
			usleep_range(20, 100);
		else
			cond_resched();
	}
}
