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

/* A register of the golden context that the guest may set */
struct gslot_golden_reg {
	u32 reg;	/* offset in BAR0 */
	u32 at;		/* index of its value, in dwords from the register state page on */
	/* The upper half of the value selects the bits of the lower one that are written */
	bool masked;
};

/* A golden engine context */
struct gslot_golden {
	u32 *state;			/* its register state page and the pages behind it */
	u32 dwords;			/* length of @state */
	struct gslot_golden_reg *regs;	/* registers that the guest may set, sorted by @reg */
	u32 count;			/* number of entries in @regs */
	u32 room;			/* entries that fit into @regs */
	u32 l3sqcreg4;			/* on rcs: a register that no context has */
};

int gslot_golden_init(struct gslot_golden *golden, enum gslot_engine_id engine, u32 gen,
		      u32 *missing);
int gslot_golden_merge(const struct gslot_golden *golden, enum gslot_engine_id engine, u32 gen,
		       u32 *state, const u32 *guest);

#endif
