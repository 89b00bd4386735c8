// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: the dirty log of page tables
 *
 * The GPU sets no dirty bits in page tables of these generations. So all pages that a context could
 * have written count as written: those that a page table names, with write permission, below a root
 * that was in use since they were reported last.
 *
 * A table has a round, 0 or the number of a report: 0 if no root above it was in use since its
 * pages became dirty. All tables below a root in use have a round. They get that of the next report
 * when the root is about to be used, when an entry makes them reachable, and in each report while
 * the root is in use. In a report pages become dirty that are named by tables with the round of an
 * earlier one. So are those of an entry that changes, at once, if its table has a round.
 */
#include <linux/xarray.h>

#include "ppgtt_priv.h"

/* The next report begins, or the log. */
void ppgtt_log_next_round(struct ppgtt *ppgtt)
{
	lockdep_assert_held(&ppgtt->cfg->lock->mutex);
	ppgtt->logging = true;
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
	return gslot_vgpu_lock_contended(ppgtt->cfg->lock) ? -EINTR : 0;
}

/*
 * Have dirty what was written by page tables until the round began. @key: 0, and as it is left by a
 * call that is interrupted. Return: 0; -EINTR if the lock is contended: then the rest is left.
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
		if (!table->log_round || table->log_round == ppgtt->log_round)
			continue;
		plog_set_dirty(table);
		table->log_round = 0;
		if (gslot_vgpu_lock_contended(ppgtt->cfg->lock))
			return -EINTR;
	}
	return 0;
}
