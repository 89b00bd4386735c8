// SPDX-License-Identifier: GPL-2.0
#include <gen/pvinfo.h>

#include "ppgtt.h"
#include "vgpu.h"

#define TABLE_FLAGS	(GEN_PTE_PRESENT | GEN_PTE_RW)
#define PAGE_FLAGS	(GEN_PTE_PRESENT | GEN_PTE_RW | GEN_PTE_PAT)

static u64 entry_for(const struct ppgtt *ppgtt, u32 scratch_level)
{
	return ppgtt->scratch[scratch_level] | (scratch_level ? TABLE_FLAGS : PAGE_FLAGS);
}

/* A table in which all entries point to the scratch of the level below. */
static u64 new_table(struct ppgtt *ppgtt, u32 level)
{
	u64 gpa = ram_alloc(ppgtt->ram, 1);
	u64 *table = ram_ptr(ppgtt->ram, gpa);
	u32 i;

	for (i = 0; i < GEN_PTES_PER_PAGE; i++)
		table[i] = entry_for(ppgtt, level);
	return gpa;
}

void ppgtt_init(struct ppgtt *ppgtt, struct ram *ram)
{
	u32 level;

	ppgtt->ram = ram;
	ppgtt->scratch[0] = ram_alloc(ram, 1);
	for (level = 1; level < GEN_PPGTT_LEVELS; level++)
		ppgtt->scratch[level] = new_table(ppgtt, level - 1);
	ppgtt->root = new_table(ppgtt, GEN_PPGTT_LEVELS - 1);
}

u64 *ppgtt_entry(struct ppgtt *ppgtt, u64 addr, u32 level)
{
	u64 table = ppgtt->root;
	u32 l = GEN_PPGTT_LEVELS - 1;
	u64 *entry;

	for (;;) {
		entry = ram_ptr(ppgtt->ram, table);
		entry += (addr >> GEN_LEVEL_SHIFT(l)) % GEN_PTES_PER_PAGE;
		if (l == level)
			return entry;
		if (*entry == entry_for(ppgtt, l))
			*entry = new_table(ppgtt, l - 1) | TABLE_FLAGS;
		table = *entry & GEN_PTE_ADDR;
		l--;
	}
}

void ppgtt_map(struct ppgtt *ppgtt, u64 addr, u64 gpa, u32 pages)
{
	u32 i;

	for (i = 0; i < pages; i++)
		WRITE_ONCE(*ppgtt_entry(ppgtt, addr + (u64)i * PAGE_SIZE, 0),
			   (gpa + (u64)i * PAGE_SIZE) | PAGE_FLAGS);
}

void ppgtt_unmap(struct ppgtt *ppgtt, u64 addr, u32 pages)
{
	u32 i;

	for (i = 0; i < pages; i++)
		WRITE_ONCE(*ppgtt_entry(ppgtt, addr + (u64)i * PAGE_SIZE, 0),
			   entry_for(ppgtt, 0));
}

void ppgtt_notify(struct vgpu *vgpu, struct ppgtt *ppgtt, bool create)
{
	mmio_write(vgpu, PVINFO_BASE + PVINFO_O_PDP(0), lower_32_bits(ppgtt->root));
	mmio_write(vgpu, PVINFO_BASE + PVINFO_O_PDP(0) + 4, upper_32_bits(ppgtt->root));
	mmio_write(vgpu, PVINFO_BASE + PVINFO_O_G2V_NOTIFY,
		   create ? G2V_PPGTT_L4_CREATE : G2V_PPGTT_L4_DESTROY);
}
