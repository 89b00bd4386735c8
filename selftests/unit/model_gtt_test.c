// SPDX-License-Identifier: GPL-2.0
/*
 * Address translation: page walks of all kinds, faults, TLB hits and
 * invalidations.
 */
#include "model_host.h"

#define VA	0x123456789000ULL	/* all four levels have an index */

static struct ctx c;

/* Stores to a per-process address by a new request; true: it completes. */
static bool store(uint64_t va, uint32_t value)
{
	emit_store(&c, va, value);
	submit(&c);
	run_for(c.engine, 50);
	return ctx_get(&c, LRC_RING_HEAD) == c.tail;
}

static void assert_fault(int engine, bool ggtt, uint64_t addr)
{
	uint32_t fault = rd(GEN_RING_FAULT);
	uint32_t id[] = { GEN_FAULT_ENGINE_RCS, GEN_FAULT_ENGINE_BCS,
			  GEN_FAULT_ENGINE_VCS0, GEN_FAULT_ENGINE_VECS };

	assert_true(fault & RING_FAULT_VALID);
	assert_int_equal(fault >> 12 & 7, id[engine]);
	assert_int_equal(!!(rd(GEN_FAULT_TLB_DATA1) & FAULT_TLB_GGTT), ggtt);
	assert_int_equal((uint64_t)rd(GEN_FAULT_TLB_DATA0) << 12 |
			 (uint64_t)(rd(GEN_FAULT_TLB_DATA1) & 15) << 44,
			 addr & ~0xfffULL);
	assert_int_equal(counter(engine, GEN9_CNT_FAULTS), 1);
	/* the engine is stopped until it is reset */
	assert_true(run_for(engine, 10));
	assert_false(erd(engine, RING_MI_MODE) & MI_MODE_IDLE);
}

static void assert_no_fault(void)
{
	assert_int_equal(rd(GEN_RING_FAULT), 0);
}

static void start(int engine)
{
	ctx_new(&c, engine, 3);
}

static void test_4k(void **state)
{
	static const uint64_t vas[] = {
		0, 0x1000, 0xfffff000, 0x100000000, VA, 0x7ffffffff000,
		0xfffffffff000,
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(vas); i++) {
		start(i % GEN9_NR_ENGINES);
		uint64_t pa = alloc_pages(1);

		ppgtt_map(c.pml4, vas[i], pa, 1);
		assert_true(store(vas[i] + 0xabc, 0x100 + i));
		assert_int_equal(ram32(pa + 0xabc), 0x100 + i);
		/* bits 63:48 repeat 47 and are ignored */
		assert_true(store(vas[i] | 0xffff000000000000ULL, 7));
		assert_int_equal(ram32(pa), 7);
	}
	assert_no_fault();
}

/* Without direct access to the host's pages. */
static void test_4k_unmapped_host(void **state)
{
	host.no_map = true;
	gen9_gpu_memory_changed(host.gpu);
	test_4k(state);
}

static void test_64k(void **state)
{
	uint64_t pa, pde;

	(void)state;
	start(GEN9_RCS0);
	pa = (alloc_pages(64) + 0xffff) & ~0xffffULL;
	ppgtt_map(c.pml4, VA & ~0xffffULL, pa | 0x8000, 1);	/* low bits */
	pde = ppgtt_entry(c.pml4, VA, 1);
	set_ram64(pde, ram64(pde) | GEN_PDE_64K);
	for (int i = 0; i < 16; i++) {
		assert_true(store((VA & ~0xffffULL) + i * 0x1000 + 0x10, i));
		assert_int_equal(ram32(pa + i * 0x1000 + 0x10), i);
	}
	assert_no_fault();
}

static void test_64k_disabled(void **state)
{
	uint64_t pa, pde;

	(void)state;
	wr(GEN_GAMW_ECO, 0);
	start(GEN9_RCS0);
	pa = alloc_pages(1);
	ppgtt_map(c.pml4, VA, pa, 1);
	pde = ppgtt_entry(c.pml4, VA, 1);
	set_ram64(pde, ram64(pde) | GEN_PDE_64K);
	assert_true(store(VA, 5));
	assert_int_equal(ram32(pa), 5);
}

