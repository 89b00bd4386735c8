// SPDX-License-Identifier: GPL-2.0
/*
 * Page tables shared by several entries of a directory, adjacent or not, which change while these
 * entries do not: a store uses the tables at its submission.
 */
#include "clock.h"
#include "context.h"
#include "rng.h"
#include "tap.h"
#include "vgpu.h"

#define BATCH_ADDR	0x100000000000ULL
#define SHARED_ADDR	0x300000000000ULL
#define TABLE_SPAN	0x200000ULL	/* of a page table */
#define ENTRY		(GEN_PTE_PRESENT | GEN_PTE_RW)
#define NR_SPANS	6
#define NR_TABLES	3
#define ROUNDS		100

/**
 * struct shared - spans of an address space, and their page tables
 * @tables: bus addresses of the tables
 * @pages: the page of each table's first entry
 * @want: the expected contents of the page; 0: no span leads there
 */
struct shared {
	u64 tables[NR_TABLES];
	u64 pages[NR_TABLES];
	u32 want[NR_TABLES];
};

static u64 span_addr(u32 i)
{
	return SHARED_ADDR + i * TABLE_SPAN;
}

static u64 *span_entry(struct context *ctx, u32 i)
{
	return ppgtt_entry(ctx->ppgtt, span_addr(i), 1);
}

static void make_tables(struct context *ctx, struct shared *shared)
{
	u32 k;

	for (k = 0; k < NR_TABLES; k++) {
		ppgtt_map(ctx->ppgtt, span_addr(k), ram_alloc(&ctx->vgpu->ram, 1), 1);
		shared->tables[k] = *span_entry(ctx, k) & GEN_PTE_ADDR;
	}
}

/* Return: the table that @entry points to; NR_TABLES: none of them. */
static u32 find_table(const struct shared *shared, u64 entry)
{
	u32 k;

	for (k = 0; k < NR_TABLES; k++)
		if ((entry & GEN_PTE_ADDR) == shared->tables[k])
			break;
	return k;
}

static void lead_elsewhere(struct context *ctx, const struct shared *shared, struct rng *rng)
{
	u32 i, k;

	for (i = 0; i < NR_SPANS; i++) {
		k = rng_below(rng, NR_TABLES + 1);
		*span_entry(ctx, i) = (k < NR_TABLES ? shared->tables[k] :
				       ctx->ppgtt->scratch[1]) | ENTRY;
	}
}

static void replace_pages(struct context *ctx, struct shared *shared)
{
	struct ram *ram = &ctx->vgpu->ram;
	u32 k;

	for (k = 0; k < NR_TABLES; k++) {
		shared->pages[k] = ram_alloc(ram, 1);
		shared->want[k] = 0;
		*(u64 *)ram_ptr(ram, shared->tables[k]) = shared->pages[k] | ENTRY | GEN_PTE_PAT;
	}
}

/* A batch that stores through each span; the last store to a page stays. */
static void emit_stores(struct context *ctx, struct shared *shared, u64 batch, u32 round)
{
	struct cs cs;
	u32 i, k;

	cs_init(&cs, ram_ptr(&ctx->vgpu->ram, batch), PAGE_SIZE);
	for (i = 0; i < NR_SPANS; i++) {
		cs_store(&cs, PPGTT, span_addr(i), round << 8 | i);
		k = find_table(shared, *span_entry(ctx, i));
		if (k < NR_TABLES)
			shared->want[k] = round << 8 | i;
	}
	cs_end(&cs);
}

static u32 count_bad(struct context *ctx, const struct shared *shared)
{
	u32 k, bad = 0;

	for (k = 0; k < NR_TABLES; k++)
		bad += ram_read32(&ctx->vgpu->ram, shared->pages[k]) != shared->want[k];
	return bad;
}

static void check(struct context *ctx)
{
	u64 batch = ram_alloc(&ctx->vgpu->ram, 1);
	u32 round, ran = 0, bad = 0;
	struct rng rng = { 5 };
	struct shared shared;

	ppgtt_map(ctx->ppgtt, BATCH_ADDR, batch, 1);
	make_tables(ctx, &shared);
	for (round = 1; round <= ROUNDS; round++) {
		if (round % 2)
			lead_elsewhere(ctx, &shared, &rng);
		replace_pages(ctx, &shared);
		emit_stores(ctx, &shared, batch, round);
		request_begin(ctx);
		request_batch(ctx, BATCH_ADDR);
		ran += request_run(ctx, request_end(ctx));
		bad += count_bad(ctx, &shared);
	}
	tap_eq(ran, ROUNDS, "requests with shared tables run");
	tap_eq(bad, 0, "each store uses the tables at its submission");
}

int main(void)
{
	struct vgpu *vgpu;
	struct ppgtt ppgtt;
	struct context ctx;

	vgpu_test_init(120);
	vgpu = vgpu_new(MDEV_TYPE_SMALL);
	ppgtt_init(&ppgtt, &vgpu->ram);
	ppgtt_notify(vgpu, &ppgtt, true);
	context_init(&ctx, vgpu, RCS, &ppgtt);
	check(&ctx);
	tap_ok(!ctx.engine->bad, "the execlist protocol is kept");
	tap_ok(ram_canary_intact(&vgpu->ram), "no stray write");
	vgpu_free(vgpu);
	return vgpu_test_done();
}
