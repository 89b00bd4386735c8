// SPDX-License-Identifier: GPL-2.0
/*
 * Several guests never yield, on all engines at once, and submit again after each reset. A guest
 * with short requests and one with occasional work make progress: no request exceeds the bound of
 * docs/scheduling.md.
 */
#include <pthread.h>

#include "clock.h"
#include "context.h"
#include "gpu.h"
#include "hog.h"
#include "knob.h"
#include "standstill.h"
#include "tap.h"
#include "used.h"
#include "vgpu.h"

#define HOGS		6
#define RUN_MS		(4000 + brief(8000))
#define ALONE_MS	1000
#define NAP_US		400000

/**
 * struct villain - a vGPU with a hog on each engine
 * @vgpu: the vGPU
 * @hog: its hogs
 */
struct villain {
	struct vgpu *vgpu;
	struct hog hog[VGPU_NR_ENGINES];
};

static struct villain villains[HOGS];
static bool stop;

/* The guests' drivers, which only submit again after a reset. */
static void *drive(void *unused __maybe_unused)
{
	u32 i, e;

	while (!READ_ONCE(stop)) {
		for (i = 0; i < HOGS; i++)
			for (e = 0; e < VGPU_NR_ENGINES; e++)
				if (hog_is_reset(&villains[i].hog[e]))
					hog_again(&villains[i].hog[e]);
		sleep_us(4000);
	}
	return NULL;
}

/**
 * struct honest - a guest with short requests
 * @vgpu: its vGPU
 * @ctx: its contexts
 * @nap_us: its idle time after each request
 * @engine: the engine of the current request
 * @busy: there is a current request
 * @seqno: of that request
 * @since: when it was submitted, or the previous one completed
 * @stood: the sum of the machine's standstills at that time, us
 * @done: number of completed requests
 * @longest: the longest time of a request, less the machine's standstills, us
 */
struct honest {
	struct vgpu *vgpu;
	struct context ctx[VGPU_NR_ENGINES];
	u64 nap_us;
	u32 engine;
	bool busy;
	u32 seqno;
	u64 since;
	u64 stood;
	u32 done;
	u64 longest;
};

static void honest_init(struct honest *h, u64 nap_us)
{
	u32 i;

	*h = (struct honest) { .vgpu = vgpu_new(MDEV_TYPE_SMALL), .nap_us = nap_us };
	for (i = 0; i < VGPU_NR_ENGINES; i++)
		context_init(&h->ctx[i], h->vgpu, i, NULL);
}

static void honest_submit(struct honest *h)
{
	struct context *ctx = &h->ctx[h->engine];

	request_begin(ctx);
	h->seqno = request_end(ctx);
	h->stood = standstill_us();
	h->since = now_us();
	h->busy = true;
	context_submit(ctx);
}

static void honest_look(struct honest *h)
{
	struct context *ctx = &h->ctx[h->engine];
	u64 took = standstill_but_for(h->since, h->stood);

	h->longest = took > h->longest ? took : h->longest;
	engine_process(ctx->engine);
	if (!request_done(ctx, h->seqno) || ctx->engine->pending || ctx->engine->active)
		return;
	h->busy = false;
	h->since = now_us();
	h->done++;
	/* A guest that naps must use each engine. */
	if (h->nap_us)
		h->engine = (h->engine + 1) % VGPU_NR_ENGINES;
}

static void honest_go_on(struct honest *h)
{
	if (h->busy)
		honest_look(h);
	if (!h->busy && now_us() - h->since >= h->nap_us)
		honest_submit(h);
}

static bool honest_end(struct honest *h)
{
	u32 i, bad = 0;

	if (!wait_for(!h->busy || (honest_look(h), !h->busy), SOON_MS))
		return false;
	for (i = 0; i < VGPU_NR_ENGINES; i++)
		bad += h->vgpu->engines[i].bad;
	return !bad && ram_canary_intact(&h->vgpu->ram);
}

static void run(struct honest *a, struct honest *b, u64 ms)
{
	u64 end = now_us() + ms * 1000;

	a->done = 0;
	b->done = 0;
	a->longest = 0;
	b->longest = 0;
	while (now_us() < end) {
		honest_go_on(a);
		honest_go_on(b);
		sleep_us(50);
	}
}

/* The longest time for which a hog kept an engine beyond its turn, including the reset, us. */
static u64 longest_yield(void)
{
	long ns, most = 0;
	u32 i, e;

	for (i = 0; i < HOGS; i++) {
		for (e = 0; e < VGPU_NR_ENGINES; e++) {
			ns = used_get(villains[i].vgpu->uuid, e, "longest-yield");
			most = ns > most ? ns : most;
		}
	}
	return most / 1000;
}

/*
 * The bound of docs/scheduling.md: wait for each hog once, for q + P/k + r, k from 1 on, and for
 * the other yielding guest for q. The request's own time is added.
 */
