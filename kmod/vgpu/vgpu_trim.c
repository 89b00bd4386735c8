// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: trimming a vGPU in pre-copy
 *
 * VFIO's type 1 container counts all pinned pages as dirty, and QEMU sends them in each round. So
 * in PRE_COPY a page is unpinned that will be idle for about a second (core/mem/reclaim.h), and the
 * page tables that name it are dropped before: a vGPU keeps those of all its contexts otherwise. A
 * context that runs again gets them anew, at its submission.
 *
 * A work item does that, as the worker of a vGPU whose guest submits nothing sleeps. A change of
 * state does not wait for it: it may wait for guest memory that does not arrive.
 */
#include <linux/jiffies.h>
#include <linux/sched.h>
#include <linux/workqueue.h>

#include "vgpu_priv.h"
#include "vgpu_state.h"

/* How many pages are released at a time, and for how long they will be idle at least */
#define TRIM_PAGES	4096
#define TRIM_IDLE_MS	1000
#define TRIM_INTERVAL	(HZ / 4)
/* For the vGPU's lock; then the next time. */
#define TRIM_TIMEOUT	HZ

/*
 * Drop some page tables. Return: whether to go on at once: more may be left, and no other
 * caller waits for the lock.
 */
static bool trim_some(struct gslot_vgpu *vgpu)
{
	static const struct gslot_exec_trim trim = { .pages = TRIM_PAGES, .idle_ms = TRIM_IDLE_MS };
	bool more;

	if (!READ_ONCE(vgpu->trimming) || !gslot_vgpu_lock_exec_until(vgpu, jiffies + TRIM_TIMEOUT))
		return false;
	more = gslot_exec_trim(vgpu->exec, &trim);
	gslot_exec_unlock(vgpu->exec);
	cond_resched();
	/* A caller that polls for the lock would hardly ever find it free. */
	return more && !gslot_vgpu_lock_contended(&vgpu->lock);
}

static void trim_work(struct work_struct *work)
{
	struct gslot_vgpu *vgpu = container_of(to_delayed_work(work), struct gslot_vgpu, trim);

	while (trim_some(vgpu))
		;
	if (READ_ONCE(vgpu->trimming))
		queue_delayed_work(system_freezable_wq, &vgpu->trim, TRIM_INTERVAL);
}

/* @vgpu is being created. */
void gslot_trim_init(struct gslot_vgpu *vgpu)
{
	INIT_DELAYED_WORK(&vgpu->trim, trim_work);
}

/* The vGPU is about to be closed, and is not in PRE_COPY. May sleep, without the vGPU's locks. */
void gslot_trim_end(struct gslot_vgpu *vgpu)
{
	cancel_delayed_work_sync(&vgpu->trim);
}

/**
 * gslot_vgpu_trim() - start or stop releasing unused page tables and pages early
 * @vgpu: the vGPU; open if @trim
 * @trim: whether to release what will be idle for about a second
 *
 * Waits for no lock.
 *
 * Context: process; calls are serialised.
 */
void gslot_vgpu_trim(struct gslot_vgpu *vgpu, bool trim)
{
	if (vgpu->trimming == trim)
		return;
	WRITE_ONCE(vgpu->trimming, trim);
	gslot_guestmem_unpin_soon(&vgpu->mem, trim);
	if (trim)
		queue_delayed_work(system_freezable_wq, &vgpu->trim, TRIM_INTERVAL);
	else
		cancel_delayed_work(&vgpu->trim);
}
