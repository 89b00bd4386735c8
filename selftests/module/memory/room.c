// SPDX-License-Identifier: GPL-2.0
/*
 * Limits of pinned memory. vGPUs that use more than fits run alternately, with the right results,
 * and never have more pinned than they may. A guest that asks for more than there is sees a hang,
 * and others wait for it for a bounded time only.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

#include "clock.h"
#include "counters.h"
#include "ggtt.h"
#include "gpu.h"
#include "guard.h"
#include "knob.h"
#include "migration.h"
#include "pressure.h"
#include "rng.h"
#include "space.h"
#include "tap.h"
#include "vgpu.h"

#define MAX_MB		20u
#define MAX_PAGES	(MAX_MB * 256)
/* Two of them do not fit, one does. */
#define BIG_PAGES	3000u
/* This one never does. */
#define HUGE_PAGES	6000u
#define GREEDY		2u
/* How long a guest asks for too much, each time for so long; a request that waits for it */
#define RESETS_US	14000000u
#define EARLY_US	1900000u
#define LATE_US		50000u
/* Half of what one has */
#define MIN_MB		6u
#define MIN_PAGES	(MIN_MB * 256)
#define OWN_MB		8u
#define OWN_PAGES	(OWN_MB * 256)
#define PART_PAGES	1200u
#define PARTS		4u
/* To drop so many address spaces, which share their pages, takes a tenth of a second. */
#define SHARERS		16u
#define SHARED_PAGES	12000u
#define SHARED_MB	128u
#define GIVER_MS	60
/* One of these fits. Whether three vGPUs with two of them fit depends on their random sizes. */
#define LIVES		3u
#define LIFE_PAGES	1800u
#define LIFE_MB		12u
#define LIVES_US	8000000u
#define SEED		22u
#define VALUE		0x70000000u
#define ROUNDS		6u
#define BUSY_US		6000000u
/* On a slow kernel a request needs the token for longer than it may, and is rationed after that. */
#define LONG_MS		(slowness() > 1 ? 240000 : 20000)
/* For how long a vGPU holds the pin token, and the time of a request after it. */
#define TOKEN_MS	(3000 * slowness())

static const char *const bad_numbers[] = { "0", "16777217", "-1", "many", "4294967296" };

static u64 all_pins(struct space *s, u32 count)
{
	u64 sum = 0;
	u32 i;

	for (i = 0; i < count; i++)
		sum += counters_pins(s[i].ctx.vgpu);
	return sum;
}

static bool set_max(u32 mb)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", mb);
	return !gpu_attr_set("pinned_max_mb", text);
}

static long host_mb(void)
{
	unsigned long kb = 0;
	FILE *f = fopen("/proc/meminfo", "r");

	if (!f || fscanf(f, "MemTotal: %lu", &kb) != 1)
		tap_die("no MemTotal");
	fclose(f);
	return kb / 1024;
}

static void check_attributes(struct vgpu *vgpu, long was)
{
	bool refused = true;
	u32 i;

	tap_ok(was >= host_mb() * 3 / 4 - 1 && was <= host_mb() * 3 / 4 + 1,
	       "three quarters of the host's memory may be pinned");
	tap_diag("%ld of %ld MB", was, host_mb());
	for (i = 0; i < ARRAY_SIZE(bad_numbers); i++)
		refused = gpu_attr_set("pinned_max_mb", bad_numbers[i]) == -EINVAL &&
			  knob_write(vgpu->uuid, PINNED_MAX_MB, bad_numbers[i]) == -EINVAL &&
			  refused;
	/* 0 is good for these. */
	for (i = 1; i < ARRAY_SIZE(bad_numbers); i++)
		refused = knob_write(vgpu->uuid, PINNED_MIN_MB, bad_numbers[i]) == -EINVAL &&
			  knob_write(vgpu->uuid, PINNED_LOW_MB, bad_numbers[i]) == -EINVAL &&
			  refused;
	tap_ok(refused && gpu_attr_number("pinned_max_mb") == was, "bad numbers are refused");
	tap_ok(!knob_get(vgpu->uuid, PINNED_MIN_MB) && !knob_get(vgpu->uuid, PINNED_LOW_MB) &&
	       knob_get(vgpu->uuid, PINNED_MAX_MB) == 16777216, "a vGPU has no limits at first");
}

