// SPDX-License-Identifier: GPL-2.0
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "world.h"

/* CPU time of a worker that submits a request, for the policy credit. */
#define SUBMIT_NS	(30 * US)

static u64 between(struct guest *g, u64 least, u64 most)
{
	if (least == most)
		return least;
	g->seed = g->seed * 6364136223846793005ull + 1442695040888963407ull;
	return least + (g->seed >> 33) % (most - least + 1);
}

static struct guest *owner(const struct world *w)
{
	return (struct guest *)w->policy.owner;
}

static void submit(struct world *w, struct guest *g)
{
	g->serials[(g->first + g->queued++) % LOAD_DEPTH] = ++w->serial;
	g->policy.load.queued = g->queued;
	g->policy.load.cpu_ns += SUBMIT_NS;
}

/* As many requests as it always has, or has again. */
static void fill(struct world *w, struct guest *g)
{
	while (g->queued + !!g->left < g->load->depth)
		submit(w, g);
	g->wakes_at = NEVER;
	if (g->policy.awake)
		return;
	g->woke_at = w->now;
	if (g->load->withdraw_ns)
		g->withdraws_at = w->now + g->load->withdraw_ns;
	gslot_policy_wake(&w->policy, &g->policy, w->now);
}

static void fall_asleep(struct world *w, struct guest *g)
{
	g->wakes_at = w->now + between(g, g->load->sleep_least_ns, g->load->sleep_most_ns);
	g->withdraws_at = NEVER;
	g->woke_at = NEVER;
	gslot_policy_sleep(&w->policy, &g->policy, w->now);
}

/* Its request is over, completed or not. */
static void request_over(struct world *w, struct guest *g)
{
	g->left = 0;
	if (load_always(g->load))
		fill(w, g);
	else if (!g->queued)
		fall_asleep(w, g);
}

static void withdraw(struct world *w, struct guest *g)
{
	g->withdraws_at = NEVER;
	if (g->left)
		return;
	g->queued = 0;
	g->policy.load.queued = 0;
	fall_asleep(w, g);
}

/*
 * Requests of a vGPU that always has some follow one another. If the policy does not count them,
 * one that ends and the next that begins are no event.
 */
static bool streams(const struct world *w, const struct guest *g)
{
	return load_always(g->load) && !counts_requests(w->policy.ops) && !w->policy.leaving;
}

static u64 next_event(const struct world *w, u64 until)
{
	const struct guest *runs = w->runs;
	u32 i;

	until = min(until, w->timer_at);
	if (w->switched_at)
		until = min(until, w->switched_at);
	if (runs && !streams(w, runs))
		until = min(until, w->now + runs->left);
	if (w->policy.leaving)
		until = min(until, w->off_at);
	for (i = 0; i < w->count; i++) {
		const struct guest *g = &w->guests[i];

		until = min(until, min(g->wakes_at, g->withdraws_at));
	}
	return max(until, w->now);
}

static void run_stream(struct guest *g, u64 ns)
{
	u64 length = g->load->least_ns, more;

	if (ns < g->left) {
		g->left -= ns;
		return;
	}
	more = (ns - g->left) / length + 1;
	g->left = length - (ns - g->left) % length;
	g->requests += more;
	g->policy.load.dispatched += more;
	g->policy.load.cpu_ns += more * SUBMIT_NS;
}

static void run_request(struct world *w, struct guest *g, u64 ns)
{
	g->ran_ns += ns;
	g->ever_ns += ns;
	g->overrun_ns += w->policy.leaving ? ns : 0;
	w->ever_ns += ns;
	if (streams(w, g))
		run_stream(g, ns);
	else
		g->left -= ns;
}

static bool any_awake(const struct world *w)
{
	u32 i;

	for (i = 0; i < w->count; i++)
		if (w->guests[i].policy.awake)
			return true;
	return false;
}

static void pass(struct world *w, u64 until)
{
	u64 ns = until - w->now;

	if (w->runs)
		run_request(w, w->runs, ns);
	else if (w->switched_at)
		w->switch_ns += ns;
	else if (any_awake(w))
		w->unused_ns += ns;
	w->now = until;
}

/* The distance from its share is largest just before it begins to run, or ends. */
static void note_lag(const struct world *w, struct guest *g)
{
	double share = (double)w->ever_ns * g->policy.knobs.weight / w->weights;

	g->lag_ns = fmax(g->lag_ns, fabs(share - g->ever_ns));
}

static void stop(struct world *w)
{
	note_lag(w, w->runs);
	w->runs = NULL;
}

