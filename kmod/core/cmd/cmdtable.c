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

/**
 * gslot_cmd_find() - look a command up
 * @engine: the engine that would execute it
 * @dw0: its first dword
 *
 * Return: its row, or NULL if the engine does not have such a command.
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
 * The command streamer finds the next command by this alone.
 *
 * Return: dwords, at least 1; 0 if the engine does not have such a command.
 */
u32 gslot_cmd_len(enum gslot_engine_id engine, u32 dw0)
{
	const struct gen_cmd *cmd = gslot_cmd_find(engine, dw0);

	return cmd ? gen_cmd_length(cmd, dw0) : 0;
}

/**
 * gslot_cmd_user() - what hardware does with a command in a user batch
 * @engine: the engine that would execute it
 * @dw: the command
 * @len: its dwords, by gslot_cmd_len() and not 0
 *
 * Of a batch without privilege, that is. Writes of registers are a matter of
 * their own: the row's operands of kind GEN_REG_WRITE and GEN_REG_LIST, and
 * PIPE_CONTROL's with PC_LRI_POST_SYNC, name them; Gen9's blitter lets all of
 * them pass.
 *
 * Return: GEN_USER_RUN, GEN_USER_NOOP, GEN_USER_GGTT_NO_STORE or
 * GEN_USER_GGTT_PPGTT; GEN_USER_NOOP for a command that it does not have.
 */
enum gen_user gslot_cmd_user(enum gslot_engine_id engine, const u32 *dw, u32 len)
{
	const struct gen_cmd *cmd = gslot_cmd_find(engine, dw[0]);

	return cmd ? gen_cmd_user(cmd, dw, len) : GEN_USER_NOOP;
}

/**
 * gslot_cmd_permit() - whether a command may stand in a privileged buffer
 * @row: its row
 * @where: which buffer, GEN_IN_*
 * @dw0: its first dword
 * @len: its length, dwords
 *
 * Return: 0; -EPERM if not at all; -EINVAL if not in this length.
 */
int gslot_cmd_permit(const struct gen_cmd *row, u32 where, u32 dw0, u32 len)
{
	if (!(row->where & where) || dw0 & row->zero)
		return -EPERM;
	return len < row->min || len > row->max ? -EINVAL : 0;
}
