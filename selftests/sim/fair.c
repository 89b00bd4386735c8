// SPDX-License-Identifier: GPL-2.0
/*
 * How fair policies are: vGPUs with loads of all kinds share an engine, by the files of kmod/core
 * that the module has, and by one queue for all, which VMCG begins with.
 *
 * Sets of vGPUs:
 *
 *	alike		all have the same load, and always have work
 *	hybrid		two always have work; the others are of all kinds that yield in a quantum
 *	coarse		the same, but requests of the first one are longer than that
 *	waking		one has bursts of work, the others always have work of one kind
 *	hostile		one does not yield, the third has bursts, the others always have work
 *	idle		one always has work, the others never have any
 */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "fair/figures.h"

#define WARM_UP		(5 * SECOND)
#define WINDOW		(120 * SECOND)
/* A policy that counts requests is asked for each: of the shortest so many are simulated. */
#define MOST_REQUESTS	1000000ull
#define DRAWS		3
#define MOST_RUNS	10000
#define ANY		0

/**
 * struct contender - a policy
 * @name: as printed
 * @ops: the policy
 * @sold: each vGPU has a cap, its share; else there are no caps
 */
struct contender {
	const char *name;
	const struct gslot_policy_ops *ops;
	bool sold;
};

static const struct contender contenders[] = {
	{ "fcfs", &fcfs, false },
	{ "rr", &gslot_rr, false },
	{ "credit", &gslot_credit, false },
	{ "cap", &gslot_cap, false },
	{ "sold", &gslot_cap, true },
	{ "fair", &gslot_fair, false },
};

/**
 * struct setup - the vGPUs that share an engine
 * @set: the kind of set
 * @load: the load that it is about
 * @weighted: weights are 4:2:1, in turn; else equal
 * @vgpus: their number
 * @loads: the load of each
 * @draw: which of several sets of a kind
 */
struct setup {
	const char *set;
	const char *load;
	bool weighted;
	u32 vgpus;
	const struct load *loads[MOST];
	u32 draw;
};

/**
 * struct run - a simulation
 * @setup: its vGPUs
 * @contender: its policy
 * @window: its length, ns
 * @figures: its result
 */
struct run {
	struct setup setup;
	u32 contender;
	u64 window;
	struct figures figures;
};

static struct run *runs;
static u32 nr_runs;
static bool tsv;

static u32 weight(const struct setup *s, u32 i)
{
	static const u32 weights[] = { 4, 2, 1 };

	return GSLOT_POLICY_WEIGHT * (s->weighted ? weights[i % ARRAY_SIZE(weights)] : 1);
}

static struct gslot_policy_knobs knobs(const struct setup *s, const struct contender *c, u32 i)
{
	struct gslot_policy_knobs knobs = {
		.weight = weight(s, i),
		.cap = GSLOT_WHOLE,
	};
	u32 k, sum = 0;

	for (k = 0; k < s->vgpus; k++)
		sum += weight(s, k);
	if (c->sold)
		knobs.cap = knobs.cap * weight(s, i) / sum;
	return knobs;
}

static u64 window(const struct setup *s, const struct contender *c)
{
	u64 shortest = NEVER;
	u32 i;

	for (i = 0; i < s->vgpus; i++)
		if (s->loads[i]->depth)
			shortest = min(shortest, s->loads[i]->least_ns);
	if (!counts_requests(c->ops) || shortest >= WINDOW / MOST_REQUESTS)
		return WINDOW;
	return shortest * MOST_REQUESTS;
}

static void simulate(const struct setup *s, const struct contender *c, struct run *r)
{
	static struct world world;
	u32 i;

	world_init(&world, c->ops);
	for (i = 0; i < s->vgpus; i++) {
		const struct gslot_policy_knobs k = knobs(s, c, i);

		world_add(&world, s->loads[i], s->draw * MOST + i + 1, &k);
	}
	world_run(&world, world.now + WARM_UP);
	world_forget(&world);
	r->window = window(s, c);
	world_run(&world, world.now + r->window);
	r->figures = figures_take(&world, r->window);
}

static void print_number(double value, u32 digits)
{
	if (isnan(value))
		printf("\t-");
	else
		printf("\t%.*f", digits, value);
}

