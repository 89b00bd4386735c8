// SPDX-License-Identifier: GPL-2.0
/*
 * Comparing the guest's tables with what was seen last, and taking over what
 * changed. A page is copied before it is looked at, so the guest cannot change
 * it in between. What the guest's entries lead to cannot hurt: a level is one
 * less than its parent's, so loops end; a page that is no table costs its
 * guest garbage and nobody else anything.
 */
#include <linux/err.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "ppgtt_priv.h"
#include "core/gtt/words.h"
#include "gm/guestmem.h"
#include "hw/hw.h"

#define LEAF_BITS	(GEN_PTE_PRESENT | GEN_PTE_RW | GEN_PTE_CACHE_BITS)
#define DIR_BITS	(GEN_PTE_PRESENT | GEN_PTE_RW | GEN_PTE_PWT | GEN_PTE_PCD)

static u64 entry_gfn(u64 entry)
{
	return (entry & GEN_PTE_ADDR) >> GEN_PAGE_SHIFT;
}

static void set_leaf(struct ppgtt *ppgtt, struct ppgtt_table *table, u32 i,
		     struct gslot_guest_page *page)
{
	struct gslot_guest_page *old = table->target[i];
	u64 entry = ppgtt->snapshot[i];
	u64 bits = entry & LEAF_BITS;
	u64 dma;

	if (page) {
		dma = page->dma;
	} else {
		dma = ppgtt->scratch_dma;
		ppgtt->invalid++;
	}
	ppgtt_write_entry(ppgtt, table, i, dma | bits);
	ppgtt_set_target(ppgtt, table, i, page);
	table->seen[i] = entry;
	if (old)
		ppgtt_discard_page(ppgtt, old);
}

/* How many changed entries from @i on map pages @step apart: in a row, or the same one. */
static u32 run_length(const struct ppgtt *ppgtt, const struct ppgtt_table *table, u32 i, u32 step)
{
	const u64 *entry = ppgtt->snapshot;
	u32 n;

	for (n = 1; i + n < GEN_PTES_PER_PAGE; n++)
		if (entry[i + n] == table->seen[i + n] || !(entry[i + n] & GEN_PTE_PRESENT) ||
		    entry[i + n] & GEN_PTE_LOCAL ||
		    entry_gfn(entry[i + n]) != entry_gfn(entry[i]) + n * step)
			break;
	return n;
}

/* Some of a run are no memory: find out which. */
static int get_each(struct ppgtt *ppgtt, u64 gfn, u32 n)
{
	int ret = 0;
	u32 k;

	for (k = 0; k < n && !ret; k++) {
		ret = gslot_guestmem_get_range(ppgtt->mem, gfn + k, 1, &ppgtt->run[k]);
		if (ret == -EFAULT) {
			ppgtt->run[k] = NULL;
			ret = 0;
		}
	}
	if (!ret)
		return 0;
	for (k--; k-- > 0;)
		if (ppgtt->run[k])
			gslot_guestmem_put(ppgtt->mem, ppgtt->run[k]);
	return ret;
}

static int get_row(struct ppgtt *ppgtt, u64 gfn, u32 n)
{
	int ret = gslot_guestmem_get_range(ppgtt->mem, gfn, n, ppgtt->run);

	return ret == -EFAULT ? get_each(ppgtt, gfn, n) : ret;
}

/* A guest's driver has what it does not map lead to one page. */
static int get_same(struct ppgtt *ppgtt, u64 gfn, u32 n)
{
	int ret = get_row(ppgtt, gfn, 1);
	u32 k;

	if (ret)
		return ret;
	for (k = 1; k < n; k++)
		ppgtt->run[k] = ppgtt->run[0];
	if (ppgtt->run[0])
		gslot_guestmem_get_more(ppgtt->run[0], n - 1);
	return 0;
}

/*
 * What is no memory is known to be none until the guest writes the entry anew, or
 * its memory is changed. If there is no room to pin, all entries from here on are
 * left as they are: nobody runs on them, and each further try would be in vain.
 *
 * Return: how many entries, or -errno.
 */
static int map_run(struct ppgtt *ppgtt, struct ppgtt_table *table, u32 i)
{
	u64 gfn = entry_gfn(ppgtt->snapshot[i]);
	u32 same = run_length(ppgtt, table, i, 0);
	u32 n = same > 1 ? same : run_length(ppgtt, table, i, 1);
	int ret;
	u32 k;

	ret = same > 1 ? get_same(ppgtt, gfn, n) : get_row(ppgtt, gfn, n);
	if (ret)
		return ret;
	for (k = 0; k < n; k++)
		set_leaf(ppgtt, table, i + k, ppgtt->run[k]);
	return n;
}

