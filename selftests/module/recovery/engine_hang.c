// SPDX-License-Identifier: GPL-2.0
/*
 * An engine that stops at some command and does not yield, not even where the context could be
 * preempted: the host resets it for the other vGPUs.
 */
#include "clock.h"
#include "context.h"
#include "model.h"
#include "tap.h"
#include "vgpu.h"
#include "witness.h"

static void check_hang(struct vgpu *vgpu, struct witness *w, u32 engine, u64 nth)
{
	struct engine *e = &vgpu->engines[engine];
	const char *name = e->info->name;
	struct context ctx, next;
	struct spinner spin;
	u64 resets;
	u32 seqno;

	context_init(&ctx, vgpu, engine, NULL);
	context_init(&next, vgpu, engine, NULL);
	spinner_init(&spin, &ctx, true);
	seqno = spinner_request_arb(&spin, &ctx);
	resets = model_engine_counter(name, "resets");
	model_inject("hang", name, nth);
	context_submit(&ctx);
	tap_ok(wait_for(!model_injections("hang", name), SOON_MS), "%s: hangs at command %llu",
	       name, (unsigned long long)nth);
	tap_ok(witness_ok(w), "%s: another vGPU makes progress", name);
	tap_ok(model_engine_counter(name, "resets") > resets, "%s: the host has reset the engine",
	       name);
	spinner_end(&spin);
	tap_ok(!request_done(&ctx, seqno), "%s: the request does not end", name);
	tap_ok(engine_reset(e), "%s: the guest resets its engine", name);
	request_begin(&next);
	tap_ok(request_run(&next, request_end(&next)), "%s: another context runs", name);
}

int main(void)
{
	/* In the ring before the batch, in the batch, and after many rounds of it. */
	static const u64 commands[] = { 1, 2, 5, 40 };
	struct vgpu *vgpu;
	struct witness w;
	u64 value;
	u32 i, n;

	vgpu_test_init(300);
	if (!model_get("hang-rcs0", &value))
		tap_skip_all("no GPU model");
	witness_init(&w);
	vgpu = vgpu_new(MDEV_TYPE_SMALL);
	for (i = 0; i < VGPU_NR_ENGINES; i++)
		for (n = 0; n < ARRAY_SIZE(commands); n++)
			check_hang(vgpu, &w, i, commands[n]);
	survived(vgpu, &w, "hung engines");
	vgpu_free(vgpu);
	witness_free(&w);
	return vgpu_test_done();
}
