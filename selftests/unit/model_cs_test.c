// SPDX-License-Identifier: GPL-2.0
/*
 * The command streamer: each MI command on each engine, flushes, batches,
 * privileges, and errors.
 */
#include "model_host.h"

#define GPR(e, n)	(engine_base[e] + RING_GPR(n))
#define HWSP_INDEX	0x200

static struct ctx c;

static void start(int engine)
{
	ctx_new(&c, engine, 3);
	batch_begin(&c);
}

/* A context of each engine, for tests with many rounds. */
static struct ctx contexts[GEN9_NR_ENGINES];

static void start_all(void)
{
	for (int e = 0; e < GEN9_NR_ENGINES; e++)
		ctx_new(&contexts[e], e, 100 + e);
}

/* Runs the ring. */
static void go(void)
{
	submit(&c);
	run_idle(c.engine);
	assert_int_equal(ctx_get(&c, LRC_RING_HEAD), c.tail);
}

/* Runs the batch. */
static void go_batch(void)
{
	emit_batch(&c);
	go();
	batch_begin(&c);
}

static void emit_lri(uint32_t reg, uint32_t value)
{
	emit(&c, MI_CMD(OP_MI_LOAD_REGISTER_IMM) | 1);
	emit(&c, reg);
	emit(&c, value);
}

static void emit_srm(uint32_t reg, uint64_t addr)
{
	emit(&c, MI_CMD(OP_MI_STORE_REGISTER_MEM) | 2);
	emit(&c, reg);
	emit_addr(&c, addr);
}

static void emit_gpr(int n, uint64_t value)
{
	emit_lri(GPR(c.engine, n), value);
	emit_lri(GPR(c.engine, n) + 4, value >> 32);
}

static uint64_t data64(unsigned offset)
{
	return ram64(c.data + offset);
}

static void test_store_data_imm(void **state)
{
	(void)state;
	for (int e = 0; e < GEN9_NR_ENGINES; e++) {
		start(e);
		emit_store(&c, DATA_VA + 4, 0x11);
		emit(&c, MI_CMD(OP_MI_STORE_DATA_IMM) | MI_SDI_QWORD | 3);
		emit_addr(&c, DATA_VA + 16);
		emit_addr(&c, 0x2233445566778899ULL);
		emit(&c, MI_CMD(OP_MI_STORE_DATA_IMM) | MI_USE_GGTT | 2);
		emit_addr(&c, c.data_ggtt + 32);
		emit(&c, 0x44);
		emit(&c, MI_CMD(OP_MI_STORE_DATA_IMM) | 6);	/* five */
		emit_addr(&c, DATA_VA + 0x1000 - 8);
		for (int i = 1; i <= 5; i++)
			emit(&c, i);
		go();
		assert_int_equal(data32(&c, 4), 0x11);
		assert_true(data64(16) == 0x2233445566778899ULL);
		assert_int_equal(data32(&c, 32), 0x44);
		for (int i = 1; i <= 5; i++)
			assert_int_equal(data32(&c, 0x1000 - 12 + 4 * i), i);
	}
}

static void test_store_data_index(void **state)
{
	(void)state;
	for (int e = 0; e < GEN9_NR_ENGINES; e++) {
		start(e);
		emit(&c, MI_CMD(OP_MI_STORE_DATA_INDEX) | 1);
		emit(&c, HWSP_INDEX);
		emit(&c, 0x77);
		emit(&c, MI_CMD(OP_MI_STORE_DATA_INDEX) | 1 << 21 | 1);
		emit(&c, HWSP_INDEX);
		emit(&c, 0x88);
		go();
		assert_int_equal(ram32(host.hwsp_pa[e] + HWSP_INDEX), 0x77);
		assert_int_equal(ram32(c.image + HWSP_INDEX), 0x88);
	}
}

static void test_registers(void **state)
{
	(void)state;
	for (int e = 0; e < GEN9_NR_ENGINES; e++) {
		start(e);
		emit(&c, MI_CMD(OP_MI_LOAD_REGISTER_IMM) | 5);
		emit(&c, GPR(e, 0));
		emit(&c, 0x100);
		emit(&c, GPR(e, 1));
		emit(&c, 0x200);
		emit(&c, GPR(e, 2));
		emit(&c, 0x300);
		emit(&c, MI_CMD(OP_MI_LOAD_REGISTER_REG) | 1);
		emit(&c, GPR(e, 1));
		emit(&c, GPR(e, 5));
		set_data32(&c, 0x40, 0x400);
		emit(&c, MI_CMD(OP_MI_LOAD_REGISTER_MEM) | 2);
		emit(&c, GPR(e, 6));
		emit_addr(&c, DATA_VA + 0x40);
		emit_srm(GPR(e, 0), DATA_VA);
		emit_srm(GPR(e, 5), DATA_VA + 4);
		emit_srm(GPR(e, 6), DATA_VA + 8);
		emit(&c, MI_CMD(OP_MI_STORE_REGISTER_MEM) | MI_USE_GGTT | 2);
		emit(&c, GPR(e, 2));
		emit_addr(&c, c.data_ggtt + 12);
		go();
		assert_int_equal(data32(&c, 0), 0x100);
		assert_int_equal(data32(&c, 4), 0x200);
		assert_int_equal(data32(&c, 8), 0x400);
		assert_int_equal(data32(&c, 12), 0x300);
	}
}

/* Timestamps run at 12 MHz, for commands and the CPU. */
static void test_timestamp(void **state)
{
	uint32_t before;

	(void)state;
	start(GEN9_RCS0);
	before = erd(GEN9_RCS0, RING_TIMESTAMP);
	host.now += 1000000;
	assert_int_equal(erd(GEN9_RCS0, RING_TIMESTAMP) - before, 12000);
	emit_srm(GEN_RCS0_BASE + RING_TIMESTAMP, DATA_VA);
	emit_srm(GEN_RCS0_BASE + RING_TIMESTAMP_UDW, DATA_VA + 4);
	emit_lri(GEN_RCS0_BASE + RING_TIMESTAMP, 0);	/* cannot be set */
	emit_srm(GEN_RCS0_BASE + RING_TIMESTAMP, DATA_VA + 8);
	go();
	assert_int_equal(data32(&c, 0), erd(GEN9_RCS0, RING_TIMESTAMP));
	assert_int_equal(data32(&c, 8), data32(&c, 0));
}

