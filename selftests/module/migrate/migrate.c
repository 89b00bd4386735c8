// SPDX-License-Identifier: GPL-2.0
/* A guest moves to another vGPU in the middle of its work, which goes on and is as it should be. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include <linux/pci_regs.h>

#include <gen/cmds.h>
#include <gen/pvinfo.h>

#include "clock.h"
#include "context.h"
#include "counters.h"
#include "fence.h"
#include "ggtt.h"
#include "gpu.h"
#include "hog.h"
#include "knob.h"
#include "migration.h"
#include "tap.h"
#include "used.h"
#include "vgpu.h"

#define DATA_ADDR	0x200000000000ULL
/* The preempt timeout, and as much for locks and a slow machine. */
#define STOP_US		(1500000 * slowness())

/* The guest moves to a new vGPU of the same type, and the old one is removed. */
static bool move(struct vgpu *vgpu, const char *what)
{
	char old[MDEV_UUID_SIZE], uuid[MDEV_UUID_SIZE];
	int ret;

	memcpy(old, vgpu->uuid, sizeof(old));
	mdev_new_uuid(uuid);
	if (mdev_create(MDEV_TYPE_SMALL, uuid))
		tap_die("no second vGPU");
	ret = mig_move(vgpu, uuid);
	if (!tap_eq(-ret, 0, "%s: the guest moves", what)) {
		mdev_remove(strcmp(vgpu->uuid, uuid) ? uuid : old);
		return false;
	}
	tap_eq(-mdev_remove(old), 0, "%s: the source is removed", what);
	return true;
}

/* Registers that a guest has written, by offset; and other state that it can read. */
struct seen {
	u32 regs[32];
	u32 count;
	u64 pte[3];
	u32 config[4];
	u64 counters[2];
};

static void look_reg(struct vgpu *vgpu, struct seen *seen, u32 offset)
{
	seen->regs[seen->count++] = mmio_read(vgpu, offset);
}

static void look(struct vgpu *vgpu, struct seen *seen, u64 low)
{
	u32 i;

	memset(seen, 0, sizeof(*seen));
	for (i = 0; i < VGPU_NR_ENGINES; i++) {
		u32 base = engine_infos[i].base;

		look_reg(vgpu, seen, base + RING_HWS_PGA);
		look_reg(vgpu, seen, base + RING_MODE);
		look_reg(vgpu, seen, base + RING_IMR);
		look_reg(vgpu, seen, base + RING_CSB_PTR);
	}
	look_reg(vgpu, seen, GEN_GT_IMR(0));
	look_reg(vgpu, seen, GEN_GT_IER(1));
	look_reg(vgpu, seen, GEN_MASTER_IRQ);
	look_reg(vgpu, seen, GEN_PAT_LO);
	look_reg(vgpu, seen, GEN_FENCE_LO(3));
	look_reg(vgpu, seen, GEN_FENCE_HI(3));
	look_reg(vgpu, seen, PVINFO_BASE + PVINFO_O_DISPLAY_READY);
	look_reg(vgpu, seen, PVINFO_BASE + PVINFO_O_PDP(0));
	look_reg(vgpu, seen, PVINFO_BASE + PVINFO_O_FRAMES);
	seen->pte[0] = vgpu->gsm[low / PAGE_SIZE];
	seen->pte[1] = vgpu->gsm[(GEN_LOW_GM_SIZE + vgpu->high_size) / PAGE_SIZE - 1];
	seen->pte[2] = vgpu->gsm[GEN_LOW_GM_SIZE / PAGE_SIZE];
	seen->config[0] = vfio_config_read(&vgpu->dev, PCI_BASE_ADDRESS_0, 4);
	seen->config[1] = vfio_config_read(&vgpu->dev, PCI_BASE_ADDRESS_2, 4);
	seen->config[2] = vfio_config_read(&vgpu->dev, PCI_INTERRUPT_LINE, 1);
	seen->config[3] = vfio_config_read(&vgpu->dev, GEN_PCI_MSI_CAP + PCI_MSI_DATA_32, 2);
	seen->counters[0] = counters_number(vgpu, "state", "submissions");
	seen->counters[1] = counters_number(vgpu, "state", "ggtt_flushes");
}

