// SPDX-License-Identifier: GPL-2.0
/*
 * The time to signal a vGPU's eventfd depends on its user, as it may have very many waiters: no
 * other vGPU waits for that, and the vGPU itself pays for it. The kernel's stack at the signal
 * shows that the scheduler, which holds the lock of all vGPUs, is not on it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clock.h"
#include "context.h"
#include "file.h"
#include "knob.h"
#include "tap.h"
#include "vgpu.h"

#define WAITERS		50000u
#define SIGNALS		16u

#define TRACEFS		"/sys/kernel/tracing"
#define INSTANCE	TRACEFS "/instances/gslot-waiters"
#define PROBE		"gslot/signal"
#define TRACE_SIZE	0x40000
#define STACK		"<stack trace>"
#define CALL		"\n => "
/* Calls on the stack: the function itself, its callers in vfio/irqs.c, and the irq_work. */
#define IRQ_WORK_DEPTH	5

static int fds[WAITERS];

/* From 6.8 on, the function is inline; both versions call the same one. */
static const char *const signal_functions[] = { "eventfd_signal_mask", "eventfd_signal" };

/* An epoll instance waits once per file descriptor, even of the same eventfd. */
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

/* Return: CPU time that is charged to the first vGPU, ns. */
static long run_both(struct context *ctx, struct context *other, const char *when)
{
	long before = knob_get(ctx->vgpu->uuid, CPU_NS);
	u64 count = ctx->vgpu->msi_count;
	u32 i, ran = 0, other_ran = 0;

	for (i = 0; i < SIGNALS; i++) {
		ran += run_nop(ctx);
		other_ran += run_nop(other);
	}
	tap_eq(ran, SIGNALS, "%s: a vGPU receives all its interrupts", when);
	tap_eq(other_ran, SIGNALS, "%s: another vGPU beside it receives all of its own", when);
	before = knob_get(ctx->vgpu->uuid, CPU_NS) - before;
	tap_diag("%ld us, %llu interrupts", before / 1000,
		 (unsigned long long)(ctx->vgpu->msi_count - count));
	return before;
}

/* The time to signal it once, us. */
static u64 signal_us(int eventfd)
{
	u64 one = 1, start = now_us();

	if (write(eventfd, &one, sizeof(one)) != sizeof(one))
		return 0;
	return now_us() - start;
}

static bool probe_signals(void)
{
	char line[80];
	size_t i;
	int ret = -1;

	for (i = 0; ret && i < ARRAY_SIZE(signal_functions); i++) {
		snprintf(line, sizeof(line), "p:" PROBE " %s", signal_functions[i]);
		ret = file_write(TRACEFS "/kprobe_events", line);
	}
	return !ret && !mkdir(INSTANCE, 0700) &&
	       !file_write(INSTANCE "/options/stacktrace", "1") &&
	       !file_write(INSTANCE "/events/" PROBE "/enable", "1");
}

static void probe_no_more(void)
{
	rmdir(INSTANCE);
	file_write(TRACEFS "/kprobe_events", "-:" PROBE);
}

/* Is the caller an irq_work, and no other path of the module? */
static bool from_irq_work(const char *stack)
{
	u32 depth;

	for (depth = 0; depth < IRQ_WORK_DEPTH; depth++) {
		stack = strstr(stack, CALL);
		if (!stack)
			break;
		stack += strlen(CALL);
		if (!strncmp(stack, "irq_work_", strlen("irq_work_")))
			return true;
	}
	return false;
}

static void check_stack(struct vgpu *vgpu)
{
	u32 signals = 0, deferred = 0;
	struct context ctx;
	const char *stack;
	char *trace;

	/* The debug kernel has none. */
	if (access(TRACEFS "/kprobe_events", W_OK)) {
		tap_skip("no kprobes", "its eventfd is signalled only by irq_work");
		return;
	}
	context_init(&ctx, vgpu, RCS, NULL);
	trace = malloc(TRACE_SIZE);
	if (!trace || !probe_signals())
		tap_die("no probe where eventfds are signalled");
	tap_ok(run_nop(&ctx), "a vGPU receives its interrupts");
	if (file_read(INSTANCE "/trace", trace, TRACE_SIZE) <= 0)
		tap_die("no trace");
	for (stack = trace; (stack = strstr(stack, STACK)); signals++) {
		stack += strlen(STACK);
		deferred += from_irq_work(stack);
	}
	if (!tap_ok(signals && deferred == signals, "its eventfd is signalled only by irq_work"))
		tap_diag("%.6000s", trace);
	probe_no_more();
	free(trace);
}

static void check(struct vgpu *vgpu, struct vgpu *other, int epoll)
{
	struct context ctx, neighbour;
	long plain, spent;
	u64 once;
	u32 i, n;

	context_init(&ctx, vgpu, RCS, NULL);
	context_init(&neighbour, other, BCS, NULL);
	plain = run_both(&ctx, &neighbour, "with one waiter");
	n = wait_often(epoll, vgpu->msi);
	tap_eq(n, WAITERS, "very many waiters can be set up");
	spent = run_both(&ctx, &neighbour, "with very many waiters");
	once = signal_us(vgpu->msi);
	tap_diag("%llu us for one", (unsigned long long)once);
	/* Compare a part of it: the worker's own time varies. */
	tap_ok(once && spent - plain >= (long)(once * 1000 * SIGNALS / 4),
	       "the vGPU is charged for its waiters");
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
	check_stack(vgpu);
	check(vgpu, other, epoll);
	tap_ok(vgpu_works(vgpu) && vgpu_works(other), "both vGPUs work");
	tap_eq(-vgpu_free(vgpu), 0, "the first vGPU is removed");
	tap_eq(-vgpu_free(other), 0, "the second vGPU is removed");
	return vgpu_test_done();
}
