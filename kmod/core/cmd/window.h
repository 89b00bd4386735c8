/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Graphics addresses as a vGPU sees them.
 *
 * Each vGPU has low graphics memory at 0 and high graphics memory at 256 MB. Which physical GGTT
 * entries a page has, if any, is not visible to it: see core/gtt/residency.h.
 */
#ifndef _GSLOT_CORE_WINDOW_H
#define _GSLOT_CORE_WINDOW_H

#include "core/types.h"
#include "gen/gtt.h"

/* A vGPU's graphics memory */
struct gslot_window {
	u64 low_size;	/* bytes of low graphics memory, at 0 */
	u64 high_size;	/* bytes of high graphics memory, at GEN_LOW_GM_SIZE */
};

/*
 * Whether all bytes of [addr, addr + len) are a vGPU's graphics memory; a length of 0 counts as 1.
 */
static inline bool gslot_window_has(const struct gslot_window *w, u64 addr, u64 len)
{
	len = len ? len : 1;
	if (addr < w->low_size)
		return len <= w->low_size - addr;
	if (addr < GEN_LOW_GM_SIZE)
		return false;
	addr -= GEN_LOW_GM_SIZE;
	return addr < w->high_size && len <= w->high_size - addr;
}

#endif
