/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Graphics addresses: what a vGPU sees and where it is.
 *
 * Every vGPU sees low graphics memory at 0 and high graphics memory at
 * 256 MB, wherever its slots are in the physical GGTT. So a guest never
 * notices that it was placed, moved or migrated.
 */
#ifndef _GSLOT_CORE_WINDOW_H
#define _GSLOT_CORE_WINDOW_H

#include "types.h"
#include "gen/gtt.h"

#define GSLOT_SLOT_SIZE		0x4000000ULL	/* 64 MB */

/**
 * struct gslot_window - a vGPU's graphics memory
 * @low_size: bytes of low graphics memory, seen at 0
 * @high_size: bytes of high graphics memory, seen at GEN_LOW_GM_SIZE
 * @low_phys: where the low part is in the physical GGTT, bytes
 * @high_phys: where the high part is in the physical GGTT, bytes
 */
struct gslot_window {
	u64 low_size;
	u64 high_size;
	u64 low_phys;
	u64 high_phys;
};

/**
 * gslot_window_to_phys() - translate a guest's graphics address
 * @w: the vGPU's window
 * @addr: address as the guest names it, bytes
 * @len: length of the access, bytes; 0 is treated as 1
 * @phys: physical graphics address on success
 *
 * Return: false if any byte of [addr, addr + len) is not the vGPU's own.
 */
static inline bool gslot_window_to_phys(const struct gslot_window *w, u64 addr,
					u64 len, u64 *phys)
{
	u64 off = addr - GEN_LOW_GM_SIZE;

	len = len ? len : 1;
	if (addr < w->low_size && len <= w->low_size - addr) {
		*phys = w->low_phys + addr;
		return true;
	}
	if (addr >= GEN_LOW_GM_SIZE && off < w->high_size &&
	    len <= w->high_size - off) {
		*phys = w->high_phys + off;
		return true;
	}
	return false;
}

#endif
