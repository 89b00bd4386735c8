// SPDX-License-Identifier: GPL-2.0
/* VFIO_DEVICE_RESET in every state. */
#include <pthread.h>
#include <string.h>

#include "clock.h"
#include "context.h"
#include "ggtt.h"
#include "spinning.h"
#include "tap.h"
#include "used.h"
#include "vgpu.h"

/* The state that the guest sees is that of a new vGPU. */
static void check_fresh(struct vgpu *vgpu)
{
	u32 i, left = 0;

	tap_eq(vfio_config_read(&vgpu->dev, 4, 2) & 7, 0, "reset: command is clear");
	tap_eq(mmio_read(vgpu, GEN_MASTER_IRQ), 0, "reset: interrupts are off");
	tap_eq(mmio_read(vgpu, GEN_GT_IIR(0)), 0, "reset: no interrupt is pending");
	for (i = 0; i < VGPU_NR_ENGINES; i++) {
		struct engine *e = &vgpu->engines[i];

		tap_eq(engine_read(e, RING_MODE) & RING_MODE_RUN_LIST, 0, "%s: run list is off",
		       e->info->name);
		tap_eq(engine_read(e, RING_HWS_PGA), 0, "%s: no status page", e->info->name);
	}
	for (i = 0; i < GEN_GSM_SIZE / 8; i++)
		left += !!vgpu->gsm[i];
	tap_eq(left, 0, "reset: the GGTT is clear");
	tap_eq(mmio_read_width(vgpu, GEN_FENCE_LO(0), 8), 0, "reset: fences are off");
}

static void check_idle(struct vgpu *vgpu)
{
	mmio_write_width(vgpu, GEN_FENCE_LO(0), 8, 0x100000001001ULL);
	ggtt_set(vgpu, GEN_LOW_GM_SIZE + MB(100), 0x20000 | GEN_PTE_PRESENT);
	tap_eq(vfio_device_reset(&vgpu->dev), 0, "reset of an idle vGPU");
	check_fresh(vgpu);
	tap_eq(vfio_device_reset(&vgpu->dev), 0, "a second reset follows at once");
	vgpu_start(vgpu);
	tap_ok(vgpu_works(vgpu), "the vGPU works afterwards");
}

static void check_before_start(void)
{
	char uuid[MDEV_UUID_SIZE];
	struct vgpu *vgpu;

	mdev_new_uuid(uuid);
	mdev_create(MDEV_TYPE_SMALL, uuid);
	vgpu = vgpu_open(uuid);
	if (!tap_ok(vgpu, "a vGPU is opened"))
		return;
	tap_eq(vfio_device_reset(&vgpu->dev), 0, "a reset is the first operation");
	vgpu_start(vgpu);
	tap_ok(vgpu_works(vgpu), "the vGPU works");
	vgpu_free(vgpu);
}

static void check_running(struct vgpu *vgpu, struct vgpu *other, bool arbitrate)
{
	const char *kind = arbitrate ? "spinning" : "hung";
	struct context ctx[VGPU_NR_ENGINES];
	struct spinner spin[VGPU_NR_ENGINES];
	bool started = true;
	u32 i;

	for (i = 0; i < VGPU_NR_ENGINES; i++) {
		u32 seqno;

		context_init(&ctx[i], vgpu, i, NULL);
		spinner_init(&spin[i], &ctx[i], arbitrate);
		seqno = spinner_request(&spin[i], &ctx[i]);
		context_submit(&ctx[i]);
		started &= request_wait_started(&ctx[i], seqno, SOON_MS);
	}
	tap_ok(started, "%s on all engines", kind);
	tap_eq(vfio_device_reset(&vgpu->dev), 0, "%s: reset", kind);
	/* Work from before the reset must not write any more. */
	memset(vgpu->ram.ptr, 0, vgpu->ram.size);
	tap_ok(vgpu_works(other), "%s: another vGPU has used each engine since", kind);
	for (i = 0; i < vgpu->ram.size; i += 4)
		if (*(u32 *)(vgpu->ram.ptr + i))
			break;
	tap_eq(i, vgpu->ram.size, "%s: memory is not written after the reset", kind);
	vgpu_start(vgpu);
	tap_ok(vgpu_works(vgpu), "%s: the vGPU works afterwards", kind);
	tap_ok(vgpu_works(other), "%s: another vGPU works", kind);
}

