// SPDX-License-Identifier: GPL-2.0
/*
 * Threads of several vGPUs at once: each vGPU uses all of its fences, in total many times the GPU's
 * number, and all data are correctly tiled. Then the threads change fences and entries that the
 * others use, and never see another vGPU's memory.
 */
#include <pthread.h>
#include <string.h>

#include "clock.h"
#include "counters.h"
#include "fence.h"
#include "ggtt.h"
#include "guard.h"
#include "rng.h"
#include "tap.h"
#include "vgpu.h"

#define NR_VGPUS	4
#define NR_FENCES	32u
#define NR_PAGES	16u
#define PITCH		1024u
#define WORDS		(NR_PAGES * PAGE_SIZE / 4)
#define ROUNDS		300u

struct surface {
	struct vgpu *vgpu;
	const struct tiling *tiling;
	u64 addr;
	u64 gpa;
	u32 expected[WORDS];	/* the view through the fence */
};

struct thread {
	pthread_t id;
	struct surface *surfaces;
	u32 count;
	struct rng rng;
	u32 bad;
};

static struct surface surfaces[NR_VGPUS][NR_FENCES];
static struct thread threads[NR_VGPUS * 2];

static u32 look(struct vgpu *vgpu, u64 addr)
{
	u32 value;

	return guard_read32(vgpu->aperture + addr, &value) ? value : 0xdeadbeef;
}

static u32 in_memory(const struct surface *s, u32 word)
{
	u32 x = word * 4 % PITCH, y = word * 4 / PITCH;

	return ram_read32(&s->vgpu->ram, s->gpa + tiled_offset(s->tiling, PITCH, x, y));
}

static void use_surface(struct thread *t, struct surface *s)
{
	u32 i, word;

	for (i = 0; i < 16; i++) {
		word = rng_below(&t->rng, WORDS);
		if (i % 2) {
			s->expected[word] = rng_u64(&t->rng);
			guard_write32(s->vgpu->aperture + s->addr + word * 4, s->expected[word]);
		}
		t->bad += look(s->vgpu, s->addr + word * 4) != s->expected[word];
		t->bad += in_memory(s, word) != s->expected[word];
	}
}

static void *use_surfaces(void *arg)
{
	struct thread *t = arg;
	u32 i;

	for (i = 0; i < ROUNDS; i++)
		use_surface(t, &t->surfaces[rng_below(&t->rng, t->count)]);
	return NULL;
}

static void run_threads(void *(*run)(void *))
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(threads); i++)
		if (pthread_create(&threads[i].id, NULL, run, &threads[i]))
			tap_die("no thread");
	for (i = 0; i < ARRAY_SIZE(threads); i++)
		pthread_join(threads[i].id, NULL);
}

static void surfaces_init(struct vgpu *vgpu, struct surface *s)
{
	u32 i;

	for (i = 0; i < NR_FENCES; i++, s++) {
		s->vgpu = vgpu;
		s->tiling = &tilings[i % NR_TILINGS];
		s->gpa = ram_alloc(&vgpu->ram, NR_PAGES);
		s->addr = ggtt_bind_low(vgpu, s->gpa, NR_PAGES);
		fence_set(vgpu, i, s->tiling, s->addr, NR_PAGES, PITCH);
	}
}

static void check_surfaces(struct vgpu **vgpus)
{
	u32 i, k, word, bad = 0;
	u64 demotions = 0;

	for (i = 0; i < ARRAY_SIZE(threads); i++) {
		threads[i].surfaces = &surfaces[i / 2][i % 2 * NR_FENCES / 2];
		threads[i].count = NR_FENCES / 2;
		threads[i].rng.state = i;
	}
	run_threads(use_surfaces);
	for (i = 0; i < ARRAY_SIZE(threads); i++)
		bad += threads[i].bad;
	tap_eq(bad, 0, "threads of %u vGPUs read back their data under %u fences each", NR_VGPUS,
	       NR_FENCES);
	for (i = 0, bad = 0; i < NR_VGPUS; i++)
		for (k = 0; k < NR_FENCES; k++)
			for (word = 0; word < WORDS; word++)
				bad += in_memory(&surfaces[i][k], word) !=
				       surfaces[i][k].expected[word];
	tap_eq(bad, 0, "no other memory is written");
	for (i = 0; i < NR_VGPUS; i++)
		demotions += counters_number(vgpus[i], "ggtt", "aperture_demotions");
	tap_diag("%llu demotions", (unsigned long long)demotions);
}

#define REGION_PAGES	256u

