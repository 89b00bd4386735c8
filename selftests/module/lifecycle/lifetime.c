// SPDX-License-Identifier: GPL-2.0
/* vGPUs are created and removed, in every way that a virtual machine can end. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "context.h"
#include "counters.h"
#include "ggtt.h"
#include "iommufd.h"
#include "tap.h"
#include "used.h"
#include "vgpu.h"

/* The scheduler's preempt timeout, us. */
#define PATIENCE_US	640000
/* To be done with what runs takes no longer than that, a reset, and as much again for the rest. */
#define GONE_US		2000000

/* Was it no more since @t0, but for what it took longer to take a vGPU off its engines? */
static bool soon(const char *uuid, u64 t0)
{
	u64 took = now_us() - t0, yield = PATIENCE_US;
	u32 i;

	for (i = 0; i < VGPU_NR_ENGINES; i++) {
		long us = used_get(uuid, i, "longest-yield") / 1000;

		if (us > (long)yield)
			yield = us;
	}
	tap_diag("%llu us, %llu to take it off", (unsigned long long)took,
		 (unsigned long long)yield);
	return took < GONE_US + yield - PATIENCE_US;
}

/* All engines run endless requests. */
static bool spin_all(struct vgpu *vgpu, bool arbitrate)
{
	bool started = true;
	u32 i;

	for (i = 0; i < VGPU_NR_ENGINES; i++) {
		struct spinner spin;
		struct context ctx;
		u32 seqno;

		context_init(&ctx, vgpu, i, NULL);
		spinner_init(&spin, &ctx, arbitrate);
		seqno = spinner_request(&spin, &ctx);
		context_submit(&ctx);
		started &= request_wait_started(&ctx, seqno, SOON_MS);
	}
	return started;
}

static void check_close(struct vgpu *other, bool arbitrate)
{
	const char *kind = arbitrate ? "spinning" : "hung";
	struct vgpu *vgpu = vgpu_new(MDEV_TYPE_SMALL);
	char uuid[MDEV_UUID_SIZE];
	u64 t0;

	memcpy(uuid, vgpu->uuid, sizeof(uuid));
	tap_ok(spin_all(vgpu, arbitrate), "%s on all engines", kind);
	t0 = now_us();
	vgpu_close(vgpu);
	tap_ok(soon(uuid, t0), "%s: closed in mid-batch", kind);
	tap_ok(vgpu_works(other), "%s: another vGPU is not affected", kind);
	vgpu = vgpu_open(uuid);
	if (tap_ok(vgpu, "%s: it can be opened again", kind)) {
		vgpu_start(vgpu);
		tap_ok(vgpu_works(vgpu), "%s: it works after that", kind);
		tap_eq(-vgpu_free(vgpu), 0, "%s: it can be removed", kind);
	}
}

static void *remove_it(void *arg)
{
	return (void *)(long)mdev_remove(arg);
}

static void check_remove_open(struct vgpu *other)
{
	struct vgpu *vgpu = vgpu_new(MDEV_TYPE_SMALL);
	char uuid[MDEV_UUID_SIZE];
	struct timespec soon;
	pthread_t thread;
	void *ret;

	memcpy(uuid, vgpu->uuid, sizeof(uuid));
	pthread_create(&thread, NULL, remove_it, uuid);
	clock_gettime(CLOCK_REALTIME, &soon);
	soon.tv_sec++;
	tap_ok(pthread_timedjoin_np(thread, &ret, &soon) == ETIMEDOUT,
	       "removal waits for an open vGPU");
	tap_ok(vgpu_works(vgpu), "the open vGPU still works");
	tap_ok(vgpu_works(other), "another vGPU works");
	spin_all(vgpu, false);
	vgpu_close(vgpu);
	pthread_join(thread, &ret);
	tap_eq(-(long)ret, 0, "it is removed when it is closed");
	tap_ok(!mdev_exists(uuid), "the vGPU does not exist any more");
}

static void child(const char *uuid, int ready)
{
	struct vgpu *vgpu = vgpu_open(uuid);

	if (!vgpu)
		_exit(1);
	vgpu_start(vgpu);
	if (!spin_all(vgpu, false) || write(ready, "1", 1) != 1)
		_exit(2);
	for (;;)
		pause();
}

