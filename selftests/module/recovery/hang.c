// SPDX-License-Identifier: GPL-2.0
/* A guest that hangs: the others make progress, and it recovers by its own reset. */
#include "clock.h"
#include "context.h"
#include "ggtt.h"
#include "knob.h"
#include "standstill.h"
#include "tap.h"
#include "vgpu.h"
#include "witness.h"

static bool run_one(struct context *ctx, int ms)
{
	u32 seqno = request_submit(ctx);

	return request_wait(ctx, seqno, ms) && engine_wait_idle(ctx->engine, SOON_MS);
}

/* As long as it may take at all. */
#define DONE_MS		15000

/* Run requests of @other while @bad hangs: none exceeds the bound. */
static bool others_run(struct context *other, u32 count, const char *name)
{
	u64 t0, took, stood, worst = 0;
	u32 i, done = 0;

	for (i = 0; i < count; i++) {
		stood = standstill_us();
		t0 = now_us();
		done += run_one(other, DONE_MS);
		took = standstill_but_for(t0, stood);
		worst = took > worst ? took : worst;
	}
	tap_diag("%s: longest wait of another vGPU: %llu ms", name,
		 (unsigned long long)worst / 1000);
	return done == count && worst < OTHERS_WAIT_MS(1) * 1000ULL;
}

/* A loop without an arbitration point cannot be preempted. */
static void check_loop(struct vgpu *bad, struct vgpu *good, u32 engine)
{
	const char *name = engine_infos[engine].name;
	struct context ctx, ctx2, other;
	struct spinner spin;
	u32 seqno;

	context_init(&ctx, bad, engine, NULL);
	context_init(&ctx2, bad, engine, NULL);
	context_init(&other, good, engine, NULL);
	spinner_init(&spin, &ctx, false);
	seqno = spinner_request(&spin, &ctx);
	context_submit(&ctx);
	tap_ok(request_wait_started(&ctx, seqno, SOON_MS), "%s: an endless loop", name);
	tap_ok(others_run(&other, 10, name), "%s: another vGPU makes progress", name);
	tap_ok(!request_done(&ctx, seqno), "%s: the loop has not completed", name);

	/* A guest's driver does this after some seconds. */
	tap_ok(engine_reset(ctx.engine), "%s: the guest resets its engine", name);
	spinner_end(&spin);
	tap_ok(run_one(&ctx2, SOON_MS), "%s: another context of it runs", name);
	tap_ok(run_one(&other, SOON_MS), "%s: the other vGPU still works", name);
	tap_ok(!ctx.engine->bad && !other.engine->bad, "%s: the execlist protocol is kept", name);

	/* Run the hung context again, with its request skipped. */
	ctx.state[LRC_RING_HEAD] = cs_offset(&ctx.ring);
	tap_ok(run_one(&ctx, SOON_MS), "%s: the context that hung runs again", name);
}

/* A loop in the ring itself, before anything else was submitted. */
static void check_gdrst(struct vgpu *bad, struct vgpu *good, u32 domains)
{
	struct context ctx[VGPU_NR_ENGINES], other;
	struct spinner spin[VGPU_NR_ENGINES];
	bool started = true;
	u32 i;

	for (i = 0; i < VGPU_NR_ENGINES; i++) {
		u32 seqno;

		context_init(&ctx[i], bad, i, NULL);
		spinner_init(&spin[i], &ctx[i], i & 1);
		seqno = spinner_request(&spin[i], &ctx[i]);
		context_submit(&ctx[i]);
		started &= request_wait_started(&ctx[i], seqno, SOON_MS);
	}
	tap_ok(started, "GDRST %#x: all engines are busy", domains);
	tap_ok(gdrst(bad, domains), "GDRST %#x: the reset completes", domains);
	tap_ok(gdrst(bad, domains), "GDRST %#x: a second reset completes", domains);
	context_init(&other, good, BCS, NULL);
	tap_ok(run_one(&other, SOON_MS), "GDRST %#x: another vGPU is not affected", domains);
	tap_ok(vgpu_works(bad), "GDRST %#x: all engines work after a restart", domains);
}

static void check_unknown_command(struct vgpu *bad, struct vgpu *good, u32 engine)
{
	const char *name = engine_infos[engine].name;
	struct context ctx, ctx2, other;
	struct engine *e = &bad->engines[engine];
	u32 seqno, errors;

	context_init(&ctx, bad, engine, NULL);
	context_init(&ctx2, bad, engine, NULL);
	context_init(&other, good, engine, NULL);
	while (irq_service(bad, 10))
		;
	errors = e->error_irqs;
	request_begin(&ctx);
	cs_dw(&ctx.ring, 0xe0000000);	/* no such client */
	cs_noop(&ctx.ring, 1);
	seqno = request_end(&ctx);
	context_submit(&ctx);
	tap_ok(irq_wait(bad, &e->error_irqs, errors + 1, SOON_MS),
	       "%s: an unknown command is an error", name);
	tap_ok(engine_read(e, RING_EIR) & RING_ERROR_INSTRUCTION, "%s: EIR reports it", name);
	tap_ok(!request_done(&ctx, seqno), "%s: the request stops there", name);
	tap_ok(others_run(&other, 5, name), "%s: another vGPU makes progress", name);
	engine_write(e, RING_EIR, ~0u);
	tap_ok(engine_reset(e), "%s: the guest resets its engine", name);
	tap_eq(engine_read(e, RING_EIR) & RING_ERROR_INSTRUCTION, 0, "%s: EIR is clear", name);
	tap_ok(run_one(&ctx2, SOON_MS), "%s: another context runs", name);
}

