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
#include "window.h"

/*
 * A relocation: a place where commands name graphics memory. The commands that are prepared for the
 * hardware have the physical address of the run where that memory is resident; the relocation keeps
 * the guest's address, and allows them to be translated again when it becomes resident elsewhere.
 */
struct gslot_reloc {
	/* Index of the address's lower half in the commands; the upper half follows */
	u32 dword;
	u32 addr;	/* the guest's address, without flags; graphics memory has at most 4 GB */
	u32 len;	/* bytes accessed there, less than a page, so in two pages at most */
};

/*
 * Translate an address operand of a command in place, which may have been translated before, to the
 * physical graphics address @phys. @at is its lower half; the upper one follows. Whole pages are
 * resident, so the bits below the size of a page stay, among them the command's flags.
 */
static inline void gslot_reloc_apply(u32 *at, u64 phys)
{
	const u32 page_bits = GEN_PAGE_SIZE - 1;

	at[0] = (lower_32_bits(phys) & ~page_bits) | (at[0] & page_bits);
	at[1] = upper_32_bits(phys);
}

/* The buffer with the commands; BIT() of it is the command table's GEN_IN_*. */
enum gslot_scan_kind {
	GSLOT_SCAN_RING,
	GSLOT_SCAN_BATCH,	/* privileged batch in the GGTT */
	GSLOT_SCAN_INDIRECT,	/* indirect context or per-context batch */
};

/* One scan */
struct gslot_scan {
	enum gslot_engine_id engine;	/* the engine that will execute */
	u32 gen;			/* 8 or 9 */
	enum gslot_scan_kind kind;	/* the buffer with the commands */
	u32 level;			/* GSLOT_LEVEL_* of that buffer */
	/* The guest's graphics memory, which is all that commands may name */
	const struct gslot_window *window;
	/*
	 * Called for each batch in the GGTT; @level is that of the batch. Returns in @phys the
	 * physical graphics address of a scanned, host-owned copy, or -errno. NULL: such batches
	 * are refused
	 */
	int (*batch)(struct gslot_scan *scan, u64 addr, u32 level, u64 *phys);
	/* The same for a batch in the PPGTT, on an engine that does not confine user batches */
	int (*user_batch)(struct gslot_scan *scan, u64 addr, u32 level, u64 *phys);
	/*
	 * Called for each graphics address; returns in @phys the physical address of its page, or
	 * -errno to end the scan
	 */
	int (*reloc)(struct gslot_scan *scan, const struct gslot_reloc *reloc, u64 *phys);
	void *data;			/* for the callbacks */
	/* Out: the last command starts a batch, and no command follows that shows its end */
	bool open;
	/* Out: accesses that were neutralised, except those of GSLOT_CMD_IGNORE */
	u32 denied;
	u32 bad;			/* out: the dword at which the scan stopped, if it failed */
	u32 bad_cmd;			/* out: its value */
};

int gslot_scan(struct gslot_scan *scan, u32 *cmds, u32 dwords);

/* Dwords that a copied batch has behind its MI_BATCH_BUFFER_END. */
#define GSLOT_BATCH_TAIL_DWORDS	2

void gslot_batch_seal(enum gslot_engine_id engine, u32 *tail);

#endif
