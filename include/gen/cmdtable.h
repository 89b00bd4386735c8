/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DOC: the command table
 *
 * What the command streamers of Gen8/Gen9 know: one row per command, or per
 * range of commands that are alike. Everybody who walks commands reads this
 * table and no other: the scanner and the audit of context images in the
 * module, the interpreter of the device model, the tests. So they cannot
 * disagree about where the next command begins.
 *
 * A command that has no row does not exist: the model stops with an
 * instruction error, the scanner refuses. A row whose @where is 0 is known,
 * but no guest may have it executed with privilege; that is also the answer
 * where public facts about a command disagree.
 *
 * Sources: PRM Skylake volume 2a (opcodes, fields), volume 6 ("Command Stream
 * Programming": the map of commands; "User Mode Privileged Commands"),
 * volumes 8 to 10 (video); the lengths were compared with what Mesa and the
 * media drivers emit.
 */
#ifndef _GEN_CMDTABLE_H
#define _GEN_CMDTABLE_H

#include "cmds.h"

/* Kinds of command streamers: they differ in the commands they know. */
enum gen_class {
	GEN_CLASS_RENDER,
	GEN_CLASS_COPY,
	GEN_CLASS_VIDEO,
	GEN_CLASS_ENHANCE,
	GEN_NR_CLASSES,
};

/* Buffers that the hardware executes with privilege, bits of gen_cmd.where. */
#define GEN_IN_RING	(1u << 0)
#define GEN_IN_BATCH	(1u << 1)	/* called from a ring, in the GGTT */
#define GEN_IN_WA	(1u << 2)	/* indirect-context, per-context batch */
#define GEN_IN_IMAGE	(1u << 3)	/* the register state of a context */

/*
 * What the streamer does with a command in a batch without privilege. The
 * writes of registers that a command does are checked one by one besides; the
 * blitter of Gen9 silicon does not check them.
 */
enum gen_user {
	GEN_USER_RUN,		/* executes it */
	GEN_USER_NOOP,		/* never executes it */
	GEN_USER_GGTT_NOOP,	/* does not execute it if it names the GGTT */
	GEN_USER_GGTT_NO_STORE,	/* then leaves out its post-sync operation */
	GEN_USER_GGTT_PPGTT,	/* then takes the address for a PPGTT one */
};

enum gen_operand_kind {
	GEN_OPERAND_NONE,
	GEN_ADDR,		/* of memory, two dwords */
	GEN_REG_READ,
	GEN_REG_WRITE,
	GEN_REG_LIST,		/* written: offset, value; to the end */
};

/**
 * struct gen_operand - what a command names outside of the context's PPGTT
 * @kind: one of gen_operand_kind
 * @dword: where it is; of an address the lower half
 * @flags: ADDR: bits of that dword that are no address
 * @extent: ADDR: bytes accessed; 0: as many as the command has data
 * @ggtt_dword: the dword with @ggtt
 * @mode_dword: the dword with @index and @when
 * @need: dwords that the command must have if the operand is used
 * @ggtt: bit that makes it a GGTT address; without it, it is a PPGTT one
 * @index: bit that makes it an offset into a status page
 * @when: bits of which one must be set, or there is no access; 0: always
 */
struct gen_operand {
	unsigned char kind;
	unsigned char dword;
	unsigned char flags;
	unsigned char ggtt_dword;
	unsigned char mode_dword;
	unsigned char need;
	unsigned short extent;
	unsigned int ggtt;
	unsigned int index;
	unsigned int when;
};

#define GEN_NR_OPERANDS	2

/**
 * struct gen_cmd - a command
 * @first: dw0 >> 16 of a command of the render client; others are indexed
 * @last: the last one that this row is for
 * @classes: bit mask of the streamers that know it; 0: no such command
 * @where: bit mask of the buffers in which a guest may have it; 0: refused
 * @user: one of gen_user
 * @mask: length field in dw0; 0: one dword. Else its value + 2 is the length
 * @min: shortest form that is defined, dwords; 0 in a row that is refused
 * @max: longest one
 * @zero: bits of dw0 that must be 0 where the command has privilege
 * @clear: bits of dw0 that the host clears there
 * @operands: what it names; all other addresses go through the PPGTT
 */
struct gen_cmd {
	unsigned short first;
	unsigned short last;
	unsigned char classes;
	unsigned char where;
	unsigned char user;
	unsigned short mask;
	unsigned short min;
	unsigned int max;
	unsigned int zero;
	unsigned int clear;
	struct gen_operand operands[GEN_NR_OPERANDS];
};

/* The length of a command in dwords. */
static inline unsigned int gen_cmd_length(const struct gen_cmd *cmd, unsigned int dw0)
{
	return cmd->mask ? (dw0 & cmd->mask) + 2 : 1;
}

/*
 * Whether a command of @len dwords accesses what the operand names; if it is
 * too short for that, it does not.
 */
static inline int gen_operand_used(const struct gen_operand *op, const unsigned int *dw,
				   unsigned int len)
{
	unsigned int last = op->kind == GEN_ADDR ? op->dword + 1u : op->dword;

	if (op->kind == GEN_OPERAND_NONE || last >= len || op->mode_dword >= len)
		return 0;
	return !op->when || (dw[op->mode_dword] & op->when);
}

/* Whether an address that is used is one in the GGTT, or in a status page. */
static inline int gen_operand_ggtt(const struct gen_operand *op, const unsigned int *dw)
{
	return op->kind == GEN_ADDR && ((dw[op->ggtt_dword] & op->ggtt) ||
					(dw[op->mode_dword] & op->index));
}

/**
 * gen_cmd_user() - what a streamer does with a command in a user batch
 * @cmd: its row
 * @dw: its dwords
 * @len: how many
 *
 * Return: GEN_USER_RUN if it is executed as it is, GEN_USER_NOOP if not at
 * all, GEN_USER_GGTT_NO_STORE without its post-sync operation,
 * GEN_USER_GGTT_PPGTT with a PPGTT address instead of a GGTT one.
 */
static inline enum gen_user gen_cmd_user(const struct gen_cmd *cmd, const unsigned int *dw,
					 unsigned int len)
{
	unsigned int i;

	if (cmd->user == GEN_USER_RUN || cmd->user == GEN_USER_NOOP)
		return (enum gen_user)cmd->user;
	if (cmd->user == GEN_USER_GGTT_PPGTT)
		return dw[0] & MI_BB_PPGTT ? GEN_USER_RUN : GEN_USER_GGTT_PPGTT;
	for (i = 0; i < GEN_NR_OPERANDS; i++) {
		const struct gen_operand *op = &cmd->operands[i];

		if (gen_operand_used(op, dw, len) && gen_operand_ggtt(op, dw))
			return cmd->user == GEN_USER_GGTT_NOOP ? GEN_USER_NOOP :
			       (enum gen_user)cmd->user;
	}
	return GEN_USER_RUN;
}

#endif
