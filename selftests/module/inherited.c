// SPDX-License-Identifier: GPL-2.0
/*
 * What a context leaves in an engine's registers is not there for another guest, whatever that
 * one's image says: that nothing is to be restored, a list without registers, or none.
 */
#include <string.h>

#include "context.h"
#include "ggtt.h"
#include "tap.h"
#include "vgpu.h"
#include "gen/ctxregs.h"

#define MARK		0x5ec4u
#define DRAW_ADDR	0x300000000000ULL
#define FIRST_SLOT	256	/* of the fence page: what is read */
#define MAX_REGS	256
#define BBE		MI_CMD(OP_MI_BATCH_BUFFER_END)
#define XY_SETUP	(2u << 29 | OP_XY_SETUP_BLT << 22 | 3u << 20 | 8)
#define XY_PIXEL	(2u << 29 | OP_XY_PIXEL_BLT << 22)

static u32 regs[MAX_REGS], nr_regs;

static void add_regs(u32 first, u32 count)
{
	while (count--) {
		regs[nr_regs++] = first;
		first += 4;
	}
}

/* All that a context saves and that a driver may have reason to write. */
static void list_regs(const struct engine *engine)
{
	const struct gen_ctx_regs *r;

	nr_regs = 0;
	if (engine_has_gprs(engine)) {
		add_regs(engine->info->base + RING_GPR(0), 2 * RING_NR_GPR);
		add_regs(engine->info->base + RING_INSTPM, 1);
		add_regs(engine->info->base + RING_PREDICATE_RESULT_1, 1);
	}
	/* What is refused, and where that goes. */
	add_regs(engine->info->base + RING_HWS_PGA, 1);
	add_regs(engine->info->base + RING_NOPID, 1);
	if (engine->info->base == GEN_BCS0_BASE)
		add_regs(GEN_BCS0_BASE + BCS_SWCTRL, 1);
	if (engine->info->base == GEN_RCS0_BASE)
		for (r = gen_ctx_rcs; r->count; r++)
			add_regs(r->first, r->count);
}

/* In either half: a masked register has just the lower one. */
static bool is_marked(u32 value)
{
	return value >> 16 == MARK || (value & 0xffff) == MARK;
}

/* Fills all registers, and on the blitter what its next drawing command would use. */
static bool leave(struct context *ctx)
{
	u32 i, base = ctx->engine->info->base;

	request_begin(ctx);
	for (i = 0; i < nr_regs; i++)
		cs_lri(&ctx->ring, regs[i], 0xffff0000 | MARK);
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

static bool look(struct context *ctx)
{
	u32 i;

	request_begin(ctx);
	for (i = 0; i < nr_regs; i++)
		cs_srm(&ctx->ring, GGTT, regs[i], context_slot(ctx, FIRST_SLOT + i));
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

/* Of registers that were read, of the saved image, and of where the blitter may draw. */
static u32 count_inherited(struct context *ctx, const u32 *canvas)
{
	u32 pages = context_pages(ctx->engine - ctx->vgpu->engines, ctx->vgpu->gen);
	const u32 *read = ram_ptr(&ctx->vgpu->ram, ctx->fence);

	return count_marked(read + FIRST_SLOT, nr_regs) +
	       count_marked(ctx->state, (pages - LRC_STATE_PAGE) * PAGE_SIZE / 4) +
	       count_marked(canvas, PAGE_SIZE / 4);
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

/* All registers, none of whose bits is to be written where there is a mask. */
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
	{ "nothing is to be restored", no_restore },
	{ "an end alone", end_alone },
	{ "padding", no_list },
	{ "one register", one_register },
	{ "masks without a bit", no_bits },
	{ "what is no list", no_list_at_all },
};

static void check_engine(struct vgpu *left, struct vgpu *right, u32 engine)
{
	const char *name = engine_infos[engine].name;
	struct context a, b;
	u64 canvas[2];
	u32 i;

	list_regs(&left->engines[engine]);
	for (i = 0; i < ARRAY_SIZE(images); i++) {
		context_init(&a, left, engine, NULL);
		context_init(&b, right, engine, NULL);
		canvas[0] = ram_alloc(&left->ram, 1);
		canvas[1] = ram_alloc(&right->ram, 1);
		ppgtt_map(a.ppgtt, DRAW_ADDR, canvas[0], 1);
		ppgtt_map(b.ppgtt, DRAW_ADDR, canvas[1], 1);
		/* What the first one's pixel may have, address 0 may have, too. */
		ppgtt_map(b.ppgtt, 0, canvas[1], 1);
		images[i].prepare(&b);
		tap_ok(leave(&a) && look(&a) && leave(&a), "%s: registers are filled", name);
		if (engine_has_gprs(&left->engines[engine]))
			tap_ok(count_inherited(&a, ram_ptr(&left->ram, canvas[0])) >= nr_regs / 2,
			       "%s: and have what they are filled with", name);
		tap_ok(look(&b), "%s: another guest's context runs: %s", name, images[i].name);
		tap_eq(count_inherited(&b, ram_ptr(&right->ram, canvas[1])), 0,
		       "%s: and finds nothing of it", name);
		vgpu_reset(left);
		vgpu_reset(right);
	}
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
	vgpu_free(left);
	vgpu_free(right);
	return vgpu_test_done();
}
