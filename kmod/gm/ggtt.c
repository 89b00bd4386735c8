// SPDX-License-Identifier: GPL-2.0
/*
 * The private GGTT. The guest writes its PTEs to memory (ggtt_map.c); they take effect when they
 * are synced. An entry has three copies: the guest's PTE, the shadow as of the last sync (@seen and
 * @shown), and the physical entry, if it is resident. A sync changes them in this order, table by
 * table:
 *
 *   1. the new page is pinned;
 *   2. @shown is changed and the aperture's mapping removed, so that no CPU reaches the old page
 *      any more;
 *   3. if the entry is resident, the physical entry is written and flushed, so that the GPU does
 *      not reach the old page either (ggtt_resident.c);
 *   4. the reference to the old page is put.
 *
 * An entry that names no guest memory has the vGPU's sink page, as one that is not present: the
 * guest that wrote it finds out by its own GPU work.
 */
#include <linux/device.h>
#include <linux/dma-mapping.h>
#include <linux/gfp.h>
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "ggtt_priv.h"
#include "guest_access.h"
#include "base/account.h"
#include "base/guest_error.h"
#include "core/gtt/words.h"
#include "core/limits.h"
#include "hw/hw.h"
#include "base/trace.h"

static u64 ggtt_gfn(u64 pte)
{
	return (pte & GEN_PTE_ADDR) >> GEN_PAGE_SHIFT;
}

/* An entry's page cannot be pinned. If that is not the guest's fault, the next sync tries again. */
static void ggtt_refuse(struct gslot_ggtt *ggtt, u32 entry, u64 pte, int ret)
{
	ggtt->stats.bad++;
	if (ret != -EFAULT) {
		ggtt->error = ret;
		ggtt->seen[entry] = 0;
		gslot_ggtt_mark_dirty(ggtt, entry / GEN_PTES_PER_PAGE);
	}
	gslot_guest_err(ggtt->cfg.guest_errors, GSLOT_GUEST_ERR_GGTT_ENTRY,
			"entry %#x: no guest memory at %#llx (%d)", entry, pte, ret);
}

/* Put the PTEs of a table, from @first on, that changed since the last sync into the batch. */
static void ggtt_find_changes(struct gslot_ggtt *ggtt, u32 table, u32 first)
{
	const u64 *now = page_address(ggtt->tables[table]);
	const u64 *seen = &ggtt->seen[table * GEN_PTES_PER_PAGE];
	struct gslot_ggtt_batch *batch = ggtt->batch;
	u32 i;

	batch->count = 0;
	if (!gslot_words_differ(now, seen, GEN_PTES_PER_PAGE))
		return;
	for (i = first; i < GEN_PTES_PER_PAGE; i++) {
		u64 pte = READ_ONCE(now[i]);

		if (pte == seen[i])
			continue;
		batch->entry[batch->count] = table * GEN_PTES_PER_PAGE + i;
		batch->pte[batch->count++] = pte;
	}
}

/* How many changes, from @first on, name guest pages in a row: at most what one call pins. */
static u32 ggtt_count_run(const struct gslot_ggtt *ggtt, u32 first)
{
	const struct gslot_ggtt_batch *batch = ggtt->batch;
	u32 n = 1, most = gslot_guestmem_pin_batch(ggtt->cfg.mem);

	while (n < most && first + n < batch->count &&
	       (batch->pte[first + n] & GEN_PTE_PRESENT) &&
	       ggtt_gfn(batch->pte[first + n]) == ggtt_gfn(batch->pte[first]) + n)
		n++;
	return n;
}