static void test_2m(void **state)
{
	uint64_t va = 0x7f0000200000ULL, pa = 0xa00000, pde;

	(void)state;
	start(GEN9_BCS0);
	pde = ppgtt_entry(c.pml4, va, 1);
	set_ram64(pde, pa | GEN_PTE_PRESENT | GEN_PTE_RW | GEN_PDE_2M);
	for (uint32_t o = 0; o < 0x200000; o += 0x1f000) {
		assert_true(store(va + o, o));
		assert_int_equal(ram32(pa + o), o);
	}
	assert_no_fault();
}

/* Four page directories in registers. */
static void test_32_bit(void **state)
{
	uint64_t pa[4];

	(void)state;
	start(GEN9_VCS0);
	for (int i = 0; i < 4; i++) {
		uint64_t pd = alloc_pages(1), pt = alloc_pages(1);
		uint32_t va = (uint32_t)i << 30 | 0x12345000;

		pa[i] = alloc_pages(1);
		set_ram64(pd + (va >> 21 & 511) * 8, pt | 3);
		set_ram64(pt + (va >> 12 & 511) * 8, pa[i] | 3);
		ctx_set(&c, LRC_PDP_LDW(i), pd);
	}
	for (int i = 0; i < 4; i++)
		emit_store(&c, (uint32_t)i << 30 | 0x12345008, 40 + i);
	ctx_tail(&c);
	elsp(c.engine, (ctx_desc(&c) & ~CTX_DESC_ADDRESSING) |
	     CTX_ADDRESSING_LEGACY_32B << CTX_DESC_ADDRESSING_SHIFT, 0);
	run_idle(c.engine);
	for (int i = 0; i < 4; i++)
		assert_int_equal(ram32(pa[i] + 8), 40 + i);
}

/* A write to a read-only page is dropped, and is no fault. */
static void test_read_only(void **state)
{
	(void)state;
	for (int level = 0; level < 4; level++) {
		uint64_t pa, e;

		start(GEN9_RCS0);
		pa = alloc_pages(1);
		ppgtt_map(c.pml4, VA, pa, 1);
		set_ram32(pa, 1);
		e = ppgtt_entry(c.pml4, VA, level);
		set_ram64(e, ram64(e) & ~GEN_PTE_RW);
		assert_true(store(VA, 2));
		assert_int_equal(ram32(pa), 1);
		emit(&c, MI_CMD(OP_MI_COPY_MEM_MEM) | 3);	/* but read */
		emit_addr(&c, DATA_VA);
		emit_addr(&c, VA);
		submit(&c);
		run_idle(c.engine);
		assert_int_equal(data32(&c, 0), 1);
	}
	assert_no_fault();
}

static void test_faults(void **state)
{
	(void)state;
	for (int level = 0; level < 4; level++) {
		for (int engine = 0; engine < GEN9_NR_ENGINES; engine++) {
			teardown(NULL);
			setup(NULL);
			start(engine);
			ppgtt_map(c.pml4, VA, alloc_pages(1), 1);
			set_ram64(ppgtt_entry(c.pml4, VA, level), 0);
			assert_false(store(VA + 8, 1));
			assert_fault(engine, false, VA);
		}
	}
}

