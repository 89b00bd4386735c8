// SPDX-License-Identifier: GPL-2.0
/*
 * A vGPU's graphics memory is resized while it is closed, and while its guest works: which sizes
 * are refused, which apply at once and which wait for a reset. What the vGPU keeps is unchanged for
 * the GPU and in the aperture; commands cannot name what it lost.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "clock.h"
#include "context.h"
#include "counters.h"
#include "fence.h"
#include "file.h"
#include "ggtt.h"
#include "gpu.h"
#include "guard.h"
#include "klog.h"
#include "mdev.h"
#include "size.h"
#include "tap.h"
#include "vgpu.h"

#define HIGH		((u64)GEN_LOW_GM_SIZE)
#define LOW_BEFORE	64
#define HIGH_BEFORE	384	/* of MDEV_TYPE_SMALL */
#define PITCH		1024u
#define NOTHING		0xdeadbeefu

static const char * const attrs[] = { LOW_MB, HIGH_MB };

/* A size as sysfs and PVINFO show it. */
static void check_size(struct vgpu *vgpu, const char *attr, u32 wanted, u32 now, const char *when)
{
	tap_ok(size_wanted(vgpu->uuid, attr) == wanted && size_now(vgpu->uuid, attr) == now &&
	       size_seen(vgpu, attr) == now, "%s: %s reads %u, is %u now, also in PVINFO", when,
	       attr, wanted, now);
}

static u32 largest_high(void)
{
	return counters_gpu_number("ggtt", "size_mb") - 256;
}

static void check_refused(const char *uuid)
{
	static const char *const refused[] = {
		"", "\n", "x", "0", "1", "3", "15", "129", "-2", "-4294967294", "0x40", "64M",
		"64 64", "64.0", "4294967296", "4294967360", "8796093022272", "4294967294",
		"18446744073709551616", "99999999999999999999999999",
	};
	char above[16];
	u32 i, k;

	for (i = 0; i < ARRAY_SIZE(attrs); i++) {
		long before = size_wanted(uuid, attrs[i]);
		u32 bad = 0;

		for (k = 0; k < ARRAY_SIZE(refused); k++) {
			/* An empty write does not reach the driver. */
			if (*refused[k] && size_write(uuid, attrs[i], refused[k]) != -EINVAL) {
				tap_diag("%s: \"%s\" is accepted", attrs[i], refused[k]);
				bad++;
			}
		}
		tap_eq(bad, 0, "%s: bad sizes are refused", attrs[i]);
		tap_ok(size_wanted(uuid, attrs[i]) == before && size_now(uuid, attrs[i]) == before,
		       "%s: bad sizes change nothing", attrs[i]);
	}
	tap_eq(size_set(uuid, LOW_MB, 258), -EINVAL, "more low than the aperture is refused");
	tap_eq(size_set(uuid, HIGH_MB, 14), -EINVAL, "less high than a driver needs is refused");
	snprintf(above, sizeof(above), "%u", largest_high() + 2);
	tap_eq(size_write(uuid, HIGH_MB, above), -EINVAL,
	       "more high than the GPU has is refused: %s",
	       above);
}

static void check_extremes(struct vgpu *vgpu)
{
	u32 most = largest_high();

	tap_ok(!size_set(vgpu->uuid, LOW_MB, 256) && !size_set(vgpu->uuid, HIGH_MB, most),
	       "the largest sizes are accepted");
	check_size(vgpu, LOW_MB, 256, 256, "most");
	check_size(vgpu, HIGH_MB, most, most, "most");
	tap_ok(vgpu_works(vgpu), "most: it works");
	vgpu_reset(vgpu);
	tap_ok(!size_set(vgpu->uuid, LOW_MB, 2) && !size_set(vgpu->uuid, HIGH_MB, 16),
	       "the smallest sizes are accepted");
	size_learn(vgpu);
	check_size(vgpu, LOW_MB, 2, 2, "least");
	check_size(vgpu, HIGH_MB, 16, 16, "least");
	tap_ok(vgpu_works(vgpu), "least: it works");
}