static void print_header(void)
{
	printf("set\tload\tweights\tvgpus\tdraw\tpolicy\twindow_s\tlambda\tminmax\tswitches\t"
	       "unused\tfirst\thostile\twait_ms\tlag_ms\tbound_ms\n");
}

static void print_run(const struct run *r)
{
	const struct setup *s = &r->setup;
	const struct figures *f = &r->figures;

	printf("%s\t%s\t%s\t%u\t%u\t%s\t%.0f", s->set, s->load, s->weighted ? "4:2:1" : "equal",
	       s->vgpus, s->draw, contenders[r->contender].name, (double)r->window / SECOND);
	print_number(f->lambda, 6);
	print_number(f->minmax, 5);
	print_number(f->switches, 5);
	print_number(f->unused, 5);
	print_number(f->first, 5);
	print_number(f->hostile, 5);
	print_number(f->wait_ms, 2);
	print_number(f->lag_ms, 2);
	print_number(f->bound_ms, 2);
	printf("\n");
}

static void run(const struct setup *s)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(contenders); i++) {
		struct run *r = &runs[nr_runs];

		if (nr_runs++ == MOST_RUNS) {
			fprintf(stderr, "too many runs\n");
			exit(1);
		}
		r->setup = *s;
		r->contender = i;
		simulate(s, &contenders[i], r);
		if (tsv)
			print_run(r);
	}
}

/* These loads in order, and all others the last of them. */
static void cast(struct setup *s, const char *const *names)
{
	u32 i;

	for (i = 0; i < s->vgpus; i++) {
		s->loads[i] = load_find(*names);
		if (names[1])
			names++;
	}
}

static void run_alike(u32 vgpus, bool weighted)
{
	static const char *const kinds[] = { "short", "long", "vlong", "blit", "nop", "spinner" };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		const char *const names[] = { kinds[i], NULL };
		struct setup s = { "alike", kinds[i], weighted, vgpus, .draw = 0 };

		cast(&s, names);
		run(&s);
	}
}

/* Of the kinds that yield within a quantum; the first two of those that always work. */
static void draw(struct setup *s)
{
	const u32 kinds = load_find("vlong") - loads;
	u64 seed = s->draw * 1000003ull + s->vgpus;
	u32 i, always;

	for (always = 0; load_always(&loads[always]); always++)
		;
	for (i = 0; i < s->vgpus; i++) {
		seed = seed * 6364136223846793005ull + 1442695040888963407ull;
		s->loads[i] = &loads[(seed >> 33) % (i < 2 ? always : kinds)];
	}
}

static void run_hybrid(u32 vgpus, bool weighted)
{
	u32 i;

	for (i = 1; i <= DRAWS; i++) {
		struct setup s = { "hybrid", "mixed", weighted, vgpus, .draw = i };

		draw(&s);
		run(&s);
		s.set = "coarse";
		s.loads[0] = load_find("vlong");
		run(&s);
	}
}

static void run_waking(u32 vgpus)
{
	static const char *const kinds[] = { "short", "long", "vlong" };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		const char *const names[] = { "bursts", kinds[i], NULL };
		struct setup s = { "waking", kinds[i], false, vgpus, .draw = 0 };

		cast(&s, names);
		run(&s);
	}
}

static void run_hostile(u32 vgpus)
{
	static const char *const names[] = { "hostile", "short", "bursts", "short", NULL };
	struct setup s = { "hostile", "short", false, vgpus, .draw = 0 };

	cast(&s, names);
	run(&s);
}

static void run_idle(u32 vgpus)
{
	static const char *const names[] = { "long", "idle", NULL };
	struct setup s = { "idle", "long", false, vgpus, .draw = 0 };

	cast(&s, names);
	run(&s);
}

static void run_all(void)
{
	u32 n;

	run_idle(1);
	for (n = 2; n <= MOST; n++) {
		if (n > 15 && n < MOST)
			continue;
		run_alike(n, false);
		run_alike(n, true);
		run_hybrid(n, false);
		run_hybrid(n, true);
		run_waking(n);
		run_hostile(n);
		run_idle(n);
	}
}

