// SPDX-License-Identifier: GPL-2.0
/*
 * Ring contexts: the first LRC_RING_CONTEXT_DWORDS dwords of a register state page.
 */
#include "lrc.h"
#include "core/cmd/ring.h"
#include "gen/cmds.h"
#include "gen/gtt.h"
#include "gen/lrc.h"
#include "gen/regs.h"

#define TAIL_ALIGN	8	/* TAIL moves by quadwords */

/**
 * gslot_lrc_parse() - read a guest's ring context
 * @engine: its engine
 * @state: the register state page, a host-owned copy
 * @lrc: out
 *
 * Return: 0, or -EINVAL for a ring that the hardware cannot execute.
 */
int gslot_lrc_parse(enum gslot_engine_id engine, const u32 *state, struct gslot_lrc *lrc)
{
	u32 ctl = state[LRC_RING_CTL];

	memset(lrc, 0, sizeof(*lrc));
	lrc->start = state[LRC_RING_START];
	lrc->size = (ctl & RING_CTL_NR_PAGES) + GEN_PAGE_SIZE;
	lrc->head = state[LRC_RING_HEAD] & RING_HEAD_ADDR;
	lrc->tail = state[LRC_RING_TAIL];
	if (!(ctl & RING_CTL_VALID) || lrc->start & (GEN_PAGE_SIZE - 1))
		return -EINVAL;
	if (lrc->head >= lrc->size || lrc->tail >= lrc->size || lrc->tail & (TAIL_ALIGN - 1))
		return -EINVAL;
	lrc->inhibit = state[LRC_CONTEXT_CONTROL] & CTX_CTRL_RESTORE_INHIBIT;
	lrc->timestamp = state[LRC_CTX_TIMESTAMP];
	lrc->engine_reg = state[LRC_PWR_CLK_STATE];
	lrc->pml4 = (u64)state[LRC_PDP_UDW(0)] << 32 | state[LRC_PDP_LDW(0)];
	if (engine == GSLOT_RCS0) {
		lrc->per_ctx = state[LRC_BB_PER_CTX_PTR];
		lrc->indirect = state[LRC_INDIRECT_CTX];
		lrc->indirect_offset = state[LRC_INDIRECT_CTX_OFFSET];
	}
	return 0;
}

/* Registers of the two lists, in the hardware's order. */
static const u16 list0[] = {
	RING_CONTEXT_CONTROL, RING_HEAD, RING_TAIL, RING_START, RING_CTL,
	RING_BBADDR_UDW, RING_BBADDR, RING_BBSTATE,
	RING_SBBADDR_UDW, RING_SBBADDR, RING_SBBSTATE,
	RING_BB_PER_CTX_PTR, RING_INDIRECT_CTX, RING_INDIRECT_CTX_OFFSET,
};

#define LIST0_NO_WA	11	/* Gen8 has the last three on rcs alone */

static const u16 list1[] = {
	RING_CTX_TIMESTAMP,
	RING_PDP_UDW(3), RING_PDP_LDW(3), RING_PDP_UDW(2), RING_PDP_LDW(2),
	RING_PDP_UDW(1), RING_PDP_LDW(1), RING_PDP_UDW(0), RING_PDP_LDW(0),
};

static void lrc_put_list(u32 *dw, u32 base, const u16 *regs, u32 count)
{
	u32 i;

	dw[0] = MI_CMD(OP_MI_LOAD_REGISTER_IMM) | MI_LRI_FORCE_POSTED | (2 * count - 1);
	for (i = 0; i < count; i++)
		dw[1 + 2 * i] = base + regs[i];
}

/* The engine register. Gen8's blitter has a second one there, of which no bit is written. */
static void lrc_put_engine_reg(enum gslot_engine_id engine, u32 gen, u32 *state, u32 value)
{
	static const u16 rcs[] = { RING_PWR_CLK_STATE };
	static const u16 bcs[] = { BCS_SWCTRL, RING_EXCC };
	u32 base = gslot_engines[engine].base;

	if (engine == GSLOT_RCS0) {
		lrc_put_list(state + LRC_LRI2, base, rcs, 1);
	} else if (engine == GSLOT_BCS0) {
		lrc_put_list(state + LRC_LRI2, base, bcs, gen >= 9 ? 1 : 2);
		/* Load all bits: those that the guest leaves out are 0, not another context's. */
		value = GEN_MASKED_FIELD(0xffffu, value & (value >> 16));
	} else {
		return;
	}
	state[LRC_PWR_CLK_STATE] = value;
}

/**
 * gslot_lrc_build() - write a ring context for the hardware
 * @engine: its engine
 * @gen: 8 or 9
 * @state: the register state page; dwords below LRC_RING_CONTEXT_DWORDS are written
 * @lrc: the values
 */
