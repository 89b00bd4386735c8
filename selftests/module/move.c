// SPDX-License-Identifier: GPL-2.0
/* Another place in the physical GGTT: invisible to the guest. */
#include <errno.h>
#include <stdio.h>

#include <gen/pvinfo.h>

#include "clock.h"
#include "context.h"
#include "counters.h"
#include "file.h"
#include "ggtt.h"
#include "guard.h"
#include "rng.h"
#include "tap.h"
#include "vgpu.h"

#define NR_PAGES	32

#define NR_LOW		3	/* low slots from 1; 0 is the host's */
#define NR_HIGH		50	/* at least */

static int move_to(struct vgpu *vgpu, u32 low, u32 high)
{
	char path[MDEV_PATH_MAX], text[32];

	if (!counters_vgpu_path(path, vgpu, "move"))
		return -1;
	snprintf(text, sizeof(text), "%u %u", low, high);
	return file_write(path, text);
}

/* Somewhere; most places are free. */
static bool move(struct vgpu *vgpu)
{
	static struct rng rng = { 9 };
	u32 i;

	for (i = 0; i < 200; i++)
		if (!move_to(vgpu, 1 + rng_below(&rng, NR_LOW), rng_below(&rng, NR_HIGH)))
			return true;
	return false;
}

static bool add_one(struct context *ctx, u64 addr, u32 value)
{
	u32 seqno;

	request_begin(ctx);
	cs_store(&ctx->ring, GGTT, addr, value);
	cs_lri(&ctx->ring, ctx->engine->info->base + CONTEXT_GPR, value);
	seqno = request_end(ctx);
	return request_run(ctx, seqno);
}

int main(void)
{
	struct vgpu *vgpu, *blocker;
	struct context ctx[VGPU_NR_ENGINES];
	char path[MDEV_PATH_MAX];
	u64 gpa, low, high;
	u32 i, e, bad = 0, moved = 0;

	vgpu_test_init(200);
	blocker = vgpu_new(MDEV_TYPE_SMALL);
	vgpu = vgpu_new(MDEV_TYPE_SMALL);
	if (!counters_vgpu_path(path, vgpu, "move")) {
		vgpu_free(vgpu);
		vgpu_free(blocker);
		tap_skip_all("the module has no debugfs file to move a vGPU");
	}
	gpa = ram_alloc(&vgpu->ram, NR_PAGES);
	low = ggtt_bind_low(vgpu, gpa, NR_PAGES);
	high = ggtt_bind(vgpu, gpa, NR_PAGES);
	for (e = 0; e < VGPU_NR_ENGINES; e++)
		context_init(&ctx[e], vgpu, e, NULL);
	for (e = 0; e < VGPU_NR_ENGINES; e++) {
		bad += !add_one(&ctx[e], high, e);
		context_keep_state(&ctx[e]);
	}
	tap_eq(bad, 0, "work before the move");
	tap_ok(move_to(vgpu, 0, 0), "not to the host's slot");
	tap_ok(move_to(vgpu, 4, 0), "not to a low slot that is not there");
	tap_ok(move_to(vgpu, 1, 60), "not to the host's high memory");
	tap_ok(move_to(vgpu, 1, ~0u), "not to a high slot that is not there");
	tap_ok(move_to(vgpu, ~0u, ~0u), "not anywhere");

	for (i = 0; i < 20; i++) {
		/* The slots of the one that goes become those of the one that moves. */
		if (i == 10)
			vgpu_free(blocker);
		moved += move(vgpu);
		for (e = 0; e < VGPU_NR_ENGINES; e++) {
			u32 value = i << 8 | e, word = 0;
			u64 at = (e * 8 + i % 8) * PAGE_SIZE + 64;

			bad += i && !context_gpr_is(&ctx[e], (i - 1) << 8 | e);
			bad += !add_one(&ctx[e], (i & 1 ? low : high) + at, value);
			bad += ram_read32(&vgpu->ram, gpa + at) != value;
			guard_read32(vgpu->aperture + low + at, &word);
			bad += word != value;
		}
	}
	tap_eq(moved, 20, "moved 20 times");
	tap_eq(bad, 0, "contexts, memory and aperture are what they were");
	tap_eq(mmio_read(vgpu, PVINFO_BASE + PVINFO_O_LOW_BASE), 0, "low memory is where it was");
	tap_eq(mmio_read(vgpu, PVINFO_BASE + PVINFO_O_HIGH_BASE), GEN_LOW_GM_SIZE,
	       "high memory is where it was");
	tap_ok(ram_canary_intact(&vgpu->ram), "no stray write");
	tap_ok(vgpu_works(vgpu), "it works after a reset");
	vgpu_free(vgpu);
	return vgpu_test_done();
}
