// SPDX-License-Identifier: GPL-2.0
/*
 * Checks of privileged commands that the command table cannot express: one function for each
 * command that needs one.
 */
#include "scan_priv.h"

/* selftests/fuzz has less. */
#ifndef GEN8_MATH_DWORDS
#define GEN8_MATH_DWORDS	(0x3f + 2)
#endif
/* MI_BATCH_BUFFER_START: all but level, predicate, address space and length. */
#define BATCH_START_OTHER	(0x007ffe00u & ~(MI_BB_SECOND_LEVEL | MI_BB_PREDICATE))

typedef int (*check_fn)(struct gslot_cmd *cmd);

/* Make it as many NOOPs: a vGPU has no display to wait for. */
static int check_drop(struct gslot_cmd *cmd)
{
	memset(cmd->dw, 0, cmd->len * sizeof(*cmd->dw));
	return 0;
}

/*
 * A guest that does not use preemption disables arbitration around each batch. It must be
 * preemptible all the same. Workaround batches do not change arbitration: the host turns it off and
 * on around the guest's part of a load (core/ctx/wa.c).
 */
static int check_arb_on_off(struct gslot_cmd *cmd)
{
	if (cmd->scan->kind == GSLOT_SCAN_INDIRECT)
		return check_drop(cmd);
	if (cmd->dw[0] & MI_ARB_ON)
		return 0;
	if (cmd->scan->gen < 9)
		return check_drop(cmd);
	cmd->dw[0] |= MI_ARB_ON;
	return 0;
}

/*
 * General purpose registers are not loaded yet in a workaround batch; and on Gen8 only rcs is known
 * to save them.
 */
static bool check_has_gprs(const struct gslot_scan *scan)
{
	return scan->kind != GSLOT_SCAN_INDIRECT && (scan->gen > 8 || scan->engine == GSLOT_RCS0);
}

/*
 * Sources disagree whether the length field has 6 bits or 8 on Gen8. Only lengths that mean the
 * same in both pass, or the streamer might find a command that the scanner has not seen.
 */
static int check_math(struct gslot_cmd *cmd)
{
	if (!check_has_gprs(cmd->scan))
		return -EPERM;
	return cmd->scan->gen == 8 && cmd->len > GEN8_MATH_DWORDS ? -EINVAL : 0;
}

static int check_length(struct gslot_cmd *cmd)
{
	return gslot_mi_length_ok(cmd->dw[0], cmd->len) ? 0 : -EINVAL;
}

/* Without inline data the operands are in registers; the result may go to one. */
static int check_atomic(struct gslot_cmd *cmd)
{
	u32 in_registers = (cmd->dw[0] ^ MI_ATOMIC_INLINE) & (MI_ATOMIC_INLINE | MI_ATOMIC_RETURN);

	if (in_registers && !check_has_gprs(cmd->scan))
		return -EPERM;
	return check_length(cmd);
}

/* Whether it stores would tell the predicate that the last context has left. */
static int check_store_register_mem(struct gslot_cmd *cmd)
{
	if (cmd->scan->kind == GSLOT_SCAN_INDIRECT)
		cmd->dw[0] &= ~MI_SRM_PREDICATE;
	return 0;
}

static int check_batch_start(struct gslot_cmd *cmd)
{
	struct gslot_scan *scan = cmd->scan;
	bool user = cmd->dw[0] & MI_BB_PPGTT;
	int (*copy)(struct gslot_scan *scan, u64 addr, u32 level, u64 *phys) =
		user ? scan->user_batch : scan->batch;
	u32 *dw = cmd->dw;
	u64 phys;
	int ret;

	if (scan->kind == GSLOT_SCAN_RING && dw[0] & MI_BB_SECOND_LEVEL)
		return -EPERM;
	/* The hardware confines it. But no context saves the resource streamer's state. */
	if (user && !gslot_needs_user_copy(scan->engine, scan->gen)) {
		dw[0] &= ~BATCH_START_OTHER;
		return 0;
	}
	if (!copy)
		return -EPERM;
	ret = copy(scan, (u64)dw[2] << 32 | (dw[1] & ~3u), gslot_batch_level(scan->level, dw[0]),
		   &phys);
	if (ret)
		return ret;
	/* The copy is in the GGTT. Keep the level and the predicate only: no added offset. */
	dw[0] &= ~(BATCH_START_OTHER | MI_BB_PPGTT);
	dw[1] = lower_32_bits(phys);
	dw[2] = upper_32_bits(phys);
	return 0;
}

/*
 * A guest may not have a post-sync write to the register that the address names. A workaround
 * batch may not store a counter, which is not loaded yet.
 */
static int check_pipe_control(struct gslot_cmd *cmd)
{
	if (cmd->dw[1] & PC_LRI_POST_SYNC)
		return -EPERM;
	if (cmd->scan->kind == GSLOT_SCAN_INDIRECT &&
	    PC_POST_SYNC_OP(cmd->dw[1]) == PC_POST_SYNC_PS_DEPTH)
		return -EPERM;
	if (cmd->dw[1] & PC_POST_SYNC_MASK)
		cmd->dw[2] &= ~7u;
	return 0;
}

static const check_fn mi_checks[64] = {
	[OP_MI_WAIT_FOR_EVENT]		= check_drop,
	[OP_MI_ARB_ON_OFF]		= check_arb_on_off,
	[OP_MI_DISPLAY_FLIP]		= check_drop,
	[OP_MI_MATH]			= check_math,
	[OP_MI_STORE_DATA_IMM]		= check_length,
	[OP_MI_LOAD_REGISTER_IMM]	= check_length,
	[OP_MI_STORE_REGISTER_MEM]	= check_store_register_mem,
	[OP_MI_ATOMIC]			= check_atomic,
	[OP_MI_BATCH_BUFFER_START]	= check_batch_start,
};

/*
 * Check what the command table, which permits the command, cannot express; errors as of
 * gslot_scan().
 */
int gslot_scan_check(struct gslot_cmd *cmd)
{
	u32 dw0 = cmd->dw[0];

	if (CMD_CLIENT(dw0) == CMD_CLIENT_MI && mi_checks[MI_OPCODE(dw0)])
		return mi_checks[MI_OPCODE(dw0)](cmd);
	if (dw0 >> 16 == CMD_PIPE_CONTROL)
		return check_pipe_control(cmd);
	return 0;
}