static void check_state(struct vgpu *vgpu, struct context *ctx)
{
	u64 last = GEN_LOW_GM_SIZE + vgpu->high_size - PAGE_SIZE;
	u64 gpa = ram_alloc(&vgpu->ram, 32), low = ggtt_bind_low(vgpu, gpa, 32);
	struct seen before, after;
	u32 i;

	fence_set(vgpu, 3, &tilings[0], low, 32, 4096);
	mmio_write(vgpu, GEN_PAT_LO, 0x12345678);
	mmio_write(vgpu, PVINFO_BASE + PVINFO_O_FRAMES, 17);
	vfio_config_write(&vgpu->dev, PCI_BASE_ADDRESS_0, 4, 0xf1000000);
	vfio_config_write(&vgpu->dev, PCI_BASE_ADDRESS_2, 4, 0xa0000000);
	vfio_config_write(&vgpu->dev, PCI_INTERRUPT_LINE, 1, 11);
	ggtt_set(vgpu, last, (gpa + PAGE_SIZE) | GEN_PTE_PRESENT);
	for (i = 0; i < VGPU_NR_ENGINES; i++) {
		request_begin(&ctx[i]);
		cs_lri(&ctx[i].ring, ctx[i].engine->info->base + CONTEXT_GPR, 0x5eed0000 + i);
		tap_ok(request_run(&ctx[i], request_end(&ctx[i])), "%s: a request runs",
		       ctx[i].engine->info->name);
	}
	look(vgpu, &before, low);
	if (!move(vgpu, "idle"))
		return;
	look(vgpu, &after, low);
	for (i = 0; i < before.count; i++)
		tap_eq(after.regs[i], before.regs[i], "register %u of those that the guest wrote",
		       i);
	for (i = 0; i < ARRAY_SIZE(before.pte); i++)
		tap_eq(after.pte[i], before.pte[i], "GGTT entry %u", i);
	for (i = 0; i < ARRAY_SIZE(before.config); i++)
		tap_eq(after.config[i], before.config[i], "word %u of the configuration space", i);
	for (i = 0; i < ARRAY_SIZE(before.counters); i++)
		tap_ok(after.counters[i] == before.counters[i] && after.counters[i],
		       "counter %u goes on", i);
	tap_ok(after.pte[1] && after.regs[before.count - 1] == 17 && after.config[2] == 11 &&
	       after.config[0] >> 24 == 0xf1, "they have values");
	vgpu->aperture[low] = 0x5a;
	tap_eq(*(u8 *)ram_ptr(&vgpu->ram, gpa), 0x5a, "the aperture shows the guest's memory");
	for (i = 0; i < VGPU_NR_ENGINES; i++) {
		tap_ok(context_gpr_is(&ctx[i], 0x5eed0000 + i),
		       "%s: the context has its registers, and runs", ctx[i].engine->info->name);
		tap_ok(!ctx[i].engine->bad, "%s: the execlist protocol is kept",
		       ctx[i].engine->info->name);
	}
}

/**
 * struct job - what an engine does while its guest moves
 * @first: a context that cannot end before it is told to
 * @second: a context behind it
 * @spin: the batch of @first; on the blitter it waits in its ring
 * @marks: memory: what @first's batch has stored before it spins, and what it stores after that
 * @seqno: of the requests
 */
struct job {
	struct context first;
	struct context second;
	struct spinner spin;
	u64 marks;
	u32 seqno[2];
};

#define WAIT_SLOT	30
#define BEFORE_SLOT	40
#define AFTER_SLOT	41

static bool waits_in_ring(const struct job *job)
{
	return job->first.engine->info->base == GEN_BCS0_BASE;
}

static void job_start(struct job *job, struct vgpu *vgpu, enum vgpu_engine engine)
{
	struct context *ctx = &job->first;

	context_init(ctx, vgpu, engine, NULL);
	context_init(&job->second, vgpu, engine, NULL);
	request_begin(ctx);
	cs_store(&ctx->ring, GGTT, context_slot(ctx, BEFORE_SLOT), 1);
	if (waits_in_ring(job)) {
		cs_semaphore_wait(&ctx->ring, GGTT, context_slot(ctx, WAIT_SLOT), SEMAPHORE_EQ, 7);
	} else {
		spinner_init(&job->spin, ctx, true);
		cs_arb(&ctx->ring, true);
		cs_batch(&ctx->ring, PPGTT, job->spin.addr);
	}
	cs_store(&ctx->ring, GGTT, context_slot(ctx, AFTER_SLOT), 2);
	job->seqno[0] = request_end(ctx);
	request_begin(&job->second);
	cs_copy(&job->second.ring, GGTT, context_slot(&job->second, AFTER_SLOT),
		context_slot(ctx, AFTER_SLOT));
	job->seqno[1] = request_end(&job->second);
	context_submit2(ctx, &job->second);
}

/* It runs, and what it has done so far is erased: it would show if it were done again. */
static bool job_runs(struct job *job)
{
	struct context *ctx = &job->first;
	bool started = request_wait_started(ctx, job->seqno[0], SOON_MS) &&
		       wait_for(context_slot_value(ctx, BEFORE_SLOT) == 1, SOON_MS);

	/* The batch or the wait comes right after the store. */
	sleep_us(20000);
	ram_write32(&ctx->vgpu->ram, ctx->fence + BEFORE_SLOT * 4, 0);
	return started && !request_done(ctx, job->seqno[0]);
}

static void job_end(struct job *job)
{
	struct context *ctx = &job->first;

	if (waits_in_ring(job))
		ram_write32(&ctx->vgpu->ram, ctx->fence + WAIT_SLOT * 4, 7);
	else
		spinner_end(&job->spin);
}

