/* SPDX-License-Identifier: GPL-2.0 */
/* Page tables full of entries: at each submission the vGPU's worker has to look at all of them. */
#ifndef _LIBVGPU_HEAVY_H
#define _LIBVGPU_HEAVY_H

#include "ppgtt.h"

struct vgpu;

/* Guest memory at @iova, beyond vgpu->ram; dies without. */
void *heavy_ram(struct vgpu *vgpu, u64 iova, u64 size);
/* Fills @ppgtt with so many page tables, and memory for them. Once a vGPU. */
void heavy_tables(struct vgpu *vgpu, struct ppgtt *ppgtt, u32 tables);

#endif
