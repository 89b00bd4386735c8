/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A second guest that lives through whatever the first one does: it is never
 * reset, and what it holds in contexts and memory must stay as it is.
 */
#ifndef _LIBVGPU_WITNESS_H
#define _LIBVGPU_WITNESS_H

#include "context.h"
#include "vgpu.h"

/**
 * struct witness - a guest that must not notice anything
 * @vgpu: its vGPU
 * @ctx: a context on each engine
 * @page: a page of its memory, filled once
 * @round: how often it was asked
 * @stale: stale TLB hits that the model has counted
 */
struct witness {
	struct vgpu *vgpu;
	struct context ctx[VGPU_NR_ENGINES];
	u64 page;
	u32 round;
	u64 stale;
};

void witness_init(struct witness *w);
/* Is it as before, and does it still run? Says what is wrong. */
bool witness_ok(struct witness *w);
void witness_free(struct witness *w);

/* Two tests: the vGPU works after a reset; the witness noticed nothing. */
void survived(struct vgpu *vgpu, struct witness *w, const char *what);

#endif
