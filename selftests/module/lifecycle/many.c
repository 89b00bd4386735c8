// SPDX-License-Identifier: GPL-2.0
/* Many vGPUs: an administrator allows them, all are open and complete work at the same time. */
#include <stdio.h>
#include <string.h>

#include "clock.h"
#include "context.h"
#include "counters.h"
#include "file.h"
#include "ggtt.h"
#include "tap.h"
#include "vgpu.h"

#define MANY		64
#define AT_LEAST	32
/* The memory of a vGPU and its guest here: mainly a private GGTT and contexts. */
#define COST_KB		16384
#define ROUNDS		4	/* once per engine */
#define DATA_ADDR	0x300000000000ULL
#define BATCH_ADDR	0x310000000000ULL

/**
 * struct tenant - a guest that stores its own values
 * @vgpu: its vGPU
 * @ctx: its contexts
 * @ppgtt: their address space
 * @data: its page of results
 * @batch: its batches
 * @high: graphics address of @data
 * @number: its number
 * @seqno: of the current request
 * @since: when it was submitted
 */
struct tenant {
	struct vgpu *vgpu;
	struct context ctx[VGPU_NR_ENGINES];
	struct ppgtt ppgtt;
	u64 data;
	u64 batch;
	u64 high;
	u32 number;
	u32 seqno;
	u64 since;
};

static struct tenant tenants[MANY];

/* All of them use the same addresses for everything. */
static void tenant_init(struct tenant *t, u32 number)
{
	u32 e;

	t->vgpu = vgpu_new(MDEV_TYPE_SMALL);
	t->number = number;
	ppgtt_init(&t->ppgtt, &t->vgpu->ram);
	ppgtt_notify(t->vgpu, &t->ppgtt, true);
	t->data = ram_alloc(&t->vgpu->ram, 1);
	t->batch = ram_alloc(&t->vgpu->ram, VGPU_NR_ENGINES);
	ppgtt_map(&t->ppgtt, DATA_ADDR, t->data, 1);
	ppgtt_map(&t->ppgtt, BATCH_ADDR, t->batch, VGPU_NR_ENGINES);
	t->high = ggtt_bind(t->vgpu, t->data, 1);
	for (e = 0; e < VGPU_NR_ENGINES; e++)
		context_init(&t->ctx[e], t->vgpu, e, &t->ppgtt);
}

/* At any time vGPUs use all engines. */
static u32 engine_of(const struct tenant *t, u32 round)
{
	return (t->number + round) % VGPU_NR_ENGINES;
}

static u32 value(const struct tenant *t, u32 round, u32 way)
{
	return 0xa0000000 | t->number << 16 | round << 8 | way;
}

/* Two words of the page, one by GGTT and one by PPGTT. */
static u64 slot(u32 engine, u32 way)
{
	return engine * 64 + way * 4;
}

static void tenant_submit(struct tenant *t, u32 round)
{
	u32 e = engine_of(t, round);
	struct context *ctx = &t->ctx[e];
	struct cs cs;

	cs_init(&cs, ram_ptr(&t->vgpu->ram, t->batch + e * PAGE_SIZE), PAGE_SIZE);
	cs_store(&cs, PPGTT, DATA_ADDR + slot(e, 0), value(t, round, 0));
	cs_end(&cs);
	request_begin(ctx);
	request_batch(ctx, BATCH_ADDR + e * PAGE_SIZE);
	cs_store(&ctx->ring, GGTT, t->high + slot(e, 1), value(t, round, 1));
	t->seqno = request_end(ctx);
	t->since = now_us();
	context_submit(ctx);
}

static bool tenant_finish(struct tenant *t, u32 round)
{
	struct context *ctx = &t->ctx[engine_of(t, round)];

	if (request_wait(ctx, t->seqno, 4 * SOON_MS) && engine_wait_idle(ctx->engine, SOON_MS))
		return true;
	tap_diag("number %u: %s: it is not done", t->number, ctx->engine->info->name);
	counters_explain(t->vgpu);
	return false;
}

/* Its own values are where it stored them, and its memory has no others. */
static bool tenant_right(const struct tenant *t, u32 round)
{
	const u32 *p = ram_ptr(&t->vgpu->ram, t->data);
	u32 e = engine_of(t, round), i, bad = 0;

	for (i = 0; i < PAGE_SIZE / 4; i++)
		bad += p[i] && (p[i] & 0xffff0000) != (value(t, 0, 0) & 0xffff0000);
	bad += p[slot(e, 0) / 4] != value(t, round, 0);
	bad += p[slot(e, 1) / 4] != value(t, round, 1);
	return !bad && ram_canary_intact(&t->vgpu->ram);
}

