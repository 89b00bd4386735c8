// SPDX-License-Identifier: GPL-2.0
/*
 * Page table entries of pages that cannot be pinned: the guest loses their data, and the host tries
 * once. Pages that are being unmapped are not pinned again before VFIO has checked, whatever else
 * is unmapped. Unreferenced pages stay pinned for a while, and are reused.
 */
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "clock.h"
#include "context.h"
#include "counters.h"
#include "ggtt.h"
#include "tap.h"
#include "vgpu.h"

#define EXTRA_IOVA	0x100000000ULL
#define HOLE_IOVA	0x300000000ULL
#define PAGES		512u
#define ADDR		0x80000000ULL

/* Unreferenced pages stay pinned for 10 s: not less, and not much more. */
#define KEPT_US		9000000u
#define GONE_MS		(30000 * slowness())

/* Less than the delay before the module pins pages of an unmapped range again. */
#define BARRED_US	10000u

static void *some_memory(void)
{
	void *p = mmap(NULL, PAGES * PAGE_SIZE, PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		tap_die("no memory");
	return p;
}

static void map_read_only(struct vgpu *vgpu, u64 iova, void *p)
{
	struct vfio_iommu_type1_dma_map map = {
		.argsz = sizeof(map),
		.flags = VFIO_DMA_MAP_FLAG_READ,
		.vaddr = (unsigned long)p,
		.iova = iova,
		.size = PAGES * PAGE_SIZE,
	};

	if (ioctl(vgpu->dev.container, VFIO_IOMMU_MAP_DMA, &map))
		tap_die("cannot map memory read-only");
}

static bool run_nop(struct context *ctx)
{
	request_begin(ctx);
	return request_run(ctx, request_end(ctx));
}

static void check_bad(struct vgpu *vgpu, u64 iova, const char *what)
{
	struct context ctx;
	u64 failed;

	vgpu_reset(vgpu);
	context_init(&ctx, vgpu, RCS, NULL);
	ppgtt_map(ctx.ppgtt, ADDR, iova, PAGES);
	ggtt_bind(vgpu, iova, 4);
	tap_ok(run_nop(&ctx), "%s: a context with tables that name it runs", what);
	failed = counters_number(vgpu, "state", "failed_pins");
	tap_ok(failed > 0, "%s: its page cannot be pinned", what);
	tap_ok(run_nop(&ctx) && run_nop(&ctx), "%s: the context runs again", what);
	tap_eq(counters_number(vgpu, "state", "failed_pins"), failed,
	       "%s: pinning is not tried again",
	       what);
	ppgtt_map(ctx.ppgtt, ADDR, ram_alloc(&vgpu->ram, PAGES), PAGES);
	tap_ok(run_nop(&ctx), "%s: the guest maps memory there", what);
	tap_eq(counters_number(vgpu, "state", "failed_pins"), failed, "%s: pinning that succeeds",
	       what);
}

/* Another range is unmapped later: pages of the first must still not be pinned at once. */
static void check_barred(struct vgpu *vgpu)
{
	u64 second = EXTRA_IOVA + PAGES * PAGE_SIZE, gone, took;
	void *p = some_memory(), *q = some_memory();
	struct context ctx;
	u32 seqno;

	vgpu_reset(vgpu);
	context_init(&ctx, vgpu, RCS, NULL);
	vfio_dma_map(&vgpu->dev, EXTRA_IOVA, p, PAGES * PAGE_SIZE);
	vfio_dma_map(&vgpu->dev, second, q, PAGES * PAGE_SIZE);
	ppgtt_map(ctx.ppgtt, ADDR, EXTRA_IOVA, 1);
	ppgtt_map(ctx.ppgtt, ADDR + PAGE_SIZE, second, 1);
	tap_ok(run_nop(&ctx), "pages of two ranges are pinned");
	request_begin(&ctx);
	seqno = request_end(&ctx);
	vfio_dma_unmap(&vgpu->dev, EXTRA_IOVA, PAGES * PAGE_SIZE);
	gone = now_us();
	vfio_dma_unmap(&vgpu->dev, second, PAGES * PAGE_SIZE);
	vfio_dma_map(&vgpu->dev, EXTRA_IOVA, p, PAGES * PAGE_SIZE);
	ppgtt_unmap(ctx.ppgtt, ADDR + PAGE_SIZE, 1);
	tap_diag("submitted after %llu us", (unsigned long long)(now_us() - gone));
	context_submit(&ctx);
	tap_ok(request_wait(&ctx, seqno, SOON_MS),
	       "both ranges are unmapped, and the first is used again");
	took = now_us() - gone;
	tap_ok(took >= BARRED_US,
	       "it is not pinned at once, though the other range was unmapped last");
	tap_diag("after %llu us", (unsigned long long)took);
	tap_ok(engine_wait_idle(ctx.engine, SOON_MS), "the guest's request completes");
	munmap(p, PAGES * PAGE_SIZE);
	munmap(q, PAGES * PAGE_SIZE);
}

static bool map_and_run(struct context *ctx, bool mapped)
{
	if (mapped)
		ppgtt_map(ctx->ppgtt, ADDR, EXTRA_IOVA, PAGES);
	else
		ppgtt_unmap(ctx->ppgtt, ADDR, PAGES);
	return run_nop(ctx);
}

static void check_kept(struct vgpu *vgpu)
{
	void *p = some_memory();
	u64 pinned, idle, let_go;
	struct context ctx;

	vgpu_reset(vgpu);
	context_init(&ctx, vgpu, RCS, NULL);
	vfio_dma_map(&vgpu->dev, EXTRA_IOVA, p, PAGES * PAGE_SIZE);
	tap_ok(map_and_run(&ctx, true), "pages are used");
	pinned = counters_pins(vgpu);
	idle = counters_idle(vgpu);
	tap_ok(map_and_run(&ctx, false), "the pages are not used any more");
	tap_eq(counters_pins(vgpu), pinned, "unused pages are still pinned");
	tap_eq(counters_idle(vgpu), idle + PAGES, "unused pages are idle");
	tap_ok(map_and_run(&ctx, true), "the pages are used again");
	tap_eq(counters_pins(vgpu), pinned, "no page was pinned for that");
	tap_eq(counters_idle(vgpu), idle, "used pages are not idle");
	let_go = now_us();
	tap_ok(map_and_run(&ctx, false), "the pages are not used any more");
	tap_ok(wait_for(!counters_idle(vgpu), GONE_MS), "after a while no page is idle");
	tap_ok(now_us() - let_go >= KEPT_US, "idle pages are kept for 10 s");
	/* The last of them may be in progress. */
	tap_ok(wait_for(counters_pins(vgpu) == pinned - idle - PAGES, SOON_MS),
	       "unused pages are not pinned any more");
	tap_ok(map_and_run(&ctx, true), "the pages are pinned again when used");
	tap_eq(counters_pins(vgpu), pinned - idle, "all pages are pinned");
	vfio_dma_unmap(&vgpu->dev, EXTRA_IOVA, PAGES * PAGE_SIZE);
	munmap(p, PAGES * PAGE_SIZE);
}

int main(void)
{
	struct vgpu *vgpu;
	void *p;

	vgpu_test_init(120);
	vgpu = vgpu_new(MDEV_TYPE_SMALL);
	check_bad(vgpu, HOLE_IOVA, "no memory");
	p = some_memory();
	map_read_only(vgpu, EXTRA_IOVA, p);
	check_bad(vgpu, EXTRA_IOVA, "memory that may be read only");
	vfio_dma_unmap(&vgpu->dev, EXTRA_IOVA, PAGES * PAGE_SIZE);
	check_barred(vgpu);
	if (counters_idle(vgpu) == ~0ULL)
		tap_skip("no debugfs", "idle pages are counted");
	else
		check_kept(vgpu);
	tap_ok(vgpu_works(vgpu), "the vGPU works");
	vgpu_free(vgpu);
	return vgpu_test_done();
}
