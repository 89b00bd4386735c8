/* SPDX-License-Identifier: GPL-2.0 */
/* Batches of a given duration, on a model with timed engines. */
#ifndef _LIBVGPU_WORK_H
#define _LIBVGPU_WORK_H

#include "ppgtt.h"
#include "vgpu.h"

/**
 * struct work - a batch of primitives, each of which takes the model's primitive-ns
 * @addr: address of the first, in the address space
 * @most: their number
 */
struct work {
	u64 addr;
	u32 most;
};

/* Build it at @addr, with an arbitration point after each primitive if it @yields. */
void work_init(struct work *work, struct vgpu *vgpu, struct ppgtt *ppgtt, u64 addr, u32 most,
	       bool yields);
/* Address of a batch of @count primitives, at most @most. */
u64 work_batch(const struct work *work, u32 count);

#endif
