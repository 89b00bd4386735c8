// SPDX-License-Identifier: GPL-2.0
/*
 * Guest memory on a slow swap device, and a memory cgroup at its limit. The vGPU that needs such
 * memory waits for it. Nothing of another vGPU waits, and system sleep waits for a bounded time.
 *
 * Needs a disk of its own, named in SWAP_DISK, that reads READS_PER_S blocks a second. Runs from
 * memory, as suspend does: tools/checks/module.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/swap.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "context.h"
#include "counters.h"
#include "file.h"
#include "klog.h"
#include "sleep.h"
#include "swap.h"
#include "tap.h"
#include "vgpu.h"

#define READS_PER_S	4
#define FEW_PAGES	6
#define MANY_PAGES	(READS_PER_S * 20)
#define IOVA		0x500000000ULL
#define ADDR		0x480000000000ULL
#define VALUE		0x5a5a0000u

#define GROUPS		"/sys/fs/cgroup"
#define GROUP		GROUPS "/gslot"
#define LIMITED		GROUPS "/gslot-limited"
#define LIMIT_MB	64

/* The module waits 5 s for the worker before system sleep (table of locks, kmod/gpu.c). */
#define SLEEP_BOUND_MS	(15000 * slowness())
/* Anything of another vGPU; on this machine it takes some 0.1 s. */
#define OTHER_BOUND_MS	(3000 * slowness())

/**
 * struct paged - a request that names memory in swap
 * @ctx: its context
 * @mem: the memory, a word a page
 * @pages: its size
 * @seqno: the request; it reads the last page into the context's page
 */
struct paged {
	struct context ctx;
	u32 *mem;
	u32 pages;
	u32 seqno;
};

static u32 word_of(u32 page)
{
	return page * (PAGE_SIZE / sizeof(u32));
}

/* In a memory cgroup: what it has in memory can be reclaimed. */
static const char *use_disk(void)
{
	const char *disk = swap_begin();

	mount("cgroup", GROUPS, "cgroup2", 0, NULL);
	file_write(GROUPS "/cgroup.subtree_control", "+memory");
	if (mkdir(GROUP, 0700) || file_write(GROUP "/cgroup.procs", "0"))
		tap_skip_all("no memory cgroups");

	/* A page at a time: no readahead. */
	file_write("/proc/sys/vm/page-cluster", "0");
	return disk;
}

/* How many pages of @mem are in memory, be it in the swap cache only. */
static u32 count_present(void *mem, u32 pages)
{
	static unsigned char in_core[MANY_PAGES];
	u32 i, n = 0;

	if (mincore(mem, (size_t)pages * PAGE_SIZE, in_core))
		return pages;
	for (i = 0; i < pages; i++)
		n += in_core[i] & 1;
	return n;
}

/* One call writes them to the disk, a later one takes them from the swap cache. */
static bool push_out(void *mem, u32 pages)
{
	madvise(mem, (size_t)pages * PAGE_SIZE, MADV_PAGEOUT);
	file_write(GROUP "/memory.reclaim", "1M");
	return !count_present(mem, pages);
}

static void paged_prepare(struct paged *p, struct vgpu *vgpu, u32 pages)
{
	u32 i;

	p->pages = pages;
	p->mem = mmap(NULL, (size_t)pages * PAGE_SIZE, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p->mem == MAP_FAILED || vfio_dma_map(&vgpu->dev, IOVA, p->mem, (u64)pages * PAGE_SIZE))
		tap_die("no memory");
	for (i = 0; i < pages; i++)
		p->mem[word_of(i)] = VALUE + i;
	context_init(&p->ctx, vgpu, BCS, NULL);
	/* The last one comes first and alone: then the module knows that they arrive slowly. */
	ppgtt_map(p->ctx.ppgtt, ADDR, IOVA + (u64)(pages - 1) * PAGE_SIZE, 1);
	ppgtt_map(p->ctx.ppgtt, ADDR + PAGE_SIZE, IOVA, pages - 1);
	request_begin(&p->ctx);
	cs_copy(&p->ctx.ring, PPGTT, ADDR + (u64)(pages - 1) * PAGE_SIZE, ADDR);
	p->seqno = request_end(&p->ctx);
	if (!wait_for(push_out(p->mem, pages), SOON_MS))
		tap_die("%u of %u pages stay in memory", count_present(p->mem, pages), pages);
}

static bool paged_done(struct paged *p, u32 ms)
{
	u32 last = p->pages - 1;

	return request_wait(&p->ctx, p->seqno, ms) && p->mem[word_of(last)] == VALUE + last &&
	       p->mem[word_of(last - 1)] == VALUE + last;
}

