/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A per-process address space: four levels of tables in guest memory. As in i915, unmapped
 * addresses lead to a scratch page through scratch tables.
 */
#ifndef _LIBVGPU_PPGTT_H
#define _LIBVGPU_PPGTT_H

#include <gen/gtt.h>

#include "ram.h"

struct vgpu;

/**
 * struct ppgtt - an address space
 * @ram: the memory of its tables
 * @scratch: scratch page and tables, by level: 0 is the page, 1 a PT, ..
 * @root: bus address of the PML4
 */
struct ppgtt {
	struct ram *ram;
	u64 scratch[GEN_PPGTT_LEVELS];
	u64 root;
};

void ppgtt_init(struct ppgtt *ppgtt, struct ram *ram);
void ppgtt_map(struct ppgtt *ppgtt, u64 addr, u64 gpa, u32 pages);
void ppgtt_unmap(struct ppgtt *ppgtt, u64 addr, u32 pages);
/* The entry of @level (0 = PT .. 3 = PML4) for an address; creates the tables above it. */
u64 *ppgtt_entry(struct ppgtt *ppgtt, u64 addr, u32 level);
/* Notify the host (PVINFO) of a new or an unused address space. */
void ppgtt_notify(struct vgpu *vgpu, struct ppgtt *ppgtt, bool create);

#endif