#define ALU(op, a, b) ((uint32_t)(op) << 20 | (a) << 10 | (b))

static void test_math(void **state)
{
	static const uint32_t ops[] = { 0x100, 0x101, 0x102, 0x103, 0x104 };

	(void)state;
	start_all();
	for (unsigned i = 0; i < rounds(400); i++) {
		int e = rnd_below(GEN9_NR_ENGINES), op = rnd_below(5);
		bool inv_a = rnd_below(2), inv_out = rnd_below(2);
		uint64_t a = rnd64() >> rnd_below(64), b = rnd64() >> rnd_below(64);
		uint64_t x, r, cf;

		if (!rnd_below(8))
			b = a;
		c = contexts[e];
		emit_gpr(1, a);
		emit_gpr(2, b);
		emit(&c, MI_CMD(OP_MI_MATH) | 5);
		emit(&c, ALU(inv_a ? 0x480 : 0x080, 0x20, 1));
		emit(&c, ALU(0x080, 0x21, 2));
		emit(&c, ALU(ops[op], 0, 0));
		emit(&c, ALU(inv_out ? 0x580 : 0x180, 3, 0x31));
		emit(&c, ALU(0x180, 4, 0x32));
		emit(&c, ALU(0x180, 5, 0x33));
		for (int k = 3; k <= 5; k++) {
			emit_srm(GPR(e, k), DATA_VA + 8 * k);
			emit_srm(GPR(e, k) + 4, DATA_VA + 8 * k + 4);
		}
		go();
		x = inv_a ? ~a : a;
		r = op == 0 ? x + b : op == 1 ? x - b : op == 2 ? (x & b) :
			op == 3 ? (x | b) : (x ^ b);
		cf = (op == 0 && r < x) || (op == 1 && x < b) ? ~0ULL : 0;
		assert_true(data64(24) == (inv_out ? ~r : r));
		assert_true(data64(32) == (r ? 0 : ~0ULL));
		assert_true(data64(40) == cf);
		contexts[e] = c;
	}
}

static void test_math_load_constants(void **state)
{
	(void)state;
	start(GEN9_BCS0);
	emit(&c, MI_CMD(OP_MI_MATH) | 3);
	emit(&c, ALU(0x081, 0x20, 0));
	emit(&c, ALU(0x481, 0x21, 0));
	emit(&c, ALU(0x100, 0, 0));
	emit(&c, ALU(0x180, 15, 0x31));
	emit_srm(GPR(c.engine, 15), DATA_VA);
	emit_srm(GPR(c.engine, 15) + 4, DATA_VA + 4);
	go();
	assert_true(data64(0) == ~0ULL);
}

static uint64_t atomic_want(int op, bool q, uint64_t m, uint64_t o1, uint64_t o2)
{
	int64_t sm = q ? (int64_t)m : (int32_t)m;
	int64_t so = q ? (int64_t)o1 : (int32_t)o1;

	switch (op) {
	case 0x1:
		return m & o1;
	case 0x2:
		return m | o1;
	case 0x3:
		return m ^ o1;
	case 0x4:
		return o1;
	case 0x5:
		return m + 1;
	case 0x6:
		return m - 1;
	case 0x7:
		return m + o1;
	case 0x8:
		return m - o1;
	case 0x9:
		return o1 - m;
	case 0xa:
		return sm > so ? m : o1;
	case 0xb:
		return sm < so ? m : o1;
	case 0xc:
		return m > o1 ? m : o1;
	case 0xd:
		return m < o1 ? m : o1;
	default:
		return m == o1 ? o2 : m;
	}
}

static void test_atomic(void **state)
{
	(void)state;
	start_all();
	for (unsigned i = 0; i < rounds(600); i++) {
		int op = 1 + rnd_below(14), e = rnd_below(GEN9_NR_ENGINES);
		bool q = rnd_below(2), inl = rnd_below(2);
		uint64_t m = rnd64(), o1 = rnd_below(3) ? rnd64() : m, o2 = rnd64();
		uint64_t mask = q ? ~0ULL : 0xffffffff, want;

		c = contexts[e];
		set_ram64(c.data, m);
		if (inl) {
			emit(&c, MI_CMD(OP_MI_ATOMIC) | MI_ATOMIC_INLINE |
			     (q ? MI_ATOMIC_QWORD : 0) | MI_ATOMIC_RETURN |
			     op << 8 | 9);
			emit_addr(&c, DATA_VA);
			emit(&c, o1);
			emit(&c, o2);
			emit(&c, o1 >> 32);
			emit(&c, o2 >> 32);
			for (int k = 0; k < 4; k++)
				emit(&c, 0);
		} else {
			emit_gpr(0, o1);
			emit_gpr(1, o2);
			emit(&c, MI_CMD(OP_MI_ATOMIC) | MI_ATOMIC_RETURN |
			     (q ? MI_ATOMIC_QWORD : 0) | op << 8 | 1);
			emit_addr(&c, DATA_VA);
		}
		emit_srm(GPR(e, 4), DATA_VA + 16);
		go();
		want = atomic_want(op, q, m & mask, o1 & mask, o2 & mask) & mask;
		want |= m & ~mask;
		assert_true(data64(0) == want);
		assert_int_equal(data32(&c, 16), (uint32_t)m);
		contexts[e] = c;
	}
}

static void test_copy_mem_mem(void **state)
{
	(void)state;
	for (int k = 0; k < 4; k++) {
		start(k);
		set_data32(&c, 0x80, 0x5a5a + k);
		emit(&c, MI_CMD(OP_MI_COPY_MEM_MEM) | 3 |
		     (k & 1 ? MI_USE_GGTT : 0) | (k & 2 ? MI_COPY_DST_GGTT : 0));
		emit_addr(&c, k & 2 ? c.data_ggtt + 4 : DATA_VA + 4);
		emit_addr(&c, k & 1 ? c.data_ggtt + 0x80 : DATA_VA + 0x80);
		go();
		assert_int_equal(data32(&c, 4), 0x5a5a + k);
	}
}

