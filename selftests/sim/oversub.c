// SPDX-License-Identifier: GPL-2.0
/*
 * gOver's experiment: vGPUs with three kinds of loads, drawn at random, that are sold half a GPU
 * each, as many as by a fixed ratio or as the controller says fit. How much of the GPU is used,
 * and how often has a vGPU fewer frames than it is to have? The policy that keeps the caps, and
 * the controllers, are the files of kmod/core that the module has.
 *
 * A vGPU renders 60 frames a second, and is to have 54 at least; a frame that is not done when
 * the next one is due takes its place. What a frame costs is its kind's:
 *
 *	light		always the same
 *	irregular	another mean for every few seconds, and each frame by another half around it
 *	periodic heavy	light, and heavy for a part of each period of tens of seconds
 */
#include <stdio.h>
#include <stdlib.h>

#include "core/oversub/oversub.h"
#include "core/sched/policy_list.h"

#define MS		1000000ull
#define US		1000ull
#define SECOND		(1000 * MS)
#define FRAME		(SECOND / 60)
#define TARGET		54
#define QUANTUM		(2 * MS)
#define SOLD		500		/* per mille */
#define MAX		8
/* Others than those with which the controllers' defaults were chosen. */
#define FIRST_WORLD	201
#define WORLDS		24
#define SECONDS		1200ull
/* A vGPU is there for so long, to twice as long. */
#define LIFE		(240 * SECOND)

enum kind { LIGHT, IRREGULAR, PERIODIC, KINDS };

struct guest {
	struct gslot_policy_client policy;
	struct gslot_oversub_client oversub;
	bool there;
	u64 seed;
	enum kind kind;
	u64 dies_at;
	u32 base;		/* per mille of the GPU, at 60 frames per second */
	u32 now;		/* the same, at this time */
	u64 changes_at;
	u64 period, heavy_for;
	bool heavy;
	u64 frame_at;		/* when the next one is due */
	u64 left;		/* of the one that is not done */
	bool late;		/* another one was due meanwhile */
	u64 busy_ns, waited_ns, frames;
	u64 judged;		/* @frames a second ago */
	u64 came;
};

struct result {
	u64 busy, time, seconds, missed, any, guests, migrated;
	u32 peak;
};

struct setup {
	const char *name;
	const struct gslot_oversub_ops *ops;	/* NULL: caps are as sold */
	u32 first, most;			/* vGPUs */
	bool decides;				/* the controller says how many */
};

static struct guest guests[MAX];
static struct gslot_policy policy;
static struct gslot_oversub oversub;
static u64 now, world;
static u32 came;	/* so many so far, in this world */

/* Each vGPU has random numbers of its own: whatever is done to it, its load is the same. */
static u32 rnd(struct guest *g, u32 below)
{
	g->seed = g->seed * 6364136223846793005ull + 1442695040888963407ull;
	return (g->seed >> 33) % below;
}

static u32 between(struct guest *g, u32 low, u32 high)
{
	return low + rnd(g, high - low + 1);
}

static void change_load(struct guest *g)
{
	switch (g->kind) {
	case LIGHT:
		g->now = g->base;
		g->changes_at = UINT64_MAX;
		break;
	case IRREGULAR:
		g->now = between(g, g->base * 2 / 3, g->base * 4 / 3);
		g->changes_at = now + between(g, 1000, 8000) * MS;
		break;
	default:
		g->heavy = !g->heavy;
		g->now = g->heavy ? g->base : g->base / 4;
		g->changes_at = now + (g->heavy ? g->heavy_for : g->period - g->heavy_for);
	}
}

static u64 frame_cost(struct guest *g)
{
	u32 percent = g->kind == IRREGULAR ? between(g, 50, 150) : between(g, 95, 105);

	return FRAME * g->now / 1000 * percent / 100;
}

