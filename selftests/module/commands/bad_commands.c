// SPDX-License-Identifier: GPL-2.0
/* Bad input: commands. */
#include <string.h>

#include "clock.h"
#include "context.h"
#include "ggtt.h"
#include "rng.h"
#include "tap.h"
#include "vgpu.h"
#include "witness.h"

/* No register from here on depends on the engine. */
#define ENGINES_END	0x40000u

static struct rng rng = { 6 };

struct try {
	struct vgpu *vgpu;
	struct context ctx;
	u32 engine;
	u32 done;
	u32 stopped;
};

static void try_init(struct try *t, struct vgpu *vgpu, u32 engine)
{
	vgpu_reset(vgpu);
	t->vgpu = vgpu;
	t->engine = engine;
	t->done = 0;
	t->stopped = 0;
	context_init(&t->ctx, vgpu, engine, NULL);
}

/* Run the ring's commands; if they do not end, reset as a driver would. */
static bool try_run(struct try *t, u32 seqno, int ms)
{
	struct engine *e = t->ctx.engine;

	context_submit(&t->ctx);
	if (wait_for((engine_process(e), !e->active && !e->pending) ||
		     engine_read(e, RING_EIR), ms) && request_done(&t->ctx, seqno)) {
		t->done++;
		return true;
	}
	t->stopped++;
	engine_reset(e);
	e->bad = false;
	/* A driver would skip the request; a new context is simpler. */
	if (t->vgpu->ram.next > t->vgpu->ram.size / PAGE_SIZE - 256)
		vgpu_reset(t->vgpu);
	context_init(&t->ctx, t->vgpu, t->engine, NULL);
	return false;
}

/* Every opcode of every client, alone in a request. */
static void every_opcode(struct vgpu *vgpu, struct witness *w, u32 engine)
{
	struct try t;
	u32 i;

	try_init(&t, vgpu, engine);
	for (i = 0; i < 64 + 128 + 64; i++) {
		u32 dw, k, seqno;

		if (i < 64)
			dw = MI_CMD(i) | (i >= OP_MI_LOAD_SCAN_LINES_INCL ? 2 : 0);
		else if (i < 192)
			dw = (u32)CMD_CLIENT_BLT << 29 | (i - 64) << 22 | 6;
		else
			dw = (u32)CMD_CLIENT_RENDER << 29 | (i - 192) << 23 | 4;
		request_begin(&t.ctx);
		cs_dw(&t.ctx.ring, dw);
		for (k = 0; k < 8; k++)
			cs_dw(&t.ctx.ring, 0);
		cs_noop(&t.ctx.ring, 7);
		seqno = request_end(&t.ctx);
		try_run(&t, seqno, 50);
	}
	tap_diag("%s: %u ran, %u stopped", engine_infos[engine].name, t.done, t.stopped);
	tap_ok(witness_ok(w), "%s: every opcode alone in a request does no harm",
	       engine_infos[engine].name);
}

static void random_commands(struct vgpu *vgpu, struct witness *w, u32 engine, bool batch)
{
	const char *where = batch ? "batch" : "ring";
	struct try t;
	u32 i, n;

	try_init(&t, vgpu, engine);
	for (n = 0; n < 100; n++) {
		struct cs cs, *to = &t.ctx.ring;
		u64 gpa = 0;
		u32 seqno;

		request_begin(&t.ctx);
		if (batch) {
			gpa = ram_alloc(&vgpu->ram, 1);
			ppgtt_map(t.ctx.ppgtt, 0x10000, gpa, 1);
			cs_init(&cs, ram_ptr(&vgpu->ram, gpa), PAGE_SIZE);
			to = &cs;
		}
		for (i = 0; i < 64; i++) {
			u32 dw = rng_u64(&rng);

			/* Mostly valid clients and short lengths. */
			if (n % 2)
				dw &= 0x7fc0ff07;
			if (n % 4 == 1)
				dw &= 0x1fffffff;
			cs_dw(to, dw);
		}
		if (batch) {
			cs_end(&cs);
			request_batch(&t.ctx, 0x10000);
		}
		seqno = request_end(&t.ctx);
		try_run(&t, seqno, 30);
	}
	tap_diag("%s, %s: %u ran, %u stopped", engine_infos[engine].name, where, t.done,
		 t.stopped);
	tap_ok(witness_ok(w), "%s: random commands in a %s do no harm", engine_infos[engine].name,
	       where);
}