/* Get the pages that a run of changes names, from @first on. Return: the number of changes. */
static u32 ggtt_get_run(struct gslot_ggtt *ggtt, u32 first)
{
	struct gslot_ggtt_batch *batch = ggtt->batch;
	bool present = batch->pte[first] & GEN_PTE_PRESENT;
	u32 k, n = present ? ggtt_count_run(ggtt, first) : 1;
	int ret = n;

	if (present)
		ret = gslot_guestmem_get_row(ggtt->cfg.mem, ggtt_gfn(batch->pte[first]), n,
					     false, &batch->page[first]);
	if (ret > 0)
		n = ret;
	for (k = first; k < first + n; k++) {
		ggtt->seen[batch->entry[k]] = batch->pte[k];
		if (!present || ret < 0)
			batch->page[k] = NULL;
		/* An error is one of all pages. */
		if (present && !batch->page[k])
			ggtt_refuse(ggtt, batch->entry[k], batch->pte[k], min(ret, 0) ?: -EFAULT);
	}
	return n;
}

/*
 * Get references to the pages that the changed PTEs name. Pages may arrive slowly, from a disk or
 * from a process that serves them. So once a tick has passed and the vGPU's lock is contended, the
 * changes behind the present run are left out of the batch, and unseen. Before that the table is
 * not divided: pages in memory mostly take no longer, and the lock may be contended all the time
 * (exec/ggtt_sync.c).
 *
 * Return: the entry of the table where they begin, or 0 if the batch has all changes.
 */
static u32 ggtt_get_pages(struct gslot_ggtt *ggtt)
{
	struct gslot_ggtt_batch *batch = ggtt->batch;
	unsigned long start = jiffies;
	u32 i = ggtt_get_run(ggtt, 0);

	while (i < batch->count) {
		if (time_after(jiffies, start + 1) &&
		    gslot_vgpu_lock_contended(ggtt->cfg.lock)) {
			batch->count = i;
			return batch->entry[i] % GEN_PTES_PER_PAGE;
		}
		i += ggtt_get_run(ggtt, i);
	}
	return 0;
}

/* Exchange the batch's pages with those of the shadow GGTT. */
static void ggtt_exchange_pages(struct gslot_ggtt *ggtt)
{
	struct gslot_ggtt_batch *batch = ggtt->batch;
	u32 i;

	mutex_lock(&ggtt->map_lock);
	for (i = 0; i < batch->count; i++) {
		struct gslot_guest_page *new = batch->page[i];

		batch->page[i] = ggtt->shown[batch->entry[i]];
		WRITE_ONCE(ggtt->shown[batch->entry[i]], new);
	}
	gslot_ggtt_unmap_aperture(ggtt, batch->entry[0],
				  batch->entry[batch->count - 1] - batch->entry[0] + 1);
	gslot_aperture_update(ggtt, batch->entry, batch->count);
	mutex_unlock(&ggtt->map_lock);
}

/* Neither CPU nor GPU reach a page by its entry any more. They may have written it until now. */
static void ggtt_put_page(struct gslot_ggtt *ggtt, struct gslot_guest_page *page)
{
	gslot_guest_page_set_dirty(page);
	gslot_guestmem_put(ggtt->cfg.mem, page);
}

/* Change the entries of the batch to its pages, and put the old ones. */
static void ggtt_apply(struct gslot_ggtt *ggtt)
{
	struct gslot_ggtt_batch *batch = ggtt->batch;
	u32 i;

	ggtt_exchange_pages(ggtt);
	gslot_ggtt_update(ggtt, batch->entry, batch->count);
	for (i = 0; i < batch->count; i++)
		if (batch->page[i])
			ggtt_put_page(ggtt, batch->page[i]);
}

/*
 * Sync a table from entry @first on, all of it or a part. What changes before the end of that part
 * meanwhile, and what is refused, is dirty: the next sync compares it. Return: the entry to go on
 * with; 0: all is synced.
 */
static u32 ggtt_sync_table(struct gslot_ggtt *ggtt, u32 table, u32 first)
{
	u32 next;

	ggtt->stats.tables++;
	ggtt_find_changes(ggtt, table, first);
	if (!ggtt->batch->count)
		return 0;
	ggtt->heat[table].calm = 0;
	next = ggtt_get_pages(ggtt);
	ggtt->stats.entries += ggtt->batch->count;
	ggtt_apply(ggtt);
	return next;
}

