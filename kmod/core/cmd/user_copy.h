/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DOC: copies of user batches
 *
 * The blitter of Gen9 does not check the registers that a batch without
 * privilege names (CVE-2019-0155), so its user batches must not reach it as
 * they are. What it gets is a copy: the guest's commands, read through its
 * page tables, each turned into what the hardware would do with it in a user
 * batch, and with registers checked. The copy is in the GGTT, where it runs
 * with privilege, but nobody else can write it.
 *
 * A copy has all the batches that the first one leads to. It is made of runs:
 * commands in a row, from where a batch start leads to, up to an end or an
 * unconditional start of another. Where a start leads to commands that are
 * copied already, it leads to their copy; so loops work.
 */
#ifndef _GSLOT_CORE_USER_COPY_H
#define _GSLOT_CORE_USER_COPY_H

#include "core/types.h"
#include "core/regs/engines.h"

/*
 * One copy: its dwords and runs. All of a request: see struct gslot_copy_budget.
 * Tests build this with smaller limits, to meet each of them exactly.
 */
#ifndef GSLOT_COPY_DWORDS
#define GSLOT_COPY_DWORDS	0x40000		/* 1 MB */
#define GSLOT_COPY_RUNS		256
#endif

/**
 * struct gslot_copy_budget - what the copies of one request may still cost
 * @dwords: to read of the guest
 * @runs: to begin
 * @starts: batch starts to follow; each may look at all runs of its copy
 */
struct gslot_copy_budget {
	u32 dwords;
	u32 runs;
	u32 starts;
};

/* 4 MB; and some ten times what a ring full of empty requests calls. */
extern const struct gslot_copy_budget gslot_copy_budget;

/* Batches of a ring are the first level; those they call the second, and last. */
#define GSLOT_LEVEL_RING	0
#define GSLOT_LEVEL_FIRST	1
#define GSLOT_LEVEL_SECOND	2

/**
 * struct gslot_copy_run - commands in a row
 * @addr: where the guest has them
 * @level: on which level they are executed
 * @pos: where they are in the copy, dwords
 * @len: how many dwords of the guest are copied; 0 before they are
 */
struct gslot_copy_run {
	u64 addr;
	u32 level;
	u32 pos;
	u32 len;
};

/**
 * struct gslot_user_copy - a copy in the making
 * @engine: the engine that will execute it
 * @read: reads @dwords of the guest at @addr, which do not cross a page; 0 or
 *	-errno
 * @data: for @read
 * @budget: what it may cost; is reduced
 * @out: the copy: GSLOT_COPY_DWORDS
 * @begins: bit map of its dwords: a command begins here
 * @run: its runs
 * @nr_runs: how many
 * @used: dwords of @out that are to be executed
 * @denied: accesses that were neutralised
 * @bad_cmd: the command that cannot be copied, if it failed for one
 */
struct gslot_user_copy {
	enum gslot_engine_id engine;
	int (*read)(void *data, u64 addr, u32 *to, u32 dwords);
	void *data;
	struct gslot_copy_budget *budget;
	u32 out[GSLOT_COPY_DWORDS];
	u8 begins[GSLOT_COPY_DWORDS / 8];
	struct gslot_copy_run run[GSLOT_COPY_RUNS];
	u32 nr_runs;
	u32 used;
	u32 denied;
	u32 bad_cmd;
};

bool gslot_needs_user_copy(enum gslot_engine_id engine, u32 gen);
u32 gslot_batch_level(u32 level, u32 dw0);
int gslot_user_copy(struct gslot_user_copy *copy, u64 addr, u32 level);
void gslot_user_copy_relocate(struct gslot_user_copy *copy, u64 base);

#endif
