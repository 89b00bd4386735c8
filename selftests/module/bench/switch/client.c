// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client.h"
#include "clock.h"
#include "counters.h"
#include "ggtt.h"
#include "rng.h"
#include "tap.h"
#include "../i915_traffic.h"

#define BATCH_ADDR	0x310000000000ULL
#define DATA_ADDR	0x300000000000ULL
#define SET_MEMORY	64	/* pages that all units of a set map in turn */
#define MOST_NAMED	65536
#define STUCK_S		120
#define LONGEST		1152	/* dwords in a request */
#define NAMED_LONG	128	/* units; all clients hold theirs at the same time */

struct client clients[MOST_CLIENTS];
u32 nr_clients;
struct named *named;
u32 nr_named;

static struct rng rng = { 1 };

void clients_forget(void)
{
	nr_named = 0;
}

void client_name(u32 client)
{
	if (!named)
		named = calloc(MOST_NAMED, sizeof(*named));
	if (!named || nr_named == MOST_NAMED)
		tap_die("too many units are named");
	named[nr_named++] = (struct named) { client, rng_below(&rng, SET_UNITS) };
}

/* Like a driver with page tables of its own: a batch there, and a store to the status page. */
static void emit_ppgtt(struct client *c)
{
	request_batch(&c->ctx, BATCH_ADDR);
}

static void name_units(struct client *c, u32 count)
{
	u32 first, i;

	client_name(c->index);
	if (c->fresh)
		named[nr_named - 1].first = --c->fresh * NAMED_UNITS;
	first = named[nr_named - 1].first;
	for (i = 0; i < count; i++)
		cs_store(&c->ctx.ring, GGTT,
			 c->set + (u64)((first + i) % SET_UNITS) * UNIT_PAGES * PAGE_SIZE, i);
}

/* Like a driver without: everything through the GGTT. */
static void emit_ggtt(struct client *c)
{
	name_units(c, NAMED_UNITS);
}

/* Half of that, then work for longer than a turn. */
static void emit_long(struct client *c)
{
	name_units(c, NAMED_LONG);
	request_batch(&c->ctx, c->spin.addr);
}

static void name_pages(struct client *c, u32 first, u32 count)
{
	u32 i;

	for (i = 0; i < count; i++)
		cs_store(&c->ctx.ring, GGTT,
			 c->traffic + (u64)i915_pages[first + i] * PAGE_SIZE, i);
}

/* The recorded requests of a stock driver, one after another; at first all that they name. */
static void emit_i915(struct client *c)
{
	const struct i915_step *step = &i915_steps[c->step];
	const struct i915_kind *kind = &i915_kinds[step->kind];

	if (c->fresh)
		name_pages(c, 0, ARRAY_SIZE(i915_pages));
	else
		name_pages(c, kind->first, kind->count);
	c->fresh = 0;
	request_batch(&c->ctx, BATCH_ADDR);
	if (++c->times < step->times)
		return;
	c->times = 0;
	c->step = (c->step + 1) % ARRAY_SIZE(i915_steps);
}

const struct load loads[] = {
	{ .name = "ppgtt", .emit = emit_ppgtt },
	{ .name = "i915", .emit = emit_i915 },
	{ .name = "ggtt", .emit = emit_ggtt, .set = true, .random = true },
	{ .name = "long", .emit = emit_long, .set = true, .endless = true },
	{ }
};

const struct load *load_find(const char *name)
{
	const struct load *load;

	for (load = loads; load->name; load++)
		if (!strcmp(load->name, name))
			return load;
	tap_die("no such load: %s", name);
}

/* From the beginning of a unit on, as recorded. */
static void map_traffic(struct client *c)
{
	u32 pages = c->vgpu->high_next / PAGE_SIZE % UNIT_PAGES;

	ggtt_alloc(c->vgpu, pages ? UNIT_PAGES - pages : 0);
	c->traffic = ggtt_bind(c->vgpu, ram_alloc(&c->vgpu->ram, I915_PAGES), I915_PAGES);
}

/* All entries of the set name memory: others need not be copied. */
static void map_set(struct client *c)
{
	u64 memory = ram_alloc(&c->vgpu->ram, SET_MEMORY);
	u32 i;

	c->set = ggtt_alloc(c->vgpu, SET_UNITS * UNIT_PAGES);
	for (i = 0; i < SET_UNITS * UNIT_PAGES; i += SET_MEMORY)
		ggtt_map(c->vgpu, c->set + (u64)i * PAGE_SIZE, memory, SET_MEMORY);
	ggtt_flush(c->vgpu);
}

void clients_prepare(const struct load *load, bool fresh)
{
	u32 i;

	for (i = 0; i < nr_clients; i++) {
		clients[i].fresh = fresh && !load->endless ? FRESH : 0;
		if (load->set && !clients[i].set)
			map_set(&clients[i]);
	}
}

