/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DOC: the command table
 *
 * The commands of the Gen8/Gen9 command streamers: a row for each command, or for a range of
 * commands that are alike. All code that walks commands uses this table and no other: the
 * module's scanner and its check of context images, the device model, the tests. So they agree
 * about where the next command begins.
 *
 * A command without a row does not exist: the model stops with an instruction error, and the
 * scanner refuses it. A row with a @where of 0 is a known command that no guest may have executed
 * with privilege. So is a command about which public sources disagree.
 *
 * Sources: PRM Skylake volume 2a (opcodes, fields), volume 6 ("Command Stream Programming": the
 * map of commands; "User Mode Privileged Commands"), volumes 8 to 10 (video). Lengths were
 * compared with what Mesa and the media drivers emit, and with Mesa's genxml.
 */
#ifndef _GEN_CMDTABLE_H
#define _GEN_CMDTABLE_H

#include "cmds.h"

/* Kinds of command streamers, which have different commands. */
enum gen_class {
	GEN_CLASS_RENDER,
	GEN_CLASS_COPY,
	GEN_CLASS_VIDEO,
	GEN_CLASS_ENHANCE,
	GEN_NR_CLASSES,
};

/* Buffers that the hardware executes with privilege; bits of gen_cmd.where. */
#define GEN_IN_RING	(1u << 0)
#define GEN_IN_BATCH	(1u << 1)	/* privileged batch, in the GGTT */
#define GEN_IN_WA	(1u << 2)	/* workaround batch: indirect-context, per-context */
#define GEN_IN_IMAGE	(1u << 3)	/* register state of a context image */

/*
 * What the streamer does with a command in a user batch, which has no privilege. In addition it
 * checks each register that a command writes; Gen9's blitter does not.
 */
enum gen_user {
	GEN_USER_RUN,		/* executes it */
	GEN_USER_NOOP,		/* does not execute it */
	GEN_USER_GGTT_NOOP,	/* does not execute it if it names the GGTT */
	GEN_USER_GGTT_NO_STORE,	/* omits its post-sync operation if it names the GGTT */
	GEN_USER_GGTT_PPGTT,	/* uses the PPGTT if it names the GGTT */
};

enum gen_operand_kind {
	GEN_OPERAND_NONE,
	GEN_ADDR,		/* address, two dwords */
	GEN_REG_READ,
	GEN_REG_WRITE,
	GEN_REG_LIST,		/* written: pairs of offset and value, to the end */
};

/**
 * struct gen_operand - a register, or an address that may be outside of the context's PPGTT
 * @kind: enum gen_operand_kind
 * @dword: index of the operand; for an address, of its lower half
 * @flags: ADDR: bits of that dword that are not part of the address
 * @extent: ADDR: bytes accessed; 0: as many as the command has data
 * @ggtt_dword: index of the dword with @ggtt
 * @mode_dword: index of the dword with @index and @when
 * @need: length, in dwords, that a command with this operand must have
 * @ggtt: bit that says that the address is in the GGTT, and not in the PPGTT
 * @index: bit that says that the address is an offset into a status page
 * @when: bits of which one must be set for an access; 0: it always accesses the operand
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
 * @first: render client: dw0 >> 16 of the first command of the row. Rows of other clients are
 *	indexed by opcode
 * @last: the last one
 * @classes: bit mask of the streamers that have it; 0: no such command
 * @where: bit mask of the privileged buffers in which a guest may have it; 0: none
 * @user: enum gen_user
 * @mask: length field of dw0: its value + 2 is the length; 0: it has one dword
 * @min: length of the shortest defined form, dwords; 0 if @where is 0
 * @max: length of the longest one
 * @zero: bits of dw0 that must be 0 in a privileged buffer
 * @clear: bits of dw0 that the host clears in a privileged buffer
 * @operands: its operands; all other addresses are in the PPGTT
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

/* Whether a command of @len dwords accesses an operand; one that is too short does not. */
static inline int gen_operand_used(const struct gen_operand *op, const unsigned int *dw,
				   unsigned int len)
{
	unsigned int last = op->kind == GEN_ADDR ? op->dword + 1u : op->dword;

	if (op->kind == GEN_OPERAND_NONE || last >= len || op->mode_dword >= len)
		return 0;
	return !op->when || (dw[op->mode_dword] & op->when);
}

/* Whether the address of an operand that is accessed is in the GGTT, or in a status page. */
static inline int gen_operand_ggtt(const struct gen_operand *op, const unsigned int *dw)
{
	return op->kind == GEN_ADDR && ((dw[op->ggtt_dword] & op->ggtt) ||
					(dw[op->mode_dword] & op->index));
}

/**
 * gen_cmd_user() - what a streamer does with a command in a user batch
 * @cmd: its row
 * @dw: its dwords
 * @len: its length
 *
 * Return: GEN_USER_RUN if it executes it as it is; GEN_USER_NOOP if it does not execute it;
 * GEN_USER_GGTT_NO_STORE if it omits the post-sync operation; GEN_USER_GGTT_PPGTT if it uses the
 * PPGTT instead of the GGTT.
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