static void come(struct guest *g)
{
	static const u32 low[KINDS] = { 150, 250, 440 }, high[KINDS] = { 250, 350, 500 };

	memset(g, 0, sizeof(*g));
	g->there = true;
	g->seed = world * 1000003 + came++;
	rnd(g, 1);
	g->kind = rnd(g, KINDS);
	g->base = between(g, low[g->kind], high[g->kind]);
	g->period = between(g, 20, 50) * SECOND;
	g->heavy_for = g->period * between(g, 50, 80) / 100;
	g->came = now;
	g->dies_at = now + LIFE + rnd(g, LIFE / MS) * MS;
	g->frame_at = now + rnd(g, FRAME);
	g->heavy = rnd(g, 2);
	change_load(g);
	if (gslot_policy_join(&policy, &g->policy, now) ||
	    gslot_oversub_join(&oversub, &g->oversub, SOLD, TARGET))
		exit(1);
}

static void go(struct guest *g)
{
	gslot_policy_leave(&policy, &g->policy, now);
	gslot_oversub_leave(&oversub, &g->oversub);
	g->there = false;
}

static struct guest *owner(void)
{
	return policy.owner ? (struct guest *)policy.owner : NULL;
}

/* Apply the policy's decision, as kmod/sched does; a preempted guest is off at once. */
static void schedule(void)
{
	bool busy = policy.owner && policy.owner->awake;

	while (gslot_policy_pick(&policy, now, busy).verdict == GSLOT_POLICY_PREEMPT) {
		gslot_policy_off(&policy, now);
		busy = false;
	}
}

static void pass(u64 until, struct result *r)
{
	struct guest *runs = owner();
	u32 i;

	for (i = 0; i < MAX; i++) {
		struct guest *g = &guests[i];

		if (!g->there || !g->left)
			continue;
		if (g == runs) {
			g->busy_ns += until - now;
			g->left -= until - now;
			r->busy += until - now;
		} else {
			g->waited_ns += until - now;
		}
	}
	now = until;
}

static u64 next_event(u64 until)
{
	u64 timer = gslot_policy_timer(&policy, now);
	u32 i;

	if (timer)
		until = min(until, now + timer);
	if (owner() && owner()->left)
		until = min(until, now + owner()->left);
	for (i = 0; i < MAX; i++)
		if (guests[i].there)
			until = min(until, guests[i].frame_at);
	return until;
}

static void begin_frame(struct guest *g)
{
	g->left = frame_cost(g);
	g->late = false;
	gslot_policy_wake(&policy, &g->policy, now);
}

static void step_guest(struct guest *g)
{
	if (g->policy.awake && !g->left) {
		g->frames++;
		if (g->late)
			begin_frame(g);
		else
			gslot_policy_sleep(&policy, &g->policy, now);
	}
	if (now >= g->changes_at)
		change_load(g);
	if (now < g->frame_at)
		return;
	g->frame_at += FRAME;
	if (g->left)
		g->late = true;
	else
		begin_frame(g);
}

static void run_until(u64 until, struct result *r)
{
	u32 i;

	while (now < until) {
		pass(next_event(until), r);
		for (i = 0; i < MAX; i++)
			if (guests[i].there)
				step_guest(&guests[i]);
		schedule();
	}
}

static void set_caps(void)
{
	u32 i;

	for (i = 0; i < MAX; i++) {
		struct guest *g = &guests[i];
		struct gslot_policy_knobs knobs = g->policy.knobs;

		if (!g->there)
			continue;
		knobs.cap = g->oversub.cap;
		if (gslot_policy_set_knobs(&policy, &g->policy, now, &knobs))
			exit(1);
	}
}

static enum gslot_oversub_verdict look(void)
{
	u32 i;

	for (i = 0; i < MAX; i++) {
		struct guest *g = &guests[i];

		g->oversub.counters = (struct gslot_oversub_counters) {
			g->busy_ns, g->waited_ns, g->frames,
		};
	}
	return gslot_oversub_look(&oversub, now);
}

static void judge(struct result *r)
{
	bool any = false;
	u32 i;

	for (i = 0; i < MAX; i++) {
		struct guest *g = &guests[i];

		if (!g->there)
			continue;
		if (now - g->came >= SECOND) {
			bool missed = g->frames - g->judged < TARGET;

			r->guests++;
			r->missed += missed;
			any |= missed;
		}
		g->judged = g->frames;
	}
	r->any += any;
	r->seconds++;
}

/* The guest that came last is migrated away. */
static struct guest *youngest(void)
{
	struct guest *last = NULL;
	u32 i;

