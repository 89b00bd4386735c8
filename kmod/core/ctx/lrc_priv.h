/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Items of an engine context; for kmod/core/ctx only.
 */
#ifndef _GSLOT_CORE_LRC_PRIV_H
#define _GSLOT_CORE_LRC_PRIV_H

#include "core/types.h"
#include "core/regs/engines.h"

/* An item of an engine context */
enum lrc_item {
	LRC_NOOP,	/* padding */
	LRC_REGISTERS,	/* a list of register writes */
	LRC_STATE,	/* a state command without privilege */
	LRC_END,	/* MI_BATCH_BUFFER_END */
	LRC_BAD,	/* not permitted in an image */
};

enum lrc_item lrc_item(enum gslot_engine_id engine, const u32 *dw, u32 room, u32 *len);

#endif
