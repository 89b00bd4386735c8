// SPDX-License-Identifier: GPL-2.0
/*
 * gslot/max_vgpus, and the graphics memory that is reserved with it: what is not reserved is the
 * vGPUs', and what is reserved is enough for as many vGPUs as it says, whatever they do.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "context.h"
#include "counters.h"
#include "file.h"
#include "ggtt.h"
#include "gpu.h"
#include "mdev.h"
#include "tap.h"
#include "vgpu.h"

#define FEW		3
#define VGPU_HOST_PAGES	(MB(24) / PAGE_SIZE)
#define RACE_US		2000000
#define HOST_OWN	16	/* what it is rounded up to, entries */

static long most;
static long max_at_first;

static int set_max(long max)
{
	char text[32];

	snprintf(text, sizeof(text), "%ld\n", max);
	return mdev_set_max(text);
}

static void restore(void)
{
	gpu_attr_set("copy_policy", "cached");
	mdev_restore_max(max_at_first);
}

static u64 reserved(void)
{
	return counters_gpu_number("vgpus", "reserved");
}

static u64 runs(void)
{
	return counters_gpu_number("ggtt", "runs");
}

static u64 slots(void)
{
	return counters_gpu_number("slots", "slots");
}

/* As the GPU is bound: it can be raised later. */
static void check_at_first(void)
{
	struct vgpu *vgpu = vgpu_new(MDEV_TYPE_SMALL);

	tap_eq(reserved(), most, "at first there is a reservation for %ld, all that can be", most);
	tap_eq(-set_max(most), 0, "so it can be raised beside a vGPU");
	tap_eq(-set_max(most + 1), EINVAL, "but no further");
	tap_eq(-set_max(0), 0, "and lowered");
	tap_eq(reserved(), most, "the reservation stays");
	vgpu_free(vgpu);
	tap_eq(reserved(), most, "also without the vGPU");
}

/* What is reserved is no more and no less than what is needed. */
static void check_border(void)
{
	u64 pages, used, before, slots_before, need;

	tap_eq(-set_max(most), 0, "as many as there can be");
	pages = counters_gpu_number("ggtt", "host_pages");
	used = counters_gpu_number("ggtt", "host_pages_used");
	before = runs();
	slots_before = slots();
	tap_eq(-set_max(FEW), 0, "%u vGPUs", FEW);
	tap_eq(mdev_max(), FEW, "are allowed");
	tap_eq(reserved(), FEW, "the reservation is for as many");
	need = used + FEW * VGPU_HOST_PAGES;
	tap_ok(counters_gpu_number("ggtt", "host_pages") >= need &&
	       counters_gpu_number("ggtt", "host_pages") < need + HOST_OWN,
	       "it is as large as they need");
	tap_ok((runs() - before) * 17 + 17 * 2 > pages - need - HOST_OWN,
	       "the vGPUs share the rest: %llu runs, not %llu", (unsigned long long)runs(),
	       (unsigned long long)before);
	tap_ok(slots() > slots_before || !gpu_attr_offers("copy_policy", "slot"),
	       "and %llu slots, not %llu", (unsigned long long)slots(),
	       (unsigned long long)slots_before);
}

/* A word behind the last page that a guest's own driver would use of high graphics memory. */
static bool stores_last(struct vgpu *vgpu, u32 value)
{
	u64 addr = GEN_LOW_GM_SIZE + vgpu->high_size - PAGE_SIZE;
	u64 gpa = ram_alloc(&vgpu->ram, 1);
	struct context ctx;
	u32 seqno;

	context_init(&ctx, vgpu, RCS, NULL);
	ggtt_map(vgpu, addr, gpa, 1);
	ggtt_flush(vgpu);
	request_begin(&ctx);
	cs_store(&ctx.ring, GGTT, addr, value);
	seqno = request_end(&ctx);
	context_submit(&ctx);
	return request_wait(&ctx, seqno, SOON_MS) && engine_wait_idle(ctx.engine, SOON_MS) &&
	       ram_read32(&vgpu->ram, gpa) == value;
}