void clients_add(const char *type, u32 use)
{
	struct client *c = &clients[nr_clients];
	struct cs cs;

	memset(c, 0, sizeof(*c));
	c->index = nr_clients++;
	c->use = use;
	c->vgpu = vgpu_new(type);
	ppgtt_init(&c->ppgtt, &c->vgpu->ram);
	ppgtt_notify(c->vgpu, &c->ppgtt, true);
	c->batch = ram_alloc(&c->vgpu->ram, 2);
	ppgtt_map(&c->ppgtt, BATCH_ADDR, c->batch, 1);
	ppgtt_map(&c->ppgtt, DATA_ADDR, c->batch + PAGE_SIZE, 1);
	cs_init(&cs, ram_ptr(&c->vgpu->ram, c->batch), PAGE_SIZE);
	cs_store(&cs, PPGTT, DATA_ADDR, 1);
	cs_end(&cs);
	context_init(&c->ctx, c->vgpu, RCS, &c->ppgtt);
	spinner_init(&c->spin, &c->ctx, true);
	map_traffic(c);
}

void clients_remove(void)
{
	u32 i;

	for (i = 0; i < nr_clients; i++)
		vgpu_free(clients[i].vgpu);
	nr_clients = 0;
}

static void submit(struct client *c, const struct load *load)
{
	struct cs *ring = &c->ctx.ring;
	u32 left = ring->dwords - ring->pos % ring->dwords;

	if (load->endless)
		spinner_again(&c->spin);
	/* No request wraps around the end of the ring. */
	if (left < LONGEST)
		cs_noop(ring, left);
	request_begin(&c->ctx);
	load->emit(c);
	c->seqno = request_end(&c->ctx);
	context_submit(&c->ctx);
}

/* Whether its request has completed, which it then counts. */
static bool finish(struct client *c)
{
	if (!request_done(&c->ctx, c->seqno))
		return false;
	if (!engine_wait_idle(c->ctx.engine, SOON_MS)) {
		counters_explain(c->vgpu);
		tap_die("the engine of vGPU %u is not idle after its request", c->index);
	}
	c->done++;
	c->seqno = 0;
	return true;
}

/* The round of the slowest, or fastest, client that always has work. */
static u32 round_of(bool fastest)
{
	u32 i, round = fastest ? 0 : ~0u;

	for (i = 0; i < nr_clients; i++) {
		const struct client *c = &clients[i];
		u32 mine = c->done - c->before;

		if (c->use == ALWAYS && (fastest ? mine > round : mine < round))
			round = mine;
	}
	return round;
}

u32 clients_period(void)
{
	u32 i, least = ALWAYS;

	for (i = 0; i < nr_clients; i++)
		if (clients[i].use < least)
			least = clients[i].use;
	return ALWAYS / least;
}

/* Whether it has completed less than its part of so many rounds. */
static bool due(const struct client *c, u32 rounds)
{
	return (u64)(c->done - c->before) * ALWAYS < (u64)rounds * c->use;
}

static bool any_under_way(void)
{
	u32 i;

	for (i = 0; i < nr_clients; i++)
		if (clients[i].seqno)
			return true;
	return false;
}

static void check_stuck(u64 since)
{
	if (now_us() - since > STUCK_S * 1000000ULL)
		tap_die("requests do not complete in %u s", STUCK_S);
}

/*
 * Submit for each client without a request that has not completed its part of so many rounds; with
 * @on also for each that always has work.
 */
static void feed(const struct load *load, u32 rounds, bool on)
{
	u32 i;

	for (i = 0; i < nr_clients; i++) {
		struct client *c = &clients[i];

		if (c->seqno && (load->endless || !finish(c)))
			continue;
		if (due(c, rounds) || (on && (c->use == ALWAYS || c->fresh)))
			submit(c, load);
	}
}

void clients_run(const struct load *load, u64 until, u32 rounds)
{
	u64 t0 = now_us();
	u32 i;

	for (i = 0; i < nr_clients; i++)
		clients[i].before = clients[i].done;
	do {
		feed(load, round_of(false), true);
		if (load->endless)
			sleep_us(1000);
		check_stuck(t0);
	} while ((!load->endless && round_of(false) < rounds) || now_us() < until);
}

void clients_stop(const struct load *load)
{
	struct load ends = *load;
	u64 t0 = now_us();
	u32 i;

	for (i = 0; load->endless && i < nr_clients; i++)
		spinner_end(&clients[i].spin);
	ends.endless = false;
	do {
		feed(&ends, load->endless ? 0 : round_of(true), false);
		check_stuck(t0);
	} while (any_under_way());
}
