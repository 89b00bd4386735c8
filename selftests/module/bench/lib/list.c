// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "list.h"
#include "tap.h"

void list_split(struct list *list, char *text)
{
	char *word, *rest;

	list->count = 0;
	for (word = strtok_r(text, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
		if (list->count == LIST_MAX)
			tap_die("too many words");
		list->words[list->count++] = word;
	}
}

void list_options_set(const struct list_option *options, u32 count, char letter, char *text)
{
	u32 i;

	for (i = 0; i < count; i++)
		if (options[i].letter == letter)
			list_split(options[i].list, text);
}

void list_options_default(const struct list_option *options, u32 count)
{
	u32 i;

	for (i = 0; i < count; i++)
		list_split(options[i].list, strdup(options[i].all));
}

bool list_has(const struct list *list, const char *word)
{
	u32 i;

	for (i = 0; i < list->count; i++)
		if (!strcmp(list->words[i], word))
			return true;
	return false;
}
