// SPDX-License-Identifier: GPL-2.0
/*
 * Guests whose GPU programs use more memory in sum than the host has, and run alternately: the host
 * swaps what does not run. Nothing is lost, no process is killed; nor when a program takes much
 * memory as fast as this one.
 *
 * Needs a host with little memory, and a disk of its own, named in SWAP_DISK, twice as large:
 * tools/checks/module.
 */
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/swap.h>

#include "clock.h"
#include "context.h"
#include "counters.h"
#include "file.h"
#include "klog.h"
#include "swap.h"
#include "tap.h"
#include "vgpu.h"

#define MOST_HOST_MB	2048u
#define NR_GUESTS	4u
/* Of the host's memory, each of them. */
#define PER_CENT	35u
#define ROUNDS		2u
#define STORES		64u

#define IOVA		0x500000000ULL
#define ADDR		0x480000000000ULL
#define BATCH_ADDR	0x400000000000ULL
#define VALUE		0x70000000u
/* What a program uses at once; with what two guests have, it is more than there is. */
#define BURST_PER_CENT	60u
#define RUN_MS		(120000 * slowness())

/**
 * struct guest - a guest with much memory
 * @vgpu: its vGPU
 * @ctx: a context that has all of it in its page tables
 * @mem: the memory; the first words of a page are its mark, and what the GPU has stored
 * @batch: memory of a batch
 * @mark: mark of the first page
 */
struct guest {
	struct vgpu *vgpu;
	struct context ctx;
	u32 *mem;
	u64 batch;
	u32 mark;
};

static struct guest guests[NR_GUESTS];
static u32 pages;

static u32 *page_of(const struct guest *g, u32 page)
{
	return g->mem + (size_t)page * (PAGE_SIZE / sizeof(u32));
}

static u32 store_page(u32 i)
{
	return (u64)i * (pages - 1) / (STORES - 1);
}

static void guest_init(struct guest *g, u32 mark)
{
	u64 bytes = (u64)pages * PAGE_SIZE;
	u32 i;

	g->vgpu = vgpu_new(MDEV_TYPE_SMALL);
	g->mark = mark;
	g->mem = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (g->mem == MAP_FAILED || vfio_dma_map(&g->vgpu->dev, IOVA, g->mem, bytes))
		tap_die("no memory");
	context_init(&g->ctx, g->vgpu, RCS, NULL);
	g->batch = ram_alloc(&g->vgpu->ram, 1);
	ppgtt_map(g->ctx.ppgtt, BATCH_ADDR, g->batch, 1);
	ppgtt_map(g->ctx.ppgtt, ADDR, IOVA, pages);
	for (i = 0; i < pages; i++)
		*page_of(g, i) = mark + i;
}

/* The GPU stores to pages all over its memory, and finds all of it pinned. */
static bool guest_draws(struct guest *g, u32 value)
{
	struct cs batch;
	u32 i, seqno;

	cs_init(&batch, ram_ptr(&g->vgpu->ram, g->batch), PAGE_SIZE);
	for (i = 0; i < STORES; i++)
		cs_store(&batch, PPGTT, ADDR + (u64)store_page(i) * PAGE_SIZE + sizeof(u32),
			 value + i);
	cs_end(&batch);
	request_begin(&g->ctx);
	request_batch(&g->ctx, BATCH_ADDR);
	seqno = request_end(&g->ctx);
	context_submit(&g->ctx);
	return request_wait(&g->ctx, seqno, RUN_MS) && engine_wait_idle(g->ctx.engine, SOON_MS);
}

/* Return: how many pages have not what the guest and its GPU have written. */
static u32 guest_wrong(const struct guest *g, u32 value)
{
	u32 i, wrong = 0;

	for (i = 0; i < pages; i++)
		wrong += *page_of(g, i) != g->mark + i;
	for (i = 0; i < STORES; i++)
		wrong += page_of(g, store_page(i))[1] != value + i;
	return wrong;
}

static void check_round(u32 round)
{
	u32 i, value = round << 16;

	for (i = 0; i < NR_GUESTS; i++) {
		tap_ok(guest_draws(&guests[i], value), "round %u: guest %u draws", round, i);
		tap_diag("%llu of %u pages are pinned, guest %u has given %llu so far",
			 (unsigned long long)counters_pins(guests[i].vgpu), pages, i,
			 (unsigned long long)counters_number(guests[i].vgpu, "state",
							     "reclaimed_pages"));
	}
	for (i = 0; i < NR_GUESTS; i++)
		tap_eq(guest_wrong(&guests[i], value), 0,
		       "round %u: guest %u finds what it and its GPU have written", round, i);
}

/* A program takes much memory as fast as it can, and two guests have just used all of theirs. */
static void check_burst(void)
{
	size_t bytes = (size_t)pages * PAGE_SIZE / PER_CENT * BURST_PER_CENT, i;
	char *mem = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	bool drew = guest_draws(&guests[0], VALUE) && guest_draws(&guests[1], VALUE);
	u64 start = now_us();

	if (mem == MAP_FAILED)
		tap_die("no memory");
	for (i = 0; i < bytes; i += PAGE_SIZE)
		mem[i] = 1;
	tap_ok(drew, "two guests draw, and a program uses %u %% of the host's memory at once",
	       BURST_PER_CENT);
	tap_diag("in %llu ms", (now_us() - start) / 1000);
	munmap(mem, bytes);
	for (i = 0; i < 2; i++)
		tap_eq(guest_wrong(&guests[i], VALUE), 0, "guest %zu finds all", i);
}

int main(void)
{
	const char *disk;
	u64 host_kb, given = 0;
	u32 i;

	vgpu_test_init(1500);
	if (!file_scan_number("/proc/meminfo", "MemTotal", &host_kb) ||
	    host_kb > MOST_HOST_MB * 1024ull)
		tap_skip_all("the host has more than %u MB of memory", MOST_HOST_MB);
	disk = swap_begin();
	pages = host_kb * 1024 / PAGE_SIZE * PER_CENT / 100;
	for (i = 0; i < NR_GUESTS; i++)
		guest_init(&guests[i], 0x10000000 * (i + 1));
	tap_diag("%u guests of %u MB each on a host of %u MB", NR_GUESTS, pages / 256,
		 (u32)(host_kb / 1024));
	for (i = 1; i <= ROUNDS; i++)
		check_round(i);
	check_burst();
	for (i = 0; i < NR_GUESTS; i++) {
		given += counters_number(guests[i].vgpu, "state", "reclaimed_pages");
		tap_ok(ram_canary_intact(&guests[i].vgpu->ram), "guest %u: no stray write", i);
		vgpu_free(guests[i].vgpu);
		munmap(guests[i].mem, (u64)pages * PAGE_SIZE);
	}
	tap_ok(given, "the host got pages back");
	tap_eq(klog_count("Out of memory"), 0, "no process was killed");
	if (swapoff(disk))
		tap_die("the disk is still used");
	return vgpu_test_done();
}
