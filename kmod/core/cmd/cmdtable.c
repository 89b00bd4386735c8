// SPDX-License-Identifier: GPL-2.0
#include "cmdtable.h"
#include "gen/cmdrows.h"

static const u8 classes[GSLOT_NR_ENGINES] = {
	[GSLOT_RCS0] = GEN_CLASS_RENDER,
	[GSLOT_BCS0] = GEN_CLASS_COPY,
	[GSLOT_VCS0] = GEN_CLASS_VIDEO,
	[GSLOT_VECS0] = GEN_CLASS_ENHANCE,
};

/**
 * gslot_cmd_find() - look up a command
 * @engine: the engine that would execute it
 * @dw0: its first dword
 *
 * Return: its row, or NULL if the engine has no such command.
 */
const struct gen_cmd *gslot_cmd_find(enum gslot_engine_id engine, u32 dw0)
{
	return gen_cmd_find((enum gen_class)classes[engine], dw0);
}

/**
 * gslot_cmd_len() - length of a command
 * @engine: the engine that would execute it
 * @dw0: its first dword
 *
 * The command streamer finds the next command by the length alone.
 *
 * Return: dwords, at least 1; 0 if the engine has no such command.
 */
u32 gslot_cmd_len(enum gslot_engine_id engine, u32 dw0)
{
	const struct gen_cmd *cmd = gslot_cmd_find(engine, dw0);

	return cmd ? gen_cmd_length(cmd, dw0) : 0;
}

/**
 * gslot_cmd_permit() - whether a command may be in a privileged buffer
 * @row: its row
 * @where: kind of buffer, GEN_IN_*
 * @dw0: its first dword
 * @len: its length, dwords
 *
 * Return: 0; -EPERM if not in any length; -EINVAL if not in this length.
 */
int gslot_cmd_permit(const struct gen_cmd *row, u32 where, u32 dw0, u32 len)
{
	if (!(row->where & where) || dw0 & row->zero)
		return -EPERM;
	return len < row->min || len > row->max ? -EINVAL : 0;
}
