// SPDX-License-Identifier: GPL-2.0
#include "clock.h"
#include "context.h"
#include "counters.h"
#include "ggtt.h"
#include "tap.h"
#include "vgpu.h"

/* The requests of these tests are not longer. */
#define REQUEST_DWORDS	1024
/* Dword of a spinner's page: go on spinning. */
#define SPINNER_FLAG	2048

u32 context_pages(enum vgpu_engine engine, u32 gen)
{
	if (engine != RCS)
		return GEN_XCS_CTX_PAGES;
	return gen == 8 ? GEN8_RCS_CTX_PAGES : GEN9_RCS_CTX_PAGES;
}

static void state_reg(struct context *ctx, u32 dword, u32 reg, u32 value)
{
	ctx->state[dword - 1] = ctx->engine->info->base + reg;
	ctx->state[dword] = value;
}

static u32 lri(u32 regs)
{
	return MI_CMD(OP_MI_LOAD_REGISTER_IMM) | MI_LRI_FORCE_POSTED | (2 * regs - 1);
}

static void init_state(struct context *ctx)
{
	bool rcs = ctx->engine->info->base == GEN_RCS0_BASE;
	bool batches = rcs || ctx->vgpu->gen >= 9;
	u64 root = ctx->ppgtt->root;
	u32 n;

	ctx->state[LRC_LRI0] = lri(batches ? 14 : 11);
	state_reg(ctx, LRC_CONTEXT_CONTROL, RING_CONTEXT_CONTROL,
		  GEN_MASKED_ENABLE(CTX_CTRL_INHIBIT_SYN_SWITCH | CTX_CTRL_RESTORE_INHIBIT) |
		  GEN_MASKED_DISABLE(CTX_CTRL_SAVE_INHIBIT | CTX_CTRL_RS_CTX_ENABLE));
	state_reg(ctx, LRC_RING_HEAD, RING_HEAD, 0);
	state_reg(ctx, LRC_RING_TAIL, RING_TAIL, 0);
	state_reg(ctx, LRC_RING_START, RING_START, ctx->ring_ggtt);
	state_reg(ctx, LRC_RING_CTL, RING_CTL,
		  ((RING_PAGES - 1) * PAGE_SIZE & RING_CTL_NR_PAGES) | RING_CTL_VALID);
	state_reg(ctx, LRC_BB_ADDR_UDW, RING_BBADDR_UDW, 0);
	state_reg(ctx, LRC_BB_ADDR, RING_BBADDR, 0);
	state_reg(ctx, LRC_BB_STATE, RING_BBSTATE, RING_BB_PPGTT);
	state_reg(ctx, LRC_SBB_ADDR_UDW, RING_SBBADDR_UDW, 0);
	state_reg(ctx, LRC_SBB_ADDR, RING_SBBADDR, 0);
	state_reg(ctx, LRC_SBB_STATE, RING_SBBSTATE, 0);
	if (batches) {
		state_reg(ctx, LRC_BB_PER_CTX_PTR, RING_BB_PER_CTX_PTR, 0);
		state_reg(ctx, LRC_INDIRECT_CTX, RING_INDIRECT_CTX, 0);
		state_reg(ctx, LRC_INDIRECT_CTX_OFFSET, RING_INDIRECT_CTX_OFFSET, 0);
	}

	ctx->state[LRC_LRI1] = lri(9);
	state_reg(ctx, LRC_CTX_TIMESTAMP, RING_CTX_TIMESTAMP, 0);
	for (n = 0; n < 4; n++) {
		state_reg(ctx, LRC_PDP_UDW(n), RING_PDP_UDW(n), n ? 0 : upper_32_bits(root));
		state_reg(ctx, LRC_PDP_LDW(n), RING_PDP_LDW(n), n ? 0 : lower_32_bits(root));
	}
	/* The render engine's power state and the blitter's tiling have the same place. */
	ctx->state[LRC_LRI2] = lri(1);
	state_reg(ctx, LRC_PWR_CLK_STATE,
		  rcs ? RCS_PWR_CLK_STATE - GEN_RCS0_BASE : BCS_SWCTRL, 0);
}

bool context_image_has(const struct context *ctx, u32 reg, u32 value)
{
	u32 i;

	for (i = LRC_RING_CONTEXT_DWORDS; i + 1 < PAGE_SIZE / 4; i++)
		if (READ_ONCE(ctx->state[i]) == reg && READ_ONCE(ctx->state[i + 1]) == value)
			return true;
	return false;
}

