// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <time.h>

#include "clock.h"

u64 now_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (u64)ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
}

void sleep_us(u64 us)
{
	struct timespec ts = { us / 1000000, us % 1000000 * 1000 };

	nanosleep(&ts, NULL);
}

unsigned int slowness(void)
{
	const char *slow = getenv("SLOW");

	return slow && atoi(slow) > 0 ? atoi(slow) : 1;
}

u32 brief(u32 count)
{
	return getenv("BRIEF") ? (count + 3) / 4 : count;
}