/* A closed vGPU is resized at once, and keeps the size when it is opened. */
static void check_closed(void)
{
	char uuid[MDEV_UUID_SIZE], path[MDEV_PATH_MAX], before[512], after[512];
	struct vgpu *vgpu;
	u64 units;

	mdev_new_uuid(uuid);
	mdev_type_path(path, MDEV_TYPE_SMALL, "description");
	if (mdev_create(MDEV_TYPE_SMALL, uuid) || file_read(path, before, sizeof(before)) < 0)
		tap_die("no vGPU");
	tap_ok(size_wanted(uuid, LOW_MB) == LOW_BEFORE && size_now(uuid, LOW_MB) == LOW_BEFORE &&
	       size_wanted(uuid, HIGH_MB) == HIGH_BEFORE &&
	       size_now(uuid, HIGH_MB) == HIGH_BEFORE, "a vGPU begins with the sizes of its type");
	check_refused(uuid);
	klog_count("");
	tap_ok(!size_set(uuid, LOW_MB, 32) && !size_set(uuid, HIGH_MB, 512),
	       "a closed vGPU is resized");
	tap_eq(klog_count("512 MB of high graphics memory now"), 1, "one line says so");
	tap_ok(size_now(uuid, LOW_MB) == 32 && size_now(uuid, HIGH_MB) == 512,
	       "it has the size at once");
	file_read(path, after, sizeof(after));
	tap_ok(!strcmp(before, after), "its type is unchanged");
	vgpu = vgpu_open(uuid);
	if (!vgpu)
		tap_die("not opened");
	vgpu_start(vgpu);
	check_size(vgpu, LOW_MB, 32, 32, "opened");
	check_size(vgpu, HIGH_MB, 512, 512, "opened");
	units = counters_number(vgpu, "ggtt", "units");
	tap_eq(units, (32 + 512) * 16, "its private GGTT has that size");
	tap_ok(counters_number(vgpu, "state", "host_memory_mb") > 0, "its host memory is reported");
	tap_ok(vgpu_works(vgpu), "it works");
	check_extremes(vgpu);
	vgpu_close(vgpu);
	vgpu = vgpu_open(uuid);
	vgpu_start(vgpu);
	check_size(vgpu, HIGH_MB, 16, 16, "opened again");
	vgpu_free(vgpu);
}

/**
 * struct spot - a page of the guest at a graphics address
 * @gpa: the page
 * @addr: the address
 */
struct spot {
	u64 gpa;
	u64 addr;
};

static struct spot spot_at(struct vgpu *vgpu, u64 addr)
{
	struct spot spot = { ram_alloc(&vgpu->ram, 1), addr };

	ggtt_map(vgpu, addr, spot.gpa, 1);
	ggtt_flush(vgpu);
	return spot;
}

static void spot_unmap(struct vgpu *vgpu, const struct spot *spot)
{
	ggtt_unmap(vgpu, spot->addr, 1);
	ggtt_flush(vgpu);
}

static u32 spot_value(struct vgpu *vgpu, const struct spot *spot)
{
	return ram_read32(&vgpu->ram, spot->gpa);
}

static u32 look(struct vgpu *vgpu, u64 addr)
{
	u32 value = NOTHING;

	return guard_read32(vgpu->aperture + addr, &value) ? value : NOTHING;
}

static bool store_to(struct context *ctx, u64 addr, u32 value)
{
	request_begin(ctx);
	cs_store(&ctx->ring, GGTT, addr, value);
	return request_run(ctx, request_end(ctx));
}

/* Stores two dwords, the first one the last of a page. */
static bool store_across(struct context *ctx, u64 end)
{
	request_begin(ctx);
	cs_dw(&ctx->ring, MI_CMD(OP_MI_STORE_DATA_IMM) | MI_USE_GGTT | 3);
	cs_dw(&ctx->ring, end - sizeof(u32));
	cs_dw(&ctx->ring, 0);
	cs_dw(&ctx->ring, 0x11);
	cs_dw(&ctx->ring, 0x22);
	cs_noop(&ctx->ring, 1);
	return request_run(ctx, request_end(ctx));
}

#define NR_SPOTS	5

/**
 * struct work - requests under way while their vGPU is resized
 * @vgpu: the vGPU
 * @first: a context with a request that waits
 * @second: the context queued behind it
 * @other: a context on another engine, which works meanwhile
 * @go: @first waits for a value there
 * @spots: @first and @second store there
 * @seqno: the requests
 */
