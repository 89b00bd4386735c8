// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "file.h"
#include "mdev.h"
#include "perf.h"
#include "tap.h"

bool perf_path(char *path, const char *file)
{
	static char name[64];
	char *c;

	/* The PMU stays when the GPU is unbound. */
	if (!name[0])
		snprintf(name, sizeof(name), "%s", mdev_parent());
	for (c = name; *c; c++)
		if (*c == ':')
			*c = '_';
	snprintf(path, MDEV_PATH_MAX, "/sys/bus/event_source/devices/gslot_%s/%s", name, file);
	return !access(path, F_OK);
}

/* The bits of an event's field: "config:0-7" */
static bool put(struct perf_event_attr *attr, const char *field, u64 value)
{
	char path[MDEV_PATH_MAX], name[64], text[64], word[16];
	unsigned int first, last;
	__u64 *to;

	snprintf(name, sizeof(name), "format/%s", field);
	perf_path(path, name);
	if (file_read(path, text, sizeof(text)) < 0 ||
	    sscanf(text, "%15[^:]:%u-%u", word, &first, &last) != 3)
		return false;
	to = !strcmp(word, "config1") ? &attr->config1 : &attr->config;
	*to |= value << first;
	return last - first >= 63 || !(value >> (last - first + 1));
}

int perf_open_attr(struct perf_event_attr *attr, int pid, int cpu)
{
	char path[MDEV_PATH_MAX];
	long type;
	int fd;

	perf_path(path, "type");
	type = file_read_number(path);
	if (type < 0)
		return type;
	attr->size = sizeof(*attr);
	attr->type = type;
	fd = syscall(SYS_perf_event_open, attr, pid, cpu, -1, 0);
	return fd < 0 ? -errno : fd;
}

int perf_open(const char *event, u32 vgpu)
{
	char path[MDEV_PATH_MAX], name[64], text[64];
	struct perf_event_attr attr = { };
	u64 code;

	snprintf(name, sizeof(name), "events/%s", event);
	perf_path(path, name);
	if (file_read(path, text, sizeof(text)) < 0 || strncmp(text, "event=", 6))
		return -ENOENT;
	code = strtoull(text + 6, NULL, 0);
	if (!put(&attr, "event", code) || !put(&attr, "vgpu", vgpu))
		return -EINVAL;
	perf_path(path, "cpumask");
	return perf_open_attr(&attr, -1, file_read_number(path));
}

u64 perf_count(int fd)
{
	u64 count;

	if (read(fd, &count, sizeof(count)) != sizeof(count))
		tap_die("an event cannot be read");
	return count;
}
