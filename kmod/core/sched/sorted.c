// SPDX-License-Identifier: GPL-2.0
#include "sorted.h"

/* The first place with a key not before @key; or with @behind, is behind it. */
static u32 sorted_find(const struct gslot_sorted *s, u64 key, bool behind)
{
	u32 low = 0, high = s->count;

	while (low < high) {
		u32 middle = (low + high) / 2;
		u64 it = s->entry[middle].key;

		if (gslot_before(it, key) || (behind && it == key))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/**
 * gslot_sorted_insert() - insert a client
 * @s: clients; fewer than GSLOT_POLICY_CLIENTS
 * @c: the client; not among them
 * @key: its key
 */
void gslot_sorted_insert(struct gslot_sorted *s, struct gslot_policy_client *c, u64 key)
{
	u32 i = sorted_find(s, key, true);

	memmove(&s->entry[i + 1], &s->entry[i], (s->count - i) * sizeof(s->entry[0]));
	s->entry[i].key = key;
	s->entry[i].client = c;
	s->count++;
}

/**
 * gslot_sorted_remove() - remove a client
 * @s: clients
 * @c: the client; one of them
 * @key: its key
 */
void gslot_sorted_remove(struct gslot_sorted *s, const struct gslot_policy_client *c, u64 key)
{
	u32 i = sorted_find(s, key, false);

	while (s->entry[i].client != c)
		i++;
	s->count--;
	memmove(&s->entry[i], &s->entry[i + 1], (s->count - i) * sizeof(s->entry[0]));
}
