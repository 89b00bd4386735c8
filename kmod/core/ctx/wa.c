// SPDX-License-Identifier: GPL-2.0
#include "wa.h"
#include "core/cmd/cmdtable.h"
#include "gen/cmds.h"

/**
 * gslot_wa_clear() - write commands that clear what other contexts left in the EUs
 * @dw: out: GSLOT_WA_CLEAR_DWORDS dwords
 * @scratch: graphics address, in the GGTT, of 8 bytes that are never read
 *
 * A context switch clears neither the EUs' registers nor shared local memory. On Gen8 and Gen9 a
 * PIPE_CONTROL that flushes L3 does, if the streamer waits for it and it stores something at the
 * end (WaClearSlmSpaceAtContextSwitch; since CVE-2019-14615 Linux executes it when it loads a
 * context on Gen9, too). There must be no arbitration while a context is loaded.
 */
void gslot_wa_clear(u32 *dw, u64 scratch)
{
	memset(dw, 0, GSLOT_WA_CLEAR_DWORDS * sizeof(*dw));
	*dw++ = MI_CMD(OP_MI_ARB_ON_OFF);
	/* A predicate that a user batch left enabled would make the rest NOOPs. */
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
 * gslot_wa_used() - length of a batch without the padding at its end
 * @engine: the engine that will execute it
 * @cmds: its commands, which passed gslot_scan()
 * @dwords: its length
 *
 * Return: dwords up to the end of the last command that is no NOOP.
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

