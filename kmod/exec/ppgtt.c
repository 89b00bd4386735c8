// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: lives of shadow tables
 *
 * A table lives while an entry of another names it; a root, until the guest
 * says that it is gone, or room is needed. With its last reference it is dying:
 * what it refers to is let go of table by table, as a guest may have millions of
 * entries, and somebody may wait for the lock. Nothing that the GPU could still
 * have in a TLB is given back before the TLBs are invalidated: pages and
 * tables wait for that as garbage, so that one invalidation serves many.
 */
#include <linux/dma-mapping.h>
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "ppgtt_priv.h"
#include "base/account.h"
#include "core/regs/engines.h"
#include "gm/guestmem.h"
#include "hw/hw.h"

/* How many tables ppgtt_drop_some() lets go of: a few milliseconds. */
#define DROP_TABLES	16

static unsigned long table_key(u64 gfn, u32 level)
{
	return gfn << 2 | level;
}

static void free_table(struct ppgtt *ppgtt, struct ppgtt_table *table)
{
	if (table->dma)
		dma_unmap_page(gslot_hw_dev(ppgtt->hw), table->dma, PAGE_SIZE, DMA_BIDIRECTIONAL);
	free_page((unsigned long)table->entries);
	free_page((unsigned long)table->seen);
	kfree(table->target);
	kfree(table);
}

static struct ppgtt_table *alloc_table(struct ppgtt *ppgtt)
{
	struct device *dev = gslot_hw_dev(ppgtt->hw);
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
	free_table(ppgtt, table);
	return NULL;
}

/**
 * ppgtt_flush_garbage() - invalidate, then give back what waits for it
 * @ppgtt: the tables
 *
 * Context: lock held; may sleep.
 */
void ppgtt_flush_garbage(struct ppgtt *ppgtt)
{
	struct ppgtt_table *table, *next;

	lockdep_assert_held(ppgtt->lock);
	if (!ppgtt->stale && list_empty(&ppgtt->dead))
		return;
	ppgtt->stale = false;
	ppgtt->invalidate(ppgtt->data);
	gslot_guestmem_put_all(ppgtt->mem, ppgtt->garbage, ppgtt->garbage_count);
	ppgtt->garbage_count = 0;
	list_for_each_entry_safe(table, next, &ppgtt->dead, link) {
		list_del(&table->link);
		free_table(ppgtt, table);
	}
}

/**
 * ppgtt_discard_page() - an entry does not refer to a page any more
 * @ppgtt: the tables
 * @page: the page
 *
 * Only the last reference must wait for the TLBs. Counts of this vGPU's pages
 * change under its lock alone, so the count can be looked at; and whoever
 * discards flushes before that lock is let go, so nobody else can drop the last
 * one while a TLB still knows the page.
 *
 * Context: lock held; may sleep.
 */
void ppgtt_discard_page(struct ppgtt *ppgtt, struct gslot_guest_page *page)
{
	lockdep_assert_held(ppgtt->lock);
	if (gslot_guestmem_put_shared(page))
		return;
	ppgtt->garbage[ppgtt->garbage_count++] = page;
	if (ppgtt->garbage_count == PPGTT_MAX_GARBAGE)
		ppgtt_flush_garbage(ppgtt);
}

static void note_step(struct ppgtt_table *table, u32 index)
{
	const void *target = table->target[index];

	__assign_bit(index, table->steps,
		     target && (!index || target != table->target[index - 1]));
}

/**
 * ppgtt_set_target() - an entry refers to something else
 * @ppgtt: the tables
 * @table: the table
 * @index: which entry
 * @target: what it refers to now, or NULL
 *
 * What it referred to is the caller's.
 *
 * Context: lock held.
 */
void ppgtt_set_target(struct ppgtt *ppgtt, struct ppgtt_table *table, u32 index, void *target)
{
	lockdep_assert_held(ppgtt->lock);
	table->target[index] = target;
	if (!table->level)
		return;
	note_step(table, index);
	if (index + 1 < GEN_PTES_PER_PAGE)
		note_step(table, index + 1);
}

/**
 * ppgtt_clear_entry() - let an entry refer to nothing
 * @ppgtt: the tables
 * @table: the table
 * @index: which entry
 *
 * At the next comparison it differs from the guest's, if that is present.
 *
 * Context: lock held; may sleep.
 */
