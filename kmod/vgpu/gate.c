// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: the gate
 *
 * What all vGPUs share is changed while all of them are quiesced. places/quiesce.c waits for the
 * locks of each vGPU in turn, and releases them at once. A task could then take such a lock again,
 * and hold it for as long as VFIO or the host's IOMMU take. So an unmapping, a reset, a flush of
 * the GGTT, resizing, saving, trimming, giving memory back, and the sync after a migration take it
 * by a function of this file: while the gate is closed it releases the lock again, and waits.
 * Stopping a vGPU for a migration only begins with the gate open; places/quiesce.c then finds
 * quiesce_lock taken, and tries again. It closes the gate before it takes a lock: a task that takes
 * that lock later sees the gate closed. Restoring a vGPU bypasses the gate, as it takes a lock for
 * one record at a time, which pins and unpins nothing.
 */
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/wait.h>

#include "placing.h"
#include "vgpu_priv.h"
#include "base/lock.h"

static void gate_wait(struct gslot_vgpus *vgpus)
{
	wait_event(vgpus->gate_wait, !READ_ONCE(vgpus->gate_closed));
}

/**
 * gslot_vgpus_close_gate() - close the gate
 * @vgpus: the GPU
 *
 * Context: gslot_vgpus.lock is held.
 */
void gslot_vgpus_close_gate(struct gslot_vgpus *vgpus)
{
	lockdep_assert_held(&vgpus->lock);
	WRITE_ONCE(vgpus->gate_closed, true);
}

/**
 * gslot_vgpus_open_gate() - undo gslot_vgpus_close_gate()
 * @vgpus: the GPU
 *
 * Context: gslot_vgpus.lock is held.
 */
void gslot_vgpus_open_gate(struct gslot_vgpus *vgpus)
{
	lockdep_assert_held(&vgpus->lock);
	WRITE_ONCE(vgpus->gate_closed, false);
	wake_up_all(&vgpus->gate_wait);
}

/* Take a vGPU's @life for what may take long. gslot_vgpus.lock is not held. */
void gslot_vgpu_lock_life(struct gslot_vgpu *vgpu)
{
	mutex_lock(&vgpu->life);
	while (READ_ONCE(vgpu->vgpus->gate_closed)) {
		mutex_unlock(&vgpu->life);
		gate_wait(vgpu->vgpus);
		mutex_lock(&vgpu->life);
	}
}

/**
 * gslot_vgpu_lock_life_until() - take a vGPU's @life before a deadline
 * @vgpu: the vGPU
 * @until: the deadline, jiffies
 *
 * Return: whether @life is taken; gslot_vgpu_unlock_life() releases it.
 * Context: may sleep; if gslot_vgpus.lock is held, the gate is open.
 */
bool gslot_vgpu_lock_life_until(struct gslot_vgpu *vgpu, unsigned long until)
{
	while (gslot_lock_until(&vgpu->life, until)) {
		if (!READ_ONCE(vgpu->vgpus->gate_closed))
			return true;
		mutex_unlock(&vgpu->life);
		if (time_after(jiffies, until))
			return false;
		msleep(GSLOT_LOCK_POLL_MS);
	}
	return false;
}

/**
 * gslot_vgpu_unlock_life() - undo gslot_vgpu_lock_life_until()
 * @vgpu: the vGPU
 *
 * Context: gslot_vgpu.life is held.
 */
void gslot_vgpu_unlock_life(struct gslot_vgpu *vgpu)
{
	mutex_unlock(&vgpu->life);
}

/* Take the lock of an open vGPU for what may take long; gslot_exec_unlock() undoes this. */
void gslot_vgpu_lock_exec(struct gslot_vgpu *vgpu)
{
	gslot_exec_lock(vgpu->exec);
	while (READ_ONCE(vgpu->vgpus->gate_closed)) {
		gslot_exec_unlock(vgpu->exec);
		gate_wait(vgpu->vgpus);
		gslot_exec_lock(vgpu->exec);
	}
}

/* The same before a deadline, jiffies. Return: whether the lock is taken. */
bool gslot_vgpu_lock_exec_until(struct gslot_vgpu *vgpu, unsigned long until)
{
	while (gslot_exec_lock_until(vgpu->exec, until)) {
		if (!READ_ONCE(vgpu->vgpus->gate_closed))
			return true;
		gslot_exec_unlock(vgpu->exec);
		if (time_after(jiffies, until))
			return false;
		msleep(GSLOT_LOCK_POLL_MS);
	}
	return false;
}

/*
 * Return: true if the parked worker is done, as gslot_exec_is_parked(), or the vGPU is not open;
 * false while the vGPU is being closed.
 */
bool gslot_vgpu_is_parked(struct gslot_vgpu *vgpu)
{
	lockdep_assert_held(&vgpu->vgpus->lock);
	/* Pairs with the end of gslot_vgpu_close(): nothing of it is open then. */
	if (smp_load_acquire(&vgpu->leaving))
		return false;
	return !vgpu->exec || gslot_exec_is_parked(vgpu->exec);
}

/**
 * gslot_vgpu_await_parked() - wait until a vGPU's worker is parked, and @life is free
 * @vgpu: the vGPU; its worker has been told to park if it is open
 * @until: the deadline, jiffies
 *
 * Return: true if the worker is parked and @life was free, or the vGPU was not open; false at the
 * deadline.
 * Context: gslot_vgpus.lock is held; may sleep.
 */
bool gslot_vgpu_await_parked(struct gslot_vgpu *vgpu, unsigned long until)
{
	bool was_open = gslot_vgpu_is_active(vgpu);

	while (!gslot_vgpu_is_parked(vgpu)) {
		if (time_after(jiffies, until))
			return false;
		msleep(GSLOT_LOCK_POLL_MS);
	}
	if (!was_open)
		return true;
	if (!gslot_lock_until(&vgpu->life, until))
		return false;
	mutex_unlock(&vgpu->life);
	/* Until then a sync may have begun: with the gate closed, none does from here on. */
	return gslot_vgpu_is_parked(vgpu);
}
