// SPDX-License-Identifier: GPL-2.0
/* Bad input: invalid descriptors, contexts, rings and status pages. */
#include <string.h>

#include <gen/pvinfo.h>

#include "clock.h"
#include "context.h"
#include "counters.h"
#include "ggtt.h"
#include "rng.h"
#include "tap.h"
#include "vgpu.h"
#include "witness.h"

#define NR_DESCRIPTORS	100000
#define NR_STATES	400

static struct rng rng = { 5 };

/* Give the submission a moment, then reset the engine to make it usable. */
static void settle(struct engine *e)
{
	wait_for((engine_process(e), !e->pending && !e->active), 20);
	engine_reset(e);
	e->bad = false;
}

static void no_setup(struct witness *w)
{
	char uuid[MDEV_UUID_SIZE];
	struct vgpu *vgpu;
	u32 i;

	mdev_new_uuid(uuid);
	mdev_create(MDEV_TYPE_SMALL, uuid);
	vgpu = vgpu_open(uuid);
	if (!tap_ok(vgpu, "a vGPU that was never set up"))
		return;
	for (i = 0; i < VGPU_NR_ENGINES; i++) {
		engine_elsp(&vgpu->engines[i], 0, 0);
		engine_elsp(&vgpu->engines[i], 0x10000119, 0);
		engine_elsp(&vgpu->engines[i], ~0ULL, ~0ULL);
	}
	for (i = 0; i < VGPU_NR_ENGINES; i++) {
		engine_write(&vgpu->engines[i], RING_MODE, GEN_MASKED_ENABLE(RING_MODE_RUN_LIST));
		engine_elsp(&vgpu->engines[i], 0x10000119, 0x10020119);
		/* An incomplete submission. */
		engine_write(&vgpu->engines[i], RING_ELSP, 0x119);
		/* The ring buffer mode of older drivers is not supported. */
		engine_write(&vgpu->engines[i], RING_START, 0x10000000);
		engine_write(&vgpu->engines[i], RING_CTL, 0x3001);
		engine_write(&vgpu->engines[i], RING_TAIL, 0x100);
	}
	/* One per engine: later submissions wait for a reset. */
	tap_ok(wait_for(counters_number(vgpu, "exec", "refused") == VGPU_NR_ENGINES, SOON_MS),
	       "submissions without set-up are refused");
	survived(vgpu, w, "submissions without set-up");
	vgpu_free(vgpu);
}

static void random_descriptors(struct vgpu *vgpu, struct witness *w)
{
	struct context ctx[VGPU_NR_ENGINES];
	u32 i, n;

	vgpu_reset(vgpu);
	for (i = 0; i < VGPU_NR_ENGINES; i++)
		context_init(&ctx[i], vgpu, i, NULL);
	for (n = 0; n < NR_DESCRIPTORS; n++) {
		u32 e = rng_below(&rng, VGPU_NR_ENGINES);
		u64 a = rng_u64(&rng), b = rng_u64(&rng);

		/* Some name real contexts, of any engine, with odd flags. */
		if (n % 4 == 1)
			a = (a & ~CTX_DESC_LRCA) | ctx[rng_below(&rng, 4)].image_ggtt;
		if (n % 8 == 3)
			a = context_desc(&ctx[e]) ^ (1ULL << rng_below(&rng, 64));
		if (n % 2)
			b = n % 16 == 5 ? a : 0;
		engine_elsp(ctx[e].engine, a, b);
		/* After a refusal, the engine ignores submissions until a reset. */
		if (n % 8 == 7)
			gdrst(vgpu, GDRST_FULL);
		if (n % 10000 == 9999)
			tap_ok(witness_ok(w), "%u descriptors of any pattern", n + 1);
	}
	survived(vgpu, w, "random descriptors");
}

static void submit_state(struct context *ctx)
{
	struct engine *e = ctx->engine;

	engine_elsp(e, context_desc(ctx), 0);
	settle(e);
}

static void bad_images(struct vgpu *vgpu, struct witness *w)
{
	struct context ctx;
	u32 e;

	vgpu_reset(vgpu);
	for (e = 0; e < VGPU_NR_ENGINES; e++) {
		u64 end = GEN_LOW_GM_SIZE + vgpu->high_size;
		const u64 places[] = {
			0, vgpu->low_size - PAGE_SIZE, vgpu->low_size, GEN_LOW_GM_SIZE - PAGE_SIZE,
			GEN_LOW_GM_SIZE + MB(200), end - PAGE_SIZE, end, end + MB(64),
			0xf0000000, 0xfffff000,
		};
		u32 i;

		context_init(&ctx, vgpu, e, NULL);
		request_begin(&ctx);
		request_end(&ctx);
		context_commit(&ctx);
		for (i = 0; i < ARRAY_SIZE(places); i++) {
			ctx.image_ggtt = places[i];
			submit_state(&ctx);
		}
		/* Over the status page, the ring, the page tables. */
		ctx.image_ggtt = ctx.engine->hwsp_ggtt;
		submit_state(&ctx);
		ctx.image_ggtt = ctx.ring_ggtt;
		submit_state(&ctx);
		ctx.image_ggtt = ggtt_bind(vgpu, ctx.ppgtt->root, 1);
		submit_state(&ctx);
		tap_ok(witness_ok(w), "%s: context images at bad addresses",
		       engine_infos[e].name);
	}
	survived(vgpu, w, "context images at bad addresses");
}

