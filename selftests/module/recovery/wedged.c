// SPDX-License-Identifier: GPL-2.0
/*
 * Hardware that fails: TLBs that are not invalidated, resets that do not complete. The host
 * escalates, and if no step helps, the GPU is wedged: it cannot access memory any more, and all
 * users end cleanly.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "context.h"
#include "counters.h"
#include "file.h"
#include "gpu.h"
#include "klog.h"
#include "knob.h"
#include "model.h"
#include "tap.h"
#include "vgpu.h"
#include "witness.h"

#define DRIVER		"/sys/bus/pci/drivers/gslot/"
#define FOREVER		0xffffffffu
#define STORE_TO	0x300000ULL
#define BATCH		0x310000ULL
#define STORED		3072	/* in a loop's page */
#define ROUNDS		32
#define STEP_US		500
#define TOLD_MS		300	/* a guest would notice by then */
#define PCI_COMMAND	4
#define PCI_COMMAND_MASTER	4

static char pci[64];

static void inject(const char *what, u64 times)
{
	if (!model_set(what, times))
		tap_die("no injection %s", what);
}

static bool given_up(char *why, size_t size)
{
	char path[300];

	if (!counters_gpu_path(path, "wedged") || file_read(path, why, size) < 0)
		tap_die("debugfs does not say whether the GPU is wedged");
	return strncmp(why, "no", 2);
}

static bool bus_master(void)
{
	char path[200];
	u8 command = 0;
	int fd;

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/config", pci);
	fd = open(path, O_RDONLY);
	if (fd < 0 || pread(fd, &command, 1, PCI_COMMAND) != 1)
		tap_die("no configuration space");
	close(fd);
	return command & PCI_COMMAND_MASTER;
}

/* The loop stores 1 again and again, as fast as possible. */
static void make_it_store(struct spinner *spin)
{
	struct cs cs;

	cs_init(&cs, ram_ptr(spin->ram, spin->gpa), STORED);
	cs_store(&cs, PPGTT, spin->addr + STORED, 1);
	cs_noop(&cs, 1);
	cs_batch(&cs, PPGTT, spin->addr);
	cs_noop(&cs, 1);
}

/*
 * All accesses of the hung engine must be refused. It keeps running: its refused access proves that
 * it had the time to store.
 */
static void check_silence(const struct spinner *loop, const char *how)
{
	u64 gpa = loop->gpa + STORED, refused = 0;

	ram_write32(loop->ram, gpa, 0);
	tap_ok(wait_for(model_get("dma-refused", &refused) && refused, SOON_MS),
	       "%s: an access of the hung engine is refused", how);
	tap_eq(ram_read32(loop->ram, gpa), 0, "%s: the hung engine stores nothing", how);
}

static u32 spin(struct spinner *spin, struct context *ctx, struct vgpu *vgpu, u32 engine)
{
	u32 seqno;

	context_init(ctx, vgpu, engine, NULL);
	spinner_init(spin, ctx, false);
	make_it_store(spin);
	seqno = spinner_request(spin, ctx);
	context_submit(ctx);
	tap_ok(request_wait_started(ctx, seqno, SOON_MS), "%s: an endless loop",
	       ctx->engine->info->name);
	return seqno;
}

/* Unmap a page of a running context's address space: the TLBs must be invalidated. */
static void unmap_beside(struct context *running)
{
	struct context ctx;
	u64 gpa = ram_alloc(&running->vgpu->ram, 1);

	ppgtt_map(running->ppgtt, 0x100000, gpa, 1);
	context_init(&ctx, running->vgpu, running->engine - running->vgpu->engines,
		     running->ppgtt);
	engine_wait_promoted(running->engine, SOON_MS);
	request_begin(&ctx);
	request_end(&ctx);
	context_submit(&ctx);
	wait_for(engine_read(ctx.engine, RING_START) == ctx.ring_ggtt, SOON_MS);
	ppgtt_unmap(running->ppgtt, 0x100000, 1);
	request_begin(&ctx);
	request_end(&ctx);
	context_commit(&ctx);
	engine_elsp(ctx.engine, context_desc(&ctx), 0);
}

static void check_tlb(struct vgpu *vgpu, struct witness *w)
{
	struct context ctx;
	struct spinner loop;
	char why[80];
	u64 left = 1;
	u32 seqno;

	seqno = spin(&loop, &ctx, vgpu, BCS);
	inject("tlb-busy-bcs0", 1);
	unmap_beside(&ctx);
	tap_ok(model_get("tlb-busy-bcs0", &left) && !left, "a TLB is not invalidated in time");
	tap_ok(!request_done(&ctx, seqno), "the loop has not completed");
	tap_ok(witness_ok(w), "the engine is reset: another vGPU makes progress");
	tap_ok(!given_up(why, sizeof(why)), "the GPU is not wedged");
	ctx.engine->bad = false;
	tap_ok(vgpu_works(vgpu), "its vGPU works after a reset");
}

