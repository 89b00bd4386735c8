/* SPDX-License-Identifier: GPL-2.0 */
/* What vGPUs do all day. */
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
 * @name: for people
 * @least_ns: what a request takes, at least
 * @most_ns: and at most; NEVER: it does not end by itself
 * @yields_ns: a request yields so long after it was asked to, or is done; NEVER: it does not
 * @depth: so many requests are there at a time; 0: there is never one
 * @sleep_least_ns: after the last of them is done there is none for so long, at least
 * @sleep_most_ns: and at most; 0: there always are some
 * @withdraw_ns: what has not begun by then is withdrawn; 0: nothing ever is
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
 * First those that always have work and yield within a quantum, then others that yield so, then
 * those that do not. Ends with one that has no name.
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
