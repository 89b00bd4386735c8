/* SPDX-License-Identifier: GPL-2.0 */
/* What cannot be done with less. */
#ifndef _BENCH_SWITCH_BOUND_H
#define _BENCH_SWITCH_BOUND_H

#include "client.h"

/**
 * bound_loads() - units that have to be loaded, whoever decides which stay
 * @runs: for how many there is room
 * @requests: what each names, in order, NAMED_UNITS of SET_UNITS
 * @count: how many of them
 * @from: the first request that counts; those before it only find what they name
 * @to: behind the last one that counts; those behind it are what is to come
 *
 * As of Belady: what is needed again last, or never, makes room. No other choice loads less,
 * and nobody who does not know what is to come can make this one. What is there at first is
 * the best, too.
 *
 * Return: how many.
 */
u32 bound_loads(u32 runs, const struct named *requests, u32 count, u32 from, u32 to);

/**
 * bound_loads_blind() - the same if nobody knows which units come next
 * @runs: for how many there is room
 *
 * Each client names any of its set's units equally likely, so which of them stay does not matter,
 * only whose: best those of who has work most often.
 *
 * Return: units to be loaded in a request, on average.
 */
double bound_loads_blind(u32 runs);

#endif
