/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Faults of a kernel with fault injection: the n-th allocation of a task for gslot fails, or its
 * n-th copy from or to user space.
 */
#ifndef _LIBVGPU_FAULT_H
#define _LIBVGPU_FAULT_H

#include "types.h"

struct vgpu;

/* False: this kernel has no fault injection. */
bool fault_init(void);
void fault_fini(void);

/* Inject the next fault in this thread, or in the worker of a vGPU. */
void fault_target_self(void);
void fault_target_worker(const struct vgpu *vgpu);

/* Let the @nth operation from now on fail. */
void fault_arm(u32 nth);
/* Disarm. Return: the number of operations that were left before the fault; 0: it occurred. */
u32 fault_disarm(void);

/* Exempt everything that this function of the kernel calls; NULL: exempt nothing. */
void fault_spare(const char *function);

/* Let @percent of the target's operations fail from now on; 0: none. */
void fault_rate(u32 percent);

#endif
