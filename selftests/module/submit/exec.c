// SPDX-License-Identifier: GPL-2.0
/* Requests on every engine: stores, batches, interrupts, blits, semaphores. */
#include "clock.h"
#include "context.h"
#include "ggtt.h"
#include "tap.h"
#include "vgpu.h"

#define BATCH_ADDR	0x100000000000ULL
#define DATA_ADDR	0x200000000000ULL

static const char *name(const struct context *ctx)
{
	return ctx->engine->info->name;
}

static void check_ring_store(struct context *ctx)
{
	u32 seqno;

	request_begin(ctx);
	cs_store(&ctx->ring, GGTT, context_slot(ctx, 8), 0xabcd0001);
	cs_store64(&ctx->ring, GGTT, context_slot(ctx, 10), 0x1122334455667788ULL);
	seqno = request_end(ctx);
	tap_ok(request_run(ctx, seqno), "%s: a request runs", name(ctx));
	tap_eq(context_slot_value(ctx, 8), 0xabcd0001, "%s: store to the GGTT", name(ctx));
	tap_eq(context_slot_value(ctx, 10), 0x55667788,
	       "%s: a store of a qword to the GGTT, low half", name(ctx));
	tap_eq(context_slot_value(ctx, 11), 0x11223344, "%s: its high half", name(ctx));
}

static void check_batch(struct context *ctx)
{
	struct ram *ram = &ctx->vgpu->ram;
	u64 gpa = ram_alloc(ram, 2), data = gpa + PAGE_SIZE;
	struct cs cs;
	u32 seqno;

	ppgtt_map(ctx->ppgtt, BATCH_ADDR, gpa, 1);
	ppgtt_map(ctx->ppgtt, DATA_ADDR, data, 1);
	cs_init(&cs, ram_ptr(ram, gpa), PAGE_SIZE);
	cs_store(&cs, PPGTT, DATA_ADDR, 0xabcd0002);
	cs_store(&cs, PPGTT, DATA_ADDR + 0xffc, 0xabcd0003);
	cs_end(&cs);

	request_begin(ctx);
	request_batch(ctx, BATCH_ADDR);
	seqno = request_end(ctx);
	tap_ok(request_run(ctx, seqno), "%s: a batch in the PPGTT runs", name(ctx));
	tap_eq(ram_read32(ram, data), 0xabcd0002, "%s: the batch's first store", name(ctx));
	tap_eq(ram_read32(ram, data + 0xffc), 0xabcd0003, "%s: the batch's second store",
	       name(ctx));

	/* Map another page at the same address. */
	data = ram_alloc(ram, 1);
	ppgtt_map(ctx->ppgtt, DATA_ADDR, data, 1);
	request_begin(ctx);
	request_batch(ctx, BATCH_ADDR);
	seqno = request_end(ctx);
	tap_ok(request_run(ctx, seqno), "%s: the batch runs again, with another page mapped",
	       name(ctx));
	tap_eq(ram_read32(ram, data), 0xabcd0002, "%s: the store goes to the new page", name(ctx));

	/* Unmap it: the scratch page takes the store. */
	ram_write32(ram, data, 0);
	ppgtt_unmap(ctx->ppgtt, DATA_ADDR, 1);
	request_begin(ctx);
	request_batch(ctx, BATCH_ADDR);
	seqno = request_end(ctx);
	tap_ok(request_run(ctx, seqno), "%s: the batch runs again, with the page unmapped",
	       name(ctx));
	tap_eq(ram_read32(ram, data), 0, "%s: the unmapped page is not written", name(ctx));
}

static void check_interrupt(struct context *ctx)
{
	struct engine *e = ctx->engine;
	struct spinner spin;
	u32 seqno, before;

	while (irq_service(ctx->vgpu, 10))
		;
	before = e->user_irqs;
	request_begin(ctx);
	seqno = request_end(ctx);
	context_submit(ctx);
	tap_ok(irq_wait(ctx->vgpu, &e->user_irqs, before + 1, SOON_MS),
	       "%s: MI_USER_INTERRUPT arrives", name(ctx));
	tap_ok(request_done(ctx, seqno), "%s: after the store before it", name(ctx));
	tap_ok(engine_wait_idle(e, SOON_MS), "%s: the engine becomes idle", name(ctx));
	while (irq_service(ctx->vgpu, 10))
		;
	tap_ok(e->csb_irqs, "%s: context switches interrupt as well", name(ctx));

	/* It arrives when it is executed, not at the end of the request. */
	spinner_init(&spin, ctx, true);
	before = e->user_irqs;
	request_begin(ctx);
	cs_user_interrupt(&ctx->ring);
	request_batch(ctx, spin.addr);
	seqno = request_end(ctx);
	context_submit(ctx);
	tap_ok(irq_wait(ctx->vgpu, &e->user_irqs, before + 1, SOON_MS),
	       "%s: MI_USER_INTERRUPT arrives while the request runs", name(ctx));
	tap_ok(!request_done(ctx, seqno), "%s: the request is not done then", name(ctx));
	spinner_end(&spin);
	tap_ok(request_wait(ctx, seqno, SOON_MS) && engine_wait_idle(e, SOON_MS),
	       "%s: the request completes afterwards", name(ctx));
	while (irq_service(ctx->vgpu, 10))
		;
}