/* One after the other, each uses all of its memory. */
static void check_alternating(struct space *s, const char *policy)
{
	u64 most = 0, t0 = now_us(), longest = 0, t;
	bool ok = true;
	u32 i;

	for (i = 0; i < 2 * ROUNDS; i++) {
		t = now_us();
		ok = space_runs(&s[i % 2], VALUE + i) && ok;
		if (now_us() - t > longest)
			longest = now_us() - t;
		t = all_pins(s, 2);
		most = t > most ? t : most;
	}
	tap_ok(ok, "two vGPUs that do not fit together run alternately, by %s", policy);
	tap_ok(most > MAX_PAGES / 2 + MAX_PAGES / 8, "not all is given, by %s", policy);
	tap_ok(most <= MAX_PAGES, "no more is pinned than may be, by %s", policy);
	tap_diag("%llu pages of %u; %llu ms, longest %llu ms", most, MAX_PAGES,
		 (now_us() - t0) / 1000, longest / 1000);
}

/**
 * struct busy - a vGPU that uses all of its memory, all the time
 * @s: what it uses
 * @until: when it ends
 * @count: how many requests were done
 * @longest: the longest one, us
 * @ok: all had the right result
 */
struct busy {
	struct space *s;
	u64 until;
	u32 count;
	u64 longest;
	bool ok;
};

static void *run_busy(void *arg)
{
	struct busy *b = arg;
	u64 t;

	b->ok = true;
	while (now_us() < b->until) {
		u32 value = VALUE + ++b->count;
		u32 seqno = space_submit(b->s, value);

		t = now_us();
		b->ok = request_wait(&b->s->ctx, seqno, LONG_MS) &&
			engine_wait_idle(b->s->ctx.engine, SOON_MS) && space_has(b->s, value) &&
			b->ok;
		t = now_us() - t;
		b->longest = t > b->longest ? t : b->longest;
	}
	return NULL;
}

/* Where the token is held too briefly to pin all that is needed, no bound of waiting is tested. */
static void check_wait(u64 us, u64 most_us, const char *what)
{
	if (slowness() > 1)
		tap_skip("this kernel pins too slowly", "%s", what);
	else
		tap_ok(us < most_us, "%s", what);
}

static void check_busy(struct space *s)
{
	u64 until = now_us() + BUSY_US * slowness();
	struct busy busy[2] = { { .s = &s[0], .until = until }, { .s = &s[1], .until = until } };
	pthread_t thread;

	if (pthread_create(&thread, NULL, run_busy, &busy[1]))
		tap_die("no thread");
	run_busy(&busy[0]);
	pthread_join(thread, NULL);
	tap_ok(busy[0].ok && busy[1].ok, "all the time");
	tap_diag("%u and %u requests, longest %llu and %llu ms", busy[0].count, busy[1].count,
		 busy[0].longest / 1000, busy[1].longest / 1000);
	check_wait(busy[0].longest > busy[1].longest ? busy[0].longest : busy[1].longest,
		   TOKEN_MS * 1000, "neither waits for longer than the other holds the token");
}

static u64 waits(const struct space *s)
{
	return counters_number(s->ctx.vgpu, "state", "room_waits");
}

static bool refused(const struct space *s)
{
	return wait_for(counters_number(s->ctx.vgpu, "exec", "refused") == 1, LONG_MS);
}

/* A vGPU keeps what it is promised, and the other one waits. */
static void check_promised(struct space *s)
{
	u64 before = waits(&s[1]);
	u32 seqno;

	tap_ok(!knob_set(s[0].ctx.vgpu->uuid, PINNED_MIN_MB, MAX_MB) &&
	       space_runs(&s[0], VALUE), "a vGPU is promised all");
	seqno = space_submit(&s[1], VALUE);
	tap_ok(wait_for(waits(&s[1]) > before + 5, SOON_MS) && !request_done(&s[1].ctx, seqno),
	       "the other one waits");
	tap_ok(space_is_used(&s[0]) && space_runs(&s[0], VALUE + 1), "it keeps its memory");
	tap_ok(!knob_set(s[0].ctx.vgpu->uuid, PINNED_MIN_MB, 0) &&
	       request_wait(&s[1].ctx, seqno, SOON_MS) &&
	       engine_wait_idle(s[1].ctx.engine, SOON_MS), "until the promise ends");
	tap_ok(!knob_set(s[0].ctx.vgpu->uuid, PINNED_MIN_MB, MIN_MB) &&
	       space_runs(&s[0], VALUE + 2) && space_runs(&s[1], VALUE + 2),
	       "with half of it promised, both run");
	tap_ok(counters_pins(s[0].ctx.vgpu) >= MIN_PAGES &&
	       counters_pins(s[0].ctx.vgpu) < BIG_PAGES, "it has given some, and kept that");
	tap_diag("%llu pages, of %u", counters_pins(s[0].ctx.vgpu), MIN_PAGES);
	knob_set(s[0].ctx.vgpu->uuid, PINNED_MIN_MB, 0);
}

