/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The table of a vGPU's registers: how the CPU uses each by MMIO, and what commands of the guest
 * may do with it.
 */
#ifndef _GSLOT_CORE_REGTABLE_H
#define _GSLOT_CORE_REGTABLE_H

#include "core/types.h"
#include "engines.h"

/* What MMIO does, unless the register has a handler for it. */
enum gslot_reg_class {
	GSLOT_REG_UNKNOWN,	/* no row */
	GSLOT_REG_RO,		/* stored, drops writes */
	GSLOT_REG_FUSE,		/* stored, begins as the GPU's own, drops writes */
	GSLOT_REG_PLAIN,	/* stored */
	GSLOT_REG_MASKED,	/* stored; the high half of a write selects its bits */
	GSLOT_REG_W1C,		/* stored; writing 1 clears a bit */
	GSLOT_REG_LIVE,		/* not stored: has a handler */
	GSLOT_REG_NR_CLASSES
};

/*
 * A handler reads or writes the register instead of its class: a pair of functions in
 * vgpu/handlers.c, of which one may be missing.
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

/* What privileged commands of a guest may do with a register. */
enum gslot_reg_cmd {
	GSLOT_CMD_DENY,		/* nothing: neutralised and counted */
	GSLOT_CMD_ALLOW,	/* read and write: the context saves it */
	GSLOT_CMD_READ,		/* store it to memory, not write it */
	GSLOT_CMD_IGNORE,	/* nothing: neutralised, not counted, as the host sets it */
};

#define GSLOT_NR_FUSES	13	/* registers of class GSLOT_REG_FUSE */

/* A register, or a range of registers that are alike */
struct gslot_reg {
	/* Offset of the first register in BAR0; in an engine's block, offset from its base */
	u32 first;
	u32 last;	/* offset of the last one */
	/* Value after a reset of the vGPU; for a fuse, bits that are set in addition */
	u32 reset;
	u8 class;	/* enum gslot_reg_class */
	u8 handler;	/* enum gslot_reg_handler */
	u8 cmd;		/* enum gslot_reg_cmd: what commands may do */
	u8 saved;	/* bit mask of engines that save and restore it with contexts */
	/*
	 * In an engine's block, bit mask of engines that have it; for a shared register, of engines
	 * with commands that may name it, 0 = all
	 */
	u8 engines;
	/* A reset of the engine sets it to @reset; other registers keep their values */
	bool engine_reset;
	/* RO, and the module writes it: part of a vGPU's state, which moves with its guest */
	bool module_writes;
	/*
	 * On Gen8, contexts of rcs alone save it: other engines' images end with the ring context
	 */
	bool gen8_rcs;
	u16 gens;	/* bit mask of generations that have it (BIT(8) | BIT(9)); 0 = all */
};

/* Whether its class stores what is written. */
static inline bool gslot_reg_is_stored(const struct gslot_reg *reg)
{
	return reg->class == GSLOT_REG_PLAIN || reg->class == GSLOT_REG_MASKED ||
	       reg->class == GSLOT_REG_W1C;
}

/*
 * Is its stored value part of a vGPU's state? What handlers keep is in other records of the stream;
 * fuses are compared in its header.
 */
static inline bool gslot_reg_is_state(const struct gslot_reg *reg)
{
	return gslot_reg_is_stored(reg) || reg->module_writes;
}

const struct gslot_reg *gslot_reg_rows(bool ring, u32 *count);
const struct gslot_reg *gslot_reg_find(u32 offset, u32 gen);
u32 gslot_reg_same_until(u32 offset);
enum gslot_reg_cmd gslot_reg_cmd(enum gslot_engine_id engine, u32 offset, u32 gen);
u32 gslot_reg_sink(enum gslot_engine_id engine, bool write);
u32 gslot_reg_fuse(u32 index, u32 gen);
u32 gslot_reg_preset(u32 index);

#endif
