// SPDX-License-Identifier: GPL-2.0
/*
 * What memory_stat says is away when page tables of many address spaces were dropped. The module
 * notes the last 64 that were dropped whole. It forgets one that runs again, that the guest
 * destroys, or whose root is in memory that is unmapped; and all of them when the vGPU is closed.
 */
#include <string.h>
#include <sys/mman.h>

#include "clock.h"
#include "context.h"
#include "counters.h"
#include "ggtt.h"
#include "knob.h"
#include "pressure.h"
#include "space.h"
#include "tap.h"
#include "vgpu.h"

/* How many dropped address spaces are noted: PPGTT_DROPPED_ROOTS of kmod/exec. */
#define NOTED		64u
#define SPACES		(NOTED + 32u)
#define PAGES		8u
/* What one of them has: the rest of its page table names a page, too. */
#define AWAY		((PAGES + 1) * (u64)PAGE_SIZE)
#define VALUE		0xa3a70000u

/* More than the second after which memory is given. */
#define UNUSED_US	1500000
#define GIVEN_MS	(5000 * slowness())

/* Roots that are unmapped, with a page for the GGTT; and other memory, of one page. */
#define MOVED		4u
#define MOVED_IOVA	0x500000000ULL
#define OTHER_IOVA	0x600000000ULL

/* Two address spaces that do not fit into a vGPU's limit together. */
#define BIG_PAGES	3000u
#define LIMIT_MB	16u

static struct space spaces[SPACES];
static struct context pilot;

static u64 away(const struct vgpu *vgpu)
{
	return counters_memory(vgpu, "away");
}

static u64 brought_back(const struct vgpu *vgpu)
{
	return counters_memory(vgpu, "brought_back");
}

/* Now and then only: to show that, debugfs takes the lock that dropping needs. */
static bool is_without_tables(const struct vgpu *vgpu)
{
	sleep_us(50000);
	return !counters_number(vgpu, "exec", "tables");
}

/* Has the vGPU given all that it is going to give? */
static bool has_given(const struct vgpu *vgpu)
{
	u64 before = counters_memory(vgpu, "reclaimed");

	sleep_us(100000);
	return counters_memory(vgpu, "reclaimed") == before;
}

static void drop_all(const struct vgpu *vgpu, const char *when)
{
	sleep_us(UNUSED_US);
	pressure_once();
	tap_ok(wait_for(is_without_tables(vgpu), GIVEN_MS) && wait_for(has_given(vgpu), GIVEN_MS),
	       "%s: all page tables are dropped", when);
}

static bool run_all(struct space *s, u32 count)
{
	bool ok = true;
	u32 i;

	for (i = 0; i < count; i++)
		ok = space_runs(&s[i], VALUE + i) && ok;
	return ok;
}

static bool run_one(struct space *s)
{
	return space_runs(s, VALUE);
}

/* The worker looks for destroyed address spaces before it processes a submission. */
static bool destroy_one(struct space *s)
{
	ppgtt_notify(s->ctx.vgpu, s->ctx.ppgtt, false);
	request_begin(&pilot);
	return request_run(&pilot, request_end(&pilot));
}

/* What is away falls with each address space that is noted, by what that has, and ends at 0. */
static void check_each(const struct vgpu *vgpu, bool (*act)(struct space *s), const char *what)
{
	u64 left = away(vgpu), now;
	u32 i, noted = 0;
	bool ok = true;

	for (i = 0; i < SPACES; i++) {
		ok = act(&spaces[i]) && ok;
		now = away(vgpu);
		ok = ok && now <= left && (now == left || now + AWAY == left);
		noted += now != left;
		left = now;
	}
	tap_ok(ok, "%s: each address space counts once, or not at all", what);
	tap_eq(noted, NOTED, "%s: so many of them have counted", what);
	tap_eq(left, 0, "%s: nothing is away any more", what);
}

static void check_many(struct vgpu *vgpu)
{
	u64 back;
	u32 i;

	context_init(&pilot, vgpu, RCS, NULL);
	for (i = 0; i < SPACES; i++)
		space_init(&spaces[i], vgpu, PAGES);
	tap_ok(run_all(spaces, SPACES), "%u address spaces run", SPACES);
	tap_eq(away(vgpu), 0, "nothing of them is away");
	drop_all(vgpu, "before they run again");
	tap_eq(away(vgpu), NOTED * AWAY, "%u of them are away", NOTED);
	back = brought_back(vgpu);
	check_each(vgpu, run_one, "they run");
	tap_eq(brought_back(vgpu) - back, NOTED * AWAY, "what was away is brought back");
	drop_all(vgpu, "before they are destroyed");
	tap_eq(away(vgpu), NOTED * AWAY, "%u of them are away again", NOTED);
	back = brought_back(vgpu);
	check_each(vgpu, destroy_one, "they are destroyed");
	tap_eq(brought_back(vgpu), back, "that brings nothing back");
}

static void *map(struct vgpu *vgpu, u64 iova, u32 pages)
{
	void *p = mmap(NULL, (size_t)pages * PAGE_SIZE, PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED || vfio_dma_map(&vgpu->dev, iova, p, (u64)pages * PAGE_SIZE))
		tap_die("memory cannot be mapped");
	return p;
}

