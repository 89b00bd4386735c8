// SPDX-License-Identifier: GPL-2.0
#include "ggtt.h"
#include "roamer.h"
#include "tap.h"

#define WORDS	(ROAMER_PAGES * PAGE_SIZE / 4)
/* The rest of 384 MB, in units of 64 KB. */
#define UNITS	5500

static u32 word(u32 i)
{
	return 0x90a30000 ^ i * 0x9e3779b1;
}

void roamer_init(struct roamer *r)
{
	struct vgpu *vgpu = vgpu_new(MDEV_TYPE_SMALL);
	u32 i;

	r->vgpu = vgpu;
	for (i = 0; i < VGPU_NR_ENGINES; i++)
		context_init(&r->ctx[i], vgpu, i, NULL);
	r->results = ram_alloc(&vgpu->ram, 1);
	r->results_ggtt = ggtt_bind(vgpu, r->results, 1);
	r->pages = ram_alloc(&vgpu->ram, ROAMER_PAGES);
	r->addr = ggtt_alloc(vgpu, ROAMER_PAGES * ROAMER_STEP);
	for (i = 0; i < ROAMER_PAGES; i++)
		ggtt_map(vgpu, r->addr + (u64)i * ROAMER_STEP * PAGE_SIZE,
			 r->pages + (u64)i * PAGE_SIZE, 1);
	r->nowhere = ggtt_alloc(vgpu, UNITS * 16);
	r->unit = 0;
	ggtt_flush(vgpu);
	for (i = 0; i < WORDS; i++)
		ram_write32(&vgpu->ram, r->pages + i * 4, word(i));
}

/* The word that a read of a round is at. */
static u32 look_at(u32 round, u32 look)
{
	return (round * ROAMER_LOOKS + look) * 2654435761u % WORDS;
}

static bool look(struct roamer *r, struct witness *w, u32 round)
{
	struct context *ctx = &r->ctx[round % VGPU_NR_ENGINES];
	u32 i, at, seqno, value;

	request_begin(ctx);
	for (i = 0; i < ROAMER_LOOKS; i++) {
		at = look_at(round, i);
		ram_write32(&r->vgpu->ram, r->results + i * 4, 0);
		cs_copy(&ctx->ring, GGTT, r->results_ggtt + i * 4,
			r->addr + (u64)(at / (PAGE_SIZE / 4)) * ROAMER_STEP * PAGE_SIZE +
			at % (PAGE_SIZE / 4) * 4);
	}
	for (i = 0; i < ROAMER_STORES; i++, r->unit = (r->unit + 1) % UNITS)
		cs_store(&ctx->ring, GGTT, r->nowhere + (u64)r->unit * 16 * PAGE_SIZE, i);
	seqno = request_end(ctx);
	context_submit(ctx);
	if (!witness_wait(w, ctx, seqno))
		return false;
	for (i = 0; i < ROAMER_LOOKS; i++) {
		at = look_at(round, i);
		value = ram_read32(&r->vgpu->ram, r->results + i * 4);
		if (value == word(at))
			continue;
		tap_diag("%s: word %#x all over graphics memory is %#x, not %#x",
			 ctx->engine->info->name, at, value, word(at));
		return false;
	}
	return !ctx->engine->bad;
}

static bool intact(struct roamer *r)
{
	u32 i, value;

	for (i = 0; i < WORDS; i++) {
		value = ram_read32(&r->vgpu->ram, r->pages + i * 4);
		if (value == word(i))
			continue;
		tap_diag("word %#x all over graphics memory was changed to %#x", i, value);
		return false;
	}
	return true;
}

bool roamer_ok(struct roamer *r, struct witness *w, u32 round)
{
	return look(r, w, round) && intact(r) && ram_canary_intact(&r->vgpu->ram);
}

void roamer_free(struct roamer *r)
{
	vgpu_free(r->vgpu);
}
