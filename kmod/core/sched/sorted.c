// SPDX-License-Identifier: GPL-2.0
/*
 * Sorted clients. It is an array, as there are few clients: a search takes O(log n), and an
 * insertion or a removal moves a kilobyte at most.
 */
#include "fair_priv.h"

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

/* Insert a client that is not among @s, which has fewer than GSLOT_MAX_VGPUS. */
void gslot_sorted_insert(struct gslot_sorted *s, struct gslot_policy_client *c, u64 key)
{
	u32 i = sorted_find(s, key, true);

	memmove(&s->entry[i + 1], &s->entry[i], (s->count - i) * sizeof(s->entry[0]));
	s->entry[i].key = key;
	s->entry[i].client = c;
	s->count++;
}

/* Remove a client with this key. */
void gslot_sorted_remove(struct gslot_sorted *s, const struct gslot_policy_client *c, u64 key)
{
	u32 i = sorted_find(s, key, false);

	while (s->entry[i].client != c)
		i++;
	s->count--;
	memmove(&s->entry[i], &s->entry[i + 1], (s->count - i) * sizeof(s->entry[0]));
}