/* The limit is lowered while more is pinned. */
static void check_lowered(struct space *s)
{
	tap_ok(set_max(2 * MAX_MB) && space_runs(&s[0], VALUE) && space_runs(&s[1], VALUE) &&
	       all_pins(s, 2) > MAX_PAGES, "with a higher limit, more is pinned");
	sleep_us(200000);
	tap_ok(set_max(MAX_MB) && wait_for(all_pins(s, 2) <= MAX_PAGES, SOON_MS),
	       "the limit is lowered: what is not used is unpinned");
}

/* The guest binds a page of its GGTT, flushes, and writes to it by the aperture. */
static bool write_arrives(struct vgpu *vgpu, u32 value)
{
	u64 gpa = ram_alloc(&vgpu->ram, 1), addr = ggtt_bind_low(vgpu, gpa, 1);

	return guard_write32(vgpu->aperture + addr, value) && ram_read32(&vgpu->ram, gpa) == value;
}

/* A guest cannot see that a limit is reached: what its processors write is not lost. */
static void check_aperture(struct space *s)
{
	struct vgpu *vgpu = s[0].ctx.vgpu;

	tap_ok(space_runs(&s[1], VALUE) && space_runs(&s[0], VALUE) &&
	       set_max(all_pins(s, 2) / 256 - 1) && write_arrives(vgpu, VALUE + 1),
	       "vGPUs together have reached their limit: a write by the aperture arrives");
	tap_ok(set_max(MAX_MB) && space_runs(&s[0], VALUE) &&
	       !knob_set(vgpu->uuid, PINNED_MAX_MB, counters_pins(vgpu) / 256 - 1) &&
	       write_arrives(vgpu, VALUE + 2), "so does one if its vGPU has reached its own");
	tap_ok(!knob_set(vgpu->uuid, PINNED_MAX_MB, 16777216) && space_runs(&s[0], VALUE),
	       "without that, the vGPU runs");
}

/* The VMM has stopped a vGPU: it gives memory all the same. */
static void check_paused(struct space *s)
{
	struct vfio *dev = &s[0].ctx.vgpu->dev;

	tap_ok(space_runs(&s[0], VALUE) && !mig_set(dev, MIG_STOP, NULL), "a vGPU is stopped");
	tap_ok(space_runs(&s[1], VALUE), "another one gets its memory");
	tap_ok(!mig_set(dev, MIG_RUNNING, NULL) && space_runs(&s[0], VALUE + 1), "it goes on");
}

/* A guest resets its engine before its vGPU loses the token, and asks for too much again. */
static void *run_resets(void *arg)
{
	struct busy *b = arg;

	while (now_us() < b->until) {
		space_submit(b->s, VALUE);
		sleep_us(EARLY_US);
		b->ok = engine_reset(b->s->ctx.engine) && b->ok;
	}
	return NULL;
}

static void check_resets(struct space *s)
{
	u64 until = now_us() + RESETS_US, waited = 0, t;
	struct space huge;
	struct busy greedy = { .s = &huge, .until = until, .ok = true };
	struct vgpu *vgpu = vgpu_new(MDEV_TYPE_SMALL);
	bool ok = true;
	pthread_t thread;

	space_init(&huge, vgpu, HUGE_PAGES);
	if (pthread_create(&thread, NULL, run_resets, &greedy))
		tap_die("no thread");
	while (now_us() < until) {
		t = now_us();
		ok = space_runs(s, VALUE) && ok;
		t = now_us() - t;
		waited += t > LATE_US ? t : 0;
	}
	pthread_join(thread, NULL);
	tap_ok(ok && greedy.ok, "a vGPU runs beside one that passes the token on early");
	check_wait(waited, RESETS_US / 2, "it waits for less than half of the time");
	tap_diag("%llu of %u ms", waited / 1000, RESETS_US / 1000);
	vgpu_free(vgpu);
}

