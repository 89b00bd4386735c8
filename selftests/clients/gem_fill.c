// SPDX-License-Identifier: GPL-2.0
/*
 * gem_fill - rewrite memory by the blitter, all the time
 *
 * Prints a line after each round.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include <gen/cmds.h>

#include "batch.h"

#define OBJECT_MB	((int)BATCH_FILL_MB)
#define MAX_OBJECTS	16
#define BATCH_SIZE	4096

static const char usage[] =
"Usage: gem_fill [options]\n"
"\n"
"Fills memory with the blitter of an i915 GPU, again and again until it is\n"
"killed, and prints \"drew N\" after round N.\n"
"\n"
"  --mb=N          how much, a multiple of 16 up to 256 (default: 48)\n"
"  --device=NODE   device node (default: i915's first render node)\n"
"  --help          print this\n";

static int fill(struct batch *batch, struct gem_bo *bo, uint32_t color)
{
	int ret = batch_reset(batch);

	if (ret)
		return ret;
	batch_fill_object(batch, bo, color);
	return batch_run(batch, 0, I915_EXEC_BLT);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "mb", required_argument, NULL, 'm' },
		{ "device", required_argument, NULL, 'd' },
		{ "help", no_argument, NULL, 'h' },
		{ }
	};
	struct gem_bo bo[MAX_OBJECTS];
	const char *device = NULL;
	int opt, fd, i, mb = 48;
	struct batch batch;
	uint32_t round;

	while ((opt = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (opt) {
		case 'm':
			mb = atoi(optarg);
			break;
		case 'd':
			device = optarg;
			break;
		case 'h':
			fputs(usage, stdout);
			return 0;
		default:
			fputs(usage, stderr);
			return 2;
		}
	}
	if (optind != argc || mb <= 0 || mb % OBJECT_MB || mb > MAX_OBJECTS * OBJECT_MB) {
		fputs(usage, stderr);
		return 2;
	}
	fd = gem_open(device);
	gem_check("no i915 GPU", fd < 0 ? fd : 0);
	gem_check("a batch", batch_init(&batch, fd, BATCH_SIZE));
	for (i = 0; i < mb / OBJECT_MB; i++)
		gem_check("an object", gem_bo_create(&bo[i], fd, OBJECT_MB * MB));
	for (round = 1;; round++) {
		for (i = 0; i < mb / OBJECT_MB; i++)
			gem_check("a fill", fill(&batch, &bo[i], round));
		printf("drew %u\n", round);
		fflush(stdout);
	}
}
