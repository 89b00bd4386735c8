// SPDX-License-Identifier: GPL-2.0
/*
 * A guest with work that takes the host long, or lacks space, does not stall others: its memory is
 * unmapped in time, and work that lacked space runs later.
 */
#include <pthread.h>
#include <string.h>

#include "clock.h"
#include "context.h"
#include "counters.h"
#include "ggtt.h"
#include "heavy.h"
#include "klog.h"
#include "tap.h"
#include "vgpu.h"

#define TABLES		6144u		/* page tables, all entries in use */

#define VICTIMS		8u		/* pages to unmap */
#define VICTIM_IOVA	0x200000000ULL
/* VFIO would ask ten times, and wait 2 s each time. */
#define UNMAP_MS	(1000 * slowness())

#define FLUSHES		16u
#define FLUSH_MS	(500 * slowness())

/* While a device is reset: of thousands. */
#define MANY_FLUSHES	100u

#define RESETS		8u

#define BIG_RING_PAGES	512u

/**
 * struct longest - the longest times of many short operations
 * @us: the second longest: the machine may stand still during one of them
 * @once: the longest
 */
struct longest {
	u64 us;
	u64 once;
};

static void took(struct longest *longest, u64 start)
{
	u64 us = now_us() - start;

	if (us > longest->once) {
		longest->us = longest->once;
		longest->once = us;
	} else if (us > longest->us) {
		longest->us = us;
	}
}

/* Has the host scanned the submission? Its promotion is reported at once then. */
static bool is_taken(struct context *ctx)
{
	engine_process(ctx->engine);
	return !ctx->engine->pending;
}

/* A page each, in a mapping of its own, pinned by an entry of the GGTT. */
static void bind_victims(struct vgpu *vgpu)
{
	u64 addr = ggtt_alloc(vgpu, VICTIMS);
	u32 i;

	for (i = 0; i < VICTIMS; i++) {
		u64 iova = VICTIM_IOVA + i * MB(2);

		heavy_ram(vgpu, iova, PAGE_SIZE);
		ggtt_map(vgpu, addr + i * PAGE_SIZE, iova, 1);
	}
	ggtt_flush(vgpu);
}

static void check_unmap(void)
{
	struct vgpu *vgpu = vgpu_new(MDEV_TYPE_SMALL);
	struct longest longest = { };
	u32 i, seqno, failed = 0;
	u64 began;
	struct context ctx;
	bool during;

	context_init(&ctx, vgpu, RCS, NULL);
	heavy_tables(vgpu, ctx.ppgtt, TABLES);
	bind_victims(vgpu);
	request_begin(&ctx);
	seqno = request_end(&ctx);
	began = now_us();
	context_submit(&ctx);
	for (i = 0; i < VICTIMS; i++) {
		u64 start = now_us();

		failed += !!vfio_dma_unmap(&vgpu->dev, VICTIM_IOVA + i * MB(2), PAGE_SIZE);
		took(&longest, start);
		if (!i)
			during = !is_taken(&ctx);
	}
	tap_eq(failed, 0, "memory is unmapped while millions of entries are compared");
	tap_ok(during, "the comparison was still in progress");
	tap_ok(longest.us < UNMAP_MS * 1000, "it takes no longer than one table");
	tap_diag("%llu us at most", (unsigned long long)longest.once);
	tap_ok(request_wait(&ctx, seqno, 60000 * slowness()), "the guest's work runs after that");
	tap_diag("after %llu ms", (unsigned long long)(now_us() - began) / 1000);
	tap_eq(klog_count("slow_unmap"), 0, "VFIO did not have to repeat the unmap");
	tap_ok(engine_wait_idle(ctx.engine, SOON_MS) && !ctx.engine->bad,
	       "its completion is reported");
	vgpu_free(vgpu);
}

