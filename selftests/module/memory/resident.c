// SPDX-License-Identifier: GPL-2.0
/*
 * Units that prepared commands name stay resident; others make room. Several vGPUs store to all of
 * their graphics memory, which is more than there is, while on each engine a context of another
 * vGPU waits within its request, and a second context is queued.
 */
#include <stdio.h>
#include <stdlib.h>

#include "clock.h"
#include "context.h"
#include "counters.h"
#include "ggtt.h"
#include "mdev.h"
#include "tap.h"
#include "vgpu.h"

#define ROUNDS		2
#define UNIT_PAGES	16
#define UNITS_A_PAGE	16	/* units that map the same page, with a dword each */
#define SWEEP_UNITS	5632	/* of 6144 in high graphics memory */
#define CHUNK		512	/* units in a request */
#define CHUNK_PAGES	3	/* of the batch: 4 dwords a unit */
#define CALLED_DWORDS	400
#define CALLED_PAGES	2

/* Offsets in a job's page of results. */
#define GO		0	/* the first request waits for it */
#define DONE		64
#define SECOND		128
#define LOADED		192	/* stored by the indirect-context batch */
#define CALLED		256

/**
 * struct job - two requests on an engine
 * @first: the context that waits
 * @second: the context queued behind it
 * @gpa: the page of results
 * @addr: its graphics address
 * @batch: bus address of a batch in the GGTT, which @first calls
 * @batch_ggtt: its graphics address
 * @seqno: the requests
 */
struct job {
	struct context first;
	struct context second;
	u64 gpa;
	u64 addr;
	u64 batch;
	u64 batch_ggtt;
	u32 seqno[2];
};

/**
 * struct sweeper - a vGPU that stores to all of its graphics memory
 * @vgpu: the vGPU
 * @ctx: its context
 * @index: its index
 * @units: units that it stores to
 * @pages: bus address of its pages: each is mapped in 16 units
 * @addr: graphics address of the first unit
 * @batch: bus address of its batch
 * @batch_ggtt: graphics address of @batch
 * @seqno: its last request
 */
struct sweeper {
	struct vgpu *vgpu;
	struct context ctx;
	u32 index;
	u32 units;
	u64 pages;
	u64 addr;
	u64 batch;
	u64 batch_ggtt;
	u32 seqno;
};

static u32 value_of(const struct sweeper *s, u32 round, u32 unit)
{
	return round << 28 | s->index << 20 | unit;
}

/* Over all units it is any page of a unit, the last one included. */
static u64 unit_page(const struct sweeper *s, u32 unit)
{
	return s->addr + ((u64)unit * UNIT_PAGES + unit % UNIT_PAGES) * PAGE_SIZE;
}

/* The offset of a unit's dword in its page. */
static u32 unit_offset(u32 unit)
{
	return unit % UNITS_A_PAGE * 64;
}

static u64 unit_gpa(const struct sweeper *s, u32 unit)
{
	return s->pages + (u64)(unit / UNITS_A_PAGE) * PAGE_SIZE;
}

static void sweep_store(const struct sweeper *s, struct cs *cs, u32 round, u32 unit)
{
	cs_store(cs, GGTT, unit_page(s, unit) + unit_offset(unit), value_of(s, round, unit));
}

static void sweeper_init(struct sweeper *s, const char *type, u32 index, u32 units, u32 pages)
{
	struct vgpu *vgpu = vgpu_new(type);
	u32 i;

	*s = (struct sweeper) { .vgpu = vgpu, .index = index, .units = units };
	context_init(&s->ctx, vgpu, index % VGPU_NR_ENGINES, NULL);
	s->batch = ram_alloc(&vgpu->ram, pages);
	s->batch_ggtt = ggtt_bind(vgpu, s->batch, pages);
	s->pages = ram_alloc(&vgpu->ram, units / UNITS_A_PAGE);
	while (vgpu->high_next / PAGE_SIZE % UNIT_PAGES)
		ggtt_alloc(vgpu, 1);
	s->addr = ggtt_alloc(vgpu, units * UNIT_PAGES);
	for (i = 0; i < units; i++)
		ggtt_set(vgpu, unit_page(s, i), unit_gpa(s, i) | GEN_PTE_PRESENT);
	ggtt_flush(vgpu);
}

