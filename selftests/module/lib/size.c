// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <string.h>

#include <gen/pvinfo.h>
#include <gen/regs.h>

#include "file.h"
#include "mdev.h"
#include "size.h"
#include "vgpu.h"

static void attr_path(char *path, const char *uuid, const char *attr, const char *suffix)
{
	char name[32];

	snprintf(name, sizeof(name), "gslot/%s%s", attr, suffix);
	mdev_device_path(path, uuid, name);
}

int size_write(const char *uuid, const char *attr, const char *text)
{
	char path[MDEV_PATH_MAX];

	attr_path(path, uuid, attr, "");
	return file_write(path, text);
}

int size_set(const char *uuid, const char *attr, u32 mb)
{
	char text[16];

	snprintf(text, sizeof(text), "%u\n", mb);
	return size_write(uuid, attr, text);
}

static long get(const char *uuid, const char *attr, const char *suffix)
{
	char path[MDEV_PATH_MAX];

	attr_path(path, uuid, attr, suffix);
	return file_read_number(path);
}

long size_wanted(const char *uuid, const char *attr)
{
	return get(uuid, attr, "");
}

long size_now(const char *uuid, const char *attr)
{
	return get(uuid, attr, "_now");
}

u32 size_seen(struct vgpu *vgpu, const char *attr)
{
	u32 offset = strcmp(attr, LOW_MB) ? PVINFO_O_HIGH_SIZE : PVINFO_O_LOW_SIZE;

	return mmio_read(vgpu, PVINFO_BASE + offset) >> 20;
}

void size_learn(struct vgpu *vgpu)
{
	vgpu->low_size = MB(size_seen(vgpu, LOW_MB));
	vgpu->high_size = MB(size_seen(vgpu, HIGH_MB));
}