/* A vCPU that writes the flush register waits for its entries, not for all its submissions. */
static void check_flush(void)
{
	struct vgpu *vgpu = vgpu_new(MDEV_TYPE_SMALL);
	struct longest longest = { };
	u64 start, gpa, addr;
	struct context ctx;
	u32 seqno, shown = 0, n = 0;

	context_init(&ctx, vgpu, RCS, NULL);
	heavy_tables(vgpu, ctx.ppgtt, TABLES);
	gpa = ram_alloc(&vgpu->ram, 1);
	ram_write32(&vgpu->ram, gpa, 0xf1005ed0);
	addr = ggtt_alloc_low(vgpu, FLUSHES);
	request_begin(&ctx);
	seqno = request_end(&ctx);
	context_submit(&ctx);
	for (n = 0; n < FLUSHES && !is_taken(&ctx); n++) {
		ggtt_map(vgpu, addr + n * PAGE_SIZE, gpa, 1);
		start = now_us();
		ggtt_flush(vgpu);
		took(&longest, start);
		shown += READ_ONCE(*(u32 *)(vgpu->aperture + addr + n * PAGE_SIZE)) ==
			 0xf1005ed0;
		/* The interrupted comparison continues. */
		sleep_us(5000);
	}
	tap_eq(n, FLUSHES, "the GGTT is flushed while millions of entries are compared");
	tap_eq(shown, n, "each entry is valid when the flush is done");
	tap_ok(longest.us < FLUSH_MS * 1000, "it takes no longer than one table");
	tap_diag("%llu us at most", (unsigned long long)longest.once);
	tap_ok(request_wait(&ctx, seqno, 60000 * slowness()), "the guest's work runs after that");
	vgpu_free(vgpu);
}

/* A vCPU that resets an engine does not wait for another engine's submissions. */
static void check_gdrst(void)
{
	struct vgpu *vgpu = vgpu_new(MDEV_TYPE_SMALL);
	struct longest longest = { };
	u32 seqno, n, failed = 0;
	u64 start;
	struct context ctx;

	context_init(&ctx, vgpu, RCS, NULL);
	heavy_tables(vgpu, ctx.ppgtt, TABLES);
	request_begin(&ctx);
	seqno = request_end(&ctx);
	context_submit(&ctx);
	for (n = 0; !is_taken(&ctx); n++) {
		start = now_us();
		failed += !gdrst(vgpu, GDRST_VCS0);
		took(&longest, start);
		/* The interrupted comparison continues. */
		sleep_us(5000);
	}
	tap_ok(n >= RESETS, "an engine is reset while millions of entries are compared");
	tap_eq(failed, 0, "the engine works after the reset");
	tap_ok(longest.us < UNMAP_MS * 1000, "it takes no longer than one table");
	tap_diag("%llu us at most, %u times", (unsigned long long)longest.once, n);
	tap_ok(request_wait(&ctx, seqno, SOON_MS) && engine_wait_idle(ctx.engine, SOON_MS) &&
	       !ctx.engine->bad, "the guest's work is reported");
	vgpu_free(vgpu);
}

/**
 * struct resetter - a thread that resets a vGPU
 * @vgpu: the vGPU
 * @done: it has reset it
 * @ret: the result
 */
struct resetter {
	struct vgpu *vgpu;
	bool done;
	int ret;
};

static void *reset_device(void *arg)
{
	struct resetter *r = arg;

	r->ret = vfio_device_reset(&r->vgpu->dev);
	WRITE_ONCE(r->done, true);
	return NULL;
}

/* A vCPU that flushes while another resets the device, which drops millions of entries. */
static void check_device_reset(void)
{
	struct vgpu *vgpu = vgpu_new(MDEV_TYPE_SMALL);
	struct resetter resetter = { .vgpu = vgpu };
	struct longest longest = { };
	u64 start, began;
	struct context ctx;
	pthread_t thread;
	u32 seqno, n;

	context_init(&ctx, vgpu, RCS, NULL);
	heavy_tables(vgpu, ctx.ppgtt, TABLES);
	request_begin(&ctx);
	seqno = request_end(&ctx);
	context_submit(&ctx);
	tap_ok(request_wait(&ctx, seqno, 60000 * slowness()), "millions of entries are in use");
	began = now_us();
	if (pthread_create(&thread, NULL, reset_device, &resetter))
		tap_die("no thread");
	for (n = 0; !READ_ONCE(resetter.done); n++) {
		start = now_us();
		ggtt_flush(vgpu);
		took(&longest, start);
	}
	began = now_us() - began;
	pthread_join(thread, NULL);
	tap_eq(-resetter.ret, 0, "the device is reset");
	/* Waiting for all of them would allow only a few flushes. */
	tap_ok(n >= MANY_FLUSHES && longest.us < FLUSH_MS * 1000,
	       "a concurrent flush waits for only a few tables");
	tap_diag("%llu us at most, %u times in %llu us", (unsigned long long)longest.once, n,
		 (unsigned long long)began);
	tap_ok(vgpu_works(vgpu), "the vGPU works after it");
	vgpu_free(vgpu);
}

