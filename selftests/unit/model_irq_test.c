// SPDX-License-Identifier: GPL-2.0
/*
 * Interrupts: masks at each stage, edges, and the interrupt of each event.
 */
#include "model_host.h"

static const struct {
	int group;
	int shift;
	uint32_t master;
} where[GEN9_NR_ENGINES] = {
	[GEN9_RCS0] = { 0, 0, MASTER_IRQ_RCS },
	[GEN9_BCS0] = { 0, 16, MASTER_IRQ_BCS },
	[GEN9_VCS0] = { 1, 0, MASTER_IRQ_VCS0 },
	[GEN9_VECS0] = { 3, 0, MASTER_IRQ_VECS },
};

static uint32_t iir(int e)
{
	return rd(GEN_GT_IIR(where[e].group)) >> where[e].shift & 0xffff;
}

static void clear(void)
{
	for (int g = 0; g < GEN_NR_GT_IRQ_GROUPS; g++)
		wr(GEN_GT_IIR(g), ~0u);
}

/* A request with a user interrupt only. */
static void run_interrupt(int e)
{
	struct ctx c;

	ctx_new(&c, e, 1);
	emit(&c, MI_CMD(OP_MI_USER_INTERRUPT));
	submit(&c);
	run_idle(e);
}

static void test_user_interrupt(void **state)
{
	(void)state;
	for (int e = 0; e < GEN9_NR_ENGINES; e++) {
		clear();
		assert_false(host.irq_level);
		host.irqs = 0;
		run_interrupt(e);
		assert_true(host.irq_level);
		assert_int_equal(host.irqs, 1);
		assert_int_equal(iir(e), GT_IRQ_USER | GT_IRQ_CONTEXT_SWITCH);
		assert_int_equal(rd(GEN_MASTER_IRQ),
				 MASTER_IRQ_ENABLE | where[e].master);
		for (int other = 0; other < GEN9_NR_ENGINES; other++)
			assert_true(other == e || !iir(other));
		/* one bit cleared: still pending */
		wr(GEN_GT_IIR(where[e].group), GT_IRQ_USER << where[e].shift);
		assert_true(host.irq_level);
		wr(GEN_GT_IIR(where[e].group), ~0u);
		assert_false(host.irq_level);
		assert_int_equal(rd(GEN_MASTER_IRQ), MASTER_IRQ_ENABLE);
	}
}

/* An interrupt masked in the engine is not latched. */
static void test_engine_mask(void **state)
{
	(void)state;
	for (int e = 0; e < GEN9_NR_ENGINES; e++) {
		clear();
		ewr(e, RING_IMR, ~(GT_IRQ_CONTEXT_SWITCH << where[e].shift));
		run_interrupt(e);
		assert_int_equal(iir(e), GT_IRQ_CONTEXT_SWITCH);
		ewr(e, RING_IMR, ~0u);
		clear();
		run_interrupt(e);
		assert_int_equal(iir(e), 0);
		assert_false(host.irq_level);
	}
}

/* Nor is one masked in the group. */
static void test_group_mask(void **state)
{
	(void)state;
	clear();
	wr(GEN_GT_IMR(0), 0xffff0000);
	run_interrupt(GEN9_BCS0);
	assert_int_equal(iir(GEN9_BCS0), 0);
	run_interrupt(GEN9_RCS0);
	assert_int_equal(iir(GEN9_RCS0), GT_IRQ_USER | GT_IRQ_CONTEXT_SWITCH);
}

/* One that is not enabled is latched, and sent when it is enabled. */
static void test_enable(void **state)
{
	(void)state;
	clear();
	wr(GEN_GT_IER(3), 0);
	run_interrupt(GEN9_VECS0);
	assert_int_equal(iir(GEN9_VECS0), GT_IRQ_USER | GT_IRQ_CONTEXT_SWITCH);
	assert_false(host.irq_level);
	wr(GEN_GT_IER(3), GT_IRQ_USER);
	assert_true(host.irq_level);
}

/* A handler disables and enables the master: pending interrupts send another message. */
static void test_master(void **state)
{
	(void)state;
	clear();
	run_interrupt(GEN9_RCS0);
	assert_int_equal(host.irqs > 0, 1);
	host.irqs = 0;
	wr(GEN_MASTER_IRQ, 0);
	assert_false(host.irq_level);
	assert_int_equal(rd(GEN_MASTER_IRQ), MASTER_IRQ_RCS);
	run_interrupt(GEN9_VCS0);
	assert_false(host.irq_level);
	wr(GEN_GT_IIR(0), ~0u);
	wr(GEN_MASTER_IRQ, MASTER_IRQ_ENABLE);
	assert_true(host.irq_level);
	assert_int_equal(host.irqs, 1);
	assert_int_equal(rd(GEN_MASTER_IRQ), MASTER_IRQ_ENABLE | MASTER_IRQ_VCS0);
	wr(GEN_MASTER_IRQ, 0);
	wr(GEN_GT_IIR(1), ~0u);
	wr(GEN_MASTER_IRQ, MASTER_IRQ_ENABLE);
	assert_false(host.irq_level);
	assert_int_equal(host.irqs, 1);
}