static void check_kill(struct vgpu *other)
{
	char uuid[MDEV_UUID_SIZE], c;
	struct vgpu *vgpu;
	int pipes[2], status;
	pid_t pid;

	mdev_new_uuid(uuid);
	tap_eq(-mdev_create(MDEV_TYPE_SMALL, uuid), 0, "a vGPU for another process");
	if (pipe(pipes))
		tap_die("no pipe");
	pid = fork();
	if (!pid) {
		close(pipes[0]);
		child(uuid, pipes[1]);
	}
	close(pipes[1]);
	tap_ok(read(pipes[0], &c, 1) == 1, "the vGPU hangs on all engines");
	close(pipes[0]);
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	tap_ok(WIFSIGNALED(status), "the process is killed");
	tap_ok(vgpu_works(other), "another vGPU is not affected");
	vgpu = vgpu_open(uuid);
	if (tap_ok(vgpu, "the vGPU can be opened again")) {
		vgpu_start(vgpu);
		tap_ok(vgpu_works(vgpu), "the vGPU works");
		vgpu_free(vgpu);
	}
}

static void check_exclusive(struct vgpu *vgpu)
{
	struct vfio v;

	tap_eq(-vfio_open(&v, vgpu->uuid), iommufd_wanted() ? EINVAL : EBUSY,
	       "a second open of a vGPU is refused");
	vfio_close(&v);
}

/* A page that is written all the time is unmapped. */
static void check_unmap(struct vgpu *vgpu, struct vgpu *other, bool arbitrate)
{
	const char *kind = arbitrate ? "with" : "without";
	u64 size = vgpu->ram.size, t0;
	bool in_time;
	int ret;

	vgpu_reset(vgpu);
	tap_ok(spin_all(vgpu, arbitrate), "spinning, %s arbitration points", kind);
	t0 = now_us();
	ret = vfio_dma_unmap(&vgpu->dev, vgpu->ram.base, size);
	in_time = soon(vgpu->uuid, t0);
	tap_eq(-ret, 0, "the spinning vGPU's memory is unmapped");
	tap_ok(in_time, "soon");
	memset(vgpu->ram.ptr, 0x5a, size);
	tap_ok(vgpu_works(other), "another vGPU is not affected");
	tap_ok(!memchr(vgpu->ram.ptr, 0, size), "the unmapped memory is not written any more");
	mmio_write(vgpu, GEN_GFX_FLSH_CNTL, 1);
	tap_eq(-vfio_dma_map(&vgpu->dev, vgpu->ram.base, vgpu->ram.ptr, size), 0,
	       "the memory is mapped again");
	tap_ok(vgpu_works(vgpu), "the vGPU works after a reset");
}

static bool run_nop(struct context *ctx)
{
	request_begin(ctx);
	return request_run(ctx, request_end(ctx));
}

/* Memory is mapped, used, and unmapped while requests run. */
static void check_hotplug(struct vgpu *vgpu)
{
	u64 size = MB(4), iova = 0x100000000ULL, addr;
	u32 *extra = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct context ctx;
	u32 i, good = 0;

	vgpu_reset(vgpu);
	context_init(&ctx, vgpu, RCS, NULL);
	addr = ggtt_alloc(vgpu, 16);
	for (i = 0; i < 20; i++) {
		u32 seqno;

		if (vfio_dma_map(&vgpu->dev, iova, extra, size))
			break;
		ggtt_map(vgpu, addr, iova, 16);
		ggtt_flush(vgpu);
		ppgtt_map(ctx.ppgtt, 0x80000000, iova + MB(1), 16);
		request_begin(&ctx);
		cs_store(&ctx.ring, GGTT, addr + 4, i + 1);
		seqno = request_end(&ctx);
		if (!request_run(&ctx, seqno) || extra[1] != i + 1)
			break;
		/* Entries still refer to it. */
		if (vfio_dma_unmap(&vgpu->dev, iova, size) || !run_nop(&ctx))
			break;
		ggtt_unmap(vgpu, addr, 16);
		ppgtt_unmap(ctx.ppgtt, 0x80000000, 16);
		if (!run_nop(&ctx))
			break;
		good++;
	}
	tap_eq(good, 20, "requests run while memory is mapped and unmapped");
	munmap(extra, size);
}

static void check_pins(void)
{
	struct vgpu *vgpu = vgpu_new(MDEV_TYPE_SMALL);
	u64 before, pins;

	before = counters_pins(vgpu);
	if (before == ~0ULL) {
		tap_skip("no debugfs", "pinned pages are counted");
		vgpu_free(vgpu);
		return;
	}
	tap_ok(vgpu_works(vgpu), "a vGPU works");
	pins = counters_pins(vgpu);
	tap_ok(pins > 0, "a working vGPU has pinned pages: %llu", (unsigned long long)pins);
	tap_ok(counters_contexts(vgpu) > 0, "a working vGPU has contexts");
	vfio_device_reset(&vgpu->dev);
	tap_eq(counters_pins(vgpu), 0, "none is left after a reset");
	tap_eq(counters_contexts(vgpu), 0, "no context after a reset");
	vgpu_free(vgpu);
}