/* Each register of a context's state in turn. */
static void bad_fields(struct vgpu *vgpu, struct witness *w)
{
	static const u32 values[] = { ~0u, 0, 1, 0x80000000, 0x0fffffff, 0x10000000, 0xdeadbeec };
	static const u32 fields[] = {
		LRC_CONTEXT_CONTROL, LRC_RING_HEAD, LRC_RING_TAIL, LRC_RING_START, LRC_RING_CTL,
		LRC_BB_ADDR_UDW, LRC_BB_ADDR, LRC_BB_STATE, LRC_SBB_ADDR_UDW, LRC_SBB_ADDR,
		LRC_SBB_STATE, LRC_BB_PER_CTX_PTR, LRC_INDIRECT_CTX, LRC_INDIRECT_CTX_OFFSET,
		LRC_CTX_TIMESTAMP, LRC_PDP_UDW(0), LRC_PDP_LDW(0), LRC_PDP_UDW(3),
		LRC_PDP_LDW(3), LRC_PWR_CLK_STATE, LRC_LRI0, LRC_LRI1, LRC_LRI2,
	};
	struct context ctx;
	u32 e, f, v;

	vgpu_reset(vgpu);
	for (e = 0; e < 2; e++) {
		context_init(&ctx, vgpu, e, NULL);
		request_begin(&ctx);
		request_end(&ctx);
		context_commit(&ctx);
		for (f = 0; f < ARRAY_SIZE(fields); f++) {
			u32 good = ctx.state[fields[f]];

			for (v = 0; v < ARRAY_SIZE(values); v++) {
				ctx.state[fields[f]] = values[v];
				submit_state(&ctx);
				context_commit(&ctx);
				ctx.state[LRC_RING_HEAD] = 0;
			}
			ctx.state[fields[f]] = good;
			/* The guest may write register offsets in the image as well. */
			good = ctx.state[fields[f] - 1];
			ctx.state[fields[f] - 1] = GEN_GDRST;
			submit_state(&ctx);
			ctx.state[fields[f] - 1] = good;
		}
		tap_ok(witness_ok(w), "%s: bad values in every field of a context",
		       engine_infos[e].name);
	}
	survived(vgpu, w, "bad context fields");
}

static void random_states(struct vgpu *vgpu, struct witness *w)
{
	struct context ctx;
	u32 n, i;

	vgpu_reset(vgpu);
	for (n = 0; n < NR_STATES; n++) {
		u32 e = n % VGPU_NR_ENGINES;

		if (n % 50 == 0)
			vgpu_reset(vgpu);
		context_init(&ctx, vgpu, e, NULL);
		for (i = 0; i < PAGE_SIZE / 4; i++)
			if (rng_below(&rng, 4) <= n % 4)
				ctx.state[i] = rng_u64(&rng);
		submit_state(&ctx);
	}
	survived(vgpu, w, "random context images");
}

/* The engine part of an image: lists of registers of other engines. */
static void bad_engine_state(struct vgpu *vgpu, struct witness *w)
{
	static const u32 regs[] = {
		GEN_GDRST, GEN_MASTER_IRQ, GEN_GFX_FLSH_CNTL, GEN_FENCE_LO(0),
		GEN_RCS0_BASE + RING_ELSP, GEN_BCS0_BASE + RING_ELSP,
		GEN_RCS0_BASE + RING_HWS_PGA, GEN_RCS0_BASE + RING_MODE,
		GEN_RCS0_BASE + RING_RESET_CTL, GEN_TLB_INV_RCS, GEN_PAT_LO,
		GEN_RCS0_BASE + RING_FORCE_TO_NONPRIV(0),
	};
	struct context ctx;
	u32 e, i, n;

	vgpu_reset(vgpu);
	for (e = 0; e < VGPU_NR_ENGINES; e++) {
		for (n = 0; n < 4; n++) {
			context_init(&ctx, vgpu, e, NULL);
			context_keep_state(&ctx);
			i = LRC_RING_CONTEXT_DWORDS;
			ctx.state[i++] = MI_CMD(OP_MI_LOAD_REGISTER_IMM) |
					 (2 * ARRAY_SIZE(regs) - 1);
			while (i < LRC_RING_CONTEXT_DWORDS + 2 * ARRAY_SIZE(regs)) {
				ctx.state[i] = regs[(i - LRC_RING_CONTEXT_DWORDS) / 2];
				ctx.state[i + 1] = n & 1 ? ~0u : rng_u64(&rng);
				i += 2;
			}
			/* Or a list that crosses the end of the image. */
			if (n & 2)
				for (; i < PAGE_SIZE / 4; i++)
					ctx.state[i] = MI_CMD(OP_MI_LOAD_REGISTER_IMM) | 0xff;
			request_begin(&ctx);
			request_end(&ctx);
			context_commit(&ctx);
			submit_state(&ctx);
		}
	}
	survived(vgpu, w, "foreign registers in a context image");
}

