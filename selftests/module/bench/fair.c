// SPDX-License-Identifier: GPL-2.0
/*
 * The fairness of the module's policies: vGPUs with all kinds of loads, and what each got of an
 * engine by the module's account. selftests/sim/fair.c does the same in simulated time.
 *
 * The model of the GPU is slowed down: a primitive takes PRIMITIVE_US. The quantum is short, so
 * that a window has many.
 */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "fair/measure.h"
#include "gpu.h"
#include "knob.h"
#include "lib/list.h"
#include "tap.h"

#define CAP_ALWAYS	1000
/* With more vGPUs a window is longer, so that each has as many turns. */
#define WINDOW_VGPUS	6
/* About the time beside the window: to open and close a vGPU; a measurement. */
#define VGPU_US		150000
#define ONE_US		700000

static const struct contender contenders[] = {
	{ "rr", "rr", false },
	{ "credit", "credit", false },
	{ "cap", "cap", false },
	{ "sold", "cap", true },
	{ "fair", "fair", false },
};

static struct list numbers, policies, load_names, sets, weights;
static u64 window_us;
static FILE *tsv;
static bool planning;		/* only adds up what there is to do */
static u32 planned;
static u64 planned_us;

static u64 window_for(u32 vgpus)
{
	return window_us * (vgpus > WINDOW_VGPUS ? vgpus : WINDOW_VGPUS) / WINDOW_VGPUS;
}

static void set_knobs(const struct setup *s, const struct contender *contender)
{
	u32 i, sum = 0;

	for (i = 0; i < s->vgpus; i++)
		sum += setup_weight(s, i);
	for (i = 0; i < s->vgpus; i++) {
		const char *uuid = clients[i].vgpu->uuid;
		u32 weight = setup_weight(s, i);
		u32 cap = contender->sold ? CAP_ALWAYS * weight / sum : CAP_ALWAYS;
		bool hog = s->loads[i]->kind == KIND_HOG;

		if (knob_set(uuid, WEIGHT, weight) || knob_set(uuid, CAP, cap) ||
		    knob_set(uuid, PREEMPT_TIMEOUT_US, hog ? HOG_PATIENCE_US : PATIENCE_US))
			tap_die("a knob is refused");
	}
}

static void measure_by(const struct setup *s, const struct contender *contender)
{
	struct result r;

	if (!list_has(&policies, contender->name))
		return;
	if (planning) {
		planned++;
		planned_us += ONE_US + s->window_us;
		return;
	}
	if (gpu_attr_set("policy", contender->policy))
		return;
	set_knobs(s, contender);
	r = measure(s);
	print_result(tsv, s, contender, &r);
}

static void measure_all_by(const struct setup *s)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(contenders); i++)
		measure_by(s, &contenders[i]);
}

/* With equal weights, and with others. */
static void measure_weights(struct setup *s)
{
	s->weighted = false;
	if (list_has(&weights, "equal"))
		measure_all_by(s);
	s->weighted = true;
	if (list_has(&weights, "4:2:1"))
		measure_all_by(s);
}

/* The loads of vGPUs, in order; all others have the last. */
static void set_loads(struct setup *s, const char *const *names)
{
	u32 i;

	for (i = 0; i < s->vgpus; i++) {
		s->loads[i] = load_find(*names);
		if (names[1])
			names++;
	}
}

static void measure_alike(u32 vgpus)
{
	u32 i;

	for (i = 0; i < load_names.count; i++) {
		const char *const names[] = { load_names.words[i], NULL };
		struct setup s = {
			"alike", names[0], false, vgpus, .window_us = window_for(vgpus),
		};

		set_loads(&s, names);
		measure_weights(&s);
	}
}

/* All kinds of loads of one engine in turn; two always have work. */
static void measure_hybrid(u32 vgpus)
{
	static const char *const kinds[] = {
		"short", "spinner", "bursts", "long", "vlong", "idle", "nop",
	};
	struct setup s = { "hybrid", "mixed", false, vgpus, .window_us = window_for(vgpus) };
	u32 i;

	for (i = 0; i < vgpus; i++)
		s.loads[i] = load_find(kinds[i % ARRAY_SIZE(kinds)]);
	measure_weights(&s);
}

static void measure_waking(u32 vgpus)
{
	static const char *const names[] = { "bursts", "long", NULL };
	struct setup s = { "waking", "long", false, vgpus, .window_us = window_for(vgpus) };

	set_loads(&s, names);
	measure_all_by(&s);
}

static void measure_hostile(u32 vgpus)
{
	static const char *const names[] = { "hostile", "short", "bursts", "short", NULL };
	struct setup s = { "hostile", "short", false, vgpus, .window_us = 2 * window_for(vgpus) };

	set_loads(&s, names);
	measure_all_by(&s);
}