/* A request that stores into each of @count units. */
static void sweep_begin(struct sweeper *s, u32 round, u32 first, u32 count)
{
	struct cs cs;
	u32 i;

	cs_init(&cs, ram_ptr(&s->vgpu->ram, s->batch), CHUNK_PAGES * PAGE_SIZE);
	for (i = first; i < first + count; i++)
		sweep_store(s, &cs, round, i);
	cs_end(&cs);
	request_begin(&s->ctx);
	cs_batch(&s->ctx.ring, GGTT, s->batch_ggtt);
	s->seqno = request_end(&s->ctx);
	context_submit(&s->ctx);
}

static bool sweep_end(struct sweeper *s)
{
	return request_wait(&s->ctx, s->seqno, SOON_MS) &&
	       engine_wait_idle(s->ctx.engine, SOON_MS);
}

/* All vGPUs at the same time. Return: how many requests failed. */
static u32 sweep(struct sweeper *s, u32 count, u32 round)
{
	u32 unit, i, bad = 0;

	for (unit = 0; unit < SWEEP_UNITS; unit += CHUNK) {
		for (i = 0; i < count; i++)
			sweep_begin(&s[i], round, unit, CHUNK);
		for (i = 0; i < count; i++)
			bad += !sweep_end(&s[i]);
	}
	return bad;
}

/* Return: how many units do not have the value last stored. */
static u32 sweep_check(const struct sweeper *s, u32 round)
{
	u32 i, bad = 0;

	for (i = 0; i < s->units; i++)
		bad += ram_read32(&s->vgpu->ram, unit_gpa(s, i) + unit_offset(i)) !=
		       value_of(s, round, i);
	return bad;
}

/* Each load of the context stores LOADED. */
static void write_load_batch(struct job *job)
{
	u64 gpa = ram_alloc(&job->first.vgpu->ram, 1);
	struct cs cs;

	cs_init(&cs, ram_ptr(&job->first.vgpu->ram, gpa), PAGE_SIZE);
	cs_store(&cs, GGTT, job->addr + LOADED, 1);
	job->first.state[LRC_INDIRECT_CTX] = ggtt_bind(job->first.vgpu, gpa, 1) | 1;
}

static void job_init(struct job *job, struct vgpu *vgpu, enum vgpu_engine engine)
{
	job->gpa = ram_alloc(&vgpu->ram, 1);
	job->addr = engine & 1 ? ggtt_bind(vgpu, job->gpa, 1) : ggtt_bind_low(vgpu, job->gpa, 1);
	job->batch = ram_alloc(&vgpu->ram, CALLED_PAGES);
	job->batch_ggtt = ggtt_bind(vgpu, job->batch, CALLED_PAGES);
	context_init(&job->first, vgpu, engine, NULL);
	context_init(&job->second, vgpu, engine, NULL);
	if (engine == RCS)
		write_load_batch(job);
}

static void write_called(struct job *job, u32 value)
{
	struct cs cs;
	u32 i;

	cs_init(&cs, ram_ptr(&job->first.vgpu->ram, job->batch), CALLED_PAGES * PAGE_SIZE);
	for (i = 0; i < CALLED_DWORDS; i++)
		cs_store(&cs, GGTT, job->addr + CALLED + i * sizeof(u32), value + i);
	cs_end(&cs);
}

static bool job_start(struct job *job, u32 value)
{
	struct context *first = &job->first, *second = &job->second;

	write_called(job, value);
	request_begin(first);
	cs_semaphore_wait(&first->ring, GGTT, job->addr + GO, SEMAPHORE_EQ, value);
	cs_batch(&first->ring, GGTT, job->batch_ggtt);
	cs_store(&first->ring, GGTT, job->addr + DONE, value);
	job->seqno[0] = request_end(first);
	request_begin(second);
	cs_store(&second->ring, GGTT, job->addr + SECOND, value);
	job->seqno[1] = request_end(second);
	context_submit2(first, second);
	return request_wait_started(first, job->seqno[0], SOON_MS);
}

static u32 result(const struct job *job, u32 offset)
{
	return ram_read32(&job->first.vgpu->ram, job->gpa + offset);
}

static bool job_waits(struct job *job, u32 value)
{
	return !request_done(&job->first, job->seqno[0]) &&
	       !request_started(&job->second, job->seqno[1]) && result(job, DONE) != value;
}

