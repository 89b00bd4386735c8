// SPDX-License-Identifier: GPL-2.0
/*
 * Relocations: see reloc.h.
 */
#include "reloc.h"

#define PAGE_BITS	((u32)GEN_PAGE_SIZE - 1)

/**
 * gslot_reloc_apply() - translate an address operand of a command, in place
 * @at: its lower half; the upper one follows. May be translated for another place
 * @addr: the address as the guest wrote it, without flags
 * @len: bytes accessed there
 * @window: where the guest's graphics memory is
 *
 * Places begin with pages. So the bits of the lower half below a page's size, among
 * them the flags of a command, are the same for each of them.
 *
 * Return: 0, or -EFAULT if the guest does not own all of it; nothing is changed then.
 */
int gslot_reloc_apply(u32 *at, u32 addr, u32 len, const struct gslot_window *window)
{
	u64 phys;

	if (!gslot_window_to_phys(window, addr, len, &phys))
		return -EFAULT;
	at[0] = (lower_32_bits(phys) & ~PAGE_BITS) | (at[0] & PAGE_BITS);
	at[1] = upper_32_bits(phys);
	return 0;
}
