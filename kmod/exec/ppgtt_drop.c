// SPDX-License-Identifier: GPL-2.0
/*
 * Dropping page tables of roots that are not in use, for memory or for room: in chunks of what one
 * page table maps, 2 MB. A root of which chunks are dropped stays, and its tables are compared
 * again when it is used again.
 */
#include <linux/minmax.h>
#include <linux/random.h>

#include "ppgtt_priv.h"

/* How many tables one call drops: a few milliseconds. */
#define PDROP_TABLES	16
/* The most roots that are looked at; a guest may have thousands. */
#define PDROP_ROOTS	256
/* What will be idle for longer is not what the guest's programs work with. */
#define PDROP_WORKING_MS	1000

/* The predicted idle time of a root plus 1 ms; 0 if it is in use or kept. */
static u64 pdrop_idle_ms(const struct ppgtt_table *root, u64 now)
{
	return root->users || root->kept ? 0 : gslot_reclaim_idle_ms(&root->use, now) + 1;
}

static bool pdrop_is_empty(const struct ppgtt_table *table)
{
	return bitmap_empty(table->steps, GEN_PTES_PER_PAGE);
}

/*
 * Find the root with the longest predicted idle time, @idle_ms at least, among those that are least
 * recently used. Roots with entries come first: an empty one is kept for its history of use. NULL:
 * there is none. Also update the longest gap, if it has looked at all roots.
 */
static struct ppgtt_table *pdrop_find(struct ppgtt *ppgtt, u32 idle_ms)
{
	struct ppgtt_table *root, *best = NULL;
	u64 now = ppgtt_now_ms(), most = 0, gap = 0, ms;
	bool best_empty = true, empty;
	u32 n = 0;

	list_for_each_entry(root, &ppgtt->roots, link) {
		ms = pdrop_idle_ms(root, now);
		/* Those in use do not count: they must not hide all others. */
		if (ms && ++n > PDROP_ROOTS)
			return best;
		gap = max(gap, root->use.gap_ms);
		if (ms <= idle_ms)
			continue;
		empty = pdrop_is_empty(root);
		if (empty == best_empty ? ms <= most : empty)
			continue;
		best = root;
		most = ms;
		best_empty = empty;
	}
	WRITE_ONCE(ppgtt->longest_gap_ms, gap);
	return best;
}

/*
 * May ppgtt_drop_some() find something to drop? Without the lock the answer may be stale. What is
 * dying goes whatever @idle_ms is.
 */
bool ppgtt_may_drop(const struct ppgtt *ppgtt, u32 idle_ms)
{
	u64 oldest = READ_ONCE(ppgtt->oldest_ms), gap = READ_ONCE(ppgtt->longest_gap_ms);

	return !list_empty(&ppgtt->dying) ||
	       gslot_reclaim_most_idle_ms(oldest, gap, ppgtt_now_ms()) >= idle_ms;
}

/* Find a random root with a predicted idle time of more than @idle_ms. */
static struct ppgtt_table *pdrop_find_random(struct ppgtt *ppgtt, u32 idle_ms)
{
	struct ppgtt_table *root;
	u64 now = ppgtt_now_ms();
	u32 count = 0;

	list_for_each_entry(root, &ppgtt->roots, link)
		count += pdrop_idle_ms(root, now) > idle_ms;
	if (!count)
		return NULL;
	count = get_random_u32() % count;
	list_for_each_entry(root, &ppgtt->roots, link)
		if (pdrop_idle_ms(root, now) > idle_ms && !count--)
			return root;
	return NULL;
}

/* Clear the entries of a directory that name the same table as entry @i does, from there on. */
static void pdrop_step(struct ppgtt *ppgtt, struct ppgtt_table *table, u32 i)
{
	const void *target = table->target[i];

	for (; i < GEN_PTES_PER_PAGE && table->target[i] == target; i++)
		ppgtt_clear_entry(ppgtt, table, i);
}

/*
 * Which table of a directory is dropped: the first one, or @random. Return: the entry where it
 * begins; GEN_PTES_PER_PAGE: the directory is empty.
 */
static u32 pdrop_choose(const struct ppgtt_table *table, bool random)
{
	u32 from = random ? get_random_u32() % GEN_PTES_PER_PAGE : 0;
	u32 i = find_next_bit(table->steps, GEN_PTES_PER_PAGE, from);

	return i < GEN_PTES_PER_PAGE ? i : find_first_bit(table->steps, GEN_PTES_PER_PAGE);
}

/*
 * How many pages the table names that is freed with an entry of a directory. Entries in a row that
 * name the same page count once: drivers let all unused entries name one.
 */
static u32 pdrop_count_pages(const struct ppgtt_table *child)
{
	u32 i, count = 0;

	if (child->level || child->refs > 1)
		return 0;
	for (i = 0; i < GEN_PTES_PER_PAGE; i++)
		count += child->target[i] && (!i || child->target[i] != child->target[i - 1]);
	return count;
}

/* A table of a root is about to be dropped: the root needs its pages when it runs again. */
static void pdrop_note_dropped(struct ppgtt *ppgtt, struct ppgtt_table *root,
			       const struct ppgtt_table *child)
{
	struct gslot_exec_dropped *dropped = ppgtt->cfg->dropped;
	u32 count;

	if (!root->whole)
		return;
	count = pdrop_count_pages(child);
	root->dropped += count;
	WRITE_ONCE(dropped->away, dropped->away + count);
}