static void job_check(struct job *job, const char *what)
{
	const char *name = job->first.engine->info->name;
	bool done;

	tap_ok(!request_done(&job->first, job->seqno[0]), "%s: %s: it is still at work", what,
	       name);
	job_end(job);
	done = request_wait(&job->first, job->seqno[0], SOON_MS) &&
	       request_wait(&job->second, job->seqno[1], SOON_MS) &&
	       engine_wait_idle(job->first.engine, SOON_MS);
	if (!tap_ok(done, "%s: %s: both contexts complete", what, name))
		counters_explain(job->first.vgpu);
	tap_eq(context_slot_value(&job->first, BEFORE_SLOT), 0,
	       "%s: %s: what was done was not done again", what, name);
	tap_eq(context_slot_value(&job->second, AFTER_SLOT), 2, "%s: %s: in order", what, name);
	tap_ok(!job->first.engine->bad, "%s: %s: the execlist protocol is kept", what, name);
}

static void check_work(struct vgpu *vgpu, u32 moves, const char *what)
{
	static struct job jobs[VGPU_NR_ENGINES];
	u32 i, n;

	for (i = 0; i < VGPU_NR_ENGINES; i++)
		job_start(&jobs[i], vgpu, i);
	for (i = 0; i < VGPU_NR_ENGINES; i++)
		tap_ok(job_runs(&jobs[i]), "%s: %s is at work", what, engine_infos[i].name);
	for (n = 0; n < moves; n++) {
		if (!move(vgpu, what))
			break;
		sleep_us(5000);
	}
	for (i = 0; i < VGPU_NR_ENGINES; i++)
		job_check(&jobs[i], what);
	tap_ok(vgpu_works(vgpu), "%s: the vGPU works", what);
}

/* A batch that stores, calls @spin as a second-level batch, and stores once more. */
static void outer_batch(struct context *ctx, const struct spinner *spin, u64 outer, u64 data)
{
	struct vgpu *vgpu = ctx->vgpu;
	struct cs cs;

	ppgtt_map(ctx->ppgtt, DATA_ADDR, data, 1);
	ppgtt_map(ctx->ppgtt, DATA_ADDR + PAGE_SIZE, outer, 1);
	cs_init(&cs, ram_ptr(&vgpu->ram, outer), PAGE_SIZE);
	cs_store(&cs, PPGTT, DATA_ADDR, 1);
	cs_dw(&cs, MI_CMD(OP_MI_BATCH_BUFFER_START) | MI_BB_SECOND_LEVEL | MI_BB_PPGTT | 1);
	cs_dw(&cs, lower_32_bits(spin->addr));
	cs_dw(&cs, upper_32_bits(spin->addr));
	cs_store(&cs, PPGTT, DATA_ADDR + 8, 2);
	cs_end(&cs);
}

/* It goes on in the second-level batch, and returns from there. */
static void check_second_level(struct vgpu *vgpu)
{
	u64 outer = ram_alloc(&vgpu->ram, 1), data = ram_alloc(&vgpu->ram, 1);
	struct spinner spin;
	struct context ctx;
	u32 seqno;

	context_init(&ctx, vgpu, RCS, NULL);
	spinner_init(&spin, &ctx, true);
	outer_batch(&ctx, &spin, outer, data);
	request_begin(&ctx);
	cs_arb(&ctx.ring, true);
	cs_batch(&ctx.ring, PPGTT, DATA_ADDR + PAGE_SIZE);
	seqno = request_end(&ctx);
	context_submit(&ctx);
	tap_ok(wait_for(ram_read32(&vgpu->ram, data) == 1, SOON_MS),
	       "a second-level batch: it runs");
	sleep_us(20000);
	ram_write32(&vgpu->ram, data, 0);
	if (!move(vgpu, "a second-level batch"))
		return;
	sleep_us(5000);
	tap_eq(ram_read32(&vgpu->ram, data + 8), 0, "a second-level batch: it is still at work");
	spinner_end(&spin);
	tap_ok(request_wait(&ctx, seqno, SOON_MS) && engine_wait_idle(ctx.engine, SOON_MS),
	       "a second-level batch: it completes");
	tap_eq(ram_read32(&vgpu->ram, data), 0, "a second-level batch: nothing is done again");
	tap_eq(ram_read32(&vgpu->ram, data + 8), 2, "a second-level batch: it returns");
}

/* With a copy policy with places, too. */
static void check_places(struct vgpu *vgpu)
{
	if (!gpu_attr_offers("copy_policy", "slot")) {
		tap_skip("no copy policies with places", "with places");
		return;
	}
	tap_eq(-gpu_attr_set("copy_policy", "slot"), 0, "with places: the copy policy is set");
	check_work(vgpu, 2, "with places");
	tap_eq(-gpu_attr_set("copy_policy", "cached"), 0, "with places: it is set back");
}

