// SPDX-License-Identifier: GPL-2.0
/*
 * Different vGPUs use different engines at the same time: each engine has a run queue. With places
 * in graphics memory there is one run queue for all engines.
 */
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "context.h"
#include "counters.h"
#include "ggtt.h"
#include "gpu.h"
#include "tap.h"
#include "vgpu.h"

#define RUN_MS		400
/* Half of the preempt timeout: a hog may stall only its own engine for so long. */
#define GAP_MS		(320 * slowness())
/* Longer between two looks means that the machine stood still. */
#define LOOK_US		20000
#define BLIT_PAGES	16
#define BLIT_ADDR	0x300000000000ULL
#define SIGNALS		12
#define ROUNDS		8

/* Whether there are slots enough for the vGPUs of these tests. */
static bool have_slots;

static void restore(void)
{
	gpu_attr_set("copy_policy", "cached");
}

/**
 * struct job - a request that does not end by itself
 * @ctx: its context
 * @spin: its batch
 * @seqno: its number
 * @engine: its engine
 */
struct job {
	struct context ctx;
	struct spinner spin;
	u32 seqno;
	u32 engine;
};

static void job_begin(struct job *job, struct vgpu *vgpu, u32 engine, bool yields)
{
	job->engine = engine;
	context_init(&job->ctx, vgpu, engine, NULL);
	spinner_init(&job->spin, &job->ctx, yields);
	job->seqno = spinner_request(&job->spin, &job->ctx);
	context_submit(&job->ctx);
}

static bool job_started(struct job *job)
{
	return request_wait_started(&job->ctx, job->seqno, SOON_MS);
}

static bool job_end(struct job *job)
{
	spinner_end(&job->spin);
	return request_wait(&job->ctx, job->seqno, SOON_MS) &&
	       engine_wait_idle(job->ctx.engine, SOON_MS) && !job->ctx.engine->bad;
}

static u64 job_busy(const struct job *job)
{
	return counters_busy(job->ctx.vgpu, job->engine);
}

/* It is on its engine again. */
static bool job_goes_on(const struct job *job)
{
	u64 before = job_busy(job);

	return wait_for(job_busy(job) > before, SOON_MS);
}

static u64 preemptions(const struct job *job)
{
	return counters_number(job->ctx.vgpu, "exec", "preemptions");
}

static u64 turns(void)
{
	return counters_gpu_number("sched", "turns");
}

/**
 * struct account - what two jobs did in an interval
 * @busy: how long each ran, ns
 * @preemptions: how often each was preempted
 * @turns: how often a run queue passed from one vGPU to another
 * @wall: the interval, ns, at least: the machine may stand still between two readings
 * @around: the interval at most
 */
struct account {
	u64 busy[2];
	u64 preemptions[2];
	u64 turns;
	u64 wall;
	u64 around;
};

static void take_busy(const struct job *job, struct account *a)
{
	u32 i;

	for (i = 0; i < 2; i++)
		a->busy[i] = job_busy(&job[i]);
}

static void take_others(const struct job *job, struct account *a)
{
	u32 i;

	for (i = 0; i < 2; i++)
		a->preemptions[i] = preemptions(&job[i]);
	a->turns = turns();
}

/* Lasts @ms, or longer until there were @least turns. */
static struct account run_for(const struct job *job, u32 ms, u64 least)
{
	struct account from, to;
	u32 i;

	take_others(job, &from);
	from.around = now_us() * 1000;
	take_busy(job, &from);
	from.wall = now_us() * 1000;
	sleep_us(ms * 1000ULL);
	wait_for(turns() - from.turns >= least, SOON_MS);
	to.wall = now_us() * 1000 - from.wall;
	take_busy(job, &to);
	to.around = now_us() * 1000 - from.around;
	take_others(job, &to);
	for (i = 0; i < 2; i++) {
		to.busy[i] -= from.busy[i];
		to.preemptions[i] -= from.preemptions[i];
	}
	to.turns -= from.turns;
	tap_diag("of %llu ms, %llu and %llu; preempted %llu and %llu times, %llu turns",
		 (unsigned long long)to.wall / 1000000, (unsigned long long)to.busy[0] / 1000000,
		 (unsigned long long)to.busy[1] / 1000000, (unsigned long long)to.preemptions[0],
		 (unsigned long long)to.preemptions[1], (unsigned long long)to.turns);
	return to;
}

