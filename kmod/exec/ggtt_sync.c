// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: a sync of the private GGTT while the vGPU is quiesced
 *
 * After a migration, and after a flush that came while the vGPU was frozen, PTEs have to take
 * effect before the guest runs: it does not flush them again before it uses the aperture. The
 * worker's thread does this, although the worker is parked, as it can pin the guest's memory, and
 * wait for it.
 */
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/sched/mm.h>

#include "exec_priv.h"

static void sync_work(struct kthread_work *work)
{
	struct gslot_exec *exec = container_of(work, struct gslot_exec, worker.sync);
	struct mem_cgroup *old = set_active_memcg(exec->worker.memcg);
	u32 rounds = 0;
	int ret;

	/* The worker is parked, so the lock counts as contended: a table at most at a time. */
	do {
		mutex_lock(&exec->cfg.lock->mutex);
		ret = gslot_ggtt_sync_round(exec->cfg.ggtt, rounds++);
		mutex_unlock(&exec->cfg.lock->mutex);
		/* Pages arrive slowly: a caller that polls for the lock must find it free. */
		if (ret == -EINTR && READ_ONCE(exec->cfg.mem->slow))
			msleep(2 * GSLOT_LOCK_POLL_MS);
		cond_resched();
	} while (ret == -EINTR);
	set_active_memcg(old);
	exec->worker.sync_error = ret;
	complete_all(&exec->worker.synced);
}

/* Initialize what gslot_exec_sync_begin() uses. */
void exec_sync_init(struct exec_worker *worker)
{
	kthread_init_work(&worker->sync, sync_work);
	init_completion(&worker->synced);
	complete_all(&worker->synced);
}

/**
 * gslot_exec_sync_begin() - let PTEs take effect before the guest runs
 * @exec: the vGPU's, quiesced; gslot_exec_synced() is true
 *
 * Context: may sleep. The caller lets nothing begin that relies on a parked worker.
 */
void gslot_exec_sync_begin(struct gslot_exec *exec)
{
	struct exec_worker *worker = &exec->worker;

	reinit_completion(&worker->synced);
	kthread_queue_work(worker->thread, &worker->sync);
}

/**
 * gslot_exec_sync_wait() - wait until no gslot_exec_sync_begin() is under way
 * @exec: the vGPU's
 * @until: the deadline, jiffies
 *
 * Return: the result of the last one: 0; -ENOMEM if the host has no room for a page that a PTE
 * names; or -EBUSY if it takes longer: it goes on then.
 * Context: may sleep, without the vGPU's locks.
 */
int gslot_exec_sync_wait(struct gslot_exec *exec, unsigned long until)
{
	long left = max_t(long, until - jiffies, 1);

	if (!wait_for_completion_timeout(&exec->worker.synced, left))
		return -EBUSY;
	return exec->worker.sync_error;
}

/**
 * gslot_exec_synced() - is no gslot_exec_sync_begin() under way?
 * @exec: the vGPU's
 *
 * Return: true if none is under way.
 * Context: any.
 */
bool gslot_exec_synced(struct gslot_exec *exec)
{
	return completion_done(&exec->worker.synced);
}
