/* SPDX-License-Identifier: GPL-2.0 */
/* Measures a set of vGPUs with a policy, and prints the result. */
#ifndef _BENCH_FAIR_MEASURE_H
#define _BENCH_FAIR_MEASURE_H

#include <stdio.h>

#include "client.h"

#define QUANTUM_MS	"2"
/*
 * With vGPUs that never yield, an eighth of the default, as the quantum. Otherwise long: on a busy
 * machine vGPUs that yield may take their time.
 */
#define HOG_PATIENCE_US	80000
#define PATIENCE_US	1000000

/**
 * struct contender - a policy that is measured
 * @name: shown
 * @policy: its name in the module
 * @sold: each vGPU's cap is its share; else there are no caps
 */
struct contender {
	const char *name;
	const char *policy;
	bool sold;
};

/**
 * struct setup - what is measured
 * @set: the kind of set
 * @load: the load of its measured vGPUs
 * @weighted: weights are 4:2:1 in turn; else equal
 * @vgpus: number of vGPUs
 * @loads: the load of each
 * @window_us: the length of the window
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
 * struct result - the results; NAN: none
 * @lambda: VMCG's: the sum of the differences between due shares and shares, of the vGPUs that
 *	always have work and yield, of what these had together
 * @minmax: FairGV's: the least share by the largest, by weight, of the same
 * @held: part of the time in which the engine of the first vGPU had an owner
 * @busy: part of the time in which it was busy
 * @first: part of the time in which the first vGPU's work ran
 * @hostile: part of the time of the vGPUs that do not yield
 * @wait_ms: the longest wait of a vGPU that woke
 * @yield_ms: the longest time to yield the engine, since the vGPUs exist
 * @lag_ms: the longest lag of a vGPU when it got its engine, since the vGPUs exist; counted by the
 *	policy fair only
 * @turns: turns a second
 * @requests: requests a second, of all
 * @first_requests: requests a second, of the first vGPU
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

/* Measures the existing clients with the policy that is set. */
struct result measure(const struct setup *setup);

u32 setup_weight(const struct setup *setup, u32 client);

void print_header(FILE *tsv);
void print_result(FILE *tsv, const struct setup *setup, const struct contender *contender,
		  const struct result *r);

#endif
