// SPDX-License-Identifier: GPL-2.0
/* The mapped GGTT, its synchronisation, the aperture, and fences. */
#include <string.h>
#include <sys/mman.h>

#include "clock.h"
#include "context.h"
#include "counters.h"
#include "fence.h"
#include "ggtt.h"
#include "guard.h"
#include "rng.h"
#include "tap.h"
#include "vgpu.h"

static u32 pte_index(u64 addr)
{
	return addr / PAGE_SIZE;
}

static u64 pte_by_mmio(struct vgpu *vgpu, u64 addr)
{
	return mmio_read_width(vgpu, GEN_GSM_OFFSET + pte_index(addr) * 8, 8);
}

static bool can_map(struct vgpu *vgpu, u32 index, u64 offset, u64 size)
{
	void *p = mmap(NULL, size, PROT_READ, MAP_SHARED, vgpu->dev.fd,
		       vfio_region_offset(&vgpu->dev, index) + offset);

	if (p == MAP_FAILED)
		return false;
	munmap(p, size);
	return true;
}

static void check_mappings(struct vgpu *vgpu)
{
	u32 bar0 = VFIO_PCI_BAR0_REGION_INDEX;

	tap_ok(!can_map(vgpu, bar0, 0, PAGE_SIZE), "registers cannot be mapped");
	tap_ok(!can_map(vgpu, bar0, GEN_MMIO_SIZE, PAGE_SIZE),
	       "the range behind registers cannot be mapped");
	tap_ok(!can_map(vgpu, bar0, GEN_GSM_OFFSET - PAGE_SIZE, 2 * PAGE_SIZE),
	       "a range across registers and GGTT cannot be mapped");
	tap_ok(!can_map(vgpu, bar0, GEN_GTTMMADR_SIZE - PAGE_SIZE, 2 * PAGE_SIZE),
	       "a range across the end cannot be mapped");
	tap_ok(can_map(vgpu, bar0, GEN_GSM_OFFSET + 5 * PAGE_SIZE, 3 * PAGE_SIZE),
	       "a part of the GGTT can be mapped");
	tap_ok(!can_map(vgpu, VFIO_PCI_BAR2_REGION_INDEX, GEN_APERTURE_SIZE - PAGE_SIZE,
			2 * PAGE_SIZE), "a range across the end of the aperture cannot be mapped");
	tap_ok(!can_map(vgpu, VFIO_PCI_CONFIG_REGION_INDEX, 0, PAGE_SIZE),
	       "configuration space cannot be mapped");
}

static void check_entries(struct vgpu *vgpu)
{
	u64 low = ggtt_alloc_low(vgpu, 1), high = ggtt_alloc(vgpu, 1);
	u64 gpa = ram_alloc(&vgpu->ram, 1), value = gpa | GEN_PTE_PRESENT;

	tap_eq(READ_ONCE(vgpu->gsm[pte_index(high)]), 0, "an entry is clear at first");
	ggtt_set(vgpu, low, value);
	ggtt_set(vgpu, high, value);
	tap_eq(pte_by_mmio(vgpu, low), value, "an entry reads back by MMIO: low");
	tap_eq(pte_by_mmio(vgpu, high), value, "high");
	mmio_write_width(vgpu, GEN_GSM_OFFSET + pte_index(high) * 8, 8, value + PAGE_SIZE);
	tap_eq(READ_ONCE(vgpu->gsm[pte_index(high)]), value + PAGE_SIZE,
	       "an entry written by MMIO shows in the mapping");
	mmio_write(vgpu, GEN_GSM_OFFSET + pte_index(high) * 8, value);
	mmio_write(vgpu, GEN_GSM_OFFSET + pte_index(high) * 8 + 4, 0);
	tap_eq(READ_ONCE(vgpu->gsm[pte_index(high)]), value,
	       "an entry written in halves reads back");
	ggtt_flush(vgpu);
	ggtt_set(vgpu, high, value | GEN_PTE_PCD);
	ggtt_flush(vgpu);
	tap_eq(pte_by_mmio(vgpu, high), value | GEN_PTE_PCD, "an entry reads back after a flush");
	ggtt_unmap(vgpu, low, 1);
	ggtt_unmap(vgpu, high, 1);
	ggtt_flush(vgpu);
}

static u32 aperture(struct vgpu *vgpu, u64 addr)
{
	u32 value = 0xdeadbeef;

	if (!guard_read32(vgpu->aperture + addr, &value))
		return 0xdeadbeef;
	return value;
}