/* The destination is given up, and the source goes on. */
static void check_cancel(struct vgpu *vgpu)
{
	static struct job jobs[VGPU_NR_ENGINES];
	struct mig_stream stream = { 0 };
	u32 i;

	for (i = 0; i < VGPU_NR_ENGINES; i++)
		job_start(&jobs[i], vgpu, i);
	for (i = 0; i < VGPU_NR_ENGINES; i++)
		tap_ok(job_runs(&jobs[i]), "cancelled: %s is at work", engine_infos[i].name);
	tap_eq(-mig_save(&vgpu->dev, &stream), 0, "cancelled: the vGPU is saved");
	mig_free(&stream);
	tap_eq(-mig_set(&vgpu->dev, MIG_RUNNING, NULL), 0, "cancelled: the source runs again");
	for (i = 0; i < VGPU_NR_ENGINES; i++)
		job_check(&jobs[i], "cancelled");
}

/* Drivers take their default state from the image after a first run, also if that was stopped. */
static void check_first_image(struct vgpu *vgpu)
{
	struct spinner spin;
	struct context ctx;
	u32 seqno, reg;

	context_init(&ctx, vgpu, RCS, NULL);
	reg = ctx.engine->info->base + CONTEXT_GPR;
	spinner_init(&spin, &ctx, true);
	request_begin(&ctx);
	cs_arb(&ctx.ring, true);
	cs_batch(&ctx.ring, PPGTT, spin.addr);
	cs_lri(&ctx.ring, reg, 0xdefa017);
	seqno = request_end(&ctx);
	context_submit(&ctx);
	tap_ok(request_wait_started(&ctx, seqno, SOON_MS), "a first run: it begins");
	sleep_us(20000);
	tap_eq(-mig_set(&vgpu->dev, MIG_STOP, NULL), 0, "a first run: the vGPU stops");
	tap_eq(-mig_set(&vgpu->dev, MIG_RUNNING, NULL), 0, "a first run: it runs again");
	spinner_end(&spin);
	tap_ok(request_wait(&ctx, seqno, SOON_MS) && engine_wait_idle(ctx.engine, SOON_MS),
	       "a first run: it ends");
	tap_ok(wait_for(context_image_has(&ctx, reg, 0xdefa017), SOON_MS),
	       "a first run: its image reaches the guest");
}

/* The first three of the four writes to ELSP, and the last one. */
static void submit_begin(struct context *ctx)
{
	context_commit(ctx);
	engine_write(ctx->engine, RING_ELSP, 0);
	engine_write(ctx->engine, RING_ELSP, 0);
	engine_write(ctx->engine, RING_ELSP, upper_32_bits(context_desc(ctx)));
}

static void submit_end(struct context *ctx)
{
	ctx->engine->pending = 1;
	engine_write(ctx->engine, RING_ELSP, lower_32_bits(context_desc(ctx)));
}

/* While it is stopped, what a guest submits waits, and moves with it. */
static void check_stopped(struct vgpu *vgpu, struct context *rcs, struct context *vcs)
{
	u32 seqno[2];

	tap_eq(-mig_set(&vgpu->dev, MIG_STOP, NULL), 0, "stopped: the vGPU stops");
	request_begin(rcs);
	seqno[0] = request_end(rcs);
	context_submit(rcs);
	request_begin(vcs);
	seqno[1] = request_end(vcs);
	submit_begin(vcs);
	sleep_us(50000);
	tap_ok(!request_started(rcs, seqno[0]), "stopped: a submission waits");
	if (!move(vgpu, "stopped"))
		return;
	tap_ok(request_wait(rcs, seqno[0], SOON_MS) && engine_wait_idle(rcs->engine, SOON_MS),
	       "stopped: the submission completes at the destination");
	tap_ok(!request_started(vcs, seqno[1]), "stopped: an incomplete one does not begin");
	submit_end(vcs);
	tap_ok(request_wait(vcs, seqno[1], SOON_MS) && engine_wait_idle(vcs->engine, SOON_MS),
	       "stopped: it does with its last write");
	tap_ok(!rcs->engine->bad && !vcs->engine->bad, "stopped: the execlist protocol is kept");
}

static void check_irqs(struct vgpu *vgpu, struct context *ctx)
{
	struct engine *engine = ctx->engine;
	u32 before, seqno;

	while (irq_service(vgpu, 20))
		;
	before = engine->user_irqs;
	mmio_write(vgpu, GEN_MASTER_IRQ, 0);
	request_begin(ctx);
	seqno = request_end(ctx);
	tap_ok(request_run(ctx, seqno), "interrupts: a request runs while they are disabled");
	tap_eq(-mig_set(&vgpu->dev, MIG_STOP, NULL), 0, "interrupts: the vGPU stops");
	mmio_write(vgpu, GEN_MASTER_IRQ, MASTER_IRQ_ENABLE);
	tap_ok(!irq_service(vgpu, 50), "interrupts: a stopped vGPU sends none");
	tap_eq(-mig_set(&vgpu->dev, MIG_RUNNING, NULL), 0, "interrupts: it runs again");
	tap_ok(irq_wait(vgpu, &engine->user_irqs, before + 1, SOON_MS),
	       "interrupts: the one that was due arrives");

	while (irq_service(vgpu, 20))
		;
	before = engine->user_irqs;
	mmio_write(vgpu, GEN_MASTER_IRQ, 0);
	request_begin(ctx);
	seqno = request_end(ctx);
	tap_ok(request_run(ctx, seqno), "interrupts: another request runs");
	tap_eq(-mig_set(&vgpu->dev, MIG_STOP, NULL), 0, "interrupts: the vGPU stops again");
	mmio_write(vgpu, GEN_MASTER_IRQ, MASTER_IRQ_ENABLE);
	if (!move(vgpu, "interrupts"))
		return;
	tap_ok(irq_wait(vgpu, &engine->user_irqs, before + 1, SOON_MS),
	       "interrupts: the one that was due arrives from the destination");
}

