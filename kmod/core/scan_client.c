// SPDX-License-Identifier: GPL-2.0
/*
 * Commands of the blitter and of the render and media pipelines.
 *
 * Their surfaces and states are addressed through the PPGTT of the context,
 * in the ring as in a batch, so the shadow PPGTT confines them. One of them
 * can leave it: PIPE_CONTROL's post-sync operation.
 */
#include "scan_priv.h"
#include "../../include/gen/cmds.h"

static const u8 blt_opcodes[] = {
	OP_XY_SETUP_BLT, OP_XY_SETUP_CLIP_BLT, OP_XY_SETUP_MONO_PATTERN_SL_BLT,
	OP_XY_PIXEL_BLT, OP_XY_SCANLINES_BLT, OP_XY_TEXT_BLT,
	OP_XY_TEXT_IMMEDIATE_BLT, OP_COLOR_BLT, OP_XY_FAST_COPY_BLT,
	OP_SRC_COPY_BLT, OP_XY_COLOR_BLT, OP_XY_PAT_BLT, OP_XY_MONO_PAT_BLT,
	OP_XY_SRC_COPY_BLT, OP_XY_MONO_SRC_COPY_BLT, OP_XY_FULL_BLT,
	OP_XY_FULL_MONO_SRC_BLT, OP_XY_FULL_MONO_PATTERN_BLT,
	OP_XY_FULL_MONO_PATTERN_MONO_SRC_BLT, OP_XY_MONO_PAT_FIXED_BLT,
	OP_XY_PAT_BLT_IMMEDIATE, OP_XY_SRC_COPY_CHROMA_BLT,
	OP_XY_FULL_IMMEDIATE_PATTERN_BLT, OP_XY_PAT_CHROMA_BLT,
	OP_XY_PAT_CHROMA_BLT_IMMEDIATE,
};

int gslot_scan_blt(struct gslot_cmd *cmd)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(blt_opcodes); i++)
		if (blt_opcodes[i] == BLT_OPCODE(cmd->dw[0]))
			return 0;
	return -EPERM;
}

#define PIPE_CONTROL_DWORDS	6
/* A post-sync write of a register named in the address; for the host only. */
#define PC_LRI_POST_SYNC	((u32)BIT(23))

static int scan_pipe_control(struct gslot_cmd *cmd)
{
	u32 *dw = cmd->dw;

	if (cmd->len != PIPE_CONTROL_DWORDS)
		return -EINVAL;
	if (dw[1] & PC_LRI_POST_SYNC)
		return -EPERM;
	if (PC_POST_SYNC_OP(dw[1]) == PC_POST_SYNC_NONE)
		return 0;
	if (dw[1] & PC_STORE_INDEX) {
		/* The context's status page, never the engine's: the host's. */
		if (dw[1] & PC_GLOBAL_GTT)
			cmd->scan->denied++;
		dw[1] &= ~PC_GLOBAL_GTT;
		dw[2] &= (GEN_PAGE_SIZE - 1) & ~7u;
		dw[3] = 0;
		return 0;
	}
	dw[2] &= ~7u;
	if (dw[1] & PC_GLOBAL_GTT)
		return gslot_scan_ggtt(cmd, 2, 0, sizeof(u64));
	return 0;
}

int gslot_scan_render(struct gslot_cmd *cmd)
{
	if (cmd->dw[0] >> 16 == CMD_PIPE_CONTROL)
		return cmd->scan->engine == GSLOT_RCS0 ? scan_pipe_control(cmd) : -EPERM;
	return 0;
}
