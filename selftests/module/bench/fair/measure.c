// SPDX-License-Identifier: GPL-2.0
#include <math.h>

#include "clock.h"
#include "counters.h"
#include "measure.h"
#include "../lib/tsv.h"

#define WARM_UP_US	500000

/**
 * struct counts - counters at a time
 * @held_ns: how long each vGPU held its engine
 * @busy_ns: how long its work ran there
 * @done: its completed requests
 * @turns: of all engines
 * @now_us: the time
 */
struct counts {
	double held_ns[MOST_CLIENTS];
	double busy_ns[MOST_CLIENTS];
	u32 done[MOST_CLIENTS];
	double turns;
	u64 now_us;
};

static struct counts count(void)
{
	struct counts c = { .now_us = now_us() };
	u32 i;

	c.turns = counters_gpu_number("sched", "turns");
	for (i = 0; i < nr_clients; i++) {
		c.held_ns[i] = client_used(&clients[i], "held");
		c.busy_ns[i] = client_used(&clients[i], "busy");
		c.done[i] = client_done(&clients[i]);
	}
	return c;
}

static struct counts difference(const struct counts *from, const struct counts *to)
{
	struct counts d = { .now_us = to->now_us - from->now_us };
	u32 i;

	d.turns = to->turns - from->turns;
	for (i = 0; i < nr_clients; i++) {
		d.held_ns[i] = to->held_ns[i] - from->held_ns[i];
		d.busy_ns[i] = to->busy_ns[i] - from->busy_ns[i];
		d.done[i] = to->done[i] - from->done[i];
	}
	return d;
}

u32 setup_weight(const struct setup *setup, u32 client)
{
	static const u32 weights[] = { 400, 200, 100 };

	return setup->weighted ? weights[client % ARRAY_SIZE(weights)] : 100;
}

static void take_shares(const struct setup *s, const struct counts *d, struct result *r)
{
	double weights = 0, held = 0, least = INFINITY, most = 0;
	u32 i, n = 0;

	for (i = 0; i < s->vgpus; i++) {
		if (!load_counts(s->loads[i]))
			continue;
		weights += setup_weight(s, i);
		held += d->held_ns[i];
		n++;
	}
	r->lambda = NAN;
	r->minmax = NAN;
	if (n < 2 || !held)
		return;
	r->lambda = 0;
	for (i = 0; i < s->vgpus; i++) {
		double part = setup_weight(s, i) / weights;

		if (!load_counts(s->loads[i]))
			continue;
		r->lambda += fabs(d->held_ns[i] / held - part);
		least = fmin(least, d->held_ns[i] / part);
		most = fmax(most, d->held_ns[i] / part);
	}
	r->minmax = least / most;
}

/* NAN: the module's policies do not count it. */
static double longest_lag_ms(const struct client *c)
{
	long ns = client_used(c, "longest-lag");

	return ns < 0 ? NAN : ns / 1e6;
}

static void take_times(const struct setup *s, const struct counts *d, struct result *r)
{
	double ns = d->now_us * 1000.0;
	u32 i;

	r->lag_ms = NAN;
	for (i = 0; i < s->vgpus; i++) {
		if (s->loads[i]->kind == KIND_HOG)
			r->hostile += d->held_ns[i] / ns;
		if (s->loads[i]->engine == s->loads[0]->engine) {
			r->held += d->held_ns[i] / ns;
			r->busy += d->busy_ns[i] / ns;
		}
		r->requests += d->done[i] * 1e9 / ns;
		r->wait_ms = fmax(r->wait_ms, clients[i].wait_us / 1000.0);
		r->yield_ms = fmax(r->yield_ms,
				   client_used(&clients[i], "longest-yield") / 1e6);
		r->lag_ms = fmax(r->lag_ms, longest_lag_ms(&clients[i]));
	}
	r->first = d->busy_ns[0] / ns;
	r->first_requests = d->done[0] * 1e9 / ns;
	r->turns = d->turns * 1e9 / ns;
}

struct result measure(const struct setup *setup)
{
	struct result r = { 0 };
	struct counts from, to, d;

	clients_cast(setup->loads, setup->vgpus);
	clients_run(now_us() + WARM_UP_US);
	clients_forget();
	from = count();
	clients_run(now_us() + setup->window_us);
	to = count();
	d = difference(&from, &to);
	take_shares(setup, &d, &r);
	take_times(setup, &d, &r);
	clients_stop();
	return r;
}

void print_header(FILE *tsv)
{
	fprintf(tsv, "set\tload\tweights\tvgpus\tpolicy\twindow_s\tlambda\tminmax\theld\tbusy\t"
		"first\thostile\twait_ms\tyield_ms\tlag_ms\tturns\trequests\tfirst_requests\n");
	printf("%-8s %-8s %-7s %3s %-7s %8s %8s %6s %6s %6s %8s %8s %8s %8s\n", "set", "load",
	       "weights", "N", "policy", "lambda", "min-max", "busy", "first", "hostile",
	       "wait ms", "turns/s", "req/s", "first");
}

static void print_line(const struct setup *s, const char *policy, const struct result *r)
{
	printf("%-8s %-8s %-7s %3u %-7s %8.4f %8.4f ", s->set, s->load,
	       s->weighted ? "4:2:1" : "equal", s->vgpus, policy, r->lambda, r->minmax);
	printf("%5.1f%% %5.1f%% %6.1f%% %8.1f %8.0f %8.0f %8.0f\n", 100 * r->busy,
	       100 * r->first, 100 * r->hostile, r->wait_ms, r->turns, r->requests,
	       r->first_requests);
	fflush(stdout);
}

void print_result(FILE *tsv, const struct setup *s, const struct contender *contender,
		  const struct result *r)
{
	fprintf(tsv, "%s\t%s\t%s\t%u\t%s\t%.1f", s->set, s->load,
		s->weighted ? "4:2:1" : "equal", s->vgpus, contender->name, s->window_us / 1e6);
	tsv_number(tsv, r->lambda, 5);
	tsv_number(tsv, r->minmax, 4);
	tsv_number(tsv, r->held, 4);
	tsv_number(tsv, r->busy, 4);
	tsv_number(tsv, r->first, 4);
	tsv_number(tsv, r->hostile, 4);
	tsv_number(tsv, r->wait_ms, 1);
	tsv_number(tsv, r->yield_ms, 1);
	tsv_number(tsv, r->lag_ms, 2);
	tsv_number(tsv, r->turns, 1);
	tsv_number(tsv, r->requests, 1);
	tsv_number(tsv, r->first_requests, 1);
	fprintf(tsv, "\n");
	fflush(tsv);
	print_line(s, contender->name, r);
}
