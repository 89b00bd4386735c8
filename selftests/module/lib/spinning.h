/* SPDX-License-Identifier: GPL-2.0 */
/* A vGPU that always has work for the render engine and always yields; and its share. */
#ifndef _LIBVGPU_SPINNING_H
#define _LIBVGPU_SPINNING_H

#include "context.h"

#define SPINNING_PARTS	5

/**
 * struct spinning - such a vGPU
 * @vgpu: the vGPU
 * @ctx: its context
 * @spin: its batch
 * @seqno: of the request
 * @busy: its run time at the last reading, ns
 * @parts: its share in each part of the measured time, per mille
 */
struct spinning {
	struct vgpu *vgpu;
	struct context ctx;
	struct spinner spin;
	u32 seqno;
	u64 busy;
	u32 parts[SPINNING_PARTS];
};

/* Create it, without work. */
void spinning_init(struct spinning *s);
void spinning_go(struct spinning *s);
/* End its work; false: its request was lost. */
bool spinning_stop(struct spinning *s);
/* Remove it; 0 or -errno. */
int spinning_free(struct spinning *s);
/* Create it and start its work; end its work and remove it. */
void spinning_begin(struct spinning *s);
bool spinning_end(struct spinning *s);
/* Measure each one's share of the engine in the next @us, per mille of the time. */
void spinning_shares(struct spinning *s, u32 count, u32 *share, u64 us);
/*
 * The same in the median one of SPINNING_PARTS parts of that time, by the first vGPU's share: the
 * vGPU that has the engine while the machine stands still gets more of one part, and less of at
 * most the next one.
 */
void spinning_steady_shares(struct spinning *s, u32 count, u32 *share, u64 us);

#endif
