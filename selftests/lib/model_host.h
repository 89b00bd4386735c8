/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A host for the device model: flat memory, time that stands still unless a
 * test moves it, recorded interrupts; and the part of a driver that builds
 * page tables and contexts, submits them and reads what came back.
 *
 * One model at a time, in one thread. Unit tests and fuzzers include it, each with a test.h that
 * defines what a failed check does.
 */
#ifndef MODEL_HOST_H
#define MODEL_HOST_H

#include "test.h"
#include "gen9_gpu.h"
#include "gen/cmds.h"
#include "gen/gtt.h"
#include "gen/lrc.h"
#include "gen/regs.h"

#define HOST_RAM	(24u << 20)
#define HOST_LOCAL	(1u << 20)

static struct host {
	Gen9Gpu *gpu;
	uint8_t *ram;
	uint8_t *local;
	uint64_t next_page;		/* allocator of RAM */
	uint32_t next_ggtt;		/* and of GGTT addresses */
	uint64_t now;
	bool irq_level;
	unsigned irqs;			/* rising edges */
	unsigned kicks[GEN9_NR_ENGINES];
	unsigned logged;
	unsigned bad_accesses;		/* beyond the RAM */
	bool no_map;			/* make the model use read() */
	bool no_dma;			/* refuse every access */
	void (*on_write)(uint64_t pa);	/* after each write to RAM, or NULL */
	uint32_t hwsp[GEN9_NR_ENGINES];		/* GGTT addresses */
	uint64_t hwsp_pa[GEN9_NR_ENGINES];
	unsigned csb_read[GEN9_NR_ENGINES];
} host;

static const uint32_t engine_base[GEN9_NR_ENGINES] = {
	GEN_RCS0_BASE, GEN_BCS0_BASE, GEN_VCS0_BASE, GEN_VECS0_BASE,
};

/* ---- Gen9HostOps ---- */

static bool host_read(void *opaque, uint64_t pa, void *buf, size_t len)
{
	(void)opaque;
	assert_true(len > 0 && (pa & 4095) + len <= 4096);
	if (host.no_dma)
		return false;
	if (pa + len > HOST_RAM || pa > HOST_RAM) {
		host.bad_accesses++;
		return false;
	}
	memcpy(buf, host.ram + pa, len);
	return true;
}

static bool host_write(void *opaque, uint64_t pa, const void *buf, size_t len)
{
	(void)opaque;
	assert_true(len > 0 && (pa & 4095) + len <= 4096);
	if (host.no_dma)
		return false;
	if (pa + len > HOST_RAM || pa > HOST_RAM) {
		host.bad_accesses++;
		return false;
	}
	memcpy(host.ram + pa, buf, len);
	if (host.on_write)
		host.on_write(pa);
	return true;
}

static const void *host_map(void *opaque, uint64_t pa)
{
	(void)opaque;
	assert_int_equal(pa & 4095, 0);
	return host.no_map || pa >= HOST_RAM ? NULL : host.ram + pa;
}

static void host_irq(void *opaque, bool level)
{
	(void)opaque;
	/* a rise that was dropped may be followed by a fall */
	assert_true(!level || !host.irq_level);
	host.irq_level = level;
	host.irqs += level;
}

static uint64_t host_now(void *opaque)
{
	(void)opaque;
	return host.now;
}

static void host_kick(void *opaque, int engine)
{
	(void)opaque;
	host.kicks[engine]++;
}

static void host_log(void *opaque, const char *line)
{
	(void)opaque;
	assert_null(strchr(line, '\n'));
	host.logged++;
}

static const Gen9HostOps host_ops = {
	.read = host_read,
	.write = host_write,
	.map = host_map,
	.irq = host_irq,
	.now = host_now,
	.kick = host_kick,
	.log = host_log,
};

/* ---- registers and memory ---- */

static inline uint32_t rd(uint64_t reg)
{
	return gen9_mmio_read(host.gpu, reg, 4);
}

static inline void wr(uint64_t reg, uint32_t value)
{
	gen9_mmio_write(host.gpu, reg, 4, value);
}

static inline uint32_t erd(int engine, uint32_t reg)
{
	return rd(engine_base[engine] + reg);
}