static bool job_end(struct job *job, u32 value)
{
	bool ok;
	u32 i;

	ram_write32(&job->first.vgpu->ram, job->gpa + LOADED, 0);
	ram_write32(&job->first.vgpu->ram, job->gpa + GO, value);
	memory_fence();
	ok = request_wait(&job->first, job->seqno[0], SOON_MS) &&
	     request_wait(&job->second, job->seqno[1], SOON_MS) &&
	     engine_wait_idle(job->first.engine, SOON_MS);
	ok &= result(job, DONE) == value && result(job, SECOND) == value;
	for (i = 0; i < CALLED_DWORDS; i++)
		ok &= result(job, CALLED + i * sizeof(u32)) == value + i;
	return ok && !job->first.engine->bad;
}

/* Another request loads the first context again. */
static bool loads(struct job *job)
{
	request_begin(&job->first);
	return request_run(&job->first, request_end(&job->first)) && result(job, LOADED) == 1;
}

static u64 gpu_number(const char *key)
{
	return counters_gpu_number("ggtt", key);
}

/* Requests name more units than there are runs, while some runs are held. */
static void check_room(void)
{
	u32 count = gpu_number("runs") / SWEEP_UNITS + 2, i, e, round;
	u32 bad = 0, unasked = 0, lost = 0, wrong = 0, unloaded = 0;
	struct sweeper *sweepers = calloc(count, sizeof(*sweepers));
	struct job job[VGPU_NR_ENGINES];
	struct vgpu *vgpu = vgpu_new(MDEV_TYPE_SMALL);
	u64 loads_all = 0, evicted = 0;

	for (e = 0; e < VGPU_NR_ENGINES; e++)
		job_init(&job[e], vgpu, e);
	for (i = 0; i < count; i++)
		sweeper_init(&sweepers[i], MDEV_TYPE_SMALL, i, SWEEP_UNITS, CHUNK_PAGES);
	for (round = 1; round <= ROUNDS; round++) {
		for (e = 0; e < VGPU_NR_ENGINES; e++)
			lost += !job_start(&job[e], round << 16);
		bad += sweep(sweepers, count, round);
		for (i = 0; i < count; i++)
			wrong += sweep_check(&sweepers[i], round);
		for (e = 0; e < VGPU_NR_ENGINES; e++)
			unasked += !job_waits(&job[e], round << 16);
		for (e = 0; e < VGPU_NR_ENGINES; e++)
			lost += !job_end(&job[e], round << 16);
		unloaded += !loads(&job[RCS]);
	}
	for (i = 0; i < count; i++) {
		loads_all += counters_number(sweepers[i].vgpu, "ggtt", "units_loaded");
		evicted += counters_number(sweepers[i].vgpu, "ggtt", "units_evicted");
	}
	tap_eq(bad, 0, "%u vGPUs store %u times to %u units each", count, ROUNDS, SWEEP_UNITS);
	tap_eq(wrong, 0, "each finds its own memory everywhere");
	tap_ok(evicted >= SWEEP_UNITS && loads_all > evicted,
	       "that loads %llu units and evicts %llu",
	       (unsigned long long)loads_all, (unsigned long long)evicted);
	tap_eq(gpu_number("runs_resident"), gpu_number("runs"), "all runs are used");
	tap_eq(unasked, 0, "the waiting requests continue to wait");
	tap_eq(lost, 0, "every command of theirs finds its memory");
	tap_eq(unloaded, 0, "indirect-context batches do, too");
	tap_eq(gpu_number("runs_held"), 0, "no run is held without requests");
	tap_eq(counters_number(vgpu, "exec", "relocations"), 0, "no relocation is left");
	for (i = 0; i < count; i++) {
		tap_ok(ram_canary_intact(&sweepers[i].vgpu->ram), "vGPU %u: no stray write", i);
		vgpu_free(sweepers[i].vgpu);
	}
	tap_ok(ram_canary_intact(&vgpu->ram), "no stray write");
	vgpu_free(vgpu);
	tap_eq(gpu_number("runs_resident"), 0, "no run is used without vGPUs");
	free(sweepers);
}

#define LARGE_PARTS	4

static u32 large_pages(const struct sweeper *s)
{
	return s->units / LARGE_PARTS * 16 / PAGE_SIZE + 1;
}