static void check_apart(struct job *job, const char *when)
{
	const struct account a = run_for(job, RUN_MS, 0);

	tap_ok(a.busy[0] * 10 >= a.wall * 9 && a.busy[1] * 10 >= a.wall * 9,
	       "%s: rcs0 and bcs0 are always busy, with a vGPU each", when);
	tap_eq(a.preemptions[0] + a.preemptions[1], 0, "%s: neither is preempted", when);
	tap_eq(a.turns, 0, "%s: no engine changes owner", when);
}

static void check_together(struct job *job)
{
	const struct account a = run_for(job, 2 * RUN_MS, 4);

	tap_ok((a.busy[0] + a.busy[1]) * 10 <= a.around * 11,
	       "with places: one vGPU runs at a time");
	tap_ok(a.busy[0] && a.busy[1] && a.preemptions[0] && a.preemptions[1] && a.turns >= 4,
	       "with places: they alternate");
}

/* A run queue for each engine, one for all, and one for each again, under the same work. */
static void check_overlap(void)
{
	struct job job[2];
	u32 i, bad = 0;

	for (i = 0; i < 2; i++) {
		job_begin(&job[i], vgpu_new(MDEV_TYPE_SMALL), i ? BCS : RCS, true);
		bad += !job_started(&job[i]);
	}
	tap_eq(bad, 0, "two vGPUs work, each on its engine");
	check_apart(job, "at first");
	if (have_slots) {
		tap_eq(-gpu_attr_set("copy_policy", "slot"), 0, "vGPUs have places");
		check_together(job);
		tap_eq(-gpu_attr_set("copy_policy", "cached"), 0, "vGPUs have no places again");
		bad += !job_goes_on(&job[0]) || !job_goes_on(&job[1]);
		check_apart(job, "after that");
	} else {
		tap_skip("no slots", "there are not enough slots for places");
	}
	for (i = 0; i < 2; i++) {
		bad += !job_end(&job[i]);
		bad += counters_number(job[i].ctx.vgpu, "exec", "hangs") != 0;
		vgpu_free(job[i].ctx.vgpu);
	}
	tap_eq(bad, 0, "both complete without a hang");
}

/**
 * struct blitter - a vGPU that fills the same pages again and again
 * @ctx: its context
 * @gpa: the pages
 * @seqno: the request under way
 * @looked: time of the last look
 * @since: time since the last completion, without standstills, us
 * @done: completed requests
 * @wrong: completed requests with a wrong result
 * @gap: the longest time between two completions, us
 */
struct blitter {
	struct context ctx;
	u64 gpa;
	u32 seqno;
	u64 looked;
	u64 since;
	u32 done;
	u32 wrong;
	u64 gap;
};

static u32 color(const struct blitter *b)
{
	return 0xb1000000 | b->seqno;
}

static void blitter_submit(struct blitter *b)
{
	request_begin(&b->ctx);
	b->seqno = b->ctx.seqno;
	cs_color_blt(&b->ctx.ring, BLIT_ADDR, 1024, 256, BLIT_PAGES * PAGE_SIZE / 1024, color(b));
	request_end(&b->ctx);
	context_submit(&b->ctx);
}

static void blitter_init(struct blitter *b, struct vgpu *vgpu)
{
	memset(b, 0, sizeof(*b));
	context_init(&b->ctx, vgpu, BCS, NULL);
	b->gpa = ram_alloc(&vgpu->ram, BLIT_PAGES);
	ppgtt_map(b->ctx.ppgtt, BLIT_ADDR, b->gpa, BLIT_PAGES);
	blitter_submit(b);
	b->looked = now_us();
}