static void bad_rings(struct vgpu *vgpu, struct witness *w)
{
	struct context ctx;
	u32 e, n;

	vgpu_reset(vgpu);
	for (e = 0; e < VGPU_NR_ENGINES; e++) {
		context_init(&ctx, vgpu, e, NULL);
		for (n = 0; n < 60; n++) {
			u32 pages = rng_below(&rng, 512);

			ctx.state[LRC_RING_CTL] = pages << 12 | (n & 1);
			ctx.state[LRC_RING_START] = n % 3 ? rng_u64(&rng) : ctx.ring_ggtt;
			ctx.state[LRC_RING_HEAD] = n % 5 ? rng_u64(&rng) : 0;
			ctx.state[LRC_RING_TAIL] = rng_u64(&rng);
			submit_state(&ctx);
		}
		tap_ok(witness_ok(w), "%s: rings at any address", engine_infos[e].name);
	}
	survived(vgpu, w, "rings at any address");
}

/* Status pages at any address: events are dropped, or go to the guest's address. */
static void bad_status_pages(struct vgpu *vgpu, struct witness *w)
{
	struct context ctx;
	u32 e, n;

	vgpu_reset(vgpu);
	for (e = 0; e < VGPU_NR_ENGINES; e++) {
		context_init(&ctx, vgpu, e, NULL);
		for (n = 0; n < 30; n++) {
			engine_write(ctx.engine, RING_HWS_PGA, n ? rng_u64(&rng) : ~0u);
			request_begin(&ctx);
			request_end(&ctx);
			context_commit(&ctx);
			engine_elsp(ctx.engine, context_desc(&ctx), 0);
			sleep_us(500);
		}
		settle(ctx.engine);
	}
	survived(vgpu, w, "status pages at any address");
}

/* A context in memory that changes while the module uses it. */
static void changing_state(struct vgpu *vgpu, struct witness *w)
{
	struct context ctx;
	u64 end = now_us() + 2000000;
	u32 n = 0;

	vgpu_reset(vgpu);
	context_init(&ctx, vgpu, RCS, NULL);
	while (now_us() < end) {
		u32 i;

		request_begin(&ctx);
		request_end(&ctx);
		context_commit(&ctx);
		engine_elsp(ctx.engine, context_desc(&ctx), 0);
		for (i = 0; i < 50; i++)
			WRITE_ONCE(ctx.state[rng_below(&rng, PAGE_SIZE / 4)], rng_u64(&rng));
		ggtt_set(vgpu, ctx.image_ggtt + PAGE_SIZE, n++ & 1 ? 0 : ~0ULL);
		ggtt_flush(vgpu);
		ggtt_map(vgpu, ctx.image_ggtt, ctx.image, 2);
	}
	tap_diag("%u submissions", n);
	survived(vgpu, w, "a context that changes concurrently");
}

/* Notifications with any value. */
static void bad_notifications(struct vgpu *vgpu, struct witness *w)
{
	u32 n;

	vgpu_reset(vgpu);
	for (n = 0; n < 3000; n++) {
		mmio_write_width(vgpu, PVINFO_BASE + PVINFO_O_PDP(n % 4), 8, rng_u64(&rng));
		mmio_write_width(vgpu, PVINFO_BASE + PVINFO_O_CONTEXT_DESC_LO, 8, rng_u64(&rng));
		mmio_write(vgpu, PVINFO_BASE + PVINFO_O_G2V_NOTIFY,
			   n % 3 ? rng_below(&rng, 9) : rng_u64(&rng));
	}
	survived(vgpu, w, "random notifications");
}

int main(void)
{
	struct witness w;
	struct vgpu *vgpu;

	vgpu_test_init(550);
	witness_init(&w);
	no_setup(&w);
	vgpu = vgpu_new(MDEV_TYPE_SMALL);
	bad_images(vgpu, &w);
	bad_fields(vgpu, &w);
	bad_rings(vgpu, &w);
	bad_status_pages(vgpu, &w);
	bad_engine_state(vgpu, &w);
	random_states(vgpu, &w);
	changing_state(vgpu, &w);
	bad_notifications(vgpu, &w);
	random_descriptors(vgpu, &w);
	vgpu_free(vgpu);
	witness_free(&w);
	return vgpu_test_done();
}
