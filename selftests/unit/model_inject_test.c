// SPDX-License-Identifier: GPL-2.0
/*
 * Injected errors: each occurs as often as requested, has only the described
 * effect, and ends when it is set to 0.
 */
#include "model_host.h"

#define DONE	(CSB_COMPLETE | CSB_ACTIVE_IDLE)
#define SWITCH	(CSB_COMPLETE | CSB_ELEMENT_SWITCH)

static const uint32_t gdrst_bit[GEN9_NR_ENGINES] = {
	GDRST_RCS, GDRST_BCS, GDRST_VCS0, GDRST_VECS,
};

static const uint32_t tlb_reg[GEN9_NR_ENGINES] = {
	GEN_TLB_INV_RCS, GEN_TLB_INV_BCS, GEN_TLB_INV_VCS0, GEN_TLB_INV_VECS,
};

static void inject(int engine, Gen9EngineInjection what, uint32_t times)
{
	gen9_engine_inject(host.gpu, engine, what, times);
}

static uint32_t left(int engine, Gen9EngineInjection what)
{
	return gen9_engine_injections(host.gpu, engine, what);
}

static bool request_reset(int engine)
{
	bool ready;

	ewr(engine, RING_RESET_CTL, GEN_MASKED_ENABLE(RESET_CTL_REQUEST));
	ready = erd(engine, RING_RESET_CTL) & RESET_CTL_READY;
	ewr(engine, RING_RESET_CTL, GEN_MASKED_DISABLE(RESET_CTL_REQUEST));
	return ready;
}

static void test_ready(void **state)
{
	(void)state;
	for (int e = 0; e < GEN9_NR_ENGINES; e++) {
		int other = (e + 1) % GEN9_NR_ENGINES;

		inject(e, GEN9_INJ_FAIL_READY, 2);
		assert_false(request_reset(e));
		assert_true(request_reset(other));
		assert_int_equal(left(e, GEN9_INJ_FAIL_READY), 1);
		assert_false(request_reset(e));
		assert_true(request_reset(e));
		inject(e, GEN9_INJ_FAIL_READY, GEN9_INJ_FOREVER);
		for (int i = 0; i < 10; i++)
			assert_false(request_reset(e));
		inject(e, GEN9_INJ_FAIL_READY, 0);
		assert_true(request_reset(e));
	}
}

/* The engine keeps its state, its bit stays set; the others are reset. */
static void test_reset(void **state)
{
	(void)state;
	for (int e = 0; e < GEN9_NR_ENGINES; e++) {
		int other = (e + 1) % GEN9_NR_ENGINES;
		uint64_t resets = counter(e, GEN9_CNT_RESETS);
		uint64_t others = counter(other, GEN9_CNT_RESETS);

		inject(e, GEN9_INJ_FAIL_RESET, 1);
		wr(GEN_GDRST, gdrst_bit[e] | gdrst_bit[other]);
		assert_int_equal(rd(GEN_GDRST), gdrst_bit[e]);
		assert_int_equal(counter(e, GEN9_CNT_RESETS), resets);
		assert_int_equal(counter(other, GEN9_CNT_RESETS), others + 1);
		/* another engine's reset does not release it, its own does */
		wr(GEN_GDRST, gdrst_bit[other]);
		assert_int_equal(rd(GEN_GDRST), gdrst_bit[e]);
		wr(GEN_GDRST, gdrst_bit[e]);
		assert_int_equal(rd(GEN_GDRST), 0);
		assert_int_equal(counter(e, GEN9_CNT_RESETS), resets + 1);

		inject(e, GEN9_INJ_FAIL_RESET, GEN9_INJ_FOREVER);
		wr(GEN_GDRST, gdrst_bit[e]);
		assert_int_equal(rd(GEN_GDRST), gdrst_bit[e]);
		inject(e, GEN9_INJ_FAIL_RESET, 0);
		assert_int_equal(rd(GEN_GDRST), 0);
		assert_int_equal(counter(e, GEN9_CNT_RESETS), resets + 1);
	}
}

