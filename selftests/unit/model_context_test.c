// SPDX-License-Identifier: GPL-2.0
/*
 * Contexts: their restore and save, their isolation, and the batches of a
 * restore.
 */
#include "model_host.h"

#define GPR(e, n)	(engine_base[e] + RING_GPR(n))

/* Registers that user batches may write, so they belong to the context. */
static const uint32_t rcs_user[] = {
	0x2290, 0x2294, 0x22c8, 0x22d8, 0x2300, 0x2304, 0x2310, 0x2318, 0x2320,
	0x2328, 0x2330, 0x2338, 0x2340, 0x2400, 0x2404, 0x2408, 0x240c, 0x2410,
	0x2414, 0x2418, 0x2420, 0x2430, 0x2434, 0x2438, 0x243c, 0x2440, 0x2448,
	0x2450, 0x2500, 0x2504, 0x2508, 0x5200, 0x521c, 0x5240, 0x525c, 0x5280,
	0x528c, 0x2600, 0x267c,
};

static unsigned user_regs(int e, uint32_t *regs)
{
	unsigned n = 0;

	for (int i = 0; i < 2 * RING_NR_GPR; i++)
		regs[n++] = GPR(e, 0) + 4 * i;
	if (e == GEN9_RCS0)
		for (size_t i = 0; i < ARRAY_SIZE(rcs_user); i++)
			regs[n++] = rcs_user[i];
	return n;
}

/* After the first run an image is complete and may be restored. */
static void allow_restore(struct ctx *c)
{
	ctx_set(c, LRC_CONTEXT_CONTROL,
		GEN_MASKED_ENABLE(CTX_CTRL_INHIBIT_SYN_SWITCH) |
		GEN_MASKED_DISABLE(CTX_CTRL_RESTORE_INHIBIT));
}

/* A first run, which saves a whole image. */
static void prime(struct ctx *c)
{
	emit(c, 0);
	submit(c);
	run_idle(c->engine);
	allow_restore(c);
}

static void write_all(struct ctx *c, uint32_t pattern)
{
	uint32_t regs[128];
	unsigned n = user_regs(c->engine, regs);

	batch_begin(c);
	for (unsigned i = 0; i < n; i++)
		batch_lri(c, regs[i], pattern + i);
	emit_batch(c);
	submit(c);
	run_idle(c->engine);
	assert_int_equal(counter(c->engine, GEN9_CNT_BLOCKED), 0);
}

static void read_all(struct ctx *c)
{
	uint32_t regs[128];
	unsigned n = user_regs(c->engine, regs);

	batch_begin(c);
	for (unsigned i = 0; i < n; i++)
		batch_srm(c, regs[i], DATA_VA + 4 * i);
	emit_batch(c);
	submit(c);
	run_idle(c->engine);
}

static void test_position_saved(void **state)
{
	(void)state;
	for (int e = 0; e < GEN9_NR_ENGINES; e++) {
		struct ctx c;

		ctx_new(&c, e, 5);
		emit_store(&c, DATA_VA, 1);
		submit(&c);
		run_idle(e);
		assert_int_equal(ctx_get(&c, LRC_RING_HEAD), c.tail);
		/* fields of software are unchanged */
		assert_int_equal(ctx_get(&c, LRC_RING_TAIL), c.tail);
		assert_int_equal(ctx_get(&c, LRC_RING_START), c.ring);
		assert_int_equal(ctx_get(&c, LRC_RING_CTL),
				 (RING_PAGES - 1) << 12 | RING_CTL_VALID);
		assert_int_equal(ctx_get(&c, LRC_PDP_LDW(0)), c.pml4);
		assert_int_equal(ctx_get(&c, LRC_CONTEXT_CONTROL),
				 GEN_MASKED_ENABLE(CTX_CTRL_INHIBIT_SYN_SWITCH |
						   CTX_CTRL_RESTORE_INHIBIT));
		assert_int_equal(ctx_get(&c, LRC_LRI0) >> 23,
				 OP_MI_LOAD_REGISTER_IMM);
		assert_int_equal(ctx_get(&c, LRC_BB_ADDR) & RING_BB_VALID, 0);
	}
}

