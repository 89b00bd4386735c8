// SPDX-License-Identifier: GPL-2.0
/*
 * User batches on the blitter, which on Gen9 does not check the registers that they name: tests
 * which registers such a batch reaches, and that it is executed as submitted, wherever it jumps.
 * Gen8's blitter does check them and executes the batch itself, with the same registers out of
 * reach.
 *
 * On a model with strict-blitter=off, as on silicon, only the module keeps these batches from the
 * GPU's registers.
 */
#include <string.h>

#include "clock.h"
#include "context.h"
#include "counters.h"
#include "ggtt.h"
#include "tap.h"
#include "vgpu.h"
#include "witness.h"

#define CODE		0x100000000000ULL
#define CODE_PAGES	8
#define DATA		0x200000000000ULL
#define UNMAPPED	0x300000000000ULL
#define MARK		0x5a5a5a5a

/**
 * struct blt - a context with code and data for its batches
 * @ctx: on the blitter
 * @other: on another engine, to know that the host has scanned a submission
 * @code: bus address of CODE_PAGES pages at CODE
 * @cs: emits commands there
 * @data: a page at DATA
 */
struct blt {
	struct context ctx;
	struct context other;
	u64 code;
	struct cs cs;
	u32 *data;
};

static void blt_init(struct blt *b, struct vgpu *vgpu)
{
	u64 data;

	vgpu_reset(vgpu);
	context_init(&b->ctx, vgpu, BCS, NULL);
	context_init(&b->other, vgpu, VCS, NULL);
	b->code = ram_alloc(&vgpu->ram, CODE_PAGES);
	data = ram_alloc(&vgpu->ram, 1);
	b->data = ram_ptr(&vgpu->ram, data);
	ppgtt_map(b->ctx.ppgtt, CODE, b->code, CODE_PAGES);
	ppgtt_map(b->ctx.ppgtt, DATA, data, 1);
	cs_init(&b->cs, ram_ptr(&vgpu->ram, b->code), CODE_PAGES * PAGE_SIZE);
}

static u32 blt_request(struct blt *b, u64 addr)
{
	request_begin(&b->ctx);
	request_batch(&b->ctx, addr);
	return request_end(&b->ctx);
}

static bool blt_run(struct blt *b)
{
	return request_run(&b->ctx, blt_request(b, CODE));
}

/* Address of the next command. */
static u64 here(const struct blt *b)
{
	return CODE + b->cs.pos * sizeof(u32);
}

static void go_to(struct blt *b, u32 offset)
{
	b->cs.pos = offset / sizeof(u32);
}

static void store(struct blt *b, u32 slot, u32 value)
{
	cs_store(&b->cs, PPGTT, DATA + slot * sizeof(u32), value);
}

static void call(struct blt *b, u64 addr)
{
	cs_dw(&b->cs, MI_CMD(OP_MI_BATCH_BUFFER_START) | MI_BB_SECOND_LEVEL | MI_BB_PPGTT | 1);
	cs_dw(&b->cs, lower_32_bits(addr));
	cs_dw(&b->cs, upper_32_bits(addr));
}

static bool run_nop(struct context *ctx)
{
	request_begin(ctx);
	return request_run(ctx, request_end(ctx));
}

static bool looked_at(struct blt *b)
{
	return run_nop(&b->other) && run_nop(&b->other);
}

/* Submit a batch that is refused and not executed; the blitter recovers. */
static void is_refused(struct blt *b, const char *what)
{
	u32 seqno = blt_request(b, CODE);

	context_submit(&b->ctx);
	tap_ok(looked_at(b) && !request_started(&b->ctx, seqno), "%s: refused", what);
	tap_ok(engine_reset(b->ctx.engine), "%s: the guest resets the blitter", what);
	b->ctx.engine->bad = false;
}

