// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: DMA unmap
 *
 * VFIO tells its devices that guest memory goes away with its list of devices
 * locked. It takes that lock when another device joins, too, under the lock that
 * it takes for every pin and unpin. So whoever is told must not wait for one
 * who pins: he may wait for the one who joins, who waits for the list.
 *
 * This vGPU's locks are held while pages are pinned. So a work item takes
 * them, and it is waited for only as long as it gets on: while somebody waits for the
 * list, nobody can unpin. VFIO asks again, ten times in all, if pages are still
 * pinned, and then takes the host down; between two times whoever joins gets on.
 *
 * What a driver can do about that is little. Two threads of a process that unmap memory at once
 * hand VFIO's lock to each other: each waits for the list with it held while the other one's
 * devices are told. Then each call that unpins gets the lock once in a turn, and a turn ends when
 * this returns. So as many pages as one call takes are unpinned at once: 512 in a row
 * (gm/guestmem.c), and this returns as soon as nothing moves, so that turns are many. But pages
 * that are not in a row need a call each, VFIO has no call for several ranges, and one over the
 * gaps would take away what other devices of the same container have pinned there. So a process,
 * not a guest, that has pinned more such rows than there are turns can still make VFIO give up on
 * it; to keep it here for ever instead would only hide that.
 */
#include <linux/overflow.h>

#include "vgpu_priv.h"

/*
 * Quiescing a vGPU takes a preemption and an engine reset at most. Letting go of what
 * it has takes as long as its guest has made it, a page at a time through the host's
 * IOMMU, in a reset of the device that may be in front, too.
 */
#define UNMAP_PATIENCE	(2 * HZ)
#define UNMAP_STEPS	15	/* and twice in one call: a minute */

static void unmap(struct work_struct *work)
{
	struct gslot_vgpu *vgpu = container_of(work, struct gslot_vgpu, unmap.work);
	u64 gfn = vgpu->unmap.gfn, count = vgpu->unmap.count;

	gslot_guestmem_set_unmapping(&vgpu->mem, true);
	/* VFIO may ask before it is open, and while it is being closed. */
	gslot_vgpu_lock_life(vgpu);
	if (vgpu->exec && !gslot_guestmem_withhold(&vgpu->mem, gfn, count)) {
		gslot_exec_quiesce(vgpu->exec);
		mutex_lock(&vgpu->lock.mutex);
		gslot_exec_drop_range(vgpu->exec, gfn, count);
		gslot_ggtt_drop_range(vgpu->ggtt, gfn, count);
		gslot_guestmem_withhold(&vgpu->mem, gfn, count);
		mutex_unlock(&vgpu->lock.mutex);
		gslot_exec_resume(vgpu->exec);
	}
	mutex_unlock(&vgpu->life);
	gslot_guestmem_set_unmapping(&vgpu->mem, false);
	complete_all(&vgpu->unmap.done);
}

/**
 * gslot_unmap_init() - nothing is being unmapped
 * @vgpu: the vGPU
 *
 * Context: any.
 */
void gslot_unmap_init(struct gslot_vgpu *vgpu)
{
	mutex_init(&vgpu->unmap.lock);
	INIT_WORK(&vgpu->unmap.work, unmap);
	init_completion(&vgpu->unmap.done);
	complete_all(&vgpu->unmap.done);
}

/**
 * gslot_unmap_fini() - VFIO does not tell any more
 * @vgpu: the vGPU
 *
 * Context: may sleep, without any of the vGPU's locks.
 */
void gslot_unmap_fini(struct gslot_vgpu *vgpu)
{
	flush_work(&vgpu->unmap.work);
	mutex_destroy(&vgpu->unmap.lock);
}

/* Return: whether the work is done. */
static bool await_unmap(struct gslot_vgpu *vgpu)
{
	int step = 0, before, now = gslot_guestmem_progress(&vgpu->mem);

	do {
		if (wait_for_completion_timeout(&vgpu->unmap.done, UNMAP_PATIENCE))
			return true;
		before = now;
		now = gslot_guestmem_progress(&vgpu->mem);
	} while (now != before && ++step < UNMAP_STEPS);
	gslot_guest_err(&vgpu->guest_errors, GSLOT_CAUSE_UNMAP, "%llu pages from %#llx on",
		       vgpu->unmap.count, vgpu->unmap.gfn << PAGE_SHIFT);
	return false;
}

/**
 * gslot_vgpu_dma_unmap() - guest memory goes away
 * @vgpu: the vGPU
 * @iova: first byte
 * @length: how many
 *
 * No page of the range is pinned, or known to the hardware, when this returns;
 * or else this has to be called again. What of the guest's work needs one of
 * them fails.
 *
 * Context: may sleep: a few seconds, or as long as much memory is let go of, a minute
 * at most.
 */
void gslot_vgpu_dma_unmap(struct gslot_vgpu *vgpu, u64 iova, u64 length)
{
	struct gslot_vgpu_unmap *u = &vgpu->unmap;
	u64 last;

	if (!length || check_add_overflow(iova, length - 1, &last))
		last = U64_MAX;
	mutex_lock(&u->lock);
	/* The one before may still be under way. */
	if (await_unmap(vgpu)) {
		reinit_completion(&u->done);
		u->gfn = iova >> PAGE_SHIFT;
		u->count = (last >> PAGE_SHIFT) - u->gfn + 1;
		queue_work(system_unbound_wq, &u->work);
		await_unmap(vgpu);
	}
	mutex_unlock(&u->lock);
}
