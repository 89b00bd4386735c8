// SPDX-License-Identifier: GPL-2.0
/*
 * Engine contexts: lists of register writes, and state commands of the render engine and the
 * blitter, up to MI_BATCH_BUFFER_END.
 */
#include "lrc.h"
#include "lrc_priv.h"
#include "core/regs/regtable.h"
#include "core/cmd/cmdtable.h"
#include "gen/cmds.h"
#include "gen/lrc.h"

static enum lrc_item lrc_list_classify(const struct gen_cmd *row, u32 dw0, u32 len, u32 room)
{
	if (!row || len > room || gslot_cmd_permit(row, GEN_IN_IMAGE, dw0, len))
		return LRC_BAD;
	if (CMD_CLIENT(dw0) != CMD_CLIENT_MI)
		return LRC_STATE;
	if (MI_OPCODE(dw0) == OP_MI_LOAD_REGISTER_IMM)
		return len & 1 ? LRC_REGISTERS : LRC_BAD;
	return MI_OPCODE(dw0) == OP_MI_BATCH_BUFFER_END ? LRC_END : LRC_STATE;
}

/*
 * The kind of the item of an engine context at @dw, host-owned, with @room dwords, at least 1, up
 * to the end of the image. @len becomes its length, 1 to @room dwords, unless it is bad.
 */
enum lrc_item lrc_item(enum gslot_engine_id engine, const u32 *dw, u32 room, u32 *len)
{
	const struct gen_cmd *row;

	*len = 1;
	if (*dw == MI_CMD(OP_MI_NOOP))
		return LRC_NOOP;
	row = gslot_cmd_find(engine, *dw);
	*len = row ? gen_cmd_length(row, *dw) : 0;
	return lrc_list_classify(row, *dw, *len, room);
}

static bool lrc_list_may_read(enum gslot_engine_id engine, u32 gen, u32 reg)
{
	enum gslot_reg_cmd rule = gslot_reg_cmd(engine, reg & MI_REG_OFFSET, gen);

	return rule == GSLOT_CMD_ALLOW || rule == GSLOT_CMD_READ;
}

/**
 * gslot_lrc_filter() - copy a saved engine context for the guest
 * @engine: the context's engine
 * @gen: 8 or 9
 * @to: out: the engine context, at the same place; nothing else is written
 * @from: the register state page and the pages behind it, as the hardware saved them
 * @dwords: length of @from
 *
 * Values of registers that the guest may not read become 0.
 *
 * Return: the index behind its last dword; or -EINVAL if @from has no engine context.
 */
int gslot_lrc_filter(enum gslot_engine_id engine, u32 gen, u32 *to, const u32 *from, u32 dwords)
{
	u32 pos, i, len;

	for (pos = LRC_RING_CONTEXT_DWORDS; pos < dwords; pos += len) {
		enum lrc_item item = lrc_item(engine, from + pos, dwords - pos, &len);

		if (item == LRC_BAD)
			return -EINVAL;
		memcpy(to + pos, from + pos, len * sizeof(*to));
		if (item == LRC_END)
			return pos + 1;
		for (i = 1; item == LRC_REGISTERS && i < len; i += 2)
			if (!lrc_list_may_read(engine, gen, from[pos + i]))
				to[pos + i + 1] = 0;
	}
	return dwords;
}