static void test_flush_notify(void **state)
{
	(void)state;
	for (int e = 0; e < GEN9_NR_ENGINES; e++) {
		struct ctx c;

		clear();
		ctx_new(&c, e, 1);
		if (e == GEN9_RCS0) {
			emit(&c, CMD_PIPE_CONTROL << 16 | 4);
			emit(&c, PC_NOTIFY);
			for (int i = 0; i < 4; i++)
				emit(&c, 0);
		} else {
			emit(&c, MI_CMD(OP_MI_FLUSH_DW) | MI_FLUSH_DW_NOTIFY | 2);
			for (int i = 0; i < 3; i++)
				emit(&c, 0);
		}
		submit(&c);
		run_idle(e);
		assert_true(iir(e) & GT_IRQ_FLUSH_NOTIFY);
		assert_false(iir(e) & GT_IRQ_USER);
	}
}

static void test_semaphore_interrupt(void **state)
{
	struct ctx c;

	(void)state;
	ctx_new(&c, GEN9_VCS0, 1);
	emit(&c, MI_CMD(OP_MI_SEMAPHORE_WAIT) | MI_SEMAPHORE_POLL | 4 << 12 | 2);
	emit(&c, 1);
	emit_addr(&c, DATA_VA);
	submit(&c);
	clear();
	assert_false(run_for(GEN9_VCS0, 10));
	assert_true(iir(GEN9_VCS0) & GT_IRQ_WAIT_SEMAPHORE);
	clear();
	assert_false(run_for(GEN9_VCS0, 10));	/* once, not at each evaluation */
	assert_false(iir(GEN9_VCS0) & GT_IRQ_WAIT_SEMAPHORE);
}

static void test_error_interrupt(void **state)
{
	struct ctx c;

	(void)state;
	clear();
	ctx_new(&c, GEN9_BCS0, 1);
	emit(&c, 0x20000000);
	submit(&c);
	run_for(GEN9_BCS0, 10);
	assert_true(iir(GEN9_BCS0) & GT_IRQ_CS_ERROR);
	assert_true(erd(GEN9_BCS0, RING_EIR) & RING_ERROR_INSTRUCTION);
	/* masked errors are not reported */
	wr(GEN_GDRST, GDRST_BCS);
	engine_setup(GEN9_BCS0);
	ewr(GEN9_BCS0, RING_EMR, ~0u);
	clear();
	ctx_new(&c, GEN9_BCS0, 2);
	emit(&c, 0x20000000);
	submit(&c);
	run_for(GEN9_BCS0, 10);
	assert_int_equal(iir(GEN9_BCS0) & GT_IRQ_CS_ERROR, 0);
	assert_int_equal(erd(GEN9_BCS0, RING_EIR), 0);
}

/* With an injected loss the line rises without a message. */
static void test_dropped(void **state)
{
	(void)state;
	clear();
	host.irqs = 0;
	gen9_gpu_inject(host.gpu, GEN9_INJ_DROP_IRQ, 1);
	run_interrupt(GEN9_RCS0);
	assert_int_equal(host.irqs, 0);
	assert_int_equal(iir(GEN9_RCS0), GT_IRQ_USER | GT_IRQ_CONTEXT_SWITCH);
	assert_int_equal(gen9_gpu_counter(host.gpu, GEN9_CNT_INTERRUPTS_DROPPED),
			 1);
}

/* After that messages are sent again. */
static void test_after_dropped(void **state)
{
	test_dropped(state);
	clear();
	run_interrupt(GEN9_RCS0);
	assert_int_equal(host.irqs, 1);
	assert_true(host.irq_level);
}

/* The line and its report agree for all register values. */
static void test_random(void **state)
{
	(void)state;
	for (unsigned i = 0; i < rounds(20000); i++) {
		static const uint32_t regs[] = {
			GEN_MASTER_IRQ, GEN_GT_IMR(0), GEN_GT_IIR(0),
			GEN_GT_IER(0), GEN_GT_IMR(1), GEN_GT_IIR(1),
			GEN_GT_IER(1), GEN_GT_IMR(2), GEN_GT_IIR(2),
			GEN_GT_IER(2), GEN_GT_IMR(3), GEN_GT_IIR(3),
			GEN_GT_IER(3), GEN_PCU_IIR, GEN_PCU_IER,
		};
		uint32_t pending = 0;

		if (rnd_below(50) == 0) {
			host.next_page = 0x100000;
			host.next_ggtt = 0x800000;
			run_interrupt(rnd_below(GEN9_NR_ENGINES));
		}
		wr(regs[rnd_below(ARRAY_SIZE(regs))],
		   rnd_below(2) ? rnd() : rnd_below(2) - 1);
		for (int g = 0; g < GEN_NR_GT_IRQ_GROUPS; g++)
			pending |= rd(GEN_GT_IIR(g)) & rd(GEN_GT_IER(g));
		pending |= rd(GEN_PCU_IIR) & rd(GEN_PCU_IER);
		assert_int_equal(host.irq_level,
				 pending && rd(GEN_MASTER_IRQ) & MASTER_IRQ_ENABLE);
		assert_int_equal(!pending,
				 !(rd(GEN_MASTER_IRQ) & ~MASTER_IRQ_ENABLE));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		gpu_test(test_user_interrupt),
		gpu_test(test_engine_mask),
		gpu_test(test_group_mask),
		gpu_test(test_enable),
		gpu_test(test_master),
		gpu_test(test_flush_notify),
		gpu_test(test_semaphore_interrupt),
		gpu_test(test_error_interrupt),
		gpu_test(test_dropped),
		gpu_test(test_after_dropped),
		gpu_test(test_random),
	};

	return run_tap_tests("model_irq", tests);
}
