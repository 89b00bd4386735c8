// SPDX-License-Identifier: GPL-2.0
/*
 * Every command finds its own guest's memory, by each copy policy and placement. vGPUs with the
 * same addresses store all over their graphics memory, where they have pages and where only others
 * have. Meanwhile they are moved, and the policies are changed.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "context.h"
#include "counters.h"
#include "file.h"
#include "ggtt.h"
#include "gpu.h"
#include "rng.h"
#include "tap.h"
#include "thread.h"
#include "vgpu.h"

#define TENANTS		6	/* six slots each, of 28 */
#define PAGES		96	/* of each tenant */
#define STORES		24	/* in a request */
#define SLOT_ENTRIES	16384u
#define ROUNDS		4

/**
 * struct tenant - a vGPU that stores all over its graphics memory
 * @vgpu: the vGPU
 * @ctx: its contexts
 * @gpa: its pages
 * @want: the value last stored in each, by engine
 * @number: its index
 * @seqno: its requests under way, by engine
 */
struct tenant {
	struct vgpu *vgpu;
	struct context ctx[VGPU_NR_ENGINES];
	u64 gpa;
	u32 want[PAGES][VGPU_NR_ENGINES];
	u32 number;
	u32 seqno[VGPU_NR_ENGINES];
};

static const char *const copy_policies[] = { "cached", "slot", "sparse", "demand", "predictive" };
static const char *const placements[] = { "score", "size", "utilization", "optimal" };

static struct tenant tenants[TENANTS];
static struct rng rng = { 1 };
static u32 value;

/* Whether the GPU has slots enough for the smallest vGPU. */
static bool have_slots;

static void restore(void)
{
	gpu_attr_set("copy_policy", "cached");
	gpu_attr_set("placement", "optimal");
}

/* The address of page @page of tenant @number. The next page is another tenant's. */
static u64 address(const struct tenant *t, u32 number, u32 page)
{
	u64 offset = ((u64)page * TENANTS + number) * PAGE_SIZE;
	u64 room = page & 1 ? t->vgpu->high_size : t->vgpu->low_size;
	/* The library uses the first and the last megabytes. */
	u64 step = (room - MB(32)) / PAGES / PAGE_SIZE * PAGE_SIZE;

	return (page & 1 ? GEN_LOW_GM_SIZE : 0) + MB(16) + page * step + offset % MB(2);
}

static void tenant_init(struct tenant *t, u32 number)
{
	u32 i;

	memset(t, 0, sizeof(*t));
	t->vgpu = vgpu_new(MDEV_TYPE_SMALL);
	t->number = number;
	for (i = 0; i < VGPU_NR_ENGINES; i++)
		context_init(&t->ctx[i], t->vgpu, i, NULL);
	t->gpa = ram_alloc(&t->vgpu->ram, PAGES);
	for (i = 0; i < PAGES; i++)
		ggtt_set(t->vgpu, address(t, number, i),
			 (t->gpa + (u64)i * PAGE_SIZE) | GEN_PTE_PRESENT);
	ggtt_flush(t->vgpu);
}

/* Half of the stores go to addresses where only another tenant has a page. */
static void submit(struct tenant *t, u32 engine)
{
	struct context *ctx = &t->ctx[engine];
	u32 i;

	request_begin(ctx);
	for (i = 0; i < STORES; i++) {
		u32 page = rng_below(&rng, PAGES), other = rng_below(&rng, TENANTS);

		if (i & 1) {
			other = (t->number + 1 + rng_below(&rng, TENANTS - 1)) % TENANTS;
			cs_store(&ctx->ring, GGTT, address(t, other, page) + engine * 64,
				 0xbad00000 | t->number);
			continue;
		}
		t->want[page][engine] = ++value;
		cs_store(&ctx->ring, GGTT, address(t, t->number, page) + engine * 64, value);
	}
	t->seqno[engine] = request_end(ctx);
	context_submit(ctx);
}