/* Comparisons, in memory and in a register. */
static void test_semaphore_wait(void **state)
{
	static const uint32_t values[] = { 0, 4, 5, 6, ~0u };

	(void)state;
	for (int op = 0; op < 6; op++) {
		for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
			uint32_t m = values[i], v = 5;
			bool pass = op == 0 ? m > v : op == 1 ? m >= v :
				op == 2 ? m < v : op == 3 ? m <= v :
				op == 4 ? m == v : m != v;
			bool reg = (i ^ op) & 1;

			start(op % GEN9_NR_ENGINES);
			set_data32(&c, 0, m);
			emit_gpr(7, m);
			emit(&c, MI_CMD(OP_MI_SEMAPHORE_WAIT) | op << 12 |
			     MI_SEMAPHORE_POLL |
			     (reg ? MI_SEMAPHORE_REGISTER_POLL : 0) | 2);
			emit(&c, v);
			emit_addr(&c, reg ? GPR(c.engine, 7) : DATA_VA);
			emit_store(&c, DATA_VA + 8, 1);
			submit(&c);
			assert_int_equal(run_for(c.engine, 10), pass);
			assert_int_equal(data32(&c, 8), pass);
			full_reset();
		}
	}
}

/* An engine waits for memory that another writes, and is woken by that. */
static void test_semaphore_between_engines(void **state)
{
	struct ctx other;

	(void)state;
	start(GEN9_BCS0);
	emit(&c, MI_CMD(OP_MI_SEMAPHORE_WAIT) | MI_SEMAPHORE_POLL |
	     MI_USE_GGTT | 4 << 12 | 2);
	emit(&c, 1);
	emit_addr(&c, c.data_ggtt);
	emit_store(&c, DATA_VA + 8, 1);
	submit(&c);
	assert_false(run_for(GEN9_BCS0, 5));
	ctx_new(&other, GEN9_VCS0, 9);
	emit(&other, MI_CMD(OP_MI_STORE_DATA_IMM) | MI_USE_GGTT | 2);
	emit_addr(&other, c.data_ggtt);
	emit(&other, 1);
	submit(&other);
	host.kicks[GEN9_BCS0] = 0;
	run_idle(GEN9_VCS0);
	assert_true(host.kicks[GEN9_BCS0] > 0);
	run_idle(GEN9_BCS0);
	assert_int_equal(data32(&c, 8), 1);
}

static void test_predicate(void **state)
{
	/* load, compare: equal; combine: set */
	const uint32_t set = MI_CMD(OP_MI_PREDICATE) | 2 << 6 | 0 << 3 | 2;

	(void)state;
	for (int equal = 0; equal < 2; equal++) {
		start(GEN9_RCS0);
		emit_lri(GEN_RCS0_BASE + RING_PREDICATE_SRC0, 7);
		emit_lri(GEN_RCS0_BASE + RING_PREDICATE_SRC0 + 4, 0);
		emit_lri(GEN_RCS0_BASE + RING_PREDICATE_SRC1, equal ? 7 : 8);
		emit_lri(GEN_RCS0_BASE + RING_PREDICATE_SRC1 + 4, 0);
		emit(&c, set);
		emit_srm(GEN_RCS0_BASE + RING_PREDICATE_RESULT, DATA_VA);
		/* a predicated call */
		batch_store(&c, DATA_VA + 4, 1);
		batch(&c, MI_CMD(OP_MI_BATCH_BUFFER_END));
		emit(&c, MI_CMD(OP_MI_BATCH_BUFFER_START) | MI_BB_PREDICATE |
		     MI_BB_PPGTT | 1);
		emit_addr(&c, BATCH_VA);
		emit_store(&c, DATA_VA + 8, 1);
		/* inverted */
		emit(&c, MI_CMD(OP_MI_PREDICATE) | 3 << 6 | 2);
		emit_srm(GEN_RCS0_BASE + RING_PREDICATE_RESULT, DATA_VA + 12);
		go();
		assert_int_equal(data32(&c, 0) & 1, equal);
		assert_int_equal(data32(&c, 4), equal);
		assert_int_equal(data32(&c, 8), 1);
		assert_int_equal(data32(&c, 12) & 1, !equal);
	}
}

/* A predicate makes the end of a batch a NOOP, and stays set after the batch. */
static void test_predicated_end(void **state)
{
	(void)state;
	start(GEN9_RCS0);
	batch(&c, MI_CMD(OP_MI_SET_PREDICATE) | 0xf);
	batch(&c, MI_CMD(OP_MI_BATCH_BUFFER_END));
	batch_store(&c, DATA_VA, 1);
	batch(&c, MI_CMD(OP_MI_SET_PREDICATE));
	batch_store(&c, DATA_VA + 4, 2);
	/* its result is set: no effect yet */
	batch_lri(&c, GEN_RCS0_BASE + RING_PREDICATE_RESULT, 1);
	batch(&c, MI_CMD(OP_MI_SET_PREDICATE) | 3);
	emit_batch(&c);
	emit_lri(GEN_RCS0_BASE + RING_PREDICATE_RESULT, 0);
	/* into the same batch again: NOOPs until the predicate is disabled */
	emit(&c, MI_CMD(OP_MI_BATCH_BUFFER_START) | MI_BB_PPGTT | 1);
	emit_addr(&c, BATCH_VA + 8);
	go();
	assert_int_equal(data32(&c, 0), 0);
	assert_int_equal(data32(&c, 4), 2);
}

/* Flushes with post-sync operations, on the engines that have them. */
static void test_flush_dw(void **state)
{
	(void)state;
	for (int e = GEN9_BCS0; e < GEN9_NR_ENGINES; e++) {
		start(e);
		emit(&c, MI_CMD(OP_MI_FLUSH_DW) | 1 << 14 | 2);
		emit_addr(&c, DATA_VA + 8);
		emit(&c, 0x123);
		emit(&c, MI_CMD(OP_MI_FLUSH_DW) | 1 << 14 | 3);
		emit_addr(&c, DATA_VA + 16);
		emit_addr(&c, 0x1122334455667788ULL);
		emit(&c, MI_CMD(OP_MI_FLUSH_DW) | 3 << 14 | 2);
		emit_addr(&c, DATA_VA + 24);
		emit(&c, 0);
		emit(&c, MI_CMD(OP_MI_FLUSH_DW) | 1 << 14 | 2);
		emit_addr(&c, (c.data_ggtt + 32) | MI_FLUSH_DW_ADDR_GGTT);
		emit(&c, 0x456);
		emit(&c, MI_CMD(OP_MI_FLUSH_DW) | MI_FLUSH_DW_STORE_INDEX |
		     1 << 14 | 2);
		emit_addr(&c, HWSP_INDEX | MI_FLUSH_DW_ADDR_GGTT);
		emit(&c, 0x789);
		/* bit 7 is not part of the length */
		emit(&c, MI_CMD(OP_MI_FLUSH_DW) | 1 << 7 | 2);
		emit_addr(&c, 0);
		emit(&c, 0);
		emit_store(&c, DATA_VA, 1);
		go();
		assert_int_equal(data32(&c, 8), 0x123);
		assert_true(data64(16) == 0x1122334455667788ULL);
		assert_int_equal(data64(24), (uint64_t)host.now * 12 / 1000);
		assert_int_equal(data32(&c, 32), 0x456);
		assert_int_equal(ram32(c.image + HWSP_INDEX), 0x789);
		assert_int_equal(data32(&c, 0), 1);
	}
}