static void check_aperture(struct vgpu *vgpu)
{
	u64 a = ram_alloc(&vgpu->ram, 2), b = ram_alloc(&vgpu->ram, 2);
	u64 addr = ggtt_bind_low(vgpu, a, 2);

	ram_write32(&vgpu->ram, a, 0xa1);
	ram_write32(&vgpu->ram, a + PAGE_SIZE + 8, 0xa2);
	ram_write32(&vgpu->ram, b, 0xb1);
	tap_eq(aperture(vgpu, addr), 0xa1, "the aperture shows the guest's page");
	tap_eq(aperture(vgpu, addr + PAGE_SIZE + 8), 0xa2, "the aperture shows the next page");
	guard_write32(vgpu->aperture + addr + 16, 0xa3);
	tap_eq(ram_read32(&vgpu->ram, a + 16), 0xa3, "a write goes to the page");

	ggtt_map(vgpu, addr, b, 1);
	ggtt_flush(vgpu);
	tap_eq(aperture(vgpu, addr), 0xb1, "a changed entry shows another page");
	guard_write32(vgpu->aperture + addr + 16, 0xb3);
	tap_eq(ram_read32(&vgpu->ram, b + 16), 0xb3, "a write goes to the other page");
	tap_eq(ram_read32(&vgpu->ram, a + 16), 0xa3, "a write does not go to the first page");

	ggtt_unmap(vgpu, addr, 2);
	ggtt_flush(vgpu);
	guard_write32(vgpu->aperture + addr + 16, 0xc3);
	tap_eq(ram_read32(&vgpu->ram, b + 16), 0xb3, "a write without an entry has no effect");
	tap_ok(aperture(vgpu, addr) != 0xb1, "a read without an entry does not show the page");
	ggtt_map(vgpu, addr, b, 1);
	ggtt_flush(vgpu);
	tap_eq(aperture(vgpu, addr), 0xb1, "the page shows again when the entry is restored");

	/* By pread() and pwrite(), for hosts that do not map it. */
	{
		u32 value = 0, at = VFIO_PCI_BAR2_REGION_INDEX;

		tap_ok(vfio_read(&vgpu->dev, at, addr, &value, 4) == 4 && value == 0xb1,
		       "the aperture can be read");
		value = 0xb4;
		tap_ok(vfio_write(&vgpu->dev, at, addr + 4, &value, 4) == 4 &&
		       ram_read32(&vgpu->ram, b + 4) == 0xb4, "the aperture can be written");
		vfio_read(&vgpu->dev, at, GEN_APERTURE_SIZE - 2, &value, 4);
		tap_ok(vfio_read(&vgpu->dev, at, GEN_APERTURE_SIZE, &value, 4) <= 0,
		       "an access beyond the end of the aperture is refused");
	}
	ggtt_unmap(vgpu, addr, 1);
	ggtt_flush(vgpu);
}

/* Accesses outside of the guest's memory do no harm. */
static void check_outside(struct vgpu *vgpu, struct vgpu *other)
{
	u64 at;
	u32 n = 0;

	for (at = vgpu->low_size; at < GEN_APERTURE_SIZE; at += MB(16) + PAGE_SIZE) {
		guard_write32(vgpu->aperture + at, 0x11111111);
		n += aperture(other, at) == 0x11111111;
	}
	tap_eq(n, 0, "a write beyond low graphics memory reaches no other vGPU");
}

static void check_unowned_entries(struct vgpu *vgpu)
{
	u64 gpa = ram_alloc(&vgpu->ram, 1), at, used = counters_used(vgpu);

	/* A guest's driver may fill the whole GGTT. */
	for (at = 0; at < GEN_GGTT_SIZE; at += MB(1)) {
		bool own = at < vgpu->low_size ||
			   (at >= GEN_LOW_GM_SIZE && at < GEN_LOW_GM_SIZE + vgpu->high_size);

		if (!own)
			ggtt_set(vgpu, at, gpa | GEN_PTE_PRESENT);
	}
	ggtt_flush(vgpu);
	if (used == ~0ULL)
		tap_skip("no debugfs", "entries outside of the vGPU's own pin nothing");
	else
		tap_eq(counters_used(vgpu), used, "entries outside of the vGPU's own pin nothing");
	for (at = 0; at < GEN_GGTT_SIZE; at += MB(1))
		if (at >= vgpu->low_size &&
		    (at < GEN_LOW_GM_SIZE || at >= GEN_LOW_GM_SIZE + vgpu->high_size))
			ggtt_set(vgpu, at, 0);
	ggtt_flush(vgpu);
}