static u32 finish(struct tenant *t, u32 engine)
{
	return !request_wait(&t->ctx[engine], t->seqno[engine], SOON_MS) ||
	       !engine_wait_idle(t->ctx[engine].engine, SOON_MS) || t->ctx[engine].engine->bad;
}

/* Return: how many dwords differ from the value last stored. */
static u32 count_wrong(const struct tenant *t)
{
	u32 page, engine, wrong = 0;

	for (page = 0; page < PAGES; page++)
		for (engine = 0; engine < VGPU_NR_ENGINES; engine++)
			wrong += ram_read32(&t->vgpu->ram, t->gpa + (u64)page * PAGE_SIZE +
					    engine * 64) != t->want[page][engine];
	return wrong;
}

/* All tenants submit on all engines, then @meanwhile is called. */
static void run(const char *name, void (*meanwhile)(u32 round))
{
	u32 round, i, e, lost = 0, wrong = 0;

	for (round = 0; round < ROUNDS; round++) {
		for (e = 0; e < VGPU_NR_ENGINES; e++)
			for (i = 0; i < TENANTS; i++)
				submit(&tenants[i], e);
		if (meanwhile)
			meanwhile(round);
		for (e = 0; e < VGPU_NR_ENGINES; e++)
			for (i = 0; i < TENANTS; i++)
				lost += finish(&tenants[i], e);
		for (i = 0; i < TENANTS; i++)
			wrong += count_wrong(&tenants[i]);
	}
	tap_eq(lost, 0, "%s: every request completes", name);
	tap_eq(wrong, 0, "%s: each vGPU's memory has its own stores only", name);
}

static u32 unset;

static void change_rule(u32 round __maybe_unused)
{
	unset += gpu_attr_set("copy_policy", copy_policies[rng_below(&rng, 5)]) != 0;
}

static void change_placement(u32 round)
{
	unset += gpu_attr_set("placement", placements[(round + 1) % 4]) != 0;
}

/* A vGPU that is opened and closed makes others move. */
static void come_and_go(u32 round)
{
	struct vgpu *vgpu = vgpu_new(round & 1 ? MDEV_TYPE_HUGE : MDEV_TYPE_LOW128);

	unset += !vgpu_works(vgpu);
	vgpu_free(vgpu);
}

static void check_sharing(void)
{
	char name[64];
	u32 i, k;

	for (i = 0; i < TENANTS; i++)
		tenant_init(&tenants[i], i);
	for (i = 0; i < ARRAY_SIZE(copy_policies); i++) {
		for (k = 0; k < ARRAY_SIZE(placements); k++) {
			unset += gpu_attr_set("placement", placements[k]) != 0;
			unset += gpu_attr_set("copy_policy", copy_policies[i]) != 0;
			snprintf(name, sizeof(name), "%s, %s", copy_policies[i], placements[k]);
			run(name, NULL);
			if (!i)
				break;
		}
	}
	run("the copy policy changes", change_rule);
	gpu_attr_set("copy_policy", "demand");
	run("the placement changes", change_placement);
	gpu_attr_set("placement", "size");
	run("a vGPU comes and goes", come_and_go);
	gpu_attr_set("copy_policy", "predictive");
	gpu_attr_set("placement", "optimal");
	run("a vGPU comes and goes, predictive", come_and_go);
	tap_eq(unset, 0, "all that was set was accepted");
	for (i = 0; i < TENANTS; i++) {
		tap_ok(ram_canary_intact(&tenants[i].vgpu->ram), "vGPU %u: no stray write", i);
		tap_eq(counters_number(tenants[i].vgpu, "exec", "refused"), 0, "none was refused");
		vgpu_free(tenants[i].vgpu);
	}
	tap_eq(counters_gpu_number("ggtt", "runs_held"), 0, "no run is held without vGPUs");
	tap_eq(counters_gpu_number("ggtt", "runs_resident"), 0, "none is resident");
	restore();
}

