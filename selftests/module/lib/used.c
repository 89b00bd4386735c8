// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine.h"
#include "knob.h"
#include "mdev.h"
#include "perf.h"
#include "tap.h"
#include "used.h"

struct counter {
	char uuid[MDEV_UUID_SIZE];
	char event[32];
	int fd;
};

static struct counter *counters;
static u32 nr_counters;

static int find(const char *uuid, const char *event)
{
	u32 i;

	for (i = 0; i < nr_counters; i++)
		if (!strcmp(counters[i].uuid, uuid) && !strcmp(counters[i].event, event))
			return counters[i].fd;
	return -1;
}

/* It stays open until the program ends. */
static int open_counter(const char *uuid, const char *event)
{
	int fd = perf_open(event, knob_get(uuid, "id"));
	struct counter *c;

	if (fd < 0)
		return fd;
	c = reallocarray(counters, nr_counters + 1, sizeof(*c));
	if (!c)
		tap_die("no memory");
	counters = c;
	c += nr_counters++;
	snprintf(c->uuid, sizeof(c->uuid), "%s", uuid);
	snprintf(c->event, sizeof(c->event), "%s", event);
	c->fd = fd;
	return fd;
}

long used_get(const char *uuid, u32 engine, const char *what)
{
	char event[32];
	int fd;

	snprintf(event, sizeof(event), "%s-%s", engine_infos[engine].name, what);
	fd = find(uuid, event);
	if (fd < 0)
		fd = open_counter(uuid, event);
	return fd < 0 ? fd : (long)perf_count(fd);
}