static void big_ring(struct context *ctx)
{
	struct vgpu *vgpu = ctx->vgpu;

	ctx->ring_gpa = ram_alloc(&vgpu->ram, BIG_RING_PAGES);
	ctx->ring_ggtt = ggtt_bind(vgpu, ctx->ring_gpa, BIG_RING_PAGES);
	cs_init(&ctx->ring, ram_ptr(&vgpu->ram, ctx->ring_gpa), BIG_RING_PAGES * PAGE_SIZE);
	ctx->state[LRC_RING_START] = ctx->ring_ggtt;
	ctx->state[LRC_RING_CTL] = ((BIG_RING_PAGES - 1) * PAGE_SIZE & RING_CTL_NR_PAGES) |
				   RING_CTL_VALID;
}

/*
 * Two contexts per engine with the largest rings: the last one exceeds the vGPU's budget, and none
 * can be evicted while the first of each engine spins and the second waits for it.
 */
static void check_room(void)
{
	struct vgpu *vgpu = vgpu_new(MDEV_TYPE_SMALL);
	struct context ctx[VGPU_NR_ENGINES][2];
	struct spinner spin[VGPU_NR_ENGINES];
	u32 seqno[VGPU_NR_ENGINES][2], i, k, last = VGPU_NR_ENGINES - 1;
	bool ok = true;

	for (i = 0; i < VGPU_NR_ENGINES; i++) {
		for (k = 0; k < 2; k++) {
			context_init(&ctx[i][k], vgpu, i, NULL);
			big_ring(&ctx[i][k]);
		}
		spinner_init(&spin[i], &ctx[i][0], true);
		seqno[i][0] = spinner_request_arb(&spin[i], &ctx[i][0]);
		request_begin(&ctx[i][1]);
		seqno[i][1] = request_end(&ctx[i][1]);
	}
	for (i = 0; i < last; i++) {
		context_submit2(&ctx[i][0], &ctx[i][1]);
		ok &= request_wait_started(&ctx[i][0], seqno[i][0], SOON_MS);
	}
	tap_ok(ok, "all engines but one are busy");
	context_submit2(&ctx[last][0], &ctx[last][1]);
	tap_ok(request_wait_started(&ctx[last][0], seqno[last][0], SOON_MS),
	       "the last engine is busy");
	tap_ok(wait_for(counters_number(vgpu, "exec", "retried") == 1, SOON_MS),
	       "there is no space for the last context");
	tap_ok(!request_done(&ctx[last][1], seqno[last][1]), "the last context does not run");
	tap_eq(counters_number(vgpu, "exec", "refused"), 0, "the last context is not refused");
	for (i = 0; i < VGPU_NR_ENGINES; i++)
		spinner_end(&spin[i]);
	for (i = 0, ok = true; i < VGPU_NR_ENGINES; i++)
		for (k = 0; k < 2; k++)
			ok &= request_wait(&ctx[i][k], seqno[i][k], SOON_MS);
	tap_ok(ok, "all contexts run when there is space");
	for (i = 0, ok = true; i < VGPU_NR_ENGINES; i++)
		ok &= engine_wait_idle(&vgpu->engines[i], SOON_MS) && !vgpu->engines[i].bad;
	tap_ok(ok, "its completion is reported");
	tap_ok(counters_number(vgpu, "exec", "evicted") > 0, "eviction has made space");
	vgpu_free(vgpu);
}

int main(void)
{
	vgpu_test_init(240);
	check_room();
	check_unmap();
	check_flush();
	check_gdrst();
	check_device_reset();
	return vgpu_test_done();
}
