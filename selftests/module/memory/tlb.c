// SPDX-License-Identifier: GPL-2.0
/*
 * A guest changes a page table entry that one of its contexts is using. After the host has applied
 * the change, the old page must not be written any more, as the host may have released it.
 */
#include <sys/mman.h>

#include "clock.h"
#include "context.h"
#include "model.h"
#include "tap.h"
#include "vgpu.h"

#define BATCH		0x100000ULL
#define TARGET		0x200000ULL
#define COMING		0x210000ULL
#define COMING_IOVA	0x200000000ULL
#define FLAG		0x800		/* in the batch's page: continue while above 0 */

/* Stores 1 to TARGET again and again. */
static u64 storing_batch(struct context *ctx)
{
	struct ram *ram = &ctx->vgpu->ram;
	u64 gpa = ram_alloc(ram, 1);
	struct cs cs;

	ppgtt_map(ctx->ppgtt, BATCH, gpa, 1);
	ram_write32(ram, gpa + FLAG, 1);
	cs_init(&cs, ram_ptr(ram, gpa), FLAG);
	cs_store(&cs, PPGTT, TARGET, 1);
	cs_end_unless_above(&cs, BATCH + FLAG, 0);
	cs_batch(&cs, PPGTT, BATCH);
	cs_noop(&cs, 1);
	return gpa;
}

/* Clear the stored value; is it stored again? */
static bool stored_again(struct ram *ram, u64 gpa)
{
	ram_write32(ram, gpa, 0);
	return wait_for(ram_read32(ram, gpa) == 1, SOON_MS);
}

static void check(struct vgpu *vgpu, u32 engine)
{
	const char *name = engine_infos[engine].name;
	struct ram *ram = &vgpu->ram;
	u64 old = ram_alloc(ram, 1), new = ram_alloc(ram, 1), batch;
	struct context ctx, other;
	bool done;
	u32 seqno, i;

	context_init(&ctx, vgpu, engine, NULL);
	context_init(&other, vgpu, (engine + 1) % VGPU_NR_ENGINES, ctx.ppgtt);
	batch = storing_batch(&ctx);
	ppgtt_map(ctx.ppgtt, TARGET, old, 1);
	request_begin(&ctx);
	request_batch(&ctx, BATCH);
	seqno = request_end(&ctx);
	context_submit(&ctx);
	tap_ok(stored_again(ram, old), "%s: a batch stores", name);

	/* The host compares the tables at a submission that uses them. */
	ppgtt_map(ctx.ppgtt, TARGET, new, 1);
	request_begin(&other);
	tap_ok(request_run(&other, request_end(&other)), "%s: the host applies the change", name);
	vgpu_test_stale_until_now();
	tap_ok(stored_again(ram, new), "%s: it stores to the new page", name);
	ram_write32(ram, old, 0);
	for (i = 0, done = true; done && i < 20; i++)
		done = stored_again(ram, new);
	tap_ok(done && !ram_read32(ram, old), "%s: it does not store to the old page", name);
	ram_write32(ram, batch + FLAG, 0);
	tap_ok(request_wait(&ctx, seqno, SOON_MS) && engine_wait_idle(ctx.engine, SOON_MS),
	       "%s: the batch ends", name);
}

/*
 * Between two entries that it applies, the host may have to wait: here for memory that was unmapped
 * a moment ago. Until the invalidation, the engine may use the old value of the first entry, and
 * does; its page is kept until then. After that it must not.
 */
static void check_window(struct vgpu *vgpu, u32 engine)
{
	const char *name = engine_infos[engine].name;
	struct context ctx, other;
	u64 old, new, batch, hits, now;
	u32 seqno, last;
	void *p;

	p = mmap(NULL, PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED || vfio_dma_map(&vgpu->dev, COMING_IOVA, p, PAGE_SIZE))
		tap_die("no memory");
	old = ram_alloc(&vgpu->ram, 1);
	new = ram_alloc(&vgpu->ram, 1);
	context_init(&ctx, vgpu, engine, NULL);
	context_init(&other, vgpu, (engine + 1) % VGPU_NR_ENGINES, ctx.ppgtt);
	batch = storing_batch(&ctx);
	ppgtt_map(ctx.ppgtt, TARGET, old, 1);
	request_begin(&ctx);
	request_batch(&ctx, BATCH);
	seqno = request_end(&ctx);
	context_submit(&ctx);
	tap_ok(stored_again(&vgpu->ram, old), "%s: a batch stores", name);

	ppgtt_map(ctx.ppgtt, TARGET, new, 1);
	ppgtt_map(ctx.ppgtt, COMING, COMING_IOVA, 1);
	request_begin(&other);
	last = request_end(&other);
	tap_eq(-vfio_dma_unmap(&vgpu->dev, COMING_IOVA, PAGE_SIZE), 0, "%s: memory is unmapped",
	       name);
	tap_eq(-vfio_dma_map(&vgpu->dev, COMING_IOVA, p, PAGE_SIZE), 0,
	       "%s: memory is mapped again", name);
	tap_ok(request_run(&other, last), "%s: the host applies the change slowly", name);
	vgpu_test_stale_until_now();
	model_stale_hits(&hits);
	ram_write32(&vgpu->ram, old, 0);
	tap_ok(stored_again(&vgpu->ram, new) && stored_again(&vgpu->ram, new),
	       "%s: it stores to the new page", name);
	tap_ok(!ram_read32(&vgpu->ram, old) && (!model_stale_hits(&now) || now == hits),
	       "%s: it uses no old entry", name);
	ram_write32(&vgpu->ram, batch + FLAG, 0);
	tap_ok(request_wait(&ctx, seqno, SOON_MS) && engine_wait_idle(ctx.engine, SOON_MS),
	       "%s: the batch ends", name);
	vfio_dma_unmap(&vgpu->dev, COMING_IOVA, PAGE_SIZE);
	munmap(p, PAGE_SIZE);
}

int main(void)
{
	struct vgpu *vgpu;
	u32 i;

	vgpu_test_init(100);
	vgpu = vgpu_new(MDEV_TYPE_SMALL);
	for (i = 0; i < VGPU_NR_ENGINES; i++) {
		check(vgpu, i);
		check_window(vgpu, i);
	}
	tap_ok(ram_canary_intact(&vgpu->ram), "no stray write");
	vgpu_free(vgpu);
	return vgpu_test_done();
}
