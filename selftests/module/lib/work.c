// SPDX-License-Identifier: GPL-2.0
#include "cs.h"
#include "ram.h"
#include "work.h"

/* Dwords of a primitive, with and without an arbitration point. */
#define PRIMITIVE	((0x7b00u << 16) | 5)
#define UNIT		8

void work_init(struct work *work, struct vgpu *vgpu, struct ppgtt *ppgtt, u64 addr, u32 most,
	       bool yields)
{
	u32 i, pages = (most * UNIT * 4 + 8) / PAGE_SIZE + 1;
	u64 gpa = ram_alloc(&vgpu->ram, pages);
	struct cs cs;

	work->addr = addr;
	work->most = most;
	ppgtt_map(ppgtt, addr, gpa, pages);
	cs_init(&cs, ram_ptr(&vgpu->ram, gpa), pages * PAGE_SIZE);
	for (i = 0; i < most; i++) {
		cs_dw(&cs, PRIMITIVE);
		cs_noop(&cs, UNIT - 2);
		if (yields)
			cs_arb_check(&cs);
		else
			cs_noop(&cs, 1);
	}
	cs_end(&cs);
}

/* The tail of the batch of all primitives is a batch of @count. */
u64 work_batch(const struct work *work, u32 count)
{
	return work->addr + (u64)(work->most - count) * UNIT * 4;
}
