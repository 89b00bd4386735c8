// SPDX-License-Identifier: GPL-2.0
/*
 * Registers: a driver's handshakes; accesses at any offset and width do no
 * harm.
 */
#include "model_host.h"

static void test_forcewake(void **state)
{
	static const struct { uint32_t req, ack; } fw[] = {
		{ GEN_FORCEWAKE_RENDER, GEN_FORCEWAKE_RENDER_ACK },
		{ GEN_FORCEWAKE_GT, GEN_FORCEWAKE_GT_ACK },
		{ GEN_FORCEWAKE_MEDIA, GEN_FORCEWAKE_MEDIA_ACK },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(fw); i++) {
		wr(fw[i].req, GEN_MASKED_ENABLE(FORCEWAKE_KERNEL));
		assert_int_equal(rd(fw[i].ack) & 0xffff, FORCEWAKE_KERNEL);
		wr(fw[i].req, GEN_MASKED_ENABLE(2));
		assert_int_equal(rd(fw[i].ack) & 0xffff, 3);
		wr(fw[i].req, GEN_MASKED_DISABLE(FORCEWAKE_KERNEL));
		assert_int_equal(rd(fw[i].ack) & 0xffff, 2);
		wr(fw[i].req, 0xffff0000);
		assert_int_equal(rd(fw[i].ack) & 0xffff, 0);
	}
}

static void test_pcode(void **state)
{
	(void)state;
	for (uint32_t cmd = 0; cmd < 256; cmd++) {
		wr(GEN_PCODE_DATA, 0);
		wr(GEN_PCODE_MAILBOX, PCODE_READY | 0x1200 | cmd);
		assert_int_equal(rd(GEN_PCODE_MAILBOX) &
				 (PCODE_READY | PCODE_ERROR_MASK), 0);
	}
}

static void test_fuses(void **state)
{
	static const uint32_t ro[] = {
		SKL_DFSM, GEN_FUSE2, GEN_EU_DISABLE(0), GEN_RP_STATE_CAP,
		GEN_CTC_MODE, GEN_FPGA_DBG, GEN_EDRAM_CAP,
	};

	(void)state;
	assert_int_equal(rd(SKL_DFSM), SKL_DFSM_PIPE_A_DISABLE |
			 SKL_DFSM_PIPE_B_DISABLE | SKL_DFSM_PIPE_C_DISABLE);
	assert_true(rd(GEN_RC6_CTX_INFO) != 0);
	assert_true(rd(GEN_GUC_STATUS) & GUC_STATUS_MIA_IN_RESET);
	for (size_t i = 0; i < ARRAY_SIZE(ro); i++) {
		uint32_t v = rd(ro[i]);

		wr(ro[i], ~v);
		assert_int_equal(rd(ro[i]), v);
	}
}

static void test_display_fuse(void **state)
{
	const Gen9Config config = { .display = true };

	(void)state;
	teardown(NULL);
	host_start(&config);
	assert_int_equal(rd(SKL_DFSM), 0);
}

/* Registers without a function keep the value written. */
static void test_plain(void **state)
{
	(void)state;
	wr(GEN_MOCS_RCS(5), 0x1234abcd);
	wr(GEN_LNCFCMOCS(2), 0x55667788);
	assert_int_equal(rd(GEN_MOCS_RCS(5)), 0x1234abcd);
	assert_int_equal(rd(GEN_LNCFCMOCS(2)), 0x55667788);
	for (int i = 0; i < GEN_NR_FENCES; i++) {
		wr(GEN_FENCE_LO(i), 0x1000 * i);
		wr(GEN_FENCE_HI(i), 0x2000 * i);
	}
	for (int i = 0; i < GEN_NR_FENCES; i++) {
		assert_int_equal(rd(GEN_FENCE_LO(i)), 0x1000 * i);
		assert_int_equal(rd(GEN_FENCE_HI(i)), 0x2000 * i);
	}
}

static void test_masked(void **state)
{
	(void)state;
	for (int e = 0; e < GEN9_NR_ENGINES; e++) {
		ewr(e, RING_PSMI_CTL, GEN_MASKED_ENABLE(0x30));
		ewr(e, RING_PSMI_CTL, GEN_MASKED_ENABLE(0x05));
		ewr(e, RING_PSMI_CTL, GEN_MASKED_DISABLE(0x10));
		ewr(e, RING_PSMI_CTL, 0xffff);
		assert_int_equal(erd(e, RING_PSMI_CTL) & 0xffff, 0x25);
	}
}

/* Narrow and wide accesses see the same registers. */
static void test_widths(void **state)
{
	const uint32_t r = GEN_MOCS_BCS(0);

	(void)state;
	wr(r, 0x44332211);
	wr(r + 4, 0x88776655);
	for (int i = 0; i < 8; i++)
		assert_int_equal(gen9_mmio_read(host.gpu, r + i, 1), 0x11 * (i + 1));
	assert_int_equal(gen9_mmio_read(host.gpu, r + 2, 2), 0x4433);
	assert_true(gen9_mmio_read(host.gpu, r, 8) == 0x8877665544332211ULL);
	assert_int_equal(gen9_mmio_read(host.gpu, r + 2, 4), 0x66554433);
	gen9_mmio_write(host.gpu, r + 1, 1, 0xaa);
	assert_int_equal(rd(r), 0x4433aa11);
	gen9_mmio_write(host.gpu, r + 2, 4, 0xddccbbee);
	assert_int_equal(rd(r), 0xbbeeaa11);
	assert_int_equal(rd(r + 4), 0x8877ddcc);
	gen9_mmio_write(host.gpu, r, 8, 0x0102030405060708ULL);
	assert_int_equal(rd(r), 0x05060708);
	assert_int_equal(rd(r + 4), 0x01020304);
}