/* The next table to compare, behind the last one in a circle; @nr_tables: there is none. */
static u32 ggtt_next_unsynced(const struct gslot_ggtt *ggtt)
{
	u32 count = ggtt->nr_tables;
	u32 table = find_next_bit(ggtt->unsynced, count, min(ggtt->next_table, count));

	return table < count ? table : find_first_bit(ggtt->unsynced, count);
}

/* Sync tables until the vGPU's lock is contended. Return: as gslot_ggtt_sync(). */
static int ggtt_sync_some(struct gslot_ggtt *ggtt)
{
	const struct gslot_ggtt_stats before = ggtt->stats;
	bool yield = false;
	u32 table;
	int ret;

	while (!yield && (table = ggtt_next_unsynced(ggtt)) < ggtt->nr_tables) {
		u32 first = table == ggtt->next_table ? ggtt->next_entry : 0;

		ggtt->next_entry = ggtt_sync_table(ggtt, table, first);
		ggtt->next_table = table + !ggtt->next_entry;
		if (!ggtt->next_entry)
			__clear_bit(table, ggtt->unsynced);
		cond_resched();
		yield = gslot_vgpu_lock_contended(ggtt->cfg.lock);
	}
	ret = bitmap_empty(ggtt->unsynced, ggtt->nr_tables) ? ggtt->error : -EINTR;
	trace_gslot_ggtt_sync(gslot_ggtt_name(ggtt), ggtt->stats.tables - before.tables,
			      ggtt->stats.entries - before.entries,
			      ggtt->stats.bad - before.bad, ret);
	return ret;
}

/**
 * gslot_ggtt_sync() - sync the shadow GGTT with the guest's PTEs
 * @ggtt: the private GGTT
 *
 * For each dirty table: pins and unpins pages, writes and flushes resident physical entries,
 * removes the aperture's mappings of changed entries, and tracks the guest's writes anew.
 *
 * Return: 0; -EINTR if the vGPU's lock is contended, and entries are left: at least one is synced,
 * and the next call syncs the rest; or -ENOMEM if the host has no room for a page that a PTE names,
 * or that page is being unmapped: the next call tries again.
 * Context: the vGPU's lock is held; may sleep.
 */
int gslot_ggtt_sync(struct gslot_ggtt *ggtt)
{
	DECLARE_BITMAP(todo, GGTT_MAX_TABLES);

	lockdep_assert_held(&ggtt->cfg.lock->mutex);
	gslot_ggtt_collect_dirty(ggtt, todo);
	/* The rest of a divided table is not all of it that has changed. */
	if (ggtt->next_entry && test_bit(ggtt->next_table, todo))
		ggtt->next_entry = 0;
	bitmap_or(ggtt->unsynced, ggtt->unsynced, todo, ggtt->nr_tables);
	ggtt->error = 0;
	return ggtt_sync_some(ggtt);
}

/**
 * gslot_ggtt_tables_synced() - how often a table was compared until now, a divided one in each part
 * @ggtt: the private GGTT
 *
 * Return: the number, which grows while a sync advances.
 * Context: any.
 */
u64 gslot_ggtt_tables_synced(const struct gslot_ggtt *ggtt)
{
	return READ_ONCE(ggtt->stats.tables);
}

/**
 * gslot_ggtt_sync_round() - gslot_ggtt_sync() in rounds, between which the lock is released
 * @ggtt: the private GGTT
 * @round: number of the round, from 0
 *
 * What the guest writes after the first round is left to the next sync, but for the rest of a
 * table that is divided: so there is an end, whatever the guest writes meanwhile.
 *
 * Return: -EINTR if another round is needed. After the last one: 0; or -ENOMEM if the host had no
 * room for a page, in whichever round.
 * Context: the vGPU's lock is held; may sleep.
 */
