// SPDX-License-Identifier: GPL-2.0
/*
 * In pre-copy a VMM asks in rounds how much is left. Before the end of the second round a vGPU's
 * submissions are held, and its memory is unpinned when no request uses it, until the VMM has asked
 * twice, or for two seconds; and not for a vGPU that has little pinned, or if nothing is asked.
 */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "clock.h"
#include "context.h"
#include "counters.h"
#include "gpu.h"
#include "migration.h"
#include "space.h"
#include "tap.h"
#include "vgpu.h"

#define PAGES		4096
#define FEW_PAGES	500
#define LIMIT_MB	"22"
#define ADDR		0x40000000ull
#define VALUE		0x401d0000u
/* The rounds of this VMM, and when in the second one submissions are held: at 300 ms. */
#define ROUND_US	400000
#define BEFORE_US	250000
#define HELD_MS		150
/* A request ends in this time if submissions are not held; the first one, too, that pins pages. */
#define RUN_MS		200
/* For how long a request may run then. */
#define DRAIN_MS	2500
/* From its end on they are held for two seconds, or for 250 ms after the VMM has asked twice. */
#define HOLD_MS		2000
#define STOP_MS		250

static struct vgpu *vgpu;
static char limit[32];
static struct context ctx;
static u64 gpa;
static u32 value = VALUE;

/* Does the request end in that time? */
static bool ends(u32 seqno, int ms)
{
	return request_wait(&ctx, seqno, ms * slowness()) &&
	       engine_wait_idle(ctx.engine, RUN_MS * slowness());
}

/* A context whose requests store to the last of @pages pages. */
static void begin(u32 pages)
{
	struct cs batch;

	context_init(&ctx, vgpu, RCS, NULL);
	gpa = ram_alloc(&vgpu->ram, pages);
	ppgtt_map(ctx.ppgtt, ADDR, gpa, pages);
	cs_init(&batch, ram_ptr(&vgpu->ram, gpa), PAGE_SIZE);
	cs_store(&batch, PPGTT, ADDR + (pages - 1) * PAGE_SIZE, ++value);
	cs_end(&batch);
}

static u32 submit(void)
{
	u32 seqno;

	request_begin(&ctx);
	request_batch(&ctx, ADDR);
	seqno = request_end(&ctx);
	context_submit(&ctx);
	return seqno;
}

static bool runs(void)
{
	return ends(submit(), RUN_MS);
}

static bool is_pinned(void)
{
	return counters_pins(vgpu) >= PAGES;
}

/* The context runs for that long, again and again. */
static bool keeps_running(u64 us)
{
	u64 end = now_us() + us;

	while (now_us() < end) {
		if (!runs())
			return false;
		sleep_us(2000);
	}
	return true;
}

/* After so long, a hold before does not count any more. */
static int pre_copy(void)
{
	struct mig_stream stream = {};
	int fd;

	sleep_us(2 * DRAIN_MS * 1000 + ROUND_US);
	if (mig_set(&vgpu->dev, MIG_PRE_COPY, &fd) || mig_read(fd, &stream) != -ENOMSG)
		tap_die("no PRE_COPY");
	mig_free(&stream);
	return fd;
}

static void ask(int fd)
{
	u64 initial, dirty;

	if (mig_pre_copy_info(fd, &initial, &dirty))
		tap_die("no VFIO_MIG_GET_PRECOPY_INFO");
}

/*
 * Ask twice, until submissions are held. Return: the seqno of a request that is not processed; 0 if
 * submissions are not held, or too early.
 */
static u32 hold(int fd)
{
	u32 seqno;

	ask(fd);
	if (!keeps_running(ROUND_US))
		return 0;
	ask(fd);
	if (!keeps_running(BEFORE_US) || !wait_for(!is_pinned(), HELD_MS * slowness()))
		return 0;
	seqno = submit();
	return request_wait(&ctx, seqno, 20) ? 0 : seqno;
}

static void check_asked_twice(void)
{
	int fd = pre_copy();
	u32 seqno = hold(fd);

	tap_ok(seqno && !is_pinned(), "submissions are held, and memory is unpinned");
	ask(fd);
	tap_ok(!request_wait(&ctx, seqno, STOP_MS + 100), "also after the VMM has asked once");
	ask(fd);
	tap_ok(!request_wait(&ctx, seqno, STOP_MS - 100), "and when it may stop the guest");
	tap_ok(ends(seqno, 200),
	       "it has asked twice, and does not: submissions are held no more");
	tap_ok(is_pinned(), "the memory is pinned again");
	ask(fd);
	tap_ok(keeps_running(2 * ROUND_US), "the vGPU runs in the rounds that follow");
	mig_set(&vgpu->dev, MIG_RUNNING, NULL);
	close(fd);
}

