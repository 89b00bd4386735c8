// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: quiescing
 *
 * While the vGPU's memory or its place changes, the hardware must use nothing of it, and nothing is
 * prepared; unfinished requests stay queued. This file also has the functions to take the vGPU's
 * lock for callers that cannot wait until the worker is done.
 */
#include <linux/jiffies.h>

#include "exec_priv.h"

/* For the vGPU's lock, to forget what is away; then it stays counted. */
#define FORGET_TIMEOUT	(HZ / 10)

/**
 * gslot_exec_lock() - take the vGPU's lock, and have the worker yield it
 * @exec: the vGPU's
 *
 * The worker stops after a page table or less: a guest waits for this.
 * Context: may sleep.
 */
void gslot_exec_lock(struct gslot_exec *exec)
{
	gslot_vgpu_lock_contended_get(exec->cfg.lock);
	mutex_lock(&exec->cfg.lock->mutex);
	gslot_vgpu_lock_contended_put(exec->cfg.lock);
}

/**
 * gslot_exec_lock_until() - gslot_exec_lock() with a deadline
 * @exec: the vGPU's
 * @until: the deadline, jiffies
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
	/* The worker may have stopped for this caller, which does not unlock. */
	if (!taken)
		exec_kick(exec);
	return taken;
}

/**
 * gslot_exec_unlock() - undo gslot_exec_lock()
 * @exec: the vGPU's
 *
 * Context: the vGPU's lock is held, until this returns.
 */
void gslot_exec_unlock(struct gslot_exec *exec)
{
	bool interrupted = exec->worker.interrupted;

	lockdep_assert_held(&exec->cfg.lock->mutex);
	mutex_unlock(&exec->cfg.lock->mutex);
	if (interrupted)
		exec_kick(exec);
}

/**
 * gslot_exec_park() - have the worker stop the current submission and start no other
 * @exec: the vGPU's
 *
 * Until gslot_exec_unpark(); nests. Requests that are queued still run.
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

static bool pause_is_free(struct mutex *lock)
{
	if (!mutex_trylock(lock))
		return false;
	mutex_unlock(lock);
	return true;
}

/**
 * gslot_exec_is_parked() - is the parked worker idle?
 * @exec: the vGPU's
 *
 * The worker may still be pinning memory that is being taken away, which takes seconds.
 *
 * Return: true if it has left its submission, no task holds the vGPU's locks, and no sync of its
 * private GGTT is under way.
 * Context: may sleep, without the vGPU's lock.
 */
bool gslot_exec_is_parked(struct gslot_exec *exec)
{
	return pause_is_free(&exec->quiesce_lock) && pause_is_free(&exec->cfg.lock->mutex) &&
	       gslot_exec_synced(exec);
}

/* @until: the deadline, jiffies; NULL: none */
static bool pause_lock(struct mutex *lock, const unsigned long *until)
{
	if (until)
		return gslot_lock_until(lock, *until);
	mutex_lock(lock);
	return true;
}

/* The worker is parked. Return: false if the vGPU's lock is held for too long. */
static bool pause_off_hardware(struct gslot_exec *exec, const unsigned long *until)
{
	struct exec_context *ctx;

	/* Wait until the worker, or a vCPU, has unlocked. */
	if (!pause_lock(&exec->cfg.lock->mutex, until))
		return false;
	mutex_unlock(&exec->cfg.lock->mutex);
	gslot_sched_pause(exec->client);
	if (!pause_lock(&exec->cfg.lock->mutex, until)) {
		gslot_sched_unpause(exec->client);
		return false;
	}
	exec_process_retired(exec);
	list_for_each_entry(ctx, &exec->contexts.list, link)
		if (!ctx->in_flight)
			exec_context_export(ctx);
	mutex_unlock(&exec->cfg.lock->mutex);
	return true;
}

static int pause_quiesce(struct gslot_exec *exec, const unsigned long *until)
{
	int ret = 0;

	if (!pause_lock(&exec->quiesce_lock, until))
		return -EBUSY;
	if (!exec->quiesced) {
		gslot_exec_park(exec);
		if (!pause_off_hardware(exec, until)) {
			gslot_exec_unpark(exec);
			ret = -EBUSY;
		}
	}
	if (!ret && !exec->quiesced++)
		exec->quiesced_at = jiffies;
	mutex_unlock(&exec->quiesce_lock);
	return ret;
}

/**
 * gslot_exec_quiesce() - stop the hardware's use of the vGPU's memory
 * @exec: the vGPU's
 *
 * The worker starts no submission until gslot_exec_resume(). It stops the current one soon, unless
 * it is pinning a page, which may take forever. Nests.
 *
 * Context: may sleep, without the vGPU's lock, and without any lock that other vGPUs need.
 */
void gslot_exec_quiesce(struct gslot_exec *exec)
{
	pause_quiesce(exec, NULL);
}

/**
 * gslot_exec_quiesce_until() - gslot_exec_quiesce() with a deadline
 * @exec: the vGPU's
 * @until: the deadline, jiffies; a preemption and a reset may take longer
 *
 * Return: 0, or -EBUSY, and nothing is changed.
 * Context: may sleep, without the vGPU's lock.
 */
