// SPDX-License-Identifier: GPL-2.0
#include "golden.h"
#include "lrc_priv.h"
#include "core/regs/regtable.h"
#include "gen/cmds.h"
#include "gen/lrc.h"
#include "gen/regs.h"

/* The only register of commands that is not in the engine context. */
#define IN_RING_CONTEXT	(GEN_BCS0_BASE + BCS_SWCTRL)

/* Index of the first register that is not below @reg. */
static u32 golden_find(const struct gslot_golden *golden, u32 reg)
{
	u32 lo = 0, hi = golden->count;

	while (lo < hi) {
		u32 mid = lo + (hi - lo) / 2;

		if (golden->regs[mid].reg < reg)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static bool golden_has(const struct gslot_golden *golden, u32 reg)
{
	u32 i = golden_find(golden, reg);

	return i < golden->count && golden->regs[i].reg == reg;
}

/*
 * The hardware saves a masked register with all mask bits set, or it would not load the value. So
 * the saved value shows a masked register that the table does not call so.
 */
static bool golden_is_masked(u32 reg, u32 gen, u32 saved)
{
	const struct gslot_reg *row = gslot_reg_find(reg, gen);

	return (row && row->class == GSLOT_REG_MASKED) || saved >> 16 == 0xffff;
}

/* Not the guest's to set, and no secret: the hardware loads it as the reset left it. */
static bool golden_is_hosts(enum gslot_engine_id engine, u32 reg, u32 gen)
{
	enum gslot_reg_cmd rule = gslot_reg_cmd(engine, reg, gen);

	return (rule == GSLOT_CMD_READ || rule == GSLOT_CMD_IGNORE) &&
	       gslot_reg_find(reg, gen)->class != GSLOT_REG_LIVE;
}

static int golden_add(struct gslot_golden *golden, u32 reg, u32 at, bool masked)
{
	u32 i = golden_find(golden, reg);

	if (golden->count == golden->room)
		return -ENOSPC;
	memmove(golden->regs + i + 1, golden->regs + i,
		(golden->count - i) * sizeof(*golden->regs));
	golden->regs[i] = (struct gslot_golden_reg) { .reg = reg, .at = at, .masked = masked };
	golden->count++;
	return 0;
}

/* A register that no guest may load becomes NOPID, so that each load clears NOPID, too. */
static int golden_init_pair(struct gslot_golden *golden, enum gslot_engine_id engine, u32 gen,
			    u32 at)
{
	u32 *value = golden->state + at, reg = value[-1] & MI_REG_OFFSET;
	bool masked = golden_is_masked(reg, gen, *value);

	if (golden_is_hosts(engine, reg, gen))
		return 0;
	if (gslot_reg_cmd(engine, reg, gen) != GSLOT_CMD_ALLOW) {
		value[-1] = gslot_reg_sink(engine, true);
		*value = 0;
		return 0;
	}
	value[-1] = reg;
	if (masked)
		*value = GEN_MASKED_FIELD(0xffffu, *value & 0xffff);
	return golden_add(golden, reg, at, masked);
}

/* A register that commands may write and the golden context does not load; 0: none. */
static u32 golden_missing(const struct gslot_golden *golden, enum gslot_engine_id engine, u32 gen,
			  bool ring)
{
	u32 base = ring ? gslot_engines[engine].base : 0, count, i, reg;
	const struct gslot_reg *rows = gslot_reg_rows(ring, &count);

	for (i = 0; i < count; i++)
		for (reg = base + rows[i].first; reg <= base + rows[i].last; reg += 4)
			if (gslot_reg_cmd(engine, reg, gen) == GSLOT_CMD_ALLOW &&
			    reg != IN_RING_CONTEXT && !golden_has(golden, reg))
				return reg;
	return 0;
}

/**
 * gslot_golden_init() - make a golden context of what the hardware saved
 * @golden: @state is that of the first context that the engine ran after a reset, with its restore
 *	inhibited; @dwords, @regs and @room are set
 * @engine: its engine
 * @gen: 8 or 9
 * @missing: out: with -ENODATA, the missing register
 *
 * Of registers that a guest may not write, those that commands may name without harm stay as they
 * are; the others are removed.
 *
 * Return: 0; -EINVAL: @state is no engine context; -ENOSPC: it has more than @room registers;
 * -ENODATA: it lacks a register that commands may write, and that would keep its value for the
 * next vGPU.
 */
int gslot_golden_init(struct gslot_golden *golden, enum gslot_engine_id engine, u32 gen,
		      u32 *missing)
{
	enum lrc_item item = LRC_NOOP;
	u32 pos, i, len;
	int ret;

	golden->count = 0;
	*missing = 0;
	for (pos = LRC_RING_CONTEXT_DWORDS; pos < golden->dwords && item != LRC_END; pos += len) {
		item = lrc_item(engine, golden->state + pos, golden->dwords - pos, &len);
		if (item == LRC_BAD)
			return -EINVAL;
		for (i = 2; item == LRC_REGISTERS && i < len; i += 2) {
			ret = golden_init_pair(golden, engine, gen, pos + i);
			if (ret)
				return ret;
		}
	}
	memset(golden->state + pos, 0, (golden->dwords - pos) * sizeof(u32));
	*missing = golden_missing(golden, engine, gen, true) ?:
		   golden_missing(golden, engine, gen, false);
	return *missing ? -ENODATA : 0;
}

/* Return: whether the guest is refused a register that no guest needs to write. */
static bool golden_merge_pair(const struct gslot_golden *golden, enum gslot_engine_id engine,
			      u32 gen, u32 *state, const u32 *pair)
{
	u32 reg = pair[0] & MI_REG_OFFSET, value = pair[1], mask = value >> 16, i;
	enum gslot_reg_cmd rule = gslot_reg_cmd(engine, reg, gen);

	/* Images that the hardware saved have status registers and those of the host, too. */
	if (rule != GSLOT_CMD_ALLOW)
		return rule == GSLOT_CMD_DENY;
	for (i = golden_find(golden, reg); i < golden->count && golden->regs[i].reg == reg; i++) {
		u32 *to = state + golden->regs[i].at;

		if (golden->regs[i].masked)
			*to = GEN_MASKED_FIELD(0xffffu, (*to & 0xffff & ~mask) | (value & mask));
		else
			*to = value;
	}
	return false;
}

/* Bits of a state command that the guest may not choose */
struct golden_keep {
	u16 op;		/* dw0 >> 16 */
	u8 first;	/* the dword with the bits */
	u8 every;	/* distance to further such dwords; 0: there is only one */
	/*
	 * Bits that say that something is set: the guest's command sets all that the golden one
	 * does
	 */
	u32 set;
	/* Bits that say which one of several is set: they are those of the golden command */
	u32 same;
};

static const struct golden_keep golden_keeps[] = {
	/* Lower halves of addresses, and sizes. */
	{ CMD_STATE_BASE_ADDRESS, 1, 0, STATE_BASE_MODIFY, 0 },
	{ CMD_STATE_BASE_ADDRESS, 4, 0, STATE_BASE_MODIFY, 0 },
	{ CMD_STATE_BASE_ADDRESS, 6, 0, STATE_BASE_MODIFY, 0 },
	{ CMD_STATE_BASE_ADDRESS, 8, 0, STATE_BASE_MODIFY, 0 },
	{ CMD_STATE_BASE_ADDRESS, 10, 0, STATE_BASE_MODIFY, 0 },
	{ CMD_STATE_BASE_ADDRESS, 12, 0, STATE_BASE_MODIFY, 0 },
	{ CMD_STATE_BASE_ADDRESS, 13, 0, STATE_BASE_MODIFY, 0 },
	{ CMD_STATE_BASE_ADDRESS, 14, 0, STATE_BASE_MODIFY, 0 },
	{ CMD_STATE_BASE_ADDRESS, 15, 0, STATE_BASE_MODIFY, 0 },
	{ CMD_STATE_BASE_ADDRESS, 16, 0, STATE_BASE_MODIFY, 0 },
	{ MI_CMD(OP_MI_PREDICATE) >> 16, 0, 0, MI_PREDICATE_LOAD, MI_PREDICATE_COMBINE },
	{ CMD_PIPELINE_SELECT, 0, 0, PIPELINE_SELECT_MASKS, 0 },
	{ CMD_CLEAR_PARAMS, 2, 0, CLEAR_PARAMS_VALID, 0 },
	{ CMD_VERTEX_BUFFERS, 1, 4, VERTEX_BUFFER_MODIFY, VERTEX_BUFFER_INDEX },
	{ CMD_CC_STATE_POINTERS, 1, 0, STATE_POINTERS_VALID, 0 },
	{ CMD_BLEND_STATE_POINTERS, 1, 0, STATE_POINTERS_VALID, 0 },
	{ CMD_VF_INSTANCING, 1, 0, 0, VF_INSTANCING_INDEX },
	{ CMD_RS_CONSTANT_POINTER, 1, 0, 0, RS_CONSTANT_SHADER | RS_CONSTANT_STORE },
	{ CMD_DRAWING_RECTANGLE, 0, 0, 0, DRAWING_RECTANGLE_CORES },
	{ CMD_CHROMA_KEY, 1, 0, 0, CHROMA_KEY_INDEX },
	{ CMD_LINE_STIPPLE, 1, 0, LINE_STIPPLE_MODIFY, 0 },
	{ CMD_SO_BUFFER, 1, 0, SO_BUFFER_SET_OFFSET | SO_BUFFER_SET_ADDRESS, SO_BUFFER_INDEX },
};

static void golden_keep_bits(const struct golden_keep *keep, u32 *cmd, const u32 *golden, u32 len)
{
	u32 i;

	for (i = keep->first; i < len; i += keep->every) {
		cmd[i] = (cmd[i] & ~keep->same) | (golden[i] & (keep->set | keep->same));
		if (!keep->every)
			break;
	}
}

static void golden_keep_state(u32 *cmd, const u32 *golden, u32 len)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(golden_keeps); i++)
		if (golden_keeps[i].op == golden[0] >> 16)
			golden_keep_bits(&golden_keeps[i], cmd, golden, len);
}

