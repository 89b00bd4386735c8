// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <string.h>

#include "file.h"
#include "gpu.h"
#include "mdev.h"

void gpu_attr_path(char *path, const char *attr)
{
	const char *parent = mdev_parent();

	snprintf(path, MDEV_PATH_MAX, "/sys/bus/pci/devices/%s/gslot/%s",
		 parent ? parent : "none", attr);
}

int gpu_attr_set(const char *attr, const char *text)
{
	char path[MDEV_PATH_MAX];

	gpu_attr_path(path, attr);
	return file_write(path, text);
}

long gpu_attr_number(const char *attr)
{
	char path[MDEV_PATH_MAX];

	gpu_attr_path(path, attr);
	return file_read_number(path);
}

bool gpu_attr_is(const char *attr, const char *name)
{
	char path[MDEV_PATH_MAX], text[256], chosen[64];

	gpu_attr_path(path, attr);
	snprintf(chosen, sizeof(chosen), "[%s]", name);
	return file_read(path, text, sizeof(text)) > 0 && strstr(text, chosen);
}

bool gpu_attr_offers(const char *attr, const char *name)
{
	char path[MDEV_PATH_MAX], text[256], *rest = text, *word;

	gpu_attr_path(path, attr);
	if (file_read(path, text, sizeof(text)) <= 0)
		return false;
	while ((word = strsep(&rest, " []\n")))
		if (!strcmp(word, name))
			return true;
	return false;
}

int gpu_attr_try(const char *attr, const char *name)
{
	return gpu_attr_offers(attr, name) ? gpu_attr_set(attr, name) : 0;
}
