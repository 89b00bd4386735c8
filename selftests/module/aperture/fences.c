// SPDX-License-Identifier: GPL-2.0
/*
 * Fences of several vGPUs, more than the GPU has: tests the view through each, that a fence takes
 * physical aperture from a vGPU above its share, and that all of it is released.
 */
#include "counters.h"
#include "fence.h"
#include "file.h"
#include "ggtt.h"
#include "guard.h"
#include "mdev.h"
#include "tap.h"
#include "vgpu.h"

#define PITCH		1024u
#define NOTHING		0xdeadbeefu

static u32 look(struct vgpu *vgpu, u64 addr)
{
	u32 value = NOTHING;

	if (!guard_read32(vgpu->aperture + addr, &value))
		return NOTHING;
	return value;
}

static void put(struct vgpu *vgpu, u64 addr, u32 value)
{
	guard_write32(vgpu->aperture + addr, value);
}

/* Offset in memory of byte @offset of the view through a fence. */
static u32 tiled(const struct tiling *t, u32 offset)
{
	return tiled_offset(t, PITCH, offset % PITCH, offset / PITCH);
}

static u64 demotions(struct vgpu *vgpu)
{
	return counters_number(vgpu, "ggtt", "aperture_demotions");
}

/* Two fences over the same pages: the one with the lower number applies. */
static void check_overlap(struct vgpu *vgpu)
{
	u64 gpa = ram_alloc(&vgpu->ram, 48), addr = ggtt_bind_low(vgpu, gpa, 48);
	u32 x = 16 * PAGE_SIZE, offset;

	/* [0, 32) by fence 3, [16, 48) by fence 2. */
	fence_set(vgpu, 3, &tilings[0], addr, 32, PITCH);
	fence_set(vgpu, 2, &tilings[1], addr + x, 32, PITCH);
	offset = 5 * PITCH + 600;
	put(vgpu, addr + offset, 1);
	tap_eq(ram_read32(&vgpu->ram, gpa + tiled(&tilings[0], offset)), 1,
	       "one of two overlapping fences applies where it is alone");
	put(vgpu, addr + x + offset, 2);
	tap_eq(ram_read32(&vgpu->ram, gpa + x + tiled(&tilings[1], offset)), 2,
	       "the lower fence applies where both are");
	fence_write(vgpu, 2, 0);
	put(vgpu, addr + x + offset, 3);
	tap_eq(ram_read32(&vgpu->ram, gpa + tiled(&tilings[0], x + offset)), 3,
	       "the other fence applies after the lower one is removed");
	fence_set(vgpu, 0, &tilings[1], addr, 32, PITCH);
	put(vgpu, addr + offset, 4);
	tap_eq(ram_read32(&vgpu->ram, gpa + tiled(&tilings[1], offset)), 4,
	       "a new lower fence takes precedence");
	fence_write(vgpu, 0, 0);
	fence_write(vgpu, 3, 0);
	tap_eq(look(vgpu, addr + tiled(&tilings[1], offset)), 4,
	       "the view is linear without fences");
}

static bool is_linear(struct vgpu *vgpu, u64 addr, u64 gpa, u32 pages)
{
	u32 i;

	for (i = 0; i < pages * PAGE_SIZE; i += 1028) {
		put(vgpu, addr + i, i);
		if (ram_read32(&vgpu->ram, gpa + i) != i || look(vgpu, addr + i) != i)
			return false;
	}
	return true;
}