/*
 * LRI and SRM of every register, by the render engine. By the others only of those below the first
 * that are the same for all engines (core_reg_test).
 */
static void every_register(struct vgpu *vgpu, struct witness *w, u32 engine, bool write)
{
	u32 end = engine == RCS ? GEN_MMIO_SIZE : ENGINES_END;
	const char *what = write ? "written" : "read";
	u32 per_command = write ? 120 : 1, per_request = write ? 360 : 200;
	u64 t0 = now_us();
	struct try t;
	u32 reg = 0;

	try_init(&t, vgpu, engine);
	while (reg < end) {
		u32 n = 0, seqno;

		request_begin(&t.ctx);
		while (n < per_request && reg < end) {
			u32 i;

			if (!write) {
				cs_srm(&t.ctx.ring, GGTT, reg, context_slot(&t.ctx, 100));
				reg += 4;
				n++;
				continue;
			}
			cs_dw(&t.ctx.ring, MI_CMD(OP_MI_LOAD_REGISTER_IMM) | (2 * per_command - 1));
			for (i = 0; i < per_command; i++, reg += 4, n++) {
				cs_dw(&t.ctx.ring, reg % GEN_MMIO_SIZE);
				cs_dw(&t.ctx.ring, reg & 4 ? ~0u : rng_u64(&rng));
			}
		}
		cs_noop(&t.ctx.ring, t.ctx.ring.pos & 1);
		seqno = request_end(&t.ctx);
		try_run(&t, seqno, 1000);
	}
	tap_diag("%s: %u requests ran, %u stopped, %llu ms", engine_infos[engine].name, t.done,
		 t.stopped, (unsigned long long)(now_us() - t0) / 1000);
	tap_ok(witness_ok(w), "%s: every register up to %#x is %s by commands",
	       engine_infos[engine].name, end - 4, what);
}

/* By a user batch: the hardware allows only a few registers. */
static void every_register_by_batch(struct vgpu *vgpu, struct witness *w, u32 engine)
{
	struct try t;
	u64 gpa;
	u32 reg = 0, pages = 16;

	try_init(&t, vgpu, engine);
	gpa = ram_alloc(&vgpu->ram, pages);
	while (reg < GEN_MMIO_SIZE) {
		struct cs cs;
		u32 seqno;

		cs_init(&cs, ram_ptr(&vgpu->ram, gpa), pages * PAGE_SIZE);
		while (reg < GEN_MMIO_SIZE && cs.pos < cs.dwords - 16) {
			cs_lri(&cs, reg, ~0u);
			reg += 4;
		}
		cs_end(&cs);
		ppgtt_map(t.ctx.ppgtt, 0x100000, gpa, pages);
		request_begin(&t.ctx);
		request_batch(&t.ctx, 0x100000);
		seqno = request_end(&t.ctx);
		if (!try_run(&t, seqno, 1000))
			gpa = ram_alloc(&vgpu->ram, pages);
	}
	tap_diag("%s: %u batches ran, %u stopped", engine_infos[engine].name, t.done, t.stopped);
	tap_ok(witness_ok(w), "%s: every register is written by a user batch",
	       engine_infos[engine].name);
}

