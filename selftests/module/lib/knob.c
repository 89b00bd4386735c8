// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>

#include "file.h"
#include "knob.h"
#include "mdev.h"
#include "tap.h"

static void knob_path(char *path, const char *uuid, const char *knob)
{
	char name[32];

	snprintf(name, sizeof(name), "gslot/%s", knob);
	mdev_device_path(path, uuid, name);
}

int knob_write(const char *uuid, const char *knob, const char *text)
{
	char path[MDEV_PATH_MAX];

	knob_path(path, uuid, knob);
	return file_write(path, text);
}

int knob_set(const char *uuid, const char *knob, u32 value)
{
	char text[16];

	snprintf(text, sizeof(text), "%u\n", value);
	return knob_write(uuid, knob, text);
}

void knob_must_set(const char *uuid, const char *knob, u32 value)
{
	int ret = knob_set(uuid, knob, value);

	if (ret)
		tap_die("%s %u: %d", knob, value, ret);
}

long knob_get(const char *uuid, const char *knob)
{
	char path[MDEV_PATH_MAX];

	knob_path(path, uuid, knob);
	return file_read_number(path);
}
