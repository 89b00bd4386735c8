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

/* Is it that MI command? */
#define GSLOT_IS_MI(dw0, opcode) \
	(CMD_CLIENT(dw0) == CMD_CLIENT_MI && MI_OPCODE(dw0) == (opcode))

/* scan.c */
int gslot_scan_ggtt(struct gslot_cmd *cmd, u32 dword, u32 flags, u32 extent);
void gslot_scan_reg(struct gslot_cmd *cmd, u32 dword, bool write);
void gslot_scan_noop(struct gslot_cmd *cmd);

/* scan_check.c */
int gslot_scan_check(struct gslot_cmd *cmd);

/* scan_user.c */
int gslot_scan_user(enum gslot_engine_id engine, u32 *dw, u32 len, u32 *denied);

#endif