/* The first fault stays until it is cleared; other engines continue. */
static void test_fault_sticks(void **state)
{
	struct ctx d;

	(void)state;
	start(GEN9_RCS0);
	assert_false(store(VA, 1));
	assert_fault(GEN9_RCS0, false, VA);
	ctx_new(&d, GEN9_BCS0, 8);
	emit_store(&d, DATA_VA, 9);
	emit_store(&d, VA + 0x5000, 9);
	submit(&d);
	run_for(GEN9_BCS0, 20);
	assert_int_equal(data32(&d, 0), 9);
	assert_int_equal(counter(GEN9_BCS0, GEN9_CNT_FAULTS), 1);
	assert_int_equal(rd(GEN_FAULT_TLB_DATA0), (uint32_t)(VA >> 12));

	wr(GEN_RING_FAULT, rd(GEN_RING_FAULT) & ~RING_FAULT_VALID);
	assert_false(rd(GEN_RING_FAULT) & RING_FAULT_VALID);
	wr(GEN_GDRST, GDRST_RCS);
	engine_setup(GEN9_RCS0);
	start(GEN9_RCS0);
	assert_true(store(DATA_VA, 4));
	assert_int_equal(data32(&c, 0), 4);
}

static void test_ggtt_fault(void **state)
{
	(void)state;
	start(GEN9_BCS0);
	emit(&c, MI_CMD(OP_MI_STORE_DATA_IMM) | MI_USE_GGTT | 2);
	emit_addr(&c, 0xfe000000);
	emit(&c, 1);
	submit(&c);
	run_for(c.engine, 20);
	assert_fault(GEN9_BCS0, true, 0xfe000000);
}

/* The GGTT is 4 GB. */
static void test_ggtt_beyond(void **state)
{
	(void)state;
	start(GEN9_BCS0);
	emit(&c, MI_CMD(OP_MI_STORE_DATA_IMM) | MI_USE_GGTT | 2);
	emit_addr(&c, 0x100000000ULL + c.data_ggtt);
	emit(&c, 1);
	submit(&c);
	run_for(c.engine, 20);
	assert_int_equal(data32(&c, 0), 0);
	assert_true(rd(GEN_RING_FAULT) & RING_FAULT_VALID);
}

/* Firmware may make it smaller: entries beyond the end are ignored. */
static void test_ggtt_smaller(void **state)
{
	static const Gen9Config config = { .ggtt_mb = 2 };
	uint64_t pa;

	for (int beyond = 0; beyond < 2; beyond++) {
		teardown(state);
		host_start(&config);
		start(GEN9_BCS0);
		pa = alloc_pages(1);
		gen9_gsm_write(host.gpu, (GEN_GGTT_ENTRIES / 4 - 1 + beyond) * 8, 8,
			       pa | GEN_PTE_PRESENT);
		emit(&c, MI_CMD(OP_MI_STORE_DATA_IMM) | MI_USE_GGTT | 2);
		emit_addr(&c, 0x40000000 - (beyond ? 0 : 0x1000));
		emit(&c, 1);
		submit(&c);
		run_for(c.engine, 20);
		assert_int_equal(ram32(pa), !beyond);
		assert_int_equal(!!(rd(GEN_RING_FAULT) & RING_FAULT_VALID), beyond);
	}
}

/* A context with an image or a ring that is not mapped. */
static void test_no_context(void **state)
{
	(void)state;
	elsp(GEN9_VECS0, 0xe0000019 | 5ULL << 32, 0);
	run_for(GEN9_VECS0, 20);
	assert_true(rd(GEN_RING_FAULT) & RING_FAULT_VALID);
	assert_true(rd(GEN_FAULT_TLB_DATA1) & FAULT_TLB_GGTT);
	teardown(NULL);
	setup(NULL);
	start(GEN9_VECS0);
	ctx_set(&c, LRC_RING_START, 0xd0000000);
	assert_false(store(DATA_VA, 1));
	assert_fault(GEN9_VECS0, true, 0xd0000000);
}

