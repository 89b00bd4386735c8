// SPDX-License-Identifier: GPL-2.0
/*
 * The dirty log: a report has each page that the device has written since the last one, whatever
 * wrote it; and few others. The guest's own writes are not the device's.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "context.h"
#include "fence.h"
#include "ggtt.h"
#include "guard.h"
#include "heavy.h"
#include "mdev.h"
#include "migration.h"
#include "rng.h"
#include "tap.h"
#include "vgpu.h"

#define ADDR		0x40000000ull
#define FAR_ADDR	(ADDR + MB(64))
#define FAR_IOVA	0x700000000ull
#define PITCH		1024u
#define FENCED		32u

#define TABLES		64u	/* page tables that are destroyed together */

#define POOL		64u	/* pages that random operations write */
#define WAYS		5u	/* how many ways to do so there are */
#define RANDOM_MS	4000u
#define SEEDS		brief(4)
#define ROUND_US	3000u

static struct vgpu *vgpu;
static u64 *map;	/* a bit for each page of the guest's memory */

static u32 pages(void)
{
	return vgpu->ram.size / PAGE_SIZE;
}

static bool is_set(u64 gpa)
{
	u64 i = (gpa - vgpu->ram.base) / PAGE_SIZE;

	return map[i / 64] >> i % 64 & 1;
}

/* What is dirty, into the map. */
static void read_log(void)
{
	memset(map, 0, pages() / 8);
	if (mig_log_report(&vgpu->dev, vgpu->ram.base, vgpu->ram.size, PAGE_SIZE, map))
		tap_die("no report");
}

static u32 count(void)
{
	u32 i, n = 0;

	for (i = 0; i < pages() / 64; i++)
		n += __builtin_popcountll(map[i]);
	return n;
}

static void begin_log(void)
{
	struct mig_range all = { vgpu->ram.base, vgpu->ram.size };

	if (mig_log_start(&vgpu->dev, &all, 1))
		tap_die("the log does not start");
}

static void end_log(void)
{
	if (mig_log_stop(&vgpu->dev))
		tap_die("the log does not stop");
}

/* A batch in a page of its own at @at stores @value at @addr. */
static bool store(struct context *ctx, u64 at, u64 batch_gpa, u64 addr, u32 value)
{
	struct cs batch;

	cs_init(&batch, ram_ptr(&vgpu->ram, batch_gpa), PAGE_SIZE);
	cs_store(&batch, PPGTT, addr, value);
	cs_end(&batch);
	request_begin(ctx);
	request_batch(ctx, at);
	return request_run(ctx, request_end(ctx));
}

static void check_arguments(void)
{
	const struct mig_range overlapping[] = { { 0, MB(2) }, { MB(1), MB(2) } };
	const struct mig_range beyond = { -MB(1), MB(2) }, odd = { 100, PAGE_SIZE };
	struct mig_range many[300] = { };
	u64 far[16] = { };
	u32 i;

	for (i = 0; i < 300; i++)
		many[i] = (struct mig_range) { i * MB(1), PAGE_SIZE };
	tap_eq(-mig_log_report(&vgpu->dev, 0, PAGE_SIZE, PAGE_SIZE, far), EINVAL,
	       "no report before the log is started");
	tap_eq(-mig_log_stop(&vgpu->dev), 0, "it can be stopped before it is started");
	tap_eq(-mig_log_start(&vgpu->dev, NULL, 0), EINVAL, "no ranges are refused");
	tap_eq(-mig_log_start(&vgpu->dev, overlapping, 2), EINVAL,
	       "overlapping ranges are refused");
	tap_eq(-mig_log_start(&vgpu->dev, &beyond, 1), EOVERFLOW,
	       "a range beyond the address space is refused");
	tap_eq(-mig_log_start(&vgpu->dev, &odd, 1), EINVAL, "an unaligned range is refused");
	tap_eq(-mig_log_start(&vgpu->dev, many, 300), E2BIG, "too many ranges are refused");
	begin_log();
	tap_eq(-mig_log_start(&vgpu->dev, &many[0], 1), EINVAL, "it cannot be started twice");
	tap_eq(-mig_log_report(&vgpu->dev, 0, 1ull << 40, 1ull << 30, far), 0,
	       "a report of a TB, in bits of a GB");
	tap_eq(-mig_log_report(&vgpu->dev, -MB(1), MB(2), PAGE_SIZE, far), EOVERFLOW,
	       "no report beyond the address space");
	tap_eq(-mig_log_report(&vgpu->dev, 0, PAGE_SIZE, PAGE_SIZE - 1, far), EINVAL,
	       "no report with odd pages");
	tap_eq(-mig_log_report(&vgpu->dev, PAGE_SIZE / 2, PAGE_SIZE, PAGE_SIZE, far), EINVAL,
	       "no report from within a page");
	tap_eq(-mig_log_report(&vgpu->dev, 0, PAGE_SIZE + 1, PAGE_SIZE, far), EINVAL,
	       "nor to within one");
	end_log();
	tap_eq(-mig_log_report(&vgpu->dev, 0, PAGE_SIZE, PAGE_SIZE, far), EINVAL,
	       "no report after it is stopped");
}

