// SPDX-License-Identifier: GPL-2.0
/*
 * The CPU time of a vGPU's worker: it is counted, and an administrator bounds it. A guest whose
 * worker has used up its time waits, and nobody else does: neither another guest, nor whoever has
 * the vGPU reset, stand still or closed. Nothing that it has submitted is lost.
 *
 * What makes workers busy here are page tables full of entries, all of which they look at each
 * time: with a bound of CPU_LEAST one look at new ones is more than it may use in a while.
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

#define CPU_LEAST	10
#define CPU_ALL		1000

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

/* As long as it may take who is throttled. */
static bool run_one(struct context *ctx)
{
	u32 seqno;

	request_begin(ctx);
	seqno = request_end(ctx);
	context_submit(ctx);
	return request_wait(ctx, seqno, 4 * SOON_MS) && engine_wait_idle(ctx->engine, SOON_MS) &&
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

	tap_eq(knob_get(vgpu->uuid, CPU_MAX), CPU_ALL, "at first there is no bound");
	tap_eq(-knob_set(vgpu->uuid, CPU_MAX, CPU_LEAST - 1), EINVAL, "no less than the least");
	tap_eq(-knob_set(vgpu->uuid, CPU_MAX, CPU_ALL + 1), EINVAL, "nor more than a processor");
	tap_eq(-knob_write(vgpu->uuid, CPU_MAX, "10%"), EINVAL, "nor what is no number");
	tap_eq(knob_get(vgpu->uuid, CPU_MAX), CPU_ALL, "it stays");
	tap_eq(knob_set(vgpu->uuid, CPU_MAX, CPU_LEAST), 0, "the least");
	tap_eq(knob_get(vgpu->uuid, CPU_MAX), CPU_LEAST, "is it");
	tap_eq(-knob_write(vgpu->uuid, CPU_NS, "0"), EACCES, "what was spent is not to be written");
	vgpu_free(vgpu);
}

/* From a vGPU's creation to its removal, whoever opens it; and it never goes back. */
static void check_account(void)
{
	char uuid[MDEV_UUID_SIZE];
	struct vgpu *vgpu;
	u64 spent;

	mdev_new_uuid(uuid);
	mdev_create(MDEV_TYPE_SMALL, uuid);
	tap_eq(knob_get(uuid, CPU_NS), 0, "a new vGPU has spent nothing");
	vgpu = vgpu_open(uuid);
	vgpu_start(vgpu);
	tap_ok(vgpu_works(vgpu), "it works");
	spent = cpu_ns(vgpu);
	tap_ok(spent > 0, "and spends CPU time");
	vgpu_close(vgpu);
	tap_ok((u64)knob_get(uuid, CPU_NS) >= spent, "which it has spent when it is closed");
	spent = knob_get(uuid, CPU_NS);
	tap_eq(knob_get(uuid, CPU_NS), spent, "then it spends nothing");
	vgpu = vgpu_open(uuid);
	vgpu_start(vgpu);
	tap_ok(vgpu_works(vgpu) && cpu_ns(vgpu) > spent, "opened again, it spends more");
	vgpu_free(vgpu);
	mdev_create(MDEV_TYPE_SMALL, uuid);
	tap_eq(knob_get(uuid, CPU_NS), 0, "a new one of the same name has spent nothing");
	mdev_remove(uuid);
}

/*
 * In whatever time, no more than that part of it, what may be used at once, and the one request
 * that was begun when there was something left. And one more, as who looks does so while the worker
 * is at it.
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
	tap_eq(knob_set(vgpu->uuid, CPU_MAX, BOUND), 0, "its worker's CPU time is bounded");
	work_for(&ctx, LONG_US, &bound);
	tap_eq(knob_set(vgpu->uuid, CPU_MAX, CPU_ALL), 0, "and is not any more");
	work_for(&ctx, SHORT_US, &again);

	may = bound.ns / 1000 * BOUND + BURST_NS + 2 * bound.most + TICK_NS;
	tap_diag("it might have used %llu ms", (unsigned long long)may / 1000000);
	tap_ok(bound.cpu <= may, "it uses no more than it may");
	tap_ok(used_more(&free, &bound),
	       "before, it used more than three times as much");
	tap_ok(used_more(&again, &bound),
	       "and so it does after that");
	tap_ok(counters_number(vgpu, "exec", "throttled") > 0, "it was throttled");
	tap_eq(free.bad + bound.bad + again.bad, 0, "all that was submitted is done");
	tap_eq(counters_number(vgpu, "exec", "refused"), 0, "nothing was refused");
	vgpu_free(vgpu);
}

/* The bound moves while it works. */
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
	tap_eq(bad, 0, "all is done while the bound moves");
	vgpu_free(vgpu);
}