/* Before an invalidation the old PTE is used, and counted as stale. */
static void test_ppgtt_tlb(void **state)
{
	uint64_t a, b;

	(void)state;
	start(GEN9_RCS0);
	a = alloc_pages(1);
	b = alloc_pages(1);
	ppgtt_map(c.pml4, VA, a, 1);
	assert_true(store(VA, 1));
	assert_int_equal(counter(GEN9_RCS0, GEN9_CNT_STALE), 0);
	ppgtt_map(c.pml4, VA, b, 1);
	assert_true(store(VA, 2));
	assert_int_equal(ram32(a), 2);
	assert_int_equal(ram32(b), 0);
	assert_true(counter(GEN9_RCS0, GEN9_CNT_STALE) > 0);

	/* Not done before the register was read. */
	wr(GEN_TLB_INV_RCS, 1);
	assert_true(store(VA, 3));
	assert_int_equal(ram32(a), 3);
	assert_int_equal(rd(GEN_TLB_INV_RCS), 1);
	assert_int_equal(rd(GEN_TLB_INV_RCS), 0);
	assert_true(store(VA, 4));
	assert_int_equal(ram32(a), 3);
	assert_int_equal(ram32(b), 4);
}

static int setup_at_once(void **state)
{
	(void)state;
	host_start(&(Gen9Config) { .tlb_at_once = true });
	return 0;
}

/* The kinder model: done when the write returns. */
static void test_tlb_at_once(void **state)
{
	uint64_t a, b;

	(void)state;
	start(GEN9_RCS0);
	a = alloc_pages(1);
	b = alloc_pages(1);
	ppgtt_map(c.pml4, VA, a, 1);
	assert_true(store(VA, 1));
	ppgtt_map(c.pml4, VA, b, 1);
	wr(GEN_TLB_INV_RCS, 1);
	assert_int_equal(rd(GEN_TLB_INV_RCS), 0);
	assert_true(store(VA, 2));
	assert_int_equal(ram32(a), 1);
	assert_int_equal(ram32(b), 2);
}

/* A device without bus mastering does not access memory by a cached entry, either. */
static void test_tlb_refused(void **state)
{
	(void)state;
	host.no_map = true;
	start(GEN9_VCS0);
	batch_begin(&c);
	batch_store(&c, DATA_VA, 1);
	batch(&c, MI_CMD(OP_MI_BATCH_BUFFER_START) | MI_BB_PPGTT | 1);
	batch_addr(&c, BATCH_VA);
	emit_batch(&c);
	submit(&c);
	run_for(c.engine, 3);
	assert_int_equal(data32(&c, 0), 1);
	host.no_dma = true;
	run_for(c.engine, 3);
	assert_true(rd(engine_base[c.engine] + RING_IPEHR) == ~0u);
	assert_int_equal(counter(c.engine, GEN9_CNT_STALE), 0);
}

/* Entries that are not present are not cached. */
static void test_no_negative_tlb(void **state)
{
	uint64_t pa;

	(void)state;
	start(GEN9_BCS0);
	pa = alloc_pages(1);
	assert_false(store(VA, 1));
	ppgtt_map(c.pml4, VA, pa, 1);
	wr(GEN_GDRST, GDRST_BCS);
	engine_setup(GEN9_BCS0);
	assert_true(store(VA, 2));
	assert_int_equal(ram32(pa), 2);
}

/* Commands that invalidate do so for per-process tables only. */
static void test_flush_commands(void **state)
{
	static const int engines[] = { GEN9_BCS0, GEN9_VCS0, GEN9_VECS0,
				       GEN9_RCS0 };

	(void)state;
	for (int i = 0; i < 8; i++) {
		int engine = engines[i % 4];
		bool invalidate = i >= 4;
		uint64_t a, b;

		start(engine);
		a = alloc_pages(1);
		b = alloc_pages(1);
		ppgtt_map(c.pml4, VA, a, 1);
		assert_true(store(VA, 1));
		ppgtt_map(c.pml4, VA, b, 1);
		if (engine == GEN9_RCS0) {
			emit(&c, CMD_PIPE_CONTROL << 16 | 4);
			emit(&c, (invalidate ? PC_TLB_INVALIDATE : 0) |
			     PC_CS_STALL);
			for (int k = 0; k < 4; k++)
				emit(&c, 0);
		} else {
			emit(&c, MI_CMD(OP_MI_FLUSH_DW) | 2 |
			     (invalidate ? MI_FLUSH_DW_TLB_INVALIDATE : 0));
			for (int k = 0; k < 3; k++)
				emit(&c, 0);
		}
		assert_true(store(VA, 2));
		assert_int_equal(ram32(invalidate ? b : a), 2);
	}
}