static void check_page_tables(void)
{
	u64 batch = ram_alloc(&vgpu->ram, 1), data = ram_alloc(&vgpu->ram, 8);
	u64 other = ram_alloc(&vgpu->ram, 1);
	struct context ctx, idle;

	context_init(&ctx, vgpu, RCS, NULL);
	context_init(&idle, vgpu, RCS, NULL);
	ppgtt_map(ctx.ppgtt, ADDR, batch, 1);
	ppgtt_map(ctx.ppgtt, FAR_ADDR, data, 8);
	*ppgtt_entry(ctx.ppgtt, FAR_ADDR + 7 * PAGE_SIZE, 0) &= ~(u64)GEN_PTE_RW;
	ppgtt_map(idle.ppgtt, ADDR, other, 1);
	request_begin(&idle);
	request_run(&idle, request_end(&idle));
	begin_log();
	read_log();
	tap_eq(count(), 0, "nothing has run: nothing is dirty");
	tap_ok(store(&ctx, ADDR, batch, FAR_ADDR, 1), "page tables: a batch stores");
	read_log();
	tap_ok(is_set(data), "page tables: the page that it stored to is dirty");
	tap_ok(!is_set(data + 7 * PAGE_SIZE), "page tables: one without write permission is not");
	tap_ok(!is_set(other), "page tables: nor is one of a context that did not run");
	tap_ok(is_set(ctx.fence), "the GGTT: what the ring's commands stored to is dirty");
	tap_ok(is_set(ctx.image), "the context's status page is dirty");
	tap_ok(is_set(ctx.image + LRC_STATE_PAGE * PAGE_SIZE), "its register page is dirty");
	tap_ok(!is_set(ctx.ring_gpa), "its ring is not");
	read_log();
	tap_ok(!is_set(data) && !is_set(ctx.fence) && !is_set(ctx.image),
	       "nothing has run since: they are not dirty again");
	tap_ok(store(&ctx, ADDR, batch, FAR_ADDR + PAGE_SIZE, 2), "page tables: it runs again");
	ppgtt_unmap(ctx.ppgtt, FAR_ADDR + PAGE_SIZE, 1);
	tap_ok(store(&ctx, ADDR, batch, FAR_ADDR, 3), "page tables: and without that page");
	read_log();
	tap_ok(is_set(data + PAGE_SIZE), "page tables: a page is dirty that was unmapped since");
	tap_ok(store(&ctx, ADDR, batch, FAR_ADDR, 4), "page tables: and again");
	read_log();
	tap_ok(is_set(data) && !is_set(data + PAGE_SIZE), "page tables: once");
	end_log();
}

/* Use an address space of many tables, destroy it, and stop. Return: whether the log knows. */
static bool destroy_and_stop(u64 batch, u64 data)
{
	struct context ctx;
	u32 i;

	context_init(&ctx, vgpu, RCS, NULL);
	ppgtt_map(ctx.ppgtt, ADDR, batch, 1);
	for (i = 1; i < TABLES; i++)
		ppgtt_map(ctx.ppgtt, FAR_ADDR + i * MB(2), data, 1);
	ppgtt_map(ctx.ppgtt, FAR_ADDR + TABLES * MB(2), data + PAGE_SIZE, 1);
	if (!store(&ctx, ADDR, batch, FAR_ADDR + TABLES * MB(2), 1))
		tap_die("the store fails");
	if (!engine_wait_idle(ctx.engine, SOON_MS))
		tap_die("the engine is not idle");
	ppgtt_notify(vgpu, ctx.ppgtt, false);
	if (mig_set(&vgpu->dev, MIG_STOP, NULL))
		tap_die("the vGPU does not stop");
	read_log();
	if (mig_set(&vgpu->dev, MIG_RUNNING, NULL))
		tap_die("the vGPU does not run");
	return is_set(data + PAGE_SIZE);
}

