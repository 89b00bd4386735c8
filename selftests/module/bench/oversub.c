// SPDX-License-Identifier: GPL-2.0
/*
 * gOver's experiment on the module: vGPUs with three kinds of loads, each sold half a GPU. Their
 * number is by a fixed ratio, or by the advice of a controller. Measured are the use of the render
 * engine, and how often a vGPU has fewer frames than its target. selftests/sim/oversub.c simulates
 * the same loads.
 *
 * The model of the GPU is slowed down: a primitive takes PRIMITIVE_NS, a frame is a request of
 * some. Each vGPU has a thread, as a guest has.
 */
#include <errno.h>
#include <getopt.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gen/pvinfo.h>

#include "clock.h"
#include "context.h"
#include "file.h"
#include "gpu.h"
#include "knob.h"
#include "rng.h"
#include "tap.h"
#include "vgpu.h"
#include "work.h"

#define SECOND_US	1000000ULL
#define PRIMITIVE_NS	100000	/* as in tools/bench-oversub */
#define SOLD		500	/* per mille */
#define MOST		8
#define LOOK_US		500
#define FRAME_ADDR	0x310000000000ULL
/* Several turns in a frame. */
#define QUANTUM_MS	2
/* The first seconds of a vGPU are not judged. */
#define YOUNG_US	(2 * SECOND_US)

enum kind { LIGHT, IRREGULAR, PERIODIC, KINDS };

/**
 * struct guest - a vGPU with its load
 * @uuid: the vGPU
 * @there: it is open, and renders
 * @over: asks the thread to end
 * @thread: renders
 * @vgpu: while it is open
 * @ctx: its context
 * @ppgtt: its address space
 * @work: frames, of any length
 * @rng: its random numbers: its load does not depend on what it gets
 * @kind: its kind of load
 * @base: cost of its frames at the full rate, per mille of the engine
 * @cost: the same, now
 * @changes_at: when @cost changes
 * @period: of a periodic load, us
 * @heavy_for: the heavy part of @period, us
 * @heavy: the load is in its heavy part
 * @seqno: the frame under way; 0: none
 * @frame_at: when the next frame is due
 * @late: another frame was due meanwhile
 * @frames: completed frames
 * @judged: @frames when it was judged last
 * @busy: what it had used of the engine then, ns
 * @came: when it was opened
 * @dies_at: when it is closed by itself, and another is opened
 */
struct guest {
	char uuid[MDEV_UUID_SIZE];
	bool there;
	bool over;
	pthread_t thread;
	struct vgpu *vgpu;
	struct context ctx;
	struct ppgtt ppgtt;
	struct work work;
	struct rng rng;
	enum kind kind;
	u32 base;
	u32 cost;
	u64 changes_at;
	u64 period;
	u64 heavy_for;
	bool heavy;
	u32 seqno;
	u64 frame_at;
	bool late;
	u32 frames;
	u32 judged;
	u64 busy;
	u64 came;
	u64 dies_at;
};

/**
 * struct setup - what is measured
 * @name: shown
 * @controller: moves caps
 * @first: number of vGPUs at first
 * @most: largest number; if it is more than @first, the controller decides
 */
struct setup {
	const char *name;
	const char *controller;
	u32 first;
	u32 most;
};

static const struct setup setups[] = {
	{ "none", "none", 2, 2 },
	{ "static-1.5", "none", 3, 3 },
	{ "static-2", "none", 4, 4 },
	{ "static-3", "none", 6, 6 },
	{ "gover", "gover", 2, 6 },
	{ "lend", "lend", 2, 6 },
	{ "gover-3", "gover", 3, 3 },
	{ "lend-3", "lend", 3, 3 },
	{ "gover-4", "gover", 4, 4 },
	{ "lend-4", "lend", 4, 4 },
};

/* The results of a setup. */
struct result {
	u64 there, judged, missed, any, busy_ns, us, seconds, migrated;
};

static struct guest guests[MOST];
static u32 came;
static u64 seconds = 300, life_us = 240 * SECOND_US, worlds = 4, world;
static u32 fps = 60;
static FILE *tsv;

static u32 target(void)
{
	return fps * 9 / 10;
}

static u64 frame_us(void)
{
	return SECOND_US / fps;
}

static u32 between(struct guest *g, u32 low, u32 high)
{
	return low + rng_below(&g->rng, high - low + 1);
}

static void change_load(struct guest *g, u64 now)
{
	switch (g->kind) {
	case LIGHT:
		g->cost = g->base;
		g->changes_at = ~0ULL;
		break;
	case IRREGULAR:
		g->cost = between(g, g->base * 2 / 3, g->base * 4 / 3);
		g->changes_at = now + between(g, 1000, 8000) * 1000ULL;
		break;
	default:
		g->heavy = !g->heavy;
		g->cost = g->heavy ? g->base : g->base / 4;
		g->changes_at = now + (g->heavy ? g->heavy_for : g->period - g->heavy_for);
	}
}

/* How many primitives a frame takes. */
static u32 frame_cost(struct guest *g)
{
	u32 percent = g->kind == IRREGULAR ? between(g, 50, 150) : between(g, 95, 105);

	return frame_us() * g->cost / 1000 * percent / 100 * 1000 / PRIMITIVE_NS;
}

