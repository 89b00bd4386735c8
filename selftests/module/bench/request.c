// SPDX-License-Identifier: GPL-2.0
/* The time of a request that is waited for, without a guest. */
#include <stdio.h>

#include "clock.h"
#include "context.h"
#include "tap.h"
#include "vgpu.h"

#define WARM_UP		100u
#define REQUESTS	2000u
#define WAIT_MS		20000

/* Sums of times since the first write to ELSP, us. */
struct times {
	u64 written;	/* when the last of the four writes has returned */
	u64 interrupt;	/* when the user interrupt has arrived */
	u64 idle;	/* when the engine is idle */
};

static void wait_irq(struct vgpu *vgpu)
{
	if (!irq_service(vgpu, WAIT_MS))
		tap_die("no interrupt");
}

static void measure_one(struct context *ctx, struct times *times)
{
	struct engine *engine = ctx->engine;
	u64 began;
	u32 seqno;

	request_begin(ctx);
	seqno = request_end(ctx);
	began = now_us();
	context_submit(ctx);
	times->written += now_us() - began;
	while (!request_done(ctx, seqno))
		wait_irq(ctx->vgpu);
	times->interrupt += now_us() - began;
	while (engine_process(engine), engine->pending || engine->active)
		wait_irq(ctx->vgpu);
	times->idle += now_us() - began;
}

static void measure(struct vgpu *vgpu, u32 id)
{
	struct times times = { 0 };
	struct context ctx;
	u32 i;

	context_init(&ctx, vgpu, id, NULL);
	for (i = 0; i < WARM_UP; i++)
		measure_one(&ctx, &times);
	context_keep_state(&ctx);
	times = (struct times) { 0 };
	for (i = 0; i < REQUESTS; i++)
		measure_one(&ctx, &times);
	printf("%s: written %.1f us, interrupt %.1f us, idle %.1f us\n", ctx.engine->info->name,
	       (double)times.written / REQUESTS, (double)times.interrupt / REQUESTS,
	       (double)times.idle / REQUESTS);
}

int main(void)
{
	struct vgpu *vgpu;

	vgpu_test_init(250);
	vgpu = vgpu_new(MDEV_TYPE_SMALL);
	irq_start(vgpu);
	measure(vgpu, RCS);
	measure(vgpu, BCS);
	vgpu_free(vgpu);
	return 0;
}