/* Two guests that ask for more than there is. */
static void check_too_much(struct space *s)
{
	struct space small, huge[GREEDY];
	struct busy busy = { .s = &small };
	bool none = true, works = true;
	u32 seqno[GREEDY], i;

	/* Its pages can be pinned even if the token is rationed, on a slow kernel, too. */
	space_init(&small, s[0].ctx.vgpu, BIG_PAGES / slowness());
	for (i = 0; i < GREEDY; i++)
		space_init(&huge[i], vgpu_new(MDEV_TYPE_SMALL), HUGE_PAGES);
	space_runs(&small, VALUE);
	for (i = 0; i < GREEDY; i++)
		seqno[i] = space_submit(&huge[i], VALUE);
	busy.until = now_us() + BUSY_US * slowness();
	run_busy(&busy);
	for (i = 0; i < GREEDY; i++)
		none = !request_done(&huge[i].ctx, seqno[i]) && none;
	tap_ok(none, "a vGPU that needs more than there is does not run");
	tap_ok(busy.ok, "another one runs meanwhile");
	check_wait(busy.longest, GREEDY * TOKEN_MS * 1000,
		   "it waits for no longer than they hold the token");
	tap_diag("%u requests, longest %llu ms", busy.count, busy.longest / 1000);
	for (i = 0, none = true; i < GREEDY; i++)
		none = refused(&huge[i]) && none;
	tap_ok(none, "the submissions are refused");
	for (i = 0; i < GREEDY; i++) {
		works = vgpu_reset(huge[i].ctx.vgpu) && vgpu_works(huge[i].ctx.vgpu) && works;
		vgpu_free(huge[i].ctx.vgpu);
	}
	tap_ok(works, "after a reset they work");
}

/* A vGPU that waits for the token is closed, and one is reset. */
static void check_end(struct space *s)
{
	struct vgpu *closed = vgpu_new(MDEV_TYPE_SMALL);
	struct space huge;
	u64 before;

	space_init(&huge, closed, HUGE_PAGES);
	space_submit(&huge, VALUE);
	tap_ok(wait_for(waits(&huge), SOON_MS) && !vgpu_free(closed),
	       "a vGPU is closed while it waits for room");
	tap_ok(space_runs(&s[0], VALUE + 1) && space_runs(&s[1], VALUE + 1), "the others run");
	before = waits(&s[0]);
	tap_ok(set_max(2), "the limit is lowered");
	space_submit(&s[0], VALUE + 2);
	tap_ok(wait_for(waits(&s[0]) > before, SOON_MS) && engine_reset(s[0].ctx.engine),
	       "an engine is reset while its vGPU waits for room");
	tap_ok(set_max(MAX_MB) && space_runs(&s[1], VALUE + 3), "another vGPU runs");
}

static bool choose(const char *policy)
{
	if (gpu_attr_offers("reclaim", policy))
		return !gpu_attr_set("reclaim", policy) && gpu_attr_is("reclaim", policy);
	tap_skip("a module without baselines", "vGPUs give memory by %s", policy);
	return false;
}

static void check_gpuswap(struct space *s)
{
	tap_ok(gpu_attr_is("reclaim", "cold"), "vGPUs give memory by cold");
	tap_ok(gpu_attr_set("reclaim", "hot") == -EINVAL && gpu_attr_is("reclaim", "cold"),
	       "a policy that does not exist is refused");
	if (choose("gpuswap"))
		check_alternating(s, "gpuswap");
	tap_ok(choose("cold") && space_runs(&s[0], VALUE), "vGPUs give memory by cold again");
}

/* The other two have more than the quota of one of three. They give the rest. */
static void check_quota(struct space *s)
{
	struct vgpu *vgpu = vgpu_new(MDEV_TYPE_SMALL);
	u64 quota = MAX_PAGES / 3, most = 0, pins;
	struct space part[PARTS];
	bool ok = true;
	u32 i;

	for (i = 0; i < PARTS; i++)
		space_init(&part[i], vgpu, PART_PAGES);
	tap_ok(space_runs(&s[0], VALUE) && counters_pins(s[0].ctx.vgpu) > quota,
	       "a vGPU has more than a third of what may be pinned");
	if (choose("quota")) {
		tap_ok(wait_for(counters_pins(s[0].ctx.vgpu) <= quota, SOON_MS),
		       "with a quota it gives the rest");
		for (i = 0; i < ROUNDS * PARTS; i++) {
			ok = space_runs(&part[i % PARTS], VALUE + i) && ok;
			pins = counters_pins(vgpu);
			most = pins > most ? pins : most;
		}
		tap_ok(ok && most > PART_PAGES && most <= quota,
		       "address spaces of another one run alternately within its quota");
		tap_diag("%llu pages of %llu", most, quota);
	}
	vgpu_free(vgpu);
	tap_ok(choose("cold") && space_runs(&s[0], VALUE) && space_runs(&s[1], VALUE),
	       "without a quota, both run again");
}

