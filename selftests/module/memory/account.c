// SPDX-License-Identifier: GPL-2.0
/*
 * Host memory that a guest causes to be allocated is charged to the cgroup of the process that
 * opened its vGPU. At the limit the guest's work fails, and no process is killed. The same holds
 * for the cost of more graphics memory.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clock.h"
#include "context.h"
#include "counters.h"
#include "file.h"
#include "size.h"
#include "tap.h"
#include "vgpu.h"

#define CGROUPS		"/sys/fs/cgroup"
#define GROUP		CGROUPS "/gslot-account"
/* The cost of a table's shadow: the guest's entries, the GPU's table, the references. */
#define TABLE_BYTES	(3 * PAGE_SIZE)
#define TABLES		2048u
#define TABLES_IOVA	0x100000000ULL
#define MAPPED		0x10000000000ULL
#define ENTRY		(GEN_PTE_PRESENT | GEN_PTE_RW)
#define GROWN_MB	2048u
/* The cost of more graphics memory: the entries, and two arrays of that size. */
#define GROWN_BYTES	((GROWN_MB - 384) * (MB(1) / PAGE_SIZE) * 3 * 8)

static void join_group(const char *group)
{
	char path[200], text[20];
	int ret;

	snprintf(path, sizeof(path), "%s/cgroup.procs", group);
	snprintf(text, sizeof(text), "%d", (int)getpid());
	ret = file_write(path, text);
	if (ret)
		tap_die("cannot enter %s: %s", group, strerror(-ret));
}

/* "name number" on a line of its own. */
static u64 group_number(const char *file, const char *name)
{
	char text[8192], *line, *rest;
	unsigned long long value;
	size_t len = strlen(name);

	if (file_read(file, text, sizeof(text)) < 0)
		tap_die("%s cannot be read", file);
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		if (!strncmp(line, name, len) && sscanf(line + len, " %llu", &value) == 1)
			return value;
	tap_die("%s has no %s", file, name);
}

static u64 kernel_memory(void)
{
	return group_number(GROUP "/memory.stat", "kernel");
}

/* Page tables without entries cost only their shadows. */
static void many_tables(struct ppgtt *ppgtt)
{
	u32 i;

	for (i = 0; i < TABLES; i++)
		*ppgtt_entry(ppgtt, MAPPED + i * MB(2), 1) =
			(TABLES_IOVA + (u64)i * PAGE_SIZE) | ENTRY;
}

static void check_charged(struct vgpu *vgpu)
{
	struct context ctx;
	u64 before, after;

	context_init(&ctx, vgpu, RCS, NULL);
	tap_ok(request_wait(&ctx, request_submit(&ctx), SOON_MS), "a request");
	before = kernel_memory();
	many_tables(ctx.ppgtt);
	tap_ok(request_wait(&ctx, request_submit(&ctx), SOON_MS),
	       "a request with many page tables");
	after = kernel_memory();
	tap_ok(counters_number(vgpu, "exec", "tables") >= TABLES, "the page tables have shadows");
	/* Statistics are updated in batches of some pages per CPU. */
	tap_ok(after >= before + (u64)TABLES * TABLE_BYTES * 9 / 10,
	       "the shadows are charged to the cgroup of the process that opened the vGPU");
	tap_diag("%llu KB, then %llu KB", (unsigned long long)before >> 10,
		 (unsigned long long)after >> 10);
}

static int set_limit(u64 more)
{
	char text[32];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)
		 group_number(GROUP "/memory.current", "") + more);
	return -file_write(GROUP "/memory.max", text);
}

/* The process that writes the size is in no cgroup. */
static void check_resize(struct vgpu *vgpu)
{
	u64 before = kernel_memory(), after;

	tap_eq(set_limit(GROWN_BYTES / 2), 0, "set a limit below the cost of more graphics memory");
	tap_eq(size_set(vgpu->uuid, HIGH_MB, GROWN_MB), -ENOMEM, "more graphics memory is refused");
	tap_ok(size_now(vgpu->uuid, HIGH_MB) == 384 && size_wanted(vgpu->uuid, HIGH_MB) == 384,
	       "the vGPU keeps its graphics memory");
	tap_eq(group_number(GROUP "/memory.events", "oom_kill"), 0, "no process is killed");
	tap_eq(-file_write(GROUP "/memory.max", "max"), 0, "remove the limit");
	tap_eq(size_set(vgpu->uuid, HIGH_MB, GROWN_MB), 0, "more graphics memory is granted");
	after = kernel_memory();
	tap_ok(after >= before + GROWN_BYTES * 9 / 10, "its cost is charged to the cgroup");
	tap_diag("%llu KB, then %llu KB", (unsigned long long)before >> 10,
		 (unsigned long long)after >> 10);
	tap_eq(size_set(vgpu->uuid, HIGH_MB, 384), 0, "the graphics memory is taken back");
	tap_ok(kernel_memory() <= before + GROWN_BYTES / 10, "its charge is released");
}

static void check_limit(struct vgpu *vgpu)
{
	struct context ctx;

	tap_ok(vgpu_reset(vgpu), "a reset");
	context_init(&ctx, vgpu, RCS, NULL);
	tap_ok(request_wait(&ctx, request_submit(&ctx), SOON_MS), "a request");
	tap_eq(set_limit(TABLES * TABLE_BYTES / 4), 0,
	       "set a limit below the need of the guest's work");
	many_tables(ctx.ppgtt);
	request_submit(&ctx);
	tap_ok(wait_for(counters_number(vgpu, "exec", "refused") == 1, SOON_MS),
	       "the guest's work is refused eventually");
	tap_eq(group_number(GROUP "/memory.events", "oom_kill"), 0, "no process is killed");
	tap_eq(-file_write(GROUP "/memory.max", "max"), 0, "remove the limit");
	tap_ok(vgpu_works(vgpu), "the vGPU works after a reset");
}

int main(void)
{
	struct vgpu *vgpu;
	void *tables;

	vgpu_test_init(100);
	if (access(CGROUPS "/memory.stat", F_OK) ||
	    file_write(CGROUPS "/cgroup.subtree_control", "+memory"))
		tap_skip_all("no memory cgroups");
	if (mkdir(GROUP, 0755) && errno != EEXIST)
		tap_die(GROUP ": %s", strerror(errno));
	join_group(GROUP);
	vgpu = vgpu_new(MDEV_TYPE_SMALL);
	/* The program itself may use more. */
	join_group(CGROUPS);
	tables = mmap(NULL, (u64)TABLES * PAGE_SIZE, PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (tables == MAP_FAILED ||
	    vfio_dma_map(&vgpu->dev, TABLES_IOVA, tables, (u64)TABLES * PAGE_SIZE))
		tap_die("no memory");
	check_resize(vgpu);
	check_charged(vgpu);
	check_limit(vgpu);
	vgpu_free(vgpu);
	tap_ok(wait_for(!rmdir(GROUP), SOON_MS), "the cgroup can be removed");
	return vgpu_test_done();
}