void ppgtt_clear_entry(struct ppgtt *ppgtt, struct ppgtt_table *table, u32 index)
{
	void *target = table->target[index];

	lockdep_assert_held(ppgtt->lock);
	ppgtt_write_entry(ppgtt, table, index, 0);
	table->seen[index] = 0;
	ppgtt_set_target(ppgtt, table, index, NULL);
	if (!target)
		return;
	if (table->level)
		ppgtt_table_put(ppgtt, target);
	else
		ppgtt_discard_page(ppgtt, target);
}

static void clear_table(struct ppgtt *ppgtt, struct ppgtt_table *table)
{
	u32 i;

	for (i = 0; i < GEN_PTES_PER_PAGE; i++)
		if (table->entries[i])
			ppgtt_clear_entry(ppgtt, table, i);
}

/* The guest's page is not this table any more. */
static void detach_table(struct ppgtt *ppgtt, struct ppgtt_table *table)
{
	if (!table->guest)
		return;
	xa_erase(&ppgtt->tables, table_key(table->gfn, table->level));
	gslot_guestmem_put(ppgtt->mem, table->guest);
	table->guest = NULL;
}

/**
 * ppgtt_table_put() - drop a reference to a table
 * @ppgtt: the tables
 * @table: the table
 *
 * With the last one it stops to be the shadow of its page, and what it refers
 * to is left to ppgtt_reap().
 *
 * Context: lock held; may sleep.
 */
void ppgtt_table_put(struct ppgtt *ppgtt, struct ppgtt_table *table)
{
	lockdep_assert_held(ppgtt->lock);
	if (--table->refs)
		return;
	detach_table(ppgtt, table);
	list_move_tail(&table->link, &ppgtt->dying);
}

static void reap_one(struct ppgtt *ppgtt)
{
	struct ppgtt_table *table = list_first_entry(&ppgtt->dying, struct ppgtt_table, link);

	clear_table(ppgtt, table);
	list_move(&table->link, &ppgtt->dead);
	ppgtt->count--;
	gslot_guestmem_advance(ppgtt->mem);
	cond_resched();
}

/**
 * ppgtt_reap() - let go of what dying tables refer to
 * @ppgtt: the tables
 *
 * Until none is left, or somebody waits for the vGPU's lock.
 *
 * Context: lock held; may sleep.
 */
void ppgtt_reap(struct ppgtt *ppgtt)
{
	lockdep_assert_held(ppgtt->lock);
	if (list_empty(&ppgtt->dying))
		return;
	while (!list_empty(&ppgtt->dying) && !gslot_vgpu_lock_contended(ppgtt->lock))
		reap_one(ppgtt);
	ppgtt_flush_garbage(ppgtt);
}

static void drop_root(struct ppgtt *ppgtt, struct ppgtt_table *root)
{
	list_del_init(&root->link);
	ppgtt_table_put(ppgtt, root);
}

static int make_room(struct ppgtt *ppgtt)
{
	struct ppgtt_table *root, *next;

	list_for_each_entry_safe(root, next, &ppgtt->roots, link) {
		ppgtt_reap(ppgtt);
		if (ppgtt->count < ppgtt->limit)
			return 0;
		if (!root->users)
			drop_root(ppgtt, root);
	}
	ppgtt_reap(ppgtt);
	if (ppgtt->count < ppgtt->limit)
		return 0;
	return gslot_vgpu_lock_contended(ppgtt->lock) ? -EINTR : -EDQUOT;
}

static struct ppgtt_table *new_table(struct ppgtt *ppgtt, u64 gfn, u32 level)
{
	struct ppgtt_table *table;
	int ret = make_room(ppgtt);

