/* SPDX-License-Identifier: GPL-2.0 */
/* Full page tables: at each submission the vGPU's worker has to compare all their entries. */
#ifndef _LIBVGPU_HEAVY_H
#define _LIBVGPU_HEAVY_H

#include "ppgtt.h"

struct vgpu;

/* Map guest memory at @iova, beyond vgpu->ram; dies on failure. */
void *heavy_ram(struct vgpu *vgpu, u64 iova, u64 size);
/* Fill @ppgtt with @tables page tables, and back them with memory. Once per vGPU. */
void heavy_tables(struct vgpu *vgpu, struct ppgtt *ppgtt, u32 tables);

#endif
