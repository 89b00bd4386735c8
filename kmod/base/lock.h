/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The vGPU's lock, and how long a lock of a vGPU may be waited for.
 */
#ifndef _GSLOT_BASE_LOCK_H
#define _GSLOT_BASE_LOCK_H

#include <linux/atomic.h>
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/mutex.h>

/* How often gslot_lock_until() tries. */
#define GSLOT_LOCK_POLL_MS	2

/*
 * The lock of a vGPU. The holder may pin or unpin many pages. It tests gslot_vgpu_lock_contended()
 * after each page table, and within one after each run of pages, the GGTT's sync only if pages
 * arrive slowly, and leaves the rest for later. So a caller waits for one page table or for a run
 * of slow pages, however many tables the guest has. While the dirty log is on, a caller may
 * wait longer: the first use of a root after a report walks all tables below it, and a report
 * begins with what all requests and contexts name.
 */
struct gslot_vgpu_lock {
	struct mutex mutex;	/* the lock; gpu.c says what it protects */
	/*
	 * How many callers want its holder to yield soon. Also above 0 while the worker is parked:
	 * each holder then yields after a page table or less
	 */
	atomic_t contended;
};

static inline void gslot_vgpu_lock_contended_get(struct gslot_vgpu_lock *lock)
{
	atomic_inc(&lock->contended);
}

static inline void gslot_vgpu_lock_contended_put(struct gslot_vgpu_lock *lock)
{
	atomic_dec(&lock->contended);
}

/* Return: how many callers want the holder to yield. */
static inline int gslot_vgpu_lock_contended(const struct gslot_vgpu_lock *lock)
{
	return atomic_read(&lock->contended);
}

/*
 * Take a mutex before a deadline in jiffies, and a free one even after it; may sleep. Returns
 * whether it is taken.
 *
 * Pinning a guest's memory may never end, and the locks of its vGPU are held meanwhile. A caller
 * that holds a lock which other vGPUs need takes the locks of a vGPU by this function (gpu.c has
 * the exceptions).
 */
static inline bool gslot_lock_until(struct mutex *lock, unsigned long until)
{
	while (!mutex_trylock(lock)) {
		if (time_after(jiffies, until))
			return false;
		msleep(GSLOT_LOCK_POLL_MS);
	}
	return true;
}

#endif
