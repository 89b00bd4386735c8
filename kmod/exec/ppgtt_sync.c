// SPDX-License-Identifier: GPL-2.0
/*
 * Comparing the guest's page tables with their shadows, and updating the shadows.
 *
 * A page is copied before it is evaluated, so that the guest cannot change it in between. The
 * guest's entries can do no harm: a table's level is one less than its parent's, so loops end, and
 * a page that is no table leads to garbage that only its own guest sees.
 *
 * Pages may arrive slowly, from a disk or from a process that serves them, and 512 entries may name
 * as many. So the lock is tested wherever pages may have been pinned, after each run of entries,
 * and the sync ends if it is contended. What was updated by then is seen, and a repeated call goes
 * on behind it.
 */
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "ppgtt_priv.h"
#include "core/gtt/words.h"
#include "gm/guest_access.h"

/*
 * A table that was the same so often is tracked. A guess: it costs KVM a split of a huge page, and
 * an emulated write when it ends.
 */
#define TRACK_AFTER	8

#define LEAF_BITS	(GEN_PTE_PRESENT | GEN_PTE_RW | GEN_PTE_CACHE_BITS)
/* Neither PWT nor PCD: the tables are host memory, cached as PPAT entry 0 says. */
#define DIR_BITS	(GEN_PTE_PRESENT | GEN_PTE_RW)

static u64 psync_gfn(u64 entry)
{
	return (entry & GEN_PTE_ADDR) >> GEN_PAGE_SHIFT;
}

/* Update entry @i; @page is NULL if the guest's entry names no guest memory. */
static void psync_set_leaf(struct ppgtt *ppgtt, struct ppgtt_table *table, u32 i,
			   struct gslot_guest_page *page)
{
	u64 entry = ppgtt->snapshot[i];

	if (!page)
		ppgtt->invalid++;
	ppgtt_set_entry(ppgtt, table, i,
			(page ? page->dma : ppgtt->scratch_dma) | (entry & LEAF_BITS), page, entry);
}

/*
 * How many changed entries from @i on name pages @step apart: 1 for a row, 0 for the same page. A
 * row is what one call pins.
 */
static u32 psync_run_length(const struct ppgtt *ppgtt, const struct ppgtt_table *table, u32 i,
			    u32 step)
{
	u32 n, most = step ? gslot_guestmem_pin_batch(ppgtt->cfg->mem) : GEN_PTES_PER_PAGE;
	const u64 *entry = ppgtt->snapshot;

	for (n = 1; n < most && i + n < GEN_PTES_PER_PAGE; n++)
		if (entry[i + n] == table->seen[i + n] || !(entry[i + n] & GEN_PTE_PRESENT) ||
		    entry[i + n] & GEN_PTE_LOCAL ||
		    psync_gfn(entry[i + n]) != psync_gfn(entry[i]) + n * step)
			break;
	return n;
}

/*
 * Update a run of entries from @i on, which name pages in a row, or all the same page: a guest's
 * driver lets all unmapped entries name one scratch page. An entry that names no guest memory is
 * not looked up again until the guest rewrites it, or its memory changes. If a page cannot be
 * pinned, all entries from here on stay as they are: the context does not run, and further attempts
 * would fail as well.
 *
 * Return: the number of entries, or -errno.
 */
static int psync_map_run(struct ppgtt *ppgtt, struct ppgtt_table *table, u32 i)
{
	u32 same = psync_run_length(ppgtt, table, i, 0);
	u32 row = same > 1 ? 1 : psync_run_length(ppgtt, table, i, 1);
	struct gslot_guest_page **run = ppgtt->run;
	int n, k;

	n = gslot_guestmem_get_row(ppgtt->cfg->mem, psync_gfn(ppgtt->snapshot[i]), row, true, run);
	if (n < 0)
		return n;
	if (same > 1) {
		n = same;
		if (run[0])
			gslot_guest_page_get_more(run[0], n - 1);
	}
	for (k = 0; k < n; k++)
		psync_set_leaf(ppgtt, table, i + k, run[same > 1 ? 0 : k]);
	return n;
}

static int psync_update_leaves(struct ppgtt *ppgtt, struct ppgtt_table *table)
{
	u32 i = 0;
	int n;

	while (i < GEN_PTES_PER_PAGE) {
		u64 entry = ppgtt->snapshot[i];

		if (entry == table->seen[i]) {
			i++;
		} else if (!(entry & GEN_PTE_PRESENT)) {
			ppgtt_set_entry(ppgtt, table, i++, 0, NULL, entry);
		} else if (entry & GEN_PTE_LOCAL) {
			psync_set_leaf(ppgtt, table, i++, NULL);
		} else {
			n = psync_map_run(ppgtt, table, i);
			if (n < 0)
				return n;
			i += n;
			if (gslot_vgpu_lock_contended(ppgtt->cfg->lock))
				return -EINTR;
		}
	}
	return 0;
}

/* Does a directory entry name a table? Huge pages are not offered to the guest. */
static bool psync_names_table(u32 level, u64 entry)
{
	if (!(entry & GEN_PTE_PRESENT))
		return false;
	if (level == 1)
		return !(entry & (GEN_PDE_2M | GEN_PDE_64K));
	return level != 2 || !(entry & GEN_PDPE_1G);
}

