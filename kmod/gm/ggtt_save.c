// SPDX-License-Identifier: GPL-2.0
/*
 * The guest's PTEs, for a migration: as the guest wrote them, synced or not. An entry is named by
 * its graphics address, in pages.
 */
#include <linux/mm.h>

#include "ggtt_priv.h"
#include "core/stream/stream.h"

#define LIMIT	((u32)GEN_GGTT_ENTRIES)

/*
 * Add to a list of runs what a table of graphics addresses has, from the *@i-th PTE on, where it is
 * not as in @was; NULL: all zeros. Return: false if there is no more room.
 */
bool gslot_ggtt_save_table(const u64 *ptes, const u64 *was, u32 table, u32 *i,
			   struct gslot_mig_run *runs, u32 *count, u32 room)
{
	u32 first = table * GEN_PTES_PER_PAGE;

	for (; *i < GEN_PTES_PER_PAGE; ++*i) {
		u64 pte = READ_ONCE(ptes[*i]);

		if (pte != (was ? was[*i] : 0) &&
		    !gslot_runs_add(runs, count, room, first + *i, pte))
			return false;
	}
	return true;
}

/* The same of the window's table that has *@entry. */
static bool save_table(const struct gslot_ggtt *ggtt, const struct gslot_ggtt_copy *sent,
		       u32 *entry, struct gslot_mig_run *runs, u32 *count, u32 room)
{
	const u64 *ptes = page_address(ggtt->tables[*entry / GEN_PTES_PER_PAGE]);
	u32 table = gslot_ggtt_page_of(ggtt, *entry) / GEN_PTES_PER_PAGE;
	u32 from = *entry % GEN_PTES_PER_PAGE, i = from;
	bool more;

	more = gslot_ggtt_save_table(ptes, sent ? sent->tables[table] : NULL, table, &i, runs,
				     count, room);
	*entry += i - from;
	return more;
}

/**
 * gslot_ggtt_save() - save PTEs
 * @ggtt: the private GGTT
 * @sent: what was sent of them before; NULL: nothing
 * @entry: in: how many entries of the window were saved; out: and are now
 * @runs: out: runs of those that are not as in @sent, or of those that are not 0
 * @room: the largest number of runs
 *
 * Return: number of runs; 0: all entries are saved.
 * Context: the vGPU's lock is held; may sleep.
 */
u32 gslot_ggtt_save(struct gslot_ggtt *ggtt, const struct gslot_ggtt_copy *sent, u32 *entry,
		    struct gslot_mig_run *runs, u32 room)
{
	u32 count = 0;
	bool more = true;

	lockdep_assert_held(&ggtt->cfg.lock->mutex);
	/* No run is of both low and high graphics memory. */
	while (more && *entry < ggtt->nr_entries && !(count && *entry == ggtt->nr_low)) {
		mutex_lock(&ggtt->map_lock);
		more = save_table(ggtt, sent, entry, runs, &count, room);
		mutex_unlock(&ggtt->map_lock);
		cond_resched();
	}
	return count;
}

/**
 * gslot_ggtt_count_runs() - how many runs would gslot_ggtt_save() save?
 * @ggtt: the private GGTT
 * @sent: what was sent of it before; NULL: nothing
 *
 * Return: their number; a run that ends with low graphics memory or with a record may be counted
 * once for two.
 * Context: may sleep, without the vGPU's lock.
 */
u32 gslot_ggtt_count_runs(struct gslot_ggtt *ggtt, const struct gslot_ggtt_copy *sent)
{
	struct gslot_mig_run run;
	u32 entry = 0, count = 0, runs = 0;
	bool more = true;

	while (more) {
		mutex_lock(&ggtt->map_lock);
		/* The size may change between two tables. */
		more = entry < ggtt->nr_entries;
		while (more && !save_table(ggtt, sent, &entry, &run, &count, 1)) {
			runs++;
			count = 0;
		}
		mutex_unlock(&ggtt->map_lock);
		cond_resched();
	}
	return runs + count;
}

static bool restore_in_window(const struct gslot_ggtt *ggtt, const struct gslot_mig_run *run)
{
	return gslot_window_has(&ggtt->cfg.window, (u64)run->entry << GEN_PAGE_SHIFT,
				(u64)gslot_run_count(run) << GEN_PAGE_SHIFT);
}

/* Write entries of a run from the @from-th on, in one table. Return: the first one behind. */
static u32 restore_table(struct gslot_ggtt *ggtt, const struct gslot_mig_run *run, u32 first,
			 u32 from)
{
	u32 table = (first + from) / GEN_PTES_PER_PAGE, i;
	u32 end = min(gslot_run_count(run), (table + 1) * GEN_PTES_PER_PAGE - first);
	u64 *ptes = page_address(ggtt->tables[table]);

	lockdep_assert_held(&ggtt->map_lock);
	for (i = from; i < end; i++)
		WRITE_ONCE(ptes[(first + i) % GEN_PTES_PER_PAGE], gslot_run_pte(run, i));
	__set_bit(table, ggtt->dirty);
	return end;
}

/*
 * A run lies in low or in high graphics memory, so its entries of the window are in a row, too.
 * Page faults wait for a table at most.
 */
static void restore_run(struct gslot_ggtt *ggtt, const struct gslot_mig_run *run)
{
	u32 first = gslot_ggtt_entry_of(ggtt, (u64)run->entry << GEN_PAGE_SHIFT), i = 0;

	while (i < gslot_run_count(run)) {
		mutex_lock(&ggtt->map_lock);
		i = restore_table(ggtt, run, first, i);
		mutex_unlock(&ggtt->map_lock);
		cond_resched();
	}
}

/**
 * gslot_ggtt_restore() - write PTEs, as the guest would
 * @ggtt: the private GGTT
 * @from: in: the first graphics page that may be named; out: the first one behind the runs
 * @runs: the runs, from elsewhere; they take effect with the next sync
 * @count: their number
 *
 * Return: 0; or -EINVAL if a run is malformed, out of order, or outside of the window: those before
 * it are written.
 * Context: the vGPU's lock is held; may sleep.
 */
int gslot_ggtt_restore(struct gslot_ggtt *ggtt, u32 *from, const struct gslot_mig_run *runs,
		       u32 count)
{
	u32 i;

	lockdep_assert_held(&ggtt->cfg.lock->mutex);
	for (i = 0; i < count; i++) {
		if (!gslot_run_valid(&runs[i], *from, LIMIT) || !restore_in_window(ggtt, &runs[i]))
			return -EINVAL;
		restore_run(ggtt, &runs[i]);
		*from = runs[i].entry + gslot_run_count(&runs[i]);
	}
	return 0;
}
