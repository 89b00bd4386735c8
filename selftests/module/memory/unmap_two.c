// SPDX-License-Identifier: GPL-2.0
/*
 * A guest has two vGPUs, and flushes their GGTTs all the time. Memory that both name is unmapped.
 * VFIO notifies one after the other, and begins again if a page is pinned after that; one of them
 * takes long, as it does not yield. The other must not pin its page again meanwhile; nor while VFIO
 * waits for a pin of other memory, which arrives slowly.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "counters.h"
#include "fuse_file.h"
#include "ggtt.h"
#include "hog.h"
#include "iommufd.h"
#include "knob.h"
#include "tap.h"
#include "vgpu.h"

#define IOVA		0x200000000ULL
#define SLOW_US		800000
#define SLOW_IOVA	0x210000000ULL
#define SLOW_PAGES	64u
#define SLOW_PAGE_US	400000		/* longer than the module blocks pinning */

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

static void wait_to_answer(void *unused __maybe_unused)
{
	sleep_us(SLOW_PAGE_US);
}

/* In each flush it names another page that arrives slowly, before the one that is unmapped. */
static void *flush_slow(void *arg)
{
	struct vgpu *vgpu = arg;
	u64 addr = ggtt_alloc(vgpu, 2);
	u32 i;

	ggtt_set(vgpu, addr + PAGE_SIZE, IOVA | GEN_PTE_PRESENT);
	for (i = 0; i < SLOW_PAGES && !READ_ONCE(stop); i++) {
		ggtt_set(vgpu, addr, (SLOW_IOVA + i * PAGE_SIZE) | GEN_PTE_PRESENT);
		ggtt_flush(vgpu);
	}
	return NULL;
}

static void *map_slow(struct vgpu *vgpu, const struct fuse_file *file)
{
	int fd = fuse_file_open(file);
	void *p;

	if (fd < 0)
		tap_die("no file");
	p = mmap(NULL, file->size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	close(fd);
	if (p == MAP_FAILED || madvise(p, file->size, MADV_RANDOM) ||
	    vfio_dma_map(&vgpu->dev, SLOW_IOVA, p, file->size))
		tap_die("no slow memory");
	return p;
}

static void check_slow(struct vgpu *vgpu, void *page)
{
	struct fuse_file file = { .size = SLOW_PAGES * PAGE_SIZE, .before_read = wait_to_answer };
	pthread_t thread;
	u64 before;
	void *slow;
	pid_t pid;

	snprintf(file.path, sizeof(file.path), "/tmp/unmap_two.%d", getpid());
	if (!fuse_file_mount(&file)) {
		tap_skip("no FUSE", "memory that arrives slowly");
		return;
	}
	pid = fuse_file_fork(&file);
	slow = map_slow(vgpu, &file);
	if (vfio_dma_map(&vgpu->dev, IOVA, page, PAGE_SIZE))
		tap_die("memory cannot be mapped");
	before = counters_number(vgpu, "state", "unmaps");
	stop = false;
	if (pthread_create(&thread, NULL, flush_slow, vgpu))
		tap_die("no thread");
	sleep_us(3 * SLOW_PAGE_US);
	tap_eq(-vfio_dma_unmap(&vgpu->dev, IOVA, PAGE_SIZE), 0, "slow memory: other is unmapped");
	tap_eq(counters_number(vgpu, "state", "unmaps") - before, 1,
	       "slow memory: nothing is pinned while VFIO waits for its own lock");
	WRITE_ONCE(stop, true);
	pthread_join(thread, NULL);
	tap_ok(vgpu_works(vgpu), "slow memory: the vGPU works");
	fuse_file_unmount(&file);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	munmap(slow, file.size);
}

int main(void)
{
	struct vgpu *first, *second;
	void *page;

	if (iommufd_wanted())
		tap_skip_all("lib/vfio.c opens no second device with iommufd");
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
	check_slow(first, page);
	vgpu_free(first);
	return vgpu_test_done();
}