/* Stores 1 to STORE_TO again and again. */
static u32 store_endlessly(struct context *ctx, u64 to)
{
	struct ram *ram = &ctx->vgpu->ram;
	u64 gpa = ram_alloc(ram, 1);
	struct cs cs;
	u32 seqno;

	ppgtt_map(ctx->ppgtt, STORE_TO, to, 1);
	ppgtt_map(ctx->ppgtt, BATCH, gpa, 1);
	cs_init(&cs, ram_ptr(ram, gpa), PAGE_SIZE);
	cs_store(&cs, PPGTT, STORE_TO, 1);
	cs_noop(&cs, 1);
	cs_batch(&cs, PPGTT, BATCH);
	cs_noop(&cs, 1);
	request_begin(ctx);
	request_batch(ctx, BATCH);
	seqno = request_end(ctx);
	context_submit(ctx);
	return seqno;
}

/*
 * An engine's reset need not flush its TLB. So the next load of the same page tables must, if the
 * host resets the engine because the TLB was not invalidated.
 */
static void check_tlb_after_reset(struct vgpu *vgpu)
{
	u64 old = ram_alloc(&vgpu->ram, 1), new = ram_alloc(&vgpu->ram, 1);
	u64 left = 1, stale = 0, now = 1;
	struct context ctx, beside, next;
	struct spinner spin;
	u32 seqno, last;

	context_init(&ctx, vgpu, BCS, NULL);
	context_init(&beside, vgpu, VCS, ctx.ppgtt);
	context_init(&next, vgpu, BCS, ctx.ppgtt);
	seqno = store_endlessly(&ctx, old);
	tap_ok(wait_for(ram_read32(&vgpu->ram, old) == 1, SOON_MS), "an endless batch stores");
	inject("tlb-busy-bcs0", 1);
	ppgtt_map(ctx.ppgtt, STORE_TO, new, 1);
	spinner_init(&spin, &beside, false);
	last = spinner_request(&spin, &beside);
	context_submit(&beside);
	tap_ok(request_wait_started(&beside, last, SOON_MS),
	       "its page tables change; another engine goes on using them");
	tap_ok(model_get("tlb-busy-bcs0", &left) && !left && !request_done(&ctx, seqno),
	       "its engine is reset, as the TLB is not invalidated");
	vgpu_test_stale_until_now();
	tap_ok(engine_reset(ctx.engine), "the guest resets it, too");
	ram_write32(&vgpu->ram, old, 0);
	model_stale_hits(&stale);
	/* A request begins with a flush that would invalidate the TLB. */
	cs_store(&next.ring, PPGTT, STORE_TO, 2);
	request_begin(&next);
	tap_ok(request_run(&next, request_end(&next)), "the same page tables are loaded again");
	tap_eq(ram_read32(&vgpu->ram, new), 2, "the request stores to the new page");
	tap_eq(ram_read32(&vgpu->ram, old), 0, "it does not store to the old page");
	tap_ok(model_stale_hits(&now) && now == stale, "no stale TLB entry is used after a reset");
	spinner_end(&spin);
	tap_ok(request_wait(&beside, last, SOON_MS), "the other engine's batch ends");
	tap_ok(vgpu_reset(vgpu), "the vGPU is reset");
}

static void *unmap_thread(void *running)
{
	unmap_beside(running);
	return NULL;
}

/*
 * The engine switches to another vGPU while the host waits for its TLB: that vGPU has other tables
 * and must not be reset. The host waits 4 ms from some moment after the submission: vary the moment
 * at which the first vGPU yields.
 */
static void check_tlb_left(struct vgpu *vgpu)
{
	struct vgpu *beside = vgpu_new(MDEV_TYPE_SMALL);
	u32 round, done = 0;

	for (round = 0; round < ROUNDS; round++) {
		struct spinner loop, next;
		struct context ctx, other;
		pthread_t thread;
		u32 seqno;

		context_init(&ctx, vgpu, BCS, NULL);
		spinner_init(&loop, &ctx, false);
		seqno = spinner_request(&loop, &ctx);
		context_submit(&ctx);
		if (!request_wait_started(&ctx, seqno, SOON_MS))
			tap_die("no request starts");
		context_init(&other, beside, BCS, NULL);
		spinner_init(&next, &other, false);
		seqno = spinner_request(&next, &other);
		context_submit(&other);
		inject("tlb-busy-bcs0", 1);
		pthread_create(&thread, NULL, unmap_thread, &ctx);
		usleep(round * STEP_US);
		spinner_end(&loop);
		request_wait_started(&other, seqno, SOON_MS);
		spinner_end(&next);
		done += request_wait(&other, seqno, SOON_MS);
		pthread_join(thread, NULL);
		inject("tlb-busy-bcs0", 0);
		ctx.engine->bad = false;
		other.engine->bad = false;
		tap_ok(vgpu_works(vgpu), "its vGPU works after a reset");
		vgpu_reset(beside);
	}
	tap_eq(done, ROUNDS, "the next vGPU's work is never reset for the previous one's TLB");
	vgpu_free(beside);
}

