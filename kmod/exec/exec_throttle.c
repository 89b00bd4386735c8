// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: how much CPU time
 *
 * An administrator says how much of a processor's time the worker may use. All that it uses counts,
 * and what interrupts use to signal its vGPU's user; who pays are submissions. Between two of them,
 * where nothing is half done, one that would be next waits until there is CPU time for it. Nothing
 * else does: what the hardware is done with is retired, images go to the guest, the vGPU is reset,
 * stands still and is closed as ever, so neither others nor the guest's own resets wait for a vGPU
 * that has used up its time.
 *
 * The worker never sleeps for it, and holds nothing meanwhile: unlike the kernel's own bandwidth
 * control, which up to Linux 6.17 stops a thread wherever it is, with all its mutexes, some of
 * which are all vGPUs'.
 */
#include <linux/compiler.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>

#include "exec_priv.h"

static u64 cpu_ns(const struct gslot_exec *exec)
{
	return gslot_meter_cpu_ns(exec->cfg.meter);
}

static void begin(struct gslot_exec *exec, u64 wait)
{
	if (!exec->throttled_since) {
		exec->throttled_since = jiffies | 1;
		exec->throttled++;
	}
	kthread_mod_delayed_work(exec->worker, &exec->refill, nsecs_to_jiffies(wait) + 1);
}

/* It was not the host's want of room that submissions waited for meanwhile. */
static void end(struct gslot_exec *exec)
{
	if (exec->throttled_since)
		exec_attempts_extend(exec, jiffies - exec->throttled_since);
	exec->throttled_since = 0;
}

/**
 * exec_throttled() - has the worker used up its CPU time?
 * @exec: the vGPU's
 *
 * Return: true if no submission is to be looked at now; the worker is woken when one may be.
 * Context: lock held, by the worker.
 */
bool exec_throttled(struct gslot_exec *exec)
{
	struct gslot_throttle *t = &exec->throttle;
	u32 max = READ_ONCE(exec->cpu_max);
	u64 wait;

	lockdep_assert_held(&exec->cfg.lock->mutex);
	if (likely(max == GSLOT_THROTTLE_ALL && max == t->bucket.rate))
		return false;
	if (max != t->bucket.rate)
		gslot_throttle_set(t, ktime_get_ns(), cpu_ns(exec), max);
	wait = gslot_throttle_wait(t, ktime_get_ns(), cpu_ns(exec));
	if (wait)
		begin(exec, wait);
	else
		end(exec);
	return wait;
}

/**
 * gslot_exec_set_cpu_max() - an administrator says how much CPU time the worker may use
 * @exec: the vGPU's
 * @max: of a processor's time, per mille; GSLOT_THROTTLE_LEAST .. GSLOT_THROTTLE_ALL, which is no
 *	bound
 *
 * A submission that waits goes on at once if it now may.
 *
 * Context: any.
 */
void gslot_exec_set_cpu_max(struct gslot_exec *exec, u32 max)
{
	if (xchg(&exec->cpu_max, max) != max)
		exec_kick(exec);
}