struct work {
	struct vgpu *vgpu;
	struct context first;
	struct context second;
	struct context other;
	struct spot go;
	struct spot spots[NR_SPOTS];
	u32 seqno[2];
};

static void work_init(struct work *w, struct vgpu *vgpu)
{
	u32 i = 0;

	w->vgpu = vgpu;
	/* The first and the last page of low and of high graphics memory, and others. */
	w->spots[i++] = spot_at(vgpu, ggtt_alloc_low(vgpu, 1));
	w->spots[i++] = spot_at(vgpu, vgpu->low_size - PAGE_SIZE);
	w->spots[i++] = spot_at(vgpu, ggtt_alloc(vgpu, 1));
	w->spots[i++] = spot_at(vgpu, HIGH + vgpu->high_size - PAGE_SIZE);
	w->spots[i++] = spot_at(vgpu, HIGH + MB(100));
	w->go = spot_at(vgpu, ggtt_alloc(vgpu, 1));
	context_init(&w->first, vgpu, RCS, NULL);
	context_init(&w->second, vgpu, RCS, NULL);
	context_init(&w->other, vgpu, BCS, NULL);
}

static bool work_begin(struct work *w, u32 value)
{
	u32 i;

	request_begin(&w->first);
	cs_semaphore_wait(&w->first.ring, GGTT, w->go.addr, SEMAPHORE_EQ, value);
	for (i = 0; i < NR_SPOTS; i++)
		cs_store(&w->first.ring, GGTT, w->spots[i].addr, value + i);
	w->seqno[0] = request_end(&w->first);
	request_begin(&w->second);
	for (i = 0; i < NR_SPOTS; i++)
		cs_store(&w->second.ring, GGTT, w->spots[i].addr + 64, value + i);
	w->seqno[1] = request_end(&w->second);
	context_submit2(&w->first, &w->second);
	return request_wait_started(&w->first, w->seqno[0], SOON_MS);
}

static bool work_end(struct work *w, u32 value)
{
	bool ok;
	u32 i;

	ram_write32(&w->vgpu->ram, w->go.gpa, value);
	memory_fence();
	ok = request_wait(&w->first, w->seqno[0], SOON_MS) &&
	     request_wait(&w->second, w->seqno[1], SOON_MS) &&
	     engine_wait_idle(w->first.engine, SOON_MS);
	for (i = 0; i < NR_SPOTS; i++)
		ok &= spot_value(w->vgpu, &w->spots[i]) == value + i &&
		      ram_read32(&w->vgpu->ram, w->spots[i].gpa + 64) == value + i;
	return ok;
}

/* New graphics memory is usable at once, and its entries are 0. */
static void check_new(struct work *w)
{
	struct vgpu *vgpu = w->vgpu;
	u64 high_entry = (HIGH + MB(400)) / PAGE_SIZE, low = MB(100);
	struct spot spots[2];

	tap_eq(vgpu->gsm[high_entry], 0, "new entries are 0");
	spots[0] = spot_at(vgpu, HIGH + MB(512) - PAGE_SIZE);
	spots[1] = spot_at(vgpu, low);
	tap_ok(store_to(&w->other, spots[0].addr, 0x51) && store_to(&w->other, spots[1].addr, 0x52),
	       "commands may name new memory");
	tap_eq(spot_value(vgpu, &spots[0]), 0x51, "they find it in high graphics memory");
	tap_eq(look(vgpu, low), 0x52, "they find it in low, and the aperture shows it");
	spot_unmap(vgpu, &spots[0]);
	spot_unmap(vgpu, &spots[1]);
}

/* A unit at the old end of low graphics memory has another next page now. */
static void check_border(struct work *w, u64 end)
{
	/* The old next page: that of the first high entry, which had the next number. */
	u64 gpa = w->vgpu->gsm[HIGH / PAGE_SIZE] & GEN_PTE_ADDR;
	u32 before = ram_read32(&w->vgpu->ram, gpa);

	tap_ok(store_across(&w->other, end), "a store across the old end of low graphics memory");
	tap_eq(ram_read32(&w->vgpu->ram, w->spots[1].gpa + PAGE_SIZE - 4), 0x11,
	       "it finds the page before the end");
	tap_eq(ram_read32(&w->vgpu->ram, gpa), before, "it does not find the old next page");
}