static void measure_idle(u32 vgpus)
{
	static const char *const names[] = { "long", "idle", NULL };
	struct setup s = { "idle", "long", false, vgpus, .window_us = window_for(vgpus) };

	set_loads(&s, names);
	measure_all_by(&s);
}

/* Two vGPUs on different engines: each alone, and both. */
static void measure_overlap(void)
{
	static const char *const names[][3] = {
		{ "long", "idle", NULL }, { "blit", "idle", NULL }, { "long", "blit", NULL },
	};
	static const char *const what[] = { "renders", "blits", "both" };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		struct setup s = { "overlap", what[i], false, 2, .window_us = window_us };

		set_loads(&s, names[i]);
		measure_all_by(&s);
	}
}

static void add_until(u32 number)
{
	u32 i;

	if (planning) {
		planned_us += number * VGPU_US;
		return;
	}
	for (i = nr_clients; i < number; i++)
		clients_add();
}

static void measure_number(u32 number)
{
	if (number < 2 || number > MOST_CLIENTS)
		tap_die("from 2 to %u vGPUs, not %u", MOST_CLIENTS, number);
	if (list_has(&sets, "idle")) {
		add_until(1);
		measure_idle(1);
	}
	add_until(number);
	if (list_has(&sets, "idle"))
		measure_idle(number);
	if (list_has(&sets, "alike"))
		measure_alike(number);
	if (list_has(&sets, "hybrid"))
		measure_hybrid(number);
	if (list_has(&sets, "waking"))
		measure_waking(number);
	if (list_has(&sets, "hostile"))
		measure_hostile(number);
	if (list_has(&sets, "overlap") && number == 2)
		measure_overlap();
	if (!planning)
		clients_remove();
}

static void measure_everything(void)
{
	u32 i;

	for (i = 0; i < numbers.count; i++)
		measure_number(atoi(numbers.words[i]));
}

static void plan(void)
{
	planning = true;
	measure_everything();
	planning = false;
	printf("# %u measurements, some %llu minutes\n", planned,
	       (unsigned long long)planned_us / 60000000 + 1);
	fflush(stdout);
}

/* How long a request of 80 primitives takes: whether the model is slowed down. */
static void check_time(void)
{
	static const char *const names[] = { "long", NULL };
	struct setup s = { "idle", "long", false, 1, .window_us = 1000000 };
	struct result r;

	add_until(1);
	set_loads(&s, names);
	r = measure(&s);
	clients_remove();
	printf("# a request of %u us takes %.0f\n", 80 * PRIMITIVE_US, 1e6 / r.requests);
	if (r.requests > 1e6 / (40 * PRIMITIVE_US))
		tap_die("the model is not slowed down: see tools/bench-fair");
}

static void read_options(int argc, char **argv)
{
	static const struct list_option lists[] = {
		{ 'n', &numbers, "2,3,4,5,6,7,8,9,10,11,12,13,14,15,32" },
		{ 'p', &policies, "rr,credit,cap,sold,fair" },
		{ 'l', &load_names, "short,long,vlong,blit,nop,spinner" },
		{ 's', &sets, "alike,hybrid,waking,hostile,idle,overlap" },
		{ 'w', &weights, "equal,4:2:1" },
	};
	int opt;

	window_us = 6000000;
	list_options_default(lists, ARRAY_SIZE(lists));
	while ((opt = getopt(argc, argv, "n:p:l:s:w:t:o:")) > 0) {
		if (opt == 'o')
			tsv = fopen(optarg, "w");
		if (opt == 't')
			window_us = atoi(optarg) * 1000000ull;
		list_options_set(lists, ARRAY_SIZE(lists), opt, optarg);
		if (opt == '?')
			exit(2);
	}
	if (!tsv || !window_us)
		tap_die("no file to write to, or no time");
}

static bool offered(const char *policy)
{
	return !gpu_attr_set("policy", policy);
}

static void report_missing_policies(void)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(contenders); i++)
		if (list_has(&policies, contenders[i].name) && !offered(contenders[i].policy))
			printf("# the module has no policy %s\n", contenders[i].policy);
}

int main(int argc, char **argv)
{
	read_options(argc, argv);
	vgpu_test_init(18000);
	if (gpu_attr_set("exec_quantum_ms", QUANTUM_MS))
		tap_die("the quantum cannot be %s ms", QUANTUM_MS);
	report_missing_policies();
	check_time();
	plan();
	print_header(tsv);
	measure_everything();
	fclose(tsv);
	return 0;
}
