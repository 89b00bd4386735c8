/* SPDX-License-Identifier: GPL-2.0 */
/*
 * For the parts of the scanner only.
 */
#ifndef _GSLOT_CORE_SCAN_PRIV_H
#define _GSLOT_CORE_SCAN_PRIV_H

#include "cmdtable.h"
#include "scan.h"

/**
 * struct gslot_cmd - a command that is being scanned
 * @scan: the scan
 * @pos: index of its first dword
 * @dw: its dwords in the host-owned copy
 * @len: its length, dwords
 */
struct gslot_cmd {
	struct gslot_scan *scan;
	u32 pos;
	u32 *dw;
	u32 len;
};

/* Whether @dw0 begins that MI command. */
#define GSLOT_IS_MI(dw0, opcode) \
	(CMD_CLIENT(dw0) == CMD_CLIENT_MI && MI_OPCODE(dw0) == (opcode))

/*
 * What the command table cannot say about the lengths of a command that is executed with
 * privilege: a list of pairs, and an atomic operation with or without inline data.
 */
static inline bool gslot_mi_length_ok(u32 dw0, u32 len)
{
	if (GSLOT_IS_MI(dw0, OP_MI_LOAD_REGISTER_IMM))
		return len & 1;
	return !GSLOT_IS_MI(dw0, OP_MI_ATOMIC) || len == 3 || len == 11;
}

/* scan_check.c */
int gslot_scan_check(struct gslot_cmd *cmd);

/* scan_user.c */
int gslot_scan_user(enum gslot_engine_id engine, u32 *dw, u32 len, u32 *denied);

#endif
