// SPDX-License-Identifier: GPL-2.0
#include "fence.h"
#include "ggtt.h"
#include "guard.h"
#include "klog.h"
#include "tap.h"
#include "watch.h"

#define BATCH_ADDR	0x340000000000ULL
#define GUARD_ADDR	0x350000000000ULL
#define PITCH		2048u

static u32 word(u32 i)
{
	return 0x6a4d0000 ^ i * 0x85ebca6b;
}

static u64 page_of(u32 engine, u32 page)
{
	return (engine * 2 + page) * PAGE_SIZE;
}

void watch_init(struct watch *w)
{
	struct vgpu *vgpu;
	u32 i;

	witness_init(&w->witness);
	w->witness.tables_change = true;
	vgpu = w->witness.vgpu;
	w->rounds = 0;
	roamer_init(&w->roamer);
	w->guard = ram_alloc(&vgpu->ram, WATCH_PAGES);
	w->guard_low = ggtt_bind_low(vgpu, w->guard, WATCH_PAGES);
	w->guard_tiled = ggtt_bind_low(vgpu, w->guard, WATCH_PAGES);
	fence_set(vgpu, 0, &tilings[1], w->guard_tiled, WATCH_PAGES, PITCH);
	for (i = 0; i < WATCH_PAGES * PAGE_SIZE / 4; i++)
		ram_write32(&vgpu->ram, w->guard + i * 4, word(i));
	w->batch = ram_alloc(&vgpu->ram, 2 * VGPU_NR_ENGINES);
	for (i = 0; i < VGPU_NR_ENGINES; i++) {
		context_init(&w->ctx[i], vgpu, i, NULL);
		ppgtt_map(w->ctx[i].ppgtt, BATCH_ADDR, w->batch, 2 * VGPU_NR_ENGINES);
		ppgtt_map(w->ctx[i].ppgtt, GUARD_ADDR, w->guard, WATCH_PAGES);
	}
}

/* A batch that copies a word of the guarded pages, with a known result. */
static bool copy_by_batch(struct watch *w, u32 engine)
{
	struct context *ctx = &w->ctx[engine];
	struct ram *ram = &w->witness.vgpu->ram;
	u32 at = w->rounds * 2654435761u % (WATCH_PAGES * PAGE_SIZE / 4), seqno;
	u64 result = w->batch + page_of(engine, 1);
	struct cs cs;

	ram_write32(ram, result, 0);
	cs_init(&cs, ram_ptr(ram, w->batch + page_of(engine, 0)), PAGE_SIZE);
	cs_store(&cs, PPGTT, BATCH_ADDR + page_of(engine, 1) + 8, w->rounds);
	cs_copy(&cs, PPGTT, BATCH_ADDR + page_of(engine, 1), GUARD_ADDR + at * 4);
	cs_end(&cs);
	request_begin(ctx);
	request_batch(ctx, BATCH_ADDR + page_of(engine, 0));
	seqno = request_end(ctx);
	context_submit(ctx);
	if (!witness_wait(&w->witness, ctx, seqno))
		return false;
	if (ram_read32(ram, result) == word(at) && ram_read32(ram, result + 8) == w->rounds)
		return true;
	tap_diag("%s: a batch's results are %#x, %#x, not %#x, %#x", engine_infos[engine].name,
		 ram_read32(ram, result), ram_read32(ram, result + 8), word(at), w->rounds);
	return false;
}

/* Check the guarded word @at through the aperture. */
static bool aperture_intact(struct watch *w, u32 at)
{
	u32 value, tiled = tiled_offset(&tilings[1], PITCH, at * 4 % PITCH, at * 4 / PITCH) / 4;
	struct vgpu *vgpu = w->witness.vgpu;

	if (!guard_read32(vgpu->aperture + w->guard_low + at * 4, &value) || value != word(at)) {
		tap_diag("guarded word %#x is %#x in the aperture, not %#x", at, value, word(at));
		return false;
	}
	if (!guard_read32(vgpu->aperture + w->guard_tiled + at * 4, &value) ||
	    value != word(tiled)) {
		tap_diag("guarded word %#x is %#x through a fence, not %#x", tiled, value,
			 word(tiled));
		return false;
	}
	return true;
}

static bool guard_intact(struct watch *w)
{
	struct vgpu *vgpu = w->witness.vgpu;
	u32 i, value, at = w->rounds * 40503u % (WATCH_PAGES * PAGE_SIZE / 4);

	for (i = 0; i < WATCH_PAGES * PAGE_SIZE / 4; i++) {
		value = ram_read32(&vgpu->ram, w->guard + i * 4);
		if (value == word(i))
			continue;
		tap_diag("guarded word %#x is %#x, not %#x", i, value, word(i));
		return false;
	}
	return aperture_intact(w, at);
}

bool watch_ok(struct watch *w)
{
	w->rounds++;
	/* The kernel's log buffer is too small for a long run: check it now and then. */
	return witness_ok(&w->witness) && copy_by_batch(w, w->rounds % VGPU_NR_ENGINES) &&
	       guard_intact(w) && roamer_ok(&w->roamer, &w->witness, w->rounds) && klog_clean();
}

void watch_free(struct watch *w)
{
	roamer_free(&w->roamer);
	witness_free(&w->witness);
}