static void check_grow(void)
{
	struct vgpu *vgpu = vgpu_new(MDEV_TYPE_SMALL);
	struct spot late;
	struct work w;
	u64 used;

	work_init(&w, vgpu);
	/* Outside of the vGPU's graphics memory the sink page is mapped. */
	vgpu->gsm[(HIGH + MB(400)) / PAGE_SIZE] = w.go.gpa | GEN_PTE_PRESENT;
	guard_write32(vgpu->aperture + MB(100), 0x99);
	tap_eq(look(vgpu, MB(100)), 0x99,
	       "outside of its graphics memory a vGPU has the sink page");
	tap_ok(work_begin(&w, 0x1000), "a request waits");
	late = (struct spot) { ram_alloc(&vgpu->ram, 1), HIGH + MB(150) };
	ggtt_map(vgpu, late.addr, late.gpa, 1);
	memory_fence();
	tap_ok(!size_set(vgpu->uuid, LOW_MB, 128) && !size_set(vgpu->uuid, HIGH_MB, 512),
	       "its vGPU grows meanwhile");
	check_size(vgpu, LOW_MB, 128, 128, "grown");
	check_size(vgpu, HIGH_MB, 512, 512, "grown");
	check_new(&w);
	ggtt_flush(vgpu);
	tap_ok(store_to(&w.other, late.addr, 0x41) && spot_value(vgpu, &late) == 0x41,
	       "an entry written before and flushed after it takes effect");
	tap_ok(!request_done(&w.first, w.seqno[0]), "the request still waits");
	tap_ok(work_end(&w, 0x1000), "it and the one behind it store to the right pages");
	check_border(&w, MB(LOW_BEFORE));
	/* Resident entries are found by their new numbers. */
	ggtt_map(vgpu, w.spots[2].addr, w.spots[4].gpa, 1);
	ggtt_flush(vgpu);
	tap_ok(store_to(&w.other, w.spots[2].addr, 0x77) &&
	       spot_value(vgpu, &w.spots[4]) == 0x77 && spot_value(vgpu, &w.spots[2]) != 0x77,
	       "a changed entry changes where it is resident");
	ggtt_map(vgpu, w.spots[2].addr, w.spots[2].gpa, 1);
	ggtt_flush(vgpu);

	used = counters_used(vgpu);
	tap_ok(work_begin(&w, 0x2000), "a request waits again");
	tap_ok(!size_set(vgpu->uuid, LOW_MB, LOW_BEFORE) &&
	       !size_set(vgpu->uuid, HIGH_MB, HIGH_BEFORE), "its vGPU shrinks");
	check_size(vgpu, LOW_MB, LOW_BEFORE, LOW_BEFORE, "shrunk");
	check_size(vgpu, HIGH_MB, HIGH_BEFORE, HIGH_BEFORE, "shrunk");
	tap_ok(work_end(&w, 0x2000), "the request stores to the right pages");
	tap_eq(counters_used(vgpu), used, "as many pages are pinned as before");
	tap_ok(ram_canary_intact(&vgpu->ram), "no stray write");
	vgpu_free(vgpu);
}

static u64 refusals(struct vgpu *vgpu)
{
	return counters_number(vgpu, "exec", "refused");
}

static bool is_refused(struct context *ctx, u64 addr)
{
	u64 before = refusals(ctx->vgpu);

	request_begin(ctx);
	if (addr)
		cs_store(&ctx->ring, GGTT, addr, 1);
	request_end(ctx);
	context_submit(ctx);
	return wait_for(refusals(ctx->vgpu) == before + 1, SOON_MS);
}

/* Unused graphics memory goes at once, and commands cannot name it after that. */
static void check_unused(void)
{
	struct vgpu *vgpu = vgpu_new(MDEV_TYPE_SMALL);
	u64 gone = HIGH + MB(200), batch = ram_alloc(&vgpu->ram, 1);
	struct context ctx, old;
	struct cs cs;

	context_init(&ctx, vgpu, BCS, NULL);
	context_init(&old, vgpu, RCS, NULL);
	/* Each load of this context stores to an address without a page. */
	cs_init(&cs, ram_ptr(&vgpu->ram, batch), PAGE_SIZE);
	cs_store(&cs, GGTT, gone, 1);
	old.state[LRC_INDIRECT_CTX] = ggtt_bind(vgpu, batch, 1) | 1;
	tap_ok(store_to(&ctx, gone, 1) && store_to(&old, context_slot(&old, 8), 1),
	       "commands may name all of the vGPU's memory");
	tap_ok(!size_set(vgpu->uuid, HIGH_MB, 128), "it shrinks");
	check_size(vgpu, HIGH_MB, 128, 128, "unused");
	tap_ok(store_to(&ctx, context_slot(&ctx, 8), 1), "commands may name what is left");
	tap_ok(is_refused(&ctx, gone), "commands may not name what has gone");
	tap_ok(is_refused(&old, 0), "nor may batches that were checked before");
	tap_ok(vgpu_works(vgpu), "it works after a reset");
	check_size(vgpu, HIGH_MB, 128, 128, "reset");
	vgpu_free(vgpu);
}

