/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The physical GGTT entries that vGPUs share: core/residency, with entries behind it.
 */
#ifndef _GSLOT_GM_RUNS_H
#define _GSLOT_GM_RUNS_H

#include <linux/mutex.h>

#include "../core/residency.h"

struct gslot_hw;
struct seq_file;

/**
 * struct gslot_runs - the shared entries of one GPU
 * @hw: the GPU
 * @first: the first entry of the first run
 * @lock: protects all below, and the entries themselves
 * @residency: whose unit is where
 * @unflushed: entries were written that the GPU may not see yet
 * @written: entries written, for debugfs
 * @flushes: how often that was made visible
 */
struct gslot_runs {
	struct gslot_hw *hw;
	u32 first;
	struct mutex lock;	/* see gpu.c */
	struct gslot_residency residency;
	bool unflushed;
	u64 written;
	u64 flushes;
};

int gslot_runs_init(struct gslot_runs *runs, struct gslot_hw *hw);
void gslot_runs_fini(struct gslot_runs *runs);
void gslot_runs_write(struct gslot_runs *runs, u32 run, u32 index, const u64 *ptes, u32 count);
void gslot_runs_clear(struct gslot_runs *runs, u32 run);
void gslot_runs_flush(struct gslot_runs *runs);
void gslot_runs_show_use(struct gslot_runs *runs, struct seq_file *m);
void gslot_runs_show_work(struct gslot_runs *runs, struct seq_file *m);

/* Its first entry. */
static inline u32 gslot_runs_entry(const struct gslot_runs *runs, u32 run)
{
	return runs->first + run * GSLOT_RUN_ENTRIES;
}

#endif
