// SPDX-License-Identifier: GPL-2.0
/*
 * gem_streams - measure programs that compute on the GPU
 *
 * Prints lines "name value unit": the time of each program, its parts, and the
 * time for which the GPU worked. All lines of a program are of the same round,
 * the one with the median time.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "streams.h"

#define MAX_ROUNDS		99
#define QUICK			8

static const struct {
	const char *name;
	void (*run)(struct stream *s);
} programs[] = {
	{ "mmul", stream_mmul },
	{ "lud", stream_lud },
	{ "nn", stream_nn },
	{ "backprop", stream_backprop },
};

static const char *const parts[] = {
	[PART_POPULATE] = "populate",
	[PART_FIRST] = "first",
	[PART_TRANSFER] = "transfer",
	[PART_KERNEL] = "kernel",
	[PART_CPU] = "cpu",
};

static const char usage[] =
"Usage: gem_streams [options] [program...]\n"
"\n"
"Runs programs shaped as mmul, lud, nn and backprop, all or those named, on the\n"
"GPU model with timed engines, and prints lines \"name value unit\":\n"
"\n"
"  PROGRAM           all of its time, in the round with the median\n"
"  PROGRAM_populate  of that: objects are made and get their pages, and go\n"
"  PROGRAM_first     copies by the GPU that name pages which are new to it\n"
"  PROGRAM_transfer  other copies from and to the GPU\n"
"  PROGRAM_kernel    kernels are built, submitted and waited for\n"
"  PROGRAM_cpu       the program's own work\n"
"  PROGRAM_launch    of \"kernel\": the GPU was not in one\n"
"  PROGRAM_gpu       for how long it was in one, by its own clock\n"
"  PROGRAM_design    and for how long by design\n"
"  PROGRAM_spread    the longest time of all rounds less the shortest\n"
"\n"
"All results are checked. It is for the model: no shader is loaded.\n"
"\n"
"  --device=NODE     device node (default: i915's first render node)\n"
"  --rounds=N        rounds, 1 to 99 (default: 5)\n"
"  --walker-us=N     the model's time for a walker (default: 1000)\n"
"  --quick           an eighth of the sizes and times\n"
"  --help            print this\n"
"\n"
"Exit status: 0 done, 1 an error of the GPU or a wrong result, 2 wrong usage.\n";

static int compare(const void *a, const void *b)
{
	uint64_t x = stream_total_ns(a), y = stream_total_ns(b);

	return (x > y) - (x < y);
}

static void print(const char *name, const char *what, double ns)
{
	printf("%s%s%s %.2f ms\n", name, *what ? "_" : "", what, ns / 1e6);
}

/* @round: sorted by time */
static void report(const char *name, const struct stream *round, int rounds)
{
	const struct stream *s = &round[rounds / 2];
	size_t i;

	print(name, "", stream_total_ns(s));
	for (i = 0; i < ARRAY_SIZE(parts); i++)
		print(name, parts[i], s->part_ns[i]);
	print(name, "launch", (double)s->part_ns[PART_KERNEL] - s->gpu_ns);
	print(name, "gpu", s->gpu_ns);
	print(name, "design", s->design_us * 1e3);
	print(name, "spread", stream_total_ns(&round[rounds - 1]) -
	      stream_total_ns(&round[0]));
	fflush(stdout);
}

static bool wanted(const char *name, char **names)
{
	if (!*names)
		return true;
	for (; *names; names++)
		if (!strcmp(name, *names))
			return true;
	return false;
}

static void run(size_t program, const struct stream *settings, int rounds)
{
	static struct stream round[MAX_ROUNDS];
	int i;

	for (i = 0; i < rounds; i++) {
		round[i] = *settings;
		stream_begin(&round[i]);
		programs[program].run(&round[i]);
		stream_end(&round[i]);
	}
	qsort(round, rounds, sizeof(round[0]), compare);
	report(programs[program].name, round, rounds);
}

static void wrong_usage(void)
{
	fputs(usage, stderr);
	exit(2);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "device", required_argument, NULL, 'd' },
		{ "rounds", required_argument, NULL, 'r' },
		{ "walker-us", required_argument, NULL, 'w' },
		{ "quick", no_argument, NULL, 'q' },
		{ "help", no_argument, NULL, 'h' },
		{ }
	};
	static struct stream settings = { .walker_us = 1000, .shrink = 1 };
	const char *device = NULL;
	int opt, rounds = 5;
	size_t i;

	while ((opt = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (opt) {
		case 'd':
			device = optarg;
			break;
		case 'r':
			rounds = atoi(optarg);
			break;
		case 'w':
			settings.walker_us = atoi(optarg);
			break;
		case 'q':
			settings.shrink = QUICK;
			break;
		case 'h':
			fputs(usage, stdout);
			return 0;
		default:
			wrong_usage();
		}
	}
	if (rounds < 1 || rounds > MAX_ROUNDS || !settings.walker_us)
		wrong_usage();

	settings.fd = gem_open(device);
	gem_check("no i915 GPU", settings.fd < 0 ? settings.fd : 0);
	for (i = 0; i < ARRAY_SIZE(programs); i++)
		if (wanted(programs[i].name, argv + optind))
			run(i, &settings, rounds);
	return 0;
}
