// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: system sleep and shutdown
 *
 * Before the hardware loses power, every vGPU is taken off it. What a guest has submitted stays
 * queued, and runs after resume. User space is frozen while the system sleeps, so vGPUs are neither
 * opened nor closed.
 *
 * A worker may wait for a page of its guest that is being swapped in, or that a process serves;
 * this process must not be frozen then. So before user space is frozen all workers are parked. A
 * worker that does not get its page in time keeps the machine awake. Once parked, no worker pins
 * pages until the machine is awake again. User space may begin the sync of a migrated vGPU until it
 * is frozen: what is under way then is waited for again. A vCPU that waits for a page when user
 * space is to be frozen cannot be frozen: the kernel gives up after twenty seconds.
 *
 * The machine hibernates only while no vGPU is open: then nothing of a guest is in the hardware.
 *
 * At shutdown user space may still run, and shutdown cannot be refused: so no lock of a vGPU is
 * waited for. No resume follows, and a vGPU that is opened then finds a GPU that has stopped.
 */
#include <linux/delay.h>
#include <linux/device.h>
#include <linux/jiffies.h>

#include "vgpu_priv.h"
#include "base/lock.h"
#include "sched/sched.h"

/* How long a worker may wait for a page: before user space is frozen, and after. */
#define SLEEP_PATIENCE	(5 * HZ)
#define FROZEN_PATIENCE	HZ

/**
 * gslot_vgpus_unpark() - undo gslot_vgpus_park()
 * @vgpus: the GPU
 *
 * Context: may sleep, without gslot_vgpus.lock and the locks of vGPUs.
 */
void gslot_vgpus_unpark(struct gslot_vgpus *vgpus)
{
	struct gslot_vgpu *vgpu;

	mutex_lock(&vgpus->lock);
	vgpus->parked = false;
	list_for_each_entry(vgpu, &vgpus->list, link)
		if (gslot_vgpu_is_active(vgpu))
			gslot_exec_unpark(vgpu->exec);
	mutex_unlock(&vgpus->lock);
}

/* Return: a vGPU with a worker that is not parked yet; NULL: none. */
static struct gslot_vgpu *pm_find_busy(struct gslot_vgpus *vgpus)
{
	struct gslot_vgpu *vgpu;

	list_for_each_entry(vgpu, &vgpus->list, link)
		if (!gslot_vgpu_is_parked(vgpu))
			return vgpu;
	return NULL;
}

/* gslot_vgpus.lock is held, and released while this waits. Return: as pm_find_busy(). */
static struct gslot_vgpu *pm_await_busy(struct gslot_vgpus *vgpus, unsigned long until)
{
	struct gslot_vgpu *vgpu;

	while ((vgpu = pm_find_busy(vgpus)) && !time_after(jiffies, until)) {
		mutex_unlock(&vgpus->lock);
		msleep(GSLOT_LOCK_POLL_MS);
		mutex_lock(&vgpus->lock);
	}
	return vgpu;
}

/**
 * gslot_vgpus_park() - park all workers, and those of vGPUs that are opened until they are unparked
 * @vgpus: the GPU; prepared requests run on
 *
 * Return: 0; or -EBUSY, with all workers unparked, if one of them waits for memory for more than
 * five seconds.
 * Context: may sleep, without gslot_vgpus.lock and the locks of vGPUs.
 */
int gslot_vgpus_park(struct gslot_vgpus *vgpus)
{
	struct gslot_vgpu *vgpu;

	mutex_lock(&vgpus->lock);
	vgpus->parked = true;
	list_for_each_entry(vgpu, &vgpus->list, link)
		if (gslot_vgpu_is_active(vgpu))
			gslot_exec_park(vgpu->exec);
	vgpu = pm_await_busy(vgpus, jiffies + SLEEP_PATIENCE);
	if (vgpu)
		dev_warn(vgpu->dev, "the worker waits for guest memory: the machine cannot sleep\n");
	mutex_unlock(&vgpus->lock);
	if (!vgpu)
		return 0;
	gslot_vgpus_unpark(vgpus);
	return -EBUSY;
}

/* Resume the vGPUs before @end, or all: NULL. */
static void pm_resume_before(struct gslot_vgpus *vgpus, const struct gslot_vgpu *end)
{
	struct gslot_vgpu *vgpu;

	list_for_each_entry(vgpu, &vgpus->list, link) {
		if (vgpu == end)
			break;
		if (gslot_vgpu_is_active(vgpu))
			gslot_exec_resume(vgpu->exec);
	}
}

/**
 * gslot_vgpus_check_hibernate() - may the machine hibernate?
 * @vgpus: the GPU; user space is frozen
 *
 * Return: 0; or -EBUSY if a vGPU is open: its guest is to be saved before (docs/migration.md).
 * Context: may sleep.
 */
int gslot_vgpus_check_hibernate(struct gslot_vgpus *vgpus)
{
	struct gslot_vgpu *vgpu;
	int ret = 0;

	mutex_lock(&vgpus->lock);
	list_for_each_entry(vgpu, &vgpus->list, link) {
		if (!gslot_vgpu_is_active(vgpu))
			continue;
		dev_warn(vgpu->dev, "the vGPU is open: the machine cannot hibernate\n");
		ret = -EBUSY;
		break;
	}
	mutex_unlock(&vgpus->lock);
	return ret;
}

/**
 * gslot_vgpus_suspend() - take all vGPUs off the hardware
 * @vgpus: the GPU; its workers are parked, and user space is frozen
 *
 * Return: 0; or -EBUSY, with nothing changed, if a vGPU does not leave in time.
 * Context: may sleep.
 */
int gslot_vgpus_suspend(struct gslot_vgpus *vgpus)
{
	unsigned long until = jiffies + FROZEN_PATIENCE;
	struct gslot_vgpu *vgpu;
	int ret = -EBUSY;

	mutex_lock(&vgpus->lock);
	if (pm_await_busy(vgpus, until))
		goto out_unlock;
	ret = 0;
	list_for_each_entry(vgpu, &vgpus->list, link) {
		if (gslot_vgpu_is_active(vgpu))
			ret = gslot_exec_quiesce_until(vgpu->exec, until);
		if (ret) {
			pm_resume_before(vgpus, vgpu);
			break;
		}
	}
out_unlock:
	mutex_unlock(&vgpus->lock);
	return ret;
}

/**
 * gslot_vgpus_resume() - undo gslot_vgpus_suspend()
 * @vgpus: the GPU
 *
 * Context: may sleep.
 */
void gslot_vgpus_resume(struct gslot_vgpus *vgpus)
{
	mutex_lock(&vgpus->lock);
	pm_resume_before(vgpus, NULL);
	mutex_unlock(&vgpus->lock);
}

/**
 * gslot_vgpus_shutdown() - take all vGPUs off the hardware for good
 * @vgpus: the GPU
 *
 * Context: may sleep: waits for a preemption and a reset of each vGPU, and for no lock of theirs.
 */
void gslot_vgpus_shutdown(struct gslot_vgpus *vgpus)
{
	struct gslot_vgpu *vgpu;

	gslot_sched_halt(vgpus->sched);
	mutex_lock(&vgpus->lock);
	list_for_each_entry(vgpu, &vgpus->list, link)
		if (gslot_vgpu_is_active(vgpu))
			gslot_sched_pause(vgpu->client);
	mutex_unlock(&vgpus->lock);
}