/* Its guest sees an engine that hangs, resets it, and goes on with another context. */
static void check_recovers(struct context *ctx, u32 seqno, const char *what)
{
	struct engine *engine = ctx->engine;

	engine_process(engine);
	tap_ok(!request_done(ctx, seqno) && engine->active && !engine->bad,
	       "%s: the guest sees silence", what);
	tap_ok(engine_reset(engine), "%s: it resets the engine", what);
	context_init(ctx, ctx->vgpu, engine->info - engine_infos, NULL);
	request_begin(ctx);
	tap_ok(request_run(ctx, request_end(ctx)), "%s: the engine works", what);
}

/* Whatever it does, it stops in time. */
static void check_stops(struct vgpu *vgpu, u64 bound_us, const char *what)
{
	u64 t0 = now_us();

	tap_eq(-mig_set(&vgpu->dev, MIG_RUNNING_P2P, NULL), 0, "%s: the vGPU stops", what);
	t0 = now_us() - t0;
	tap_ok(t0 < bound_us, "%s: in time, in %llu us", what, (unsigned long long)t0);
}

/* A batch that never yields is hung, as at the end of a turn. */
static void check_hog(struct vgpu *vgpu)
{
	const char *what = "a batch that never yields";
	long resets = used_get(vgpu->uuid, RCS, "resets");
	struct spinner spin;
	struct context ctx;
	u32 seqno;

	context_init(&ctx, vgpu, RCS, NULL);
	spinner_init(&spin, &ctx, false);
	seqno = spinner_request(&spin, &ctx);
	context_submit(&ctx);
	tap_ok(request_wait_started(&ctx, seqno, SOON_MS), "%s: it runs", what);
	check_stops(vgpu, STOP_US, what);
	tap_eq(used_get(vgpu->uuid, RCS, "resets"), resets + 1, "%s: the engine was reset", what);
	tap_eq(-mig_set(&vgpu->dev, MIG_RUNNING, NULL), 0, "%s: the vGPU runs again", what);
	check_recovers(&ctx, seqno, what);
}

/* It is reset for another vGPU: its guest, which sees silence, recovers at the destination. */
static void check_hung(struct vgpu *vgpu)
{
	struct vgpu *other = vgpu_new(MDEV_TYPE_SMALL);
	u64 resets = used_get(vgpu->uuid, RCS, "resets");
	struct spinner spin;
	struct context ctx;
	u32 seqno, status;

	context_init(&ctx, vgpu, RCS, NULL);
	spinner_init(&spin, &ctx, false);
	seqno = spinner_request(&spin, &ctx);
	context_submit(&ctx);
	tap_ok(request_wait_started(&ctx, seqno, SOON_MS), "hung: it runs");
	tap_ok(vgpu_works(other), "hung: another vGPU works");
	tap_ok(used_get(vgpu->uuid, RCS, "resets") > (long)resets, "hung: the engine was reset");
	vgpu_free(other);
	status = engine_read(ctx.engine, RING_EXECLIST_STATUS_HI);
	if (!move(vgpu, "hung"))
		return;
	tap_ok(status && engine_read(ctx.engine, RING_EXECLIST_STATUS_HI) == status,
	       "hung: the guest sees which context is to blame");
	check_recovers(&ctx, seqno, "hung");
}

#define TRIES	20

struct tries {
	struct vgpu *vgpu;
	bool end;
	u32 count;
	u32 bad;
};

static void *stop_often(void *arg)
{
	struct tries *t = arg;

	while (!READ_ONCE(t->end)) {
		t->bad += mig_set(&t->vgpu->dev, MIG_RUNNING_P2P, NULL) != 0;
		t->bad += mig_set(&t->vgpu->dev, MIG_RUNNING, NULL) != 0;
		t->count++;
	}
	return NULL;
}

