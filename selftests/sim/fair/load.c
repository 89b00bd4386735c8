// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>

#include "load.h"

/* To the next arbitration point, at most. */
#define ARBITRATION	(100 * US)

const struct load loads[] = {
	{ "short", 200 * US, 200 * US, ARBITRATION, LOAD_DEPTH, 0, 0, 0 },
	{ "long", 8 * MS, 8 * MS, ARBITRATION, LOAD_DEPTH, 0, 0, 0 },
	{ "blit", 1 * MS, 1 * MS, NEVER, LOAD_DEPTH, 0, 0, 0 },
	{ "nop", 20 * US, 20 * US, NEVER, LOAD_DEPTH, 0, 0, 0 },
	{ "spinner", NEVER, NEVER, 0, 1, 0, 0, 0 },
	{ "bursts", 1 * MS, 20 * MS, ARBITRATION, 1, 1 * MS, 20 * MS, 0 },
	{ "canceller", 1 * MS, 1 * MS, ARBITRATION, 1, 1 * MS, 1 * MS, 3 * MS },
	{ "idle", 0, 0, 0, 0, 0, 0, 0 },
	{ "vlong", 30 * MS, 30 * MS, NEVER, LOAD_DEPTH, 0, 0, 0 },
	{ "hostile", NEVER, NEVER, NEVER, 1, 0, 0, 0 },
	{ }
};

const struct load *load_find(const char *name)
{
	const struct load *load;

	for (load = loads; load->name; load++)
		if (!strcmp(load->name, name))
			return load;
	fprintf(stderr, "no such load: %s\n", name);
	exit(2);
}
