// SPDX-License-Identifier: GPL-2.0
/*
 * The cost of shared graphics memory for many vGPUs: GGTT entries written in each turn, by the
 * module's count and by the GPU's, the time of a switch, and requests done; for each copy policy
 * and placement.
 */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "counters.h"
#include "file.h"
#include "lib/list.h"
#include "mdev.h"
#include "tap.h"
#include "switch/measure.h"
#include "switch/policy.h"

/* The monitor's window. */
#define LEARN_US	22000000
#define PAPERS_VGPUS	15	/* at most; the papers' host had 54 slots, here there are 52 */
/* About the time to open and close a vGPU; of a measurement; of a turn. */
#define VGPU_US		150000
#define ONE_US		700000
#define QUANTUM_US	16000
#define ENTRY_NS	250
#define TURNS_EACH	2.5
#define TURNS_MIXED	6	/* on average: some vGPUs need ten rounds for a request */

/* The papers' sets of 15: numbers of light, medium, heavy vGPUs. */
static const struct mix {
	const char *name;
	u32 of[3];
} mixes[] = {
	{ "11/2/2", { 11, 2, 2 } },
	{ "2/2/11", { 2, 2, 11 } },
	{ "3/6/6", { 3, 6, 6 } },
	{ "6/3/6", { 6, 3, 6 } },
	{ "6/6/3", { 6, 6, 3 } },
};

/* Light, medium, heavy: size, and rounds with work. */
static const struct kind {
	const char *type;
	u32 use;
} kinds[] = {
	{ MDEV_TYPE_SMALL, ALWAYS / 10 },
	{ MDEV_TYPE_LARGE, ALWAYS * 4 / 10 },
	{ MDEV_TYPE_HUGE, ALWAYS },
};

static struct list policies, placements, numbers, types, load_names, sets;
static FILE *tsv;
static u32 guests;		/* of the vGPUs belong to guests, and exist already */
static u32 measured, failed;
static bool planning;		/* only adds up what there is to do */
static u32 planned;
static u64 planned_us;

static bool has_places(const char *policy)
{
	return strcmp(policy, "cached");
}

/* A switch at worst. */
static u64 switch_us(const struct setup *setup)
{
	u64 pages = (u64)atoi(setup->high) << 8, us = setup->load->endless ? QUANTUM_US : 0;

	if (!strcmp(setup->policy, "slot"))
		us += (pages ? pages : 1 << 18) * ENTRY_NS / 1000;
	else if (!strcmp(setup->policy, "sparse") && setup->load->set)
		us += (u64)SET_UNITS * UNIT_PAGES * ENTRY_NS / 1000;
	return us;
}

static void measure_one(struct setup setup)
{
	struct result r;

	if (planning) {
		planned++;
		planned_us += ONE_US + switch_us(&setup) * setup.vgpus *
			      (strcmp(setup.high, "mixed") ? TURNS_EACH : TURNS_MIXED);
		return;
	}
	if (policy_offers(COPY_POLICY, setup.policy)) {
		/* Without places in between, so that no vGPU keeps the place of another policy. */
		policy_set(COPY_POLICY, "cached");
		if (has_places(setup.policy))
			policy_set(PLACEMENT, setup.placement);
		policy_set(COPY_POLICY, setup.policy);
	}
	r = measure(&setup);
	print_result(tsv, &setup, &r);
	measured++;
	if (result_agrees(&setup, &r))
		return;
	failed++;
	printf("FAILED: entries in a turn: %.2f by the module's count, %.2f by the GPU's\n",
	       r.entries, r.writes);
}

static void measure_policies(struct setup setup)
{
	u32 i, k;

	for (i = 0; i < policies.count; i++) {
		setup.policy = policies.words[i];
		setup.placement = "-";
		if (!has_places(setup.policy))
			measure_one(setup);
		for (k = 0; has_places(setup.policy) && k < placements.count; k++) {
			setup.placement = placements.words[k];
			measure_one(setup);
		}
	}
}

/* Reserve graphics memory for so many vGPUs, unless those of guests exist already. */
static void prepare(u32 number)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", number < PAPERS_VGPUS ? PAPERS_VGPUS : number);
	if (planning)
		return;
	policy_set(COPY_POLICY, "cached");
	if (!guests)
		policy_set("max_vgpus", text);
	measure_init();
}

static void add(const char *type, u32 use)
{
	if (planning)
		planned_us += VGPU_US;
	else
		clients_add(type, use);
}

static void remove_all(void)
{
	if (!planning)
		clients_remove();
}

/*
 * Equal vGPUs that always have work. Their size changes only the places: so one load is enough for
 * sizes other than the first.
 */