/* All at once; the longest of them, us. */
static u64 run_round(u32 count, u32 round, u32 *bad)
{
	u64 longest = 0;
	u32 i;

	for (i = 0; i < count; i++)
		tenant_submit(&tenants[i], round);
	for (i = 0; i < count; i++) {
		if (!tenant_finish(&tenants[i], round) || !tenant_right(&tenants[i], round))
			++*bad;
		if (now_us() - tenants[i].since > longest)
			longest = now_us() - tenants[i].since;
	}
	return longest;
}

static void check_rounds(u32 count, u32 first, const char *when)
{
	u64 longest = 0, took;
	u32 round, bad = 0;

	for (round = first; round < first + ROUNDS && !bad; round++) {
		took = run_round(count, round, &bad);
		longest = took > longest ? took : longest;
	}
	tap_eq(bad, 0, "%s: %u vGPUs store by GGTT and PPGTT, each its own values", when, count);
	tap_ok(longest < SOON_MS * 1000ULL, "%s: none waits for %u ms", when, SOON_MS);
	tap_diag("%s: longest wait: %llu ms", when, (unsigned long long)longest / 1000);
}

/* All that they name stays resident: no GGTT entry is written any more. */
static void check_steady(u32 count)
{
	u64 before = counters_gpu_number("copies", "entries_written");

	check_rounds(count, ROUNDS, "again");
	tap_eq(counters_gpu_number("copies", "entries_written"), before,
	       "a second round writes no GGTT entry");
}

/* One spins; the others must make progress. */
static void check_spinner(u32 count)
{
	struct context *ctx = &tenants[0].ctx[RCS];
	u64 longest = 0, took;
	struct spinner spin;
	u32 seqno, i, bad = 0;

	spinner_init(&spin, ctx, true);
	seqno = spinner_request(&spin, ctx);
	context_submit(ctx);
	tap_ok(request_wait_started(ctx, seqno, SOON_MS), "one vGPU spins");
	for (i = 1; i < count; i++)
		tenant_submit(&tenants[i], 2 * ROUNDS);
	for (i = 1; i < count; i++) {
		bad += !tenant_finish(&tenants[i], 2 * ROUNDS);
		bad += !tenant_right(&tenants[i], 2 * ROUNDS);
		took = now_us() - tenants[i].since;
		longest = took > longest ? took : longest;
	}
	tap_eq(bad, 0, "%u others run beside it", count - 1);
	tap_ok(longest < 2 * SOON_MS * 1000ULL, "none waits for %u ms", 2 * SOON_MS);
	tap_diag("longest wait: %llu ms", (unsigned long long)longest / 1000);
	tap_ok(!request_done(ctx, seqno), "the one still spins");
	spinner_end(&spin);
	tap_ok(request_wait(ctx, seqno, SOON_MS) && engine_wait_idle(ctx->engine, SOON_MS),
	       "it completes when told to");
}

/* As many as fit into graphics memory and the machine's memory. */
static u32 how_many(void)
{
	u64 most = counters_gpu_number("vgpus", "most"), kb;
	u32 count = most < MANY ? most : MANY;

	if (!file_scan_number("/proc/meminfo", "MemAvailable", &kb))
		tap_die("no MemAvailable in /proc/meminfo");
	if (kb / COST_KB < count) {
		count = kb / COST_KB < AT_LEAST ? AT_LEAST : kb / COST_KB;
		tap_diag("the machine has memory for %u only", count);
	}
	return count;
}

int main(void)
{
	char text[16], uuid[MDEV_UUID_SIZE];
	u32 i, count, bad = 0;
	long before;

	vgpu_test_init(120);
	before = mdev_max();
	count = how_many();
	snprintf(text, sizeof(text), "%u", count);
	tap_eq(-mdev_set_max(text), 0, "%u vGPUs are allowed", count);
	for (i = 0; i < count; i++)
		tenant_init(&tenants[i], i);
	tap_eq(counters_gpu_number("vgpus", "count"), count, "%u vGPUs are open", count);
	tap_eq(counters_gpu_number("ggtt", "clients"), count, "they share graphics memory");
	mdev_new_uuid(uuid);
	tap_eq(mdev_create(MDEV_TYPE_SMALL, uuid) ? mdev_available(MDEV_TYPE_SMALL) : 1, 0,
	       "no further vGPU can be created");
	check_rounds(count, 0, "first");
	check_steady(count);
	check_spinner(count);
	for (i = 0; i < count; i++) {
		u32 e;

		for (e = 0; e < VGPU_NR_ENGINES; e++)
			bad += tenants[i].ctx[e].engine->bad;
		bad += vgpu_free(tenants[i].vgpu) != 0;
	}
	tap_eq(bad, 0, "all have kept the protocol, and are removed");
	tap_eq(-mdev_restore_max(before), 0, "the limit of vGPUs is restored");
	return vgpu_test_done();
}
