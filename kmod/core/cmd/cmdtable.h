/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The command table by engine; include/gen/cmdtable.h describes its rows.
 */
#ifndef _GSLOT_CORE_CMDTABLE_H
#define _GSLOT_CORE_CMDTABLE_H

#include "core/types.h"
#include "core/regs/engines.h"
#include "gen/cmds.h"
#include "gen/cmdtable.h"

/* Whether @dw0 begins that MI command. */
#define GSLOT_IS_MI(dw0, opcode) \
	(CMD_CLIENT(dw0) == CMD_CLIENT_MI && MI_OPCODE(dw0) == (opcode))

const struct gen_cmd *gslot_cmd_find(enum gslot_engine_id engine, u32 dw0);
u32 gslot_cmd_len(enum gslot_engine_id engine, u32 dw0);
int gslot_cmd_permit(const struct gen_cmd *row, u32 where, u32 dw0, u32 len);

#endif