static bool blitter_look(struct blitter *b)
{
	u64 now = now_us(), passed = now - b->looked;

	b->looked = now;
	/* A long time between two looks is a standstill of the machine, and no gap. */
	b->since += passed < LOOK_US ? passed : LOOK_US;
	if (b->since > b->gap)
		b->gap = b->since;
	if (!request_done(&b->ctx, b->seqno))
		return false;
	b->wrong += ram_read32(&b->ctx.vgpu->ram, b->gpa) != color(b) ||
		    ram_read32(&b->ctx.vgpu->ram, b->gpa + BLIT_PAGES * PAGE_SIZE - 4) != color(b);
	b->wrong += !engine_wait_idle(b->ctx.engine, SOON_MS) || b->ctx.engine->bad;
	b->since = 0;
	b->done++;
	return true;
}

static void blitter_go_on(struct blitter *b)
{
	if (blitter_look(b))
		blitter_submit(b);
}

static bool blitter_end(struct blitter *b)
{
	return wait_for(blitter_look(b), SOON_MS) && !b->wrong;
}

/*
 * A vGPU that never yields is reset on one engine. Meanwhile another vGPU blits, and the first
 * one's own work on a third engine goes on.
 */
static void check_drain(void)
{
	struct vgpu *bad = vgpu_new(MDEV_TYPE_SMALL), *peer = vgpu_new(MDEV_TYPE_SMALL);
	struct vgpu *good = vgpu_new(MDEV_TYPE_SMALL);
	struct job hog, own, waiter;
	u64 resets, turns_before, own_busy, t0;
	struct blitter b;

	job_begin(&hog, bad, RCS, false);
	job_begin(&own, bad, VCS, true);
	tap_ok(job_started(&hog) && job_started(&own), "a vGPU never yields on rcs0");
	blitter_init(&b, good);
	tap_ok(wait_for((blitter_go_on(&b), b.done >= 10), SOON_MS), "another vGPU blits");
	resets = counters_gpu_number("sched", "engine_resets");
	turns_before = turns();
	own_busy = job_busy(&own);
	b.gap = 0;
	b.since = 0;
	t0 = now_us();
	job_begin(&waiter, peer, RCS, true);
	tap_ok(wait_for((blitter_go_on(&b), request_started(&waiter.ctx, waiter.seqno)), SOON_MS),
	       "a third vGPU gets rcs0");
	t0 = now_us() - t0;
	own_busy = job_busy(&own) - own_busy;
	tap_diag("after %llu ms; blits: %u, longest gap %llu ms; vcs0 was busy for %llu ms",
		 (unsigned long long)t0 / 1000, b.done, (unsigned long long)b.gap / 1000,
		 (unsigned long long)own_busy / 1000000);
	tap_eq(counters_gpu_number("sched", "engine_resets") - resets, 1,
	       "one engine is reset for it");
	tap_ok(b.gap < GAP_MS * 1000ULL, "blits go on meanwhile");
	tap_ok(own_busy * 10 >= t0 * 1000 * 9, "the first one's work on vcs0 goes on");
	tap_eq(turns() - turns_before, 1, "only rcs0 changes owner");
	tap_eq(counters_number(bad, "exec", "hangs"), 1, "one context hangs");
	tap_ok(blitter_end(&b), "every blit is right");
	tap_ok(job_end(&waiter) && job_end(&own), "all other requests complete");
	spinner_end(&hog.spin);
	tap_ok(engine_reset(hog.ctx.engine) && vgpu_works(bad),
	       "the one that hung works after a reset");
	vgpu_free(bad);
	vgpu_free(peer);
	vgpu_free(good);
}

#define SHARERS		4

/**
 * struct shares - how long each job held its engine
 * @held: that, ns
 * @wall: in this time, ns
 */
struct shares {
	u64 held[SHARERS];
	u64 wall;
};

static struct shares shares_since(const struct job *job, const struct shares *from)
{
	struct shares s = { .wall = now_us() * 1000 - from->wall };
	u32 i;

	for (i = 0; i < SHARERS; i++)
		s.held[i] = counters_held(job[i].ctx.vgpu, job[i].engine) - from->held[i];
	return s;
}

