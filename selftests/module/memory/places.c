// SPDX-License-Identifier: GPL-2.0
/*
 * However graphics memory is shared: every command finds its guest's memory, and nobody else's.
 * vGPUs with the same addresses, and so the same places, store all over their graphics memory,
 * where they have pages and where only others have; they are moved, and what decides where they
 * are and what is loaded is changed, while their requests are queued and executed.
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
#include "vgpu.h"

#define TENANTS		6	/* of six slots each, where there are 28 */
#define PAGES		96	/* of each, and as many places for them as there are tenants */
#define STORES		24	/* of a request */
#define SLOT_ENTRIES	16384u
#define ROUNDS		4

/**
 * struct tenant - a vGPU that stores all over its graphics memory
 * @vgpu: the vGPU
 * @ctx: its contexts
 * @gpa: its pages
 * @want: what is to be in each, by engine
 * @number: which it is
 * @seqno: of the requests under way
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

/* Has the GPU of this test host slots enough for the smallest vGPU? */
static bool have_slots;

static void restore(void)
{
	gpu_attr_set("copy_policy", "cached");
	gpu_attr_set("placement", "optimal");
}

/*
 * Where page @page of tenant @number is: spread over all that it has, low and high; the page
 * behind it is another tenant's.
 */
static u64 address(const struct tenant *t, u32 number, u32 page)
{
	u64 offset = ((u64)page * TENANTS + number) * PAGE_SIZE;
	u64 room = page & 1 ? t->vgpu->high_size : t->vgpu->low_size;
	/* The first megabytes, and the last ones, are the library's. */
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

/* Half of the stores are where somebody else has a page, at the same address, and it has none. */
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

/* Return: how many dwords are not what was stored there last. */
static u32 count_wrong(const struct tenant *t)
{
	u32 page, engine, wrong = 0;

	for (page = 0; page < PAGES; page++)
		for (engine = 0; engine < VGPU_NR_ENGINES; engine++)
			wrong += ram_read32(&t->vgpu->ram, t->gpa + (u64)page * PAGE_SIZE +
					    engine * 64) != t->want[page][engine];
	return wrong;
}

/* All on all engines at once; @meanwhile is done while that is under way. */
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
	tap_eq(lost, 0, "%s: every request is done", name);
	tap_eq(wrong, 0, "%s: each has stored into its own memory, and nobody else has", name);
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

/* One that comes and goes makes others move. */
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
	run("one comes and goes", come_and_go);
	gpu_attr_set("copy_policy", "predictive");
	gpu_attr_set("placement", "optimal");
	run("one comes and goes, predictive", come_and_go);
	tap_eq(unset, 0, "all that was set was accepted");
	for (i = 0; i < TENANTS; i++) {
		tap_ok(ram_canary_intact(&tenants[i].vgpu->ram), "vGPU %u: no stray write", i);
		tap_eq(counters_number(tenants[i].vgpu, "exec", "refused"), 0, "none was refused");
		vgpu_free(tenants[i].vgpu);
	}
	tap_eq(counters_gpu_number("ggtt", "runs_held"), 0, "nothing is held by nobody");
	tap_eq(counters_gpu_number("ggtt", "runs_resident"), 0, "and nothing resident");
	restore();
}

/* Where in its page a context that waits finds what. */
#define GO	0
#define DONE	64

/* In the middle of its request, another one queued behind it, a vGPU is moved again and again. */
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
	tap_eq(early, 0, "who waits in the middle of a request goes on waiting");
	tap_eq(lost, 0, "and finds its memory wherever that is by then");
	vgpu_free(vgpu);
	vgpu_free(other);
	restore();
}

static u64 copies(const char *key)
{
	return counters_gpu_number("copies", key);
}

/* gScale's and DymGPU's rule: all of a slot that others are in, too, each time. */
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
	tap_eq(bad, 0, "two vGPUs work in turns, by the rule `slot`");
	tap_ok(loads >= 8, "which takes %llu switches", (unsigned long long)loads);
	tap_eq(copies("entries_low") - low, loads * SLOT_ENTRIES,
	       "all of low graphics memory is written at each");
	/* Each is reset before it works, so what it has alone is written anew. */
	tap_eq((copies("entries_high") - high) % SLOT_ENTRIES, 0, "and slots of high, whole");
	vgpu_free(vgpu[1]);
	bad = !vgpu_works(vgpu[0]);
	loads = copies("loads");
	for (i = 0; i < 4; i++) {
		struct context ctx;

		context_init(&ctx, vgpu[0], i, NULL);
		request_begin(&ctx);
		bad += !request_run(&ctx, request_end(&ctx));
	}
	tap_eq(bad, 0, "one is left");
	tap_eq(copies("loads"), loads, "and needs no loading");
	vgpu_free(vgpu[0]);
	restore();
}

