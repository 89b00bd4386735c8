// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: the worker
 *
 * Each vGPU has a kthread that does all that may sleep or takes long, under the vGPU's lock. A
 * trapped register write or a hard interrupt only records what happened, and wakes the thread.
 *
 * The worker unlocks after each submission, and within one as soon as the lock is contended
 * (gslot_vgpu_lock_contended()): a submission may take seconds, and VFIO does not wait that long
 * for memory that it takes away.
 */
/*
 * DOC: the worker's CPU time
 *
 * All that a guest can ask for without limit is throttled. The worker stops between two
 * submissions, where no work is half done, and holds no lock meanwhile. So a reset by the guest
 * does not wait for it. Another vGPU does only while this one holds the pin token, until it loses
 * the token for want of progress (core/mem/token.h). Completions are not throttled: a submission
 * has two at most. See "CPU time" in docs/scheduling.md.
 */
#include <linux/compiler.h>
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/memcontrol.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>

#include "exec_priv.h"
#include "base/compat.h"
#include "core/sched/throttle.h"

/* Wake the worker, even if it is throttled. May be called in any context. */
void exec_wake(struct gslot_exec *exec)
{
	kthread_queue_work(exec->worker.thread, &exec->worker.work);
}

/*
 * Have the worker look at what the caller has left for it; not before it may go on, if it is
 * throttled. May be called in any context.
 *
 * The lock orders this with worker_set_throttled(): either the caller sees that the worker is not
 * throttled any more, and wakes it, or the worker sees what the caller has left.
 */
void exec_kick(struct gslot_exec *exec)
{
	struct exec_inbox *inbox = &exec->worker.inbox;
	unsigned long flags;
	bool throttled;

	spin_lock_irqsave(&inbox->lock, flags);
	throttled = inbox->throttled;
	spin_unlock_irqrestore(&inbox->lock, flags);
	if (!throttled)
		exec_wake(exec);
}

/* Set what exec_kick() reads. Return: whether it has changed. */
static bool worker_set_throttled(struct exec_worker *worker, bool throttled)
{
	struct exec_inbox *inbox = &worker->inbox;
	bool changed;

	spin_lock_irq(&inbox->lock);
	changed = inbox->throttled != throttled;
	inbox->throttled = throttled;
	spin_unlock_irq(&inbox->lock);
	return changed;
}

/* Have the worker woken after @delay jiffies, and not at the time set before. */
static void worker_wake_in(struct exec_worker *worker, unsigned long delay)
{
	kthread_mod_delayed_work(worker->thread, &worker->wake, delay);
}

/*
 * No submission is processed from now on. That time does not count against their deadlines, which
 * are for a lack of room.
 */
static void worker_hold_begin(struct exec_worker *worker)
{
	if (worker->held)
		return;
	worker->held = true;
	worker->held_since = jiffies;
}

/* Submissions are processed again. */
static void worker_hold_end(struct gslot_exec *exec)
{
	struct exec_worker *worker = &exec->worker;

	if (likely(!worker->held))
		return;
	worker->held = false;
	exec_attempts_extend(exec, jiffies - worker->held_since);
}

/*
 * While the vGPU was quiesced, none was processed either; now the lock is not contended, so all of
 * that time is known. If they are held, that includes it, but for what was before.
 */
static void worker_note_quiesced(struct gslot_exec *exec)
{
	struct exec_worker *worker = &exec->worker;
	unsigned long quiesced;

	if (likely(!atomic_long_read(&worker->quiesced_jiffies)))
		return;
	quiesced = atomic_long_xchg(&worker->quiesced_jiffies, 0);
	if (!worker->held)
		exec_attempts_extend(exec, quiesced);
}

/* Ask whether the worker may go on; if not, have it woken to ask again. Return: if not. */
static bool worker_throttle(struct gslot_exec *exec)
{
	struct exec_worker *worker = &exec->worker;
	struct gslot_throttle *t = exec->cfg.throttle;
	u32 max = READ_ONCE(worker->cpu_max);
	u64 wait, used;

	/* There was no limit the last time, either: then it was found not to be throttled. */
	if (likely(max == GSLOT_THROTTLE_ALL && max == t->bucket.rate))
		return false;
	used = gslot_meter_cpu_ns(exec->cfg.meter);
	if (max != t->bucket.rate)
		gslot_throttle_set(t, ktime_get_ns(), used, max);
	wait = gslot_throttle_wait(t, ktime_get_ns(), used);
	if (worker_set_throttled(worker, wait != 0) && wait)
		exec->stats.throttled++;
	if (wait)
		worker_wake_in(worker, nsecs_to_jiffies(wait) + 1);
	return wait != 0;
}

/**
 * gslot_exec_set_cpu_max() - limit the CPU time of the worker
 * @exec: the vGPU's
 * @max: per mille of a processor; GSLOT_THROTTLE_LEAST .. GSLOT_THROTTLE_ALL, which is no limit
 *
 * A throttled worker goes on at once if the new limit allows it.
 *
 * Context: any.
 */
void gslot_exec_set_cpu_max(struct gslot_exec *exec, u32 max)
{
	if (xchg(&exec->worker.cpu_max, max) != max)
		exec_wake(exec);
}

