// SPDX-License-Identifier: GPL-2.0
#include <gen/regs.h>

#include "ggtt.h"
#include "tap.h"
#include "vgpu.h"

u64 ggtt_alloc(struct vgpu *vgpu, u32 pages)
{
	u64 addr = vgpu->high_next;

	if (addr + (u64)pages * PAGE_SIZE > GEN_LOW_GM_SIZE + vgpu->high_size)
		tap_die("high graphics memory is used up");
	vgpu->high_next += (u64)pages * PAGE_SIZE;
	return addr;
}

u64 ggtt_alloc_low(struct vgpu *vgpu, u32 pages)
{
	u64 addr = vgpu->low_next;

	if (addr + (u64)pages * PAGE_SIZE > vgpu->low_size)
		tap_die("low graphics memory is used up");
	vgpu->low_next += (u64)pages * PAGE_SIZE;
	return addr;
}

void ggtt_set(struct vgpu *vgpu, u64 addr, u64 pte)
{
	WRITE_ONCE(vgpu->gsm[addr / PAGE_SIZE], pte);
}

void ggtt_map(struct vgpu *vgpu, u64 addr, u64 gpa, u32 pages)
{
	u32 i;

	for (i = 0; i < pages; i++)
		ggtt_set(vgpu, addr + (u64)i * PAGE_SIZE,
			 (gpa + (u64)i * PAGE_SIZE) | GEN_PTE_PRESENT);
}

void ggtt_unmap(struct vgpu *vgpu, u64 addr, u32 pages)
{
	u32 i;

	for (i = 0; i < pages; i++)
		ggtt_set(vgpu, addr + (u64)i * PAGE_SIZE, 0);
}

void ggtt_flush(struct vgpu *vgpu)
{
	memory_fence();
	mmio_write(vgpu, GEN_GFX_FLSH_CNTL, GFX_FLSH_CNTL_EN);
}

u64 ggtt_bind(struct vgpu *vgpu, u64 gpa, u32 pages)
{
	u64 addr = ggtt_alloc(vgpu, pages);

	ggtt_map(vgpu, addr, gpa, pages);
	ggtt_flush(vgpu);
	return addr;
}

u64 ggtt_bind_low(struct vgpu *vgpu, u64 gpa, u32 pages)
{
	u64 addr = ggtt_alloc_low(vgpu, pages);

	ggtt_map(vgpu, addr, gpa, pages);
	ggtt_flush(vgpu);
	return addr;
}

void ggtt_forget(struct vgpu *vgpu)
{
	vgpu->low_next = 0;
	vgpu->high_next = GEN_LOW_GM_SIZE;
}