static void emit_pipe_control(uint32_t flags, uint64_t addr, uint64_t value)
{
	emit(&c, CMD_PIPE_CONTROL << 16 | 4);
	emit(&c, flags);
	emit_addr(&c, addr);
	emit_addr(&c, value);
}

static void test_pipe_control(void **state)
{
	(void)state;
	start(GEN9_RCS0);
	emit_pipe_control(1 << 14, DATA_VA + 8, 0x1122334455667788ULL);
	emit_pipe_control(3 << 14, DATA_VA + 16, 0);
	emit_pipe_control(1 << 14 | PC_GLOBAL_GTT, c.data_ggtt + 24, 0x99);
	emit_pipe_control(1 << 14 | PC_STORE_INDEX, HWSP_INDEX, 0xaa);
	emit_pipe_control(PC_CS_STALL, DATA_VA + 32, 0xbb);	/* none */
	go();
	assert_true(data64(8) == 0x1122334455667788ULL);
	assert_int_equal(data64(16), (uint64_t)host.now * 12 / 1000);
	assert_int_equal(data32(&c, 24), 0x99);
	assert_int_equal(ram32(c.image + HWSP_INDEX), 0xaa);
	assert_int_equal(data32(&c, 32), 0);
}

/* Chained batches never return; second level ones do. */
static void test_batches(void **state)
{
	const uint64_t second = BATCH_VA + 0x2000, third = BATCH_VA + 0x3000;
	uint32_t *first_end;

	(void)state;
	for (int e = 0; e < GEN9_NR_ENGINES; e++) {
		start(e);
		batch_store(&c, DATA_VA, 1);
		batch(&c, MI_CMD(OP_MI_BATCH_BUFFER_START) | MI_BB_PPGTT |
		      MI_BB_SECOND_LEVEL | 1);
		batch_addr(&c, second);
		batch_store(&c, DATA_VA + 12, 4);
		batch(&c, MI_CMD(OP_MI_BATCH_BUFFER_START) | MI_BB_PPGTT | 1);
		batch_addr(&c, third);
		batch_store(&c, DATA_VA + 20, 99);	/* never */
		first_end = c.b;
		c.b = (uint32_t *)(host.ram + c.batch + 0x2000);
		batch_store(&c, DATA_VA + 4, 2);
		batch(&c, MI_CMD(OP_MI_BATCH_BUFFER_END));
		c.b = (uint32_t *)(host.ram + c.batch + 0x3000);
		batch_store(&c, DATA_VA + 16, 5);
		batch(&c, MI_CMD(OP_MI_BATCH_BUFFER_END));
		c.b = first_end;
		emit_batch(&c);
		emit_store(&c, DATA_VA + 24, 6);
		go();
		assert_int_equal(data32(&c, 0), 1);
		assert_int_equal(data32(&c, 4), 2);
		assert_int_equal(data32(&c, 12), 4);
		assert_int_equal(data32(&c, 16), 5);
		assert_int_equal(data32(&c, 20), 0);
		assert_int_equal(data32(&c, 24), 6);
		assert_int_equal(counter(e, GEN9_CNT_BATCHES), 2);
	}
}

static void test_conditional_end(void **state)
{
	(void)state;
	for (int more = 0; more < 2; more++) {
		start(GEN9_VECS0);
		set_ram64(c.data + 64, more ? 6 : 5);
		batch_store(&c, DATA_VA, 1);
		batch(&c, MI_CMD(OP_MI_COND_BATCH_BUFFER_END) | 1 << 21 | 2);
		batch(&c, 5);
		batch_addr(&c, DATA_VA + 64);
		batch_store(&c, DATA_VA + 4, 1);
		go_batch();
		assert_int_equal(data32(&c, 0), 1);
		assert_int_equal(data32(&c, 4), more);
	}
}

/* Long runs of NOOPs, over pages and in the ring. */
static void test_noops(void **state)
{
	(void)state;
	start(GEN9_VCS0);
	batch(&c, 0x00400000 | 0x2345);			/* identification */
	for (int i = 0; i < 3000; i++)
		batch(&c, 0);
	batch_store(&c, DATA_VA, 1);
	for (int i = 0; i < 2000; i++)
		emit(&c, 0);
	go_batch();
	assert_int_equal(data32(&c, 0), 1);
	assert_int_equal(erd(GEN9_VCS0, RING_NOPID), 0x2345);
	assert_true(counter(GEN9_VCS0, GEN9_CNT_COMMANDS) >= 5000);
}

static void test_update_gtt(void **state)
{
	(void)state;
	start(GEN9_BCS0);
	emit(&c, MI_CMD(OP_MI_UPDATE_GTT) | 2);
	emit(&c, 0x7654000);
	emit_addr(&c, 0x123000 | 1);
	go();
	assert_int_equal(gen9_gsm_read(host.gpu, 0x7654 * 8, 8), 0x123001);
}

static void test_report_head(void **state)
{
	(void)state;
	start(GEN9_BCS0);
	emit(&c, 0);
	emit(&c, MI_CMD(OP_MI_REPORT_HEAD));
	go();
	assert_int_equal(ram32(c.image + 0x10), 4);
}

static void test_blits(void **state)
{
	(void)state;
	start(GEN9_BCS0);
	batch(&c, 2u << 29 | OP_XY_COLOR_BLT << 22 | 3 << 20 | 5);
	batch(&c, 3 << 24 | 0xf0 << 16 | 64);
	batch(&c, 0);
	batch(&c, 2 << 16 | 4);
	batch_addr(&c, DATA_VA);
	batch(&c, 0x12345678);
	go_batch();
	for (int i = 0; i < 4; i++) {
		assert_int_equal(data32(&c, 4 * i), 0x12345678);
		assert_int_equal(data32(&c, 64 + 4 * i), 0x12345678);
	}
	assert_int_equal(data32(&c, 16), 0);
	assert_int_equal(data32(&c, 128), 0);
	assert_int_equal(counter(GEN9_BCS0, GEN9_CNT_BLT_BYTES), 32);
}

