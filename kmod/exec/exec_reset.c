// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: giving up work
 *
 * A guest that resets an engine gives up what is queued there; one that goes, or is
 * reset as a whole, everything that execution has of it.
 */
#include <linux/delay.h>
#include <linux/ktime.h>

#include "exec_priv.h"
#include "base/trace.h"

/* How long gslot_exec_drop_all() keeps the vGPU's lock at a time. */
#define DROP_MS		20

/* From here on the worker leaves these engines alone. */
static void stop_engines(struct gslot_exec *exec, u32 engines)
{
	u32 i;

	gslot_exec_lock(exec);
	spin_lock_irq(&exec->inbox_lock);
	for (i = 0; i < GSLOT_NR_ENGINES; i++) {
		if (!(engines & BIT(i)))
			continue;
		exec->engine[i].stopped = true;
		exec->engine[i].nr_inbox = 0;
		exec->engine[i].attempt.valid = false;
	}
	spin_unlock_irq(&exec->inbox_lock);
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
 * gslot_exec_reset() - the guest resets engines (GDRST), or the device: all of them
 * @exec: the vGPU's
 * @engines: bit mask of enum gslot_engine_id
 *
 * Its work there is off the hardware when this returns: by preemption, or by an
 * engine reset, as it asked for that. A vCPU waits for this: the worker leaves what
 * it is at, whatever engine it is for.
 * Context: may sleep, without the vGPU's lock.
 */
void gslot_exec_reset(struct gslot_exec *exec, u32 engines)
{
	u32 i;

	trace_gslot_guest_reset(exec->cfg.name, engines);
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

static void cancel_all(struct gslot_exec *exec)
{
	u32 i;

	/* The guest is told of nothing any more. */
	mutex_lock(&exec->cfg.lock->mutex);
	for (i = 0; i < GSLOT_NR_ENGINES; i++)
		gslot_vexec_hang(&exec->engine[i].ports);
	mutex_unlock(&exec->cfg.lock->mutex);
	for (i = 0; i < GSLOT_NR_ENGINES; i++)
		gslot_sched_cancel(exec->client, i, false);
	mutex_lock(&exec->cfg.lock->mutex);
	exec_process_retired(exec);
	mutex_unlock(&exec->cfg.lock->mutex);
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

	mutex_lock(&exec->cfg.lock->mutex);
	until = ktime_add_ms(ktime_get(), DROP_MS);
	do {
		more = drop_one(exec);
	} while (more && ktime_before(ktime_get(), until));
	for (i = 0; !more && i < GSLOT_NR_ENGINES; i++)
		gslot_vexec_reset(&exec->engine[i].ports);
	mutex_unlock(&exec->cfg.lock->mutex);
	return more;
}

/* Who takes a mutex again at once gets it before those that wait for it. */
static void let_others(struct gslot_exec *exec)
{
	/* One of them wants it to stand still, as it does. */
	if (gslot_vgpu_lock_contended(exec->cfg.lock) > 1)
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