/* Registers of the host, and shared ones, by each command that writes registers. */
static void hostile_registers(struct vgpu *vgpu, struct witness *w)
{
	const u32 base = GEN_BCS0_BASE;
	const u32 regs[] = {
		GEN_RCS0_BASE + RING_HWS_PGA, base + RING_HWS_PGA, GEN_RCS0_BASE + RING_MI_MODE,
		base + RING_MI_MODE, GEN_RCS0_BASE + RING_ELSP, base + RING_ELSP,
		GEN_RCS0_BASE + RING_GPR(1), GEN_VCS0_BASE + RING_GPR(1), base + RING_PDP_LDW(0),
		base + RING_EMR, GEN_FENCE_LO(0), GEN_FENCE_HI(0), GEN_MASTER_IRQ, GEN_PAT_LO,
		GEN_GDRST,
	};
	struct blt b;
	u32 i;

	blt_init(&b, vgpu);
	for (i = 0; i < ARRAY_SIZE(regs); i++) {
		u32 value = regs[i] == GEN_GDRST ? GDRST_RCS | GDRST_VCS0 | GDRST_VECS : ~0u;

		go_to(&b, 0);
		b.data[0] = value;
		cs_lri(&b.cs, regs[i], value);
		cs_lri(&b.cs, base + RING_GPR(2), value);
		cs_lrm(&b.cs, PPGTT, regs[i], DATA);
		cs_dw(&b.cs, MI_CMD(OP_MI_LOAD_REGISTER_REG) | 1);
		cs_dw(&b.cs, base + RING_GPR(2));
		cs_dw(&b.cs, regs[i]);
		cs_end(&b.cs);
		tap_ok(blt_run(&b), "a batch that writes register 0x%x ends", regs[i]);
		tap_ok(witness_ok(w), "another vGPU is not affected");
	}
}

/* Registers that the blitter allows to users; an LRI of both halves works for masked ones. */
static void user_registers(struct vgpu *vgpu)
{
	const u32 writable[] = {
		GEN_BCS0_BASE + RING_GPR(0), GEN_BCS0_BASE + RING_GPR_UDW(15),
		GEN_BCS0_BASE + BCS_SWCTRL,
	};
	const u32 readable[] = {
		GEN_RCS0_BASE + RING_TIMESTAMP, GEN_VCS0_BASE + RING_TIMESTAMP,
		GEN_BCS0_BASE + RING_TIMESTAMP, GEN_BCS0_BASE + RING_CTX_TIMESTAMP,
	};
	const u32 hidden[] = {
		GEN_VECS0_BASE + RING_TIMESTAMP, GEN_BCS0_BASE + RING_HWS_PGA,
		GEN_RCS0_BASE + RING_HWS_PGA, GEN_RCS0_BASE + RING_GPR(0),
	};
	struct blt b;
	u32 i;

	blt_init(&b, vgpu);
	for (i = 0; i < ARRAY_SIZE(writable); i++) {
		go_to(&b, 0);
		cs_lri(&b.cs, writable[i], 0x00030003);
		cs_srm(&b.cs, PPGTT, writable[i], DATA);
		cs_lri(&b.cs, writable[i], 0x00030000);
		cs_srm(&b.cs, PPGTT, writable[i], DATA + 4);
		cs_end(&b.cs);
		tap_ok(blt_run(&b) && (b.data[0] & 0xffff) == 3 && !(b.data[1] & 0xffff),
		       "a user batch writes register 0x%x", writable[i]);
	}
	for (i = 0; i < ARRAY_SIZE(readable); i++) {
		go_to(&b, 0);
		b.data[0] = 0;
		cs_lri(&b.cs, readable[i], MARK);
		cs_srm(&b.cs, PPGTT, readable[i], DATA);
		cs_end(&b.cs);
		tap_ok(blt_run(&b) && b.data[0] && b.data[0] != MARK,
		       "a user batch reads register 0x%x", readable[i]);
	}
	/*
	 * Writes have no effect and reads return nothing, also where a refused write might have
	 * gone.
	 */
	for (i = 0; i < ARRAY_SIZE(hidden); i++) {
		go_to(&b, 0);
		b.data[0] = MARK;
		b.data[1] = MARK;
		cs_lri(&b.cs, hidden[i], MARK);
		cs_srm(&b.cs, PPGTT, GEN_BCS0_BASE + RING_NOPID, DATA + 4);
		cs_srm(&b.cs, PPGTT, hidden[i], DATA);
		cs_end(&b.cs);
		tap_ok(blt_run(&b) && !b.data[0] && !b.data[1],
		       "a user batch neither reads nor writes register 0x%x", hidden[i]);
	}
}