void gslot_lrc_build(enum gslot_engine_id engine, u32 gen, u32 *state,
		     const struct gslot_lrc *lrc)
{
	bool wa = engine == GSLOT_RCS0 || gen >= 9;
	u32 base = gslot_engines[engine].base;
	u32 off = CTX_CTRL_RS_CTX_ENABLE | CTX_CTRL_SAVE_INHIBIT;
	u32 on = CTX_CTRL_INHIBIT_SYN_SWITCH;

	memset(state, 0, LRC_RING_CONTEXT_DWORDS * sizeof(*state));
	if (lrc->inhibit)
		on |= CTX_CTRL_RESTORE_INHIBIT;
	else
		off |= CTX_CTRL_RESTORE_INHIBIT;

	lrc_put_list(state + LRC_LRI0, base, list0, wa ? ARRAY_SIZE(list0) : LIST0_NO_WA);
	state[LRC_CONTEXT_CONTROL] = GEN_MASKED_ENABLE(on) | GEN_MASKED_DISABLE(off);
	state[LRC_RING_HEAD] = lrc->head;
	state[LRC_RING_TAIL] = lrc->tail;
	state[LRC_RING_START] = lrc->start;
	state[LRC_RING_CTL] = (lrc->size - GEN_PAGE_SIZE) | RING_CTL_VALID;
	if (wa) {
		state[LRC_BB_PER_CTX_PTR] = lrc->per_ctx;
		state[LRC_INDIRECT_CTX] = lrc->indirect;
		state[LRC_INDIRECT_CTX_OFFSET] = lrc->indirect_offset;
	}

	lrc_put_list(state + LRC_LRI1, base, list1, ARRAY_SIZE(list1));
	state[LRC_CTX_TIMESTAMP] = lrc->timestamp;
	state[LRC_PDP_UDW(0)] = upper_32_bits(lrc->pml4);
	state[LRC_PDP_LDW(0)] = lower_32_bits(lrc->pml4);

	lrc_put_engine_reg(engine, gen, state, lrc->engine_reg);
}

static bool lrc_same_range(const u32 *a, const u32 *b, u32 first, u32 end)
{
	return !memcmp(a + first, b + first, (end - first) * sizeof(*a));
}

/**
 * gslot_lrc_same() - whether two images differ at most in HEAD and TAIL
 * @a: a register state page
 * @b: another
 *
 * Return: true if they differ in nothing else.
 */
bool gslot_lrc_same(const u32 *a, const u32 *b)
{
	return lrc_same_range(a, b, 0, LRC_RING_HEAD) &&
	       lrc_same_range(a, b, LRC_RING_HEAD + 1, LRC_RING_TAIL) &&
	       lrc_same_range(a, b, LRC_RING_TAIL + 1, GSLOT_LRC_STATE_DWORDS);
}

/**
 * gslot_lrc_passed() - whether a saved context has executed all of a request
 * @state: the register state page, as the hardware saved it
 * @size: size of the ring, bytes
 * @head: offset of the request's first command; all before it is executed
 * @tail: offset behind its last command
 *
 * HEAD moves past MI_BATCH_BUFFER_START before the batch runs. So with HEAD at its tail a request
 * is still incomplete if the saved BB_ADDR is valid: a batch is being executed (PRM Skylake
 * volume 2c, "BB_ADDR", bit 0).
 *
 * Return: true if it is executed.
 */
bool gslot_lrc_passed(const u32 *state, u32 size, u32 head, u32 tail)
{
	u32 want = gslot_ring_distance(size, head, tail);
	u32 have = gslot_ring_distance(size, head, state[LRC_RING_HEAD] & RING_HEAD_ADDR);

	return have > want || (have == want && !(state[LRC_BB_ADDR] & RING_BB_VALID));
}

/**
 * gslot_lrc_merge() - update a guest's ring context after the context ran
 * @guest: the guest's register state page
 * @hw: the page that the hardware saved
 *
 * HEAD, the timestamp and the engine register are updated, and the restore inhibit is cleared. The
 * CPU alone writes the rest, or @hw has addresses of the host there.
 */
void gslot_lrc_merge(u32 *guest, const u32 *hw)
{
	guest[LRC_RING_HEAD] = hw[LRC_RING_HEAD] & RING_HEAD_ADDR;
	guest[LRC_CTX_TIMESTAMP] = hw[LRC_CTX_TIMESTAMP];
	guest[LRC_CONTEXT_CONTROL] &= ~CTX_CTRL_RESTORE_INHIBIT;
	if (hw[LRC_LRI2])	/* the engine has this register */
		guest[LRC_PWR_CLK_STATE] = hw[LRC_PWR_CLK_STATE];
}