/* A page table that maps @pages, a request, and one without any of them. */
static bool use_and_forget(struct context *ctx, u64 gpa, u32 pages)
{
	bool ok;

	ppgtt_map(ctx->ppgtt, 0x80000000, gpa, pages);
	ok = run_nop(ctx);
	ppgtt_unmap(ctx->ppgtt, 0x80000000, pages);
	return ok && run_nop(ctx);
}

/* Unreferenced pages stay pinned for a while. */
static void check_idle(struct vgpu *vgpu)
{
	u64 size = MB(16), iova = 0x100000000ULL, idle;
	void *extra = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct context ctx;

	vgpu_reset(vgpu);
	tap_eq(counters_idle(vgpu), 0, "no idle pages after a reset");
	context_init(&ctx, vgpu, RCS, NULL);
	vfio_dma_map(&vgpu->dev, iova, extra, size);
	tap_ok(use_and_forget(&ctx, iova, 64), "64 pages are used and released");
	idle = counters_idle(vgpu);
	tap_ok(idle >= 64, "the released pages are idle (%llu)", (unsigned long long)idle);
	tap_ok(use_and_forget(&ctx, iova, 64), "the same pages are used and released again");
	tap_eq(counters_idle(vgpu), idle, "the number of idle pages is the same");
	tap_ok(use_and_forget(&ctx, iova, size / PAGE_SIZE), "more pages are used and released");
	tap_eq(-vfio_dma_unmap(&vgpu->dev, iova, size), 0,
	       "the memory of idle pages can be unmapped");
	tap_ok(counters_idle(vgpu) < 64, "unmapped memory is not pinned any more");
	tap_ok(run_nop(&ctx), "the vGPU works");
	munmap(extra, size);
}

/* Not all stay: a guest has 1088 MB, which are the same 16 MB everywhere. */
static void check_most_idle(struct vgpu *vgpu)
{
	u64 size = MB(16), iova = 0x100000000ULL, idle;
	void *extra = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	u32 i, windows = 68, good = 0;
	struct context ctx;

	vgpu_reset(vgpu);
	context_init(&ctx, vgpu, RCS, NULL);
	for (i = 0; i < windows; i++) {
		vfio_dma_map(&vgpu->dev, iova + i * size, extra, size);
		ppgtt_map(ctx.ppgtt, 0x80000000, iova + i * size, size / PAGE_SIZE);
		good += run_nop(&ctx);
	}
	tap_eq(good, windows, "more pages than the limit of idle ones are used and released");
	idle = counters_idle(vgpu);
	tap_ok(idle <= MB(1024) / PAGE_SIZE, "idle pages are limited (%llu)",
	       (unsigned long long)idle);
	vgpu_reset(vgpu);
	tap_eq(counters_idle(vgpu), 0, "none is left after a reset");
	for (i = 0; i < windows; i++)
		vfio_dma_unmap(&vgpu->dev, iova + i * size, size);
	munmap(extra, size);
}

/* Nothing accumulates. */
static void check_repeat(void)
{
	long before = mdev_available(MDEV_TYPE_SMALL);
	u32 i, good = 0;

	for (i = 0; i < 20; i++) {
		struct vgpu *vgpu = vgpu_new(MDEV_TYPE_SMALL);

		spin_all(vgpu, i & 1);
		good += !vgpu_free(vgpu);
	}
	tap_eq(good, 20, "vGPUs are created and removed repeatedly");
	tap_eq(mdev_available(MDEV_TYPE_SMALL), before, "they leave space for others");
}

int main(void)
{
	struct vgpu *vgpu, *other;

	vgpu_test_init(240);
	other = vgpu_new(MDEV_TYPE_SMALL);
	check_close(other, true);
	check_close(other, false);
	check_remove_open(other);
	check_kill(other);
	vgpu = vgpu_new(MDEV_TYPE_SMALL);
	check_exclusive(vgpu);
	check_unmap(vgpu, other, true);
	check_unmap(vgpu, other, false);
	check_hotplug(vgpu);
	if (counters_idle(vgpu) == ~0ULL)
		tap_skip("no debugfs", "idle pages are counted");
	else
		check_idle(vgpu);
	if (slowness() > 1)
		tap_skip("the host is slow", "a limit of idle pages");
	else
		check_most_idle(vgpu);
	vgpu_free(vgpu);
	check_pins();
	check_repeat();
	tap_ok(vgpu_works(other), "one was there all the time");
	vgpu_free(other);
	return vgpu_test_done();
}