/* Another page directory, or a forced reload, empties the TLB. */
static void test_page_directory(void **state)
{
	struct ctx d;
	uint64_t a, b;

	(void)state;
	start(GEN9_RCS0);
	ctx_new(&d, GEN9_RCS0, 4);
	a = alloc_pages(1);
	b = alloc_pages(1);
	ppgtt_map(c.pml4, VA, a, 1);
	ppgtt_map(d.pml4, VA, b, 1);
	assert_true(store(VA, 1));
	emit_store(&d, VA, 2);
	submit(&d);
	run_idle(GEN9_RCS0);
	assert_int_equal(ram32(a), 1);
	assert_int_equal(ram32(b), 2);

	/* the same directory: kept, unless forced */
	ppgtt_map(d.pml4, VA, a, 1);
	emit_store(&d, VA, 3);
	submit(&d);
	run_idle(GEN9_RCS0);
	assert_int_equal(ram32(b), 3);
	emit_store(&d, VA, 4);
	ctx_tail(&d);
	elsp(GEN9_RCS0, ctx_desc(&d) | CTX_DESC_FORCE_PD_RESTORE, 0);
	run_idle(GEN9_RCS0);
	assert_int_equal(ram32(b), 3);
	assert_int_equal(ram32(a), 4);
}

/* A reset of the engine keeps the TLB, a reset of the GPU empties it. */
static void test_tlb_reset(void **state)
{
	uint64_t a, b;

	(void)state;
	start(GEN9_RCS0);
	a = alloc_pages(1);
	b = alloc_pages(1);
	ppgtt_map(c.pml4, VA, a, 1);
	assert_true(store(VA, 1));
	ppgtt_map(c.pml4, VA, b, 1);
	wr(GEN_GDRST, GDRST_RCS);
	engine_setup(GEN9_RCS0);
	assert_true(store(VA, 2));
	assert_int_equal(ram32(a), 2);
	wr(GEN_GDRST, GDRST_FULL);
	engine_setup(GEN9_RCS0);
	assert_true(store(VA, 3));
	assert_int_equal(ram32(a), 2);
	assert_int_equal(ram32(b), 3);
}

static void test_ggtt_tlb(void **state)
{
	uint64_t a, b;
	uint32_t addr;

	(void)state;
	start(GEN9_VCS0);
	a = alloc_pages(1);
	b = alloc_pages(1);
	addr = ggtt_map(a, 1);
	for (int i = 0; i < 4; i++) {
		if (i == 1)
			ggtt_set(addr, b | GEN_PTE_PRESENT);
		if (i == 2) {		/* of no use for the GGTT */
			wr(GEN_TLB_INV_VCS0, 1);
			rd(GEN_TLB_INV_VCS0);
		}
		if (i == 3)
			ggtt_flush();
		emit(&c, MI_CMD(OP_MI_STORE_DATA_IMM) | MI_USE_GGTT | 2);
		emit_addr(&c, addr);
		emit(&c, 10 + i);
		submit(&c);
		run_idle(c.engine);
		assert_int_equal(ram32(i < 3 ? a : b), 10 + i);
	}
	assert_int_equal(ram32(a), 12);
	assert_true(counter(GEN9_VCS0, GEN9_CNT_STALE) >= 2);
}