/* Commands that hardware ignores in a user batch must not be executed with privilege. */
static void privileged_commands(struct vgpu *vgpu, struct witness *w)
{
	struct blt b;
	u32 before;

	blt_init(&b, vgpu);
	before = context_slot_value(&b.ctx, 50);
	cs_store(&b.cs, GGTT, context_slot(&b.ctx, 50), MARK);
	cs_srm(&b.cs, GGTT, GEN_BCS0_BASE + RING_TIMESTAMP, context_slot(&b.ctx, 50));
	cs_copy(&b.cs, GGTT, context_slot(&b.ctx, 50), context_slot(&b.ctx, 0));
	cs_flush_dw_store(&b.cs, context_slot(&b.ctx, 50), MARK);
	cs_flush_dw_store_index(&b.cs, 0x100, MARK);
	cs_dw(&b.cs, MI_CMD(OP_MI_REPORT_HEAD));
	cs_dw(&b.cs, MI_CMD(OP_MI_UPDATE_GTT) | 1);
	cs_dw(&b.cs, 0);
	cs_dw(&b.cs, 0);
	cs_dw(&b.cs, MI_CMD(OP_MI_STORE_DATA_INDEX) | 1);
	cs_dw(&b.cs, 0x200);
	cs_dw(&b.cs, MARK);
	cs_arb(&b.cs, false);
	store(&b, 1, MARK);
	cs_end(&b.cs);
	tap_ok(blt_run(&b), "a user batch with privileged commands runs");
	tap_eq(b.data[1], MARK, "its unprivileged commands are executed");
	tap_eq(context_slot_value(&b.ctx, 50), before, "it stores nothing to the GGTT");
	tap_eq(ram_read32(&vgpu->ram, b.ctx.image + 0x100), 0, "it stores nothing by index");
	/* Where the guest's own batch is executed, hardware lets a user read HEAD. */
	if (vgpu->gen >= 9)
		tap_eq(ram_read32(&vgpu->ram, b.ctx.image + 0x10), 0, "it does not store HEAD");
	tap_ok(witness_ok(w), "another vGPU is not affected");
}

/* A batch is executed as it was submitted. */
static void rewritten(struct vgpu *vgpu)
{
	struct spinner spin;
	u32 first, second;
	struct blt b;

	blt_init(&b, vgpu);
	spinner_init(&spin, &b.ctx, true);
	first = spinner_request(&spin, &b.ctx);
	context_submit(&b.ctx);
	tap_ok(request_wait_started(&b.ctx, first, SOON_MS) &&
	       engine_wait_promoted(b.ctx.engine, SOON_MS), "a request spins");
	store(&b, 0, MARK);
	cs_end(&b.cs);
	second = blt_request(&b, CODE);
	context_submit(&b.ctx);
	tap_ok(engine_wait_promoted(b.ctx.engine, SOON_MS), "another request is queued");
	go_to(&b, 0);
	store(&b, 0, 0xbad);
	cs_lri(&b.cs, GEN_BCS0_BASE + RING_HWS_PGA, 0xfffff000);
	cs_end(&b.cs);
	memory_fence();
	spinner_end(&spin);
	tap_ok(request_wait(&b.ctx, second, SOON_MS) &&
	       engine_wait_idle(b.ctx.engine, SOON_MS), "both requests complete");
	tap_eq(b.data[0], MARK, "the queued batch is executed as submitted");
}