/* So many vGPUs find what they need, wherever they have their places, in the new slots, too. */
static void check_used(const char *copy_policy, const char *type)
{
	struct vgpu *vgpus[FEW];
	char extra[MDEV_UUID_SIZE];
	u32 i;

	if (!gpu_attr_offers("copy_policy", copy_policy)) {
		tap_skip("the module was built without it", "copy policy %s", copy_policy);
		return;
	}
	tap_eq(-gpu_attr_set("copy_policy", copy_policy), 0, "copy policy %s", copy_policy);
	for (i = 0; i < FEW; i++)
		vgpus[i] = vgpu_new(type);
	mdev_new_uuid(extra);
	tap_eq(-mdev_create(type, extra), ENOSPC, "%s: there is one for each, and no more",
	       copy_policy);
	tap_eq(-set_max(FEW + 1), EBUSY, "%s: not more than is reserved", copy_policy);
	tap_eq(mdev_max(), FEW, "%s: it is as before", copy_policy);
	tap_eq(-set_max(FEW - 1), 0, "%s: but fewer", copy_policy);
	tap_eq(reserved(), FEW, "%s: the reservation stays", copy_policy);
	tap_eq(-set_max(FEW), 0, "%s: and as many again", copy_policy);
	for (i = 0; i < FEW; i++) {
		tap_ok(vgpu_works(vgpus[i]), "%s: number %u works", copy_policy, i);
		tap_ok(stores_last(vgpus[i], 0x1000 + i), "%s: up to its last page", copy_policy);
	}
	for (i = 0; i < FEW; i++)
		vgpu_free(vgpus[i]);
}

static bool over;

static void *come_and_go(void *made)
{
	char uuid[MDEV_UUID_SIZE];

	while (!__atomic_load_n(&over, __ATOMIC_RELAXED)) {
		mdev_new_uuid(uuid);
		if (mdev_create(MDEV_TYPE_SMALL, uuid))
			continue;
		mdev_remove(uuid);
		__atomic_fetch_add((u32 *)made, 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

/* The reservation changes while there is no vGPU, or not at all. */
static void check_race(void)
{
	u64 until = now_us() + RACE_US;
	u32 made = 0, set = 0, busy = 0, other = 0;
	pthread_t thread;
	int ret;

	if (pthread_create(&thread, NULL, come_and_go, &made))
		tap_die("no thread");
	while (now_us() < until || !set || !__atomic_load_n(&made, __ATOMIC_RELAXED)) {
		ret = set_max(set & 1 ? FEW : most);
		set += !ret;
		busy += ret == -EBUSY;
		other += ret && ret != -EBUSY;
	}
	__atomic_store_n(&over, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	tap_ok(made && set && !other, "%u vGPUs came and went, it was set %u times of %u",
	       made, set, set + busy);
}

int main(void)
{
	struct vgpu *vgpu;
	u64 before;

	vgpu_test_init(120);
	most = counters_gpu_number("vgpus", "most");
	max_at_first = mdev_max();
	atexit(restore);
	before = runs();
	check_at_first();
	check_border();
	check_used("cached", MDEV_TYPE_SMALL);
	if (slots() >= FEW * 6)
		check_used("slot", MDEV_TYPE_SMALL);
	if (slots() >= FEW * 16)
		check_used("demand", MDEV_TYPE_HUGE);
	gpu_attr_set("copy_policy", "cached");
	check_race();
	tap_eq(-set_max(0), 0, "none");
	tap_eq(reserved(), 0, "nothing is reserved");
	tap_eq(-set_max(most), 0, "as many as there can be again");
	tap_eq(runs(), before, "and as much is the vGPUs' as before");
	vgpu = vgpu_new(MDEV_TYPE_SMALL);
	tap_ok(vgpu_works(vgpu), "a vGPU works");
	vgpu_free(vgpu);
	restore();
	tap_ok(mdev_max() == max_at_first && reserved() == (u64)most, "all is as at first");
	return vgpu_test_done();
}