static inline void ewr(int engine, uint32_t reg, uint32_t value)
{
	wr(engine_base[engine] + reg, value);
}

static inline uint32_t ram32(uint64_t pa)
{
	uint32_t v;

	assert_true(pa + 4 <= HOST_RAM);
	memcpy(&v, host.ram + pa, 4);
	return v;
}

static inline void set_ram32(uint64_t pa, uint32_t v)
{
	assert_true(pa + 4 <= HOST_RAM);
	memcpy(host.ram + pa, &v, 4);
}

static inline uint64_t ram64(uint64_t pa)
{
	return ram32(pa) | (uint64_t)ram32(pa + 4) << 32;
}

static inline void set_ram64(uint64_t pa, uint64_t v)
{
	set_ram32(pa, v);
	set_ram32(pa + 4, v >> 32);
}

static inline uint64_t alloc_pages(unsigned n)
{
	uint64_t pa = host.next_page;

	host.next_page += (uint64_t)n * 4096;
	assert_true(host.next_page <= HOST_RAM);
	memset(host.ram + pa, 0, (size_t)n * 4096);
	return pa;
}

static inline void ggtt_set(uint32_t addr, uint64_t pte)
{
	gen9_gsm_write(host.gpu, (uint64_t)(addr >> 12) * 8, 8, pte);
}

static inline void ggtt_flush(void)
{
	wr(GEN_GFX_FLSH_CNTL, GFX_FLSH_CNTL_EN);
}

/* GGTT address of n pages of RAM. */
static inline uint32_t ggtt_map(uint64_t pa, unsigned n)
{
	uint32_t addr = host.next_ggtt;

	for (unsigned i = 0; i < n; i++)
		ggtt_set(addr + i * 4096,
			 (pa + i * 4096) | GEN_PTE_PRESENT);
	host.next_ggtt += (n + 1) * 4096;	/* and a hole behind it */
	ggtt_flush();
	return addr;
}

/* ---- per-process tables ---- */

/* The entry for va at a level (0: PT), making the tables above it. */
static inline uint64_t ppgtt_entry(uint64_t pml4, uint64_t va, int level)
{
	uint64_t table = pml4;

	for (int l = 3; l > level; l--) {
		uint64_t e = table + (va >> GEN_LEVEL_SHIFT(l) & 511) * 8;

		if (!(ram64(e) & GEN_PTE_PRESENT))
			set_ram64(e, alloc_pages(1) | GEN_PTE_PRESENT |
				  GEN_PTE_RW);
		table = ram64(e) & GEN_PTE_ADDR;
	}
	return table + (va >> GEN_LEVEL_SHIFT(level) & 511) * 8;
}

static inline void ppgtt_map(uint64_t pml4, uint64_t va, uint64_t pa,
			     unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		set_ram64(ppgtt_entry(pml4, va + i * 4096, 0),
			  (pa + i * 4096) | GEN_PTE_PRESENT | GEN_PTE_RW);
}

/* ---- contexts ---- */

#define RING_PAGES	4
#define BATCH_VA	0x10000ULL	/* where every context has a batch */
#define DATA_VA		0x40000ULL	/* and data */
#define BATCH_PAGES	8
#define DATA_PAGES	8

struct ctx {
	int engine;
	uint32_t id;
	uint32_t lrca, ring;		/* GGTT addresses */
	uint64_t image, ring_pa;	/* where they lie in RAM */
	uint64_t pml4, batch, data;
	uint32_t data_ggtt;		/* data is mapped there as well */
	uint32_t tail;
	uint32_t *b;			/* end of the batch being built */
};

static inline uint64_t ctx_state(const struct ctx *c, unsigned dword)
{
	return c->image + LRC_STATE_PAGE * 4096 + dword * 4;
}

static inline uint32_t ctx_get(const struct ctx *c, unsigned dword)
{
	return ram32(ctx_state(c, dword));
}

static inline void ctx_set(const struct ctx *c, unsigned dword, uint32_t v)
{
	set_ram32(ctx_state(c, dword), v);
}

static inline void ctx_reg(const struct ctx *c, unsigned dword, uint32_t reg,
			   uint32_t value)
{
	ctx_set(c, dword - 1, engine_base[c->engine] + reg);
	ctx_set(c, dword, value);
}