/* What runs is complete, or preempted. */
static void step_engine(struct world *w)
{
	struct guest *g = w->runs;

	if (w->switched_at && w->now >= w->switched_at) {
		w->switched_at = 0;
		gslot_policy_begin(&w->policy, w->now);
	}
	if (g && !g->left) {
		stop(w);
		g->requests++;
		request_over(w, g);
	} else if (g && w->policy.leaving && w->now >= w->off_at) {
		stop(w);
		if (g->load->yields_ns == NEVER) {
			g->hung++;
			gslot_policy_reset(&w->policy, &g->policy, w->now);
			request_over(w, g);
		}
	}
	if (!w->policy.leaving || w->runs)
		return;
	w->stretch_ns = max(w->stretch_ns, w->now - w->policy.leaving_since);
	gslot_policy_off(&w->policy, w->now);
}

static void step_guests(struct world *w)
{
	u32 i;

	for (i = 0; i < w->count; i++) {
		struct guest *g = &w->guests[i];

		if (w->now >= g->wakes_at)
			fill(w, g);
		if (w->now >= g->withdraws_at)
			withdraw(w, g);
	}
}

static void switch_to(struct world *w, struct guest *g)
{
	if (w->loaded == g)
		return;
	w->loaded = g;
	w->switched_at = w->now + SWITCH;
	gslot_policy_hold(&w->policy);
}

static void take_off(struct world *w)
{
	u64 patience = gslot_policy_patience(&w->policy, PATIENCE);

	if (w->runs)
		w->off_at = w->now + min(w->runs->load->yields_ns, patience);
	else
		gslot_policy_off(&w->policy, w->now);
}

/* Carry out what the policy chooses, as kmod/sched does. */
static void ask(struct world *w)
{
	enum gslot_policy_verdict verdict;

	do {
		verdict = gslot_policy_pick(&w->policy, w->now, w->runs).verdict;
		if (verdict == GSLOT_POLICY_GIVE)
			switch_to(w, owner(w));
		else if (verdict == GSLOT_POLICY_PREEMPT)
			take_off(w);
	} while (verdict == GSLOT_POLICY_PREEMPT && !w->policy.leaving);
}

static bool dispatch(struct world *w, struct guest *g)
{
	if (!g->queued || !gslot_policy_blocks(&w->policy))
		return false;
	g->left = between(g, g->load->least_ns, g->load->most_ns);
	g->first = (g->first + 1) % LOAD_DEPTH;
	g->queued--;
	g->policy.load.queued = g->queued;
	g->policy.load.dispatched++;
	return true;
}

/* Dispatch what the owner has. */
static void feed(struct world *w)
{
	struct guest *g = owner(w);

	if (!g || w->runs || w->policy.leaving || w->switched_at)
		return;
	if (!g->left && !dispatch(w, g))
		return;
	w->runs = g;
	note_lag(w, g);
	if (g->woke_at != NEVER)
		g->wait_ns = max(g->wait_ns, w->now - g->woke_at);
	g->woke_at = NEVER;
	/* What has begun is not withdrawn. */
	g->withdraws_at = NEVER;
}

static void schedule(struct world *w)
{
	u64 timer;

	w->timer_at = NEVER;
	if (w->policy.leaving || w->switched_at)
		return;
	ask(w);
	bound_look(w);
	feed(w);
	if (w->switched_at)
		return;
	timer = gslot_policy_timer(&w->policy, w->now);
	if (timer)
		w->timer_at = w->now + timer;
}

void world_init(struct world *w, const struct gslot_policy_ops *ops)
{
	memset(w, 0, sizeof(*w));
	/* No event is at time 0, as in a kernel. */
	w->now = SECOND;
	w->timer_at = NEVER;
	gslot_policy_init(&w->policy, ops, QUANTUM);
}

void world_add(struct world *w, const struct load *load, u64 seed,
	       const struct gslot_policy_knobs *knobs)
{
	struct guest *g = &w->guests[w->count++];

	w->weights += knobs->weight;
	g->load = load;
	g->seed = seed;
	between(g, 0, 1);
	g->wakes_at = load->depth ? w->now : NEVER;
	g->withdraws_at = NEVER;
	g->woke_at = NEVER;
	if (gslot_policy_join(&w->policy, &g->policy, w->now) ||
	    gslot_policy_set_knobs(&w->policy, &g->policy, w->now, knobs)) {
		fprintf(stderr, "a vGPU is refused\n");
		exit(1);
	}
}

void world_run(struct world *w, u64 until)
{
	while (w->now < until) {
		pass(w, next_event(w, until));
		step_engine(w);
		step_guests(w);
		schedule(w);
	}
}

void world_forget(struct world *w)
{
	u32 i;

	w->switch_ns = 0;
	w->unused_ns = 0;
	for (i = 0; i < w->count; i++) {
		struct guest *g = &w->guests[i];

		g->ran_ns = 0;
		g->requests = 0;
		g->hung = 0;
		g->wait_ns = 0;
	}
}