/* Commands that change entries of a table of the resource streamer, which the host leaves off. */
static bool golden_is_edit(u32 dw0)
{
	u32 op = dw0 >> 16;

	return (op >= CMD_GATHER_CONSTANT_VS && op <= CMD_GATHER_CONSTANT_PS) ||
	       (op >= CMD_BINDING_TABLE_EDIT_VS && op <= CMD_BINDING_TABLE_EDIT_PS);
}

/* Whether two commands set the same state. The blitter's setup has several commands. */
static bool golden_same_state(u32 a, u32 b)
{
	if (CMD_CLIENT(a) != CMD_CLIENT(b))
		return false;
	switch (CMD_CLIENT(a)) {
	case CMD_CLIENT_MI:
		return MI_OPCODE(a) == MI_OPCODE(b);
	case CMD_CLIENT_RENDER:
		return a >> 16 == b >> 16 && !golden_is_edit(a);
	default:
		return true;
	}
}

/* An item of the golden context */
struct golden_cursor {
	u32 pos;		/* index of its first dword */
	u32 len;		/* its length, dwords */
	enum lrc_item item;	/* its kind */
};

/* Advance to the item that begins at @pos, or to the first one behind it. */
static void golden_advance(struct golden_cursor *c, const struct gslot_golden *golden,
			   enum gslot_engine_id engine, u32 pos)
{
	while (c->pos + c->len <= pos && c->item != LRC_END && c->item != LRC_BAD) {
		c->pos += c->len;
		c->item = lrc_item(engine, golden->state + c->pos, golden->dwords - c->pos,
				   &c->len);
	}
}

