/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A private GGTT from inside; for kmod/gm only.
 */
#ifndef _GSLOT_GM_GGTT_PRIV_H
#define _GSLOT_GM_GGTT_PRIV_H

#include <linux/bitops.h>
#include <linux/mutex.h>
#include <linux/stddef.h>

#include "ggtt_owner.h"
#include "ggtt_units.h"
#include "gen/gtt.h"

#define GGTT_LOW_PAGES		(GEN_LOW_GM_SIZE >> GEN_PAGE_SHIFT)
#define GGTT_MAX_TABLES		(GEN_GGTT_ENTRIES / GEN_PTES_PER_PAGE)

/* Pages of a linear range: one that is in the physical aperture without a fence. */
#define GSLOT_LINEAR_PAGES	64

/**
 * struct gslot_aperture_range - a part of low graphics memory that may be in the physical aperture
 * @pool: its place there, if it has one
 * @ggtt: the private GGTT that it belongs to
 * @first: its first entry
 * @count: number of pages; 0 for a fence without effect
 * @unit: pages of a unit, which is loaded at once
 * @loaded: bit mask of the units whose physical entries are written
 * @fence: the fence that covers it, with the guest's addresses; 0: linear
 */
struct gslot_aperture_range {
	struct gslot_pool_range pool;
	struct gslot_ggtt *ggtt;
	u32 first;
	u32 count;
	u32 unit;
	u64 loaded;
	u64 fence;
};

/**
 * struct gslot_ggtt_batch - the changes of one table
 * @entry: the entries that changed, in ascending order
 * @pte: the guest's PTEs
 * @page: the pages that they name, or NULL; after the exchange, the old pages
 * @count: number of changes
 */
struct gslot_ggtt_batch {
	u32 entry[GEN_PTES_PER_PAGE];
	u64 pte[GEN_PTES_PER_PAGE];
	struct gslot_guest_page *page[GEN_PTES_PER_PAGE];
	u32 count;
};

/**
 * struct gslot_ggtt_stats - counters for debugfs
 * @syncs: syncs that had a table to compare
 * @tables: tables compared
 * @entries: entries that had changed
 * @bad: entries whose page could not be pinned
 * @table_faults: page faults in the guest's mapping of the PTEs
 * @aperture_faults: page faults in the guest's mapping of the aperture
 * @zaps: removals of the guest's mappings
 * @aperture_loads: units of ranges whose physical entries were written
 * @aperture_demotions: ranges that lost their place in the physical aperture to others
 */
struct gslot_ggtt_stats {
	u64 syncs;
	u64 tables;
	u64 entries;
	u64 bad;
	u64 table_faults;
	u64 aperture_faults;
	u64 zaps;
	u64 aperture_loads;
	u64 aperture_demotions;
};

/**
 * struct gslot_ggtt_heat - how often a table was written of late
 * @last: number of the sync that last found it dirty
 * @count: times in a row that it was dirty again within HOT_WINDOW syncs
 * @calm: while hot: syncs in a row that found no change
 */
struct gslot_ggtt_heat {
	u64 last;
	u16 count;
	u16 calm;
};

/**
 * struct gslot_ggtt - a vGPU's private GGTT
 * @space: all members that depend on the size of the window; exchanged with all of its locks held
 *	(ggtt_resize.c)
 * @nr_low: entries of low graphics memory
 * @nr_entries: entries of the window, low ones first
 * @nr_tables: tables of the window: pages of PTEs
 * @tables: the guest's PTEs; the guest maps and writes them
 * @seen: the PTEs as of the last sync; the vGPU's lock
 * @shown: the shadow GGTT: the pinned page of each entry, which CPU and GPU reach by it, or NULL.
 *	Changed with the vGPU's lock and @map_lock held, so either is enough to read
 * @units: the residency of its units: see @resident
 * @heat: by table; the vGPU's lock
 * @mapped: aperture pages that a fault has mapped; @map_lock
 * @linear: the ranges that all of low graphics memory is cut into: as @fenced
 * @cfg: its parameters
 * @nr_fences: number of fences
 * @resident: its part of the physical GGTT; the lock of @cfg.runs, but for the members that concern
 *	this client alone
 * @loaded: physical entries were written that are not flushed yet; the vGPU's lock
 * @batch: scratch for a sync; the vGPU's lock
 * @error: why the sync has to be repeated, or 0; the vGPU's lock
 * @sink: the page behind entries without a page: each vGPU has its own
 * @sink_dma: its bus address
 * @map_lock: serialises page faults and removals of mappings. Inside the vGPU's lock and the mmap
 *	lock, so nothing can be pinned under it
 * @dirty: tables that the guest may have written; @map_lock
 * @hot: tables that stay mapped and are compared in each sync; @map_lock
 * @fences: virtual fence registers; changed with the lock of @cfg.aperture and @map_lock held
 * @client: its part of the physical aperture; the same
 * @fenced: the ranges of the fences; the same, but @loaded of each: @map_lock
 * @stats: counters; either lock
 */
