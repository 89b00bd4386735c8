/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shadow page tables of one vGPU.
 *
 * A shadow table stands for one guest page that the guest uses as a table of one level. All entries
 * that name this page share the shadow. It keeps a copy of the page as it was when it was last
 * compared, and references to what its entries name. At each submission, all tables that the
 * context can reach are compared with the guest's, but for those that are tracked
 * (gm/guestmem_track.c): the guest has not written to these.
 */
#ifndef _GSLOT_EXEC_PPGTT_PRIV_H
#define _GSLOT_EXEC_PPGTT_PRIV_H

#include <linux/bitmap.h>
#include <linux/jiffies.h>
#include <linux/list.h>
#include <linux/types.h>
#include <linux/xarray.h>

#include "exec.h"
#include "core/mem/reclaim.h"
#include "gen/gtt.h"

#define PPGTT_ROOT_LEVEL	(GEN_PPGTT_LEVELS - 1)
#define PPGTT_MAX_GARBAGE	512
/* Memory of a shadow table: the copy, the entries, and the references. */
#define PPGTT_TABLE_BYTES	(3 * GEN_PAGE_SIZE)

/* The shadow of one table. */
struct ppgtt_table {
	u64 gfn;		/* the guest's page */
	u32 level;		/* 0 for a page table .. 3 for a PML4, which is a root */
	u32 refs;		/* entries that name it; a root has one more */
	u32 generation;		/* that of the last complete comparison */
	u8 same;		/* how many comparisons in a row have found no difference */
	u64 quiet;		/* while &ppgtt.writes is this, nothing here or below has changed */
	struct gslot_guest_page *guest;	/* NULL once it is gone */
	u64 *seen;		/* the guest's page when it was last compared */
	u64 *entries;		/* the table that the GPU walks */
	dma_addr_t dma;		/* bus address of @entries */

	/* By entry: a struct gslot_guest_page at level 0, else a struct ppgtt_table; or NULL. */
	void **target;

	/*
	 * Of a directory: entries that name another table than the entry before them. Drivers let
	 * all unused entries name the same table.
	 */
	DECLARE_BITMAP(steps, GEN_PTES_PER_PAGE);
	struct list_head link;	/* in one of the lists of struct ppgtt */
	u32 users;		/* contexts in flight that have this root */
	u64 since;		/* since when it has users, ms */
	bool ran;		/* a request of them was queued */
	struct gslot_reclaim_use use;	/* when this root had users, and ran */
	bool whole;		/* all tables of this root are there, but for those dropped since */
	u64 dropped;		/* pages that were dropped from this root while @whole */
	bool kept;		/* ppgtt_drop_some() does not drop this root */
	bool destroyed;		/* the guest has destroyed this root, or its memory is gone */
	bool log_older;		/* see ppgtt_log.c; so has the next one */
	u32 log_round;
};

#define PPGTT_DROPPED_ROOTS	64

/* A root without chunks that was dropped to free memory */
struct ppgtt_dropped_root {
	u64 gfn;	/* the guest's page of its PML4 */
	u64 pages;	/* how many pages its chunks named; 0: the entry is free */
};

/* All shadow tables of one vGPU. The lock of @cfg protects them. */
struct ppgtt {
	const struct gslot_exec_config *cfg;
	struct gslot_client *client;	/* its TLBs are invalidated; NULL: nothing can run */
	struct xarray tables;		/* struct ppgtt_table by page and level */
	struct list_head roots;		/* the PML4s, least recently used first */
	u32 count;			/* tables without the dead: 12 KB each, for up to 2 MB */
	u32 generation;			/* number of the current comparison */
	u64 cleared;			/* entries that were cleared, whatever the guest has */
	u64 writes;			/* a new value after each change of a tracked table */
	u64 *snapshot;			/* copy of the guest's table that is being processed */
	struct gslot_guest_page **run;	/* pages of a run of entries */
	struct page *scratch;		/* behind entries that name no guest memory */
	dma_addr_t scratch_dma;
	bool stale;			/* the TLBs may hold an entry that was replaced */
	struct gslot_guest_page **garbage;	/* pages that the TLBs may still name */
	u32 garbage_count;
	struct list_head dying;		/* without references, but their own are not dropped yet */
	struct list_head dead;		/* without targets, but the GPU may still walk them */
	struct ppgtt_dropped_root dropped_root[PPGTT_DROPPED_ROOTS];	/* the last ones */
	u32 next_dropped_root;		/* where the next one is noted, modulo their number */

