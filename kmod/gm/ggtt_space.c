// SPDX-License-Identifier: GPL-2.0
/*
 * The part of a private GGTT that depends on the size of its window.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "ggtt_priv.h"
#include "base/account.h"

/**
 * gslot_ggtt_host_memory() - host memory that a private GGTT takes
 * @size: its graphics memory, bytes
 *
 * Return: bytes, without some pages that do not depend on @size.
 * Context: any.
 */
u64 gslot_ggtt_host_memory(u64 size)
{
	const struct gslot_ggtt *ggtt;
	u64 entries = size >> GEN_PAGE_SHIFT;

	return entries * (sizeof(u64) + sizeof(*ggtt->seen) + sizeof(*ggtt->shown)) +
	       entries / GSLOT_UNIT_PAGES * sizeof(*ggtt->units);
}

/*
 * Allocate a space, zeroed, without the pages of its tables. Return: 0 or -ENOMEM; either way the
 * caller ends with gslot_ggtt_space_free().
 */
int gslot_ggtt_space_alloc(struct gslot_ggtt_space *space, const struct gslot_window *window)
{
	u32 low = window->low_size >> GEN_PAGE_SHIFT;
	u32 entries = low + (window->high_size >> GEN_PAGE_SHIFT);
	u32 tables = entries / GEN_PTES_PER_PAGE;

	*space = (struct gslot_ggtt_space) {
		.nr_low = low,
		.nr_entries = entries,
		.nr_tables = tables,
		.tables = kvcalloc(tables, sizeof(*space->tables), GSLOT_GFP_GUEST),
		.seen = kvcalloc(entries, sizeof(*space->seen), GSLOT_GFP_GUEST),
		.shown = kvcalloc(entries, sizeof(*space->shown), GSLOT_GFP_GUEST),
		.units = kvcalloc(entries / GSLOT_UNIT_PAGES, sizeof(*space->units),
				  GSLOT_GFP_GUEST),
		.heat = kvcalloc(tables, sizeof(*space->heat), GSLOT_GFP_GUEST),
		.mapped = bitmap_zalloc(low, GSLOT_GFP_GUEST),
		.linear = kvcalloc(low / GSLOT_LINEAR_PAGES, sizeof(*space->linear),
				   GSLOT_GFP_GUEST),
	};
	if (!space->tables || !space->seen || !space->shown || !space->units || !space->heat ||
	    !space->mapped || !space->linear)
		return -ENOMEM;
	return 0;
}

/* Allocate the pages of tables that have none. Return: 0 or -ENOMEM. */
int gslot_ggtt_space_fill(struct gslot_ggtt_space *space)
{
	u32 i;

	for (i = 0; i < space->nr_tables; i++) {
		if (space->tables[i])
			continue;
		space->tables[i] = alloc_page(GSLOT_GFP_GUEST | __GFP_ZERO);
		if (!space->tables[i])
			return -ENOMEM;
	}
	return 0;
}

/* The space is of gslot_ggtt_space_alloc(), or all zero. */
void gslot_ggtt_space_free(struct gslot_ggtt_space *space)
{
	u32 i;

	for (i = 0; space->tables && i < space->nr_tables; i++)
		if (space->tables[i])
			__free_page(space->tables[i]);
	kvfree(space->tables);
	kvfree(space->seen);
	kvfree(space->shown);
	kvfree(space->units);
	kvfree(space->heat);
	bitmap_free(space->mapped);
	kvfree(space->linear);
}