/* There is a thread that loads as long as there are places: another one each time. */
static void check_loader(void)
{
	struct vgpu *vgpu = vgpu_new(MDEV_TYPE_SMALL);
	u32 round, i;

	for (round = 0; round < 2; round++)
		for (i = 0; i < ARRAY_SIZE(copy_policies); i++)
			tap_ok(!gpu_attr_set("copy_policy", copy_policies[i]) &&
			       vgpu_works(vgpu) && !thread_find("gslot/load") == !i,
			       "%s: a vGPU works, with %s thread that loads", copy_policies[i],
			       i ? "a" : "no");
	restore();
	tap_ok(!thread_find("gslot/load"), "cached again: no thread");
	vgpu_free(vgpu);
}

/* Offsets in the page of a waiting context. */
#define GO	0
#define DONE	64

/* A vGPU is moved again and again while its request waits for a semaphore. */
static void check_moved_in_mid_request(void)
{
	struct vgpu *vgpu = vgpu_new(MDEV_TYPE_SMALL), *other = vgpu_new(MDEV_TYPE_SMALL);
	struct context ctx[VGPU_NR_ENGINES];
	u32 i, e, seqno[VGPU_NR_ENGINES], lost = 0, early = 0;
	u64 gpa[VGPU_NR_ENGINES], addr;

	for (e = 0; e < VGPU_NR_ENGINES; e++) {
		context_init(&ctx[e], vgpu, e, NULL);
		gpa[e] = ram_alloc(&vgpu->ram, 1);
		addr = e & 1 ? ggtt_bind_low(vgpu, gpa[e], 1) : ggtt_bind(vgpu, gpa[e], 1);
		request_begin(&ctx[e]);
		cs_semaphore_wait(&ctx[e].ring, GGTT, addr + GO, SEMAPHORE_EQ, 1);
		cs_store(&ctx[e].ring, GGTT, addr + DONE, e + 1);
		seqno[e] = request_end(&ctx[e]);
		context_submit(&ctx[e]);
		lost += !request_wait_started(&ctx[e], seqno[e], SOON_MS);
	}
	for (i = 0; i < ARRAY_SIZE(copy_policies) * 2; i++) {
		lost += gpu_attr_set("copy_policy",
				     copy_policies[(i + 1) % ARRAY_SIZE(copy_policies)]) != 0;
		lost += !vgpu_works(other);
		for (e = 0; e < VGPU_NR_ENGINES; e++)
			early += request_done(&ctx[e], seqno[e]);
	}
	for (e = 0; e < VGPU_NR_ENGINES; e++) {
		ram_write32(&vgpu->ram, gpa[e] + GO, 1);
		memory_fence();
		lost += !request_wait(&ctx[e], seqno[e], SOON_MS) ||
			!engine_wait_idle(ctx[e].engine, SOON_MS);
		lost += ram_read32(&vgpu->ram, gpa[e] + DONE) != e + 1;
	}
	tap_eq(early, 0, "a request that waits continues to wait while its vGPU moves");
	tap_eq(lost, 0, "it then stores into its own memory");
	vgpu_free(vgpu);
	vgpu_free(other);
	restore();
}

static u64 copies(const char *key)
{
	return counters_gpu_number("copies", key);
}

