// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: the worker
 *
 * Everything that may sleep or takes long is done by one thread a vGPU, under
 * the vGPU's lock. A trapped register write or a hard interrupt only notes
 * what happened and wakes it.
 *
 * The lock is let go of after each submission, and within one as soon as the vGPU
 * is to stand still (gslot_vgpu_lock_contended()): what a guest submits may take
 * seconds, and VFIO does not wait that long for memory that it takes away.
 */
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>

#include "exec_priv.h"
#include "base/compat.h"

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

		if (!exec->engine[id].attempt.valid && exec_inbox_take(exec, id, &submission))
			exec_attempt_start(exec, id, &submission);
		if (!exec_attempt_due(exec, id))
			continue;
		if (exec_throttled(exec))
			return false;
		/* One that was interrupted goes on, before what it did is worth nothing. */
		exec->turn = id + exec_attempt(exec, id);
		return true;
	}
	exec_attempts_await(exec);
	return false;
}

/* The lock is not held for longer than this. Return: whether there was work. */
static bool step(struct gslot_exec *exec)
{
	bool retired;

	exec_process_destroyed(exec);
	retired = exec_process_retired(exec);
	if (xchg(&exec->released, false))
		exec_attempts_hurry(exec);
	exec->interrupted = gslot_vgpu_lock_contended(exec->cfg.lock);
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
		mutex_lock(&exec->cfg.lock->mutex);
		more = step(exec);
		mutex_unlock(&exec->cfg.lock->mutex);
		cond_resched();
	} while (more);
	set_active_memcg(old);
}

static void do_work(struct kthread_work *work)
{
	work_off(container_of(work, struct gslot_exec, work));
}

/* The same, as time has passed for a submission that had no room. */
static void do_retry(struct kthread_work *work)
{
	work_off(container_of(work, struct gslot_exec, retry.work));
}

/* The same, as there is CPU time for a submission again. */
static void do_refill(struct kthread_work *work)
{
	work_off(container_of(work, struct gslot_exec, refill.work));
}

/**
 * exec_worker_create() - make a vGPU's worker
 * @exec: the vGPU's
 *
 * Return: 0, -ENOMEM, or -EINTR if the process is to die.
 * Context: may sleep.
 */
int exec_worker_create(struct gslot_exec *exec)
{
	struct kthread_worker *worker = kthread_run_worker(0, "gslot/%s", exec->cfg.name);

	if (IS_ERR(worker))
		return PTR_ERR(worker);
	kthread_init_work(&exec->work, do_work);
	kthread_init_delayed_work(&exec->retry, do_retry);
	kthread_init_delayed_work(&exec->refill, do_refill);
	exec->worker = worker;
	gslot_meter_worker_begin(exec->cfg.meter, worker->task);
	return 0;
}

/**
 * exec_worker_destroy() - undo exec_worker_create()
 * @exec: the vGPU's; nobody wakes its worker any more
 *
 * Context: may sleep, without the vGPU's lock if it ever was woken.
 */
void exec_worker_destroy(struct gslot_exec *exec)
{
	kthread_cancel_delayed_work_sync(&exec->refill);
	kthread_cancel_delayed_work_sync(&exec->retry);
	kthread_destroy_worker(exec->worker);
	gslot_meter_worker_end(exec->cfg.meter);
}
