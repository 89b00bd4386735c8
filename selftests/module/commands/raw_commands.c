// SPDX-License-Identifier: GPL-2.0
/*
 * Attempts to have the hardware execute commands with privilege that were not scanned. The probe is
 * MI_REPORT_HEAD, which the scanner refuses and the hardware executes: it writes to the context's
 * status page.
 */
#include <string.h>

#include "clock.h"
#include "context.h"
#include "ggtt.h"
#include "tap.h"
#include "vgpu.h"

#define MARK		0x5a5a5a5a
#define HEAD_REPORT	(0x10 / sizeof(u32))
#define UNKNOWN		0xe0000000	/* no such client */

static const char *name(const struct context *ctx)
{
	return ctx->engine->info->name;
}

static u32 *head_report(struct context *ctx)
{
	return (u32 *)ram_ptr(&ctx->vgpu->ram, ctx->image) + HEAD_REPORT;
}

static bool unreported(struct context *ctx)
{
	return READ_ONCE(*head_report(ctx)) == MARK;
}

static bool run_nop(struct context *ctx)
{
	request_begin(ctx);
	return request_run(ctx, request_end(ctx));
}

/*
 * The host scans a vGPU's engines in turn: when two requests of another engine are done, it has
 * scanned earlier submissions.
 */
static bool looked_at(struct context *other)
{
	return run_nop(other) && run_nop(other);
}

static void fill_up_to(struct cs *ring, u32 offset)
{
	cs_noop(ring, offset / sizeof(u32) - ring->pos);
}

/* A request that spins, then stores MARK, and ends at an offset of its ring. */
static u32 *spinning_request(struct context *ctx, struct spinner *spin, u32 end, u32 *seqno)
{
	u32 *behind;

	spinner_init(spin, ctx, true);
	request_begin(ctx);
	request_batch(ctx, spin->addr);
	behind = ctx->ring.base + ctx->ring.pos;
	cs_noop(&ctx->ring, 8);
	cs_store(&ctx->ring, GGTT, context_slot(ctx, 40), MARK);
	*seqno = request_end(ctx);
	fill_up_to(&ctx->ring, end);
	return behind;
}

/* While a ring's commands wait, its tail wraps around over all of them. */
static void tail_over_commands(struct vgpu *vgpu, u32 engine)
{
	struct context ctx, other;
	struct spinner spin;
	u32 *behind, seqno;

	context_init(&ctx, vgpu, engine, NULL);
	context_init(&other, vgpu, (engine + 1) % VGPU_NR_ENGINES, NULL);
	*head_report(&ctx) = MARK;
	behind = spinning_request(&ctx, &spin, 0x2000, &seqno);
	context_submit(&ctx);
	tap_ok(request_wait_started(&ctx, seqno, SOON_MS) &&
	       engine_wait_promoted(ctx.engine, SOON_MS), "%s: a request spins", name(&ctx));

	/*
	 * Behind the batch, the command that must not be executed; before it, one that ends the
	 * scan.
	 */
	*behind = MI_CMD(OP_MI_REPORT_HEAD);
	ctx.ring.base[0] = UNKNOWN;
	ctx.ring.pos = (RING_PAGES * PAGE_SIZE + 0x1ff8) / sizeof(u32);
	context_submit(&ctx);
	tap_ok(looked_at(&other), "%s: the host has scanned the tail that wrapped around",
	       name(&ctx));
	spinner_end(&spin);
	tap_ok(request_wait(&ctx, seqno, SOON_MS), "%s: the first request completes",
	       name(&ctx));
	tap_ok(wait_for(engine_read(ctx.engine, RING_EIR), SOON_MS),
	       "%s: the tail that wrapped around is refused", name(&ctx));
	tap_ok(unreported(&ctx), "%s: its commands are not executed", name(&ctx));
	tap_ok(vgpu_works(vgpu), "%s: the engine works after a reset", name(&ctx));
}

/* The same by a correct guest, which knows before the host that they are done. */
static void wrap_around_commands(struct vgpu *vgpu, u32 engine)
{
	struct context ctx, other;
	struct spinner spin;
	u32 first, second;

	context_init(&ctx, vgpu, engine, NULL);
	context_init(&other, vgpu, (engine + 1) % VGPU_NR_ENGINES, NULL);
	spinning_request(&ctx, &spin, 0x3000, &first);
	context_submit(&ctx);
	tap_ok(request_wait_started(&ctx, first, SOON_MS) &&
	       engine_wait_promoted(ctx.engine, SOON_MS), "%s: a request spins", name(&ctx));
	ctx.seqno++;
	cs_noop(&ctx.ring, 0x1800 / sizeof(u32));
	cs_store(&ctx.ring, GGTT, context_slot(&ctx, 41), MARK);
	second = request_end(&ctx);
	context_submit(&ctx);
	tap_ok(looked_at(&other), "%s: the next request wraps around", name(&ctx));
	tap_ok(!request_done(&ctx, first), "%s: the first request continues to spin", name(&ctx));
	spinner_end(&spin);
	tap_ok(request_wait(&ctx, second, SOON_MS), "%s: both requests complete", name(&ctx));
	tap_eq(context_slot_value(&ctx, 40), MARK, "%s: the store of the first request",
	       name(&ctx));
	tap_eq(context_slot_value(&ctx, 41), MARK, "%s: the store of the second request",
	       name(&ctx));
	tap_ok(engine_wait_idle(ctx.engine, SOON_MS) && !ctx.engine->bad,
	       "%s: the execlist protocol is kept", name(&ctx));
	tap_ok(run_nop(&ctx), "%s: the engine works afterwards", name(&ctx));
}