static void measure_equal(u32 index, u32 number)
{
	struct setup setup = {
		.set = guests ? "guests" : "equal",
		.high = types.words[index],
		.vgpus = number,
		.guests = guests,
	};
	char type[64];
	u32 i;

	if (number <= guests)
		tap_die("%u vGPUs, %u of them guests': none is left to be measured", number,
			guests);
	prepare(number);
	snprintf(type, sizeof(type), "gslot-L64-H%s", setup.high);
	for (i = guests; i < number; i++)
		add(type, ALWAYS);
	for (i = 0; i < load_names.count; i++) {
		setup.load = load_find(load_names.words[i]);
		if (!index || !strcmp(setup.load->name, "ggtt"))
			measure_policies(setup);
	}
	remove_all();
}

/* The kind of a set's next vGPU: kinds alternate. */
static u32 next_kind(u32 *left)
{
	u32 kind = 0, i;

	for (i = 1; i < ARRAY_SIZE(kinds); i++)
		if (left[i] > left[kind])
			kind = i;
	left[kind]--;
	return kind;
}

/* Whether a placement uses utilisation, and the module offers it. */
static bool by_use(void)
{
	char path[MDEV_PATH_MAX];
	u64 use;
	u32 i;

	for (i = 0; i < placements.count; i++)
		if (!strcmp(placements.words[i], "utilization") ||
		    !strcmp(placements.words[i], "optimal"))
			return planning || (counters_gpu_path(path, "vgpus") &&
					    file_scan_number(path, "use", &use));
	return false;
}

static void run_monitor(const struct load *load)
{
	if (!by_use())
		return;
	planned_us += LEARN_US;
	if (planning)
		return;
	clients_prepare(load, false);
	clients_run(load, now_us() + LEARN_US, 0);
	clients_stop(load);
}

static void measure_mix(const struct mix *mix)
{
	struct setup setup = { .set = mix->name, .high = "mixed", .load = load_find("ggtt") };
	u32 left[ARRAY_SIZE(kinds)], i;

	memcpy(left, mix->of, sizeof(left));
	for (i = 0; i < ARRAY_SIZE(left); i++)
		setup.vgpus += left[i];
	prepare(setup.vgpus);
	for (i = 0; i < setup.vgpus; i++) {
		const struct kind *kind = &kinds[next_kind(left)];

		add(kind->type, kind->use);
	}
	run_monitor(setup.load);
	measure_policies(setup);
	remove_all();
}

static void measure_type(u32 index)
{
	u32 i;

	for (i = 0; list_has(&sets, "equal") && i < numbers.count; i++)
		measure_equal(index, atoi(numbers.words[i]));
}

static void measure_all(void)
{
	u32 i;

	measure_type(0);
	for (i = 0; i < ARRAY_SIZE(mixes); i++)
		if (list_has(&sets, mixes[i].name))
			measure_mix(&mixes[i]);
	for (i = 1; i < types.count; i++)
		measure_type(i);
}

static void plan(void)
{
	planning = true;
	measure_all();
	planning = false;
	printf("# %u measurements, some %llu minutes\n", planned,
	       (unsigned long long)planned_us / 60000000 + 1);
	fflush(stdout);
}

static void read_options(int argc, char **argv)
{
	static const struct list_option lists[] = {
		{ 'c', &policies, "slot,sparse,demand,predictive,cached" },
		{ 'p', &placements, "score,size,utilization,optimal" },
		{ 'n', &numbers, "3,6,9,12,15,24,32,64" },
		{ 't', &types, "384,704,1024" },
		{ 'l', &load_names, "ppgtt,i915,ggtt,long" },
		{ 's', &sets, "equal,11/2/2,2/2/11,3/6/6,6/3/6,6/6/3" },
	};
	int opt;

	list_options_default(lists, ARRAY_SIZE(lists));
	while ((opt = getopt(argc, argv, "c:p:n:t:l:s:o:g:")) > 0) {
		if (opt == 'o')
			tsv = fopen(optarg, "w");
		if (opt == 'g')
			guests = atoi(optarg);
		list_options_set(lists, ARRAY_SIZE(lists), opt, optarg);
		if (opt == '?')
			exit(2);
	}
	if (!tsv)
		tap_die("no file to write to");
}

/* A module without a choice of copy policies has one. */
static void use_offered_policy(void)
{
	if (policy_offers(COPY_POLICY, "cached"))
		return;
	list_split(&policies, strdup("cached"));
	printf("# the module has one copy policy, \"cached\"\n");
}

int main(int argc, char **argv)
{
	read_options(argc, argv);
	/* That removes the existing vGPUs. */
	if (!guests)
		vgpu_test_init(3600);
	use_offered_policy();
	plan();
	print_header(tsv);
	measure_all();
	policy_restore();
	if (failed)
		printf("FAILED: %u of %u measurements: the module's count is not the GPU's\n",
		       failed, measured);
	return failed ? 1 : 0;
}