/* Its own limit: its programs run alternately. */
static void check_own(void)
{
	struct vgpu *vgpu = vgpu_new(MDEV_TYPE_SMALL);
	struct space part[PARTS];
	bool ok = true;
	u64 most = 0;
	u32 i, seqno;

	for (i = 0; i < PARTS; i++)
		space_init(&part[i], vgpu, PART_PAGES);
	tap_ok(!knob_set(vgpu->uuid, PINNED_MAX_MB, OWN_MB), "a vGPU has a limit");
	for (i = 0; i < ROUNDS * PARTS; i++) {
		u64 pins;

		ok = space_runs(&part[i % PARTS], VALUE + i) && ok;
		pins = counters_pins(vgpu);
		most = pins > most ? pins : most;
	}
	tap_ok(ok, "its address spaces run alternately");
	tap_ok(most > PART_PAGES && most <= OWN_PAGES, "it has no more pinned than it may");
	tap_diag("%llu pages of %u", most, OWN_PAGES);
	tap_ok(!knob_set(vgpu->uuid, PINNED_MAX_MB, 4), "the limit is lowered");
	seqno = space_submit(&part[0], VALUE);
	tap_ok(refused(&part[0]) && !request_done(&part[0].ctx, seqno),
	       "an address space above the limit does not run: its submission is refused");
	tap_ok(!knob_set(vgpu->uuid, PINNED_MAX_MB, OWN_MB) && vgpu_reset(vgpu) &&
	       vgpu_works(vgpu), "with a higher limit, and after a reset, the vGPU works");
	vgpu_free(vgpu);
}

/* Run in address spaces that share their pages: each of these is named by all of them. */
static bool run_sharers(struct vgpu *vgpu)
{
	u64 gpa = ram_alloc(&vgpu->ram, SHARED_PAGES);
	bool ok = true;
	u32 i;

	for (i = 0; i < SHARERS; i++) {
		struct space s = { .gpa = gpa, .pages = SHARED_PAGES };

		context_init(&s.ctx, vgpu, RCS, NULL);
		ppgtt_map(s.ctx.ppgtt, SPACE_ADDR, gpa, SHARED_PAGES);
		ok = space_runs(&s, VALUE + i) && ok;
	}
	return ok;
}

/*
 * Read without the vGPU's lock. A reader of debugfs does not say that it waits for the lock, and a
 * vGPU that gives memory rarely releases it for long then (GIVE_LONG_STRETCH).
 */
static u64 giver_pins(const struct vgpu *vgpu)
{
	return counters_memory(vgpu, "pinned") / PAGE_SIZE;
}

/* A vGPU that gives much memory processes submissions meanwhile. */
static void check_giver(void)
{
	struct vgpu *vgpu = vgpu_new(MDEV_TYPE_SMALL);
	u64 longest = 0, from, t, before, pins;
	u32 n = 0, meanwhile = 0;
	struct space little;
	bool ok;

	space_init(&little, vgpu, 1);
	ok = set_max(SHARED_MB) && run_sharers(vgpu);
	/* Until those are idle, and this one is known not to be. */
	for (from = now_us(); now_us() - from < 300000;)
		ok = space_runs(&little, VALUE) && ok;
	from = now_us();
	ok = set_max(MAX_MB) && ok;
	do {
		before = giver_pins(vgpu);
		t = now_us();
		ok = space_runs(&little, VALUE + ++n) && ok;
		t = now_us() - t;
		longest = t > longest ? t : longest;
		pins = giver_pins(vgpu);
		meanwhile += pins < before && pins > MAX_PAGES;
	} while (ok && pins > MAX_PAGES && now_us() - from < SOON_MS * 1000);
	tap_ok(ok && meanwhile > 1 && pins <= MAX_PAGES,
	       "a vGPU gives much memory, and runs meanwhile");
	tap_diag("%u requests, %u while it gave some, in %llu ms, the longest took %llu", n,
		 meanwhile, (now_us() - from) / 1000, longest / 1000);
	check_wait(longest, GIVER_MS * 1000, "none of its requests waits for long");
	vgpu_free(vgpu);
}

