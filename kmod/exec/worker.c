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

/**
 * exec_kick() - there is something for the worker
 * @exec: the vGPU's
 *
 * Context: any.
 */
void exec_kick(struct gslot_exec *exec)
{
	kthread_queue_work(exec->worker, &exec->work);
}

/* One submission of the engine whose turn it is. Return: whether there was one. */
static bool process_submission(struct gslot_exec *exec)
{
	struct exec_submission submission;
	u32 i;

	for (i = 0; i < GSLOT_NR_ENGINES; i++) {
		u32 id = (exec->turn + i) % GSLOT_NR_ENGINES;

		if (!exec->engine[id].attempt.valid && exec_take_latched(exec, id, &submission))
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

	exec_process_destroyed(exec);
	retired = exec_process_retired(exec);
	if (xchg(&exec->released, false))
		exec_hurry_attempts(exec);
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

/**
 * exec_work() - do what there is to do
 * @work: &gslot_exec.work
 *
 * Context: the vGPU's worker.
 */
void exec_work(struct kthread_work *work)
{
	work_off(container_of(work, struct gslot_exec, work));
}

/**
 * exec_retry_work() - the same, as time has passed for a submission that had no room
 * @work: &gslot_exec.retry
 *
 * Context: the vGPU's worker.
 */
void exec_retry_work(struct kthread_work *work)
{
	work_off(container_of(work, struct gslot_exec, retry.work));
}