/* Leaving PRE_COPY, and coming back, does not permit the next hold. */
static void check_back(void)
{
	int fd = pre_copy();
	u32 seqno = hold(fd), i;
	bool ran = true;

	/* No hold for twice as long, and that is longer than the vGPU runs below. */
	sleep_us(ROUND_US);
	mig_set(&vgpu->dev, MIG_PRE_COPY_P2P, NULL);
	mig_set(&vgpu->dev, MIG_PRE_COPY, NULL);
	tap_ok(seqno && ends(seqno, RUN_MS), "a change to PRE_COPY_P2P and back ends a hold");
	for (i = 0; i < 5; i++) {
		ask(fd);
		ran &= keeps_running(RUN_MS * 1000 / 2);
	}
	tap_ok(ran, "the vGPU is not held again at once");
	mig_set(&vgpu->dev, MIG_RUNNING, NULL);
	close(fd);
}

static void check_asked_no_more(void)
{
	int fd = pre_copy();
	u32 seqno = hold(fd);

	tap_ok(seqno && !request_wait(&ctx, seqno, HOLD_MS - 300),
	       "the VMM asks no more: submissions are held for two seconds");
	tap_ok(ends(seqno, 500), "and no longer");
	mig_set(&vgpu->dev, MIG_RUNNING, NULL);
	close(fd);
}

static void check_not_asked(void)
{
	int fd = pre_copy();

	ask(fd);
	tap_ok(keeps_running(3 * ROUND_US), "the VMM asks once: the vGPU runs");
	mig_set(&vgpu->dev, MIG_RUNNING, NULL);
	close(fd);
}

/* What VFIO does while submissions are held ends that. */
static void check_ends(const char *what, enum mig_state state)
{
	int fd = pre_copy();
	u32 seqno = hold(fd);

	tap_ok(seqno, "%s: submissions are held before", what);
	tap_eq(-mig_set(&vgpu->dev, state, NULL), 0, "%s", what);
	if (state != MIG_RUNNING)
		tap_eq(-mig_set(&vgpu->dev, MIG_RUNNING, NULL), 0, "%s: the vGPU goes on", what);
	tap_ok(ends(seqno, 300) && keeps_running(ROUND_US), "%s: the vGPU runs", what);
	close(fd);
}

static void check_reset(void)
{
	int fd = pre_copy();

	tap_ok(hold(fd), "a reset: submissions are held before");
	vgpu_reset(vgpu);
	begin(PAGES);
	tap_ok(keeps_running(ROUND_US), "a reset: the vGPU runs");
	close(fd);
}

/* The context runs until @spin ends. Return: the seqno of its request. */
static u32 begin_spinner(struct spinner *spin)
{
	u32 seqno;

	spinner_init(spin, &ctx, true);
	seqno = spinner_request_arb(spin, &ctx);
	context_submit(&ctx);
	tap_ok(request_wait_started(&ctx, seqno, SOON_MS), "a request runs on");
	return seqno;
}

/* A request that runs on keeps its memory, and is not hung for this. */
static void check_running(void)
{
	struct spinner spin;
	int fd = pre_copy();
	u32 seqno = begin_spinner(&spin);

	ask(fd);
	sleep_us(ROUND_US);
	ask(fd);
	sleep_us(BEFORE_US + DRAIN_MS * 1000 - 200000);
	tap_ok(is_pinned(), "its memory stays pinned");
	spinner_end(&spin);
	tap_ok(wait_for(!is_pinned(), 100 * slowness()), "when it ends, the memory is unpinned");
	tap_ok(request_done(&ctx, seqno) && engine_wait_idle(ctx.engine, SOON_MS),
	       "it was not hung");
	seqno = submit();
	tap_ok(!request_wait(&ctx, seqno, ROUND_US / 1000),
	       "submissions are held for longer than the request ran");
	mig_set(&vgpu->dev, MIG_RUNNING, NULL);
	close(fd);
	tap_ok(ends(seqno, RUN_MS) && runs(), "the vGPU runs");
}

