// SPDX-License-Identifier: GPL-2.0
/*
 * A copy of the guest's PTEs, for a migration: what of them was sent while the guest still ran. It
 * is by graphics address, so it does not depend on the present size of the window.
 */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "ggtt_priv.h"
#include "base/account.h"

#define TABLE_SIZE	((u64)GEN_PTES_PER_PAGE << GEN_PAGE_SHIFT)

/* Copy a table of graphics addresses; one that the guest does not have is all zeros. */
static void copy_table(struct gslot_ggtt *ggtt, u32 table, u64 *to)
{
	const u64 *ptes;
	int of_window;
	u32 i;

	mutex_lock(&ggtt->map_lock);
	of_window = gslot_ggtt_table_of(ggtt, table);
	ptes = of_window < 0 ? NULL : page_address(ggtt->tables[of_window]);
	/* The guest may write them meanwhile. */
	for (i = 0; i < GEN_PTES_PER_PAGE; i++)
		to[i] = ptes ? READ_ONCE(ptes[i]) : 0;
	mutex_unlock(&ggtt->map_lock);
}

static bool copy_is_zero(const u64 *ptes)
{
	return !memchr_inv(ptes, 0, GEN_PTES_PER_PAGE * sizeof(*ptes));
}

/* A page of it is used if any of its PTEs is not 0. Return: 0 or -ENOMEM. */
static int copy_all(struct gslot_ggtt *ggtt, const struct gslot_window *window,
		    struct gslot_ggtt_copy *copy)
{
	u64 *spare = NULL;
	u32 table;

	for (table = 0; table < GGTT_MAX_TABLES; table++) {
		if (!gslot_window_has(window, table * TABLE_SIZE, TABLE_SIZE))
			continue;
		if (!spare)
			spare = (void *)__get_free_page(GSLOT_GFP_GUEST);
		if (!spare)
			return -ENOMEM;
		copy_table(ggtt, table, spare);
		if (!copy_is_zero(spare)) {
			copy->tables[table] = spare;
			spare = NULL;
		}
		cond_resched();
	}
	free_page((unsigned long)spare);
	return 0;
}

/**
 * gslot_ggtt_copy_create() - copy a private GGTT's PTEs
 * @ggtt: the private GGTT; its guest may run
 * @window: the graphics memory to copy the PTEs of; where there is none now, they are 0
 *
 * Each PTE is as of some moment during the call. The copy takes as much memory as the PTEs at most.
 *
 * Return: the copy, or NULL if there is no memory.
 * Context: may sleep, without the vGPU's locks.
 */
struct gslot_ggtt_copy *gslot_ggtt_copy_create(struct gslot_ggtt *ggtt,
					       const struct gslot_window *window)
{
	struct gslot_ggtt_copy *copy = kvzalloc(sizeof(*copy), GSLOT_GFP_GUEST);

	if (!copy || !copy_all(ggtt, window, copy))
		return copy;
	gslot_ggtt_copy_destroy(copy);
	return NULL;
}

/**
 * gslot_ggtt_copy_destroy() - undo gslot_ggtt_copy_create()
 * @copy: the copy, or NULL
 *
 * Context: may sleep.
 */
void gslot_ggtt_copy_destroy(struct gslot_ggtt_copy *copy)
{
	u32 i;

	if (!copy)
		return;
	for (i = 0; i < GGTT_MAX_TABLES; i++)
		free_page((unsigned long)copy->tables[i]);
	kvfree(copy);
}

/**
 * gslot_ggtt_copy_save() - save PTEs of a copy
 * @copy: the copy
 * @page: in: how many graphics pages were saved; out: and are now
 * @runs: out: runs of those that are not 0
 * @room: the largest number of runs
 *
 * Return: number of runs; 0: all are saved.
 * Context: may sleep.
 */
u32 gslot_ggtt_copy_save(const struct gslot_ggtt_copy *copy, u32 *page,
			 struct gslot_mig_run *runs, u32 room)
{
	u32 count = 0;
	bool more = true;

	/* No run is of both low and high graphics memory. */
	while (more && *page < GEN_GGTT_ENTRIES && !(count && *page == GGTT_LOW_PAGES)) {
		u32 table = *page / GEN_PTES_PER_PAGE, i = *page % GEN_PTES_PER_PAGE;

		if (copy->tables[table])
			more = gslot_ggtt_save_table(copy->tables[table], NULL, table, &i, runs,
						     &count, room);
		else
			i = GEN_PTES_PER_PAGE;
		*page = table * GEN_PTES_PER_PAGE + i;
		cond_resched();
	}
	return count;
}
