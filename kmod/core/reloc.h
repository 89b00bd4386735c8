/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DOC: relocations
 *
 * Commands name the guest's graphics memory by address. What is prepared for the
 * hardware has the address of the place where that memory is; a relocation keeps what
 * the guest wrote. So prepared commands can be translated anew for another place, and it
 * is known which graphics memory they need.
 */
#ifndef _GSLOT_CORE_RELOC_H
#define _GSLOT_CORE_RELOC_H

#include "types.h"
#include "window.h"

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

int gslot_reloc_apply(u32 *at, u32 addr, u32 len, const struct gslot_window *window);

#endif
