// SPDX-License-Identifier: GPL-2.0
/* VFIO_DEVICE_RESET in every state. */
#include <pthread.h>
#include <string.h>

#include "clock.h"
#include "context.h"
#include "ggtt.h"
#include "tap.h"
#include "vgpu.h"

/* What the guest can see is as in a new vGPU. */
static void check_fresh(struct vgpu *vgpu)
{
	u32 i, left = 0;

	tap_eq(vfio_config_read(&vgpu->dev, 4, 2) & 7, 0, "reset: command is clear");
	tap_eq(mmio_read(vgpu, GEN_MASTER_IRQ), 0, "reset: interrupts are off");
	tap_eq(mmio_read(vgpu, GEN_GT_IIR(0)), 0, "reset: nothing is pending");
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
	tap_eq(vfio_device_reset(&vgpu->dev), 0, "and at once again");
	vgpu_start(vgpu);
	tap_ok(vgpu_works(vgpu), "it works afterwards");
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
	tap_eq(vfio_device_reset(&vgpu->dev), 0, "reset before anything else");
	vgpu_start(vgpu);
	tap_ok(vgpu_works(vgpu), "it works");
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
	/* Nothing of the old life writes any more. */
	memset(vgpu->ram.ptr, 0, vgpu->ram.size);
	tap_ok(vgpu_works(other), "%s: another vGPU has had every engine since", kind);
	for (i = 0; i < vgpu->ram.size; i += 4)
		if (*(u32 *)(vgpu->ram.ptr + i))
			break;
	tap_eq(i, vgpu->ram.size, "%s: memory is left alone after it", kind);
	vgpu_start(vgpu);
	tap_ok(vgpu_works(vgpu), "%s: it works afterwards", kind);
	tap_ok(vgpu_works(other), "%s: so does another vGPU", kind);
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
	tap_ok(vgpu_works(vgpu), "it works afterwards");
}

/* Interrupts of before the reset do not come after it. */
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
	tap_ok(!irq_service(vgpu, 50), "no interrupt is left over");
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

/* While another thread, as another vCPU, does what a driver does. */
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
	tap_diag("against %u starts", n);
	tap_eq((unsigned long)refused, 0, "no reset is refused while a driver starts");
	tap_ok(vgpu_works(vgpu), "it works afterwards");
	tap_ok(vgpu_works(other), "so does another vGPU");
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
	vgpu_free(vgpu);
	vgpu_free(other);
	return vgpu_test_done();
}
