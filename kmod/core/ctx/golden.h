/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The golden engine context: what a reset leaves in an engine.
 *
 * An engine keeps what the context before has left in all registers that the next one does
 * not load. So no context of a guest is loaded with its restore inhibited, and none from the
 * guest's list of registers: it is the golden one that is loaded, which has all of them, with
 * the values that the guest may set in their places. Those that it may not set are loaded as
 * well, as the reset left them: user batches write some of them, and nobody checks those.
 */
#ifndef _GSLOT_CORE_GOLDEN_H
#define _GSLOT_CORE_GOLDEN_H

#include "core/types.h"
#include "core/regs/engines.h"

/**
 * struct gslot_golden_reg - where the golden context has a register that is the guest's
 * @reg: offset in BAR0
 * @at: dword of its value, counted from the register state page
 * @masked: the value's upper half says which bits of the lower one are written
 */
struct gslot_golden_reg {
	u32 reg;
	u32 at;
	bool masked;
};

/**
 * struct gslot_golden - a golden engine context
 * @state: its register state page and the pages behind it
 * @dwords: how many there are
 * @regs: where it has registers, sorted by their offset
 * @count: how many it has
 * @room: for how many there is room
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
