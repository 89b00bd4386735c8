// SPDX-License-Identifier: GPL-2.0
/*
 * Guest memory that arrives slowly, page by page: other memory of the same guest is unmapped in
 * time meanwhile, whatever names the slow pages.
 */
#include <pthread.h>
#include <sys/mman.h>

#include "clock.h"
#include "context.h"
#include "ggtt.h"
#include "heavy.h"
#include "klog.h"
#include "migration.h"
#include "slow_file.h"
#include "tap.h"
#include "vgpu.h"

#define PAGES		256u	/* that one table names */
#define STRIDE		2u	/* pages that are not in a row are pinned in a call each */
#define NR_CASES	6u
#define SLOW_BYTES	((u64)PAGES * STRIDE * PAGE_SIZE)
/* All of them take longer than the 2 s for which VFIO's notification waits without progress. */
#define PAGE_US		20000u
/* And so does a batch, the most that one call pins: 64. */
#define ROW_PAGE_US	45000u
/* Or each second page of a batch. */
#define HALF_PAGE_US	80000u

#define SLOW_MEMORY_US	1500000u

#define SLOW_IOVA	0x500000000ULL
#define VICTIM_IOVA	0x200000000ULL
#define PATTERN		0x51074ed5u
#define ADDR		0x480000000000ULL
#define PINNED_ADDR	(ADDR + MB(1024))
#define ENTRY		(GEN_PTE_PRESENT | GEN_PTE_RW)

#define UNMAP_MS	(1000 * slowness())
/* VFIO's own lock is held for the first call, which pins a whole batch. */
#define ROW_UNMAP_MS	(2 * 64 * ROW_PAGE_US / 1000 * slowness())

static struct slow_file server;

/**
 * struct slow_case - what names the pages
 * @what: its name
 * @name: let it name pages from SLOW_IOVA on
 * @page_us: how long a page takes
 * @unmap_ms: bound of the time for which other memory is unmapped
 */
struct slow_case {
	const char *what;
	void (*name)(struct context *ctx);
	u32 page_us;
	u32 unmap_ms;
};

static u64 slow_page(u32 i)
{
	return SLOW_IOVA + (u64)i * STRIDE * PAGE_SIZE;
}

static void name_by_page_table(struct context *ctx)
{
	u32 i;

	for (i = 0; i < PAGES; i++)
		ppgtt_map(ctx->ppgtt, ADDR + i * PAGE_SIZE, slow_page(i), 1);
}

static void name_in_a_row(struct context *ctx)
{
	ppgtt_map(ctx->ppgtt, ADDR, SLOW_IOVA, PAGES);
}

/* The first one tells that they arrive slowly. */
static void name_one_before_a_row(struct context *ctx)
{
	ppgtt_map(ctx->ppgtt, ADDR, slow_page(PAGES - 1), 1);
	ppgtt_map(ctx->ppgtt, ADDR + PAGE_SIZE, SLOW_IOVA, PAGES - 1);
}

/* Pages between others that are pinned already, which another request has used. */
static void name_between_pinned(struct context *ctx)
{
	u32 i, seqno;

	WRITE_ONCE(server.shared->page_us, 0);
	for (i = 0; i < PAGES; i++)
		ppgtt_map(ctx->ppgtt, PINNED_ADDR + i * PAGE_SIZE, slow_page(i), 1);
	request_begin(ctx);
	seqno = request_end(ctx);
	context_submit(ctx);
	if (!request_wait(ctx, seqno, 60000 * slowness()))
		tap_die("each second page is not pinned");
	/* The module pins few pages in a row for a second after some arrived slowly. */
	sleep_us(SLOW_MEMORY_US);
	ppgtt_map(ctx->ppgtt, ADDR, SLOW_IOVA, PAGES * STRIDE);
}

/* The pages are tables without entries. */
static void name_by_directory(struct context *ctx)
{
	u32 i;

	for (i = 0; i < PAGES; i++)
		*ppgtt_entry(ctx->ppgtt, ADDR + i * MB(2), 1) = slow_page(i) | ENTRY;
}

