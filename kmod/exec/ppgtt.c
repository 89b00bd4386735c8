// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: lifetimes of shadow tables
 *
 * A table lives while an entry of another table names it. A root lives until the guest destroys it,
 * or until its room is needed. A table that loses its last reference is dying: its own references
 * are dropped later, table by table, because a guest may have millions of entries while another
 * task waits for the lock. Pages and tables that a TLB may still name are garbage until the TLBs
 * are invalidated. One invalidation serves much garbage.
 */
#include <linux/dma-mapping.h>
#include <linux/err.h>
#include <linux/gfp.h>
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "ppgtt_priv.h"
#include "base/account.h"
#include "hw/hw.h"

static unsigned long ppgtt_key(u64 gfn, u32 level)
{
	return gfn << 2 | level;
}

static void ppgtt_free_table(struct ppgtt *ppgtt, struct ppgtt_table *table)
{
	if (table->dma)
		dma_unmap_page(gslot_hw_dev(ppgtt->cfg->hw), table->dma, PAGE_SIZE,
			       DMA_BIDIRECTIONAL);
	free_page((unsigned long)table->entries);
	free_page((unsigned long)table->seen);
	kfree(table->target);
	kfree(table);
}

static struct ppgtt_table *ppgtt_alloc_table(struct ppgtt *ppgtt)
{
	struct device *dev = gslot_hw_dev(ppgtt->cfg->hw);
	struct ppgtt_table *table = kzalloc(sizeof(*table), GSLOT_GFP_GUEST);
	dma_addr_t dma;

	if (!table)
		return NULL;
	INIT_LIST_HEAD(&table->link);
	table->target = kcalloc(GEN_PTES_PER_PAGE, sizeof(*table->target), GSLOT_GFP_GUEST);
	table->seen = (u64 *)get_zeroed_page(GSLOT_GFP_GUEST);
	table->entries = (u64 *)get_zeroed_page(GSLOT_GFP_GUEST);
	if (!table->target || !table->seen || !table->entries)
		goto err;
	dma = dma_map_page(dev, virt_to_page(table->entries), 0, PAGE_SIZE, DMA_BIDIRECTIONAL);
	if (dma_mapping_error(dev, dma))
		goto err;
	table->dma = dma;
	return table;

err:
	ppgtt_free_table(ppgtt, table);
	return NULL;
}

/* Invalidate the TLBs, and free the garbage. */
void ppgtt_flush_garbage(struct ppgtt *ppgtt)
{
	struct ppgtt_table *table, *next;

	lockdep_assert_held(&ppgtt->cfg->lock->mutex);
	/* Only what a TLB may still name is garbage: see ppgtt_discard_page(). */
	WARN_ON_ONCE(ppgtt->garbage_count && !ppgtt->stale);
	if (!ppgtt->stale && !ppgtt->garbage_count && list_empty(&ppgtt->dead))
		return;
	ppgtt->stale = false;
	gslot_sched_invalidate_tlbs(ppgtt->cfg->sched, ppgtt->client);
	gslot_guestmem_put_all(ppgtt->cfg->mem, ppgtt->garbage, ppgtt->garbage_count);
	ppgtt->garbage_count = 0;
	list_for_each_entry_safe(table, next, &ppgtt->dead, link) {
		list_del(&table->link);
		ppgtt_free_table(ppgtt, table);
	}
}

/*
 * Drop a reference to a page. Only the last one waits for the TLBs: an entry that was replaced
 * since they were invalidated may have named the page as well. All references that this vGPU's
 * tables drop while @stale is set are dropped here, under its lock, and garbage is flushed before
 * that is unlocked: so the last reference cannot go while a TLB still names the page.
 */
static void ppgtt_discard_page(struct ppgtt *ppgtt, struct gslot_guest_page *page)
{
	if (gslot_guest_page_put_not_last(page))
		return;
	if (!ppgtt->stale) {
		gslot_guestmem_put(ppgtt->cfg->mem, page);
		return;
	}
	ppgtt->garbage[ppgtt->garbage_count++] = page;
	if (ppgtt->garbage_count == PPGTT_MAX_GARBAGE)
		ppgtt_flush_garbage(ppgtt);
}

