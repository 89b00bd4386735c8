// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: system sleep and shutdown
 *
 * Every vGPU is taken off the hardware before that loses power; what a guest had submitted stays
 * queued, and runs after resume. User space is frozen while the system sleeps, so vGPUs are neither
 * opened nor closed.
 *
 * A worker may wait for a page of its guest: one that is being swapped in, or one that a process
 * serves, which then must not be frozen. So before user space is frozen all workers are held off,
 * and one that does not get its page in time keeps the machine awake. From then on no worker pins
 * anything until the machine is awake again. A vCPU that waits for a page when user space is to be
 * frozen cannot be frozen itself: the kernel gives up for it, after twenty seconds.
 *
 * At shutdown user space may still run, and nothing can be put off: so no vGPU is asked. No resume
 * follows, and a vGPU that is opened then finds a GPU that has stopped.
 */
#include <linux/delay.h>
#include <linux/jiffies.h>

#include "placing.h"
#include "vgpu_priv.h"
#include "base/lock.h"
#include "sched/sched.h"

/* How long a page may take before the machine sleeps; and a moment after that. */
#define SLEEP_PATIENCE	(5 * HZ)
#define FROZEN_PATIENCE	HZ

/**
 * gslot_vgpus_unpark() - undo gslot_vgpus_park()
 * @gpu: the GPU
 *
 * Context: may sleep, without the GPU's locks.
 */
void gslot_vgpus_unpark(struct gslot_vgpus *gpu)
{
	struct gslot_vgpu *vgpu;

	mutex_lock(&gpu->lock);
	gpu->parked = false;
	list_for_each_entry(vgpu, &gpu->vgpus, link)
		if (gslot_vgpu_is_in(vgpu))
			gslot_exec_unpark(vgpu->exec);
	mutex_unlock(&gpu->lock);
}

/* Return: a vGPU that is not off its user's memory yet; NULL: none. */
static struct gslot_vgpu *find_busy(struct gslot_vgpus *gpu)
{
	struct gslot_vgpu *vgpu;

	list_for_each_entry(vgpu, &gpu->vgpus, link)
		if (!gslot_vgpu_is_parked(vgpu))
			return vgpu;
	return NULL;
}

/* The lock of the GPU is held, and released while this waits. Return: as find_busy(). */
static struct gslot_vgpu *await_busy(struct gslot_vgpus *gpu, unsigned long until)
{
	struct gslot_vgpu *vgpu;

	while ((vgpu = find_busy(gpu)) && !time_after(jiffies, until)) {
		mutex_unlock(&gpu->lock);
		msleep(GSLOT_LOCK_POLL_MS);
		mutex_lock(&gpu->lock);
	}
	return vgpu;
}

/**
 * gslot_vgpus_park() - have all workers leave what they are at
 * @gpu: the GPU
 *
 * They begin nothing until gslot_vgpus_unpark(), nor does that of a vGPU that is opened meanwhile.
 * What they have prepared runs on.
 *
 * Return: 0; or -EBUSY, and all go on, if one of them waits for memory for too long: five seconds.
 * Context: may sleep, without the GPU's locks.
 */
int gslot_vgpus_park(struct gslot_vgpus *gpu)
{
	struct gslot_vgpu *vgpu;

	mutex_lock(&gpu->lock);
	gpu->parked = true;
	list_for_each_entry(vgpu, &gpu->vgpus, link)
		if (gslot_vgpu_is_in(vgpu))
			gslot_exec_park(vgpu->exec);
	vgpu = await_busy(gpu, jiffies + SLEEP_PATIENCE);
	if (vgpu)
		dev_warn(vgpu->dev, "it waits for its user's memory: the machine cannot sleep\n");
	mutex_unlock(&gpu->lock);
	if (!vgpu)
		return 0;
	gslot_vgpus_unpark(gpu);
	return -EBUSY;
}

/* The first of them up to @end. */
static void resume_before(struct gslot_vgpus *gpu, const struct gslot_vgpu *end)
{
	struct gslot_vgpu *vgpu;

	list_for_each_entry(vgpu, &gpu->vgpus, link) {
		if (vgpu == end)
			break;
		if (gslot_vgpu_is_in(vgpu))
			gslot_exec_resume(vgpu->exec);
	}
}

/**
 * gslot_vgpus_suspend() - take all vGPUs off the hardware
 * @gpu: the GPU; its workers are held off, and user space is frozen
 *
 * Return: 0; or -EBUSY, and nothing is changed, if one cannot be in time.
 * Context: may sleep.
 */
int gslot_vgpus_suspend(struct gslot_vgpus *gpu)
{
	unsigned long until = jiffies + FROZEN_PATIENCE;
	struct gslot_vgpu *vgpu;
	int ret = 0;

	mutex_lock(&gpu->lock);
	if (await_busy(gpu, until)) {
		mutex_unlock(&gpu->lock);
		return -EBUSY;
	}
	list_for_each_entry(vgpu, &gpu->vgpus, link) {
		if (gslot_vgpu_is_in(vgpu))
			ret = gslot_exec_quiesce_until(vgpu->exec, until);
		if (ret) {
			resume_before(gpu, vgpu);
			break;
		}
	}
	mutex_unlock(&gpu->lock);
	return ret;
}

/**
 * gslot_vgpus_resume() - undo gslot_vgpus_suspend()
 * @gpu: the GPU
 *
 * Context: may sleep.
 */
void gslot_vgpus_resume(struct gslot_vgpus *gpu)
{
	mutex_lock(&gpu->lock);
	resume_before(gpu, NULL);
	mutex_unlock(&gpu->lock);
}

/**
 * gslot_vgpus_shutdown() - let nothing of vGPUs be on the hardware any more
 * @gpu: the GPU
 *
 * Waits for the hardware alone, for a preemption and a reset of each vGPU: for none of their locks.
 *
 * Context: may sleep.
 */
void gslot_vgpus_shutdown(struct gslot_vgpus *gpu)
{
	struct gslot_vgpu *vgpu;

	gslot_sched_halt(gpu->sched);
	mutex_lock(&gpu->lock);
	list_for_each_entry(vgpu, &gpu->vgpus, link)
		if (gslot_vgpu_is_in(vgpu))
			gslot_sched_pause(gslot_exec_client(vgpu->exec));
	mutex_unlock(&gpu->lock);
}