/* gScale's and DymGPU's rule: each turn loads every slot that another vGPU shares. */
static void check_slot_rule(void)
{
	struct vgpu *vgpu[2] = { vgpu_new(MDEV_TYPE_SMALL), vgpu_new(MDEV_TYPE_SMALL) };
	u64 loads, low, high;
	u32 i, bad = 0;

	bad += gpu_attr_set("copy_policy", "slot") != 0;
	for (i = 0; i < 2; i++)
		bad += !vgpu_works(vgpu[i]);
	loads = copies("loads");
	low = copies("entries_low");
	high = copies("entries_high");
	for (i = 0; i < 8; i++)
		bad += !vgpu_works(vgpu[i % 2]);
	loads = copies("loads") - loads;
	tap_eq(bad, 0, "slot: two vGPUs work in turns");
	tap_ok(loads >= 8, "slot: they take %llu switches", (unsigned long long)loads);
	tap_eq(copies("entries_low") - low, loads * SLOT_ENTRIES,
	       "slot: each switch writes all of low graphics memory");
	/* Each is reset before it works, so unshared slots are written again, too. */
	tap_eq((copies("entries_high") - high) % SLOT_ENTRIES, 0,
	       "slot: each switch writes whole slots of high graphics memory");
	vgpu_free(vgpu[1]);
	bad = !vgpu_works(vgpu[0]);
	loads = copies("loads");
	for (i = 0; i < 4; i++) {
		struct context ctx;

		context_init(&ctx, vgpu[0], i, NULL);
		request_begin(&ctx);
		bad += !request_run(&ctx, request_end(&ctx));
	}
	tap_eq(bad, 0, "slot: one vGPU alone works");
	tap_eq(copies("loads"), loads, "slot: it needs no loading");
	vgpu_free(vgpu[0]);
	restore();
}

#define UNIT_PAGES	16
#define BORDER_DWORDS	8

/* A store that begins in the last page of a unit, and ends in the next one. */
static bool store_across(struct context *ctx, u64 border, u64 gpa, u32 first)
{
	struct ram *ram = &ctx->vgpu->ram;
	u32 i, bad = 0;

	request_begin(ctx);
	cs_dw(&ctx->ring, MI_CMD(OP_MI_STORE_DATA_IMM) | MI_USE_GGTT | (BORDER_DWORDS + 1));
	cs_dw(&ctx->ring, lower_32_bits(border - 16));
	cs_dw(&ctx->ring, 0);
	for (i = 0; i < BORDER_DWORDS; i++)
		cs_dw(&ctx->ring, first + i);
	cs_noop(&ctx->ring, 1);
	bad += !request_run(ctx, request_end(ctx));
	for (i = 0; i < BORDER_DWORDS; i++)
		bad += ram_read32(ram, gpa + PAGE_SIZE - 16 + i * sizeof(u32)) != first + i;
	return !bad;
}

/* Such a store names one unit and finds both, with two vGPUs at the same addresses. */
static void check_borders(const char *policy)
{
	struct context ctx[2];
	u64 border[2], gpa[2];
	u32 i, k, bad = 0;

	bad += gpu_attr_set("copy_policy", policy) != 0;
	for (i = 0; i < 2; i++) {
		struct vgpu *vgpu = vgpu_new(MDEV_TYPE_SMALL);

		context_init(&ctx[i], vgpu, BCS, NULL);
		gpa[i] = ram_alloc(&vgpu->ram, 2);
		border[i] = MB(32) + UNIT_PAGES * PAGE_SIZE;
		ggtt_map(vgpu, border[i] - PAGE_SIZE, gpa[i], 2);
		ggtt_flush(vgpu);
	}
	for (k = 0; k < 4; k++)
		for (i = 0; i < 2; i++)
			bad += !store_across(&ctx[i], border[i], gpa[i], k << 16 | i << 8);
	tap_eq(bad, 0, "%s: stores across a border of units find both", policy);
	for (i = 0; i < 2; i++)
		vgpu_free(ctx[i].vgpu);
	restore();
}

/* The first slot of a vGPU; -1: none. */
static int place_of(const struct vgpu *vgpu)
{
	char path[512], text[16384], *at;

	if (!counters_gpu_path(path, "slots") || file_read(path, text, sizeof(text)) < 0)
		tap_die("no slots in debugfs");
	at = strstr(text, vgpu->uuid);
	return at && (at = strstr(at, "place=")) ? atoi(at + strlen("place=")) : -2;
}

