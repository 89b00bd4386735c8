/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The scanner: one table-driven pass over commands that a guest wants to have
 * executed with privilege (its ring, GGTT batches, the indirect-context
 * batch). The commands are a host-owned copy and are patched in place:
 * graphics addresses are translated and bounds-checked, registers are checked,
 * what could harm is refused. Lengths never change, so a shadow ring has the
 * same HEAD and TAIL as the guest's.
 */
#ifndef _GSLOT_CORE_SCAN_H
#define _GSLOT_CORE_SCAN_H

#include "core/types.h"
#include "core/regs/engines.h"
#include "reloc.h"
#include "window.h"

/* Where commands come from; BIT() of it is the command table's GEN_IN_*. */
enum gslot_scan_kind {
	GSLOT_SCAN_RING,
	GSLOT_SCAN_BATCH,	/* privileged batch in the GGTT */
	GSLOT_SCAN_INDIRECT,	/* indirect context or per-context batch */
};

/**
 * struct gslot_scan - one scan
 * @engine: the engine that will execute
 * @gen: 8 or 9
 * @kind: where the commands come from
 * @level: GSLOT_LEVEL_* of the batch that they are
 * @window: the guest's graphics memory, all that commands may name
 * @lrca: guest address of the context, for index-mode stores (these stay:
 *	the shadow context's PPHWSP page is the guest's own page)
 * @batch: called for a privileged batch that must be copied, which will be on
 *	@level: returns the physical graphics address of a scanned, host-owned
 *	copy in @phys, or -errno. NULL: such batches are refused.
 * @user_batch: the same for a user batch in the PPGTT, where the hardware does
 *	not confine such
 * @reloc: called for each address in it: says in @phys, by pages, where that is, and
 *	returns 0; or -errno to give up
 * @data: for the callbacks
 * @open: out: the last command starts a batch: nothing behind it says when that
 *	is over
 * @denied: out: accesses that were neutralised, but for those of registers that
 *	the table says the host sets
 * @bad: out: the dword at which the scan stopped, valid if it failed
 * @bad_cmd: out: its value
 */
struct gslot_scan {
	enum gslot_engine_id engine;
	u32 gen;
	enum gslot_scan_kind kind;
	u32 level;
	const struct gslot_window *window;
	u64 lrca;
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

/* What a copied batch that ends by MI_BATCH_BUFFER_END must have behind it. */
#define GSLOT_BATCH_TAIL_DWORDS	2

void gslot_batch_seal(enum gslot_engine_id engine, u32 *tail);

#endif