/* A save must not undo a move of the tail while the context runs. */
static void test_tail_is_softwares(void **state)
{
	struct ctx c;

	(void)state;
	ctx_new(&c, GEN9_BCS0, 5);
	emit_store(&c, DATA_VA, 1);
	submit(&c);
	gen9_engine_run(host.gpu, GEN9_BCS0, 1);
	ctx_set(&c, LRC_RING_TAIL, 0x800);
	run_idle(GEN9_BCS0);
	assert_int_equal(ctx_get(&c, LRC_RING_TAIL), 0x800);
}

static void test_state_preserved(void **state)
{
	(void)state;
	for (int e = 0; e < GEN9_NR_ENGINES; e++) {
		struct ctx a, b;
		uint32_t regs[128];
		unsigned n = user_regs(e, regs);

		ctx_new(&a, e, 1);
		ctx_new(&b, e, 2);
		prime(&a);
		prime(&b);
		write_all(&a, 0x1000);
		write_all(&b, 0x2000);
		read_all(&a);
		read_all(&b);
		for (unsigned i = 0; i < n; i++) {
			/* the last value of a register listed twice */
			uint32_t want = i;

			for (unsigned k = i + 1; k < n; k++)
				if (regs[k] == regs[i])
					want = k;
			assert_int_equal(data32(&a, 4 * i), 0x1000 + want);
			assert_int_equal(data32(&b, 4 * i), 0x2000 + want);
		}
	}
}

/* The blitter's tiling belongs to the context, too. */
static void test_blitter_tiling(void **state)
{
	const uint32_t reg = GEN_BCS0_BASE + BCS_SWCTRL;
	struct ctx a, b;

	(void)state;
	ctx_new(&a, GEN9_BCS0, 1);
	ctx_new(&b, GEN9_BCS0, 2);
	prime(&a);
	prime(&b);
	for (int i = 0; i < 3; i++) {
		batch_begin(&a);
		if (!i)
			batch_lri(&a, reg, GEN_MASKED_ENABLE(BCS_DST_Y));
		batch_srm(&a, reg, DATA_VA);
		emit_batch(&a);
		submit(&a);
		run_idle(GEN9_BCS0);
		batch_begin(&b);
		batch_srm(&b, reg, DATA_VA);
		emit_batch(&b);
		submit(&b);
		run_idle(GEN9_BCS0);
		assert_int_equal(data32(&a, 0) & 3, BCS_DST_Y);
		assert_int_equal(data32(&b, 0) & 3, 0);
	}
}

/* A context that is not restored has the registers of the one before. */
static void test_residue(void **state)
{
	(void)state;
	for (int e = 0; e < GEN9_NR_ENGINES; e++) {
		struct ctx first, fresh;
		uint32_t regs[128];
		unsigned n = user_regs(e, regs);

		ctx_new(&first, e, 1);
		write_all(&first, 0x5ec40000);
		ctx_new(&fresh, e, 2);
		read_all(&fresh);
		for (unsigned i = 0; i < n; i++)
			assert_int_equal(data32(&fresh, 4 * i) >> 16, 0x5ec4);
	}
}

/* So does one with an image that lists no register. */
static void test_truncated_image(void **state)
{
	struct ctx first, c;

	(void)state;
	ctx_new(&first, GEN9_RCS0, 1);
	prime(&first);
	ctx_new(&c, GEN9_RCS0, 2);
	prime(&c);
	ctx_set(&c, LRC_RING_CONTEXT_DWORDS, MI_CMD(OP_MI_BATCH_BUFFER_END));
	ctx_set(&c, LRC_RING_CONTEXT_DWORDS + 1, MI_CMD(OP_MI_BATCH_BUFFER_END));
	write_all(&first, 0x5ec40000);
	read_all(&c);
	for (int i = 0; i < 32; i++)
		assert_int_equal(data32(&c, 4 * i) >> 16, 0x5ec4);
}

/* A reset clears them. */
static void test_reset_clears(void **state)
{
	struct ctx secret, c;

	(void)state;
	ctx_new(&secret, GEN9_RCS0, 1);
	write_all(&secret, 0x5ec40000);
	wr(GEN_GDRST, GDRST_RCS);
	engine_setup(GEN9_RCS0);
	ctx_new(&c, GEN9_RCS0, 2);
	read_all(&c);
	for (int i = 0; i < 64; i++)
		assert_int_not_equal(data32(&c, 4 * i) >> 16, 0x5ec4);
}

