/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DOC: relocations
 *
 * Commands name the guest's graphics memory by address. What is prepared for the
 * hardware has the address where that memory is resident; a relocation keeps what
 * the guest wrote. So it is known which graphics memory prepared commands need, and they
 * can be translated anew when it is resident somewhere else.
 */
#ifndef _GSLOT_CORE_RELOC_H
#define _GSLOT_CORE_RELOC_H

#include "core/types.h"
#include "gen/gtt.h"

/**
 * struct gslot_reloc - where commands name graphics memory
 * @dword: the address, among the commands: its lower half; the upper one follows
 * @addr: what the guest wrote, without flags; graphics memory has 4 GB
 * @len: bytes accessed there, less than a page: so they are in two pages at most
 */
struct gslot_reloc {
	u32 dword;
	u32 addr;
	u32 len;
};

void gslot_reloc_apply(u32 *at, u64 phys);

#endif
