/* SPDX-License-Identifier: GPL-2.0 */
/* How fair a policy was. */
#ifndef _SIM_FAIR_FIGURES_H
#define _SIM_FAIR_FIGURES_H

#include "world.h"

/**
 * struct figures - result of a run; a figure that does not apply is NAN
 * @lambda: VMCG's: the sum of the differences between the share that each had and its due one, of
 *	the vGPUs that always have work and yield, and of what they had together; 0 is perfect, 2
 *	the worst
 * @minmax: FairGV's: the least share by the largest, each by its weight, of the same; 1 is perfect
 * @switches: part of the time that switches took
 * @unused: part of the time in which a vGPU had work and nothing was done
 * @first: part of the time in which the first vGPU ran
 * @hostile: part of the time in which those ran that do not yield
 * @wait_ms: the longest that a vGPU that woke waited
 * @lag_ms: the largest distance of a vGPU from its share of what had been done, if all always have
 *	work
 * @bound_ms: a quantum, and the longest that one took to yield, in the same sets
 * @others_ms: the largest N of the bound of the policy fair, in the same sets
 * @used: the largest lag that the policy itself knows, as a part of its bound
 */
struct figures {
	double lambda;
	double minmax;
	double switches;
	double unused;
	double first;
	double hostile;
	double wait_ms;
	double lag_ms;
	double bound_ms;
	double others_ms;
	double used;
};

/* Of the last @ns. */
struct figures figures_take(const struct world *w, u64 ns);

#endif