static void check_destroyed(void)
{
	u64 batch = ram_alloc(&vgpu->ram, 1), data = ram_alloc(&vgpu->ram, 2);
	u32 i, known = 0;

	begin_log();
	for (i = 0; i < 8; i++)
		known += destroy_and_stop(batch, data);
	end_log();
	tap_eq(known, 8, "a page is dirty, its page tables destroyed before the stop");
}

static void check_in_flight(void)
{
	struct spinner spin;
	struct context ctx;
	u32 seqno;

	context_init(&ctx, vgpu, RCS, NULL);
	spinner_init(&spin, &ctx, true);
	seqno = spinner_request_arb(&spin, &ctx);
	context_submit(&ctx);
	if (!request_wait_started(&ctx, seqno, SOON_MS))
		tap_die("the spinner does not start");
	begin_log();
	read_log();
	tap_ok(is_set(spin.gpa), "a batch that runs since before the log: its pages are dirty");
	read_log();
	tap_ok(is_set(spin.gpa) && is_set(ctx.image), "and again, while it runs");
	spinner_end(&spin);
	tap_ok(request_wait(&ctx, seqno, SOON_MS) && engine_wait_idle(ctx.engine, SOON_MS),
	       "it ends");
	read_log();
	tap_ok(is_set(spin.gpa) && is_set(ctx.fence), "it was in use until now");
	read_log();
	tap_ok(!is_set(spin.gpa), "and is not any more");
	end_log();
}

static void check_aperture(void)
{
	u64 gpa = ram_alloc(&vgpu->ram, 2), addr = ggtt_bind_low(vgpu, gpa, 2);
	u64 tiled = ram_alloc(&vgpu->ram, FENCED), view = ggtt_bind_low(vgpu, tiled, FENCED);
	u32 offset = 5 * PITCH + 600, value = 3;
	u64 at;

	guard_write32(vgpu->aperture + addr, 1);
	begin_log();
	read_log();
	tap_ok(!is_set(gpa), "the aperture: what was mapped before is not dirty");
	guard_write32(vgpu->aperture + addr, 2);
	read_log();
	tap_ok(is_set(gpa) && !is_set(gpa + PAGE_SIZE),
	       "the aperture: a page is dirty that the CPU wrote");
	read_log();
	tap_ok(!is_set(gpa), "the aperture: once");
	guard_write32(vgpu->aperture + addr, 3);
	read_log();
	tap_ok(is_set(gpa), "the aperture: and when it is written again");
	vfio_write(&vgpu->dev, VFIO_PCI_BAR2_REGION_INDEX, addr + PAGE_SIZE, &value, sizeof(value));
	read_log();
	tap_ok(is_set(gpa + PAGE_SIZE), "the aperture: and by a write without a mapping");
	fence_set(vgpu, 0, &tilings[1], view, FENCED, PITCH);
	guard_write32(vgpu->aperture + view + offset, 0xfe2ce);
	at = tiled + tiled_offset(&tilings[1], PITCH, offset % PITCH, offset / PITCH);
	read_log();
	tap_eq(ram_read32(&vgpu->ram, at), 0xfe2ce, "a fence: another page is written");
	tap_ok((at ^ (tiled + offset)) & ~(u64)(PAGE_SIZE - 1) && is_set(at),
	       "a fence: that one is dirty");
	guard_write32(vgpu->aperture + addr, 4);
	ggtt_unmap(vgpu, addr, 1);
	ggtt_flush(vgpu);
	read_log();
	tap_ok(is_set(gpa), "the GGTT: a page is dirty, its entry gone");
	fence_write(vgpu, 0, 0);
	end_log();
}

