/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DOC: copies of user batches
 *
 * Gen9's blitter does not check the registers that a user batch names (CVE-2019-0155). So it
 * executes a copy in the GGTT, with privilege, where only the host can write: the guest's commands,
 * with registers checked, each made into what the hardware does with it in a user batch.
 *
 * A copy includes all batches that the first one leads to. It consists of runs: consecutive
 * commands from the target of a batch start up to an MI_BATCH_BUFFER_END or an unconditional
 * batch start. If the target of a batch start is copied already, it leads to that copy, so loops
 * work.
 */
#ifndef _GSLOT_CORE_USER_COPY_H
#define _GSLOT_CORE_USER_COPY_H

#include "core/types.h"
#include "core/regs/engines.h"

/*
 * Limits of one copy; struct gslot_copy_budget has those of a request. Unit tests define smaller
 * ones, to reach each exactly.
 */
#ifndef GSLOT_COPY_DWORDS
#define GSLOT_COPY_DWORDS	0x40000		/* 1 MB */
#define GSLOT_COPY_RUNS		256
#endif

/* What the copies of one request may still cost */
struct gslot_copy_budget {
	u32 dwords;	/* dwords of the guest to read */
	u32 runs;	/* runs to begin */
	u32 starts;	/* batch starts to follow; each may search all runs of its copy */
};

/* 4 MB, and about ten times the batches of a ring that is full of empty requests. */
extern const struct gslot_copy_budget gslot_copy_budget;

/* Batches of a ring are on the first level; those that they call are on the second, and last. */
#define GSLOT_LEVEL_RING	0
#define GSLOT_LEVEL_FIRST	1
#define GSLOT_LEVEL_SECOND	2

/* Consecutive commands */
struct gslot_copy_run {
	u64 addr;	/* address of the guest's commands */
	u32 level;	/* GSLOT_LEVEL_* on which they are executed */
	u32 pos;	/* index of their first dword in the copy */
	u32 len;	/* dwords that are copied; 0 before that */
};

/* A copy of a user batch */
struct gslot_user_copy {
	enum gslot_engine_id engine;		/* the engine that will execute it */
	/* Reads @dwords of the guest at @addr, which do not cross a page; returns 0 or -errno */
	int (*read)(void *data, u64 addr, u32 *to, u32 dwords);
	void *data;				/* for @read */
	struct gslot_copy_budget *budget;	/* what it may cost; reduced by what it costs */
	u32 out[GSLOT_COPY_DWORDS];		/* the copy */
	/* Bit map of the dwords of @out with which a command begins */
	u8 begins[GSLOT_COPY_DWORDS / 8];
	/* Its runs */
	struct gslot_copy_run run[GSLOT_COPY_RUNS];
	u32 nr_runs;				/* their number */
	u32 used;				/* dwords of @out that are used */
	u32 denied;				/* accesses that were neutralised */
	u32 bad_cmd;				/* the command that failed, if one did */
};

int gslot_user_copy(struct gslot_user_copy *copy, u64 addr, u32 level);
void gslot_user_copy_relocate(struct gslot_user_copy *copy, u64 base);

#endif
