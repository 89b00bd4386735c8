/* SPDX-License-Identifier: GPL-2.0 */
/* Reproducible random numbers (splitmix64). */
#ifndef _LIBVGPU_RNG_H
#define _LIBVGPU_RNG_H

#include "types.h"

struct rng {
	u64 state;
};

static inline u64 rng_u64(struct rng *rng)
{
	u64 z = rng->state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

static inline u32 rng_below(struct rng *rng, u32 limit)
{
	return (rng_u64(rng) >> 32) * limit >> 32;
}

#endif