/* The submission flushes them. They are in one table of the GGTT. */
static void name_by_ggtt(struct context *ctx)
{
	u64 addr = ggtt_alloc(ctx->vgpu, 2 * GEN_PTES_PER_PAGE);
	u32 i;

	addr = (addr + MB(2) - 1) & ~(MB(2) - 1);
	for (i = 0; i < PAGES; i++)
		ggtt_map(ctx->vgpu, addr + i * PAGE_SIZE, slow_page(i), 1);
}

/* Each case has a part of the file of its own. */
static void *map_slow(struct vgpu *vgpu, u32 part)
{
	void *p = slow_file_map(&server, part * SLOW_BYTES, SLOW_BYTES);

	if (vfio_dma_map(&vgpu->dev, SLOW_IOVA, p, SLOW_BYTES))
		tap_die("no slow memory");
	return p;
}

/* Unmap a page that the GGTT names while the worker pins the slow ones. */
static void check(const struct slow_case *c, u32 part)
{
	struct vgpu *vgpu = vgpu_new(MDEV_TYPE_SMALL);
	void *slow = map_slow(vgpu, part);
	u32 before, asked, seqno, ms;
	struct context ctx;
	u64 start;
	int ret;

	heavy_ram(vgpu, VICTIM_IOVA, PAGE_SIZE);
	ggtt_bind(vgpu, VICTIM_IOVA, 1);
	context_init(&ctx, vgpu, RCS, NULL);
	c->name(&ctx);
	WRITE_ONCE(server.shared->page_us, c->page_us);
	before = server.shared->asked;
	request_begin(&ctx);
	seqno = request_end(&ctx);
	context_submit(&ctx);
	tap_ok(wait_for(READ_ONCE(server.shared->asked) >= before + 4, SOON_MS),
	       "%s: slow pages are being pinned", c->what);
	start = now_us();
	ret = vfio_dma_unmap(&vgpu->dev, VICTIM_IOVA, PAGE_SIZE);
	ms = (now_us() - start) / 1000;
	asked = READ_ONCE(server.shared->asked) - before;
	tap_ok(!ret && ms < c->unmap_ms, "%s: other memory is unmapped in time", c->what);
	tap_diag("%u ms; %u of %u pages were asked for by then", ms, asked, PAGES);
	tap_ok(asked < PAGES, "%s: the rest is pinned later", c->what);
	tap_eq(klog_count("slow_unmap"), 0, "%s: VFIO did not have to repeat the unmap", c->what);
	tap_ok(request_wait(&ctx, seqno, 60000 * slowness()), "%s: the guest's work runs", c->what);
	asked = READ_ONCE(server.shared->asked) - before;
	tap_eq(asked, PAGES, "%s: each page was asked for once", c->what);
	vgpu_free(vgpu);
	munmap(slow, SLOW_BYTES);
}

/**
 * struct rewriter - a vCPU that names another slow page in an entry again and again
 * @vgpu: the vGPU
 * @addr: the graphics address
 * @stop: it is to end
 */
struct rewriter {
	struct vgpu *vgpu;
	u64 addr;
	bool stop;
};

static void *rewrite(void *arg)
{
	struct rewriter *r = arg;
	u32 i;

	for (i = 0; i < PAGES * STRIDE && !READ_ONCE(r->stop); i++) {
		ggtt_set(r->vgpu, r->addr, (SLOW_IOVA + (u64)i * PAGE_SIZE) | GEN_PTE_PRESENT);
		sleep_us(PAGE_US / 2);
	}
	return NULL;
}

/*
 * After a migration the GGTT is synced in rounds, while the lock counts as contended. A table goes
 * on behind the entries that are synced, also if the first one changes all the time.
 */
