// SPDX-License-Identifier: GPL-2.0
/*
 * The command table, by engine.
 */
#include "cmdtable.h"
#include "gen/cmdrows.h"

static const u8 classes[GSLOT_NR_ENGINES] = {
	[GSLOT_RCS0] = GEN_CLASS_RENDER,
	[GSLOT_BCS0] = GEN_CLASS_COPY,
	[GSLOT_VCS0] = GEN_CLASS_VIDEO,
	[GSLOT_VECS0] = GEN_CLASS_ENHANCE,
};

const struct gen_cmd *gslot_cmd_find(enum gslot_engine_id engine, u32 dw0)
{
	return gen_cmd_find((enum gen_class)classes[engine], dw0);
}

u32 gslot_cmd_len(enum gslot_engine_id engine, u32 dw0)
{
	const struct gen_cmd *cmd = gslot_cmd_find(engine, dw0);

	return cmd ? gen_cmd_length(cmd, dw0) : 0;
}

enum gen_user gslot_cmd_user(enum gslot_engine_id engine, const u32 *dw, u32 len)
{
	const struct gen_cmd *cmd = gslot_cmd_find(engine, dw[0]);

	return cmd ? gen_cmd_user(cmd, dw, len) : GEN_USER_NOOP;
}
