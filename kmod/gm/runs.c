// SPDX-License-Identifier: GPL-2.0
/*
 * The shared entries: runs in the part of high graphics memory that the host does not keep
 * (docs/graphics-memory.md, "Residency"). A run may still show pages of the vGPU that had it
 * before. So all of its entries are written when it is given, and flushed before one of these,
 * whichever comes first: a command that names them is queued or executed, or a page that they
 * showed is released.
 */
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "runs.h"
#include "hw/hw.h"
#include "gen/gtt.h"

/* A run has one entry more than a unit has pages, but with places (core/place/loading.h). */
static void runs_lay_out(struct gslot_runs *runs, struct gslot_copy_policy *policy,
			 struct gslot_run *all)
{
	u32 last = gslot_hw_ggtt_host_first(runs->hw) >> GEN_PAGE_SHIFT;

	runs->entries = last - runs->first;
	runs->stride = policy ? GSLOT_UNIT_PAGES : GSLOT_RUN_ENTRIES;
	runs->policy = policy;
	gslot_residency_init(&runs->residency, all, runs->entries / runs->stride);
}

/**
 * gslot_runs_init() - divide a GPU's graphics memory into runs
 * @runs: to be initialised: the copy policy is `cached`
 * @hw: the GPU
 *
 * Return: 0 or -ENOMEM.
 * Context: may sleep.
 */
int gslot_runs_init(struct gslot_runs *runs, struct gslot_hw *hw)
{
	u32 first = GEN_LOW_GM_SIZE >> GEN_PAGE_SHIFT;
	u32 all_entries = (gslot_hw_ggtt_size(hw) >> GEN_PAGE_SHIFT) - first;
	struct gslot_run *all;

	*runs = (struct gslot_runs) { .hw = hw, .first = first };
	/* The driver core reports the error; a call trace would say no more. */
	all = kvmalloc_array(all_entries / GSLOT_UNIT_PAGES, sizeof(*all),
			     GFP_KERNEL | __GFP_NOWARN);
	if (!all)
		return -ENOMEM;
	runs_lay_out(runs, NULL, all);
	mutex_init(&runs->lock);
	return 0;
}

/**
 * gslot_runs_fini() - undo gslot_runs_init()
 * @runs: no run is in use
 *
 * Context: may sleep.
 */
void gslot_runs_fini(struct gslot_runs *runs)
{
	WARN_ON(runs->residency.clients);
	mutex_destroy(&runs->lock);
	kvfree(runs->residency.runs);
}

/* The caller holds gslot_runs.lock. */
static void runs_lay_out_again(struct gslot_runs *runs, struct gslot_copy_policy *policy)
{
	u32 clients = runs->residency.clients;

	WARN_ON(runs->residency.resident || runs->residency.held);
	runs_lay_out(runs, policy, runs->residency.runs);
	runs->residency.clients = clients;
}

/**
 * gslot_runs_set_copy_policy() - change how the entries are shared
 * @runs: the shared entries; nothing is resident or held
 * @policy: the copy policy; NULL: residency is a cache
 *
 * Context: may sleep; all vGPUs are quiesced.
 */
void gslot_runs_set_copy_policy(struct gslot_runs *runs, struct gslot_copy_policy *policy)
{
	mutex_lock(&runs->lock);
	runs_lay_out_again(runs, policy);
	mutex_unlock(&runs->lock);
}

/**
 * gslot_runs_set_host() - move the border between what the host keeps and the shared entries
 * @runs: the shared entries
 * @count: how many entries the host keeps: not fewer than it uses
 *
 * Return: 0; or -EBUSY if something is resident.
 * Context: may sleep; no vGPU is open.
 */
int gslot_runs_set_host(struct gslot_runs *runs, u32 count)
{
	int ret = -EBUSY;

	mutex_lock(&runs->lock);
	if (!runs->residency.resident && !runs->residency.held) {
		gslot_hw_ggtt_set_host(runs->hw, count);
		runs_lay_out_again(runs, runs->policy);
		ret = 0;
	}
	mutex_unlock(&runs->lock);
	return ret;
}

/**
 * gslot_runs_write() - write entries of a run
 * @runs: the shared entries
 * @run: which run
 * @index: the first one, within the run
 * @ptes: what to write
 * @count: how many
 *
 * Context: gslot_runs.lock is held.
 */
void gslot_runs_write(struct gslot_runs *runs, u32 run, u32 index, const u64 *ptes, u32 count)
{
	lockdep_assert_held(&runs->lock);
	gslot_hw_ggtt_write(runs->hw, gslot_runs_entry(runs, run) + index, ptes, count);
	runs->written += count;
	runs->unflushed = true;
}

/**
 * gslot_runs_clear() - let a run that is about to be free show no guest's page
 * @runs: the shared entries
 * @run: which run
 *
 * Context: gslot_runs.lock is held.
 */
void gslot_runs_clear(struct gslot_runs *runs, u32 run)
{
	lockdep_assert_held(&runs->lock);
	gslot_hw_ggtt_clear(runs->hw, gslot_runs_entry(runs, run), runs->stride);
	runs->written += runs->stride;
	runs->unflushed = true;
}

/**
 * gslot_runs_flush() - make entries written since the last flush visible to the GPU
 * @runs: the shared entries
 *
 * Context: gslot_runs.lock is held.
 */
void gslot_runs_flush(struct gslot_runs *runs)
{
	lockdep_assert_held(&runs->lock);
	if (!runs->unflushed)
		return;
	gslot_hw_ggtt_flush(runs->hw);
	runs->unflushed = false;
	runs->flushes++;
}

/**
 * gslot_runs_show_use() - how many runs are in use, for debugfs
 * @runs: the shared entries
 * @m: where to print
 *
 * Context: may sleep.
 */
void gslot_runs_show_use(struct gslot_runs *runs, struct seq_file *m)
{
	const struct gslot_residency *r = &runs->residency;

	mutex_lock(&runs->lock);
	seq_printf(m, "copy_policy: %s\n", gslot_runs_policy(runs));
	seq_printf(m, "runs: %u\nrun_pages: %u\nclients: %u\n", r->count, GSLOT_UNIT_PAGES,
		   r->clients);
	seq_printf(m, "runs_resident: %u\nruns_held: %u\n", r->resident, r->held);
	mutex_unlock(&runs->lock);
}

/**
 * gslot_runs_show_work() - how many entries were written, for debugfs
 * @runs: the shared entries
 * @m: where to print
 *
 * Context: may sleep.
 */
void gslot_runs_show_work(struct gslot_runs *runs, struct seq_file *m)
{
	mutex_lock(&runs->lock);
	seq_printf(m, "entries_written: %llu\nflushes: %llu\n", runs->written, runs->flushes);
	mutex_unlock(&runs->lock);
}
