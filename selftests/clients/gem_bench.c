// SPDX-License-Identifier: GPL-2.0
/*
 * gem_bench - measure the cost of submissions
 *
 * Prints a line "name value unit" for each measurement: the median of several
 * rounds, after one that does not count.
 */
#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gen/cmds.h>

#include "batch.h"

#define MAX_ROUNDS	99

/**
 * struct bench - the environment of a measurement
 * @fd: the GPU
 * @count: batches a round
 * @engine: of the measurement
 * @batch: ready to use
 */
struct bench {
	int fd;
	uint32_t count;
	const struct gem_engine *engine;
	struct batch batch;
};

static void nop_batch(struct bench *bench)
{
	gem_check("batch", batch_reset(&bench->batch));
	gem_check("batch", batch_run(&bench->batch, 0, bench->engine->flag));
}

/* Batches queued as fast as the driver accepts them: us a batch. */
static double nop_pipelined(struct bench *bench)
{
	uint64_t start;
	uint32_t i;

	nop_batch(bench);
	start = gem_now_ns();
	for (i = 0; i < bench->count; i++)
		gem_check("nop", batch_resubmit(&bench->batch, 0,
						bench->engine->flag));
	gem_check("wait", batch_wait(&bench->batch));
	return (gem_now_ns() - start) / 1e3 / bench->count;
}

/* Each batch waited for before the next: us a batch. */
static double nop_sync(struct bench *bench)
{
	uint64_t start;
	uint32_t i;

	nop_batch(bench);
	start = gem_now_ns();
	for (i = 0; i < bench->count; i++) {
		gem_check("nop", batch_resubmit(&bench->batch, 0,
						bench->engine->flag));
		gem_check("wait", batch_wait(&bench->batch));
	}
	return (gem_now_ns() - start) / 1e3 / bench->count;
}

static void fill_whole(struct bench *bench, struct gem_bo *bo)
{
	struct surface s = surface_whole(bo);
	struct rect r = { .x2 = s.width, .y2 = s.height };

	gem_check("batch", batch_reset(&bench->batch));
	batch_fill(&bench->batch, &s, &r, 0x00c0ffee,
		   BLT_WRITE_RGB | BLT_WRITE_ALPHA);
	gem_check("fill", batch_run(&bench->batch, 0, bench->engine->flag));
}

/*
 * A new object of 32 MB at a new address: the CPU populates it, then the GPU
 * fills it. @by_gpu says which of the two is timed: ms.
 */
static double touch(struct bench *bench, bool by_gpu)
{
	uint64_t start, pages, end;
	struct gem_bo bo;

	gem_check("object", gem_bo_create(&bo, bench->fd, 32 * MB));
	start = gem_now_ns();
	gem_check("pages", gem_bo_to_cpu(&bo, true));
	pages = gem_now_ns();
	fill_whole(bench, &bo);
	end = gem_now_ns();
	gem_bo_destroy(&bo);
	return (by_gpu ? end - pages : pages - start) / 1e6;
}

static double first_touch(struct bench *bench)
{
	return touch(bench, true);
}

static double populate(struct bench *bench)
{
	return touch(bench, false);
}

/*
 * 16 MB between two objects that the GPU has used before. The client waits for
 * each blit, or queues all and waits for the last: ms a blit.
 */
static double copy_16mb(struct bench *bench, bool queued)
{
	struct surface from, to;
	struct gem_bo src, dst;
	struct rect r = { 0 };
	uint64_t start;
	uint32_t i;

	gem_check("object", gem_bo_create(&src, bench->fd, 16 * MB));
	gem_check("object", gem_bo_create(&dst, bench->fd, 16 * MB));
	fill_whole(bench, &src);
	fill_whole(bench, &dst);

	from = surface_whole(&src);
	to = surface_whole(&dst);
	r.x2 = to.width;
	r.y2 = to.height;
	gem_check("batch", batch_reset(&bench->batch));
	batch_copy(&bench->batch, &to, &r, &from, 0, 0);
	gem_check("copy", batch_run(&bench->batch, 0, bench->engine->flag));

	start = gem_now_ns();
	for (i = 0; i < bench->count; i++) {
		gem_check("copy", batch_resubmit(&bench->batch, 0,
						 bench->engine->flag));
		if (!queued)
			gem_check("wait", batch_wait(&bench->batch));
	}
	gem_check("wait", batch_wait(&bench->batch));
	start = gem_now_ns() - start;
	gem_bo_destroy(&src);
	gem_bo_destroy(&dst);
	return start / 1e6 / bench->count;
}

