// SPDX-License-Identifier: GPL-2.0
/*
 * gem_test - test a GPU through i915
 *
 * It runs on the bare device and in guests on a vGPU, needs only a stock i915,
 * and prints TAP.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gem_test.h"

/* The blitter copies at most 32767 rows, of 16 KB. */
#define MAX_MEGABYTES	500u

static const struct subtest {
	const char *name;
	const char *engine;
	enum gem_result (*run)(struct env *env);
} subtests[] = {
	{ "params", NULL, test_params },
	{ "store_rcs", "rcs", test_store },
	{ "store_bcs", "bcs", test_store },
	{ "store_vcs", "vcs", test_store },
	{ "store_vecs", "vecs", test_store },
	{ "reloc", NULL, test_reloc },
	{ "gpu_ts", NULL, test_gpu_ts },
	{ "nonpriv", NULL, test_nonpriv },
	{ "fill", NULL, test_fill },
	{ "copy", NULL, test_copy },
	{ "fast_copy", NULL, test_fast_copy },
	{ "gtt_mmap", NULL, test_gtt_mmap },
	{ "fences_y", NULL, test_fences_y },
	{ "fences_x", NULL, test_fences_x },
	{ "fences_none", NULL, test_fences_none },
	{ "fences_turns", NULL, test_fences_turns },
	{ "fences_copy", NULL, test_fences_copy },
	{ "many_objects", NULL, test_many_objects },
	{ "big", NULL, test_big },
	{ "contexts", NULL, test_contexts },
	{ "threads", NULL, test_threads },
	{ "ctx_memory", NULL, test_ctx_memory },
	{ "parallel", NULL, test_parallel },
	{ "timeslice", NULL, test_timeslice },
	{ "isolation", NULL, test_isolation },
	{ "hang_rcs", "rcs", test_hang },
	{ "hang_bcs", "bcs", test_hang },
};

static const char usage[] =
"Usage: gem_test [options] [subtest...]\n"
"\n"
"Checks an i915 GPU through the kernel's own interface and prints TAP.\n"
"Without names all subtests run.\n"
"\n"
"  --device=NODE    device node (default: i915's first render node)\n"
"  --chipset=ID     PCI device id that params must report\n"
"  --seed=N         pattern of isolation and fences (default: 1)\n"
"  --mb=N           memory that isolation fills, in MB (default: 16)\n"
"  --seconds=N      how long it watches that memory (default: 2)\n"
"  --skip=NAME      leave that subtest out; may be repeated\n"
"  --list           print the names of the subtests\n"
"  --help           print this\n"
"\n"
"Exit status: 0 all passed or skipped, 1 failures, 2 wrong usage.\n";

static const struct subtest *find(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(subtests); i++)
		if (!strcmp(subtests[i].name, name))
			return &subtests[i];

	fprintf(stderr, "gem_test: no subtest \"%s\"; see --list\n", name);
	exit(2);
}

static void list(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(subtests); i++)
		puts(subtests[i].name);
}

static uint32_t parse_u32(const char *text)
{
	char *end;
	unsigned long value = strtoul(text, &end, 0);

	if (!*text || *end || value > UINT32_MAX) {
		fprintf(stderr, "gem_test: not a number: %s\n", text);
		exit(2);
	}
	return value;
}

static void parse_options(int argc, char **argv, struct env *env,
			  bool *skipped)
{
	static const struct option options[] = {
		{ "device", required_argument, NULL, 'd' },
		{ "chipset", required_argument, NULL, 'c' },
		{ "seed", required_argument, NULL, 's' },
		{ "mb", required_argument, NULL, 'm' },
		{ "seconds", required_argument, NULL, 't' },
		{ "skip", required_argument, NULL, 'x' },
		{ "list", no_argument, NULL, 'l' },
		{ "help", no_argument, NULL, 'h' },
		{ }
	};
	int opt;

	while ((opt = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (opt) {
		case 'd':
			env->device = optarg;
			break;
		case 'c':
			env->chipset = parse_u32(optarg);
			break;
		case 's':
			env->seed = parse_u32(optarg);
			break;
		case 'm':
			env->megabytes = parse_u32(optarg);
			break;
		case 't':
			env->seconds = parse_u32(optarg);
			break;
		case 'x':
			skipped[find(optarg) - subtests] = true;
			break;
		case 'l':
			list();
			exit(0);
		case 'h':
			fputs(usage, stdout);
			exit(0);
		default:
			fputs(usage, stderr);
			exit(2);
		}
	}

	if (!env->megabytes || env->megabytes > MAX_MEGABYTES) {
		fprintf(stderr, "gem_test: --mb takes 1 to %u\n",
			MAX_MEGABYTES);
		exit(2);
	}
}

/* Selects the subtests to run. */
static void select_subtests(int nr_names, char **names, const bool *skipped,
			    bool *chosen)
{
	size_t i;
	int n;

	for (i = 0; i < ARRAY_SIZE(subtests); i++)
		chosen[i] = !nr_names;
	for (n = 0; n < nr_names; n++)
		chosen[find(names[n]) - subtests] = true;

	for (i = 0; i < ARRAY_SIZE(subtests); i++)
		chosen[i] = chosen[i] && !skipped[i];
}

static void run(const struct subtest *test, struct env *env)
{
	uint64_t start = gem_now_ns();
	enum gem_result result;

	env->engine = test->engine ? gem_engine(test->engine) : NULL;
	env->fd = gem_open(env->device);
	if (env->fd < 0)
		tap_die("no i915 GPU: %s", strerror(-env->fd));

	result = test->run(env);
	close(env->fd);
	tap_diag("%s: %.1f ms", test->name, (gem_now_ns() - start) / 1e6);
	if (result == SKIPPED)
		tap_skip(env->skipped, "%s", test->name);
	else
		tap_ok(result == PASS, "%s", test->name);
}

int main(int argc, char **argv)
{
	struct env env = { .seed = 1, .megabytes = 16, .seconds = 2 };
	bool skipped[ARRAY_SIZE(subtests)] = { false };
	bool chosen[ARRAY_SIZE(subtests)];
	size_t i;

	parse_options(argc, argv, &env, skipped);
	select_subtests(argc - optind, argv + optind, skipped, chosen);
	for (i = 0; i < ARRAY_SIZE(subtests); i++)
		if (chosen[i])
			run(&subtests[i], &env);

	return tap_done();
}