/* GGTT addresses outside of the guest's memory, in every command that has one. */
static void bad_addresses(struct vgpu *vgpu, struct witness *w, u32 engine)
{
	u64 end = GEN_LOW_GM_SIZE + vgpu->high_size;
	const u64 addrs[] = {
		vgpu->low_size - 4, vgpu->low_size, GEN_LOW_GM_SIZE - 4, end - 4, end,
		0xffffffff, 0xfffffffc, 0xf8000000, 0x100000000ULL, 0x7fffffffffffULL,
		0xffffffffffffffffULL, GEN_LOW_GM_SIZE + 2,
	};
	struct try t;
	u32 i, kind;

	try_init(&t, vgpu, engine);
	for (i = 0; i < ARRAY_SIZE(addrs); i++) {
		for (kind = 0; kind < 10; kind++) {
			struct cs *cs = &t.ctx.ring;
			u32 gpr = t.ctx.engine->info->base + RING_GPR(0), seqno;

			request_begin(&t.ctx);
			switch (kind) {
			case 0:
				cs_store(cs, GGTT, addrs[i], 0xbadbad);
				break;
			case 1:
				cs_store64(cs, GGTT, addrs[i], 0xbadbadbadULL);
				break;
			case 2:
				cs_srm(cs, GGTT, gpr, addrs[i]);
				break;
			case 3:
				cs_lrm(cs, GGTT, gpr, addrs[i]);
				break;
			case 4:
				cs_copy(cs, GGTT, addrs[i], context_slot(&t.ctx, 9));
				break;
			case 5:
				cs_copy(cs, GGTT, context_slot(&t.ctx, 9), addrs[i]);
				break;
			case 6:
				cs_semaphore_wait(cs, GGTT, addrs[i], SEMAPHORE_GE, 0);
				break;
			case 7:
				cs_batch(cs, GGTT, addrs[i]);
				break;
			case 8:
				if (engine == RCS)
					cs_pipe_control_store(cs, addrs[i], 0xbadbad);
				else
					cs_flush_dw_store(cs, addrs[i] & ~7ULL, 0xbadbad);
				break;
			default:
				if (engine == BCS)
					cs_color_blt(cs, addrs[i], 0x7ffc, 0x7fff, 0x7fff, 0xbad);
				break;
			}
			cs_noop(cs, cs->pos & 1);
			seqno = request_end(&t.ctx);
			try_run(&t, seqno, 50);
		}
	}
	tap_diag("%s: %u ran, %u stopped", engine_infos[engine].name, t.done, t.stopped);
	tap_ok(witness_ok(w), "%s: addresses outside of the guest's memory are harmless",
	       engine_infos[engine].name);
}

/* Index-mode stores beyond the context's page. */
static void bad_indexes(struct vgpu *vgpu, struct witness *w, u32 engine)
{
	struct try t;
	u32 i, seqno;

	try_init(&t, vgpu, engine);
	for (i = 0; i < 40; i++) {
		u32 index = i < 32 ? 1u << i : rng_u64(&rng);

		request_begin(&t.ctx);
		if (engine == RCS)
			cs_pipe_control_store_index(&t.ctx.ring, index & ~3u, 0xbad);
		else
			cs_flush_dw_store_index(&t.ctx.ring, index & ~7u, 0xbad);
		seqno = request_end(&t.ctx);
		try_run(&t, seqno, 50);
	}
	tap_ok(witness_ok(w), "%s: stores at any index are harmless", engine_infos[engine].name);
}