struct gslot_ggtt {
	struct_group_tagged(gslot_ggtt_space,
			    space,
		u32 nr_low;
		u32 nr_entries;
		u32 nr_tables;
		struct page **tables;
		u64 *seen;
		struct gslot_guest_page **shown;
		struct gslot_unit *units;
		struct gslot_ggtt_heat *heat;
		unsigned long *mapped;
		struct gslot_aperture_range *linear;
	);
	struct gslot_ggtt_config cfg;
	u32 nr_fences;
	struct gslot_resident resident;
	bool loaded;
	struct gslot_ggtt_batch *batch;
	int error;
	struct page *sink;
	dma_addr_t sink_dma;
	struct mutex map_lock;	/* see gpu.c */
	DECLARE_BITMAP(dirty, GGTT_MAX_TABLES);
	DECLARE_BITMAP(hot, GGTT_MAX_TABLES);
	u64 fences[GEN_NR_FENCES];
	struct gslot_pool_client client;
	struct gslot_aperture_range fenced[GEN_NR_FENCES];
	struct gslot_ggtt_stats stats;
};

/* The entry of the window for a guest graphics address, or -1. */
static inline int gslot_ggtt_entry_of(const struct gslot_ggtt *ggtt, u64 addr)
{
	u64 page = addr >> GEN_PAGE_SHIFT;

	if (page < ggtt->nr_low)
		return page;
	if (page >= GGTT_LOW_PAGES && page - GGTT_LOW_PAGES < ggtt->nr_entries - ggtt->nr_low)
		return page - GGTT_LOW_PAGES + ggtt->nr_low;
	return -1;
}

/*
 * The physical PTE for an entry of the window; behind the last one, and where the shadow GGTT has
 * no page, that of the sink. Called with the vGPU's lock, map_lock, or the lock of @cfg.runs.
 * Without the vGPU's lock it may be about to change: then gslot_ggtt_update() or
 * gslot_aperture_update() write it again before the page is unpinned.
 */
static inline u64 gslot_ggtt_pte(const struct gslot_ggtt *ggtt, u32 entry)
{
	const struct gslot_guest_page *page = NULL;

	if (entry < ggtt->nr_entries)
		page = READ_ONCE(ggtt->shown[entry]);
	if (!page)
		return ggtt->sink_dma | GEN_PTE_PRESENT;
	return page->dma | GEN_PTE_PRESENT | (READ_ONCE(ggtt->seen[entry]) & GEN_PTE_CACHE_BITS);
}

/* The table of the window for page @page of the 8 MB of PTEs, or -1. */
static inline int gslot_ggtt_table_of(const struct gslot_ggtt *ggtt, u64 page)
{
	int entry;

	if (page >= GGTT_MAX_TABLES)
		return -1;
	entry = gslot_ggtt_entry_of(ggtt, page * GEN_PTES_PER_PAGE << GEN_PAGE_SHIFT);
	return entry < 0 ? -1 : entry / GEN_PTES_PER_PAGE;
}

static inline void gslot_ggtt_unmap_area(const struct gslot_ggtt *ggtt, enum gslot_map_area area,
					 u64 offset, u64 size)
{
	const struct gslot_gm_user *user = ggtt->cfg.user;

	user->ops->unmap(user->data, area, offset, size);
}

/* ggtt_space.c */
int gslot_ggtt_space_alloc(struct gslot_ggtt_space *space, const struct gslot_window *window);
int gslot_ggtt_space_fill(struct gslot_ggtt_space *space);
void gslot_ggtt_space_free(struct gslot_ggtt_space *space);

/* ggtt_resident.c */
void gslot_ggtt_join(struct gslot_ggtt *ggtt);
void gslot_ggtt_leave(struct gslot_ggtt *ggtt);
void gslot_ggtt_update(struct gslot_ggtt *ggtt, const u32 *entries, u32 count);
void gslot_ggtt_keep_units(struct gslot_ggtt *ggtt, const struct gslot_units_kept *kept,
			   u32 nr_kept);

/* ggtt_map.c */
void gslot_ggtt_collect_dirty(struct gslot_ggtt *ggtt, unsigned long *todo);
void gslot_ggtt_mark_dirty(struct gslot_ggtt *ggtt, u32 table);
void gslot_ggtt_unmap_all(struct gslot_ggtt *ggtt, enum gslot_map_area area);

/* aperture.c */
void gslot_ggtt_unmap_aperture(struct gslot_ggtt *ggtt, u32 first, u32 count);
struct gslot_aperture_range *gslot_aperture_range_of(struct gslot_ggtt *ggtt, u32 page);

/* aperture_pool.c */
void gslot_aperture_join(struct gslot_ggtt *ggtt);
void gslot_aperture_leave(struct gslot_ggtt *ggtt);
void gslot_aperture_range_init(struct gslot_aperture_range *range, struct gslot_ggtt *ggtt,
			       u32 first, u32 count, u64 fence);
void gslot_aperture_remove(struct gslot_aperture_range *range);
void gslot_aperture_linear_init(struct gslot_ggtt *ggtt, struct gslot_ggtt_space *space);
void gslot_aperture_linear_remove(struct gslot_ggtt *ggtt);
bool gslot_aperture_lock(struct gslot_ggtt *ggtt, u32 page, unsigned long *pfn);
void gslot_aperture_update(struct gslot_ggtt *ggtt, const u32 *entries, u32 count);

/* gm_fence.c */
void gslot_ggtt_fences_clear(struct gslot_ggtt *ggtt);
bool gslot_ggtt_fences_fit(const struct gslot_ggtt *ggtt, u32 nr_low);
void gslot_ggtt_fences_reapply(struct gslot_ggtt *ggtt);
void gslot_ggtt_show_fences(struct gslot_ggtt *ggtt, struct seq_file *m);

#endif
