// SPDX-License-Identifier: GPL-2.0
/*
 * The host writes a context's new tail to its image and then submits the context. In between, the
 * hardware loads the context for the previous submission: it executes all requests, completes, and
 * then loads the context once more for the new submission. The memory that this load needs (page
 * tables, memory that the workaround batch accesses) must be kept until the second completion:
 * sched_retire() warns if it is not.
 */
#include "clock.h"
#include "context.h"
#include "model.h"
#include "tap.h"
#include "vgpu.h"
#include "witness.h"

static void check(struct vgpu *vgpu, struct witness *w, u32 engine)
{
	const char *name = engine_infos[engine].name;
	u64 resets = model_engine_counter(name, "resets");
	u32 first, second;
	struct context ctx;

	context_init(&ctx, vgpu, engine, NULL);
	model_inject("load-late", name, 1);
	request_begin(&ctx);
	first = request_end(&ctx);
	context_submit(&ctx);
	tap_ok(wait_for(!model_injections("load-late", name), SOON_MS),
	       "%s: reports a context that it has not loaded yet", name);
	tap_ok(!request_started(&ctx, first), "%s: the request has not started", name);
	request_begin(&ctx);
	second = request_end(&ctx);
	context_submit(&ctx);
	tap_ok(request_wait(&ctx, second, SOON_MS) && engine_wait_idle(ctx.engine, SOON_MS),
	       "%s: executes both requests", name);
	tap_ok(model_engine_counter(name, "resets") == resets, "%s: is not reset", name);
	survived(vgpu, w, name);
}

int main(void)
{
	struct vgpu *vgpu;
	struct witness w;
	u64 value;
	u32 i;

	vgpu_test_init(120);
	if (!model_get("load-late-rcs0", &value))
		tap_skip_all("no GPU model");
	witness_init(&w);
	vgpu = vgpu_new(MDEV_TYPE_SMALL);
	for (i = 0; i < VGPU_NR_ENGINES; i++)
		check(vgpu, &w, i);
	vgpu_free(vgpu);
	witness_free(&w);
	return vgpu_test_done();
}