/* A full reset succeeds where the engine's own reset does not. */
static void test_full_reset(void **state)
{
	uint64_t resets = counter(GEN9_RCS0, GEN9_CNT_RESETS);

	(void)state;
	inject(GEN9_RCS0, GEN9_INJ_FAIL_RESET, GEN9_INJ_FOREVER);
	wr(GEN_GDRST, GDRST_RCS);
	assert_int_equal(rd(GEN_GDRST), GDRST_RCS);
	wr(GEN_GDRST, GDRST_FULL);
	assert_int_equal(rd(GEN_GDRST), 0);
	assert_int_equal(counter(GEN9_RCS0, GEN9_CNT_RESETS), resets + 1);

	gen9_gpu_inject(host.gpu, GEN9_INJ_FAIL_FULL_RESET, 1);
	wr(GEN_GDRST, GDRST_FULL);
	assert_int_equal(rd(GEN_GDRST), GDRST_FULL);
	assert_int_equal(counter(GEN9_RCS0, GEN9_CNT_RESETS), resets + 1);
	assert_int_equal(gen9_gpu_injections(host.gpu,
					     GEN9_INJ_FAIL_FULL_RESET), 0);
	wr(GEN_GDRST, GDRST_FULL);
	assert_int_equal(rd(GEN_GDRST), 0);
	assert_int_equal(counter(GEN9_RCS0, GEN9_CNT_RESETS), resets + 2);

	gen9_gpu_inject(host.gpu, GEN9_INJ_FAIL_FULL_RESET, GEN9_INJ_FOREVER);
	wr(GEN_GDRST, GDRST_FULL);
	gen9_gpu_inject(host.gpu, GEN9_INJ_FAIL_FULL_RESET, 0);
	assert_int_equal(rd(GEN_GDRST), 0);
}

/* An invalidation that stays busy keeps the TLB until it is released. */
static void test_tlb(void **state)
{
	(void)state;
	for (int e = 0; e < GEN9_NR_ENGINES; e++) {
		uint64_t entry;
		struct ctx c;

		ctx_new(&c, e, 1);
		emit_store(&c, DATA_VA, 1);
		submit(&c);
		run_idle(e);
		entry = ppgtt_entry(c.pml4, DATA_VA, 0);
		set_ram64(entry, ram64(entry) + 4096);

		inject(e, GEN9_INJ_TLB_BUSY, GEN9_INJ_FOREVER);
		wr(tlb_reg[e], 1);
		assert_int_equal(rd(tlb_reg[e]), 1);
		emit_store(&c, DATA_VA, 2);
		submit(&c);
		run_idle(e);
		assert_int_equal(data32(&c, 0), 2);	/* the old page */
		assert_int_equal(rd(tlb_reg[e]), 1);

		inject(e, GEN9_INJ_TLB_BUSY, 0);
		assert_int_equal(rd(tlb_reg[e]), 0);
		emit_store(&c, DATA_VA, 3);
		submit(&c);
		run_idle(e);
		assert_int_equal(data32(&c, 0), 2);
		assert_int_equal(data32(&c, 4096), 3);

		inject(e, GEN9_INJ_TLB_BUSY, 1);
		wr(tlb_reg[e], 1);
		assert_int_equal(rd(tlb_reg[e]), 1);
		wr(tlb_reg[e], 1);
		assert_int_equal(rd(tlb_reg[e]), 1);
		assert_int_equal(rd(tlb_reg[e]), 0);
	}
}

