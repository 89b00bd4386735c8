// SPDX-License-Identifier: GPL-2.0
/*
 * The CPU time of a vGPU's worker: it is accounted, and an administrator can limit it. While the
 * worker is throttled its guest waits, and no other user does: neither another guest, nor a reset,
 * pause or close of the vGPU. No submission is lost.
 *
 * Full page tables keep workers busy here, as all entries are compared each time: with a limit of
 * CPU_LEAST, comparing new tables once exceeds the worker's time for a while. A slow machine needs
 * more of its time for the same work, so the limit is higher there.
 */
#include <errno.h>

#include "clock.h"
#include "context.h"
#include "counters.h"
#include "gpu.h"
#include "heavy.h"
#include "knob.h"
#include "rng.h"
#include "standstill.h"
#include "tap.h"
#include "vgpu.h"

#define TABLES		2048u
/* What may be used at once, ns, as docs/scheduling.md says, with a bound of 100 per mille. */
#define BOUND		100
#define BURST_NS	10000000ULL
/* What the kernel has not counted yet of a thread that runs. */
#define TICK_NS		10000000ULL

#define LONG_US		6000000u
#define SHORT_US	2000000u
#define MOVES		40

static u64 cpu_ns(const struct vgpu *vgpu)
{
	return knob_get(vgpu->uuid, CPU_NS);
}

/**
 * struct span - a guest that works as fast as it can, for a while
 * @ns: how long
 * @stood: for how much of that the machine stood still, ns: a worker at that time seems to work
 * @cpu: CPU time that its worker spent
 * @most: on one request, with all that belongs to it
 * @count: requests
 * @bad: those that were not done
 */
struct span {
	u64 ns;
	u64 stood;
	u64 cpu;
	u64 most;
	u32 count;
	u32 bad;
};

/* For longer than a worker is throttled here. */
#define THROTTLED_MS	(4 * SOON_MS)

static bool run_one(struct context *ctx)
{
	u32 seqno = request_submit(ctx);

	return request_wait(ctx, seqno, THROTTLED_MS) && engine_wait_idle(ctx->engine, SOON_MS) &&
	       !ctx->engine->bad;
}

static void work_for(struct context *ctx, u64 us, struct span *span)
{
	u64 t0 = now_us(), stood = standstill_us(), begun = cpu_ns(ctx->vgpu), last = begun, now;

	*span = (struct span) { };
	do {
		span->bad += !run_one(ctx);
		span->count++;
		now = cpu_ns(ctx->vgpu);
		span->most = now - last > span->most ? now - last : span->most;
		last = now;
	} while (now_us() - t0 < us);
	span->ns = (now_us() - t0) * 1000;
	span->stood = (standstill_us() - stood) * 1000;
	span->cpu = last - begun;
	tap_diag("%u requests: %llu of %llu ms, at most %llu us for one; stood still %llu ms",
		 span->count, (unsigned long long)span->cpu / 1000000,
		 (unsigned long long)span->ns / 1000000, (unsigned long long)span->most / 1000,
		 (unsigned long long)span->stood / 1000000);
}

static u64 less(u64 ns, u64 by)
{
	return ns > by ? ns - by : 0;
}

/* Was @a's worker at work for more than three times as much of its time as @b's? */
static bool used_more(const struct span *a, const struct span *b)
{
	return a->cpu / 1000 * (b->ns / 1000) >
	       3 * (less(b->cpu, b->stood) / 1000) * (less(a->ns, a->stood) / 1000);
}

