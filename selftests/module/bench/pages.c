// SPDX-License-Identifier: GPL-2.0
/*
 * What a page costs that a guest's page tables name for the first time, that they name again, and
 * that they name no more: the time of an empty request that has to wait for that, by the page.
 *
 * The guest's memory is the same at every bus address, so that there may be as many pages as the
 * module keeps pinned, and more, in little memory.
 */
#include <stdio.h>
#include <string.h>

#include "clock.h"
#include "context.h"
#include "counters.h"
#include "heavy.h"
#include "tap.h"
#include "vgpu.h"

#define PAGES		16384u
#define SIZE		((u64)PAGES * PAGE_SIZE)
#define IOVA		0x200000000ULL
#define ADDR		0x400000000ULL
#define WAIT_MS		60000
/* Together they are more than the module keeps when nobody refers to them. */
#define WINDOWS		18u
#define ROUNDS		3u

/**
 * struct bench - what is measured
 * @vgpu: the vGPU
 * @ctx: its context
 * @window: of the windows of its memory, the next that the GPU has never seen
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
		tap_die("a request does not end");
	took = now_us() - began;
	if (!engine_wait_idle(b->ctx.engine, WAIT_MS))
		tap_die("the guest is not told");
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

int main(void)
{
	struct bench b = {};
	void *memory;
	u32 i;

	vgpu_test_init(600);
	b.vgpu = vgpu_new(MDEV_TYPE_SMALL);
	context_init(&b.ctx, b.vgpu, RCS, NULL);
	memory = heavy_ram(b.vgpu, IOVA, SIZE);
	/* It is there: what is measured is not how the kernel finds it. */
	memset(memory, 1, SIZE);
	for (i = 1; i < WINDOWS; i++)
		if (vfio_dma_map(&b.vgpu->dev, IOVA + i * SIZE, memory, SIZE))
			tap_die("no memory");
	printf("%-50s %8s %10s\n", "pages", "ns each", "idle then");
	measure(&b);
	vgpu_free(b.vgpu);
	return 0;
}