/* The engine reports completion without execution. */
static void test_short(void **state)
{
	(void)state;
	for (int e = 0; e < GEN9_NR_ENGINES; e++) {
		struct ctx a, b;

		ctx_new(&a, e, 1);
		ctx_new(&b, e, 2);
		inject(e, GEN9_INJ_CSB_SHORT, 1);
		emit_store(&a, DATA_VA, 1);
		emit_store(&b, DATA_VA, 1);
		submit2(&a, &b);
		run_idle(e);
		assert_csb(e, CSB_IDLE_ACTIVE, 0);
		assert_csb(e, SWITCH, 1);
		assert_csb(e, DONE, 2);
		assert_no_csb(e);
		assert_int_equal(data32(&a, 0), 0);
		assert_int_equal(data32(&b, 0), 1);
		assert_int_equal(ctx_get(&a, LRC_RING_HEAD), 0);
		assert_int_equal(left(e, GEN9_INJ_CSB_SHORT), 0);

		/* submitted again, it continues there */
		submit(&a);
		run_idle(e);
		assert_csb(e, CSB_IDLE_ACTIVE, 0);
		assert_csb(e, DONE, 1);
		assert_int_equal(data32(&a, 0), 1);

		inject(e, GEN9_INJ_CSB_SHORT, GEN9_INJ_FOREVER);
		emit_store(&a, DATA_VA, 2);
		for (int i = 0; i < 4; i++) {
			submit(&a);
			run_idle(e);
			assert_csb(e, CSB_IDLE_ACTIVE, 0);
			assert_csb(e, DONE, 1);
			assert_int_equal(data32(&a, 0), 1);
		}
		/* a context without work completes as usual */
		inject(e, GEN9_INJ_CSB_SHORT, 1);
		submit(&b);
		run_idle(e);
		assert_int_equal(left(e, GEN9_INJ_CSB_SHORT), 1);
		inject(e, GEN9_INJ_CSB_SHORT, 0);
	}
}

static void test_twice(void **state)
{
	(void)state;
	for (int e = 0; e < GEN9_NR_ENGINES; e++) {
		struct ctx c;

		ctx_new(&c, e, 5);
		inject(e, GEN9_INJ_CSB_TWICE, 2);
		emit_store(&c, DATA_VA, 1);
		submit(&c);
		run_idle(e);
		assert_csb(e, CSB_IDLE_ACTIVE, 0);
		assert_csb(e, CSB_IDLE_ACTIVE, 0);
		assert_csb(e, DONE, 5);
		assert_csb(e, DONE, 5);
		assert_no_csb(e);
		assert_int_equal(data32(&c, 0), 1);
		submit(&c);
		run_idle(e);
		assert_csb(e, CSB_IDLE_ACTIVE, 0);
		assert_csb(e, DONE, 5);
		assert_no_csb(e);
	}
}

/*
 * A driver writes a context's new tail and submits it. The hardware loads the context between the
 * two: it executes up to the new tail, completes, and then loads the context again.
 */
static void test_load_late(void **state)
{
	(void)state;
	for (int e = 0; e < GEN9_NR_ENGINES; e++) {
		struct ctx c;

		ctx_new(&c, e, 5);
		inject(e, GEN9_INJ_LOAD_LATE, 1);
		emit_store(&c, DATA_VA, 1);
		submit(&c);
		run_idle(e);
		assert_csb(e, CSB_IDLE_ACTIVE, 0);
		assert_no_csb(e);
		assert_int_equal(data32(&c, 0), 0);
		assert_int_equal(left(e, GEN9_INJ_LOAD_LATE), 0);
		emit_store(&c, DATA_VA + 4, 2);
		submit(&c);
		run_idle(e);
		assert_csb(e, DONE, 5);
		assert_csb(e, CSB_IDLE_ACTIVE, 0);
		assert_csb(e, DONE, 5);
		assert_no_csb(e);
		assert_int_equal(data32(&c, 0), 1);
		assert_int_equal(data32(&c, 4), 2);
	}
}

/* An event without a cause, on an idle engine. */
static void test_spurious(void **state)
{
	(void)state;
	for (int e = 0; e < GEN9_NR_ENGINES; e++) {
		inject(e, GEN9_INJ_CSB_STORM, 1);
		assert_true(host.kicks[e]);
		run_idle(e);
		assert_csb(e, DONE, 0xffffffff);
		assert_no_csb(e);
		gen9_inject_event(host.gpu, e,
				  CSB_PREEMPTED | 0x1234ULL << 32);
		run_idle(e);
		assert_csb(e, CSB_PREEMPTED, 0x1234);
		assert_no_csb(e);
		inject(e, GEN9_INJ_CSB_STORM, 3);
		run_idle(e);
		for (int i = 0; i < 3; i++)
			assert_csb(e, CSB_PREEMPTED, 0x1234);
		assert_no_csb(e);
	}
}