/**
 * struct row - a row of a table: the runs that it is about
 * @label: as printed
 * @set: of this set
 * @load: of this load
 * @weighted: with these weights
 * @vgpus: of so many, or ANY
 */
struct row {
	const char *label;
	const char *set;
	const char *load;
	bool weighted;
	u32 vgpus;
};

/**
 * struct table - a table: the worst figure of runs
 * @title: as printed
 * @rows: its rows, and more of them, or NULL; the last of each has no label
 * @figure: which of struct figures, by its offset
 * @least: the worst is the least
 * @format: of its numbers
 * @scale: factor of its numbers
 */
struct table {
	const char *title;
	const struct row *rows[2];
	size_t figure;
	bool least;
	const char *format;
	double scale;
};

static const struct row always[] = {
	{ "short", "alike", "short", false, ANY },
	{ "short, 4:2:1", "alike", "short", true, ANY },
	{ "long", "alike", "long", false, ANY },
	{ "long, 4:2:1", "alike", "long", true, ANY },
	{ "vlong", "alike", "vlong", false, ANY },
	{ "vlong, 4:2:1", "alike", "vlong", true, ANY },
	{ "blit", "alike", "blit", false, ANY },
	{ "blit, 4:2:1", "alike", "blit", true, ANY },
	{ "nop", "alike", "nop", false, ANY },
	{ "nop, 4:2:1", "alike", "nop", true, ANY },
	{ "spinner", "alike", "spinner", false, ANY },
	{ "spinner, 4:2:1", "alike", "spinner", true, ANY },
	{ }
};

static const struct row mixed[] = {
	{ "hybrid", "hybrid", "mixed", false, ANY },
	{ "hybrid, 4:2:1", "hybrid", "mixed", true, ANY },
	{ "hybrid, one vlong", "coarse", "mixed", false, ANY },
	{ "hybrid, one vlong, 4:2:1", "coarse", "mixed", true, ANY },
	{ "bursts beside short", "waking", "short", false, ANY },
	{ "bursts beside vlong", "waking", "vlong", false, ANY },
	{ "hostile beside short", "hostile", "short", false, ANY },
	{ }
};

static const struct row hybrids[] = {
	{ "2", "hybrid", "mixed", false, 2 },
	{ "3", "hybrid", "mixed", false, 3 },
	{ "4", "hybrid", "mixed", false, 4 },
	{ "5", "hybrid", "mixed", false, 5 },
	{ "6", "hybrid", "mixed", false, 6 },
	{ "15", "hybrid", "mixed", false, 15 },
	{ "32", "hybrid", "mixed", false, 32 },
	{ }
};

static const struct row wakings[] = {
	{ "beside 1 long", "waking", "long", false, 2 },
	{ "beside 4 long", "waking", "long", false, 5 },
	{ "beside 14 long", "waking", "long", false, 15 },
	{ "beside 31 long", "waking", "long", false, 32 },
	{ "beside 1 vlong", "waking", "vlong", false, 2 },
	{ "beside 4 vlong", "waking", "vlong", false, 5 },
	{ "beside 14 vlong", "waking", "vlong", false, 15 },
	{ "beside 31 vlong", "waking", "vlong", false, 32 },
	{ }
};

static const struct row hostiles[] = {
	{ "of 2", "hostile", "short", false, 2 },
	{ "of 3", "hostile", "short", false, 3 },
	{ "of 5", "hostile", "short", false, 5 },
	{ "of 15", "hostile", "short", false, 15 },
	{ "of 32", "hostile", "short", false, 32 },
	{ }
};

static const struct row idles[] = {
	{ "alone", "idle", "long", false, 1 },
	{ "beside one that is idle", "idle", "long", false, 2 },
	{ "beside 14 that are idle", "idle", "long", false, 15 },
	{ }
};

static const struct row losses[] = {
	{ "2 long", "alike", "long", false, 2 },
	{ "15 long", "alike", "long", false, 15 },
	{ "15 short", "alike", "short", false, 15 },
	{ "15 vlong", "alike", "vlong", false, 15 },
	{ "hybrid", "hybrid", "mixed", false, ANY },
	{ "hybrid, one vlong", "coarse", "mixed", false, ANY },
	{ "hostile beside short", "hostile", "short", false, ANY },
	{ }
};

