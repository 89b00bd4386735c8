// SPDX-License-Identifier: GPL-2.0
/*
 * In pre-copy a vGPU has only pinned what it uses: VFIO counts all that is pinned as dirty. What
 * runs stays pinned, what runs again is pinned again, and else page tables stay pinned.
 */
#include <unistd.h>

#include "clock.h"
#include "context.h"
#include "counters.h"
#include "migration.h"
#include "tap.h"
#include "vgpu.h"

#define PAGES		1000
#define ADDR		0x40000000ull
#define VALUE		0x7213e000u
/* The module unpins what was not used for two seconds. */
#define LONG_US		4000000

static struct vgpu *vgpu;
static struct context ctx;
static u64 gpa;

/* The context's pages are in its page tables: its requests store to the last one. */
static void begin(void)
{
	context_init(&ctx, vgpu, RCS, NULL);
	gpa = ram_alloc(&vgpu->ram, PAGES);
	ppgtt_map(ctx.ppgtt, ADDR, gpa, PAGES);
}

static bool runs(u32 value)
{
	u64 last = (PAGES - 1) * PAGE_SIZE;
	struct cs batch;

	cs_init(&batch, ram_ptr(&vgpu->ram, gpa), PAGE_SIZE);
	cs_store(&batch, PPGTT, ADDR + last, value);
	cs_end(&batch);
	request_begin(&ctx);
	request_batch(&ctx, ADDR);
	return request_run(&ctx, request_end(&ctx)) &&
	       ram_read32(&vgpu->ram, gpa + last) == value;
}

static bool is_pinned(void)
{
	return counters_pins(vgpu) >= PAGES;
}

static int pre_copy(void)
{
	int fd;

	if (mig_set(&vgpu->dev, MIG_PRE_COPY, &fd))
		tap_die("no PRE_COPY");
	return fd;
}

/* @what: in which state it is now */
static void check_kept(const char *what)
{
	tap_ok(runs(VALUE), "%s: a context runs", what);
	sleep_us(LONG_US);
	tap_ok(is_pinned() && counters_used(vgpu) >= PAGES,
	       "%s: its pages stay pinned when it does not run", what);
}

static void check_unused(u32 round)
{
	tap_ok(wait_for(!is_pinned(), LONG_US / 1000 * slowness()),
	       "PRE_COPY: unused pages are unpinned, %u", round);
	tap_ok(runs(VALUE + round), "PRE_COPY: the context runs again, %u", round);
	tap_ok(is_pinned(), "PRE_COPY: its pages are pinned again, %u", round);
}

static void check_running(void)
{
	struct spinner spin;
	u32 seqno;

	spinner_init(&spin, &ctx, true);
	seqno = spinner_request_arb(&spin, &ctx);
	context_submit(&ctx);
	tap_ok(request_wait_started(&ctx, seqno, SOON_MS), "PRE_COPY: a batch runs");
	sleep_us(LONG_US);
	tap_ok(is_pinned() && !request_done(&ctx, seqno),
	       "PRE_COPY: all pages of a context that runs stay pinned");
	spinner_end(&spin);
	tap_ok(request_wait(&ctx, seqno, SOON_MS) && engine_wait_idle(ctx.engine, SOON_MS),
	       "PRE_COPY: the batch ends");
	check_unused(3);
}

int main(void)
{
	int fd;

	vgpu_test_init(120);
	vgpu = vgpu_new(MDEV_TYPE_SMALL);
	if (!mig_has_pre_copy(&vgpu->dev)) {
		vgpu_free(vgpu);
		tap_skip_all("this kernel has no PRE_COPY");
	}
	begin();
	check_kept("RUNNING");
	fd = pre_copy();
	check_unused(1);
	check_unused(2);
	check_running();
	tap_eq(-mig_set(&vgpu->dev, MIG_RUNNING, NULL), 0, "pre-copy is given up");
	close(fd);
	check_kept("given up");
	close(pre_copy());
	vgpu_reset(vgpu);
	begin();
	check_kept("reset in PRE_COPY");
	/* Closed in the middle of it. */
	close(pre_copy());
	tap_ok(wait_for(!is_pinned(), LONG_US / 1000 * slowness()),
	       "PRE_COPY: unused pages are unpinned, after a reset");
	tap_ok(ram_canary_intact(&vgpu->ram), "no stray write");
	vgpu_free(vgpu);
	return vgpu_test_done();
}