/* One whose user stops it all the time: an administrator limits it nevertheless. */
static void check_admin(struct vgpu *vgpu)
{
	struct tries tries = { .vgpu = vgpu };
	struct spinner spin;
	struct context ctx;
	pthread_t thread;
	u64 t0, longest = 0;
	u32 seqno, i, bad = 0;

	context_init(&ctx, vgpu, RCS, NULL);
	spinner_init(&spin, &ctx, true);
	seqno = spinner_request_arb(&spin, &ctx);
	context_submit(&ctx);
	tap_ok(request_wait_started(&ctx, seqno, SOON_MS), "an administrator: the batch runs");
	pthread_create(&thread, NULL, stop_often, &tries);
	for (i = 0; i < TRIES; i++) {
		sleep_us(20000);
		t0 = now_us();
		bad += knob_set(vgpu->uuid, CPU_MAX, 500 + i * 10) != 0;
		longest = longest > now_us() - t0 ? longest : now_us() - t0;
	}
	tap_eq(bad, 0, "an administrator: the limit is set");
	tap_ok(longest < STOP_US / 5, "an administrator: at once, in %llu us",
	       (unsigned long long)longest);
	WRITE_ONCE(tries.end, true);
	pthread_join(thread, NULL);
	tap_ok(tries.count && !tries.bad, "an administrator: meanwhile the vGPU stopped %u times",
	       tries.count);
	spinner_end(&spin);
	tap_ok(request_wait(&ctx, seqno, SOON_MS) && engine_wait_idle(ctx.engine, SOON_MS),
	       "an administrator: the batch ends");
	knob_set(vgpu->uuid, CPU_MAX, 1000);
}

static void check_size(struct vgpu *vgpu)
{
	struct mig_stream stream;
	long size;

	if (mig_save(&vgpu->dev, &stream))
		tap_die("no stream");
	size = mig_data_size(&vgpu->dev);
	tap_ok(labs(size - (long)stream.len) < 64,
	       "the size of its data: %ld, and it has %zu bytes", size, stream.len);
	mig_free(&stream);
	tap_eq(-mig_set(&vgpu->dev, MIG_RUNNING, NULL), 0, "it runs again");
}

static void *end_soon(void *arg)
{
	sleep_us(200000);
	spinner_end(arg);
	return NULL;
}

/* A user batch of the blitter is a copy, which its context has to leave first. */
static u32 copy_begin(struct context *ctx, struct spinner *spin, struct vgpu *vgpu,
		      const char *what)
{
	u32 seqno;

	context_init(ctx, vgpu, BCS, NULL);
	spinner_init(spin, ctx, true);
	seqno = spinner_request_arb(spin, ctx);
	context_submit(ctx);
	tap_ok(request_wait_started(ctx, seqno, SOON_MS), "%s: it runs", what);
	return seqno;
}

static void copy_check(struct context *ctx, u32 seqno, const char *what)
{
	tap_ok(request_wait(ctx, seqno, SOON_MS) && engine_wait_idle(ctx->engine, SOON_MS),
	       "%s: its request completes", what);
	tap_ok(!ctx->engine->bad, "%s: the execlist protocol is kept", what);
}

static void check_copy(struct vgpu *vgpu)
{
	const char *what = "a batch of the blitter";
	struct spinner spin;
	struct context ctx;
	pthread_t thread;
	u32 seqno = copy_begin(&ctx, &spin, vgpu, what);

	pthread_create(&thread, NULL, end_soon, &spin);
	move(vgpu, what);
	pthread_join(thread, NULL);
	copy_check(&ctx, seqno, what);
}

#define NR_COPIES	30u
#define FIRST_COPIES	25u

/* Batches of the blitter that soon end: so many in one submission, and some behind it. */
struct copies {
	struct context ctx;
	struct spinner spin[NR_COPIES];
	u32 seqno[NR_COPIES];
};

static void *end_in_turn(void *arg)
{
	struct copies *copies = arg;
	u32 i;

	for (i = 0; i < NR_COPIES; i++) {
		request_wait_started(&copies->ctx, copies->seqno[i], 2 * SOON_MS);
		sleep_us(40000);
		spinner_end(&copies->spin[i]);
	}
	return NULL;
}

/* The blitter is always in a batch, and leaves each of them in time: none is hung. */
static void check_copies(struct vgpu *vgpu)
{
	static struct copies copies;
	const char *what = "many batches of the blitter";
	long hangs = used_get(vgpu->uuid, BCS, "hangs");
	struct context *ctx = &copies.ctx;
	pthread_t thread;
	u32 i;

	context_init(ctx, vgpu, BCS, NULL);
	for (i = 0; i < NR_COPIES; i++) {
		spinner_init(&copies.spin[i], ctx, true);
		copies.seqno[i] = spinner_request_arb(&copies.spin[i], ctx);
		if (i != FIRST_COPIES - 1)
			continue;
		context_submit(ctx);
		tap_ok(request_wait_started(ctx, copies.seqno[0], SOON_MS) &&
		       engine_wait_promoted(ctx->engine, SOON_MS), "%s: the first one runs", what);
	}
	context_submit(ctx);
	pthread_create(&thread, NULL, end_in_turn, &copies);
	tap_eq(-mig_set(&vgpu->dev, MIG_STOP, NULL), 0, "%s: the vGPU stops", what);
	tap_ok(!request_started(ctx, copies.seqno[FIRST_COPIES]),
	       "%s: a submission behind theirs does not begin", what);
	tap_eq(-mig_set(&vgpu->dev, MIG_RUNNING, NULL), 0, "%s: the vGPU runs again", what);
	pthread_join(thread, NULL);
	copy_check(ctx, copies.seqno[NR_COPIES - 1], what);
	tap_eq(used_get(vgpu->uuid, BCS, "hangs"), hangs, "%s: no context hangs", what);
}

