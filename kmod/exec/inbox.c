// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: what a vCPU leaves for the worker
 *
 * A trapped register write must not sleep. So it only puts what the guest wants into the inbox: a
 * submission, or a PPGTT that the guest destroys.
 */
#include <linux/string.h>

#include "exec_priv.h"

/* Put a list into the inbox. May be called in any context. */
void exec_inbox_put(struct gslot_exec *exec, enum gslot_engine_id id,
		    const struct exec_submission *submission)
{
	struct exec_inbox *inbox = &exec->worker.inbox;
	u32 *nr = &inbox->nr_submissions[id];
	unsigned long flags;
	bool throttled;

	spin_lock_irqsave(&inbox->lock, flags);
	if (*nr == EXEC_INBOX_SIZE)
		--*nr;
	inbox->submission[id][(*nr)++] = *submission;
	throttled = inbox->throttled;
	spin_unlock_irqrestore(&inbox->lock, flags);
	/* As exec_kick(), but the lock is taken once for each submission. */
	if (!throttled)
		exec_wake(exec);
}

/**
 * gslot_exec_submit() - put a guest's submission into the inbox
 * @exec: the vGPU's
 * @id: the engine
 * @desc0: first element
 * @desc1: second element, or 0
 *
 * It replaces the newest one if the inbox is full, as the guest has not waited for its events.
 *
 * Context: any.
 */
void gslot_exec_submit(struct gslot_exec *exec, enum gslot_engine_id id, u64 desc0, u64 desc1)
{
	const struct exec_submission submission = { .desc = { desc0, desc1 } };

	exec_inbox_put(exec, id, &submission);
}

/* Take the oldest submission for an engine. Return: whether there was one. */
bool exec_inbox_take(struct exec_inbox *inbox, enum gslot_engine_id id,
		     struct exec_submission *submission)
{
	struct exec_submission *first = inbox->submission[id];
	bool taken = false;

	spin_lock_irq(&inbox->lock);
	if (inbox->nr_submissions[id]) {
		taken = true;
		*submission = *first;
		memmove(first, first + 1, --inbox->nr_submissions[id] * sizeof(*first));
	}
	spin_unlock_irq(&inbox->lock);
	return taken;
}

/**
 * gslot_exec_ppgtt_destroy() - put a PPGTT that the guest destroys into the inbox
 * @exec: the vGPU's
 * @pml4: bus address of its PML4
 *
 * If the inbox is full, its shadow tables stay until their room is needed.
 *
 * Context: any.
 */
void gslot_exec_ppgtt_destroy(struct gslot_exec *exec, u64 pml4)
{
	struct exec_inbox *inbox = &exec->worker.inbox;
	unsigned long flags;

	spin_lock_irqsave(&inbox->lock, flags);
	if (inbox->nr_destroyed < EXEC_MAX_DESTROYED)
		inbox->destroyed[inbox->nr_destroyed++] = pml4;
	spin_unlock_irqrestore(&inbox->lock, flags);
	exec_kick(exec);
}

/* Drop the shadow tables of PPGTTs that the guest destroyed. */
void exec_process_destroyed(struct gslot_exec *exec)
{
	struct exec_inbox *inbox = &exec->worker.inbox;
	u64 pml4[EXEC_MAX_DESTROYED];
	u32 i, n;

	lockdep_assert_held(&exec->cfg.lock->mutex);
	spin_lock_irq(&inbox->lock);
	n = inbox->nr_destroyed;
	memcpy(pml4, inbox->destroyed, n * sizeof(pml4[0]));
	inbox->nr_destroyed = 0;
	spin_unlock_irq(&inbox->lock);
	for (i = 0; i < n; i++)
		ppgtt_root_destroyed(&exec->ppgtt, pml4[i] >> GEN_PAGE_SHIFT);
}