/*
 * Let the shadow stand for its guest page no more. The guest may have used that page as a table and
 * as a target at once.
 */
static void ppgtt_detach_table(struct ppgtt *ppgtt, struct ppgtt_table *table)
{
	struct gslot_guest_page *guest = table->guest;

	if (!guest)
		return;
	xa_erase(&ppgtt->tables, ppgtt_key(table->gfn, table->level));
	gslot_guestmem_untrack(ppgtt->cfg->mem, guest);
	table->guest = NULL;
	ppgtt_discard_page(ppgtt, guest);
}

/* The last reference detaches the table from the guest's page. ppgtt_reap() drops its own. */
static void ppgtt_put_table(struct ppgtt *ppgtt, struct ppgtt_table *table)
{
	if (--table->refs)
		return;
	ppgtt_detach_table(ppgtt, table);
	list_move_tail(&table->link, &ppgtt->dying);
}

static void ppgtt_note_step(struct ppgtt_table *table, u32 index)
{
	const void *target = table->target[index];

	__assign_bit(index, table->steps,
		     target && (!index || target != table->target[index - 1]));
}

/*
 * Set an entry to @entry, which the GPU finds there. The table takes over the reference to @target,
 * to which the entry refers (NULL: none), and drops that of the old entry. The next comparison
 * finds a difference if the guest's entry is not @seen. The caller flushes the garbage before it
 * unlocks.
 */
void ppgtt_set_entry(struct ppgtt *ppgtt, struct ppgtt_table *table, u32 index, u64 entry,
		     void *target, u64 seen)
{
	void *old = table->target[index];

	lockdep_assert_held(&ppgtt->cfg->lock->mutex);
	/* The TLBs, by which it may be written, are invalidated before the lock is released. */
	if (old && !table->level && table->log_round && table->entries[index] & GEN_PTE_RW)
		gslot_guest_page_set_dirty(old);
	ppgtt->stale |= table->entries[index] & GEN_PTE_PRESENT;
	WRITE_ONCE(table->entries[index], entry);
	table->target[index] = target;
	table->seen[index] = seen;
	if (table->level) {
		ppgtt_note_step(table, index);
		if (index + 1 < GEN_PTES_PER_PAGE)
			ppgtt_note_step(table, index + 1);
		if (target && table->log_round)
			ppgtt_log_reached(ppgtt, target);
	}
	if (!old)
		return;
	if (table->level)
		ppgtt_put_table(ppgtt, old);
	else
		ppgtt_discard_page(ppgtt, old);
}

/* Clear an entry, whatever the guest's is: the table has to be compared again. */
void ppgtt_clear_entry(struct ppgtt *ppgtt, struct ppgtt_table *table, u32 index)
{
	if (table->guest)
		gslot_guestmem_untrack(ppgtt->cfg->mem, table->guest);
	/* The guest may have ended the tracking a moment ago, and not be counted yet. */
	ppgtt->cleared++;
	table->same = 0;
	ppgtt_set_entry(ppgtt, table, index, 0, NULL, 0);
}

/* The table is not compared any more: what is tracked, or was compared, stays valid. */
static void ppgtt_clear_table(struct ppgtt *ppgtt, struct ppgtt_table *table)
{
	u32 i;

	for (i = 0; i < GEN_PTES_PER_PAGE; i++)
		if (table->entries[i])
			ppgtt_set_entry(ppgtt, table, i, 0, NULL, 0);
}

/* Drop the references of a dying table; there is one. */
void ppgtt_reap_one(struct ppgtt *ppgtt)
{
	struct ppgtt_table *table = list_first_entry(&ppgtt->dying, struct ppgtt_table, link);

	ppgtt_clear_table(ppgtt, table);
	list_move(&table->link, &ppgtt->dead);
	ppgtt->count--;
	gslot_guestmem_note_progress(ppgtt->cfg->mem);
	cond_resched();
}