/**
 * gslot_exec_postpone() - process no submission
 * @exec: the vGPU's
 * @why: the reason, which may be given already
 *
 * One that has begun goes on until it is processed, or interrupted. Prepared requests run. The
 * guest may reset its engines.
 *
 * Context: any.
 */
void gslot_exec_postpone(struct gslot_exec *exec, enum gslot_exec_postpone why)
{
	atomic_or(why, &exec->worker.postponed);
}

/**
 * gslot_exec_unpostpone() - process submissions again, if there is no other reason to postpone them
 * @exec: the vGPU's
 * @why: the reason that is gone, if it was given
 *
 * Context: any.
 */
void gslot_exec_unpostpone(struct gslot_exec *exec, enum gslot_exec_postpone why)
{
	if (atomic_fetch_andnot(why, &exec->worker.postponed) == why)
		exec_kick(exec);
}

/**
 * gslot_exec_retry() - process submissions again for which there was no room
 * @exec: the vGPU's
 *
 * Context: any.
 */
void gslot_exec_retry(struct gslot_exec *exec)
{
	WRITE_ONCE(exec->worker.retry, true);
	exec_kick(exec);
}

/* Process one submission, the engines in turn. Return: whether one was due. */
static bool worker_submit(struct gslot_exec *exec)
{
	struct exec_worker *worker = &exec->worker;
	unsigned long wait;
	u32 i;

	if (unlikely(atomic_read(&worker->postponed))) {
		worker_hold_begin(worker);
		return false;
	}
	worker_note_quiesced(exec);
	worker_hold_end(exec);
	for (i = 0; i < GSLOT_NR_ENGINES; i++) {
		u32 id = (worker->next_engine + i) % GSLOT_NR_ENGINES;

		if (!exec_attempt_due(exec, id))
			continue;
		/* An interrupted one is next again, while the tables that it synced are new. */
		worker->next_engine = id + exec_attempt(exec, id);
		return true;
	}
	wait = exec_attempts_wait(exec);
	if (wait != ULONG_MAX)
		worker_wake_in(worker, wait);
	return false;
}

/* Do what waits while the worker is throttled. Return: whether there was, or is, work. */
static bool worker_serve(struct gslot_exec *exec)
{
	struct exec_worker *worker = &exec->worker;

	if (xchg(&worker->retry, false))
		exec_attempts_retry_now(exec);
	worker->interrupted = gslot_vgpu_lock_contended(exec->cfg.lock);
	if (worker->interrupted)
		return false;
	/* Not for a vGPU that is quiesced: this unpins pages. */
	exec_process_destroyed(exec);
	ppgtt_reap(&exec->ppgtt);
	/* If the lock is contended by now, the next step is interrupted. */
	return worker_submit(exec) || !list_empty(&exec->ppgtt.dying);
}

/* One step under the lock. Return: whether there was work. */
static bool worker_step(struct gslot_exec *exec)
{
	struct exec_worker *worker = &exec->worker;
	bool retired = exec_process_retired(exec);

	/* Before it may be interrupted: for that it is woken again, as often as a guest likes. */
	if (worker_throttle(exec)) {
		worker->interrupted = false;
		worker_hold_begin(worker);
		return retired;
	}
	return worker_serve(exec) || retired;
}

static void worker_run(struct gslot_exec *exec)
{
	struct mem_cgroup *old = set_active_memcg(exec->worker.memcg);
	bool more;

	do {
		WRITE_ONCE(exec->worker.waits, true);
		mutex_lock(&exec->cfg.lock->mutex);
		WRITE_ONCE(exec->worker.waits, false);
		more = worker_step(exec);
		mutex_unlock(&exec->cfg.lock->mutex);
		cond_resched();
	} while (more);
	set_active_memcg(old);
}

static void worker_do_work(struct kthread_work *work)
{
	worker_run(container_of(work, struct gslot_exec, worker.work));
}

static void worker_do_wake(struct kthread_work *work)
{
	worker_run(container_of(work, struct gslot_exec, worker.wake.work));
}

/*
 * The memory cgroup of the calling process is charged for what the worker allocates.
 * Return: 0, -ENOMEM, or -EINTR if the process is being killed.
 */
int exec_worker_create(struct gslot_exec *exec)
{
	struct kthread_worker *thread = kthread_run_worker(0, "gslot/%s", exec->cfg.name);
	struct exec_worker *worker = &exec->worker;

	if (IS_ERR(thread))
		return PTR_ERR(thread);
	kthread_init_work(&worker->work, worker_do_work);
	kthread_init_delayed_work(&worker->wake, worker_do_wake);
	exec_sync_init(worker);
	spin_lock_init(&worker->inbox.lock);
	init_llist_head(&worker->retired);
	worker->cpu_max = exec->cfg.cpu_max;
	worker->memcg = get_mem_cgroup_from_mm(current->mm);
	worker->thread = thread;
	gslot_meter_worker_begin(exec->cfg.meter, thread->task);
	return 0;
}

/* The vGPU's lock is not held, if the worker was ever woken. From now on only @wake wakes it. */
void exec_worker_destroy(struct gslot_exec *exec)
{
	/* Its last step may have to be woken again. */
	kthread_flush_work(&exec->worker.work);
	kthread_cancel_delayed_work_sync(&exec->worker.wake);
	kthread_destroy_worker(exec->worker.thread);
	gslot_meter_worker_end(exec->cfg.meter);
	mem_cgroup_put(exec->worker.memcg);
}
