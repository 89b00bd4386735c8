// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: stopping a vGPU for a migration
 *
 * A vGPU that is stopped has nothing on the hardware. It answers all accesses: a submission waits,
 * a reset resets, an event is latched. One that is frozen, too, sends no interrupt, and accesses no
 * guest memory.
 *
 * As the user's VMM waits for these functions, none of them waits without a timeout for guest
 * memory, or for a lock that may be held by a task which waits for guest memory.
 */
#include <linux/delay.h>
#include <linux/jiffies.h>

#include "placing.h"
#include "vgpu_priv.h"
#include "vgpu_state.h"

/* For a lock, and for the next page of guest memory. */
#define STOP_TIMEOUT	(5 * HZ)
/* For all pages that a sync needs. */
#define SYNC_TIMEOUT	(60 * HZ)
/* If the host has no room for them. */
#define SYNC_RETRY_MS	100

/**
 * gslot_vgpu_stop() - take a vGPU off the hardware
 * @vgpu: the vGPU, open, and not stopped
 *
 * What does not yield within its preempt timeout is hung, as at the end of a turn. @life is not
 * held meanwhile, as an administrator may be waiting for it; it is taken once, so that this does
 * not begin with the gate closed.
 *
 * Return: 0, and gslot_vgpu_resume() undoes this; or -EBUSY, and it runs on: guest memory does not
 * arrive, or all vGPUs are stopped for long.
 * Context: may sleep, without the GPU's locks and the vGPU's.
 */
int gslot_vgpu_stop(struct gslot_vgpu *vgpu)
{
	u64 yield_ns = gslot_vgpu_knob(vgpu, GSLOT_KNOB_PREEMPT_US) * NSEC_PER_USEC;

	if (!gslot_vgpu_lock_life_until(vgpu, jiffies + STOP_TIMEOUT))
		return -EBUSY;
	gslot_vgpu_unlock_life(vgpu);
	return gslot_exec_stop(vgpu->exec, yield_ns);
}

/**
 * gslot_vgpu_freeze() - let a vGPU send no interrupt, and access no guest memory
 * @vgpu: the vGPU, stopped
 *
 * A flush of its private GGTT that has begun goes on; a later one is postponed until
 * gslot_vgpu_resume().
 *
 * Context: process.
 */
void gslot_vgpu_freeze(struct gslot_vgpu *vgpu)
{
	WRITE_ONCE(vgpu->frozen, true);
	gslot_irq_hold(vgpu);
}

/**
 * gslot_vgpu_unfreeze() - undo gslot_vgpu_freeze(); an interrupt that was due is sent
 * @vgpu: the vGPU, open
 *
 * Context: process.
 */
void gslot_vgpu_unfreeze(struct gslot_vgpu *vgpu)
{
	/* From now on a flush is done at once, or seen to be due. */
	smp_store_mb(vgpu->frozen, false);
	gslot_irq_unhold(vgpu);
}

/* Is a flush of the private GGTT to wait until the vGPU runs? Then it is noted. */
bool gslot_vgpu_postpone_flush(struct gslot_vgpu *vgpu)
{
	if (likely(!READ_ONCE(vgpu->frozen)))
		return false;
	/* Pairs with gslot_vgpu_unfreeze(). */
	smp_store_mb(vgpu->flush_due, true);
	return READ_ONCE(vgpu->frozen);
}

/* It grows with each call that pins pages, and each table compared, or part of one. */
static u64 stop_sync_progress(struct gslot_vgpu *vgpu)
{
	return gslot_guestmem_pin_progress(&vgpu->mem) + gslot_ggtt_tables_synced(vgpu->ggtt);
}

/* Wait for a sync as long as it advances. Return: as gslot_exec_sync_wait(). */
static int stop_await_sync(struct gslot_vgpu *vgpu, unsigned long until)
{
	u64 before, now = stop_sync_progress(vgpu);
	int ret;

	do {
		ret = gslot_exec_sync_wait(vgpu->exec, jiffies + STOP_TIMEOUT);
		before = now;
		now = stop_sync_progress(vgpu);
	} while (ret == -EBUSY && now != before && !time_after(jiffies, until));
	return ret;
}

/* Return: 0, -EBUSY or -ENOMEM. */
static int stop_try_sync(struct gslot_vgpu *vgpu, unsigned long until)
{
	/* A sync of an earlier attempt may not have seen all PTEs. */
	if (stop_await_sync(vgpu, until) == -EBUSY)
		return -EBUSY;
	/* With the gate open: while all vGPUs are stopped, none pins pages (places/quiesce.c). */
	if (!gslot_vgpu_lock_life_until(vgpu, jiffies + STOP_TIMEOUT))
		return -EBUSY;
	gslot_exec_sync_begin(vgpu->exec);
	gslot_vgpu_unlock_life(vgpu);
	return stop_await_sync(vgpu, until);
}

/*
 * Let PTEs take effect before a stopped vGPU, which is not frozen, goes on. Its guest's memory is
 * complete. Return: as gslot_vgpu_resume(). May sleep, without the vGPU's locks.
 */
static int stop_sync(struct gslot_vgpu *vgpu)
{
	unsigned long until = jiffies + SYNC_TIMEOUT, retry_until;
	int ret = stop_try_sync(vgpu, until);

	retry_until = jiffies + STOP_TIMEOUT;
	while (ret == -ENOMEM && !time_after(jiffies, retry_until)) {
		msleep(SYNC_RETRY_MS);
		ret = stop_try_sync(vgpu, until);
	}
	if (!ret)
		WRITE_ONCE(vgpu->flush_due, false);
	return ret;
}

/**
 * gslot_vgpu_resume() - undo gslot_vgpu_stop()
 * @vgpu: the vGPU, open, and not frozen; if it was restored, its guest's memory is complete
 *
 * If the guest flushed its private GGTT while the vGPU was frozen, that takes effect before.
 *
 * Return: 0; or an error, with the vGPU still stopped, and this may be called again: -EBUSY if no
 * page arrives for five seconds, some do not in a minute, or all vGPUs are stopped for long; or
 * -ENOMEM if the host has had no room for a page for five seconds.
 * Context: may sleep, without the vGPU's locks.
 */
int gslot_vgpu_resume(struct gslot_vgpu *vgpu)
{
	int ret = vgpu->restored.due || READ_ONCE(vgpu->flush_due) ? stop_sync(vgpu) : 0;

	if (ret)
		return ret;
	gslot_restore_end(vgpu);
	gslot_exec_resume(vgpu->exec);
	return 0;
}

/**
 * gslot_vgpu_resume_reset() - gslot_vgpu_resume() of a vGPU that has just been reset
 * @vgpu: the vGPU, open, and not frozen
 *
 * Does not wait for guest memory. What the guest may have written since takes effect with its next
 * flush or submission.
 *
 * Context: may sleep, without the vGPU's locks.
 */
void gslot_vgpu_resume_reset(struct gslot_vgpu *vgpu)
{
	gslot_exec_resume(vgpu->exec);
}
