/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One table says what a vGPU's register is: how the CPU may use it by MMIO and
 * what a command of the guest may do with it. What the table does not know is
 * refused: it reads 0, drops writes, and is counted.
 */
#ifndef _GSLOT_CORE_REGTABLE_H
#define _GSLOT_CORE_REGTABLE_H

#include "types.h"
#include "engines.h"

/* How MMIO behaves. Handlers with side effects are the vGPU's affair. */
enum gslot_reg_class {
	GSLOT_REG_UNKNOWN,	/* reads 0, drops writes, is counted */
	GSLOT_REG_RO,		/* fuse or status: reads the vGPU's copy */
	GSLOT_REG_PLAIN,	/* plain storage in the vGPU's copy */
	GSLOT_REG_MASKED,	/* high half selects what is written */
	GSLOT_REG_W1C,		/* a written 1 clears the bit */
	/* With a handler in the vGPU layer (its handlers.c): */
	GSLOT_REG_RING_STATE,
	GSLOT_REG_MI_MODE,
	GSLOT_REG_RING_IMR,
	GSLOT_REG_RESET_CTL,
	GSLOT_REG_ELSP,
	GSLOT_REG_TIMESTAMP,
	GSLOT_REG_CSB_PTR,
	GSLOT_REG_IRQ,
	GSLOT_REG_FLUSH,
	GSLOT_REG_FENCE,
	GSLOT_REG_GDRST,
	GSLOT_REG_RPSTAT,
	GSLOT_REG_POWER_WELL,
	GSLOT_REG_FORCEWAKE,
	GSLOT_REG_PCODE,
};

#define GSLOT_REG_FIRST_HANDLER	GSLOT_REG_RING_STATE
#define GSLOT_REG_NR_CLASSES	(GSLOT_REG_PCODE + 1)

/* What privileged commands in a guest's ring may do with a register. */
enum gslot_reg_cmd {
	GSLOT_CMD_DENY,		/* not at all: neutralised and counted */
	GSLOT_CMD_ALLOW,	/* in the context: saved and restored with it */
	GSLOT_CMD_READ,		/* may be stored to memory, not written */
	GSLOT_CMD_IGNORE,	/* dropped on purpose, uncounted: the host sets it */
};

/**
 * struct gslot_reg - a register or a range of equal registers
 * @first: offset of the first register in BAR0; for the entries of an
 *	engine's block, the offset from its base
 * @last: offset of the last one
 * @class: how MMIO behaves
 * @cmd: what commands may do
 * @reset: value after a reset of the vGPU
 * @gens: bit mask of generations that have it (BIT(8) | BIT(9)); 0 = all
 * @engines: bit mask of engines for an engine's block; 0 = an absolute entry
 */
struct gslot_reg {
	u32 first;
	u32 last;
	u8 class;
	u8 cmd;
	u16 gens;
	u32 engines;
	u32 reset;
};

/* Does the vGPU layer have a handler for it? */
static inline bool gslot_reg_has_handler(const struct gslot_reg *reg)
{
	return reg->class >= GSLOT_REG_FIRST_HANDLER;
}

/**
 * gslot_reg_rows() - the table itself
 * @ring: the table of an engine's block, or that of all other registers
 * @count: how many rows it has
 *
 * Return: the rows, sorted by offset and without overlap.
 */
const struct gslot_reg *gslot_reg_rows(bool ring, u32 *count);

/**
 * gslot_reg_find() - look a register up
 * @offset: offset in BAR0, a multiple of 4
 * @gen: 8 or 9
 *
 * Binary search over a sorted table; engine blocks share one table.
 *
 * Return: its entry, or NULL if no table knows it.
 */
const struct gslot_reg *gslot_reg_find(u32 offset, u32 gen);

/**
 * gslot_reg_cmd() - what a privileged command on an engine may do
 * @engine: the engine that executes the command
 * @offset: offset in BAR0
 * @gen: 8 or 9
 *
 * An engine may name only its own block and the shared registers.
 */
enum gslot_reg_cmd gslot_reg_cmd(enum gslot_engine_id engine, u32 offset, u32 gen);

#endif
