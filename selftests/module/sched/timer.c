// SPDX-License-Identifier: GPL-2.0
/*
 * Timer interrupts of a GPU are 100 us apart at least, whatever policies ask for: under
 * reservations and with a vGPU that sleeps and wakes, which need many of them.
 */
#include "clock.h"
#include "context.h"
#include "counters.h"
#include "knob.h"
#include "spinning.h"
#include "tap.h"
#include "vgpu.h"

#define RUN_US		3000000
#define LEAST_GAP_NS	100000	/* SCHED_TIMER_GAP_NS */

/* One request after another, with sleeps from 0 to 7 ms. Return: how many. */
static u32 sleep_and_wake(struct vgpu *vgpu)
{
	u32 requests = 0, seqno;
	struct context ctx;
	u64 end;

	context_init(&ctx, vgpu, RCS, NULL);
	for (end = now_us() + RUN_US; now_us() < end; requests++) {
		request_begin(&ctx);
		seqno = request_end(&ctx);
		if (!request_run(&ctx, seqno))
			tap_die("request %u does not end", requests);
		sleep_us(1000 * (requests % 8));
	}
	return requests;
}

int main(void)
{
	u64 irqs, gap;
	struct spinning s[2];
	struct vgpu *vgpu;
	u32 requests;

	vgpu_test_init(60);
	vgpu = vgpu_new(MDEV_TYPE_SMALL);
	spinning_begin(&s[0]);
	spinning_begin(&s[1]);
	tap_eq(knob_set(vgpu->uuid, RESERVE, 200), 0, "a vGPU that sleeps and wakes reserves");
	tap_eq(knob_set(s[0].vgpu->uuid, RESERVE, 300), 0, "so does one of two that always work");
	irqs = counters_gpu_number("sched", "timer_irqs");
	requests = sleep_and_wake(vgpu);
	irqs = counters_gpu_number("sched", "timer_irqs") - irqs;
	gap = counters_gpu_number("sched", "timer_least_gap_ns");
	tap_diag("%u requests, %llu timer interrupts, the least distance is %llu ns", requests,
		 (unsigned long long)irqs, (unsigned long long)gap);
	tap_ok(irqs > RUN_US / 16000, "there is one in a quantum, or more");
	tap_ok(gap >= LEAST_GAP_NS, "they are 100 us apart, or more");
	tap_ok(spinning_end(&s[0]) && spinning_end(&s[1]), "the two go on");
	vgpu_free(vgpu);
	return vgpu_test_done();
}