/* The same inside a user batch, which is not scanned. */
static void check_bad_batch(struct vgpu *bad, struct vgpu *good, u32 engine)
{
	const char *name = engine_infos[engine].name;
	struct context ctx, ctx2, other;
	u64 gpa = ram_alloc(&bad->ram, 1);
	struct cs cs;
	u32 seqno;

	context_init(&ctx, bad, engine, NULL);
	context_init(&ctx2, bad, engine, NULL);
	context_init(&other, good, engine, NULL);
	ppgtt_map(ctx.ppgtt, 0x5000, gpa, 1);
	cs_init(&cs, ram_ptr(&bad->ram, gpa), PAGE_SIZE);
	cs_dw(&cs, 0xe0000000);
	cs_end(&cs);
	request_begin(&ctx);
	request_batch(&ctx, 0x5000);
	seqno = request_end(&ctx);
	context_submit(&ctx);
	tap_ok(others_run(&other, 5, name),
	       "%s: an unknown command in a batch: another vGPU makes progress",
	       name);
	tap_ok(!request_done(&ctx, seqno), "%s: the request does not end", name);
	tap_ok(engine_reset(ctx.engine), "%s: the guest resets its engine", name);
	tap_ok(run_one(&ctx2, SOON_MS), "%s: the engine works after that", name);
}

/* Commands that end with arbitration off: only a reset takes the engine off them. */
static void check_no_arbitration(struct vgpu *bad, struct vgpu *good, u32 engine)
{
	const char *name = engine_infos[engine].name;
	struct context ctx, ctx2, other;
	u32 seqno;

	context_init(&ctx, bad, engine, NULL);
	context_init(&ctx2, bad, engine, NULL);
	context_init(&other, good, engine, NULL);
	request_begin(&ctx);
	seqno = request_end(&ctx);
	cs_arb(&ctx.ring, false);
	cs_noop(&ctx.ring, 1);
	context_submit(&ctx);
	tap_ok(request_wait(&ctx, seqno, SOON_MS), "%s: a request leaves arbitration off", name);
	tap_ok(others_run(&other, 5, name), "%s: another vGPU makes progress", name);
	tap_ok(engine_reset(ctx.engine), "%s: the guest resets its engine", name);
	tap_ok(run_one(&ctx2, SOON_MS), "%s: another context of it runs", name);
}

/* In a load's batch that has no effect: the context yields. */
static void check_arb_off_in_load(struct vgpu *bad, struct vgpu *good)
{
	u64 gpa = ram_alloc(&bad->ram, 1), addr = ggtt_bind(bad, gpa, 1);
	struct context ctx, other;
	struct spinner spin;
	struct cs cs;
	u64 hangs = knob_get(bad->uuid, "hangs");
	u32 seqno;

	context_init(&ctx, bad, RCS, NULL);
	context_init(&other, good, RCS, NULL);
	cs_init(&cs, ram_ptr(&bad->ram, gpa), PAGE_SIZE);
	cs_arb(&cs, false);
	cs_noop(&cs, 15);
	ctx.state[LRC_INDIRECT_CTX] = addr | 1;
	spinner_init(&spin, &ctx, true);
	request_begin(&ctx);
	cs_batch(&ctx.ring, PPGTT, spin.addr);
	seqno = request_end(&ctx);
	context_submit(&ctx);
	tap_ok(request_wait_started(&ctx, seqno, SOON_MS),
	       "a context turns arbitration off in its load");
	tap_ok(others_run(&other, 5, "rcs0"), "another vGPU makes progress");
	tap_eq(knob_get(bad->uuid, "hangs"), hangs, "the context yields all the same");
	tap_ok(engine_reset(ctx.engine), "the guest resets its engine");
}

int main(void)
{
	struct vgpu *bad, *good;
	u32 i;

	vgpu_test_init(300);
	standstill_watch();
	bad = vgpu_new(MDEV_TYPE_SMALL);
	good = vgpu_new(MDEV_TYPE_SMALL);
	for (i = 0; i < VGPU_NR_ENGINES; i++) {
		check_loop(bad, good, i);
		check_unknown_command(bad, good, i);
		check_bad_batch(bad, good, i);
		check_no_arbitration(bad, good, i);
	}
	check_arb_off_in_load(bad, good);
	check_gdrst(bad, good, GDRST_RCS | GDRST_BCS | GDRST_VCS0 | GDRST_VECS);
	check_gdrst(bad, good, GDRST_FULL);
	tap_ok(vgpu_works(good), "the other vGPU is not affected");
	vgpu_free(bad);
	vgpu_free(good);
	return vgpu_test_done();
}