static void check_queued(struct vgpu *vgpu)
{
	struct context a, b;
	struct spinner spin;

	context_init(&a, vgpu, RCS, NULL);
	context_init(&b, vgpu, RCS, NULL);
	spinner_init(&spin, &a, true);
	spinner_request(&spin, &a);
	request_begin(&b);
	request_end(&b);
	context_submit2(&a, &b);
	tap_eq(vfio_device_reset(&vgpu->dev), 0, "reset right after a submission");
	vgpu_start(vgpu);
	tap_ok(vgpu_works(vgpu), "the vGPU works afterwards");
}

/* Interrupts from before the reset are not delivered after it. */
static void check_interrupts(struct vgpu *vgpu)
{
	struct context ctx;
	u32 seqno;

	vgpu_reset(vgpu);
	context_init(&ctx, vgpu, BCS, NULL);
	mmio_write(vgpu, GEN_MASTER_IRQ, 0);
	request_begin(&ctx);
	seqno = request_end(&ctx);
	request_run(&ctx, seqno);
	vfio_device_reset(&vgpu->dev);
	while (irq_service(vgpu, 10))
		;
	vgpu_start(vgpu);
	tap_ok(!irq_service(vgpu, 50), "no interrupt from before the reset arrives");
}

static void *reset_often(void *arg)
{
	struct vgpu *vgpu = arg;
	u64 end = now_us() + 3000000, count = 0, refused = 0;

	while (now_us() < end) {
		refused += !!vfio_device_reset(&vgpu->dev);
		count++;
		sleep_us(count % 7 * 300);
	}
	tap_diag("%llu resets", (unsigned long long)count);
	return (void *)(count ? refused : 1);
}

/* While another thread, as another vCPU, starts a driver. */
static void check_races(struct vgpu *vgpu, struct vgpu *other)
{
	u64 end = now_us() + 3000000;
	struct context ctx;
	pthread_t thread;
	void *refused;
	u32 n = 0;

	pthread_create(&thread, NULL, reset_often, vgpu);
	while (now_us() < end) {
		vgpu_start(vgpu);
		context_init(&ctx, vgpu, n++ % VGPU_NR_ENGINES, NULL);
		request_begin(&ctx);
		request_end(&ctx);
		context_commit(&ctx);
		engine_elsp(ctx.engine, context_desc(&ctx), 0);
	}
	pthread_join(thread, &refused);
	tap_diag("during %u driver starts", n);
	tap_eq((unsigned long)refused, 0, "no reset is refused while a driver starts");
	tap_ok(vgpu_works(vgpu), "the vGPU works afterwards");
	tap_ok(vgpu_works(other), "another vGPU works");
}

#define BATCH_ADDR	0x40000000ull
#define NO_COMMAND	0xe0000000
#define LOOP_MS		6000
/* A vGPU's budget of real resets: the burst, and the interval of one more. */
#define RESETS_AT_ONCE	30
#define RESET_EVERY_MS	2000

static u64 held(const struct vgpu *vgpu)
{
	return used_get(vgpu->uuid, RCS, "held");
}

/* Until @end, a guest resets its engine as soon as its work, which never yields, runs. */
static u32 reset_in_a_loop(struct vgpu *vgpu, u64 end)
{
	struct context ctx;
	struct spinner spin;
	u32 n = 0, seqno;

	context_init(&ctx, vgpu, RCS, NULL);
	spinner_init(&spin, &ctx, false);
	while (now_us() < end) {
		seqno = spinner_request(&spin, &ctx);
		context_submit(&ctx);
		while (now_us() < end && !request_started(&ctx, seqno))
			sleep_us(200);
		engine_reset(ctx.engine);
		ctx.engine->bad = false;
		ctx.state[LRC_RING_HEAD] = cs_offset(&ctx.ring);
		n++;
	}
	return n;
}

