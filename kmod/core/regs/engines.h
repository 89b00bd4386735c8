/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The engines of a Gen8/Gen9 GPU, as data. GT1 to GT3 have all four. The second video engine of
 * GT3 is not used.
 */
#ifndef _GSLOT_CORE_ENGINES_H
#define _GSLOT_CORE_ENGINES_H

#include "core/types.h"

enum gslot_engine_id {
	GSLOT_RCS0,
	GSLOT_BCS0,
	GSLOT_VCS0,
	GSLOT_VECS0,
	GSLOT_NR_ENGINES,
};

/* What distinguishes one engine from another */
struct gslot_engine_info {
	const char *name;	/* name as in other drivers and tools ("rcs0") */
	u32 base;		/* offset of its register block in BAR0 */
	u8 irq_group;		/* which of the GEN_GT_I?R() groups holds its interrupt bits */
	u8 irq_shift;		/* position of its bits in that group */
	u8 gdrst;		/* its bit in GEN_GDRST */
	u8 fault_id;		/* its number in GEN_RING_FAULT */
	u32 tlb_inv;		/* its TLB invalidation register */
	u32 mocs;		/* its first MOCS register */
	u32 master_irq;		/* its bit in GEN_MASTER_IRQ */
};

extern const struct gslot_engine_info gslot_engines[GSLOT_NR_ENGINES];

int gslot_engine_of_reg(u32 offset);
u32 gslot_context_pages(enum gslot_engine_id engine, u32 gen);
u32 gslot_timestamp_hz(u32 gen, u32 ctc_mode);
u64 gslot_context_ran(u32 from, u32 to, u64 wall);

#endif
