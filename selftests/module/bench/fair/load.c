// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "load.h"
#include "tap.h"

/* As those of selftests/sim/fair, but for vlong, which is 1.9 quanta here, too. */
static const struct load loads[] = {
	{ "short", KIND_WORK, RCS, 2, 2, 20, 2, 0, 0 },
	{ "long", KIND_WORK, RCS, 80, 80, 1, 2, 0, 0 },
	{ "vlong", KIND_SOLID, RCS, 38, 38, 1, 2, 0, 0 },
	{ "blit", KIND_BLIT, BCS, 0, 0, 4, 2, 0, 0 },
	{ "nop", KIND_WORK, RCS, 0, 0, 30, 2, 0, 0 },
	{ "spinner", KIND_SPIN, RCS, 0, 0, 1, 1, 0, 0 },
	{ "bursts", KIND_WORK, RCS, 10, 200, 1, 1, 1000, 20000 },
	{ "idle", KIND_NONE, RCS, 0, 0, 0, 0, 0, 0 },
	{ "hostile", KIND_HOG, RCS, 0, 0, 1, 1, 0, 0 },
	{ }
};

const struct load *load_find(const char *name)
{
	const struct load *load;

	for (load = loads; load->name; load++)
		if (!strcmp(load->name, name))
			return load;
	tap_die("no such load: %s", name);
}
