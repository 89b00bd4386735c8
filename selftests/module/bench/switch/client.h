/* SPDX-License-Identifier: GPL-2.0 */
/* vGPUs that have work under way, of several kinds. */
#ifndef _BENCH_SWITCH_CLIENT_H
#define _BENCH_SWITCH_CLIENT_H

#include "context.h"
#include "vgpu.h"

#define MOST_CLIENTS	64
#define UNIT_PAGES	16
#define SET_UNITS	2048	/* of 64 KB: 128 MB, which a client goes over */
#define NAMED_UNITS	256	/* by one request */
#define FRESH		(SET_UNITS / NAMED_UNITS)
#define ALWAYS		1000	/* the use of a client that has work in each round */

/**
 * struct client - a vGPU that has requests to be done
 * @vgpu: the vGPU
 * @index: which of them it is
 * @use: in how many of ALWAYS rounds it has one
 * @ctx: its context
 * @ppgtt: its address space
 * @batch: bus address of its batch
 * @set: graphics address of what those requests name that go over much; 0: there is none yet
 * @traffic: graphics address of what those name that are as i915's
 * @spin: work that does not end
 * @step: of what i915 does, what comes next
 * @times: how often it has come
 * @fresh: requests to come that name all there is, one part after another
 * @seqno: of the request under way; 0: none
 * @done: how many there were
 * @before: how many as the rounds began that are counted now
 */
struct client {
	struct vgpu *vgpu;
	u32 index;
	u32 use;
	struct context ctx;
	struct ppgtt ppgtt;
	u64 batch;
	u64 set;
	u64 traffic;
	struct spinner spin;
	u32 step;
	u32 times;
	u32 fresh;
	u32 seqno;
	u32 done;
	u32 before;
};

/**
 * struct load - a kind of requests
 * @name: for people
 * @emit: the commands of a request of a client
 * @set: they name units of the client's set
 * @random: any of them, by turns: there may be no room for all that ever are named
 * @endless: they end when they are told to
 */
struct load {
	const char *name;
	void (*emit)(struct client *c);
	bool set;
	bool random;
	bool endless;
};

extern const struct load loads[];
const struct load *load_find(const char *name);

/**
 * struct named - units that a request names: as many as all do, from here on, around the set
 * @client: whose
 * @first: the first of them
 */
struct named {
	u32 client;
	u32 first;
};

/* What was named since clients_forget(), in order. */
extern struct named *named;
extern u32 nr_named;
void clients_forget(void);
/* What a client would name next: any of its set. */
void client_name(u32 client);

extern struct client clients[MOST_CLIENTS];
extern u32 nr_clients;

void clients_add(const char *type, u32 use);
void clients_remove(void);
/* They have all that requests of a load name; at first, FRESH of each name all of it, if @fresh. */
void clients_prepare(const struct load *load, bool fresh);
/* After so many rounds each has had work as often as its use says. */
u32 clients_period(void);
/* Until @until, and until each has done the part of @rounds requests that its use is. */
void clients_run(const struct load *load, u64 until, u32 rounds);
/* Until nothing is under way, and each has done its part of the rounds that some have begun. */
void clients_stop(const struct load *load);

#endif