static bool stores(struct context *ctx, u64 addr, u32 value)
{
	u32 seqno;

	request_begin(ctx);
	cs_store(&ctx->ring, GGTT, addr, value);
	seqno = request_end(ctx);
	return request_run(ctx, seqno);
}

static void check_sync(struct vgpu *vgpu, struct context *ctx)
{
	u64 a = ram_alloc(&vgpu->ram, 1), b = ram_alloc(&vgpu->ram, 1);
	u64 addr = ggtt_bind(vgpu, a, 1);
	u32 i, bad = 0;

	tap_ok(stores(ctx, addr, 1) && ram_read32(&vgpu->ram, a) == 1, "the GPU sees an entry");
	ggtt_map(vgpu, addr, b, 1);
	ggtt_flush(vgpu);
	tap_ok(stores(ctx, addr, 2) && ram_read32(&vgpu->ram, b) == 2,
	       "the GPU sees a changed entry");
	tap_eq(ram_read32(&vgpu->ram, a), 1, "the first page is not written");
	ggtt_map(vgpu, addr, a, 1);
	tap_ok(stores(ctx, addr, 3) && ram_read32(&vgpu->ram, a) == 3,
	       "a submission synchronises the GGTT");

	/* The watch is set anew each time. */
	for (i = 0; i < 100; i++) {
		ggtt_map(vgpu, addr, i & 1 ? a : b, 1);
		if (i % 3)
			ggtt_flush(vgpu);
		bad += !stores(ctx, addr, 100 + i) ||
		       ram_read32(&vgpu->ram, i & 1 ? a : b) != 100 + i;
	}
	tap_eq(bad, 0, "a hundred changes");
}

/* The whole GGTT, as a guest's driver may do at start and at resume. */
static void check_full(struct vgpu *vgpu, struct context *ctx)
{
	u32 pages = (GEN_LOW_GM_SIZE + vgpu->high_size) / PAGE_SIZE, i;
	u64 gpa = ram_alloc(&vgpu->ram, 1024), t0 = now_us();
	u64 first = ggtt_alloc(vgpu, 16384);

	for (i = 0; i < 16384; i++)
		ggtt_set(vgpu, first + (u64)i * PAGE_SIZE,
			 (gpa + i % 1024 * PAGE_SIZE) | GEN_PTE_PRESENT);
	ggtt_flush(vgpu);
	tap_diag("%llu ms of %u pages", (unsigned long long)(now_us() - t0) / 1000, pages);
	tap_ok(stores(ctx, first, 21) && ram_read32(&vgpu->ram, gpa) == 21 &&
	       stores(ctx, first + 16383 * PAGE_SIZE + 4, 22) &&
	       ram_read32(&vgpu->ram, gpa + 1023 * PAGE_SIZE + 4) == 22,
	       "16384 entries at once: the GPU sees the first and the last");
	for (i = 0; i < 16384; i++)
		ggtt_set(vgpu, first + (u64)i * PAGE_SIZE, 0);
	ggtt_flush(vgpu);
}

static void check_bad_entries(struct vgpu *vgpu, struct context *ctx)
{
	static const u64 bad[] = {
		GEN_PTE_PRESENT,
		~0ULL,
		RAM_BASE + RAM_SIZE + GEN_PTE_PRESENT,
		0xfee00000 | GEN_PTE_PRESENT,
		0x7ffffff000ULL | GEN_PTE_PRESENT,
		0xfffffffffffff000ULL | GEN_PTE_PRESENT,
		0x8000000000000000ULL | GEN_PTE_PRESENT,
		GEN_PTE_LOCAL | GEN_PTE_PRESENT,
	};
	u64 addr = ggtt_alloc(vgpu, 64), low = ggtt_alloc_low(vgpu, 64);
	struct rng rng = { 3 };
	u32 i, n;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		ggtt_set(vgpu, addr + i * PAGE_SIZE, bad[i]);
		ggtt_set(vgpu, low + i * PAGE_SIZE, bad[i]);
	}
	ggtt_flush(vgpu);
	tap_eq(pte_by_mmio(vgpu, addr + PAGE_SIZE), ~0ULL, "bad entries read as written");
	/* The first and the last two may refer to the guest's page 0. */
	for (i = 1; i < ARRAY_SIZE(bad) - 2; i++) {
		guard_write32(vgpu->aperture + low + i * PAGE_SIZE, 0xbad);
		aperture(vgpu, low + i * PAGE_SIZE);
	}
	tap_ok(stores(ctx, context_slot(ctx, 9), 5), "bad entries do no harm");
	for (n = 0; n < 200; n++) {
		for (i = 0; i < 64; i++) {
			/* Not to the guest's own memory, which would be overwritten. */
			u64 pte = rng_u64(&rng) | 0x100000000ULL;

			ggtt_set(vgpu, addr + i * PAGE_SIZE, pte);
			ggtt_set(vgpu, low + i * PAGE_SIZE, pte);
		}
		ggtt_flush(vgpu);
		guard_write32(vgpu->aperture + low + rng_below(&rng, 64) * PAGE_SIZE, 0xbad);
	}
	tap_ok(stores(ctx, context_slot(ctx, 9), 6), "thousands of random entries do no harm");
	ggtt_unmap(vgpu, addr, 64);
	ggtt_unmap(vgpu, low, 64);
	ggtt_flush(vgpu);
}

