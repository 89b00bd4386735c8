// SPDX-License-Identifier: GPL-2.0
#include <gen/pvinfo.h>
#include <gen/regs.h>

#include "fence.h"
#include "vgpu.h"

const struct tiling tilings[NR_TILINGS] = {
	{ "X tiles", 0, 512, 8 },
	{ "Y tiles", FENCE_TILE_Y, 128, 32 },
};

u32 tiled_offset(const struct tiling *t, u32 pitch, u32 x, u32 y)
{
	u32 tile = y / t->height * (pitch / t->width) + x / t->width;
	u32 tx = x % t->width, ty = y % t->height;

	if (t->flag & FENCE_TILE_Y)
		return tile * PAGE_SIZE + tx / 16 * 512 + ty * 16 + tx % 16;
	return tile * PAGE_SIZE + ty * t->width + tx;
}

void fence_set(struct vgpu *vgpu, u32 n, const struct tiling *t, u64 addr, u32 pages, u32 pitch)
{
	u64 hi = ((addr + (pages - 1) * PAGE_SIZE) & FENCE_END) | (pitch / 128 - 1);

	fence_write(vgpu, n, hi << 32 | addr | FENCE_VALID | t->flag);
}

void fence_write(struct vgpu *vgpu, u32 n, u64 value)
{
	mmio_write_width(vgpu, GEN_FENCE_LO(n), 8, value);
}

u32 fence_count(struct vgpu *vgpu)
{
	return mmio_read(vgpu, PVINFO_BASE + PVINFO_O_FENCES);
}
