// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: the dirty log of page tables
 *
 * The GPU sets no dirty bits in page tables of these generations. So all pages that a context could
 * have written count as written: those that a page table names, with write permission, below a root
 * that was in use since they were reported last.
 *
 * log_round of a table is 0 if its pages cannot have been written since they became dirty. Else it
 * is the number of the report that had begun last when the table became reachable from a root about
 * to be used, or when it was last found below a root in use. A report makes the pages dirty that
 * tables with an older number name. Then it renews the number below roots in use, and clears it
 * elsewhere. A table that is used again while a report has released the lock gets the present
 * number; log_older says that it had an older one. When an entry changes of a table with a number,
 * its old page becomes dirty at once.
 */
#include <linux/xarray.h>

#include "ppgtt_priv.h"

/* The next report begins. */
void ppgtt_log_next_round(struct ppgtt *ppgtt)
{
	lockdep_assert_held(&ppgtt->cfg->lock->mutex);
	if (!++ppgtt->log_round)
		ppgtt->log_round++;
}

/* A table, and those below it, are about to be used. */
void ppgtt_log_reached(struct ppgtt *ppgtt, struct ppgtt_table *table)
{
	u32 i;

	lockdep_assert_held(&ppgtt->cfg->lock->mutex);
	if (!ppgtt->logging || table->log_round == ppgtt->log_round)
		return;
	for_each_set_bit(i, table->steps, GEN_PTES_PER_PAGE)
		ppgtt_log_reached(ppgtt, table->target[i]);
	/* The report under way may not have come to it yet. */
	table->log_older |= table->log_round != 0;
	table->log_round = ppgtt->log_round;
}

static void plog_set_dirty(const struct ppgtt_table *table)
{
	u32 i;

	if (table->level)
		return;
	for (i = 0; i < GEN_PTES_PER_PAGE; i++)
		if (table->target[i] && table->entries[i] & GEN_PTE_RW)
			gslot_guest_page_set_dirty(table->target[i]);
}

/* Pages below a table in use are dirty, and may be written after that as well. */
static int plog_collect_used(struct ppgtt *ppgtt, struct ppgtt_table *table)
{
	u32 i;
	int ret;

	if (table->log_round == ppgtt->log_round)
		return 0;
	for_each_set_bit(i, table->steps, GEN_PTES_PER_PAGE) {
		ret = plog_collect_used(ppgtt, table->target[i]);
		if (ret)
			return ret;
	}
	plog_set_dirty(table);
	table->log_round = ppgtt->log_round;
	cond_resched();
	return gslot_vgpu_lock_contended(ppgtt->cfg->lock) ? -EINTR : 0;
}

/* Return: 0, or -EINTR if the lock is contended after that. */
static int plog_collect_unused(struct ppgtt *ppgtt, struct ppgtt_table *table)
{
	bool present = table->log_round == ppgtt->log_round;

	if (!table->log_older && (present || !table->log_round))
		return 0;
	plog_set_dirty(table);
	table->log_older = false;
	if (!present)
		table->log_round = 0;
	cond_resched();
	return gslot_vgpu_lock_contended(ppgtt->cfg->lock) ? -EINTR : 0;
}

/*
 * Mark dirty what was written by page tables until the round began. @key: 0 at first; a call that
 * is interrupted leaves in it where to go on. Return: 0; -EINTR if the lock is contended: then the
 * rest is left.
 */
int ppgtt_log_collect(struct ppgtt *ppgtt, unsigned long *key)
{
	struct ppgtt_table *table;
	int ret;

	lockdep_assert_held(&ppgtt->cfg->lock->mutex);
	list_for_each_entry(table, &ppgtt->roots, link) {
		ret = table->users ? plog_collect_used(ppgtt, table) : 0;
		if (ret)
			return ret;
	}
	xa_for_each_start(&ppgtt->tables, *key, table, *key) {
		ret = plog_collect_unused(ppgtt, table);
		if (ret)
			return ret;
	}
	/* Those that are dying are in neither, and may stay so while the worker is parked. */
	list_for_each_entry(table, &ppgtt->dying, link) {
		ret = plog_collect_unused(ppgtt, table);
		if (ret)
			return ret;
	}
	return 0;
}
