// SPDX-License-Identifier: GPL-2.0
#include <sys/mman.h>

#include "heavy.h"
#include "tap.h"
#include "vgpu.h"

#define TABLES_IOVA	0x100000000ULL
#define ENTRY		(GEN_PTE_PRESENT | GEN_PTE_RW)
#define MAPPED		0x10000000000ULL

void *heavy_ram(struct vgpu *vgpu, u64 iova, u64 size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED || vfio_dma_map(&vgpu->dev, iova, p, size))
		tap_die("no memory");
	return p;
}

/* The tables are below the PDPs of one address space. */
void heavy_tables(struct vgpu *vgpu, struct ppgtt *ppgtt, u32 count)
{
	u64 *tables = heavy_ram(vgpu, TABLES_IOVA, (u64)count * PAGE_SIZE);
	u64 target = ram_alloc(&vgpu->ram, 64);
	u32 i, k;

	for (i = 0; i < count; i++) {
		for (k = 0; k < GEN_PTES_PER_PAGE; k++)
			tables[i * GEN_PTES_PER_PAGE + k] =
				(target + (i + k) % 64 * PAGE_SIZE) | ENTRY;
		*ppgtt_entry(ppgtt, MAPPED + i * MB(2), 1) =
			(TABLES_IOVA + (u64)i * PAGE_SIZE) | ENTRY;
	}
}