	if (ret)
		return ERR_PTR(ret);
	table = alloc_table(ppgtt);
	if (!table)
		return ERR_PTR(-ENOMEM);
	table->gfn = gfn;
	table->level = level;
	table->generation = ppgtt->generation - 1;
	table->guest = gslot_guestmem_get(ppgtt->mem, gfn);
	if (IS_ERR(table->guest)) {
		ret = PTR_ERR(table->guest);
		goto err_free;
	}
	ret = xa_err(xa_store(&ppgtt->tables, table_key(gfn, level), table, GSLOT_GFP_GUEST));
	if (ret)
		goto err_put;
	ppgtt->count++;
	return table;

err_put:
	gslot_guestmem_put(ppgtt->mem, table->guest);
err_free:
	free_table(ppgtt, table);
	return ERR_PTR(ret);
}

/**
 * ppgtt_table_get() - refer to the shadow of a table
 * @ppgtt: the tables
 * @gfn: the guest's page
 * @level: what the guest uses it for: 0 for a page table .. 3 for the PML4
 *
 * Return: the table, perhaps a new one without entries; or ERR_PTR: -EFAULT if the
 * page is no memory of the guest, -ENOMEM, -EDQUOT if there are too many, -EINTR if
 * somebody waits for the lock.
 * Context: lock held; may sleep.
 */
struct ppgtt_table *ppgtt_table_get(struct ppgtt *ppgtt, u64 gfn, u32 level)
{
	struct ppgtt_table *table = xa_load(&ppgtt->tables, table_key(gfn, level));

	lockdep_assert_held(ppgtt->lock);
	if (!table)
		table = new_table(ppgtt, gfn, level);
	if (!IS_ERR(table))
		table->refs++;
	return table;
}

/**
 * ppgtt_root_get() - the root for a guest's PML4, to be put when not in use
 * @ppgtt: the tables
 * @gfn: the PML4's page
 *
 * Return: the root, not compared yet, or ERR_PTR as ppgtt_table_get().
 * Context: lock held; may sleep.
 */
struct ppgtt_table *ppgtt_root_get(struct ppgtt *ppgtt, u64 gfn)
{
	struct ppgtt_table *root = xa_load(&ppgtt->tables, table_key(gfn, PPGTT_ROOT_LEVEL));

	lockdep_assert_held(ppgtt->lock);
	if (!root) {
		root = ppgtt_table_get(ppgtt, gfn, PPGTT_ROOT_LEVEL);
		if (IS_ERR(root))
			return root;
	}
	root->destroyed = false;
	root->users++;
	list_move_tail(&root->link, &ppgtt->roots);
	return root;
}

/**
 * ppgtt_root_put() - undo one ppgtt_root_get()
 * @ppgtt: the tables
 * @root: the root
 *
 * It stays, unless the guest said that it is gone.
 * Context: lock held; may sleep.
 */
void ppgtt_root_put(struct ppgtt *ppgtt, struct ppgtt_table *root)
{
	lockdep_assert_held(ppgtt->lock);
	if (!--root->users && root->destroyed)
		drop_root(ppgtt, root);
}

/**
 * ppgtt_root_destroyed() - the guest destroys a PML4: forget it as soon as nothing runs on it
 * @ppgtt: the tables
 * @gfn: the PML4's page; may be one without a shadow
 *
 * Context: lock held; may sleep.
 */
void ppgtt_root_destroyed(struct ppgtt *ppgtt, u64 gfn)
{
	struct ppgtt_table *root = xa_load(&ppgtt->tables, table_key(gfn, PPGTT_ROOT_LEVEL));

	lockdep_assert_held(ppgtt->lock);
	if (!root)
		return;
	root->destroyed = true;
	if (!root->users)
		drop_root(ppgtt, root);
}

static bool drop_one_root(struct ppgtt *ppgtt)
{
	struct ppgtt_table *root;

	list_for_each_entry(root, &ppgtt->roots, link) {
		if (root->users)
			continue;
		drop_root(ppgtt, root);
		return true;
	}
	return false;
}

/**
 * ppgtt_drop_some() - forget roots that are not in use, a few tables at a time
 * @ppgtt: the tables
 *
 * Return: whether some may be left. The lock may be let go of before it is repeated.
 * Context: lock held; may sleep.
 */
bool ppgtt_drop_some(struct ppgtt *ppgtt)
{
	u32 n;

	lockdep_assert_held(ppgtt->lock);
	for (n = 0; n < DROP_TABLES; n++) {
		if (!list_empty(&ppgtt->dying))
			reap_one(ppgtt);
		else if (!drop_one_root(ppgtt))
			break;
	}
	ppgtt_flush_garbage(ppgtt);
	return n == DROP_TABLES;
}