/* An idle vGPU loses its place, and gets one again with its next request. */
static void check_idle(void)
{
	struct vgpu *idle = vgpu_new(MDEV_TYPE_SMALL), *busy = vgpu_new(MDEV_TYPE_SMALL);
	u32 bad = 0;

	bad += gpu_attr_set("idle_ms", "1") != 0 || gpu_attr_set("copy_policy", "slot") != 0;
	tap_ok(wait_for(place_of(idle) == -1, SOON_MS), "an idle vGPU loses its place");
	tap_ok(vgpu_works(idle), "it works at once");
	bad += gpu_attr_set("idle_ms", "3600000") != 0;
	bad += !vgpu_works(idle) || !vgpu_works(busy);
	tap_ok(wait_for(place_of(idle) >= 0 && place_of(busy) >= 0, SOON_MS),
	       "it has a place again");
	tap_ok(vgpu_works(idle) && vgpu_works(busy), "it works there");
	tap_eq(bad, 0, "all that was set was accepted");
	vgpu_free(idle);
	vgpu_free(busy);
	gpu_attr_set("idle_ms", "20000");
	restore();
}

static void check_bad_input(void)
{
	static const char *const bad[] = { "\n", "slo", "slots", "cached slot", "[slot]", "0" };
	char path[512];
	u32 i;

	tap_ok(gpu_attr_is("copy_policy", "cached"), "the default copy policy is `cached`");
	tap_ok(gpu_attr_is("placement", "optimal"), "the default placement is `optimal`");
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		tap_eq(-gpu_attr_set("copy_policy", bad[i]), EINVAL,
		       "bad copy policy %u is refused", i);
		tap_eq(-gpu_attr_set("placement", bad[i]), EINVAL,
		       "bad placement %u is refused", i);
	}
	memset(path, 's', sizeof(path) - 1);
	path[sizeof(path) - 1] = 0;
	tap_eq(-gpu_attr_set("copy_policy", path), EINVAL, "a long name is refused");
	tap_ok(gpu_attr_is("copy_policy", "cached"), "the copy policy is unchanged");
	tap_eq(-gpu_attr_set("copy_policy", "demand\n"), 0, "a name is accepted");
	tap_ok(gpu_attr_is("copy_policy", "demand"), "it is read back");
	restore();
}

/* The smallest vGPU needs more slots than there are. */
static void check_no_room(void)
{
	struct vgpu *vgpu = vgpu_new(MDEV_TYPE_SMALL);
	char uuid[MDEV_UUID_SIZE];

	tap_eq(-gpu_attr_set("copy_policy", "slot"), ENOSPC,
	       "a policy with places is refused for want of slots");
	tap_ok(gpu_attr_is("copy_policy", "cached"), "the copy policy stays");
	tap_ok(!thread_find("gslot/load"), "no thread that loads is left");
	tap_ok(vgpu_works(vgpu), "the vGPU works");
	vgpu_free(vgpu);
	tap_eq(-gpu_attr_set("copy_policy", "slot"), 0, "it is accepted without open vGPUs");
	mdev_new_uuid(uuid);
	tap_eq(-mdev_create(MDEV_TYPE_SMALL, uuid), 0, "a vGPU can be created");
	tap_ok(!vgpu_open(uuid) && errno == ENOSPC, "it cannot be opened");
	restore();
	vgpu = vgpu_open(uuid);
	tap_ok(vgpu && vgpu_works(vgpu), "it works when it needs no place");
	if (vgpu)
		vgpu_free(vgpu);
}

int main(void)
{
	u32 i;

	vgpu_test_init(600);
	if (!gpu_attr_offers("copy_policy", "slot"))
		tap_skip_all("the module has no copy policies with places");
	atexit(restore);
	have_slots = counters_gpu_number("slots", "slots") >= 6;
	check_bad_input();
	if (have_slots) {
		check_loader();
		check_slot_rule();
		for (i = 0; i < ARRAY_SIZE(copy_policies); i++)
			check_borders(copy_policies[i]);
		check_idle();
		check_moved_in_mid_request();
		check_sharing();
	} else {
		check_no_room();
	}
	return vgpu_test_done();
}
