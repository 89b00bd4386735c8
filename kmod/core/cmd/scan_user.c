// SPDX-License-Identifier: GPL-2.0
/*
 * Commands of user batches of the blitter in a copy that runs with privilege. Each does there what
 * the hardware does with it in a user batch, according to the command table, and names only
 * registers that a user may access.
 *
 * Addresses of the PPGTT stay as they are: the shadow tables confine them. Commands of the blitter
 * itself have no others.
 */
#include "core/regs/regtable.h"
#include "scan_priv.h"
#include "gen/regs.h"

/* Registers that user batches of Gen9's blitter may access; the same as in i915. */
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

static bool user_may_access(u32 reg, bool write)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(user_regs); i++)
		if (reg >= user_regs[i].first && reg <= user_regs[i].last)
			return !write || user_regs[i].write;
	return false;
}

static void user_reg(struct user_cmd *cmd, u32 dword, bool write)
{
	u32 reg = cmd->dw[dword] & MI_REG_OFFSET;

	if (!user_may_access(reg, write)) {
		reg = gslot_reg_sink(cmd->engine, write);
		(*cmd->denied)++;
	}
	cmd->dw[dword] = reg;
}

/* Return: 0; or -EINVAL if a command that stores has no data. */
static int user_operand(struct user_cmd *cmd, const struct gen_operand *op)
{
	u32 i;

	switch (op->kind) {
	case GEN_ADDR:
		if (gen_operand_used(op, cmd->dw, cmd->len) && cmd->len < op->need)
			return -EINVAL;
		break;
	case GEN_REG_READ:
	case GEN_REG_WRITE:
		user_reg(cmd, op->dword, op->kind == GEN_REG_WRITE);
		break;
	case GEN_REG_LIST:
		for (i = op->dword; i < cmd->len; i += 2)
			user_reg(cmd, i, true);
		break;
	}
	return 0;
}

static void user_drop(struct user_cmd *cmd)
{
	memset(cmd->dw, 0, cmd->len * sizeof(*cmd->dw));
	(*cmd->denied)++;
}

/* Without an operation, or if it may not store, it only flushes. */
static void user_flush_dw(struct user_cmd *cmd, bool may_store)
{
	u32 *dw = cmd->dw;

	if (dw[0] & MI_FLUSH_DW_OP_MASK && may_store)
		return;
	*cmd->denied += !may_store;
	dw[0] &= ~(MI_FLUSH_DW_OP_MASK | MI_FLUSH_DW_STORE_INDEX);
	memset(dw + 1, 0, (cmd->len - 1) * sizeof(*dw));
}

/* What the command table cannot express. */
static int user_mi(struct user_cmd *cmd, enum gen_user user)
{
	switch (MI_OPCODE(cmd->dw[0])) {
	case OP_MI_NOOP:	/* without an identification number */
		cmd->dw[0] = 0;
		return 0;
	case OP_MI_WAIT_FOR_EVENT:
		user_drop(cmd);
		return 0;
	case OP_MI_FLUSH_DW:
		user_flush_dw(cmd, user != GEN_USER_GGTT_NO_STORE);
		return 0;
	default:
		return gslot_mi_length_ok(cmd->dw[0], cmd->len) ? 0 : -EINVAL;
	}
}

/*
 * Make a command of a user batch, in the host-owned copy, safe to execute with privilege: it does
 * no more than without. What is neutralised is counted in @denied. MI_BATCH_BUFFER_START stays as
 * it is.
 *
 * Returns 0, -EPERM or -EINVAL, as gslot_user_copy().
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
	ret = gslot_cmd_permit(row, GEN_IN_BATCH, dw[0], len);
	/* What no privileged batch may have becomes what the hardware does not execute. */
	if (user == GEN_USER_NOOP || ret == -EPERM) {
		user_drop(&cmd);
		return 0;
	}
	dw[0] &= ~row->clear;
	if (!ret && CMD_CLIENT(dw[0]) == CMD_CLIENT_MI)
		ret = user_mi(&cmd, user);
	for (i = 0; !ret && i < ARRAY_SIZE(row->operands); i++)
		ret = user_operand(&cmd, &row->operands[i]);
	return ret;
}