/*
 * Unmap memory. The GGTT names its last page, or did so until now: VFIO notifies the vGPU only if
 * that has pinned some of it.
 */
static void unmap(struct vgpu *vgpu, u64 iova, u32 pages, u64 ggtt, bool used, const char *what)
{
	u64 before = counters_number(vgpu, "state", "unmaps");

	if (!used) {
		ggtt_unmap(vgpu, ggtt, 1);
		ggtt_flush(vgpu);
	}
	tap_eq(-vfio_dma_unmap(&vgpu->dev, iova, (u64)pages * PAGE_SIZE), 0, "%s: it is unmapped",
	       what);
	tap_eq(counters_number(vgpu, "state", "unmaps") - before, 1, "%s: the vGPU is notified",
	       what);
}

/* The address space's root is elsewhere from now on; it has not run yet. */
static void move_root(struct space *s, u64 iova, void *to)
{
	struct ppgtt *ppgtt = s->ctx.ppgtt;

	memcpy(to, ram_ptr(&s->ctx.vgpu->ram, ppgtt->root), PAGE_SIZE);
	ppgtt->root = iova;
	s->ctx.state[LRC_PDP_UDW(0)] = upper_32_bits(iova);
	s->ctx.state[LRC_PDP_LDW(0)] = lower_32_bits(iova);
}

/* @used: a page of the memory is in use when it is unmapped; else it is idle. */
static void check_unmapped(bool used, const char *what)
{
	struct vgpu *vgpu = vgpu_new(MDEV_TYPE_SMALL);
	u8 *moved = map(vgpu, MOVED_IOVA, MOVED + 1);
	void *other = map(vgpu, OTHER_IOVA, 1);
	u64 moved_ggtt, other_ggtt;
	u32 i;

	for (i = 0; i < MOVED; i++) {
		space_init(&spaces[i], vgpu, PAGES);
		move_root(&spaces[i], MOVED_IOVA + i * PAGE_SIZE, moved + i * PAGE_SIZE);
	}
	moved_ggtt = ggtt_bind(vgpu, MOVED_IOVA + MOVED * PAGE_SIZE, 1);
	other_ggtt = ggtt_bind(vgpu, OTHER_IOVA, 1);
	tap_ok(run_all(spaces, MOVED), "%s: address spaces run", what);
	drop_all(vgpu, what);
	tap_eq(away(vgpu), MOVED * AWAY, "%s: they are away", what);
	unmap(vgpu, OTHER_IOVA, 1, other_ggtt, used, what);
	tap_eq(away(vgpu), MOVED * AWAY, "%s: other memory is unmapped, they are still away",
	       what);
	unmap(vgpu, MOVED_IOVA, MOVED + 1, moved_ggtt, used, what);
	tap_eq(away(vgpu), 0, "%s: their roots are unmapped, nothing is away any more", what);
	tap_ok(vgpu_works(vgpu), "%s: the vGPU works", what);
	vgpu_free(vgpu);
	munmap(moved, (MOVED + 1) * PAGE_SIZE);
	munmap(other, PAGE_SIZE);
}

/* Of one address space all page tables are dropped, of another one some: it is not noted yet. */
static void fill(struct vgpu *vgpu)
{
	struct space big[2];
	u64 partly;

	space_init(&spaces[0], vgpu, PAGES);
	tap_ok(run_one(&spaces[0]), "an address space runs");
	drop_all(vgpu, "before the vGPU is closed");
	tap_eq(away(vgpu), AWAY, "it is away");
	knob_must_set(vgpu->uuid, PINNED_MAX_MB, LIMIT_MB);
	space_init(&big[0], vgpu, BIG_PAGES);
	space_init(&big[1], vgpu, BIG_PAGES);
	tap_ok(run_all(big, 2) && run_all(big, 1), "two run alternately at the vGPU's limit");
	partly = away(vgpu) - AWAY;
	tap_ok(partly && partly <= (BIG_PAGES + 1) * (u64)PAGE_SIZE,
	       "of one of them page tables are dropped");
	tap_diag("%llu pages", (unsigned long long)partly / PAGE_SIZE);
}

static void check_reopened(void)
{
	struct vgpu *vgpu = vgpu_new(MDEV_TYPE_SMALL);
	char uuid[MDEV_UUID_SIZE];
	u64 back;

	fill(vgpu);
	back = brought_back(vgpu);
	memcpy(uuid, vgpu->uuid, sizeof(uuid));
	vgpu_close(vgpu);
	vgpu = vgpu_open(uuid);
	if (!vgpu)
		tap_die("the vGPU cannot be opened again");
	tap_eq(away(vgpu), 0, "nothing is away when the vGPU is opened again");
	tap_ok(back && brought_back(vgpu) == back, "what was brought back before still counts");
	vgpu_start(vgpu);
	tap_ok(vgpu_works(vgpu), "it works");
	vgpu_free(vgpu);
}

int main(void)
{
	struct vgpu *vgpu;

	vgpu_test_init(180);
	vgpu = vgpu_new(MDEV_TYPE_SMALL);
	check_many(vgpu);
	tap_ok(ram_canary_intact(&vgpu->ram), "no stray write");
	vgpu_free(vgpu);
	check_unmapped(true, "in use");
	check_unmapped(false, "idle");
	check_reopened();
	return vgpu_test_done();
}
