// SPDX-License-Identifier: GPL-2.0
/*
 * More vGPUs than the GPU has fences, several at a time, each with an instruction that reads
 * through one fence and writes through another: it must complete, with less than one fence per
 * vGPU.
 */
#include <pthread.h>
#include <stdio.h>

#include "counters.h"
#include "fence.h"
#include "ggtt.h"
#include "mdev.h"
#include "tap.h"
#include "vgpu.h"

#define CROWD		40
#define NR_THREADS	4
#define ROUNDS		20
#define PAGES		16
#define PITCH		1024u

/**
 * struct member - one of the vGPUs
 * @vgpu: the vGPU
 * @addr: address of the source under fence 0, in X tiles; the destination follows, in Y tiles
 * @gpa: bus address of both
 * @bad: number of errors
 */
struct member {
	struct vgpu *vgpu;
	u64 addr;
	u64 gpa;
	u32 bad;
};

static struct member crowd[CROWD];

static void member_init(struct member *m)
{
	m->vgpu = vgpu_new(MDEV_TYPE_SMALL);
	if (!m->vgpu->aperture)
		tap_die("the aperture cannot be mapped");
	m->gpa = ram_alloc(&m->vgpu->ram, 2 * PAGES);
	m->addr = ggtt_bind_low(m->vgpu, m->gpa, 2 * PAGES);
	fence_set(m->vgpu, 0, &tilings[0], m->addr, PAGES, PITCH);
	fence_set(m->vgpu, 1, &tilings[1], m->addr + PAGES * PAGE_SIZE, PAGES, PITCH);
}

/* One instruction loads and stores: it restarts until both pages are mapped. */
static void copy_word(void *to, const void *from)
{
#if defined(__x86_64__)
	__asm__ volatile("movsl" : "+D" (to), "+S" (from) : : "memory");
#else
	WRITE_ONCE(*(u32 *)to, READ_ONCE(*(const u32 *)from));
#endif
}

static u32 in_memory(const struct tiling *t, u32 offset)
{
	return tiled_offset(t, PITCH, offset % PITCH, offset / PITCH);
}

static void member_copy(struct member *m, u32 round)
{
	u32 offset = (round * 3331 + 17) * 4 % (PAGES * PAGE_SIZE), value = 0xc0000000 | round;
	u8 *from = m->vgpu->aperture + m->addr + offset;

	ram_write32(&m->vgpu->ram, m->gpa + in_memory(&tilings[0], offset), value);
	copy_word(from + PAGES * PAGE_SIZE, from);
	m->bad += ram_read32(&m->vgpu->ram, m->gpa + PAGES * PAGE_SIZE +
			     in_memory(&tilings[1], offset)) != value;
}

static void *copy(void *arg)
{
	struct member *m = arg;
	u32 round, i;

	for (round = 0; round < ROUNDS; round++)
		for (i = 0; i < CROWD / NR_THREADS; i++)
			member_copy(&m[i], round);
	return NULL;
}

static void check_copies(void)
{
	pthread_t threads[NR_THREADS];
	u32 i, bad = 0;

	for (i = 0; i < NR_THREADS; i++)
		if (pthread_create(&threads[i], NULL, copy, &crowd[i * CROWD / NR_THREADS]))
			tap_die("no thread");
	for (i = 0; i < NR_THREADS; i++)
		pthread_join(threads[i], NULL);
	for (i = 0; i < CROWD; i++)
		bad += crowd[i].bad;
	tap_eq(bad, 0, "%u vGPUs copy from one fence to another", CROWD);
}

int main(void)
{
	char text[16];
	long before;
	u64 demotions = 0;
	u32 i, bad = 0;

	vgpu_test_init(100);
	before = mdev_max();
	snprintf(text, sizeof(text), "%u", CROWD);
	tap_eq(-mdev_set_max(text), 0, "%u vGPUs are allowed", CROWD);
	for (i = 0; i < CROWD; i++)
		member_init(&crowd[i]);
	check_copies();
	for (i = 0; i < CROWD; i++)
		demotions += counters_number(crowd[i].vgpu, "ggtt", "aperture_demotions");
	tap_ok(demotions >= CROWD, "they take fences from each other: %llu times",
	       (unsigned long long)demotions);
	for (i = 0; i < CROWD; i++) {
		bad += !ram_canary_intact(&crowd[i].vgpu->ram);
		vgpu_free(crowd[i].vgpu);
	}
	tap_eq(bad, 0, "no stray write");
	tap_eq(-mdev_restore_max(before), 0, "the limit of vGPUs is restored");
	return vgpu_test_done();
}
