// SPDX-License-Identifier: GPL-2.0
/*
 * Commands of user batches of the blitter, as they stand in a copy that runs
 * with privilege: each does there what the command table says that the
 * hardware does with it in a user batch, and names only registers that a user
 * may touch.
 *
 * Addresses stay as they are once they are sure to be the PPGTT's, which the
 * shadow tables confine. Commands of the blitter have no others.
 */
#include "core/regs/regtable.h"
#include "scan_priv.h"
#include "gen/cmds.h"
#include "gen/regs.h"

/* What a user may do with registers on Gen9's blitter: as i915 has it. */
static const struct user_reg {
	u32 first;
	u32 last;
	bool write;
} user_regs[] = {
	{ GEN_RCS0_BASE + RING_TIMESTAMP, GEN_RCS0_BASE + RING_TIMESTAMP_UDW, false },
	{ GEN_VCS0_BASE + RING_TIMESTAMP, GEN_VCS0_BASE + RING_TIMESTAMP_UDW, false },
	{ GEN_BCS0_BASE + RING_TIMESTAMP, GEN_BCS0_BASE + RING_TIMESTAMP_UDW, false },
	{ GEN_BCS0_BASE + RING_CTX_TIMESTAMP, GEN_BCS0_BASE + RING_CTX_TIMESTAMP, false },
	{ GEN_BCS0_BASE + BCS_SWCTRL, GEN_BCS0_BASE + BCS_SWCTRL, true },
	{ GEN_BCS0_BASE + RING_GPR(0), GEN_BCS0_BASE + RING_GPR_UDW(RING_NR_GPR - 1), true },
};

struct user_cmd {
	enum gslot_engine_id engine;
	u32 *dw;
	u32 len;
	u32 *denied;
};

static bool user_may(u32 reg, bool write)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(user_regs); i++)
		if (reg >= user_regs[i].first && reg <= user_regs[i].last)
			return !write || user_regs[i].write;
	return false;
}

/* As gslot_scan_reg(). */
static void check_reg(struct user_cmd *cmd, u32 dword, bool write)
{
	u32 reg = cmd->dw[dword] & MI_REG_OFFSET;

	if (!user_may(reg, write)) {
		reg = gslot_reg_sink(cmd->engine, write);
		(*cmd->denied)++;
	}
	cmd->dw[dword] = reg;
}

static void check_operand(struct user_cmd *cmd, const struct gen_operand *op)
{
	u32 i;

	switch (op->kind) {
	case GEN_REG_READ:
	case GEN_REG_WRITE:
		check_reg(cmd, op->dword, op->kind == GEN_REG_WRITE);
		break;
	case GEN_REG_LIST:
		for (i = op->dword; i < cmd->len; i += 2)
			check_reg(cmd, i, true);
		break;
	}
}

static void drop(struct user_cmd *cmd)
{
	memset(cmd->dw, 0, cmd->len * sizeof(*cmd->dw));
	(*cmd->denied)++;
}

/* It flushes, and stores nothing that a user may not. */
static void check_flush_dw(struct user_cmd *cmd, bool may_store)
{
	u32 *dw = cmd->dw;

	if (dw[0] & MI_FLUSH_DW_OP_MASK && may_store)
		return;
	*cmd->denied += !may_store;
	dw[0] &= ~(MI_FLUSH_DW_OP_MASK | MI_FLUSH_DW_STORE_INDEX);
	memset(dw + 1, 0, (cmd->len - 1) * sizeof(*dw));
}

/* What the table cannot say. */
static int check_mi(struct user_cmd *cmd, enum gen_user user)
{
	switch (MI_OPCODE(cmd->dw[0])) {
	case OP_MI_NOOP:	/* nor an identification number */
		cmd->dw[0] = 0;
		return 0;
	case OP_MI_WAIT_FOR_EVENT:
		drop(cmd);
		return 0;
	case OP_MI_LOAD_REGISTER_IMM:
		return cmd->len & 1 ? 0 : -EINVAL;
	case OP_MI_ATOMIC:
		return cmd->len == 3 || cmd->len == 11 ? 0 : -EINVAL;
	case OP_MI_FLUSH_DW:
		check_flush_dw(cmd, user != GEN_USER_GGTT_NO_STORE);
		return 0;
	default:
		return 0;
	}
}

/**
 * gslot_scan_user() - let a command of a user batch do with privilege what it
 *	does without, and less
 * @engine: the blitter
 * @dw: its dwords, in the host-owned copy
 * @len: how many
 * @denied: counts what was neutralised
 *
 * A batch start is left as it is.
 *
 * Return: 0, -EPERM or -EINVAL, as gslot_user_copy().
 */
int gslot_scan_user(enum gslot_engine_id engine, u32 *dw, u32 len, u32 *denied)
{
	const struct gen_cmd *row = gslot_cmd_find(engine, dw[0]);
	struct user_cmd cmd = {
		.engine = engine, .dw = dw, .len = len, .denied = denied,
	};
	enum gen_user user;
	u32 i;
	int ret;

	if (!row)
		return -EPERM;
	user = gen_cmd_user(row, dw, len);
	/* Nor what no privileged batch may have: as if the hardware did not execute it. */
	if (user == GEN_USER_NOOP || gslot_cmd_permit(row, GEN_IN_BATCH, dw[0], len) == -EPERM) {
		drop(&cmd);
		return 0;
	}
	if (len < row->min || len > row->max)
		return -EINVAL;
	dw[0] &= ~row->clear;
	if (CMD_CLIENT(dw[0]) == CMD_CLIENT_MI) {
		ret = check_mi(&cmd, user);
		if (ret)
			return ret;
	}
	for (i = 0; i < ARRAY_SIZE(row->operands); i++)
		check_operand(&cmd, &row->operands[i]);
	return 0;
}
