// SPDX-License-Identifier: GPL-2.0
/*
 * User interrupts: the rate at which a guest can interrupt the host, and their delivery.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "context.h"
#include "tap.h"
#include "vgpu.h"
#include "witness.h"

#define BATCH_ADDR	0x600000000000ULL
#define RUN_US		2000000
/* Per engine: 4000 a second, bursts, and those of context switches. */
#define MAX_RATE	4500

/* The number of GPU interrupts that the host's processors have handled. */
static u64 host_interrupts(void)
{
	char line[4096];
	u64 sum = 0;
	FILE *f = fopen("/proc/interrupts", "r");

	if (!f)
		tap_die("no /proc/interrupts");
	while (fgets(line, sizeof(line), f)) {
		char *p = strchr(line, ':'), *end;

		if (!strstr(line, "gslot") || !p)
			continue;
		for (p++;; p = end) {
			u64 n = strtoull(p, &end, 10);

			if (end == p)
				break;
			sum += n;
		}
	}
	fclose(f);
	return sum;
}

/* An endless, preemptible batch that only executes @dw. */
static void loop_batch(struct context *ctx, struct vgpu *vgpu, u32 engine, u32 dw)
{
	u64 gpa = ram_alloc(&vgpu->ram, 1);
	struct cs cs;
	u32 seqno;

	context_init(ctx, vgpu, engine, NULL);
	ppgtt_map(ctx->ppgtt, BATCH_ADDR, gpa, 1);
	cs_init(&cs, ram_ptr(&vgpu->ram, gpa), PAGE_SIZE);
	while (cs.pos < 256)
		cs_dw(&cs, dw);
	cs_arb_check(&cs);
	cs_batch(&cs, PPGTT, BATCH_ADDR);
	request_begin(ctx);
	request_batch(ctx, BATCH_ADDR);
	seqno = request_end(ctx);
	context_submit(ctx);
	tap_ok(request_wait_started(ctx, seqno, SOON_MS), "%s: an endless batch",
	       ctx->engine->info->name);
}

/*
 * Interrupts of the host per second while the first @count engines execute such batches. A slow
 * host limits the total, so with more engines each has fewer: a single engine shows the bound best.
 */
static u32 storm_rate(struct vgpu *bad, u32 count)
{
	struct context ctx[VGPU_NR_ENGINES];
	u64 before, came, t0;
	u32 i, rate;

	for (i = 0; i < count; i++)
		loop_batch(&ctx[i], bad, i, MI_CMD(OP_MI_USER_INTERRUPT));
	/* The machine may stand still between two readings: then the rate is lower. */
	t0 = now_us();
	before = host_interrupts();
	sleep_us(RUN_US);
	came = host_interrupts() - before;
	rate = came * 1000000 / (now_us() - t0);
	tap_diag("%u interrupts a second", rate);
	return rate;
}

static void check_storm(struct vgpu *bad, struct witness *w, u32 count)
{
	u32 rate = storm_rate(bad, count), rounds = 0;
	u64 t0;

	tap_ok(rate > 0 && rate < count * MAX_RATE,
	       "%u engines: interrupts of the host are bounded", count);
	for (t0 = now_us(); now_us() - t0 < RUN_US; rounds++)
		if (!witness_ok(w))
			break;
	tap_ok(now_us() - t0 >= RUN_US && rounds, "another vGPU makes progress: %u rounds", rounds);
	tap_ok(irq_service(bad, SOON_MS), "the guest receives its interrupts");
	tap_ok(gdrst(bad, GDRST_FULL), "a reset of the vGPU ends the storm");
	tap_ok(vgpu_works(bad), "the vGPU works afterwards");
}

/* Interrupts that the guest masks do not interrupt the host. */
static void check_masked(struct vgpu *bad)
{
	struct context ctx;
	u64 before;
	u32 rate;

	loop_batch(&ctx, bad, BCS, MI_CMD(OP_MI_USER_INTERRUPT));
	engine_write(ctx.engine, RING_IMR, ~(GT_IRQ_CONTEXT_SWITCH << ctx.engine->info->irq_shift));
	before = host_interrupts();
	sleep_us(1000000);
	rate = host_interrupts() - before;
	tap_diag("%u interrupts a second", rate);
	tap_ok(rate < 100, "interrupts masked by the guest do not reach the host");
	tap_ok(gdrst(bad, GDRST_FULL), "a reset of the vGPU ends the storm");
	tap_ok(vgpu_works(bad), "the vGPU works afterwards");
}

/* Two busy guests in turn, without user interrupts. */
static void check_no_spurious(struct vgpu *a, struct vgpu *b)
{
	struct context ca, cb;
	u32 i, before[VGPU_NR_ENGINES];

	loop_batch(&ca, a, BCS, 0);
	loop_batch(&cb, b, BCS, 0);
	while (irq_service(a, 50))
		;
	for (i = 0; i < VGPU_NR_ENGINES; i++)
		before[i] = a->engines[i].user_irqs;
	sleep_us(1000000);
	while (irq_service(a, 50))
		;
	for (i = 0; i < VGPU_NR_ENGINES; i++)
		tap_eq(a->engines[i].user_irqs, before[i],
		       "%s: a switch of vGPUs delivers no spurious interrupts",
		       a->engines[i].info->name);
	gdrst(a, GDRST_FULL);
	gdrst(b, GDRST_FULL);
	tap_ok(vgpu_works(a) && vgpu_works(b), "both guests make progress");
}

int main(void)
{
	struct vgpu *a, *b;
	struct witness w;

	vgpu_test_init(120);
	a = vgpu_new(MDEV_TYPE_SMALL);
	witness_init(&w);
	check_storm(a, &w, 1);
	check_storm(a, &w, VGPU_NR_ENGINES);
	check_masked(a);
	witness_free(&w);
	b = vgpu_new(MDEV_TYPE_SMALL);
	check_no_spurious(a, b);
	vgpu_free(a);
	vgpu_free(b);
	return vgpu_test_done();
}
