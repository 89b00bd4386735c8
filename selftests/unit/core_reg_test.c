// SPDX-License-Identifier: GPL-2.0
/*
 * The register tables: they are sorted, they have all registers that a stock i915 accesses, and no
 * command of a guest can write a register that contexts do not save.
 */
#include "core/ctx/lrc.h"
#include "test.h"
#include "gen/cmds.h"
#include "gen/ctxregs.h"
#include "gen/lrc.h"
#include "gen/regs.h"
#include "core/regs/regtable.h"

static void check_sorted(bool ring)
{
	const struct gslot_reg *rows;
	u32 count, end = 0;

	rows = gslot_reg_rows(ring, &count);
	assert_true(count > 10);
	for (u32 i = 0; i < count; i++) {
		if (i && rows[i].first <= end)
			fail_msg("%#x is not behind %#x", rows[i].first, end);
		assert_true(rows[i].first <= rows[i].last);
		assert_int_equal(rows[i].first & 3, 0);
		assert_int_equal(rows[i].last & 3, 0);
		/* Rows of a block name engines; of the others some name the render engine. */
		if (ring)
			assert_int_not_equal(rows[i].engines, 0);
		else
			assert_int_equal(rows[i].engines & ~(1u << GSLOT_RCS0), 0);
		assert_int_equal(rows[i].saved & ~(ring ? rows[i].engines : 1u << GSLOT_RCS0), 0);
		assert_int_equal(rows[i].gens & ~(1u << 8 | 1u << 9), 0);
		end = rows[i].last;
		assert_true(end < (ring ? 0x1000 : GEN_MMIO_SIZE));
	}
}

static void test_sorted(void **state)
{
	(void)state;
	check_sorted(true);
	check_sorted(false);
}

/* A search finds each row by its first and last register, and none between. */
static void test_found(void **state)
{
	const struct gslot_reg *rows;
	u32 count;

	(void)state;
	rows = gslot_reg_rows(false, &count);
	for (u32 i = 0; i < count; i++) {
		u32 gen = rows[i].gens == 1u << 8 ? 8 : 9;

		assert_ptr_equal(gslot_reg_find(rows[i].first, gen), &rows[i]);
		assert_ptr_equal(gslot_reg_find(rows[i].last, gen), &rows[i]);
		if (i && rows[i - 1].last + 4 < rows[i].first)
			assert_null(gslot_reg_find(rows[i].first - 4, gen));
	}
	rows = gslot_reg_rows(true, &count);
	for (u32 i = 0; i < count; i++)
		for (int e = 0; e < GSLOT_NR_ENGINES; e++)
			assert_ptr_equal(gslot_reg_find(gslot_engines[e].base + rows[i].first, 9),
					 rows[i].engines & 1u << e ? &rows[i] : NULL);
}

/* Up to where registers are said to have the same row, all of them have. */
static void check_same(u32 offset, u32 until, u32 gen)
{
	const struct gslot_reg *row = gslot_reg_find(offset, gen);

	assert_true(until > offset && (until == U32_MAX || !(until % 4)));
	for (u32 next = offset; next < until && next < GEN_MMIO_SIZE; next += 4)
		assert_ptr_equal(gslot_reg_find(next, gen), row);
}

static void test_same(void **state)
{
	u32 offset, pieces;

	(void)state;
	for (u32 gen = 8; gen <= 9; gen++) {
		pieces = 0;
		for (offset = 0; offset < GEN_MMIO_SIZE; offset = gslot_reg_same_until(offset)) {
			check_same(offset, gslot_reg_same_until(offset), gen);
			pieces++;
		}
		assert_in_range(pieces, 100, 2000);
	}
	for (offset = 0; offset < GEN_MMIO_SIZE; offset += 4)
		check_same(offset, min(gslot_reg_same_until(offset), offset + 8), 9);
}

