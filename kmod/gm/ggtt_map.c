// SPDX-License-Identifier: GPL-2.0
/*
 * The guest's 8 MB of PTEs, which it maps and writes without an exit (docs/architecture.md, "GGTT
 * write"). Any access to a table (a page of PTEs) faults, maps it, writable, and marks it dirty. A
 * read-only mapping would save a comparison now and then, but KVM does not upgrade such a mapping
 * reliably.
 *
 * A sync removes the mappings of dirty tables and compares them. To remove one costs the guest a
 * TLB shootdown and another fault, so a table that is written again and again stays mapped for a
 * while and is compared in each sync: it is hot.
 *
 * PTEs outside of the vGPU's window exist, as in hardware, but one page, the sink, is mapped for
 * all of them, and never compared.
 */
#include <linux/mm.h>

#include "ggtt_priv.h"
#include "base/compat_mm.h"

/* A table becomes hot when it was dirty this often, each time within HOT_WINDOW syncs. */
#define HOT_AFTER	3
#define HOT_WINDOW	8
/* It is hot until this many syncs in a row have found it unchanged. */
#define HOT_CALM	64

/* The offset of a table of the window in the 8 MB of PTEs. */
static u64 map_table_offset(const struct gslot_ggtt *ggtt, u32 table)
{
	return gslot_ggtt_page_of(ggtt, table * GEN_PTES_PER_PAGE) * sizeof(u64);
}

static void map_remove_table(struct gslot_ggtt *ggtt, u32 table)
{
	gslot_ggtt_unmap_area(ggtt, GSLOT_MAP_TABLE, map_table_offset(ggtt, table), PAGE_SIZE);
	ggtt->stats.removals++;
}

/* A table is dirty. Return: whether it becomes hot by that. */
static bool map_heat_up(struct gslot_ggtt *ggtt, u32 table)
{
	struct gslot_ggtt_heat *heat = &ggtt->heat[table];
	u64 now = ggtt->stats.syncs;

	if (now - heat->last > HOT_WINDOW)
		heat->count = 0;
	heat->last = now;
	if (++heat->count < HOT_AFTER)
		return false;
	heat->count = 0;
	heat->calm = 0;
	return true;
}

/*
 * Collect the tables that a sync must compare. A later write of the guest marks the table dirty
 * again, or goes to a hot table, which the next sync compares.
 */
void gslot_ggtt_collect_dirty(struct gslot_ggtt *ggtt, unsigned long *todo)
{
	u32 table;

	lockdep_assert_held(&ggtt->cfg.lock->mutex);
	mutex_lock(&ggtt->map_lock);
	bitmap_or(todo, ggtt->dirty, ggtt->hot, ggtt->nr_tables);
	if (bitmap_empty(todo, ggtt->nr_tables))
		goto out_unlock;
	ggtt->stats.syncs++;
	for_each_set_bit(table, todo, ggtt->nr_tables) {
		if (test_bit(table, ggtt->hot)) {
			if (ggtt->heat[table].calm++ < HOT_CALM)
				continue;
			__clear_bit(table, ggtt->hot);
		} else if (map_heat_up(ggtt, table)) {
			__set_bit(table, ggtt->hot);
			continue;
		}
		map_remove_table(ggtt, table);
	}
	bitmap_zero(ggtt->dirty, ggtt->nr_tables);
out_unlock:
	mutex_unlock(&ggtt->map_lock);
}

/* Mark a table dirty, for the next sync to compare. */
void gslot_ggtt_mark_dirty(struct gslot_ggtt *ggtt, u32 table)
{
	mutex_lock(&ggtt->map_lock);
	__set_bit(table, ggtt->dirty);
	mutex_unlock(&ggtt->map_lock);
}

/*
 * Remove all of the user's mappings of a map area, those of the sink as well. Pages that are marked
 * as mapped, dirty or hot stay marked.
 */
void gslot_ggtt_unmap_all(struct gslot_ggtt *ggtt, enum gslot_map_area area)
{
	lockdep_assert_held(&ggtt->map_lock);
	gslot_ggtt_unmap_area(ggtt, area, 0, area == GSLOT_MAP_TABLE ?
			      GGTT_MAX_TABLES << PAGE_SHIFT : GEN_APERTURE_SIZE);
	ggtt->stats.removals++;
}

/**
 * gslot_ggtt_table_fault() - page fault in the guest's mapping of its PTEs
 * @ggtt: the private GGTT
 * @vmf: the fault
 * @page: which page of the 8 MB
 *
 * Marks the table dirty and maps it, in one step for gslot_ggtt_collect_dirty(): each table that
 * is mapped is dirty or hot.
 *
 * Return: VM_FAULT_NOPAGE, or an error of vmf_insert_mixed().
 * Context: as gslot_ggtt_aperture_fault().
 */
vm_fault_t gslot_ggtt_table_fault(struct gslot_ggtt *ggtt, struct vm_fault *vmf,
				  unsigned long page)
{
	struct page *target = ggtt->sink;
	vm_fault_t ret;
	int table;

	mutex_lock(&ggtt->map_lock);
	table = gslot_ggtt_table_of(ggtt, page);
	if (table >= 0) {
		target = ggtt->tables[table];
		__set_bit(table, ggtt->dirty);
	}
	ggtt->stats.table_faults++;
	ret = gslot_insert_mixed(vmf, page_to_pfn(target));
	mutex_unlock(&ggtt->map_lock);
	return ret;
}

static void map_write_pte(u64 *entry, u32 offset, const void *buf, size_t len)
{
	/* A whole PTE changes at once. */
	if (len == sizeof(u64))
		WRITE_ONCE(*entry, *(u64 *)buf);
	else
		memcpy((void *)entry + offset, buf, len);
}

/**
 * gslot_ggtt_table_access() - read or write PTEs without a mapping
 * @ggtt: the private GGTT
 * @offset: in the 8 MB; outside of the window writes are dropped, and reads are 0
 * @buf: data
 * @len: at most 8, and within 8 aligned bytes
 * @write: direction
 *
 * Context: may sleep.
 */
void gslot_ggtt_table_access(struct gslot_ggtt *ggtt, u64 offset, void *buf, size_t len,
			     bool write)
{
	u32 rest = offset % sizeof(u64);
	int table;
	u64 *entry;

	if (!write)
		memset(buf, 0, len);
	mutex_lock(&ggtt->map_lock);
	table = gslot_ggtt_table_of(ggtt, offset >> PAGE_SHIFT);
	if (table < 0)
		goto out_unlock;
	entry = page_address(ggtt->tables[table]) + offset_in_page(offset) - rest;
	if (write) {
		map_write_pte(entry, rest, buf, len);
		__set_bit(table, ggtt->dirty);
	} else {
		memcpy(buf, (void *)entry + rest, len);
	}
out_unlock:
	mutex_unlock(&ggtt->map_lock);
}