/* At the end of the registers, and far beyond. */
static void test_beyond(void **state)
{
	static const uint64_t at[] = {
		GEN_MMIO_SIZE - 1, GEN_MMIO_SIZE - 4, GEN_MMIO_SIZE,
		GEN_GSM_OFFSET, 0xffffffff, ~0ULL, ~0ULL - 3,
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(at); i++) {
		for (unsigned size = 1; size <= 8; size *= 2) {
			gen9_mmio_write(host.gpu, at[i], size, ~0ULL);
			gen9_mmio_read(host.gpu, at[i], size);
		}
	}
}

/* An engine works after any writes and a reset. */
static void check_alive(void)
{
	gen9_gpu_reset(host.gpu);
	teardown(NULL);
	setup(NULL);
	for (int e = 0; e < GEN9_NR_ENGINES; e++) {
		struct ctx c;

		ctx_new(&c, e, 1);
		emit_store(&c, DATA_VA, 0x11);
		submit(&c);
		run_idle(e);
		assert_int_equal(data32(&c, 0), 0x11);
	}
}

/* Every register, read and written with ones, zeros and noise. */
static void test_every_register(void **state)
{
	(void)state;
	for (uint32_t r = 0; r < GEN_MMIO_SIZE; r += 4) {
		rd(r);
		wr(r, ~0u);
		rd(r);
		wr(r, 0);
		wr(r, rnd());
	}
	for (int e = 0; e < GEN9_NR_ENGINES; e++)
		run_for(e, 10);
	check_alive();
}

static void test_every_width(void **state)
{
	(void)state;
	for (uint32_t r = 0; r < GEN_MMIO_SIZE; r++) {
		unsigned size = 1u << rnd_below(4);

		gen9_mmio_read(host.gpu, r, size);
		gen9_mmio_write(host.gpu, r, size, rnd64());
		if (!(r & 0xffff))
			for (int e = 0; e < GEN9_NR_ENGINES; e++)
				run_for(e, 2);
	}
	check_alive();
}

/* Random accesses between slices of working engines. */
static void test_noise_while_running(void **state)
{
	struct ctx c[GEN9_NR_ENGINES];

	(void)state;
	for (int e = 0; e < GEN9_NR_ENGINES; e++) {
		ctx_new(&c[e], e, e + 1);
		batch(&c[e], MI_CMD(OP_MI_ARB_CHECK));
		batch(&c[e], MI_CMD(OP_MI_BATCH_BUFFER_START) | MI_BB_PPGTT | 1);
		batch_addr(&c[e], BATCH_VA);
		emit_batch(&c[e]);
		submit(&c[e]);
	}
	for (unsigned i = 0; i < rounds(20000); i++) {
		int e = rnd_below(GEN9_NR_ENGINES);
		uint32_t r = rnd_below(3) ? engine_base[e] + rnd_below(0x800) :
			rnd_below(2) ? 0x4000 + rnd_below(0x6000) :
			rnd_below(GEN_MMIO_SIZE);

		gen9_mmio_write(host.gpu, r, 1u << rnd_below(4), rnd64());
		gen9_mmio_read(host.gpu, r, 4);
		if (!rnd_below(10))
			gen9_engine_run(host.gpu, e, 50);
		if (!rnd_below(100))
			elsp(e, ctx_desc(&c[e]), rnd64());
		if (!rnd_below(50))
			gen9_engine_interrupt(host.gpu, e);
	}
	check_alive();
}

static void test_counters(void **state)
{
	uint64_t reads = gen9_gpu_counter(host.gpu, GEN9_CNT_MMIO_READS);
	uint64_t writes = gen9_gpu_counter(host.gpu, GEN9_CNT_MMIO_WRITES);

	(void)state;
	rd(GEN_MASTER_IRQ);
	wr(GEN_MOCS_RCS(0), 1);
	assert_int_equal(gen9_gpu_counter(host.gpu, GEN9_CNT_MMIO_READS),
			 reads + 1);
	assert_int_equal(gen9_gpu_counter(host.gpu, GEN9_CNT_MMIO_WRITES),
			 writes + 1);
	for (int i = 0; i < GEN9_NR_GPU_COUNTERS; i++)
		assert_non_null(gen9_gpu_counter_name(i));
	for (int i = 0; i < GEN9_NR_ENGINE_COUNTERS; i++)
		assert_non_null(gen9_engine_counter_name(i));
	assert_string_equal(gen9_engine_name(GEN9_VECS0), "vecs0");
}

/* An engine that the configuration omits does nothing. */
static void test_absent_engine(void **state)
{
	const Gen9Config config = { .engines = 1u << GEN9_RCS0 };
	struct ctx c;

	(void)state;
	teardown(NULL);
	host_start(&config);
	ctx_new(&c, GEN9_BCS0, 1);
	emit_store(&c, DATA_VA, 1);
	submit(&c);
	assert_true(run_for(GEN9_BCS0, 10));
	assert_int_equal(data32(&c, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		gpu_test(test_forcewake),
		gpu_test(test_pcode),
		gpu_test(test_fuses),
		gpu_test(test_display_fuse),
		gpu_test(test_plain),
		gpu_test(test_masked),
		gpu_test(test_widths),
		gpu_test(test_beyond),
		gpu_test(test_every_register),
		gpu_test(test_every_width),
		gpu_test(test_noise_while_running),
		gpu_test(test_counters),
		gpu_test(test_absent_engine),
	};

	return run_tap_tests("model_mmio", tests);
}