static void check_without_effect(struct vgpu *vgpu)
{
	u64 gpa = ram_alloc(&vgpu->ram, 16), addr = ggtt_bind_low(vgpu, gpa, 16);
	u64 top = vgpu->low_size - 16 * PAGE_SIZE, good;

	ggtt_map(vgpu, top, gpa, 16);
	ggtt_flush(vgpu);
	/* From the last page to the first. */
	good = (addr & FENCE_END) << 32 | (addr + 15 * PAGE_SIZE) | FENCE_VALID;
	fence_write(vgpu, 0, good | (u64)(PITCH / 128 - 1) << 32);
	tap_ok(is_linear(vgpu, addr, gpa, 16), "a fence that ends before it begins has no effect");
	fence_set(vgpu, 0, &tilings[0], top, 32, PITCH);
	tap_ok(is_linear(vgpu, top, gpa, 16),
	       "a fence across the end of low graphics memory has no effect");
	fence_set(vgpu, 0, &tilings[0], vgpu->low_size, 16, PITCH);
	put(vgpu, vgpu->low_size + 64, 0x11);
	tap_eq(counters_gpu_number("aperture", "fences_used"), 0,
	       "a fence above low graphics memory has no effect");
	fence_write(vgpu, 0, 0);
	ggtt_unmap(vgpu, top, 16);
	ggtt_flush(vgpu);
}

/* Entries are set, changed and removed under a fence that is in use. */
static void check_entries(struct vgpu *vgpu, const struct tiling *t)
{
	u64 a = ram_alloc(&vgpu->ram, 16), b = ram_alloc(&vgpu->ram, 1);
	u64 addr = ggtt_alloc_low(vgpu, 16);
	u32 tile = t->width, y = 3;	/* the second tile of the first row */
	u32 at = tiled_offset(t, PITCH, tile, y) % PAGE_SIZE;

	fence_set(vgpu, 31, t, addr, 16, PITCH);
	put(vgpu, addr + y * PITCH + tile, 0x50);
	ggtt_map(vgpu, addr, a, 16);
	ggtt_flush(vgpu);
	tap_eq(look(vgpu, addr + y * PITCH + tile), 0,
	       "%s: a write without entries has no effect", t->name);
	put(vgpu, addr + y * PITCH + tile, 0x51);
	tap_eq(ram_read32(&vgpu->ram, a + PAGE_SIZE + at), 0x51, "%s: new entries take effect",
	       t->name);
	ggtt_map(vgpu, addr + PAGE_SIZE, b, 1);
	ggtt_flush(vgpu);
	tap_eq(look(vgpu, addr + y * PITCH + tile), 0, "%s: a changed entry takes effect", t->name);
	put(vgpu, addr + y * PITCH + tile, 0x52);
	tap_ok(ram_read32(&vgpu->ram, b + at) == 0x52 &&
	       ram_read32(&vgpu->ram, a + PAGE_SIZE + at) == 0x51,
	       "%s: only its new page is written", t->name);
	ggtt_unmap(vgpu, addr + PAGE_SIZE, 1);
	ggtt_flush(vgpu);
	put(vgpu, addr + y * PITCH + tile, 0x53);
	tap_eq(ram_read32(&vgpu->ram, b + at), 0x52, "%s: a removed entry takes effect", t->name);
	fence_write(vgpu, 31, 0);
	ggtt_unmap(vgpu, addr, 16);
	ggtt_flush(vgpu);
}

/* For users that do not map the aperture. */
static void check_calls(struct vgpu *vgpu)
{
	u64 gpa = ram_alloc(&vgpu->ram, 16), addr = ggtt_bind_low(vgpu, gpa, 16);
	u32 bar = VFIO_PCI_BAR2_REGION_INDEX, value = 0x61, offset = 7 * PITCH + 256;

	fence_set(vgpu, 5, &tilings[1], addr, 16, PITCH);
	tap_ok(vfio_write(&vgpu->dev, bar, addr + offset, &value, 4) == 4 &&
	       ram_read32(&vgpu->ram, gpa + tiled(&tilings[1], offset)) == 0x61,
	       "pwrite() through a fence is tiled");
	value = 0;
	tap_ok(vfio_read(&vgpu->dev, bar, addr + offset, &value, 4) == 4 && value == 0x61,
	       "pread() through a fence reads it back");
	fence_write(vgpu, 5, 0);
}

