/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The physical GGTT entries that vGPUs share: what core/gtt/residency.h manages.
 */
#ifndef _GSLOT_GM_RUNS_H
#define _GSLOT_GM_RUNS_H

#include <linux/mutex.h>

#include "base/copy_policy.h"
#include "core/gtt/residency.h"

struct gslot_hw;
struct seq_file;

/* The shared entries of one GPU. */
struct gslot_runs {
	struct gslot_hw *hw;
	u32 first;			/* the first entry of the first run */
	struct mutex lock;		/* protects all below, and the entries themselves */
	u32 entries;			/* entries of all runs together */
	u32 stride;			/* entries of a run */
	struct gslot_residency residency; /* which unit is in which run */
	/*
	 * NULL: residency is a cache. Changed while all vGPUs are quiesced, so a vGPU's lock is
	 * enough to read it
	 */
	struct gslot_copy_policy *policy;
	bool unflushed;			/* entries were written that the GPU may not see yet */
	u64 written;			/* entries written, cleared ones included; for debugfs */
	u64 flushes;			/* flushes of written entries; for debugfs */
};

int gslot_runs_init(struct gslot_runs *runs, struct gslot_hw *hw);
void gslot_runs_fini(struct gslot_runs *runs);
void gslot_runs_set_copy_policy(struct gslot_runs *runs, struct gslot_copy_policy *policy);
int gslot_runs_set_host(struct gslot_runs *runs, u32 count);
void gslot_runs_write(struct gslot_runs *runs, u32 run, u32 index, const u64 *ptes, u32 count);
void gslot_runs_clear(struct gslot_runs *runs, u32 run);
void gslot_runs_flush(struct gslot_runs *runs);
void gslot_runs_show_use(struct gslot_runs *runs, struct seq_file *m);
void gslot_runs_show_work(struct gslot_runs *runs, struct seq_file *m);

/* Return: the name of the copy policy. */
static inline const char *gslot_runs_policy(const struct gslot_runs *runs)
{
	return runs->policy ? runs->policy->name : "cached";
}

/* Return: the first entry of a run. */
static inline u32 gslot_runs_entry(const struct gslot_runs *runs, u32 run)
{
	return runs->first + run * runs->stride;
}

#endif
