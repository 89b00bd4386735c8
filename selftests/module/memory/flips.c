// SPDX-License-Identifier: GPL-2.0
/*
 * A guest names other pages by its GGTT all the time. These are pinned in any case, and the vGPU
 * gives as many. That must not keep others from getting memory at a limit, and does not let it have
 * more than what its GGTT names.
 */
#include <pthread.h>
#include <stdio.h>

#include "clock.h"
#include "counters.h"
#include "ggtt.h"
#include "gpu.h"
#include "space.h"
#include "tap.h"
#include "vgpu.h"

#define MAX_MB		20u
#define MAX_PAGES	(MAX_MB * 256)
/* Two of them do not fit, one does. */
#define BIG_PAGES	2800u
#define FLIP_PAGES	64u
/* The pages that are named one after the other, and how long the guest works between two flushes */
#define POOL_PAGES	8192u
#define SPIN_US		300u
/* Of these, FLIP_PAGES are let go of at a time: more than the least progress in a look */
#define SAW_PAGES	2048u
#define SAW_US		15000u
#define VALUE		0x71000000u
#define TIMES		4u
/* Without the flips the vGPU holds the token once, and takes what others use meanwhile. */
#define GETS_MS		3000

/* Two guests need more than there is. A third one needs less than its share, now and then. */
#define HOLDERS		2u
#define HUGE_PAGES	6000u
#define HOLD_US		100000u
#define LITTLE_PAGES	600u
#define IDLE_US		300000u
#define HELD_US		60000000u
#define LONG_MS		(60000 * slowness())
/* How long a vGPU holds the token while one with less than its share waits; and to get it */
#define TOKEN_US	(2500000u * slowness())

/**
 * struct load - what a thread does until it is told to stop
 * @stop: it is
 * @vgpu: flips pages of @pool
 * @s: runs requests, all the time
 * @pool: the pages
 * @pause_us: how long it sleeps in between; 0: it works on
 * @rounds: how often it has
 * @ok: the requests' results are right
 */
struct load {
	bool stop;
	struct vgpu *vgpu;
	struct space *s;
	u64 pool;
	u32 pause_us;
	u32 rounds;
	bool ok;
};

static bool set_max(u32 mb)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", mb);
	return !gpu_attr_set("pinned_max_mb", text);
}

static void spin(u64 us)
{
	u64 end = now_us() + us;

	while (now_us() < end)
		;
}

static void *flip(void *arg)
{
	struct load *l = arg;
	u64 addr = ggtt_alloc(l->vgpu, FLIP_PAGES);
	u32 at = 0;

	while (!READ_ONCE(l->stop)) {
		ggtt_map(l->vgpu, addr, l->pool + (u64)at * PAGE_SIZE, FLIP_PAGES);
		ggtt_flush(l->vgpu);
		at = (at + FLIP_PAGES) % POOL_PAGES;
		WRITE_ONCE(l->rounds, l->rounds + 1);
		if (l->pause_us)
			sleep_us(l->pause_us);
		else
			spin(SPIN_US);
	}
	return NULL;
}

/* Let go of many pages, a few at a time, and name them again at once, all the while. */
static void *saw(void *arg)
{
	struct load *l = arg;
	u64 addr = ggtt_alloc(l->vgpu, SAW_PAGES);
	u32 at;

	while (!READ_ONCE(l->stop)) {
		ggtt_map(l->vgpu, addr, l->pool, SAW_PAGES);
		ggtt_flush(l->vgpu);
		for (at = 0; at < SAW_PAGES; at += FLIP_PAGES) {
			ggtt_unmap(l->vgpu, addr + (u64)at * PAGE_SIZE, FLIP_PAGES);
			ggtt_flush(l->vgpu);
			spin(SAW_US);
		}
		WRITE_ONCE(l->rounds, l->rounds + 1);
	}
	return NULL;
}

static void *run(void *arg)
{
	struct load *l = arg;

	l->ok = true;
	while (!READ_ONCE(l->stop)) {
		u32 value = VALUE + ++l->rounds, seqno = space_submit(l->s, value);

		l->ok = request_wait(&l->s->ctx, seqno, 4 * GETS_MS) &&
			engine_wait_idle(l->s->ctx.engine, SOON_MS) && space_has(l->s, value) &&
			l->ok;
	}
	return NULL;
}

static pthread_t start(struct load *l, void *(*work)(void *))
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, work, l))
		tap_die("no thread");
	return thread;
}

static void stop(struct load *l, pthread_t thread)
{
	WRITE_ONCE(l->stop, true);
	pthread_join(thread, NULL);
}

/* Beyond the limit it keeps what its GGTT names, and a few pages that it has just let go of. */
static void check_limit(struct load *l)
{
	pthread_t thread = start(l, flip);
	u64 pins, most = 0;
	u32 i;

	tap_ok(wait_for(READ_ONCE(l->rounds) > 2 * POOL_PAGES / FLIP_PAGES, 4 * SOON_MS),
	       "a guest names %u pages by its GGTT, %u at a time", POOL_PAGES, FLIP_PAGES);
	for (i = 0; i < 20; i++) {
		pins = counters_pins(l->vgpu);
		most = pins > most ? pins : most;
		sleep_us(20000);
	}
	tap_ok(most <= MAX_PAGES + 4 * FLIP_PAGES, "no more are pinned than may be");
	tap_diag("%llu pages of %u, %u rounds", (unsigned long long)most, MAX_PAGES, l->rounds);
	stop(l, thread);
	l->stop = false;
}

