// SPDX-License-Identifier: GPL-2.0
#include <math.h>
#include <string.h>

#include "bound.h"
#include "clock.h"
#include "counters.h"
#include "file.h"
#include "measure.h"
#include "model.h"
#include "tap.h"
#include "../lib/tsv.h"

#define MEASURE_US	400000
#define TURNS_US	20000	/* rounds before turns are counted */
#define WARM_UP		8	/* rounds at most, after all units were named */
#define WARM_UP_SUM	400	/* requests of all clients that are enough then */
#define WARM_UP_ALL	1	/* rounds, if each turn loads everything */
/* Rounds before the first one in which the resident units are known */
#define PAST		16
#define TO_COME		24	/* rounds of known future after the last one */
#define RUN_ENTRIES	(UNIT_PAGES + 1)
#define LOAD_ENTRIES	1024	/* entries written before they are counted */
#define SETTLE_US	2000

/**
 * struct counts - counters at a time
 * @turns: turns of vGPUs
 * @entries: entries written, by the module's count
 * @later: the same, after the GPU's count was read
 * @low: of @entries, those of low graphics memory
 * @high: of @entries, those of high
 * @writes: entries written, by the GPU's count
 * @leave_ns: time in which vGPUs were preempted
 * @load_ns: time in which entries were loaded for the next vGPU
 * @now_us: the time of @held_ns
 * @held_ns: time in which each vGPU held the GPU
 * @named: number of names
 * @done: completed requests of each
 */
struct counts {
	double turns;
	double entries;
	double later;
	double low;
	double high;
	double writes;
	double leave_ns;
	double load_ns;
	u64 now_us;
	double held_ns[MOST_CLIENTS];
	u32 named;
	u32 done[MOST_CLIENTS];
};

/* Not every copy policy has each of them. */
static double number(const char *file, const char *key)
{
	char path[MDEV_PATH_MAX];
	u64 value;

	if (!counters_gpu_path(path, file) || !file_scan_number(path, key, &value))
		return NAN;
	return value;
}

static double written(void)
{
	return counters_gpu_number("copies", "entries_written");
}

/* No request is under way, but entries may be written ahead of a turn. */
static void wait_written(void)
{
	double last;

	do {
		last = written();
		sleep_us(SETTLE_US);
	} while (written() != last);
}

static struct counts count(void)
{
	struct counts c = { .named = nr_named };
	u64 writes;
	u32 i;

	c.entries = written();
	if (!model_get("ggtt-writes", &writes))
		tap_die("no model of a GPU");
	c.writes = writes;
	c.later = written();
	c.low = number("copies", "entries_low");
	c.high = number("copies", "entries_high");
	c.turns = counters_gpu_number("sched", "turns");
	c.leave_ns = counters_gpu_number("sched", "switch_ns");
	c.load_ns = number("sched", "load_ns");
	c.now_us = now_us();
	for (i = 0; i < nr_clients; i++) {
		c.held_ns[i] = counters_held(clients[i].vgpu, RCS);
		c.done[i] = clients[i].done;
	}
	return c;
}

static u32 sum_done(void)
{
	u32 i, sum = 0;

	for (i = 0; i < nr_clients; i++)
		sum += clients[i].done;
	return sum;
}

/* Of clients that always have work; by time if requests do not complete. */
static double least_share(const struct counts *from, const struct counts *to, bool by_time)
{
	double sum = 0, least = INFINITY, part;
	u32 i, n = 0;

	for (i = 0; i < nr_clients; i++) {
		if (clients[i].use != ALWAYS)
			continue;
		part = by_time ? to->held_ns[i] - from->held_ns[i] : to->done[i] - from->done[i];
		least = fmin(least, part);
		sum += part;
		n++;
	}
	return least * n / sum;
}

static double part_held(const struct counts *from, const struct counts *to)
{
	double sum = 0;
	u32 i;

	for (i = 0; i < nr_clients; i++)
		sum += to->held_ns[i] - from->held_ns[i];
	return sum / 1000 / (to->now_us - from->now_us);
}

static u32 runs;	/* number of runs with the policy "cached" */

void measure_init(void)
{
	runs = counters_gpu_number("ggtt", "runs");
}

/* Whether a policy knows in a vGPU's first turn all that it will load. */
static bool loads_all(const char *policy)
{
	return !strcmp(policy, "slot") || !strcmp(policy, "sparse");
}

/* With endless requests, wait for turns. */
static void run_turns(const struct load *load, u64 until, u32 rounds)
{
	double end = counters_gpu_number("sched", "turns") + rounds * nr_clients;

	do
		clients_run(load, now_us() + TURNS_US, 0);
	while (counters_gpu_number("sched", "turns") < end || now_us() < until);
}

/* As if requests had been made before, or came later. */
static void name_rounds(u32 rounds)
{
	u32 round, i;

	for (round = 0; round < rounds; round++)
		for (i = 0; i < nr_clients; i++)
			if ((round + 1) * clients[i].use / ALWAYS > round * clients[i].use / ALWAYS)
				client_name(i);
}

/* Whether there may be no room for all that is named. */
static bool is_short(const struct load *load)
{
	return load->random && nr_clients * SET_UNITS > runs;
}