static u64 bound_us(u64 alone_us)
{
	u64 q = gpu_attr_number("exec_quantum_ms") * 1000;
	u64 p = knob_get(villains[0].vgpu->uuid, PREEMPT_TIMEOUT_US);
	u64 yield = longest_yield(), r = yield > p ? yield - p : 0, bound = alone_us + q;
	u32 k;

	for (k = 1; k <= HOGS; k++)
		bound += q + p / k + r;
	tap_diag("q = %llu us, P = %llu us, r = %llu us: no longer than %llu ms",
		 (unsigned long long)q, (unsigned long long)p, (unsigned long long)r,
		 (unsigned long long)bound / 1000);
	return bound;
}

static long resets(u32 engine)
{
	long n = 0;
	u32 i;

	for (i = 0; i < HOGS; i++)
		n += used_get(villains[i].vgpu->uuid, engine, "resets");
	return n;
}

/* Each reset takes a quantum and the least patience; those at both ends may be cut off. */
static void check_resets(const long *count, u64 wall)
{
	u64 least = gpu_attr_number("exec_quantum_ms") * 1000 +
		    knob_get(villains[0].vgpu->uuid, PREEMPT_TIMEOUT_US) / HOGS;
	u32 e, idle = 0, many = 0;

	for (e = 0; e < VGPU_NR_ENGINES; e++) {
		tap_diag("%s: %llu resets a minute", engine_infos[e].name,
			 (unsigned long long)count[e] * 60000000 / wall);
		idle += !count[e];
		many += (u64)count[e] > wall / least + 1;
	}
	tap_eq(idle, 0, "all engines are reset again and again");
	tap_eq(many, 0, "the rate of resets is within the bound");
}

static void check_honest(const char *name, const struct honest *h, u32 least, u64 bound)
{
	tap_diag("%s: %u requests, the longest took %llu ms", name, h->done,
		 (unsigned long long)h->longest / 1000);
	tap_ok(h->done >= least, "%s: makes progress all the time", name);
	tap_ok(h->longest <= bound * slowness(), "%s: no request exceeds the bound", name);
}

static void start_villains(void)
{
	u32 i, e, missing = 0;

	for (i = 0; i < HOGS; i++)
		for (e = 0; e < VGPU_NR_ENGINES; e++)
			hog_init(&villains[i].hog[e], villains[i].vgpu, e);
	for (e = 0; e < VGPU_NR_ENGINES; e++)
		missing += !wait_for(hog_started(&villains[0].hog[e]), SOON_MS);
	tap_eq(missing, 0, "%u guests that never yield, on all engines", HOGS);
}

static void end_villains(void)
{
	u32 i, e, bad = 0;

	for (i = 0; i < HOGS; i++) {
		for (e = 0; e < VGPU_NR_ENGINES; e++) {
			bad += !villains[i].hog[e].turns;
			hog_end(&villains[i].hog[e]);
		}
	}
	tap_eq(bad, 0, "each of these guests has turns on each engine");
	for (i = 0; i < HOGS; i++)
		bad += !vgpu_works(villains[i].vgpu);
	tap_eq(bad, 0, "each of these guests works after a reset");
}

static void check_all(struct honest *busy, struct honest *sleepy)
{
	long count[VGPU_NR_ENGINES];
	u64 alone, bound, wall;
	pthread_t thread;
	u32 e;

	run(busy, sleepy, ALONE_MS);
	tap_ok(busy->done && sleepy->done, "two guests yield, and one of them naps");
	alone = busy->longest > sleepy->longest ? busy->longest : sleepy->longest;
	start_villains();
	if (pthread_create(&thread, NULL, drive, NULL))
		tap_die("no thread");
	/* Resets may not be too many in this time: it is around them. */
	wall = now_us();
	for (e = 0; e < VGPU_NR_ENGINES; e++)
		count[e] = resets(e);
	run(busy, sleepy, RUN_MS);
	for (e = 0; e < VGPU_NR_ENGINES; e++)
		count[e] = resets(e) - count[e];
	wall = now_us() - wall;
	bound = bound_us(alone);
	check_honest("the guest that always has work", busy, RUN_MS * 1000 / bound, bound);
	/* A nap, and a wait, and so on. */
	check_honest("the guest that naps", sleepy, RUN_MS * 1000 / (bound + NAP_US), bound);
	check_resets(count, wall);
	tap_ok(honest_end(busy), "all its requests complete");
	tap_ok(honest_end(sleepy), "the second guest that naps");
	WRITE_ONCE(stop, true);
	pthread_join(thread, NULL);
}

int main(void)
{
	struct honest busy, sleepy;
	u32 i;

	vgpu_test_init(120);
	standstill_watch();
	honest_init(&busy, 0);
	honest_init(&sleepy, NAP_US);
	for (i = 0; i < HOGS; i++)
		villains[i].vgpu = vgpu_new(MDEV_TYPE_SMALL);
	check_all(&busy, &sleepy);
	end_villains();
	tap_ok(vgpu_works(busy.vgpu) && vgpu_works(sleepy.vgpu), "all vGPUs work");
	vgpu_free(busy.vgpu);
	vgpu_free(sleepy.vgpu);
	for (i = 0; i < HOGS; i++)
		vgpu_free(villains[i].vgpu);
	return vgpu_test_done();
}
