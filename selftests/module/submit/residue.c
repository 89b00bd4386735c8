// SPDX-License-Identifier: GPL-2.0
/*
 * The residue of threads in the EUs and in shared local memory is cleared before threads of another
 * context are dispatched, whatever the guest does. The model counts commands that dispatch threads
 * on another context's residue.
 */
#include "clock.h"
#include "context.h"
#include "counters.h"
#include "ggtt.h"
#include "model.h"
#include "tap.h"
#include "vgpu.h"

#define BATCH_ADDR	0x300000000000ULL
#define ROUNDS		5
#define MARK		0x5ec2e700u

/* Commands that dispatch threads. */
static const struct {
	const char *name;
	u32 dw0;
	u32 len;
} dispatches[] = {
	{ "3DPRIMITIVE", 0x7b000005, 7 },
	{ "MEDIA_OBJECT", 0x71000004, 6 },
	{ "MEDIA_OBJECT_WALKER", 0x7103000f, 17 },
	{ "GPGPU_WALKER", 0x7105000d, 15 },
};

/**
 * struct tenant - a context that dispatches threads
 * @ctx: the context, without a workaround batch
 * @batch: its batch
 */
struct tenant {
	struct context ctx;
	u64 batch;
};

static u64 residues(void)
{
	return model_engine_counter("rcs0", "residues");
}

static void tenant_init(struct tenant *t, struct vgpu *vgpu)
{
	context_init(&t->ctx, vgpu, RCS, NULL);
	t->batch = ram_alloc(&vgpu->ram, 1);
	ppgtt_map(t->ctx.ppgtt, BATCH_ADDR, t->batch, 1);
}

static void cs_dispatch(struct cs *cs, u32 which)
{
	cs_dw(cs, dispatches[which].dw0);
	cs_noop(cs, dispatches[which].len - 1);
}

static u32 tenant_emit(struct tenant *t, u32 which)
{
	struct cs cs;

	cs_init(&cs, ram_ptr(&t->ctx.vgpu->ram, t->batch), PAGE_SIZE);
	cs_dispatch(&cs, which);
	cs_end(&cs);
	request_begin(&t->ctx);
	cs_dispatch(&t->ctx.ring, which);
	request_batch(&t->ctx, BATCH_ADDR);
	return request_end(&t->ctx);
}

static bool tenant_run(struct tenant *t, u32 which)
{
	return request_run(&t->ctx, tenant_emit(t, which));
}

/* One context after the other, with each command. */
static void in_turn(struct tenant *a, struct tenant *b, const char *what)
{
	u64 before = residues(), count = model_engine_counter("rcs0", "dispatches");
	u32 i, ran = 0;

	for (i = 0; i < ARRAY_SIZE(dispatches); i++)
		ran += tenant_run(a, i) && tenant_run(b, i);
	tap_eq(ran, ARRAY_SIZE(dispatches), "%s: dispatch threads in turn", what);
	/* Each command in the ring and in the batch. */
	tap_ok(model_engine_counter("rcs0", "dispatches") - count >= 4 * ARRAY_SIZE(dispatches),
	       "%s: the model counts the dispatches", what);
	tap_eq(residues() - before, 0, "%s: no residue of the other context is left", what);
	tap_eq(a->ctx.state[LRC_INDIRECT_CTX], b->ctx.state[LRC_INDIRECT_CTX],
	       "%s: the clearing does not show in the image", what);
}

/* Both in the ports at once: the hardware itself switches between them. */
static void in_ports(struct tenant *a, struct tenant *b)
{
	u64 before = residues();
	u32 i, sa, sb;

	for (i = 0; i < ROUNDS; i++) {
		sa = tenant_emit(a, 0);
		sb = tenant_emit(b, 3);
		context_submit2(&a->ctx, &b->ctx);
		if (!request_wait(&a->ctx, sa, SOON_MS) || !request_wait(&b->ctx, sb, SOON_MS) ||
		    !engine_wait_idle(a->ctx.engine, SOON_MS))
			break;
	}
	tap_eq(i, ROUNDS, "two contexts in one submission");
	tap_eq(residues() - before, 0, "no residue of the first is left for the second");
}

/* Endless threads, preempted and resumed in the middle of their batch. */
static void preempted(struct tenant *a, struct tenant *b)
{
	u64 before = residues(), loads;
	struct spinner spin;
	u32 i, seqno;
	struct cs cs;

	spinner_init(&spin, &a->ctx, true);
	cs_init(&cs, ram_ptr(spin.ram, spin.gpa), PAGE_SIZE);
	cs_end_unless_above(&cs, spin.addr + PAGE_SIZE / 2, 0);
	cs_arb_check(&cs);
	cs_dispatch(&cs, 0);
	cs_batch(&cs, PPGTT, spin.addr);
	loads = model_engine_counter("rcs0", "contexts");
	seqno = spinner_request(&spin, &a->ctx);
	context_submit(&a->ctx);
	tap_ok(request_wait_started(&a->ctx, seqno, SOON_MS),
	       "a request with endless threads starts");
	for (i = 0; i < ROUNDS && tenant_run(b, 0); i++)
		sleep_us(50000);
	tap_eq(i, ROUNDS, "another context dispatches in between");
	tap_ok(!request_done(&a->ctx, seqno), "the endless threads continue");
	spinner_end(&spin);
	tap_ok(request_wait(&a->ctx, seqno, SOON_MS) &&
	       engine_wait_idle(a->ctx.engine, SOON_MS), "the endless threads end when told to");
	tap_ok(model_engine_counter("rcs0", "contexts") - loads >= 2 * ROUNDS,
	       "the contexts were loaded in turn");
	tap_eq(residues() - before, 0, "no residue of either is left for the other");
}

