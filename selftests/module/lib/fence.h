/* SPDX-License-Identifier: GPL-2.0 */
/* A guest's fences, and addresses in tiled surfaces. */
#ifndef _LIBVGPU_FENCE_H
#define _LIBVGPU_FENCE_H

#include "types.h"

struct vgpu;

/**
 * struct tiling - a tiling format
 * @name: its name
 * @flag: its bit in a fence
 * @width: of a tile, bytes
 * @height: of a tile, rows
 */
struct tiling {
	const char *name;
	u32 flag;
	u32 width;
	u32 height;
};

#define NR_TILINGS	2
extern const struct tiling tilings[NR_TILINGS];	/* X, Y */

/* Offset of byte (x, y) of a surface. */
u32 tiled_offset(const struct tiling *t, u32 pitch, u32 x, u32 y);

/* Let fence @n of a vGPU cover @pages pages from @addr on. */
void fence_set(struct vgpu *vgpu, u32 n, const struct tiling *t, u64 addr, u32 pages, u32 pitch);
void fence_write(struct vgpu *vgpu, u32 n, u64 value);
u32 fence_count(struct vgpu *vgpu);

#endif
