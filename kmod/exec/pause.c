// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: standing still
 *
 * Before the vGPU's memory, or its place, changes under it, nothing of it is on the
 * hardware and nothing is prepared; unfinished requests stay queued. And the vGPU's
 * lock, for those who cannot wait for the worker to be done with it.
 */
#include <linux/mutex.h>

#include "exec_priv.h"

/**
 * gslot_exec_lock() - take the vGPU's lock before the worker is done
 * @exec: the vGPU's
 *
 * A guest waits for this: the worker leaves what it is at, between two tables.
 * Context: may sleep.
 */
void gslot_exec_lock(struct gslot_exec *exec)
{
	gslot_vgpu_lock_contended_get(exec->cfg.lock);
	mutex_lock(&exec->cfg.lock->mutex);
	gslot_vgpu_lock_contended_put(exec->cfg.lock);
}

/**
 * gslot_exec_lock_until() - the same, if that is possible in time
 * @exec: the vGPU's
 * @until: when time is over, jiffies
 *
 * Return: whether the lock is taken.
 * Context: may sleep.
 */
bool gslot_exec_lock_until(struct gslot_exec *exec, unsigned long until)
{
	bool taken;

	gslot_vgpu_lock_contended_get(exec->cfg.lock);
	taken = gslot_lock_until(&exec->cfg.lock->mutex, until);
	gslot_vgpu_lock_contended_put(exec->cfg.lock);
	/* The worker may have begun to make room for who does not come. */
	if (!taken)
		exec_kick(exec);
	return taken;
}

/**
 * gslot_exec_unlock() - undo gslot_exec_lock()
 * @exec: the vGPU's
 *
 * Context: the vGPU's lock is held, until it returns.
 */
void gslot_exec_unlock(struct gslot_exec *exec)
{
	bool interrupted = exec->interrupted;

	lockdep_assert_held(&exec->cfg.lock->mutex);
	mutex_unlock(&exec->cfg.lock->mutex);
	if (interrupted)
		exec_kick(exec);
}

/**
 * gslot_exec_park() - have the worker leave the submission that it is at, and begin none
 * @exec: the vGPU's
 *
 * Until gslot_exec_unpark(); nests. What it has prepared goes on.
 * Context: any.
 */
void gslot_exec_park(struct gslot_exec *exec)
{
	gslot_vgpu_lock_contended_get(exec->cfg.lock);
}

/**
 * gslot_exec_unpark() - undo one gslot_exec_park()
 * @exec: the vGPU's
 *
 * Context: any.
 */
void gslot_exec_unpark(struct gslot_exec *exec)
{
	gslot_vgpu_lock_contended_put(exec->cfg.lock);
	exec_kick(exec);
}

/**
 * gslot_exec_is_parked() - has the worker left what it was at?
 * @exec: the vGPU's, held off
 *
 * It may be pinning memory that is being taken away, which takes seconds.
 *
 * Return: true if so, and nobody else is at something with the vGPU's lock.
 * Context: may sleep.
 */
bool gslot_exec_is_parked(struct gslot_exec *exec)
{
	if (!mutex_trylock(&exec->cfg.lock->mutex))
		return false;
	mutex_unlock(&exec->cfg.lock->mutex);
	return true;
}

static void export_all(struct gslot_exec *exec)
{
	struct exec_context *ctx;

	list_for_each_entry(ctx, &exec->contexts, link)
		if (!ctx->in_flight)
			exec_context_export(ctx);
}

/* @until: when time is over, jiffies; NULL: never */
static bool lock_until(struct mutex *lock, const unsigned long *until)
{
	if (until)
		return gslot_lock_until(lock, *until);
	mutex_lock(lock);
	return true;
}

/* The worker is held off. Return: false if it, or a vCPU, keeps the vGPU's lock for too long. */
static bool stop(struct gslot_exec *exec, const unsigned long *until)
{
	/* Who had the lock before has let go of it when we have had it. */
	if (!lock_until(&exec->cfg.lock->mutex, until))
		return false;
	mutex_unlock(&exec->cfg.lock->mutex);
	gslot_sched_pause(exec->client);
	if (!lock_until(&exec->cfg.lock->mutex, until)) {
		gslot_sched_unpause(exec->client);
		return false;
	}
	exec_process_retired(exec);
	export_all(exec);
	mutex_unlock(&exec->cfg.lock->mutex);
	return true;
}

static int quiesce(struct gslot_exec *exec, const unsigned long *until)
{
	int ret = 0;

	if (!lock_until(&exec->quiesce_lock, until))
		return -EBUSY;
	if (!exec->quiesced) {
		gslot_exec_park(exec);
		if (!stop(exec, until)) {
			gslot_exec_unpark(exec);
			ret = -EBUSY;
		}
	}
	if (!ret)
		exec->quiesced++;
	mutex_unlock(&exec->quiesce_lock);
	return ret;
}

/**
 * gslot_exec_quiesce() - let the hardware not use the vGPU's memory
 * @exec: the vGPU's
 *
 * For all that changes its memory, or its place, under it. Unfinished requests stay
 * queued. The worker looks at no submission until gslot_exec_resume(), and leaves the
 * one that it is at soon, but for a page that is being pinned, which may take for ever. Nests.
 * Context: may sleep, without the vGPU's lock, and any lock that other vGPUs need.
 */
void gslot_exec_quiesce(struct gslot_exec *exec)
{
	quiesce(exec, NULL);
}

/**
 * gslot_exec_quiesce_until() - the same, if that is possible in time
 * @exec: the vGPU's
 * @until: when time is over, jiffies; a preemption and a reset may come on top of it
 *
 * Return: 0, or -EBUSY, and nothing is changed.
 * Context: may sleep, without the vGPU's lock.
 */
int gslot_exec_quiesce_until(struct gslot_exec *exec, unsigned long until)
{
	return quiesce(exec, &until);
}

/**
 * gslot_exec_resume() - undo one gslot_exec_quiesce()
 * @exec: the vGPU's
 *
 * Context: may sleep.
 */
void gslot_exec_resume(struct gslot_exec *exec)
{
	mutex_lock(&exec->quiesce_lock);
	if (!--exec->quiesced) {
		gslot_sched_unpause(exec->client);
		gslot_exec_unpark(exec);
	}
	mutex_unlock(&exec->quiesce_lock);
}

/**
 * gslot_exec_drop_range() - drop every reference into a range of memory
 * @exec: the vGPU's; quiesced
 * @gfn: first page
 * @count: how many
 *
 * Context: the vGPU's lock is held; may sleep.
 */
void gslot_exec_drop_range(struct gslot_exec *exec, u64 gfn, u64 count)
{
	struct exec_context *ctx;

	lockdep_assert_held(&exec->cfg.lock->mutex);
	list_for_each_entry(ctx, &exec->contexts, link) {
		if (ctx->pphwsp && ctx->pphwsp->gfn - gfn < count)
			exec_context_set_pphwsp(ctx, NULL);
	}
	ppgtt_drop_range(&exec->ppgtt, gfn, count);
}