/* No entry has a page there, but commands under way name it. */
static void check_held(void)
{
	struct vgpu *vgpu = vgpu_new(MDEV_TYPE_SMALL);
	struct spot go = spot_at(vgpu, ggtt_alloc(vgpu, 1));
	struct context ctx;
	u32 seqno;

	context_init(&ctx, vgpu, RCS, NULL);
	request_begin(&ctx);
	cs_semaphore_wait(&ctx.ring, GGTT, go.addr, SEMAPHORE_EQ, 1);
	cs_store(&ctx.ring, GGTT, HIGH + MB(200), 1);
	seqno = request_end(&ctx);
	context_submit(&ctx);
	tap_ok(request_wait_started(&ctx, seqno, SOON_MS), "a request names memory that is to go");
	tap_ok(!size_set(vgpu->uuid, HIGH_MB, 128), "the vGPU is to shrink");
	check_size(vgpu, HIGH_MB, 128, HIGH_BEFORE, "held");
	ram_write32(&vgpu->ram, go.gpa, 1);
	tap_ok(request_wait(&ctx, seqno, SOON_MS) && engine_wait_idle(ctx.engine, SOON_MS),
	       "the request is not disturbed");
	tap_ok(!size_set(vgpu->uuid, HIGH_MB, 128), "the size is written again");
	check_size(vgpu, HIGH_MB, 128, 128, "released");
	vgpu_free(vgpu);
}

/* The guest keeps the memory that it uses until its next reset. */
static void check_used(void)
{
	struct vgpu *vgpu = vgpu_new(MDEV_TYPE_SMALL);
	struct spot used = spot_at(vgpu, HIGH + MB(300));
	struct context ctx;
	u64 pages;

	context_init(&ctx, vgpu, BCS, NULL);
	klog_count("");
	tap_ok(!size_set(vgpu->uuid, HIGH_MB, 128), "memory in use is to go");
	tap_eq(klog_count("128 MB of high graphics memory from its next reset on"), 1,
	       "one line says when");
	check_size(vgpu, HIGH_MB, 128, HIGH_BEFORE, "used");
	tap_ok(store_to(&ctx, used.addr, 0x31) && spot_value(vgpu, &used) == 0x31,
	       "until then commands may name it");
	size_set(vgpu->uuid, HIGH_MB, 256);
	check_size(vgpu, HIGH_MB, 256, HIGH_BEFORE, "another size");
	size_set(vgpu->uuid, LOW_MB, 96);
	check_size(vgpu, LOW_MB, 96, 96, "growth beside a pending shrink");
	check_size(vgpu, HIGH_MB, 256, HIGH_BEFORE, "the shrink beside growth");
	size_set(vgpu->uuid, HIGH_MB, HIGH_BEFORE);
	check_size(vgpu, HIGH_MB, HIGH_BEFORE, HIGH_BEFORE, "shrink cancelled");
	vgpu_reset(vgpu);
	check_size(vgpu, HIGH_MB, HIGH_BEFORE, HIGH_BEFORE, "reset after it");

	/* An entry that was cleared, but not flushed. */
	used = spot_at(vgpu, used.addr);
	ggtt_unmap(vgpu, used.addr, 1);
	memory_fence();
	size_set(vgpu->uuid, HIGH_MB, 128);
	check_size(vgpu, HIGH_MB, 128, HIGH_BEFORE, "cleared, not flushed");
	ggtt_flush(vgpu);
	size_set(vgpu->uuid, HIGH_MB, 128);
	check_size(vgpu, HIGH_MB, 128, 128, "flushed");
	size_set(vgpu->uuid, HIGH_MB, HIGH_BEFORE);

	/* An entry that was written, but not flushed. */
	pages = counters_used(vgpu);
	ggtt_map(vgpu, HIGH + MB(300), RAM_BASE + MB(1), 1);
	memory_fence();
	size_set(vgpu->uuid, HIGH_MB, 128);
	check_size(vgpu, HIGH_MB, 128, HIGH_BEFORE, "written, not flushed");
	ggtt_flush(vgpu);
	tap_eq(counters_used(vgpu), pages + 1, "the page is pinned after the flush");
	klog_count("");
	vgpu_reset(vgpu);
	check_size(vgpu, HIGH_MB, 128, 128, "reset");
	tap_eq(klog_count("128 MB of high graphics memory now"), 1, "one line says so");
	size_learn(vgpu);
	context_init(&ctx, vgpu, BCS, NULL);
	tap_ok(is_refused(&ctx, used.addr), "commands cannot name memory that has gone");

	vgpu_reset(vgpu);
	spot_at(vgpu, HIGH + MB(100));
	size_set(vgpu->uuid, HIGH_MB, 64);
	check_size(vgpu, HIGH_MB, 64, 128, "used again");
	tap_eq(size_now(vgpu->uuid, LOW_MB), 96, "low graphics memory is unchanged");
	vgpu_free(vgpu);
}

