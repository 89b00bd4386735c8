// SPDX-License-Identifier: GPL-2.0
/*
 * A vGPU is resized again and again while its guest works and finds its data, memory is unmapped,
 * the aperture is used and entries are written; while it is reset; and while it is removed.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "clock.h"
#include "context.h"
#include "counters.h"
#include "fence.h"
#include "ggtt.h"
#include "gpu.h"
#include "guard.h"
#include "mdev.h"
#include "rng.h"
#include "size.h"
#include "tap.h"
#include "vgpu.h"

#define HIGH		((u64)GEN_LOW_GM_SIZE)
#define RESIZES		brief(200)
#define REMOVALS	brief(20)
#define SPARE_IOVA	0x100000000ULL
#define SPARE_SIZE	MB(2)
#define SURFACE_PAGES	16
#define PITCH		1024u

static struct vgpu *vgpu;
static atomic_bool stop;
static void *spare;

/**
 * struct thread - one of the threads
 * @name: its operation
 * @step: does it once; false on failure
 * @id: the thread
 * @steps: number of operations
 * @bad: number of failures
 */
struct thread {
	const char *name;
	bool (*step)(struct rng *rng);
	pthread_t id;
	u32 steps;
	u32 bad;
};

static void *run(void *data)
{
	struct thread *t = data;
	struct rng rng = { t->name[0] };

	while (!atomic_load(&stop)) {
		t->bad += !t->step(&rng);
		t->steps++;
	}
	return NULL;
}

static u32 even(struct rng *rng, u32 min, u32 max)
{
	return min + rng_below(rng, (max - min) / 2 + 1) * 2;
}

/* Sometimes less than its guest uses: the change waits then. */
static u32 resize_often(struct rng *rng, u32 *applied)
{
	u32 i, bad = 0;

	for (i = 0; i < RESIZES; i++) {
		const char *attr = rng_below(rng, 2) ? LOW_MB : HIGH_MB;
		u32 mb = strcmp(attr, LOW_MB) ? even(rng, 280, 640) : even(rng, 32, 160);

		bad += size_set(vgpu->uuid, attr, mb) != 0;
		*applied += size_now(vgpu->uuid, attr) == mb;
	}
	return bad;
}

static void go(struct thread *threads, u32 count, const char *when)
{
	struct rng rng = { 8 };
	u32 i, applied = 0, bad;

	atomic_store(&stop, false);
	for (i = 0; i < count; i++)
		if (pthread_create(&threads[i].id, NULL, run, &threads[i]))
			tap_die("no thread");
	bad = resize_often(&rng, &applied);
	atomic_store(&stop, true);
	for (i = 0; i < count; i++) {
		pthread_join(threads[i].id, NULL);
		tap_eq(threads[i].bad, 0, "%s: %s: no operation fails", when, threads[i].name);
		tap_diag("%s: %u times", threads[i].name, threads[i].steps);
	}
	tap_eq(bad, 0, "%s: it can be resized %u times", when, RESIZES);
	tap_ok(applied > RESIZES / 4, "%s: %u resizes take effect at once", when, applied);
}

static struct context worker;
static u64 words, word_addr[3];

/* The first page, the last that always exists, and low graphics memory. */
static void work_init(void)
{
	u32 i;

	context_init(&worker, vgpu, RCS, NULL);
	words = ram_alloc(&vgpu->ram, ARRAY_SIZE(word_addr));
	word_addr[0] = ggtt_alloc(vgpu, 1);
	word_addr[1] = HIGH + MB(300);
	word_addr[2] = MB(50);
	for (i = 0; i < ARRAY_SIZE(word_addr); i++)
		ggtt_map(vgpu, word_addr[i], words + i * PAGE_SIZE, 1);
	ggtt_flush(vgpu);
}

static bool work(struct rng *rng)
{
	u32 value = (u32)rng_u64(rng), i;
	bool ok;

	request_begin(&worker);
	for (i = 0; i < ARRAY_SIZE(word_addr); i++)
		cs_store(&worker.ring, GGTT, word_addr[i] + value % 1024 * 4, value + i);
	ok = request_run(&worker, request_end(&worker));
	for (i = 0; i < ARRAY_SIZE(word_addr); i++)
		ok &= ram_read32(&vgpu->ram, words + i * PAGE_SIZE + value % 1024 * 4) == value + i;
	return ok;
}

/* Page 0 of a fenced surface, and a page without a fence. */
static u64 surface;

static void look_init(void)
{
	surface = ram_alloc(&vgpu->ram, SURFACE_PAGES);
	ggtt_map(vgpu, MB(20), surface, SURFACE_PAGES);
	ggtt_map(vgpu, MB(30), surface, SURFACE_PAGES);
	ggtt_flush(vgpu);
	fence_set(vgpu, 0, &tilings[1], MB(20), SURFACE_PAGES, PITCH);
}

static bool look(struct rng *rng)
{
	u32 x = rng_below(rng, PITCH) & ~3, y = rng_below(rng, 64), value = (u32)rng_u64(rng), seen;
	u32 at = tiled_offset(&tilings[1], PITCH, x, y);

	if (!guard_write32(vgpu->aperture + MB(20) + y * PITCH + x, value))
		return false;
	sleep_us(50);
	return guard_read32(vgpu->aperture + MB(30) + at, &seen) && seen == value;
}

/*
 * While entries name memory that is being unmapped, and for a fifth of a second after that, no
 * submission is prepared; one is tried every 64 ms, and refused after two seconds. So there is a
 * pause without such entries.
 */
