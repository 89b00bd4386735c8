// SPDX-License-Identifier: GPL-2.0
/*
 * What it costs that many vGPUs share graphics memory: entries of the GGTT written for each
 * turn of a vGPU, as the module counts them and as the GPU does, and the time of a switch.
 */
#include <stdio.h>
#include <string.h>

#include "clock.h"
#include "context.h"
#include "counters.h"
#include "ggtt.h"
#include "mdev.h"
#include "model.h"
#include "rng.h"
#include "tap.h"
#include "vgpu.h"

#define MOST		64
#define MEASURE_MS	3000
#define WARM_UP		24	/* requests of each: to have named all that they ever will */
#define BATCH_ADDR	0x310000000000ULL
#define DATA_ADDR	0x300000000000ULL
#define UNIT_PAGES	16
#define SET_UNITS	2048	/* of 64 KB: 128 MB */
#define NAMED_UNITS	256	/* by one request */

/**
 * struct client - a vGPU that always has a request under way
 * @vgpu: the vGPU
 * @ctx: its context
 * @ppgtt: its address space
 * @batch: bus address of its batch
 * @set: graphics address of what its requests name
 * @seqno: of the request under way
 * @done: how many there were
 */
struct client {
	struct vgpu *vgpu;
	struct context ctx;
	struct ppgtt ppgtt;
	u64 batch;
	u64 set;
	u32 seqno;
	u32 done;
};

/**
 * struct counts - what is measured
 * @turns: of vGPUs
 * @entries: written, by the module's count
 * @writes: by the GPU's
 * @switch_ns: time in which nobody had the GPU
 * @requests: of all
 */
struct counts {
	u64 turns;
	u64 entries;
	u64 writes;
	u64 switch_ns;
	u64 requests;
};

static struct client clients[MOST];
static struct rng rng = { 1 };

/* As a driver with page tables of its own: a batch there, and a word in the status page. */
static void emit_ppgtt(struct client *c)
{
	request_batch(&c->ctx, BATCH_ADDR);
}

/* As one without: everything through the GGTT. */
static void emit_ggtt(struct client *c)
{
	u32 unit = rng_below(&rng, SET_UNITS), i;

	for (i = 0; i < NAMED_UNITS; i++)
		cs_store(&c->ctx.ring, GGTT,
			 c->set + (u64)((unit + i) % SET_UNITS) * UNIT_PAGES * PAGE_SIZE, i);
}

static const struct workload {
	const char *name;
	void (*emit)(struct client *c);
} workloads[] = {
	{ "ppgtt", emit_ppgtt },
	{ "ggtt", emit_ggtt },
};

static void client_init(struct client *c)
{
	struct cs cs;

	memset(c, 0, sizeof(*c));
	c->vgpu = vgpu_new(MDEV_TYPE_SMALL);
	ppgtt_init(&c->ppgtt, &c->vgpu->ram);
	ppgtt_notify(c->vgpu, &c->ppgtt, true);
	c->batch = ram_alloc(&c->vgpu->ram, 2);
	ppgtt_map(&c->ppgtt, BATCH_ADDR, c->batch, 1);
	ppgtt_map(&c->ppgtt, DATA_ADDR, c->batch + PAGE_SIZE, 1);
	cs_init(&cs, ram_ptr(&c->vgpu->ram, c->batch), PAGE_SIZE);
	cs_store(&cs, PPGTT, DATA_ADDR, 1);
	cs_end(&cs);
	context_init(&c->ctx, c->vgpu, RCS, &c->ppgtt);
	c->set = ggtt_alloc(c->vgpu, SET_UNITS * UNIT_PAGES);
}

static void submit(struct client *c, const struct workload *w)
{
	request_begin(&c->ctx);
	w->emit(c);
	c->seqno = request_end(&c->ctx);
	context_submit(&c->ctx);
}

/* Each has something to do all the time, until @until, and each has done @least requests. */
static void run(u32 n, const struct workload *w, u64 until, u32 least)
{
	u64 limit = now_us() + 120 * 1000000ULL;
	u32 i, behind;

	do {
		behind = 0;
		for (i = 0; i < n; i++) {
			struct client *c = &clients[i];

			behind += c->done < least;
			if (c->seqno && !request_done(&c->ctx, c->seqno))
				continue;
			if (c->seqno && !engine_wait_idle(c->ctx.engine, SOON_MS))
				tap_die("a request of vGPU %u is not done", i);
			c->done += !!c->seqno;
			submit(c, w);
		}
		if (now_us() > limit)
			tap_die("%u vGPUs are behind after two minutes", behind);
	} while (behind || now_us() < until);
}

static struct counts count(u32 n)
{
	struct counts c = {
		.turns = counters_gpu_number("sched", "turns"),
		.entries = counters_gpu_number("copies", "entries_written"),
		.switch_ns = counters_gpu_number("sched", "switch_ns"),
	};
	u32 i;

	if (!model_get("ggtt-writes", &c.writes))
		tap_die("no model of a GPU");
	for (i = 0; i < n; i++)
		c.requests += clients[i].done;
	return c;
}

static u32 least_done(u32 n, const u32 *before)
{
	u32 i, least = ~0u;

	for (i = 0; i < n; i++)
		if (clients[i].done - before[i] < least)
			least = clients[i].done - before[i];
	return least;
}

static void measure(u32 n, const struct workload *w)
{
	struct counts before, after;
	double turns, requests, s;
	u32 done[MOST], i;
	u64 t0;

	for (i = 0; i < n; i++)
		client_init(&clients[i]);
	run(n, w, 0, WARM_UP);
	before = count(n);
	for (i = 0; i < n; i++)
		done[i] = clients[i].done;
	t0 = now_us();
	run(n, w, t0 + MEASURE_MS * 1000, 0);
	s = (now_us() - t0) / 1e6;
	after = count(n);
	turns = after.turns - before.turns;
	requests = after.requests - before.requests;
	printf("%-6s %5u %9.0f %12.2f %12.2f %10.0f %11.0f %9.2f\n", w->name, n, turns / s,
	       (after.entries - before.entries) / turns, (after.writes - before.writes) / turns,
	       (after.switch_ns - before.switch_ns) / turns, requests / s,
	       least_done(n, done) * n / requests);
	fflush(stdout);
	for (i = 0; i < n; i++) {
		engine_wait_idle(clients[i].ctx.engine, SOON_MS);
		vgpu_free(clients[i].vgpu);
	}
}

int main(void)
{
	static const u32 numbers[] = { 3, 6, 9, 12, 15, 24, 32, 64 };
	u32 i, k;

	vgpu_test_init(900);
	printf("%-6s %5s %9s %12s %12s %10s %11s %9s\n", "load", "vGPUs", "turns/s", "entries/turn",
	       "of the GPU", "switch ns", "requests/s", "least");
	for (k = 0; k < ARRAY_SIZE(workloads); k++)
		for (i = 0; i < ARRAY_SIZE(numbers); i++)
			measure(numbers[i], &workloads[k]);
	return 0;
}
