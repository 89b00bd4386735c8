/* SPDX-License-Identifier: GPL-2.0 */
/* What the module says of itself in debugfs. */
#ifndef _LIBVGPU_COUNTERS_H
#define _LIBVGPU_COUNTERS_H

#include "types.h"

struct vgpu;

/* Path of a file in the GPU's directory, of a vGPU's; false: no debugfs. */
bool counters_gpu_path(char *path, const char *file);
bool counters_vgpu_path(char *path, const struct vgpu *vgpu, const char *file);

/* With no vGPU there: what graphics memory the module itself uses. */
void counters_mark(void);
/*
 * As at the mark: no vGPU, nothing resident, no context is left. True if there is no debugfs.
 */
bool counters_as_marked(void);

/* "key: number" in a file of the GPU; dies without. */
u64 counters_gpu_number(const char *file, const char *key);
/* What a register of the hardware has, one of those in debugfs; dies without. */
u64 counters_register(const char *name);
/* "key=number" of a vGPU in the GPU's table of them; dies without. */
u64 counters_vgpus_number(const struct vgpu *vgpu, const char *key);
/* "key: number" in a file of a vGPU, where it must be; all ones without the file. */
u64 counters_number(const struct vgpu *vgpu, const char *file, const char *key);
/* Pinned pages of a vGPU; all ones if unknown. */
u64 counters_pins(const struct vgpu *vgpu);
u64 counters_idle(const struct vgpu *vgpu);	/* those that nothing refers to */
u64 counters_used(const struct vgpu *vgpu);	/* the others */
u64 counters_contexts(const struct vgpu *vgpu);
/* Of its work on an engine, ns; all ones without debugfs. */
u64 counters_held(const struct vgpu *vgpu, u32 engine);	/* time it had the engine */
u64 counters_busy(const struct vgpu *vgpu, u32 engine);	/* time its contexts ran */

/* Something failed: what debugfs says of the GPU and the vGPU, a few times. */
void counters_explain(const struct vgpu *vgpu);

#endif
