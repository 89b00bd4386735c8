// SPDX-License-Identifier: GPL-2.0
/*
 * A guest's page is the target of one entry, and a page table by another one. The guest replaces
 * both, and the host has to wait before it invalidates the TLBs. When the page is unmapped
 * meanwhile, it must not be stored to any more, as VFIO releases it.
 *
 * The host waits for memory that was unmapped a moment ago, 200 ms for each run. A thread unmaps
 * the next page every 5 ms, so this test needs a machine that does not stall.
 */
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include "clock.h"
#include "context.h"
#include "model.h"
#include "tap.h"
#include "vgpu.h"

#define BATCH		0x100000ULL
#define FLAG		0x800		/* in the batch's page: continue while above 0 */
/* In the order in which the host compares them. */
#define TARGET		0x200000ULL
#define AS_TABLE	(1ULL << GEN_LEVEL_SHIFT(3))
#define DELAYING	(2ULL << GEN_LEVEL_SHIFT(3))
#define PAGE_IOVA	0x200000000ULL
/* A page in each second one, so that each is pinned on its own. */
#define DELAYING_IOVA(k)	(0x210000000ULL + (k) * 2 * PAGE_SIZE)
#define NR_DELAYING	200
#define DELAY_US	5000
#define PDE		(GEN_PTE_PRESENT | GEN_PTE_RW)

/* What a test uses */
struct target {
	struct vgpu *vgpu;
	struct context ctx, other;	/* of one address space, on two engines */
	u8 *page;			/* target and table */
	u8 *delaying;			/* NR_DELAYING pages for which the host waits */
	pthread_t thread;		/* unmaps these one by one */
	bool done;			/* it need not go on */
	u64 new;			/* the next target */
	u64 batch;
	u64 *pde, empty;		/* the entry that names the page as a table; as it was */
};

static u8 *pages_new(u32 count)
{
	void *p = mmap(NULL, count * PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		       -1, 0);

	if (p == MAP_FAILED)
		tap_die("no memory");
	return p;
}

static void dma_map(struct target *t, u64 iova, u8 *page)
{
	if (vfio_dma_map(&t->vgpu->dev, iova, page, PAGE_SIZE))
		tap_die("memory cannot be mapped");
}

/* A batch that stores 1 to TARGET again and again. An unmapping takes it off the engine. */
static void batch_init(struct target *t)
{
	struct ram *ram = &t->vgpu->ram;
	struct cs cs;

	t->batch = ram_alloc(ram, 1);
	ppgtt_map(t->ctx.ppgtt, BATCH, t->batch, 1);
	ram_write32(ram, t->batch + FLAG, 1);
	cs_init(&cs, ram_ptr(ram, t->batch), FLAG);
	cs_store(&cs, PPGTT, TARGET, 1);
	cs_arb_check(&cs);
	cs_end_unless_above(&cs, BATCH + FLAG, 0);
	cs_batch(&cs, PPGTT, BATCH);
	cs_noop(&cs, 1);
}

static u32 batch_submit(struct target *t)
{
	u32 seqno;

	request_begin(&t->ctx);
	cs_arb(&t->ctx.ring, true);
	cs_batch(&t->ctx.ring, PPGTT, BATCH);
	seqno = request_end(&t->ctx);
	context_submit(&t->ctx);
	return seqno;
}

/* Let the entries from DELAYING on name the pages for which the host waits, or all another one. */
static void map_delaying(struct target *t, bool delaying)
{
	u32 k;

	for (k = 0; k < NR_DELAYING; k++)
		ppgtt_map(t->ctx.ppgtt, DELAYING + k * PAGE_SIZE,
			  delaying ? DELAYING_IOVA(k) : t->new, 1);
}

static bool host_compares(struct target *t)
{
	request_begin(&t->other);
	return request_run(&t->other, request_end(&t->other));
}

/* Pages that were named before are idle, but pinned: VFIO asks for them when they are unmapped. */
static void make_idle(struct target *t)
{
	map_delaying(t, true);
	if (!host_compares(t))
		tap_die("the pages cannot be pinned");
	map_delaying(t, false);
	if (!host_compares(t))
		tap_die("the pages cannot be released");
}

static void delay(struct target *t, u32 k)
{
	if (vfio_dma_unmap(&t->vgpu->dev, DELAYING_IOVA(k), PAGE_SIZE))
		tap_die("memory cannot be unmapped");
	dma_map(t, DELAYING_IOVA(k), t->delaying + k * PAGE_SIZE);
}

