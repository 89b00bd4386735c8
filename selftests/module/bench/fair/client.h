/* SPDX-License-Identifier: GPL-2.0 */
/* vGPUs that have work under way, each of its kind. */
#ifndef _BENCH_FAIR_CLIENT_H
#define _BENCH_FAIR_CLIENT_H

#include "context.h"
#include "load.h"
#include "rng.h"
#include "vgpu.h"
#include "work.h"

#define MOST_CLIENTS	64

/**
 * struct client - a vGPU that has requests to be done
 * @vgpu: the vGPU
 * @ctx: its contexts, by engine
 * @ppgtt: their address space
 * @work: batches that yield
 * @solid: batches that do not
 * @spin: what does not end, and yields
 * @hog: what does not end, and does not yield
 * @rng: its random numbers: they are the same whatever is done to it
 * @load: what it does
 * @wakes_at: when it has requests again, us; 0: it has some, or will at once
 * @waits_since: when it woke, us; 0: it has run since
 * @awaited: the request with which it woke
 * @wait_us: the longest time that it waited when it woke
 * @hangs: requests of its that hung, as far as it knows
 * @hangs_at: when it looks again whether there are more, us
 */
struct client {
	struct vgpu *vgpu;
	struct context ctx[BCS + 1];
	struct ppgtt ppgtt;
	struct work work;
	struct work solid;
	struct spinner spin;
	struct spinner hog;
	struct rng rng;
	const struct load *load;
	u64 wakes_at;
	u64 waits_since;
	u32 awaited;
	u64 wait_us;
	long hangs;
	u64 hangs_at;
};

extern struct client clients[MOST_CLIENTS];
extern u32 nr_clients;

void clients_add(void);
void clients_remove(void);

/* What clients do from now on, while nothing is under way: those behind the last are idle. */
void clients_cast(const struct load *const *loads, u32 count);
/* They do it until @until, us. */
void clients_run(u64 until);
/* Until nothing is under way. */
void clients_stop(void);
/* What was counted so far is forgotten. */
void clients_forget(void);

/* Requests that are done, of all times, on the engine of its load. */
u32 client_done(const struct client *c);
/* What the module says that it has used of that engine; -errno. */
long client_used(const struct client *c, const char *what);

#endif
