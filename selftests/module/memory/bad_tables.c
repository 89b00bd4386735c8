// SPDX-License-Identifier: GPL-2.0
/* Bad input: page tables. */
#include <string.h>

#include "clock.h"
#include "context.h"
#include "ggtt.h"
#include "rng.h"
#include "tap.h"
#include "vgpu.h"
#include "witness.h"

#define BATCH_ADDR	0x400000ULL
#define FLAGS		(GEN_PTE_PRESENT | GEN_PTE_RW)

static struct rng rng = { 7 };

static u64 *table(struct vgpu *vgpu, u64 gpa)
{
	return ram_ptr(&vgpu->ram, gpa);
}

/* Run fresh()'s batch in a new context; it may fail. */
static bool run_batch(struct vgpu *vgpu, struct ppgtt *ppgtt, u32 engine)
{
	struct context ctx;
	struct engine *e;
	u32 seqno;

	context_init(&ctx, vgpu, engine, ppgtt);
	e = ctx.engine;
	request_begin(&ctx);
	request_batch(&ctx, BATCH_ADDR);
	seqno = request_end(&ctx);
	context_submit(&ctx);
	if (wait_for((engine_process(e), !e->active && !e->pending) ||
		     engine_read(e, RING_EIR), 50) && request_done(&ctx, seqno))
		return true;
	engine_reset(e);
	e->bad = false;
	return false;
}

/* An address space with a batch that stores to two places. */
static void fresh(struct vgpu *vgpu, struct ppgtt *ppgtt)
{
	struct cs cs;
	u64 gpa;

	vgpu_reset(vgpu);
	ppgtt_init(ppgtt, &vgpu->ram);
	ppgtt_notify(vgpu, ppgtt, true);
	gpa = ram_alloc(&vgpu->ram, 1);
	cs_init(&cs, ram_ptr(&vgpu->ram, gpa), PAGE_SIZE);
	cs_store(&cs, PPGTT, 0x9000000, 0x57);
	cs_store(&cs, PPGTT, 0x7fff00000000ULL, 0x58);
	cs_end(&cs);
	ppgtt_map(ppgtt, BATCH_ADDR, gpa, 1);
}

/* One bad entry, at each level. */
static void bad_entries(struct vgpu *vgpu, struct witness *w)
{
	static const char *const names[] = { "PT", "PD", "PDP", "PML4" };
	struct ppgtt ppgtt;
	u32 level, i;

	for (level = 0; level < GEN_PPGTT_LEVELS; level++) {
		const u64 values[] = {
			0, ~0ULL, FLAGS, RAM_SIZE | FLAGS, (RAM_SIZE - PAGE_SIZE) | FLAGS,
			0x7ffffff000ULL | FLAGS, 0xfffffffffffff000ULL | FLAGS,
			0x8000000000000000ULL | FLAGS, 0xfee00000 | FLAGS,
			0x200000 | FLAGS | GEN_PDE_2M, 0x201000 | FLAGS | GEN_PDE_2M,
			0x3e00000 | FLAGS | GEN_PDE_2M, 0x4000000 | FLAGS | GEN_PDE_2M,
			0x210000 | FLAGS | GEN_PDE_64K, GEN_PTE_PRESENT, GEN_PTE_RW | 0x200000,
			0x200000 | FLAGS | GEN_PTE_LOCAL,
		};

		for (i = 0; i < ARRAY_SIZE(values); i++) {
			fresh(vgpu, &ppgtt);
			*ppgtt_entry(&ppgtt, 0x9000000, level) = values[i];
			if (level < 3)
				*ppgtt_entry(&ppgtt, 0x7fff00000000ULL, level) = values[i];
			run_batch(vgpu, &ppgtt, i % VGPU_NR_ENGINES);
		}
		tap_ok(witness_ok(w), "bad entries in a %s", names[level]);
	}
	survived(vgpu, w, "bad entries");
}

/* Tables that point to themselves and to one another. */
static void loops(struct vgpu *vgpu, struct witness *w)
{
	struct ppgtt ppgtt;
	u32 i, kind;

	for (kind = 0; kind < 5; kind++) {
		u64 pdp, pd;

		fresh(vgpu, &ppgtt);
		ppgtt_map(&ppgtt, 0x9000000, ram_alloc(&vgpu->ram, 1), 1);
		pdp = *ppgtt_entry(&ppgtt, 0x9000000, 3) & GEN_PTE_ADDR;
		pd = *ppgtt_entry(&ppgtt, 0x9000000, 2) & GEN_PTE_ADDR;
		for (i = 0; i < GEN_PTES_PER_PAGE; i++) {
			switch (kind) {
			case 0:		/* every entry of the root is the root */
				table(vgpu, ppgtt.root)[i] = ppgtt.root | FLAGS;
				break;
			case 1:		/* a loop through all levels */
				table(vgpu, pd)[i] = ppgtt.root | FLAGS;
				break;
			case 2:
				table(vgpu, pdp)[i] = ppgtt.root | FLAGS;
				table(vgpu, pd)[i] = pdp | FLAGS;
				break;
			case 3:		/* a full tree of one table */
				table(vgpu, ppgtt.root)[i] = pdp | FLAGS;
				table(vgpu, pdp)[i] = pdp | FLAGS;
				break;
			default:	/* one wide page table */
				table(vgpu, ppgtt.root)[i] = pdp | FLAGS;
				table(vgpu, pdp)[i] = pd | FLAGS;
				table(vgpu, pd)[i] = ppgtt.scratch[1] | FLAGS;
				break;
			}
		}
		run_batch(vgpu, &ppgtt, kind % VGPU_NR_ENGINES);
		tap_ok(witness_ok(w), "tables in a loop, %u", kind);
	}
	survived(vgpu, w, "tables in a loop");
}

