/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Clients in the order of a key. Keys are times, of one kind or another, that may wrap: of two of
 * them, less than 2^63 apart, one is before the other. Who has the same key comes in the order in
 * which it was put in.
 *
 * An array, as there are few: what is looked for is found in O(log n), and what is behind it moves
 * by a place, which for the most that there may be is a kilobyte.
 */
#ifndef _GSLOT_CORE_SORTED_H
#define _GSLOT_CORE_SORTED_H

#include "core/types.h"

#define GSLOT_SORTED_MAX	80

struct gslot_policy_client;

/**
 * struct gslot_sorted - clients in the order of a key
 * @count: how many they are
 * @entry: they, the first one first
 */
struct gslot_sorted {
	u32 count;
	struct gslot_sorted_entry {
		u64 key;
		struct gslot_policy_client *client;
	} entry[GSLOT_SORTED_MAX];
};

/**
 * gslot_before() - is one time before another?
 * @a: one
 * @b: the other, less than 2^63 away
 *
 * Return: true if so.
 */
static inline bool gslot_before(u64 a, u64 b)
{
	return (s64)(a - b) < 0;
}

/**
 * gslot_sorted_first() - who comes first?
 * @s: clients
 *
 * Return: that one and its key; NULL if there is none.
 */
static inline const struct gslot_sorted_entry *gslot_sorted_first(const struct gslot_sorted *s)
{
	return s->count ? &s->entry[0] : NULL;
}

/**
 * gslot_sorted_last() - who comes last?
 * @s: clients
 *
 * Return: that one and its key; NULL if there is none.
 */
static inline const struct gslot_sorted_entry *gslot_sorted_last(const struct gslot_sorted *s)
{
	return s->count ? &s->entry[s->count - 1] : NULL;
}

void gslot_sorted_insert(struct gslot_sorted *s, struct gslot_policy_client *c, u64 key);
void gslot_sorted_remove(struct gslot_sorted *s, const struct gslot_policy_client *c, u64 key);

#endif
