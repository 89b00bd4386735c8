// SPDX-License-Identifier: GPL-2.0
/*
 * The model as a Broadwell, where it differs from Gen9.
 */
#include "model_host.h"

#define MI_MODE_AT	0x58	/* dwords of rcs' image in i915 */
#define BB_OFFSET_AT	0xc4
#define GPR0_AT		0xd8

static int setup_gen8(void **state)
{
	const Gen9Config config = { .gen = 8 };

	(void)state;
	host_start(&config);
	return 0;
}

static void test_forcewake(void **state)
{
	(void)state;
	wr(GEN8_FORCEWAKE_MT, GEN_MASKED_ENABLE(FORCEWAKE_KERNEL));
	assert_int_equal(rd(GEN8_FORCEWAKE_MT_ACK), FORCEWAKE_KERNEL);
	wr(GEN8_FORCEWAKE_MT, GEN_MASKED_DISABLE(FORCEWAKE_KERNEL));
	assert_int_equal(rd(GEN8_FORCEWAKE_MT_ACK), 0);
	wr(GEN_FORCEWAKE_RENDER, GEN_MASKED_ENABLE(FORCEWAKE_KERNEL));
	wr(GEN_FORCEWAKE_MEDIA, GEN_MASKED_ENABLE(FORCEWAKE_KERNEL));
	assert_int_equal(rd(GEN_FORCEWAKE_RENDER_ACK), 0);
	assert_int_equal(rd(GEN_FORCEWAKE_MEDIA_ACK), 0);
}

