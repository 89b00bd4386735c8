/* SPDX-License-Identifier: GPL-2.0 */
/* vGPUs with requests of several kinds under way. */
#ifndef _BENCH_SWITCH_CLIENT_H
#define _BENCH_SWITCH_CLIENT_H

#include "context.h"
#include "vgpu.h"

#define MOST_CLIENTS	64
#define UNIT_PAGES	16
#define SET_UNITS	2048	/* units of 64 KB: 128 MB of a client */
#define NAMED_UNITS	256	/* in a request */
#define FRESH		(SET_UNITS / NAMED_UNITS)
#define ALWAYS		1000	/* the use of a client that has work in each round */

/**
 * struct client - a vGPU with requests
 * @vgpu: the vGPU
 * @index: its index
 * @use: of ALWAYS rounds, those in which it has a request
 * @ctx: its context
 * @ppgtt: its address space
 * @batch: bus address of its batch
 * @set: graphics address of the set of loads with random units; 0: none yet
 * @traffic: graphics address of what i915's requests name
 * @spin: endless work
 * @step: the next of i915's requests
 * @times: how often it has been repeated
 * @fresh: requests to come that name all units, one part after another
 * @seqno: the request under way; 0: none
 * @done: completed requests
 * @before: @done when the counted rounds began
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
 * @name: shown
 * @emit: emits the commands of a client's request
 * @set: requests name units of the client's set
 * @random: they name random ones: there may be no room for all
 * @endless: they complete when they are told to
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
 * struct named - units that a request names: NAMED_UNITS in a row, wrapped around the set
 * @client: the client
 * @first: the first unit
 */
struct named {
	u32 client;
	u32 first;
};

/* What was named since clients_forget(), in order. */
extern struct named *named;
extern u32 nr_named;
void clients_forget(void);
/* What a client names next: any of its set. */
void client_name(u32 client);

extern struct client clients[MOST_CLIENTS];
extern u32 nr_clients;

void clients_add(const char *type, u32 use);
void clients_remove(void);
/* Prepares clients for a load. With @fresh, the first FRESH requests of each name all units. */
void clients_prepare(const struct load *load, bool fresh);
/* After so many rounds each client has had work as often as its use says. */
u32 clients_period(void);
/* Runs clients until @until, and until each has completed its use's part of @rounds requests. */
void clients_run(const struct load *load, u64 until, u32 rounds);
/* Until nothing is under way, and each has completed its part of the rounds begun. */
void clients_stop(const struct load *load);

#endif
