// SPDX-License-Identifier: GPL-2.0
/*
 * Runs of page table entries. A driver binds memory in ranges, so most entries have the value of
 * the one before, or name the next page.
 */
#include "stream.h"
#include "gen/gtt.h"

/**
 * gslot_run_count() - number of entries in a run
 * @run: the run
 *
 * Return: their number.
 */
u32 gslot_run_count(const struct gslot_mig_run *run)
{
	return run->count & ~GSLOT_MIG_RUN_ASCENDING;
}

/**
 * gslot_run_pte() - an entry of a run
 * @run: a run that gslot_run_valid() accepts
 * @i: which of its entries
 *
 * Return: the entry.
 */
u64 gslot_run_pte(const struct gslot_mig_run *run, u32 i)
{
	return run->count & GSLOT_MIG_RUN_ASCENDING ? run->pte + ((u64)i << GEN_PAGE_SHIFT) :
						      run->pte;
}

/**
 * gslot_run_valid() - check a run of a stream
 * @run: the run
 * @from: the first entry that it may have: entries are in ascending order
 * @limit: the number of entries that there are
 *
 * Return: true if all of it is in between, and its values do not overflow.
 */
bool gslot_run_valid(const struct gslot_mig_run *run, u32 from, u32 limit)
{
	u32 count = gslot_run_count(run);

	if (run->entry < from || run->entry >= limit || !count || count > limit - run->entry)
		return false;
	return !(run->count & GSLOT_MIG_RUN_ASCENDING) ||
	       run->pte <= U64_MAX - ((u64)(count - 1) << GEN_PAGE_SHIFT);
}

/* Does an entry with the value @pte continue a run? */
static bool runs_continues(const struct gslot_mig_run *run, u32 entry, u64 pte)
{
	u32 count = gslot_run_count(run);

	if (entry != run->entry + count)
		return false;
	if (count == 1)
		return pte == run->pte || (pte > run->pte &&
					   pte - run->pte == (u64)GEN_PAGE_SIZE);
	if (!(run->count & GSLOT_MIG_RUN_ASCENDING))
		return pte == run->pte;
	return pte > run->pte && pte - run->pte == (u64)count << GEN_PAGE_SHIFT;
}

/**
 * gslot_runs_add() - add an entry to a list of runs
 * @runs: the list
 * @count: number of runs
 * @room: the largest number of runs
 * @entry: the entry; above all that were added before
 * @pte: its value
 *
 * Return: false if there is no room for it.
 */
bool gslot_runs_add(struct gslot_mig_run *runs, u32 *count, u32 room, u32 entry, u64 pte)
{
	struct gslot_mig_run *last = *count ? &runs[*count - 1] : NULL;

	if (last && runs_continues(last, entry, pte)) {
		if (pte != last->pte)
			last->count |= GSLOT_MIG_RUN_ASCENDING;
		last->count++;
		return true;
	}
	if (*count == room)
		return false;
	runs[(*count)++] = (struct gslot_mig_run) { .entry = entry, .count = 1, .pte = pte };
	return true;
}
