// SPDX-License-Identifier: GPL-2.0
/*
 * A submission that needs more memory than its vGPU may have pinned is tried for two seconds, and
 * refused then. The time in which none is processed, as the worker is throttled or the vGPU is
 * stopped, does not count: it delays the refusal by so much, and not by more.
 */
#include "clock.h"
#include "context.h"
#include "counters.h"
#include "knob.h"
#include "migration.h"
#include "space.h"
#include "tap.h"
#include "vgpu.h"

/* What the vGPU may have pinned, and what one of its address spaces needs. */
#define MAX_MB		4u
#define PAGES		1200u
#define VALUE		0x70000000u
/* How often it submits until the worker is throttled, at most. */
#define SUBMISSIONS_MAX	20000u
/* For how long it is tried before it is held, and held: its deadline is meanwhile. */
#define TRIED_US	500000u
#define HELD_US		2500000u
/* A try each 64 ms, 125 ms for which a throttled worker sleeps, and ticks. */
#define EXACT_US	250000u
#define PATIENCE_US	2000000u

/**
 * struct guest - a guest with a submission that never has room
 * @vgpu: its vGPU
 * @huge: an address space that is larger than the vGPU's limit
 * @light: a context of another engine
 */
struct guest {
	struct vgpu *vgpu;
	struct space huge;
	struct context light;
};

static u64 counter(const struct guest *g, const char *name)
{
	return counters_number(g->vgpu, "exec", name);
}

static void stop(struct guest *g, bool stopped)
{
	int ret = mig_set(&g->vgpu->dev, stopped ? MIG_STOP : MIG_RUNNING, NULL);

	if (ret)
		tap_die("the vGPU is not stopped, or does not run: %d", ret);
}

/* Have the worker use up its CPU time; the last request may wait then. */
static void throttle(struct guest *g)
{
	u64 before = counter(g, "throttled");
	u32 i, seqno;

	if (!engine_wait_idle(g->light.engine, SOON_MS))
		tap_die("%s: not idle", g->light.engine->info->name);

	knob_must_set(g->vgpu->uuid, CPU_MAX, CPU_LEAST);
	for (i = 0; i < SUBMISSIONS_MAX; i++) {
		seqno = request_submit(&g->light);
		if (!wait_for(request_done(&g->light, seqno) || counter(g, "throttled") > before,
			      SOON_MS))
			break;
		if (counter(g, "throttled") > before)
			return;
		if (!engine_wait_idle(g->light.engine, SOON_MS))
			break;
	}
	tap_die("the worker is never throttled");
}

static void hold_by_stop(struct guest *g)
{
	stop(g, true);
	sleep_us(HELD_US);
	stop(g, false);
}

/* The worker goes on for short times meanwhile. */
static void hold_by_throttle(struct guest *g)
{
	u64 until = now_us() + HELD_US;

	while (now_us() < until)
		throttle(g);
	knob_must_set(g->vgpu->uuid, CPU_MAX, CPU_ALL);
}

static void hold_by_both(struct guest *g)
{
	throttle(g);
	hold_by_stop(g);
	knob_must_set(g->vgpu->uuid, CPU_MAX, CPU_ALL);
}

/*
 * Return: after how long the submission is refused, us. @hold: called meanwhile; may be NULL.
 * @held_us: gets how long that took
 */
static u64 refused_after(struct guest *g, void (*hold)(struct guest *g), u64 *held_us)
{
	u64 before = counter(g, "refused"), begun = now_us(), t0, us;

	space_submit(&g->huge, VALUE);
	if (hold) {
		sleep_us(TRIED_US);
		t0 = now_us();
		hold(g);
		*held_us = now_us() - t0;
	}
	if (!wait_for(counter(g, "refused") > before, SOON_MS))
		tap_die("the submission is not refused");
	us = now_us() - begun;
	if (!engine_reset(g->huge.ctx.engine))
		tap_die("the engine is not reset");
	return us;
}

/* @least_us: for how long it was held at least, of @held_us */
static void check_delay(u64 us, u64 least_us, u64 held_us, const char *name)
{
	tap_diag("after %llu ms, held for %llu ms", (unsigned long long)us / 1000,
		 (unsigned long long)held_us / 1000);
	tap_ok(us + EXACT_US > PATIENCE_US + least_us, "%s: not refused early", name);
	tap_ok(us < PATIENCE_US + held_us + EXACT_US, "nor late");
}

/* Stop the vGPU, or throttle its worker, while the submission is tried. */
static void check_meanwhile(struct guest *g)
{
	static const struct {
		const char *name;
		void (*hold)(struct guest *g);
		u32 least_us;
	} rows[] = {
		{ "stopped", hold_by_stop, HELD_US },
		{ "throttled", hold_by_throttle, HELD_US / 2 },
		{ "throttled, and stopped", hold_by_both, HELD_US },
	};
	u64 us, held_us;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		us = refused_after(g, rows[i].hold, &held_us);
		check_delay(us, rows[i].least_us, held_us, rows[i].name);
	}
}

int main(void)
{
	struct guest g;

	vgpu_test_init(180);
	/* When it is refused depends on that: it is tried 16 times at least. */
	if (slowness() > 1)
		tap_skip_all("a try takes too long on this kernel");
	g.vgpu = vgpu_new(MDEV_TYPE_SMALL);
	space_init(&g.huge, g.vgpu, PAGES);
	context_init(&g.light, g.vgpu, VECS, NULL);
	if (knob_set(g.vgpu->uuid, PINNED_MAX_MB, MAX_MB))
		tap_die("no limit");
	check_delay(refused_after(&g, NULL, NULL), 0, 0, "a submission without room");
	check_meanwhile(&g);
	tap_ok(!knob_set(g.vgpu->uuid, PINNED_MAX_MB, 2 * MAX_MB) &&
	       space_runs(&g.huge, VALUE + 1), "with room, it is executed");
	vgpu_free(g.vgpu);
	return vgpu_test_done();
}