void context_init(struct context *ctx, struct vgpu *vgpu, enum vgpu_engine engine,
		  struct ppgtt *ppgtt)
{
	static u32 serial;
	u32 pages = context_pages(engine, vgpu->gen);

	ctx->vgpu = vgpu;
	ctx->engine = &vgpu->engines[engine];
	ctx->ppgtt = ppgtt;
	if (!ppgtt) {
		ppgtt_init(&ctx->own_ppgtt, &vgpu->ram);
		ppgtt_notify(vgpu, &ctx->own_ppgtt, true);
		ctx->ppgtt = &ctx->own_ppgtt;
	}

	ctx->image = ram_alloc(&vgpu->ram, pages);
	ctx->image_ggtt = ggtt_bind(vgpu, ctx->image, pages);
	ctx->state = ram_ptr(&vgpu->ram, ctx->image + LRC_STATE_PAGE * PAGE_SIZE);
	ctx->ring_gpa = ram_alloc(&vgpu->ram, RING_PAGES);
	ctx->ring_ggtt = ggtt_bind(vgpu, ctx->ring_gpa, RING_PAGES);
	cs_init(&ctx->ring, ram_ptr(&vgpu->ram, ctx->ring_gpa), RING_PAGES * PAGE_SIZE);
	ctx->fence = ram_alloc(&vgpu->ram, 1);
	ctx->fence_ggtt = ggtt_bind(vgpu, ctx->fence, 1);
	ctx->seqno = 0;
	ctx->id = (1 + serial++ % 64) << 5;
	init_state(ctx);
}

u64 context_desc(const struct context *ctx)
{
	u64 flags = CTX_DESC_VALID | CTX_DESC_PRIVILEGE |
		    (CTX_ADDRESSING_LEGACY_64B << CTX_DESC_ADDRESSING_SHIFT);

	if (ctx->vgpu->gen == 8)
		flags |= CTX_DESC_L3LLC_COHERENT;
	return ctx->image_ggtt | flags | (u64)ctx->id << CTX_DESC_ID_SHIFT;
}

void context_keep_state(struct context *ctx)
{
	ctx->state[LRC_CONTEXT_CONTROL] =
		GEN_MASKED_ENABLE(CTX_CTRL_INHIBIT_SYN_SWITCH) |
		GEN_MASKED_DISABLE(CTX_CTRL_RESTORE_INHIBIT | CTX_CTRL_SAVE_INHIBIT |
				   CTX_CTRL_RS_CTX_ENABLE);
}

void request_begin(struct context *ctx)
{
	u32 left = ctx->ring.dwords - ctx->ring.pos % ctx->ring.dwords;

	/* A request does not wrap around the end of the ring. */
	if (left < REQUEST_DWORDS)
		cs_noop(&ctx->ring, left);
	ctx->seqno++;
	cs_invalidate(&ctx->ring, ctx->engine->info->base == GEN_RCS0_BASE);
	cs_store(&ctx->ring, GGTT, context_slot(ctx, FENCE_STARTED), ctx->seqno);
	cs_arb_check(&ctx->ring);
}

void request_batch(struct context *ctx, u64 addr)
{
	cs_arb(&ctx->ring, false);
	cs_batch(&ctx->ring, PPGTT, addr);
	cs_arb(&ctx->ring, true);
	cs_noop(&ctx->ring, 1);
}

u32 request_end(struct context *ctx)
{
	struct cs *cs = &ctx->ring;

	if (ctx->engine->info->base == GEN_RCS0_BASE)
		cs_pipe_control_store(cs, context_slot(ctx, FENCE_SEQNO), ctx->seqno);
	else
		cs_flush_dw_store(cs, context_slot(ctx, FENCE_SEQNO), ctx->seqno);
	cs_user_interrupt(cs);
	cs_arb(cs, true);
	if (cs->pos & 1)
		cs_noop(cs, 1);
	/* Space for a later lite restore. */
	cs_arb_check(cs);
	cs_noop(cs, 1);
	return ctx->seqno;
}

void context_commit(struct context *ctx)
{
	WRITE_ONCE(ctx->state[LRC_RING_TAIL], cs_offset(&ctx->ring));
	memory_fence();
}

