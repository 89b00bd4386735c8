// SPDX-License-Identifier: GPL-2.0
#include "wa.h"
#include "core/cmd/cmdtable.h"
#include "gen/cmds.h"
#include "gen/lrc.h"

/**
 * gslot_wa_clear() - commands that clear what other contexts left in the EUs
 * @dw: gets GSLOT_WA_CLEAR_DWORDS dwords
 * @scratch: graphics address, in the GGTT, of 8 bytes that nobody reads
 *
 * A switch of contexts clears neither the EUs' registers nor shared local
 * memory. On Gen8 and Gen9 a PIPE_CONTROL that flushes L3 does, if the streamer
 * waits for it and stores something at the end (WaClearSlmSpaceAtContextSwitch;
 * since CVE-2019-14615 Linux has it in the context's load on Gen9 as well). While
 * a context is loaded there must be no arbitration.
 */
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

/**
 * gslot_wa_used() - how much of a batch without an end does anything
 * @engine: the engine that will execute it
 * @cmds: what passed gslot_scan()
 * @dwords: how many
 *
 * Return: dwords up to the end of the last command that is more than padding.
 */
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

/**
 * gslot_wa_offset() - where in an image's load that batch is executed
 * @gen: 8 or 9
 *
 * Return: value of INDIRECT_CTX_OFFSET.
 */
u32 gslot_wa_offset(u32 gen)
{
	return gen == 8 ? GEN8_INDIRECT_CTX_OFFSET : GEN9_INDIRECT_CTX_OFFSET;
}