/* The guest's state command replaces a golden one at the same place that sets the same state. */
static void golden_merge_state(const struct gslot_golden *golden, u32 *state,
			       const struct golden_cursor *c, const u32 *cmd, u32 len)
{
	const u32 *old = golden->state + c->pos;

	if (c->item != LRC_STATE || c->len != len || !golden_same_state(*old, *cmd))
		return;
	memcpy(state + c->pos, cmd, len * sizeof(u32));
	golden_keep_state(state + c->pos, old, len);
}

static void golden_begin(const struct gslot_golden *golden, u32 *state)
{
	memcpy(state + LRC_RING_CONTEXT_DWORDS, golden->state + LRC_RING_CONTEXT_DWORDS,
	       (golden->dwords - LRC_RING_CONTEXT_DWORDS) * sizeof(u32));
}

/**
 * gslot_golden_merge() - make the engine context that is loaded for a guest
 * @golden: the engine's golden context
 * @engine: the engine
 * @gen: 8 or 9
 * @state: out: the engine context, from LRC_RING_CONTEXT_DWORDS on; has @golden->dwords
 * @guest: the guest's register state page and the pages behind it, a host-owned copy with as many
 *	dwords; NULL: the guest has no engine context to be restored
 *
 * Return: how many registers were refused that are neither status nor set by the host; or
 * -EINVAL if @guest is no list of register writes and state commands, with the same result as
 * for NULL.
 */
int gslot_golden_merge(const struct gslot_golden *golden, enum gslot_engine_id engine, u32 gen,
		       u32 *state, const u32 *guest)
{
	struct golden_cursor c = { .pos = LRC_RING_CONTEXT_DWORDS };
	u32 pos, i, len;
	int denied = 0;

	golden_begin(golden, state);
	for (pos = LRC_RING_CONTEXT_DWORDS; guest && pos < golden->dwords; pos += len) {
		enum lrc_item item = lrc_item(engine, guest + pos, golden->dwords - pos, &len);

		if (item == LRC_BAD) {
			golden_begin(golden, state);
			return -EINVAL;
		}
		if (item == LRC_END)
			break;
		for (i = 1; item == LRC_REGISTERS && i < len; i += 2)
			denied += golden_merge_pair(golden, engine, gen, state, guest + pos + i);
		if (item != LRC_STATE)
			continue;
		golden_advance(&c, golden, engine, pos);
		if (c.pos == pos)
			golden_merge_state(golden, state, &c, guest + pos, len);
	}
	return denied;
}
