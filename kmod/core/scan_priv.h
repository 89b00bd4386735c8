/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Between the parts of the scanner; not for its users.
 */
#ifndef _GSLOT_CORE_SCAN_PRIV_H
#define _GSLOT_CORE_SCAN_PRIV_H

#include "scan.h"

#define GSLOT_ENGINE_BIT(e)	((u32)BIT(e))
#define GSLOT_ALL_ENGINES	(GSLOT_ENGINE_BIT(GSLOT_NR_ENGINES) - 1)

/**
 * struct gslot_cmd - the command at hand
 * @scan: the scan it belongs to
 * @dw: its dwords, in the host-owned copy
 * @len: how many
 */
struct gslot_cmd {
	struct gslot_scan *scan;
	u32 *dw;
	u32 len;
};

/**
 * gslot_cmd_len() - length of a command
 * @engine: the engine that would execute it
 * @dw0: its first dword
 *
 * Return: dwords, or 0 if the engine does not have such a client.
 */
u32 gslot_cmd_len(enum gslot_engine_id engine, u32 dw0);

/**
 * gslot_scan_ggtt() - translate an address operand of a command, in place
 * @cmd: the command
 * @dword: its lower dword; the upper one follows
 * @flags: bits of the lower dword that are not part of the address
 * @extent: bytes that the command accesses there
 *
 * Return: 0, or -EFAULT if the guest does not own all of it.
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

/* One command of each client. 0 or -errno, as gslot_scan(). */
int gslot_scan_mi(struct gslot_cmd *cmd);
int gslot_scan_blt(struct gslot_cmd *cmd);
int gslot_scan_render(struct gslot_cmd *cmd);

#endif