/* Neither share of an engine exceeds 3/2 of the other. */
static bool alike(const struct shares *s, u32 i)
{
	return s->held[i] * 2 <= s->held[i + 2] * 3 && s->held[i + 2] * 2 <= s->held[i] * 3;
}

static bool is_used(const struct shares *s, u32 i)
{
	return (s->held[i] + s->held[i + 2]) * 10 >= s->wall * 9;
}

/*
 * The shares after 3 s, or later if the machine stood still: what one vGPU then had too much is
 * made up for in as much time.
 */
static struct shares await_shares(const struct job *job)
{
	struct shares start = { }, s;

	start = shares_since(job, &start);
	start.wall = now_us() * 1000;
	sleep_us(3000000);
	wait_for((s = shares_since(job, &start), alike(&s, 0) && alike(&s, 1) && is_used(&s, 0) &&
		  is_used(&s, 1)), 4 * SOON_MS);
	return s;
}

/* Two vGPUs share rcs0, two others bcs0: each has half of its engine. */
static void check_shares(void)
{
	struct job job[SHARERS];
	struct shares s;
	u32 i, bad = 0;

	for (i = 0; i < SHARERS; i++)
		job_begin(&job[i], vgpu_new(MDEV_TYPE_SMALL), i & 1 ? BCS : RCS, true);
	for (i = 0; i < SHARERS; i++)
		bad += !job_started(&job[i]);
	tap_eq(bad, 0, "two work on rcs0, two on bcs0");
	s = await_shares(job);
	for (i = 0; i < SHARERS; i++)
		tap_diag("%s: %llu of %llu ms", engine_infos[job[i].engine].name,
			 (unsigned long long)s.held[i] / 1000000,
			 (unsigned long long)s.wall / 1000000);
	for (i = 0; i < 2; i++) {
		const char *name = engine_infos[job[i].engine].name;

		tap_ok(alike(&s, i), "%s: no share is more than 3/2 of the other", name);
		tap_ok(is_used(&s, i), "%s: it has an owner nearly all of the time", name);
	}
	for (i = 0; i < SHARERS; i++) {
		bad += !job_end(&job[i]);
		vgpu_free(job[i].ctx.vgpu);
	}
	tap_eq(bad, 0, "all of them complete");
}

/**
 * struct pair - two requests of a vGPU that signal each other
 * @ctx: their contexts, on rcs0 and bcs0
 * @seqno: their numbers
 */
struct pair {
	struct context ctx[2];
	u32 seqno[2];
};

static void pair_init(struct pair *pair, struct vgpu *vgpu)
{
	context_init(&pair->ctx[0], vgpu, RCS, NULL);
	context_init(&pair->ctx[1], vgpu, BCS, NULL);
}

/* The first one stores n, the second one waits for that and stores n, and so on. */
static void pair_submit(struct pair *pair, u32 which, u32 round)
{
	struct context *ctx = &pair->ctx[which];
	struct cs *ring = &ctx->ring;
	u32 i, first = round * SIGNALS;

	request_begin(ctx);
	for (i = first + 1; i <= first + SIGNALS; i++) {
		cs_semaphore_wait(ring, GGTT, context_slot(&pair->ctx[!which], 40), SEMAPHORE_GE,
				  which ? i : i - 1);
		cs_store(ring, GGTT, context_slot(ctx, 40), i);
	}
	pair->seqno[which] = request_end(ctx);
	context_submit(ctx);
}

static bool pair_done(struct pair *pair, u32 round)
{
	bool ok = true;
	u32 i;

	for (i = 0; i < 2; i++) {
		struct context *ctx = &pair->ctx[i];

		ok &= request_wait(ctx, pair->seqno[i], 4 * SOON_MS) &&
		      engine_wait_idle(ctx->engine, SOON_MS) && !ctx->engine->bad;
		ok &= context_slot_value(ctx, 40) == (round + 1) * SIGNALS;
	}
	return ok;
}

/*
 * Two vGPUs own an engine each, and each waits by semaphore for its own work on the other engine.
 * A context that waits is preempted like any other, and does not count as hung.
 */