static void check_unmapped(void)
{
	struct mig_range far = { FAR_IOVA, MB(1) };
	u64 batch = ram_alloc(&vgpu->ram, 1), bits[4] = { };
	struct context ctx;

	heavy_ram(vgpu, FAR_IOVA, MB(1));
	context_init(&ctx, vgpu, RCS, NULL);
	ppgtt_map(ctx.ppgtt, ADDR, batch, 1);
	ppgtt_map(ctx.ppgtt, FAR_ADDR, FAR_IOVA + 5 * PAGE_SIZE, 1);
	if (mig_log_start(&vgpu->dev, &far, 1))
		tap_die("the log does not start");
	tap_ok(store(&ctx, ADDR, batch, FAR_ADDR, 1), "a store to memory that is unmapped");
	if (vfio_dma_unmap(&vgpu->dev, FAR_IOVA, MB(1)))
		tap_die("memory is not unmapped");
	if (mig_log_report(&vgpu->dev, FAR_IOVA, MB(1), PAGE_SIZE, bits))
		tap_die("no report");
	tap_eq(bits[0], BIT(5), "a page is dirty that is not pinned any more");
	end_log();
}

static void check_reset(void)
{
	u64 batch = ram_alloc(&vgpu->ram, 1), data = ram_alloc(&vgpu->ram, 1);
	struct context ctx;

	context_init(&ctx, vgpu, RCS, NULL);
	ppgtt_map(ctx.ppgtt, ADDR, batch, 1);
	ppgtt_map(ctx.ppgtt, FAR_ADDR, data, 1);
	begin_log();
	tap_ok(store(&ctx, ADDR, batch, FAR_ADDR, 1), "a store before a reset");
	vfio_device_reset(&vgpu->dev);
	read_log();
	tap_ok(is_set(data), "a reset loses nothing of the log");
	end_log();
	if (!vgpu_reset(vgpu))
		tap_die("no reset");
}

/**
 * struct writer - a guest that writes by its GPU and by the aperture
 * @ctx: its contexts
 * @batch: the page of the batch of each
 * @pool: its pages
 * @low: where the aperture has them
 * @seed: of its choices
 * @stop: it is to end
 * @failed: how many of its requests did not complete
 * @did: how often it did what write_some() does
 */
struct writer {
	struct context ctx[2];
	u64 batch[2];
	u64 pool;
	u64 low;
	struct rng seed;
	bool stop;
	u32 failed;
	u32 did[WAYS];
};

static void write_some(struct writer *w)
{
	u32 which = rng_below(&w->seed, 2), slot = rng_below(&w->seed, POOL);
	u32 offset = rng_below(&w->seed, PAGE_SIZE / 4) * 4, value = rng_u64(&w->seed);
	u32 way = rng_below(&w->seed, WAYS);
	struct context *ctx = &w->ctx[which];
	bool done = true;

	switch (way) {
	case 0:
		ppgtt_map(ctx->ppgtt, FAR_ADDR + slot * PAGE_SIZE,
			  w->pool + rng_below(&w->seed, POOL) * PAGE_SIZE, 1);
		break;
	case 1:
		ggtt_map(vgpu, w->low + slot * PAGE_SIZE,
			 w->pool + rng_below(&w->seed, POOL) * PAGE_SIZE, 1);
		ggtt_flush(vgpu);
		break;
	case 2:
		guard_write32(vgpu->aperture + w->low + slot * PAGE_SIZE + offset, value);
		break;
	case 3:
		request_begin(ctx);
		cs_store(&ctx->ring, GGTT, w->low + slot * PAGE_SIZE + offset, value);
		done = request_run(ctx, request_end(ctx));
		break;
	default:
		done = store(ctx, ADDR, w->batch[which], FAR_ADDR + slot * PAGE_SIZE + offset,
			     value);
		break;
	}
	w->failed += !done;
	w->did[way]++;
}

static void *write_until_stopped(void *arg)
{
	struct writer *w = arg;

	while (!READ_ONCE(w->stop))
		write_some(w);
	return NULL;
}