/* As a driver initialises an image that has never run. */
static inline void ctx_init_image(struct ctx *c)
{
	bool rcs = c->engine == GEN9_RCS0;

	ctx_set(c, LRC_LRI0, MI_CMD(OP_MI_LOAD_REGISTER_IMM) |
		MI_LRI_FORCE_POSTED | (2 * 14 - 1));
	ctx_reg(c, LRC_CONTEXT_CONTROL, RING_CONTEXT_CONTROL,
		GEN_MASKED_ENABLE(CTX_CTRL_INHIBIT_SYN_SWITCH |
				  CTX_CTRL_RESTORE_INHIBIT));
	ctx_reg(c, LRC_RING_HEAD, RING_HEAD, 0);
	ctx_reg(c, LRC_RING_TAIL, RING_TAIL, 0);
	ctx_reg(c, LRC_RING_START, RING_START, c->ring);
	ctx_reg(c, LRC_RING_CTL, RING_CTL,
		(RING_PAGES - 1) << 12 | RING_CTL_VALID);
	ctx_reg(c, LRC_BB_ADDR_UDW, RING_BBADDR_UDW, 0);
	ctx_reg(c, LRC_BB_ADDR, RING_BBADDR, 0);
	ctx_reg(c, LRC_BB_STATE, RING_BBSTATE, RING_BB_PPGTT);
	ctx_reg(c, LRC_SBB_ADDR_UDW, RING_SBBADDR_UDW, 0);
	ctx_reg(c, LRC_SBB_ADDR, RING_SBBADDR, 0);
	ctx_reg(c, LRC_SBB_STATE, RING_SBBSTATE, 0);
	ctx_reg(c, LRC_BB_PER_CTX_PTR, RING_BB_PER_CTX_PTR, 0);
	ctx_reg(c, LRC_INDIRECT_CTX, RING_INDIRECT_CTX, 0);
	ctx_reg(c, LRC_INDIRECT_CTX_OFFSET, RING_INDIRECT_CTX_OFFSET, 0);
	ctx_set(c, LRC_LRI1, MI_CMD(OP_MI_LOAD_REGISTER_IMM) |
		MI_LRI_FORCE_POSTED | (2 * 9 - 1));
	ctx_reg(c, LRC_CTX_TIMESTAMP, RING_CTX_TIMESTAMP, 0);
	for (int i = 3; i >= 0; i--) {
		ctx_reg(c, LRC_PDP_UDW(i), RING_PDP_UDW(i),
			i ? 0 : c->pml4 >> 32);
		ctx_reg(c, LRC_PDP_LDW(i), RING_PDP_LDW(i), i ? 0 : c->pml4);
	}
	ctx_set(c, LRC_LRI2, MI_CMD(OP_MI_LOAD_REGISTER_IMM) | 1);
	ctx_reg(c, LRC_PWR_CLK_STATE,
		rcs ? RCS_PWR_CLK_STATE - GEN_RCS0_BASE : BCS_SWCTRL, 0);
}

static inline void ctx_new(struct ctx *c, int engine, uint32_t id)
{
	unsigned pages = engine == GEN9_RCS0 ? GEN9_RCS_CTX_PAGES :
			 GEN_XCS_CTX_PAGES;

	memset(c, 0, sizeof(*c));
	c->engine = engine;
	c->id = id;
	c->image = alloc_pages(pages);
	c->lrca = ggtt_map(c->image, pages);
	c->ring_pa = alloc_pages(RING_PAGES);
	c->ring = ggtt_map(c->ring_pa, RING_PAGES);
	c->pml4 = alloc_pages(1);
	c->batch = alloc_pages(BATCH_PAGES);
	c->data = alloc_pages(DATA_PAGES);
	c->data_ggtt = ggtt_map(c->data, DATA_PAGES);
	ppgtt_map(c->pml4, BATCH_VA, c->batch, BATCH_PAGES);
	ppgtt_map(c->pml4, DATA_VA, c->data, DATA_PAGES);
	c->b = (uint32_t *)(host.ram + c->batch);
	ctx_init_image(c);
}

