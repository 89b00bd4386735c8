// SPDX-License-Identifier: GPL-2.0
/*
 * Execution lists: the events of a submission and their order, lite restore,
 * preemption at arbitration points only, stop, hang and reset.
 */
#include "model_host.h"

#define DONE		(CSB_COMPLETE | CSB_ACTIVE_IDLE)
#define SWITCH		(CSB_COMPLETE | CSB_ELEMENT_SWITCH)
#define LITE		(CSB_PREEMPTED | CSB_LITE_RESTORE)
#define NOOP_BATCH	100

/* i915's preemption point at the end of a request. */
static void emit_arb_check(struct ctx *c)
{
	emit(c, MI_CMD(OP_MI_ARB_CHECK));
}

/* A batch that jumps to itself; with or without a preemption point. */
static void emit_spinner(struct ctx *c, bool preemptible)
{
	batch_begin(c);
	batch(c, preemptible ? MI_CMD(OP_MI_ARB_CHECK) : 0);
	batch(c, MI_CMD(OP_MI_BATCH_BUFFER_START) | MI_BB_PPGTT | 1);
	batch_addr(c, BATCH_VA);
	emit(c, MI_CMD(OP_MI_BATCH_BUFFER_START) | MI_BB_PPGTT | 1);
	emit_addr(c, BATCH_VA);
}

static void stop_spinner(struct ctx *c)
{
	set_ram32(c->batch, MI_CMD(OP_MI_BATCH_BUFFER_END));
}

/* Waits until memory at an offset of the context's data is 1. */
static void emit_wait(struct ctx *c, unsigned offset)
{
	emit(c, MI_CMD(OP_MI_SEMAPHORE_WAIT) | MI_SEMAPHORE_POLL | 4 << 12 | 2);
	emit(c, 1);
	emit_addr(c, DATA_VA + offset);
}

static void test_one(void **state)
{
	(void)state;
	for (int e = 0; e < GEN9_NR_ENGINES; e++) {
		struct ctx c;

		ctx_new(&c, e, 0x1234 + e);
		emit_store(&c, DATA_VA, 0xcafe0000 + e);
		submit(&c);
		assert_int_equal(data32(&c, 0), 0);	/* not before it runs */
		run_idle(e);
		assert_int_equal(data32(&c, 0), 0xcafe0000 + e);
		assert_csb(e, CSB_IDLE_ACTIVE, 0);
		assert_csb(e, DONE, 0x1234 + e);
		assert_no_csb(e);
		assert_int_equal(counter(e, GEN9_CNT_SUBMITS), 1);
		assert_int_equal(counter(e, GEN9_CNT_CONTEXTS), 1);
		assert_int_equal(ctx_get(&c, LRC_RING_HEAD), c.tail);
	}
}

/* The first event after a reset is entry 0; then entries wrap around. */
static void test_csb_wraps(void **state)
{
	struct ctx c;

	(void)state;
	ctx_new(&c, GEN9_BCS0, 7);
	for (int i = 0; i < 20; i++) {
		emit_store(&c, DATA_VA, i);
		submit(&c);
		run_idle(c.engine);
		assert_int_equal(data32(&c, 0), i);
		assert_int_equal(erd(c.engine, RING_CSB_PTR) & CSB_PTR_WRITE,
				 (2 * i + 1) % CSB_ENTRIES);
		assert_int_equal(erd(c.engine, RING_CSB((2 * i) % 6)),
				 CSB_IDLE_ACTIVE);
		assert_csb(c.engine, CSB_IDLE_ACTIVE, 0);
		assert_csb(c.engine, DONE, 7);
		assert_no_csb(c.engine);
	}
}

static void test_element_switch(void **state)
{
	struct ctx a, b;

	(void)state;
	ctx_new(&a, GEN9_RCS0, 1);
	ctx_new(&b, GEN9_RCS0, 2);
	emit_store(&a, DATA_VA, 11);
	emit_store(&b, DATA_VA, 22);
	submit2(&a, &b);
	run_idle(GEN9_RCS0);
	assert_csb(GEN9_RCS0, CSB_IDLE_ACTIVE, 0);
	assert_csb(GEN9_RCS0, SWITCH, 1);
	assert_csb(GEN9_RCS0, DONE, 2);
	assert_no_csb(GEN9_RCS0);
	assert_int_equal(data32(&a, 0), 11);
	assert_int_equal(data32(&b, 0), 22);
}