static void begin_writer(struct writer *w)
{
	u32 i;

	w->pool = ram_alloc(&vgpu->ram, POOL);
	w->low = ggtt_bind_low(vgpu, w->pool, POOL);
	for (i = 0; i < 2; i++) {
		context_init(&w->ctx[i], vgpu, RCS, NULL);
		w->batch[i] = ram_alloc(&vgpu->ram, 1);
		ppgtt_map(w->ctx[i].ppgtt, ADDR, w->batch[i], 1);
		ppgtt_map(w->ctx[i].ppgtt, FAR_ADDR, w->pool, POOL);
	}
}

/* What a VMM does: send what is dirty. */
static u32 copy_dirty(const struct writer *w, u8 *copy)
{
	u32 i, n = 0;

	read_log();
	for (i = 0; i < POOL; i++) {
		if (!is_set(w->pool + i * PAGE_SIZE))
			continue;
		memcpy(copy + i * PAGE_SIZE, ram_ptr(&vgpu->ram, w->pool + i * PAGE_SIZE),
		       PAGE_SIZE);
		n++;
	}
	return n;
}

/* Nothing that the device writes is missed, whatever it does meanwhile. */
static void check_random(u64 seed)
{
	struct writer w = { .seed = { seed } };
	u8 *copy = malloc(POOL * PAGE_SIZE);
	u32 rounds = 0, sent = 0, ways, last, i, bad = 0;
	u64 until;
	pthread_t thread;

	if (!copy)
		tap_die("no memory");
	begin_writer(&w);
	begin_log();
	memcpy(copy, ram_ptr(&vgpu->ram, w.pool), POOL * PAGE_SIZE);
	if (pthread_create(&thread, NULL, write_until_stopped, &w))
		tap_die("no thread");
	for (until = now_us() + RANDOM_MS * 1000; now_us() < until; rounds++) {
		sent += copy_dirty(&w, copy);
		sleep_us(ROUND_US);
	}
	WRITE_ONCE(w.stop, true);
	pthread_join(thread, NULL);
	if (mig_set(&vgpu->dev, MIG_STOP, NULL))
		tap_die("the vGPU does not stop");
	last = copy_dirty(&w, copy);
	for (i = 0; i < POOL; i++)
		bad += !!memcmp(copy + i * PAGE_SIZE,
				ram_ptr(&vgpu->ram, w.pool + i * PAGE_SIZE), PAGE_SIZE);
	tap_eq(bad, 0, "seed %llu: what was sent is what there is", (unsigned long long)seed);
	tap_eq(w.failed, 0, "all requests complete");
	for (i = 0, ways = 0; i < WAYS; i++)
		ways += !!w.did[i];
	tap_ok(ways == WAYS && sent, "each way to write was taken, and pages were sent");
	tap_diag("%u times each way, %u rounds, %u pages, at last %u", w.did[0], rounds, sent,
		 last);
	if (mig_set(&vgpu->dev, MIG_RUNNING, NULL))
		tap_die("the vGPU does not run");
	end_log();
	free(copy);
	if (!vgpu_reset(vgpu))
		tap_die("no reset");
}

static void check_reopen(void)
{
	char uuid[MDEV_UUID_SIZE];

	memcpy(uuid, vgpu->uuid, sizeof(uuid));
	begin_log();
	vgpu_close(vgpu);
	vgpu = vgpu_open(uuid);
	if (!vgpu)
		tap_die("the vGPU does not open");
	memset(map, 0, pages() / 8);
	tap_eq(-mig_log_report(&vgpu->dev, vgpu->ram.base, vgpu->ram.size, PAGE_SIZE, map), EINVAL,
	       "closing ends the log");
}

int main(void)
{
	u64 seed;

	vgpu_test_init(120);
	vgpu = vgpu_new(MDEV_TYPE_SMALL);
	if (mig_log_probe(&vgpu->dev)) {
		vgpu_free(vgpu);
		tap_skip_all("this kernel has no dirty log of devices");
	}
	map = malloc(pages() / 8);
	if (!map)
		tap_die("no memory");
	check_arguments();
	check_page_tables();
	check_destroyed();
	check_in_flight();
	check_aperture();
	check_unmapped();
	check_reset();
	for (seed = 1; seed <= SEEDS; seed++)
		check_random(seed);
	check_reopen();
	vgpu_free(vgpu);
	free(map);
	return vgpu_test_done();
}