/* Other vGPUs have the engine, too: one that never yields, and one that does. */
static void check_copy_beside(struct vgpu *vgpu)
{
	const char *what = "a batch of the blitter beside others";
	struct vgpu *hostile = vgpu_new(MDEV_TYPE_SMALL), *other = vgpu_new(MDEV_TYPE_SMALL);
	struct spinner spin[2];
	struct context ctx[2];
	pthread_t thread;
	struct hog hog;
	u32 seqno[2];

	seqno[0] = copy_begin(&ctx[0], &spin[0], vgpu, what);
	seqno[1] = copy_begin(&ctx[1], &spin[1], other, what);
	hog_init(&hog, hostile, BCS);
	tap_ok(wait_for(hog_started(&hog), SOON_MS), "%s: one of them never yields", what);
	pthread_create(&thread, NULL, end_soon, &spin[0]);
	check_stops(vgpu, 2 * STOP_US, what);
	pthread_join(thread, NULL);
	tap_eq(-mig_set(&vgpu->dev, MIG_RUNNING, NULL), 0, "%s: the vGPU runs again", what);
	copy_check(&ctx[0], seqno[0], what);
	spinner_end(&spin[1]);
	copy_check(&ctx[1], seqno[1], what);
	vgpu_free(hostile);
	vgpu_free(other);
}

/* One that does not end is hung, and no engine is reset for it. */
static void check_copy_endless(struct vgpu *vgpu)
{
	const char *what = "an endless batch of the blitter";
	long hangs = used_get(vgpu->uuid, BCS, "hangs");
	long resets = used_get(vgpu->uuid, BCS, "resets");
	struct spinner spin;
	struct context ctx;
	u32 seqno = copy_begin(&ctx, &spin, vgpu, what);

	check_stops(vgpu, 2 * STOP_US, what);
	tap_eq(used_get(vgpu->uuid, BCS, "hangs"), hangs + 1, "%s: its context hangs", what);
	tap_eq(used_get(vgpu->uuid, BCS, "resets"), resets, "%s: no engine is reset", what);
	move(vgpu, what);
	check_recovers(&ctx, seqno, what);
}

/* However short its preempt timeout is, a batch of the blitter has half a second. */
static void check_copy_short(struct vgpu *vgpu)
{
	const char *what = "a batch of the blitter, and a short timeout";
	struct spinner spin;
	struct context ctx;
	pthread_t thread;
	u32 seqno = copy_begin(&ctx, &spin, vgpu, what);

	/* That long a slow machine may take to preempt it. */
	tap_eq(-knob_set(vgpu->uuid, PREEMPT_TIMEOUT_US, 100000), 0, "%s: it is set", what);
	pthread_create(&thread, NULL, end_soon, &spin);
	check_stops(vgpu, STOP_US, what);
	pthread_join(thread, NULL);
	knob_set(vgpu->uuid, PREEMPT_TIMEOUT_US, 640000);
	tap_eq(-mig_set(&vgpu->dev, MIG_RUNNING, NULL), 0, "%s: the vGPU runs again", what);
	copy_check(&ctx, seqno, what);
}

#define NR_LISTS	5

/* More lists than a guest has that waits for its events: the first and the newest run. */
static void check_lists(struct vgpu *vgpu)
{
	struct context first, ctx[NR_LISTS];
	struct spinner spin;
	u32 seqno, waiting[NR_LISTS], i;

	context_init(&first, vgpu, RCS, NULL);
	spinner_init(&spin, &first, true);
	seqno = spinner_request_arb(&spin, &first);
	context_submit(&first);
	tap_ok(request_wait_started(&first, seqno, SOON_MS), "lists that wait: the first runs");
	tap_eq(-mig_set(&vgpu->dev, MIG_STOP, NULL), 0, "lists that wait: the vGPU stops");
	for (i = 0; i < NR_LISTS; i++) {
		context_init(&ctx[i], vgpu, RCS, NULL);
		request_begin(&ctx[i]);
		waiting[i] = request_end(&ctx[i]);
		context_submit(&ctx[i]);
	}
	move(vgpu, "lists that wait");
	spinner_end(&spin);
	tap_ok(request_wait(&first, seqno, SOON_MS), "lists that wait: what ran completes");
	tap_ok(request_wait(&ctx[0], waiting[0], SOON_MS), "lists that wait: so does the first");
	tap_ok(request_wait(&ctx[NR_LISTS - 1], waiting[NR_LISTS - 1], SOON_MS),
	       "lists that wait: so does the newest");
	tap_ok(engine_reset(first.engine), "lists that wait: the guest resets the engine");
	first.engine->bad = false;
	tap_ok(vgpu_works(vgpu), "lists that wait: the vGPU works");
}

/* An entry that another vCPU writes all the time, and one that has to take effect. */
struct flush {
	struct vgpu *vgpu;
	u64 busy;
	u64 far;
	u64 gpa;
	bool flushed;
	bool end;
};