static int update_leaves(struct ppgtt *ppgtt, struct ppgtt_table *table)
{
	u32 i = 0;
	int n;

	while (i < GEN_PTES_PER_PAGE) {
		u64 entry = ppgtt->snapshot[i];

		if (entry == table->seen[i]) {
			i++;
		} else if (!(entry & GEN_PTE_PRESENT)) {
			ppgtt_clear_entry(ppgtt, table, i);
			table->seen[i++] = entry;
		} else if (entry & GEN_PTE_LOCAL) {
			set_leaf(ppgtt, table, i++, NULL);
		} else {
			n = map_run(ppgtt, table, i);
			if (n < 0)
				return n;
			i += n;
		}
	}
	return 0;
}

/* A directory entry that leads to a table: no huge pages, they are not offered. */
static bool leads_to_table(u32 level, u64 entry)
{
	if (!(entry & GEN_PTE_PRESENT))
		return false;
	if (level == 1)
		return !(entry & (GEN_PDE_2M | GEN_PDE_64K));
	return level != 2 || !(entry & GEN_PDPE_1G);
}

static int set_dir(struct ppgtt *ppgtt, struct ppgtt_table *table, u32 i, u64 entry)
{
	struct ppgtt_table *child, *old = table->target[i];

	child = ppgtt_table_get(ppgtt, entry_gfn(entry), table->level - 1);
	if (IS_ERR(child) && child != ERR_PTR(-EFAULT))
		return PTR_ERR(child);
	if (IS_ERR(child)) {
		ppgtt->invalid++;
		ppgtt_clear_entry(ppgtt, table, i);
	} else {
		ppgtt_write_entry(ppgtt, table, i, child->dma | (entry & DIR_BITS));
		ppgtt_set_target(ppgtt, table, i, child);
		if (old)
			ppgtt_table_put(ppgtt, old);
	}
	table->seen[i] = entry;
	return 0;
}

static int update_dirs(struct ppgtt *ppgtt, struct ppgtt_table *table)
{
	u32 i;
	int ret;

	for (i = 0; i < GEN_PTES_PER_PAGE; i++) {
		u64 entry = ppgtt->snapshot[i];

		if (entry == table->seen[i])
			continue;
		if (leads_to_table(table->level, entry)) {
			ret = set_dir(ppgtt, table, i, entry);
			if (ret)
				return ret;
			continue;
		}
		if (entry & GEN_PTE_PRESENT)
			ppgtt->invalid++;
		ppgtt_clear_entry(ppgtt, table, i);
		table->seen[i] = entry;
	}
	return 0;
}

/* Return: whether the guest's table differs; then it is in the snapshot. */
static bool compare(struct ppgtt *ppgtt, struct ppgtt_table *table)
{
	const void *guest = gslot_guest_page_map_read(table->guest);
	bool differs = gslot_words_differ(guest, table->seen, GEN_PTES_PER_PAGE);

	if (differs)
		memcpy(ppgtt->snapshot, guest, GEN_PAGE_SIZE);
	gslot_guest_page_unmap(guest);
	ppgtt->compared++;
	ppgtt->updated += differs;
	return differs;
}

/*
 * A table that hundreds of entries in a row lead to, as a driver's scratch table, is
 * looked at once. One that is up to date already was met by another way.
 */
static int sync_table(struct ppgtt *ppgtt, struct ppgtt_table *table)
{
	int ret = 0;
	u32 i;

	if (table->generation == ppgtt->generation || !table->guest)
		return 0;
	if (gslot_vgpu_lock_contended(ppgtt->lock))
		return -EINTR;
	cond_resched();
	if (compare(ppgtt, table))
		ret = table->level ? update_dirs(ppgtt, table) : update_leaves(ppgtt, table);
	if (ret)
		return ret;
	for_each_set_bit(i, table->steps, GEN_PTES_PER_PAGE) {
		ret = sync_table(ppgtt, table->target[i]);
		if (ret)
			return ret;
	}
	table->generation = ppgtt->generation;
	return 0;
}

/**
 * ppgtt_next_generation() - a new submission: what was compared must be compared again
 * @ppgtt: the tables
 *
 * Context: lock held.
 */
void ppgtt_next_generation(struct ppgtt *ppgtt)
{
	lockdep_assert_held(ppgtt->lock);
	ppgtt->generation++;
}

/**
 * ppgtt_sync() - bring all tables below a root up to what the guest wrote
 * @ppgtt: the tables
 * @root: the root, in use
 *
 * It may be repeated, and goes on where it was if that is in the same generation.
 *
 * Return: 0; -ENOMEM or -EDQUOT for want of memory or room; or -EINTR if
 * somebody waits for the lock.
 * Context: lock held; may sleep.
 */
int ppgtt_sync(struct ppgtt *ppgtt, struct ppgtt_table *root)
{
	int ret;

	lockdep_assert_held(ppgtt->lock);
	ret = sync_table(ppgtt, root);
	ppgtt_reap(ppgtt);
	ppgtt_flush_garbage(ppgtt);
	return ret;
}
