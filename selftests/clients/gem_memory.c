// SPDX-License-Identifier: GPL-2.0
/*
 * gem_memory - draw into many address spaces, one after the other, and check them
 *
 * Each address space is a context with objects of its own. They are used one after the other, as
 * programs in the background are: what the blitter drew in one round is checked in the next one.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <gen/cmds.h>

#include "batch.h"

#define OBJECT_MB	BATCH_FILL_MB
#define MAX_MB		16384u
/* Bytes; more than the commands for an object have */
#define BATCH_PER_OBJECT	64u
#define PIXELS_PER_PAGE	(GEM_PAGE_SIZE / sizeof(uint32_t))

static const char usage[] =
"Usage: gem_memory [options]\n"
"\n"
"Fills objects in many address spaces of an i915 GPU with the blitter, one\n"
"address space after the other, and checks with the processor that pages have\n"
"what was drawn last. Prints a line after each round.\n"
"\n"
"  --spaces=N      how many address spaces (default: 4)\n"
"  --mb=N          size of each, a multiple of 16 (default: 64); in all\n"
"                  up to 16384\n"
"  --rounds=N      how often each is drawn and checked (default: 2)\n"
"  --every=N       check one page in N, another one in each round (default: 1)\n"
"  --seed=N        for the colors, modulo 256 (default: 1)\n"
"  --device=NODE   device node (default: i915's first render node)\n"
"  --help          print this\n";

/**
 * struct space - an address space, and what was drawn there
 * @ctx: the context that has it
 * @bo: its objects
 * @first: the color of its first object; the others' follow
 * @drawn: something was drawn
 */
struct space {
	uint32_t ctx;
	struct gem_bo *bo;
	uint32_t first;
	bool drawn;
};

static uint32_t nr_objects;

static void space_init(struct space *s, int fd)
{
	uint32_t i;

	gem_check("a context", gem_context_create(fd, &s->ctx));
	s->bo = calloc(nr_objects, sizeof(*s->bo));
	gem_check("memory", s->bo ? 0 : -ENOMEM);
	for (i = 0; i < nr_objects; i++)
		gem_check("an object", gem_bo_create(&s->bo[i], fd, OBJECT_MB * MB));
}

/* Colors differ between objects, address spaces, rounds and seeds. */
static void space_draw(struct space *s, struct batch *batch, uint32_t first)
{
	uint32_t i;

	gem_check("a batch", batch_reset(batch));
	for (i = 0; i < nr_objects; i++)
		batch_fill_object(batch, &s->bo[i], first + i);
	gem_check("a fill", batch_run(batch, s->ctx, I915_EXEC_BLT));
	s->first = first;
	s->drawn = true;
}

/* Return: how many of the pages from @first on, one in @every, do not have the color. */
static uint32_t object_wrong(struct gem_bo *bo, uint32_t color, uint32_t first, uint32_t every)
{
	uint32_t wrong = 0, i;

	gem_check("a mapping", gem_bo_map(bo));
	gem_check("the processor's turn", gem_bo_to_cpu(bo, false));
	for (i = first; i < bo->size / GEM_PAGE_SIZE; i += every) {
		const uint32_t *page = (uint32_t *)bo->map + i * PIXELS_PER_PAGE;

		wrong += page[(color + i) % PIXELS_PER_PAGE] != color;
	}
	return wrong;
}

/* Return: how many pages of an address space are wrong. */
static uint32_t space_wrong(struct space *s, uint32_t first, uint32_t every)
{
	uint32_t wrong = 0, i;

	for (i = 0; s->drawn && i < nr_objects; i++)
		wrong += object_wrong(&s->bo[i], s->first + i, first, every);
	return wrong;
}

/**
 * struct options - what to do
 * @device: node; NULL: the first one
 * @spaces: how many address spaces
 * @mb: size of each
 * @rounds: how often each is drawn
 * @every: one page in this many is checked in a round
 * @seed: of the colors
 */
struct options {
	const char *device;
	uint32_t spaces;
	uint32_t mb;
	uint32_t rounds;
	uint32_t every;
	uint32_t seed;
};

static bool parse(struct options *o, int argc, char **argv)
{
	static const struct option options[] = {
		{ "spaces", required_argument, NULL, 's' },
		{ "mb", required_argument, NULL, 'm' },
		{ "rounds", required_argument, NULL, 'r' },
		{ "every", required_argument, NULL, 'e' },
		{ "seed", required_argument, NULL, 'S' },
		{ "device", required_argument, NULL, 'd' },
		{ "help", no_argument, NULL, 'h' },
		{ }
	};
	uint32_t *const numbers[] = {
		['s'] = &o->spaces, ['m'] = &o->mb, ['r'] = &o->rounds, ['e'] = &o->every,
		['S'] = &o->seed,
	};
	int opt;

	while ((opt = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (opt) {
		case 'd':
			o->device = optarg;
			break;
		case 'h':
			fputs(usage, stdout);
			exit(0);
		case '?':
			return false;
		default:
			*numbers[opt] = strtoul(optarg, NULL, 0);
		}
	}
	return optind == argc && o->spaces && o->rounds && o->every && o->mb &&
	       o->mb % OBJECT_MB == 0 && o->mb <= MAX_MB && o->spaces <= MAX_MB / o->mb;
}

int main(int argc, char **argv)
{
	struct options o = { .spaces = 4, .mb = 64, .rounds = 2, .every = 1, .seed = 1 };
	uint32_t round, i, color, wrong = 0;
	struct space *spaces;
	struct batch batch;
	uint32_t bytes;
	int fd;

	if (!parse(&o, argc, argv)) {
		fputs(usage, stderr);
		return 2;
	}
	nr_objects = o.mb / OBJECT_MB;
	bytes = (nr_objects * BATCH_PER_OBJECT / GEM_PAGE_SIZE + 1) * GEM_PAGE_SIZE;
	color = o.seed << 24;
	fd = gem_open(o.device);
	gem_check("no i915 GPU", fd < 0 ? fd : 0);
	gem_check("a batch", batch_init(&batch, fd, bytes));
	spaces = calloc(o.spaces, sizeof(*spaces));
	gem_check("memory", spaces ? 0 : -ENOMEM);
	for (i = 0; i < o.spaces; i++)
		space_init(&spaces[i], fd);
	/* In the last round nothing is drawn. */
	for (round = 0; round <= o.rounds && !wrong; round++) {
		for (i = 0; i < o.spaces; i++, color += nr_objects) {
			wrong += space_wrong(&spaces[i], round % o.every, o.every);
			if (round < o.rounds)
				space_draw(&spaces[i], &batch, color);
		}
		printf("round %" PRIu32 ": %" PRIu32 " wrong pages\n", round, wrong);
		fflush(stdout);
	}
	return wrong ? 1 : 0;
}
