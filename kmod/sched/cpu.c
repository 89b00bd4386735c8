// SPDX-License-Identifier: GPL-2.0
/*
 * CPU time of a vGPU's worker, the kthread that processes its submissions while it is open. A meter
 * adds up the time of all its workers.
 */
#include <linux/compiler.h>
#include <linux/sched.h>
#include <linux/sched/task.h>

#include "sched_priv.h"

/**
 * gslot_worker_cpu_ns() - CPU time of a thread
 * @worker: the thread
 *
 * The kernel accounts when a thread leaves its processor, and at each tick. What it has run since
 * then is missing until the next time. (No interface that is exported to modules has more.)
 *
 * Return: nanoseconds; never less than before.
 * Context: any.
 */
u64 gslot_worker_cpu_ns(const struct task_struct *worker)
{
	return READ_ONCE(worker->se.sum_exec_runtime);
}

/**
 * gslot_meter_worker_begin() - a vGPU gets a worker
 * @meter: the vGPU's; it has no worker
 * @worker: the worker; a new thread
 *
 * Context: may sleep.
 */
void gslot_meter_worker_begin(struct gslot_meter *meter, struct task_struct *worker)
{
	spin_lock(&meter->worker_lock);
	meter->worker = get_task_struct(worker);
	spin_unlock(&meter->worker_lock);
}

/**
 * gslot_meter_worker_end() - undo gslot_meter_worker_begin()
 * @meter: the vGPU's; its worker has ended
 *
 * Context: may sleep.
 */
void gslot_meter_worker_end(struct gslot_meter *meter)
{
	struct task_struct *worker = meter->worker;

	spin_lock(&meter->worker_lock);
	meter->cpu_ns += gslot_worker_cpu_ns(worker);
	meter->worker = NULL;
	spin_unlock(&meter->worker_lock);
	put_task_struct(worker);
}

/**
 * gslot_meter_charge_cpu() - count CPU time of an interrupt for a vGPU
 * @meter: the vGPU's
 * @ns: CPU time, ns
 *
 * Context: any.
 */
void gslot_meter_charge_cpu(struct gslot_meter *meter, u64 ns)
{
	atomic64_add(ns, &meter->irq_ns);
}

/**
 * gslot_meter_cpu_ns() - CPU time of a vGPU: its workers, and interrupts that signal its user
 * @meter: the vGPU's
 *
 * Return: nanoseconds, since the vGPU was created; never less than before.
 * Context: may sleep.
 */
u64 gslot_meter_cpu_ns(struct gslot_meter *meter)
{
	u64 ns;

	spin_lock(&meter->worker_lock);
	ns = meter->cpu_ns;
	if (meter->worker)
		ns += gslot_worker_cpu_ns(meter->worker);
	spin_unlock(&meter->worker_lock);
	return ns + atomic64_read(&meter->irq_ns);
}
