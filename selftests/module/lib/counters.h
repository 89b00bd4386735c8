/* SPDX-License-Identifier: GPL-2.0 */
/* The module's state in debugfs. */
#ifndef _LIBVGPU_COUNTERS_H
#define _LIBVGPU_COUNTERS_H

#include "types.h"

struct vgpu;

/* Path of a file in the directory of the GPU, or of a vGPU; false: no debugfs. */
bool counters_gpu_path(char *path, const char *file);
bool counters_vgpu_path(char *path, const struct vgpu *vgpu, const char *file);

/* While no vGPU exists: record the module's own use of graphics memory. */
void counters_mark(void);
/*
 * Is it as at the mark: no vGPU, nothing resident, no context? True without debugfs.
 */
bool counters_as_marked(void);

/* "key: number" in a file of the GPU; dies if it is missing. */
u64 counters_gpu_number(const char *file, const char *key);
/* The value of a hardware register that debugfs shows; dies if it does not. */
u64 counters_register(const char *name);
/* "key=number" of a vGPU in the GPU's table of vGPUs; dies if it is missing. */
u64 counters_vgpus_number(const struct vgpu *vgpu, const char *key);
/* "key: number" in a file of a vGPU; dies without the key, all ones without the file. */
u64 counters_number(const struct vgpu *vgpu, const char *file, const char *key);
/* Pinned pages of a vGPU; all ones if unknown. */
u64 counters_pins(const struct vgpu *vgpu);
u64 counters_idle(const struct vgpu *vgpu);	/* those without a reference */
u64 counters_used(const struct vgpu *vgpu);	/* the others */
u64 counters_contexts(const struct vgpu *vgpu);
/* A number in gslot/memory_stat of a vGPU; dies without it. */
u64 counters_memory(const struct vgpu *vgpu, const char *key);
/* Times of a vGPU on an engine, ns; all ones without debugfs. */
u64 counters_held(const struct vgpu *vgpu, u32 engine);	/* time it had the engine */
u64 counters_busy(const struct vgpu *vgpu, u32 engine);	/* time its contexts ran */

/* After a failure: print the debugfs of the GPU and the vGPU, a few times. */
void counters_explain(const struct vgpu *vgpu);

#endif