static void check_rewritten(u32 part)
{
	struct vgpu *vgpu = vgpu_new(MDEV_TYPE_SMALL);
	void *slow = map_slow(vgpu, part);
	struct rewriter r = { .vgpu = vgpu, .addr = ggtt_alloc_low(vgpu, 8) };
	u64 gpa = ram_alloc(&vgpu->ram, 1), start;
	pthread_t thread;
	u32 ms;

	WRITE_ONCE(server.shared->page_us, PAGE_US);
	ram_write32(&vgpu->ram, gpa, PATTERN);
	if (mig_set(&vgpu->dev, MIG_STOP, NULL))
		tap_die("the vGPU does not stop");
	ggtt_set(vgpu, r.addr + 5 * PAGE_SIZE, gpa | GEN_PTE_PRESENT);
	if (pthread_create(&thread, NULL, rewrite, &r))
		tap_die("no thread");
	sleep_us(PAGE_US);
	ggtt_flush(vgpu);
	start = now_us();
	tap_eq(-mig_set(&vgpu->dev, MIG_RUNNING, NULL), 0, "an entry that changes: the vGPU runs");
	ms = (now_us() - start) / 1000;
	tap_diag("%u ms", ms);
	tap_ok(ms < UNMAP_MS, "an entry that changes: it does not keep the sync from its end");
	tap_eq(*(u32 *)(vgpu->aperture + r.addr + 5 * PAGE_SIZE), PATTERN,
	       "an entry that changes: one behind it has taken effect");
	WRITE_ONCE(r.stop, true);
	pthread_join(thread, NULL);
	vgpu_free(vgpu);
	munmap(slow, SLOW_BYTES);
}

static void *flush(void *vgpu)
{
	ggtt_flush(vgpu);
	return NULL;
}

/* A stop for a migration polls for the lock, which a flush takes again and again. */
static void check_stop(u32 part)
{
	struct vgpu *vgpu = vgpu_new(MDEV_TYPE_SMALL);
	void *slow = map_slow(vgpu, part);
	u64 addr = ggtt_alloc(vgpu, PAGES), start;
	u32 before = server.shared->asked, ms, i;
	pthread_t thread;

	WRITE_ONCE(server.shared->page_us, PAGE_US);
	for (i = 0; i < PAGES; i++)
		ggtt_set(vgpu, addr + i * PAGE_SIZE, slow_page(i) | GEN_PTE_PRESENT);
	if (pthread_create(&thread, NULL, flush, vgpu))
		tap_die("no thread");
	if (!wait_for(READ_ONCE(server.shared->asked) > before + 4, SOON_MS))
		tap_die("no page is asked for");
	start = now_us();
	tap_eq(-mig_set(&vgpu->dev, MIG_STOP, NULL), 0, "a flush: the vGPU is stopped meanwhile");
	ms = (now_us() - start) / 1000;
	tap_diag("%u ms; %u of %u pages", ms, READ_ONCE(server.shared->asked) - before, PAGES);
	tap_ok(ms < UNMAP_MS, "a flush: soon");
	tap_eq(-mig_set(&vgpu->dev, MIG_RUNNING, NULL), 0, "a flush: the vGPU runs again");
	pthread_join(thread, NULL);
	vgpu_free(vgpu);
	munmap(slow, SLOW_BYTES);
}

int main(void)
{
	const struct slow_case cases[NR_CASES] = {
		{ "a page table", name_by_page_table, PAGE_US, UNMAP_MS },
		{ "a directory", name_by_directory, PAGE_US, UNMAP_MS },
		{ "the GGTT", name_by_ggtt, PAGE_US, UNMAP_MS },
		{ "a page before a row", name_one_before_a_row, ROW_PAGE_US, 2 * UNMAP_MS },
		{ "pages in a row", name_in_a_row, ROW_PAGE_US, ROW_UNMAP_MS },
		{ "a row with pinned pages", name_between_pinned, HALF_PAGE_US, UNMAP_MS },
	};
	u32 i;

	vgpu_test_init(240);
	if (!slow_file_begin(&server, "slow_pins", (NR_CASES + 2) * SLOW_BYTES))
		tap_skip_all("no FUSE");
	for (i = 0; i < NR_CASES; i++)
		check(&cases[i], i);
	check_rewritten(NR_CASES);
	check_stop(NR_CASES + 1);
	slow_file_end(&server);
	return vgpu_test_done();
}