/* With save inhibit only the ring context is written. */
static void test_save_inhibit(void **state)
{
	struct ctx c;

	(void)state;
	ctx_new(&c, GEN9_RCS0, 1);
	ctx_set(&c, LRC_CONTEXT_CONTROL,
		GEN_MASKED_ENABLE(CTX_CTRL_SAVE_INHIBIT |
				  CTX_CTRL_RESTORE_INHIBIT));
	for (unsigned i = LRC_RING_CONTEXT_DWORDS; i < 1024; i++)
		ctx_set(&c, i, 0xabcd0000 + i);
	emit_store(&c, DATA_VA, 1);
	submit(&c);
	run_idle(GEN9_RCS0);
	assert_int_equal(ctx_get(&c, LRC_RING_HEAD), c.tail);
	for (unsigned i = LRC_RING_CONTEXT_DWORDS; i < 1024; i++)
		assert_int_equal(ctx_get(&c, i), 0xabcd0000 + i);
}

/* Saved images stay inside their pages. */
static void test_image_bounds(void **state)
{
	(void)state;
	for (int e = 0; e < GEN9_NR_ENGINES; e++) {
		unsigned pages = e == GEN9_RCS0 ? GEN9_RCS_CTX_PAGES :
				 GEN_XCS_CTX_PAGES;
		struct ctx c;
		uint64_t guard;

		ctx_new(&c, e, 1);
		guard = alloc_pages(1);
		memset(host.ram + guard, 0x77, 4096);
		ggtt_set(c.lrca + pages * 4096, guard | GEN_PTE_PRESENT);
		ggtt_flush();
		prime(&c);
		write_all(&c, 1);
		for (int i = 0; i < 4096; i++)
			assert_int_equal(host.ram[guard + i], 0x77);
	}
}

/*
 * A context that is preempted in a batch resumes there, with its engine state
 * and, on the blitter, its setup.
 */
static void test_resume_in_batch(void **state)
{
	for (int e = 0; e < GEN9_NR_ENGINES; e++) {
		struct ctx a, b;

		(void)state;
		ctx_new(&a, e, 1);
		ctx_new(&b, e, 2);
		prime(&a);
		prime(&b);
		batch_begin(&a);
		batch_lri(&a, GPR(e, 3), 0x3333);
		if (e == GEN9_BCS0) {
			batch(&a, 2u << 29 | OP_XY_SETUP_MONO_PATTERN_SL_BLT << 22 |
			      3 << 20 | 8);
			batch(&a, 1u << 30 | 3 << 24 | 0xf0 << 16 | 64);
			batch(&a, 0);
			batch(&a, 4 << 16 | 8);
			batch_addr(&a, DATA_VA + 0x1000);
			batch(&a, 0xbbbb);
			batch(&a, 0xffff);
			batch(&a, 0x0f0f0f0f);
			batch(&a, 0xf0f0f0f0);
		}
		batch(&a, MI_CMD(OP_MI_SEMAPHORE_WAIT) | MI_SEMAPHORE_POLL |
		      4 << 12 | 2);
		batch(&a, 1);
		batch_addr(&a, DATA_VA);
		if (e == GEN9_BCS0) {
			batch(&a, 2u << 29 | OP_XY_SCANLINES_BLT << 22 | 1);
			batch(&a, 0);
			batch(&a, 8 << 16 | 16);
		}
		batch_srm(&a, GPR(e, 3), DATA_VA + 8);
		emit_batch(&a);
		submit(&a);
		assert_false(run_for(e, 20));

		/* another context with other state in between */
		batch_begin(&b);
		batch_lri(&b, GPR(e, 3), 0x4444);
		if (e == GEN9_BCS0) {
			batch(&b, 2u << 29 | OP_XY_SETUP_BLT << 22 | 8);
			for (int i = 0; i < 9; i++)
				batch(&b, 0);
		}
		emit_batch(&b);
		submit2(&b, &a);
		assert_false(run_for(e, 20));
		assert_true(ctx_get(&b, LRC_RING_HEAD) == b.tail);

		set_data32(&a, 0, 1);
		run_idle(e);
		assert_int_equal(data32(&a, 8), 0x3333);
		if (e != GEN9_BCS0)
			continue;
		for (int y = 0; y < 8; y++) {
			for (int x = 0; x < 16; x++) {
				uint32_t want = y >= 4 || x >= 8 ? 0 :
					x >= 4 ? 0xffff : 0xbbbb;

				assert_int_equal(data32(&a, 0x1000 + 64 * y +
							4 * x), want);
			}
		}
	}
}

