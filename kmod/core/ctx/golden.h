/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The golden engine context: the state of an engine after a reset.
 *
 * A register that a context does not load keeps the value of the previous context. So a guest's
 * context is never loaded with its restore inhibited, nor from the guest's own list of registers.
 * What is loaded is the golden context, which has all registers, with the guest's values for
 * those that the guest may set. The others are loaded as the reset left them: user batches, which
 * the host does not check, can write some of them.
 */
#ifndef _GSLOT_CORE_GOLDEN_H
#define _GSLOT_CORE_GOLDEN_H

#include "core/types.h"
#include "core/regs/engines.h"

/**
 * struct gslot_golden_reg - a register of the golden context that the guest may set
 * @reg: offset in BAR0
 * @at: index of its value, in dwords from the register state page on
 * @masked: the upper half of the value selects the bits of the lower one that are written
 */
struct gslot_golden_reg {
	u32 reg;
	u32 at;
	bool masked;
};

/**
 * struct gslot_golden - a golden engine context
 * @state: its register state page and the pages behind it
 * @dwords: length of @state
 * @regs: registers that the guest may set, sorted by @reg
 * @count: number of entries in @regs
 * @room: entries that fit into @regs
 */
struct gslot_golden {
	u32 *state;
	u32 dwords;
	struct gslot_golden_reg *regs;
	u32 count;
	u32 room;
};

int gslot_golden_init(struct gslot_golden *golden, enum gslot_engine_id engine, u32 gen,
		      u32 *missing);
int gslot_golden_merge(const struct gslot_golden *golden, enum gslot_engine_id engine, u32 gen,
		       u32 *state, const u32 *guest);

#endif