/* A submission of the running context reloads its tail only. */
static void test_lite_restore(void **state)
{
	struct ctx c;

	(void)state;
	ctx_new(&c, GEN9_BCS0, 9);
	emit_wait(&c, 0);
	emit_store(&c, DATA_VA + 8, 1);
	submit(&c);
	assert_false(run_for(c.engine, 10));
	emit_store(&c, DATA_VA + 12, 2);
	submit(&c);
	assert_false(run_for(c.engine, 10));
	set_data32(&c, 0, 1);
	run_idle(c.engine);
	assert_csb(c.engine, CSB_IDLE_ACTIVE, 0);
	assert_csb(c.engine, LITE, 9);
	assert_csb(c.engine, DONE, 9);
	assert_no_csb(c.engine);
	assert_int_equal(data32(&c, 8), 1);
	assert_int_equal(data32(&c, 12), 2);
	assert_int_equal(counter(c.engine, GEN9_CNT_CONTEXTS), 1);
	assert_int_equal(counter(c.engine, GEN9_CNT_LITE_RESTORES), 1);
}

/* With force restore in the descriptor it preempts itself. */
static void test_force_restore(void **state)
{
	struct ctx c;

	(void)state;
	ctx_new(&c, GEN9_BCS0, 9);
	emit_wait(&c, 0);
	submit(&c);
	assert_false(run_for(c.engine, 10));
	ctx_tail(&c);
	elsp(c.engine, ctx_desc(&c) | CTX_DESC_FORCE_RESTORE, 0);
	set_data32(&c, 0, 1);
	run_idle(c.engine);
	assert_csb(c.engine, CSB_IDLE_ACTIVE, 0);
	assert_csb(c.engine, CSB_PREEMPTED, 9);
	assert_csb(c.engine, DONE, 9);
	assert_int_equal(counter(c.engine, GEN9_CNT_CONTEXTS), 2);
}

/* A context preempted in a batch resumes there. */
static void test_preempt_spinner(void **state)
{
	struct ctx a, b;

	(void)state;
	ctx_new(&a, GEN9_RCS0, 1);
	ctx_new(&b, GEN9_RCS0, 2);
	emit_spinner(&a, true);
	emit_store(&a, DATA_VA, 11);
	submit(&a);
	assert_false(run_for(GEN9_RCS0, 20));
	assert_csb(GEN9_RCS0, CSB_IDLE_ACTIVE, 0);
	assert_no_csb(GEN9_RCS0);
	assert_int_equal(erd(GEN9_RCS0, RING_EXECLIST_STATUS_HI), 1);

	emit_store(&b, DATA_VA, 22);
	submit2(&b, &a);
	assert_false(run_for(GEN9_RCS0, 20));
	assert_int_equal(data32(&b, 0), 22);
	assert_int_equal(data32(&a, 0), 0);
	assert_csb(GEN9_RCS0, CSB_PREEMPTED, 1);
	assert_csb(GEN9_RCS0, SWITCH, 2);
	assert_no_csb(GEN9_RCS0);
	assert_int_equal(counter(GEN9_RCS0, GEN9_CNT_PREEMPTIONS), 1);

	stop_spinner(&a);
	run_idle(GEN9_RCS0);
	assert_csb(GEN9_RCS0, DONE, 1);
	assert_int_equal(data32(&a, 0), 11);
}

/* Without an arbitration point it continues beside a pending submission. */
static void test_no_arbitration_point(void **state)
{
	struct ctx a, b;

	(void)state;
	ctx_new(&a, GEN9_VCS0, 1);
	ctx_new(&b, GEN9_VCS0, 2);
	emit_spinner(&a, false);
	submit(&a);
	assert_false(run_for(GEN9_VCS0, 20));
	emit_store(&b, DATA_VA, 22);
	submit(&b);
	assert_false(run_for(GEN9_VCS0, 50));
	assert_csb(GEN9_VCS0, CSB_IDLE_ACTIVE, 0);
	assert_no_csb(GEN9_VCS0);
	assert_int_equal(data32(&b, 0), 0);
	stop_spinner(&a);
	run_idle(GEN9_VCS0);
	assert_csb(GEN9_VCS0, CSB_PREEMPTED | CSB_COMPLETE, 1);
	assert_csb(GEN9_VCS0, DONE, 2);
	assert_int_equal(data32(&b, 0), 22);
}