static u32 warm_up_rounds(const struct setup *setup)
{
	u32 rounds = WARM_UP_SUM / nr_clients + 1;

	if (!setup->load->random || loads_all(setup->policy))
		return WARM_UP_ALL;
	if (!is_short(setup->load))
		return FRESH;
	return FRESH + (rounds < WARM_UP ? rounds : WARM_UP);
}

/* The least number of entries to be written for what was named between two counts. */
static double bound(const struct load *load, u32 from, u32 to)
{
	if (!is_short(load))
		return 0;
	name_rounds(TO_COME);
	return (double)RUN_ENTRIES * bound_loads(runs, named, nr_named, from, to);
}

/* Wait until requests have completed, but for endless ones and those of guests. */
static void wait_idle(const struct setup *setup)
{
	if (setup->load->endless)
		return;
	clients_stop(setup->load);
	if (!setup->guests)
		wait_written();
}

static void run(const struct setup *setup, u64 until, u32 rounds)
{
	if (setup->load->endless)
		run_turns(setup->load, until, 1);
	else
		clients_run(setup->load, until, rounds);
}

static double seconds_since(u64 t0)
{
	return (now_us() - t0) / 1e6;
}

/* Per turn. */
static struct result per_turn(const struct counts *from, const struct counts *to)
{
	double turns = to->turns - from->turns;

	return (struct result) {
		.turns = turns,
		.entries = (to->entries - from->entries) / turns,
		.writes = (to->writes - from->writes) / turns,
		.unsure = (to->later - to->entries + from->later - from->entries) / turns,
		.low = (to->low - from->low) / turns,
		.high = (to->high - from->high) / turns,
		.leave_ns = (to->leave_ns - from->leave_ns) / turns,
		.load_ns = (to->load_ns - from->load_ns) / turns,
		.requests = NAN,
		.held = NAN,
	};
}

struct result measure(const struct setup *setup)
{
	const struct load *load = setup->load;
	struct counts from, at_end, to;
	struct result r;
	u32 done;
	double s;
	u64 t0;

	clients_prepare(load, !loads_all(setup->policy));
	clients_forget();
	if (is_short(load))
		name_rounds(PAST);
	run(setup, 0, warm_up_rounds(setup));
	wait_idle(setup);
	from = count();
	done = sum_done();
	t0 = now_us();
	run(setup, t0 + MEASURE_US, clients_period());
	s = seconds_since(t0);
	at_end = count();
	done = sum_done() - done;
	wait_idle(setup);
	to = count();
	clients_stop(load);

	r = per_turn(&from, &to);
	r.share = least_share(&from, &at_end, load->endless);
	if (load->endless)
		r.held = part_held(&from, &to);
	else
		r.requests = done / s;
	r.bound = bound(load, from.named, to.named) / r.turns;
	if (load->random)
		r.blind = RUN_ENTRIES * bound_loads_blind(runs) * (to.named - from.named) / r.turns;
	return r;
}

bool result_agrees(const struct setup *setup, const struct result *r)
{
	double unsure = r->unsure * r->turns;

	/* If turns go on, the module may be writing at either reading. */
	if (setup->load->endless || setup->guests)
		unsure += 2 * LOAD_ENTRIES;
	return fabs(r->entries - r->writes) * r->turns <= unsure + 0.5;
}

void print_header(FILE *tsv)
{
	fprintf(tsv, "load\tset\tvgpus\thigh\tplacement\tpolicy\tturns\tentries\twrites\tlow\t"
		"high_entries\tleave_ns\tload_ns\trequests\tshare\tbound\tblind\theld\tsource\n");
	printf("%-5s %-6s %3s %5s %-11s %-10s %6s %10s %8s %8s %9s %9s %8s %5s\n", "load", "set",
	       "N", "high", "placement", "policy", "turns", "entries", "bound", "blind", "leave us",
	       "load us", "req/s", "least");
}

static void print_line(const struct setup *setup, const struct result *r)
{
	printf("%-5s %-6s %3u %5s %-11s %-10s %6.0f %10.2f %8.1f %8.1f %9.1f %9.1f ",
	       setup->load->name, setup->set, setup->vgpus, setup->high, setup->placement,
	       setup->policy, r->turns, r->entries, r->bound, r->blind,
	       r->leave_ns / 1000, r->load_ns / 1000);
	if (isnan(r->requests))
		printf("%7.0f%% %5.2f\n", r->held * 100, r->share);
	else
		printf("%8.0f %5.2f\n", r->requests, r->share);
	fflush(stdout);
}

void print_result(FILE *tsv, const struct setup *setup, const struct result *r)
{
	fprintf(tsv, "%s\t%s\t%u\t%s\t%s\t%s", setup->load->name, setup->set, setup->vgpus,
		setup->high, setup->placement, setup->policy);
	tsv_number(tsv, r->turns, 0);
	tsv_number(tsv, r->entries, 2);
	tsv_number(tsv, r->writes, 2);
	tsv_number(tsv, r->low, 2);
	tsv_number(tsv, r->high, 2);
	tsv_number(tsv, r->leave_ns, 0);
	tsv_number(tsv, r->load_ns, 0);
	tsv_number(tsv, r->requests, 1);
	tsv_number(tsv, r->share, 3);
	tsv_number(tsv, r->bound, 2);
	tsv_number(tsv, r->blind, 2);
	tsv_number(tsv, r->held, 3);
	fprintf(tsv, "\tmodule\n");
	fflush(tsv);
	print_line(setup, r);
}
