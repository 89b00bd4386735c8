/* SPDX-License-Identifier: GPL-2.0 */
/* Lower bounds of the units that a cache loads. */
#ifndef _BENCH_SWITCH_BOUND_H
#define _BENCH_SWITCH_BOUND_H

#include "client.h"

/**
 * bound_loads() - the least number of units to be loaded
 * @runs: number of runs
 * @requests: the units that each names, in order, NAMED_UNITS of SET_UNITS
 * @count: number of requests
 * @from: the first request that counts
 * @to: behind the last request that counts; later ones are the known future
 *
 * Belady's choice: the unit that is needed again last, or never, makes room. No choice loads less,
 * and it takes the future. The best units are resident at first.
 *
 * Return: how many.
 */
u32 bound_loads(u32 runs, const struct named *requests, u32 count, u32 from, u32 to);

/**
 * bound_loads_blind() - the same without knowledge of the future
 * @runs: number of runs
 *
 * Each client names any of its set's units equally likely. So it does not matter which units of a
 * client stay, and the best are those of the clients with work most often.
 *
 * Return: units to be loaded in a request, on average.
 */
double bound_loads_blind(u32 runs);

#endif
