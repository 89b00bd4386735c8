// SPDX-License-Identifier: GPL-2.0
/*
 * The time of a guest's work on an engine, by the module's accounting and by the GPU model's:
 * equal, however late the module learns of a completion.
 */
#include <unistd.h>

#include "clock.h"
#include "context.h"
#include "counters.h"
#include "model.h"
#include "tap.h"
#include "vgpu.h"

#define FOREVER		0xffffffffULL
#define REQUESTS	20
#define RUN_US		5000

static bool run_one(struct context *ctx)
{
	struct spinner spin;
	u32 seqno;

	spinner_init(&spin, ctx, true);
	seqno = spinner_request(&spin, ctx);
	context_submit(ctx);
	if (!request_wait_started(ctx, seqno, SOON_MS))
		return false;
	usleep(RUN_US);
	spinner_end(&spin);
	return request_wait(ctx, seqno, SOON_MS) && engine_wait_idle(ctx->engine, SOON_MS);
}

/*
 * What the engine did since @model and @module were read, when it was idle, is this vGPU's alone.
 * It may be at work now, and the machine stand still between two readings.
 */
static void compare(struct vgpu *vgpu, u32 engine, u64 model, u64 module, const char *when)
{
	const char *name = engine_infos[engine].name;
	u64 least = counters_busy(vgpu, engine) - module, most;

	model = model_engine_counter(name, "busy-ns") - model;
	most = counters_busy(vgpu, engine) - module;
	tap_diag("%s: busy for %llu us; counted: %llu to %llu us", name,
		 (unsigned long long)model / 1000, (unsigned long long)least / 1000,
		 (unsigned long long)most / 1000);
	tap_ok(least * 5 <= model * 6 && model * 4 <= most * 5,
	       "%s: the time it was busy is counted, %s", name, when);
}

static void check_engine(struct vgpu *vgpu, u32 engine, const char *when)
{
	struct context ctx;
	u64 model, module;
	u32 i, done = 0;

	context_init(&ctx, vgpu, engine, NULL);
	model = model_engine_counter(engine_infos[engine].name, "busy-ns");
	module = counters_busy(vgpu, engine);
	for (i = 0; i < REQUESTS; i++)
		done += run_one(&ctx);
	tap_eq(done, REQUESTS, "%s: requests run, %s", engine_infos[engine].name, when);
	compare(vgpu, engine, model, module, when);
}

/* Running work is accounted as well. */
static void check_running(struct vgpu *vgpu, u32 engine)
{
	struct context ctx;
	struct spinner spin;
	u64 model, module;
	u32 seqno;

	context_init(&ctx, vgpu, engine, NULL);
	spinner_init(&spin, &ctx, true);
	model = model_engine_counter(engine_infos[engine].name, "busy-ns");
	module = counters_busy(vgpu, engine);
	seqno = spinner_request(&spin, &ctx);
	context_submit(&ctx);
	tap_ok(request_wait_started(&ctx, seqno, SOON_MS), "an endless request runs");
	usleep(400000);
	compare(vgpu, engine, model, module, "while it runs");
	spinner_end(&spin);
	tap_ok(request_wait(&ctx, seqno, SOON_MS), "the endless request ends when told to");
}

int main(void)
{
	struct vgpu *vgpu;
	u64 value;
	u32 i;

	vgpu_test_init(200);
	if (!model_get("drop-interrupts", &value))
		tap_skip_all("no GPU model");
	vgpu = vgpu_new(MDEV_TYPE_SMALL);
	if (counters_busy(vgpu, RCS) == ~0ULL)
		tap_skip_all("no debugfs");
	for (i = 0; i < VGPU_NR_ENGINES; i++)
		check_engine(vgpu, i, "with interrupts");
	model_set("drop-interrupts", FOREVER);
	for (i = 0; i < VGPU_NR_ENGINES; i++)
		check_engine(vgpu, i, "with lost interrupts");
	model_set("drop-interrupts", 0);
	check_running(vgpu, RCS);
	tap_ok(vgpu_works(vgpu), "the vGPU works");
	vgpu_free(vgpu);
	return vgpu_test_done();
}