static void flows(struct vgpu *vgpu)
{
	u64 hidden;
	struct blt b;

	blt_init(&b, vgpu);
	store(&b, 0, 1);
	cs_batch(&b.cs, PPGTT, CODE + 3 * PAGE_SIZE);
	go_to(&b, 3 * PAGE_SIZE);
	store(&b, 1, 2);
	cs_batch(&b.cs, PPGTT, CODE + PAGE_SIZE);
	go_to(&b, PAGE_SIZE);
	store(&b, 2, 3);
	cs_end(&b.cs);
	tap_ok(blt_run(&b) && b.data[0] == 1 && b.data[1] == 2 && b.data[2] == 3,
	       "a chain of batches runs");

	blt_init(&b, vgpu);
	call(&b, CODE + PAGE_SIZE);
	store(&b, 0, 1);
	call(&b, CODE + PAGE_SIZE);
	store(&b, 1, 2);
	cs_end(&b.cs);
	go_to(&b, PAGE_SIZE);
	store(&b, 2, 3);
	call(&b, CODE + 2 * PAGE_SIZE);		/* no third level: continues there */
	store(&b, 3, 0xbad);
	cs_end(&b.cs);
	go_to(&b, 2 * PAGE_SIZE);
	store(&b, 4, 5);
	cs_end(&b.cs);
	tap_ok(blt_run(&b) && b.data[0] == 1 && b.data[1] == 2 && b.data[2] == 3 &&
	       b.data[3] == 0 && b.data[4] == 5, "calls of second-level batches run");

	blt_init(&b, vgpu);
	hidden = here(&b) + 3 * sizeof(u32);
	cs_store64(&b.cs, PPGTT, DATA, (u64)MI_CMD(OP_MI_BATCH_BUFFER_END) << 32);
	cs_batch(&b.cs, PPGTT, hidden);		/* NOOP, END in the operands */
	tap_ok(blt_run(&b) && b.data[1] == MI_CMD(OP_MI_BATCH_BUFFER_END),
	       "a jump into the middle of a command runs");

	blt_init(&b, vgpu);
	go_to(&b, PAGE_SIZE - 2 * sizeof(u32));
	store(&b, 0, MARK);
	cs_end(&b.cs);
	tap_ok(blt_run(&b) && b.data[0] == MARK, "a command across two pages runs");

	/* Anything may follow the end of a batch. */
	blt_init(&b, vgpu);
	store(&b, 0, MARK);
	cs_end(&b.cs);
	memset(b.cs.base + b.cs.pos, 0xff, 256);
	tap_ok(blt_run(&b) && b.data[0] == MARK, "a batch with garbage behind its end runs");
}

static void loops(struct vgpu *vgpu)
{
	struct spinner spin;
	struct blt b, b2;
	u32 seqno;

	/* Count up in memory until 5. */
	blt_init(&b, vgpu);
	b.data[8] = 5;
	cs_dw(&b.cs, MI_CMD(OP_MI_ATOMIC) | 0x5 << 8 | 1);	/* increment */
	cs_dw(&b.cs, lower_32_bits(DATA));
	cs_dw(&b.cs, upper_32_bits(DATA));
	cs_dw(&b.cs, MI_CMD(OP_MI_ATOMIC) | 0x6 << 8 | 1);	/* decrement */
	cs_dw(&b.cs, lower_32_bits(DATA + 32));
	cs_dw(&b.cs, upper_32_bits(DATA + 32));
	cs_end_unless_above(&b.cs, DATA + 32, 0);
	cs_batch(&b.cs, PPGTT, CODE);
	tap_ok(blt_run(&b) && b.data[0] == 5 && b.data[8] == 0, "a loop");

	blt_init(&b, vgpu);
	context_init(&b2.ctx, vgpu, BCS, NULL);
	spinner_init(&spin, &b.ctx, true);
	seqno = spinner_request(&spin, &b.ctx);
	context_submit(&b.ctx);
	tap_ok(request_wait_started(&b.ctx, seqno, SOON_MS), "an endless loop runs");
	tap_ok(engine_reset(b.ctx.engine), "the guest resets the blitter");
	b.ctx.engine->bad = false;
	tap_ok(run_nop(&b2.ctx), "the blitter works after the reset");
}

