// SPDX-License-Identifier: GPL-2.0
/*
 * The scanner's loop, and the operands that the command table describes.
 *
 * Commands of the blitter and of the 3D and media pipelines address surfaces and states through
 * the PPGTT of the context, in a ring as well as in a batch, so the shadow PPGTT confines them.
 */
#include "scan_priv.h"
#include "core/regs/regtable.h"
#include "gen/regs.h"

/*
 * Translate the address of @extent bytes at @dword in place; its upper half follows. @flags are
 * bits of the lower half that are not part of the address.
 */
static int scan_ggtt(struct gslot_cmd *cmd, u32 dword, u32 flags, u32 extent)
{
	struct gslot_scan *scan = cmd->scan;
	u32 *dw = cmd->dw + dword;
	const struct gslot_reloc reloc = {
		.dword = cmd->pos + dword, .addr = dw[0] & ~flags, .len = extent,
	};
	u64 phys;
	int ret;

	/* Graphics memory ends at 4 GB. */
	if (dw[1] || !gslot_window_has(scan->window, reloc.addr, reloc.len))
		return -EFAULT;
	ret = scan->reloc(scan, &reloc, &phys);
	if (!ret)
		gslot_reloc_apply(dw, phys);
	return ret;
}

/*
 * Check a register operand, and neutralise it if it is refused. Workaround batches read no
 * register: the hardware executes the indirect-context batch when it has loaded a part of the
 * registers, and the others still have another vGPU's values.
 */
static void scan_reg(struct gslot_cmd *cmd, u32 dword, bool write)
{
	struct gslot_scan *scan = cmd->scan;
	u32 reg = cmd->dw[dword] & MI_REG_OFFSET;
	enum gslot_reg_cmd rule = gslot_reg_cmd(scan->engine, reg, scan->gen);
	bool allowed = rule == GSLOT_CMD_ALLOW || (!write && rule == GSLOT_CMD_READ);

	if (!allowed || (!write && scan->kind == GSLOT_SCAN_INDIRECT)) {
		reg = gslot_reg_sink(scan->engine, write);
		scan->denied += rule != GSLOT_CMD_IGNORE;
	}
	cmd->dw[dword] = reg;
}

/*
 * An index is an offset into a status page. With the GGTT bit that is the engine's page, where
 * the host has the context status; without it, the context's (PPHWSP), which is the guest's own
 * page. Make it the latter.
 */
static void scan_index(struct gslot_cmd *cmd, const struct gen_operand *op)
{
	u32 *dw = cmd->dw;

	if (dw[op->ggtt_dword] & op->ggtt)
		cmd->scan->denied++;
	dw[op->ggtt_dword] &= ~op->ggtt;
	dw[op->dword] &= (GEN_PAGE_SIZE - 1) & ~7u;
	dw[op->dword + 1] = 0;
}

static int scan_address(struct gslot_cmd *cmd, const struct gen_operand *op)
{
	u32 *dw = cmd->dw;

	if (!gen_operand_used(op, dw, cmd->len))
		return 0;
	if (cmd->len < op->need)
		return -EINVAL;
	if (dw[op->mode_dword] & op->index) {
		scan_index(cmd, op);
		return 0;
	}
	if (!(dw[op->ggtt_dword] & op->ggtt))
		return 0;
	return scan_ggtt(cmd, op->dword, op->flags,
			 op->extent ? op->extent : (cmd->len - op->dword - 2) * sizeof(u32));
}

static int scan_operand(struct gslot_cmd *cmd, const struct gen_operand *op)
{
	u32 i;

	switch (op->kind) {
	case GEN_ADDR:
		return scan_address(cmd, op);
	case GEN_REG_READ:
	case GEN_REG_WRITE:
		scan_reg(cmd, op->dword, op->kind == GEN_REG_WRITE);
		break;
	case GEN_REG_LIST:
		for (i = op->dword; i < cmd->len; i += 2)
			scan_reg(cmd, i, true);
		break;
	}
	return 0;
}

static int scan_one(struct gslot_cmd *cmd, const struct gen_cmd *row)
{
	int ret = gslot_cmd_permit(row, BIT(cmd->scan->kind), cmd->dw[0], cmd->len);
	u32 i;

	if (ret)
		return ret;
	cmd->dw[0] &= ~row->clear;
	ret = gslot_scan_check(cmd);
	for (i = 0; !ret && i < ARRAY_SIZE(row->operands); i++)
		ret = scan_operand(cmd, &row->operands[i]);
	return ret;
}

static bool scan_ends_batch(const struct gslot_scan *scan, u32 dw0)
{
	return scan->kind != GSLOT_SCAN_RING && GSLOT_IS_MI(dw0, OP_MI_BATCH_BUFFER_END);
}

/**
 * gslot_scan() - check and patch commands in place
 * @scan: parameters and results
 * @cmds: the host-owned copy
 * @dwords: its length
 *
 * Return: 0; -EPERM for a command that is unknown or refused; -EFAULT for a graphics address that
 * does not belong to the guest; -EINVAL for a command of a wrong length or beyond the end; or
 * what a callback returned. The commands before @scan->bad are checked and patched.
 */
int gslot_scan(struct gslot_scan *scan, u32 *cmds, u32 dwords)
{
	struct gslot_cmd cmd = { .scan = scan };
	const struct gen_cmd *row;
	u32 pos;
	int ret;

	scan->denied = 0;
	scan->open = false;
	for (pos = 0; pos < dwords; pos += cmd.len) {
		cmd.pos = pos;
		cmd.dw = cmds + pos;
		row = gslot_cmd_find(scan->engine, cmd.dw[0]);
		cmd.len = row ? gen_cmd_length(row, cmd.dw[0]) : 0;
		if (!row)
			ret = -EPERM;
		else if (cmd.len > dwords - pos)
			ret = -EINVAL;
		else
			ret = scan_one(&cmd, row);
		if (ret) {
			scan->bad = pos;
			scan->bad_cmd = cmds[pos];
			return ret;
		}
		scan->open = GSLOT_IS_MI(cmd.dw[0], OP_MI_BATCH_BUFFER_START);
		if (scan_ends_batch(scan, cmd.dw[0])) {
			/* The rest is not checked, so it must not be executed. */
			memset(cmds + pos + 1, 0, (dwords - pos - 1) * sizeof(*cmds));
			break;
		}
	}
	return 0;
}

/**
 * gslot_batch_seal() - make sure that a copied batch ends
 * @engine: the engine that will execute it
 * @tail: GSLOT_BATCH_TAIL_DWORDS dwords behind it
 *
 * A user batch can leave a predicate enabled (MI_SET_PREDICATE). According to the PRM it applies
 * to all commands but MI_SET_PREDICATE, including the MI_BATCH_BUFFER_END of a later privileged
 * batch. The streamer then continues behind the guest's MI_BATCH_BUFFER_END, through NOOPs, as
 * gslot_scan() clears what it did not scan, and arrives here: the predicate is disabled, and the
 * batch ends.
 */
void gslot_batch_seal(enum gslot_engine_id engine, u32 *tail)
{
	tail[0] = engine == GSLOT_RCS0 ? MI_CMD(OP_MI_SET_PREDICATE) : MI_CMD(OP_MI_NOOP);
	tail[1] = MI_CMD(OP_MI_BATCH_BUFFER_END);
}
