// SPDX-License-Identifier: GPL-2.0
#include "golden.h"
#include "cmdtable.h"
#include "lrc_list.h"
#include "regtable.h"
#include "gen/cmds.h"
#include "gen/lrc.h"
#include "gen/regs.h"

/* The one register of commands that the engine context does not have. */
#define IN_RING_CONTEXT	(GEN_BCS0_BASE + BCS_SWCTRL)

/* The first of them that is not before @reg. */
static u32 find_reg(const struct gslot_golden *golden, u32 reg)
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

static bool has_reg(const struct gslot_golden *golden, u32 reg)
{
	u32 i = find_reg(golden, reg);

	return i < golden->count && golden->regs[i].reg == reg;
}

static bool is_masked(u32 reg, u32 gen)
{
	const struct gslot_reg *row = gslot_reg_find(reg, gen);

	return row && row->class == GSLOT_REG_MASKED;
}

static int add_reg(struct gslot_golden *golden, u32 reg, u32 at)
{
	u32 i = find_reg(golden, reg);

	if (golden->count == golden->room)
		return -ENOSPC;
	memmove(golden->regs + i + 1, golden->regs + i,
		(golden->count - i) * sizeof(*golden->regs));
	golden->regs[i] = (struct gslot_golden_reg) { .reg = reg, .at = at };
	golden->count++;
	return 0;
}

/* What is not the guest's becomes NOPID, so that each load clears that one, too. */
static int init_pair(struct gslot_golden *golden, enum gslot_engine_id engine, u32 gen, u32 at)
{
	u32 *value = golden->state + at, reg = value[-1] & MI_REG_OFFSET;

	if (gslot_reg_cmd(engine, reg, gen) != GSLOT_CMD_ALLOW) {
		value[-1] = gslot_reg_sink(engine, true);
		*value = 0;
		return 0;
	}
	value[-1] = reg;
	if (is_masked(reg, gen))
		*value = GEN_MASKED_FIELD(0xffffu, *value & 0xffff);
	return add_reg(golden, reg, at);
}

/* A register that commands may write, and that is not loaded; 0: there is none. */
static u32 find_missing(const struct gslot_golden *golden, enum gslot_engine_id engine, u32 gen,
			bool ring)
{
	u32 base = ring ? gslot_engines[engine].base : 0, count, i, reg;
	const struct gslot_reg *rows = gslot_reg_rows(ring, &count);

	for (i = 0; i < count; i++)
		for (reg = base + rows[i].first; reg <= base + rows[i].last; reg += 4)
			if (gslot_reg_cmd(engine, reg, gen) == GSLOT_CMD_ALLOW &&
			    reg != IN_RING_CONTEXT && !has_reg(golden, reg))
				return reg;
	return 0;
}

/**
 * gslot_golden_init() - make a golden context of what the hardware saved
 * @golden: gets what is in it. Its @state is of a context that was loaded with its restore
 *	inhibited after a reset, before any other one; @regs has the @room that it says
 * @engine: the engine it is of
 * @gen: 8 or 9
 * @missing: out: a register that commands may write and that is not in it, if that is so
 *
 * Registers that are not a guest's are taken out of it.
 *
 * Return: 0; -EINVAL: it is no engine context; -ENOSPC: it has more registers than there is room
 * for; -ENODATA: one is missing, which one vGPU would leave for the next.
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
			ret = init_pair(golden, engine, gen, pos + i);
			if (ret)
				return ret;
		}
	}
	memset(golden->state + pos, 0, (golden->dwords - pos) * sizeof(u32));
	*missing = find_missing(golden, engine, gen, true) ?:
		   find_missing(golden, engine, gen, false);
	return *missing ? -ENODATA : 0;
}

/* Return: whether a guest is refused what none has any reason to write. */
static bool merge_pair(const struct gslot_golden *golden, enum gslot_engine_id engine, u32 gen,
		       u32 *state, const u32 *pair)
{
	u32 reg = pair[0] & MI_REG_OFFSET, value = pair[1], mask = value >> 16, i;
	enum gslot_reg_cmd rule = gslot_reg_cmd(engine, reg, gen);
	bool masked = is_masked(reg, gen);

	/* Hardware itself saves status, and what the host sets. */
	if (rule != GSLOT_CMD_ALLOW)
		return rule == GSLOT_CMD_DENY;
	for (i = find_reg(golden, reg); i < golden->count && golden->regs[i].reg == reg; i++) {
		u32 *to = state + golden->regs[i].at;

		*to = masked ? GEN_MASKED_FIELD(0xffffu, (*to & 0xffff & ~mask) | (value & mask)) :
			       value;
	}
	return false;
}

