/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Context images: from the guest's to the hardware's, and back.
 *
 * The hardware executes an image as a list of register writes with privilege. So the host builds
 * the ring context itself. The engine context behind it is the golden one (golden.h), with the
 * guest's values for those registers that commands in its ring may write, too.
 */
#ifndef _GSLOT_CORE_LRC_H
#define _GSLOT_CORE_LRC_H

#include "core/types.h"
#include "core/regs/engines.h"
#include "gen/lrc.h"

#define GSLOT_LRC_STATE_DWORDS	1024	/* the register state page */

/* The values of a ring context */
struct gslot_lrc {
	u32 start;		/* graphics address of the ring */
	u32 size;		/* size of the ring, bytes */
	u32 head;		/* offset of the next command */
	u32 tail;		/* offset behind the last command */
	bool inhibit;		/* the engine context is not loaded */
	u32 timestamp;		/* CTX_TIMESTAMP */
	/* Value of the engine register (R_PWR_CLK_STATE on rcs, BCS_SWCTRL on bcs) */
	u32 engine_reg;
	u32 per_ctx;		/* BB_PER_CTX_PTR, with its valid bit */
	u32 indirect;		/* INDIRECT_CTX, address and size */
	u32 indirect_offset;	/* INDIRECT_CTX_OFFSET */
	u64 pml4;		/* bus address of the top page table */
};

/* The descriptor of a host context, without its id. @addr: GGTT address of its image */
static inline u64 gslot_lrc_desc(u32 gen, u64 addr)
{
	u64 desc = addr | CTX_DESC_VALID | CTX_DESC_PRIVILEGE |
		   CTX_ADDRESSING_LEGACY_64B << CTX_DESC_ADDRESSING_SHIFT;

	return gen == 8 ? desc | CTX_DESC_L3LLC_COHERENT : desc;
}

int gslot_lrc_parse(enum gslot_engine_id engine, const u32 *state, struct gslot_lrc *lrc);
void gslot_lrc_build(enum gslot_engine_id engine, u32 gen, u32 *state,
		     const struct gslot_lrc *lrc);
bool gslot_lrc_same(const u32 *a, const u32 *b);
bool gslot_lrc_passed(const u32 *state, u32 size, u32 head, u32 tail);
void gslot_lrc_merge(u32 *guest, const u32 *hw);
int gslot_lrc_filter(enum gslot_engine_id engine, u32 gen, u32 *to, const u32 *from,
		     u32 dwords);

#endif