/* A register that user batches may write selects Y tiling. */
static void test_blit_tiling(void **state)
{
	(void)state;
	start(GEN9_BCS0);
	batch_lri(&c, GEN_BCS0_BASE + BCS_SWCTRL,
		  GEN_MASKED_ENABLE(BCS_DST_Y));
	batch(&c, 2u << 29 | OP_XY_COLOR_BLT << 22 | 3 << 20 | BLT_DST_TILED | 5);
	batch(&c, 3 << 24 | 0xf0 << 16 | 128 / 4);
	batch(&c, 1 << 16 | 4);			/* row 1, second column */
	batch(&c, 2 << 16 | 8);
	batch_addr(&c, DATA_VA);
	batch(&c, 0x77);
	go_batch();
	assert_int_equal(data32(&c, 512 + 16), 0x77);
	assert_int_equal(data32(&c, 128 + 16), 0);
	assert_int_equal(counter(GEN9_BCS0, GEN9_CNT_BLOCKED), 0);
}

/* A fault in a blit stops the engine, as any fault. */
static void test_blit_fault(void **state)
{
	(void)state;
	start(GEN9_BCS0);
	batch(&c, 2u << 29 | OP_XY_COLOR_BLT << 22 | 3 << 20 | 5);
	batch(&c, 3 << 24 | 0xf0 << 16 | 4096);
	batch(&c, 0);
	batch(&c, (DATA_PAGES + 1) << 16 | 1024);
	batch_addr(&c, DATA_VA);
	batch(&c, 5);
	batch_store(&c, DATA_VA, 9);
	emit_batch(&c);
	submit(&c);
	run_for(GEN9_BCS0, 50);
	assert_int_equal(data32(&c, 0), 5);
	assert_int_equal(data32(&c, DATA_PAGES * 4096 - 4), 5);
	assert_true(rd(GEN_RING_FAULT) & RING_FAULT_VALID);
	assert_int_equal(rd(GEN_FAULT_TLB_DATA0),
			 (DATA_VA + DATA_PAGES * 4096) >> 12);
}

/* 3D, media and video commands are skipped by their lengths. */
static void test_parsed_commands(void **state)
{
	(void)state;
	start(GEN9_RCS0);
	batch(&c, 0x69040300);
	batch(&c, 0x680b0001);
	batch(&c, 0x7b000005);
	for (int i = 0; i < 6; i++)
		batch(&c, 0x05000000);		/* not commands */
	batch(&c, 0x70000007);
	for (int i = 0; i < 8; i++)
		batch(&c, 0x05000000);
	batch_store(&c, DATA_VA, 1);
	go_batch();
	assert_int_equal(data32(&c, 0), 1);

	start(GEN9_VCS0);
	batch(&c, 0x70010004);
	for (int i = 0; i < 5; i++)
		batch(&c, 0x05000000);
	batch(&c, 0x68000100);			/* MFX_WAIT */
	batch_store(&c, DATA_VA, 2);
	go_batch();
	assert_int_equal(data32(&c, 0), 2);
}

/* ---- privileges ---- */

static uint64_t blocked(void)
{
	return counter(c.engine, GEN9_CNT_BLOCKED);
}

/* A batch in the GGTT has the privileges of a ring. */
static void test_privileged_batch(void **state)
{
	(void)state;
	start(GEN9_BCS0);
	batch(&c, MI_CMD(OP_MI_STORE_DATA_IMM) | MI_USE_GGTT | 2);
	batch_addr(&c, c.data_ggtt);
	batch(&c, 7);
	batch_lri(&c, GEN_BCS0_BASE + RING_HWSTAM, 0x1234);
	batch(&c, MI_CMD(OP_MI_BATCH_BUFFER_END));
	emit(&c, MI_CMD(OP_MI_BATCH_BUFFER_START) | 1);
	emit_addr(&c, ggtt_map(c.batch, BATCH_PAGES));
	go();
	assert_int_equal(data32(&c, 0), 7);
	assert_int_equal(erd(GEN9_BCS0, RING_HWSTAM), 0x1234);
	assert_int_equal(blocked(), 0);
}

#define RCS	(1u << GEN9_RCS0)
#define XCS	(GEN9_ALL_ENGINES & ~RCS)
#define ALL	GEN9_ALL_ENGINES

/*
 * Commands that access the GGTT: their engines, the dword for the GGTT address
 * of the data at @offset (0: none), and whether their second dword is a register
 * of the engine.
 */
static const struct {
	uint32_t engines, len, addr, offset;
	bool reg;
	uint32_t dw[6];
} ggtt_commands[] = {
	{ ALL, 4, 1, 0, false, { MI_CMD(OP_MI_STORE_DATA_IMM) | MI_USE_GGTT | 2, 0, 0, 1 } },
	{ ALL, 4, 2, 4, true, { MI_CMD(OP_MI_STORE_REGISTER_MEM) | MI_USE_GGTT | 2, RING_GPR(0) } },
	{ ALL, 4, 2, 0x100, true,
	  { MI_CMD(OP_MI_LOAD_REGISTER_MEM) | MI_USE_GGTT | 2, RING_GPR(1) } },
	{ ALL, 5, 1, 8, false,
	  { MI_CMD(OP_MI_COPY_MEM_MEM) | MI_COPY_DST_GGTT | 3, 0, 0, DATA_VA + 0x100 } },
	{ ALL, 5, 3, 0x100, false, { MI_CMD(OP_MI_COPY_MEM_MEM) | MI_USE_GGTT | 3, DATA_VA + 8 } },
	{ ALL, 3, 1, 12, false, { MI_CMD(OP_MI_ATOMIC) | MI_USE_GGTT | 5 << 8 | 1 } },
	{ ALL, 3, 0, 0, false, { MI_CMD(OP_MI_STORE_DATA_INDEX) | 1, HWSP_INDEX, 0x31 } },
	{ ALL, 4, 0, 0, false, { MI_CMD(OP_MI_UPDATE_GTT) | 2, 0x7700000, 0x1001 } },
	{ ALL, 4, 2, 0, false, { MI_CMD(OP_MI_COND_BATCH_BUFFER_END) | MI_USE_GGTT | 2, ~0u } },
	{ ALL, 4, 2, 0, false,
	  { MI_CMD(OP_MI_SEMAPHORE_WAIT) | MI_USE_GGTT | 4 << 12 | 2, 0x12345 } },
	{ ALL, 1, 0, 0, false, { MI_CMD(OP_MI_ARB_ON_OFF) } },
	{ RCS, 6, 2, 16, false,
	  { CMD_PIPE_CONTROL << 16 | 4, 1 << 14 | PC_GLOBAL_GTT, 0, 0, 0x41 } },
	{ RCS, 6, 0, 0, false,
	  { CMD_PIPE_CONTROL << 16 | 4, 1 << 14 | PC_STORE_INDEX, HWSP_INDEX, 0, 0x41 } },
	{ XCS, 4, 1, 16 | MI_FLUSH_DW_ADDR_GGTT, false,
	  { MI_CMD(OP_MI_FLUSH_DW) | 1 << 14 | 2, 0, 0, 0x41 } },
	{ XCS, 4, 0, 0, false,
	  { MI_CMD(OP_MI_FLUSH_DW) | MI_FLUSH_DW_STORE_INDEX | 1 << 14 | 2, HWSP_INDEX, 0,
	    0x41 } },
};