static void check_waits_for_close(void)
{
	struct vgpu *vgpu = vgpu_new(MDEV_TYPE_SMALL);
	char uuid[MDEV_UUID_SIZE];

	memcpy(uuid, vgpu->uuid, sizeof(uuid));
	spot_at(vgpu, HIGH + MB(300));
	size_set(uuid, HIGH_MB, 128);
	check_size(vgpu, HIGH_MB, 128, HIGH_BEFORE, "open");
	vgpu_close(vgpu);
	tap_eq(size_now(uuid, HIGH_MB), 128, "it has the size when it is closed");
	vgpu = vgpu_open(uuid);
	vgpu_start(vgpu);
	check_size(vgpu, HIGH_MB, 128, 128, "opened");
	tap_ok(vgpu_works(vgpu), "it works");
	vgpu_free(vgpu);
}

#define SURFACE_PAGES	64

/**
 * struct surface - a range of low graphics memory, seen through the aperture
 * @gpa: its pages
 * @addr: its graphics address
 * @tiling: of its fence; NULL: no fence
 */
struct surface {
	u64 gpa;
	u64 addr;
	const struct tiling *tiling;
};

static struct surface surface_at(struct vgpu *vgpu, u64 addr, u32 fence, const struct tiling *t)
{
	struct surface s = { ram_alloc(&vgpu->ram, SURFACE_PAGES), addr, t };
	u32 i;

	for (i = 0; i < SURFACE_PAGES * PAGE_SIZE; i += 4)
		ram_write32(&vgpu->ram, s.gpa + i, s.gpa + i);
	ggtt_map(vgpu, addr, s.gpa, SURFACE_PAGES);
	ggtt_flush(vgpu);
	if (t)
		fence_set(vgpu, fence, t, addr, SURFACE_PAGES, PITCH);
	return s;
}

/* Return: how many dwords are wrong. */
static u32 surface_check(struct vgpu *vgpu, const struct surface *s)
{
	u32 i, at, bad = 0;

	for (i = 0; i < SURFACE_PAGES * PAGE_SIZE; i += 1028) {
		at = s->tiling ? tiled_offset(s->tiling, PITCH, i % PITCH, i / PITCH) : i;
		bad += look(vgpu, s->addr + i) != (u32)s->gpa + at;
	}
	return bad;
}

#define NR_SURFACES	4

static u32 surfaces_check(struct vgpu *vgpu, const struct surface *s)
{
	u32 i, bad = 0;

	for (i = 0; i < NR_SURFACES; i++)
		bad += surface_check(vgpu, &s[i]);
	return bad;
}