int gslot_ggtt_sync_round(struct gslot_ggtt *ggtt, u32 round)
{
	int ret;

	lockdep_assert_held(&ggtt->cfg.lock->mutex);
	ret = round ? ggtt_sync_some(ggtt) : gslot_ggtt_sync(ggtt);
	/* Each round syncs an entry, or a table. What another task's sync adds is left to that. */
	return ret == -EINTR && round >= GEN_GGTT_ENTRIES + GGTT_MAX_TABLES ? ggtt->error : ret;
}

/**
 * gslot_ggtt_name() - the name of the vGPU, for traces
 * @ggtt: its private GGTT
 *
 * Return: the name; valid as long as @ggtt.
 * Context: any.
 */
const char *gslot_ggtt_name(const struct gslot_ggtt *ggtt)
{
	return dev_name(ggtt->cfg.guest_errors->dev);
}

/**
 * gslot_ggtt_page() - the guest page behind a guest graphics address
 * @ggtt: the private GGTT
 * @addr: the address
 *
 * As of the last sync. It is pinned until the next one, or as long as the caller has a reference.
 *
 * Return: the page, or NULL.
 * Context: the vGPU's lock is held.
 */
struct gslot_guest_page *gslot_ggtt_page(struct gslot_ggtt *ggtt, u64 addr)
{
	int entry = gslot_ggtt_entry_of(ggtt, addr);

	lockdep_assert_held(&ggtt->cfg.lock->mutex);
	return entry < 0 ? NULL : ggtt->shown[entry];
}

/**
 * gslot_ggtt_read() - copy from a guest's memory, by graphics address
 * @ggtt: the private GGTT
 * @addr: where from
 * @buf: where to
 * @len: bytes
 *
 * Return: 0, or -EFAULT if an entry has no page: the bytes before it were copied.
 * Context: the vGPU's lock is held.
 */
int gslot_ggtt_read(struct gslot_ggtt *ggtt, u64 addr, void *buf, size_t len)
{
	lockdep_assert_held(&ggtt->cfg.lock->mutex);
	while (len) {
		size_t n = min_t(size_t, len, PAGE_SIZE - offset_in_page(addr));
		struct gslot_guest_page *page = gslot_ggtt_page(ggtt, addr);

		if (!page)
			return -EFAULT;
		gslot_guest_page_read(page, offset_in_page(addr), buf, n);
		addr += n;
		buf += n;
		len -= n;
	}
	return 0;
}

/**
 * gslot_ggtt_window() - the graphics memory that a vGPU has
 * @ggtt: the private GGTT
 *
 * Return: its window.
 * Context: the vGPU's lock is held.
 */
const struct gslot_window *gslot_ggtt_window(struct gslot_ggtt *ggtt)
{
	lockdep_assert_held(&ggtt->cfg.lock->mutex);
	return &ggtt->cfg.window;
}

/* Drop a table's pages from the range, and mark the table dirty if it had any. */
static void ggtt_drop_in_table(struct gslot_ggtt *ggtt, u32 table, u64 gfn, u64 count)
{
	struct gslot_ggtt_batch *batch = ggtt->batch;
	u32 first = table * GEN_PTES_PER_PAGE, i;

	batch->count = 0;
	for (i = first; i < first + GEN_PTES_PER_PAGE; i++) {
		if (!ggtt->shown[i] || ggtt->shown[i]->gfn - gfn >= count)
			continue;
		ggtt->seen[i] = 0;
		batch->entry[batch->count] = i;
		batch->page[batch->count++] = NULL;
	}
	if (!batch->count)
		return;
	ggtt_apply(ggtt);
	gslot_ggtt_mark_dirty(ggtt, table);
}

/**
 * gslot_ggtt_drop_range() - drop pages of guest memory that is being unmapped
 * @ggtt: the private GGTT; nothing of the vGPU runs
 * @gfn: the first page
 * @count: how many
 *
 * No entry has a page of the range when this returns. The next sync tries their PTEs again: the
 * memory may have been mapped again by then.
 * Context: the vGPU's lock is held; may sleep.
 */