static inline uint64_t ctx_desc(const struct ctx *c)
{
	return c->lrca | CTX_DESC_VALID | CTX_DESC_PRIVILEGE |
		CTX_ADDRESSING_LEGACY_64B << CTX_DESC_ADDRESSING_SHIFT |
		(uint64_t)c->id << CTX_DESC_ID_SHIFT;
}

/* Into the ring; submitted with the next ctx_tail(). */
static inline void emit(struct ctx *c, uint32_t dw)
{
	set_ram32(c->ring_pa + c->tail, dw);
	c->tail = (c->tail + 4) % (RING_PAGES * 4096);
}

static inline void ctx_tail(struct ctx *c)
{
	if (c->tail & 4)
		emit(c, 0);
	ctx_set(c, LRC_RING_TAIL, c->tail);
}

/* Into the batch. */
static inline void batch(struct ctx *c, uint32_t dw)
{
	assert_true((uint8_t *)c->b < host.ram + c->batch + BATCH_PAGES * 4096);
	*c->b++ = dw;
}

static inline void batch_addr(struct ctx *c, uint64_t addr)
{
	batch(c, addr);
	batch(c, addr >> 32);
}

static inline void emit_addr(struct ctx *c, uint64_t addr)
{
	emit(c, addr);
	emit(c, addr >> 32);
}

static inline void batch_begin(struct ctx *c)
{
	c->b = (uint32_t *)(host.ram + c->batch);
}

/* Ends the batch and calls it from the ring. */
static inline void emit_batch(struct ctx *c)
{
	batch(c, MI_CMD(OP_MI_BATCH_BUFFER_END));
	emit(c, MI_CMD(OP_MI_BATCH_BUFFER_START) | MI_BB_PPGTT | 1);
	emit_addr(c, BATCH_VA);
}

static inline void emit_store(struct ctx *c, uint64_t addr, uint32_t value)
{
	emit(c, MI_CMD(OP_MI_STORE_DATA_IMM) | 2);
	emit_addr(c, addr);
	emit(c, value);
}

static inline void batch_store(struct ctx *c, uint64_t addr, uint32_t value)
{
	batch(c, MI_CMD(OP_MI_STORE_DATA_IMM) | 2);
	batch_addr(c, addr);
	batch(c, value);
}

static inline void batch_lri(struct ctx *c, uint32_t reg, uint32_t value)
{
	batch(c, MI_CMD(OP_MI_LOAD_REGISTER_IMM) | 1);
	batch(c, reg);
	batch(c, value);
}

static inline void batch_srm(struct ctx *c, uint32_t reg, uint64_t addr)
{
	batch(c, MI_CMD(OP_MI_STORE_REGISTER_MEM) | 2);
	batch(c, reg);
	batch_addr(c, addr);
}

static inline uint32_t data32(const struct ctx *c, unsigned offset)
{
	return ram32(c->data + offset);
}

static inline void set_data32(const struct ctx *c, unsigned offset, uint32_t v)
{
	set_ram32(c->data + offset, v);
}

static inline void elsp(int engine, uint64_t desc0, uint64_t desc1)
{
	ewr(engine, RING_ELSP, desc1 >> 32);
	ewr(engine, RING_ELSP, desc1);
	ewr(engine, RING_ELSP, desc0 >> 32);
	ewr(engine, RING_ELSP, desc0);
}

static inline void submit(struct ctx *c)
{
	ctx_tail(c);
	elsp(c->engine, ctx_desc(c), 0);
}

static inline void submit2(struct ctx *c0, struct ctx *c1)
{
	ctx_tail(c0);
	ctx_tail(c1);
	elsp(c0->engine, ctx_desc(c0), ctx_desc(c1));
}

/* Run an engine until it is idle or its turns are used up; true: idle. */
static inline bool run_slices(int engine, unsigned turns, unsigned commands)
{
	while (turns--) {
		Gen9RunResult r = gen9_engine_run(host.gpu, engine, commands);

		assert_true(r.idle != r.more);
		if (r.idle)
			return true;
		host.now += r.wait_ns;
	}
	return false;
}

static inline bool run_for(int engine, unsigned turns)
{
	return run_slices(engine, turns, 1000);
}

static inline void run_idle(int engine)
{
	if (!run_for(engine, 10000))
		fail_msg("engine %d does not become idle", engine);
}