static void test_fuses(void **state)
{
	static const struct { uint32_t reg, value; } fuses[] = {
		{ BDW_FUSE_STRAP, FUSE_STRAP_DISPLAY_DISABLE },
		{ BDW_SFUSE_STRAP, SFUSE_STRAP_DISPLAY_DISABLE },
		{ GEN_FUSE2, 1 << 25 },		/* a slice; no subslice is missing */
		{ GEN_EU_DISABLE(0), 0 },
		{ GEN_CTC_MODE, 0 },
		{ GEN_GUC_STATUS, 0 },
		{ SKL_DFSM, 0 },
		{ GEN_MOCS_RCS(0), 0 },
		{ GEN_MOCS_BCS(GEN9_NR_MOCS - 1), 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(fuses); i++) {
		assert_int_equal(rd(fuses[i].reg), fuses[i].value);
		wr(fuses[i].reg, ~0u);
		assert_int_equal(rd(fuses[i].reg), fuses[i].value);
	}
	wr(GEN_PAT_LO, 0x12345678);
	assert_int_equal(rd(GEN_PAT_LO), 0x12345678);
}

/* Requests in 31:24, the answer in 13:7. */
static void test_frequency(void **state)
{
	(void)state;
	wr(GEN_RPNSWREQ, 0x17u << 24);
	assert_int_equal(rd(GEN_RPSTAT1), 0x17 << 7);
}

static void test_timestamp(void **state)
{
	uint32_t before = erd(GEN9_RCS0, RING_TIMESTAMP);

	(void)state;
	host.now += 1000000;
	assert_int_equal(erd(GEN9_RCS0, RING_TIMESTAMP) - before, 12500);
}

/* i915 ends its first image behind the last list; the hardware saves a whole one. */
static void prime(struct ctx *c)
{
	uint32_t end = c->engine == GEN9_RCS0 ? LRC_PWR_CLK_STATE + 1 : LRC_PWR_CLK_STATE + 3;

	ctx_set(c, end, MI_CMD(OP_MI_BATCH_BUFFER_END));
	emit(c, 0);
	submit(c);
	run_idle(c->engine);
	ctx_set(c, LRC_CONTEXT_CONTROL, GEN_MASKED_DISABLE(CTX_CTRL_RESTORE_INHIBIT));
}

/* Fields that i915 sets in saved images have i915's offsets. */
static void test_rcs_image(void **state)
{
	struct ctx a, b;

	(void)state;
	ctx_new(&a, GEN9_RCS0, 1);
	ctx_new(&b, GEN9_RCS0, 2);
	prime(&a);
	prime(&b);
	assert_int_equal(ctx_get(&a, MI_MODE_AT), GEN_RCS0_BASE + RING_MI_MODE);
	assert_int_equal(ctx_get(&a, BB_OFFSET_AT), GEN_RCS0_BASE + RING_BB_OFFSET);
	for (int i = 0; i < RING_NR_GPR; i++) {
		assert_int_equal(ctx_get(&a, GPR0_AT + 4 * i), GEN_RCS0_BASE + RING_GPR(i));
		ctx_set(&a, GPR0_AT + 4 * i + 1, 0x100 + i);
	}
	/* The last register of the render state is saved and restored, too. */
	emit(&a, MI_CMD(OP_MI_LOAD_REGISTER_IMM) | 1);
	emit(&a, GEN_ROW_CHICKEN2);
	emit(&a, GEN_MASKED_ENABLE(4));
	submit(&a);
	run_idle(GEN9_RCS0);
	submit(&b);
	run_idle(GEN9_RCS0);
	batch_begin(&a);
	for (int i = 0; i < RING_NR_GPR; i++)
		batch_srm(&a, GEN_RCS0_BASE + RING_GPR(i), DATA_VA + 4 * i);
	batch_srm(&a, GEN_ROW_CHICKEN2, DATA_VA + 4 * RING_NR_GPR);
	emit_batch(&a);
	submit(&a);
	run_idle(GEN9_RCS0);
	for (int i = 0; i < RING_NR_GPR; i++)
		assert_int_equal(data32(&a, 4 * i), 0x100 + i);
	assert_int_equal(data32(&a, 4 * RING_NR_GPR), 4);
}

static void test_xcs_image(void **state)
{
	(void)state;
	for (int e = GEN9_RCS0 + 1; e < GEN9_NR_ENGINES; e++) {
		struct ctx c;

		ctx_new(&c, e, 1);
		prime(&c);
		assert_int_equal(ctx_get(&c, LRC_LRI2) & ~MI_LRI_FORCE_POSTED,
				 MI_CMD(OP_MI_LOAD_REGISTER_IMM) | 3);
		assert_int_equal(ctx_get(&c, LRC_LRI2 + 1), engine_base[e] + BCS_SWCTRL);
		assert_int_equal(ctx_get(&c, LRC_LRI2 + 3), engine_base[e] + RING_EXCC);
		/* The image is loaded to its end. */
		emit_store(&c, DATA_VA, 7);
		submit(&c);
		run_idle(e);
		assert_int_equal(data32(&c, 0), 7);
	}
}

static void test_no_gprs(void **state)
{
	(void)state;
	for (int e = 0; e < GEN9_NR_ENGINES; e++) {
		struct ctx c;

		ctx_new(&c, e, 1);
		emit(&c, MI_CMD(OP_MI_LOAD_REGISTER_IMM) | 1);
		emit(&c, engine_base[e] + RING_GPR(3));
		emit(&c, 0x3333);
		emit(&c, MI_CMD(OP_MI_STORE_REGISTER_MEM) | 2);
		emit(&c, engine_base[e] + RING_GPR(3));
		emit_addr(&c, DATA_VA);
		submit(&c);
		run_idle(e);
		assert_int_equal(data32(&c, 0), e == GEN9_RCS0 ? 0x3333 : 0);
	}
}

/* Gen9's blitter lets user batches write any register. */
static void test_blitter_checks(void **state)
{
	struct ctx c;

	(void)state;
	ctx_new(&c, GEN9_BCS0, 1);
	wr(GEN_IDICR, 1);
	batch_begin(&c);
	batch_lri(&c, GEN_IDICR, 2);
	batch_lri(&c, GEN_BCS0_BASE + BCS_SWCTRL, GEN_MASKED_ENABLE(BCS_DST_Y));
	batch_srm(&c, GEN_BCS0_BASE + BCS_SWCTRL, DATA_VA);
	emit_batch(&c);
	submit(&c);
	run_idle(GEN9_BCS0);
	assert_int_equal(rd(GEN_IDICR), 1);
	assert_int_equal(counter(GEN9_BCS0, GEN9_CNT_BLOCKED), 1);
	assert_int_equal(data32(&c, 0), BCS_DST_Y);
}

/* A directory entry's bit 11 is ignored. */
static void test_no_64k(void **state)
{
	struct ctx c;
	uint64_t pde;

	(void)state;
	ctx_new(&c, GEN9_BCS0, 1);
	pde = ppgtt_entry(c.pml4, DATA_VA, 1);
	set_ram64(pde, ram64(pde) | GEN_PDE_64K);
	emit_store(&c, DATA_VA + 0x1000, 5);
	submit(&c);
	run_idle(GEN9_BCS0);
	assert_int_equal(data32(&c, 0x1000), 5);
}

#define gen8_test(f) cmocka_unit_test_setup_teardown(f, setup_gen8, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		gen8_test(test_forcewake),
		gen8_test(test_fuses),
		gen8_test(test_frequency),
		gen8_test(test_timestamp),
		gen8_test(test_rcs_image),
		gen8_test(test_xcs_image),
		gen8_test(test_no_gprs),
		gen8_test(test_blitter_checks),
		gen8_test(test_no_64k),
	};

	return run_tap_tests("model_gen8", tests);
}
