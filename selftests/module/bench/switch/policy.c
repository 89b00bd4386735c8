// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file.h"
#include "mdev.h"
#include "policy.h"
#include "tap.h"

#define CHOICE_MAX	128

static const char *const attrs[] = { COPY_POLICY, PLACEMENT };
static char first[ARRAY_SIZE(attrs)][CHOICE_MAX];

static void attr_path(char *path, const char *attr)
{
	const char *parent = mdev_parent();

	snprintf(path, MDEV_PATH_MAX, "/sys/bus/pci/devices/%s/gslot/%s", parent ? parent : "none",
		 attr);
}

/* Its values, the present one in brackets, or the first line of the attribute. */
static bool read_choices(const char *attr, char *text)
{
	char path[MDEV_PATH_MAX];

	attr_path(path, attr);
	return file_read(path, text, CHOICE_MAX) > 0;
}

bool policy_offers(const char *attr, const char *value)
{
	char text[CHOICE_MAX], *word, *rest;

	if (!read_choices(attr, text))
		return false;
	for (word = strtok_r(text, " []", &rest); word; word = strtok_r(NULL, " []", &rest))
		if (!strcmp(word, value))
			return true;
	return false;
}

static void remember(const char *attr, char *was)
{
	char text[CHOICE_MAX], *open, *close;

	if (*was || !read_choices(attr, text))
		return;
	open = strchr(text, '[');
	close = open ? strchr(open, ']') : NULL;
	if (!close)
		tap_die("%s cannot be read: %s", attr, text);
	*close = '\0';
	snprintf(was, CHOICE_MAX, "%s", open + 1);
}

static void write_choice(const char *attr, const char *value)
{
	char path[MDEV_PATH_MAX];
	int ret;

	attr_path(path, attr);
	ret = file_write(path, value);
	if (ret)
		tap_die("%s cannot be %s: %s", attr, value, strerror(-ret));
}

void policy_restore(void)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(attrs); i++)
		if (*first[i])
			write_choice(attrs[i], first[i]);
}

void policy_set(const char *attr, const char *value)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(attrs); i++)
		if (!strcmp(attrs[i], attr))
			remember(attr, first[i]);
	write_choice(attr, value);
}