/* Memory that is unmapped under a fence. */
static void check_unmap(struct vgpu *vgpu)
{
	u64 size = MB(1), gpa = vgpu->ram.base + vgpu->ram.size - size;
	u64 addr = ggtt_bind_low(vgpu, gpa, 16);

	fence_set(vgpu, 7, &tilings[0], addr, 16, PITCH);
	put(vgpu, addr, 0x71);
	tap_eq(ram_read32(&vgpu->ram, gpa), 0x71, "a fence over memory applies");
	tap_eq(vfio_dma_unmap(&vgpu->dev, vgpu->ram.base, vgpu->ram.size), 0,
	       "the memory is unmapped");
	put(vgpu, addr, 0x72);
	tap_eq(ram_read32(&vgpu->ram, gpa), 0x71, "a write through the fence does not reach it");
	tap_eq(vfio_dma_map(&vgpu->dev, vgpu->ram.base, vgpu->ram.ptr, vgpu->ram.size), 0,
	       "the memory is mapped again");
	ggtt_flush(vgpu);
	put(vgpu, addr, 0x73);
	tap_eq(ram_read32(&vgpu->ram, gpa), 0x73, "a write through the fence reaches it again");
}

static void check_reset(struct vgpu *vgpu)
{
	u64 gpa = ram_alloc(&vgpu->ram, 16), addr = ggtt_bind_low(vgpu, gpa, 16);

	fence_set(vgpu, 0, &tilings[0], addr, 16, PITCH);
	put(vgpu, addr, 0x81);
	tap_ok(counters_gpu_number("aperture", "fences_used") != 0, "a fence is in use");
	tap_ok(vgpu_reset(vgpu), "the vGPU is reset");
	tap_eq(counters_gpu_number("aperture", "pages_used"), 0,
	       "the reset releases the physical aperture");
}

/* Write or compare all of @vgpu's fences, each over 16 pages of its own. */
static u32 use_fences(struct vgpu *vgpu, u64 addr, u64 gpa, u32 count, bool write)
{
	u32 i, offset, bad = 0;

	for (i = 0; i < count; i++, addr += 16 * PAGE_SIZE, gpa += 16 * PAGE_SIZE) {
		const struct tiling *t = &tilings[i % NR_TILINGS];

		if (write)
			fence_set(vgpu, i, t, addr, 16, PITCH);
		for (offset = 4 * i; offset < 16 * PAGE_SIZE; offset += 2052) {
			if (write)
				put(vgpu, addr + offset, i << 24 | offset);
			bad += ram_read32(&vgpu->ram, gpa + tiled(t, offset)) != (i << 24 | offset);
			bad += look(vgpu, addr + offset) != (i << 24 | offset);
		}
	}
	return bad;
}

#define NR_GREEDY	3

/* A vGPU within its share keeps its fences, whatever others use. */
static void check_shares(struct vgpu *modest)
{
	u32 share = GEN_NR_FENCES / (NR_GREEDY + 1), i, round, bad = 0;
	u64 gpa[NR_GREEDY + 1], addr[NR_GREEDY + 1], before = demotions(modest), lost = 0;
	struct vgpu *all[NR_GREEDY + 1] = { modest };

	for (i = 0; i < NR_GREEDY + 1; i++) {
		if (i)
			all[i] = vgpu_new(MDEV_TYPE_SMALL);
		gpa[i] = ram_alloc(&all[i]->ram, 16 * GEN_NR_FENCES);
		addr[i] = ggtt_bind_low(all[i], gpa[i], 16 * GEN_NR_FENCES);
		tap_eq(fence_count(all[i]), GEN_NR_FENCES, "a vGPU has all fences");
		bad += use_fences(all[i], addr[i], gpa[i], i ? GEN_NR_FENCES : share, true);
	}
	tap_eq(bad, 0, "several vGPUs use all their fences, one uses its share");
	for (round = 0, bad = 0; round < 3; round++)
		for (i = 0; i < NR_GREEDY + 1; i++)
			bad += use_fences(all[i], addr[i], gpa[i], i ? GEN_NR_FENCES : share,
					  false);
	tap_eq(bad, 0, "their data are correct in each round");
	tap_eq(counters_gpu_number("aperture", "fences_used"), GEN_NR_FENCES,
	       "all physical fences are in use");
	for (i = 1; i < NR_GREEDY + 1; i++)
		lost += demotions(all[i]);
	tap_eq(demotions(modest), before, "the vGPU within its share loses no fence");
	tap_ok(lost >= 3 * NR_GREEDY * 16, "the other vGPUs lose fences: %llu demotions",
	       (unsigned long long)lost);
	for (i = 1; i < NR_GREEDY + 1; i++)
		vgpu_free(all[i]);
	tap_eq(counters_gpu_number("aperture", "fences_used"), share,
	       "removing them releases their fences");
}