#define FIGURE(name) offsetof(struct figures, name)

static const struct table tables[] = {
	{ "lambda, the worst of 2 to 15 and 32 vGPUs",
	  { always, mixed }, FIGURE(lambda), false, "%.4f", 1 },
	{ "min-max ratio, the worst of 2 to 15 and 32 vGPUs",
	  { always, mixed }, FIGURE(minmax), true, "%.4f", 1 },
	{ "lambda by number of vGPUs, hybrid",
	  { hybrids, NULL }, FIGURE(lambda), false, "%.4f", 1 },
	{ "how far one is from its share at any time, the worst of 2 to 15 and 32 vGPUs, ms",
	  { always, NULL }, FIGURE(lag_ms), false, "%.1f", 1 },
	{ "a quantum, and the longest that one did not yield, the least of the same, ms",
	  { always, NULL }, FIGURE(bound_ms), true, "%.1f", 1 },
	{ "N of the bound Q + N of fair, Q a quantum: the worst of the same, ms",
	  { always, NULL }, FIGURE(others_ms), false, "%.1f", 1 },
	{ "the largest lag of fair, % of its bound Q + N at that moment",
	  { always, NULL }, FIGURE(used), false, "%.1f", 100 },
	{ "the longest that one with bursts waits when it wakes, ms",
	  { wakings, NULL }, FIGURE(wait_ms), false, "%.1f", 1 },
	{ "what one has that does not yield, % of the time, by number of vGPUs",
	  { hostiles, NULL }, FIGURE(hostile), false, "%.1f", 100 },
	{ "the longest that one with bursts waits beside it, ms",
	  { hostiles + 1, NULL }, FIGURE(wait_ms), false, "%.1f", 1 },
	{ "what a busy one has, % of the time",
	  { idles, NULL }, FIGURE(first), true, "%.2f", 100 },
	{ "what switches take, % of the time",
	  { losses, NULL }, FIGURE(switches), false, "%.2f", 100 },
	{ "the engine is idle although a vGPU has work, % of the time",
	  { losses, NULL }, FIGURE(unused), false, "%.2f", 100 },
};

static bool is_about(const struct row *row, const struct run *r)
{
	const struct setup *s = &r->setup;

	return !strcmp(row->set, s->set) && !strcmp(row->load, s->load) &&
	       row->weighted == s->weighted && (row->vgpus == ANY || row->vgpus == s->vgpus);
}

static double worst(const struct table *t, const struct row *row, u32 contender)
{
	double value = NAN;
	u32 i;

	for (i = 0; i < nr_runs; i++) {
		const double *figure =
			(const double *)((const char *)&runs[i].figures + t->figure);

		if (runs[i].contender == contender && is_about(row, &runs[i]))
			value = t->least ? fmin(value, *figure) : fmax(value, *figure);
	}
	return value;
}

static void print_row(const struct table *t, const struct row *row)
{
	u32 i;

	printf("| %s", row->label);
	for (i = 0; i < ARRAY_SIZE(contenders); i++) {
		double value = worst(t, row, i);

		printf(" | ");
		if (isnan(value))
			printf("-");
		else
			printf(t->format, t->scale * value);
	}
	printf(" |\n");
}

static void print_table(const struct table *t)
{
	const struct row *row;
	u32 i;

	printf("\n%s\n\n|", t->title);
	for (i = 0; i < ARRAY_SIZE(contenders); i++)
		printf(" | %s", contenders[i].name);
	printf(" |\n|---");
	for (i = 0; i < ARRAY_SIZE(contenders); i++)
		printf("|---");
	printf("|\n");
	for (i = 0; i < ARRAY_SIZE(t->rows); i++)
		for (row = t->rows[i]; row && row->label; row++)
			print_row(t, row);
}

int main(int argc, char **argv)
{
	u32 i;

	tsv = argc > 1 && !strcmp(argv[1], "--tsv");
	runs = calloc(MOST_RUNS, sizeof(*runs));
	if (!runs)
		return 1;
	if (tsv)
		print_header();
	run_all();
	for (i = 0; !tsv && i < ARRAY_SIZE(tables); i++)
		print_table(&tables[i]);
	return 0;
}
