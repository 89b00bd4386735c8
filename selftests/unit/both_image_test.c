// SPDX-License-Identifier: GPL-2.0
/*
 * Images that the model saves are shown to the guest, merged into the golden context, and loaded
 * again. Nothing in them is refused, and no value of the guest is lost, on both generations.
 */
#include "core/ctx/golden.h"		/* first: the model takes what is defined */
#include "core/ctx/lrc.h"
#include "core/regs/regtable.h"
#include "test.h"
#include "model_host.h"
#include "gen/ctxregs.h"

#define STATE_DWORDS	((GEN9_RCS_CTX_PAGES - 1) * 1024)
#define SETUP		(2u << 29 | OP_XY_SETUP_BLT << 22 | 3 << 20 | 8)
#define PIXEL		(2u << 29 | OP_XY_PIXEL_BLT << 22)

static const u32 ps_count[] = { 0x22c8, 0x22f0, 0x2448 };	/* a slice each */
static u32 from[STATE_DWORDS], to[STATE_DWORDS], merged[STATE_DWORDS], fresh[STATE_DWORDS];
static struct gslot_golden_reg regs[STATE_DWORDS / 2];
static struct gslot_golden golden;

static u32 *image_of(const struct ctx *c)
{
	return (u32 *)(host.ram + c->image + LRC_STATE_PAGE * 4096);
}

/* As the hardware leaves the reset. */
static void record_golden(int engine, u32 gen)
{
	u32 missing;
	struct ctx c;

	ctx_new(&c, engine, 3);
	if (engine == GEN9_BCS0) {
		emit(&c, SETUP);
		for (int i = 1; i < 10; i++)
			emit(&c, 0);
	}
	submit(&c);
	run_idle(engine);
	golden = (struct gslot_golden) {
		.state = fresh, .dwords = (gslot_context_pages(engine, gen) - 1) * 1024,
		.regs = regs, .room = ARRAY_SIZE(regs),
	};
	memcpy(fresh, image_of(&c), golden.dwords * sizeof(u32));
	assert_int_equal(gslot_golden_init(&golden, engine, gen, &missing), 0);
}

/* On Gen8 other engines have no general purpose registers. */
static bool has_gprs(int engine, u32 gen)
{
	return engine == GEN9_RCS0 || gen >= 9;
}

/* Registers and, on the blitter, what its commands set up. */
static void fill_context(struct ctx *c, u32 gen)
{
	batch_begin(c);
	if (has_gprs(c->engine, gen))
		batch_lri(c, engine_base[c->engine] + RING_GPR(3), 0x3333);
	if (c->engine == GEN9_BCS0) {
		batch(c, SETUP);
		batch(c, 3 << 24 | 0xf0 << 16 | 64);
		batch(c, 0);
		batch(c, 4 << 16 | 8);
		batch_addr(c, DATA_VA + 0x1000);
		batch(c, 0xbbbb);
		batch(c, 0xffff);
		batch_addr(c, 0);
	}
	emit_batch(c);
	if (c->engine == GEN9_RCS0) {
		for (u32 i = 0; i < 3; i++) {
			emit(c, MI_CMD(OP_MI_LOAD_REGISTER_IMM) | 1);
			emit(c, ps_count[i]);
			emit(c, 0x100 + i);
		}
	}
	submit(c);
	run_idle(c->engine);
}

/* To the guest and back again. Return: what was refused. */
static int round_trip(struct ctx *c, u32 gen)
{
	u32 *image = image_of(c);
	u32 dwords = (gslot_context_pages(c->engine, gen) - 1) * 1024;
	int denied;

	memcpy(from, image, dwords * sizeof(u32));
	memset(to, 0, sizeof(to));
	assert_true(gslot_lrc_filter(c->engine, gen, to, from, dwords) > 0);
	denied = gslot_golden_merge(&golden, c->engine, gen, merged, to);
	memcpy(image + LRC_RING_CONTEXT_DWORDS, merged + LRC_RING_CONTEXT_DWORDS,
	       (dwords - LRC_RING_CONTEXT_DWORDS) * sizeof(u32));
	ctx_set(c, LRC_CONTEXT_CONTROL, GEN_MASKED_DISABLE(CTX_CTRL_RESTORE_INHIBIT));
	return denied;
}

static void check_context(struct ctx *c, u32 gen)
{
	batch_begin(c);
	batch_srm(c, engine_base[c->engine] + RING_GPR(3), DATA_VA);
	if (c->engine == GEN9_BCS0) {
		batch(c, PIXEL);
		batch(c, 2 << 16 | 1);
	}
	if (c->engine == GEN9_RCS0)
		for (u32 i = 0; i < 3; i++)
			batch_srm(c, ps_count[i], DATA_VA + 4 + 4 * i);
	emit_batch(c);
	submit(c);
	run_idle(c->engine);
	assert_int_equal(data32(c, 0), has_gprs(c->engine, gen) ? 0x3333 : 0);
	if (c->engine == GEN9_BCS0)
		assert_int_equal(data32(c, 0x1000 + 2 * 64 + 4), 0xbbbb);
	for (u32 i = 0; c->engine == GEN9_RCS0 && i < 3; i++)
		assert_int_equal(data32(c, 4 + 4 * i), 0x100 + i);
	assert_int_equal(counter(c->engine, GEN9_CNT_ERRORS), 0);
}

static void round_trips(u32 gen)
{
	for (int e = 0; e < GEN9_NR_ENGINES; e++) {
		struct ctx c, other;

		record_golden(e, gen);
		ctx_new(&c, e, 1);
		ctx_new(&other, e, 2);
		fill_context(&c, gen);
		assert_int_equal(round_trip(&c, gen), 0);
		emit_store(&other, DATA_VA, 1);
		submit(&other);
		run_idle(e);
		check_context(&c, gen);
	}
}

static void test_round_trip(void **state)
{
	(void)state;
	round_trips(9);
}

static void test_round_trip_gen8(void **state)
{
	const Gen9Config config = { .gen = 8 };

	teardown(state);
	host_start(&config);
	round_trips(8);
}

/* Each register of an image has a row that says what becomes of it. */
static void check_decided(int engine, u32 reg)
{
	for (u32 gen = engine == GSLOT_RCS0 ? 8 : 9; gen <= 9; gen++)
		if (!gslot_reg_find(reg, gen) || gslot_reg_cmd(engine, reg, gen) == GSLOT_CMD_DENY)
			fail_msg("%s: %#x is in images, and refused", gslot_engines[engine].name,
				 reg);
}

static void test_decided(void **state)
{
	(void)state;
	for (int e = 0; e < GSLOT_NR_ENGINES; e++) {
		u32 base = gslot_engines[e].base;

		for (u32 i = 0; i < ARRAY_SIZE(gen_ctx_common); i++)
			check_decided(e, base + gen_ctx_common[i]);
		for (u32 i = 0; i < 2 * RING_NR_GPR; i++)
			check_decided(e, base + RING_GPR(0) + 4 * i);
		check_decided(e, base + RING_IPEHR);
	}
	for (const struct gen_ctx_regs *r = gen_ctx_rcs; r->count; r++)
		for (u32 i = 0; i < r->count; i++)
			check_decided(GSLOT_RCS0, r->first + 4 * i);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		gpu_test(test_round_trip),
		gpu_test(test_round_trip_gen8),
		cmocka_unit_test(test_decided),
	};

	return run_tap_tests("both_image", tests);
}
