/* SPDX-License-Identifier: GPL-2.0 */
/* Batches that take as long as they are to, on a model that takes its time. */
#ifndef _LIBVGPU_WORK_H
#define _LIBVGPU_WORK_H

#include "ppgtt.h"
#include "vgpu.h"

/**
 * struct work - primitives in a row, each of which takes the model's primitive-ns
 * @addr: of the first, in the address space
 * @most: how many there are
 */
struct work {
	u64 addr;
	u32 most;
};

/* At @addr; with an arbitration point after each primitive if it @yields. */
void work_init(struct work *work, struct vgpu *vgpu, struct ppgtt *ppgtt, u64 addr, u32 most,
	       bool yields);
/* Where a batch of @count primitives begins, at most @most of them. */
u64 work_batch(const struct work *work, u32 count);

#endif
