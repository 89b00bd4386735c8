// SPDX-License-Identifier: GPL-2.0
/*
 * A vGPU that was restored, and a host that has no room for its guest's pages (RLIMIT_MEMLOCK). The
 * vGPU does not run before all entries of its GGTT have taken effect.
 */
#include <errno.h>
#include <pthread.h>

#include "clock.h"
#include "ggtt.h"
#include "memlock.h"
#include "migration.h"
#include "tap.h"
#include "vgpu.h"

#define MARK		0x0ddba11
/* The module tries for five seconds. */
#define BOUND_US	(15000000 * slowness())

static void *lift_limit(void *unused __maybe_unused)
{
	sleep_us(1000000);
	memlock_limit(RLIM_INFINITY);
	return NULL;
}

/* One entry names a page that was never pinned, and one in a later table changes, too. */
static u64 restore(struct vgpu *vgpu)
{
	u64 addr = ggtt_alloc_low(vgpu, 1), gpa = ram_alloc(&vgpu->ram, 1);
	struct mig_stream stream;

	ram_write32(&vgpu->ram, gpa, MARK);
	ggtt_set(vgpu, addr, gpa | GEN_PTE_PRESENT);
	ggtt_set(vgpu, vgpu->low_size - PAGE_SIZE, PAGE_SIZE);
	tap_eq(-mig_save(&vgpu->dev, &stream), 0, "the vGPU is saved");
	tap_eq(-mig_load(&vgpu->dev, &stream, MB(1)), 0, "it is restored");
	mig_free(&stream);
	tap_eq(-mig_set(&vgpu->dev, MIG_RUNNING_P2P, NULL), 0, "it waits for the other devices");
	return addr;
}

int main(void)
{
	struct vgpu *vgpu;
	pthread_t thread;
	u64 addr, t0;

	vgpu_test_init(120);
	memlock_count();
	memlock_limit(RLIM_INFINITY);
	vgpu = vgpu_new(MDEV_TYPE_SMALL);
	tap_ok(vgpu_works(vgpu), "the vGPU works");
	addr = restore(vgpu);
	memlock_limit(0);
	t0 = now_us();
	tap_eq(-mig_set(&vgpu->dev, MIG_RUNNING, NULL), ENOMEM, "it does not run without memory");
	tap_ok(now_us() - t0 < BOUND_US, "it is known in time");
	tap_eq(mig_get(&vgpu->dev), MIG_RUNNING_P2P, "it may try again");
	pthread_create(&thread, NULL, lift_limit, NULL);
	tap_eq(-mig_set(&vgpu->dev, MIG_RUNNING, NULL), 0, "it runs when there is room");
	pthread_join(thread, NULL);
	tap_eq(*(u32 *)(vgpu->aperture + addr), MARK, "the aperture shows its guest's memory");
	tap_ok(vgpu_works(vgpu), "it works");
	tap_ok(ram_canary_intact(&vgpu->ram), "no stray write");
	vgpu_free(vgpu);
	return vgpu_test_done();
}