/* Preemption between batches of two levels. */
static void test_resume_in_second_level(void **state)
{
	struct ctx a, b;

	(void)state;
	ctx_new(&a, GEN9_RCS0, 1);
	ctx_new(&b, GEN9_RCS0, 2);
	batch(&a, MI_CMD(OP_MI_BATCH_BUFFER_START) | MI_BB_PPGTT |
	      MI_BB_SECOND_LEVEL | 1);
	batch_addr(&a, BATCH_VA + 0x1000);
	batch_store(&a, DATA_VA + 8, 2);
	emit_batch(&a);
	a.b = (uint32_t *)(host.ram + a.batch + 0x1000);
	batch(&a, MI_CMD(OP_MI_SEMAPHORE_WAIT) | MI_SEMAPHORE_POLL | 4 << 12 | 2);
	batch(&a, 1);
	batch_addr(&a, DATA_VA);
	batch_store(&a, DATA_VA + 4, 1);
	batch(&a, MI_CMD(OP_MI_BATCH_BUFFER_END));
	submit(&a);
	assert_false(run_for(GEN9_RCS0, 20));
	emit_store(&b, DATA_VA, 1);
	submit2(&b, &a);
	assert_false(run_for(GEN9_RCS0, 20));
	assert_int_equal(data32(&b, 0), 1);
	set_data32(&a, 0, 1);
	run_idle(GEN9_RCS0);
	assert_int_equal(data32(&a, 4), 1);
	assert_int_equal(data32(&a, 8), 2);
	assert_int_equal(ctx_get(&a, LRC_RING_HEAD), a.tail);
}

/* After a reset that rewinds the head, the old batch is not resumed. */
static void test_batch_consumed(void **state)
{
	struct ctx a, b;

	(void)state;
	ctx_new(&a, GEN9_RCS0, 1);
	ctx_new(&b, GEN9_RCS0, 2);
	batch(&a, MI_CMD(OP_MI_ARB_CHECK));
	batch(&a, MI_CMD(OP_MI_BATCH_BUFFER_START) | MI_BB_PPGTT | 1);
	batch_addr(&a, BATCH_VA);
	emit(&a, MI_CMD(OP_MI_BATCH_BUFFER_START) | MI_BB_PPGTT | 1);
	emit_addr(&a, BATCH_VA);
	emit(&a, 0);
	emit_store(&a, DATA_VA, 1);
	submit(&a);
	assert_false(run_for(GEN9_RCS0, 10));
	emit_store(&b, DATA_VA, 1);
	submit2(&b, &a);
	assert_false(run_for(GEN9_RCS0, 10));
	/* a was preempted and runs again: its image has no batch now */
	assert_int_equal(ctx_get(&a, LRC_BB_ADDR) & RING_BB_VALID, 0);
	wr(GEN_GDRST, GDRST_RCS);
	engine_setup(GEN9_RCS0);
	ctx_set(&a, LRC_RING_HEAD, 16);		/* skip it */
	submit(&a);
	run_idle(GEN9_RCS0);
	assert_int_equal(data32(&a, 0), 1);
}