	/* Read without the lock, to tell whether a root may be idle for long */
	u64 oldest_ms;			/* no idle root was last used before; U64_MAX: none */
	u64 longest_gap_ms;		/* no root has a longer gap_ms; U64_MAX: not known */

	bool logging;			/* there is a dirty log */
	u32 log_round;			/* number of the last report; not 0 once there was one */

	u64 compared;			/* comparisons of a table */
	u64 updated;			/* those that found a difference */
	u64 invalid;			/* entries that named no guest memory */
};

static inline u64 ppgtt_now_ms(void)
{
	return jiffies64_to_msecs(get_jiffies_64());
}

/* ppgtt.c */
int ppgtt_init(struct ppgtt *ppgtt, const struct gslot_exec_config *cfg);
void ppgtt_fini(struct ppgtt *ppgtt);
struct ppgtt_table *ppgtt_root_get(struct ppgtt *ppgtt, u64 gfn);
void ppgtt_root_ran(struct ppgtt *ppgtt, struct ppgtt_table *root);
void ppgtt_root_put(struct ppgtt *ppgtt, struct ppgtt_table *root);
void ppgtt_root_keep(struct ppgtt *ppgtt, u64 gfn, bool keep);
void ppgtt_root_destroyed(struct ppgtt *ppgtt, u64 gfn);
void ppgtt_drop_range(struct ppgtt *ppgtt, u64 gfn, u64 count);
void ppgtt_reap(struct ppgtt *ppgtt);

/* ppgtt_drop.c */
bool ppgtt_drop_one_root(struct ppgtt *ppgtt);
bool ppgtt_may_drop(const struct ppgtt *ppgtt, u32 idle_ms);
bool ppgtt_drop_some(struct ppgtt *ppgtt, const struct gslot_exec_trim *trim);
u64 ppgtt_dropped_pages(const struct ppgtt *ppgtt);
u64 ppgtt_take_dropped(struct ppgtt *ppgtt, u64 gfn, u64 count);
void ppgtt_forget_dropped(struct ppgtt *ppgtt, u64 gfn, u64 count);
bool ppgtt_drop_roots(struct ppgtt *ppgtt);

/* ppgtt_sync.c */
void ppgtt_next_generation(struct ppgtt *ppgtt);
int ppgtt_sync(struct ppgtt *ppgtt, struct ppgtt_table *root);
int ppgtt_read(struct ppgtt_table *root, u64 addr, void *to, u32 bytes);

/* ppgtt_log.c */
void ppgtt_log_next_round(struct ppgtt *ppgtt);
int ppgtt_log_collect(struct ppgtt *ppgtt, unsigned long *key);
void ppgtt_log_reached(struct ppgtt *ppgtt, struct ppgtt_table *table);

/* ppgtt.c, for ppgtt_drop.c only */
void ppgtt_reap_one(struct ppgtt *ppgtt);
void ppgtt_drop_root(struct ppgtt *ppgtt, struct ppgtt_table *root);

/* ppgtt.c, for ppgtt_sync.c and ppgtt_drop.c only */
struct ppgtt_table *ppgtt_table_get(struct ppgtt *ppgtt, u64 gfn, u32 level);
void ppgtt_set_entry(struct ppgtt *ppgtt, struct ppgtt_table *table, u32 index, u64 entry,
		     void *target, u64 seen);
void ppgtt_clear_entry(struct ppgtt *ppgtt, struct ppgtt_table *table, u32 index);
void ppgtt_flush_garbage(struct ppgtt *ppgtt);

#endif
