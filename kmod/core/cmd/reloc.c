// SPDX-License-Identifier: GPL-2.0
/*
 * Relocations: see reloc.h.
 */
#include "reloc.h"

#define PAGE_BITS	((u32)GEN_PAGE_SIZE - 1)

/**
 * gslot_reloc_apply() - translate an address operand of a command, in place
 * @at: its lower half; the upper one follows. May have been translated before
 * @phys: the physical graphics address
 *
 * Pages are resident as pages. So the bits of the lower half below a page's size, among
 * them the flags of a command, are the same wherever that is.
 */
void gslot_reloc_apply(u32 *at, u64 phys)
{
	at[0] = (lower_32_bits(phys) & ~PAGE_BITS) | (at[0] & PAGE_BITS);
	at[1] = upper_32_bits(phys);
}
