/* SPDX-License-Identifier: GPL-2.0 */
/* Options of a benchmark that are lists of words, separated by commas. */
#ifndef _BENCH_LIST_H
#define _BENCH_LIST_H

#include "types.h"

#define LIST_MAX	32

/**
 * struct list - words of an option
 * @words: the words
 * @count: how many
 */
struct list {
	char *words[LIST_MAX];
	u32 count;
};

/**
 * struct list_option - an option that is a list
 * @letter: the option's letter
 * @list: its words
 * @all: its words by default, separated by commas
 */
struct list_option {
	char letter;
	struct list *list;
	const char *all;
};

/* Both keep pointers into @text, and write to it. */
void list_split(struct list *list, char *text);
void list_options_set(const struct list_option *options, u32 count, char letter, char *text);
void list_options_default(const struct list_option *options, u32 count);
bool list_has(const struct list *list, const char *word);

#endif