static void check_values(void)
{
	struct vgpu *vgpu = vgpu_new(MDEV_TYPE_SMALL);

	tap_eq(knob_get(vgpu->uuid, CPU_MAX), CPU_ALL, "by default there is no limit");
	tap_eq(-knob_set(vgpu->uuid, CPU_MAX, CPU_LEAST - 1), EINVAL,
	       "a value below the minimum is refused");
	tap_eq(-knob_set(vgpu->uuid, CPU_MAX, CPU_ALL + 1), EINVAL,
	       "a value above one processor is refused");
	tap_eq(-knob_write(vgpu->uuid, CPU_MAX, "10%"), EINVAL,
	       "a value that is no number is refused");
	tap_eq(knob_get(vgpu->uuid, CPU_MAX), CPU_ALL, "the limit is unchanged");
	tap_eq(knob_set(vgpu->uuid, CPU_MAX, CPU_LEAST), 0, "the minimum is accepted");
	tap_eq(knob_get(vgpu->uuid, CPU_MAX), CPU_LEAST, "the minimum is set");
	tap_eq(-knob_write(vgpu->uuid, CPU_NS, "0"), EACCES, "the CPU time is read-only");
	vgpu_free(vgpu);
}

/* Counted from a vGPU's creation to its removal, over all users; never decreases. */
static void check_account(void)
{
	char uuid[MDEV_UUID_SIZE];
	struct vgpu *vgpu;
	u64 spent;

	mdev_new_uuid(uuid);
	mdev_create(MDEV_TYPE_SMALL, uuid);
	tap_eq(knob_get(uuid, CPU_NS), 0, "a new vGPU has used no CPU time");
	vgpu = vgpu_open(uuid);
	vgpu_start(vgpu);
	tap_ok(vgpu_works(vgpu), "the vGPU works");
	spent = cpu_ns(vgpu);
	tap_ok(spent > 0, "its worker uses CPU time");
	vgpu_close(vgpu);
	tap_ok((u64)knob_get(uuid, CPU_NS) >= spent, "the CPU time remains after a close");
	spent = knob_get(uuid, CPU_NS);
	tap_eq(knob_get(uuid, CPU_NS), spent, "a closed vGPU uses none");
	vgpu = vgpu_open(uuid);
	vgpu_start(vgpu);
	tap_ok(vgpu_works(vgpu) && cpu_ns(vgpu) > spent, "after another open it uses more");
	vgpu_free(vgpu);
	mdev_create(MDEV_TYPE_SMALL, uuid);
	tap_eq(knob_get(uuid, CPU_NS), 0, "a new vGPU of the same name has used none");
	mdev_remove(uuid);
}

/*
 * In any time, the worker uses at most its part of that time, the burst, and one request that it
 * began with time left. And one more request, as the test reads the time while the worker runs.
 */
static void check_bound(void)
{
	struct vgpu *vgpu = vgpu_new(MDEV_TYPE_SMALL);
	struct span free, bound, again;
	struct context ctx;
	u64 may;

	context_init(&ctx, vgpu, RCS, NULL);
	heavy_tables(vgpu, ctx.ppgtt, TABLES);
	tap_ok(run_one(&ctx), "a guest has many page tables");
	work_for(&ctx, SHORT_US, &free);
	tap_eq(knob_set(vgpu->uuid, CPU_MAX, BOUND), 0, "its worker's CPU time is limited");
	work_for(&ctx, LONG_US, &bound);
	tap_eq(knob_set(vgpu->uuid, CPU_MAX, CPU_ALL), 0, "the limit is removed");
	work_for(&ctx, SHORT_US, &again);

	may = bound.ns / 1000 * BOUND + BURST_NS + 2 * bound.most + TICK_NS;
	tap_diag("it might have used %llu ms", (unsigned long long)may / 1000000);
	tap_ok(bound.cpu <= may, "the worker keeps to the limit");
	tap_ok(used_more(&free, &bound),
	       "without the limit it used more than three times as much before");
	tap_ok(used_more(&again, &bound),
	       "without the limit it uses more than three times as much after");
	tap_ok(counters_number(vgpu, "exec", "throttled") > 0, "the worker was throttled");
	tap_eq(free.bad + bound.bad + again.bad, 0, "all submissions complete");
	tap_eq(counters_number(vgpu, "exec", "refused"), 0, "nothing was refused");
	vgpu_free(vgpu);
}