void gslot_ggtt_drop_range(struct gslot_ggtt *ggtt, u64 gfn, u64 count)
{
	u32 table;

	lockdep_assert_held(&ggtt->cfg.lock->mutex);
	for (table = 0; table < ggtt->nr_tables; table++) {
		ggtt_drop_in_table(ggtt, table, gfn, count);
		cond_resched();
	}
}

/**
 * gslot_ggtt_reset() - reset to the state of power-on: PTEs and fences 0
 * @ggtt: the private GGTT; nothing of the vGPU runs
 *
 * Context: the vGPU's lock is held; may sleep.
 */
void gslot_ggtt_reset(struct gslot_ggtt *ggtt)
{
	u32 i;

	lockdep_assert_held(&ggtt->cfg.lock->mutex);
	gslot_ggtt_fences_clear(ggtt);
	mutex_lock(&ggtt->map_lock);
	gslot_ggtt_unmap_all(ggtt, GSLOT_MAP_TABLE);
	bitmap_zero(ggtt->dirty, GGTT_MAX_TABLES);
	bitmap_zero(ggtt->hot, GGTT_MAX_TABLES);
	for (i = 0; i < ggtt->nr_tables; i++)
		clear_page(page_address(ggtt->tables[i]));
	clear_page(page_address(ggtt->sink));
	mutex_unlock(&ggtt->map_lock);

	bitmap_zero(ggtt->unsynced, GGTT_MAX_TABLES);
	ggtt->next_entry = 0;
	gslot_ggtt_evict(ggtt);
	memset(ggtt->seen, 0, ggtt->nr_entries * sizeof(*ggtt->seen));
	memset(ggtt->heat, 0, ggtt->nr_tables * sizeof(*ggtt->heat));
	for (i = 0; i < ggtt->nr_tables; i++)
		ggtt_drop_in_table(ggtt, i, 0, U64_MAX);
}

static void ggtt_free(struct gslot_ggtt *ggtt)
{
	gslot_ggtt_space_free(&ggtt->space);
	if (ggtt->sink_dma)
		dma_unmap_page(gslot_hw_dev(ggtt->cfg.hw), ggtt->sink_dma, PAGE_SIZE,
			       DMA_BIDIRECTIONAL);
	if (ggtt->sink)
		__free_page(ggtt->sink);
	kvfree(ggtt->batch);
	mutex_destroy(&ggtt->map_lock);
	kfree(ggtt);
}

static int ggtt_alloc_sink(struct gslot_ggtt *ggtt)
{
	struct device *dev = gslot_hw_dev(ggtt->cfg.hw);
	dma_addr_t dma;

	ggtt->sink = alloc_page(GSLOT_GFP_GUEST | __GFP_ZERO);
	if (!ggtt->sink)
		return -ENOMEM;
	dma = dma_map_page(dev, ggtt->sink, 0, PAGE_SIZE, DMA_BIDIRECTIONAL);
	if (dma_mapping_error(dev, dma))
		return -ENOMEM;
	ggtt->sink_dma = dma;
	return 0;
}

static int ggtt_alloc(struct gslot_ggtt *ggtt)
{
	ggtt->batch = kvzalloc(sizeof(*ggtt->batch), GSLOT_GFP_GUEST);
	if (!ggtt->batch || ggtt_alloc_sink(ggtt))
		return -ENOMEM;
	return gslot_ggtt_space_alloc(&ggtt->space, &ggtt->cfg.window) ?:
	       gslot_ggtt_space_fill(&ggtt->space);
}

/**
 * gslot_ggtt_create() - create a private GGTT, empty
 * @config: its parameters
 *
 * Return: the private GGTT, or ERR_PTR(-ENOMEM).
 * Context: may sleep.
 */
struct gslot_ggtt *gslot_ggtt_create(const struct gslot_ggtt_config *config)
{
	struct gslot_ggtt *ggtt = kzalloc(sizeof(*ggtt), GSLOT_GFP_GUEST);