/* Indirect context batch, per context batch, ring, in this order; all privileged. */
static void test_workaround_batches(void **state)
{
	uint64_t pa;
	uint32_t addr;
	uint32_t *p;
	struct ctx c;

	(void)state;
	ctx_new(&c, GEN9_RCS0, 1);
	prime(&c);
	pa = alloc_pages(2);
	addr = ggtt_map(pa, 2);
	p = (uint32_t *)(host.ram + pa);
	*p++ = MI_CMD(OP_MI_LOAD_REGISTER_IMM) | 1;
	*p++ = GPR(GEN9_RCS0, 0);
	*p++ = 0x1111;
	*p++ = MI_CMD(OP_MI_STORE_DATA_IMM) | MI_USE_GGTT | 2;
	*p++ = c.data_ggtt;
	*p++ = 0;
	*p++ = 1;
	/* ends by its size: 64 bytes */
	p = (uint32_t *)(host.ram + pa + 64);
	*p++ = MI_CMD(OP_MI_STORE_DATA_IMM) | MI_USE_GGTT | 2;
	*p++ = c.data_ggtt + 4;
	*p++ = 0;
	*p++ = 99;
	p = (uint32_t *)(host.ram + pa + 0x1000);
	*p++ = MI_CMD(OP_MI_STORE_REGISTER_MEM) | MI_USE_GGTT | 2;
	*p++ = GPR(GEN9_RCS0, 0);
	*p++ = c.data_ggtt + 8;
	*p++ = 0;
	*p++ = MI_CMD(OP_MI_BATCH_BUFFER_END);
	ctx_set(&c, LRC_INDIRECT_CTX, addr | 1);
	ctx_set(&c, LRC_INDIRECT_CTX_OFFSET, GEN9_INDIRECT_CTX_OFFSET);
	ctx_set(&c, LRC_BB_PER_CTX_PTR, (addr + 0x1000) | BB_PER_CTX_VALID);
	emit(&c, MI_CMD(OP_MI_STORE_REGISTER_MEM) | 2);
	emit(&c, GPR(GEN9_RCS0, 0));
	emit_addr(&c, DATA_VA + 12);
	submit(&c);
	run_idle(GEN9_RCS0);
	assert_int_equal(data32(&c, 0), 1);
	assert_int_equal(data32(&c, 4), 0);
	assert_int_equal(data32(&c, 8), 0x1111);
	assert_int_equal(data32(&c, 12), 0x1111);
}

/* The indirect context batch is part of a restore. */
static void test_inhibited_batch(void **state)
{
	struct ctx c;
	uint64_t pa;

	(void)state;
	ctx_new(&c, GEN9_RCS0, 1);
	pa = alloc_pages(1);
	set_ram32(pa, MI_CMD(OP_MI_STORE_DATA_IMM) | MI_USE_GGTT | 2);
	set_ram32(pa + 4, c.data_ggtt);
	set_ram32(pa + 8, 0);
	set_ram32(pa + 12, 5);
	ctx_set(&c, LRC_INDIRECT_CTX, ggtt_map(pa, 1) | 1);
	emit_store(&c, DATA_VA + 4, 1);
	submit(&c);
	run_idle(GEN9_RCS0);
	assert_int_equal(data32(&c, 4), 1);
	assert_int_equal(data32(&c, 0), 0);
}

/* The per context batch alone. */
static void test_per_context_batch(void **state)
{
	struct ctx c;
	uint64_t pa;
	uint32_t addr;

	(void)state;
	ctx_new(&c, GEN9_RCS0, 1);
	pa = alloc_pages(1);
	addr = ggtt_map(pa, 1);
	set_ram32(pa, MI_CMD(OP_MI_STORE_DATA_IMM) | MI_USE_GGTT | 2);
	set_ram32(pa + 4, c.data_ggtt);
	set_ram32(pa + 8, 0);
	set_ram32(pa + 12, 5);
	set_ram32(pa + 16, MI_CMD(OP_MI_BATCH_BUFFER_END));
	ctx_set(&c, LRC_BB_PER_CTX_PTR, addr | BB_PER_CTX_VALID);
	emit_store(&c, DATA_VA + 4, 6);
	submit(&c);
	run_idle(GEN9_RCS0);
	assert_int_equal(data32(&c, 0), 5);
	assert_int_equal(data32(&c, 4), 6);
}

/* It counts only while the context runs. */
static void test_context_timestamp(void **state)
{
	struct ctx c;
	uint32_t first;

	(void)state;
	ctx_new(&c, GEN9_VECS0, 1);
	emit(&c, MI_CMD(OP_MI_SEMAPHORE_WAIT) | MI_SEMAPHORE_POLL | 4 << 12 | 2);
	emit(&c, 1);
	emit_addr(&c, DATA_VA);
	submit(&c);
	assert_false(run_for(GEN9_VECS0, 5));
	host.now += 10000000;			/* 10 ms are 120000 ticks */
	set_data32(&c, 0, 1);
	run_idle(GEN9_VECS0);
	first = ctx_get(&c, LRC_CTX_TIMESTAMP);
	assert_in_range(first, 120000, 130000);
	host.now += 50000000;
	allow_restore(&c);
	emit(&c, 0);
	submit(&c);
	run_idle(GEN9_VECS0);
	assert_in_range(ctx_get(&c, LRC_CTX_TIMESTAMP), first, first + 1000);
}