static double blit(struct bench *bench)
{
	return copy_16mb(bench, false);
}

static double blit_queued(struct bench *bench)
{
	return copy_16mb(bench, true);
}

static const struct measurement {
	const char *name;
	const char *engine;
	double (*run)(struct bench *bench);
	uint32_t count;
	const char *unit;
} measurements[] = {
	{ "nop_rcs_pipelined", "rcs", nop_pipelined, 500, "us" },
	{ "nop_rcs_sync", "rcs", nop_sync, 200, "us" },
	{ "nop_bcs_pipelined", "bcs", nop_pipelined, 500, "us" },
	{ "nop_bcs_sync", "bcs", nop_sync, 200, "us" },
	{ "populate_32mb", "bcs", populate, 1, "ms" },
	{ "first_touch_32mb", "bcs", first_touch, 1, "ms" },
	{ "blit_16mb", "bcs", blit, 4, "ms" },
	{ "blit_16mb_queued", "bcs", blit_queued, 16, "ms" },
};

static const char usage[] =
"Usage: gem_bench [options] [measurement...]\n"
"\n"
"Measures an i915 GPU and prints a line \"name value unit\" a measurement,\n"
"medians of several rounds. Without names everything is measured.\n"
"\n"
"  --device=NODE   device node (default: i915's first render node)\n"
"  --rounds=N      rounds that count, 1 to 99 (default: 5)\n"
"  --count=N       batches a round (default: depends on the measurement)\n"
"  --once          a single round without warming up, for counting events\n"
"  --list          print the names of the measurements\n"
"  --help          print this\n"
"\n"
"Exit status: 0 done, 1 an error of the GPU, 2 wrong usage.\n";

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void measure(const struct measurement *m, int fd, uint32_t count,
		    int rounds, bool once)
{
	struct bench bench = {
		.fd = fd,
		.count = count ? count : m->count,
		.engine = gem_engine(m->engine),
	};
	double value[MAX_ROUNDS];
	int i;

	gem_check("batch", batch_init(&bench.batch, fd, GEM_PAGE_SIZE));
	if (!once)
		m->run(&bench);
	for (i = 0; i < rounds; i++)
		value[i] = m->run(&bench);
	qsort(value, rounds, sizeof(value[0]), compare);
	printf("%s %.2f %s\n", m->name, value[rounds / 2], m->unit);
	fflush(stdout);
	batch_fini(&bench.batch);
}

static bool wanted(const char *name, int nr_names, char **names)
{
	int i;

	for (i = 0; i < nr_names; i++)
		if (!strcmp(name, names[i]))
			return true;
	return !nr_names;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "device", required_argument, NULL, 'd' },
		{ "rounds", required_argument, NULL, 'r' },
		{ "count", required_argument, NULL, 'c' },
		{ "once", no_argument, NULL, 'o' },
		{ "list", no_argument, NULL, 'l' },
		{ "help", no_argument, NULL, 'h' },
		{ }
	};
	const char *device = NULL;
	int opt, fd, rounds = 5;
	uint32_t count = 0;
	bool once = false;
	size_t i;

	while ((opt = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (opt) {
		case 'd':
			device = optarg;
			break;
		case 'r':
			rounds = atoi(optarg);
			break;
		case 'c':
			count = strtoul(optarg, NULL, 0);
			break;
		case 'o':
			once = true;
			break;
		case 'l':
			for (i = 0; i < ARRAY_SIZE(measurements); i++)
				puts(measurements[i].name);
			return 0;
		case 'h':
			fputs(usage, stdout);
			return 0;
		default:
			fputs(usage, stderr);
			return 2;
		}
	}
	if (rounds < 1 || rounds > MAX_ROUNDS) {
		fputs(usage, stderr);
		return 2;
	}

	fd = gem_open(device);
	gem_check("no i915 GPU", fd < 0 ? fd : 0);
	for (i = 0; i < ARRAY_SIZE(measurements); i++)
		if (wanted(measurements[i].name, argc - optind, argv + optind))
			measure(&measurements[i], fd, count,
				once ? 1 : rounds, once);
	return 0;
}
