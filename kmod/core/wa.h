/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The batch that the render engine executes while it loads a context: what the
 * host puts in front of the guest's commands.
 */
#ifndef _GSLOT_CORE_WA_H
#define _GSLOT_CORE_WA_H

#include "types.h"
#include "engines.h"

#define GSLOT_CACHE_LINE	64
/* Cache lines that are the host's. */
#define GSLOT_WA_CLEAR_LINES	1
#define GSLOT_WA_CLEAR_DWORDS	(GSLOT_WA_CLEAR_LINES * GSLOT_CACHE_LINE / 4)

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
void gslot_wa_clear(u32 *dw, u64 scratch);

/**
 * gslot_wa_used() - how much of a batch without an end does anything
 * @engine: the engine that will execute it
 * @cmds: what passed gslot_scan()
 * @dwords: how many
 *
 * Return: dwords up to the end of the last command that is more than padding.
 */
u32 gslot_wa_used(enum gslot_engine_id engine, const u32 *cmds, u32 dwords);

/* INDIRECT_CTX_OFFSET: where in an image's load that batch is executed. */
u32 gslot_wa_offset(u32 gen);

#endif
