// SPDX-License-Identifier: GPL-2.0
/*
 * A context's register values are not visible to another guest, whatever that guest's image says:
 * no restore, a list without registers, or no list.
 */
#include <string.h>

#include "context.h"
#include "ggtt.h"
#include "tap.h"
#include "vgpu.h"
#include "gen/ctxregs.h"

#define MARK		0x5ec4u
#define DRAW_ADDR	0x300000000000ULL
#define BATCH_ADDR	0x310000000000ULL
#define FOUND_ADDR	0x320000000000ULL
#define FIRST_SLOT	256	/* of the fence page: values read */
#define MAX_REGS	256
#define BBE		MI_CMD(OP_MI_BATCH_BUFFER_END)
#define XY_SETUP	(2u << 29 | OP_XY_SETUP_BLT << 22 | 3u << 20 | 8)
#define XY_PIXEL	(2u << 29 | OP_XY_PIXEL_BLT << 22)

/* Registers of rcs that user batches may write, and no context has. */
static const u32 unsaved[] = {
	GEN_OACONTROL, GEN_PERF_CNT_1, GEN_PERF_CNT_1 + 4, GEN_PERF_CNT_2, GEN_PERF_CNT_2 + 4,
	GEN_L3SQCREG4,
};

static u32 regs[MAX_REGS], nr_regs;

static void add_regs(u32 first, u32 count)
{
	while (count--) {
		regs[nr_regs++] = first;
		first += 4;
	}
}

/* All registers that a context saves and that a driver may write. */
static void list_regs(const struct engine *engine)
{
	const struct gen_ctx_regs *r;
	u32 i;

	nr_regs = 0;
	if (engine_has_gprs(engine)) {
		add_regs(engine->info->base + RING_GPR(0), 2 * RING_NR_GPR);
		add_regs(engine->info->base + RING_INSTPM, 1);
		add_regs(engine->info->base + RING_PREDICATE_RESULT_1, 1);
	}
	/* Refused writes, and where they go. */
	add_regs(engine->info->base + RING_HWS_PGA, 1);
	add_regs(engine->info->base + RING_NOPID, 1);
	if (engine->info->base == GEN_BCS0_BASE)
		add_regs(GEN_BCS0_BASE + BCS_SWCTRL, 1);
	if (engine->info->base == GEN_RCS0_BASE) {
		add_regs(GEN_RCS0_BASE + RING_BB_OFFSET, 1);
		for (i = 0; i < ARRAY_SIZE(unsaved); i++)
			add_regs(unsaved[i], 1);
		for (r = gen_ctx_rcs; r->count; r++)
			add_regs(r->first, r->count);
	}
}

/* In either half: a masked register has only the lower one. */
static bool is_marked(u32 value)
{
	return value >> 16 == MARK || (value & 0xffff) == MARK;
}

/**
 * struct guest - a context of a guest, with memory in its PPGTT
 * @ctx: the context
 * @canvas: a page for the blitter to draw on
 * @batch: a batch without privilege
 * @found: the values that it read
 */
struct guest {
	struct context ctx;
	u64 canvas;
	u64 batch;
	u64 found;
};

static void guest_init(struct guest *g, struct vgpu *vgpu, u32 engine)
{
	context_init(&g->ctx, vgpu, engine, NULL);
	g->canvas = ram_alloc(&vgpu->ram, 1);
	g->batch = ram_alloc(&vgpu->ram, 1);
	g->found = ram_alloc(&vgpu->ram, 1);
	ppgtt_map(g->ctx.ppgtt, DRAW_ADDR, g->canvas, 1);
	ppgtt_map(g->ctx.ppgtt, BATCH_ADDR, g->batch, 1);
	ppgtt_map(g->ctx.ppgtt, FOUND_ADDR, g->found, 1);
}

static struct cs batch_begin(struct guest *g)
{
	struct cs cs;

	cs_init(&cs, ram_ptr(&g->ctx.vgpu->ram, g->batch), PAGE_SIZE);
	return cs;
}

/*
 * Fill all registers, by the ring and by a user batch, of which the hardware checks the writes; on
 * the blitter also the state for its next drawing command.
 */
