// SPDX-License-Identifier: GPL-2.0
/*
 * Lengths of commands. The command streamer finds the next command by these
 * rules alone, so they decide what the scanner sees: where a client's commands
 * have fields of different widths, the width is the hardware's.
 */
#include "scan_priv.h"
#include "../../include/gen/cmds.h"

#define RENDER_TYPE_SINGLE	1
#define RENDER_TYPE_MEDIA	2
/* Opcodes of the single-dword type that really are one dword long. */
#define RENDER_SINGLE_LIMIT	2

static u32 mi_len(u32 dw0)
{
	u32 op = MI_OPCODE(dw0);

	if (op < MI_ONE_DWORD_LIMIT)
		return 1;
	if (op == OP_MI_FLUSH_DW)
		return MI_LEN_FLUSH_DW(dw0);
	if (op == OP_MI_STORE_DATA_IMM)
		return MI_LEN_STORE_DATA_IMM(dw0);
	return MI_LEN_DEFAULT(dw0);
}

static u32 render_len(enum gslot_engine_id engine, u32 dw0)
{
	if (engine != GSLOT_RCS0)	/* video engines: media alone */
		return RENDER_TYPE(dw0) == RENDER_TYPE_MEDIA ? (dw0 & 0xfff) + 2 : 0;
	switch (RENDER_TYPE(dw0)) {
	case RENDER_TYPE_SINGLE:
		if (RENDER_OPCODE(dw0) < RENDER_SINGLE_LIMIT)
			return 1;
		return RENDER_LEN(dw0);
	case RENDER_TYPE_MEDIA:
		return (dw0 & 0xffff) + 2;
	default:
		return RENDER_LEN(dw0);
	}
}

u32 gslot_cmd_len(enum gslot_engine_id engine, u32 dw0)
{
	switch (CMD_CLIENT(dw0)) {
	case CMD_CLIENT_MI:
		return mi_len(dw0);
	case CMD_CLIENT_BLT:
		return engine == GSLOT_BCS0 ? BLT_LEN(dw0) : 0;
	case CMD_CLIENT_RENDER:
		return engine == GSLOT_BCS0 ? 0 : render_len(engine, dw0);
	default:
		return 0;
	}
}
