/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Faults that a kernel with fault injection makes: the n-th time that a task
 * allocates memory for gslot, or copies it from or to user space, fails.
 */
#ifndef _LIBVGPU_FAULT_H
#define _LIBVGPU_FAULT_H

#include "types.h"

struct vgpu;

/* False: this kernel has no fault injection. */
bool fault_init(void);
void fault_fini(void);

/* The next fault is to come in this thread, or in the worker of a vGPU. */
void fault_target_self(void);
void fault_target_worker(const struct vgpu *vgpu);

/* The @nth from now on fails. */
void fault_arm(u32 nth);
/* No more. Return: how many were still to come before it; 0: it came. */
u32 fault_disarm(void);

/* Not in what this function of the kernel calls; NULL: no exception any more. */
void fault_spare(const char *function);

/* Not one, but @percent of all that the target does from now on; 0: none. */
void fault_rate(u32 percent);

#endif
