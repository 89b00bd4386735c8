// SPDX-License-Identifier: GPL-2.0
/*
 * What a guest makes the host allocate is paid for by who opened its vGPU, and
 * where that has no more, the guest's work fails and nobody is killed. So is what its vGPU
 * costs after an administrator has given it more graphics memory.
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
/* What a shadow of a table costs: what was seen, what the GPU walks, what it refers to. */
#define TABLE_BYTES	(3 * PAGE_SIZE)
#define TABLES		2048u
#define TABLES_IOVA	0x100000000ULL
#define MAPPED		0x10000000000ULL
#define ENTRY		(GEN_PTE_PRESENT | GEN_PTE_RW)
#define GROWN_MB	2048u
/* Of more graphics memory: the entries, and two arrays of that size. */
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

/* Page tables without entries: all they cost is their shadows. */
static void many_tables(struct ppgtt *ppgtt)
{
	u32 i;

	for (i = 0; i < TABLES; i++)
		*ppgtt_entry(ppgtt, MAPPED + i * MB(2), 1) =
			(TABLES_IOVA + (u64)i * PAGE_SIZE) | ENTRY;
}

static u32 submit(struct context *ctx)
{
	u32 seqno;

	request_begin(ctx);
	seqno = request_end(ctx);
	context_submit(ctx);
	return seqno;
}

static void check_charged(struct vgpu *vgpu)
{
	struct context ctx;
	u64 before, after;

	context_init(&ctx, vgpu, RCS, NULL);
	tap_ok(request_wait(&ctx, submit(&ctx), SOON_MS), "a request");
	before = kernel_memory();
	many_tables(ctx.ppgtt);
	tap_ok(request_wait(&ctx, submit(&ctx), SOON_MS), "one with many page tables");
	after = kernel_memory();
	tap_ok(counters_number(vgpu, "exec", "tables") >= TABLES, "they have shadows");
	/* Statistics come in batches of some pages a CPU. */
	tap_ok(after >= before + (u64)TABLES * TABLE_BYTES * 9 / 10,
	       "who opened the vGPU pays for them");
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

/* Who writes the size is in no group. */
static void check_resize(struct vgpu *vgpu)
{
	u64 before = kernel_memory(), after;

	tap_eq(set_limit(GROWN_BYTES / 2), 0, "less memory than more graphics memory costs");
	tap_eq(size_set(vgpu->uuid, HIGH_MB, GROWN_MB), -ENOMEM, "it cannot be had");
	tap_ok(size_now(vgpu->uuid, HIGH_MB) == 384 && size_wanted(vgpu->uuid, HIGH_MB) == 384,
	       "the vGPU has what it had");
	tap_eq(group_number(GROUP "/memory.events", "oom_kill"), 0, "nobody is killed for it");
	tap_eq(-file_write(GROUP "/memory.max", "max"), 0, "as much as it wants");
	tap_eq(size_set(vgpu->uuid, HIGH_MB, GROWN_MB), 0, "it can be had");
	after = kernel_memory();
	tap_ok(after >= before + GROWN_BYTES * 9 / 10, "who opened the vGPU pays for it");
	tap_diag("%llu KB, then %llu KB", (unsigned long long)before >> 10,
		 (unsigned long long)after >> 10);
	tap_eq(size_set(vgpu->uuid, HIGH_MB, 384), 0, "it is given back");
	tap_ok(kernel_memory() <= before + GROWN_BYTES / 10, "and paid for no more");
}

static void check_limit(struct vgpu *vgpu)
{
	struct context ctx;

	tap_ok(vgpu_reset(vgpu), "a reset");
	context_init(&ctx, vgpu, RCS, NULL);
	tap_ok(request_wait(&ctx, submit(&ctx), SOON_MS), "a request");
	tap_eq(set_limit(TABLES * TABLE_BYTES / 4), 0, "less memory than it will want");
	many_tables(ctx.ppgtt);
	submit(&ctx);
	tap_ok(wait_for(counters_number(vgpu, "exec", "refused") == 1, SOON_MS),
	       "its work is refused in the end");
	tap_eq(group_number(GROUP "/memory.events", "oom_kill"), 0, "nobody is killed for it");
	tap_eq(-file_write(GROUP "/memory.max", "max"), 0, "as much as it wants");
	tap_ok(vgpu_works(vgpu), "it works after a reset");
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
	/* What this program itself needs, it can have. */
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
	tap_ok(wait_for(!rmdir(GROUP), SOON_MS), "nothing holds on to it");
	return vgpu_test_done();
}