int gslot_exec_quiesce_until(struct gslot_exec *exec, unsigned long until)
{
	return pause_quiesce(exec, &until);
}

/**
 * gslot_exec_resume() - undo one gslot_exec_quiesce()
 * @exec: the vGPU's
 *
 * Does not wait for long: quiesce_lock is held for long only by a caller that quiesces a vGPU which
 * is not quiesced yet.
 *
 * Context: may sleep.
 */
void gslot_exec_resume(struct gslot_exec *exec)
{
	mutex_lock(&exec->quiesce_lock);
	if (!--exec->quiesced) {
		atomic_long_add(jiffies - exec->quiesced_at, &exec->worker.quiesced_jiffies);
		gslot_sched_unpause(exec->client);
		gslot_exec_unpark(exec);
	}
	mutex_unlock(&exec->quiesce_lock);
}

/**
 * gslot_exec_trim() - drop some of the page tables that no context in flight uses
 * @exec: the vGPU's; it may run
 * @trim: which ones
 *
 * Return: whether any was dropped; then there may be more.
 * Context: the vGPU's lock is held; may sleep.
 */
bool gslot_exec_trim(struct gslot_exec *exec, const struct gslot_exec_trim *trim)
{
	bool dropped;

	lockdep_assert_held(&exec->cfg.lock->mutex);
	exec_attempts_keep_roots(exec, !trim->prepared);
	dropped = ppgtt_drop_some(&exec->ppgtt, trim);
	exec_attempts_keep_roots(exec, false);
	return dropped;
}

/**
 * gslot_exec_prepares() - is a submission under way?
 * @exec: the vGPU's
 *
 * Return: true if the worker has taken a submission, and still has to prepare some of its requests.
 * Without the vGPU's lock the answer may be stale.
 * Context: any.
 */
bool gslot_exec_prepares(const struct gslot_exec *exec)
{
	bool prepares = false;
	u32 i;

	for (i = 0; i < GSLOT_NR_ENGINES; i++)
		prepares |= READ_ONCE(exec->engine[i].attempt.valid);
	return prepares;
}

/**
 * gslot_exec_has_requests() - does the vGPU have requests that are not retired?
 * @exec: the vGPU's
 *
 * Return: true if it has. Without the vGPU's lock the answer may be stale.
 * Context: any.
 */
bool gslot_exec_has_requests(const struct gslot_exec *exec)
{
	u32 i;

	for (i = 0; i < GSLOT_NR_ENGINES; i++)
		if (READ_ONCE(exec->engine[i].queued))
			return true;
	return false;
}

/**
 * gslot_exec_wants_lock() - does the worker need the vGPU's lock soon?
 * @exec: the vGPU's
 *
 * Return: true if the worker waits for the lock, has left work undone because the lock was
 * contended, or prepares a submission.
 * Context: the vGPU's lock is held.
 */
bool gslot_exec_wants_lock(const struct gslot_exec *exec)
{
	lockdep_assert_held(&exec->cfg.lock->mutex);
	return READ_ONCE(exec->worker.waits) || exec->worker.interrupted ||
	       gslot_exec_prepares(exec);
}

/**
 * gslot_exec_may_trim() - may gslot_exec_trim() find something to drop?
 * @exec: the vGPU's
 * @idle_ms: for how long it is to be idle
 *
 * Return: false if there is nothing. Without the vGPU's lock the answer may be stale.
 * Context: any.
 */
bool gslot_exec_may_trim(const struct gslot_exec *exec, u32 idle_ms)
{
	return ppgtt_may_drop(&exec->ppgtt, idle_ms);
}

/**
 * gslot_exec_drop_range() - drop every reference into a range of guest memory
 * @exec: the vGPU's; quiesced
 * @gfn: first page
 * @count: number of pages
 *
 * Context: the vGPU's lock is held; may sleep.
 */
void gslot_exec_drop_range(struct gslot_exec *exec, u64 gfn, u64 count)
{
	struct exec_context *ctx;

	lockdep_assert_held(&exec->cfg.lock->mutex);
	list_for_each_entry(ctx, &exec->contexts.list, link) {
		if (ctx->pphwsp && ctx->pphwsp->gfn - gfn < count)
			exec_context_set_pphwsp(ctx, NULL);
	}
	ppgtt_drop_range(&exec->ppgtt, gfn, count);
}

/**
 * gslot_exec_forget_range() - forget dropped address spaces that had their root in a range
 * @exec: the vGPU's; it may run
 * @gfn: first page
 * @count: number of pages; none of them is in use
 *
 * Their pages do not count as away any more.
 *
 * Context: may sleep, without the vGPU's lock.
 */
void gslot_exec_forget_range(struct gslot_exec *exec, u64 gfn, u64 count)
{
	/* Usually nothing is away: then the worker is not interrupted. */
	if (!READ_ONCE(exec->cfg.dropped->away))
		return;
	/* The worker may wait for a page of the caller's. What is away is an estimate. */
	if (!gslot_exec_lock_until(exec, jiffies + FORGET_TIMEOUT))
		return;
	ppgtt_forget_dropped(&exec->ppgtt, gfn, count);
	gslot_exec_unlock(exec);
}
