// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: all stand still
 *
 * What all vGPUs use is changed while none of them runs, nor prepares anything: that takes as long
 * as one preemption and reset. But a vGPU whose memory is being taken away, or whose worker waits
 * for some of it, may take much longer: where two threads of a process unmap memory at once, VFIO's
 * lock goes around among them in turns of seconds (unmap.c). That is waited for while all others
 * run: first for each worker by itself, then, for a moment, for all of them; and if one of them is
 * at something of that kind again, all go on before the next try.
 *
 * A page that a worker waits for may not come at all, nor then the end of a vGPU that is being
 * closed. So nothing here waits for a vGPU without a bound: what pins pages is the worker, which is
 * held off, and a vCPU that flushes the GGTT, which has @still to read.
 */
#include <linux/delay.h>
#include <linux/jiffies.h>

#include "vgpu_priv.h"
#include "base/lock.h"
#include "sched/sched.h"

#define STOP_PATIENCE	(20 * HZ)
/* How long all may have to wait for one of them, and then go on before the next try. */
#define LEAVE_PATIENCE	(HZ / 10)
#define GO_ON_MS	200

/**
 * gslot_vgpu_await() - wait until a vGPU's worker has left what it was at
 * @vgpu: the vGPU, held off if it is open
 * @until: when time is over, jiffies
 *
 * Return: false if it does not until then, or is being closed until then.
 * Context: the GPU's lock is held; may sleep.
 */
bool gslot_vgpu_await(struct gslot_vgpu *vgpu, unsigned long until)
{
	/* Pairs with the end of gslot_vgpu_close(): nothing of it is open then. */
	while (smp_load_acquire(&vgpu->leaving) ||
	       (vgpu->exec && !gslot_exec_is_parked(vgpu->exec))) {
		if (time_after(jiffies, until))
			return false;
		msleep(GSLOT_LOCK_POLL_MS);
	}
	return true;
}

/* One after the other, while the others go on. Return: false if one is not done until then. */
static bool await_workers(struct gslot_vgpus *gpu, unsigned long until)
{
	struct gslot_vgpu *vgpu;
	bool done;

	list_for_each_entry(vgpu, &gpu->vgpus, link) {
		bool in = gslot_vgpu_is_in(vgpu);

		if (in)
			gslot_exec_park(vgpu->exec);
		done = gslot_vgpu_await(vgpu, until);
		if (in)
			gslot_exec_unpark(vgpu->exec);
		if (!done)
			return false;
	}
	return true;
}

static void let_all_on(struct gslot_vgpus *gpu)
{
	struct gslot_vgpu *vgpu;

	list_for_each_entry(vgpu, &gpu->vgpus, link)
		if (gslot_vgpu_is_in(vgpu))
			gslot_exec_unpark(vgpu->exec);
}

/* Return: false, and all go on, if one of them is at something that takes longer. */
static bool hold_all_off(struct gslot_vgpus *gpu)
{
	unsigned long until = jiffies + LEAVE_PATIENCE;
	struct gslot_vgpu *vgpu;
	bool done = true;

	list_for_each_entry(vgpu, &gpu->vgpus, link)
		if (gslot_vgpu_is_in(vgpu))
			gslot_exec_park(vgpu->exec);
	list_for_each_entry(vgpu, &gpu->vgpus, link)
		done = done && gslot_vgpu_await(vgpu, until);
	if (!done)
		let_all_on(gpu);
	return done;
}

/* Return: whether nothing is being taken away, nor will be, and nobody waits for memory. */
static bool begin_to_stop(struct gslot_vgpus *gpu)
{
	if (!down_write_trylock(&gpu->still))
		return false;
	if (hold_all_off(gpu))
		return true;
	up_write(&gpu->still);
	return false;
}

/**
 * gslot_vgpus_stop() - let none of the vGPUs run, or prepare anything
 * @gpu: the GPU
 *
 * What they have submitted stays queued. No memory is taken away meanwhile.
 *
 * Return: 0, or -EBUSY if one of them does not come to an end with its memory in twenty seconds.
 * Context: the GPU's lock and the lock of places are held; may sleep.
 */
int gslot_vgpus_stop(struct gslot_vgpus *gpu)
{
	unsigned long until = jiffies + STOP_PATIENCE;
	struct gslot_vgpu *vgpu;

	while (!await_workers(gpu, until) || !begin_to_stop(gpu)) {
		if (time_after(jiffies, until))
			return -EBUSY;
		msleep(GO_ON_MS);
	}
	gslot_sched_halt(gpu->sched);
	/* Nothing is being pinned, and nothing is let begin that: this is short. */
	list_for_each_entry(vgpu, &gpu->vgpus, link)
		if (gslot_vgpu_is_in(vgpu))
			gslot_exec_quiesce(vgpu->exec);
	let_all_on(gpu);
	return 0;
}

/**
 * gslot_vgpus_go_on() - undo gslot_vgpus_stop()
 * @gpu: the GPU
 *
 * Context: the same locks are held since; may sleep.
 */
void gslot_vgpus_go_on(struct gslot_vgpus *gpu)
{
	struct gslot_vgpu *vgpu;

	list_for_each_entry(vgpu, &gpu->vgpus, link)
		if (gslot_vgpu_is_in(vgpu))
			gslot_exec_resume(vgpu->exec);
	gslot_sched_go_on(gpu->sched);
	up_write(&gpu->still);
}