static void refused(struct vgpu *vgpu)
{
	struct blt b;
	u32 i;

	blt_init(&b, vgpu);
	cs_batch(&b.cs, PPGTT, UNMAPPED);
	*ppgtt_entry(b.ctx.ppgtt, UNMAPPED, GEN_PPGTT_LEVELS - 1) = 0;
	is_refused(&b, "a jump to an unmapped address");

	blt_init(&b, vgpu);
	cs_dw(&b.cs, 0xe0000000);
	cs_end(&b.cs);
	is_refused(&b, "an unknown command");

	blt_init(&b, vgpu);
	cs_dw(&b.cs, MI_CMD(OP_MI_SEMAPHORE_WAIT) | 8);
	cs_noop(&b.cs, 16);
	cs_end(&b.cs);
	is_refused(&b, "a command of a wrong length");

	/* Scratch memory has only NOOPs. */
	blt_init(&b, vgpu);
	cs_batch(&b.cs, PPGTT, UNMAPPED);
	is_refused(&b, "a batch without an end");

	blt_init(&b, vgpu);
	for (i = 0; i < 300; i++)
		call(&b, CODE + 2 * PAGE_SIZE + i * 8);
	cs_end(&b.cs);
	go_to(&b, 2 * PAGE_SIZE);
	for (i = 0; i < 300; i++)
		cs_end(&b.cs);
	is_refused(&b, "a batch that leads to too many others");
	tap_ok(vgpu_works(vgpu), "the blitter works afterwards");
}

/* A batch in the GGTT has privilege, and loses it when it jumps to the PPGTT. */
static void from_ggtt(struct vgpu *vgpu, struct witness *w)
{
	u64 gpa, ggtt;
	struct blt b;
	struct cs cs;

	blt_init(&b, vgpu);
	gpa = ram_alloc(&vgpu->ram, 1);
	ggtt = ggtt_bind(vgpu, gpa, 1);
	cs_init(&cs, ram_ptr(&vgpu->ram, gpa), PAGE_SIZE);
	cs_store(&cs, GGTT, context_slot(&b.ctx, 51), MARK);
	cs_batch(&cs, PPGTT, CODE);
	cs_end(&cs);
	cs_store(&b.cs, GGTT, context_slot(&b.ctx, 52), MARK);
	cs_lri(&b.cs, GEN_BCS0_BASE + RING_HWS_PGA, 0xfffff000);
	store(&b, 0, MARK);
	cs_end(&b.cs);
	request_begin(&b.ctx);
	cs_batch(&b.ctx.ring, GGTT, ggtt);
	cs_noop(&b.ctx.ring, 1);
	tap_ok(request_run(&b.ctx, request_end(&b.ctx)),
	       "a batch in the GGTT jumps to the PPGTT");
	tap_eq(context_slot_value(&b.ctx, 51), MARK, "its part in the GGTT has privilege");
	tap_eq(context_slot_value(&b.ctx, 52), 0, "its part in the PPGTT has no privilege");
	tap_eq(b.data[0], MARK, "it runs to its end");
	tap_ok(witness_ok(w), "another vGPU is not affected");
}