/* The next event of the status buffer in memory; false: none. */
static inline bool csb_next(int engine, uint32_t *status, uint32_t *id)
{
	uint64_t hwsp = host.hwsp_pa[engine];
	unsigned w = ram32(hwsp + HWSP_CSB_WRITE_PTR);

	assert_true(w < CSB_ENTRIES);
	if (host.csb_read[engine] == w)
		return false;
	host.csb_read[engine] = (host.csb_read[engine] + 1) % CSB_ENTRIES;
	*status = ram32(hwsp + HWSP_CSB + host.csb_read[engine] * 8);
	*id = ram32(hwsp + HWSP_CSB + host.csb_read[engine] * 8 + 4);
	return true;
}

#define assert_csb(engine, want_status, want_id)			\
	do {								\
		uint32_t status_, id_;					\
		assert_true(csb_next(engine, &status_, &id_));		\
		assert_int_equal(status_, want_status);			\
		assert_int_equal(id_, want_id);				\
	} while (0)

#define assert_no_csb(engine)						\
	do {								\
		uint32_t status_, id_;					\
		assert_false(csb_next(engine, &status_, &id_));		\
	} while (0)

static inline uint64_t counter(int engine, Gen9EngineCounter c)
{
	return gen9_engine_counter(host.gpu, engine, c);
}

/* After a reset, as a driver does. */
static inline void engine_setup(int engine)
{
	host.csb_read[engine] = CSB_RESET_PTR;
	set_ram32(host.hwsp_pa[engine] + HWSP_CSB_WRITE_PTR, CSB_RESET_PTR);
	ewr(engine, RING_HWS_PGA, host.hwsp[engine]);
	ewr(engine, RING_IMR, 0);
	ewr(engine, RING_EMR, ~RING_ERROR_INSTRUCTION);
	ewr(engine, RING_MODE, GEN_MASKED_ENABLE(RING_MODE_RUN_LIST));
}

static inline void full_reset(void)
{
	wr(GEN_GDRST, GDRST_FULL);
	for (int i = 0; i < GEN9_NR_ENGINES; i++)
		engine_setup(i);
}

/* A freshly loaded driver, on a model after a cold reset. */
static inline void host_boot(void)
{
	host.next_page = 0x10000;
	host.next_ggtt = 0x100000;
	host.irq_level = false;
	wr(GEN_GAMW_ECO, 0xf);
	for (int g = 0; g < GEN_NR_GT_IRQ_GROUPS; g++) {
		wr(GEN_GT_IMR(g), 0);
		wr(GEN_GT_IER(g), ~0u);
	}
	wr(GEN_MASTER_IRQ, MASTER_IRQ_ENABLE);
	for (int i = 0; i < GEN9_NR_ENGINES; i++) {
		host.hwsp_pa[i] = alloc_pages(1);
		host.hwsp[i] = ggtt_map(host.hwsp_pa[i], 1);
		engine_setup(i);
	}
}

static inline void host_start(const Gen9Config *config)
{
	Gen9Config c = { 0 };

	memset(&host, 0, sizeof(host));
	host.ram = calloc(1, HOST_RAM);
	host.local = calloc(1, HOST_LOCAL);
	host.now = 1000000;
	if (config)
		c = *config;
	if (!c.local) {
		c.local = host.local;
		c.local_size = HOST_LOCAL;
	}
	host.gpu = gen9_gpu_new(&c, &host_ops, &host);
	assert_non_null(host.gpu);
	host_boot();
}

/* One model lives through all runs of a fuzzer. */
static inline void host_restart(void)
{
	if (!host.gpu) {
		host_start(NULL);
		return;
	}
	gen9_gpu_reset(host.gpu);
	host_boot();
}

static inline int setup(void **state)
{
	(void)state;
	host_start(NULL);
	return 0;
}

/* For tests that say at which step of a load a list is submitted. */
static inline int setup_load_at_once(void **state)
{
	(void)state;
	host_start(&(Gen9Config) { .load_at_once = true });
	return 0;
}

static inline int teardown(void **state)
{
	(void)state;
	gen9_gpu_free(host.gpu);
	free(host.ram);
	free(host.local);
	return 0;
}

#define gpu_test(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

#endif
