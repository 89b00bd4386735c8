// SPDX-License-Identifier: GPL-2.0
/*
 * Reading through the shadow tables: what the GPU would find there.
 */
#include <linux/mm.h>

#include "ppgtt_priv.h"
#include "gm/guestmem.h"

static struct gslot_guest_page *find_page(struct ppgtt_table *table, u64 addr)
{
	void *target = table;
	int level;

	for (level = PPGTT_ROOT_LEVEL; target && level >= 0; level--) {
		table = target;
		target = table->target[addr >> GEN_LEVEL_SHIFT(level) & (GEN_PTES_PER_PAGE - 1)];
	}
	return target;
}

/**
 * ppgtt_read() - read memory of the guest by an address of one of its PPGTTs
 * @root: its tables, compared in this generation
 * @addr: the address
 * @to: gets it
 * @bytes: how many; within one page
 *
 * The guest may write there meanwhile: what was read is all there is to check.
 *
 * Return: 0, or -EFAULT where no memory of the guest is mapped.
 * Context: any; nobody changes the tables meanwhile: the lock is held.
 */
int ppgtt_read(struct ppgtt_table *root, u64 addr, void *to, u32 bytes)
{
	struct gslot_guest_page *page = find_page(root, addr);

	if (!page)
		return -EFAULT;
	gslot_guest_page_read(page, offset_in_page(addr), to, bytes);
	return 0;
}
