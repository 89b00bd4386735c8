// SPDX-License-Identifier: GPL-2.0
/*
 * Two vGPUs with adjacent graphics memory: a write of one without an entry, or through a fence that
 * detiles beyond its end, neither shows in nor changes the memory of the other.
 */
#include <stdio.h>
#include <string.h>

#include "context.h"
#include "counters.h"
#include "ggtt.h"
#include "guard.h"
#include "mdev.h"
#include "tap.h"
#include "vgpu.h"

#define VICTIM_WORD	0x71c71300u
#define MARK		0x5ec2e700u
#define VICTIM_PAGES	1024u

/**
 * struct pair - two vGPUs
 * @left: created first: its low graphics memory ends where that of @right begins
 * @right: the neighbour
 * @pages: the neighbour's pages at the start of its aperture
 */
struct pair {
	struct vgpu *left;
	struct vgpu *right;
	u64 pages;
};

struct bad_fence {
	const char *name;
	u32 flag;
	u32 size;
	u32 pitch;
	u32 tile_width;
};

/* Each ends in an incomplete row of tiles. */
static const struct bad_fence bad_fences[] = {
	{ "Y tiles, 512 KB pitch", FENCE_TILE_Y, KB(512), KB(512), 128 },
	{ "Y tiles, 256 KB pitch", FENCE_TILE_Y, KB(512), KB(256), 128 },
	{ "Y tiles, 32 KB pitch", FENCE_TILE_Y, KB(512), KB(32), 128 },
	{ "X tiles, 256 KB pitch", 0, KB(512), KB(256), 512 },
	{ "X tiles, 128 KB pitch", 0, KB(512), KB(128), 512 },
};

static void write_fence(struct vgpu *vgpu, u64 start, u32 size, u32 pitch, u32 flag)
{
	u64 hi = ((start + size - PAGE_SIZE) & FENCE_END) | (pitch / 128 - 1);

	mmio_write_width(vgpu, GEN_FENCE_LO(0), 8, hi << 32 | start | FENCE_VALID | flag);
}

static void no_fence(struct vgpu *vgpu)
{
	mmio_write_width(vgpu, GEN_FENCE_LO(0), 8, 0);
}

static bool victim_intact(const struct pair *p)
{
	u32 i;

	for (i = 0; i < VICTIM_PAGES * PAGE_SIZE; i += 64)
		if (ram_read32(&p->right->ram, p->pages + i) != (VICTIM_WORD | (i >> 6 & 0xff)))
			return false;
	return true;
}

static void fill_victim(const struct pair *p)
{
	u32 i;

	for (i = 0; i < VICTIM_PAGES * PAGE_SIZE; i += 64)
		ram_write32(&p->right->ram, p->pages + i, VICTIM_WORD | (i >> 6 & 0xff));
}

/*
 * A fenced range has a place of its own in the physical aperture, with anything next to it: that
 * the neighbour's memory does not show is no proof.
 */
static bool fence_works(const struct vgpu *vgpu)
{
	char path[MDEV_PATH_MAX], line[160];
	bool works = false;
	FILE *file;

	if (!counters_vgpu_path(path, vgpu, "ggtt"))
		return false;
	file = fopen(path, "r");
	while (file && fgets(line, sizeof(line), file))
		works |= !strncmp(line, "fence_0:", 8) && strstr(line, "effective=1");
	if (file)
		fclose(file);
	return works;
}

/* Through the first line of the fence, one access per tile: some are outside of the range. */
static void check_bad_fence(const struct pair *p, const struct bad_fence *f)
{
	u64 start = p->left->low_size - f->size;
	u32 x, seen = 0, value;

	write_fence(p->left, start, f->size, f->pitch, f->flag);
	tap_ok(!fence_works(p->left), "%s: an incomplete fence has no effect", f->name);
	for (x = 0; x < f->size; x += f->tile_width)
		if (guard_read32(p->left->aperture + start + x, &value))
			seen += (value & ~0xffu) == VICTIM_WORD;
	tap_eq(seen, 0, "%s: a read shows none of the neighbour's memory", f->name);
	for (x = 0; x < f->size; x += f->tile_width)
		guard_write32(p->left->aperture + start + x, MARK);
	tap_ok(victim_intact(p), "%s: a write changes none of the neighbour's memory", f->name);
	no_fence(p->left);
	fill_victim(p);
}