static void *write_busy(void *arg)
{
	struct flush *f = arg;
	u64 n;

	/* Not present: nothing is pinned. */
	for (n = 1; !READ_ONCE(f->end); n++)
		ggtt_set(f->vgpu, f->busy, (n % 2 + 1) * PAGE_SIZE);
	return NULL;
}

static void *flush_far(void *arg)
{
	struct flush *f = arg;

	ggtt_set(f->vgpu, f->far, f->gpa | GEN_PTE_PRESENT);
	ggtt_flush(f->vgpu);
	WRITE_ONCE(f->flushed, true);
	return NULL;
}

/* A flush ends, and reaches all tables, although the vGPU is stopped and a table changes. */
static void check_flush(struct vgpu *vgpu)
{
	struct flush f = {
		.vgpu = vgpu,
		.busy = ggtt_alloc_low(vgpu, 1),
		.far = vgpu->low_size - PAGE_SIZE,
		.gpa = ram_alloc(&vgpu->ram, 1),
	};
	pthread_t threads[2];

	ram_write32(&vgpu->ram, f.gpa, 0x5ca1ab1e);
	tap_eq(-mig_set(&vgpu->dev, MIG_RUNNING_P2P, NULL), 0, "a flush: the vGPU stops");
	pthread_create(&threads[0], NULL, write_busy, &f);
	sleep_us(50000);
	pthread_create(&threads[1], NULL, flush_far, &f);
	tap_ok(wait_for(READ_ONCE(f.flushed), 2 * SOON_MS), "a flush: it ends");
	tap_ok(f.flushed && *(u32 *)(vgpu->aperture + f.far) == 0x5ca1ab1e,
	       "a flush: all tables are synced");
	WRITE_ONCE(f.end, true);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	tap_eq(-mig_set(&vgpu->dev, MIG_RUNNING, NULL), 0, "a flush: the vGPU runs again");
}

/* A flush while it is frozen takes effect before it runs. */
static void check_flush_frozen(struct vgpu *vgpu)
{
	u64 addr = ggtt_alloc_low(vgpu, 1), gpa = ram_alloc(&vgpu->ram, 2);

	ram_write32(&vgpu->ram, gpa, 1);
	ram_write32(&vgpu->ram, gpa + PAGE_SIZE, 2);
	ggtt_set(vgpu, addr, gpa | GEN_PTE_PRESENT);
	ggtt_flush(vgpu);
	tap_eq(*(u32 *)(vgpu->aperture + addr), 1, "a flush in STOP: what was before");
	tap_eq(-mig_set(&vgpu->dev, MIG_STOP, NULL), 0, "a flush in STOP: the vGPU stops");
	ggtt_set(vgpu, addr, (gpa + PAGE_SIZE) | GEN_PTE_PRESENT);
	ggtt_flush(vgpu);
	tap_eq(*(u32 *)(vgpu->aperture + addr), 1, "a flush in STOP: it waits");
	tap_eq(-mig_set(&vgpu->dev, MIG_RUNNING, NULL), 0, "a flush in STOP: the vGPU runs again");
	tap_eq(*(u32 *)(vgpu->aperture + addr), 2, "a flush in STOP: it has taken effect");
}

static void check_pre_copy(struct vgpu *vgpu)
{
	struct utsname name;
	u32 major, minor;

	if (uname(&name) || sscanf(name.release, "%u.%u", &major, &minor) != 2)
		tap_die("no release of the kernel");
	tap_eq(mig_has_pre_copy(&vgpu->dev), major * 100 + minor >= 602,
	       "it has PRE_COPY if the kernel has, since Linux 6.2");
}

int main(void)
{
	struct context ctx[VGPU_NR_ENGINES];
	struct vgpu *vgpu;
	u32 i;

	vgpu_test_init(300);
	vgpu = vgpu_new(MDEV_TYPE_SMALL);
	tap_eq(mig_flags(&vgpu->dev) & ~VFIO_MIGRATION_PRE_COPY,
	       VFIO_MIGRATION_STOP_COPY | VFIO_MIGRATION_P2P, "the device migrates");
	check_pre_copy(vgpu);
	for (i = 0; i < VGPU_NR_ENGINES; i++)
		context_init(&ctx[i], vgpu, i, NULL);
	check_state(vgpu, ctx);
	check_size(vgpu);
	check_stopped(vgpu, &ctx[RCS], &ctx[VCS]);
	check_irqs(vgpu, &ctx[VECS]);
	check_flush(vgpu);
	check_work(vgpu, 1, "at work");
	check_work(vgpu, 5, "five times");
	check_second_level(vgpu);
	check_places(vgpu);
	check_cancel(vgpu);
	check_first_image(vgpu);
	check_hog(vgpu);
	check_admin(vgpu);
	check_copy(vgpu);
	check_copies(vgpu);
	check_copy_beside(vgpu);
	check_copy_short(vgpu);
	check_copy_endless(vgpu);
	check_flush_frozen(vgpu);
	check_lists(vgpu);
	check_hung(vgpu);
	tap_ok(ram_canary_intact(&vgpu->ram), "no stray write");
	vgpu_free(vgpu);
	return vgpu_test_done();
}
