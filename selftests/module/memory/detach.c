// SPDX-License-Identifier: GPL-2.0
/*
 * A device leaves its address space of iommufd while its guest's memory arrives slowly, page by
 * page: nothing stays pinned, and the device works when it has an address space again.
 */
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "context.h"
#include "counters.h"
#include "fuse_file.h"
#include "iommufd.h"
#include "tap.h"
#include "vgpu.h"

#define PAGES		128u	/* that one table names */
#define STRIDE		2u	/* pages that are not in a row are pinned in a call each */
#define SLOW_BYTES	((u64)PAGES * STRIDE * PAGE_SIZE)
#define SLOW_IOVA	0x500000000ULL
#define ADDR		0x480000000000ULL
#define PAGE_US		100000u
#define ROUNDS		3u

/* The process that serves the memory: pages asked for until now, and whether to answer at once. */
static struct shared {
	u32 asked;
	bool fast;
} *shared;

static void wait_to_answer(void *data)
{
	(void)data;
	WRITE_ONCE(shared->asked, shared->asked + 1);
	if (!READ_ONCE(shared->fast))
		sleep_us(PAGE_US);
}

static void *map_slow(const struct fuse_file *file, u32 part)
{
	int fd = fuse_file_open(file);
	void *p;

	if (fd < 0)
		tap_die("no file");
	p = mmap(NULL, SLOW_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, part * SLOW_BYTES);
	close(fd);
	/* A page at a time: no readahead. */
	if (p == MAP_FAILED || madvise(p, SLOW_BYTES, MADV_RANDOM))
		tap_die("no slow memory");
	return p;
}

static void check(const struct fuse_file *file, u32 part)
{
	struct vgpu *vgpu = vgpu_new(MDEV_TYPE_SMALL);
	void *slow = map_slow(file, part);
	u32 before = shared->asked, i;
	struct context ctx;

	if (vfio_dma_map(&vgpu->dev, SLOW_IOVA, slow, SLOW_BYTES))
		tap_die("no slow memory");
	context_init(&ctx, vgpu, RCS, NULL);
	for (i = 0; i < PAGES; i++)
		ppgtt_map(ctx.ppgtt, ADDR + i * PAGE_SIZE,
			  SLOW_IOVA + (u64)i * STRIDE * PAGE_SIZE, 1);
	WRITE_ONCE(shared->fast, false);
	request_begin(&ctx);
	request_end(&ctx);
	context_submit(&ctx);
	tap_ok(wait_for(READ_ONCE(shared->asked) >= before + 4, SOON_MS),
	       "slow pages are being pinned");
	tap_eq(-iommufd_detach(&vgpu->dev), 0, "the device leaves its address space");
	tap_ok(READ_ONCE(shared->asked) - before < PAGES, "before all of them were asked for");
	tap_eq(counters_pins(vgpu), 0, "no page is pinned");
	WRITE_ONCE(shared->fast, true);
	sleep_us(PAGE_US);
	tap_eq(counters_pins(vgpu), 0, "nor is one pinned later");
	tap_eq(-iommufd_attach(&vgpu->dev), 0, "it gets an address space");
	tap_ok(vgpu_reset(vgpu) && vgpu_works(vgpu), "it works after a reset");
	vgpu_free(vgpu);
	munmap(slow, SLOW_BYTES);
}

int main(void)
{
	struct fuse_file file = { .size = ROUNDS * SLOW_BYTES, .before_read = wait_to_answer };
	pid_t pid;
	u32 i;

	vgpu_test_init(120);
	if (!iommufd_wanted())
		tap_skip_all("not with iommufd");
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	if (shared == MAP_FAILED)
		tap_die("no memory");
	snprintf(file.path, sizeof(file.path), "/tmp/detach.%d", getpid());
	if (!fuse_file_mount(&file))
		tap_skip_all("no FUSE");
	pid = fuse_file_fork(&file);
	for (i = 0; i < ROUNDS; i++)
		check(&file, i);
	fuse_file_unmount(&file);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return vgpu_test_done();
}