/* An empty root is about to be dropped: note its pages instead of those of the oldest one. */
static void pdrop_note_dropped_root(struct ppgtt *ppgtt, struct ppgtt_table *root)
{
	struct gslot_exec_dropped *dropped = ppgtt->cfg->dropped;
	struct ppgtt_dropped_root *noted;

	noted = &ppgtt->dropped_root[ppgtt->next_dropped_root++ % PPGTT_DROPPED_ROOTS];
	WRITE_ONCE(dropped->away, dropped->away - noted->pages);
	*noted = (struct ppgtt_dropped_root) { .gfn = root->gfn, .pages = root->dropped };
	root->dropped = 0;
}

/*
 * Forget the dropped roots that had their PML4 in the @count pages from @gfn on. Return: how many
 * pages these roots had; they still count as away.
 */
u64 ppgtt_take_dropped(struct ppgtt *ppgtt, u64 gfn, u64 count)
{
	u64 pages = 0;
	u32 i;

	lockdep_assert_held(&ppgtt->cfg->lock->mutex);
	for (i = 0; i < PPGTT_DROPPED_ROOTS; i++) {
		struct ppgtt_dropped_root *noted = &ppgtt->dropped_root[i];

		if (noted->gfn - gfn >= count)
			continue;
		pages += noted->pages;
		noted->pages = 0;
	}
	return pages;
}

/* Forget these roots, and count their pages as away no more. */
void ppgtt_forget_dropped(struct ppgtt *ppgtt, u64 gfn, u64 count)
{
	struct gslot_exec_dropped *dropped = ppgtt->cfg->dropped;

	WRITE_ONCE(dropped->away, dropped->away - ppgtt_take_dropped(ppgtt, gfn, count));
}

/*
 * Drop a chunk of a root. A table that other entries name as well may be in use by another root:
 * only references to it are dropped, and the next one in that directory is tried. So each call
 * frees a table, or empties a directory. Return: false if the root is empty.
 */
static bool pdrop_chunk(struct ppgtt *ppgtt, struct ppgtt_table *root, bool random)
{
	struct ppgtt_table *table = root, *child;
	u32 i;

	gslot_guestmem_note_progress(ppgtt->cfg->mem);
	while (list_empty(&ppgtt->dying)) {
		i = pdrop_choose(table, random);
		if (i == GEN_PTES_PER_PAGE)
			return table != root;
		/* A submission that has compared it, and was interrupted, compares it again. */
		table->generation = ppgtt->generation - 1;
		child = table->target[i];
		if (child->level && child->refs == 1 && !pdrop_is_empty(child)) {
			table = child;
			continue;
		}
		pdrop_note_dropped(ppgtt, root, child);
		pdrop_step(ppgtt, table, i);
	}
	return true;
}

/*
 * Drop chunks, for about @trim->pages, of roots that are idle for as long as @trim says, or empty
 * roots if there is nothing else; no more than a few. Return: whether any was dropped; then there
 * may be more.
 */
bool ppgtt_drop_some(struct ppgtt *ppgtt, const struct gslot_exec_trim *trim)
{
	u32 n, chunks = DIV_ROUND_UP(trim->pages, GEN_PTES_PER_PAGE);
	struct ppgtt_table *root = NULL;

	lockdep_assert_held(&ppgtt->cfg->lock->mutex);
	for (n = 0; n < PDROP_TABLES; n++) {
		if (!list_empty(&ppgtt->dying)) {
			ppgtt_reap_one(ppgtt);
			continue;
		}
		if (!root && chunks)
			root = trim->random ? pdrop_find_random(ppgtt, trim->idle_ms) :
					      pdrop_find(ppgtt, trim->idle_ms);
		if (!root || !chunks || (trim->keeps_empty && pdrop_is_empty(root)))
			break;
		chunks--;
		if (pdrop_is_empty(root)) {
			if (root->dropped)
				pdrop_note_dropped_root(ppgtt, root);
			ppgtt_drop_root(ppgtt, root);
			root = NULL;
			continue;
		}
		pdrop_chunk(ppgtt, root, trim->random);
		if (trim->random || pdrop_is_empty(root))
			root = NULL;
	}
	ppgtt_flush_garbage(ppgtt);
	return n;
}

/*
 * How many pages were dropped from roots that are kept, or will be used soon, among those most
 * recently used. A page that is pinned again counts until its root runs.
 */
u64 ppgtt_dropped_pages(const struct ppgtt *ppgtt)
{
	const struct ppgtt_table *root;
	u64 now = ppgtt_now_ms(), pages = 0;
	u32 n = 0;

	lockdep_assert_held(&ppgtt->cfg->lock->mutex);
	list_for_each_entry_reverse(root, &ppgtt->roots, link) {
		if (n++ == PDROP_ROOTS)
			break;
		if (root->kept || gslot_reclaim_idle_ms(&root->use, now) < PDROP_WORKING_MS)
			pages += root->dropped;
	}
	return pages;
}

/* Drop the least recently used root that is not in use. Return: whether there was one. */
bool ppgtt_drop_one_root(struct ppgtt *ppgtt)
{
	struct ppgtt_table *root;

	lockdep_assert_held(&ppgtt->cfg->lock->mutex);
	list_for_each_entry(root, &ppgtt->roots, link) {
		if (root->users || root->kept)
			continue;
		ppgtt_drop_root(ppgtt, root);
		return true;
	}
	return false;
}

/* Drop a few tables of any roots that are not in use. Return: whether there was one. */
bool ppgtt_drop_roots(struct ppgtt *ppgtt)
{
	u32 n;

	lockdep_assert_held(&ppgtt->cfg->lock->mutex);
	ppgtt_forget_dropped(ppgtt, 0, U64_MAX);
	for (n = 0; n < PDROP_TABLES; n++) {
		if (!list_empty(&ppgtt->dying))
			ppgtt_reap_one(ppgtt);
		else if (!ppgtt_drop_one_root(ppgtt))
			break;
	}
	ppgtt_flush_garbage(ppgtt);
	return n;
}
