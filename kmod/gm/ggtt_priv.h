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

/* A part of low graphics memory that may be in the physical aperture. */
struct gslot_aperture_range {
	struct gslot_pool_range pool;	/* its place there, if it has one */
	struct gslot_ggtt *ggtt;	/* the private GGTT that it belongs to */
	u32 first;	/* its first entry */
	u32 count;	/* number of pages; 0 for a fence without effect */
	u32 unit;	/* pages of a unit, which is loaded at once */
	u64 loaded;	/* bit mask of the units that have their physical entries written */
	u64 fence;	/* the fence that covers it, with the guest's addresses; 0: linear */
};

/* The changes of one table. */
struct gslot_ggtt_batch {
	u32 entry[GEN_PTES_PER_PAGE];	/* the entries that changed, in ascending order */
	u64 pte[GEN_PTES_PER_PAGE];	/* the guest's PTEs */
	/* the pages that they name, or NULL; after the exchange, the old pages */
	struct gslot_guest_page *page[GEN_PTES_PER_PAGE];
	u32 count;
};

/* Counters for debugfs. */
struct gslot_ggtt_stats {
	u64 syncs;		/* syncs that had a table to compare */
	u64 tables;		/* tables compared */
	u64 entries;		/* entries that had changed */
	u64 bad;		/* entries that name a page which could not be pinned */
	u64 table_faults;	/* page faults in the guest's mapping of the PTEs */
	u64 aperture_faults;	/* page faults in the guest's mapping of the aperture */
	u64 removals;		/* removals of the guest's mappings */
	u64 aperture_loads;	/* how often the physical entries of a unit were written */
	/* ranges that lost their place in the physical aperture to others */
	u64 aperture_demotions;
};

/* How often a table was written of late. */
struct gslot_ggtt_heat {
	u64 last;	/* number of the sync that last found it dirty */
	u16 count;	/* times in a row that it was dirty again within HOT_WINDOW syncs */
	u16 calm;	/* while hot: syncs in a row that found no change */
};

/* A vGPU's private GGTT. */
struct gslot_ggtt {
	/* What depends on the size of the window: exchanged with all locks held (ggtt_resize.c). */
	struct_group_tagged(gslot_ggtt_space,
			    space,
		u32 nr_low;		/* entries of low graphics memory */
		u32 nr_entries;		/* entries of the window, low ones first */
		u32 nr_tables;		/* tables of the window: pages of PTEs */
		struct page **tables;	/* the guest's PTEs; the guest maps and writes them */
		u64 *seen;		/* the PTEs as of the last sync; the vGPU's lock */
		/*
		 * the shadow GGTT: the pinned page of each entry, which CPU and GPU reach by it,
		 * or NULL. Changed with the vGPU's lock and @map_lock held, so either is enough
		 * to read it
		 */
		struct gslot_guest_page **shown;
		struct gslot_unit *units;	/* the residency of its units: see @resident */
		struct gslot_ggtt_heat *heat;	/* by table; the vGPU's lock */
		unsigned long *mapped;	/* aperture pages that a fault has mapped; @map_lock */
		/* aperture pages that the guest's CPU may have written: ggtt_log.c; @map_lock */
		unsigned long *written;
		/* the ranges that all of low graphics memory is cut into: as @fenced */
		struct gslot_aperture_range *linear;
	);
	struct gslot_ggtt_config cfg;
	/* the lock of @cfg.runs, but for the members that concern this client alone */
	struct gslot_resident resident;
	bool loaded;		/* physical entries were written without a flush; the vGPU's lock */
	bool logging;		/* @written is kept, for the dirty log; @map_lock */
	struct gslot_ggtt_batch *batch;		/* scratch for a sync; the vGPU's lock */
	/* Tables that the present sync has yet to compare; the vGPU's lock */
	DECLARE_BITMAP(unsynced, GGTT_MAX_TABLES);
	/* The sync goes on with this table, at this entry of it; the vGPU's lock */
	u32 next_table;
	u32 next_entry;
	int error;		/* why the sync has to be repeated, or 0; the vGPU's lock */
	struct page *sink;	/* the page behind entries without a page: each vGPU has its own */
	dma_addr_t sink_dma;	/* its bus address */
	/*
	 * serialises page faults and removals of mappings. Inside the vGPU's lock and the mmap
	 * lock, so nothing can be pinned under it; see gpu.c
	 */
	struct mutex map_lock;
	DECLARE_BITMAP(dirty, GGTT_MAX_TABLES);	/* the guest may have written them; @map_lock */
	DECLARE_BITMAP(hot, GGTT_MAX_TABLES);	/* compared in each sync; @map_lock */
	/* The next three change with the lock of @cfg.aperture and @map_lock held. */
	u64 fences[GEN_NR_FENCES];		/* virtual fence registers */
	struct gslot_pool_client client;	/* its part of the physical aperture */
	/* the ranges of the fences; @loaded of each: @map_lock alone */
	struct gslot_aperture_range fenced[GEN_NR_FENCES];
	/* syncs, tables, entries, bad: the vGPU's lock; the rest: @map_lock */
	struct gslot_ggtt_stats stats;
};

/* A copy of PTEs */
struct gslot_ggtt_copy {
	/* Those of each table of graphics addresses, one page each; NULL: they are 0 */
	u64 *tables[GGTT_MAX_TABLES];
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

/* The graphics page of an entry of the window. */
static inline u32 gslot_ggtt_page_of(const struct gslot_ggtt *ggtt, u32 entry)
{
	return entry < ggtt->nr_low ? entry : entry - ggtt->nr_low + GGTT_LOW_PAGES;
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

/* ggtt_save.c */
bool gslot_ggtt_save_table(const u64 *ptes, const u64 *was, u32 table, u32 *i,
			   struct gslot_mig_run *runs, u32 *count, u32 room);

/* ggtt_resize.c */
int gslot_ggtt_space_alloc(struct gslot_ggtt_space *space, const struct gslot_window *window);
int gslot_ggtt_space_fill(struct gslot_ggtt_space *space);
void gslot_ggtt_space_free(struct gslot_ggtt_space *space);

/* ggtt_resident.c */
void gslot_ggtt_join(struct gslot_ggtt *ggtt);
void gslot_ggtt_leave(struct gslot_ggtt *ggtt);
void gslot_ggtt_update(struct gslot_ggtt *ggtt, const u32 *entries, u32 count);
void gslot_ggtt_keep_units(struct gslot_ggtt *ggtt, const struct gslot_units_kept *kept,
			   u32 nr_kept);

/* ggtt_log.c */
void gslot_ggtt_log_note(struct gslot_ggtt *ggtt, u32 page);
void gslot_ggtt_log_written(struct gslot_ggtt *ggtt);

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