static bool leave(struct guest *g)
{
	struct context *ctx = &g->ctx;
	u32 i, base = ctx->engine->info->base;
	struct cs cs = batch_begin(g);

	request_begin(ctx);
	for (i = 0; i < nr_regs; i++) {
		cs_lri(&ctx->ring, regs[i], 0xffff0000 | MARK);
		cs_lri(&cs, regs[i], 0xffff0000 | MARK);
	}
	cs_end(&cs);
	request_batch(ctx, BATCH_ADDR);
	if (base == GEN_BCS0_BASE) {
		cs_dw(&ctx->ring, XY_SETUP);
		cs_dw(&ctx->ring, 3u << 24 | 0xf0 << 16 | 64);
		cs_dw(&ctx->ring, 0);
		cs_dw(&ctx->ring, 4 << 16 | 8);
		cs_dw(&ctx->ring, lower_32_bits(DRAW_ADDR));
		cs_dw(&ctx->ring, upper_32_bits(DRAW_ADDR));
		for (i = 0; i < 4; i++)
			cs_dw(&ctx->ring, MARK);
	}
	return request_run(ctx, request_end(ctx));
}

/* Except on rcs, contexts do not save NOPID, and any user batch may write it. */
static bool is_unsaved(const struct context *ctx, u32 reg)
{
	return ctx->engine->info->base != GEN_RCS0_BASE &&
	       reg == ctx->engine->info->base + RING_NOPID;
}

static bool look(struct guest *g)
{
	struct context *ctx = &g->ctx;
	struct cs cs = batch_begin(g);
	u32 i;

	request_begin(ctx);
	for (i = 0; i < nr_regs; i++) {
		cs_srm(&ctx->ring, GGTT, regs[i], context_slot(ctx, FIRST_SLOT + i));
		if (!is_unsaved(ctx, regs[i]))
			cs_srm(&cs, PPGTT, regs[i], FOUND_ADDR + i * sizeof(u32));
	}
	cs_end(&cs);
	request_batch(ctx, BATCH_ADDR);
	if (ctx->engine->info->base == GEN_BCS0_BASE) {
		cs_dw(&ctx->ring, XY_PIXEL);
		cs_dw(&ctx->ring, 1 << 16 | 1);
	}
	return request_run(ctx, request_end(ctx));
}

static u32 count_marked(const u32 *dw, u32 count)
{
	u32 n = 0;

	while (count--)
		n += is_marked(*dw++);
	return n;
}

/* Check the registers read, the saved image, and the blitter's canvas. */
static u32 count_inherited(struct guest *g)
{
	struct context *ctx = &g->ctx;
	struct ram *ram = &ctx->vgpu->ram;
	u32 pages = context_pages(ctx->engine - ctx->vgpu->engines, ctx->vgpu->gen);
	const u32 *read = ram_ptr(ram, ctx->fence);

	return count_marked(read + FIRST_SLOT, nr_regs) +
	       count_marked(ram_ptr(ram, g->found), nr_regs) +
	       count_marked(ctx->state, (pages - LRC_STATE_PAGE) * PAGE_SIZE / 4) +
	       count_marked(ram_ptr(ram, g->canvas), PAGE_SIZE / 4);
}

static void no_restore(struct context *ctx)
{
	(void)ctx;
}

static void end_alone(struct context *ctx)
{
	context_keep_state(ctx);
	ctx->state[LRC_RING_CONTEXT_DWORDS] = BBE;
}

static void no_list(struct context *ctx)
{
	context_keep_state(ctx);
}

static void one_register(struct context *ctx)
{
	u32 *dw = ctx->state + LRC_RING_CONTEXT_DWORDS;

	context_keep_state(ctx);
	dw[0] = MI_CMD(OP_MI_LOAD_REGISTER_IMM) | 1;
	dw[1] = ctx->engine->info->base + RING_GPR(1);
	dw[2] = 0x1234;
	dw[3] = BBE;
}

/* All registers, with an empty mask for masked ones. */
static void no_bits(struct context *ctx)
{
	u32 *dw = ctx->state + LRC_RING_CONTEXT_DWORDS, i;

	context_keep_state(ctx);
	for (i = 0; i < nr_regs; i++) {
		dw[3 * i] = MI_CMD(OP_MI_LOAD_REGISTER_IMM) | 1;
		dw[3 * i + 1] = regs[i];
		dw[3 * i + 2] = 0;
	}
	dw[3 * i] = BBE;
}

static void no_list_at_all(struct context *ctx)
{
	context_keep_state(ctx);
	ctx->state[LRC_RING_CONTEXT_DWORDS] = 0xdeadbeef;
}

static const struct {
	const char *name;
	void (*prepare)(struct context *ctx);
} images[] = {
	{ "no restore", no_restore },
	{ "an empty list", end_alone },
	{ "padding", no_list },
	{ "a list of one register", one_register },
	{ "empty masks", no_bits },
	{ "no list", no_list_at_all },
};

