/* SPDX-License-Identifier: GPL-2.0 */
/* A guest's global graphics addresses. */
#ifndef _LIBVGPU_GGTT_H
#define _LIBVGPU_GGTT_H

#include <gen/gtt.h>

#include "types.h"

struct vgpu;

/* Allocate addresses only, from the high part; the low part is the aperture. */
u64 ggtt_alloc(struct vgpu *vgpu, u32 pages);
u64 ggtt_alloc_low(struct vgpu *vgpu, u32 pages);

/* Write entries only; the GPU may see them only after ggtt_flush(). */
void ggtt_set(struct vgpu *vgpu, u64 addr, u64 pte);
void ggtt_map(struct vgpu *vgpu, u64 addr, u64 gpa, u32 pages);
void ggtt_unmap(struct vgpu *vgpu, u64 addr, u32 pages);
void ggtt_flush(struct vgpu *vgpu);

/* Allocate an address, write its entries, and flush. */
u64 ggtt_bind(struct vgpu *vgpu, u64 gpa, u32 pages);
u64 ggtt_bind_low(struct vgpu *vgpu, u64 gpa, u32 pages);

/* Free all addresses (after a reset, which clears the entries). */
void ggtt_forget(struct vgpu *vgpu);

#endif
