/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How long a processor stood still: one of a virtual machine may at any moment. What is measured
 * may have taken longer by as much, and whoever had an engine meanwhile may have had it longer.
 */
#ifndef _LIBVGPU_STANDSTILL_H
#define _LIBVGPU_STANDSTILL_H

#include "types.h"

/* Watches from now on, on each processor. */
void standstill_watch(void);
/* How long they did since then, of all processors together, us. */
u64 standstill_us(void);
/* How long something took that began at @t0, but for that: it had been @stood_us then. */
u64 standstill_but_for(u64 t0, u64 stood_us);

#endif