/* User batches cannot access the GGTT by any of them. */
static void test_no_ggtt_for_users(void **state)
{
	(void)state;
	for (int e = 0; e < GEN9_NR_ENGINES; e++) {
		uint64_t n = counter(e, GEN9_CNT_BLOCKED);

		start(e);
		set_data32(&c, 0x100, 0x666);
		for (size_t i = 0; i < ARRAY_SIZE(ggtt_commands); i++) {
			uint32_t dw[6];

			if (!(ggtt_commands[i].engines & 1u << e))
				continue;
			memcpy(dw, ggtt_commands[i].dw, sizeof(dw));
			if (ggtt_commands[i].reg)
				dw[1] += engine_base[e];
			if (ggtt_commands[i].addr)
				dw[ggtt_commands[i].addr] = c.data_ggtt + ggtt_commands[i].offset;
			for (uint32_t k = 0; k < ggtt_commands[i].len; k++)
				batch(&c, dw[k]);
			n++;
		}
		batch_srm(&c, GPR(e, 1), DATA_VA + 0x40);
		batch_store(&c, DATA_VA + 0x44, 2);	/* it gets here */
		go_batch();
		for (unsigned o = 0; o < 0x40; o += 4)
			assert_int_equal(data32(&c, o), 0);
		assert_int_not_equal(data32(&c, 0x40), 0x666);
		assert_int_equal(data32(&c, 0x44), 2);
		assert_int_equal(ram32(host.hwsp_pa[e] + HWSP_INDEX), 0);
		assert_int_equal(ram32(c.image + HWSP_INDEX), 0);
		assert_int_equal(gen9_gsm_read(host.gpu, 0x7700 * 8, 8), 0);
		assert_int_equal(blocked(), n);
	}
}

/* Nor can they call a batch that could. */
static void test_no_escalation(void **state)
{
	uint32_t evil;

	(void)state;
	start(GEN9_BCS0);
	evil = ggtt_map(c.batch + 0x1000, 1);
	ppgtt_map(c.pml4, evil, c.batch + 0x1000, 1);
	batch(&c, MI_CMD(OP_MI_BATCH_BUFFER_START) | 1);	/* GGTT */
	batch_addr(&c, evil);
	c.b = (uint32_t *)(host.ram + c.batch + 0x1000);
	batch(&c, MI_CMD(OP_MI_STORE_DATA_IMM) | MI_USE_GGTT | 2);
	batch_addr(&c, c.data_ggtt);
	batch(&c, 1);
	batch_store(&c, DATA_VA + 4, 2);
	emit_batch(&c);
	go();
	assert_int_equal(data32(&c, 0), 0);
	assert_int_equal(data32(&c, 4), 2);	/* it ran, unprivileged */
}

/* The command by which the batch writes @value to @reg. */
static void batch_write(int how, uint32_t reg, uint32_t value)
{
	if (how == 0) {
		batch_lri(&c, reg, value);
	} else if (how == 1) {
		set_data32(&c, 0x80, value);
		batch(&c, MI_CMD(OP_MI_LOAD_REGISTER_MEM) | 2);
		batch(&c, reg);
		batch_addr(&c, DATA_VA + 0x80);
	} else {
		batch_lri(&c, GPR(c.engine, 9), value);
		batch(&c, MI_CMD(OP_MI_LOAD_REGISTER_REG) | 1);
		batch(&c, GPR(c.engine, 9));
		batch(&c, reg);
	}
}