/* With arbitration off, arbitration points have no effect. */
static void test_arbitration_off(void **state)
{
	struct ctx a, b;

	(void)state;
	ctx_new(&a, GEN9_RCS0, 1);
	ctx_new(&b, GEN9_RCS0, 2);
	emit(&a, MI_CMD(OP_MI_ARB_ON_OFF));
	emit_spinner(&a, true);
	emit_store(&a, DATA_VA, 11);
	emit(&a, MI_CMD(OP_MI_ARB_ON_OFF) | MI_ARB_ON);
	emit_arb_check(&a);
	emit_store(&a, DATA_VA + 4, 12);
	submit(&a);
	assert_false(run_for(GEN9_RCS0, 20));
	emit_store(&b, DATA_VA, 22);
	submit2(&b, &a);
	assert_false(run_for(GEN9_RCS0, 20));
	assert_csb(GEN9_RCS0, CSB_IDLE_ACTIVE, 0);
	assert_no_csb(GEN9_RCS0);

	stop_spinner(&a);
	for (int i = 0; i < 1000 && !data32(&b, 0); i++)
		gen9_engine_run(host.gpu, GEN9_RCS0, 1);
	assert_int_equal(data32(&a, 0), 11);
	assert_int_equal(data32(&a, 4), 0);	/* left at the check */
	run_idle(GEN9_RCS0);
	assert_int_equal(data32(&a, 4), 12);
	assert_csb(GEN9_RCS0, CSB_PREEMPTED, 1);
	assert_csb(GEN9_RCS0, SWITCH, 2);
	assert_csb(GEN9_RCS0, DONE, 1);
}

/* Nor does the context switch at the end of its commands, until later ones enable arbitration. */
static void test_end_without_arbitration(void **state)
{
	struct ctx a, b;

	(void)state;
	ctx_new(&a, GEN9_BCS0, 1);
	ctx_new(&b, GEN9_BCS0, 2);
	emit_store(&a, DATA_VA, 11);
	emit(&a, MI_CMD(OP_MI_ARB_ON_OFF));
	emit(&a, 0);
	submit(&a);
	run_for(GEN9_BCS0, 50);
	assert_int_equal(data32(&a, 0), 11);
	assert_csb(GEN9_BCS0, CSB_IDLE_ACTIVE, 0);
	assert_no_csb(GEN9_BCS0);
	emit(&a, MI_CMD(OP_MI_ARB_ON_OFF) | MI_ARB_ON);
	emit(&a, MI_CMD(OP_MI_ARB_ON_OFF));
	submit(&a);
	run_for(GEN9_BCS0, 50);
	assert_csb(GEN9_BCS0, CSB_PREEMPTED | CSB_LITE_RESTORE, 1);
	assert_no_csb(GEN9_BCS0);
	emit_store(&b, DATA_VA, 22);
	submit(&b);
	run_for(GEN9_BCS0, 50);
	assert_no_csb(GEN9_BCS0);
	assert_int_equal(data32(&b, 0), 0);
}

/* An unsatisfied semaphore is an arbitration point, and is evaluated again. */
static void test_preempt_semaphore(void **state)
{
	struct ctx a, b;

	(void)state;
	ctx_new(&a, GEN9_BCS0, 1);
	ctx_new(&b, GEN9_BCS0, 2);
	emit_wait(&a, 0);
	emit_store(&a, DATA_VA + 4, 11);
	submit(&a);
	assert_false(run_for(GEN9_BCS0, 20));
	emit_store(&b, DATA_VA, 22);
	submit2(&b, &a);
	assert_false(run_for(GEN9_BCS0, 20));
	assert_csb(GEN9_BCS0, CSB_IDLE_ACTIVE, 0);
	assert_csb(GEN9_BCS0, CSB_PREEMPTED, 1);
	assert_csb(GEN9_BCS0, SWITCH, 2);
	assert_no_csb(GEN9_BCS0);
	assert_int_equal(data32(&a, 4), 0);
	set_data32(&a, 0, 1);
	run_idle(GEN9_BCS0);
	assert_csb(GEN9_BCS0, DONE, 1);
	assert_int_equal(data32(&a, 4), 11);
}

