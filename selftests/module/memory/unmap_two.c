// SPDX-License-Identifier: GPL-2.0
/*
 * A guest has two vGPUs, and flushes their GGTTs all the time. Memory that both name is unmapped.
 * VFIO notifies one after the other, and begins again if a page is pinned after that; one of them
 * takes long, as it does not yield. The other must not pin its page again meanwhile.
 */
#include <pthread.h>
#include <sys/mman.h>

#include "clock.h"
#include "counters.h"
#include "ggtt.h"
#include "hog.h"
#include "iommufd.h"
#include "knob.h"
#include "tap.h"
#include "vgpu.h"

#define IOVA		0x200000000ULL
#define SLOW_US		800000

static bool stop;

/* A vCPU that flushes. */
static void *flush(void *arg)
{
	struct vgpu *vgpu = arg;

	while (!READ_ONCE(stop)) {
		ggtt_flush(vgpu);
		sleep_us(1000);
	}
	return NULL;
}

static void name(struct vgpu *vgpu)
{
	ggtt_map(vgpu, ggtt_alloc(vgpu, 1), IOVA, 1);
	ggtt_flush(vgpu);
}

static void check(struct vgpu *quick, struct vgpu *slow, void *page, const char *which)
{
	pthread_t thread;
	u64 before, t0;
	struct hog hog;

	if (vfio_dma_map(&quick->dev, IOVA, page, PAGE_SIZE))
		tap_die("memory cannot be mapped");
	name(quick);
	name(slow);
	hog_init(&hog, slow, RCS);
	if (!wait_for(hog_started(&hog), SOON_MS))
		tap_die("no request starts");
	before = counters_number(quick, "state", "unmaps");
	stop = false;
	if (pthread_create(&thread, NULL, flush, quick))
		tap_die("no thread");
	t0 = now_us();
	tap_eq(-vfio_dma_unmap(&quick->dev, IOVA, PAGE_SIZE), 0, "%s: memory is unmapped", which);
	tap_ok(now_us() - t0 > SLOW_US / 2, "%s: one vGPU takes long", which);
	tap_eq(counters_number(quick, "state", "unmaps") - before, 1,
	       "%s: the other one has nothing pinned after its notification", which);
	WRITE_ONCE(stop, true);
	pthread_join(thread, NULL);
	hog_end(&hog);
	tap_ok(vgpu_works(quick) && vgpu_works(slow), "%s: both work", which);
}

int main(void)
{
	struct vgpu *first, *second;
	void *page;

	if (iommufd_wanted())
		tap_skip_all("iommufd notifies in another way");
	vgpu_test_init(60);
	page = mmap(NULL, PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED)
		tap_die("no memory");
	first = vgpu_new(MDEV_TYPE_SMALL);
	second = vgpu_new_beside(MDEV_TYPE_SMALL, first);
	if (knob_set(first->uuid, PREEMPT_TIMEOUT_US, SLOW_US) ||
	    knob_set(second->uuid, PREEMPT_TIMEOUT_US, SLOW_US))
		tap_die("no preempt timeout");
	/* Only one of them is notified before the slow one. */
	check(first, second, page, "the first vGPU");
	check(second, first, page, "the second vGPU");
	tap_eq(-vgpu_free(second), 0, "the second one is removed");
	tap_ok(vgpu_works(first), "the first one works");
	vgpu_free(first);
	return vgpu_test_done();
}
