// SPDX-License-Identifier: GPL-2.0
/*
 * The scanner's loop, and what the command table says of a command's operands.
 *
 * Commands of the blitter and of the 3D and media pipelines address their
 * surfaces and states through the PPGTT of the context, in the ring as in a
 * batch, so the shadow PPGTT confines them.
 */
#include "scan_priv.h"
#include "core/regs/regtable.h"
#include "gen/cmds.h"
#include "gen/regs.h"

/**
 * gslot_scan_ggtt() - translate an address operand of a command, in place
 * @cmd: the command
 * @dword: its lower dword; the upper one follows
 * @flags: bits of the lower dword that are not part of the address
 * @extent: bytes that the command accesses there
 *
 * Return: 0; -EFAULT if the guest does not own all of it; or what &gslot_scan.reloc
 * returned.
 */
int gslot_scan_ggtt(struct gslot_cmd *cmd, u32 dword, u32 flags, u32 extent)
{
	struct gslot_scan *scan = cmd->scan;
	u32 *dw = cmd->dw + dword;
	const struct gslot_reloc reloc = {
		.dword = cmd->pos + dword, .addr = dw[0] & ~flags, .len = extent,
	};
	u64 phys;
	int ret;

	/* Beyond 4 GB there is no graphics memory. */
	if (dw[1] || !gslot_window_has(scan->window, reloc.addr, reloc.len))
		return -EFAULT;
	ret = scan->reloc(scan, &reloc, &phys);
	if (!ret)
		gslot_reloc_apply(dw, phys);
	return ret;
}

/**
 * gslot_scan_reg() - check a register operand; neutralise it if refused
 * @cmd: the command
 * @dword: the dword that names the register
 * @write: whether the command writes it
 *
 * The batches of a context's restore read none: the hardware executes the indirect-context batch
 * when it has loaded a part of the registers, and the others hold what another vGPU left.
 */
void gslot_scan_reg(struct gslot_cmd *cmd, u32 dword, bool write)
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

/**
 * gslot_scan_noop() - turn a command into as many NOOPs
 * @cmd: the command
 */
void gslot_scan_noop(struct gslot_cmd *cmd)
{
	memset(cmd->dw, 0, cmd->len * sizeof(*cmd->dw));
}

/*
 * By index means: into a status page. With the GGTT bit that is the engine's,
 * where the host's context status lives; without, the context's own, which is
 * the guest's page. So the guest's own it is.
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
	return gslot_scan_ggtt(cmd, op->dword, op->flags,
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
		gslot_scan_reg(cmd, op->dword, op->kind == GEN_REG_WRITE);
		break;
	case GEN_REG_LIST:
		for (i = op->dword; i < cmd->len; i += 2)
			gslot_scan_reg(cmd, i, true);
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

static bool is_mi(u32 dw0, u32 opcode)
{
	return CMD_CLIENT(dw0) == CMD_CLIENT_MI && MI_OPCODE(dw0) == opcode;
}

static bool ends_batch(const struct gslot_scan *scan, u32 dw0)
{
	return scan->kind != GSLOT_SCAN_RING && is_mi(dw0, OP_MI_BATCH_BUFFER_END);
}

/**
 * gslot_scan() - check and patch commands in place
 * @scan: what to check against
 * @cmds: the host-owned copy
 * @dwords: how many
 *
 * Return: 0; -EPERM for a command that is not allowed or unknown; -EFAULT for
 * a graphics address that is not the guest's; -EINVAL for a command that runs
 * over the end; or what a callback returned. The commands before @scan->bad are sound and patched.
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
		scan->open = is_mi(cmd.dw[0], OP_MI_BATCH_BUFFER_START);
		if (ends_batch(scan, cmd.dw[0])) {
			/* Nobody looked at the rest, so nobody may run it. */
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
 * A batch without privilege can leave a predicate enabled (MI_SET_PREDICATE),
 * and by the PRM every command but MI_SET_PREDICATE is subject to it, the end
 * of a later batch with privilege too. Then the streamer goes on behind the
 * guest's own end: through NOOPs, as gslot_scan() clears what it did not scan,
 * to here, where the predicate is switched off and the batch ends.
 */
void gslot_batch_seal(enum gslot_engine_id engine, u32 *tail)
{
	tail[0] = engine == GSLOT_RCS0 ? MI_CMD(OP_MI_SET_PREDICATE) : MI_CMD(OP_MI_NOOP);
	tail[1] = MI_CMD(OP_MI_BATCH_BUFFER_END);
}