/* The order of a save's writes. */
static struct saved {
	const struct ctx *c;
	unsigned writes;
	unsigned head, engine_context, event;
} saved;

static void note_write(uint64_t pa)
{
	const struct ctx *c = saved.c;

	saved.writes++;
	if (pa == ctx_state(c, LRC_RING_HEAD - 1))
		saved.head = saved.writes;
	else if (pa == ctx_state(c, LRC_RING_CONTEXT_DWORDS))
		saved.engine_context = saved.writes;
	else if (pa >> 12 == host.hwsp_pa[c->engine] >> 12)
		saved.event = saved.writes;
}

static void save_once(struct ctx *c)
{
	emit(c, 0);
	submit(c);
	saved = (struct saved) { .c = c };
	host.on_write = note_write;
	run_idle(c->engine);
	host.on_write = NULL;
	assert_int_equal(ctx_get(c, LRC_RING_HEAD), c->tail);
	assert_in_range(saved.head, 1, saved.event - 1);
	assert_in_range(saved.engine_context, 1, saved.event - 1);
}

/* HEAD is written first or last in turn, and the event after the image. */
static void test_head_order(void **state)
{
	(void)state;
	for (int e = 0; e < GEN9_NR_ENGINES; e++) {
		struct ctx c;

		ctx_new(&c, e, 1);
		for (int i = 0; i < 4; i++) {
			save_once(&c);
			assert_int_equal(saved.head > saved.engine_context, i & 1);
		}
	}
}

static int setup_head_last(void **state)
{
	(void)state;
	host_start(&(Gen9Config) { .head_last = true });
	return 0;
}

static void test_head_last(void **state)
{
	struct ctx c;

	(void)state;
	ctx_new(&c, GEN9_BCS0, 1);
	for (int i = 0; i < 4; i++) {
		save_once(&c);
		assert_true(saved.head > saved.engine_context);
	}
}

/* Lists that run over the end of the image, or are garbage. */
static void test_garbage_images(void **state)
{
	struct ctx c;

	(void)state;
	for (unsigned i = 0; i < rounds(2000); i++) {
		int e = rnd_below(GEN9_NR_ENGINES);

		host.next_page = 0x100000;
		host.next_ggtt = 0x800000;
		ctx_new(&c, e, 1);
		if (rnd_below(2))
			allow_restore(&c);
		for (int k = rnd_below(300); k; k--) {
			unsigned at = 2 + rnd_below(1022);
			uint32_t v = rnd();

			if (rnd_below(2))
				v = MI_CMD(OP_MI_LOAD_REGISTER_IMM) |
					(v & 0xff);
			else if (rnd_below(2))
				v = engine_base[e] + (v & 0x7fc);
			ctx_set(&c, at, v);
		}
		emit_store(&c, DATA_VA, 1);
		submit(&c);
		run_for(e, 10);
		full_reset();
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		gpu_test(test_position_saved),
		gpu_test(test_tail_is_softwares),
		gpu_test(test_state_preserved),
		gpu_test(test_blitter_tiling),
		gpu_test(test_residue),
		gpu_test(test_truncated_image),
		gpu_test(test_reset_clears),
		gpu_test(test_save_inhibit),
		gpu_test(test_image_bounds),
		gpu_test(test_resume_in_batch),
		gpu_test(test_resume_in_second_level),
		gpu_test(test_batch_consumed),
		gpu_test(test_workaround_batches),
		gpu_test(test_inhibited_batch),
		gpu_test(test_per_context_batch),
		gpu_test(test_context_timestamp),
		gpu_test(test_head_order),
		cmocka_unit_test_setup_teardown(test_head_last, setup_head_last, teardown),
		gpu_test(test_garbage_images),
	};

	return run_tap_tests("model_context", tests);
}
