/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The scanner: one table-driven pass over commands of a guest that the hardware executes with
 * privilege (its ring, GGTT batches, workaround batches). The commands are a host-owned copy,
 * which is patched in place: graphics addresses are bounds-checked and translated, registers are
 * checked, and harmful commands are refused. Lengths never change, so a shadow ring has the same
 * HEAD and TAIL as the guest's.
 */
#ifndef _GSLOT_CORE_SCAN_H
#define _GSLOT_CORE_SCAN_H

#include "core/types.h"
#include "core/regs/engines.h"
#include "reloc.h"
#include "window.h"

/* The buffer with the commands; BIT() of it is the command table's GEN_IN_*. */
enum gslot_scan_kind {
	GSLOT_SCAN_RING,
	GSLOT_SCAN_BATCH,	/* privileged batch in the GGTT */
	GSLOT_SCAN_INDIRECT,	/* indirect context or per-context batch */
};

/**
 * struct gslot_scan - one scan
 * @engine: the engine that will execute
 * @gen: 8 or 9
 * @kind: the buffer with the commands
 * @level: GSLOT_LEVEL_* of that buffer
 * @window: the guest's graphics memory, which is all that commands may name
 * @batch: called for each batch in the GGTT; @level is that of the batch. Returns in @phys the
 *	physical graphics address of a scanned, host-owned copy, or -errno. NULL: such batches
 *	are refused
 * @user_batch: the same for a batch in the PPGTT, on an engine that does not confine user batches
 * @reloc: called for each graphics address; returns in @phys the physical address of its page,
 *	or -errno to end the scan
 * @data: for the callbacks
 * @open: out: the last command starts a batch, and no command follows that shows its end
 * @denied: out: accesses that were neutralised, except those of GSLOT_CMD_IGNORE
 * @bad: out: the dword at which the scan stopped, if it failed
 * @bad_cmd: out: its value
 */
struct gslot_scan {
	enum gslot_engine_id engine;
	u32 gen;
	enum gslot_scan_kind kind;
	u32 level;
	const struct gslot_window *window;
	int (*batch)(struct gslot_scan *scan, u64 addr, u32 level, u64 *phys);
	int (*user_batch)(struct gslot_scan *scan, u64 addr, u32 level, u64 *phys);
	int (*reloc)(struct gslot_scan *scan, const struct gslot_reloc *reloc, u64 *phys);
	void *data;
	bool open;
	u32 denied;
	u32 bad;
	u32 bad_cmd;
};

int gslot_scan(struct gslot_scan *scan, u32 *cmds, u32 dwords);

/* Dwords that a copied batch has behind its MI_BATCH_BUFFER_END. */
#define GSLOT_BATCH_TAIL_DWORDS	2

void gslot_batch_seal(enum gslot_engine_id engine, u32 *tail);

#endif
