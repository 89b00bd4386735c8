// SPDX-License-Identifier: GPL-2.0
/*
 * The scanner's loop, and what all clients' commands have in common.
 */
#include "scan_priv.h"
#include "regtable.h"
#include "../../include/gen/cmds.h"
#include "../../include/gen/regs.h"

int gslot_scan_ggtt(struct gslot_cmd *cmd, u32 dword, u32 flags, u32 extent)
{
	struct gslot_scan *scan = cmd->scan;
	u32 *dw = cmd->dw + dword;
	u64 addr = (u64)dw[1] << 32 | (dw[0] & ~flags);
	u64 phys;

	if (!gslot_window_to_phys(scan->window, addr, extent, &phys))
		return -EFAULT;
	if (scan->touch)
		scan->touch(scan, addr, extent);
	dw[0] = lower_32_bits(phys) | (dw[0] & flags);
	dw[1] = upper_32_bits(phys);
	return 0;
}

void gslot_scan_reg(struct gslot_cmd *cmd, u32 dword, bool write)
{
	struct gslot_scan *scan = cmd->scan;
	u32 reg = cmd->dw[dword] & MI_REG_OFFSET;
	enum gslot_reg_cmd rule = gslot_reg_cmd(scan->engine, reg, scan->gen);

	if (rule != GSLOT_CMD_ALLOW && (write || rule != GSLOT_CMD_READ)) {
		/*
		 * NOPID only remembers the last MI_NOOP that had a number: the
		 * one register that nobody misses, and every engine has it.
		 */
		reg = gslot_engines[scan->engine].base + RING_NOPID;
		scan->denied++;
	}
	cmd->dw[dword] = reg;
}

void gslot_scan_noop(struct gslot_cmd *cmd)
{
	memset(cmd->dw, 0, cmd->len * sizeof(*cmd->dw));
}

static int scan_one(struct gslot_cmd *cmd)
{
	switch (CMD_CLIENT(cmd->dw[0])) {
	case CMD_CLIENT_MI:
		return gslot_scan_mi(cmd);
	case CMD_CLIENT_BLT:
		return gslot_scan_blt(cmd);
	case CMD_CLIENT_RENDER:
		return gslot_scan_render(cmd);
	default:
		return -EPERM;
	}
}

static bool is_mi(u32 dw0, u32 opcode)
{
	return CMD_CLIENT(dw0) == CMD_CLIENT_MI && MI_OPCODE(dw0) == opcode;
}

static bool ends_batch(const struct gslot_scan *scan, u32 dw0)
{
	return scan->kind != GSLOT_SCAN_RING && is_mi(dw0, OP_MI_BATCH_BUFFER_END);
}

int gslot_scan(struct gslot_scan *scan, u32 *cmds, u32 dwords)
{
	struct gslot_cmd cmd = { .scan = scan };
	u32 pos;
	int err;

	scan->denied = 0;
	scan->open = false;
	for (pos = 0; pos < dwords; pos += cmd.len) {
		cmd.dw = cmds + pos;
		cmd.len = gslot_cmd_len(scan->engine, cmd.dw[0]);
		if (!cmd.len)
			err = -EPERM;
		else if (cmd.len > dwords - pos)
			err = -EINVAL;
		else
			err = scan_one(&cmd);
		if (err) {
			scan->bad = pos;
			scan->bad_cmd = cmds[pos];
			return err;
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