/* Until @end, the engine stops with an error at once, whenever it runs. */
static u32 fail_in_a_loop(struct vgpu *vgpu, u64 end)
{
	u64 gpa = ram_alloc(&vgpu->ram, 1);
	struct context ctx;
	struct cs batch;
	u32 n = 0;

	context_init(&ctx, vgpu, RCS, NULL);
	ppgtt_map(ctx.ppgtt, BATCH_ADDR, gpa, 1);
	cs_init(&batch, ram_ptr(&vgpu->ram, gpa), PAGE_SIZE);
	cs_dw(&batch, NO_COMMAND);
	cs_end(&batch);
	while (now_us() < end) {
		request_begin(&ctx);
		request_batch(&ctx, BATCH_ADDR);
		request_end(&ctx);
		context_submit(&ctx);
		while (now_us() < end && !engine_read(ctx.engine, RING_EIR))
			sleep_us(200);
		engine_write(ctx.engine, RING_EIR, ~0u);
		engine_reset(ctx.engine);
		ctx.engine->bad = false;
		ctx.state[LRC_RING_HEAD] = cs_offset(&ctx.ring);
		n++;
	}
	return n;
}

/* The rate of real resets is limited, and so is a neighbour's loss by them. */
static void check_loop(struct vgpu *vgpu, const char *what, u32 (*loop)(struct vgpu *, u64))
{
	u64 start = now_us(), loop_ns, other_ns;
	long resets, most;
	struct spinning other;
	u32 n;

	vgpu_reset(vgpu);
	spinning_init(&other);
	spinning_go(&other);
	resets = used_get(vgpu->uuid, RCS, "resets");
	loop_ns = held(vgpu);
	other_ns = held(other.vgpu);
	n = loop(vgpu, now_us() + LOOP_MS * 1000);
	loop_ns = held(vgpu) - loop_ns;
	other_ns = held(other.vgpu) - other_ns;
	resets = used_get(vgpu->uuid, RCS, "resets") - resets;
	most = RESETS_AT_ONCE + 1 + (now_us() - start) / 1000 / RESET_EVERY_MS;
	tap_diag("%s: %u resets asked for, %ld of the engine; %llu ms of it, %llu the neighbour's",
		 what, n, resets, loop_ns / 1000000, other_ns / 1000000);
	tap_ok(resets > 0, "%s: a guest has its engine reset in a loop", what);
	tap_ok(resets <= most, "%s: the rate of engine resets is within the limit", what);
	tap_ok(other_ns > loop_ns * 2, "%s: the neighbour gets most of the engine", what);
	tap_ok(spinning_stop(&other), "%s: the neighbour loses no request", what);
	spinning_free(&other);
	tap_ok(vgpu_works(vgpu), "%s: the vGPU works afterwards", what);
}

int main(void)
{
	struct vgpu *vgpu, *other;

	vgpu_test_init(200);
	check_before_start();
	vgpu = vgpu_new(MDEV_TYPE_SMALL);
	other = vgpu_new(MDEV_TYPE_SMALL);
	check_idle(vgpu);
	check_running(vgpu, other, true);
	check_running(vgpu, other, false);
	check_queued(vgpu);
	check_interrupts(vgpu);
	check_races(vgpu, other);
	check_loop(vgpu, "work that does not yield", reset_in_a_loop);
	/* This one has used up its budget of resets: the other one has not. */
	check_loop(other, "an unknown command", fail_in_a_loop);
	vgpu_free(vgpu);
	vgpu_free(other);
	return vgpu_test_done();
}
