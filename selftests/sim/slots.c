// SPDX-License-Identifier: GPL-2.0
/*
 * What vGPUs that share graphics memory have written for them at a switch, by the rules of
 * gScale and DymGPU (all entries of a slot that another vGPU has been in) at the places that
 * each policy gives, and with residency as a cache. The policies, and the cache, are the files
 * of kmod/core that the module has.
 *
 * The GPU is that of the papers: 4 GB of graphics memory, of which the host keeps 384 MB of
 * high and 64 MB of low; all share one slot of low graphics memory. Or, in the table for other
 * programs, that and the module's, where the host keeps more.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/place/placement_priv.h"
#include "core/gtt/residency.h"

#define MANY		1000
#define SLOTS		54		/* of 64 MB of high graphics memory */
#define MODULE_SLOTS	52		/* the same of the module: 4 GB, room for 15 vGPUs */
#define SLOT_ENTRIES	16384
#define RUNS		52400		/* of the same, docs/graphics-memory.md */
#define UNITS		7168		/* of 64 MB and 384 MB */
#define SET_UNITS	2048		/* of 128 MB, which a guest of these goes over */
#define WARM_UP		40		/* rounds */
#define ROUNDS		200
#define ALWAYS		GSLOT_PLACE_ALWAYS

static const struct gslot_place_ops *const policies[] = {
	&gslot_place_score, &gslot_place_size, &gslot_place_utilization, &gslot_place_optimal,
};

#define NR_POLICIES	ARRAY_SIZE(policies)

static struct gslot_place_vgpu vgpus[MANY];
static u64 seed = 1;

static u32 rnd(u32 below)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return (seed >> 33) % below;
}

static void settle(struct gslot_placement *p)
{
	for (u32 i = 0; i < p->count; i++)
		p->vgpus[i].place = p->vgpus[i].next;
}

/* They come one after another; then what is known of their use is used once. */
static void place_all(const struct gslot_place_ops *ops, struct gslot_placement *p, u32 count)
{
	for (u32 i = 0; i < count; i++)
		vgpus[i].place = GSLOT_PLACE_NONE;
	for (p->count = 1; p->count <= count; p->count++) {
		if (gslot_place(ops, p))
			exit(1);
		settle(p);
	}
	p->count = count;
	p->due = true;
	if (gslot_place(ops, p))
		exit(1);
	settle(p);
	p->due = false;
}

/* Entries of a switch by the papers' rule: of shared high slots; the low one is shared. */
static double high_copies(const struct gslot_place_ops *ops, u32 slots, u32 count)
{
	/* 20 s until places are looked at again: some 1250 turns of 16 ms, for all of them. */
	struct gslot_placement p = {
		.slots = slots, .vgpus = vgpus, .rounds = 1250 / count ? 1250 / count : 1,
	};
	u64 turns = 0;

	place_all(ops, &p, count);
	for (u32 i = 0; i < count; i++)
		turns += vgpus[i].use;
	return (double)gslot_place_copies(&p) / turns * SLOT_ENTRIES;
}

static double slot_copies(const struct gslot_place_ops *ops, u32 slots, u32 count)
{
	return high_copies(ops, slots, count) + (count > 1) * SLOT_ENTRIES;
}

static struct gslot_run runs[RUNS];
static struct gslot_unit units[MANY][UNITS];
static struct gslot_resident residents[MANY];

static u32 name_units(struct gslot_residency *r, u32 vgpu, u32 first, u32 named)
{
	u32 loads = 0;

	for (u32 i = 0; i < named; i++)
		loads += gslot_residency_hold(r, &residents[vgpu], (first + i) % SET_UNITS) == 1;
	for (u32 i = 0; i < named; i++)
		gslot_residency_release(r, &residents[vgpu], (first + i) % SET_UNITS);
	return loads;
}

/* Entries of a turn in which @named units are named, the same each time or any. */
static double cached_copies(u32 count, u32 named, bool anywhere)
{
	struct gslot_residency r;
	u64 loads = 0, turns = 0;

	gslot_residency_init(&r, runs, RUNS);
	for (u32 i = 0; i < count; i++)
		gslot_residency_join(&r, &residents[i], units[i], UNITS);
	for (u32 round = 0; round < WARM_UP + ROUNDS; round++) {
		for (u32 i = 0; i < count; i++) {
			u32 n;

			if (rnd(ALWAYS) >= vgpus[i].use)
				continue;
			n = name_units(&r, i, anywhere ? rnd(SET_UNITS) : i, named);
			if (round < WARM_UP)
				continue;
			loads += n;
			turns++;
		}
	}
	return (double)loads * GSLOT_RUN_ENTRIES / turns;
}

static void print_header(const char *what)
{
	printf("%-22s", what);
	for (u32 k = 0; k < NR_POLICIES; k++)
		printf(" %11s", policies[k]->name);
	printf("   %5s %5s %5s %9s %9s\n", "size", "util", "opt", "ppgtt", "ggtt");
}

static void print_row(const char *what, u32 count)
{
	double copies[NR_POLICIES];
	u32 k;

	printf("%-22s", what);
	for (k = 0; k < NR_POLICIES; k++) {
		copies[k] = slot_copies(policies[k], SLOTS, count);
		printf(" %11.0f", copies[k]);
	}
	printf("  ");
	for (k = 1; k < NR_POLICIES; k++)
		printf(" %4.0f%%", 100 * (copies[k] / copies[0] - 1));
	printf(" %9.1f %9.1f\n", cached_copies(count, 3, false), cached_copies(count, 256, true));
}

