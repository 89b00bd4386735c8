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
 */
#include <linux/delay.h>
#include <linux/jiffies.h>

#include "vgpu_priv.h"
#include "../sched/sched.h"

#define STOP_PATIENCE	(20 * HZ)
/* How long all may have to wait for one of them, and then go on before the next try. */
#define LEAVE_PATIENCE	(HZ / 10)
#define GO_ON_MS	200
#define LOOK_MS		2

/* Return: false if its worker does not leave what it is at until then. */
static bool await_held_off(struct gslot_exec *exec, unsigned long until)
{
	while (!gslot_exec_is_held_off(exec)) {
		if (time_after(jiffies, until))
			return false;
		msleep(LOOK_MS);
	}
	return true;
}

/* One after the other, while the others go on. Return: false if one is not done until then. */
static bool await_workers(struct gslot_vgpu_parent *gpu, unsigned long until)
{
	struct gslot_vgpu *vgpu;
	bool done;

	list_for_each_entry(vgpu, &gpu->vgpus, link) {
		if (!vgpu->exec)
			continue;
		gslot_exec_hold_off(vgpu->exec);
		done = await_held_off(vgpu->exec, until);
		gslot_exec_let_on(vgpu->exec);
		if (!done)
			return false;
	}
	return true;
}

static void let_all_on(struct gslot_vgpu_parent *gpu)
{
	struct gslot_vgpu *vgpu;

	list_for_each_entry(vgpu, &gpu->vgpus, link)
		if (vgpu->exec)
			gslot_exec_let_on(vgpu->exec);
}

/* Return: false, and all go on, if one of them is at something that takes longer. */
static bool hold_all_off(struct gslot_vgpu_parent *gpu)
{
	unsigned long until = jiffies + LEAVE_PATIENCE;
	struct gslot_vgpu *vgpu;
	bool done = true;

	list_for_each_entry(vgpu, &gpu->vgpus, link)
		if (vgpu->exec)
			gslot_exec_hold_off(vgpu->exec);
	list_for_each_entry(vgpu, &gpu->vgpus, link)
		if (vgpu->exec)
			done = done && await_held_off(vgpu->exec, until);
	if (!done)
		let_all_on(gpu);
	return done;
}

/* Return: whether nothing is being taken away, nor will be, and nobody waits for memory. */
static bool begin_to_stop(struct gslot_vgpu_parent *gpu)
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
 * Return: 0, or -EBUSY if one of them does not come to an end with its memory.
 * Context: the GPU's lock is held; may sleep.
 */
int gslot_vgpus_stop(struct gslot_vgpu_parent *gpu)
{
	unsigned long until = jiffies + STOP_PATIENCE;
	struct gslot_vgpu *vgpu;

	while (!await_workers(gpu, until) || !begin_to_stop(gpu)) {
		if (time_after(jiffies, until))
			return -EBUSY;
		msleep(GO_ON_MS);
	}
	gslot_sched_halt(gpu->sched);
	list_for_each_entry(vgpu, &gpu->vgpus, link)
		if (vgpu->exec)
			gslot_exec_quiesce(vgpu->exec);
	let_all_on(gpu);
	return 0;
}

/**
 * gslot_vgpus_go_on() - undo gslot_vgpus_stop()
 * @gpu: the GPU
 *
 * Context: the GPU's lock is held; may sleep.
 */
void gslot_vgpus_go_on(struct gslot_vgpu_parent *gpu)
{
	struct gslot_vgpu *vgpu;

	list_for_each_entry(vgpu, &gpu->vgpus, link)
		if (vgpu->exec)
			gslot_exec_resume(vgpu->exec);
	gslot_sched_go_on(gpu->sched);
	up_write(&gpu->still);
}
