/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The time in which processors stood still, as those of a virtual machine may at any moment. A
 * measured time may be longer by that, and so may the time for which a vGPU had an engine.
 */
#ifndef _LIBVGPU_STANDSTILL_H
#define _LIBVGPU_STANDSTILL_H

#include "types.h"

/* Watch each processor from now on. */
void standstill_watch(void);
/* The standstills since then, the sum over all processors, us. */
u64 standstill_us(void);
/* The time since @t0 less the standstills since then; their sum was @stood_us at @t0. */
u64 standstill_but_for(u64 t0, u64 stood_us);

#endif