static void check_aperture(void)
{
	struct vgpu *vgpu = vgpu_new(MDEV_TYPE_SMALL);
	struct surface s[NR_SURFACES], late;
	u64 faults;

	s[0] = surface_at(vgpu, MB(1), 0, NULL);
	s[1] = surface_at(vgpu, MB(2), 3, &tilings[0]);
	s[2] = surface_at(vgpu, MB(20), 4, &tilings[1]);
	s[3] = surface_at(vgpu, MB(63), 5, &tilings[1]);
	tap_eq(surfaces_check(vgpu, s), 0, "the aperture shows surfaces with and without fences");
	/* A fence beyond low graphics memory. */
	fence_set(vgpu, 6, &tilings[0], MB(LOW_BEFORE), SURFACE_PAGES, PITCH);
	faults = counters_number(vgpu, "ggtt", "aperture_faults");
	tap_ok(!size_set(vgpu->uuid, LOW_MB, 128), "low graphics memory grows");
	tap_eq(surfaces_check(vgpu, s), 0, "the aperture shows them as before");
	tap_ok(counters_number(vgpu, "ggtt", "aperture_faults") > faults,
	       "page faults map them again");
	late = surface_at(vgpu, MB(LOW_BEFORE), 0, NULL);
	late.tiling = &tilings[0];
	tap_eq(surface_check(vgpu, &late), 0, "the fence shows new memory");
	size_set(vgpu->uuid, LOW_MB, LOW_BEFORE);
	check_size(vgpu, LOW_MB, LOW_BEFORE, 128, "under a fence");
	ggtt_unmap(vgpu, late.addr, SURFACE_PAGES);
	ggtt_flush(vgpu);
	size_set(vgpu->uuid, LOW_MB, LOW_BEFORE);
	check_size(vgpu, LOW_MB, LOW_BEFORE, 128, "under a fence without pages");
	fence_write(vgpu, 6, 0);
	size_set(vgpu->uuid, LOW_MB, LOW_BEFORE);
	check_size(vgpu, LOW_MB, LOW_BEFORE, LOW_BEFORE, "without the fence");
	tap_eq(surfaces_check(vgpu, s), 0, "after the shrink it shows them as before");
	guard_write32(vgpu->aperture + late.addr, 0x99);
	tap_ok(ram_read32(&vgpu->ram, late.gpa) == (u32)late.gpa,
	       "it does not show memory that has gone");
	size_set(vgpu->uuid, LOW_MB, 32);
	check_size(vgpu, LOW_MB, 32, LOW_BEFORE, "the last surface is in use");
	vgpu_reset(vgpu);
	check_size(vgpu, LOW_MB, 32, 32, "reset");
	tap_eq(counters_gpu_number("aperture", "pages_used"), 0, "the aperture is empty");
	vgpu_free(vgpu);
}

/* A vGPU with a place keeps it when it is resized; prepared commands find their memory. */
static void check_placed(const char *policy)
{
	struct vgpu *vgpu;
	struct spot late;
	struct work w;

	if (!gpu_attr_offers("copy_policy", policy)) {
		tap_skip("the module was built without it", "copy policy %s", policy);
		return;
	}
	tap_eq(gpu_attr_set("copy_policy", policy), 0, "%s: vGPUs have places", policy);
	vgpu = vgpu_new(MDEV_TYPE_SMALL);
	work_init(&w, vgpu);
	tap_ok(work_begin(&w, 0x3000), "%s: a request waits", policy);
	tap_eq(size_set(vgpu->uuid, HIGH_MB, 512), -EBUSY,
	       "%s: more high than its place is refused", policy);
	check_size(vgpu, HIGH_MB, HIGH_BEFORE, HIGH_BEFORE, policy);
	tap_eq(size_set(vgpu->uuid, LOW_MB, 256), -EBUSY,
	       "%s: more low than its place is refused", policy);
	tap_eq(size_set(vgpu->uuid, LOW_MB, 128), 0, "%s: it may grow within its place", policy);
	check_size(vgpu, LOW_MB, 128, 128, policy);
	late = spot_at(vgpu, MB(100));
	tap_ok(store_to(&w.other, late.addr, 0x61) && spot_value(vgpu, &late) == 0x61,
	       "%s: commands may name new memory", policy);
	tap_ok(work_end(&w, 0x3000), "%s: the request stores to the right pages", policy);
	size_set(vgpu->uuid, HIGH_MB, 128);
	check_size(vgpu, HIGH_MB, 128, HIGH_BEFORE, policy);
	spot_unmap(vgpu, &w.spots[3]);
	size_set(vgpu->uuid, HIGH_MB, 128);
	check_size(vgpu, HIGH_MB, 128, 128, policy);
	tap_ok(store_to(&w.other, w.spots[4].addr, 0x62) &&
	       spot_value(vgpu, &w.spots[4]) == 0x62, "%s: commands may name what is left", policy);
	size_set(vgpu->uuid, LOW_MB, LOW_BEFORE);
	check_size(vgpu, LOW_MB, LOW_BEFORE, 128, policy);
	vgpu_reset(vgpu);
	check_size(vgpu, LOW_MB, LOW_BEFORE, LOW_BEFORE, policy);
	tap_ok(vgpu_works(vgpu), "%s: it works", policy);
	vgpu_free(vgpu);
	tap_eq(gpu_attr_set("copy_policy", "cached"), 0, "%s: vGPUs have no places again", policy);
}