/* All units at once, in parts: the first one waits, the others are queued behind it. */
static void large_begin(struct sweeper *s, u64 go, u32 part)
{
	u32 count = s->units / LARGE_PARTS, first = part * count, i;
	u64 offset = (u64)part * large_pages(s) * PAGE_SIZE;
	struct cs cs;

	cs_init(&cs, ram_ptr(&s->vgpu->ram, s->batch + offset), large_pages(s) * PAGE_SIZE);
	for (i = first; i < first + count; i++)
		sweep_store(s, &cs, 1, i);
	cs_end(&cs);
	request_begin(&s->ctx);
	if (!part)
		cs_semaphore_wait(&s->ctx.ring, GGTT, go, SEMAPHORE_EQ, 1);
	cs_batch(&s->ctx.ring, GGTT, s->batch_ggtt + offset);
	s->seqno = request_end(&s->ctx);
	context_submit(&s->ctx);
}

/* A vGPU that names more than its limit waits; others do not. */
static void check_share(void)
{
	struct vgpu *other = vgpu_new(MDEV_TYPE_SMALL);
	u64 go, go_ggtt;
	struct sweeper s;
	bool taken = true;
	u32 part;
	/* A sixteenth more than half of the runs; three parts are less than half. */
	u32 units = gpu_number("runs") / 2 * 17 / 16 / 64 * 64;

	sweeper_init(&s, MDEV_TYPE_HUGE, 0, units, LARGE_PARTS * (units * 4 / PAGE_SIZE + 1));
	go = ram_alloc(&s.vgpu->ram, 1);
	go_ggtt = ggtt_bind_low(s.vgpu, go, 1);
	for (part = 0; part < LARGE_PARTS; part++) {
		large_begin(&s, go_ggtt, part);
		/* Otherwise one request has all parts that are in the ring by then. */
		if (part < LARGE_PARTS - 1)
			taken &= engine_wait_promoted(s.ctx.engine, SOON_MS);
	}
	tap_ok(taken, "requests are taken while there is room");
	tap_ok(wait_for(counters_number(s.vgpu, "exec", "retried") > 0, SOON_MS),
	       "a vGPU has to wait if its requests name too many units");
	tap_ok(gpu_number("runs_held") * 2 <= gpu_number("runs") + 2, "it holds half of the runs");
	tap_ok(vgpu_works(other), "another vGPU works meanwhile");
	/* Longer than a submission that waits for other vGPUs is retried. */
	sleep_us(3000000);
	ram_write32(&s.vgpu->ram, go, 1);
	memory_fence();
	tap_ok(sweep_end(&s), "the others complete after the first one");
	tap_eq(sweep_check(&s, 1), 0, "their stores are right");
	tap_eq(counters_number(s.vgpu, "exec", "refused"), 0, "none was refused");
	vgpu_free(s.vgpu);
	vgpu_free(other);
}

#define BORDER_PAGES	(2 * UNIT_PAGES)
#define BORDER_DWORDS	8

/* A store across a page border, within a unit and across units. The pages are mapped in reverse. */
static void check_borders(void)
{
	struct vgpu *vgpu = vgpu_new(MDEV_TYPE_SMALL);
	u64 pages = ram_alloc(&vgpu->ram, BORDER_PAGES + 1), addr;
	u32 i, k, bad = 0, value;
	struct context ctx;

	context_init(&ctx, vgpu, RCS, NULL);
	while (vgpu->high_next / PAGE_SIZE % UNIT_PAGES)
		ggtt_alloc(vgpu, 1);
	addr = ggtt_alloc(vgpu, BORDER_PAGES + 1);
	for (i = 0; i <= BORDER_PAGES; i++)
		ggtt_map(vgpu, addr + (u64)i * PAGE_SIZE,
			 pages + (u64)(BORDER_PAGES - i) * PAGE_SIZE, 1);
	ggtt_flush(vgpu);
	for (i = 0; i < BORDER_PAGES; i++) {
		request_begin(&ctx);
		cs_dw(&ctx.ring, MI_CMD(OP_MI_STORE_DATA_IMM) | MI_USE_GGTT | (BORDER_DWORDS + 1));
		cs_dw(&ctx.ring, lower_32_bits(addr + (u64)(i + 1) * PAGE_SIZE - 16));
		cs_dw(&ctx.ring, 0);
		for (k = 0; k < BORDER_DWORDS; k++)
			cs_dw(&ctx.ring, i << 8 | k | 0x80000000);
		cs_noop(&ctx.ring, 1);
		bad += !request_run(&ctx, request_end(&ctx));
		for (k = 0; k < BORDER_DWORDS; k++) {
			value = ram_read32(&vgpu->ram, pages +
					   (u64)(BORDER_PAGES - i - (k >= 4)) * PAGE_SIZE +
					   (k < 4 ? PAGE_SIZE - 16 + k * 4 : (k - 4) * 4));
			bad += value != (i << 8 | k | 0x80000000);
		}
	}
	tap_eq(bad, 0, "stores across a border of pages find both");
	/* The entry behind a unit is in the unit's run, too, and must change there. */
	ggtt_map(vgpu, addr + UNIT_PAGES * PAGE_SIZE, pages, 1);
	ggtt_flush(vgpu);
	request_begin(&ctx);
	cs_dw(&ctx.ring, MI_CMD(OP_MI_STORE_DATA_IMM) | MI_USE_GGTT | 3);
	cs_dw(&ctx.ring, lower_32_bits(addr + UNIT_PAGES * PAGE_SIZE - 4));
	cs_dw(&ctx.ring, 0);
	cs_dw(&ctx.ring, 1);
	cs_dw(&ctx.ring, 2);
	cs_noop(&ctx.ring, 1);
	tap_ok(request_run(&ctx, request_end(&ctx)) && ram_read32(&vgpu->ram, pages) == 2,
	       "also after the entry of one has changed");
	vgpu_free(vgpu);
}

