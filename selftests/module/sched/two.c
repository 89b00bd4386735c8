// SPDX-License-Identifier: GPL-2.0
/* Several vGPUs at once: isolation of their memory, and a share for each. */
#include <string.h>

#include "clock.h"
#include "context.h"
#include "counters.h"
#include "ggtt.h"
#include "guard.h"
#include "tap.h"
#include "vgpu.h"
#include "witness.h"

#define MAX_VGPUS	3
#define DATA_PAGES	64
#define DATA_ADDR	0x300000000000ULL
#define BATCH_ADDR	0x310000000000ULL

/**
 * struct tenant - a guest that writes its pattern by each path
 * @vgpu: its vGPU
 * @ctx: its contexts
 * @ppgtt: their address space
 * @data: its pages
 * @low: offset of the first of them in the aperture
 * @batch: its batch
 * @pattern: its own pattern
 */
struct tenant {
	struct vgpu *vgpu;
	struct context ctx[VGPU_NR_ENGINES];
	struct ppgtt ppgtt;
	u64 data;
	u64 low;
	u64 batch;
	u32 pattern;
};

/* All tenants use the same addresses for everything. */
static void tenant_init(struct tenant *t, u32 index)
{
	u32 i;

	t->vgpu = vgpu_new(MDEV_TYPE_SMALL);
	t->pattern = 0x10000000 * (index + 1);
	ppgtt_init(&t->ppgtt, &t->vgpu->ram);
	ppgtt_notify(t->vgpu, &t->ppgtt, true);
	t->data = ram_alloc(&t->vgpu->ram, DATA_PAGES);
	t->batch = ram_alloc(&t->vgpu->ram, VGPU_NR_ENGINES);
	ppgtt_map(&t->ppgtt, DATA_ADDR, t->data, DATA_PAGES);
	ppgtt_map(&t->ppgtt, BATCH_ADDR, t->batch, VGPU_NR_ENGINES);
	t->low = ggtt_bind_low(t->vgpu, t->data, DATA_PAGES);
	for (i = 0; i < VGPU_NR_ENGINES; i++)
		context_init(&t->ctx[i], t->vgpu, i, &t->ppgtt);
}

/* Dword 0: PPGTT; 1: GGTT; 2: aperture; 3: CPU; of page @page and engine. */
static u64 slot(u32 page, u32 engine, u32 way)
{
	return page * PAGE_SIZE + engine * 64 + way * 4;
}

static u32 value(const struct tenant *t, u32 page, u32 engine, u32 way)
{
	return t->pattern | page << 8 | engine << 4 | way;
}

static u32 tenant_submit(struct tenant *t, u32 engine, u32 page)
{
	struct context *ctx = &t->ctx[engine];
	struct ram *ram = &t->vgpu->ram;
	u64 at = t->batch + engine * PAGE_SIZE;
	struct cs cs;
	u32 seqno;

	cs_init(&cs, ram_ptr(ram, at), PAGE_SIZE);
	cs_store(&cs, PPGTT, DATA_ADDR + slot(page, engine, 0), value(t, page, engine, 0));
	cs_end(&cs);
	request_begin(ctx);
	request_batch(ctx, BATCH_ADDR + engine * PAGE_SIZE);
	cs_store(&ctx->ring, GGTT, t->low + slot(page, engine, 1), value(t, page, engine, 1));
	seqno = request_end(ctx);
	context_submit(ctx);
	guard_write32(t->vgpu->aperture + t->low + slot(page, engine, 2),
		      value(t, page, engine, 2));
	ram_write32(ram, t->data + slot(page, engine, 3), value(t, page, engine, 3));
	return seqno;
}

static bool tenant_finish(struct tenant *t, u32 engine, u32 seqno)
{
	if (request_wait(&t->ctx[engine], seqno, 20000) &&
	    engine_wait_idle(t->ctx[engine].engine, SOON_MS))
		return true;
	tap_diag("%#x: %s: request %u is not done", t->pattern, engine_infos[engine].name, seqno);
	counters_explain(t->vgpu);
	return false;
}

