// SPDX-License-Identifier: GPL-2.0
/*
 * Engine contexts: lists of register writes, and on the render engine state
 * commands, up to MI_BATCH_BUFFER_END.
 */
#include "lrc.h"
#include "regtable.h"
#include "scan_priv.h"
#include "gen/cmds.h"
#include "gen/lrc.h"
#include "gen/regs.h"

/* Images have hundreds: each engine has this command, and any image may. */
#define NOOP	MI_CMD(OP_MI_NOOP)

enum item {
	ITEM_LIST,	/* of registers */
	ITEM_STATE,	/* a state command without privilege */
	ITEM_END,
	ITEM_BAD,
};

static enum item classify(const struct gen_cmd *row, u32 dw0, u32 len, u32 room)
{
	if (!row || len > room || gslot_cmd_permit(row, GEN_IN_IMAGE, dw0, len))
		return ITEM_BAD;
	if (CMD_CLIENT(dw0) != CMD_CLIENT_MI)
		return ITEM_STATE;
	if (MI_OPCODE(dw0) == OP_MI_LOAD_REGISTER_IMM)
		return len & 1 ? ITEM_LIST : ITEM_BAD;
	return MI_OPCODE(dw0) == OP_MI_BATCH_BUFFER_END ? ITEM_END : ITEM_STATE;
}

static bool audit_pair(enum gslot_engine_id engine, u32 gen, u32 *pair)
{
	u32 reg = pair[0] & MI_REG_OFFSET;
	u32 nopid = gslot_engines[engine].base + RING_NOPID;
	enum gslot_reg_cmd rule = gslot_reg_cmd(engine, reg, gen);

	pair[0] = rule == GSLOT_CMD_ALLOW ? reg : nopid;
	/* Hardware itself saves status, and what the host sets. */
	return reg != nopid && rule == GSLOT_CMD_DENY;
}

/**
 * gslot_lrc_audit() - make a guest's engine context fit for the hardware
 * @engine: the engine it is for
 * @gen: 8 or 9
 * @state: the register state page and the pages behind it, a host-owned copy;
 *	checked from LRC_RING_CONTEXT_DWORDS on
 * @dwords: how many, counted from @state
 *
 * Registers that the guest may not write become NOPID; what follows the end
 * of the list is cleared.
 *
 * Return: how many registers were refused that are neither status nor the
 * host's to set, or -EINVAL if it is not a list of register writes and state
 * commands. Then it must not be loaded.
 */
int gslot_lrc_audit(enum gslot_engine_id engine, u32 gen, u32 *state, u32 dwords)
{
	const struct gen_cmd *row;
	u32 pos, i, len;
	int denied = 0;

	for (pos = LRC_RING_CONTEXT_DWORDS; pos < dwords; pos += len) {
		len = 1;
		if (state[pos] == NOOP)
			continue;
		row = gslot_cmd_find(engine, state[pos]);
		len = row ? gen_cmd_length(row, state[pos]) : 0;
		switch (classify(row, state[pos], len, dwords - pos)) {
		case ITEM_LIST:
			state[pos] &= ~row->clear;
			for (i = 1; i < len; i += 2)
				denied += audit_pair(engine, gen, &state[pos + i]);
			break;
		case ITEM_STATE:
			break;
		case ITEM_END:
			memset(state + pos + 1, 0, (dwords - pos - 1) * sizeof(*state));
			return denied;
		case ITEM_BAD:
			return -EINVAL;
		}
	}
	return denied;
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
 * @from: what the hardware saved, as for gslot_lrc_audit()
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
		const struct gen_cmd *row;
		enum item item;

		len = 1;
		to[pos] = NOOP;
		if (from[pos] == NOOP)
			continue;
		row = gslot_cmd_find(engine, from[pos]);
		len = row ? gen_cmd_length(row, from[pos]) : 0;
		item = classify(row, from[pos], len, dwords - pos);
		if (item == ITEM_BAD)
			return -EINVAL;
		memcpy(to + pos, from + pos, len * sizeof(*to));
		if (item == ITEM_END)
			return pos + 1;
		for (i = 1; item == ITEM_LIST && i < len; i += 2)
			if (!may_know(engine, gen, from[pos + i]))
				to[pos + i + 1] = 0;
	}
	return dwords;
}