#define LINE		64

/* An indirect-context batch that hides a command in the operands of another. */
static void hide_command(u32 *batch, u64 target)
{
	struct cs cs;

	cs_init(&cs, batch, PAGE_SIZE);
	cs_dw(&cs, MI_CMD(OP_MI_STORE_DATA_IMM) | MI_USE_GGTT | (INDIRECT_MAX_DWORDS - 1 - 2));
	cs_dw(&cs, lower_32_bits(target));
	cs_dw(&cs, upper_32_bits(target));
	cs_noop(&cs, 100);
	cs_dw(&cs, MI_CMD(OP_MI_REPORT_HEAD));
}

static bool run_with_indirect(struct context *ctx, u64 batch, u32 lines)
{
	ctx->state[LRC_INDIRECT_CTX] = batch | lines;
	return run_nop(ctx);
}

/* The same bytes with another size are other commands. */
static void indirect_by_prefix(struct vgpu *vgpu)
{
	u64 gpa = ram_alloc(&vgpu->ram, 2), batch = ggtt_bind(vgpu, gpa, 2);
	u32 *cmds = ram_ptr(&vgpu->ram, gpa);
	struct context ctx, other;
	u32 seqno;

	context_init(&other, vgpu, BCS, NULL);
	context_init(&ctx, vgpu, RCS, NULL);
	*head_report(&ctx) = MARK;
	hide_command(cmds, batch + PAGE_SIZE);
	tap_ok(run_with_indirect(&ctx, batch, INDIRECT_MAX_LINES),
	       "rcs0: a request with an indirect-context batch runs");
	tap_eq(ram_read32(&vgpu->ram, gpa + PAGE_SIZE + 100 * sizeof(u32)),
	       MI_CMD(OP_MI_REPORT_HEAD), "rcs0: the indirect-context batch is executed");
	memset(cmds, 0, LINE);
	tap_ok(run_with_indirect(&ctx, batch, 1), "rcs0: a request with a shorter one runs");

	/* As long as the first one: all bytes were scanned before, but as other commands. */
	ctx.state[LRC_INDIRECT_CTX] = batch | INDIRECT_MAX_LINES;
	request_begin(&ctx);
	seqno = request_end(&ctx);
	context_submit(&ctx);
	tap_ok(looked_at(&other), "rcs0: the host has scanned the long one again");
	engine_process(ctx.engine);
	tap_ok(ctx.engine->pending && !request_done(&ctx, seqno), "rcs0: the long one is refused");
	tap_ok(unreported(&ctx), "rcs0: its hidden command is not executed");
	tap_ok(vgpu_works(vgpu), "rcs0: the engine works after a reset");
}

/* The last command starts a batch and ends with the ring: the tail is 0. */
static void batch_at_the_end(struct vgpu *vgpu, u32 engine)
{
	struct context ctx, other;
	u64 gpa = ram_alloc(&vgpu->ram, 1);
	struct cs cs;

	context_init(&ctx, vgpu, engine, NULL);
	context_init(&other, vgpu, (engine + 1) % VGPU_NR_ENGINES, NULL);
	ppgtt_map(ctx.ppgtt, 0x100000, gpa, 1);
	cs_init(&cs, ram_ptr(&vgpu->ram, gpa), PAGE_SIZE);
	cs_end(&cs);
	tap_ok(run_nop(&ctx), "%s: a request runs", name(&ctx));
	fill_up_to(&ctx.ring, RING_PAGES * PAGE_SIZE - 3 * sizeof(u32));
	cs_batch(&ctx.ring, PPGTT, 0x100000);
	tap_eq(cs_offset(&ctx.ring), 0, "%s: a batch is started at the ring's end", name(&ctx));
	context_submit(&ctx);
	tap_ok(looked_at(&other), "%s: the host has scanned it", name(&ctx));
	tap_ok(wait_for(engine_read(ctx.engine, RING_EIR), SOON_MS), "%s: it is refused",
	       name(&ctx));
	tap_ok(vgpu_works(vgpu), "%s: the engine works after a reset", name(&ctx));
}

int main(void)
{
	struct vgpu *vgpu;
	u32 i;

	vgpu_test_init(240);
	vgpu = vgpu_new(MDEV_TYPE_SMALL);
	for (i = 0; i < VGPU_NR_ENGINES; i++) {
		wrap_around_commands(vgpu, i);
		tail_over_commands(vgpu, i);
		batch_at_the_end(vgpu, i);
	}
	indirect_by_prefix(vgpu);
	vgpu_free(vgpu);
	return vgpu_test_done();
}