/* Of two submissions before the engine looks the later one counts. */
static void test_pending_replaced(void **state)
{
	struct ctx a, b, c;

	(void)state;
	ctx_new(&a, GEN9_BCS0, 1);
	ctx_new(&b, GEN9_BCS0, 2);
	ctx_new(&c, GEN9_BCS0, 3);
	emit_wait(&a, 0);
	submit(&a);
	assert_false(run_for(GEN9_BCS0, 5));
	emit_store(&b, DATA_VA, 22);
	emit_store(&c, DATA_VA, 33);
	submit(&b);
	submit(&c);
	set_data32(&a, 0, 1);
	run_idle(GEN9_BCS0);
	assert_int_equal(data32(&c, 0), 33);
	assert_int_equal(data32(&b, 0), 0);
}

/* The second element may be unused; the first may not. */
static void test_invalid_descriptors(void **state)
{
	struct ctx c;

	(void)state;
	ctx_new(&c, GEN9_BCS0, 1);
	emit_store(&c, DATA_VA, 1);
	ctx_tail(&c);
	elsp(GEN9_BCS0, 0, ctx_desc(&c));
	assert_true(run_for(GEN9_BCS0, 100));
	assert_int_equal(data32(&c, 0), 0);
	assert_no_csb(GEN9_BCS0);
	submit(&c);			/* and it still works */
	run_idle(GEN9_BCS0);
	assert_int_equal(data32(&c, 0), 1);
}

/* No context runs while the ring is stopped or not in run list mode. */
static void test_stop_ring(void **state)
{
	struct ctx c;

	(void)state;
	ctx_new(&c, GEN9_VECS0, 1);
	assert_true(erd(c.engine, RING_MI_MODE) & MI_MODE_IDLE);
	ewr(c.engine, RING_MI_MODE, GEN_MASKED_ENABLE(MI_MODE_STOP_RING));
	assert_true(erd(c.engine, RING_MI_MODE) & MI_MODE_IDLE);
	emit_store(&c, DATA_VA, 1);
	submit(&c);
	assert_true(run_for(c.engine, 10));
	assert_int_equal(data32(&c, 0), 0);
	host.kicks[c.engine] = 0;
	ewr(c.engine, RING_MI_MODE, GEN_MASKED_DISABLE(MI_MODE_STOP_RING));
	assert_true(host.kicks[c.engine] > 0);
	run_idle(c.engine);
	assert_int_equal(data32(&c, 0), 1);
}

static void test_not_idle_while_running(void **state)
{
	struct ctx c;

	(void)state;
	ctx_new(&c, GEN9_BCS0, 5);
	emit_wait(&c, 0);
	submit(&c);
	assert_false(run_for(c.engine, 10));
	assert_false(erd(c.engine, RING_MI_MODE) & MI_MODE_IDLE);
	assert_int_equal(erd(c.engine, RING_HEAD), 0);
	assert_int_equal(erd(c.engine, RING_TAIL), c.tail);
	assert_true(erd(c.engine, RING_EXECLIST_STATUS_LO) != 0);
}