/**
 * struct throttled - a guest whose worker has used up its CPU time, for a long while
 * @vgpu: its vGPU
 * @ctx: a context on each engine; that of RCS has many page tables
 * @spin: runs on VCS
 * @spin_seqno: in that request
 * @seqno: of a request on each other engine that nobody has looked at
 * @times: how often it has been throttled
 */
struct throttled {
	struct vgpu *vgpu;
	struct context ctx[VGPU_NR_ENGINES];
	struct spinner spin;
	u32 spin_seqno;
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
	u64 spent;
	u32 i;

	t->vgpu = vgpu_open(uuid);
	vgpu_start(t->vgpu);
	for (i = 0; i < VGPU_NR_ENGINES; i++)
		context_init(&t->ctx[i], t->vgpu, i, NULL);
	heavy_tables(t->vgpu, t->ctx[RCS].ppgtt, TABLES);
	spinner_init(&t->spin, &t->ctx[VCS], true);
	t->spin_seqno = spinner_request(&t->spin, &t->ctx[VCS]);
	context_submit(&t->ctx[VCS]);
	tap_ok(request_wait_started(&t->ctx[VCS], t->spin_seqno, SOON_MS), "a guest works");
	spent = cpu_ns(t->vgpu);
	tap_ok(run_one(&t->ctx[RCS]), "it submits what costs more CPU time than it has");
	tap_diag("%llu ms", (unsigned long long)(cpu_ns(t->vgpu) - spent) / 1000000);
	t->times = times(t) + 1;
	for (i = 0; i < VGPU_NR_ENGINES; i++)
		if (i != VCS)
			submit(t, i);
	tap_ok(wait_for(times(t) == t->times, SOON_MS), "so its worker is throttled");
	tap_ok(waits(t), "what it submits then waits");
}

static void new_bounded(char *uuid)
{
	mdev_new_uuid(uuid);
	mdev_create(MDEV_TYPE_SMALL, uuid);
	tap_eq(knob_set(uuid, CPU_MAX, CPU_LEAST), 0, "a vGPU with a bound that nobody has open");
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
	tap_eq(bad, 0, "others work meanwhile");
	bad += gpu_attr_try("policy", "rr") != 0 || gpu_attr_try("copy_policy", "sparse") != 0;
	bad += gpu_attr_set("copy_policy", "cached") != 0 || gpu_attr_set("policy", "fair") != 0;
	tap_eq(bad, 0, "all vGPUs stand still for a moment");
	spinner_end(&t.spin);
	tap_ok(request_wait(&t.ctx[VCS], t.spin_seqno, SOON_MS) &&
	       engine_wait_idle(t.ctx[VCS].engine, SOON_MS), "what ran ends, and is told of");
	tap_ok(engine_reset(t.ctx[VECS].engine), "an engine is reset at once");
	t.ctx[VECS].engine->bad = false;
	context_init(&t.ctx[VECS], t.vgpu, VECS, NULL);
	submit(&t, VECS);
	tap_ok(waits(&t), "all that it submits waits, still");
	tap_eq(times(&t), t.times, "it was throttled all the time");
	tap_eq(knob_set(uuid, CPU_MAX, CPU_ALL), 0, "without a bound");
	tap_ok(done(&t), "all of it is done");
	tap_eq(counters_number(t.vgpu, "exec", "refused"), 0, "nothing was refused");
	tap_ok(vgpu_works(t.vgpu), "it works");
	vgpu_free(t.vgpu);
	vgpu_free(other);
}

/* Whoever has it closed, or reset, waits for nothing either. */
static void check_gone(void)
{
	char uuid[MDEV_UUID_SIZE];
	struct throttled t;
	u64 t0;

	new_bounded(uuid);
	throttle(&t, uuid);
	t0 = now_us();
	tap_ok(vgpu_reset(t.vgpu), "one that is throttled is reset");
	tap_ok(now_us() - t0 < SOON_MS * 1000, "soon");
	vgpu_close(t.vgpu);
	throttle(&t, uuid);
	t0 = now_us();
	tap_eq(-vgpu_free(t.vgpu), 0, "one that is throttled is closed, and removed");
	tap_ok(now_us() - t0 < SOON_MS * 1000, "soon");
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
