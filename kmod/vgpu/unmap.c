// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: DMA unmap
 *
 * VFIO notifies its devices of an unmapping with the list of devices locked. A device that joins
 * takes that lock, too, within the lock that VFIO takes for every pin and unpin. So the callback
 * must not wait for a task that pins pages: that task may wait for the device that joins, which
 * waits for the list.
 *
 * The locks of the vGPU are held while pages are pinned. So a work item takes them, and the
 * callback waits as long as the work item unpins pages, or a task that holds these locks pins some:
 * but for a minute at most, as a guest may pin pages all the time. While a device that joins
 * waits for the list, no page can be pinned or unpinned. If pages are still pinned, VFIO calls
 * again, ten times in all, and then BUGs; between two calls a device can join.
 *
 * A driver can do little about that (docs/security.md). VFIO's lock is free for a moment between
 * two notifications, and a notification ends when this callback returns. So one call unpins as many
 * pages as VFIO takes, 512 in a row (gm/guestmem_pin.c), and the callback returns after two seconds
 * without progress. But pages that are not in a row take a call each: VFIO has no call for several
 * ranges, and one across the gaps would unpin what other devices of the same container have pinned
 * there. So a process, though not a guest, that has pinned more such rows than VFIO makes calls can
 * still run VFIO into its BUG; to wait here for ever would only hide that.
 *
 * A device that leaves an address space of iommufd is notified once: so that callback waits until
 * no page is pinned, however long that takes.
 */
#include <linux/overflow.h>

#include "vgpu_priv.h"

/*
 * Quiescing a vGPU takes a preemption and an engine reset at most. How long unpinning takes is up
 * to the guest: a page at a time through the host's IOMMU. A device reset may be under way before
 * it, and takes as long.
 */
#define UNMAP_PATIENCE	(2 * HZ)
#define UNMAP_STEPS	15	/* and twice in one call: a minute */

/* Pages of the range are in use: have nothing use them any more, and unpin them. */
static void unmap_drop_range(struct gslot_vgpu *vgpu, u64 gfn, u64 count)
{
	gslot_exec_quiesce(vgpu->exec);
	mutex_lock(&vgpu->lock.mutex);
	gslot_exec_drop_range(vgpu->exec, gfn, count);
	gslot_ggtt_drop_range(vgpu->ggtt, gfn, count);
	gslot_guestmem_unpin_range(&vgpu->mem, gfn, count);
	mutex_unlock(&vgpu->lock.mutex);
	gslot_exec_resume(vgpu->exec);
}

static void unmap_range(struct gslot_vgpu *vgpu, u64 gfn, u64 count)
{
	if (gslot_guestmem_unpin_range(&vgpu->mem, gfn, count))
		gslot_exec_forget_range(vgpu->exec, gfn, count);
	else
		unmap_drop_range(vgpu, gfn, count);
}

static void unmap_work(struct work_struct *work)
{
	struct gslot_vgpu *vgpu = container_of(work, struct gslot_vgpu, unmap.work);
	u64 gfn = vgpu->unmap.gfn, count = vgpu->unmap.count;

	gslot_guestmem_set_unmapping(&vgpu->block, true);
	/* VFIO may call before the vGPU is open, and while it is being closed. */
	gslot_vgpu_lock_life(vgpu);
	if (vgpu->exec)
		unmap_range(vgpu, gfn, count);
	gslot_guestmem_set_unmapping(&vgpu->block, false);
	mutex_unlock(&vgpu->life);
	complete_all(&vgpu->unmap.done);
}

void gslot_unmap_init(struct gslot_vgpu *vgpu)
{
	mutex_init(&vgpu->unmap.lock);
	gslot_guestmem_block_init(&vgpu->block);
	INIT_WORK(&vgpu->unmap.work, unmap_work);
	init_completion(&vgpu->unmap.done);
	complete_all(&vgpu->unmap.done);
}

/* VFIO calls no more, and none of the vGPU's locks is held. */
void gslot_unmap_fini(struct gslot_vgpu *vgpu)
{
	flush_work(&vgpu->unmap.work);
	gslot_guestmem_block_fini(&vgpu->block);
	mutex_destroy(&vgpu->unmap.lock);
}

/* Wait while pages are pinned, unpinned or dropped. Return: whether the work is done. */
static bool unmap_await(struct gslot_vgpu *vgpu)
{
	int step = 0, before, now = gslot_guestmem_progress(&vgpu->mem);

	do {
		if (wait_for_completion_timeout(&vgpu->unmap.done, UNMAP_PATIENCE))
			return true;
		before = now;
		now = gslot_guestmem_progress(&vgpu->mem);
	} while (now != before && ++step < UNMAP_STEPS);
	gslot_guest_err(&vgpu->guest_errors, GSLOT_GUEST_ERR_UNMAP, "%llu pages from %#llx on",
			vgpu->unmap.count, vgpu->unmap.gfn << PAGE_SHIFT);
	return false;
}

/* @once: however long it takes. Return: whether the work is done. */
static bool unmap_await_all(struct gslot_vgpu *vgpu, bool once)
{
	bool done;

	do {
		done = unmap_await(vgpu);
	} while (!done && once);
	return done;
}

/**
 * gslot_vgpu_dma_unmap() - stop using a range of guest memory
 * @vgpu: the vGPU; a submission that needs such a page waits, and is refused after two seconds
 * @iova: first byte
 * @length: bytes; 0 for all from @iova on
 * @once: the caller does not call again, and no page of the range can be pinned any more
 *
 * On return no page of the range is pinned or known to the hardware, unless this gave up waiting:
 * then the caller has to call again. The vGPU pins none meanwhile, nor in the 200 ms that follow,
 * nor while VFIO notifies another vGPU of the process of the same range:
 * core/mem/unmap_ranges.h.
 *
 * Context: may sleep: a few seconds without progress, and a minute at most; with @once, until no
 * page is pinned.
 */
void gslot_vgpu_dma_unmap(struct gslot_vgpu *vgpu, u64 iova, u64 length, bool once)
{
	struct gslot_vgpu_unmap *u = &vgpu->unmap;
	u64 last, gfn = iova >> PAGE_SHIFT, count;

	if (!length || check_add_overflow(iova, length - 1, &last))
		last = U64_MAX;
	count = (last >> PAGE_SHIFT) - gfn + 1;
	atomic64_inc(&vgpu->stats.unmaps);
	mutex_lock(&u->lock);
	gslot_guestmem_block_begin(&vgpu->block, gfn, count);
	/* An earlier unmapping may still be under way. */
	if (unmap_await_all(vgpu, once)) {
		reinit_completion(&u->done);
		u->gfn = gfn;
		u->count = count;
		queue_work(system_unbound_wq, &u->work);
		unmap_await_all(vgpu, once);
	}
	gslot_guestmem_block_end(&vgpu->block);
	mutex_unlock(&u->lock);
}

/**
 * gslot_vgpu_written() - the guest has written to a page that was tracked
 * @vgpu: the vGPU, open
 * @gfn: the page; it is tracked no more
 *
 * Context: any but interrupts, without the vGPU's locks.
 */
void gslot_vgpu_written(struct gslot_vgpu *vgpu, u64 gfn)
{
	gslot_guestmem_written(&vgpu->mem, gfn);
}
