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

/* Pages of low graphics memory that are in the physical aperture together, without a fence. */
#define GSLOT_LINEAR_PAGES	64

/**
 * struct gslot_aperture_range - a part of low graphics memory that may be in the physical aperture
 * @pool: its place there, if it has one
 * @ggtt: whose
 * @first: its first entry
 * @count: how many pages; 0 if no page is shown by it
 * @unit: how many of them are loaded at once
 * @loaded: bit mask of the units whose entries are written
 * @fence: the fence that shows it, in the guest's addresses; 0: as it is
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
 * @entry: which entries changed
 * @pte: what the guest wrote
 * @page: the page that the entry names now, or NULL
 * @count: how many changes
 */
struct gslot_ggtt_batch {
	u32 entry[GEN_PTES_PER_PAGE];
	u64 pte[GEN_PTES_PER_PAGE];
	struct gslot_guest_page *page[GEN_PTES_PER_PAGE];
	u32 count;
};

/**
 * struct gslot_ggtt_stats - for debugfs
 * @syncs: synchronisations that had something to look at
 * @tables: tables compared
 * @entries: entries that had changed
 * @bad: entries that named no guest memory
 * @table_faults: page faults in the guest's mapping of the entries
 * @aperture_faults: and in that of the aperture
 * @zaps: mappings taken away
 * @aperture_loads: units of ranges whose entries were written in the physical aperture
 * @aperture_demotions: ranges that left it as somebody needed the room
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
 * @last: number of the synchronisation that last found it written
 * @count: successive times that it was written soon after the last time
 * @calm: while hot: synchronisations that found no change
 */
struct gslot_ggtt_heat {
	u64 last;
	u16 count;
	u16 calm;
};

/**
 * struct gslot_ggtt - a vGPU's private GGTT
 * @space: all that depends on the size of its window; exchanged with all of its locks held
 *	(ggtt_resize.c)
 * @nr_low: entries of low graphics memory
 * @nr_entries: entries of its window, low ones first
 * @nr_tables: pages of entries of its window
 * @tables: those pages; the guest maps and writes them
 * @seen: the entries as they were last synchronised; the vGPU's lock
 * @shown: what they show to CPU and GPU; changed with both locks held
 * @units: what of it is resident where: see @resident
 * @heat: by table; the vGPU's lock
 * @mapped: aperture pages that a fault has mapped; @map_lock
 * @linear: the ranges of all of low graphics memory, piece by piece: as @fenced
 * @cfg: what it was made of
 * @nr_fences: how many it has
 * @resident: what of it is resident; the lock of @cfg.runs, but for what concerns this client
 *	alone
 * @loaded: something was made resident that the GPU may not see yet; the vGPU's lock
 * @batch: scratch for a synchronisation; the vGPU's lock
 * @error: why a synchronisation has to be tried again, or 0; the vGPU's lock
 * @sink: what CPU and GPU find where the guest has nothing: a page of its own
 * @sink_dma: its bus address
 * @map_lock: orders page faults with what takes mappings away. Inside the
 *	vGPU's lock and the mmap lock; pinning is not possible under it.
 * @dirty: tables that the guest may have written; @map_lock
 * @hot: tables that stay mapped and are compared each time; @map_lock
 * @fences: virtual fence registers; changed with the lock of @cfg.aperture and @map_lock held
 * @client: what of it is in the physical aperture; the same
 * @fenced: their ranges; the same, but @loaded of each: @map_lock
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

/* Entry of the window that maps a guest graphics address, or -1. */
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
 * What a physical entry is to have that shows an entry of the window; behind the last one, and
 * where the guest has nothing, it is the sink. The vGPU's lock, or map_lock, or that of
 * @cfg.runs. Without the vGPU's, it may be about to change: then it is written again by
 * gslot_ggtt_update() or gslot_aperture_update(), before the page is let go of.
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

/* The table of the window behind page @page of the 8 MB of entries, or -1. */
static inline int gslot_ggtt_table_of(const struct gslot_ggtt *ggtt, u64 page)
{
	int entry;

	if (page >= GGTT_MAX_TABLES)
		return -1;
	entry = gslot_ggtt_entry_of(ggtt, page * GEN_PTES_PER_PAGE << GEN_PAGE_SHIFT);
	return entry < 0 ? -1 : entry / GEN_PTES_PER_PAGE;
}

static inline void gslot_ggtt_unmap_view(const struct gslot_ggtt *ggtt, enum gslot_view view,
					 u64 offset, u64 size)
{
	const struct gslot_user *user = ggtt->cfg.user;

	user->ops->unmap(user->data, view, offset, size);
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
void gslot_ggtt_collect(struct gslot_ggtt *ggtt, unsigned long *todo);
void gslot_ggtt_touch(struct gslot_ggtt *ggtt, u32 table);
void gslot_ggtt_unmap_tables(struct gslot_ggtt *ggtt);
void gslot_ggtt_unmap_all(struct gslot_ggtt *ggtt, enum gslot_view view);

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
void gslot_ggtt_fences_retry(struct gslot_ggtt *ggtt);
void gslot_ggtt_show_fences(struct gslot_ggtt *ggtt, struct seq_file *m);

#endif