/* A hang and the reset of an engine, which harm neither other engines nor later work. */
static void test_engine_reset(void **state)
{
	struct ctx a, b;

	(void)state;
	ctx_new(&a, GEN9_RCS0, 1);
	ctx_new(&b, GEN9_BCS0, 2);
	emit_spinner(&a, false);
	emit_store(&a, DATA_VA, 11);
	submit(&a);
	assert_false(run_for(GEN9_RCS0, 20));
	emit_wait(&b, 0);
	emit_store(&b, DATA_VA + 4, 22);
	submit(&b);
	assert_false(run_for(GEN9_BCS0, 20));

	ewr(GEN9_RCS0, RING_MI_MODE, GEN_MASKED_ENABLE(MI_MODE_STOP_RING));
	ewr(GEN9_RCS0, RING_RESET_CTL, GEN_MASKED_ENABLE(RESET_CTL_REQUEST));
	assert_true(erd(GEN9_RCS0, RING_RESET_CTL) & RESET_CTL_READY);
	wr(GEN_GDRST, GDRST_RCS);
	assert_int_equal(rd(GEN_GDRST), 0);
	ewr(GEN9_RCS0, RING_RESET_CTL, GEN_MASKED_DISABLE(RESET_CTL_REQUEST));
	assert_false(erd(GEN9_RCS0, RING_RESET_CTL) & RESET_CTL_READY);
	assert_int_equal(counter(GEN9_RCS0, GEN9_CNT_RESETS) > 0, 1);
	assert_int_equal(erd(GEN9_RCS0, RING_CSB_PTR) & CSB_PTR_WRITE,
			 CSB_RESET_PTR);
	assert_int_equal(erd(GEN9_RCS0, RING_MODE) & RING_MODE_RUN_LIST, 0);

	/* as a driver: skip the guilty request, submit again */
	engine_setup(GEN9_RCS0);
	ctx_set(&a, LRC_RING_HEAD, 12);
	emit_store(&a, DATA_VA + 4, 12);
	submit(&a);
	run_idle(GEN9_RCS0);
	assert_csb(GEN9_RCS0, CSB_IDLE_ACTIVE, 0);
	assert_csb(GEN9_RCS0, DONE, 1);
	assert_int_equal(data32(&a, 0), 11);
	assert_int_equal(data32(&a, 4), 12);

	set_data32(&b, 0, 1);
	run_idle(GEN9_BCS0);
	assert_int_equal(data32(&b, 4), 22);
}

/* A reset drops a pending submission, too. */
static void test_full_reset(void **state)
{
	struct ctx c[GEN9_NR_ENGINES];

	(void)state;
	for (int e = 0; e < GEN9_NR_ENGINES; e++) {
		ctx_new(&c[e], e, e + 1);
		emit_wait(&c[e], 0);
		emit_store(&c[e], DATA_VA + 4, 1);
		submit(&c[e]);
		if (e & 1)
			assert_false(run_for(e, 5));
	}
	wr(GEN_GDRST, GDRST_FULL);
	for (int e = 0; e < GEN9_NR_ENGINES; e++) {
		set_data32(&c[e], 0, 1);
		engine_setup(e);
		assert_true(run_for(e, 100));
		assert_int_equal(data32(&c[e], 4), 0);
		assert_no_csb(e);
		assert_true(erd(e, RING_MI_MODE) & MI_MODE_IDLE);
	}
}

/* An injected hang lasts until the reset. */
static void test_injected_hang(void **state)
{
	struct ctx c;

	(void)state;
	ctx_new(&c, GEN9_BCS0, 1);
	gen9_inject_hang(host.gpu, GEN9_BCS0, 3);
	for (int i = 0; i < 5; i++)
		emit_store(&c, DATA_VA + 4 * i, 1);
	submit(&c);
	run_for(GEN9_BCS0, 100);
	assert_int_equal(data32(&c, 4), 1);
	assert_int_equal(data32(&c, 16), 0);
	assert_false(erd(GEN9_BCS0, RING_MI_MODE) & MI_MODE_IDLE);
	wr(GEN_GDRST, GDRST_BCS);
	engine_setup(GEN9_BCS0);
	submit(&c);
	run_idle(GEN9_BCS0);
	assert_int_equal(data32(&c, 16), 1);
}

/* Execution in small slices gives the same events. */
static void test_slices(void **state)
{
	struct ctx a, b;

	(void)state;
	ctx_new(&a, GEN9_RCS0, 1);
	ctx_new(&b, GEN9_RCS0, 2);
	for (int i = 0; i < NOOP_BATCH; i++)
		batch_store(&a, DATA_VA + 4 * i, i);
	emit_batch(&a);
	emit_store(&b, DATA_VA, 5);
	submit2(&a, &b);
	for (int i = 0; i < 100000; i++)
		if (gen9_engine_run(host.gpu, GEN9_RCS0, 1).idle)
			break;
	for (int i = 0; i < NOOP_BATCH; i++)
		assert_int_equal(data32(&a, 4 * i), i);
	assert_int_equal(data32(&b, 0), 5);
	assert_csb(GEN9_RCS0, CSB_IDLE_ACTIVE, 0);
	assert_csb(GEN9_RCS0, SWITCH, 1);
	assert_csb(GEN9_RCS0, DONE, 2);
}