	if (!ggtt)
		return ERR_PTR(-ENOMEM);
	ggtt->cfg = *config;
	mutex_init(&ggtt->map_lock);
	if (ggtt_alloc(ggtt)) {
		ggtt_free(ggtt);
		return ERR_PTR(-ENOMEM);
	}
	gslot_ggtt_join(ggtt);
	gslot_aperture_join(ggtt);
	return ggtt;
}

/**
 * gslot_ggtt_destroy() - destroy a private GGTT: the vGPU is closed
 * @ggtt: the private GGTT; nothing of it runs or is mapped
 *
 * Context: the vGPU's lock is held; may sleep.
 */
void gslot_ggtt_destroy(struct gslot_ggtt *ggtt)
{
	lockdep_assert_held(&ggtt->cfg.lock->mutex);
	gslot_ggtt_reset(ggtt);
	gslot_aperture_leave(ggtt);
	gslot_ggtt_leave(ggtt);
	ggtt_free(ggtt);
}

/**
 * gslot_ggtt_resident() - how much of it is resident and held
 * @ggtt: the private GGTT
 *
 * Return: the counters, as of one moment.
 * Context: the vGPU's lock is held; may sleep.
 */
struct gslot_resident gslot_ggtt_resident(struct gslot_ggtt *ggtt)
{
	struct gslot_resident resident;

	lockdep_assert_held(&ggtt->cfg.lock->mutex);
	mutex_lock(&ggtt->cfg.runs->lock);
	resident = ggtt->resident;
	mutex_unlock(&ggtt->cfg.runs->lock);
	return resident;
}

/**
 * gslot_ggtt_share() - the part of the shared physical entries that a vGPU has
 * @ggtt: the private GGTT
 *
 * Return: per mille, without a lock: it may change at once.
 * Context: any.
 */
u32 gslot_ggtt_share(const struct gslot_ggtt *ggtt)
{
	u64 resident = READ_ONCE(ggtt->resident.resident);

	return div_u64(resident * GSLOT_WHOLE, ggtt->cfg.runs->residency.count);
}

/**
 * gslot_ggtt_show() - print its state and counters, for debugfs
 * @ggtt: the private GGTT
 * @m: where to print
 *
 * Context: the vGPU's lock is held; may sleep.
 */
void gslot_ggtt_show(struct gslot_ggtt *ggtt, struct seq_file *m)
{
	const struct gslot_ggtt_stats *s = &ggtt->stats;
	const struct gslot_resident r = gslot_ggtt_resident(ggtt);
	u32 i, shown = 0;

	lockdep_assert_held(&ggtt->cfg.lock->mutex);
	for (i = 0; i < ggtt->nr_entries; i++)
		shown += !!ggtt->shown[i];
	seq_printf(m, "entries: %u\nentries_shown: %u\n", ggtt->nr_entries, shown);
	seq_printf(m, "units: %u\nunits_resident: %u\nunits_held: %u\n", r.count, r.resident,
		   r.held);
	seq_printf(m, "units_loaded: %llu\nunits_evicted: %llu\n", r.loads, r.evictions);
	mutex_lock(&ggtt->map_lock);
	seq_printf(m, "tables: %u\ntables_hot: %u\n", ggtt->nr_tables,
		   bitmap_weight(ggtt->hot, ggtt->nr_tables));
	seq_printf(m, "syncs: %llu\ntables_compared: %llu\nentries_changed: %llu\n", s->syncs,
		   s->tables, s->entries);
	seq_printf(m, "bad_entries: %llu\nmappings_removed: %llu\n", s->bad, s->removals);
	seq_printf(m, "table_faults: %llu\naperture_faults: %llu\n", s->table_faults,
		   s->aperture_faults);
	mutex_unlock(&ggtt->map_lock);
	gslot_ggtt_show_fences(ggtt, m);
}