/* An indirect-context batch of so many dwords of commands. */
static void set_indirect(struct context *ctx, u32 *cmds, u64 addr, u32 dwords)
{
	struct cs cs;

	cs_init(&cs, cmds, PAGE_SIZE);
	cs_noop(&cs, PAGE_SIZE / sizeof(u32));
	cs.pos = 0;
	cs_store(&cs, GGTT, context_slot(ctx, 40), MARK);
	while (cs.pos < dwords)
		cs_arb_check(&cs);
	ctx->state[LRC_INDIRECT_CTX] = addr | INDIRECT_MAX_LINES;
}

/* The batch is not executed, and the guest resets its engine. */
static void check_refused(struct tenant *t, const char *what)
{
	struct vgpu *vgpu = t->ctx.vgpu;
	u64 before = counters_number(vgpu, "exec", "refused");
	u32 seqno = tenant_emit(t, 0);

	context_submit(&t->ctx);
	tap_ok(wait_for(counters_number(vgpu, "exec", "refused") == before + 1, SOON_MS),
	       "%s is refused", what);
	tap_ok(!request_done(&t->ctx, seqno), "it is not executed");
	tap_ok(engine_reset(t->ctx.engine), "the guest resets its engine");
}

/* The guest's own batch in the same place. */
static void own_batch(struct tenant *a, struct tenant *b)
{
	struct vgpu *vgpu = b->ctx.vgpu;
	u64 gpa = ram_alloc(&vgpu->ram, 1), addr = ggtt_bind(vgpu, gpa, 1);
	u32 *cmds = ram_ptr(&vgpu->ram, gpa);
	u64 before = residues();
	struct cs cs;

	/* At an offset that the hardware never reaches. */
	b->ctx.state[LRC_INDIRECT_CTX_OFFSET] = 0xffc0;
	tap_ok(tenant_run(a, 0) && tenant_run(b, 0),
	       "contexts with an offset behind the image run");
	b->ctx.state[LRC_INDIRECT_CTX_OFFSET] = 0;

	set_indirect(&b->ctx, cmds, addr, INDIRECT_MAX_DWORDS);
	tap_ok(tenant_run(a, 0) && tenant_run(b, 0),
	       "contexts with the largest batch that fits run");
	tap_eq(context_slot_value(&b->ctx, 40), MARK, "the batch is executed");
	tap_eq(b->ctx.state[LRC_INDIRECT_CTX], addr | INDIRECT_MAX_LINES,
	       "the guest's image keeps the guest's values");
	tap_eq(residues() - before, 0, "no residue of the other context is left");

	/* Its size ends it: an end in it neither ends the load nor leaves arbitration off. */
	set_indirect(&b->ctx, cmds, addr, 8);
	cmds[8] = MI_CMD(OP_MI_BATCH_BUFFER_END) | 0x8001;
	tap_ok(tenant_run(a, 0) && tenant_run(b, 0) && tenant_run(a, 0),
	       "contexts with an end in the batch run");

	set_indirect(&b->ctx, cmds, addr, INDIRECT_MAX_DWORDS + 1);
	check_refused(b, "a batch that leaves the host no space");

	/* A switch in the middle of a load would save registers of others. */
	set_indirect(&b->ctx, cmds, addr, 0);
	cs_init(&cs, cmds, PAGE_SIZE);
	cs_arb(&cs, true);
	cs_semaphore_wait(&cs, GGTT, context_slot(&b->ctx, 41), SEMAPHORE_EQ, MARK);
	check_refused(b, "a batch that waits");
	tap_ok(vgpu_works(vgpu), "the engine works after that");
}

int main(void)
{
	struct vgpu *left, *right;
	struct tenant a, b, c;
	u64 none;

	vgpu_test_init(120);
	if (!model_get("rcs0-residues", &none))
		tap_skip_all("no model that counts residues");
	left = vgpu_new(MDEV_TYPE_SMALL);
	right = vgpu_new(MDEV_TYPE_SMALL);
	tenant_init(&a, left);
	tenant_init(&b, right);
	tenant_init(&c, left);
	in_turn(&a, &b, "two guests");
	in_turn(&a, &c, "two contexts of a guest");
	in_ports(&a, &c);
	preempted(&a, &b);
	own_batch(&a, &b);
	vgpu_free(left);
	vgpu_free(right);
	return vgpu_test_done();
}
