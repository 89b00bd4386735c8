// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: what a vCPU leaves for the worker
 *
 * A trapped register write, which must not sleep, only notes what the guest wants:
 * submissions, and PPGTTs that it destroys.
 */
#include <linux/spinlock.h>
#include <linux/string.h>

#include "exec_priv.h"

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

	spin_lock_irqsave(&exec->inbox_lock, flags);
	if (engine->nr_inbox == EXEC_INBOX_SIZE)
		engine->nr_inbox--;
	engine->inbox[engine->nr_inbox++] = submission;
	spin_unlock_irqrestore(&exec->inbox_lock, flags);
	exec_kick(exec);
}

/**
 * exec_inbox_take() - the oldest submission that nobody has looked at
 * @exec: the vGPU's
 * @id: the engine
 * @submission: gets it
 *
 * Return: whether there is one, and the engine can take one.
 * Context: lock held.
 */
bool exec_inbox_take(struct gslot_exec *exec, enum gslot_engine_id id,
		       struct exec_submission *submission)
{
	struct exec_engine *engine = &exec->engine[id];
	bool taken = false;

	lockdep_assert_held(&exec->cfg.lock->mutex);
	if (engine->stopped || engine->queued >= EXEC_MAX_QUEUED)
		return false;
	spin_lock_irq(&exec->inbox_lock);
	if (engine->nr_inbox) {
		taken = true;
		*submission = engine->inbox[0];
		engine->nr_inbox--;
		memmove(&engine->inbox[0], &engine->inbox[1],
			engine->nr_inbox * sizeof(engine->inbox[0]));
	}
	spin_unlock_irq(&exec->inbox_lock);
	return taken;
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

	spin_lock_irqsave(&exec->inbox_lock, flags);
	if (exec->nr_destroyed < EXEC_MAX_DESTROYED)
		exec->destroyed[exec->nr_destroyed++] = pml4;
	spin_unlock_irqrestore(&exec->inbox_lock, flags);
	exec_kick(exec);
}

/**
 * exec_process_destroyed() - let go of the PPGTTs that the guest destroyed
 * @exec: the vGPU's
 *
 * Context: lock held; may sleep.
 */
void exec_process_destroyed(struct gslot_exec *exec)
{
	u64 pml4[EXEC_MAX_DESTROYED];
	u32 i, n;

	lockdep_assert_held(&exec->cfg.lock->mutex);
	spin_lock_irq(&exec->inbox_lock);
	n = exec->nr_destroyed;
	memcpy(pml4, exec->destroyed, n * sizeof(pml4[0]));
	exec->nr_destroyed = 0;
	spin_unlock_irq(&exec->inbox_lock);
	for (i = 0; i < n; i++)
		ppgtt_root_destroyed(&exec->ppgtt, pml4[i] >> GEN_PAGE_SHIFT);
}