static u64 busy_ns(const struct guest *g)
{
	return knob_get(g->uuid, "rcs0_busy_ns");
}

static void begin_frame(struct guest *g)
{
	g->late = false;
	request_begin(&g->ctx);
	request_batch(&g->ctx, work_batch(&g->work, frame_cost(g)));
	g->seqno = request_end(&g->ctx);
	context_submit(&g->ctx);
}

static bool is_done(struct guest *g)
{
	struct engine *engine = g->ctx.engine;

	engine_process(engine);
	if (engine->bad)
		tap_die("%s: bad events of its engine", g->uuid);
	return request_done(&g->ctx, g->seqno) && !engine->pending && !engine->active;
}

static void finish_frame(struct guest *g)
{
	g->seqno = 0;
	mmio_write(g->vgpu, PVINFO_BASE + PVINFO_O_FRAMES, 1);
	__atomic_add_fetch(&g->frames, 1, __ATOMIC_RELAXED);
	if (g->late)
		begin_frame(g);
}

/* Return: the time until there is something to do, us. */
static u64 step(struct guest *g, u64 now)
{
	if (g->seqno && is_done(g))
		finish_frame(g);
	if (now >= g->changes_at)
		change_load(g, now);
	if (now >= g->frame_at) {
		g->frame_at += frame_us();
		if (g->seqno)
			g->late = true;
		else
			begin_frame(g);
	}
	if (g->seqno)
		return LOOK_US;
	return g->frame_at > now ? g->frame_at - now : 0;
}

static void *render(void *arg)
{
	struct guest *g = arg;

	while (!READ_ONCE(g->over))
		sleep_us(step(g, now_us()));
	g->late = false;
	while (g->seqno && !is_done(g))
		sleep_us(LOOK_US);
	return NULL;
}

static void draw_load(struct guest *g, u64 now)
{
	static const u32 low[KINDS] = { 150, 250, 440 }, high[KINDS] = { 250, 350, 500 };

	g->rng.state = world * 1000003 + came++;
	g->kind = rng_below(&g->rng, KINDS);
	g->base = between(g, low[g->kind], high[g->kind]);
	g->period = between(g, 20, 50) * SECOND_US;
	g->heavy_for = g->period * between(g, 50, 80) / 100;
	g->heavy = rng_below(&g->rng, 2);
	g->came = now;
	g->dies_at = now + life_us + rng_below(&g->rng, life_us / 1000) * 1000ULL;
	g->frame_at = now + rng_below(&g->rng, frame_us());
	change_load(g, now);
}

static void guest_begin(struct guest *g)
{
	g->vgpu = vgpu_open(g->uuid);
	if (!g->vgpu)
		tap_die("%s cannot be opened: %s", g->uuid, strerror(errno));
	vgpu_start(g->vgpu);
	ppgtt_init(&g->ppgtt, &g->vgpu->ram);
	ppgtt_notify(g->vgpu, &g->ppgtt, true);
	context_init(&g->ctx, g->vgpu, RCS, &g->ppgtt);
	work_init(&g->work, g->vgpu, &g->ppgtt, FRAME_ADDR,
		  frame_us() * 1000 / PRIMITIVE_NS, true);
	g->seqno = 0;
	g->late = false;
	g->over = false;
	g->frames = 0;
	g->judged = 0;
	g->busy = busy_ns(g);
	g->there = true;
	draw_load(g, now_us());
	if (pthread_create(&g->thread, NULL, render, g))
		tap_die("no thread");
}

static void guest_end(struct guest *g)
{
	WRITE_ONCE(g->over, true);
	pthread_join(g->thread, NULL);
	vgpu_close(g->vgpu);
	g->there = false;
}

static u32 count(void)
{
	u32 i, n = 0;

	for (i = 0; i < MOST; i++)
		n += guests[i].there;
	return n;
}

static struct guest *free_one(void)
{
	u32 i;

	for (i = 0; guests[i].there; i++)
		;
	return &guests[i];
}

/* Migrate the youngest vGPU away. */
static struct guest *youngest(void)
{
	struct guest *last = NULL;
	u32 i;

	for (i = 0; i < MOST; i++)
		if (guests[i].there && (!last || guests[i].came > last->came))
			last = &guests[i];
	return last;
}

static bool advice_is(const char *word)
{
	char path[MDEV_PATH_MAX], text[64];

	gpu_attr_path(path, "oversub_advice");
	return file_read(path, text, sizeof(text)) > 0 && !strcmp(text, word);
}

static void follow_advice(const struct setup *s, struct result *r)
{
	if (advice_is("overload") && count() > s->first) {
		guest_end(youngest());
		r->migrated++;
	} else if (advice_is("room") && count() < s->most) {
		guest_begin(free_one());
	}
}

static void replace_guests(u64 now)
{
	u32 i;

	for (i = 0; i < MOST; i++) {
		if (!guests[i].there || now < guests[i].dies_at)
			continue;
		guest_end(&guests[i]);
		guest_begin(&guests[i]);
	}
}