/* The members of a row are consistent. */
static void check_row(const struct gslot_reg *row)
{
	bool live = row->class == GSLOT_REG_LIVE;

	assert_true(row->class > GSLOT_REG_UNKNOWN && row->class < GSLOT_REG_NR_CLASSES);
	assert_true(row->handler < GSLOT_NR_HANDLERS);
	assert_true(row->cmd <= GSLOT_CMD_IGNORE);
	/* A register that is not stored has no value after a reset. */
	if (live && (!row->handler || row->reset))
		fail_msg("%#x is live, without a handler or with a value", row->first);
	if (row->class == GSLOT_REG_FUSE && row->engines)
		fail_msg("%#x is a fuse, and an engine's", row->first);
	/* selftests/module/commands/bad_commands.c relies on it. */
	if (row->first >= 0x40000 && (row->engines || row->saved))
		fail_msg("%#x depends on the engine", row->first);
	/* An engine's reset sets only single registers of its block that are stored. */
	if (row->engine_reset && (!row->engines || live || row->first != row->last))
		fail_msg("%#x is brought back by a reset of an engine", row->first);
	/* A masked register has no high half to read. */
	if (row->class == GSLOT_REG_MASKED && row->reset > 0xffff)
		fail_msg("%#x is masked, its value is not", row->first);
	if (row->cmd == GSLOT_CMD_ALLOW && !row->saved)
		fail_msg("%#x may be written, and no context saves it", row->first);
	/* MMIO of a vGPU never shows values of its contexts. */
	if (row->cmd == GSLOT_CMD_ALLOW && row->handler)
		fail_msg("%#x may be written behind its handler's back", row->first);
}

/* The compiler checks that each handler has its functions, and each function its handler. */
static void test_rows(void **state)
{
	u8 handlers[GSLOT_NR_HANDLERS] = { 0 }, classes[GSLOT_REG_NR_CLASSES] = { 0 };
	const struct gslot_reg *rows;
	u32 count;

	(void)state;
	for (int ring = 0; ring < 2; ring++) {
		rows = gslot_reg_rows(ring, &count);
		for (u32 i = 0; i < count; i++) {
			check_row(&rows[i]);
			handlers[rows[i].handler] = 1;
			classes[rows[i].class] = 1;
		}
	}
	for (u32 i = 0; i < GSLOT_NR_HANDLERS; i++)
		if (!handlers[i])
			fail_msg("handler %u has no register", i);
	for (u32 i = GSLOT_REG_UNKNOWN + 1; i < GSLOT_REG_NR_CLASSES; i++)
		if (!classes[i])
			fail_msg("class %u has no register", i);
}

/* All fuses are found one by one; a generation has its own, and those of all. */
static void test_fuses(void **state)
{
	u32 all = 0, offset;

	(void)state;
	for (u32 gen = 8; gen <= 9; gen++) {
		for (u32 i = 0, last = 0; (offset = gslot_reg_fuse(i, gen)); i++, last = offset) {
			const struct gslot_reg *row = gslot_reg_find(offset, gen);

			assert_true(offset > last);
			assert_int_equal(row->class, GSLOT_REG_FUSE);
			assert_true(i < GSLOT_NR_FUSES);
			all += gen == 8 || row->gens == 1u << 9;
		}
	}
	assert_int_equal(all, GSLOT_NR_FUSES);
	/* There is no embedded DRAM for the guest's memory. */
	assert_int_equal(gslot_reg_find(GEN_EDRAM_CAP, 9)->class, GSLOT_REG_RO);
}

/* The registers that the module writes for the guest to read, and no others that drop writes. */
static void test_state(void **state)
{
	static const u32 written[] = {
		GEN_FORCEWAKE_RENDER_ACK, GEN_FORCEWAKE_MEDIA_ACK, GEN_FORCEWAKE_GT_ACK,
	};
	u32 count = 0, presets = 0, offset;

	(void)state;
	for (offset = 0; offset < GEN_MMIO_SIZE; offset += 4) {
		const struct gslot_reg *row = gslot_reg_find(offset, 9);
		int engine = gslot_engine_of_reg(offset);
		u32 rel = engine < 0 ? 0 : offset - gslot_engines[engine].base;
		bool expected;

		if (!row)
			continue;
		expected = rel == RING_IPEHR || (rel >= RING_CSB(0) && rel <= RING_CSB_UDW(5));
		for (u32 i = 0; i < ARRAY_SIZE(written); i++)
			expected |= offset == written[i];
		assert_int_equal(row->module_writes, expected);
		/* Else it would be lost, or be set by a stream. */
		assert_true(!row->module_writes || row->class == GSLOT_REG_RO);
		assert_int_equal(gslot_reg_is_state(row), row->class == GSLOT_REG_PLAIN ||
				 row->class == GSLOT_REG_MASKED || row->class == GSLOT_REG_W1C ||
				 expected);
		count += expected;
		if (!gslot_reg_is_state(row) || !row->reset)
			continue;
		/* A single register of an engine's block, of each generation. */
		assert_true(rel == RING_EMR && row->first == row->last && !row->gens);
		presets++;
	}
	assert_int_equal(count, 3 + 4 * (1 + 12));
	assert_int_equal(presets, 4);
	for (u32 i = 0; i < 4; i++)
		assert_int_equal(gslot_reg_preset(i), gslot_engines[i].base + RING_EMR);
	assert_int_equal(gslot_reg_preset(4), 0);
	/* A GPU that does not reset stays behind. */
	assert_false(gslot_reg_is_state(gslot_reg_find(GEN_GDRST, 9)));
}