static void run_nop(struct context *ctx)
{
	u32 seqno;

	request_begin(ctx);
	seqno = request_end(ctx);
	request_run(ctx, seqno);
}

static void check_masks(struct context *ctx)
{
	struct vgpu *vgpu = ctx->vgpu;
	struct engine *e = ctx->engine;
	u32 imr = engine_read(e, RING_IMR), before;

	engine_write(e, RING_IMR, ~0u);
	before = e->user_irqs;
	run_nop(ctx);
	irq_wait(vgpu, &e->user_irqs, before + 1, 50);
	tap_eq(e->user_irqs, before, "%s: RING_IMR masks the interrupt", name(ctx));
	engine_write(e, RING_IMR, imr);

	while (irq_service(vgpu, 10))
		;
	mmio_write(vgpu, GEN_MASTER_IRQ, 0);
	run_nop(ctx);
	tap_ok(!irq_service(vgpu, 50), "%s: no MSI while the master interrupt is disabled",
	       name(ctx));
	before = e->user_irqs;
	mmio_write(vgpu, GEN_MASTER_IRQ, MASTER_IRQ_ENABLE);
	tap_ok(irq_wait(vgpu, &e->user_irqs, before + 1, SOON_MS),
	       "%s: the MSI arrives when the master interrupt is enabled", name(ctx));
	while (irq_service(vgpu, 10))
		;
}

static void check_index_store(struct context *ctx)
{
	u32 seqno;

	request_begin(ctx);
	if (ctx->engine->info->base == GEN_RCS0_BASE)
		cs_pipe_control_store_index(&ctx->ring, 0x140, 0xabcd0004);
	else
		cs_flush_dw_store_index(&ctx->ring, 0x140, 0xabcd0004);
	seqno = request_end(ctx);
	tap_ok(request_run(ctx, seqno), "%s: a request with a store by index runs", name(ctx));
	tap_eq(ram_read32(&ctx->vgpu->ram, ctx->image + 0x140), 0xabcd0004,
	       "%s: the value is in the context's status page", name(ctx));
}

static void check_privileged_batch(struct context *ctx)
{
	struct ram *ram = &ctx->vgpu->ram;
	u64 gpa = ram_alloc(ram, 1), addr = ggtt_bind(ctx->vgpu, gpa, 1);
	struct cs cs;
	u32 seqno;

	cs_init(&cs, ram_ptr(ram, gpa), PAGE_SIZE);
	cs_store(&cs, GGTT, context_slot(ctx, 12), 0xabcd0005);
	cs_end(&cs);
	request_begin(ctx);
	cs_batch(&ctx->ring, GGTT, addr);
	cs_noop(&ctx->ring, 1);
	seqno = request_end(ctx);
	tap_ok(request_run(ctx, seqno), "%s: a batch in the GGTT runs", name(ctx));
	tap_eq(context_slot_value(ctx, 12), 0xabcd0005, "%s: the store of the batch in the GGTT",
	       name(ctx));
}

static void check_copy(struct context *ctx)
{
	u32 seqno, value = 0, gpr = ctx->engine->info->base + RING_GPR(3);
	bool gprs = engine_has_gprs(ctx->engine);

	request_begin(ctx);
	cs_store(&ctx->ring, GGTT, context_slot(ctx, 20), 0xabcd0006);
	cs_copy(&ctx->ring, GGTT, context_slot(ctx, 21), context_slot(ctx, 20));
	if (gprs) {
		cs_lrm(&ctx->ring, GGTT, gpr, context_slot(ctx, 20));
		cs_srm(&ctx->ring, GGTT, gpr, context_slot(ctx, 22));
	}
	seqno = request_end(ctx);
	tap_ok(request_run(ctx, seqno), "%s: a request with copies runs", name(ctx));
	value = context_slot_value(ctx, 21);
	tap_eq(value, 0xabcd0006, "%s: copy from memory to memory", name(ctx));
	if (gprs)
		tap_eq(context_slot_value(ctx, 22), 0xabcd0006, "%s: copy through a register",
		       name(ctx));
}

