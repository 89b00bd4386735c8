// SPDX-License-Identifier: GPL-2.0
#include "wa.h"
#include "core/cmd/cmdtable.h"
#include "gen/cmds.h"
#include "gen/regs.h"

/*
 * Registers that user batches may write and no context saves: reset, or the next guest finds the
 * last one's values. L3SQCREG4 is another, but the host's value is not 0.
 */
static const u32 wa_unsaved_regs[] = {
	GEN_OACONTROL,
	GEN_PERF_CNT_1, GEN_PERF_CNT_1 + 4,
	GEN_PERF_CNT_2, GEN_PERF_CNT_2 + 4,
};

/**
 * gslot_wa_begin() - begin an indirect-context batch: clear what other contexts left on the engine
 * @dw: the batch; GSLOT_WA_BEGIN_DWORDS dwords are written
 * @scratch: graphics address, in the GGTT, of 8 bytes that are never read
 * @l3sqcreg4: the host's value of that register
 *
 * A context switch clears neither the EUs' registers nor shared local memory. On Gen8 and Gen9 a
 * PIPE_CONTROL that flushes L3 does, if the streamer waits for it and it stores something at the
 * end (WaClearSlmSpaceAtContextSwitch; since CVE-2019-14615 Linux executes it when it loads a
 * context on Gen9, too).
 *
 * A switch while a context is loaded would save the last guest's values of registers that are not
 * loaded yet (WaDisableCtxRestoreArbitration). So there is no arbitration until gslot_wa_end().
 */
void gslot_wa_begin(u32 *dw, u64 scratch, u32 l3sqcreg4)
{
	u32 i;

	static_assert(GSLOT_WA_BEGIN_DWORDS == 11 + 2 * ARRAY_SIZE(wa_unsaved_regs),
		      "the buffers have room for all of it");
	/* First: a predicate that a user batch left enabled would make the rest NOOPs. */
	*dw++ = MI_CMD(OP_MI_SET_PREDICATE);
	*dw++ = MI_CMD(OP_MI_ARB_ON_OFF);
	*dw++ = CMD_PIPE_CONTROL << 16 | (6 - 2);
	*dw++ = PC_FLUSH_L3 | PC_CS_STALL | PC_GLOBAL_GTT | PC_POST_SYNC_STORE << 14;
	*dw++ = lower_32_bits(scratch);
	*dw++ = upper_32_bits(scratch);
	*dw++ = 0;
	*dw++ = 0;
	*dw++ = MI_CMD(OP_MI_LOAD_REGISTER_IMM) | (2 * (ARRAY_SIZE(wa_unsaved_regs) + 1) - 1);
	for (i = 0; i < ARRAY_SIZE(wa_unsaved_regs); i++) {
		*dw++ = wa_unsaved_regs[i];
		*dw++ = 0;
	}
	*dw++ = GEN_L3SQCREG4;
	*dw = l3sqcreg4;
}

/**
 * gslot_wa_end() - end an indirect-context batch: allow arbitration again
 * @dw: the batch, with room for GSLOT_WA_END_DWORDS dwords and the rest of their cache line
 * @used: its length so far, dwords
 *
 * Return: its length, cache lines.
 */
u32 gslot_wa_end(u32 *dw, u32 used)
{
	const u32 line = GSLOT_CACHE_LINE / sizeof(*dw);
	u32 lines = (used + GSLOT_WA_END_DWORDS + line - 1) / line;

	memset(dw + used, 0, (lines * line - used) * sizeof(*dw));
	dw[used] = MI_CMD(OP_MI_ARB_ON_OFF) | MI_ARB_ON;
	return lines;
}

/**
 * gslot_wa_used() - length of a batch without the padding at its end
 * @engine: the engine that will execute it
 * @cmds: its commands, which passed gslot_scan()
 * @dwords: its length
 * @sized: it ends by its length: MI_BATCH_BUFFER_END at its end, which might end the load, is
 *	   padding, too
 *
 * Return: dwords up to the end of the last command that is no padding.
 */
u32 gslot_wa_used(enum gslot_engine_id engine, const u32 *cmds, u32 dwords, bool sized)
{
	u32 pos, len, used = 0;

	for (pos = 0; pos < dwords; pos += len) {
		len = gslot_cmd_len(engine, cmds[pos]);
		if (!len || len > dwords - pos)
			return dwords;
		if (cmds[pos] && !(sized && GSLOT_IS_MI(cmds[pos], OP_MI_BATCH_BUFFER_END)))
			used = pos + len;
	}
	return used;
}