/* Judge the last second, which took @us. */
static void judge(struct result *r, u64 now, u64 us)
{
	bool any = false;
	u32 i;

	for (i = 0; i < MOST; i++) {
		struct guest *g = &guests[i];
		u32 frames = READ_ONCE(g->frames);
		u64 busy = busy_ns(g);

		if (!g->there)
			continue;
		if (now - g->came >= YOUNG_US) {
			bool missed = (frames - g->judged) * SECOND_US < target() * us;

			r->judged++;
			r->missed += missed;
			any |= missed;
		}
		r->there++;
		r->busy_ns += busy - g->busy;
		g->busy = busy;
		g->judged = frames;
	}
	r->any += any;
	r->us += us;
	r->seconds++;
}

static void choose(const char *attr, const char *value)
{
	int ret = gpu_attr_set(attr, value);

	if (ret)
		tap_die("%s cannot be %s: %s", attr, value, strerror(-ret));
}

static void print(const struct setup *s, const struct result *r)
{
	static const char format[] = "%s%c%.2f%c%.1f%c%.2f%c%.2f%c%.1f\n";
	double used = (double)r->busy_ns / 10 / r->us, any = 100.0 * r->any / r->seconds;
	double missed = r->judged ? 100.0 * r->missed / r->judged : 0;
	double vgpus = (double)r->there / r->seconds;
	double migrated = 3600e6 * r->migrated / r->us;

	printf("%-12s %6.2f %7.1f%% %9.2f%% %8.2f%% %8.1f\n", s->name, vgpus, used, missed, any,
	       migrated);
	fflush(stdout);
	if (!tsv)
		return;
	fprintf(tsv, format, s->name, '\t', vgpus, '\t', used, '\t', missed, '\t', any, '\t',
		migrated);
	fflush(tsv);
}

/* Measure one world for @seconds. */
static void run_world(const struct setup *s, struct result *r)
{
	u64 now, next, last, end;
	u32 i;

	came = 0;
	for (i = 0; i < s->first; i++)
		guest_begin(&guests[i]);
	last = now_us();
	end = last + seconds * SECOND_US;
	for (next = last + SECOND_US; next <= end; next += SECOND_US) {
		now = now_us();
		if (next > now)
			sleep_us(next - now);
		now = now_us();
		judge(r, now, now - last);
		last = now;
		if (s->most > s->first)
			follow_advice(s, r);
		replace_guests(now);
	}
	for (i = 0; i < MOST; i++)
		if (guests[i].there)
			guest_end(&guests[i]);
}

static void measure(const struct setup *s)
{
	struct result r = { };

	choose("oversub", s->controller);
	for (world = 1; world <= worlds; world++)
		run_world(s, &r);
	choose("oversub", "none");
	print(s, &r);
}

static void prepare(void)
{
	u32 i;

	choose("policy", "cap");
	choose("max_vgpus", "8");
	for (i = 0; i < MOST; i++) {
		mdev_new_uuid(guests[i].uuid);
		if (mdev_create(MDEV_TYPE_SMALL, guests[i].uuid) ||
		    knob_set(guests[i].uuid, CAP, SOLD) ||
		    knob_set(guests[i].uuid, EXEC_QUANTUM_MS, QUANTUM_MS) ||
		    knob_set(guests[i].uuid, QOS_FPS, target()))
			tap_die("no vGPU to measure with");
	}
}

static bool is_wanted(const char *names, const char *name)
{
	const char *at = names ? strstr(names, name) : NULL;
	size_t len = strlen(name);

	for (; at; at = strstr(at + 1, name))
		if ((at == names || at[-1] == ',') && (!at[len] || at[len] == ','))
			return true;
	return !names;
}

static const char *read_options(int argc, char **argv)
{
	const char *names = NULL;
	int opt;

	while ((opt = getopt(argc, argv, "c:f:l:o:s:w:")) > 0) {
		if (opt == 'c')
			names = optarg;
		else if (opt == 'f')
			fps = atoi(optarg);
		else if (opt == 'l')
			life_us = atoi(optarg) * SECOND_US;
		else if (opt == 'o')
			tsv = fopen(optarg, "w");
		else if (opt == 's')
			seconds = atoi(optarg);
		else if (opt == 'w')
			worlds = atoi(optarg);
		else
			exit(2);
	}
	if (!seconds || fps < 1 || fps > 1000 || life_us < SECOND_US)
		tap_die("that cannot be measured");
	return names;
}

int main(int argc, char **argv)
{
	const char *names = read_options(argc, argv);
	u32 i;

	vgpu_test_init(24 * 3600);
	prepare();
	printf("%-12s %6s %8s %10s %9s %8s\n", "", "vGPUs", "used", "QoS broken", "for any",
	       "migr./h");
	if (tsv)
		fputs("setup\tvgpus\tused\tbroken\tany\tmigrated\n", tsv);
	for (i = 0; i < ARRAY_SIZE(setups); i++)
		if (is_wanted(names, setups[i].name))
			measure(&setups[i]);
	choose("policy", "rr");
	mdev_remove_all();
	return 0;
}
