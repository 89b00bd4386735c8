// SPDX-License-Identifier: GPL-2.0
/*
 * A process that may pin no more memory. Its guest changes many entries of its GGTT, and has the
 * host sync them again and again: VFIO writes a line to the kernel's log each time that it refuses.
 */
#include <stdio.h>
#include <string.h>

#include "clock.h"
#include "counters.h"
#include "ggtt.h"
#include "klog.h"
#include "memlock.h"
#include "tap.h"
#include "vgpu.h"

#define ENTRIES		1000
#define FLUSHES		300
#define REOPENS		10
/* The module tries so many times, then ten times a second. */
#define TRIES		64
#define TRY_US		100000

/* Each names a page that is not next to the one before, so that it is pinned on its own. */
static void map_entries(struct vgpu *vgpu, u64 addr, u64 gpa)
{
	u32 i;

	for (i = 0; i < ENTRIES; i++)
		ggtt_set(vgpu, addr + i * PAGE_SIZE, (gpa + 2 * i * PAGE_SIZE) | GEN_PTE_PRESENT);
}

/* How many lines VFIO may write in the time since @t0, by its limit and the module's. */
static u32 most_lines(u64 t0)
{
	return TRIES + (now_us() - t0) / TRY_US + 2;
}

/* What the process has pinned, bytes. */
static u64 locked(void)
{
	unsigned long kb = 0;
	char line[80];
	FILE *f = fopen("/proc/self/status", "r");

	if (!f)
		tap_die("no /proc/self/status");
	while (fgets(line, sizeof(line), f) && sscanf(line, "VmLck: %lu", &kb) != 1)
		;
	fclose(f);
	return kb * 1024;
}

/*
 * There is room for two pages beside those in use. In each flush an entry names another page: room
 * for it is found by unpinning the page that the entry gave up in the flush before. Those behind it
 * find none. The success must not allow them more tries.
 */
static void check_success(struct vgpu *vgpu)
{
	u64 addr = ggtt_alloc_low(vgpu, TRIES), gpa = ram_alloc(&vgpu->ram, 3 + 2 * TRIES), t0;
	u32 i, k, lines, most;

	memlock_limit(locked() - (counters_idle(vgpu) - 2) * PAGE_SIZE);
	klog_mark();
	t0 = now_us();
	for (i = 0; i < FLUSHES; i++) {
		ggtt_set(vgpu, addr, (gpa + i % 3 * PAGE_SIZE) | GEN_PTE_PRESENT);
		/* The first has all of the room before these come. */
		for (k = 1; i >= 3 && k < TRIES; k++)
			ggtt_set(vgpu, addr + k * PAGE_SIZE,
				 (gpa + (1 + 2 * k) * PAGE_SIZE) | GEN_PTE_PRESENT);
		ggtt_flush(vgpu);
	}
	most = most_lines(t0);
	lines = klog_count("RLIMIT_MEMLOCK");
	tap_diag("%u lines, at most %u", lines, most);
	tap_ok(lines, "with room for one entry, VFIO refuses");
	tap_ok(lines <= most, "one that finds room does not allow more tries");
	memlock_limit(RLIM_INFINITY);
}

/* Nor does opening the vGPU again. Return: the vGPU. */
static struct vgpu *check_reopen(struct vgpu *vgpu)
{
	char uuid[MDEV_UUID_SIZE];
	u32 i, lines, most;
	u64 t0;

	memcpy(uuid, vgpu->uuid, sizeof(uuid));
	klog_mark();
	t0 = now_us();
	memlock_limit(0);
	for (i = 0; i < REOPENS; i++) {
		vgpu_close(vgpu);
		vgpu = vgpu_open(uuid);
		map_entries(vgpu, ggtt_alloc_low(vgpu, ENTRIES),
			    ram_alloc(&vgpu->ram, 2 * ENTRIES));
		ggtt_flush(vgpu);
	}
	most = most_lines(t0);
	lines = klog_count("RLIMIT_MEMLOCK");
	tap_diag("%u lines, at most %u", lines, most);
	tap_ok(lines <= most, "opening the vGPU again allows no more tries");
	memlock_limit(RLIM_INFINITY);
	vgpu_start(vgpu);
	return vgpu;
}

int main(void)
{
	u32 i, lines, most, mark = 0x0ddba11;
	struct vgpu *vgpu;
	u64 addr, gpa, t0;

	vgpu_test_init(120);
	memlock_count();
	memlock_limit(RLIM_INFINITY);
	vgpu = vgpu_new(MDEV_TYPE_SMALL);
	tap_ok(vgpu_works(vgpu), "the vGPU works");
	addr = ggtt_alloc_low(vgpu, ENTRIES);
	gpa = ram_alloc(&vgpu->ram, 2 * ENTRIES);
	ram_write32(&vgpu->ram, gpa, mark);
	map_entries(vgpu, addr, gpa);
	memlock_limit(0);
	klog_mark();
	t0 = now_us();
	for (i = 0; i < FLUSHES; i++)
		ggtt_flush(vgpu);
	most = most_lines(t0);
	lines = klog_count("RLIMIT_MEMLOCK");
	tap_diag("%u lines, at most %u; %llu ms", lines, most, (now_us() - t0) / 1000);
	tap_ok(lines, "VFIO refuses");
	tap_ok(lines <= most, "the host is not asked for each entry and each sync");
	memlock_limit(RLIM_INFINITY);
	sleep_us(2 * TRY_US);
	ggtt_flush(vgpu);
	tap_eq(*(u32 *)(vgpu->aperture + addr), mark, "with room, the entries take effect");
	check_success(vgpu);
	vgpu = check_reopen(vgpu);
	tap_ok(vgpu_works(vgpu), "the vGPU works");
	tap_ok(ram_canary_intact(&vgpu->ram), "no stray write");
	vgpu_free(vgpu);
	return vgpu_test_done();
}
