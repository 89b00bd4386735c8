/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DOC: relocations
 *
 * Commands name the guest's graphics memory by address. The commands that are prepared for the
 * hardware have the physical address of the run of entries where that memory is resident, and a
 * relocation keeps the guest's address. It says which graphics memory prepared commands need,
 * and allows them to be translated again when that memory becomes resident elsewhere.
 */
#ifndef _GSLOT_CORE_RELOC_H
#define _GSLOT_CORE_RELOC_H

#include "core/types.h"
#include "gen/gtt.h"

/**
 * struct gslot_reloc - a place where commands name graphics memory
 * @dword: index of the address's lower half in the commands; the upper half follows
 * @addr: the guest's address, without flags; graphics memory has at most 4 GB
 * @len: bytes accessed there, less than a page, so in two pages at most
 */
struct gslot_reloc {
	u32 dword;
	u32 addr;
	u32 len;
};

/**
 * gslot_reloc_apply() - translate an address operand of a command in place
 * @at: its lower half; the upper one follows. It may have been translated before
 * @phys: the physical graphics address
 *
 * Whole pages are resident, so translation keeps the bits of the lower half that are below the
 * size of a page, among them the command's flags.
 */
static inline void gslot_reloc_apply(u32 *at, u64 phys)
{
	const u32 page_bits = GEN_PAGE_SIZE - 1;

	at[0] = (lower_32_bits(phys) & ~page_bits) | (at[0] & page_bits);
	at[1] = upper_32_bits(phys);
}

#endif