/* As many requests at once as the ring holds, each of which draws. */
static void many(struct vgpu *vgpu)
{
	u32 i, n = 40, seqno = 0;
	bool ok = true;
	struct blt b;

	blt_init(&b, vgpu);
	for (i = 0; i < n; i++) {
		go_to(&b, i * 64 * sizeof(u32));
		cs_color_blt(&b.cs, DATA + i * 64, 64, 16, 1, 0xc0de0000 | i);
		cs_end(&b.cs);
	}
	for (i = 0; i < n; i++)
		seqno = blt_request(&b, CODE + i * 64 * sizeof(u32));
	tap_ok(request_run(&b.ctx, seqno), "%u requests in one submission", n);
	for (i = 0; i < n * 16; i++)
		ok &= b.data[i] == (0xc0de0000 | i / 16);
	tap_ok(ok, "each request has drawn");
}

#define BIG_PAGES	200u		/* of a batch; all are copied */
#define BIG_REQUESTS	6u		/* more than the limit of copies at a time */
#define BIG		0x400000000000ULL
/* Longer than the retry period of a submission that does not wait for the guest's own work. */
#define PATIENT_MS	(3000 * slowness())

/* A long request keeps the copies of the requests behind it, which wait for it. */
static void patient(struct vgpu *vgpu)
{
	u64 gpa, refused = counters_number(vgpu, "exec", "refused");
	u64 retried = counters_number(vgpu, "exec", "retried");
	u32 seqno[BIG_REQUESTS], i;
	struct spinner spin;
	struct context big;
	struct blt b;
	struct cs cs;

	blt_init(&b, vgpu);
	context_init(&big, vgpu, BCS, NULL);
	gpa = ram_alloc(&vgpu->ram, BIG_PAGES);
	ppgtt_map(big.ppgtt, BIG, gpa, BIG_PAGES);
	cs_init(&cs, ram_ptr(&vgpu->ram, gpa), 256 * PAGE_SIZE);
	cs_noop(&cs, BIG_PAGES * PAGE_SIZE / sizeof(u32) - 1);
	cs_end(&cs);
	spinner_init(&spin, &b.ctx, true);
	spinner_request_arb(&spin, &b.ctx);
	for (i = 0; i < BIG_REQUESTS; i++) {
		request_begin(&big);
		request_batch(&big, BIG);
		seqno[i] = request_end(&big);
		context_submit2(&b.ctx, &big);
		if (!engine_wait_promoted(b.ctx.engine, PATIENT_MS))
			break;
	}
	tap_ok(i > 3 && i < BIG_REQUESTS, "%u of %u large batches are queued", i, BIG_REQUESTS);
	tap_eq(counters_number(vgpu, "exec", "refused"), refused, "the next one is not refused");
	tap_eq(counters_number(vgpu, "exec", "retried"), retried + 1, "it waits");
	tap_ok(!request_done(&big, seqno[0]), "none of the queued batches runs");
	spinner_end(&spin);
	tap_ok(i < BIG_REQUESTS && request_wait(&big, seqno[i], SOON_MS) &&
	       engine_wait_idle(big.engine, SOON_MS), "all run when there is space for copies");
	tap_ok(!big.engine->bad, "their completions are reported");
	tap_eq(counters_number(vgpu, "exec", "batch_pages"), 0, "no copy is left");
}

int main(void)
{
	struct witness w;
	struct vgpu *vgpu;

	vgpu_test_init(240);
	witness_init(&w);
	vgpu = vgpu_new(MDEV_TYPE_SMALL);
	flows(vgpu);
	loops(vgpu);
	many(vgpu);
	privileged_commands(vgpu, &w);
	from_ggtt(vgpu, &w);
	if (vgpu->gen >= 9) {
		patient(vgpu);
		rewritten(vgpu);
		user_registers(vgpu);
		refused(vgpu);
	}
	hostile_registers(vgpu, &w);
	survived(vgpu, &w, "all of them");
	vgpu_free(vgpu);
	witness_free(&w);
	return vgpu_test_done();
}
