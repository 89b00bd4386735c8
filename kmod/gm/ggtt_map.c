// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: the entries that the guest maps
 *
 * The guest's 8 MB of GGTT entries are host memory that it maps and writes
 * without an exit. What it has written is known by page faults: a page that is
 * not mapped has not been written. Any access maps it, writable, and marks it
 * dirty; a read-only mapping would save a comparison now and then, but KVM
 * does not upgrade such a mapping reliably.
 *
 * A synchronisation takes the mappings of the dirty pages away and compares
 * them with what it saw last. To take a mapping away costs the guest a TLB
 * shootdown and another fault, so a page that is written again and again is
 * left mapped for a while and just compared each time: it is hot.
 *
 * Entries outside of the vGPU's window exist, as in hardware, but all of them
 * are one page that nobody looks at.
 */
#include <linux/mm.h>

#include "ggtt_priv.h"
#include "base/compat.h"

/* A table is hot when it was written this often ... */
#define HOT_AFTER	3
/* ... each time at most this many synchronisations after the time before ... */
#define HOT_WINDOW	8
/* ... until this many of them have found it unchanged. */
#define HOT_CALM	64

/* Where the guest maps a table of the window, as an offset in the 8 MB of entries. */
static u64 table_offset(const struct gslot_ggtt *ggtt, u32 table)
{
	u64 page = table;

	if (table >= ggtt->nr_low / GEN_PTES_PER_PAGE)
		page += (GGTT_LOW_PAGES - ggtt->nr_low) / GEN_PTES_PER_PAGE;
	return page << PAGE_SHIFT;
}

static void unmap_table(struct gslot_ggtt *ggtt, u32 table)
{
	gslot_ggtt_unmap_view(ggtt, GSLOT_VIEW_TABLE, table_offset(ggtt, table), PAGE_SIZE);
	ggtt->stats.zaps++;
}

/* A table was found dirty: return true if it is (now) hot. */
static bool heat_up(struct gslot_ggtt *ggtt, u32 table)
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

/**
 * gslot_ggtt_collect() - which tables must be compared
 * @ggtt: the private GGTT
 * @todo: out: bit map of tables
 *
 * A write of the guest after this marks the table dirty again, or hits a hot
 * table, which the next synchronisation compares.
 * Context: the vGPU's lock is held; may sleep.
 */
void gslot_ggtt_collect(struct gslot_ggtt *ggtt, unsigned long *todo)
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
		} else if (heat_up(ggtt, table)) {
			__set_bit(table, ggtt->hot);
			continue;
		}
		unmap_table(ggtt, table);
	}
	bitmap_zero(ggtt->dirty, ggtt->nr_tables);
out_unlock:
	mutex_unlock(&ggtt->map_lock);
}

/**
 * gslot_ggtt_touch() - have a table looked at by the next synchronisation
 * @ggtt: the private GGTT
 * @table: the table
 *
 * Context: may sleep.
 */
void gslot_ggtt_touch(struct gslot_ggtt *ggtt, u32 table)
{
	mutex_lock(&ggtt->map_lock);
	__set_bit(table, ggtt->dirty);
	mutex_unlock(&ggtt->map_lock);
}

/**
 * gslot_ggtt_unmap_all() - take all of the user's mappings of a view away
 * @ggtt: the private GGTT
 * @view: the view
 *
 * Those of the sink, too. What is marked as mapped, dirty or hot stays marked.
 * Context: map_lock held; may sleep.
 */
void gslot_ggtt_unmap_all(struct gslot_ggtt *ggtt, enum gslot_view view)
{
	lockdep_assert_held(&ggtt->map_lock);
	gslot_ggtt_unmap_view(ggtt, view, 0, view == GSLOT_VIEW_TABLE ?
			      GGTT_MAX_TABLES << PAGE_SHIFT : GEN_APERTURE_SIZE);
	ggtt->stats.zaps++;
}

/**
 * gslot_ggtt_unmap_tables() - nothing of the entries is mapped, dirty or hot
 * @ggtt: the private GGTT
 *
 * Context: map_lock held; may sleep.
 */
void gslot_ggtt_unmap_tables(struct gslot_ggtt *ggtt)
{
	lockdep_assert_held(&ggtt->map_lock);
	gslot_ggtt_unmap_all(ggtt, GSLOT_VIEW_TABLE);
	bitmap_zero(ggtt->dirty, GGTT_MAX_TABLES);
	bitmap_zero(ggtt->hot, GGTT_MAX_TABLES);
}

/**
 * gslot_ggtt_table_fault() - the guest touches a page of the entries
 * @ggtt: the private GGTT
 * @vmf: the fault
 * @page: which page of the 8 MB
 *
 * Marking and mapping are one step for gslot_ggtt_collect(): nothing is
 * mapped that is not marked.
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

static void write_entry(u64 *entry, u32 offset, const void *buf, size_t len)
{
	/* A whole entry changes at once. */
	if (len == sizeof(u64))
		WRITE_ONCE(*entry, *(u64 *)buf);
	else
		memcpy((void *)entry + offset, buf, len);
}

/**
 * gslot_ggtt_table_access() - read or write entries without a mapping
 * @ggtt: the private GGTT
 * @offset: offset in the 8 MB
 * @buf: data
 * @len: at most 8, and within 8 aligned bytes
 * @write: direction
 *
 * Outside of the window, writes are dropped and reads are 0.
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
		write_entry(entry, rest, buf, len);
		__set_bit(table, ggtt->dirty);
	} else {
		memcpy(buf, (void *)entry + rest, len);
	}
out_unlock:
	mutex_unlock(&ggtt->map_lock);
}