/* They never end; requests complete nevertheless. */
static void test_storm(void **state)
{
	(void)state;
	for (int e = 0; e < GEN9_NR_ENGINES; e++) {
		struct ctx c;

		ctx_new(&c, e, 5);
		inject(e, GEN9_INJ_CSB_STORM, GEN9_INJ_FOREVER);
		assert_false(run_for(e, 10));
		emit_store(&c, DATA_VA, 1);
		submit(&c);
		assert_false(run_for(e, 10));
		assert_int_equal(data32(&c, 0), 1);
		assert_int_equal(ctx_get(&c, LRC_RING_HEAD), c.tail);
		/* a disabled engine reports nothing */
		wr(GEN_GDRST, gdrst_bit[e]);
		ewr(e, RING_MODE, GEN_MASKED_DISABLE(RING_MODE_RUN_LIST));
		run_idle(e);
		inject(e, GEN9_INJ_CSB_STORM, 0);
		engine_setup(e);
		run_idle(e);
		assert_no_csb(e);
	}
}

/* The message of each engine can be lost; the next edge sends one. */
static void test_lost_interrupts(void **state)
{
	(void)state;
	for (int e = 0; e < GEN9_NR_ENGINES; e++) {
		struct ctx c;

		ctx_new(&c, e, 5);
		gen9_gpu_inject(host.gpu, GEN9_INJ_DROP_IRQ, 1);
		host.irqs = 0;
		emit(&c, MI_CMD(OP_MI_USER_INTERRUPT));
		submit(&c);
		run_idle(e);
		assert_int_equal(host.irqs, 0);
		/* the registers show it */
		wr(GEN_MASTER_IRQ, 0);
		assert_int_not_equal(rd(GEN_MASTER_IRQ), 0);
		for (int g = 0; g < GEN_NR_GT_IRQ_GROUPS; g++)
			wr(GEN_GT_IIR(g), rd(GEN_GT_IIR(g)));
		wr(GEN_MASTER_IRQ, MASTER_IRQ_ENABLE);
		assert_int_equal(host.irqs, 0);
		emit(&c, MI_CMD(OP_MI_USER_INTERRUPT));
		submit(&c);
		run_idle(e);
		assert_int_equal(host.irqs, 1);
		wr(GEN_MASTER_IRQ, 0);
		for (int g = 0; g < GEN_NR_GT_IRQ_GROUPS; g++)
			wr(GEN_GT_IIR(g), ~0u);
		wr(GEN_MASTER_IRQ, MASTER_IRQ_ENABLE);
	}
}

/* A hung engine is not preempted at any command. */
static void test_hang_keeps_engine(void **state)
{
	(void)state;
	for (int e = 0; e < GEN9_NR_ENGINES; e++) {
		struct ctx a, b;

		ctx_new(&a, e, 1);
		ctx_new(&b, e, 2);
		gen9_inject_hang(host.gpu, e, 4);
		for (int i = 0; i < 4; i++) {
			emit(&a, MI_CMD(OP_MI_ARB_CHECK));
			emit_store(&a, DATA_VA + 4 * i, 1);
		}
		assert_int_equal(gen9_hang_left(host.gpu, e), 4);
		submit(&a);
		run_idle(e);
		assert_int_equal(gen9_hang_left(host.gpu, e), 0);
		assert_csb(e, CSB_IDLE_ACTIVE, 0);
		emit_store(&b, DATA_VA, 1);
		submit(&b);
		run_idle(e);
		assert_no_csb(e);
		assert_int_equal(data32(&a, 12), 0);
		assert_int_equal(data32(&b, 0), 0);
		wr(GEN_GDRST, gdrst_bit[e]);
		engine_setup(e);
		submit(&b);
		run_idle(e);
		assert_int_equal(data32(&b, 0), 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		gpu_test(test_ready),
		gpu_test(test_reset),
		gpu_test(test_full_reset),
		gpu_test(test_tlb),
		gpu_test(test_short),
		gpu_test(test_twice),
		gpu_test(test_load_late),
		gpu_test(test_spurious),
		gpu_test(test_storm),
		gpu_test(test_lost_interrupts),
		gpu_test(test_hang_keeps_engine),
	};

	return run_tap_tests("model_inject", tests);
}