/* The ring wraps around. */
static void test_ring_wraps(void **state)
{
	struct ctx c;

	(void)state;
	ctx_new(&c, GEN9_VCS0, 4);
	for (unsigned i = 1; i <= 3 * RING_PAGES * 4096 / 16; i += 7) {
		for (int k = 0; k < 7; k++)
			emit_store(&c, DATA_VA + 4 * k, i + k);
		if (i % 3 == 0)
			emit(&c, 0);		/* commands across the end */
		submit(&c);
		run_idle(c.engine);
		for (int k = 0; k < 7; k++)
			assert_int_equal(data32(&c, 4 * k), i + k);
	}
}

/* Load a context for the first time, at once: the engine's next load is late. */
static void begin_late(struct ctx *c)
{
	emit_store(c, DATA_VA, 1);
	submit(c);
	run_idle(c->engine);
	assert_csb(c->engine, CSB_IDLE_ACTIVE, 0);
	assert_csb(c->engine, DONE, c->id);
	set_data32(c, 0, 0);
}

/* The engine reports the context as active, and does not load it yet. */
static Gen9RunResult submit_late(struct ctx *c)
{
	Gen9RunResult r;

	submit(c);
	r = gen9_engine_run(host.gpu, c->engine, 1000);
	assert_csb(c->engine, CSB_IDLE_ACTIVE, 0);
	assert_no_csb(c->engine);
	assert_int_equal(data32(c, 0), 0);
	return r;
}

/*
 * The second load of an idle engine is late: what the driver has written for its next list is
 * executed, and the context is loaded once more for that list.
 */
static void test_late_load(void **state)
{
	(void)state;
	for (int e = 0; e < GEN9_NR_ENGINES; e++) {
		Gen9RunResult r;
		struct ctx c;

		ctx_new(&c, e, 9);
		begin_late(&c);
		emit_store(&c, DATA_VA, 2);
		r = submit_late(&c);
		assert_true(r.more && r.wait_ns);
		emit_store(&c, DATA_VA + 4, 3);
		submit(&c);
		run_idle(e);
		assert_int_equal(data32(&c, 0), 2);
		assert_int_equal(data32(&c, 4), 3);
		assert_csb(e, DONE, 9);
		assert_csb(e, CSB_IDLE_ACTIVE, 0);
		assert_csb(e, DONE, 9);
		assert_no_csb(e);
		assert_int_equal(counter(e, GEN9_CNT_CONTEXTS), 3);
	}
}

/* Without another list the clock is enough. */
static void test_late_load_alone(void **state)
{
	struct ctx c;

	(void)state;
	ctx_new(&c, GEN9_RCS0, 9);
	begin_late(&c);
	emit_store(&c, DATA_VA, 2);
	submit_late(&c);
	run_idle(c.engine);
	assert_int_equal(data32(&c, 0), 2);
	assert_csb(c.engine, DONE, 9);
	assert_no_csb(c.engine);
}

/* A list of another context does not wait for the end of one that spins. */
static void test_late_list_preempts(void **state)
{
	struct ctx a, b;

	(void)state;
	ctx_new(&a, GEN9_RCS0, 1);
	ctx_new(&b, GEN9_RCS0, 2);
	begin_late(&a);
	emit_spinner(&a, true);
	submit_late(&a);
	emit_store(&b, DATA_VA, 5);
	submit(&b);
	assert_false(run_for(GEN9_RCS0, 1));
	assert_false(run_for(GEN9_RCS0, 1));
	assert_int_equal(data32(&b, 0), 0);	/* it is not looked at for a while */
	run_idle(GEN9_RCS0);
	assert_csb(GEN9_RCS0, CSB_PREEMPTED, 1);
	assert_csb(GEN9_RCS0, DONE, 2);
	assert_no_csb(GEN9_RCS0);
	assert_int_equal(data32(&b, 0), 5);
}

