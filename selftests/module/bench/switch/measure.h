/* SPDX-License-Identifier: GPL-2.0 */
/* What is measured of one load, set of vGPUs and pair of policies, and how it is told. */
#ifndef _BENCH_SWITCH_MEASURE_H
#define _BENCH_SWITCH_MEASURE_H

#include <stdio.h>

#include "client.h"

/**
 * struct setup - what is measured
 * @load: the requests
 * @set: who has work how often: "equal", or light/medium/heavy; "guests" if there are any
 * @vgpus: how many
 * @guests: so many of them are not clients, but have guests, which do what they like
 * @high: megabytes of high graphics memory, "mixed" if they differ
 * @placement: the policy that gives places; "-" if the copy policy has none
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
 * struct result - what there is to say of it; NAN where there is nothing
 * @turns: of vGPUs, while it was measured
 * @entries: that were written in a turn, by the module's count
 * @writes: by the GPU's
 * @unsure: how many of them were written while the counts were read
 * @low: of @entries, those of low graphics memory
 * @high: and of high
 * @leave_ns: in a turn, time in which nobody had the GPU as its owner was taken off
 * @load_ns: and as entries were written
 * @requests: a second, of all
 * @share: what the vGPU that got least has had of an equal share, of those that always have work
 * @bound: entries in a turn that cannot be written by less than somebody who knows the future
 * @blind: and by less than somebody who does not, on average
 * @held: part of the time in which some vGPU had the GPU, where all always want it
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

/* When it is said how many vGPUs there may be, with the copy policy "cached". */
void measure_init(void);
/* With the clients that there are, and the policies as they are. */
struct result measure(const struct setup *setup);
/* False if the module and the GPU do not agree; says so. */
bool result_agrees(const struct setup *setup, const struct result *r);

void print_header(FILE *tsv);
void print_result(FILE *tsv, const struct setup *setup, const struct result *r);

#endif