/* Drop the references of dying tables, until the vGPU's lock is contended. */
void ppgtt_reap(struct ppgtt *ppgtt)
{
	lockdep_assert_held(&ppgtt->cfg->lock->mutex);
	if (list_empty(&ppgtt->dying))
		return;
	while (!list_empty(&ppgtt->dying) && !gslot_vgpu_lock_contended(ppgtt->cfg->lock))
		ppgtt_reap_one(ppgtt);
	ppgtt_flush_garbage(ppgtt);
}

/* Pages that were dropped from a root are there again, or needed no more. Return: how many. */
static u64 ppgtt_clear_dropped(struct ppgtt *ppgtt, struct ppgtt_table *root)
{
	struct gslot_exec_dropped *dropped = ppgtt->cfg->dropped;
	u64 pages = root->dropped;

	WRITE_ONCE(dropped->away, dropped->away - pages);
	root->dropped = 0;
	return pages;
}

/*
 * Note when the least recently used root that is not in use was used. The roots behind it were
 * taken later, so they were used later, too, unless they were taken in vain.
 */
static void ppgtt_note_oldest(struct ppgtt *ppgtt)
{
	const struct ppgtt_table *root;
	u64 oldest = U64_MAX;

	list_for_each_entry(root, &ppgtt->roots, link) {
		if (root->users)
			continue;
		oldest = min(root->since, root->use.last_ms);
		break;
	}
	WRITE_ONCE(ppgtt->oldest_ms, oldest);
}

/* The root is not in use. */
void ppgtt_drop_root(struct ppgtt *ppgtt, struct ppgtt_table *root)
{
	list_del_init(&root->link);
	ppgtt_note_oldest(ppgtt);
	ppgtt_clear_dropped(ppgtt, root);
	ppgtt_put_table(ppgtt, root);
}

/* Drop unused roots until one more table may exist. */
static int ppgtt_make_room(struct ppgtt *ppgtt)
{
	do {
		ppgtt_reap(ppgtt);
		if (ppgtt->count < ppgtt->cfg->max_tables)
			return 0;
		/* Then nothing was reaped. */
		if (gslot_vgpu_lock_contended(ppgtt->cfg->lock))
			return -EINTR;
	} while (ppgtt_drop_one_root(ppgtt));
	return -EDQUOT;
}

static struct ppgtt_table *ppgtt_new_table(struct ppgtt *ppgtt, u64 gfn, u32 level)
{
	struct ppgtt_table *table;
	int ret = ppgtt_make_room(ppgtt);

	if (ret)
		return ERR_PTR(ret);
	table = ppgtt_alloc_table(ppgtt);
	if (!table)
		return ERR_PTR(-ENOMEM);
	table->gfn = gfn;
	table->level = level;
	table->generation = ppgtt->generation - 1;
	table->guest = gslot_guestmem_get(ppgtt->cfg->mem, gfn, true);
	if (IS_ERR(table->guest)) {
		ret = PTR_ERR(table->guest);
		goto err_free;
	}
	ret = xa_err(xa_store(&ppgtt->tables, ppgtt_key(gfn, level), table, GSLOT_GFP_GUEST));
	if (ret)
		goto err_put;
	ppgtt->count++;
	return table;

err_put:
	gslot_guestmem_put(ppgtt->cfg->mem, table->guest);
err_free:
	ppgtt_free_table(ppgtt, table);
	return ERR_PTR(ret);
}

/*
 * Get a reference to the shadow of the page @gfn, which the guest uses as a table of @level.
 * Return: the table, perhaps a new one without entries; or ERR_PTR: -EFAULT if the page is not
 * guest memory, -ENOMEM, -ENOBUFS if a limit of pinned memory is reached, -EDQUOT if there are too
 * many tables, -EINTR if the lock is contended.
 */
struct ppgtt_table *ppgtt_table_get(struct ppgtt *ppgtt, u64 gfn, u32 level)
{
	struct ppgtt_table *table = xa_load(&ppgtt->tables, ppgtt_key(gfn, level));

	lockdep_assert_held(&ppgtt->cfg->lock->mutex);
	if (!table)
		table = ppgtt_new_table(ppgtt, gfn, level);
	if (!IS_ERR(table))
		table->refs++;
	return table;
}

