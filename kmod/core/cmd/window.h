/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Graphics addresses: what a vGPU sees.
 *
 * Every vGPU sees low graphics memory at 0 and high graphics memory at
 * 256 MB. Where in the physical GGTT a page of it is, if anywhere, it does not
 * know: see core/gtt/residency.h.
 */
#ifndef _GSLOT_CORE_WINDOW_H
#define _GSLOT_CORE_WINDOW_H

#include "core/types.h"
#include "gen/gtt.h"

/**
 * struct gslot_window - a vGPU's graphics memory
 * @low_size: bytes of low graphics memory, seen at 0
 * @high_size: bytes of high graphics memory, seen at GEN_LOW_GM_SIZE
 */
struct gslot_window {
	u64 low_size;
	u64 high_size;
};

/**
 * gslot_window_has() - is a range of graphics memory a vGPU's own?
 * @w: the vGPU's window
 * @addr: address as the guest names it, bytes
 * @len: length of the access, bytes; 0 is treated as 1
 *
 * Return: false if any byte of [addr, addr + len) is not.
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