/*
 * Registers that a stock i915 of Linux 6.12 accesses on Gen9 without a display while it probes and
 * runs its first tests, as ranges; recorded by the model.
 */
static const u32 touched[][2] = {
	{ 0xd84, 0xd88 }, { 0xfdc, 0xfdc },
	{ 0x2024, 0x2024 }, { 0x2054, 0x2054 }, { 0x2064, 0x2064 }, { 0x2080, 0x2080 },
	{ 0x2098, 0x209c }, { 0x20a8, 0x20a8 }, { 0x20b0, 0x20b8 }, { 0x20d0, 0x20d4 },
	{ 0x20e0, 0x20e0 }, { 0x2230, 0x2230 }, { 0x2238, 0x2238 }, { 0x229c, 0x229c },
	{ 0x23a0, 0x23a0 }, { 0x24d0, 0x24fc },
	{ 0x4024, 0x4024 }, { 0x4080, 0x4080 }, { 0x4090, 0x4094 }, { 0x40e0, 0x40e4 },
	{ 0x4260, 0x4260 }, { 0x426c, 0x426c }, { 0x4ab0, 0x4ab0 }, { 0x4dd4, 0x4dd4 },
	{ 0x4ddc, 0x4ddc }, { 0x8504, 0x8504 }, { 0x9044, 0x9044 }, { 0x9120, 0x9120 },
	{ 0x9134, 0x9134 }, { 0x940c, 0x940c }, { 0x941c, 0x941c }, { 0x9424, 0x9424 },
	{ 0xa008, 0xa00c }, { 0xa024, 0xa024 }, { 0xa02c, 0xa030 }, { 0xa068, 0xa070 },
	{ 0xa090, 0xa094 }, { 0xa09c, 0xa09c }, { 0xa0a8, 0xa0b0 }, { 0xa0b8, 0xa0b8 },
	{ 0xa0c4, 0xa0c8 }, { 0xa168, 0xa168 }, { 0xa188, 0xa188 }, { 0xa210, 0xa210 },
	{ 0xa26c, 0xa270 }, { 0xa278, 0xa278 }, { 0xb004, 0xb008 }, { 0xb020, 0xb09c },
	{ 0xb118, 0xb11c }, { 0xc000, 0xc000 }, { 0xc050, 0xc050 }, { 0xc340, 0xc340 },
	{ 0xc3e4, 0xc3e4 }, { 0xc800, 0xc9fc }, { 0xcb00, 0xccfc },
	{ 0x12054, 0x12054 }, { 0x12080, 0x12080 }, { 0x12098, 0x1209c }, { 0x120a8, 0x120a8 },
	{ 0x120b0, 0x120b8 }, { 0x120d0, 0x120d0 }, { 0x12230, 0x12230 }, { 0x12238, 0x12238 },
	{ 0x1229c, 0x1229c }, { 0x123a0, 0x123a0 },
	{ 0x1a054, 0x1a054 }, { 0x1a080, 0x1a080 }, { 0x1a098, 0x1a09c }, { 0x1a0a8, 0x1a0a8 },
	{ 0x1a0b0, 0x1a0b8 }, { 0x1a0d0, 0x1a0d0 }, { 0x1a230, 0x1a230 }, { 0x1a238, 0x1a238 },
	{ 0x1a29c, 0x1a29c }, { 0x1a3a0, 0x1a3a0 },
	{ 0x22054, 0x22054 }, { 0x22080, 0x22080 }, { 0x22098, 0x2209c }, { 0x220a8, 0x220a8 },
	{ 0x220b0, 0x220b8 }, { 0x220d0, 0x220d0 }, { 0x22230, 0x22230 }, { 0x22238, 0x22238 },
	{ 0x2229c, 0x2229c }, { 0x223a0, 0x223a0 },
	{ 0x42080, 0x42080 }, { 0x42300, 0x42300 }, { 0x44200, 0x44200 }, { 0x44304, 0x4430c },
	{ 0x44314, 0x4431c }, { 0x44324, 0x4432c }, { 0x44334, 0x4433c }, { 0x444e4, 0x444ec },
	{ 0x45000, 0x45000 }, { 0x46430, 0x46430 }, { 0x51000, 0x51000 }, { 0x78000, 0x78004 },
	{ 0xc4004, 0xc400c }, { 0x100000, 0x1000fc }, { 0x101008, 0x101008 },
	{ 0x120010, 0x120010 }, { 0x130044, 0x130044 }, { 0x138108, 0x138108 },
	{ 0x138124, 0x13812c }, { 0x145998, 0x145998 }, { 0x145e04, 0x145e04 },
};

