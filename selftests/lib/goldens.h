/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A golden context for tests of the core: all registers that commands of an engine may write,
 * and state commands, in an order of its own.
 */
#ifndef GSLOT_TEST_GOLDENS_H
#define GSLOT_TEST_GOLDENS_H

#include "core/ctx/golden.h"
#include "core/regs/regtable.h"
#include "gen/cmds.h"
#include "gen/lrc.h"
#include "gen/regs.h"

#define GOLDEN_DWORDS	1024
#define GOLDEN_REGS	(GOLDEN_DWORDS / 2)
#define GOLDEN_LRI(n)	(MI_CMD(OP_MI_LOAD_REGISTER_IMM) | (2 * (n) - 1))
#define GOLDEN_SETUP	(2u << 29 | OP_XY_SETUP_BLT << 22 | 8)

/* The value of a register in a golden context: neither 0 nor a value that tests use. */
static inline u32 golden_value(u32 reg)
{
	return 0x60000000 | (reg & 0xffffff);
}

static inline u32 golden_put(u32 *dw, enum gslot_engine_id engine, u32 gen, bool ring)
{
	u32 base = ring ? gslot_engines[engine].base : 0, count, i, reg, n = 0;
	const struct gslot_reg *rows = gslot_reg_rows(ring, &count);

	for (i = 0; i < count; i++) {
		for (reg = base + rows[i].first; reg <= base + rows[i].last; reg += 4) {
			if (gslot_reg_cmd(engine, reg, gen) != GSLOT_CMD_ALLOW ||
			    reg == GEN_BCS0_BASE + BCS_SWCTRL)
				continue;
			dw[n++] = reg;
			dw[n++] = golden_value(reg);
		}
	}
	return n;
}

/* Registers in lists of 100, then state commands. Return: where the state commands begin. */
static inline u32 golden_fill(u32 *state, enum gslot_engine_id engine, u32 gen)
{
	u32 regs[GOLDEN_DWORDS], n, i, k, pos = LRC_RING_CONTEXT_DWORDS + 1, at;

	memset(state, 0, GOLDEN_DWORDS * sizeof(*state));
	n = golden_put(regs, engine, gen, true);
	n += golden_put(regs + n, engine, gen, false);
	/* None is the guest's; the first one cannot be loaded. */
	regs[n++] = gslot_engines[engine].base + RING_TIMESTAMP;
	regs[n++] = 0x7133e57a;
	if (engine == GSLOT_RCS0) {
		regs[n++] = GEN_L3CNTLREG;
		regs[n++] = golden_value(GEN_L3CNTLREG);
		regs[n++] = GEN_RCS0_BASE + RING_BB_OFFSET;
		regs[n++] = golden_value(GEN_RCS0_BASE + RING_BB_OFFSET);
	}
	for (i = 0; i < n; i += k) {
		k = min(n - i, 200u);
		state[pos++] = GOLDEN_LRI(k / 2);
		memcpy(state + pos, regs + i, k * sizeof(u32));
		pos += k + 1;		/* and a NOOP */
	}
	at = pos;
	if (engine == GSLOT_RCS0) {
		state[pos++] = CMD_PIPELINE_SELECT << 16 | PIPELINE_SELECT_MASKS;
		state[pos] = CMD_STATE_BASE_ADDRESS << 16 | (19 - 2);
		state[pos + 1] = STATE_BASE_MODIFY;
		state[pos + 4] = STATE_BASE_MODIFY;
		state[pos + 16] = STATE_BASE_MODIFY;
		pos += 19;
	} else if (engine == GSLOT_BCS0) {
		state[pos] = GOLDEN_SETUP;
		pos += 10;
	}
	state[pos] = MI_CMD(OP_MI_BATCH_BUFFER_END);
	return at;
}

#endif