static void check_fence(struct vgpu *vgpu, const struct tiling *t)
{
	u32 pitch = 1024, pages = 64, rows = pages * PAGE_SIZE / pitch, x, y, bad = 0;
	u64 gpa = ram_alloc(&vgpu->ram, pages), addr = ggtt_bind_low(vgpu, gpa, pages);

	fence_set(vgpu, 0, t, addr, pages, pitch);
	for (y = 0; y < rows; y += 5)
		for (x = 0; x < pitch; x += 36)
			guard_write32(vgpu->aperture + addr + y * pitch + x, y << 16 | x);
	for (y = 0; y < rows; y += 5)
		for (x = 0; x < pitch; x += 36)
			bad += ram_read32(&vgpu->ram, gpa + tiled_offset(t, pitch, x, y)) !=
			       (y << 16 | x);
	tap_eq(bad, 0, "%s: writes through a fence are tiled", t->name);
	for (y = 0, bad = 0; y < rows; y += 5)
		for (x = 0; x < pitch; x += 36)
			bad += aperture(vgpu, addr + y * pitch + x) != (y << 16 | x);
	tap_eq(bad, 0, "%s: and reads are not", t->name);

	fence_write(vgpu, 0, 0);
	for (x = 0, bad = 0; x < pages * PAGE_SIZE; x += 4)
		bad += aperture(vgpu, addr + x) != ram_read32(&vgpu->ram, gpa + x);
	tap_eq(bad, 0, "%s: without the fence it is linear again", t->name);
	ggtt_unmap(vgpu, addr, pages);
	ggtt_flush(vgpu);
}

/* Fences that reach other guests' memory, overlap, or are invalid. */
static void check_bad_fences(struct vgpu *vgpu)
{
	u32 n = fence_count(vgpu), i, k;
	u64 gpa = ram_alloc(&vgpu->ram, 4), addr = ggtt_bind_low(vgpu, gpa, 4);
	struct rng rng = { 4 };

	for (k = 0; k < 300; k++) {
		for (i = 0; i < n; i++)
			fence_write(vgpu, i, rng_u64(&rng) | FENCE_VALID);
		aperture(vgpu, rng_below(&rng, vgpu->low_size / 4) * 4);
		guard_write32(vgpu->aperture + addr + (rng_u64(&rng) & 0x3ffc), k);
	}
	for (i = 0; i < n; i++)
		fence_write(vgpu, i, 0);
	ram_write32(&vgpu->ram, gpa, 77);
	tap_eq(aperture(vgpu, addr), 77, "random fences do no harm");
}

int main(void)
{
	struct vgpu *vgpu, *other;
	struct context ctx;
	u32 i;

	vgpu_test_init(200);
	other = vgpu_new(MDEV_TYPE_SMALL);
	vgpu = vgpu_new(MDEV_TYPE_SMALL);
	context_init(&ctx, vgpu, RCS, NULL);
	check_mappings(vgpu);
	check_entries(vgpu);
	if (tap_ok(vgpu->aperture, "the aperture can be mapped")) {
		check_aperture(vgpu);
		check_outside(vgpu, other);
		for (i = 0; i < NR_TILINGS; i++)
			check_fence(vgpu, &tilings[i]);
		check_bad_fences(vgpu);
	}
	check_unowned_entries(vgpu);
	check_sync(vgpu, &ctx);
	check_full(vgpu, &ctx);
	check_bad_entries(vgpu, &ctx);
	tap_ok(ram_canary_intact(&vgpu->ram), "no stray write");
	tap_ok(vgpu_works(vgpu), "the vGPU works after a reset");
	tap_ok(vgpu_works(other), "the other vGPU works");
	vgpu_free(vgpu);
	vgpu_free(other);
	return vgpu_test_done();
}