void context_submit(struct context *ctx)
{
	context_commit(ctx);
	engine_submit(ctx->engine, context_desc(ctx), 0);
}

void context_submit2(struct context *first, struct context *second)
{
	context_commit(first);
	context_commit(second);
	engine_submit(first->engine, context_desc(first), context_desc(second));
}

u64 context_slot(const struct context *ctx, u32 dword)
{
	return ctx->fence_ggtt + dword * sizeof(u32);
}

u32 context_slot_value(const struct context *ctx, u32 dword)
{
	return ram_read32(&ctx->vgpu->ram, ctx->fence + dword * sizeof(u32));
}

bool request_done(const struct context *ctx, u32 seqno)
{
	return (int)(context_slot_value(ctx, FENCE_SEQNO) - seqno) >= 0;
}

bool request_started(const struct context *ctx, u32 seqno)
{
	return (int)(context_slot_value(ctx, FENCE_STARTED) - seqno) >= 0;
}

bool request_wait(const struct context *ctx, u32 seqno, int ms)
{
	return wait_for(request_done(ctx, seqno), ms);
}

bool request_wait_started(const struct context *ctx, u32 seqno, int ms)
{
	return wait_for(request_started(ctx, seqno), ms);
}

u32 request_submit(struct context *ctx)
{
	u32 seqno;

	request_begin(ctx);
	seqno = request_end(ctx);
	context_submit(ctx);
	return seqno;
}

bool request_run(struct context *ctx, u32 seqno)
{
	context_submit(ctx);
	if (!request_wait(ctx, seqno, SOON_MS)) {
		tap_diag("%s: request %u not done (fence %u, started %u)",
			 ctx->engine->info->name, seqno,
			 context_slot_value(ctx, FENCE_SEQNO),
			 context_slot_value(ctx, FENCE_STARTED));
		counters_explain(ctx->vgpu);
		return false;
	}
	if (!engine_wait_idle(ctx->engine, SOON_MS)) {
		tap_diag("%s: not idle (pending %u, active %u)", ctx->engine->info->name,
			 ctx->engine->pending, ctx->engine->active);
		counters_explain(ctx->vgpu);
		return false;
	}
	return !ctx->engine->bad;
}

void spinner_init(struct spinner *spin, struct context *ctx, bool arbitrate)
{
	static u64 serial;
	struct cs cs;

	spin->ram = &ctx->vgpu->ram;
	spin->gpa = ram_alloc(spin->ram, 1);
	spin->addr = 0x7f0000000000ULL + serial++ * PAGE_SIZE;
	ppgtt_map(ctx->ppgtt, spin->addr, spin->gpa, 1);

	ram_write32(spin->ram, spin->gpa + SPINNER_FLAG, 1);
	cs_init(&cs, ram_ptr(spin->ram, spin->gpa), PAGE_SIZE);
	cs_end_unless_above(&cs, spin->addr + SPINNER_FLAG, 0);
	if (arbitrate)
		cs_arb_check(&cs);
	else
		cs_noop(&cs, 1);
	cs_batch(&cs, PPGTT, spin->addr);
	cs_noop(&cs, 1);
}

u32 spinner_request(struct spinner *spin, struct context *ctx)
{
	request_begin(ctx);
	request_batch(ctx, spin->addr);
	return request_end(ctx);
}

u32 spinner_request_arb(struct spinner *spin, struct context *ctx)
{
	request_begin(ctx);
	cs_arb(&ctx->ring, true);
	cs_batch(&ctx->ring, PPGTT, spin->addr);
	return request_end(ctx);
}

void spinner_end(struct spinner *spin)
{
	ram_write32(spin->ram, spin->gpa + SPINNER_FLAG, 0);
	memory_fence();
}

void spinner_again(struct spinner *spin)
{
	ram_write32(spin->ram, spin->gpa + SPINNER_FLAG, 1);
	memory_fence();
}

bool context_gpr_is(struct context *ctx, u32 value)
{
	request_begin(ctx);
	cs_srm(&ctx->ring, GGTT, ctx->engine->info->base + CONTEXT_GPR, context_slot(ctx, 32));
	return request_run(ctx, request_end(ctx)) &&
	       (!engine_has_gprs(ctx->engine) || context_slot_value(ctx, 32) == value);
}