#define INDIRECT_LINES	2	/* cache lines */

/* An indirect-context batch that stores two dwords, the first one the last of a page. */
static void store_across_at_load(struct context *ctx, u64 end)
{
	u64 gpa = ram_alloc(&ctx->vgpu->ram, 1);
	struct cs cs;

	cs_init(&cs, ram_ptr(&ctx->vgpu->ram, gpa), PAGE_SIZE);
	cs_noop(&cs, PAGE_SIZE / sizeof(u32));
	cs.pos = 0;
	cs_dw(&cs, MI_CMD(OP_MI_STORE_DATA_IMM) | MI_USE_GGTT | 3);
	cs_dw(&cs, end - sizeof(u32));
	cs_dw(&cs, 0);
	cs_dw(&cs, 0x33);
	cs_dw(&cs, 0x44);
	ctx->state[LRC_INDIRECT_CTX] = ggtt_bind(ctx->vgpu, gpa, 1) | INDIRECT_LINES;
}

/*
 * The batch of a context's load was checked before the vGPU shrank: the page behind the new end may
 * be another vGPU's place by then.
 */
static void check_load_across(const char *policy)
{
	u64 end = HIGH + MB(HIGH_BEFORE - 64);
	struct spot before, behind;
	struct context ctx;
	struct vgpu *vgpu;
	u64 refused;
	u32 seqno;

	if (!gpu_attr_offers("copy_policy", policy)) {
		tap_skip("the module was built without it", "copy policy %s", policy);
		return;
	}
	vgpu = vgpu_new(MDEV_TYPE_SMALL);
	tap_eq(-gpu_attr_set("copy_policy", policy), 0, "%s", policy);
	before = spot_at(vgpu, end - PAGE_SIZE);
	behind = spot_at(vgpu, end);
	context_init(&ctx, vgpu, RCS, NULL);
	store_across_at_load(&ctx, end);
	tap_ok(store_to(&ctx, before.addr, 0x55), "%s: a context stores across in its load",
	       policy);
	tap_eq(ram_read32(&vgpu->ram, before.gpa + PAGE_SIZE - sizeof(u32)), 0x33,
	       "%s: it stores before the later end", policy);
	tap_eq(spot_value(vgpu, &behind), 0x44, "%s: it stores behind it", policy);
	spot_unmap(vgpu, &behind);
	tap_ok(!size_set(vgpu->uuid, HIGH_MB, HIGH_BEFORE - 64) &&
	       wait_for(size_now(vgpu->uuid, HIGH_MB) == HIGH_BEFORE - 64, SOON_MS),
	       "%s: its vGPU ends there now", policy);
	refused = counters_number(vgpu, "exec", "refused");
	request_begin(&ctx);
	seqno = request_end(&ctx);
	context_submit(&ctx);
	tap_ok(wait_for(counters_number(vgpu, "exec", "refused") == refused + 1, SOON_MS),
	       "%s: the context is refused", policy);
	tap_ok(!request_done(&ctx, seqno), "%s: its request is not executed", policy);
	tap_ok(vgpu_works(vgpu), "%s: it works after a reset", policy);
	vgpu_free(vgpu);
	gpu_attr_set("copy_policy", "cached");
}

int main(void)
{
	vgpu_test_init(120);
	check_closed();
	check_grow();
	check_unused();
	check_held();
	check_used();
	check_waits_for_close();
	check_aperture();
	check_placed("demand");
	check_placed("slot");
	check_load_across("cached");
	check_load_across("slot");
	return vgpu_test_done();
}
