// SPDX-License-Identifier: GPL-2.0
/*
 * Engines in threads: registers, resets, flushes and invalidations from other
 * threads while commands execute.
 */
#include "model_host.h"
#include <pthread.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>

#define HANG_SECONDS	120

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_mutex_t kick_lock[GEN9_NR_ENGINES];
static pthread_cond_t kick_cond[GEN9_NR_ENGINES];
static bool kicked[GEN9_NR_ENGINES];
static bool quit;
static pthread_t threads[GEN9_NR_ENGINES];

static void t_lock(void *opaque)
{
	(void)opaque;
	pthread_mutex_lock(&lock);
}

static void t_unlock(void *opaque)
{
	(void)opaque;
	pthread_mutex_unlock(&lock);
}

static void t_wait(void *opaque)
{
	(void)opaque;
	pthread_cond_wait(&cond, &lock);
}

static void t_wake(void *opaque)
{
	(void)opaque;
	pthread_cond_broadcast(&cond);
}

static void t_kick(void *opaque, int e)
{
	(void)opaque;
	pthread_mutex_lock(&kick_lock[e]);
	kicked[e] = true;
	pthread_cond_signal(&kick_cond[e]);
	pthread_mutex_unlock(&kick_lock[e]);
}

static uint64_t t_now(void *opaque)
{
	struct timespec t;

	(void)opaque;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

static void t_irq(void *opaque, bool level)
{
	(void)opaque;
	__atomic_fetch_add(&host.irqs, level, __ATOMIC_RELAXED);
}

static void t_log(void *opaque, const char *line)
{
	(void)opaque;
	(void)line;
}

static const Gen9HostOps thread_ops = {
	.read = host_read, .write = host_write, .map = host_map,
	.irq = t_irq, .now = t_now, .kick = t_kick, .log = t_log,
	.lock = t_lock, .unlock = t_unlock, .wait = t_wait, .wake = t_wake,
};

static void *engine_thread(void *arg)
{
	int e = (int)(intptr_t)arg;

	while (!__atomic_load_n(&quit, __ATOMIC_RELAXED)) {
		Gen9RunResult r = gen9_engine_run(host.gpu, e, 500);

		if (!r.idle) {
			if (r.wait_ns > 1000)
				usleep(r.wait_ns / 1000);
			continue;
		}
		pthread_mutex_lock(&kick_lock[e]);
		while (!kicked[e] && !__atomic_load_n(&quit, __ATOMIC_RELAXED))
			pthread_cond_wait(&kick_cond[e], &kick_lock[e]);
		kicked[e] = false;
		pthread_mutex_unlock(&kick_lock[e]);
	}
	return NULL;
}

static int start_threads(void **state)
{
	(void)state;
	alarm(HANG_SECONDS);
	host_start(NULL);
	gen9_gpu_free(host.gpu);
	host.gpu = gen9_gpu_new(&(Gen9Config) { 0 }, &thread_ops, &host);
	wr(GEN_GAMW_ECO, 0xf);
	for (int g = 0; g < GEN_NR_GT_IRQ_GROUPS; g++) {
		wr(GEN_GT_IMR(g), 0);
		wr(GEN_GT_IER(g), ~0u);
	}
	wr(GEN_MASTER_IRQ, MASTER_IRQ_ENABLE);
	quit = false;
	for (int e = 0; e < GEN9_NR_ENGINES; e++) {
		host.hwsp[e] = ggtt_map(host.hwsp_pa[e], 1);
		engine_setup(e);
		pthread_mutex_init(&kick_lock[e], NULL);
		pthread_cond_init(&kick_cond[e], NULL);
		pthread_create(&threads[e], NULL, engine_thread,
			       (void *)(intptr_t)e);
	}
	return 0;
}

static int stop_threads(void **state)
{
	__atomic_store_n(&quit, true, __ATOMIC_RELAXED);
	for (int e = 0; e < GEN9_NR_ENGINES; e++) {
		gen9_engine_interrupt(host.gpu, e);
		t_kick(NULL, e);
		pthread_join(threads[e], NULL);
	}
	alarm(0);
	return teardown(state);
}

static void wait_data(struct ctx *c, unsigned offset, uint32_t value)
{
	uint32_t *p = (uint32_t *)(host.ram + c->data + offset);

	while (__atomic_load_n(p, __ATOMIC_ACQUIRE) != value)
		sched_yield();
}

/* Requests on all engines, one after another. */
static void test_requests(void **state)
{
	struct ctx c[GEN9_NR_ENGINES];

	(void)state;
	for (int e = 0; e < GEN9_NR_ENGINES; e++)
		ctx_new(&c[e], e, e + 1);
	for (unsigned i = 1; i <= rounds(300); i++) {
		for (int e = 0; e < GEN9_NR_ENGINES; e++) {
			emit_store(&c[e], DATA_VA, i);
			submit(&c[e]);
		}
		for (int e = 0; e < GEN9_NR_ENGINES; e++)
			wait_data(&c[e], 0, i);
	}
}

/* A blit of 1 GB onto the same few pages. */
static void emit_long_blit(struct ctx *c)
{
	emit(c, 2u << 29 | OP_XY_COLOR_BLT << 22 | 3 << 20 | 5);
	emit(c, 3 << 24 | 0x5a << 16);		/* pitch 0 */
	emit(c, 0);
	emit(c, 0x7fff << 16 | DATA_PAGES * 1024);
	emit_addr(c, DATA_VA);
	emit(c, 5);
}

static void emit_spin(struct ctx *c)
{
	batch_begin(c);
	batch(c, MI_CMD(OP_MI_BATCH_BUFFER_START) | MI_BB_PPGTT | 1);
	batch_addr(c, BATCH_VA);
	emit(c, MI_CMD(OP_MI_BATCH_BUFFER_START) | MI_BB_PPGTT | 1);
	emit_addr(c, BATCH_VA);
}

/* CPU time of an engine, ns. */
static uint64_t worked_for(int e)
{
	struct timespec t;
	clockid_t clock;

	assert_int_equal(pthread_getcpuclockid(threads[e], &clock), 0);
	assert_int_equal(clock_gettime(clock, &t), 0);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

/* A reset stops an engine within a batch or a long blit. */
static void test_reset_while_running(void **state)
{
	(void)state;
	for (unsigned i = 0; i < rounds(30); i++) {
		uint64_t before, after;
		int e = i % 3 ? GEN9_BCS0 : (int)rnd_below(GEN9_NR_ENGINES);
		static const uint32_t bits[] = { GDRST_RCS, GDRST_BCS,
						 GDRST_VCS0, GDRST_VECS };
		struct ctx c;

		host.next_page = 0x100000;
		host.next_ggtt = 0x800000;
		ctx_new(&c, e, 1);
		emit_store(&c, DATA_VA, 1);
		if (e == GEN9_BCS0)
			emit_long_blit(&c);
		else
			emit_spin(&c);
		submit(&c);
		usleep(rnd_below(3000));
		before = worked_for(e);
		wr(GEN_GDRST, i % 5 ? bits[e] : GDRST_FULL);
		after = worked_for(e);
		/* It takes 0.1 ms at most; the blit 450. */
		assert_true(after - before < 50000000);
		for (int k = 0; k < GEN9_NR_ENGINES; k++)
			engine_setup(k);
		ctx_new(&c, e, 2);
		emit_store(&c, DATA_VA, 0x1000 + i);
		submit(&c);
		wait_data(&c, 0, 0x1000 + i);
	}
}

/* The same by commands of an engine that is sometimes reset itself. */
static void test_reset_by_command(void **state)
{
	static const uint32_t bits[] = { GDRST_RCS, GDRST_VCS0, GDRST_VECS,
					 GDRST_BCS, GDRST_FULL };

	(void)state;
	for (unsigned i = 0; i < rounds(60); i++) {
		struct ctx c[GEN9_NR_ENGINES];
		uint64_t before = counter(GEN9_BCS0, GEN9_CNT_RESETS) +
				  counter(GEN9_RCS0, GEN9_CNT_RESETS) +
				  counter(GEN9_VCS0, GEN9_CNT_RESETS) +
				  counter(GEN9_VECS0, GEN9_CNT_RESETS);

		host.next_page = 0x100000;
		host.next_ggtt = 0x400000;
		for (int e = 0; e < GEN9_NR_ENGINES; e++) {
			ctx_new(&c[e], e, 1 + e);
			if (e == GEN9_BCS0)
				batch_lri(&c[e], GEN_GDRST, bits[i % 5]);
			batch(&c[e], MI_CMD(OP_MI_BATCH_BUFFER_START) |
			      MI_BB_PPGTT | 1);
			batch_addr(&c[e], BATCH_VA);
			emit_batch(&c[e]);
		}
		for (int e = 0; e < GEN9_NR_ENGINES; e++)
			submit(&c[e]);
		while (counter(GEN9_BCS0, GEN9_CNT_RESETS) +
		       counter(GEN9_RCS0, GEN9_CNT_RESETS) +
		       counter(GEN9_VCS0, GEN9_CNT_RESETS) +
		       counter(GEN9_VECS0, GEN9_CNT_RESETS) == before)
			sched_yield();
		wr(GEN_GDRST, GDRST_FULL);
		for (int e = 0; e < GEN9_NR_ENGINES; e++) {
			engine_setup(e);
			ctx_new(&c[e], e, 9);
			emit_store(&c[e], DATA_VA, 0x1000 + i);
			submit(&c[e]);
			wait_data(&c[e], 0, 0x1000 + i);
		}
	}
}

/*
 * After an invalidation has returned, no command writes to the old page, not
 * even one that was under way.
 */
static void test_invalidate_while_running(void **state)
{
	uint64_t a, b, pte;
	struct ctx c;

	(void)state;
	ctx_new(&c, GEN9_VCS0, 1);
	a = alloc_pages(1);
	b = alloc_pages(1);
	ppgtt_map(c.pml4, 0x7000000, a, 1);
	pte = ppgtt_entry(c.pml4, 0x7000000, 0);
	batch(&c, MI_CMD(OP_MI_ATOMIC) | 5 << 8 | 1);	/* increment */
	batch_addr(&c, 0x7000000);
	batch(&c, MI_CMD(OP_MI_BATCH_BUFFER_START) | MI_BB_PPGTT | 1);
	batch_addr(&c, BATCH_VA);
	emit_batch(&c);
	submit(&c);
	for (unsigned i = 0; i < rounds(200); i++) {
		uint64_t old = i & 1 ? b : a, new = i & 1 ? a : b;
		uint32_t seen;

		__atomic_store_n((uint64_t *)(host.ram + pte), new | 3,
				 __ATOMIC_SEQ_CST);
		wr(GEN_TLB_INV_VCS0, 1);
		while (rd(GEN_TLB_INV_VCS0))
			;
		seen = __atomic_load_n((uint32_t *)(host.ram + old),
				       __ATOMIC_SEQ_CST);
		usleep(rnd_below(200));
		assert_int_equal(__atomic_load_n((uint32_t *)(host.ram + old),
						 __ATOMIC_SEQ_CST), seen);
	}
	wr(GEN_GDRST, GDRST_FULL);
}

/* The same for the GGTT, by its flush register. */
static void test_ggtt_flush_while_running(void **state)
{
	uint64_t a, b;
	uint32_t addr;
	struct ctx c;

	(void)state;
	ctx_new(&c, GEN9_RCS0, 1);
	a = alloc_pages(1);
	b = alloc_pages(1);
	addr = ggtt_map(a, 1);
	batch(&c, MI_CMD(OP_MI_ATOMIC) | MI_USE_GGTT | 5 << 8 | 1);
	batch_addr(&c, addr);
	batch(&c, MI_CMD(OP_MI_BATCH_BUFFER_START) | 1);
	batch_addr(&c, ggtt_map(c.batch, BATCH_PAGES));
	emit(&c, MI_CMD(OP_MI_BATCH_BUFFER_START) | 1);
	emit_addr(&c, ggtt_map(c.batch, BATCH_PAGES));
	submit(&c);
	for (unsigned i = 0; i < rounds(200); i++) {
		uint64_t old = i & 1 ? b : a, new = i & 1 ? a : b;
		uint32_t seen;

		ggtt_set(addr, new | GEN_PTE_PRESENT);
		ggtt_flush();
		seen = __atomic_load_n((uint32_t *)(host.ram + old),
				       __ATOMIC_SEQ_CST);
		usleep(rnd_below(200));
		assert_int_equal(__atomic_load_n((uint32_t *)(host.ram + old),
						 __ATOMIC_SEQ_CST), seen);
	}
	wr(GEN_GDRST, GDRST_FULL);
}

/* An interrupted engine returns soon, and continues where it was. */
static void test_interrupt(void **state)
{
	struct ctx c;

	(void)state;
	ctx_new(&c, GEN9_BCS0, 1);
	for (int i = 0; i < 200; i++)
		emit_store(&c, DATA_VA + 4 * i, i + 1);
	submit(&c);
	for (int i = 0; i < 1000; i++)
		gen9_engine_interrupt(host.gpu, GEN9_BCS0);
	wait_data(&c, 199 * 4, 200);
	for (int i = 0; i < 200; i++)
		assert_int_equal(data32(&c, 4 * i), i + 1);
}

/* All of the above at once. */
static void test_chaos(void **state)
{
	struct ctx c[GEN9_NR_ENGINES][2];

	(void)state;
	for (int e = 0; e < GEN9_NR_ENGINES; e++) {
		for (int k = 0; k < 2; k++) {
			ctx_new(&c[e][k], e, 2 * e + k);
			batch(&c[e][k], MI_CMD(OP_MI_ARB_CHECK));
			batch_store(&c[e][k], DATA_VA, 1);
			batch(&c[e][k], MI_CMD(OP_MI_BATCH_BUFFER_START) |
			      MI_BB_PPGTT | 1);
			batch_addr(&c[e][k], BATCH_VA);
			emit_batch(&c[e][k]);
			ctx_tail(&c[e][k]);
		}
	}
	for (unsigned i = 0; i < rounds(3000); i++) {
		int e = rnd_below(GEN9_NR_ENGINES), k = rnd_below(2);

		switch (rnd_below(16)) {
		case 0:
			wr(GEN_GDRST, rnd_below(4) ? 2u << rnd_below(4) :
			   GDRST_FULL);
			for (int x = 0; x < GEN9_NR_ENGINES; x++)
				engine_setup(x);
			break;
		case 1:
			ggtt_flush();
			break;
		case 2:
			wr(GEN_TLB_INV_RCS + 4 * rnd_below(5), 1);
			rd(GEN_TLB_INV_RCS + 4 * rnd_below(5));
			break;
		case 3:
			gen9_gpu_memory_changed(host.gpu);
			break;
		case 4:
			gen9_engine_interrupt(host.gpu, e);
			break;
		case 5:
			ewr(e, RING_MI_MODE, GEN_MASKED_ENABLE(MI_MODE_STOP_RING));
			ewr(e, RING_MI_MODE, GEN_MASKED_DISABLE(MI_MODE_STOP_RING));
			break;
		case 6:
			gen9_aperture_read(host.gpu, c[e][k].data_ggtt, 8);
			break;
		case 7:
			counter(e, rnd_below(GEN9_NR_ENGINE_COUNTERS));
			break;
		case 8:
			rd(rnd_below(GEN_MMIO_SIZE) & ~3u);
			break;
		default:
			elsp(e, ctx_desc(&c[e][k]),
			     rnd_below(2) ? ctx_desc(&c[e][!k]) : 0);
			break;
		}
	}
	gen9_gpu_reset(host.gpu);
}

#define thread_test(f) \
	cmocka_unit_test_setup_teardown(f, start_threads, stop_threads)

int main(void)
{
	const struct CMUnitTest tests[] = {
		thread_test(test_requests),
		thread_test(test_reset_while_running),
		thread_test(test_reset_by_command),
		thread_test(test_invalidate_while_running),
		thread_test(test_ggtt_flush_while_running),
		thread_test(test_interrupt),
		thread_test(test_chaos),
	};

	return run_tap_tests("model_thread", tests);
}
