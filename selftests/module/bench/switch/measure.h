/* SPDX-License-Identifier: GPL-2.0 */
/* Measures a load with a set of vGPUs and a pair of policies, and prints the result. */
#ifndef _BENCH_SWITCH_MEASURE_H
#define _BENCH_SWITCH_MEASURE_H

#include <stdio.h>

#include "client.h"

/**
 * struct setup - what is measured
 * @load: the requests
 * @set: how often vGPUs have work: "equal", or light/medium/heavy; "guests" if there are any
 * @vgpus: number of vGPUs
 * @guests: number of these that belong to guests, not to clients
 * @high: megabytes of high graphics memory, "mixed" if they differ
 * @placement: the placement; "-" if the copy policy has no places
 * @policy: the copy policy
 */
struct setup {
	const struct load *load;
	const char *set;
	u32 vgpus;
	u32 guests;
	const char *high;
	const char *placement;
	const char *policy;
};

/**
 * struct result - the results; NAN: none
 * @turns: turns of vGPUs
 * @entries: entries written in a turn, by the module's count
 * @writes: the same, by the GPU's count
 * @unsure: of @writes, those while the counts were read
 * @low: of @entries, those of low graphics memory
 * @high: of @entries, those of high
 * @leave_ns: in a turn, time in which its owner was preempted
 * @load_ns: in a turn, time in which entries were loaded
 * @requests: requests a second, of all
 * @share: the least part of an equal share, of the vGPUs that always have work
 * @bound: the least number of entries in a turn with knowledge of the future
 * @blind: the least number without, on average
 * @held: part of the time in which the GPU had an owner, if all always have work
 */
struct result {
	double turns;
	double entries;
	double writes;
	double unsure;
	double low;
	double high;
	double leave_ns;
	double load_ns;
	double requests;
	double share;
	double bound;
	double blind;
	double held;
};

/* To be called after max_vgpus was set, with the copy policy "cached". */
void measure_init(void);
/* Measures the existing clients with the policies that are set. */
struct result measure(const struct setup *setup);
/* False if the counts of the module and the GPU differ; prints that. */
bool result_agrees(const struct setup *setup, const struct result *r);

void print_header(FILE *tsv);
void print_result(FILE *tsv, const struct setup *setup, const struct result *r);

#endif