/* Nor does a list of the same context, if that has ended with arbitration off. */
static void test_late_list_arbitrates(void **state)
{
	struct ctx c;

	(void)state;
	ctx_new(&c, GEN9_RCS0, 9);
	begin_late(&c);
	emit(&c, MI_CMD(OP_MI_ARB_ON_OFF));
	submit_late(&c);
	submit(&c);
	assert_true(run_for(c.engine, 10));
	emit(&c, MI_CMD(OP_MI_ARB_ON_OFF) | MI_ARB_ON);
	submit(&c);
	run_idle(c.engine);
	assert_csb(c.engine, LITE, 9);
	assert_csb(c.engine, LITE, 9);
	assert_csb(c.engine, DONE, 9);
	assert_no_csb(c.engine);
}

/* A reset ends the wait, and the next load is at once. */
static void test_late_load_reset(void **state)
{
	struct ctx c;

	(void)state;
	ctx_new(&c, GEN9_RCS0, 9);
	begin_late(&c);
	emit_store(&c, DATA_VA, 2);
	submit_late(&c);
	full_reset();
	assert_true(gen9_engine_run(host.gpu, c.engine, 1000).idle);
	assert_int_equal(data32(&c, 0), 0);
	submit(&c);
	assert_true(gen9_engine_run(host.gpu, c.engine, 1000).idle);
	assert_int_equal(data32(&c, 0), 2);
}

static void test_load_at_once(void **state)
{
	struct ctx c;

	(void)state;
	ctx_new(&c, GEN9_RCS0, 9);
	for (unsigned int i = 1; i < 5; i++) {
		emit_store(&c, DATA_VA, i);
		submit(&c);
		assert_true(gen9_engine_run(host.gpu, c.engine, 1000).idle);
		assert_int_equal(data32(&c, 0), i);
	}
}

/* Random descriptors and rings do no harm. */
static void test_garbage(void **state)
{
	struct ctx c;

	(void)state;
	for (unsigned i = 0; i < rounds(3000); i++) {
		int e = rnd_below(GEN9_NR_ENGINES);

		host.next_page = 0x100000;
		host.next_ggtt = 0x800000;
		ctx_new(&c, e, rnd());
		for (int k = rnd_below(6); k; k--)
			ctx_set(&c, 2 + rnd_below(0x4e), rnd_below(3) ? rnd() :
				rnd_below(0x1000000));
		for (int k = rnd_below(200); k; k--)
			emit(&c, rnd_below(2) ? rnd() : rnd() & 0x1fffffff);
		ctx_tail(&c);
		for (int k = 1 + rnd_below(5); k; k--)
			ewr(e, RING_ELSP, rnd_below(2) ? rnd() : c.lrca | 0x19);
		elsp(e, rnd_below(4) ? ctx_desc(&c) : rnd64(),
		     rnd_below(2) ? 0 : rnd64());
		run_for(e, 20);
		full_reset();
	}
	/* a cold reset restores the engine */
	gen9_gpu_reset(host.gpu);
	assert_int_equal(rd(GEN_GUC_STATUS) & GUC_STATUS_MIA_IN_RESET, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		gpu_test(test_one),
		gpu_test(test_csb_wraps),
		gpu_test(test_element_switch),
		gpu_test(test_lite_restore),
		gpu_test(test_force_restore),
		gpu_test(test_preempt_spinner),
		gpu_test(test_no_arbitration_point),
		gpu_test(test_arbitration_off),
		gpu_test(test_end_without_arbitration),
		gpu_test(test_preempt_semaphore),
		gpu_test(test_pending_replaced),
		gpu_test(test_invalid_descriptors),
		gpu_test(test_stop_ring),
		gpu_test(test_not_idle_while_running),
		gpu_test(test_engine_reset),
		gpu_test(test_full_reset),
		gpu_test(test_injected_hang),
		gpu_test(test_slices),
		gpu_test(test_ring_wraps),
		gpu_test(test_late_load),
		gpu_test(test_late_load_alone),
		gpu_test(test_late_list_preempts),
		gpu_test(test_late_list_arbitrates),
		gpu_test(test_late_load_reset),
		cmocka_unit_test_setup_teardown(test_load_at_once, setup_load_at_once, teardown),
		gpu_test(test_garbage),
	};

	return run_tap_tests("model_execlist", tests);
}
