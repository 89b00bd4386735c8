/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The physical GGTT entries that vGPUs share: core/gtt/residency and core/place/loading, with entries
 * behind them.
 */
#ifndef _GSLOT_GM_RUNS_H
#define _GSLOT_GM_RUNS_H

#include <linux/mutex.h>

#include "core/place/loading.h"

struct gslot_hw;
struct seq_file;

/* Entries that are written in one step, when vGPUs have places. */
#define GSLOT_LOADING_PTES	(GSLOT_LOADING_MAX * GSLOT_UNIT_PAGES)

/**
 * struct gslot_runs_stats - for debugfs
 * @written: entries written, those that were cleared included
 * @flushes: how often that was made visible
 * @low: entries written as a vGPU was to get the GPU, of low graphics memory
 * @high: of high graphics memory
 * @ahead: of both, before its turn
 * @loads: times that some were, as it got it
 * @load_ns: how long these took
 */
struct gslot_runs_stats {
	u64 written;
	u64 flushes;
	u64 low;
	u64 high;
	u64 ahead;
	u64 loads;
	u64 load_ns;
};

/**
 * struct gslot_runs - the shared entries of one GPU
 * @hw: the GPU
 * @first: the first entry of the first run
 * @lock: protects all below, and the entries themselves
 * @entries: how many entries all runs have together
 * @stride: entries of a run
 * @residency: whose unit is where
 * @loading: by what rule; changed while all vGPUs stand still
 * @ptes: scratch
 * @unflushed: entries were written that the GPU may not see yet
 * @stats: counters
 */
struct gslot_runs {
	struct gslot_hw *hw;
	u32 first;
	struct mutex lock;	/* see gpu.c */
	u32 entries;
	u32 stride;
	struct gslot_residency residency;
	struct gslot_loading loading;
	u64 *ptes;
	bool unflushed;
	struct gslot_runs_stats stats;
};

int gslot_runs_init(struct gslot_runs *runs, struct gslot_hw *hw);
void gslot_runs_fini(struct gslot_runs *runs);
void gslot_runs_set_rule(struct gslot_runs *runs, const struct gslot_loading_rule *rule);
int gslot_runs_set_host(struct gslot_runs *runs, u32 count);
u32 gslot_runs_slots(const struct gslot_runs *runs);
void gslot_runs_write(struct gslot_runs *runs, u32 run, u32 index, const u64 *ptes, u32 count);
void gslot_runs_clear(struct gslot_runs *runs, u32 run);
void gslot_runs_flush(struct gslot_runs *runs);
void gslot_runs_show_use(struct gslot_runs *runs, struct seq_file *m);
void gslot_runs_show_work(struct gslot_runs *runs, struct seq_file *m);

/* How the entries are shared, for people. */
static inline const char *gslot_runs_policy(const struct gslot_runs *runs)
{
	return runs->loading.rule ? runs->loading.rule->name : "cached";
}

/* Its first entry. */
static inline u32 gslot_runs_entry(const struct gslot_runs *runs, u32 run)
{
	return runs->first + run * runs->stride;
}

#endif