static u32 tenant_check(struct tenant *t)
{
	u32 page, engine, way, bad = 0;

	for (page = 0; page < DATA_PAGES; page++)
		for (engine = 0; engine < VGPU_NR_ENGINES; engine++)
			for (way = 0; way < 4; way++)
				bad += ram_read32(&t->vgpu->ram, t->data + slot(page, engine, way))
				       != value(t, page, engine, way);
	return bad;
}

/* No word of its memory has another's pattern. */
static bool tenant_alone(struct tenant *t)
{
	const u32 *p = (const u32 *)t->vgpu->ram.ptr;
	u32 others = 0, i;

	for (i = t->data / 4; i < (t->data + DATA_PAGES * PAGE_SIZE) / 4; i++)
		others += p[i] && (p[i] & 0xf0000000) != t->pattern;
	return !others && ram_canary_intact(&t->vgpu->ram);
}

static void check_patterns(struct tenant *t, u32 count)
{
	u32 page, engine, i, bad = 0;
	u32 seqno[MAX_VGPUS];

	for (page = 0; page < DATA_PAGES && !bad; page++) {
		for (engine = 0; engine < VGPU_NR_ENGINES; engine++) {
			for (i = 0; i < count; i++)
				seqno[i] = tenant_submit(&t[i], engine, page);
			for (i = 0; i < count; i++)
				bad += !tenant_finish(&t[i], engine, seqno[i]);
		}
	}
	tap_eq(bad, 0, "%u vGPUs run requests at the same time", count);
	for (i = 0; i < count; i++) {
		tap_eq(tenant_check(&t[i]), 0, "%u vGPUs: number %u reads back its own data", count,
		       i);
		tap_ok(tenant_alone(&t[i]), "%u vGPUs: it sees none of the others' data", count);
		memset(ram_ptr(&t[i].vgpu->ram, t[i].data), 0, DATA_PAGES * PAGE_SIZE);
	}
}

/* One spins; the others must make progress. */
static void check_spinner(struct tenant *t, u32 count, u32 engine)
{
	struct context *ctx = &t[0].ctx[engine];
	struct spinner spin;
	u32 s0, i, k, done = 0;
	u64 t0, worst = 0;

	spinner_init(&spin, ctx, true);
	s0 = spinner_request(&spin, ctx);
	context_submit(ctx);
	tap_ok(request_wait_started(ctx, s0, SOON_MS), "%s: one vGPU spins",
	       engine_infos[engine].name);
	for (k = 0; k < 20; k++) {
		for (i = 1; i < count; i++) {
			u32 seqno;

			t0 = now_us();
			seqno = tenant_submit(&t[i], (engine + k) % VGPU_NR_ENGINES, k);
			done += tenant_finish(&t[i], (engine + k) % VGPU_NR_ENGINES, seqno);
			if (now_us() - t0 > worst)
				worst = now_us() - t0;
		}
	}
	tap_eq(done, 20 * (count - 1), "%s: the others run", engine_infos[engine].name);
	tap_ok(worst < OTHERS_WAIT_MS(1) * 1000ULL, "%s: none waits for %u ms",
	       engine_infos[engine].name, OTHERS_WAIT_MS(1));
	tap_diag("longest wait: %llu ms", (unsigned long long)worst / 1000);
	tap_ok(!request_done(ctx, s0), "%s: the one still spins", engine_infos[engine].name);
	spinner_end(&spin);
	tap_ok(tenant_finish(&t[0], engine, s0), "%s: it completes when told to",
	       engine_infos[engine].name);
}

/* A batch that counts its rounds, which shows its share of time. */
static void counter_init(struct tenant *t, u32 engine, u64 *counter, u32 *seqno)
{
	struct context *ctx = &t->ctx[engine];
	struct ram *ram = &t->vgpu->ram;
	u64 gpa = ram_alloc(ram, 2), addr = 0x320000000000ULL + gpa;
	struct cs cs;

	ppgtt_map(ctx->ppgtt, addr, gpa, 2);
	*counter = gpa + PAGE_SIZE;
	cs_init(&cs, ram_ptr(ram, gpa), PAGE_SIZE);
	cs_noop(&cs, 1);
	cs_arb_check(&cs);
	cs_dw(&cs, MI_CMD(OP_MI_ATOMIC) | 5 << 8 | 1);	/* increment */
	cs_dw(&cs, lower_32_bits(addr + PAGE_SIZE + 8));
	cs_dw(&cs, upper_32_bits(addr + PAGE_SIZE + 8));
	cs_batch(&cs, PPGTT, addr);

	request_begin(ctx);
	request_batch(ctx, addr);
	*seqno = request_end(ctx);
}