/*
 * Tables that change between two requests of one context: an idle engine is not invalidated, and
 * the engine in use invalidates its TLB at the load.
 */
static void check_tlb_idle(struct vgpu *vgpu)
{
	u64 page[2], left = 0, stale = 0, now = 1;
	struct context ctx;
	u32 i, right = 0;

	context_init(&ctx, vgpu, VCS, NULL);
	page[0] = ram_alloc(&vgpu->ram, 1);
	page[1] = ram_alloc(&vgpu->ram, 1);
	inject("tlb-busy-rcs0", 1);
	inject("tlb-busy-bcs0", 1);
	inject("tlb-busy-vecs0", 1);
	model_stale_hits(&stale);
	for (i = 1; i <= 20; i++) {
		u64 gpa = ram_alloc(&vgpu->ram, 1);
		struct cs cs;

		ppgtt_map(ctx.ppgtt, 0x5000, page[i & 1], 1);
		ppgtt_map(ctx.ppgtt, 0x9000, gpa, 1);
		cs_init(&cs, ram_ptr(&vgpu->ram, gpa), PAGE_SIZE);
		cs_store(&cs, PPGTT, 0x5000, i);
		cs_end(&cs);
		request_begin(&ctx);
		request_batch(&ctx, 0x9000);
		if (!request_run(&ctx, request_end(&ctx)))
			break;
		right += ram_read32(&vgpu->ram, page[i & 1]) == i;
	}
	tap_eq(right, 20, "each request uses the current tables");
	tap_ok(model_stale_hits(&now) && now == stale, "no stale TLB entry is used");
	tap_ok(model_get("tlb-busy-rcs0", &left) && left == 1 &&
	       model_get("tlb-busy-bcs0", &left) && left == 1 &&
	       model_get("tlb-busy-vecs0", &left) && left == 1,
	       "no TLB of another engine is invalidated");
	inject("tlb-busy-rcs0", 0);
	inject("tlb-busy-bcs0", 0);
	inject("tlb-busy-vecs0", 0);
}

/*
 * Running work of other vGPUs is lost when all engines have to be reset. It is not reported as
 * complete: the guest finds that its engine hangs.
 */
static void check_engine_reset(struct vgpu *vgpu, struct witness *w)
{
	struct vgpu *beside = vgpu_new(MDEV_TYPE_SMALL);
	struct spinner loop, lost;
	struct context ctx, cut;
	char why[80];
	u32 seqno;

	seqno = spin(&lost, &cut, beside, BCS);
	spin(&loop, &ctx, vgpu, VCS);
	inject("fail-reset-vcs0", 1);
	tap_ok(gdrst(vgpu, GDRST_VCS0), "an engine does not reset: the whole GPU is reset");
	tap_ok(!given_up(why, sizeof(why)), "the GPU is not wedged");
	tap_ok(witness_ok(w), "another vGPU makes progress");
	tap_ok(!engine_wait_idle(cut.engine, TOLD_MS) && !request_done(&cut, seqno),
	       "an interrupted request of another vGPU is not reported as complete");
	tap_ok(vgpu_works(beside), "that vGPU works after a reset");
	tap_ok(vgpu_works(vgpu), "its vGPU works after a reset");
	vgpu_free(beside);
}

