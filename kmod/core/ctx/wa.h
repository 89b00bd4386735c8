/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The indirect-context batch, which the render engine executes while it loads a context: the
 * commands that the host puts around the guest's.
 */
#ifndef _GSLOT_CORE_WA_H
#define _GSLOT_CORE_WA_H

#include "core/types.h"
#include "core/regs/engines.h"
#include "gen/lrc.h"

#define GSLOT_CACHE_LINE	64
/* The host's commands: before the guest's, and behind them. */
#define GSLOT_WA_BEGIN_DWORDS	21
#define GSLOT_WA_END_DWORDS	1

void gslot_wa_begin(u32 *dw, u64 scratch, u32 l3sqcreg4);
u32 gslot_wa_end(u32 *dw, u32 used);
u32 gslot_wa_used(enum gslot_engine_id engine, const u32 *cmds, u32 dwords, bool sized);

/* INDIRECT_CTX_OFFSET: where in an image its load executes the indirect-context batch. */
static inline u32 gslot_wa_offset(u32 gen)
{
	return gen == 8 ? GEN8_INDIRECT_CTX_OFFSET : GEN9_INDIRECT_CTX_OFFSET;
}

#endif
