// SPDX-License-Identifier: GPL-2.0
#include "wa.h"
#include "cmdtable.h"
#include "gen/cmds.h"
#include "gen/lrc.h"

void gslot_wa_clear(u32 *dw, u64 scratch)
{
	memset(dw, 0, GSLOT_WA_CLEAR_DWORDS * sizeof(*dw));
	*dw++ = MI_CMD(OP_MI_ARB_ON_OFF);
	/* A predicate that a user batch left on must not make a NOOP of the rest. */
	*dw++ = MI_CMD(OP_MI_SET_PREDICATE);
	*dw++ = CMD_PIPE_CONTROL << 16 | (6 - 2);
	*dw++ = PC_FLUSH_L3 | PC_CS_STALL | PC_GLOBAL_GTT | PC_POST_SYNC_STORE << 14;
	*dw++ = lower_32_bits(scratch);
	*dw++ = upper_32_bits(scratch);
	*dw++ = 0;
	*dw++ = 0;
	*dw = MI_CMD(OP_MI_ARB_ON_OFF) | MI_ARB_ON;
}

u32 gslot_wa_used(enum gslot_engine_id engine, const u32 *cmds, u32 dwords)
{
	u32 pos, len, used = 0;

	for (pos = 0; pos < dwords; pos += len) {
		len = gslot_cmd_len(engine, cmds[pos]);
		if (!len || len > dwords - pos)
			return dwords;
		if (cmds[pos])
			used = pos + len;
	}
	return used;
}

u32 gslot_wa_offset(u32 gen)
{
	return gen == 8 ? GEN8_INDIRECT_CTX_OFFSET : GEN9_INDIRECT_CTX_OFFSET;
}