/**
 * struct held - times for which vGPUs had the render engine, ns
 * @least: the shortest
 * @most: the longest
 * @sum: their sum
 */
struct held {
	u64 least;
	u64 most;
	u64 sum;
};

static struct held held_since(struct tenant *t, u32 count, const u64 *start)
{
	struct held held = { .least = ~0ULL };
	u32 i;

	for (i = 0; i < count; i++) {
		u64 ns = counters_held(t[i].vgpu, RCS) - start[i];

		held.least = ns < held.least ? ns : held.least;
		held.most = ns > held.most ? ns : held.most;
		held.sum += ns;
	}
	return held;
}

static bool alike(const struct held *held)
{
	return held->most * 2 <= held->least * 3;
}

/*
 * By the scheduler's own clock, shares differ by less than turns that overran do. One that did as
 * the machine stood still is made up for in as much time.
 */
static void check_times(struct tenant *t, u32 count)
{
	u64 start[MAX_VGPUS], enough = count * 2000000000ULL;
	struct held held;
	u32 i;

	if (counters_held(t[0].vgpu, RCS) == ~0ULL) {
		tap_skip("no debugfs", "%u spinning vGPUs: shares are equal", count);
		return;
	}
	for (i = 0; i < count; i++)
		start[i] = counters_held(t[i].vgpu, RCS);
	wait_for((held = held_since(t, count, start), held.sum >= enough && alike(&held)),
		 4 * SOON_MS);
	tap_ok(held.sum >= enough, "%u spinning vGPUs have their engine for 2 s each", count);
	tap_diag("%llu to %llu ms", (unsigned long long)held.least / 1000000,
		 (unsigned long long)held.most / 1000000);
	tap_ok(alike(&held), "%u spinning vGPUs: no share is more than 3/2 of another", count);
}

static void check_shares(struct tenant *t, u32 count)
{
	u32 seqno[MAX_VGPUS], start[MAX_VGPUS], i, running = 0;
	u64 counter[MAX_VGPUS];

	for (i = 0; i < count; i++) {
		counter_init(&t[i], RCS, &counter[i], &seqno[i]);
		context_submit(&t[i].ctx[RCS]);
	}
	for (i = 0; i < count; i++)
		request_wait_started(&t[i].ctx[RCS], seqno[i], SOON_MS);
	for (i = 0; i < count; i++)
		start[i] = ram_read32(&t[i].vgpu->ram, counter[i] + 8);
	check_times(t, count);
	for (i = 0; i < count; i++)
		running += ram_read32(&t[i].vgpu->ram, counter[i] + 8) != start[i];
	tap_eq(running, count, "%u spinning vGPUs all make progress", count);
	for (i = 0; i < count; i++) {
		ram_write32(&t[i].vgpu->ram, counter[i] - PAGE_SIZE,
			    MI_CMD(OP_MI_BATCH_BUFFER_END));
		tap_ok(tenant_finish(&t[i], RCS, seqno[i]), "vGPU %u ends", i);
	}
}

int main(void)
{
	static struct tenant tenants[MAX_VGPUS];
	u32 i;

	vgpu_test_init(240);
	for (i = 0; i < MAX_VGPUS; i++) {
		tenant_init(&tenants[i], i);
		if (i)
			check_patterns(tenants, i + 1);
	}
	for (i = 0; i < VGPU_NR_ENGINES; i++)
		check_spinner(tenants, MAX_VGPUS, i);
	check_shares(tenants, 2);
	check_shares(tenants, 3);
	for (i = 0; i < MAX_VGPUS; i++) {
		u32 e;

		for (e = 0; e < VGPU_NR_ENGINES; e++)
			tap_ok(!tenants[i].ctx[e].engine->bad,
			       "vGPU %u, %s: the execlist protocol is kept", i,
			       engine_infos[e].name);
		vgpu_free(tenants[i].vgpu);
	}
	return vgpu_test_done();
}