/* Pages of a vGPU, filled with its number. */
struct region {
	struct vgpu *vgpu;
	u64 addr;
	u64 gpa;
	u32 tag;
};

static struct region regions[NR_VGPUS];
static bool stop;

static void any_fence(struct thread *t, struct region *r)
{
	const struct tiling *tiling = &tilings[rng_below(&t->rng, NR_TILINGS)];
	u32 pitch = tiling->width << rng_below(&t->rng, 4);
	u32 row = pitch / tiling->width, rows = 1 + rng_below(&t->rng, 64 / row);
	u32 first = rng_below(&t->rng, REGION_PAGES - row * rows);
	u32 n = rng_below(&t->rng, NR_FENCES);

	if (rng_below(&t->rng, 4))
		fence_set(r->vgpu, n, tiling, r->addr + first * PAGE_SIZE, row * rows, pitch);
	else
		fence_write(r->vgpu, n, 0);
}

static void any_entry(struct thread *t, struct region *r)
{
	u32 i = rng_below(&t->rng, REGION_PAGES), page = rng_below(&t->rng, REGION_PAGES);

	ggtt_map(r->vgpu, r->addr + i * PAGE_SIZE, r->gpa + page * PAGE_SIZE, 1);
	ggtt_flush(r->vgpu);
}

/* One thread of each vGPU reads while the other changes fences and entries. */
static void *change_or_look(void *arg)
{
	struct thread *t = arg;
	u32 index = t - threads, i;
	struct region *r = &regions[index / 2];

	for (i = 0; index % 2 && i < ROUNDS * 4; i++) {
		if (rng_below(&t->rng, 4))
			any_fence(t, r);
		else
			any_entry(t, r);
	}
	if (index % 2) {
		WRITE_ONCE(stop, true);
		return NULL;
	}
	while (!READ_ONCE(stop)) {
		u64 at = r->addr + rng_below(&t->rng, REGION_PAGES * PAGE_SIZE / 4) * 4;

		if (!rng_below(&t->rng, 4))
			guard_write32(r->vgpu->aperture + at, r->tag);
		t->bad += look(r->vgpu, at) != r->tag;
		t->count++;
	}
	return NULL;
}

static bool region_intact(const struct region *r)
{
	u32 i;

	for (i = 0; i < REGION_PAGES * PAGE_SIZE; i += 4)
		if (ram_read32(&r->vgpu->ram, r->gpa + i) != r->tag)
			return false;
	return true;
}

static void check_changes(struct vgpu **vgpus)
{
	u32 i, k, bad = 0, looks = 0;

	for (i = 0; i < NR_VGPUS; i++) {
		struct region *r = &regions[i];

		r->vgpu = vgpus[i];
		r->tag = 0x7a600000 + i;
		r->gpa = ram_alloc(&r->vgpu->ram, REGION_PAGES);
		for (k = 0; k < REGION_PAGES * PAGE_SIZE; k += 4)
			ram_write32(&r->vgpu->ram, r->gpa + k, r->tag);
		r->addr = ggtt_bind_low(r->vgpu, r->gpa, REGION_PAGES);
	}
	for (i = 0; i < ARRAY_SIZE(threads); i++)
		threads[i] = (struct thread) { .rng.state = 100 + i };
	run_threads(change_or_look);
	for (i = 0; i < ARRAY_SIZE(threads); i++) {
		bad += threads[i].bad;
		looks += threads[i].count;
	}
	tap_eq(bad, 0, "each vGPU sees only its own memory while fences and entries change");
	tap_diag("%u reads", looks);
	for (i = 0, bad = 0; i < NR_VGPUS; i++)
		bad += !region_intact(&regions[i]);
	tap_eq(bad, 0, "no other memory is written meanwhile");
}

int main(void)
{
	struct vgpu *vgpus[NR_VGPUS];
	u32 i, bad = 0;

	vgpu_test_init(200);
	for (i = 0; i < NR_VGPUS; i++) {
		vgpus[i] = vgpu_new(MDEV_TYPE_SMALL);
		if (!vgpus[i]->aperture || fence_count(vgpus[i]) != NR_FENCES)
			tap_die("no aperture, or not all fences");
		surfaces_init(vgpus[i], surfaces[i]);
	}
	check_surfaces(vgpus);
	check_changes(vgpus);
	for (i = 0; i < NR_VGPUS; i++) {
		bad += !ram_canary_intact(&vgpus[i]->ram);
		vgpu_free(vgpus[i]);
	}
	tap_eq(bad, 0, "no stray write");
	return vgpu_test_done();
}
