/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shadow page tables of one vGPU.
 *
 * A shadow table stands for one guest page that the guest uses as a table of one level. All entries
 * that name this page share the shadow. It keeps a copy of the page as it was when it was last
 * compared, and references to what its entries name. The guest's writes are not tracked: at each
 * submission, all tables that the context can reach are compared with the guest's.
 *
 * "Lock held" means the vGPU's lock.
 */
#ifndef _GSLOT_EXEC_PPGTT_PRIV_H
#define _GSLOT_EXEC_PPGTT_PRIV_H

#include <linux/bitmap.h>
#include <linux/list.h>
#include <linux/types.h>
#include <linux/xarray.h>

#include "exec.h"
#include "gen/gtt.h"

#define PPGTT_ROOT_LEVEL	(GEN_PPGTT_LEVELS - 1)
#define PPGTT_MAX_GARBAGE	512
/* Memory of a shadow table: the copy, the entries, and the references. */
#define PPGTT_TABLE_BYTES	(3 * GEN_PAGE_SIZE)

/**
 * struct ppgtt_table - the shadow of one table
 * @gfn: the guest's page
 * @level: 0 for a page table .. 3 for a PML4, which is a root
 * @refs: entries that name it; a root has one more
 * @generation: that of the last complete comparison
 * @guest: the guest's page; NULL once it is gone
 * @seen: its content when it was last compared
 * @entries: the table that the GPU walks
 * @dma: bus address of @entries
 * @target: by entry: a struct gslot_guest_page at level 0, else a struct ppgtt_table; NULL: none
 * @steps: of a directory, the entries that name another table than the entry before them; drivers
 *	let all unused entries name the same table
 * @link: in one of the lists of struct ppgtt
 * @users: contexts in flight that have this root
 * @destroyed: the guest has destroyed this root, or its memory is gone
 */
struct ppgtt_table {
	u64 gfn;
	u32 level;
	u32 refs;
	u32 generation;
	struct gslot_guest_page *guest;
	u64 *seen;
	u64 *entries;
	dma_addr_t dma;
	void **target;
	DECLARE_BITMAP(steps, GEN_PTES_PER_PAGE);
	struct list_head link;
	u32 users;
	bool destroyed;
};

/**
 * struct ppgtt - all shadow tables of one vGPU
 * @cfg: the layers around them; its lock protects all of this
 * @client: its TLBs are invalidated; NULL: nothing runs on the tables
 * @tables: struct ppgtt_table by page and level
 * @roots: the PML4s, least recently used first
 * @count: number of tables, without the dead; a table costs 12 KB and maps up to 2 MB
 * @generation: number of the current comparison
 * @snapshot: copy of the guest's table that is being processed
 * @run: pages of a run of entries
 * @scratch: page behind entries that name no guest memory
 * @scratch_dma: its bus address
 * @stale: the TLBs may hold an entry that was replaced
 * @garbage: pages that the TLBs may still name
 * @garbage_count: their number
 * @dying: tables without references, whose own references are not dropped yet
 * @dead: tables without targets, which the GPU may still walk
 * @compared: statistics: comparisons of a table
 * @updated: those that found a difference
 * @invalid: entries that named no guest memory
 */
struct ppgtt {
	const struct gslot_exec_config *cfg;
	struct gslot_client *client;
	struct xarray tables;
	struct list_head roots;
	u32 count;
	u32 generation;
	u64 *snapshot;
	struct gslot_guest_page **run;
	struct page *scratch;
	dma_addr_t scratch_dma;
	bool stale;
	struct gslot_guest_page **garbage;
	u32 garbage_count;
	struct list_head dying;
	struct list_head dead;
	u64 compared;
	u64 updated;
	u64 invalid;
};

/* ppgtt.c */
int ppgtt_init(struct ppgtt *ppgtt, const struct gslot_exec_config *cfg);
void ppgtt_fini(struct ppgtt *ppgtt);
struct ppgtt_table *ppgtt_root_get(struct ppgtt *ppgtt, u64 gfn);
void ppgtt_root_put(struct ppgtt *ppgtt, struct ppgtt_table *root);
void ppgtt_root_destroyed(struct ppgtt *ppgtt, u64 gfn);
void ppgtt_drop_range(struct ppgtt *ppgtt, u64 gfn, u64 count);
bool ppgtt_drop_some(struct ppgtt *ppgtt);
void ppgtt_reap(struct ppgtt *ppgtt);

/* ppgtt_sync.c */
void ppgtt_next_generation(struct ppgtt *ppgtt);
int ppgtt_sync(struct ppgtt *ppgtt, struct ppgtt_table *root);
int ppgtt_read(struct ppgtt_table *root, u64 addr, void *to, u32 bytes);

/* ppgtt.c, for ppgtt_sync.c only */
struct ppgtt_table *ppgtt_table_get(struct ppgtt *ppgtt, u64 gfn, u32 level);
void ppgtt_set_entry(struct ppgtt *ppgtt, struct ppgtt_table *table, u32 index, u64 entry,
		     void *target, u64 seen);
void ppgtt_flush_garbage(struct ppgtt *ppgtt);

#endif
