/* SPDX-License-Identifier: GPL-2.0 */
/* vGPUs with work under way, each with its load. */
#ifndef _BENCH_FAIR_CLIENT_H
#define _BENCH_FAIR_CLIENT_H

#include "context.h"
#include "load.h"
#include "rng.h"
#include "vgpu.h"
#include "work.h"

#define MOST_CLIENTS	64

/**
 * struct client - a vGPU with a load
 * @vgpu: the vGPU
 * @ctx: its contexts, by engine
 * @ppgtt: their address space
 * @work: batches that yield
 * @solid: batches that do not
 * @spin: endless batch that yields
 * @hog: endless batch that does not yield
 * @rng: its random numbers: its load does not depend on what it gets
 * @load: its load
 * @wakes_at: when it has requests again, us; 0: it has some, or will at once
 * @waits_since: when it woke, us; 0: it has run since
 * @awaited: the request with which it woke
 * @wait_us: the longest wait after it woke
 * @hangs: its hung requests at the last look
 * @hangs_at: when it looks for more, us
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

/* Sets the loads of clients, while nothing is under way; those behind the last are idle. */
void clients_cast(const struct load *const *loads, u32 count);
/* Runs them until @until, us. */
void clients_run(u64 until);
/* Runs them until nothing is under way. */
void clients_stop(void);
/* Resets what was counted. */
void clients_forget(void);

/* All requests completed on the engine of its load. */
u32 client_done(const struct client *c);
/* Its use of that engine by the module's account; -errno. */
long client_used(const struct client *c, const char *what);

#endif
