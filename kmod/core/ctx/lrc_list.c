// SPDX-License-Identifier: GPL-2.0
/*
 * Engine contexts: lists of register writes, and on the render engine and the blitter
 * state commands, up to MI_BATCH_BUFFER_END.
 */
#include "lrc.h"
#include "lrc_list.h"
#include "core/regs/regtable.h"
#include "core/cmd/cmdtable.h"
#include "gen/cmds.h"
#include "gen/lrc.h"

/* Each engine has this command, and any image may. */
#define NOOP	MI_CMD(OP_MI_NOOP)

static enum lrc_item classify(const struct gen_cmd *row, u32 dw0, u32 len, u32 room)
{
	if (!row || len > room || gslot_cmd_permit(row, GEN_IN_IMAGE, dw0, len))
		return LRC_BAD;
	if (CMD_CLIENT(dw0) != CMD_CLIENT_MI)
		return LRC_STATE;
	if (MI_OPCODE(dw0) == OP_MI_LOAD_REGISTER_IMM)
		return len & 1 ? LRC_REGISTERS : LRC_BAD;
	return MI_OPCODE(dw0) == OP_MI_BATCH_BUFFER_END ? LRC_END : LRC_STATE;
}

/**
 * lrc_item() - what is next in an engine context?
 * @engine: the engine it is of
 * @dw: where the item begins, host-owned memory
 * @room: dwords from there to the end of the image, at least 1
 * @len: out: dwords of the item, 1 to @room, unless it is bad
 *
 * Return: the kind of the item.
 */
enum lrc_item lrc_item(enum gslot_engine_id engine, const u32 *dw, u32 room, u32 *len)
{
	const struct gen_cmd *row;

	*len = 1;
	if (*dw == NOOP)
		return LRC_NOOP;
	row = gslot_cmd_find(engine, *dw);
	*len = row ? gen_cmd_length(row, *dw) : 0;
	return classify(row, *dw, *len, room);
}

static bool may_know(enum gslot_engine_id engine, u32 gen, u32 reg)
{
	enum gslot_reg_cmd rule = gslot_reg_cmd(engine, reg & MI_REG_OFFSET, gen);

	return rule == GSLOT_CMD_ALLOW || rule == GSLOT_CMD_READ;
}

/**
 * gslot_lrc_conceal() - make a saved engine context fit for the guest
 * @engine: the engine it is of
 * @gen: 8 or 9
 * @to: gets the list, at the same place, and nothing else
 * @from: what the hardware saved: the register state page and the pages behind it
 * @dwords: how many
 *
 * Values of registers that the guest may not read become 0.
 *
 * Return: where the list ends, dwords; or -EINVAL if it is not such a list.
 */
int gslot_lrc_conceal(enum gslot_engine_id engine, u32 gen, u32 *to, const u32 *from,
		      u32 dwords)
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
			if (!may_know(engine, gen, from[pos + i]))
				to[pos + i + 1] = 0;
	}
	return dwords;
}
