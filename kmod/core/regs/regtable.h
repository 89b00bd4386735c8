/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One table says what a vGPU's register is: how the CPU may use it by MMIO and
 * what a command of the guest may do with it.
 */
#ifndef _GSLOT_CORE_REGTABLE_H
#define _GSLOT_CORE_REGTABLE_H

#include "core/types.h"
#include "engines.h"

/* What MMIO does, where no handler does it. */
enum gslot_reg_class {
	GSLOT_REG_UNKNOWN,	/* no row has it */
	GSLOT_REG_RO,		/* reads what is stored, drops writes */
	GSLOT_REG_FUSE,		/* reads as the GPU's own at start, drops writes */
	GSLOT_REG_PLAIN,	/* plain storage */
	GSLOT_REG_MASKED,	/* high half selects what is written */
	GSLOT_REG_W1C,		/* a written 1 clears the bit */
	GSLOT_REG_LIVE,		/* nothing is stored: its handler knows */
	GSLOT_REG_NR_CLASSES
};

/*
 * Who reads or writes a register in the place of its class: a pair of functions
 * in vgpu/handlers.c, of which one may be missing.
 */
enum gslot_reg_handler {
	GSLOT_HANDLER_NONE,
	GSLOT_HANDLER_RING_STATE,
	GSLOT_HANDLER_MI_MODE,
	GSLOT_HANDLER_RING_IMR,
	GSLOT_HANDLER_RESET_CTL,
	GSLOT_HANDLER_ELSP,
	GSLOT_HANDLER_TIMESTAMP,
	GSLOT_HANDLER_CSB_PTR,
	GSLOT_HANDLER_IRQ,
	GSLOT_HANDLER_FLUSH,
	GSLOT_HANDLER_FENCE,
	GSLOT_HANDLER_GDRST,
	GSLOT_HANDLER_RP_STATE_CAP,
	GSLOT_HANDLER_RPSTAT,
	GSLOT_HANDLER_POWER_WELL,
	GSLOT_HANDLER_FORCEWAKE,
	GSLOT_HANDLER_PCODE,
	GSLOT_HANDLER_PVINFO,
	GSLOT_NR_HANDLERS
};

/* What privileged commands in a guest's ring may do with a register. */
enum gslot_reg_cmd {
	GSLOT_CMD_DENY,		/* not at all: neutralised and counted */
	GSLOT_CMD_ALLOW,	/* in the context: saved and restored with it */
	GSLOT_CMD_READ,		/* may be stored to memory, not written */
	GSLOT_CMD_IGNORE,	/* dropped on purpose, uncounted: the host sets it */
};

#define GSLOT_NR_FUSES	13	/* registers of class GSLOT_REG_FUSE */

/**
 * struct gslot_reg - a register or a range of equal registers
 * @first: offset of the first register in BAR0; for the rows of an engine's
 *	block, the offset from its base
 * @last: offset of the last one
 * @reset: value after a reset of the vGPU; of a fuse, bits that are set besides
 * @class: enum gslot_reg_class
 * @handler: enum gslot_reg_handler
 * @cmd: enum gslot_reg_cmd: what commands may do
 * @saved: bit mask of engines whose contexts save and restore it
 * @engines: bit mask of engines that have it, for an engine's block; of a shared register,
 *	those whose commands may name it, 0 = all
 * @engine_reset: the reset of an engine brings back @reset: the rest of its
 *	block is set-up, which survives
 * @gen8_rcs: of Gen8's engines, rcs alone has it in its contexts: the others' images
 *	end with the ring context
 * @gens: bit mask of generations that have it (BIT(8) | BIT(9)); 0 = all
 */
struct gslot_reg {
	u32 first;
	u32 last;
	u32 reset;
	u8 class;
	u8 handler;
	u8 cmd;
	u8 saved;
	u8 engines;
	bool engine_reset;
	bool gen8_rcs;
	u16 gens;
};

/* Does its class store what is written? */
static inline bool gslot_reg_is_stored(const struct gslot_reg *reg)
{
	return reg->class == GSLOT_REG_PLAIN || reg->class == GSLOT_REG_MASKED ||
	       reg->class == GSLOT_REG_W1C;
}

const struct gslot_reg *gslot_reg_rows(bool ring, u32 *count);
const struct gslot_reg *gslot_reg_find(u32 offset, u32 gen);
enum gslot_reg_cmd gslot_reg_cmd(enum gslot_engine_id engine, u32 offset, u32 gen);
u32 gslot_reg_sink(enum gslot_engine_id engine, bool write);
u32 gslot_reg_fuse(u32 index, u32 gen);

#endif
