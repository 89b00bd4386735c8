// SPDX-License-Identifier: GPL-2.0
/*
 * The dirty log of a vGPU, for a VMM that sends its guest's memory elsewhere: gm/guestmem_log.c.
 */
#include <linux/bitmap.h>
#include <linux/gfp.h>
#include <linux/jiffies.h>
#include <linux/minmax.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "vgpu_priv.h"
#include "vgpu_state.h"
#include "base/account.h"
#include "base/trace.h"

/* A task that waits for guest memory may hold the vGPU's lock. */
#define LOG_TIMEOUT	(5 * HZ)

/*
 * Mark dirty what was written so far. If another task waits for the vGPU's lock, release it after a
 * page table. Return: 0, -EBUSY, or -EINTR if the caller is being killed.
 */
static int log_collect(struct gslot_vgpu *vgpu)
{
	unsigned long key = 0;
	bool begun = false;
	int ret;

	do {
		if (!gslot_vgpu_lock_exec_until(vgpu, jiffies + LOG_TIMEOUT))
			return -EBUSY;
		if (!begun) {
			gslot_exec_log_begin(vgpu->exec);
			gslot_ggtt_log_collect(vgpu->ggtt);
		}
		begun = true;
		ret = gslot_exec_log_collect(vgpu->exec, &key);
		gslot_exec_unlock(vgpu->exec);
		cond_resched();
	} while (ret == -EINTR && !fatal_signal_pending(current));
	return ret;
}

/* The log is stopped, or a start has failed; gslot_vgpu_log.lock is held. */
static int log_start(struct gslot_vgpu *vgpu)
{
	int ret;

	if (!gslot_vgpu_lock_exec_until(vgpu, jiffies + LOG_TIMEOUT))
		return -EBUSY;
	ret = gslot_guestmem_log_start(&vgpu->mem);
	if (!ret) {
		gslot_exec_log_start(vgpu->exec);
		gslot_ggtt_log_start(vgpu->ggtt);
	}
	gslot_exec_unlock(vgpu->exec);
	/* This gives page tables in use the number of a report (exec/ppgtt_log.c). */
	return ret ?: log_collect(vgpu);
}

/* gslot_vgpu_log.lock is held. */
static int log_stop(struct gslot_vgpu *vgpu)
{
	if (!gslot_vgpu_lock_exec_until(vgpu, jiffies + LOG_TIMEOUT))
		return -EBUSY;
	gslot_ggtt_log_stop(vgpu->ggtt);
	gslot_exec_log_stop(vgpu->exec);
	gslot_guestmem_log_stop(&vgpu->mem);
	gslot_exec_unlock(vgpu->exec);
	return 0;
}

/**
 * gslot_vgpu_log_start() - start the dirty log
 * @vgpu: the vGPU, open
 *
 * Return: 0; -EINVAL if it is started already; -ENOMEM; -EBUSY if guest memory does not arrive;
 * -EINTR if the caller is being killed.
 * Context: may sleep, without the vGPU's locks.
 */
int gslot_vgpu_log_start(struct gslot_vgpu *vgpu)
{
	int ret = -EINVAL;

	if (mutex_lock_killable(&vgpu->log.lock))
		return -EINTR;
	if (!vgpu->log.on) {
		ret = log_start(vgpu);
		vgpu->log.on = !ret;
		/* If this fails as well, the next start or stop, or closing, frees what is left. */
		if (ret)
			log_stop(vgpu);
	}
	mutex_unlock(&vgpu->log.lock);
	return ret;
}

/**
 * gslot_vgpu_log_stop() - stop the dirty log, if it is started
 * @vgpu: the vGPU, open
 *
 * Return: 0; -EBUSY if guest memory does not arrive: the log goes on; -EINTR if the caller is being
 * killed.
 * Context: may sleep, without the vGPU's locks.
 */
int gslot_vgpu_log_stop(struct gslot_vgpu *vgpu)
{
	int ret;

	if (mutex_lock_killable(&vgpu->log.lock))
		return -EINTR;
	ret = log_stop(vgpu);
	if (!ret)
		vgpu->log.on = false;
	mutex_unlock(&vgpu->log.lock);
	return ret;
}

/* Report what is dirty in a range that is in one bit map. Return: number of pages, or -EBUSY. */
static int log_report(struct gslot_vgpu *vgpu, u64 first, u64 last, unsigned long *map,
		      gslot_vgpu_log_fn fn, void *data)
{
	u64 base = round_down(first, GSLOT_LOG_PAGES);
	unsigned int start, end;

	if (!gslot_vgpu_lock_exec_until(vgpu, jiffies + LOG_TIMEOUT))
		return -EBUSY;
	gslot_guestmem_log_read(&vgpu->mem, first, last, map);
	gslot_exec_unlock(vgpu->exec);
	/* Without the vGPU's locks: it may write to memory that does not arrive. */
	for_each_set_bitrange(start, end, map, GSLOT_LOG_PAGES)
		fn(data, base + start, end - start);
	return bitmap_weight(map, GSLOT_LOG_PAGES);
}

/* The log is started; gslot_vgpu_log.lock is held. @pages: out: how many were reported. */
static int log_read(struct gslot_vgpu *vgpu, u64 first, u64 last, gslot_vgpu_log_fn fn, void *data,
		    u64 *pages)
{
	unsigned long *map = (unsigned long *)__get_free_page(GSLOT_GFP_GUEST);
	int ret;

	if (!map)
		return -ENOMEM;
	ret = log_collect(vgpu);
	while (!ret && gslot_guestmem_log_next(&vgpu->mem, &first, last)) {
		u64 end = min(last, first | (GSLOT_LOG_PAGES - 1));
		int n = log_report(vgpu, first, end, map, fn, data);

		if (n < 0)
			ret = n;
		else
			*pages += n;
		if (end == last)
			break;
		first = end + 1;
	}
	free_page((unsigned long)map);
	return ret;
}

/**
 * gslot_vgpu_log_read() - report which pages of a range were written since they were reported last
 * @vgpu: the vGPU, open
 * @first: the first page of the range
 * @last: its last page
 * @fn: called for pages in a row; it may sleep
 * @data: for @fn
 *
 * Return: 0; or, perhaps with some reported, -EINVAL if the log is not started, -ENOMEM, -EBUSY if
 * guest memory does not arrive, or -EINTR if the caller is being killed.
 * Context: may sleep, without the vGPU's locks.
 */
int gslot_vgpu_log_read(struct gslot_vgpu *vgpu, u64 first, u64 last, gslot_vgpu_log_fn fn,
			void *data)
{
	u64 pages = 0;
	int ret;

	ret = mutex_lock_killable(&vgpu->log.lock);
	if (!ret) {
		ret = vgpu->log.on ? log_read(vgpu, first, last, fn, data, &pages) : -EINVAL;
		mutex_unlock(&vgpu->log.lock);
	}
	trace_gslot_dirty_log(gslot_vgpu_name(vgpu), first, last, pages, ret);
	return ret;
}
