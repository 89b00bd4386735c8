/* SPDX-License-Identifier: GPL-2.0 */
/* The fuzzer's input as the random numbers of a life in selftests/lib. */
#ifndef FUZZ_LIVES_H
#define FUZZ_LIVES_H

#include "test.h"
#include "core/types.h"

static struct input choices;

/* 0 to n - 1; n - 1 behind the end of the input, as loops end by a number that is not 0. */
static inline u32 rnd_below(u32 n)
{
	if (!n)
		return 0;
	return choices.left ? take(&choices, n > 256 ? 2 : 1) % n : n - 1;
}

/* low to high */
static inline u32 rnd_range(u32 low, u32 high)
{
	return low + rnd_below(high - low + 1);
}

#endif