static void test_local_memory(void **state)
{
	uint32_t v;

	(void)state;
	start(GEN9_BCS0);
	set_ram64(ppgtt_entry(c.pml4, VA, 0),
		  0x3000 | GEN_PTE_PRESENT | GEN_PTE_RW | GEN_PTE_LOCAL);
	assert_true(store(VA + 4, 0x600d));
	memcpy(&v, host.local + 0x3004, 4);
	assert_int_equal(v, 0x600d);
	/* beyond its end: dropped */
	set_ram64(ppgtt_entry(c.pml4, VA + 0x1000, 0), HOST_LOCAL |
		  GEN_PTE_PRESENT | GEN_PTE_RW | GEN_PTE_LOCAL);
	assert_true(store(VA + 0x1000, 1));
	assert_no_fault();
}

/* PTEs without memory behind them: writes are dropped, reads are ones. */
static void test_no_memory(void **state)
{
	(void)state;
	start(GEN9_BCS0);
	set_ram64(ppgtt_entry(c.pml4, VA, 0), GEN_PTE_ADDR | 3);
	assert_true(store(VA, 1));
	emit(&c, MI_CMD(OP_MI_COPY_MEM_MEM) | 3);
	emit_addr(&c, DATA_VA);
	emit_addr(&c, VA);
	submit(&c);
	run_idle(c.engine);
	assert_int_equal(data32(&c, 0), ~0u);
	assert_no_fault();
	assert_true(host.bad_accesses >= 2);
}

/* Tables that point to themselves, everywhere, or out of memory. */
static void test_garbage_tables(void **state)
{
	(void)state;
	for (unsigned i = 0; i < rounds(2000); i++) {
		host.next_page = 0x100000;
		host.next_ggtt = 0x800000;
		start(rnd_below(GEN9_NR_ENGINES));
		for (int k = 0; k < 512; k++)
			set_ram64(c.pml4 + k * 8, rnd_below(2) ? c.pml4 | 3 :
				  rnd_below(2) ? rnd64() :
				  rnd_below(HOST_RAM) | 3);
		for (int k = 0; k < 4; k++)
			emit_store(&c, rnd64() & 0xffffffffffffULL, rnd());
		submit(&c);
		run_for(c.engine, 10);
		wr(GEN_GDRST, GDRST_FULL);
		wr(GEN_RING_FAULT, 0);
		for (int k = 0; k < GEN9_NR_ENGINES; k++) {
			host.hwsp_pa[k] = 0x10000 + k * 0x1000;
			engine_setup(k);
		}
	}
}

/* The aperture, through fences, in all widths. */
static void test_aperture(void **state)
{
	uint64_t pa;
	uint32_t addr;

	(void)state;
	pa = alloc_pages(16);
	addr = ggtt_map(pa, 16);
	gen9_aperture_write(host.gpu, addr + 4, 4, 0x11223344);
	assert_int_equal(ram32(pa + 4), 0x11223344);
	for (unsigned size = 1; size <= 8; size *= 2)
		assert_int_equal(gen9_aperture_read(host.gpu, addr + 4, size) &
				 (size < 8 ? (1ULL << 8 * size) - 1 : ~0ULL),
				 size < 4 ? 0x11223344 & ((1u << 8 * size) - 1) :
				 0x11223344);
	/* a Y tile: 16 bytes of row 1 lie behind those of row 0 */
	wr(GEN_FENCE_HI(3), (addr + 0xf000) | (128 / 128 - 1));
	wr(GEN_FENCE_LO(3), addr | FENCE_VALID | FENCE_TILE_Y);
	gen9_aperture_write(host.gpu, addr + 128, 8, 0x55667788);
	assert_int_equal(ram32(pa + 16), 0x55667788);
	wr(GEN_FENCE_LO(3), 0);

	/* no entry: the write is dropped and counted */
	gen9_aperture_write(host.gpu, 0xff00000, 4, 1);
	assert_int_equal(gen9_gpu_counter(host.gpu, GEN9_CNT_APERTURE_FAULTS), 1);
	/* beyond the aperture */
	gen9_aperture_write(host.gpu, GEN_APERTURE_SIZE - 4, 8, 1);
	gen9_aperture_read(host.gpu, GEN_APERTURE_SIZE, 4);
	gen9_aperture_read(host.gpu, ~0ULL, 8);
}