static void test_complete(void **state)
{
	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(touched); i++)
		for (u32 reg = touched[i][0]; reg <= touched[i][1]; reg += 4)
			if (!gslot_reg_find(reg, 9))
				fail_msg("%#x is touched, and not known", reg);
}

/* Registers that a stock i915 reads before it writes them, and that are not 0. */
static void test_reset_values(void **state)
{
	static const struct {
		u32 reg;
		u32 value;
	} resets[] = {
		{ RING_INSTDONE + GEN_RCS0_BASE, 0xffffffff },
		{ RING_EMR + GEN_BCS0_BASE, 0xffffffff },
		{ GEN_GUC_STATUS, GUC_STATUS_MIA_IN_RESET },
		{ GEN_RC6_CTX_INFO, 0x1000 },
		{ SKL_DFSM, 1u << 30 | 1u << 28 | 1u << 21 },
		{ SKL_FUSE_STATUS, 0x8e000000 },
	};

	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(resets); i++)
		assert_int_equal(gslot_reg_find(resets[i].reg, 9)->reset, resets[i].value);
}

/* Whether the register is in the ring context of an image, which the host builds. */
static bool is_in_ring_context(int engine, u32 reg, u32 gen)
{
	static u32 state[GSLOT_LRC_STATE_DWORDS];
	struct gslot_lrc lrc = { .size = 4096 };
	u32 pos = LRC_LRI0;

	gslot_lrc_build(engine, gen, state, &lrc);
	while (pos < LRC_RING_CONTEXT_DWORDS) {
		u32 end = pos + 2 + (state[pos] & 0xff);

		if (MI_OPCODE(state[pos]) != OP_MI_LOAD_REGISTER_IMM) {
			pos++;
			continue;
		}
		for (pos++; pos < end; pos += 2)
			if (state[pos] == reg)
				return true;
	}
	return false;
}

/* Images of Gen8's other engines have a ring context only. */
static bool is_in_engine_context(int engine, u32 reg, u32 gen)
{
	u32 rel = reg - gslot_engines[engine].base;

	if (gen == 8 && engine != GSLOT_RCS0)
		return false;
	if ((rel >= RING_GPR(0) && rel <= RING_GPR_UDW(15)) || rel == RING_IPEHR)
		return true;
	for (u32 i = 0; i < ARRAY_SIZE(gen_ctx_common); i++)
		if (rel == gen_ctx_common[i])
			return true;
	for (const struct gen_ctx_regs *r = gen_ctx_rcs; engine == GSLOT_RCS0 && r->count; r++)
		if (reg >= r->first && reg < r->first + 4 * r->count)
			return true;
	return false;
}

static bool is_saved(int engine, u32 reg, u32 gen)
{
	return is_in_engine_context(engine, reg, gen) || is_in_ring_context(engine, reg, gen);
}

/* Rows say that a context saves a register exactly if images have it. */
static void test_saved(void **state)
{
	(void)state;
	for (int e = 0; e < GSLOT_NR_ENGINES; e++) {
		for (u32 reg = 0; reg < GEN_MMIO_SIZE; reg += 4) {
			const struct gslot_reg *row = gslot_reg_find(reg, 9);
			int owner = gslot_engine_of_reg(reg);
			bool says = row && row->saved & 1u << e && (owner < 0 || owner == e);

			if (says != is_saved(e, reg, 9))
				fail_msg("%s: %#x is saved: the row says %d", gslot_engines[e].name,
					 reg, says);
		}
	}
}