#define STEADY_VGPUS	4
#define STEADY_ROUNDS	20

/* One request of each vGPU, which stores to the same page each time. */
static u32 steady_round(struct context *ctx, const u64 *addr, u32 round)
{
	u32 seqno[STEADY_VGPUS], i, bad = 0;

	for (i = 0; i < STEADY_VGPUS; i++) {
		request_begin(&ctx[i]);
		cs_store(&ctx[i].ring, GGTT, addr[i], round);
		seqno[i] = request_end(&ctx[i]);
		context_submit(&ctx[i]);
	}
	for (i = 0; i < STEADY_VGPUS; i++)
		bad += !request_wait(&ctx[i], seqno[i], SOON_MS) ||
		       !engine_wait_idle(ctx[i].engine, SOON_MS);
	return bad;
}

/* Entries of resident units are not written again at a switch of vGPUs. */
static void check_steady(void)
{
	struct context ctx[STEADY_VGPUS];
	u64 addr[STEADY_VGPUS], gpa[STEADY_VGPUS], written, flushes, turns;
	struct vgpu *vgpu[STEADY_VGPUS];
	u32 i, bad = 0;

	for (i = 0; i < STEADY_VGPUS; i++) {
		vgpu[i] = vgpu_new(MDEV_TYPE_SMALL);
		context_init(&ctx[i], vgpu[i], RCS, NULL);
		gpa[i] = ram_alloc(&vgpu[i]->ram, 1);
		ggtt_alloc(vgpu[i], UNIT_PAGES);
		addr[i] = ggtt_bind(vgpu[i], gpa[i], 1);
	}
	bad += steady_round(ctx, addr, 1);
	/* Only a store to another unit writes entries and flushes. */
	written = counters_gpu_number("copies", "entries_written");
	flushes = counters_gpu_number("copies", "flushes");
	request_begin(&ctx[0]);
	cs_store(&ctx[0].ring, GGTT, addr[0] + MB(1), 1);
	bad += !request_run(&ctx[0], request_end(&ctx[0]));
	tap_eq(counters_gpu_number("copies", "entries_written") - written, UNIT_PAGES + 1,
	       "the entries of a new unit are written");
	tap_eq(counters_gpu_number("copies", "flushes") - flushes, 1, "with one flush");
	written = counters_gpu_number("copies", "entries_written");
	flushes = counters_gpu_number("copies", "flushes");
	turns = counters_gpu_number("sched", "turns");
	for (i = 2; i < 2 + STEADY_ROUNDS; i++)
		bad += steady_round(ctx, addr, i);
	tap_ok(counters_gpu_number("sched", "turns") - turns >= STEADY_VGPUS * STEADY_ROUNDS / 2,
	       "%u vGPUs take turns", STEADY_VGPUS);
	tap_eq(counters_gpu_number("copies", "entries_written"), written,
	       "a switch writes no entry");
	tap_eq(counters_gpu_number("copies", "flushes"), flushes, "a switch makes no flush");
	for (i = 0; i < STEADY_VGPUS; i++) {
		bad += ram_read32(&vgpu[i]->ram, gpa[i]) != 1 + STEADY_ROUNDS;
		vgpu_free(vgpu[i]);
	}
	tap_eq(bad, 0, "each request completes and stores");
}

int main(void)
{
	vgpu_test_init(300);
	check_steady();
	check_borders();
	check_room();
	check_share();
	return vgpu_test_done();
}
