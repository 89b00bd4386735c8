// SPDX-License-Identifier: GPL-2.0
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file.h"
#include "tap.h"
#include "tracing.h"

#define INSTANCE	TRACEFS "/instances/gslot-test"

/* What switches tracing off: a file, and what is written to it */
static char enable[128];
static const char *off = "0";

static void remove_instance(void)
{
	rmdir(INSTANCE);
}

static void make_instance(void)
{
	remove_instance();
	if (mkdir(INSTANCE, 0700))
		tap_die("no instance of tracefs");
	atexit(remove_instance);
}

bool tracing_start(const char *event)
{
	bool all = !strcmp(event, "*");

	if (access(TRACEFS "/events/gslot", F_OK))
		return false;
	make_instance();
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

bool tracing_start_functions(const char *const *patterns, u32 count)
{
	int fd;
	u32 i;

	if (access(TRACEFS "/set_ftrace_filter", F_OK))
		return false;
	make_instance();
	fd = open(INSTANCE "/set_ftrace_filter", O_WRONLY | O_TRUNC);
	/* One pattern in a call. */
	for (i = 0; i < count; i++)
		if (dprintf(fd, "%s ", patterns[i]) < 0)
			tap_die("no function is like %s", patterns[i]);
	close(fd);
	snprintf(enable, sizeof(enable), INSTANCE "/current_tracer");
	off = "nop";
	if (file_write(enable, "function"))
		tap_die("functions cannot be traced");
	return true;
}

void tracing_stop(void)
{
	file_write(enable, off);
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
