// SPDX-License-Identifier: GPL-2.0
/*
 * The cost of a limit of pinned memory: while it is not reached; for one vGPU that needs memory
 * that another has left unused; and, by policy, for two that use more than fits, alternately or
 * all the time.
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
#define SPACES		4u
#define REQUESTS	2000u
#define ROUNDS		20u
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
 * struct busy - a vGPU that uses its address spaces one after the other, all the time
 * @s: the address spaces
 * @count: how many
 * @until: when it ends, us
 * @requests: how many it made
 * @longest: the longest one, us
 */
struct busy {
	struct space s[SPACES];
	u32 count;
	u64 until;
	u32 requests;
	u64 longest;
};

static void busy_init(struct busy *b, u32 count, u32 pages)
{
	struct vgpu *vgpu = vgpu_new(MDEV_TYPE_SMALL);
	u32 i;

	b->count = count;
	b->requests = 0;
	for (i = 0; i < count; i++)
		space_init(&b->s[i], vgpu, pages / count);
}

static struct vgpu *busy_vgpu(const struct busy *b)
{
	return b->s[0].ctx.vgpu;
}

static u64 run_next(struct busy *b)
{
	struct space *s = &b->s[b->requests++ % b->count];

	return run(s, b->requests);
}

static void *run_busy(void *arg)
{
	struct busy *b = arg;

	while (now_us() < b->until) {
		u64 took = run_next(b);

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

/* A request, and the next one is the other vGPU's, while the limit is as given. */
static double mean_alternate_ms(struct busy *b)
{
	u64 sum = 0;
	u32 i;

	for (i = 0; i < 4 * SPACES; i++)
		run_next(&b[i % 2]);
	for (i = 0; i < ROUNDS; i++)
		sum += run_next(&b[i % 2]);
	return (double)sum / ROUNDS / 1000;
}

static u64 reclaimed_pages(const struct busy *b)
{
	return counters_number(busy_vgpu(&b[0]), "state", "reclaimed_pages") +
	       counters_number(busy_vgpu(&b[1]), "state", "reclaimed_pages");
}

/* Two vGPUs that together use @per_cent of what may be pinned, by a policy. */
static void measure_pair(const char *policy, u32 per_cent)
{
	struct busy b[2];
	double alternate;
	u64 pages;
	u32 i;

	set_max("16777216");
	if (!gpu_attr_offers("reclaim", policy) || gpu_attr_set("reclaim", policy))
		return;
	for (i = 0; i < 2; i++)
		busy_init(&b[i], SPACES, HALF_PAGES * per_cent / 100);
	set_max_mb(MAX_MB);
	alternate = mean_alternate_ms(b);
	pages = reclaimed_pages(b);
	run_both(b, BUSY_US);
	pages = reclaimed_pages(b) - pages;
	printf("%3u %%  %-8s %12.1f %12u %12u %12llu %12llu %10.0f\n", per_cent, policy, alternate,
	       b[0].requests, b[1].requests, (unsigned long long)b[0].longest / 1000,
	       (unsigned long long)b[1].longest / 1000,
	       (double)pages / (b[0].requests + b[1].requests));
	for (i = 0; i < 2; i++)
		vgpu_free(busy_vgpu(&b[i]));
}

/* The time of a request, beside a vGPU that runs all the time. */
static double run_beside(struct space *s, u32 value, struct busy *busy)
{
	pthread_t thread;
	double ms;

	begin(busy, UNUSED_US / 5);
	if (pthread_create(&thread, NULL, run_busy, busy))
		tap_die("no thread");
	ms = run(s, value) / 1000.0;
	pthread_join(thread, NULL);
	return ms;
}

/* A vGPU needs memory that another one has not used for long, beside one that is busy. */
static void measure_newcomer(void)
{
	struct busy busy;
	struct space idle, more;
	double free_ms, idle_ms;
	u64 alone;

	busy_init(&busy, 1, SMALL_PAGES);
	run_next(&busy);
	space_init(&idle, vgpu_new(MDEV_TYPE_SMALL), 2 * HALF_PAGES);
	space_init(&more, vgpu_new(MDEV_TYPE_SMALL), HALF_PAGES);
	set_max("16777216");
	free_ms = run_beside(&more, 1, &busy);
	vgpu_free(more.ctx.vgpu);
	space_init(&more, vgpu_new(MDEV_TYPE_SMALL), HALF_PAGES);
	set_max_mb(MAX_MB);
	run(&idle, 1);
	run_next(&busy);
	begin(&busy, UNUSED_US);
	run_busy(&busy);
	alone = busy.longest;
	idle_ms = run_beside(&more, 2, &busy);
	printf("first request, where memory is free  %10.1f ms\n", free_ms);
	printf("the same, where an idle vGPU has it  %10.1f ms\n", idle_ms);
	printf("longest request of a bystander       %10.1f ms, before that %.1f ms\n",
	       busy.longest / 1000.0, alone / 1000.0);
	vgpu_free(busy_vgpu(&busy));
	vgpu_free(idle.ctx.vgpu);
	vgpu_free(more.ctx.vgpu);
}

int main(void)
{
	static const char *const policies[] = { "cold", "quota", "gpuswap" };
	static const u32 per_cent[] = { 100, 120, 150, 190, 250 };
	u32 i, k;

	vgpu_test_init(900);
	measure_fit();
	measure_newcomer();
	printf("\n%u MB may be pinned; two vGPUs use, in %u address spaces each\n", MAX_MB, SPACES);
	printf("%5s  %-8s %12s %12s %12s %12s %12s %10s\n", "", "policy", "request, ms",
	       "requests", "requests", "longest, ms", "longest, ms", "unpinned");
	for (i = 0; i < ARRAY_SIZE(per_cent); i++)
		for (k = 0; k < ARRAY_SIZE(policies); k++)
			measure_pair(policies[k], per_cent[i]);
	return 0;
}