static void check_engine(struct vgpu *left, struct vgpu *right, u32 engine)
{
	const char *name = engine_infos[engine].name;
	struct guest a, b;
	u32 i;

	list_regs(&left->engines[engine]);
	for (i = 0; i < ARRAY_SIZE(images); i++) {
		guest_init(&a, left, engine);
		guest_init(&b, right, engine);
		/* Address 0 may have the same value as the first one's pixel. */
		ppgtt_map(b.ctx.ppgtt, 0, b.canvas, 1);
		images[i].prepare(&b.ctx);
		tap_ok(leave(&a) && look(&a) && leave(&a), "%s: registers are filled", name);
		if (engine_has_gprs(&left->engines[engine]))
			tap_ok(count_inherited(&a) >= nr_regs / 2,
			       "%s: registers have the written values", name);
		tap_ok(look(&b), "%s: another guest's context runs: %s", name, images[i].name);
		tap_eq(count_inherited(&b), 0, "%s: it sees none of the values", name);
		vgpu_reset(left);
		vgpu_reset(right);
	}
}

/* A batch that writes the registers of no context finds in them what it wrote. */
static void check_unsaved(struct vgpu *vgpu)
{
	struct guest g;
	struct cs cs;
	u32 i;

	guest_init(&g, vgpu, RCS);
	cs = batch_begin(&g);
	for (i = 0; i < ARRAY_SIZE(unsaved); i++) {
		cs_lri(&cs, unsaved[i], 0xffff0000 | MARK);
		cs_srm(&cs, PPGTT, unsaved[i], FOUND_ADDR + i * sizeof(u32));
	}
	cs_end(&cs);
	request_begin(&g.ctx);
	request_batch(&g.ctx, BATCH_ADDR);
	tap_ok(request_run(&g.ctx, request_end(&g.ctx)), "a batch writes registers of no context");
	tap_eq(count_marked(ram_ptr(&vgpu->ram, g.found), ARRAY_SIZE(unsaved)), ARRAY_SIZE(unsaved),
	       "they have the written values");
	vgpu_reset(vgpu);
}

static void cs_lrr(struct cs *cs, u32 from, u32 to)
{
	cs_dw(cs, MI_CMD(OP_MI_LOAD_REGISTER_REG) | 1);
	cs_dw(cs, from);
	cs_dw(cs, to);
}

/* The workaround batch of a context's load: executed when only a part is loaded. */
static void check_load(struct vgpu *left, struct vgpu *right)
{
	u64 gpa = ram_alloc(&right->ram, 1), addr = ggtt_bind(right, gpa, 1);
	struct guest a, b;
	struct cs cs;
	u32 i;

	list_regs(&left->engines[RCS]);
	guest_init(&a, left, RCS);
	guest_init(&b, right, RCS);
	cs_init(&cs, ram_ptr(&right->ram, gpa), PAGE_SIZE);
	cs_lrr(&cs, GEN_SO_NUM_PRIMS_WRITTEN(0), GEN_RCS0_BASE + RING_GPR(5));
	for (i = 0; i < nr_regs; i++)
		cs_srm(&cs, GGTT, regs[i], context_slot(&b.ctx, FIRST_SLOT + i));
	tap_ok(cs.pos <= INDIRECT_MAX_DWORDS, "all registers fit");
	b.ctx.state[LRC_INDIRECT_CTX] = addr | INDIRECT_MAX_LINES;
	tap_ok(leave(&a), "registers are filled");
	request_begin(&b.ctx);
	cs_srm(&b.ctx.ring, GGTT, GEN_RCS0_BASE + RING_GPR(5),
	       context_slot(&b.ctx, FIRST_SLOT + nr_regs++));
	tap_ok(request_run(&b.ctx, request_end(&b.ctx)),
	       "another guest's context reads them while it is loaded");
	tap_eq(count_inherited(&b), 0, "it sees none of the first one's values");
	vgpu_reset(left);
	vgpu_reset(right);
}

int main(void)
{
	struct vgpu *left, *right;
	u32 i;

	vgpu_test_init(120);
	left = vgpu_new(MDEV_TYPE_SMALL);
	right = vgpu_new(MDEV_TYPE_SMALL);
	for (i = 0; i < VGPU_NR_ENGINES; i++)
		check_engine(left, right, i);
	check_unsaved(left);
	check_load(left, right);
	vgpu_free(left);
	vgpu_free(right);
	return vgpu_test_done();
}
