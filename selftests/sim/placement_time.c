// SPDX-License-Identifier: GPL-2.0
/*
 * How long the placement policy `optimal` takes at worst, for vGPUs of the sizes that there are
 * on a GPU with 4 GB of graphics memory: when all come at once, and when all have places, from
 * which a few or many had better move.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "core/place/placement.h"

#define SLOTS	54	/* of 64 MB of high graphics memory */
#define CASES	2000
#define TIMES	5	/* of each case; the best counts: the machine is not ours alone */

static struct gslot_place_vgpu vgpus[64];
static u64 seed = 1;

static u32 rnd(u32 below)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return (seed >> 33) % below;
}

static u64 now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

static void any_guests(u32 count, bool come)
{
	static const u32 sizes[] = { 6, 11, 16 };	/* 384, 704, 1024 MB */

	for (u32 i = 0; i < count; i++) {
		u32 size = sizes[rnd(ARRAY_SIZE(sizes))];

		vgpus[i] = (struct gslot_place_vgpu) {
			.size = size,
			.use = rnd(GSLOT_PLACE_ALWAYS + 1),
			.place = come ? GSLOT_PLACE_NONE : rnd(SLOTS - size + 1),
		};
	}
}

static u64 time_of(struct gslot_placement *p)
{
	u64 best = ~0ull;

	for (u32 i = 0; i < TIMES; i++) {
		u64 ns = now_ns();

		if (gslot_place(&gslot_place_optimal, p))
			exit(1);
		ns = now_ns() - ns;
		best = min(best, ns);
	}
	return best;
}

static void print_times(u32 count, bool come)
{
	u64 sum = 0, worst = 0;

	for (u32 i = 0; i < CASES; i++) {
		struct gslot_placement p = {
			.slots = SLOTS, .count = count, .vgpus = vgpus, .rounds = 1 + rnd(100),
		};
		u64 ns;

		any_guests(count, come);
		ns = time_of(&p);
		sum += ns;
		worst = max(worst, ns);
	}
	printf("%5u  %-16s  %8.1f  %8.1f\n", count, come ? "come at once" : "have places",
	       sum / 1e3 / CASES, worst / 1e3);
}

int main(void)
{
	static const u32 counts[] = { 8, 16, 32, 64 };

	printf("The policy optimal, us of a processor's time, of %u cases each:\n\n", CASES);
	printf("vGPUs                        mean     worst\n");
	for (u32 i = 0; i < ARRAY_SIZE(counts); i++) {
		print_times(counts[i], true);
		print_times(counts[i], false);
	}
	return 0;
}
