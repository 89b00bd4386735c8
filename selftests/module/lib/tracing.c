// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file.h"
#include "tap.h"
#include "tracing.h"

#define INSTANCE	TRACEFS "/instances/gslot-test"

static char enable[128];

static void remove_instance(void)
{
	rmdir(INSTANCE);
}

bool tracing_start(const char *event)
{
	bool all = !strcmp(event, "*");

	if (access(TRACEFS "/events/gslot", F_OK))
		return false;
	remove_instance();
	if (mkdir(INSTANCE, 0700))
		tap_die("no instance of tracefs");
	atexit(remove_instance);
	snprintf(enable, sizeof(enable), INSTANCE "/events/gslot/%s%senable", all ? "" : event,
		 all ? "" : "/");
	/*
	 * What counts is the order. If the clocks of two processors differ, the clock "global"
	 * gives their events the same time, and then that of the first processor comes first.
	 */
	if (file_write(INSTANCE "/trace_clock", "counter") || file_write(enable, "1"))
		tap_die("tracefs cannot be set up");
	return true;
}

void tracing_stop(void)
{
	file_write(enable, "0");
}

/* Opening it for writing clears it. */
void tracing_forget(void)
{
	FILE *file = fopen(INSTANCE "/trace", "w");

	if (file)
		fclose(file);
}

void tracing_read(char *buf, size_t size)
{
	if (file_read(INSTANCE "/trace", buf, size) < 0)
		buf[0] = '\0';
}