static bool gfn_inside(u64 gfn, u64 first, u64 count)
{
	return gfn - first < count;
}

static void drop_targets(struct ppgtt *ppgtt, struct ppgtt_table *table, u64 first, u64 count)
{
	u32 i;

	for (i = 0; i < GEN_PTES_PER_PAGE; i++) {
		void *target = table->target[i];
		u64 gfn;

		if (!target)
			continue;
		gfn = table->level ? ((struct ppgtt_table *)target)->gfn :
				     ((struct gslot_guest_page *)target)->gfn;
		if (gfn_inside(gfn, first, count))
			ppgtt_clear_entry(ppgtt, table, i);
	}
}

/**
 * ppgtt_drop_range() - drop every reference into a range of the guest's memory
 * @ppgtt: the tables; nothing runs on them meanwhile
 * @gfn: first page
 * @count: how many
 *
 * First entries into the range go, which frees all tables in it but roots.
 * A root whose context still has work queued stays, empty and without a page.
 * What was compared already is compared again: memory may have come back.
 * Context: lock held; may sleep.
 */
void ppgtt_drop_range(struct ppgtt *ppgtt, u64 gfn, u64 count)
{
	struct ppgtt_table *table, *next;
	unsigned long key;

	lockdep_assert_held(ppgtt->lock);
	xa_for_each(&ppgtt->tables, key, table) {
		drop_targets(ppgtt, table, gfn, count);
		gslot_guestmem_advance(ppgtt->mem);
		cond_resched();
	}
	/* Those that lost their last reference just now are at its end. */
	list_for_each_entry(table, &ppgtt->dying, link) {
		drop_targets(ppgtt, table, gfn, count);
		gslot_guestmem_advance(ppgtt->mem);
		cond_resched();
	}
	list_for_each_entry_safe(table, next, &ppgtt->roots, link) {
		if (!gfn_inside(table->gfn, gfn, count))
			continue;
		if (table->users) {
			detach_table(ppgtt, table);
			clear_table(ppgtt, table);
			table->destroyed = true;
		} else {
			drop_root(ppgtt, table);
		}
	}
	ppgtt_next_generation(ppgtt);
	ppgtt_flush_garbage(ppgtt);
}

/**
 * ppgtt_init() - a vGPU has no shadow tables yet
 * @ppgtt: the tables; zeroed
 * @hw: the GPU
 * @mem: guest memory
 * @lock: the vGPU's
 * @limit: how many tables there may be
 * @invalidate: lets the GPU forget what entries were; may sleep
 * @data: for @invalidate
 *
 * Return: 0 or -ENOMEM.
 * Context: lock held; may sleep.
 */
int ppgtt_init(struct ppgtt *ppgtt, struct gslot_hw *hw, struct gslot_guestmem *mem,
	       struct gslot_vgpu_lock *lock, u32 limit, void (*invalidate)(void *data), void *data)
{
	struct device *dev = gslot_hw_dev(hw);

	lockdep_assert_held(lock);
	ppgtt->hw = hw;
	ppgtt->lock = lock;
	ppgtt->mem = mem;
	ppgtt->invalidate = invalidate;
	ppgtt->data = data;
	ppgtt->limit = limit;
	ppgtt->generation = 1;
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

/**
 * ppgtt_fini() - undo ppgtt_init(), or what of it was done
 * @ppgtt: the tables; no root is in use
 *
 * Context: lock held; may sleep.
 */
void ppgtt_fini(struct ppgtt *ppgtt)
{
	lockdep_assert_held(ppgtt->lock);
	while (ppgtt_drop_some(ppgtt))
		;
	if (ppgtt->scratch_dma)
		dma_unmap_page(gslot_hw_dev(ppgtt->hw), ppgtt->scratch_dma, PAGE_SIZE,
			       DMA_BIDIRECTIONAL);
	if (ppgtt->scratch)
		__free_page(ppgtt->scratch);
	kfree(ppgtt->garbage);
	kfree(ppgtt->run);
	kfree(ppgtt->snapshot);
	xa_destroy(&ppgtt->tables);
}