/* The GPU is wedged: check what guests and the administrator see. */
static void check_wedged(struct vgpu *vgpu, struct witness *w, const struct spinner *loop,
			 const char *how)
{
	struct context ctx;
	char why[80], uuid[MDEV_UUID_SIZE];
	u32 seqno;

	tap_ok(given_up(why, sizeof(why)), "%s: the GPU is wedged", how);
	tap_diag("%s", why);
	tap_ok(!bus_master(), "%s: it is not a bus master any more", how);
	check_silence(loop, how);
	tap_eq(klog_count("wedged:"), 1, "%s: one line in the log reports it", how);
	mdev_new_uuid(uuid);
	tap_eq(-mdev_create(MDEV_TYPE_SMALL, uuid), 5 /* EIO */, "%s: creating a vGPU fails", how);

	ctx = w->ctx[RCS];
	request_begin(&ctx);
	seqno = request_end(&ctx);
	context_submit(&ctx);
	tap_ok(!request_wait(&ctx, seqno, 300), "%s: another vGPU's engine hangs", how);
	tap_ok(!engine_reset(ctx.engine), "%s: an engine reset of that vGPU fails", how);
	tap_ok(!gdrst(w->vgpu, GDRST_FULL), "%s: a full reset of that vGPU fails", how);
	engine_write(&vgpu->engines[VECS], RING_RESET_CTL, GEN_MASKED_ENABLE(RESET_CTL_REQUEST));
	tap_ok(!(engine_read(&vgpu->engines[VECS], RING_RESET_CTL) & RESET_CTL_READY),
	       "%s: no engine is ready for a reset", how);
	/* Operations do not wait for events that will never come. */
	tap_eq(-gpu_attr_try("policy", "cap"), 0, "%s: the policy can be changed", how);
	tap_ok(!knob_set(w->vgpu->uuid, STOP, 1) && !knob_set(w->vgpu->uuid, STOP, 0),
	       "%s: a vGPU can be stopped", how);
}

/* Close and bind again: that must fail as long as the hardware fails. */
static void check_rebind(struct vgpu *vgpu, struct witness *w, const char *how)
{
	struct vgpu *again;

	vgpu_close(vgpu);
	vgpu_close(w->vgpu);
	tap_eq(-file_write(DRIVER "unbind", pci), 0, "%s: unbind", how);
	tap_ok(file_write(DRIVER "bind", pci) < 0, "%s: bind fails", how);
	tap_ok(!bus_master(), "%s: the GPU is still not a bus master", how);
	inject("fail-full-reset", 0);
	inject("fail-reset-vcs0", 0);
	inject("tlb-busy-bcs0", 0);
	inject("fail-reset-bcs0", 0);
	tap_eq(-file_write(DRIVER "bind", pci), 0, "%s: bind succeeds when the hardware works",
	       how);
	tap_ok(bus_master(), "%s: the GPU is a bus master again", how);
	again = vgpu_new(MDEV_TYPE_SMALL);
	tap_ok(vgpu_works(again), "%s: a vGPU works", how);
	vgpu_free(again);
}

static void check_no_reset(void)
{
	struct vgpu *vgpu = vgpu_new(MDEV_TYPE_SMALL);
	struct context ctx;
	struct spinner loop;
	struct witness w;

	witness_init(&w);
	spin(&loop, &ctx, vgpu, VCS);
	inject("fail-full-reset", FOREVER);
	inject("fail-reset-vcs0", FOREVER);
	tap_ok(!gdrst(vgpu, GDRST_VCS0), "no reset works: a guest's reset does not complete");
	check_wedged(vgpu, &w, &loop, "no reset");
	check_rebind(vgpu, &w, "no reset");
}

static void check_no_invalidation(void)
{
	struct vgpu *vgpu = vgpu_new(MDEV_TYPE_SMALL);
	struct context ctx;
	struct spinner loop;
	struct witness w;
	char why[80];

	witness_init(&w);
	spin(&loop, &ctx, vgpu, BCS);
	inject("tlb-busy-bcs0", FOREVER);
	inject("fail-reset-bcs0", FOREVER);
	inject("fail-full-reset", FOREVER);
	unmap_beside(&ctx);
	tap_ok(wait_for(given_up(why, sizeof(why)), SOON_MS),
	       "neither invalidation nor reset works: the GPU is wedged");
	check_wedged(vgpu, &w, &loop, "no invalidation");
	check_rebind(vgpu, &w, "no invalidation");
}

int main(void)
{
	struct vgpu *vgpu;
	struct witness w;
	u64 left;

	vgpu_test_init(200);
	if (!model_get("fail-full-reset", &left))
		tap_skip_all("no GPU model that can be told to fail");
	snprintf(pci, sizeof(pci), "%s", mdev_parent());
	vgpu = vgpu_new(MDEV_TYPE_SMALL);
	witness_init(&w);
	check_tlb(vgpu, &w);
	check_tlb_after_reset(vgpu);
	check_tlb_left(vgpu);
	check_tlb_idle(vgpu);
	check_engine_reset(vgpu, &w);
	tap_ok(witness_ok(&w), "another vGPU is not affected");
	witness_free(&w);
	vgpu_free(vgpu);
	check_no_reset();
	check_no_invalidation();
	return vgpu_test_done();
}
