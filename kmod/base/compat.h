/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What changed in the kernel's interfaces between 6.1 and 7.2, and nothing else. compat_mm.h,
 * compat_vfio.h and compat_kvm.[ch] have what changed in memory management, VFIO and KVM. Only
 * these files test LINUX_VERSION_CODE: all others are written for the newest kernel, and these
 * provide what older kernels lack.
 */
#ifndef _GSLOT_BASE_COMPAT_H
#define _GSLOT_BASE_COMPAT_H

#include <linux/hrtimer.h>
#include <linux/kthread.h>
#include <linux/version.h>

/* 6.10: __assign_str() in a tracepoint knows its source. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 10, 0)
#define gslot_assign_str(dst, src)	__assign_str(dst, src)
#else
#define gslot_assign_str(dst, ...)	__assign_str(dst)
#endif

/* 6.13: an hrtimer gets its function when it is set up. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
static inline void hrtimer_setup(struct hrtimer *timer,
				 enum hrtimer_restart (*function)(struct hrtimer *),
				 clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = function;
}
#endif

/* 6.14: kthread_create_worker() does not start it any more. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 14, 0)
#define kthread_run_worker(flags, ...)	kthread_create_worker(flags, __VA_ARGS__)
#endif

#endif
