/* SPDX-License-Identifier: GPL-2.0 */
/* A vGPU that always has work for the render engine, and always yields; and its share of that. */
#ifndef _LIBVGPU_SPINNING_H
#define _LIBVGPU_SPINNING_H

#include "context.h"

#define SPINNING_PARTS	5

/**
 * struct spinning - such a vGPU
 * @vgpu: the vGPU
 * @ctx: its context
 * @spin: what it executes
 * @seqno: of the request
 * @busy: how long it had run when it was looked at last, ns
 * @parts: its share in each part of a time, per mille
 */
struct spinning {
	struct vgpu *vgpu;
	struct context ctx;
	struct spinner spin;
	u32 seqno;
	u64 busy;
	u32 parts[SPINNING_PARTS];
};

/* A vGPU that has nothing to do, yet. */
void spinning_init(struct spinning *s);
void spinning_go(struct spinning *s);
/* It has nothing to do any more; false: its request was lost. */
bool spinning_stop(struct spinning *s);
/* Removes it; 0 or -errno. */
int spinning_free(struct spinning *s);
/* The first two at once, and the last two. */
void spinning_begin(struct spinning *s);
bool spinning_end(struct spinning *s);
/* Whatever they do: how much of the engine each has in the next @us, per mille of the time. */
void spinning_shares(struct spinning *s, u32 count, u32 *share, u64 us);
/*
 * The same, in the middle one of so many parts of that time, by what the first one has of it: who
 * has the engine when the machine stands still has more of one part, and less of the next one at
 * most.
 */
void spinning_steady_shares(struct spinning *s, u32 count, u32 *share, u64 us);

#endif
