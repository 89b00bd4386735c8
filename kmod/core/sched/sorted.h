/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Clients sorted by a key. Keys are times of one kind or another, which may wrap: of two of them,
 * less than 2^63 apart, one is before the other. Clients with the same key are in the order in
 * which they were inserted.
 *
 * It is an array, as there are few clients: a search takes O(log n), and an insertion or a removal
 * moves a kilobyte at most.
 */
#ifndef _GSLOT_CORE_SORTED_H
#define _GSLOT_CORE_SORTED_H

#include "core/limits.h"
#include "core/types.h"

struct gslot_policy_client;

/**
 * struct gslot_sorted - clients sorted by a key
 * @count: number of clients
 * @entry: the clients, the first one first
 */
struct gslot_sorted {
	u32 count;
	struct gslot_sorted_entry {
		u64 key;
		struct gslot_policy_client *client;
	} entry[GSLOT_POLICY_CLIENTS];
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
 * gslot_sorted_first() - the client with the first key
 * @s: clients
 *
 * Return: its entry; NULL if there is none.
 */
static inline const struct gslot_sorted_entry *gslot_sorted_first(const struct gslot_sorted *s)
{
	return s->count ? &s->entry[0] : NULL;
}

void gslot_sorted_insert(struct gslot_sorted *s, struct gslot_policy_client *c, u64 key);
void gslot_sorted_remove(struct gslot_sorted *s, const struct gslot_policy_client *c, u64 key);

#endif
