/* SPDX-License-Identifier: GPL-2.0 */
/* Commands, emitted into a batch or a ring. */
#ifndef _LIBVGPU_CS_H
#define _LIBVGPU_CS_H

#include <gen/cmds.h>

#include "types.h"

/**
 * struct cs - a buffer of commands
 * @base: memory
 * @dwords: its size; a power of two: it wraps
 * @pos: dwords written so far
 */
struct cs {
	u32 *base;
	u32 dwords;
	u32 pos;
};

static inline void cs_init(struct cs *cs, void *base, u32 bytes)
{
	cs->base = base;
	cs->dwords = bytes / sizeof(u32);
	cs->pos = 0;
}

static inline void cs_dw(struct cs *cs, u32 dw)
{
	WRITE_ONCE(cs->base[cs->pos++ % cs->dwords], dw);
}

static inline u32 cs_offset(const struct cs *cs)
{
	return cs->pos % cs->dwords * sizeof(u32);
}

#define GGTT	true
#define PPGTT	false

/* Memory. Addresses in the GGTT or the PPGTT. */
void cs_store(struct cs *cs, bool ggtt, u64 addr, u32 value);
void cs_store64(struct cs *cs, bool ggtt, u64 addr, u64 value);
void cs_copy(struct cs *cs, bool ggtt, u64 dst, u64 src);
void cs_semaphore_wait(struct cs *cs, bool ggtt, u64 addr, u32 op, u32 value);
#define SEMAPHORE_GT		0
#define SEMAPHORE_GE		1
#define SEMAPHORE_LT		2
#define SEMAPHORE_LE		3
#define SEMAPHORE_EQ		4
#define SEMAPHORE_NE		5

/* Registers. */
void cs_lri(struct cs *cs, u32 reg, u32 value);
void cs_srm(struct cs *cs, bool ggtt, u32 reg, u64 addr);
void cs_lrm(struct cs *cs, bool ggtt, u32 reg, u64 addr);

/* Flow. */
void cs_noop(struct cs *cs, u32 count);
void cs_arb_check(struct cs *cs);
void cs_arb(struct cs *cs, bool on);
void cs_batch(struct cs *cs, bool ggtt, u64 addr);
void cs_end(struct cs *cs);
/* End the batch, unless the dword at @addr in the PPGTT is above @value. */
void cs_end_unless_above(struct cs *cs, u64 addr, u32 value);
void cs_user_interrupt(struct cs *cs);

/* Flush with a post-sync store: PIPE_CONTROL (render) or MI_FLUSH_DW. */
void cs_pipe_control_store(struct cs *cs, u64 ggtt_addr, u32 value);
void cs_flush_dw_store(struct cs *cs, u64 ggtt_addr, u32 value);
/* The same, into the context's own PPHWSP. */
void cs_pipe_control_store_index(struct cs *cs, u32 offset, u32 value);
void cs_flush_dw_store_index(struct cs *cs, u32 offset, u32 value);

/* Invalidate TLBs, as a driver does at the start of each request. */
void cs_invalidate(struct cs *cs, bool render);

/* XY_COLOR_BLT, 32 bits a pixel, linear, all of [0, width) x [0, height). */
void cs_color_blt(struct cs *cs, u64 addr, u32 pitch, u32 width, u32 height, u32 color);

#endif