static void *delay_on(void *arg)
{
	struct target *t = arg;
	u32 k;

	for (k = 1; k < NR_DELAYING && !READ_ONCE(t->done); k++) {
		usleep(DELAY_US);
		delay(t, k);
	}
	return NULL;
}

/* Wait until the engine uses the old value of an entry that the host has replaced. */
static bool await_stale(u64 before)
{
	u64 now;

	return wait_for(model_stale_hits(&now) && now != before, SOON_MS);
}

static bool stored_again(struct target *t)
{
	u32 *word = (u32 *)t->page;

	WRITE_ONCE(*word, 0);
	return wait_for(READ_ONCE(*word), 100);
}

/* Return: the seqno of the request that has the host compare the tables. */
static u32 replace_both(struct target *t)
{
	u32 seqno;

	ppgtt_map(t->ctx.ppgtt, TARGET, t->new, 1);
	*t->pde = t->empty;
	map_delaying(t, true);
	request_begin(&t->other);
	seqno = request_end(&t->other);
	delay(t, 0);
	context_submit(&t->other);
	if (pthread_create(&t->thread, NULL, delay_on, t))
		tap_die("no thread");
	return seqno;
}

static void target_init(struct target *t, struct vgpu *vgpu, u32 engine)
{
	u32 k;

	*t = (struct target) { .vgpu = vgpu };
	t->page = pages_new(1);
	t->delaying = pages_new(NR_DELAYING);
	dma_map(t, PAGE_IOVA, t->page);
	for (k = 0; k < NR_DELAYING; k++)
		dma_map(t, DELAYING_IOVA(k), t->delaying + k * PAGE_SIZE);
	t->new = ram_alloc(&vgpu->ram, 1);
	context_init(&t->ctx, vgpu, engine, NULL);
	context_init(&t->other, vgpu, (engine + 1) % VGPU_NR_ENGINES, t->ctx.ppgtt);
	batch_init(t);
	ppgtt_map(t->ctx.ppgtt, TARGET, PAGE_IOVA, 1);
	t->pde = ppgtt_entry(t->ctx.ppgtt, AS_TABLE, 1);
	t->empty = *t->pde;
	*t->pde = PAGE_IOVA | PDE;
	make_idle(t);
}

static void target_fini(struct target *t)
{
	u32 k;

	for (k = 0; k < NR_DELAYING; k++)
		vfio_dma_unmap(&t->vgpu->dev, DELAYING_IOVA(k), PAGE_SIZE);
	munmap(t->delaying, NR_DELAYING * PAGE_SIZE);
	munmap(t->page, PAGE_SIZE);
}

static void check(struct vgpu *vgpu, u32 engine)
{
	const char *name = engine_infos[engine].name;
	struct ram *ram = &vgpu->ram;
	u32 seqno, last, *word;
	struct target t;
	u64 hits = 0;

	target_init(&t, vgpu, engine);
	word = (u32 *)t.page;
	seqno = batch_submit(&t);
	tap_ok(wait_for(READ_ONCE(*word) == 1, SOON_MS), "%s: a batch stores to a page table",
	       name);
	model_stale_hits(&hits);
	last = replace_both(&t);
	tap_ok(await_stale(hits) && stored_again(&t) && !request_done(&t.other, last),
	       "%s: it does while the host waits", name);
	tap_eq(-vfio_dma_unmap(&vgpu->dev, PAGE_IOVA, PAGE_SIZE), 0, "%s: the page is unmapped",
	       name);
	tap_ok(!stored_again(&t), "%s: it is not stored to any more", name);
	WRITE_ONCE(t.done, true);
	pthread_join(t.thread, NULL);
	tap_ok(request_wait(&t.other, last, SOON_MS), "%s: the host applies the change", name);
	ram_write32(ram, t.new, 0);
	tap_ok(wait_for(ram_read32(ram, t.new) == 1, SOON_MS), "%s: the batch goes on", name);
	vgpu_test_stale_until_now();
	ram_write32(ram, t.batch + FLAG, 0);
	tap_ok(request_wait(&t.ctx, seqno, SOON_MS) && engine_wait_idle(t.ctx.engine, SOON_MS),
	       "%s: it ends", name);
	target_fini(&t);
}

int main(void)
{
	struct vgpu *vgpu;
	u32 i;

	vgpu_test_init(100);
	vgpu = vgpu_new(MDEV_TYPE_SMALL);
	for (i = 0; i < VGPU_NR_ENGINES; i++)
		check(vgpu, i);
	tap_ok(ram_canary_intact(&vgpu->ram), "no stray write");
	vgpu_free(vgpu);
	return vgpu_test_done();
}