/* The flush register invalidates its translations. */
static void test_aperture_tlb(void **state)
{
	uint64_t a, b;
	uint32_t addr;

	(void)state;
	a = alloc_pages(1);
	b = alloc_pages(1);
	addr = ggtt_map(a, 1);
	gen9_aperture_write(host.gpu, addr, 4, 1);
	ggtt_set(addr, b | GEN_PTE_PRESENT);
	gen9_aperture_write(host.gpu, addr, 4, 2);
	assert_int_equal(ram32(a), 2);
	assert_true(gen9_gpu_counter(host.gpu, GEN9_CNT_APERTURE_STALE) > 0);
	ggtt_flush();
	gen9_aperture_write(host.gpu, addr, 4, 3);
	assert_int_equal(ram32(b), 3);
}

static void test_gsm(void **state)
{
	uint64_t before;

	(void)state;
	before = gen9_gpu_counter(host.gpu, GEN9_CNT_GGTT_WRITES);
	gen9_gsm_write(host.gpu, 0x1000, 8, 0x1122334455667788ULL);
	assert_int_equal(gen9_gpu_counter(host.gpu, GEN9_CNT_GGTT_WRITES),
			 before + 1);
	assert_int_equal(gen9_gsm_read(host.gpu, 0x1000, 8),
			 0x1122334455667788ULL);
	assert_int_equal(gen9_gsm_read(host.gpu, 0x1004, 4), 0x11223344);
	assert_int_equal(gen9_gsm_read(host.gpu, 0x1001, 2), 0x6677);
	gen9_gsm_write(host.gpu, 0x1004, 4, 0xaabbccdd);
	assert_int_equal(gen9_gsm_read(host.gpu, 0x1000, 8),
			 0xaabbccdd55667788ULL);
	gen9_gsm_write(host.gpu, 0x1006, 4, 0x01020304);	/* across two */
	assert_int_equal(gen9_gsm_read(host.gpu, 0x1000, 8),
			 0x0304ccdd55667788ULL);
	assert_int_equal(gen9_gsm_read(host.gpu, 0x1008, 2), 0x0102);
	gen9_gsm_write(host.gpu, GEN_GSM_SIZE - 4, 8, ~0ULL);
	gen9_gsm_read(host.gpu, GEN_GSM_SIZE - 4, 8);
	gen9_gsm_read(host.gpu, GEN_GSM_SIZE, 8);
	gen9_gsm_read(host.gpu, ~0ULL - 3, 8);
	gen9_gsm_write(host.gpu, ~0ULL - 3, 8, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		gpu_test(test_4k),
		gpu_test(test_4k_unmapped_host),
		gpu_test(test_64k),
		gpu_test(test_64k_disabled),
		gpu_test(test_2m),
		gpu_test(test_32_bit),
		gpu_test(test_read_only),
		gpu_test(test_faults),
		gpu_test(test_fault_sticks),
		gpu_test(test_ggtt_fault),
		gpu_test(test_ggtt_beyond),
		gpu_test(test_ggtt_smaller),
		gpu_test(test_no_context),
		gpu_test(test_ppgtt_tlb),
		cmocka_unit_test_setup_teardown(test_tlb_at_once, setup_at_once, teardown),
		gpu_test(test_tlb_refused),
		gpu_test(test_no_negative_tlb),
		gpu_test(test_flush_commands),
		gpu_test(test_page_directory),
		gpu_test(test_tlb_reset),
		gpu_test(test_ggtt_tlb),
		gpu_test(test_local_memory),
		gpu_test(test_no_memory),
		gpu_test(test_garbage_tables),
		gpu_test(test_aperture),
		gpu_test(test_aperture_tlb),
		gpu_test(test_gsm),
	};

	return run_tap_tests("model_gtt", tests);
}
