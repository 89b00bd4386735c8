/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Fences: a fence is a range of the aperture that is shown detiled. The hardware detiles addresses
 * by the pitch alone, so a range that ends within a row of tiles would give access to memory
 * behind its end.
 */
#ifndef _GSLOT_CORE_FENCE_H
#define _GSLOT_CORE_FENCE_H

#include "core/types.h"
#include "gen/gtt.h"
#include "gen/regs.h"

/* The first byte of a fence's range. */
static inline u64 gslot_fence_start(u64 value)
{
	return value & FENCE_START;
}

/* The last byte of a fence's range. */
static inline u64 gslot_fence_last(u64 value)
{
	return (u64)(upper_32_bits(value) & FENCE_END) + (GEN_PAGE_SIZE - 1);
}

u32 gslot_fence_row_pages(u64 value);
u64 gslot_fence_at(u64 value, u64 start);
u64 gslot_fence_confine(u64 value, u64 size);

#endif
