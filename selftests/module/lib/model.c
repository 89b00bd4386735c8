// SPDX-License-Identifier: GPL-2.0
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "file.h"
#include "model.h"
#include "tap.h"

#define PORTS	"/sys/class/virtio-ports"
#define PORT	"gslot.qmp"
#define DEVICE	"/machine/peripheral/gpu"
#define MODEL_LOG	"/out/gpu.log"	/* of tools/vm */
#define ANSWER_US	10000000

/* The connection to the test host's own QEMU, which processes use in turn. */
static int open_port(void)
{
	char path[300], name[64];
	struct dirent *entry;
	int fd = -1;
	DIR *dir;

	dir = opendir(PORTS);
	if (!dir)
		return -1;
	while (fd < 0 && (entry = readdir(dir))) {
		snprintf(path, sizeof(path), PORTS "/%s/name", entry->d_name);
		if (entry->d_name[0] == '.' || file_read(path, name, sizeof(name)) < 0 ||
		    strcmp(name, PORT))
			continue;
		snprintf(path, sizeof(path), "/dev/%s", entry->d_name);
		wait_for((fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)) >= 0, 1000);
		break;
	}
	closedir(dir);
	return fd;
}

/*
 * QEMU answers in real time. In counted time, an idle processor skips to the next timer at once, so
 * seconds may pass for a sleeping reader before QEMU answers: spin instead.
 */
static bool read_byte(int fd, char *byte)
{
	u64 end = now_us() + ANSWER_US;

	do {
		if (read(fd, byte, 1) == 1)
			return true;
	} while (now_us() < end);
	return false;
}

/* Read the next line of the answers; false if none arrives. */
static bool read_line(int fd, char *line, size_t size)
{
	size_t len = 0;

	while (len < size - 1) {
		if (!read_byte(fd, line + len))
			return false;
		if (line[len] == '\n')
			break;
		len++;
	}
	line[len] = '\0';
	return true;
}

static bool execute(int fd, const char *command, u64 *value)
{
	static unsigned int serial;
	char text[256], id[64], line[4096];
	const char *found;
	int len;

	snprintf(id, sizeof(id), "\"t%d.%u\"", (int)getpid(), ++serial);
	len = snprintf(text, sizeof(text), "{%s, \"id\": %s}\n", command, id);
	if (write(fd, text, len) != len)
		return false;
	do {
		if (!read_line(fd, line, sizeof(line)))
			return false;
	} while (!strstr(line, id));
	found = strstr(line, "\"return\": ");
	if (found && value)
		*value = strtoull(found + strlen("\"return\": "), NULL, 10);
	return found;
}

static bool read_property(int fd, const char *property, u64 *value)
{
	char text[200];

	snprintf(text, sizeof(text),
		 "\"execute\": \"qom-get\", \"arguments\": {\"path\": \"" DEVICE
		 "\", \"property\": \"%s\"}", property);
	return execute(fd, text, value);
}

static int open_monitor(void)
{
	int fd = open_port();

	/* Refused if another process has done it before: ignore that. */
	if (fd >= 0)
		execute(fd, "\"execute\": \"qmp_capabilities\"", NULL);
	return fd;
}

bool model_get(const char *property, u64 *value)
{
	int fd = open_monitor();
	bool ok = fd >= 0 && read_property(fd, property, value);

	if (fd >= 0)
		close(fd);
	return ok;
}

bool model_set(const char *property, u64 value)
{
	int fd = open_monitor();
	char text[200];
	bool ok;

	if (fd < 0)
		return false;
	snprintf(text, sizeof(text),
		 "\"execute\": \"qom-set\", \"arguments\": {\"path\": \"" DEVICE
		 "\", \"property\": \"%s\", \"value\": %llu}", property,
		 (unsigned long long)value);
	ok = execute(fd, text, NULL);
	close(fd);
	return ok;
}

static void join(char *name, size_t size, const char *first, const char *second)
{
	snprintf(name, size, "%s-%s", first, second);
}

static u64 must_get(const char *name)
{
	u64 value = 0;

	if (!model_get(name, &value))
		tap_die("the model has no %s", name);
	return value;
}

void model_inject(const char *what, const char *engine, u64 value)
{
	char name[64];

	join(name, sizeof(name), what, engine);
	if (!model_set(name, value))
		tap_die("the model rejects %s", name);
}

u64 model_injections(const char *what, const char *engine)
{
	char name[64];

	join(name, sizeof(name), what, engine);
	return must_get(name);
}

u64 model_engine_counter(const char *engine, const char *what)
{
	char name[64];

	join(name, sizeof(name), engine, what);
	return must_get(name);
}

static const char *const stale_counters[] = {
	"rcs0-stale", "bcs0-stale", "vcs0-stale", "vecs0-stale", "aperture-stale",
};

bool model_stale_hits(u64 *hits)
{
	int fd = open_monitor();
	bool ok = fd >= 0;
	u64 value;
	u32 i;

	*hits = 0;
	for (i = 0; ok && i < ARRAY_SIZE(stale_counters); i++) {
		ok = read_property(fd, stale_counters[i], &value);
		*hits += ok ? value : 0;
	}
	if (fd >= 0)
		close(fd);
	return ok;
}

void model_explain_stale(void)
{
	char line[8][160] = { };
	FILE *log = fopen(MODEL_LOG, "r");
	u32 i, n = 0;

	for (i = 0; i < ARRAY_SIZE(stale_counters); i++)
		tap_diag("%s: %llu", stale_counters[i],
			 (unsigned long long)must_get(stale_counters[i]));
	while (log && fgets(line[n % ARRAY_SIZE(line)], sizeof(line[0]), log))
		n += !!strstr(line[n % ARRAY_SIZE(line)], "stale");
	for (i = n > ARRAY_SIZE(line) ? n - ARRAY_SIZE(line) : 0; i < n; i++)
		tap_diag("%s", strtok(line[i % ARRAY_SIZE(line)], "\n"));
	if (log)
		fclose(log);
}
