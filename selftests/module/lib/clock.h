/* SPDX-License-Identifier: GPL-2.0 */
/* Time, and waiting for something to become true. */
#ifndef _LIBVGPU_CLOCK_H
#define _LIBVGPU_CLOCK_H

#include "types.h"

u64 now_us(void);
void sleep_us(u64 us);

/* How many times slower than usual this machine is, by SLOW in the environment. */
unsigned int slowness(void);

/* The time-out of everything that should happen soon, milliseconds. */
#define SOON_MS		(5000 * slowness())

/*
 * Waits until @cond is true; its value is whether that happened in time. Who stood still himself
 * looks once more when his time is over.
 */
#define wait_for(cond, ms)						\
	({								\
		u64 __end = now_us() + (u64)(ms) * 1000;		\
		u64 __start = now_us();					\
		bool __done, __late;					\
									\
		for (;;) {						\
			__late = now_us() > __end;			\
			memory_fence();						\
			__done = (cond);				\
			if (__done || __late)				\
				break;					\
			if (now_us() - __start > 2000)			\
				sleep_us(500);				\
		}							\
		__done;							\
	})

#endif