static bool map_and_unmap(struct rng *rng)
{
	u64 addr = HIGH + MB(200) + rng_below(rng, 64) * PAGE_SIZE;
	bool ok = !vfio_dma_map(&vgpu->dev, SPARE_IOVA, spare, SPARE_SIZE);

	ggtt_map(vgpu, addr, SPARE_IOVA, 16);
	ggtt_flush(vgpu);
	ok &= !vfio_dma_unmap(&vgpu->dev, SPARE_IOVA, SPARE_SIZE);
	ggtt_unmap(vgpu, addr, 16);
	ggtt_flush(vgpu);
	sleep_us(150000);
	return ok;
}

/* Write empty entries everywhere, by calls and through the mapping. */
static bool scribble(struct rng *rng)
{
	u64 page = rng_below(rng, GEN_GGTT_ENTRIES), value = rng_u64(rng) & ~(u64)GEN_PTE_PRESENT;

	sleep_us(50);
	/* Spare the entries of the other threads. */
	if (page < MB(64) / PAGE_SIZE || (page >= HIGH / PAGE_SIZE &&
					  page < (HIGH + MB(304)) / PAGE_SIZE))
		return true;
	vgpu->gsm[page] = value;
	return vfio_write(&vgpu->dev, VFIO_PCI_BAR0_REGION_INDEX,
			  GEN_GSM_OFFSET + (page ^ 512) * 8, &value, 8) == 8;
}

static void check_working(void)
{
	struct thread threads[] = {
		{ .name = "work", .step = work },
		{ .name = "aperture", .step = look },
		{ .name = "DMA unmap", .step = map_and_unmap },
		{ .name = "scribble", .step = scribble },
	};

	vgpu = vgpu_new(MDEV_TYPE_SMALL);
	work_init();
	look_init();
	go(threads, ARRAY_SIZE(threads), "working");
	tap_ok(ram_canary_intact(&vgpu->ram), "no stray write");
	tap_ok(vgpu_works(vgpu), "the vGPU works");
	vgpu_free(vgpu);
}

/* The result does not matter: its engine is reset at any moment. */
static bool submit(struct rng *rng)
{
	struct context ctx;

	vgpu_start(vgpu);
	context_init(&ctx, vgpu, rng_below(rng, VGPU_NR_ENGINES), NULL);
	request_begin(&ctx);
	cs_store(&ctx.ring, GGTT, context_slot(&ctx, 8), 1);
	request_end(&ctx);
	context_submit(&ctx);
	request_wait(&ctx, ctx.seqno, 2);
	return true;
}

static bool reset(struct rng *rng)
{
	sleep_us(rng_below(rng, 20000));
	return !vfio_device_reset(&vgpu->dev);
}

static bool touch(struct rng *rng)
{
	sleep_us(50);
	return guard_write32(vgpu->aperture + rng_below(rng, 256) * MB(1), 1);
}

static void check_resets(void)
{
	struct thread threads[] = {
		{ .name = "submit", .step = submit },
		{ .name = "reset", .step = reset },
		{ .name = "touch", .step = touch },
		{ .name = "unmap", .step = map_and_unmap },
	};

	vgpu = vgpu_new(MDEV_TYPE_SMALL);
	go(threads, ARRAY_SIZE(threads), "reset");
	tap_ok(vgpu_works(vgpu), "the vGPU works");
	tap_ok(size_now(vgpu->uuid, LOW_MB) == size_wanted(vgpu->uuid, LOW_MB) &&
	       size_now(vgpu->uuid, HIGH_MB) == size_wanted(vgpu->uuid, HIGH_MB),
	       "no resize waits after a reset");
	vgpu_free(vgpu);
}

/*
 * The vGPU may not exist yet, or not any more. Its place has room for these sizes. The pauses let
 * other tasks take the vGPU's locks.
 */
static bool resize_removed(struct rng *rng)
{
	const char *attr = rng_below(rng, 2) ? LOW_MB : HIGH_MB;
	u32 mb = strcmp(attr, LOW_MB) ? even(rng, 322, 384) : even(rng, 32, 128);
	int ret = size_set(vgpu->uuid, attr, mb);

	sleep_us(rng_below(rng, 5000));
	return !ret || ret == -ENOENT || ret == -ENODEV;
}

/* A vGPU keeps its place while it is resized: so with places, too, each open succeeds. */
static void check_removal(const char *policy)
{
	struct thread thread = { .name = "resize", .step = resize_removed };
	struct vgpu closed = { };
	u32 i, bad = 0;

	if (!gpu_attr_offers("copy_policy", policy)) {
		tap_skip("the module was built without it", "copy policy %s", policy);
		return;
	}
	tap_eq(gpu_attr_set("copy_policy", policy), 0, "copy policy %s", policy);
	vgpu = &closed;
	mdev_new_uuid(closed.uuid);
	atomic_store(&stop, false);
	if (pthread_create(&thread.id, NULL, run, &thread))
		tap_die("no thread");
	for (i = 0; i < REMOVALS; i++) {
		struct vgpu *opened;

		bad += !!mdev_create(MDEV_TYPE_SMALL, closed.uuid);
		opened = vgpu_open(closed.uuid);
		bad += !opened || vgpu_free(opened);
	}
	atomic_store(&stop, true);
	pthread_join(thread.id, NULL);
	tap_eq(bad, 0, "%s: a vGPU is created, opened and removed %u times while it is resized",
	       policy, REMOVALS);
	tap_eq(thread.bad, 0, "%s: each resize succeeds, or reports that the vGPU does not exist",
	       policy);
	tap_diag("%u times", thread.steps);
	gpu_attr_set("copy_policy", "cached");
}

int main(void)
{
	vgpu_test_init(180);
	spare = mmap(NULL, SPARE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (spare == MAP_FAILED)
		tap_die("no memory");
	check_working();
	check_resets();
	check_removal("cached");
	check_removal("demand");
	return vgpu_test_done();
}