static void check_others(struct load *l, struct space *s, void *(*work)(void *), const char *what)
{
	struct load busy = { .s = &s[1] };
	pthread_t flips = start(l, work), runs = start(&busy, run);
	u64 longest = 0, refused;
	bool ok = true;
	u32 i;

	for (i = 0; i < TIMES; i++) {
		u64 t = now_us();
		u32 seqno = space_submit(&s[0], VALUE + i);

		ok = request_wait(&s[0].ctx, seqno, 4 * GETS_MS) &&
		     engine_wait_idle(s[0].ctx.engine, SOON_MS) &&
		     space_has(&s[0], VALUE + i) && ok;
		t = now_us() - t;
		longest = t > longest ? t : longest;
		sleep_us(100000);
	}
	stop(&busy, runs);
	stop(l, flips);
	refused = counters_number(s[0].ctx.vgpu, "exec", "refused") +
		  counters_number(s[1].ctx.vgpu, "exec", "refused");
	tap_ok(ok && busy.ok && busy.rounds,
	       "two that do not fit run alternately beside one that %s pages", what);
	tap_eq(refused, 0, "no submission of them is refused");
	tap_ok(longest < GETS_MS * 1000, "it waits no longer than the other holds the token");
	l->stop = false;
	tap_diag("longest %llu ms, the other one has run %u requests, %u rounds",
		 (unsigned long long)longest / 1000, busy.rounds, l->rounds);
}

/**
 * struct holder - a vGPU that needs more than there is, and flips pages now and then
 * @load: says when to stop
 * @huge: what it needs
 * @endless: its second engine never idles, so that the submission is not refused
 * @spin: by that
 */
struct holder {
	struct load load;
	struct space huge;
	struct context endless;
	struct spinner spin;
};

static void holder_init(struct holder *h)
{
	struct vgpu *vgpu = vgpu_new(MDEV_TYPE_SMALL);

	*h = (struct holder) { .load = { .vgpu = vgpu, .pause_us = HOLD_US } };
	space_init(&h->huge, vgpu, HUGE_PAGES);
	context_init(&h->endless, vgpu, BCS, NULL);
	spinner_init(&h->spin, &h->endless, true);
	h->load.pool = ram_alloc(&vgpu->ram, POOL_PAGES);
}

static void *hold(void *arg)
{
	struct holder *h = arg;

	spinner_request_arb(&h->spin, &h->endless);
	context_submit(&h->endless);
	space_submit(&h->huge, VALUE);
	flip(&h->load);
	return NULL;
}

static void check_held(void)
{
	struct holder h[HOLDERS];
	pthread_t thread[HOLDERS];
	u64 longest = 0, end = now_us() + HELD_US;
	struct space s;
	bool ok = true;
	u32 i;

	space_init(&s, vgpu_new(MDEV_TYPE_SMALL), LITTLE_PAGES);
	for (i = 0; i < HOLDERS; i++)
		holder_init(&h[i]);
	for (i = 0; i < HOLDERS; i++)
		if (pthread_create(&thread[i], NULL, hold, &h[i]))
			tap_die("no thread");
	while (now_us() < end) {
		u64 t = now_us();
		u32 seqno = space_submit(&s, ++i);

		ok = request_wait(&s.ctx, seqno, LONG_MS) &&
		     engine_wait_idle(s.ctx.engine, SOON_MS) && space_has(&s, i) && ok;
		t = now_us() - t;
		longest = t > longest ? t : longest;
		sleep_us(IDLE_US);
	}
	for (i = 0; i < HOLDERS; i++)
		stop(&h[i].load, thread[i]);
	tap_ok(ok && h[0].load.rounds && h[1].load.rounds,
	       "a vGPU runs beside two that hold the token");
	tap_ok(longest < (HOLDERS + 1) * TOKEN_US, "it waits for a short time for each");
	tap_diag("longest %llu ms, %u and %u flips",
		 (unsigned long long)longest / 1000, h[0].load.rounds, h[1].load.rounds);
	for (i = 0; i < HOLDERS; i++)
		vgpu_free(h[i].load.vgpu);
	vgpu_free(s.ctx.vgpu);
}

int main(void)
{
	struct load l = {};
	struct space s[2];
	long was;
	u32 i;

	vgpu_test_init(180);
	was = gpu_attr_number("pinned_max_mb");
	l.vgpu = vgpu_new(MDEV_TYPE_SMALL);
	l.pool = ram_alloc(&l.vgpu->ram, POOL_PAGES);
	for (i = 0; i < 2; i++)
		space_init(&s[i], vgpu_new(MDEV_TYPE_SMALL), BIG_PAGES);
	tap_ok(set_max(MAX_MB), "vGPUs together have a limit");
	check_limit(&l);
	if (slowness() > 1) {
		tap_skip("this kernel pins too slowly", "two run alternately beside it");
	} else {
		check_others(&l, s, flip, "flips");
		check_others(&l, s, saw, "lets go of");
	}
	tap_ok(vgpu_works(l.vgpu), "the vGPU works");
	vgpu_free(l.vgpu);
	for (i = 0; i < 2; i++)
		vgpu_free(s[i].ctx.vgpu);
	check_held();
	tap_ok(set_max(was), "the limit is lifted");
	return vgpu_test_done();
}
