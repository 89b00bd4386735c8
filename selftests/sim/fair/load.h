/* SPDX-License-Identifier: GPL-2.0 */
/* Loads of vGPUs. */
#ifndef _SIM_FAIR_LOAD_H
#define _SIM_FAIR_LOAD_H

#include "core/types.h"

#define US		1000ull
#define MS		(1000 * US)
#define SECOND		(1000 * MS)
#define NEVER		(U64_MAX / 4)	/* no simulation comes so far */

#define LOAD_DEPTH	4

/**
 * struct load - a kind of work
 * @name: as printed
 * @least_ns: shortest request
 * @most_ns: longest request; NEVER: it does not end by itself
 * @yields_ns: how long a request takes to yield, if it is not complete by then; NEVER: it does not
 * @depth: number of requests at a time; 0: it never has any
 * @sleep_least_ns: shortest time without requests after the last one
 * @sleep_most_ns: longest such time; 0: it always has requests
 * @withdraw_ns: requests that have not begun by then are withdrawn; 0: never
 */
struct load {
	const char *name;
	u64 least_ns;
	u64 most_ns;
	u64 yields_ns;
	u32 depth;
	u64 sleep_least_ns;
	u64 sleep_most_ns;
	u64 withdraw_ns;
};

/*
 * First loads that always have work and yield within a quantum, then others that yield so, then
 * those that do not. The last one has no name.
 */
extern const struct load loads[];
/* Ends the program if there is none of that name. */
const struct load *load_find(const char *name);

static inline bool load_always(const struct load *load)
{
	return load->depth && !load->sleep_most_ns;
}

static inline bool load_hostile(const struct load *load)
{
	return load->most_ns == NEVER && load->yields_ns == NEVER;
}

#endif