/* The bits by which a command says that it sets something stay set: all of it is loaded. */
static void keep_enables(u32 *cmd, const u32 *golden, u32 len)
{
	/* The addresses' lower halves, and the sizes. */
	static const u8 modify[] = { 1, 4, 6, 8, 10, 12, 13, 14, 15, 16 };
	u32 i;

	if (cmd[0] >> 16 == CMD_PIPELINE_SELECT)
		cmd[0] |= golden[0] & PIPELINE_SELECT_MASK;
	if (cmd[0] >> 16 == CMD_STATE_BASE_ADDRESS)
		for (i = 0; i < ARRAY_SIZE(modify) && modify[i] < len; i++)
			cmd[modify[i]] |= golden[modify[i]] & STATE_BASE_MODIFY;
}

/* The blitter's setup has several commands; of the others each sets something of its own. */
static bool same_state(enum gslot_engine_id engine, u32 a, u32 b)
{
	return (CMD_CLIENT(a) == CMD_CLIENT_BLT && CMD_CLIENT(b) == CMD_CLIENT_BLT) ||
	       gslot_cmd_find(engine, a) == gslot_cmd_find(engine, b);
}

/**
 * struct cursor - an item of the golden context
 * @pos: where it begins
 * @len: dwords
 * @item: what it is
 */
struct cursor {
	u32 pos;
	u32 len;
	enum lrc_item item;
};

/* Up to the item that begins at @pos, or the first one behind. */
static void advance(struct cursor *c, const struct gslot_golden *golden,
		    enum gslot_engine_id engine, u32 pos)
{
	while (c->pos + c->len <= pos && c->item != LRC_END && c->item != LRC_BAD) {
		c->pos += c->len;
		c->item = lrc_item(engine, golden->state + c->pos, golden->dwords - c->pos,
				   &c->len);
	}
}

/* A state command comes in the place of the same one. */
static void merge_state(const struct gslot_golden *golden, enum gslot_engine_id engine,
			u32 *state, const struct cursor *c, const u32 *cmd, u32 len)
{
	const u32 *old = golden->state + c->pos;

	if (c->item != LRC_STATE || c->len != len || !same_state(engine, *old, *cmd))
		return;
	memcpy(state + c->pos, cmd, len * sizeof(u32));
	keep_enables(state + c->pos, old, len);
}

static void begin(const struct gslot_golden *golden, u32 *state)
{
	memcpy(state + LRC_RING_CONTEXT_DWORDS, golden->state + LRC_RING_CONTEXT_DWORDS,
	       (golden->dwords - LRC_RING_CONTEXT_DWORDS) * sizeof(u32));
}

/**
 * gslot_golden_merge() - make the engine context that is loaded for a guest
 * @golden: the engine's golden context
 * @engine: the engine
 * @gen: 8 or 9
 * @state: gets the engine context; @golden->dwords, written from LRC_RING_CONTEXT_DWORDS on
 * @guest: the guest's register state page and the pages behind it, a host-owned copy, of as many
 *	dwords; NULL: it has no engine context that is to be restored
 *
 * Return: how many registers were refused that are neither status nor the host's to set, or
 * -EINVAL if the guest's is not a list of register writes and state commands: then it is
 * as if it had none.
 */
int gslot_golden_merge(const struct gslot_golden *golden, enum gslot_engine_id engine, u32 gen,
		       u32 *state, const u32 *guest)
{
	struct cursor c = { .pos = LRC_RING_CONTEXT_DWORDS };
	u32 pos, i, len;
	int denied = 0;

	begin(golden, state);
	for (pos = LRC_RING_CONTEXT_DWORDS; guest && pos < golden->dwords; pos += len) {
		enum lrc_item item = lrc_item(engine, guest + pos, golden->dwords - pos, &len);

		if (item == LRC_BAD) {
			begin(golden, state);
			return -EINVAL;
		}
		if (item == LRC_END)
			break;
		for (i = 1; item == LRC_REGISTERS && i < len; i += 2)
			denied += merge_pair(golden, engine, gen, state, guest + pos + i);
		if (item != LRC_STATE)
			continue;
		advance(&c, golden, engine, pos);
		if (c.pos == pos)
			merge_state(golden, engine, state, &c, guest + pos, len);
	}
	return denied;
}