#define UNIT_PAGES	16
#define BORDER_DWORDS	8

/* One store that begins in the last page of a unit of 16, and ends in the next one. */
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

/* Both units are there for such a store, though it names one: two vGPUs, at the same addresses. */
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
	tap_eq(bad, 0, "%s: stores across a border find both sides", policy);
	for (i = 0; i < 2; i++)
		vgpu_free(ctx[i].vgpu);
	restore();
}

/* The first slot of a vGPU as the placement knows it; -1: none. */
static int place_of(const struct vgpu *vgpu)
{
	char path[512], text[16384], *at;

	if (!counters_gpu_path(path, "slots") || file_read(path, text, sizeof(text)) < 0)
		tap_die("no slots in debugfs");
	at = strstr(text, vgpu->uuid);
	return at && (at = strstr(at, "place=")) ? atoi(at + strlen("place=")) : -2;
}

/* The place of one that is idle is given away; it comes back as if nothing had been. */
static void check_idle(void)
{
	struct vgpu *idle = vgpu_new(MDEV_TYPE_SMALL), *busy = vgpu_new(MDEV_TYPE_SMALL);
	u32 bad = 0;

	bad += gpu_attr_set("idle_ms", "1") != 0 || gpu_attr_set("copy_policy", "slot") != 0;
	tap_ok(wait_for(place_of(idle) == -1, SOON_MS), "the place of one that is idle is free");
	tap_ok(vgpu_works(idle), "which works at once when it has work");
	bad += gpu_attr_set("idle_ms", "3600000") != 0;
	bad += !vgpu_works(idle) || !vgpu_works(busy);
	tap_ok(wait_for(place_of(idle) >= 0 && place_of(busy) >= 0, SOON_MS),
	       "and has a place again");
	tap_ok(vgpu_works(idle) && vgpu_works(busy), "where it works");
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

	tap_ok(gpu_attr_is("copy_policy", "cached"), "residency is a cache at first");
	tap_ok(gpu_attr_is("placement", "optimal"), "and the placement would be `optimal`");
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		tap_eq(-gpu_attr_set("copy_policy", bad[i]), EINVAL, "no copy policy, %u", i);
		tap_eq(-gpu_attr_set("placement", bad[i]), EINVAL, "no placement, %u", i);
	}
	memset(path, 's', sizeof(path) - 1);
	path[sizeof(path) - 1] = 0;
	tap_eq(-gpu_attr_set("copy_policy", path), EINVAL, "nor a long name");
	tap_ok(gpu_attr_is("copy_policy", "cached"), "it stays as it is");
	tap_eq(-gpu_attr_set("copy_policy", "demand\n"), 0, "a name is set");
	tap_ok(gpu_attr_is("copy_policy", "demand"), "and read");
	restore();
}

/* Less graphics memory than the smallest vGPU would need. */
static void check_no_room(void)
{
	struct vgpu *vgpu = vgpu_new(MDEV_TYPE_SMALL);
	char uuid[MDEV_UUID_SIZE];

	tap_eq(-gpu_attr_set("copy_policy", "slot"), ENOSPC,
	       "there are not enough slots for a vGPU");
	tap_ok(gpu_attr_is("copy_policy", "cached"), "so it stays as it is");
	tap_ok(vgpu_works(vgpu), "and the vGPU works");
	vgpu_free(vgpu);
	tap_eq(-gpu_attr_set("copy_policy", "slot"), 0, "without vGPUs it is accepted");
	mdev_new_uuid(uuid);
	tap_eq(-mdev_create(MDEV_TYPE_SMALL, uuid), 0, "a vGPU can be made");
	tap_ok(!vgpu_open(uuid) && errno == ENOSPC, "but not opened");
	restore();
	vgpu = vgpu_open(uuid);
	tap_ok(vgpu && vgpu_works(vgpu), "until it needs no place");
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