static void test_user_registers(void **state)
{
	static const struct { int engine; uint32_t reg; bool allowed; } regs[] = {
		{ GEN9_RCS0, GEN_RCS0_BASE + RING_GPR(3), true },
		{ GEN9_RCS0, GEN_RCS0_BASE + RING_PREDICATE_SRC0, true },
		{ GEN9_RCS0, 0x2500, true },
		{ GEN9_RCS0, 0x5200, true },
		{ GEN9_RCS0, GEN_BCS0_BASE + RING_GPR(3), false },
		{ GEN9_RCS0, GEN_RCS0_BASE + RING_HWS_PGA, false },
		{ GEN9_RCS0, GEN_RCS0_BASE + RING_IMR, false },
		{ GEN9_RCS0, GEN_RCS0_BASE + RING_EIR, false },
		{ GEN9_RCS0, GEN_RCS0_BASE + RING_FORCE_TO_NONPRIV(0), false },
		{ GEN9_RCS0, GEN_MASTER_IRQ, false },
		{ GEN9_RCS0, GEN_GDRST, false },
		{ GEN9_RCS0, GEN_FENCE_LO(0), false },
		{ GEN9_RCS0, GEN_MOCS_RCS(0), false },
		{ GEN9_RCS0, GEN_GT_IER(0), false },
		{ GEN9_BCS0, GEN_BCS0_BASE + RING_GPR(3), true },
		{ GEN9_VCS0, GEN_VCS0_BASE + RING_GPR(0), true },
		{ GEN9_VCS0, GEN_VCS0_BASE + RING_TAIL, false },
		{ GEN9_VECS0, GEN_VECS0_BASE + RING_GPR(15), true },
		{ GEN9_VECS0, GEN_VECS0_BASE + RING_START, false },
		{ GEN9_VECS0, GEN_VECS0_BASE + RING_ELSP, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(regs); i++) {
		for (int how = 0; how < 3; how++) {
			uint32_t old = rd(regs[i].reg), value = old ^ 0x5a1;
			uint64_t n;

			start(regs[i].engine);
			n = blocked();
			batch_write(how, regs[i].reg, value);
			/* before another context's load can change it */
			batch_srm(&c, regs[i].reg, DATA_VA + 8);
			go_batch();
			assert_int_equal(blocked() - n, !regs[i].allowed);
			if (regs[i].allowed)
				assert_int_equal(data32(&c, 8), value);
		}
	}
	/* the engines work as before */
	for (int e = 0; e < GEN9_NR_ENGINES; e++) {
		start(e);
		emit_store(&c, DATA_VA, 1);
		go();
		assert_int_equal(data32(&c, 0), 1);
	}
}

/* Reads need no permission; a driver may allow writes register by register. */
static void test_force_to_nonpriv(void **state)
{
	const uint32_t reg = GEN_RCS0_BASE + RING_HWSTAM;

	(void)state;
	start(GEN9_RCS0);
	batch_lri(&c, reg, 0x111);
	go_batch();
	assert_int_equal(blocked(), 1);
	ewr(GEN9_RCS0, RING_FORCE_TO_NONPRIV(11), reg);
	batch_lri(&c, reg, 0x222);
	batch_srm(&c, reg, DATA_VA);
	go_batch();
	assert_int_equal(blocked(), 1);
	assert_int_equal(data32(&c, 0), 0x222);
	assert_int_equal(erd(GEN9_RCS0, RING_HWSTAM), 0x222);
}

/* A violation raises an error interrupt, if that is enabled. */
static void test_violation_interrupt(void **state)
{
	(void)state;
	start(GEN9_RCS0);
	ewr(GEN9_RCS0, RING_EMR, 0);
	batch_lri(&c, GEN_MASTER_IRQ, 0);
	go_batch();
	assert_true(erd(GEN9_RCS0, RING_EIR) != 0);
	assert_true(rd(GEN_GT_IIR(0)) & GT_IRQ_CS_ERROR);
	ewr(GEN9_RCS0, RING_EIR, ~0u);
	assert_int_equal(erd(GEN9_RCS0, RING_EIR), 0);
}

/* A user batch of the blitter writes and reads any register. */
static void test_blitter_registers(void **state)
{
	static const uint32_t regs[] = {
		GEN_BCS0_BASE + RING_FORCE_TO_NONPRIV(0), GEN_BCS0_BASE + RING_PDP_LDW(0),
		GEN_RCS0_BASE + RING_HWS_PGA, GEN_RCS0_BASE + RING_GPR(0),
		GEN_VECS0_BASE + RING_START, GEN_FENCE_LO(0), GEN_MOCS_RCS(0),
		GEN_GT_IER(2), 0x1ffffc,
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(regs); i++) {
		for (int how = 0; how < 3; how++) {
			uint32_t value = 0x5a1000 + i * 16 + how;

			start(GEN9_BCS0);
			batch_write(how, regs[i], value);
			batch_srm(&c, regs[i], DATA_VA + 8);
			go_batch();
			assert_int_equal(data32(&c, 8), value);
			assert_int_equal(rd(regs[i]), value);
		}
	}
	assert_int_equal(counter(GEN9_BCS0, GEN9_CNT_BLOCKED), 0);
}

/* ... with all effects of a write by the CPU. */
static void test_blitter_effects(void **state)
{
	uint64_t page = alloc_pages(1), resets;
	struct ctx other;

	(void)state;
	/* its events go to another page */
	start(GEN9_BCS0);
	batch_lri(&c, GEN_BCS0_BASE + RING_HWS_PGA, ggtt_map(page, 1));
	go_batch();
	assert_int_not_equal(ram64(page + HWSP_CSB + 8), 0);
	/* it submits to another engine */
	ctx_new(&other, GEN9_RCS0, 77);
	emit_store(&other, DATA_VA, 0x1234);
	ctx_tail(&other);
	start(GEN9_BCS0);
	for (int i = 0; i < 4; i++)
		batch_lri(&c, GEN_RCS0_BASE + RING_ELSP,
			  i < 2 ? 0 : ctx_desc(&other) >> (i == 2 ? 32 : 0));
	go_batch();
	run_idle(GEN9_RCS0);
	assert_int_equal(data32(&other, 0), 0x1234);
	/* it resets another engine, and all of them with its own */
	resets = counter(GEN9_VCS0, GEN9_CNT_RESETS);
	start(GEN9_BCS0);
	batch_lri(&c, GEN_GDRST, GDRST_VCS0);
	go_batch();
	assert_int_equal(counter(GEN9_VCS0, GEN9_CNT_RESETS), resets + 1);
	resets = counter(GEN9_BCS0, GEN9_CNT_RESETS);
	start(GEN9_BCS0);
	batch_lri(&c, GEN_GDRST, GDRST_FULL);
	batch_store(&c, DATA_VA, 1);
	emit_batch(&c);
	submit(&c);
	run_idle(GEN9_BCS0);
	assert_int_equal(data32(&c, 0), 0);
	assert_int_equal(counter(GEN9_BCS0, GEN9_CNT_RESETS), resets + 1);
	assert_int_equal(counter(GEN9_VCS0, GEN9_CNT_RESETS), resets + 2);
	for (int e = 0; e < GEN9_NR_ENGINES; e++)
		engine_setup(e);
	start(GEN9_BCS0);
	batch_store(&c, DATA_VA, 2);
	go_batch();
	assert_int_equal(data32(&c, 0), 2);
}

/* With a property it checks, as other engines do. */
static int setup_strict(void **state)
{
	(void)state;
	host_start(&(Gen9Config) { .strict_blitter = true });
	return 0;
}

static void test_strict_blitter(void **state)
{
	static const struct { uint32_t reg; bool allowed; } regs[] = {
		{ GEN_BCS0_BASE + RING_GPR(3), true },
		{ GEN_BCS0_BASE + RING_MODE, false },
		{ GEN_BCS0_BASE + RING_PDP_LDW(0), false },
		{ GEN_RCS0_BASE + RING_GPR(0), false },
		{ GEN_GDRST, false },
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(regs); i++) {
		for (int how = 0; how < 3; how++) {
			uint64_t n;

			start(GEN9_BCS0);
			n = blocked();
			batch_write(how, regs[i].reg, 0x5a1);
			go_batch();
			assert_int_equal(blocked() - n, !regs[i].allowed);
		}
	}
}

/* ---- errors ---- */

/* An unknown command stops the engine there, and is reported. */
static void test_unknown_command(void **state)
{
	static const struct { int engine; uint32_t dw; } bad[] = {
		{ GEN9_RCS0, 0xdeadbeef }, { GEN9_RCS0, 0x54000005 },
		{ GEN9_RCS0, 0x13000002 }, { GEN9_BCS0, 0x7a000004 },
		{ GEN9_BCS0, 0x5a800000 }, { GEN9_BCS0, 0x54000004 },
		{ GEN9_VCS0, 0x54000005 }, { GEN9_VCS0, 0x7b000005 },
		{ GEN9_VECS0, 0x70000000 }, { GEN9_VECS0, 0x20000000 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		int e = bad[i].engine;
		uint64_t errors = counter(e, GEN9_CNT_ERRORS);

		start(e);
		batch_store(&c, DATA_VA, 1);
		batch(&c, bad[i].dw);
		for (int k = 0; k < 8; k++)
			batch(&c, 0);
		batch_store(&c, DATA_VA + 4, 1);
		emit_batch(&c);
		submit(&c);
		assert_true(run_for(e, 20));
		assert_int_equal(data32(&c, 0), 1);
		assert_int_equal(data32(&c, 4), 0);
		assert_int_equal(counter(e, GEN9_CNT_ERRORS), errors + 1);
		assert_int_equal(erd(e, RING_IPEHR), bad[i].dw);
		assert_true(erd(e, RING_EIR) & RING_ERROR_INSTRUCTION);
		assert_int_equal(erd(e, RING_ACTHD), BATCH_VA + 16);
		assert_false(erd(e, RING_MI_MODE) & MI_MODE_IDLE);
		full_reset();
		start(e);
		emit_store(&c, DATA_VA, 2);
		go();
		assert_int_equal(data32(&c, 0), 2);
	}
}

/* The model survives random dwords as batches on all engines. */
static void test_garbage(void **state)
{
	(void)state;
	for (unsigned i = 0; i < rounds(3000); i++) {
		int e = rnd_below(GEN9_NR_ENGINES);
		static const uint32_t clients[] = { 0, 0, 2, 3 };

		host.next_page = 0x100000;
		host.next_ggtt = 0x800000;
		start(e);
		for (int k = 0; k < 500; k++) {
			uint32_t dw = rnd();

			if (rnd_below(3))
				dw = (dw & 0x1fffff0f) |
					clients[rnd_below(4)] << 29;
			if (!rnd_below(4))
				dw = DATA_VA + rnd_below(0x1000);
			batch(&c, dw);
		}
		emit_batch(&c);
		submit(&c);
		run_for(e, 20);
		full_reset();
	}
	start(GEN9_RCS0);
	emit_store(&c, DATA_VA, 1);
	go();
	assert_int_equal(data32(&c, 0), 1);
}

/* ---- time ---- */

/* With costs, an engine returns the time to wait. */
static void test_timing(void **state)
{
	const Gen9Config config = {
		.timing = { .on = true, .system_mbps = 1000, .command_ns = 100 },
	};
	uint64_t begin;

	(void)state;
	teardown(NULL);
	host_start(&config);
	start(GEN9_BCS0);
	batch(&c, 2u << 29 | OP_XY_COLOR_BLT << 22 | 3 << 20 | 5);
	batch(&c, 3 << 24 | 0xf0 << 16 | 4096);
	batch(&c, 0);
	batch(&c, DATA_PAGES << 16 | 1024);
	batch_addr(&c, DATA_VA);
	batch(&c, 5);
	emit_batch(&c);
	submit(&c);
	begin = host.now;
	run_idle(GEN9_BCS0);
	/* 32 KB at 1 GB/s are 33 us */
	assert_in_range(host.now - begin, 22000, 60000);
	assert_in_range(counter(GEN9_BCS0, GEN9_CNT_BUSY_NS), 22000, 60000);
}

static void test_spinner_yields(void **state)
{
	Gen9RunResult r;

	(void)state;
	start(GEN9_RCS0);
	batch(&c, MI_CMD(OP_MI_BATCH_BUFFER_START) | MI_BB_PPGTT | 1);
	batch_addr(&c, BATCH_VA);
	emit_batch(&c);
	submit(&c);
	for (int i = 0; i < 10; i++) {
		r = gen9_engine_run(host.gpu, GEN9_RCS0, 1000000);
		assert_true(r.more);
		assert_true(r.wait_ns > 0);
	}
	assert_true(counter(GEN9_RCS0, GEN9_CNT_COMMANDS) < 100000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		gpu_test(test_store_data_imm),
		gpu_test(test_store_data_index),
		gpu_test(test_registers),
		gpu_test(test_timestamp),
		gpu_test(test_math),
		gpu_test(test_math_load_constants),
		gpu_test(test_atomic),
		gpu_test(test_copy_mem_mem),
		gpu_test(test_semaphore_wait),
		gpu_test(test_semaphore_between_engines),
		gpu_test(test_predicate),
		gpu_test(test_predicated_end),
		gpu_test(test_flush_dw),
		gpu_test(test_pipe_control),
		gpu_test(test_batches),
		gpu_test(test_conditional_end),
		gpu_test(test_noops),
		gpu_test(test_update_gtt),
		gpu_test(test_report_head),
		gpu_test(test_blits),
		gpu_test(test_blit_tiling),
		gpu_test(test_blit_fault),
		gpu_test(test_parsed_commands),
		gpu_test(test_privileged_batch),
		gpu_test(test_no_ggtt_for_users),
		gpu_test(test_no_escalation),
		gpu_test(test_user_registers),
		gpu_test(test_force_to_nonpriv),
		gpu_test(test_violation_interrupt),
		gpu_test(test_blitter_registers),
		gpu_test(test_blitter_effects),
		cmocka_unit_test_setup_teardown(test_strict_blitter,
						setup_strict, teardown),
		gpu_test(test_unknown_command),
		gpu_test(test_garbage),
		gpu_test(test_timing),
		gpu_test(test_spinner_yields),
	};

	return run_tap_tests("model_cs", tests);
}