/* In a process of its own: to map anything, this one may have to wait for its page faults. */
static int use_other(void)
{
	char path[MDEV_PATH_MAX], text[8192];
	struct vgpu *vgpu = vgpu_new(MDEV_TYPE_SMALL);
	bool ok = vgpu_works(vgpu);

	ok = counters_gpu_path(path, "vgpus") && file_read(path, text, sizeof(text)) > 0 && ok;
	return !vgpu_free(vgpu) && ok ? 0 : 1;
}

static void check_others(const char *when)
{
	u64 start = now_us();
	int status = -1;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (!pid)
		_exit(use_other());
	waitpid(pid, &status, 0);
	tap_ok(!status && now_us() - start < OTHER_BOUND_MS * 1000ULL,
	       "%s: another vGPU opens, works and closes without a wait", when);
	tap_diag("%llu ms", (unsigned long long)(now_us() - start) / 1000);
}

/*
 * All pages take longer than system sleep waits for the worker. But it pins few of them in a call,
 * and stops in between. (In the test suspend it cannot: a page does not arrive at all.)
 */
static void check_long(void)
{
	struct vgpu *vgpu = vgpu_new(MDEV_TYPE_SMALL);
	struct paged p;
	u64 start;

	paged_prepare(&p, vgpu, MANY_PAGES);
	context_submit(&p.ctx);
	/* Its page tables are in swap as well, and the worker can be stopped between two. */
	tap_ok(wait_for(count_present(p.mem, p.pages), SOON_MS), "the worker pins page after page");
	check_others("pages come from a slow disk");
	start = now_us();
	tap_eq(-sleep_once(), 0, "20 s of reads are left: the machine sleeps, and wakes up");
	tap_ok(now_us() - start < SLEEP_BOUND_MS * 1000ULL, "it does so in bounded time");
	tap_diag("%llu ms", (unsigned long long)(now_us() - start) / 1000);
	tap_ok(paged_done(&p, 60000 * slowness()), "then the request completes");
	tap_eq(-vgpu_free(vgpu), 0, "its vGPU is removed");
}

/* It does not: sleep begins when the pages are there. */
static void check_short(void)
{
	struct vgpu *vgpu = vgpu_new(MDEV_TYPE_SMALL);
	struct paged p;

	paged_prepare(&p, vgpu, FEW_PAGES);
	context_submit(&p.ctx);
	tap_eq(-sleep_once(), 0, "1.5 s of reads are left: the machine sleeps, and wakes up");
	tap_ok(paged_done(&p, 10000 * slowness()), "the request completes");
	tap_eq(-vgpu_free(vgpu), 0, "its vGPU is removed");
}

/* Memory that the guest never touched: each page of it that is pinned needs room in the cgroup. */
static int exceed(const char *uuid)
{
	const u32 pages = 4 * LIMIT_MB * (1024 * 1024 / PAGE_SIZE);
	struct context ctx;
	struct vgpu *vgpu;
	void *mem;
	u32 seqno;

	vgpu = file_write(LIMITED "/cgroup.procs", "0") ? NULL : vgpu_open(uuid);
	if (!vgpu)
		return 2;
	vgpu_start(vgpu);
	mem = mmap(NULL, (size_t)pages * PAGE_SIZE, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (mem == MAP_FAILED || vfio_dma_map(&vgpu->dev, IOVA, mem, (u64)pages * PAGE_SIZE))
		return 3;
	context_init(&ctx, vgpu, RCS, NULL);
	ppgtt_map(ctx.ppgtt, ADDR, IOVA, pages);
	request_begin(&ctx);
	seqno = request_end(&ctx);
	context_submit(&ctx);
	return request_wait(&ctx, seqno, 60000 * slowness()) ? 4 : 5;
}

static void check_limit(void)
{
	char uuid[MDEV_UUID_SIZE], limit[32];
	int status = -1;
	pid_t pid;

	snprintf(limit, sizeof(limit), "%u", LIMIT_MB << 20);
	if (mkdir(LIMITED, 0700) || file_write(LIMITED "/memory.max", limit))
		tap_die("no memory cgroup");
	mdev_new_uuid(uuid);
	if (mdev_create(MDEV_TYPE_SMALL, uuid))
		tap_die("no vGPU");
	fflush(NULL);
	pid = fork();
	if (!pid)
		_exit(exceed(uuid));
	check_others("a cgroup at its limit");
	waitpid(pid, &status, 0);
	tap_ok(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL,
	       "the process is killed if its vGPU exceeds its cgroup's limit");
	if (!WIFSIGNALED(status))
		tap_diag("status %#x", status);
	tap_eq(-mdev_remove(uuid), 0, "its vGPU is removed");
	check_others("after that");
	rmdir(LIMITED);
}

int main(void)
{
	const char *disk;

	vgpu_test_init(300);
	disk = use_disk();
	check_short();
	check_long();
	if (swapoff(disk))
		tap_die("the disk is still used");
	tap_ok(klog_clean(), "the kernel has no complaints so far");
	check_limit();
	/* The kernel says at length what it killed. */
	klog_mark();
	return vgpu_test_done();
}
