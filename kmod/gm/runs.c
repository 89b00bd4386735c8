// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: the shared entries
 *
 * All of high graphics memory that the host does not keep for itself is runs of entries,
 * which vGPUs are given as their commands need them (core/gtt/residency), or as they get the GPU
 * (core/place/loading). Who has given up a run may still stand in its entries when another is given
 * it: so they are written then, all of them, and flushed before a command that names them is
 * queued, or executed, or a page that stood there is let go of, whichever comes first.
 */
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "runs.h"
#include "hw/hw.h"
#include "gen/gtt.h"

/* One layout has runs of a unit's pages, the other of one entry more. */
static void lay_out(struct gslot_runs *runs, const struct gslot_loading_rule *rule,
		    struct gslot_run *all)
{
	u32 last = gslot_hw_ggtt_host_first(runs->hw) >> GEN_PAGE_SHIFT;

	runs->entries = last - runs->first;
	runs->stride = rule ? GSLOT_UNIT_PAGES : GSLOT_RUN_ENTRIES;
	gslot_residency_init(&runs->residency, all, runs->entries / runs->stride);
	gslot_loading_init(&runs->loading, rule, &runs->residency);
}

/**
 * gslot_runs_init() - cut a GPU's graphics memory into runs
 * @runs: to be initialised: residency is a cache
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
	/* The driver core says what the error is; no call trace for that. */
	all = kvmalloc_array(all_entries / GSLOT_UNIT_PAGES, sizeof(*all),
			     GFP_KERNEL | __GFP_NOWARN);
	runs->ptes = kmalloc_array(GSLOT_LOADING_PTES, sizeof(*runs->ptes),
				   GFP_KERNEL | __GFP_NOWARN);
	if (!all || !runs->ptes) {
		kfree(runs->ptes);
		kvfree(all);
		return -ENOMEM;
	}
	lay_out(runs, NULL, all);
	mutex_init(&runs->lock);
	return 0;
}

/**
 * gslot_runs_fini() - undo gslot_runs_init()
 * @runs: nothing is anybody's
 *
 * Context: may sleep.
 */
void gslot_runs_fini(struct gslot_runs *runs)
{
	WARN_ON(runs->residency.clients);
	mutex_destroy(&runs->lock);
	kfree(runs->ptes);
	kvfree(runs->residency.runs);
}

/* Lock held. */
static void lay_out_again(struct gslot_runs *runs, const struct gslot_loading_rule *rule)
{
	u32 clients = runs->residency.clients;

	WARN_ON(runs->residency.resident || runs->residency.held);
	lay_out(runs, rule, runs->residency.runs);
	runs->residency.clients = clients;
}

/**
 * gslot_runs_set_rule() - share the entries in another way
 * @runs: the shared entries; nothing is resident, or held, and nobody has a place
 * @rule: by what rule they are loaded; NULL: residency is a cache
 *
 * Context: may sleep; all vGPUs stand still.
 */
void gslot_runs_set_rule(struct gslot_runs *runs, const struct gslot_loading_rule *rule)
{
	mutex_lock(&runs->lock);
	lay_out_again(runs, rule);
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
		lay_out_again(runs, runs->loading.rule);
		ret = 0;
	}
	mutex_unlock(&runs->lock);
	return ret;
}

/**
 * gslot_runs_slots() - how many slots of high graphics memory would there be, or are there?
 * @runs: the shared entries
 *
 * Return: how many.
 * Context: any.
 */
u32 gslot_runs_slots(const struct gslot_runs *runs)
{
	return gslot_loading_slots(runs->entries / GSLOT_UNIT_PAGES);
}

/**
 * gslot_runs_write() - write entries of a run
 * @runs: the shared entries
 * @run: which run
 * @index: the first one, within the run
 * @ptes: what to write
 * @count: how many
 *
 * Context: the lock is held.
 */
void gslot_runs_write(struct gslot_runs *runs, u32 run, u32 index, const u64 *ptes, u32 count)
{
	lockdep_assert_held(&runs->lock);
	gslot_hw_ggtt_write(runs->hw, gslot_runs_entry(runs, run) + index, ptes, count);
	runs->stats.written += count;
	runs->unflushed = true;
}

/**
 * gslot_runs_clear() - let a run that is to be nobody's show nobody's page
 * @runs: the shared entries
 * @run: which run
 *
 * Context: the lock is held.
 */
void gslot_runs_clear(struct gslot_runs *runs, u32 run)
{
	lockdep_assert_held(&runs->lock);
	gslot_hw_ggtt_clear(runs->hw, gslot_runs_entry(runs, run), runs->stride);
	runs->stats.written += runs->stride;
	runs->unflushed = true;
}

/**
 * gslot_runs_flush() - what was written is what the GPU sees
 * @runs: the shared entries
 *
 * Whoever wrote it. Costs nothing if nobody did.
 * Context: the lock is held.
 */
void gslot_runs_flush(struct gslot_runs *runs)
{
	lockdep_assert_held(&runs->lock);
	if (!runs->unflushed)
		return;
	gslot_hw_ggtt_flush(runs->hw);
	runs->unflushed = false;
	runs->stats.flushes++;
}

/**
 * gslot_runs_show_use() - what of them is somebody's, for debugfs
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
 * gslot_runs_show_work() - what was done with them, for debugfs
 * @runs: the shared entries
 * @m: where to print
 *
 * Context: may sleep.
 */
void gslot_runs_show_work(struct gslot_runs *runs, struct seq_file *m)
{
	struct gslot_runs_stats s;

	mutex_lock(&runs->lock);
	s = runs->stats;
	mutex_unlock(&runs->lock);
	seq_printf(m, "entries_written: %llu\nflushes: %llu\n", s.written, s.flushes);
	seq_printf(m, "entries_low: %llu\nentries_high: %llu\nentries_ahead: %llu\n", s.low,
		   s.high, s.ahead);
	seq_printf(m, "loads: %llu\nload_ns: %llu\n", s.loads, s.load_ns);
}
