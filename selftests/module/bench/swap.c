// SPDX-License-Identifier: GPL-2.0
/*
 * The cost of a limit of pinned memory: while it is not reached, for two vGPUs that use more than
 * fits, in turns or all the time, and for one that needs memory that another has left unused.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "clock.h"
#include "counters.h"
#include "gpu.h"
#include "space.h"
#include "tap.h"
#include "vgpu.h"

#define MAX_MB		48u
/* Two of these fit. */
#define HALF_PAGES	5800u
#define SMALL_PAGES	256u
#define REQUESTS	2000u
#define TURNS		20u
#define BUSY_US		8000000u
#define UNUSED_US	5000000u
#define WAIT_MS		20000

static void set_max(const char *mb)
{
	if (gpu_attr_set("pinned_max_mb", mb))
		tap_die("no limit");
}

static void set_max_mb(u32 mb)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", mb);
	set_max(text);
}

/* Return: how long a request took, us. */
static u64 run(struct space *s, u32 value)
{
	u32 seqno = space_submit(s, value);
	u64 began = now_us(), took;

	if (!request_wait(&s->ctx, seqno, WAIT_MS))
		tap_die("a request does not complete");
	took = now_us() - began;
	if (!engine_wait_idle(s->ctx.engine, WAIT_MS) || !space_has(s, value))
		tap_die("a request has no result");
	return took;
}

static double mean_us(struct space *s)
{
	u64 sum = 0;
	u32 i;

	for (i = 0; i < REQUESTS; i++)
		sum += run(s, i);
	return (double)sum / REQUESTS;
}

/* One run with the limit far away, and one with it as near as it may be. */
static void measure_fit(void)
{
	struct vgpu *vgpu = vgpu_new(MDEV_TYPE_SMALL);
	double far, near;
	struct space s;

	space_init(&s, vgpu, HALF_PAGES);
	set_max("16777216");
	run(&s, 0);
	far = mean_us(&s);
	set_max_mb(counters_pins(vgpu) / 256 + 1);
	near = mean_us(&s);
	printf("request, no limit in reach           %10.1f us\n", far);
	printf("request, no more may be pinned       %10.1f us\n", near);
	vgpu_free(vgpu);
}

/**
 * struct busy - a vGPU that uses all of its memory, all the time
 * @s: what it uses
 * @until: when it ends, us
 * @requests: how many it made
 * @longest: the longest one, us
 */
struct busy {
	struct space s;
	u64 until;
	u32 requests;
	u64 longest;
};

static void *run_busy(void *arg)
{
	struct busy *b = arg;

	while (now_us() < b->until) {
		u64 took = run(&b->s, ++b->requests);

		b->longest = took > b->longest ? took : b->longest;
	}
	return NULL;
}

static void begin(struct busy *b, u64 us)
{
	b->until = now_us() + us;
	b->requests = 0;
	b->longest = 0;
}

static void run_both(struct busy *b, u64 us)
{
	pthread_t thread;

	begin(&b[0], us);
	begin(&b[1], us);
	if (pthread_create(&thread, NULL, run_busy, &b[1]))
		tap_die("no thread");
	run_busy(&b[0]);
	pthread_join(thread, NULL);
}

/* The first request of a vGPU after the other one has run, while the limit is as given. */
static double mean_turn_ms(struct busy *b)
{
	u64 sum = 0;
	u32 i;

	run(&b[0].s, 0);
	run(&b[1].s, 0);
	for (i = 0; i < TURNS; i++)
		sum += run(&b[i % 2].s, i);
	return (double)sum / TURNS / 1000;
}

/* Two vGPUs that together use @per_cent of what may be pinned. */
static void measure_pair(u32 per_cent)
{
	struct busy b[2];
	double turn;
	u64 waits;
	u32 i;

	for (i = 0; i < 2; i++)
		space_init(&b[i].s, vgpu_new(MDEV_TYPE_SMALL), HALF_PAGES * per_cent / 100);
	set_max_mb(MAX_MB);
	turn = mean_turn_ms(b);
	waits = counters_number(b[0].s.ctx.vgpu, "state", "waits_for_room");
	run_both(b, BUSY_US);
	waits = counters_number(b[0].s.ctx.vgpu, "state", "waits_for_room") - waits;
	printf("%3u %% %12.1f %12u %12u %12llu %12llu %8llu\n", per_cent, turn, b[0].requests,
	       b[1].requests, (unsigned long long)b[0].longest / 1000,
	       (unsigned long long)b[1].longest / 1000, (unsigned long long)waits);
	for (i = 0; i < 2; i++)
		vgpu_free(b[i].s.ctx.vgpu);
}

/* A vGPU needs memory that another one has not used for long, beside one that is busy. */
static void measure_newcomer(void)
{
	struct busy busy;
	struct space idle, more;
	pthread_t thread;
	double free_ms, idle_ms;
	u64 alone;

	space_init(&busy.s, vgpu_new(MDEV_TYPE_SMALL), SMALL_PAGES);
	space_init(&idle, vgpu_new(MDEV_TYPE_SMALL), 2 * HALF_PAGES);
	space_init(&more, vgpu_new(MDEV_TYPE_SMALL), HALF_PAGES);
	set_max("16777216");
	free_ms = run(&more, 1) / 1000.0;
	vgpu_free(more.ctx.vgpu);
	space_init(&more, vgpu_new(MDEV_TYPE_SMALL), HALF_PAGES);
	set_max_mb(MAX_MB);
	run(&idle, 1);
	run(&busy.s, 1);
	begin(&busy, UNUSED_US);
	run_busy(&busy);
	alone = busy.longest;
	begin(&busy, UNUSED_US / 5);
	if (pthread_create(&thread, NULL, run_busy, &busy))
		tap_die("no thread");
	idle_ms = run(&more, 2) / 1000.0;
	pthread_join(thread, NULL);
	printf("first request, where memory is free  %10.1f ms\n", free_ms);
	printf("the same, where an idle vGPU has it  %10.1f ms\n", idle_ms);
	printf("longest request of a bystander       %10.1f ms, before that %.1f ms\n",
	       busy.longest / 1000.0, alone / 1000.0);
	vgpu_free(busy.s.ctx.vgpu);
	vgpu_free(idle.ctx.vgpu);
	vgpu_free(more.ctx.vgpu);
}

int main(void)
{
	static const u32 per_cent[] = { 100, 120, 150, 190 };
	u32 i;

	vgpu_test_init(900);
	measure_fit();
	measure_newcomer();
	printf("\n%u MB may be pinned; two vGPUs use\n", MAX_MB);
	printf("       first, ms     requests     requests  longest, ms  longest, ms    waits\n");
	for (i = 0; i < ARRAY_SIZE(per_cent); i++)
		measure_pair(per_cent[i]);
	return 0;
}