static void bad_roots(struct vgpu *vgpu, struct witness *w)
{
	const u64 roots[] = {
		0, 0x123, RAM_SIZE, RAM_SIZE - PAGE_SIZE, ~0ULL, 0xfee00000, 0x7ffffff000ULL,
		0x8000000000001000ULL,
	};
	struct ppgtt ppgtt;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(roots); i++) {
		fresh(vgpu, &ppgtt);
		ppgtt.root = roots[i];
		run_batch(vgpu, &ppgtt, i % VGPU_NR_ENGINES);
		ppgtt_notify(vgpu, &ppgtt, true);
		ppgtt_notify(vgpu, &ppgtt, false);
	}
	survived(vgpu, w, "roots at any address");
}

static void random_tables(struct vgpu *vgpu, struct witness *w)
{
	struct ppgtt ppgtt;
	u32 n, i, level;

	for (n = 0; n < 60; n++) {
		fresh(vgpu, &ppgtt);
		for (level = 0; level < GEN_PPGTT_LEVELS; level++) {
			u64 *entry = ppgtt_entry(&ppgtt, 0x9000000, level);

			entry = (u64 *)((unsigned long)entry & ~4095UL);
			/* Skip entry 0, so that the batch itself is mostly found. */
			for (i = n % 4 ? 3 : 0; i < GEN_PTES_PER_PAGE; i++) {
				u64 value = rng_u64(&rng);

				/* Half of them point to guest memory, but not to the canary. */
				if (rng_below(&rng, 2))
					value = (value & 0x1fff000) | 0x2000000 | FLAGS;
				if (entry[i] == (entry[i] & (GEN_PTE_ADDR | FLAGS)) &&
				    rng_below(&rng, 16) < n % 16)
					entry[i] = value | 0x100000;
			}
		}
		run_batch(vgpu, &ppgtt, n % VGPU_NR_ENGINES);
	}
	survived(vgpu, w, "random tables");
}

/* Few tables map many pages: the cost must be bounded. */
static void huge_spaces(struct vgpu *vgpu, struct witness *w)
{
	struct ppgtt ppgtt;
	u64 t0, tables;
	u32 i, k;

	fresh(vgpu, &ppgtt);
	/* 2000 full page tables of one page. */
	tables = ram_alloc(&vgpu->ram, 2000);
	for (i = 0; i < 2000; i++) {
		for (k = 0; k < GEN_PTES_PER_PAGE; k++)
			table(vgpu, tables + i * PAGE_SIZE)[k] = ppgtt.scratch[0] | FLAGS;
		*ppgtt_entry(&ppgtt, (8192ULL + i) << 21, 1) = (tables + i * PAGE_SIZE) | FLAGS;
	}
	t0 = now_us();
	run_batch(vgpu, &ppgtt, RCS);
	tap_diag("4 GB of mappings: %llu ms", (unsigned long long)(now_us() - t0) / 1000);
	survived(vgpu, w, "a million entries");
}

/* Tables that are overwritten while they are in use. */
static void changing_tables(struct vgpu *vgpu, struct witness *w)
{
	u64 end = now_us() + 3000000;
	struct ppgtt ppgtt;
	struct context ctx;
	u32 n = 0, done = 0;
	u64 pages;

	fresh(vgpu, &ppgtt);
	context_init(&ctx, vgpu, RCS, &ppgtt);
	pages = ram_alloc(&vgpu->ram, 64);
	ppgtt_map(&ppgtt, 0x9000000, pages, 64);
	while (now_us() < end) {
		u64 *pt = (u64 *)((unsigned long)ppgtt_entry(&ppgtt, 0x9000000, 0) & ~4095UL);
		u32 i, seqno;

		request_begin(&ctx);
		request_batch(&ctx, BATCH_ADDR);
		seqno = request_end(&ctx);
		context_submit(&ctx);
		for (i = 0; i < 200; i++)
			WRITE_ONCE(pt[rng_below(&rng, GEN_PTES_PER_PAGE)],
				   rng_below(&rng, 2) ? rng_u64(&rng) | 0x100000000ULL :
				   (pages + rng_below(&rng, 64) * PAGE_SIZE) | FLAGS);
		if (request_wait(&ctx, seqno, 50) && engine_wait_idle(ctx.engine, 50)) {
			done++;
		} else {
			fresh(vgpu, &ppgtt);
			context_init(&ctx, vgpu, RCS, &ppgtt);
			pages = ram_alloc(&vgpu->ram, 64);
			ppgtt_map(&ppgtt, 0x9000000, pages, 64);
		}
		n++;
	}
	tap_diag("%u requests, %u done", n, done);
	survived(vgpu, w, "tables that change concurrently");
}

int main(void)
{
	struct witness w;
	struct vgpu *vgpu;

	vgpu_test_init(400);
	witness_init(&w);
	vgpu = vgpu_new(MDEV_TYPE_SMALL);
	bad_entries(vgpu, &w);
	loops(vgpu, &w);
	bad_roots(vgpu, &w);
	random_tables(vgpu, &w);
	huge_spaces(vgpu, &w);
	changing_tables(vgpu, &w);
	vgpu_free(vgpu);
	witness_free(&w);
	return vgpu_test_done();
}
