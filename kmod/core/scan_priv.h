/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Between the parts of the scanner; not for its users.
 */
#ifndef _GSLOT_CORE_SCAN_PRIV_H
#define _GSLOT_CORE_SCAN_PRIV_H

#include "cmdtable.h"
#include "scan.h"

/**
 * struct gslot_cmd - the command at hand
 * @scan: the scan it belongs to
 * @pos: where it begins, dwords
 * @dw: its dwords, in the host-owned copy
 * @len: how many
 */
struct gslot_cmd {
	struct gslot_scan *scan;
	u32 pos;
	u32 *dw;
	u32 len;
};

/**
 * gslot_scan_ggtt() - translate an address operand of a command, in place
 * @cmd: the command
 * @dword: its lower dword; the upper one follows
 * @flags: bits of the lower dword that are not part of the address
 * @extent: bytes that the command accesses there
 *
 * Return: 0; -EFAULT if the guest does not own all of it; or what &gslot_scan.reloc
 * returned.
 */
int gslot_scan_ggtt(struct gslot_cmd *cmd, u32 dword, u32 flags, u32 extent);

/**
 * gslot_scan_reg() - check a register operand; neutralise it if refused
 * @cmd: the command
 * @dword: the dword that names the register
 * @write: whether the command writes it
 */
void gslot_scan_reg(struct gslot_cmd *cmd, u32 dword, bool write);

/* Turn the command into as many NOOPs. */
void gslot_scan_noop(struct gslot_cmd *cmd);

/* What the table cannot say; 0 or -errno, as gslot_scan(). */
int gslot_scan_check(struct gslot_cmd *cmd);

/**
 * gslot_cmd_permit() - whether a command may stand in a privileged buffer
 * @row: its row
 * @where: which buffer, GEN_IN_*
 * @dw0: its first dword
 * @len: its length, dwords
 *
 * Return: 0; -EPERM if not at all; -EINVAL if not in this length.
 */
int gslot_cmd_permit(const struct gen_cmd *row, u32 where, u32 dw0, u32 len);

/* Is it that MI command? */
#define GSLOT_IS_MI(dw0, opcode) \
	(CMD_CLIENT(dw0) == CMD_CLIENT_MI && MI_OPCODE(dw0) == (opcode))

/**
 * gslot_scan_user() - let a command of a user batch do with privilege what it
 *	does without, and less
 * @engine: the blitter
 * @dw: its dwords, in the host-owned copy
 * @len: how many
 * @denied: counts what was neutralised
 *
 * A batch start is left as it is.
 *
 * Return: 0, -EPERM or -EINVAL, as gslot_user_copy().
 */
int gslot_scan_user(enum gslot_engine_id engine, u32 *dw, u32 len, u32 *denied);

#endif
