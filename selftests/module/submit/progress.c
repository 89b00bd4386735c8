// SPDX-License-Identifier: GPL-2.0
/*
 * When a request is complete: commands that have not been executed must not count as executed, and
 * commands that were released must not be executed.
 */
#include "clock.h"
#include "context.h"
#include "ggtt.h"
#include "tap.h"
#include "vgpu.h"

/* HEAD is at the tail when a batch starts behind which there is no command. */
static void check_batch_last(struct vgpu *vgpu, u32 engine)
{
	struct engine *e = &vgpu->engines[engine];
	struct context ctx, after;
	struct spinner spin;
	u32 errors;

	context_init(&ctx, vgpu, engine, NULL);
	spinner_init(&spin, &ctx, true);
	while (irq_service(vgpu, 10))
		;
	errors = e->error_irqs;
	request_begin(&ctx);
	if (!(ctx.ring.pos & 1))
		cs_noop(&ctx.ring, 1);
	cs_batch(&ctx.ring, PPGTT, spin.addr);
	context_submit(&ctx);
	tap_ok(irq_wait(vgpu, &e->error_irqs, errors + 1, SOON_MS),
	       "%s: a request that ends with a batch start is refused", e->info->name);
	tap_ok(!request_started(&ctx, 1), "%s: its batch is not executed", e->info->name);
	tap_ok(engine_reset(e), "%s: the guest resets its engine", e->info->name);
	context_init(&after, vgpu, engine, NULL);
	request_begin(&after);
	tap_ok(request_run(&after, request_end(&after)), "%s: the engine works after that",
	       e->info->name);
}

#define TABLES		3000
#define TABLES_AT	0x100000000ULL
#define TABLE_SPAN	(1ULL << GEN_LEVEL_SHIFT(1))

/*
 * A guest keeps submitting while its context hangs and is taken off: with many tables to compare, a
 * submission is being prepared at that moment. It must not let the hardware restart the context at
 * its last saved position, which is before the endless batch.
 */
static void check_queued_across_reset(struct vgpu *bad, struct vgpu *good)
{
	struct context ctx, other;
	struct spinner spin;
	u64 page = ram_alloc(&bad->ram, 1);
	u32 seqno, i, submitted = 0;

	context_init(&ctx, bad, RCS, NULL);
	context_init(&other, good, RCS, NULL);
	for (i = 0; i < TABLES; i++)
		ppgtt_map(ctx.ppgtt, TABLES_AT + i * TABLE_SPAN, page, 1);
	spinner_init(&spin, &ctx, false);
	seqno = spinner_request(&spin, &ctx);
	context_submit(&ctx);
	tap_ok(engine_wait_promoted(ctx.engine, 4 * SOON_MS) &&
	       request_wait_started(&ctx, seqno, SOON_MS), "a context hangs");
	ram_write32(&bad->ram, ctx.fence + FENCE_STARTED * sizeof(u32), 0);

	request_begin(&other);
	seqno = request_end(&other);
	context_submit(&other);
	while (!request_done(&other, seqno) && submitted < 60) {
		request_begin(&ctx);
		request_end(&ctx);
		context_commit(&ctx);
		engine_elsp(ctx.engine, context_desc(&ctx), 0);
		submitted++;
		/* Submit the next when this one is accepted, or cannot be any more. */
		wait_for(engine_read(ctx.engine, RING_TAIL) == cs_offset(&ctx.ring) ||
			 request_done(&other, seqno), SOON_MS);
	}
	tap_diag("%u submissions while it hung", submitted);
	tap_ok(request_wait(&other, seqno, SOON_MS), "the engine is reset for another vGPU");
	for (i = 0; i < 5; i++) {
		request_begin(&other);
		seqno = request_end(&other);
		context_submit(&other);
		if (!request_wait(&other, seqno, SOON_MS) ||
		    !engine_wait_idle(other.engine, SOON_MS))
			break;
	}
	tap_eq(i, 5, "the other vGPU continues");
	tap_eq(context_slot_value(&ctx, FENCE_STARTED), 0,
	       "no command of the hung context is executed again");
	tap_ok(engine_reset(ctx.engine), "the guest resets its engine");
	ctx.engine->bad = false;
	tap_eq(context_slot_value(&ctx, FENCE_STARTED), 0,
	       "no command of it is executed after the reset either");
	tap_ok(vgpu_works(bad), "the vGPU works after a reset");
}

int main(void)
{
	struct vgpu *bad, *good;
	u32 i;

	vgpu_test_init(120);
	bad = vgpu_new(MDEV_TYPE_SMALL);
	good = vgpu_new(MDEV_TYPE_SMALL);
	for (i = 0; i < VGPU_NR_ENGINES; i++)
		check_batch_last(bad, i);
	tap_ok(vgpu_reset(bad), "the vGPU is reset");
	check_queued_across_reset(bad, good);
	tap_ok(vgpu_works(good), "the other vGPU is not affected");
	vgpu_free(bad);
	vgpu_free(good);
	return vgpu_test_done();
}
