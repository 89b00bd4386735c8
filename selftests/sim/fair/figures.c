// SPDX-License-Identifier: GPL-2.0
#include <math.h>

#include "figures.h"

static bool counts(const struct guest *g)
{
	return load_always(g->load) && !load_hostile(g->load);
}

/**
 * struct sums - the vGPUs that count
 * @guests: their number
 * @weights: sum of their weights
 * @ran: how long they ran, ns
 */
struct sums {
	u32 guests;
	double weights;
	double ran;
};

static struct sums sum(const struct world *w)
{
	struct sums s = { 0 };
	u32 i;

	for (i = 0; i < w->count; i++) {
		const struct guest *g = &w->guests[i];

		if (!counts(g))
			continue;
		s.guests++;
		s.weights += g->policy.knobs.weight;
		s.ran += g->ran_ns;
	}
	return s;
}

static void take_shares(const struct world *w, struct figures *f)
{
	const struct sums s = sum(w);
	double least = INFINITY, most = 0;
	u32 i;

	f->lambda = NAN;
	f->minmax = NAN;
	if (s.guests < 2 || !s.ran)
		return;
	f->lambda = 0;
	for (i = 0; i < w->count; i++) {
		const struct guest *g = &w->guests[i];
		double part = g->policy.knobs.weight / s.weights;

		if (!counts(g))
			continue;
		f->lambda += fabs(g->ran_ns / s.ran - part);
		least = fmin(least, g->ran_ns / part);
		most = fmax(most, g->ran_ns / part);
	}
	f->minmax = least / most;
}

static void take_lag(const struct world *w, struct figures *f)
{
	double lag_ns = 0;
	u32 i;

	for (i = 0; i < w->count; i++) {
		if (!counts(&w->guests[i]))
			return;
		lag_ns = fmax(lag_ns, w->guests[i].lag_ns);
	}
	f->lag_ms = lag_ns / MS;
	if (w->policy.ops == &gslot_fair) {
		f->others_ms = (double)w->bound.others_ns / MS;
		f->used = w->bound.used;
	}
	f->bound_ms = (double)(w->policy.quantum_ns + w->stretch_ns) / MS;
}

struct figures figures_take(const struct world *w, u64 ns)
{
	struct figures f = {
		.switches = (double)w->switch_ns / ns,
		.unused = (double)w->unused_ns / ns,
		.first = (double)w->guests[0].ran_ns / ns,
		.lag_ms = NAN,
		.bound_ms = NAN,
		.others_ms = NAN,
		.used = NAN,
	};
	u32 i;

	take_shares(w, &f);
	take_lag(w, &f);
	for (i = 0; i < w->count; i++) {
		const struct guest *g = &w->guests[i];

		if (load_hostile(g->load))
			f.hostile += (double)g->ran_ns / ns;
		f.wait_ms = fmax(f.wait_ms, (double)g->wait_ns / MS);
		/* It waits still. */
		if (g->woke_at != NEVER && !load_always(g->load))
			f.wait_ms = fmax(f.wait_ms, (double)(w->now - g->woke_at) / MS);
	}
	return f;
}
