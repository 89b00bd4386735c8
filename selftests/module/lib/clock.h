/* SPDX-License-Identifier: GPL-2.0 */
/* Time, and waiting for something to become true. */
#ifndef _LIBVGPU_CLOCK_H
#define _LIBVGPU_CLOCK_H

#include "types.h"

u64 now_us(void);
void sleep_us(u64 us);

/* The factor by which this machine is slower than usual: SLOW in the environment. */
unsigned int slowness(void);

/* How often to repeat what is racy or random: @count, with BRIEF in the environment a quarter. */
u32 brief(u32 count);

/* The time-out for what should happen soon, ms. */
#define SOON_MS		(5000 * slowness())

/*
 * Wait until @cond is true; false if that does not happen in time. The last check comes after the
 * deadline, in case this thread stood still meanwhile. It sleeps between checks: where virtual
 * processors share one, spinning takes time from the module's worker and the GPU model; in counted
 * time the others wait until the turn of the processor that spins ends.
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
			sleep_us(now_us() - __start > 2000 ? 500 : 20);	\
		}							\
		__done;							\
	})

#endif