/* The limit changes while it works. */
static void check_moves(void)
{
	struct vgpu *vgpu = vgpu_new(MDEV_TYPE_SMALL);
	struct rng rng = { 7 };
	struct context ctx;
	u32 i, bad = 0;

	context_init(&ctx, vgpu, BCS, NULL);
	heavy_tables(vgpu, ctx.ppgtt, TABLES / 16);
	for (i = 0; i < MOVES; i++) {
		u32 max = i % 4 ? 200 + rng_below(&rng, 801) : CPU_ALL;

		bad += knob_set(vgpu->uuid, CPU_MAX, max) != 0 || !run_one(&ctx);
	}
	tap_eq(bad, 0, "all submissions complete while the limit changes");
	vgpu_free(vgpu);
}

/**
 * struct throttled - a guest with a worker that has used up its CPU time, for a long while
 * @vgpu: its vGPU
 * @ctx: a context on each engine; that of RCS has many page tables
 * @spin: runs on VCS
 * @spin_seqno: in that request
 * @spent_us: the CPU time that its worker has used up: at CPU_LEAST it is throttled for a hundred
 *            times that
 * @seqno: of a request on each other engine that the worker has not processed
 * @times: how often it has been throttled
 */
struct throttled {
	struct vgpu *vgpu;
	struct context ctx[VGPU_NR_ENGINES];
	struct spinner spin;
	u32 spin_seqno;
	u64 spent_us;
	u32 seqno[VGPU_NR_ENGINES];
	u64 times;
};

static void submit(struct throttled *t, u32 engine)
{
	request_begin(&t->ctx[engine]);
	t->seqno[engine] = request_end(&t->ctx[engine]);
	context_submit(&t->ctx[engine]);
}

static bool waits(const struct throttled *t)
{
	u32 i, n = 0;

	for (i = 0; i < VGPU_NR_ENGINES; i++)
		n += i != VCS && !request_done(&t->ctx[i], t->seqno[i]);
	return n == VGPU_NR_ENGINES - 1;
}

static bool done(const struct throttled *t)
{
	u32 i, n = 0;

	for (i = 0; i < VGPU_NR_ENGINES; i++)
		n += i != VCS && request_wait(&t->ctx[i], t->seqno[i], SOON_MS) &&
		     engine_wait_idle(t->ctx[i].engine, SOON_MS) && !t->ctx[i].engine->bad;
	return n == VGPU_NR_ENGINES - 1;
}

static u64 times(const struct throttled *t)
{
	return counters_number(t->vgpu, "exec", "throttled");
}

/* One request runs; one costs more than there is; and what comes then finds nothing left. */
static void throttle(struct throttled *t, const char *uuid)
{
	u64 before, times_before;
	u32 i;

	t->vgpu = vgpu_open(uuid);
	vgpu_start(t->vgpu);
	for (i = 0; i < VGPU_NR_ENGINES; i++)
		context_init(&t->ctx[i], t->vgpu, i, NULL);
	/* The worker may be interrupted, and throttled, several times until it is done. */
	heavy_tables(t->vgpu, t->ctx[RCS].ppgtt, TABLES / slowness());
	spinner_init(&t->spin, &t->ctx[VCS], true);
	t->spin_seqno = spinner_request(&t->spin, &t->ctx[VCS]);
	context_submit(&t->ctx[VCS]);
	tap_ok(request_wait_started(&t->ctx[VCS], t->spin_seqno, SOON_MS), "a guest works");
	before = cpu_ns(t->vgpu);
	times_before = times(t);
	tap_ok(run_one(&t->ctx[RCS]), "it submits work that exceeds its CPU time");
	t->spent_us = (cpu_ns(t->vgpu) - before) / 1000;
	tap_diag("%llu ms", (unsigned long long)t->spent_us / 1000);
	/*
	 * Counted by now: debugfs takes the vGPU's lock, and a step that reports a completion asks
	 * the throttle before it unlocks.
	 */
	t->times = times(t);
	tap_ok(t->times > times_before, "its worker is throttled");
	for (i = 0; i < VGPU_NR_ENGINES; i++)
		if (i != VCS)
			submit(t, i);
	tap_ok(waits(t), "later submissions wait");
}