static void check_semaphore(struct context *ctx)
{
	u32 seqno;

	ram_write32(&ctx->vgpu->ram, ctx->fence + 30 * 4, 0);
	request_begin(ctx);
	cs_semaphore_wait(&ctx->ring, GGTT, context_slot(ctx, 30), SEMAPHORE_EQ, 7);
	seqno = request_end(ctx);
	context_submit(ctx);
	tap_ok(request_wait_started(ctx, seqno, SOON_MS), "%s: a request starts", name(ctx));
	sleep_us(20000);
	tap_ok(!request_done(ctx, seqno), "%s: the request waits for a semaphore", name(ctx));
	ram_write32(&ctx->vgpu->ram, ctx->fence + 30 * 4, 7);
	tap_ok(request_wait(ctx, seqno, SOON_MS) && engine_wait_idle(ctx->engine, SOON_MS),
	       "%s: the request completes when the CPU signals the semaphore", name(ctx));
}

/* Blits use the context's address space, in a batch and in the ring. */
static void check_blit(struct vgpu *vgpu, bool batch)
{
	const char *where = batch ? "batch" : "ring";
	struct context ctx;
	u32 seqno, i, bad = 0;
	struct cs cs;
	u64 gpa;

	context_init(&ctx, vgpu, BCS, NULL);
	gpa = ram_alloc(&vgpu->ram, 17);
	ppgtt_map(ctx.ppgtt, DATA_ADDR, gpa, 17);
	cs_init(&cs, ram_ptr(&vgpu->ram, gpa + 16 * PAGE_SIZE), PAGE_SIZE);
	cs_color_blt(&cs, DATA_ADDR, 1024, 256, 64, 0xc0ffee);
	cs_end(&cs);
	request_begin(&ctx);
	if (batch) {
		request_batch(&ctx, DATA_ADDR + 16 * PAGE_SIZE);
	} else {
		cs_color_blt(&ctx.ring, DATA_ADDR, 1024, 256, 64, 0xc0ffee);
		cs_noop(&ctx.ring, 1);
	}
	seqno = request_end(&ctx);
	tap_ok(request_run(&ctx, seqno), "bcs0: a blit in a %s", where);
	for (i = 0; i < 16 * PAGE_SIZE; i += 4)
		bad += ram_read32(&vgpu->ram, gpa + i) != 0xc0ffee;
	tap_eq(bad, 0, "bcs0: all pixels have the color");
}

/* All four engines at once, each waiting for the previous one. */
static void check_together(struct vgpu *vgpu)
{
	struct context ctx[VGPU_NR_ENGINES];
	u32 seqno[VGPU_NR_ENGINES], i;
	bool ok = true;

	for (i = 0; i < VGPU_NR_ENGINES; i++)
		context_init(&ctx[i], vgpu, i, NULL);
	for (i = 0; i < VGPU_NR_ENGINES; i++) {
		struct context *before = &ctx[(i + VGPU_NR_ENGINES - 1) % VGPU_NR_ENGINES];

		request_begin(&ctx[i]);
		if (i)
			cs_semaphore_wait(&ctx[i].ring, GGTT, context_slot(before, 40),
					  SEMAPHORE_EQ, 1);
		else
			cs_semaphore_wait(&ctx[i].ring, GGTT, context_slot(&ctx[0], 41),
					  SEMAPHORE_EQ, 1);
		cs_store(&ctx[i].ring, GGTT, context_slot(&ctx[i], 40), 1);
		seqno[i] = request_end(&ctx[i]);
		context_submit(&ctx[i]);
	}
	for (i = 0; i < VGPU_NR_ENGINES; i++)
		ok &= request_wait_started(&ctx[i], seqno[i], SOON_MS);
	tap_ok(ok, "all engines run at once");
	ram_write32(&vgpu->ram, ctx[0].fence + 41 * 4, 1);
	for (i = 0, ok = true; i < VGPU_NR_ENGINES; i++)
		ok &= request_wait(&ctx[i], seqno[i], SOON_MS) &&
		      engine_wait_idle(ctx[i].engine, SOON_MS);
	tap_ok(ok, "all engines signal one another through memory");
}

int main(void)
{
	struct vgpu *vgpu;
	struct context ctx[VGPU_NR_ENGINES];
	u32 i;

	vgpu_test_init(200);
	vgpu = vgpu_new(MDEV_TYPE_SMALL);
	for (i = 0; i < VGPU_NR_ENGINES; i++) {
		context_init(&ctx[i], vgpu, i, NULL);
		check_ring_store(&ctx[i]);
		check_batch(&ctx[i]);
		check_interrupt(&ctx[i]);
		check_masks(&ctx[i]);
		check_index_store(&ctx[i]);
		check_privileged_batch(&ctx[i]);
		check_copy(&ctx[i]);
		check_semaphore(&ctx[i]);
		tap_ok(!ctx[i].engine->bad, "%s: the execlist protocol is kept", name(&ctx[i]));
	}
	check_blit(vgpu, false);
	check_blit(vgpu, true);
	check_together(vgpu);
	tap_ok(ram_canary_intact(&vgpu->ram), "no stray write");
	vgpu_free(vgpu);
	return vgpu_test_done();
}