/* Batches in the GGTT that never end, call themselves, or run beyond their memory. */
static void bad_batches(struct vgpu *vgpu, struct witness *w, u32 engine)
{
	u64 gpa, addr;
	struct try t;
	u32 kind;

	try_init(&t, vgpu, engine);
	for (kind = 0; kind < 6; kind++) {
		u32 seqno, i, *p;
		struct cs cs;

		gpa = ram_alloc(&vgpu->ram, 64);
		addr = ggtt_bind(vgpu, gpa, 64);
		p = ram_ptr(&vgpu->ram, gpa);
		cs_init(&cs, p, 64 * PAGE_SIZE);
		switch (kind) {
		case 0:		/* no end */
			cs_noop(&cs, 64 * PAGE_SIZE / 4);
			break;
		case 1:		/* calls itself */
			cs_batch(&cs, GGTT, addr);
			break;
		case 2:		/* two that call each other */
			cs_batch(&cs, GGTT, addr + PAGE_SIZE);
			cs.pos = PAGE_SIZE / 4;
			cs_batch(&cs, GGTT, addr);
			break;
		case 3:		/* a long chain */
			for (i = 0; i < 64; i++) {
				cs.pos = i * PAGE_SIZE / 4;
				cs_batch(&cs, GGTT, addr + (i + 1) % 64 * PAGE_SIZE);
				p[i * PAGE_SIZE / 4] |= MI_BB_SECOND_LEVEL;
			}
			break;
		case 4:		/* a command across the end of mapped memory */
			cs.pos = 64 * PAGE_SIZE / 4 - 2;
			cs_dw(&cs, MI_CMD(OP_MI_LOAD_REGISTER_IMM) | 0xff);
			break;
		default:	/* the ring as its own batch */
			addr = t.ctx.ring_ggtt;
			break;
		}
		request_begin(&t.ctx);
		cs_batch(&t.ctx.ring, GGTT, addr);
		cs_noop(&t.ctx.ring, 1);
		seqno = request_end(&t.ctx);
		try_run(&t, seqno, 100);
		vgpu_reset(vgpu);
		context_init(&t.ctx, vgpu, engine, NULL);
	}
	tap_ok(witness_ok(w), "%s: batches in the GGTT without an end are harmless",
	       engine_infos[engine].name);

	/* In the PPGTT, running into scratch pages of zeros. */
	gpa = ram_alloc(&vgpu->ram, 1);
	ppgtt_map(t.ctx.ppgtt, 0x10000, gpa, 1);
	request_begin(&t.ctx);
	request_batch(&t.ctx, 0x10000);
	try_run(&t, request_end(&t.ctx), 50);
	tap_ok(witness_ok(w), "%s: a batch in the PPGTT without an end is harmless",
	       engine_infos[engine].name);
}

/* The ring changes after submission. */
static void changing_ring(struct vgpu *vgpu, struct witness *w)
{
	u64 end = now_us() + 2000000;
	struct try t;
	u32 n = 0;

	try_init(&t, vgpu, RCS);
	while (now_us() < end) {
		u32 i, seqno;

		request_begin(&t.ctx);
		cs_noop(&t.ctx.ring, 64);
		seqno = request_end(&t.ctx);
		context_submit(&t.ctx);
		for (i = 0; i < 40; i++)
			WRITE_ONCE(t.ctx.ring.base[rng_below(&rng, t.ctx.ring.dwords)],
				   rng_u64(&rng));
		if (!request_wait(&t.ctx, seqno, 20) || !engine_wait_idle(t.ctx.engine, 20)) {
			engine_reset(t.ctx.engine);
			t.ctx.engine->bad = false;
			if (vgpu->ram.next > vgpu->ram.size / PAGE_SIZE - 256)
				vgpu_reset(vgpu);
			context_init(&t.ctx, vgpu, RCS, NULL);
		}
		n++;
	}
	tap_diag("%u requests", n);
	tap_ok(witness_ok(w), "a ring that changes after submission is harmless");
}

int main(void)
{
	struct witness w;
	struct vgpu *vgpu;
	u32 e;

	vgpu_test_init(580);
	witness_init(&w);
	vgpu = vgpu_new(MDEV_TYPE_SMALL);
	for (e = 0; e < VGPU_NR_ENGINES; e++) {
		every_opcode(vgpu, &w, e);
		random_commands(vgpu, &w, e, false);
		random_commands(vgpu, &w, e, true);
		every_register(vgpu, &w, e, true);
		bad_addresses(vgpu, &w, e);
		bad_indexes(vgpu, &w, e);
		bad_batches(vgpu, &w, e);
		survived(vgpu, &w, engine_infos[e].name);
	}
	every_register(vgpu, &w, RCS, false);
	every_register_by_batch(vgpu, &w, RCS);
	every_register_by_batch(vgpu, &w, BCS);
	changing_ring(vgpu, &w);
	survived(vgpu, &w, "all of them");
	vgpu_free(vgpu);
	witness_free(&w);
	return vgpu_test_done();
}
