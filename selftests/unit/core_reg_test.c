// SPDX-License-Identifier: GPL-2.0
/*
 * The register tables: what a search by bisection needs of them, and that no
 * command of a guest can write what a context does not take along.
 */
#include "test.h"
#include "gen/ctxregs.h"
#include "gen/lrc.h"
#include "gen/regs.h"
#include "regtable.h"

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
		/* Those of a block say whose, and only those. */
		assert_int_equal(!!rows[i].engines, ring);
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

/* That a row has its handler, and a handler its functions, the compiler checks. */
static void test_handlers(void **state)
{
	u8 seen[GSLOT_REG_NR_CLASSES] = { 0 };
	const struct gslot_reg *rows;
	u32 count;

	(void)state;
	for (int ring = 0; ring < 2; ring++) {
		rows = gslot_reg_rows(ring, &count);
		for (u32 i = 0; i < count; i++) {
			assert_true(rows[i].class > GSLOT_REG_UNKNOWN);
			assert_true(rows[i].class < GSLOT_REG_NR_CLASSES);
			seen[rows[i].class] = 1;
		}
	}
	for (u32 i = GSLOT_REG_FIRST_HANDLER; i < GSLOT_REG_NR_CLASSES; i++)
		if (!seen[i])
			fail_msg("handler %u has no register", i - GSLOT_REG_FIRST_HANDLER);
}

static bool is_saved(int engine, u32 reg)
{
	u32 rel = reg - gslot_engines[engine].base;

	if (rel >= RING_GPR(0) && rel <= RING_GPR_UDW(15))
		return true;
	for (u32 i = 0; i < ARRAY_SIZE(gen_ctx_common); i++)
		if (rel == gen_ctx_common[i])
			return true;
	if (engine == GSLOT_BCS0)
		return rel == BCS_SWCTRL;
	if (engine != GSLOT_RCS0)
		return false;
	if (reg == RCS_PWR_CLK_STATE)
		return true;
	for (const struct gen_ctx_regs *r = gen_ctx_rcs; r->count; r++)
		if (reg >= r->first && reg < r->first + 4 * r->count)
			return true;
	return false;
}

/* What commands of a guest may write is in the image of its context. */
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
				if (!is_saved(e, reg))
					fail_msg("%s: %#x is allowed, no context saves it",
						 gslot_engines[e].name, reg);
			}
		}
	}
	assert_true(allowed > 100);
}

/*
 * Where the host has put a guest's ring, images and batches, and what it told
 * the hardware of them and of others: nothing that a command may show.
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

/* What the workarounds of a stock i915 write into its contexts. */
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
		cmocka_unit_test(test_handlers),
		cmocka_unit_test(test_allowed_is_saved),
		cmocka_unit_test(test_not_shown),
		cmocka_unit_test(test_workarounds),
	};

	return run_tap_tests("core_reg", tests);
}