#define LARGE_ROW	(32 * PAGE_SIZE)	/* of tiles, with 4 KB pitch */

/* The first row of tiles of low graphics memory, a middle one, and the last one. */
static u64 large_row(const struct vgpu *vgpu, u32 n)
{
	return (vgpu->low_size - LARGE_ROW) * n / 2 / LARGE_ROW * LARGE_ROW;
}

static u64 large_init(struct vgpu *vgpu)
{
	u64 gpa = ram_alloc(&vgpu->ram, 3 * LARGE_ROW / PAGE_SIZE);
	u32 i;

	for (i = 0; i < 3; i++) {
		ram_write32(&vgpu->ram, gpa + i * LARGE_ROW + PAGE_SIZE + 16, i);
		ggtt_map(vgpu, large_row(vgpu, i), gpa + i * LARGE_ROW, LARGE_ROW / PAGE_SIZE);
	}
	ggtt_flush(vgpu);
	fence_set(vgpu, 0, &tilings[1], 0, vgpu->low_size / PAGE_SIZE, KB(4));
	return gpa;
}

/* Row 1 of the second tile of each row of tiles: check its contents, and write new ones. */
static u32 large_use(struct vgpu *vgpu, u64 gpa, u32 old, u32 new)
{
	u32 i, bad = 0;

	for (i = 0; i < 3; i++) {
		u64 at = large_row(vgpu, i) + KB(4) + 128;

		bad += look(vgpu, at) != old + i;
		put(vgpu, at, new + i);
		bad += ram_read32(&vgpu->ram, gpa + i * LARGE_ROW + PAGE_SIZE + 16) != new + i;
	}
	return bad;
}

/* All of low graphics memory under one fence, for more vGPUs than fit. */
static void check_large(void)
{
	u64 gpa[3], moved = 0;
	struct vgpu *all[3];
	u32 i, round, bad = 0;

	for (i = 0; i < ARRAY_SIZE(all); i++) {
		all[i] = vgpu_new(MDEV_TYPE_LOW128);
		gpa[i] = large_init(all[i]);
	}
	for (round = 0; round < 4; round++)
		for (i = 0; i < ARRAY_SIZE(all); i++)
			bad += large_use(all[i], gpa[i], round * 16, (round + 1) * 16);
	tap_eq(bad, 0, "three vGPUs use all of their low graphics memory, each under one fence");
	for (i = 0; i < ARRAY_SIZE(all); i++)
		moved += demotions(all[i]);
	tap_ok(moved > 0, "they use the aperture in turn: %llu demotions",
	       (unsigned long long)moved);
	for (i = 0; i < ARRAY_SIZE(all); i++)
		vgpu_free(all[i]);
}

int main(void)
{
	struct vgpu *vgpu;
	u32 i;

	vgpu_test_init(120);
	vgpu = vgpu_new(MDEV_TYPE_SMALL);
	if (!vgpu->aperture || counters_gpu_number("aperture", "fences_used") == ~0ULL)
		tap_die("the aperture cannot be mapped, or there is no debugfs");
	check_overlap(vgpu);
	check_without_effect(vgpu);
	for (i = 0; i < NR_TILINGS; i++)
		check_entries(vgpu, &tilings[i]);
	check_calls(vgpu);
	check_unmap(vgpu);
	check_reset(vgpu);
	check_shares(vgpu);
	tap_ok(ram_canary_intact(&vgpu->ram), "no stray write");
	vgpu_free(vgpu);
	check_large();
	return vgpu_test_done();
}
