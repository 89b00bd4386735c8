/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Locks of a vGPU that are waited for with a bound. A guest's memory may take for ever to be
 * pinned, and its vGPU's locks are held meanwhile. So who has a lock that other vGPUs need waits
 * for those of a vGPU in this way alone.
 */
#ifndef _GSLOT_EXEC_PATIENCE_H
#define _GSLOT_EXEC_PATIENCE_H

#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/mutex.h>

#define GSLOT_PATIENCE_LOOK_MS	2

/**
 * gslot_lock_until() - take a mutex, if that is possible in time
 * @lock: the mutex
 * @until: when time is over, jiffies; one that is free is taken even then
 *
 * Return: whether it is taken.
 * Context: may sleep.
 */
static inline bool gslot_lock_until(struct mutex *lock, unsigned long until)
{
	while (!mutex_trylock(lock)) {
		if (time_after(jiffies, until))
			return false;
		msleep(GSLOT_PATIENCE_LOOK_MS);
	}
	return true;
}

#endif