static int psync_update_dirs(struct ppgtt *ppgtt, struct ppgtt_table *table)
{
	struct ppgtt_table *child;
	u32 i;

	for (i = 0; i < GEN_PTES_PER_PAGE; i++) {
		u64 entry = ppgtt->snapshot[i];

		if (entry == table->seen[i])
			continue;
		child = NULL;
		if (psync_names_table(table->level, entry))
			child = ppgtt_table_get(ppgtt, psync_gfn(entry), table->level - 1);
		if (child == ERR_PTR(-EFAULT))	/* no guest memory */
			child = NULL;
		if (IS_ERR(child))
			return PTR_ERR(child);
		if (!child && entry & GEN_PTE_PRESENT)
			ppgtt->invalid++;
		ppgtt_set_entry(ppgtt, table, i, child ? child->dma | (entry & DIR_BITS) : 0,
				child, entry);
		if (gslot_vgpu_lock_contended(ppgtt->cfg->lock))
			return -EINTR;
	}
	return 0;
}

/* Return: whether the guest's table differs; if so, the snapshot has a copy of it. */
static bool psync_compare(struct ppgtt *ppgtt, struct ppgtt_table *table)
{
	const void *guest = gslot_guest_page_map_read(table->guest);
	bool differs = gslot_words_differ(guest, table->seen, GEN_PTES_PER_PAGE);

	if (differs)
		memcpy(ppgtt->snapshot, guest, GEN_PAGE_SIZE);
	gslot_guest_page_unmap(guest);
	ppgtt->compared++;
	ppgtt->updated += differs;
	return differs;
}

/*
 * Return: whether the guest's table differs. A table that was the same TRACK_AFTER times is tracked
 * from now on, if @parent is, which names it. It is compared once more after that, as the guest may
 * have written it before.
 */
static bool psync_differs(struct ppgtt *ppgtt, struct ppgtt_table *table,
			  const struct gslot_guest_page *parent)
{
	struct gslot_guestmem *mem = ppgtt->cfg->mem;
	bool differs;

	if (READ_ONCE(table->guest->tracked))
		return false;
	/* Not while the GPU may still write it by an entry that a TLB has. */
	if (table->same >= TRACK_AFTER && !ppgtt->stale &&
	    (!parent || READ_ONCE(parent->tracked))) {
		gslot_guestmem_track(mem, table->guest, parent);
		/* Not again at once, whether it is tracked or not, and whatever ends that. */
		table->same = 0;
	}
	differs = psync_compare(ppgtt, table);
	if (differs)
		gslot_guestmem_untrack(mem, table->guest);
	table->same = differs ? 0 : min(table->same + 1, TRACK_AFTER);
	return differs;
}

/*
 * Sync a table and all tables below it. A table that hundreds of entries in a row name, such as a
 * driver's scratch table, is visited once for all of them. A table of the current generation was
 * reached on another path before. Nor is one visited if it is tracked with all below it.
 */
static int psync_table(struct ppgtt *ppgtt, struct ppgtt_table *table,
		       const struct gslot_guest_page *parent)
{
	bool quiet = true;
	int ret = 0;
	u32 i;

	if (table->generation == ppgtt->generation || table->quiet == ppgtt->writes ||
	    !table->guest)
		return 0;
	if (gslot_vgpu_lock_contended(ppgtt->cfg->lock))
		return -EINTR;
	cond_resched();
	if (psync_differs(ppgtt, table, parent))
		ret = table->level ? psync_update_dirs(ppgtt, table) :
				     psync_update_leaves(ppgtt, table);
	if (ret)
		return ret;
	for_each_set_bit(i, table->steps, GEN_PTES_PER_PAGE) {
		ret = psync_table(ppgtt, table->target[i], table->guest);
		if (ret)
			return ret;
		quiet &= ((struct ppgtt_table *)table->target[i])->quiet == ppgtt->writes;
	}
	table->generation = ppgtt->generation;
	table->quiet = quiet && READ_ONCE(table->guest->tracked) ? ppgtt->writes : 0;
	return 0;
}

/* Have all tables compared again, as for a new submission. */
void ppgtt_next_generation(struct ppgtt *ppgtt)
{
	lockdep_assert_held(&ppgtt->cfg->lock->mutex);
	ppgtt->generation++;
}

/*
 * Sync all shadow tables below a root, which is in use, with the guest's tables. A repeated call
 * resumes where the last one stopped, in the same generation.
 * Return: 0; -ENOMEM, -EDQUOT or -ENOBUFS if there is no memory or no room; -EINTR if the lock is
 * contended.
 */
int ppgtt_sync(struct ppgtt *ppgtt, struct ppgtt_table *root)
{
	int ret;

	lockdep_assert_held(&ppgtt->cfg->lock->mutex);
	/* Both only grow: while the sum is the same, so are they. */
	ppgtt->writes = gslot_guestmem_compare_begin(ppgtt->cfg->mem) + ppgtt->cleared;
	ret = psync_table(ppgtt, root, NULL);
	if (!ret)
		ppgtt_log_reached(ppgtt, root);
	ppgtt_reap(ppgtt);
	ppgtt_flush_garbage(ppgtt);
	return ret;
}

/*
 * Read guest memory, within one page, through the shadow tables below a root that is synced in this
 * generation. The vGPU's lock is held, so that the tables do not change. The guest may write the
 * page meanwhile: only the bytes in @to may be checked.
 * Return: 0, or -EFAULT if no guest memory is mapped there.
 */
int ppgtt_read(struct ppgtt_table *root, u64 addr, void *to, u32 bytes)
{
	void *target = root;
	int level;

	for (level = PPGTT_ROOT_LEVEL; target && level >= 0; level--)
		target = ((struct ppgtt_table *)target)->target[addr >> GEN_LEVEL_SHIFT(level) &
								(GEN_PTES_PER_PAGE - 1)];
	if (!target)
		return -EFAULT;
	gslot_guest_page_read(target, offset_in_page(addr), to, bytes);
	return 0;
}
