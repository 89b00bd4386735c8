// SPDX-License-Identifier: GPL-2.0
#include "clock.h"
#include "counters.h"
#include "ggtt.h"
#include "model.h"
#include "standstill.h"
#include "tap.h"
#include "witness.h"

static u32 word(u32 i)
{
	return 0x57170000 + i * 0x9e3779b1;
}

void witness_init(struct witness *w)
{
	u32 i;

	w->vgpu = vgpu_new(MDEV_TYPE_SMALL);
	w->round = 0;
	w->worst_us = 0;
	w->page = ram_alloc(&w->vgpu->ram, 1);
	for (i = 0; i < PAGE_SIZE / 4; i++)
		ram_write32(&w->vgpu->ram, w->page + i * 4, word(i));
	for (i = 0; i < VGPU_NR_ENGINES; i++)
		context_init(&w->ctx[i], w->vgpu, i, NULL);
	if (!witness_ok(w))
		tap_die("the witness does not work at the start");
}

bool witness_wait(struct witness *w, struct context *ctx, u32 seqno)
{
	u64 stood = standstill_us(), t0 = now_us(), took;

	/* The engine may have to be reset first, under another vGPU. */
	if (!request_wait(ctx, seqno, 15000) || !engine_wait_idle(ctx->engine, 15000)) {
		tap_diag("witness, %s: request not done", ctx->engine->info->name);
		counters_explain(w->vgpu);
		return false;
	}
	took = standstill_but_for(t0, stood);
	if (took > w->worst_us)
		w->worst_us = took;
	return true;
}

/* Check the register's value of the last round, and write a new one. */
static bool ask(struct witness *w, struct context *ctx)
{
	u32 gpr = ctx->engine->info->base + RING_GPR(7), seqno;

	request_begin(ctx);
	cs_srm(&ctx->ring, GGTT, gpr, context_slot(ctx, 50));
	cs_lri(&ctx->ring, gpr, w->round);
	seqno = request_end(ctx);
	context_submit(ctx);
	if (!witness_wait(w, ctx, seqno))
		return false;
	context_keep_state(ctx);
	if (w->round > 1 && engine_has_gprs(ctx->engine) &&
	    context_slot_value(ctx, 50) != w->round - 1) {
		tap_diag("witness, %s: register is %#x, not %#x", ctx->engine->info->name,
			 context_slot_value(ctx, 50), w->round - 1);
		return false;
	}
	return !ctx->engine->bad;
}

/* A use of a TLB entry after its PTE changed may have accessed another vGPU's memory. */
static bool no_stale_hits(struct witness *w)
{
	u64 hits, before = w->stale;

	if (w->tables_change || !model_stale_hits(&hits))
		return true;
	w->stale = hits;
	if (w->round == 1 || hits == before)
		return true;
	tap_diag("witness: %llu stale TLB hits", (unsigned long long)(hits - before));
	return false;
}

bool witness_ok(struct witness *w)
{
	bool ok = ram_canary_intact(&w->vgpu->ram);
	u32 i;

	w->round++;
	ok &= no_stale_hits(w);
	for (i = 0; i < VGPU_NR_ENGINES; i++)
		ok &= ask(w, &w->ctx[i]);
	for (i = 0; i < PAGE_SIZE / 4; i++) {
		if (ram_read32(&w->vgpu->ram, w->page + i * 4) == word(i))
			continue;
		tap_diag("witness: memory changed");
		return false;
	}
	return ok;
}

void witness_free(struct witness *w)
{
	vgpu_free(w->vgpu);
}

void survived(struct vgpu *vgpu, struct witness *w, const char *what)
{
	tap_ok(witness_ok(w), "%s: another vGPU is not affected", what);
	tap_ok(vgpu_works(vgpu), "%s: the vGPU works after a reset", what);
}