/**
 * struct life - a vGPU that is opened and closed, and uses memory or not, at random
 * @rng: random numbers
 * @until: when it ends
 * @requests: how many were done
 * @ok: all had the right result
 */
struct life {
	struct rng rng;
	u64 until;
	u32 requests;
	bool ok;
};

static bool life_request(struct life *l, struct space *s)
{
	u32 value = VALUE + ++l->requests;
	u32 seqno = space_submit(s, value);

	return request_wait(&s->ctx, seqno, LONG_MS) &&
	       engine_wait_idle(s->ctx.engine, SOON_MS) && space_has(s, value);
}

static void *run_life(void *arg)
{
	struct life *l = arg;
	struct space part[2];
	struct vgpu *vgpu;
	u32 i;

	l->ok = true;
	while (now_us() < l->until) {
		vgpu = vgpu_new(MDEV_TYPE_SMALL);
		space_init(&part[0], vgpu, 1 + rng_below(&l->rng, LIFE_PAGES));
		space_init(&part[1], vgpu, 1 + rng_below(&l->rng, LIFE_PAGES));
		knob_set(vgpu->uuid, PINNED_MIN_MB, rng_below(&l->rng, 2));
		knob_set(vgpu->uuid, PINNED_LOW_MB, rng_below(&l->rng, 8));
		for (i = rng_below(&l->rng, 40); i; i--) {
			l->ok = life_request(l, &part[rng_below(&l->rng, 2)]) && l->ok;
			if (!rng_below(&l->rng, 8))
				sleep_us(rng_below(&l->rng, 200000));
		}
		l->ok = ram_canary_intact(&vgpu->ram) && !vgpu_free(vgpu) && l->ok;
	}
	return NULL;
}

/* vGPUs come and go, an administrator changes the limit, the host needs memory. */
static void check_lives(void)
{
	u64 until = now_us() + LIVES_US * slowness();
	struct rng rng = { SEED };
	struct life lives[LIVES];
	pthread_t threads[LIVES];
	bool ok = true;
	u32 i, n = 0;

	for (i = 0; i < LIVES; i++) {
		lives[i] = (struct life) { .rng = { SEED + 1 + i }, .until = until };
		if (pthread_create(&threads[i], NULL, run_life, &lives[i]))
			tap_die("no thread");
	}
	while (now_us() < until) {
		set_max(LIFE_MB + rng_below(&rng, LIFE_MB));
		if (!rng_below(&rng, 4))
			pressure_once();
		sleep_us(rng_below(&rng, 100000));
	}
	for (i = 0; i < LIVES; i++) {
		pthread_join(threads[i], NULL);
		ok = lives[i].ok && ok;
		n += lives[i].requests;
	}
	tap_ok(ok && n > LIVES, "vGPUs come and go, and the limit changes all the time");
	tap_diag("%u requests", n);
}

int main(void)
{
	struct space s[2];
	struct vgpu *vgpu;
	long was;
	u32 i;

	vgpu_test_init(180);
	was = gpu_attr_number("pinned_max_mb");
	for (i = 0; i < 2; i++) {
		vgpu = vgpu_new(MDEV_TYPE_SMALL);
		space_init(&s[i], vgpu, BIG_PAGES);
	}
	check_attributes(vgpu, was);
	tap_ok(set_max(MAX_MB), "vGPUs together have a limit");
	check_alternating(s, "cold");
	check_busy(s);
	check_promised(s);
	check_lowered(s);
	check_aperture(s);
	check_paused(s);
	check_resets(&s[0]);
	check_too_much(s);
	check_own();
	check_giver();
	check_end(s);
	check_gpuswap(s);
	check_quota(s);
	check_lives();
	tap_ok(set_max(was), "the limit is lifted");
	tap_ok(space_runs(&s[1], VALUE), "a vGPU runs");
	tap_ok(ram_canary_intact(&s[0].ctx.vgpu->ram) && ram_canary_intact(&s[1].ctx.vgpu->ram),
	       "no stray write");
	for (i = 0; i < 2; i++)
		vgpu_free(s[i].ctx.vgpu);
	return vgpu_test_done();
}
