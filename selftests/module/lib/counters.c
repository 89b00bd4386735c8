// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "counters.h"
#include "file.h"
#include "mdev.h"
#include "tap.h"
#include "vgpu.h"

#define DEBUGFS	"/sys/kernel/debug/gslot"

bool counters_gpu_path(char *path, const char *file)
{
	const char *parent = mdev_parent();

	snprintf(path, MDEV_PATH_MAX, DEBUGFS "/%s/%s", parent ? parent : "none", file);
	return !access(path, F_OK);
}

bool counters_vgpu_path(char *path, const struct vgpu *vgpu, const char *file)
{
	const char *parent = mdev_parent();

	snprintf(path, MDEV_PATH_MAX, DEBUGFS "/%s/%s/%s", parent ? parent : "none",
		 vgpu->uuid, file);
	return !access(path, F_OK);
}

static char marked[4096];

/*
 * The use of the GGTT (the host's part and the vGPUs'), of the aperture, and the number of vGPUs.
 */
static bool read_use(char *buf, size_t size)
{
	static const char *const files[] = { "ggtt", "aperture", "vgpus" };
	char path[MDEV_PATH_MAX];
	size_t i, used = 0;
	int ret;

	for (i = 0; i < ARRAY_SIZE(files); i++) {
		if (!counters_gpu_path(path, files[i]))
			return false;
		ret = file_read(path, buf + used, size - used);
		if (ret <= 0)
			return false;
		used += ret;
		buf[used++] = '\n';
	}
	buf[used - 1] = '\0';
	return true;
}

void counters_mark(void)
{
	if (!read_use(marked, sizeof(marked)))
		marked[0] = '\0';
}

bool counters_as_marked(void)
{
	static char now[4096];

	if (!marked[0])
		return true;
	/* Other threads of the module may still be freeing it. */
	if (wait_for(read_use(now, sizeof(now)) && !strcmp(now, marked), SOON_MS))
		return true;
	tap_diag("graphics memory at first:\n%s", marked);
	tap_diag("now:\n%s", now);
	return false;
}

u64 counters_gpu_number(const char *file, const char *key)
{
	char path[MDEV_PATH_MAX];
	u64 value;

	if (!counters_gpu_path(path, file) || !file_scan_number(path, key, &value))
		tap_die("no %s in %s", key, path);
	return value;
}

/* "key=number" in the line with @name of a file; dies if it is missing. */
static u64 number_in_line(const char *path, const char *name, const char *key)
{
	static char text[65536];
	char word[64], *line = NULL, *at = NULL;

	if (file_read(path, text, sizeof(text)) > 0)
		line = strstr(text, name);
	if (line) {
		line[strcspn(line, "\n")] = '\0';
		snprintf(word, sizeof(word), " %s=", key);
		at = strstr(line, word);
	}
	if (!at)
		tap_die("no %s of %s in %s", key, name, path);
	return strtoull(at + strlen(word), NULL, 0);
}

u64 counters_register(const char *name)
{
	char path[MDEV_PATH_MAX];

	counters_gpu_path(path, "registers");
	return number_in_line(path, name, "value");
}

u64 counters_vgpus_number(const struct vgpu *vgpu, const char *key)
{
	char path[MDEV_PATH_MAX];

	counters_gpu_path(path, "vgpus");
	return number_in_line(path, vgpu->uuid, key);
}

static u64 channel_number(const struct vgpu *vgpu, u32 engine, const char *key)
{
	char path[MDEV_PATH_MAX], name[32];

	if (!counters_vgpu_path(path, vgpu, "exec"))
		return ~0ULL;
	snprintf(name, sizeof(name), "%s_channel:", engine_infos[engine].name);
	return number_in_line(path, name, key);
}

u64 counters_number(const struct vgpu *vgpu, const char *file, const char *key)
{
	char path[MDEV_PATH_MAX];
	u64 value;

	if (!counters_vgpu_path(path, vgpu, file))
		return ~0ULL;
	if (!file_scan_number(path, key, &value))
		tap_die("no %s in %s", key, path);
	return value;
}

u64 counters_pins(const struct vgpu *vgpu)
{
	return counters_number(vgpu, "state", "pinned_pages");
}

u64 counters_idle(const struct vgpu *vgpu)
{
	return counters_number(vgpu, "state", "idle_pages");
}

/* Idle pages may be released between two readings: repeat until they agree. */
u64 counters_used(const struct vgpu *vgpu)
{
	u64 pins, idle = counters_idle(vgpu), last;

	if (idle == ~0ULL)
		return ~0ULL;
	do {
		last = idle;
		pins = counters_pins(vgpu);
		idle = counters_idle(vgpu);
	} while (idle != last);
	return pins - idle;
}

u64 counters_contexts(const struct vgpu *vgpu)
{
	return counters_number(vgpu, "exec", "contexts");
}

u64 counters_memory(const struct vgpu *vgpu, const char *key)
{
	char path[MDEV_PATH_MAX];
	u64 value;

	mdev_device_path(path, vgpu->uuid, "gslot/memory_stat");
	if (!file_scan_number(path, key, &value))
		tap_die("no %s in %s", key, path);
	return value;
}

u64 counters_held(const struct vgpu *vgpu, u32 engine)
{
	return channel_number(vgpu, engine, "held_ns");
}

u64 counters_busy(const struct vgpu *vgpu, u32 engine)
{
	return channel_number(vgpu, engine, "busy_ns");
}

static void show(const char *path)
{
	static char text[65536];
	char *line, *rest;

	if (file_read(path, text, sizeof(text)) < 0)
		return;
	tap_diag("%s:", path);
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		tap_diag("    %s", line);
}

void counters_explain(const struct vgpu *vgpu)
{
	static const char *const gpu_files[] = { "engines", "sched" };
	static const char *const vgpu_files[] = { "state", "exec" };
	static u32 times;
	char path[MDEV_PATH_MAX];
	u32 i;

	if (times++ >= 3)
		return;
	for (i = 0; i < ARRAY_SIZE(gpu_files); i++)
		if (counters_gpu_path(path, gpu_files[i]))
			show(path);
	for (i = 0; i < ARRAY_SIZE(vgpu_files); i++)
		if (counters_vgpu_path(path, vgpu, vgpu_files[i]))
			show(path);
}
