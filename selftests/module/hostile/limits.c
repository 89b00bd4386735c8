// SPDX-License-Identifier: GPL-2.0
/* Operations that reach a limit of the module exactly, or exceed it by a little. */
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guard.h"
#include "hostile.h"
#include "size.h"

/* The size of a copy of the blitter's user batches (core/cmd/user_copy.h), dwords. */
#define COPY_DWORDS	0x40000u
#define COPY_PAGES	(COPY_DWORDS * 4 / PAGE_SIZE)
/* How many parts it may have, and where each is: too far from the next one to be the same */
#define COPY_RUNS	256u
#define RUN_BYTES	64u

/* A user batch of about the size of a copy, a few dwords more or less; others write to it. */
static void fill_copy(struct actor *a)
{
	u32 first = below(a, NR_DATA - COPY_PAGES), dwords = COPY_DWORDS + 4 - below(a, 16);
	u32 *batch = page_ptr(a, PAGE_DATA(first)), n = below(a, NR_BATCHES);
	struct cs cs;

	memset(batch, 0, COPY_PAGES * PAGE_SIZE);
	cs_init(&cs, batch, COPY_PAGES * PAGE_SIZE);
	/* A second run, which starts where the first has left no space. */
	if (below(a, 2)) {
		cs_dw(&cs, MI_CMD(OP_MI_BATCH_BUFFER_START) | MI_BB_PPGTT | MI_BB_SECOND_LEVEL |
		      1);
		cs_dw(&cs, GPA(PAGE_BATCH(n)));
		cs_dw(&cs, 0);
	}
	cs.pos = dwords < COPY_DWORDS ? dwords - 1 : COPY_DWORDS - 1;
	cs_end(&cs);
	submit_address(a, BCS, PPGTT, GPA(PAGE_DATA(first)));
}

/* A chain of batches, each of which calls the next, as deep as possible. */
static void fill_depth(struct actor *a)
{
	u32 engine = below(a, VGPU_NR_ENGINES), n, depth = 2 + below(a, NR_BATCHES - 2);
	bool ggtt = below(a, 2), second = below(a, 2);
	u64 base = ggtt ? GEN_LOW_GM_SIZE : 0;
	struct cs cs;

	for (n = 0; n < depth; n++) {
		cs_init(&cs, page_ptr(a, PAGE_BATCH(n)), PAGE_SIZE);
		/* The batch start is the last command that fits into the page as well. */
		if (below(a, 2))
			cs_noop(&cs, PAGE_SIZE / 4 - 3);
		if (n + 1 == depth) {
			cs_end(&cs);
			break;
		}
		cs_dw(&cs, MI_CMD(OP_MI_BATCH_BUFFER_START) | (ggtt ? 0 : MI_BB_PPGTT) |
		      (second ? MI_BB_SECOND_LEVEL : 0) | 1);
		cs_dw(&cs, lower_32_bits(base + GPA(PAGE_BATCH(n + 1))));
		cs_dw(&cs, upper_32_bits(base + GPA(PAGE_BATCH(n + 1))));
	}
	submit_address(a, engine, ggtt, base + GPA(PAGE_BATCH(0)));
}

/* As many user batches as a copy has parts, or a few more or less: each starts the next. */
static void fill_runs(struct actor *a)
{
	u32 runs = COPY_RUNS + 2 - below(a, 5), i;
	u32 first = PAGE_DATA(below(a, NR_DATA - runs * RUN_BYTES / PAGE_SIZE - 1));
	u8 *at = page_ptr(a, first);
	struct cs cs;

	for (i = 0; i < runs; i++, at += RUN_BYTES) {
		cs_init(&cs, at, RUN_BYTES);
		if (i + 1 < runs) {
			cs_dw(&cs, MI_CMD(OP_MI_BATCH_BUFFER_START) | MI_BB_PPGTT | 1);
			cs_dw(&cs, GPA(first) + (i + 1) * RUN_BYTES);
			cs_dw(&cs, 0);
		} else {
			cs_end(&cs);
		}
	}
	submit_address(a, BCS, PPGTT, GPA(first));
}

void op_fill(struct actor *a)
{
	switch (below(a, 4)) {
	case 0:
		fill_copy(a);
		break;
	case 1:
		fill_depth(a);
		break;
	case 2:
		fill_runs(a);
		break;
	default:
		submit_at_ring_end(a, below(a, NR_CTX), below(a, 64));
		break;
	}
}

/* Stores before, behind and across @end. */
static void edge_stores(struct actor *a, u32 page, u64 end)
{
	struct cs cs;
	u32 i;

	cs_init(&cs, page_ptr(a, page), PAGE_SIZE);
	for (i = 1 + below(a, 8); i; i--) {
		u64 at = end + 16 - below(a, 9) * 4;

		if (below(a, 2))
			cs_store64(&cs, GGTT, at, rng_u64(&a->rng));
		else
			cs_store(&cs, GGTT, at, any_dword(a));
	}
	cs_end(&cs);
}

/*
 * Stores at the end of graphics memory, in a batch or in workaround batches, before or after an
 * administrator has reduced it.
 */
void op_edge(struct actor *a)
{
	static const u32 ends[] = { 64, 256, 384, 448 };
	u32 mb = ends[below(a, ARRAY_SIZE(ends))], n = below(a, NR_BATCHES), i;
	u64 end = GEN_LOW_GM_SIZE + (u64)MB(1) * mb;
	bool wa = below(a, 2);

	if (wa)
		for (i = 0; i < NR_WA; i++)
			edge_stores(a, PAGE_WA(i), end);
	else
		edge_stores(a, PAGE_BATCH(n), end);
	if (below(a, 2))
		size_set(a->guest->uuid, HIGH_MB, mb);
	if (wa)
		submit_with_wa(a);
	else
		submit_address(a, below(a, VGPU_NR_ENGINES), GGTT, GGTT_HIGH(PAGE_BATCH(n)));
	if (below(a, 2))
		size_set(a->guest->uuid, HIGH_MB, mb);
}

/* In a forked process, without this one's threads and locks. */
static void be_second(int fd, u64 aperture, u64 registers, u64 random)
{
	u32 i, value;
	u8 *p = mmap(NULL, 64 * PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, aperture);

	for (i = 0; i < 64; i++, random = random * 6364136223846793005ULL + 1) {
		u64 at = registers + (random >> 40) % GEN_MMIO_SIZE / 4 * 4;

		if (p != MAP_FAILED)
			guard_write32(p + (random >> 20) % 64 * PAGE_SIZE, random);
		if (random >> 63 ? pread(fd, &value, 4, at) : pwrite(fd, &i, 4, at))
			continue;
	}
	_exit(0);
}

/* A second process with the device's file uses and maps it. */
void op_fork(struct actor *a)
{
	struct vfio *dev = &actor_vgpu(a)->dev;
	u64 aperture, registers, random = rng_u64(&a->rng);
	int status;
	pid_t pid;

	aperture = vfio_region_offset(dev, VFIO_PCI_BAR2_REGION_INDEX) + GGTT_LOW(any_page(a));
	registers = vfio_region_offset(dev, VFIO_PCI_BAR0_REGION_INDEX);
	pthread_mutex_lock(&opening);
	pid = fork();
	if (!pid)
		be_second(dev->fd, aperture, registers, random);
	if (pid > 0)
		waitpid(pid, &status, 0);
	pthread_mutex_unlock(&opening);
}