static void new_bounded(char *uuid)
{
	mdev_new_uuid(uuid);
	mdev_create(MDEV_TYPE_SMALL, uuid);
	tap_eq(knob_set(uuid, CPU_MAX, CPU_LEAST * slowness()), 0,
	       "a vGPU with a limit that is not open");
}

static void check_throttled(void)
{
	struct vgpu *other = vgpu_new(MDEV_TYPE_SMALL);
	char uuid[MDEV_UUID_SIZE];
	struct throttled t;
	u32 i, bad = 0;

	new_bounded(uuid);
	throttle(&t, uuid);
	for (i = 0; i < 5; i++)
		bad += !vgpu_works(other);
	tap_eq(bad, 0, "other vGPUs work meanwhile");
	bad += gpu_attr_try("policy", "rr") != 0 || gpu_attr_try("copy_policy", "sparse") != 0;
	bad += gpu_attr_set("copy_policy", "cached") != 0 || gpu_attr_set("policy", "fair") != 0;
	tap_eq(bad, 0, "all vGPUs can be paused");
	spinner_end(&t.spin);
	tap_ok(request_wait(&t.ctx[VCS], t.spin_seqno, SOON_MS) &&
	       engine_wait_idle(t.ctx[VCS].engine, SOON_MS),
	       "the running request completes and is reported");
	tap_ok(engine_reset(t.ctx[VECS].engine), "an engine is reset at once");
	t.ctx[VECS].engine->bad = false;
	context_init(&t.ctx[VECS], t.vgpu, VECS, NULL);
	submit(&t, VECS);
	tap_ok(waits(&t), "its submissions still wait");
	tap_eq(times(&t), t.times, "the worker was throttled all the time");
	tap_eq(knob_set(uuid, CPU_MAX, CPU_ALL), 0, "the limit is removed from the throttled vGPU");
	tap_ok(done(&t), "all its submissions complete");
	tap_eq(counters_number(t.vgpu, "exec", "refused"), 0, "nothing was refused");
	tap_ok(vgpu_works(t.vgpu), "the vGPU works");
	vgpu_free(t.vgpu);
	vgpu_free(other);
}

/* A reset or a close frees the page tables, which takes no longer than making them did. */
static bool soon(const struct throttled *t, u64 t0)
{
	u64 us = now_us() - t0;

	tap_diag("%llu ms", (unsigned long long)us / 1000);
	return us < SOON_MS * 1000 + t->spent_us;
}

/* What it spent takes a hundred times as long to be due again at CPU_LEAST. */
static void check_opened_again(struct throttled *t, const char *uuid)
{
	t->vgpu = vgpu_open(uuid);
	vgpu_start(t->vgpu);
	context_init(&t->ctx[RCS], t->vgpu, RCS, NULL);
	submit(t, RCS);
	tap_ok(wait_for(times(t) == 1, SOON_MS) && !request_done(&t->ctx[RCS], t->seqno[RCS]),
	       "a vGPU that is closed and opened again still owes CPU time");
	tap_eq(-vgpu_free(t->vgpu), 0, "it is removed");
}

/* A close or a reset does not wait either. */
static void check_gone(void)
{
	char uuid[MDEV_UUID_SIZE];
	struct throttled t;
	u64 t0;

	new_bounded(uuid);
	throttle(&t, uuid);
	t0 = now_us();
	tap_ok(vgpu_reset(t.vgpu), "a throttled vGPU is reset at once");
	tap_ok(soon(&t, t0), "it ends within the bound");
	vgpu_close(t.vgpu);
	check_opened_again(&t, uuid);
	new_bounded(uuid);
	throttle(&t, uuid);
	t0 = now_us();
	tap_eq(-vgpu_free(t.vgpu), 0, "a throttled vGPU is closed and removed at once");
	tap_ok(soon(&t, t0), "it ends within the bound");
}

int main(void)
{
	vgpu_test_init(180);
	standstill_watch();
	check_values();
	check_account();
	check_bound();
	check_moves();
	check_throttled();
	check_gone();
	return vgpu_test_done();
}
