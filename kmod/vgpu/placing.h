/* SPDX-License-Identifier: GPL-2.0 */
/* A vGPU as a copy policy with places sees it (kmod/places). */
#ifndef _GSLOT_VGPU_PLACING_H
#define _GSLOT_VGPU_PLACING_H

#include "vgpus.h"
#include "core/cmd/window.h"

struct gslot_exec;
struct gslot_ggtt;
struct gslot_vgpu;

/* The parts of a vGPU that have to do with its place */
struct gslot_vgpu_placing {
	struct gslot_vgpu *vgpu;	/* the vGPU */
	struct device *dev;		/* the mediated device */
	struct gslot_exec *exec;	/* execution; NULL: it is not open, or is being closed */
	struct gslot_ggtt *ggtt;	/* the private GGTT; NULL if @exec is */
	struct gslot_window window;	/* its graphics memory */
	u32 use;			/* how much it uses the GPU, in millionths */
	bool idle;			/* it is idle, or not open */
	u32 *place;			/* where its place is kept: &gslot_vgpu.place */
};

/* placing.c */
struct gslot_vgpu *gslot_vgpus_next(struct gslot_vgpus *vgpus, struct gslot_vgpu *vgpu);
struct gslot_vgpu_placing gslot_vgpu_placing(struct gslot_vgpu *vgpu);
void gslot_vgpus_set_copy_policy(struct gslot_vgpus *vgpus, struct gslot_copy_policy *policy);

/* gate.c */
bool gslot_vgpu_await_parked(struct gslot_vgpu *vgpu, unsigned long until);
bool gslot_vgpu_lock_life_until(struct gslot_vgpu *vgpu, unsigned long until);
void gslot_vgpu_unlock_life(struct gslot_vgpu *vgpu);
void gslot_vgpus_close_gate(struct gslot_vgpus *vgpus);
void gslot_vgpus_open_gate(struct gslot_vgpus *vgpus);

#endif
