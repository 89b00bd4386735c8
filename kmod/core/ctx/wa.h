/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The indirect-context batch, which the render engine executes while it loads a context: the
 * commands that the host puts before the guest's.
 */
#ifndef _GSLOT_CORE_WA_H
#define _GSLOT_CORE_WA_H

#include "core/types.h"
#include "core/regs/engines.h"

#define GSLOT_CACHE_LINE	64
/* Cache lines with the host's commands. */
#define GSLOT_WA_CLEAR_LINES	1
#define GSLOT_WA_CLEAR_DWORDS	(GSLOT_WA_CLEAR_LINES * GSLOT_CACHE_LINE / 4)

void gslot_wa_clear(u32 *dw, u64 scratch);
u32 gslot_wa_used(enum gslot_engine_id engine, const u32 *cmds, u32 dwords);
u32 gslot_wa_offset(u32 gen);

#endif