/*
 * Use the root of the PML4 at @gfn, until ppgtt_root_put().
 * Return: the root, not compared yet, or ERR_PTR as ppgtt_table_get().
 */
struct ppgtt_table *ppgtt_root_get(struct ppgtt *ppgtt, u64 gfn)
{
	struct ppgtt_table *root = xa_load(&ppgtt->tables, ppgtt_key(gfn, PPGTT_ROOT_LEVEL));

	lockdep_assert_held(&ppgtt->cfg->lock->mutex);
	if (!root) {
		root = ppgtt_table_get(ppgtt, gfn, PPGTT_ROOT_LEVEL);
		if (IS_ERR(root))
			return root;
		root->dropped = ppgtt_take_dropped(ppgtt, gfn, 1);
	}
	root->destroyed = false;
	if (!root->users++) {
		root->since = ppgtt_now_ms();
		root->whole = false;
	}
	list_move_tail(&root->link, &ppgtt->roots);
	ppgtt_note_oldest(ppgtt);
	return root;
}

/* A request is queued that uses the root: all of its tables were compared. */
void ppgtt_root_ran(struct ppgtt *ppgtt, struct ppgtt_table *root)
{
	struct gslot_exec_dropped *dropped = ppgtt->cfg->dropped;

	lockdep_assert_held(&ppgtt->cfg->lock->mutex);
	root->ran = true;
	root->whole = true;
	WRITE_ONCE(dropped->brought_back,
		   dropped->brought_back + ppgtt_clear_dropped(ppgtt, root));
}

/* The root stays, unless the guest has destroyed it. */
void ppgtt_root_put(struct ppgtt *ppgtt, struct ppgtt_table *root)
{
	lockdep_assert_held(&ppgtt->cfg->lock->mutex);
	if (--root->users)
		return;
	if (root->ran)
		gslot_reclaim_used(&root->use, root->since, ppgtt_now_ms());
	else	/* Taken in vain: it may be idle for longer than the roots before it. */
		WRITE_ONCE(ppgtt->longest_gap_ms, U64_MAX);
	if (root->use.gap_ms > ppgtt->longest_gap_ms)
		WRITE_ONCE(ppgtt->longest_gap_ms, root->use.gap_ms);
	ppgtt_note_oldest(ppgtt);
	root->ran = false;
	if (root->destroyed)
		ppgtt_drop_root(ppgtt, root);
}

/* Have ppgtt_drop_some() keep the root of the PML4 at @gfn, if there is one, or drop it again. */
void ppgtt_root_keep(struct ppgtt *ppgtt, u64 gfn, bool keep)
{
	struct ppgtt_table *root = xa_load(&ppgtt->tables, ppgtt_key(gfn, PPGTT_ROOT_LEVEL));

	lockdep_assert_held(&ppgtt->cfg->lock->mutex);
	if (root)
		root->kept = keep;
}

/* The guest destroys the PML4 at @gfn: drop its root, if there is one, once it is unused. */
void ppgtt_root_destroyed(struct ppgtt *ppgtt, u64 gfn)
{
	struct ppgtt_table *root = xa_load(&ppgtt->tables, ppgtt_key(gfn, PPGTT_ROOT_LEVEL));

	lockdep_assert_held(&ppgtt->cfg->lock->mutex);
	ppgtt_forget_dropped(ppgtt, gfn, 1);
	if (!root)
		return;
	root->destroyed = true;
	if (!root->users)
		ppgtt_drop_root(ppgtt, root);
}

/* Clear the entries of a table that name a page of the range. */
static void ppgtt_drop_targets(struct ppgtt *ppgtt, struct ppgtt_table *table, u64 first, u64 count)
{
	u32 i;

	for (i = 0; i < GEN_PTES_PER_PAGE; i++) {
		void *target = table->target[i];
		u64 gfn;

		if (!target)
			continue;
		gfn = table->level ? ((struct ppgtt_table *)target)->gfn :
				     ((struct gslot_guest_page *)target)->gfn;
		if (gfn - first < count)
			ppgtt_clear_entry(ppgtt, table, i);
	}
	gslot_guestmem_note_progress(ppgtt->cfg->mem);
	cond_resched();
}

