/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The engines of a Gen8/Gen9 GPU, as data.
 */
#ifndef _GSLOT_CORE_ENGINES_H
#define _GSLOT_CORE_ENGINES_H

#include "types.h"

enum gslot_engine_id {
	GSLOT_RCS0,
	GSLOT_BCS0,
	GSLOT_VCS0,
	GSLOT_VECS0,
	GSLOT_NR_ENGINES,
};

/**
 * struct gslot_engine_info - what distinguishes one engine from another
 * @name: name as in other drivers and tools ("rcs0")
 * @base: offset of its register block in BAR0
 * @irq_group: which of the GEN_GT_I?R() groups holds its interrupt bits
 * @irq_shift: position of its bits in that group
 * @gdrst: its bit in GEN_GDRST
 * @tlb_inv: its TLB invalidation register
 * @mocs: its first MOCS register
 * @fault_id: its number in GEN_RING_FAULT
 * @master_irq: its bit in GEN_MASTER_IRQ
 */
struct gslot_engine_info {
	const char *name;
	u32 base;
	u8 irq_group;
	u8 irq_shift;
	u8 gdrst;
	u8 fault_id;
	u32 tlb_inv;
	u32 mocs;
	u32 master_irq;
};

extern const struct gslot_engine_info gslot_engines[GSLOT_NR_ENGINES];

/**
 * gslot_engine_of_reg() - which engine's register block holds an offset
 * @offset: offset into BAR0
 *
 * Return: the engine's id, or -1.
 */
int gslot_engine_of_reg(u32 offset);

/**
 * gslot_context_pages() - size of a context image
 * @engine: the engine
 * @gen: 8 or 9
 *
 * Return: pages of 4 KB, PPHWSP and register state included.
 */
u32 gslot_context_pages(enum gslot_engine_id engine, u32 gen);

/**
 * gslot_timestamp_hz() - how fast do the GPU's timestamps count?
 * @gen: 8 or 9
 * @ctc_mode: GEN_CTC_MODE
 *
 * The same for RING_TIMESTAMP and RING_CTX_TIMESTAMP. Gen8: 80 ns a tick; Gen9: a
 * part of its 24 MHz crystal (PRM Skylake volume 2c, "CTC_MODE").
 *
 * Return: ticks a second.
 */
u32 gslot_timestamp_hz(u32 gen, u32 ctc_mode);

/**
 * gslot_context_ran() - how long did a context run?
 * @from: its RING_CTX_TIMESTAMP at first
 * @to: and now
 * @wall: how long that is ago, in the same ticks
 *
 * The timestamp has 32 bits and stands still while the context is not loaded. So
 * it went round as often as there is room for in @wall; this is wrong only for a
 * context that waited for six minutes of it.
 *
 * Return: ticks.
 */
u64 gslot_context_ran(u32 from, u32 to, u64 wall);

#endif