/* Images have each register that commands of a guest may write. */
static void test_allowed_is_saved(void **state)
{
	unsigned int allowed = 0;

	(void)state;
	for (u32 gen = 8; gen <= 9; gen++) {
		for (int e = 0; e < GSLOT_NR_ENGINES; e++) {
			for (u32 reg = 0; reg < GEN_MMIO_SIZE; reg += 4) {
				if (gslot_reg_cmd(e, reg, gen) != GSLOT_CMD_ALLOW)
					continue;
				allowed++;
				if (!is_saved(e, reg, gen))
					fail_msg("%s: %#x is allowed, no context saves it",
						 gslot_engines[e].name, reg);
			}
		}
	}
	assert_true(allowed > 100);
}

/*
 * Registers with addresses of the ring, images and batches that the host has placed: no command
 * may read them.
 */
static void test_not_shown(void **state)
{
	static const u16 regs[] = {
		RING_TAIL, RING_HEAD, RING_START, RING_CTL, RING_ACTHD_UDW, RING_ACTHD,
		RING_DMA_FADD_UDW, RING_DMA_FADD, RING_HWS_PGA, RING_BBSTATE, RING_SBBADDR,
		RING_SBBSTATE, RING_SBBADDR_UDW, RING_BBADDR, 0x148, 0x14c, 0x150, 0x154,
		RING_BB_OFFSET, RING_BBADDR_UDW, 0x170, 0x180, RING_BB_PER_CTX_PTR,
		RING_INDIRECT_CTX, RING_INDIRECT_CTX_OFFSET, RING_ELSP, RING_EXECLIST_STATUS_LO,
		RING_EXECLIST_STATUS_HI, RING_PDP_LDW(0), RING_PDP_UDW(0), RING_PDP_LDW(3),
		RING_PDP_UDW(3), RING_CSB(0), RING_CSB_UDW(5), RING_CSB_PTR,
	};

	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(regs); i++) {
		for (int e = 0; e < GSLOT_NR_ENGINES; e++) {
			enum gslot_reg_cmd cmd = gslot_reg_cmd(e, gslot_engines[e].base + regs[i],
							       9);

			if (cmd == GSLOT_CMD_ALLOW || cmd == GSLOT_CMD_READ)
				fail_msg("%s: %#x is shown", gslot_engines[e].name, regs[i]);
		}
	}
}

/* Another vGPU may run on the render engine: commands of other engines may not observe it. */
static void test_not_shown_to_others(void **state)
{
	static const u32 regs[] = {
		GEN_SLICE_STATE_FIRST, GEN_L3CNTLREG, GEN_SLICE_STATE_LAST, GEN_SC_INSTDONE,
		GEN_SC_INSTDONE_EXTRA, GEN_SO_NUM_PRIMS_WRITTEN(0), GEN_SO_WRITE_OFFSET(3),
		GEN_CACHE_MODE_0, GEN_VF_GUARDBAND,
	};

	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(regs); i++) {
		assert_int_not_equal(gslot_reg_cmd(GSLOT_RCS0, regs[i], 9), GSLOT_CMD_DENY);
		for (int e = GSLOT_BCS0; e < GSLOT_NR_ENGINES; e++)
			assert_int_equal(gslot_reg_cmd(e, regs[i], 9), GSLOT_CMD_DENY);
	}
	for (int e = 0; e < GSLOT_NR_ENGINES; e++) {
		u32 reg = gslot_engines[e].base + RING_IPEHR;

		for (int o = 0; o < GSLOT_NR_ENGINES; o++)
			assert_int_equal(gslot_reg_cmd(o, reg, 9),
					 o == e ? GSLOT_CMD_READ : GSLOT_CMD_DENY);
	}
}

/* Registers that the workarounds of a stock i915 write in its contexts. */
static void test_workarounds(void **state)
{
	static const u32 regs[] = {
		0x2580, 0x5588, 0x7004, 0x7008, 0x7010, 0x7014, 0x7018, 0x7300, 0x7308,
		0xe184, 0xe188, 0xe194, 0xe4f0, 0xe4f4,
	};

	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(regs); i++)
		assert_int_equal(gslot_reg_cmd(GSLOT_RCS0, regs[i], 9), GSLOT_CMD_ALLOW);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sorted),
		cmocka_unit_test(test_found),
		cmocka_unit_test(test_same),
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_fuses),
		cmocka_unit_test(test_state),
		cmocka_unit_test(test_complete),
		cmocka_unit_test(test_reset_values),
		cmocka_unit_test(test_saved),
		cmocka_unit_test(test_allowed_is_saved),
		cmocka_unit_test(test_not_shown),
		cmocka_unit_test(test_not_shown_to_others),
		cmocka_unit_test(test_workarounds),
	};

	return run_tap_tests("core_reg", tests);
}
