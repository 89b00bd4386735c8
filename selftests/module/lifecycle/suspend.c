// SPDX-License-Identifier: GPL-2.0
/*
 * System sleep: the GPU loses its state, but its guests are not affected.
 *
 * Puts the machine to sleep for a few seconds, so it runs only on request.
 */
#include <errno.h>
#include <pthread.h>
#include <sys/mman.h>

#include "clock.h"
#include "context.h"
#include "ggtt.h"
#include "gpu.h"
#include "guard.h"
#include "knob.h"
#include "sleep.h"
#include "stuck.h"
#include "tap.h"
#include "vgpu.h"

/* The module waits for five seconds. */
#define REFUSED_MS	(15000 * slowness())

#define NR_PAGES	32
#define PITCH		1024
#define VALUE		0x51ee9000u

/* User space must not be frozen while a guest's memory may depend on it. */
static void check_stuck(void)
{
	struct stuck stuck;
	u64 start;

	if (!stuck_begin(&stuck)) {
		tap_skip("no FUSE", "memory that does not arrive");
		return;
	}
	start = now_us();
	tap_eq(-sleep_once(), EBUSY, "while memory does not arrive, the machine does not sleep");
	tap_ok(now_us() - start < REFUSED_MS * 1000ULL, "the sleep fails soon");
	tap_ok(stuck_end(&stuck), "the memory arrives, and all vGPUs work");
	tap_eq(-sleep_once(), 0, "the machine sleeps, and wakes up");
}

static bool set_gpr(struct context *ctx, u32 value)
{
	request_begin(ctx);
	cs_lri(&ctx->ring, ctx->engine->info->base + CONTEXT_GPR, value);
	return request_run(ctx, request_end(ctx));
}

/* A fence, X tiled, over all of @low's pages. */
static u64 fence_value(u64 low)
{
	u32 last = low + (NR_PAGES - 1) * PAGE_SIZE;

	return (u64)(last | (PITCH / 128 - 1)) << 32 | low | FENCE_VALID;
}

static void check_sleep(struct vgpu *vgpu, struct vgpu *busy)
{
	struct context ctx[VGPU_NR_ENGINES], endless;
	u64 gpa = ram_alloc(&vgpu->ram, NR_PAGES);
	u64 low = ggtt_bind_low(vgpu, gpa, NR_PAGES);
	u8 *second_row = vgpu->aperture + low + PITCH;
	struct spinner spin;
	u32 e, bad = 0, word = 0, seqno;

	for (e = 0; e < VGPU_NR_ENGINES; e++) {
		context_init(&ctx[e], vgpu, e, NULL);
		bad += !set_gpr(&ctx[e], VALUE + e);
		context_keep_state(&ctx[e]);
	}
	tap_eq(bad, 0, "contexts have state");
	mmio_write_width(vgpu, GEN_FENCE_LO(0), 8, fence_value(low));
	ram_write32(&vgpu->ram, gpa + 512, VALUE);	/* in tile 0, row 1 */
	tap_ok(guard_read32(second_row, &word) && word == VALUE, "a fence applies");
	context_init(&endless, busy, RCS, NULL);
	spinner_init(&spin, &endless, true);
	seqno = spinner_request(&spin, &endless);
	context_submit(&endless);
	tap_ok(request_wait_started(&endless, seqno, SOON_MS), "another vGPU spins");

	tap_eq(-sleep_once(), 0, "the machine sleeps, and wakes up");

	bad = 0;
	for (e = 0; e < VGPU_NR_ENGINES; e++)
		bad += !context_gpr_is(&ctx[e], VALUE + e);
	tap_eq(bad, 0, "contexts have their state after sleep");
	tap_eq(mmio_read_width(vgpu, GEN_FENCE_LO(0), 8), fence_value(low),
	       "the fence is as before");
	word = 0;
	tap_ok(guard_read32(second_row, &word) && word == VALUE,
	       "the view through the fence is as before");
	mmio_write_width(vgpu, GEN_FENCE_LO(0), 8, 0);
	tap_ok(!request_done(&endless, seqno), "the other vGPU still spins");
	spinner_end(&spin);
	tap_ok(request_wait(&endless, seqno, SOON_MS) && engine_wait_idle(endless.engine, SOON_MS),
	       "it completes when told to");
}

static bool over;

/* An administrator that changes policies and attributes right before and after sleep. */
static void *administrate(void *arg)
{
	static const char *const policies[] = { "fair", "rr", "credit", "cap" };
	static const char *const controllers[] = { "lend", "gover" };
	const struct vgpu *vgpu = arg;
	u32 i;

	for (i = 0; !READ_ONCE(over); i++) {
		gpu_attr_set("policy", policies[i % ARRAY_SIZE(policies)]);
		gpu_attr_set("oversub", controllers[i % ARRAY_SIZE(controllers)]);
		knob_set(vgpu->uuid, CAP, 500 + i % 501);
		knob_set(vgpu->uuid, STOP, 1);
		knob_set(vgpu->uuid, STOP, 0);
		sleep_us(3000);
	}
	return NULL;
}

/* Again, while the policy and shares change all the time. */
static void check_administrator(struct vgpu *vgpu, struct vgpu *busy)
{
	pthread_t thread;

	knob_set(busy->uuid, WEIGHT, 77);
	if (pthread_create(&thread, NULL, administrate, vgpu))
		tap_die("no thread");
	check_sleep(vgpu, busy);
	WRITE_ONCE(over, true);
	pthread_join(thread, NULL);
	tap_eq(knob_get(busy->uuid, WEIGHT), 77, "a weight is unchanged");
	gpu_attr_set("policy", "fair");
	gpu_attr_set("oversub", "none");
}

int main(void)
{
	struct vgpu *vgpu, *busy;

	vgpu_test_init(180);
	if (!sleep_possible())
		tap_skip_all("this machine cannot sleep and wake up by itself");
	check_stuck();
	vgpu = vgpu_new(MDEV_TYPE_SMALL);
	busy = vgpu_new(MDEV_TYPE_SMALL);
	/* A root file system may sleep longer than its users. */
	mlockall(MCL_CURRENT | MCL_FUTURE);
	check_sleep(vgpu, busy);
	gpu_attr_set("oversub", "lend");
	check_sleep(busy, vgpu);
	tap_ok(gpu_attr_is("oversub", "lend"), "the controller of caps runs again");
	check_administrator(vgpu, busy);
	/* Without a disk to swap to, it would fail with another error. */
	tap_eq(-hibernate(), EBUSY, "while a vGPU is open, the machine does not hibernate");
	tap_ok(vgpu_works(vgpu), "the first vGPU works after a reset");
	tap_ok(vgpu_works(busy), "the second vGPU works after a reset");
	tap_eq(-vgpu_free(busy), 0, "the first vGPU can be removed");
	tap_eq(-vgpu_free(vgpu), 0, "the second vGPU can be removed");
	return vgpu_test_done();
}