	for (i = 0; i < MAX; i++)
		if (guests[i].there && (!last || guests[i].came > last->came))
			last = &guests[i];
	return last;
}

static void obey(const struct setup *s, enum gslot_oversub_verdict verdict, struct result *r)
{
	u32 i;

	if (verdict == GSLOT_OVERSUB_OVERLOAD && policy.count > s->first) {
		go(youngest());
		r->migrated++;
	}
	if (verdict != GSLOT_OVERSUB_ROOM || policy.count >= s->most)
		return;
	for (i = 0; guests[i].there; i++)
		;
	come(&guests[i]);
}

/* A guest at the end of its time leaves, and a new one takes its place. */
static void renew(void)
{
	u32 i;

	for (i = 0; i < MAX; i++) {
		if (!guests[i].there || now < guests[i].dies_at)
			continue;
		go(&guests[i]);
		come(&guests[i]);
	}
}

static void simulate(const struct setup *s, struct result *r)
{
	const struct gslot_oversub_ops *ops = s->ops ? s->ops : &gslot_oversub_gover;
	u64 end, second;
	u32 i;

	now = SECOND;
	came = 0;
	memset(guests, 0, sizeof(guests));
	gslot_policy_init(&policy, &gslot_cap, QUANTUM);
	gslot_oversub_init(&oversub, ops, now);
	for (i = 0; i < s->first; i++)
		come(&guests[i]);
	end = now + SECONDS * SECOND;
	for (second = now + SECOND; now < end; second += SECOND) {
		u64 busy = r->busy;

		while (now < second) {
			run_until(now + (s->ops ? ops->period_ns : SECOND), r);
			if (s->ops) {
				enum gslot_oversub_verdict verdict = look();

				if (s->decides)
					obey(s, verdict, r);
			}
			set_caps();
		}
		judge(r);
		r->peak = max(r->peak, (r->busy - busy) * 1000 / SECOND);
		r->time += SECOND;
		renew();
	}
}

static void row(const struct setup *s)
{
	struct result r = { };

	for (world = FIRST_WORLD; world < FIRST_WORLD + WORLDS; world++)
		simulate(s, &r);
	printf("%-26s %5.2f %8.1f%% %6.1f%% %9.2f%% %9.2f%% %9.1f\n", s->name,
	       (double)r.guests / r.seconds, 100.0 * r.busy / r.time, r.peak / 10.0,
	       100.0 * r.missed / r.guests, 100.0 * r.any / r.seconds,
	       3600.0 * r.migrated / r.seconds);
	fflush(stdout);
}

int main(void)
{
	static const struct setup setups[] = {
		{ "none", NULL, 2, 2, false },
		{ "static 1.5", NULL, 3, 3, false },
		{ "static 2", NULL, 4, 4, false },
		{ "static 3", NULL, 6, 6, false },
		{ "static 4", NULL, 8, 8, false },
		{ "gover", &gslot_oversub_gover, 2, 6, true },
		{ "lend", &gslot_oversub_lend, 2, 6, true },
		{ "gover, 2 vGPUs", &gslot_oversub_gover, 2, 2, false },
		{ "lend, 2 vGPUs", &gslot_oversub_lend, 2, 2, false },
		{ "gover, 3 vGPUs", &gslot_oversub_gover, 3, 3, false },
		{ "lend, 3 vGPUs", &gslot_oversub_lend, 3, 3, false },
		{ "gover, 4 vGPUs", &gslot_oversub_gover, 4, 4, false },
		{ "lend, 4 vGPUs", &gslot_oversub_lend, 4, 4, false },
		{ "gover, 5 vGPUs", &gslot_oversub_gover, 5, 5, false },
		{ "lend, 5 vGPUs", &gslot_oversub_lend, 5, 5, false },
		{ "gover, 6 vGPUs", &gslot_oversub_gover, 6, 6, false },
		{ "lend, 6 vGPUs", &gslot_oversub_lend, 6, 6, false },
	};

	printf("%-26s %5s %9s %7s %10s %10s %9s\n", "oversubscription", "vGPUs", "used", "peak",
	       "QoS broken", "for any", "migr./h");
	for (u32 i = 0; i < ARRAY_SIZE(setups); i++)
		row(&setups[i]);
	return 0;
}
