// SPDX-License-Identifier: GPL-2.0
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "counters.h"
#include "file.h"
#include "mdev.h"

#define DRIVER		"/sys/bus/pci/drivers/gslot"
#define PCI_DEVICES	"/sys/bus/pci/devices"
#define MDEV_DEVICES	"/sys/bus/mdev/devices"

/*
 * The driver's own links name its devices. Those in /sys/class/mdev_bus are for compatibility:
 * mdev continues without one if there is no memory for it.
 */
const char *mdev_parent(void)
{
	static __thread char parent[256];
	struct dirent *entry;
	bool found = false;
	DIR *dir;

	dir = opendir(DRIVER);
	if (!dir)
		return NULL;
	while (!found && (entry = readdir(dir))) {
		/* Of a driver's files, only devices are named by a PCI address. */
		found = strchr(entry->d_name, ':');
		if (found)
			snprintf(parent, sizeof(parent), "%s", entry->d_name);
	}
	closedir(dir);
	return found ? parent : NULL;
}

void mdev_type_path(char *path, const char *type, const char *attr)
{
	const char *parent = mdev_parent();

	snprintf(path, MDEV_PATH_MAX, PCI_DEVICES "/%s/mdev_supported_types/%s/%s",
		 parent ? parent : "none", type, attr);
}

void mdev_device_path(char *path, const char *uuid, const char *attr)
{
	snprintf(path, MDEV_PATH_MAX, MDEV_DEVICES "/%s/%s", uuid, attr);
}

void mdev_new_uuid(char *uuid)
{
	u8 b[16];

	if (getrandom(b, sizeof(b), 0) != sizeof(b))
		memset(b, 0x5a, sizeof(b));
	b[6] = (b[6] & 0x0f) | 0x40;
	b[8] = (b[8] & 0x3f) | 0x80;
	snprintf(uuid, MDEV_UUID_SIZE,
		 "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x",
		 b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7],
		 b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]);
}

int mdev_create(const char *type, const char *uuid)
{
	char path[MDEV_PATH_MAX];

	mdev_type_path(path, type, "create");
	return file_write(path, uuid);
}

int mdev_remove(const char *uuid)
{
	char path[MDEV_PATH_MAX];

	mdev_device_path(path, uuid, "remove");
	return file_write(path, "1");
}

long mdev_available(const char *type)
{
	char path[MDEV_PATH_MAX];

	mdev_type_path(path, type, "available_instances");
	return file_read_number(path);
}

void mdev_max_path(char *path)
{
	const char *parent = mdev_parent();

	snprintf(path, MDEV_PATH_MAX, PCI_DEVICES "/%s/gslot/max_vgpus",
		 parent ? parent : "none");
}

long mdev_max(void)
{
	char path[MDEV_PATH_MAX];

	mdev_max_path(path);
	return file_read_number(path);
}

int mdev_set_max(const char *text)
{
	char path[MDEV_PATH_MAX];

	mdev_max_path(path);
	return file_write(path, text);
}

int mdev_restore_max(long max)
{
	char uuid[MDEV_UUID_SIZE], text[32];
	int ret;

	snprintf(text, sizeof(text), "%llu",
		 (unsigned long long)counters_gpu_number("vgpus", "most"));
	ret = mdev_set_max(text);
	if (ret)
		return ret;
	/* While there is a vGPU, the reservation stays. */
	mdev_new_uuid(uuid);
	ret = mdev_create(MDEV_TYPE_SMALL, uuid);
	if (ret)
		return ret;
	snprintf(text, sizeof(text), "%ld", max);
	ret = mdev_set_max(text);
	return mdev_remove(uuid) ?: ret;
}

bool mdev_exists(const char *uuid)
{
	char path[MDEV_PATH_MAX];

	mdev_device_path(path, uuid, "");
	return !access(path, F_OK);
}

/* Is the device of a gslot type? */
static bool is_ours(const char *uuid)
{
	char path[MDEV_PATH_MAX], target[MDEV_PATH_MAX];
	const char *base;
	ssize_t len;

	mdev_device_path(path, uuid, "mdev_type");
	len = readlink(path, target, sizeof(target) - 1);
	if (len < 0)
		return false;
	target[len] = '\0';
	base = strrchr(target, '/');
	return base && !strncmp(base + 1, "gslot-", 6);
}

static unsigned int walk_devices(void (*fn)(const char *uuid))
{
	struct dirent *entry;
	unsigned int count = 0;
	DIR *dir;

	dir = opendir(MDEV_DEVICES);
	if (!dir)
		return 0;
	while ((entry = readdir(dir))) {
		if (entry->d_name[0] == '.' || !is_ours(entry->d_name))
			continue;
		count++;
		if (fn)
			fn(entry->d_name);
	}
	closedir(dir);
	return count;
}

static void remove_one(const char *uuid)
{
	mdev_remove(uuid);
}

void mdev_remove_all(void)
{
	walk_devices(remove_one);
}

unsigned int mdev_count(void)
{
	return walk_devices(NULL);
}
