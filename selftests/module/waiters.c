// SPDX-License-Identifier: GPL-2.0
/*
 * How long it takes to signal a vGPU's eventfd is up to its user, who may have very many that wait
 * for it: no other vGPU waits for that, and its own pays for it.
 */
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <unistd.h>

#include "clock.h"
#include "context.h"
#include "knob.h"
#include "tap.h"
#include "vgpu.h"

#define WAITERS		50000u
#define SIGNALS		16u

static int fds[WAITERS];

/* An epoll instance waits once for each file descriptor, be it of the same eventfd. */
static u32 wait_often(int epoll, int eventfd)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLET };
	u32 i;

	for (i = 0; i < WAITERS; i++) {
		fds[i] = dup(eventfd);
		if (fds[i] < 0 || epoll_ctl(epoll, EPOLL_CTL_ADD, fds[i], &event))
			break;
	}
	return i;
}

static bool allow_fds(void)
{
	struct rlimit limit = { WAITERS + 1000, WAITERS + 1000 };

	return !setrlimit(RLIMIT_NOFILE, &limit);
}

/* Return: whether it runs, and its interrupt arrives. */
static bool run_nop(struct context *ctx)
{
	u32 before = ctx->engine->user_irqs;

	request_begin(ctx);
	return request_run(ctx, request_end(ctx)) &&
	       irq_wait(ctx->vgpu, &ctx->engine->user_irqs, before + 1, SOON_MS);
}

/* Return: CPU time that the first one pays for, ns. */
static long run_both(struct context *ctx, struct context *other, const char *when)
{
	long before = knob_get(ctx->vgpu->uuid, CPU_NS);
	u64 count = ctx->vgpu->msi_count;
	u32 i, ran = 0, other_ran = 0;

	for (i = 0; i < SIGNALS; i++) {
		ran += run_nop(ctx);
		other_ran += run_nop(other);
	}
	tap_eq(ran, SIGNALS, "%s: a vGPU is told of all that it runs", when);
	tap_eq(other_ran, SIGNALS, "%s: and another beside it", when);
	before = knob_get(ctx->vgpu->uuid, CPU_NS) - before;
	tap_diag("%ld us, %llu interrupts", before / 1000,
		 (unsigned long long)(ctx->vgpu->msi_count - count));
	return before;
}

/* What it takes to signal it once, us. */
static u64 signal_us(int eventfd)
{
	u64 one = 1, start = now_us();

	if (write(eventfd, &one, sizeof(one)) != sizeof(one))
		return 0;
	return now_us() - start;
}

static void check(struct vgpu *vgpu, struct vgpu *other, int epoll)
{
	struct context ctx, neighbour;
	long plain, spent;
	u64 once;
	u32 i, n;

	context_init(&ctx, vgpu, RCS, NULL);
	context_init(&neighbour, other, BCS, NULL);
	plain = run_both(&ctx, &neighbour, "one waits for an interrupt");
	n = wait_often(epoll, vgpu->msi);
	tap_eq(n, WAITERS, "very many wait for it");
	spent = run_both(&ctx, &neighbour, "very many wait");
	once = signal_us(vgpu->msi);
	tap_diag("%llu us for one", (unsigned long long)once);
	/* A part of it: what its worker uses is not the same each time. */
	tap_ok(once && spent - plain >= (long)(once * 1000 * SIGNALS / 4),
	       "the vGPU pays for what its waiters cost");
	for (i = 0; i < n; i++)
		close(fds[i]);
	close(epoll);
}

int main(void)
{
	int epoll = epoll_create1(EPOLL_CLOEXEC);
	struct vgpu *vgpu, *other;

	vgpu_test_init(240);
	if (!allow_fds() || epoll < 0)
		tap_skip_all("not so many file descriptors");
	vgpu = vgpu_new(MDEV_TYPE_SMALL);
	other = vgpu_new(MDEV_TYPE_SMALL);
	check(vgpu, other, epoll);
	tap_ok(vgpu_works(vgpu) && vgpu_works(other), "both work");
	tap_eq(-vgpu_free(vgpu), 0, "and are removed");
	tap_eq(-vgpu_free(other), 0, "both of them");
	return vgpu_test_done();
}