static const u32 sizes[] = { 6, 11, 16 }, counts[] = { 3, 6, 9, 12, 15, 24, 32, 64 };

/* All of one size, and always at work. */
static void fill_alike(u32 size, u32 count)
{
	for (u32 i = 0; i < count; i++)
		vgpus[i] = (struct gslot_place_vgpu) { .size = size, .use = ALWAYS };
}

static void alike(void)
{
	char what[32];

	for (u32 s = 0; s < ARRAY_SIZE(sizes); s++) {
		for (u32 n = 0; n < ARRAY_SIZE(counts); n++) {
			fill_alike(sizes[s], counts[n]);
			snprintf(what, sizeof(what), "%u of %u MB", counts[n], sizes[s] * 64);
			print_row(what, counts[n]);
		}
	}
}

/* The papers' sets: so many of 15 that use the GPU lightly, more, and all the time. */
static const u32 sets[][3] = {
	{ 11, 2, 2 }, { 2, 2, 11 }, { 3, 6, 6 }, { 6, 3, 6 }, { 6, 6, 3 },
};

static const u32 uses[3] = { ALWAYS / 10, ALWAYS * 4 / 10, ALWAYS };

/* They do not come one kind after another. Return: how many. */
static u32 fill_mixed(const u32 *set, const u32 *kind_sizes)
{
	u32 left[3], count = 0;

	memcpy(left, set, sizeof(left));
	for (;;) {
		u32 most = 0;

		for (u32 kind = 1; kind < 3; kind++)
			if (left[kind] > left[most])
				most = kind;
		if (!left[most])
			return count;
		left[most]--;
		vgpus[count++] = (struct gslot_place_vgpu) {
			.size = kind_sizes[most], .use = uses[most],
		};
	}
}

static void mixed(const char *sizes_of_them, const u32 *kind_sizes)
{
	char what[32];

	for (u32 s = 0; s < ARRAY_SIZE(sets); s++) {
		snprintf(what, sizeof(what), "%u/%u/%u %s", sets[s][0], sets[s][1], sets[s][2],
			 sizes_of_them);
		print_row(what, fill_mixed(sets[s], kind_sizes));
	}
}

static void random_ones(u32 count)
{
	char what[32];

	for (u32 i = 0; i < count; i++)
		vgpus[i] = (struct gslot_place_vgpu) {
			.size = 1 + rnd(16), .use = 1 + rnd(ALWAYS),
		};
	snprintf(what, sizeof(what), "any %u", count);
	print_row(what, count);
}

static void print_table(void)
{
	static const u32 one_size[] = { 6, 6, 6 };

	printf("GGTT entries written at a switch. By the papers' rule at the places of each\n"
	       "policy, and what these are above those of the first; with residency as a cache\n"
	       "for vGPUs that name 3 units, the same each time, and 256 at random of 128 MB.\n"
	       "A policy that moves vGPUs for fewer copies counts those of the move, too.\n"
	       "11/2/2: so many use the GPU lightly, more, and all the time.\n\n");
	print_header("vGPUs");
	alike();
	mixed("of 384 MB", one_size);
	mixed("384/704/1024", sizes);
	random_ones(15);
	random_ones(100);
	random_ones(MANY);
}

/* A line as of tools/bench-switch; what it has more of is time, and not simulated. */
static void print_line(const char *load, const char *set, u32 count, const char *high,
		       const char *placement, const char *policy, double low, double upper,
		       const char *source)
{
	printf("%s\t%s\t%u\t%s\t%s\t%s\t-\t%.2f\t-\t", load, set, count, high, placement,
	       policy, low + upper);
	if (low)
		printf("%.2f\t%.2f", low, upper);
	else
		printf("-\t-");
	printf("\t-\t-\t-\t-\t-\t-\t-\t%s\n", source);
}

static void print_lines(const char *set, u32 count, const char *high)
{
	static const u32 slots[] = { MODULE_SLOTS, SLOTS };
	static const char *const sources[] = { "sim-52", "sim-54" };

	for (u32 s = 0; s < ARRAY_SIZE(slots); s++)
		for (u32 k = 0; k < NR_POLICIES; k++)
			print_line("ggtt", set, count, high, policies[k]->name, "slot",
				   SLOT_ENTRIES, high_copies(policies[k], slots[s], count),
				   sources[s]);
	print_line("ppgtt", set, count, high, "-", "cached", 0, cached_copies(count, 3, false),
		   sources[0]);
	print_line("ggtt", set, count, high, "-", "cached", 0, cached_copies(count, 256, true),
		   sources[0]);
}

static void print_tsv(void)
{
	char text[16];

	printf("load\tset\tvgpus\thigh\tplacement\tpolicy\tturns\tentries\twrites\tlow\t"
	       "high_entries\tleave_ns\tload_ns\trequests\tshare\tbound\tblind\theld\tsource\n");
	for (u32 s = 0; s < ARRAY_SIZE(sizes); s++) {
		snprintf(text, sizeof(text), "%u", sizes[s] * 64);
		for (u32 n = 0; n < ARRAY_SIZE(counts); n++) {
			fill_alike(sizes[s], counts[n]);
			print_lines("equal", counts[n], text);
		}
	}
	for (u32 s = 0; s < ARRAY_SIZE(sets); s++) {
		snprintf(text, sizeof(text), "%u/%u/%u", sets[s][0], sets[s][1], sets[s][2]);
		print_lines(text, fill_mixed(sets[s], sizes), "mixed");
	}
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "--tsv"))
		print_tsv();
	else
		print_table();
	return 0;
}