static void check_semaphores(void)
{
	struct vgpu *vgpu[2] = { vgpu_new(MDEV_TYPE_SMALL), vgpu_new(MDEV_TYPE_SMALL) };
	u64 resets = counters_gpu_number("sched", "engine_resets"), t0 = now_us();
	struct pair pair[2];
	u32 i, round, bad = 0;
	u64 preempted = 0;

	for (i = 0; i < 2; i++)
		pair_init(&pair[i], vgpu[i]);
	for (round = 0; round < ROUNDS; round++) {
		for (i = 0; i < 2; i++) {
			pair_submit(&pair[i], i, round);
			bad += !request_wait_started(&pair[i].ctx[i], pair[i].seqno[i], SOON_MS);
		}
		for (i = 0; i < 2; i++)
			pair_submit(&pair[i], !i, round);
		for (i = 0; i < 2; i++)
			bad += !pair_done(&pair[i], round);
	}
	tap_eq(bad, 0, "two vGPUs with engines that wait for each other complete");
	for (i = 0, bad = 0; i < 2; i++) {
		bad += counters_number(vgpu[i], "exec", "hangs") != 0;
		preempted += counters_number(vgpu[i], "exec", "preemptions");
	}
	tap_diag("%u signals of each in %llu ms, %llu preemptions", round * SIGNALS * 2,
		 (unsigned long long)(now_us() - t0) / 1000, (unsigned long long)preempted);
	tap_eq(bad, 0, "no context hangs");
	tap_eq(counters_gpu_number("sched", "engine_resets"), resets, "no engine is reset");
	tap_ok(preempted >= ROUNDS, "in each round a waiting context is preempted");
	for (i = 0; i < 2; i++)
		vgpu_free(vgpu[i]);
}

/* Between a run queue for each engine and one for all, while all of the above is under way. */
static void check_changes(void)
{
	static const char *const policies[] = {
		"slot", "cached", "predictive", "demand", "cached", "sparse", "cached",
	};
	u64 resets = counters_gpu_number("sched", "engine_resets");
	struct vgpu *vgpu[4];
	struct pair pair;
	struct job job[2];
	struct blitter b;
	u32 i, bad = 0, unset = 0;

	for (i = 0; i < ARRAY_SIZE(vgpu); i++)
		vgpu[i] = vgpu_new(MDEV_TYPE_SMALL);
	job_begin(&job[0], vgpu[0], RCS, true);
	job_begin(&job[1], vgpu[1], BCS, true);
	blitter_init(&b, vgpu[2]);
	pair_init(&pair, vgpu[3]);
	for (i = 0; i < 2 * ARRAY_SIZE(policies); i++) {
		u32 blits = b.done;

		pair_submit(&pair, 0, i);
		pair_submit(&pair, 1, i);
		unset += gpu_attr_try("copy_policy", policies[i % ARRAY_SIZE(policies)]) != 0;
		bad += !wait_for((blitter_go_on(&b), b.done > blits), SOON_MS);
		bad += !pair_done(&pair, i);
	}
	tap_eq(unset, 0, "the copy policy changes");
	tap_eq(bad, 0, "all requests complete meanwhile");
	tap_ok(blitter_end(&b), "blits are right");
	for (i = 0; i < 2; i++)
		bad += !job_end(&job[i]);
	for (i = 0; i < ARRAY_SIZE(vgpu); i++) {
		bad += counters_number(vgpu[i], "exec", "hangs") != 0;
		vgpu_free(vgpu[i]);
	}
	tap_eq(bad, 0, "no vGPU hangs");
	tap_eq(counters_gpu_number("sched", "engine_resets"), resets, "no engine is reset");
}

int main(void)
{
	char path[MDEV_PATH_MAX];

	vgpu_test_init(240);
	if (!counters_gpu_path(path, "sched"))
		tap_skip_all("no debugfs");
	atexit(restore);
	have_slots = counters_gpu_number("slots", "slots") >= 6;
	check_overlap();
	check_drain();
	check_shares();
	check_semaphores();
	if (have_slots)
		check_changes();
	return vgpu_test_done();
}
