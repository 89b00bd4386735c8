/* SPDX-License-Identifier: GPL-2.0 */
/* What is measured of one set of vGPUs with one policy, and how it is told. */
#ifndef _BENCH_FAIR_MEASURE_H
#define _BENCH_FAIR_MEASURE_H

#include <stdio.h>

#include "client.h"

#define QUANTUM_MS	"2"
/*
 * With who never yields, the default by as much less as the quantum is. Others yield: but if the
 * machine does something else meanwhile, it may take them long.
 */
#define HOG_PATIENCE_US	80000
#define PATIENCE_US	1000000

/**
 * struct contender - a policy that is looked at
 * @name: for people
 * @policy: as the module calls it
 * @sold: caps are what each was sold, its share; else there are none
 */
struct contender {
	const char *name;
	const char *policy;
	bool sold;
};

/**
 * struct setup - what is measured
 * @set: which kind of set it is
 * @load: what those do that it is about
 * @weighted: weights are 4:2:1, around; else equal
 * @vgpus: how many
 * @loads: what each does
 * @window_us: for how long
 */
struct setup {
	const char *set;
	const char *load;
	bool weighted;
	u32 vgpus;
	const struct load *loads[MOST_CLIENTS];
	u64 window_us;
};

/**
 * struct result - what there is to say of it; NAN where there is nothing
 * @lambda: VMCG's: the sum of the differences between the share that each was to have and the one
 *	that it had, of those that always have work and yield, and of what they had together
 * @minmax: FairGV's: the least share by the largest, each by its weight, of the same
 * @held: part of the time in which the engine of the first vGPU was somebody's
 * @busy: and in which it did something
 * @first: part of the time in which the first one's work ran
 * @hostile: part of the time that those had it who do not yield
 * @wait_ms: how long one that woke waited, at worst
 * @yield_ms: how long one took to let go of its engine, at worst, since there are these vGPUs
 * @lag_ms: by how much less than its share one had when it was given its engine, at worst, since
 *	there are these vGPUs; as the policy fair says, others leave it as it is
 * @turns: a second
 * @requests: a second, of all
 * @first_requests: a second, of the first one
 */
struct result {
	double lambda;
	double minmax;
	double held;
	double busy;
	double first;
	double hostile;
	double wait_ms;
	double yield_ms;
	double lag_ms;
	double turns;
	double requests;
	double first_requests;
};

/* Of clients that are there, and by the policy that is set. */
struct result measure(const struct setup *setup);

u32 setup_weight(const struct setup *setup, u32 client);

void print_header(FILE *tsv);
void print_result(FILE *tsv, const struct setup *setup, const struct contender *contender,
		  const struct result *r);

#endif