/*
 * Drop every reference into a range of guest memory. Nothing runs on the tables meanwhile.
 * Entries that name the range go first, which frees all tables in it except roots. A root of a
 * context in flight stays, empty and without a page. All tables are compared again afterwards,
 * because the memory may have come back.
 */
void ppgtt_drop_range(struct ppgtt *ppgtt, u64 gfn, u64 count)
{
	struct ppgtt_table *table, *next;
	unsigned long key;

	lockdep_assert_held(&ppgtt->cfg->lock->mutex);
	xa_for_each(&ppgtt->tables, key, table)
		ppgtt_drop_targets(ppgtt, table, gfn, count);
	/* Tables that lose their last reference in this loop are added at the end of the list. */
	list_for_each_entry(table, &ppgtt->dying, link)
		ppgtt_drop_targets(ppgtt, table, gfn, count);
	list_for_each_entry_safe(table, next, &ppgtt->roots, link) {
		if (table->gfn - gfn >= count)
			continue;
		if (table->users) {
			ppgtt_detach_table(ppgtt, table);
			ppgtt_clear_table(ppgtt, table);
			table->destroyed = true;
		} else {
			ppgtt_drop_root(ppgtt, table);
		}
	}
	ppgtt_forget_dropped(ppgtt, gfn, count);
	ppgtt_next_generation(ppgtt);
	ppgtt_flush_garbage(ppgtt);
}

/* @ppgtt is zeroed; @cfg stays valid. Return: 0 or -ENOMEM. */
int ppgtt_init(struct ppgtt *ppgtt, const struct gslot_exec_config *cfg)
{
	struct device *dev = gslot_hw_dev(cfg->hw);

	lockdep_assert_held(&cfg->lock->mutex);
	ppgtt->cfg = cfg;
	ppgtt->generation = 1;
	ppgtt->oldest_ms = U64_MAX;
	xa_init_flags(&ppgtt->tables, XA_FLAGS_ACCOUNT);
	INIT_LIST_HEAD(&ppgtt->roots);
	INIT_LIST_HEAD(&ppgtt->dying);
	INIT_LIST_HEAD(&ppgtt->dead);
	ppgtt->snapshot = kmalloc(PAGE_SIZE, GSLOT_GFP_GUEST);
	ppgtt->run = kcalloc(GEN_PTES_PER_PAGE, sizeof(*ppgtt->run), GSLOT_GFP_GUEST);
	ppgtt->garbage = kcalloc(PPGTT_MAX_GARBAGE, sizeof(*ppgtt->garbage), GSLOT_GFP_GUEST);
	ppgtt->scratch = alloc_page(GSLOT_GFP_GUEST | __GFP_ZERO);
	if (!ppgtt->snapshot || !ppgtt->run || !ppgtt->garbage || !ppgtt->scratch)
		goto err;
	ppgtt->scratch_dma = dma_map_page(dev, ppgtt->scratch, 0, PAGE_SIZE, DMA_BIDIRECTIONAL);
	if (!dma_mapping_error(dev, ppgtt->scratch_dma))
		return 0;
	ppgtt->scratch_dma = 0;
err:
	ppgtt_fini(ppgtt);
	return -ENOMEM;
}

/* Undo ppgtt_init(), complete or not. No root is in use. */
void ppgtt_fini(struct ppgtt *ppgtt)
{
	lockdep_assert_held(&ppgtt->cfg->lock->mutex);
	while (ppgtt_drop_roots(ppgtt))
		;
	if (ppgtt->scratch_dma)
		dma_unmap_page(gslot_hw_dev(ppgtt->cfg->hw), ppgtt->scratch_dma, PAGE_SIZE,
			       DMA_BIDIRECTIONAL);
	if (ppgtt->scratch)
		__free_page(ppgtt->scratch);
	kfree(ppgtt->garbage);
	kfree(ppgtt->run);
	kfree(ppgtt->snapshot);
	xa_destroy(&ppgtt->tables);
}
