/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shadow page tables of one vGPU.
 *
 * A shadow table stands for one page of the guest used as a table of one
 * level; whoever names that page shares it. It remembers the page as it was
 * when last compared, and holds what its entries refer to. Nobody watches the
 * guest's writes: at each submission the tables that the context reaches are
 * compared with the guest's.
 *
 * Where functions say that the lock is held, it is the vGPU's.
 */
#ifndef _GSLOT_EXEC_PPGTT_H
#define _GSLOT_EXEC_PPGTT_H

#include <linux/bitmap.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/types.h>
#include <linux/xarray.h>

#include "base/lock.h"
#include "gen/gtt.h"

struct gslot_guest_page;
struct gslot_guestmem;
struct gslot_hw;

#define PPGTT_ROOT_LEVEL	(GEN_PPGTT_LEVELS - 1)
#define PPGTT_MAX_GARBAGE	512
/* What a shadow table costs: what it was, what it is, and what it refers to. */
#define PPGTT_TABLE_BYTES	(3 * GEN_PAGE_SIZE)

/**
 * struct ppgtt_table - the shadow of one table
 * @gfn: the guest's page
 * @level: 0 for a page table .. 3 for the PML4
 * @refs: entries that name it, and one for a root
 * @generation: of the comparison that saw it last
 * @guest: the guest's page; NULL once that is gone
 * @seen: its content, as last compared
 * @entries: what the GPU walks
 * @dma: where that is for the GPU
 * @target: for each entry: a struct gslot_guest_page at level 0, else a
 *	struct ppgtt_table; NULL if it refers to nothing
 * @steps: of a directory, the entries that refer to another table than the one
 *	before: drivers let all that is not in use lead to the same one
 * @link: among the roots, the dying, or the dead
 * @users: contexts that have this root and are in flight
 * @destroyed: the guest destroyed this root, or took its memory away
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
 * @hw: the GPU
 * @invalidate: lets the GPU forget what the entries were; may sleep
 * @data: for @invalidate
 * @mem: guest memory
 * @lock: the vGPU's; held by whoever uses any of this
 * @tables: struct ppgtt_table by page and level
 * @roots: the PML4s among them, least recently used first
 * @limit: how many tables there may be; each costs 12 KB and maps up to 2 MB
 * @count: how many there are
 * @generation: of the comparison under way
 * @snapshot: one table page of the guest, while it is taken over
 * @run: pages of one stretch of entries
 * @scratch: the page behind entries that name no memory of the guest
 * @scratch_dma: its bus address
 * @stale: an entry was replaced that the GPU may still have in its TLBs
 * @garbage: pages that the GPU may still have in its TLBs
 * @garbage_count: how many
 * @dying: tables that nobody names any more, but that still refer to others
 * @dead: tables that refer to nothing, but that the GPU may still walk
 * @compared: statistics: tables compared with the guest's
 * @updated: of these, differed
 * @invalid: entries that named no memory of the guest
 */
struct ppgtt {
	struct gslot_hw *hw;
	void (*invalidate)(void *data);
	void *data;
	struct gslot_guestmem *mem;
	struct gslot_vgpu_lock *lock;	/* the vGPU's */
	struct xarray tables;
	struct list_head roots;
	u32 limit;
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

/* ppgtt.c: life of tables and roots. */
int ppgtt_init(struct ppgtt *ppgtt, struct gslot_hw *hw, struct gslot_guestmem *mem,
	       struct gslot_vgpu_lock *lock, u32 limit, void (*invalidate)(void *data), void *data);
void ppgtt_fini(struct ppgtt *ppgtt);
struct ppgtt_table *ppgtt_root_get(struct ppgtt *ppgtt, u64 gfn);
void ppgtt_root_put(struct ppgtt *ppgtt, struct ppgtt_table *root);
void ppgtt_root_destroyed(struct ppgtt *ppgtt, u64 gfn);
void ppgtt_drop_range(struct ppgtt *ppgtt, u64 gfn, u64 count);
bool ppgtt_drop_some(struct ppgtt *ppgtt);
void ppgtt_reap(struct ppgtt *ppgtt);

/* ppgtt_sync.c, ppgtt_read.c */
void ppgtt_next_generation(struct ppgtt *ppgtt);
int ppgtt_sync(struct ppgtt *ppgtt, struct ppgtt_table *root);
int ppgtt_read(struct ppgtt_table *root, u64 addr, void *to, u32 bytes);

/* ppgtt.c, for the comparison alone. */
struct ppgtt_table *ppgtt_table_get(struct ppgtt *ppgtt, u64 gfn, u32 level);
void ppgtt_table_put(struct ppgtt *ppgtt, struct ppgtt_table *table);
void ppgtt_set_target(struct ppgtt *ppgtt, struct ppgtt_table *table, u32 index, void *target);
void ppgtt_clear_entry(struct ppgtt *ppgtt, struct ppgtt_table *table, u32 index);
void ppgtt_discard_page(struct ppgtt *ppgtt, struct gslot_guest_page *page);
void ppgtt_flush_garbage(struct ppgtt *ppgtt);

/* What the GPU walks; an entry that was present may be in its TLBs. */
static inline void ppgtt_write_entry(struct ppgtt *ppgtt, struct ppgtt_table *table, u32 index,
				     u64 entry)
{
	ppgtt->stale |= table->entries[index] & GEN_PTE_PRESENT;
	WRITE_ONCE(table->entries[index], entry);
}

#endif
