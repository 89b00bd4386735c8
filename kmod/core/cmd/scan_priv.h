/* SPDX-License-Identifier: GPL-2.0 */
/*
 * For the parts of the scanner only.
 */
#ifndef _GSLOT_CORE_SCAN_PRIV_H
#define _GSLOT_CORE_SCAN_PRIV_H

#include "cmdtable.h"
#include "scan.h"
#include "user_copy.h"
#include "gen/cmds.h"

/* A command that is being scanned */
struct gslot_cmd {
	struct gslot_scan *scan;
	u32 pos;			/* index of its first dword */
	u32 *dw;			/* its dwords in the host-owned copy */
	u32 len;			/* its length, dwords */
};

/*
 * What the command table cannot say about the lengths of a command that is executed with
 * privilege: a list of pairs, a store of quadwords, and an atomic operation with or without inline
 * data. No public text says which counts if the length contradicts the bit: the rest might be other
 * commands.
 */
static inline bool gslot_mi_length_ok(u32 dw0, u32 len)
{
	if (GSLOT_IS_MI(dw0, OP_MI_LOAD_REGISTER_IMM) ||
	    (GSLOT_IS_MI(dw0, OP_MI_STORE_DATA_IMM) && dw0 & MI_SDI_QWORD))
		return len & 1;
	return !GSLOT_IS_MI(dw0, OP_MI_ATOMIC) || len == (dw0 & MI_ATOMIC_INLINE ? 11 : 3);
}

/* scan_check.c */
int gslot_scan_check(struct gslot_cmd *cmd);

/* scan_user.c */
int gslot_scan_user(enum gslot_engine_id engine, u32 *dw, u32 len, u32 *denied);

/* Whether user batches of an engine are copied, as the hardware does not confine them. */
static inline bool gslot_needs_user_copy(enum gslot_engine_id engine, u32 gen)
{
	return engine == GSLOT_BCS0 && gen == 9;
}

/* The GSLOT_LEVEL_* of the batch that an MI_BATCH_BUFFER_START on a level calls. */
static inline u32 gslot_batch_level(u32 level, u32 dw0)
{
	if (level == GSLOT_LEVEL_FIRST && dw0 & MI_BB_SECOND_LEVEL)
		return GSLOT_LEVEL_SECOND;
	return level == GSLOT_LEVEL_RING ? GSLOT_LEVEL_FIRST : level;
}

#endif