/* One that runs for too long has the others held until then, and not longer. */
static void check_runs_on(void)
{
	struct spinner spin;
	struct context other;
	int fd = pre_copy();
	u32 seqno = begin_spinner(&spin), later;

	context_init(&other, vgpu, BCS, NULL);
	ask(fd);
	sleep_us(ROUND_US);
	ask(fd);
	sleep_us(BEFORE_US + HELD_MS * 1000);
	request_begin(&other);
	later = request_end(&other);
	context_submit(&other);
	tap_ok(!request_wait(&other, later, DRAIN_MS - 500),
	       "another engine's submissions are held meanwhile");
	tap_ok(request_wait(&other, later, 700 * slowness()), "and no longer");
	tap_ok(is_pinned() && !request_done(&ctx, seqno), "the request runs on");
	spinner_end(&spin);
	tap_ok(request_wait(&ctx, seqno, SOON_MS) && engine_wait_idle(ctx.engine, SOON_MS),
	       "to its end");
	mig_set(&vgpu->dev, MIG_RUNNING, NULL);
	close(fd);
	tap_ok(runs(), "the vGPU runs");
}

static void check_little(void)
{
	int fd, i;
	bool ran = true;

	vgpu_reset(vgpu);
	begin(FEW_PAGES);
	fd = pre_copy();
	for (i = 0; i < 4; i++) {
		ask(fd);
		ran &= keeps_running(ROUND_US);
	}
	tap_ok(ran && counters_pins(vgpu) >= FEW_PAGES, "little is pinned: the vGPU runs");
	for (i = 0; i < 40 && counters_pins(vgpu) >= FEW_PAGES; i++) {
		ask(fd);
		sleep_us(100000);
	}
	tap_ok(counters_pins(vgpu) < FEW_PAGES, "unused pages are unpinned, however often it asks");
	/* Closed in PRE_COPY. */
	close(fd);
}

/*
 * vGPUs that do not fit together: one that is held while it waits for room does not keep the token,
 * and has the other not wait for it.
 */
static void check_token(void)
{
	struct space own, others;
	struct vgpu *other;
	u64 longest = 0, t0;
	u32 i, seqno;
	int fd;

	vgpu_reset(vgpu);
	other = vgpu_new(MDEV_TYPE_SMALL);
	space_init(&own, vgpu, PAGES);
	space_init(&others, other, PAGES);
	tap_ok(!gpu_attr_set("pinned_max_mb", LIMIT_MB) && space_runs(&others, 1),
	       "two vGPUs need more than they may pin");
	fd = pre_copy();
	seqno = space_submit(&own, 1);
	tap_ok(wait_for(counters_pins(vgpu) > PAGES / 2, SOON_MS), "one takes memory of the other");
	ask(fd);
	sleep_us(10000);
	ask(fd);
	tap_ok(wait_for(counters_pins(vgpu) < PAGES / 4, HELD_MS * slowness()), "it is held");
	for (i = 0; i < 20; i++) {
		t0 = now_us();
		if (!space_runs(&others, 2 + i))
			break;
		longest = now_us() - t0 > longest ? now_us() - t0 : longest;
	}
	tap_ok(i == 20 && longest < RUN_MS * 1000 * slowness(), "the other runs meanwhile: %u us",
	       (u32)longest);
	mig_set(&vgpu->dev, MIG_RUNNING, NULL);
	close(fd);
	tap_ok(request_wait(&own.ctx, seqno, SOON_MS), "the first one runs when it is not held");
	gpu_attr_set("pinned_max_mb", limit);
	vgpu_free(other);
}

int main(void)
{
	vgpu_test_init(180);
	vgpu = vgpu_new(MDEV_TYPE_SMALL);
	if (!mig_has_pre_copy(&vgpu->dev)) {
		vgpu_free(vgpu);
		tap_skip_all("this kernel has no PRE_COPY");
	}
	begin(PAGES);
	check_not_asked();
	check_asked_twice();
	check_asked_no_more();
	check_back();
	check_ends("STOP", MIG_STOP);
	check_ends("STOP_COPY", MIG_STOP_COPY);
	check_ends("RUNNING", MIG_RUNNING);
	check_reset();
	check_running();
	check_runs_on();
	snprintf(limit, sizeof(limit), "%ld", gpu_attr_number("pinned_max_mb"));
	check_token();
	check_little();
	tap_ok(ram_canary_intact(&vgpu->ram), "no stray write");
	vgpu_free(vgpu);
	return vgpu_test_done();
}