/* The same range with a pitch that fills it works: refusing all fences would pass as well. */
static void check_good_fence(const struct pair *p)
{
	u32 pages = KB(512) / PAGE_SIZE, value = 0;
	u64 start = p->left->low_size - KB(512), gpa = ram_alloc(&p->left->ram, pages);

	ggtt_map(p->left, start, gpa, pages);
	ggtt_flush(p->left);
	write_fence(p->left, start, KB(512), KB(16), FENCE_TILE_Y);
	tap_ok(fence_works(p->left), "a fence of a whole row of tiles has an effect");
	guard_write32(p->left->aperture + start + 128, MARK);
	/* The second column of tiles is the second page. */
	tap_eq(ram_read32(&p->left->ram, gpa + PAGE_SIZE), MARK,
	       "a fence of a whole row of tiles detiles");
	ram_write32(&p->left->ram, gpa + PAGE_SIZE, MARK + 1);
	guard_read32(p->left->aperture + start + 128, &value);
	tap_eq(value, MARK + 1, "it detiles writes and reads");
	no_fence(p->left);
	ggtt_unmap(p->left, start, pages);
	ggtt_flush(p->left);
}

/* The GPU stores and copies without an entry. */
static bool gpu_store(struct context *ctx, u64 addr, u32 value)
{
	request_begin(ctx);
	cs_store(&ctx->ring, GGTT, addr, value);
	return request_run(ctx, request_end(ctx));
}

static u32 gpu_load(struct context *ctx, u64 addr)
{
	request_begin(ctx);
	cs_store(&ctx->ring, GGTT, context_slot(ctx, 40), 0xdeadbeef);
	cs_copy(&ctx->ring, GGTT, context_slot(ctx, 40), addr);
	if (!request_run(ctx, request_end(ctx)))
		return 0xdeadbeef;
	return context_slot_value(ctx, 40);
}

static u32 fenced_read(struct vgpu *vgpu, u64 addr)
{
	u32 value = 0xdeadbeef;

	write_fence(vgpu, addr, KB(64), 512, 0);
	guard_read32(vgpu->aperture + addr, &value);
	no_fence(vgpu);
	return value;
}

static void fenced_write(struct vgpu *vgpu, u64 addr, u32 value)
{
	write_fence(vgpu, addr, KB(64), 512, 0);
	guard_write32(vgpu->aperture + addr, value);
	no_fence(vgpu);
}

/* An address without an entry leads to a page of the vGPU's own. */
static void check_scratch(const struct pair *p)
{
	struct context left, right;
	u64 high, low;

	context_init(&left, p->left, RCS, NULL);
	context_init(&right, p->right, RCS, NULL);
	high = GEN_LOW_GM_SIZE + p->left->high_size - PAGE_SIZE;
	low = p->left->low_size - MB(1);

	tap_ok(gpu_store(&left, high, MARK | 1), "the GPU stores without an entry");
	tap_eq(gpu_load(&left, high), MARK | 1, "the GPU reads back the value");
	tap_eq(gpu_load(&right, high), 0, "the other vGPU's GPU does not read it");
	tap_eq(fenced_read(p->right, low), 0, "the other vGPU's aperture does not show it");
	fenced_write(p->left, low, MARK | 2);
	tap_eq(fenced_read(p->left, low), MARK | 2, "an aperture without an entry keeps a word");
	tap_eq(fenced_read(p->right, low), 0, "the other vGPU's aperture does not show that word");
	tap_eq(gpu_load(&right, high), 0, "the other vGPU's GPU does not read it");

	/* An entry that is set and removed again. */
	ggtt_map(p->right, high, ram_alloc(&p->right->ram, 1), 1);
	ggtt_flush(p->right);
	ggtt_unmap(p->right, high, 1);
	ggtt_flush(p->right);
	tap_eq(gpu_load(&right, high), 0, "nor after an entry of its own was set and removed");
	tap_ok(vgpu_reset(p->left), "the vGPU is reset");
	context_init(&left, p->left, RCS, NULL);
	tap_eq(gpu_load(&left, high), 0, "a reset clears the word");
}

int main(void)
{
	struct pair p;
	u32 i;

	vgpu_test_init(100);
	p.left = vgpu_new(MDEV_TYPE_SMALL);
	p.right = vgpu_new(MDEV_TYPE_SMALL);
	p.pages = ram_alloc(&p.right->ram, VICTIM_PAGES);
	fill_victim(&p);
	ggtt_bind_low(p.right, p.pages, VICTIM_PAGES);
	if (tap_ok(p.left->aperture && p.right->aperture, "the aperture can be mapped")) {
		check_good_fence(&p);
		for (i = 0; i < ARRAY_SIZE(bad_fences); i++)
			check_bad_fence(&p, &bad_fences[i]);
		check_scratch(&p);
	}
	vgpu_free(p.left);
	vgpu_free(p.right);
	return vgpu_test_done();
}
