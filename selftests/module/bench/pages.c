// SPDX-License-Identifier: GPL-2.0
/*
 * The cost of a page that a guest's page tables name for the first time, again, and no more: the
 * time of an empty request that waits for that, by the page.
 *
 * The guest has the same memory at every bus address, so it has more pages than the module keeps
 * pinned.
 */
#include <stdio.h>
#include <string.h>

#include "clock.h"
#include "context.h"
#include "counters.h"
#include "heavy.h"
#include "knob.h"
#include "tap.h"
#include "vgpu.h"

#define PAGES		16384u
#define SIZE		((u64)PAGES * PAGE_SIZE)
#define IOVA		0x200000000ULL
#define ADDR		0x400000000ULL
#define WAIT_MS		60000
/* Together they are more than the module keeps pinned without references. */
#define WINDOWS		18u
#define ROUNDS		3u
/* A request's cost with so much mapped: the mean of many requests. */
#define SIZES_END	(64 * SIZE)
#define REQUESTS	20u

/**
 * struct bench - what is measured
 * @vgpu: the vGPU
 * @ctx: its context
 * @window: the next window of its memory that the GPU has not seen
 */
struct bench {
	struct vgpu *vgpu;
	struct context ctx;
	u32 window;
};

/* An empty request. Return: how long it took, us. */
static u64 submit(struct bench *b)
{
	u64 began = now_us(), took;
	u32 seqno;

	request_begin(&b->ctx);
	seqno = request_end(&b->ctx);
	context_submit(&b->ctx);
	if (!request_wait(&b->ctx, seqno, WAIT_MS))
		tap_die("a request does not complete");
	took = now_us() - began;
	if (!engine_wait_idle(b->ctx.engine, WAIT_MS))
		tap_die("the guest gets no event");
	return took;
}

static u64 map(struct bench *b, u32 window)
{
	ppgtt_map(b->ctx.ppgtt, ADDR, IOVA + window * SIZE, PAGES);
	return submit(b);
}

static u64 map_new(struct bench *b)
{
	return map(b, b->window++);
}

static u64 unmap(struct bench *b)
{
	ppgtt_unmap(b->ctx.ppgtt, ADDR, PAGES);
	return submit(b);
}

static void print(const struct bench *b, const char *what, u64 us, u32 rounds)
{
	printf("%-50s %8llu %10llu\n", what,
	       (unsigned long long)(us * 1000 / ((u64)rounds * PAGES)),
	       (unsigned long long)counters_idle(b->vgpu));
	fflush(stdout);
}

static void measure(struct bench *b)
{
	u64 new, known = 0, unmapped = 0, again = 0, same = 0;
	u32 i;

	submit(b);
	print(b, "new", map_new(b), 1);
	for (new = 0, i = 0; i < ROUNDS; i++)
		new += map_new(b);
	print(b, "replaced by new ones", new, ROUNDS);
	for (i = 0; i < ROUNDS; i++)
		known += map(b, i);
	print(b, "replaced by known ones", known, ROUNDS);
	for (i = 0; i < ROUNDS; i++) {
		unmapped += unmap(b);
		again += map(b, i);
	}
	print(b, "unmapped", unmapped, ROUNDS);
	print(b, "known, where nothing was", again, ROUNDS);
	for (i = 0; i < ROUNDS; i++)
		same += submit(b);
	print(b, "as they were", same, ROUNDS);
	while (b->window < WINDOWS - 1)
		map_new(b);
	print(b, "replaced by new ones, no more may be idle", map_new(b), 1);
}

/* Entries that map the same memory repeatedly. */
static void map_up_to(struct bench *b, u64 from, u64 to)
{
	for (; from < to; from += SIZE) {
		ppgtt_map(b->ctx.ppgtt, ADDR + from, IOVA, PAGES);
		submit(b);
	}
}

/* CPU time of the worker, without that of the client, which polls. */
static u64 cpu_us(const struct bench *b)
{
	return knob_get(b->vgpu->uuid, CPU_NS) / 1000;
}

static void measure_size(struct bench *b, u64 size)
{
	u64 same, changed;
	u32 i;

	submit(b);
	same = cpu_us(b);
	for (i = 0; i < REQUESTS; i++)
		submit(b);
	changed = cpu_us(b);
	same = changed - same;
	for (i = 0; i < REQUESTS; i++) {
		/* One of two pinned pages in turn, in the last table. */
		ppgtt_map(b->ctx.ppgtt, ADDR + size - PAGE_SIZE, IOVA + i % 2 * PAGE_SIZE, 1);
		submit(b);
	}
	changed = cpu_us(b) - changed;
	printf("%-50llu %8llu %10llu\n", (unsigned long long)(size >> 20),
	       (unsigned long long)same / REQUESTS, (unsigned long long)changed / REQUESTS);
	fflush(stdout);
}

/* The cost of a request with 64 MB, 1 GB and 4 GB mapped. */
static void measure_sizes(struct bench *b)
{
	static const u64 sizes[] = { SIZE, 16 * SIZE, SIZES_END };
	u64 mapped = 0;
	u32 i;

	printf("%-50s %8s %10s\n", "MB mapped: CPU time of the worker a request, us", "as is",
	       "one page");
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		map_up_to(b, mapped, sizes[i]);
		mapped = sizes[i];
		measure_size(b, mapped);
	}
}

/* A vGPU with so many windows of the same memory, which is populated. */
static void begin(struct bench *b, u32 windows)
{
	void *memory;
	u32 i;

	*b = (struct bench) { .vgpu = vgpu_new(MDEV_TYPE_SMALL) };
	context_init(&b->ctx, b->vgpu, RCS, NULL);
	memory = heavy_ram(b->vgpu, IOVA, SIZE);
	memset(memory, 1, SIZE);
	for (i = 1; i < windows; i++)
		if (vfio_dma_map(&b->vgpu->dev, IOVA + i * SIZE, memory, SIZE))
			tap_die("no memory");
}

int main(void)
{
	struct bench b;

	vgpu_test_init(600);
	begin(&b, WINDOWS);
	printf("%-50s %8s %10s\n", "pages", "ns each", "idle then");
	measure(&b);
	vgpu_free(b.vgpu);
	/* Another vGPU, which has no idle pages. */
	begin(&b, 1);
	measure_sizes(&b);
	vgpu_free(b.vgpu);
	return 0;
}
