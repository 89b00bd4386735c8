// SPDX-License-Identifier: GPL-2.0
/*
 * The policy by which vGPUs get the GPU, and what each is to have of it: an administrator changes
 * both at any time, under load, and nobody's request is lost; what he cannot have is refused; and
 * what he has said is so.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "context.h"
#include "counters.h"
#include "file.h"
#include "ggtt.h"
#include "gpu.h"
#include "knob.h"
#include "rng.h"
#include "spinning.h"
#include "standstill.h"
#include "tap.h"
#include "vgpu.h"

static const char *const policies[] = { "fair", "rr", "credit", "cap" };

static const char *any_policy(struct rng *rng)
{
	return policies[rng_below(rng, ARRAY_SIZE(policies))];
}

static void restore(void)
{
	gpu_attr_set("policy", "fair");
	gpu_attr_set("exec_quantum_ms", "16");
}

/* What each is at first, and a few that it may not be. */
static const struct {
	const char *knob;
	long first;
	const char *bad[6];
} knobs[] = {
	{ WEIGHT, 100, { "0", "10001", "-1", "4294967297", "", "1 2" } },
	{ CAP, 1000, { "0", "1001", "-200", "18446744073709551617", "50%", "0x10" } },
	{ RESERVE, 0, { "1001", "4294967295", "-1", "4294967296", "all", "" } },
	{ EXEC_QUANTUM_MS, 0, { "1001", "4294967295", "-1", "4294967296", "16ms", "" } },
	{ PREEMPT_TIMEOUT_US, 640000, { "0", "999", "1000001", "-1", "4294968296", "never" } },
	{ CPU_MAX, 1000, { "9", "0", "1001", "-1", "4294967396", "50%" } },
	{ STOP, 0, { "2", "-1", "4294967296", "4294967297", "yes", "" } },
};

/* What is 0 bytes long is no write: a newline is. */
static const char *line(const char *text)
{
	return *text ? text : "\n";
}

static void check_bad_values(void)
{
	static const char *const policy[] = { "\n", "r", "rrr", "rr cap", "[rr]", "0", "fifo" };
	static const char *const ms[] = { "\n", "0", "1001", "-1", "4294967297", "16ms" };
	struct vgpu *vgpu = vgpu_new(MDEV_TYPE_SMALL);
	char text[512];
	u32 i, k;

	for (i = 0; i < ARRAY_SIZE(knobs); i++) {
		tap_eq(knob_get(vgpu->uuid, knobs[i].knob), knobs[i].first, "%s at first",
		       knobs[i].knob);
		for (k = 0; k < ARRAY_SIZE(knobs[i].bad); k++)
			tap_eq(-knob_write(vgpu->uuid, knobs[i].knob, line(knobs[i].bad[k])),
			       EINVAL, "%s is not \"%s\"", knobs[i].knob, knobs[i].bad[k]);
		tap_eq(knob_get(vgpu->uuid, knobs[i].knob), knobs[i].first, "%s stays",
		       knobs[i].knob);
	}
	tap_ok(gpu_attr_is("policy", "fair"), "the policy is fair at first");
	for (i = 0; i < ARRAY_SIZE(policy); i++)
		tap_eq(-gpu_attr_set("policy", policy[i]), EINVAL, "no policy, %u", i);
	memset(text, 'r', sizeof(text) - 1);
	text[sizeof(text) - 1] = 0;
	tap_eq(-gpu_attr_set("policy", text), EINVAL, "nor a long name");
	tap_ok(gpu_attr_is("policy", "fair"), "it stays");
	tap_eq(gpu_attr_number("exec_quantum_ms"), 16, "a turn is of 16 ms at first");
	for (i = 0; i < ARRAY_SIZE(ms); i++)
		tap_eq(-gpu_attr_set("exec_quantum_ms", ms[i]), EINVAL, "no quantum, %u", i);
	tap_eq(gpu_attr_number("exec_quantum_ms"), 16, "it stays");
	vgpu_free(vgpu);
}

/* Nobody reserves more than he may have, nor all together more than there is. */
static void check_reserve(void)
{
	struct vgpu *a = vgpu_new(MDEV_TYPE_SMALL), *b = vgpu_new(MDEV_TYPE_SMALL);

	tap_eq(knob_set(a->uuid, CAP, 600), 0, "a cap");
	tap_eq(-knob_set(a->uuid, RESERVE, 601), EINVAL, "no reserve above it");
	tap_eq(knob_set(a->uuid, RESERVE, 600), 0, "all of it");
	tap_eq(-knob_set(a->uuid, CAP, 599), EINVAL, "no cap below the reserve");
	tap_eq(-knob_set(b->uuid, RESERVE, 401), ENOSPC, "no more than others leave");
	tap_eq(knob_set(b->uuid, RESERVE, 400), 0, "that may be reserved");
	tap_eq(-knob_set(a->uuid, RESERVE, 1000), EINVAL, "or nothing");
	tap_eq(knob_get(a->uuid, RESERVE), 600, "it stays");
	vgpu_free(a);
	tap_eq(knob_set(b->uuid, RESERVE, 1000), 0, "who goes leaves his to others");
	vgpu_free(b);
}

/* One that is stopped before anybody has it open does not run when somebody has. */
static void check_stopped_before(const char *uuid)
{
	struct context ctx;
	struct vgpu *vgpu;
	u32 seqno;

	tap_eq(knob_set(uuid, STOP, 1), 0, "it is stopped");
	vgpu = vgpu_open(uuid);
	vgpu_start(vgpu);
	context_init(&ctx, vgpu, RCS, NULL);
	request_begin(&ctx);
	seqno = request_end(&ctx);
	context_submit(&ctx);
	sleep_us(300000);
	tap_ok(!request_done(&ctx, seqno), "opened, it is stopped");
	tap_eq(knob_set(uuid, STOP, 0), 0, "it is let go");
	tap_ok(request_wait(&ctx, seqno, SOON_MS) && engine_wait_idle(ctx.engine, SOON_MS),
	       "and works");
	vgpu_close(vgpu);
}

/* They are a vGPU's, whoever has it open, as long as it is there. */
static void check_life(void)
{
	char uuid[MDEV_UUID_SIZE];
	struct vgpu *vgpu;

	mdev_new_uuid(uuid);
	tap_eq(-mdev_create(MDEV_TYPE_SMALL, uuid), 0, "a vGPU that nobody has open");
	tap_eq(knob_set(uuid, WEIGHT, 300), 0, "has a weight");
	tap_eq(knob_set(uuid, CAP, 500), 0, "and a cap");
	vgpu = vgpu_open(uuid);
	vgpu_start(vgpu);
	tap_eq(knob_set(uuid, EXEC_QUANTUM_MS, 7), 0, "when it is open, a quantum");
	tap_ok(vgpu_works(vgpu), "it is reset, and works");
	tap_ok(knob_get(uuid, WEIGHT) == 300 && knob_get(uuid, CAP) == 500 &&
	       knob_get(uuid, EXEC_QUANTUM_MS) == 7, "they are what they were");
	vgpu_close(vgpu);
	tap_ok(knob_get(uuid, WEIGHT) == 300 && knob_get(uuid, CAP) == 500 &&
	       knob_get(uuid, EXEC_QUANTUM_MS) == 7, "closed, too");
	check_stopped_before(uuid);
	mdev_remove(uuid);
	tap_eq(-mdev_create(MDEV_TYPE_SMALL, uuid), 0, "a new one of the same name");
	tap_ok(knob_get(uuid, WEIGHT) == 100 && knob_get(uuid, CAP) == 1000 &&
	       knob_get(uuid, EXEC_QUANTUM_MS) == 0, "has what all have");
	mdev_remove(uuid);
}

static u64 busy_ns(const struct vgpu *vgpu)
{
	return counters_number(vgpu, "exec", "rcs0_channel: busy_ns");
}

/* Requests that an engine was never given. */
static u64 never_given(const struct vgpu *vgpu, const struct engine *engine)
{
	char path[512], key[32], text[16384], *at;

	snprintf(key, sizeof(key), "%s_channel:", engine->info->name);
	if (!counters_vgpu_path(path, vgpu, "exec") || file_read(path, text, sizeof(text)) < 0)
		tap_die("no account of requests in debugfs");
	at = strstr(text, key);
	at = at ? strstr(at, "waiting=") : NULL;
	return at ? strtoull(at + strlen("waiting="), NULL, 10) : ~0ull;
}

static bool within(u32 value, u32 min, u32 max)
{
	return value >= min && value <= max;
}

/**
 * struct part - what vGPUs had of the engine in a while
 * @share: each, per mille
 * @off: how far off each may be, per mille: what the machine stood still, then and while the same
 *	vGPUs were at work before, was somebody's, and is perhaps made up for
 */
struct part {
	u32 share[3];
	u32 off;
};

static struct part part_of(struct spinning *s, u32 count, u64 stood_us, u64 us)
{
	struct part p;

	spinning_shares(s, count, p.share, us);
	p.off = (standstill_us() - stood_us) * 1000 / us;
	if (p.off)
		tap_diag("the machine stood still for %u per mille", p.off);
	return p;
}

/* Has one what it is to have? */
static bool has(const struct part *p, u32 i, u32 min, u32 max)
{
	return p->share[i] + p->off >= min && p->share[i] <= max + p->off;
}

/* How often has @a what @b has, per cent? */
static bool has_times(const struct part *p, u32 a, u32 b, u32 min, u32 max)
{
	u32 more = p->share[a] + p->off, less = p->share[b] > p->off ? p->share[b] - p->off : 0;

	if (more * 100 < min * less)
		return false;
	more = p->share[b] + p->off;
	less = p->share[a] > p->off ? p->share[a] - p->off : 0;
	return less * 100 <= max * (more + 1);
}

/* gOver's: a part of each second and no more, whether or not others want it. */
static void check_cap(void)
{
	u64 stood = standstill_us();
	struct spinning s[2];
	struct part p;
	u32 bad = 0;

	if (!gpu_attr_offers("policy", "cap")) {
		tap_skip("the module was built without it", "the policy cap");
		return;
	}
	bad += gpu_attr_set("policy", "cap") != 0;
	spinning_begin(&s[0]);
	bad += knob_set(s[0].vgpu->uuid, CAP, 200) != 0;
	sleep_us(1000000);
	p = part_of(s, 1, stood, 3000000);
	tap_ok(has(&p, 0, 130, 270), "cap: a fifth, alone");
	spinning_begin(&s[1]);
	sleep_us(1000000);
	p = part_of(s, 2, stood, 3000000);
	tap_ok(has(&p, 0, 130, 270), "cap: a fifth, with another");
	tap_ok(p.share[1] + p.off >= 400, "cap: which has the rest, or most of it");
	bad += knob_set(s[0].vgpu->uuid, CAP, 300) != 0;
	bad += knob_set(s[1].vgpu->uuid, CAP, 600) != 0;
	sleep_us(1000000);
	p = part_of(s, 2, stood, 3000000);
	tap_ok(has_times(&p, 1, 0, 140, 280), "cap: one has twice what the other has");
	tap_ok(has(&p, 0, 210, 370) && has(&p, 1, 0, 680), "cap: as much as it may");
	tap_eq(gpu_attr_set("policy", "rr"), 0, "rr knows no caps");
	p = part_of(s, 2, stood, 2000000);
	tap_ok(has_times(&p, 0, 1, 70, 140), "rr: both have the same");
	tap_ok(spinning_end(&s[0]) && spinning_end(&s[1]), "both go on");
	tap_eq(bad, 0, "all that was set was accepted");
	restore();
}

/* By weight; a cap that holds, alone or not; and what is reserved, whatever the weights are. */
static void check_fair(void)
{
	u64 stood = standstill_us();
	struct spinning s[3];
	u32 i, bad = 0;
	struct part p;

	for (i = 0; i < 3; i++)
		spinning_begin(&s[i]);
	bad += knob_set(s[0].vgpu->uuid, WEIGHT, 400) != 0;
	bad += knob_set(s[1].vgpu->uuid, WEIGHT, 200) != 0;
	sleep_us(300000);
	p = part_of(s, 3, stood, 4000000);
	tap_ok(has_times(&p, 0, 2, 320, 500), "fair: four times the weight");
	tap_ok(has_times(&p, 1, 2, 160, 250), "fair: twice");
	bad += knob_set(s[0].vgpu->uuid, CAP, 200) != 0;
	sleep_us(500000);
	p = part_of(s, 3, stood, 3000000);
	tap_ok(has(&p, 0, 100, 230), "fair: a cap of a fifth");
	tap_ok(has_times(&p, 1, 2, 160, 250), "fair: the rest by weight");
	bad += knob_set(s[1].vgpu->uuid, WEIGHT, 1) != 0;
	bad += knob_set(s[1].vgpu->uuid, RESERVE, 500) != 0;
	sleep_us(500000);
	p = part_of(s, 3, stood, 3000000);
	tap_ok(has(&p, 1, 400, 620), "fair: a half is reserved");
	tap_ok(p.share[2] + p.off > 100, "fair: and not more");
	tap_ok(spinning_end(&s[1]) && spinning_end(&s[2]), "two are through");
	sleep_us(500000);
	p = part_of(s, 1, stood, 3000000);
	tap_ok(has(&p, 0, 100, 230), "fair: a cap holds alone");
	tap_ok(spinning_end(&s[0]), "it goes on");
	tap_eq(bad, 0, "all that was set was accepted");
}

#define BLOCKS	24

/*
 * VMCG's: a block costs a credit, and of credits one has as many as its weight says. With the
 * least of all weights that is one each second, while another has work without an end.
 */
static void check_credit(void)
{
	struct spinning other;
	struct context ctx;
	struct vgpu *vgpu;
	u32 i, seqno = 0, first, done, off, bad = 0;
	u64 stood = standstill_us();

	if (!gpu_attr_offers("policy", "credit")) {
		tap_skip("the module was built without it", "the policy credit");
		return;
	}
	bad += gpu_attr_set("policy", "credit") != 0;
	vgpu = vgpu_new(MDEV_TYPE_SMALL);
	context_init(&ctx, vgpu, RCS, NULL);
	bad += knob_set(vgpu->uuid, WEIGHT, 1) != 0;
	spinning_begin(&other);
	bad += knob_set(other.vgpu->uuid, WEIGHT, 10000) != 0;
	tap_ok(request_wait_started(&other.ctx, other.seqno, SOON_MS), "another spins");
	/* What it was given when it came is gone after a second. */
	sleep_us(1500000);
	for (i = 0; i < BLOCKS; i++) {
		request_begin(&ctx);
		seqno = request_end(&ctx);
		if (!i)
			first = seqno;
		context_submit(&ctx);
		bad += !engine_wait_promoted(ctx.engine, SOON_MS);
	}
	sleep_us(4000000);
	for (done = 0; done < BLOCKS && request_done(&ctx, first + done); done++)
		;
	off = (standstill_us() - stood) / 1000000;
	tap_diag("%u of %u blocks are done after 4 s; the machine stood still for %u s", done,
		 BLOCKS, off);
	tap_ok(within(done + off, 3, 8 + 2 * off),
	       "credit: with the least of weights a block a second");
	bad += knob_set(vgpu->uuid, WEIGHT, 10000) != 0;
	tap_ok(request_wait(&ctx, seqno, SOON_MS), "credit: and with the same all the others");
	tap_ok(engine_wait_idle(ctx.engine, SOON_MS) && !ctx.engine->bad, "credit: none is lost");
	tap_ok(spinning_end(&other), "the other one goes on");
	tap_eq(bad, 0, "all that was set was accepted");
	vgpu_free(vgpu);
	restore();
}

/* The quantum of all, and one's own. */
static void check_quantum(void)
{
	u64 stood = standstill_us();
	struct spinning s[2];
	struct part p;
	u32 bad = 0;

	if (!gpu_attr_offers("policy", "cap")) {
		tap_skip("the module was built without it", "quanta, by the policy cap");
		return;
	}
	bad += gpu_attr_set("policy", "cap") != 0;
	spinning_begin(&s[0]);
	spinning_begin(&s[1]);
	bad += knob_set(s[0].vgpu->uuid, EXEC_QUANTUM_MS, 90) != 0;
	bad += gpu_attr_set("exec_quantum_ms", "30") != 0;
	sleep_us(200000);
	p = part_of(s, 2, stood, 3000000);
	tap_ok(has_times(&p, 0, 1, 180, 450), "who has thrice the quantum has thrice the time");
	bad += knob_set(s[0].vgpu->uuid, EXEC_QUANTUM_MS, 0) != 0;
	p = part_of(s, 2, stood, 2000000);
	tap_ok(has_times(&p, 0, 1, 70, 140), "and without, the same");
	tap_ok(spinning_end(&s[0]) && spinning_end(&s[1]), "both go on");
	tap_eq(bad, 0, "all that was set was accepted");
	restore();
}

/* A vGPU that is stopped stands still, whatever else is done with it, until it is let go. */
static void check_stop(void)
{
	struct vgpu *other = vgpu_new(MDEV_TYPE_SMALL);
	struct spinning s, rest;
	struct context ctx;
	u32 i, seqno = 0, bad = 0;
	struct part p;
	u64 busy;

	spinning_begin(&s);
	tap_ok(request_wait_started(&s.ctx, s.seqno, SOON_MS), "one spins");
	tap_eq(knob_set(s.vgpu->uuid, STOP, 1), 0, "and is stopped");
	busy = busy_ns(s.vgpu);
	tap_ok(vgpu_works(other), "others work");
	context_init(&ctx, s.vgpu, BCS, NULL);
	for (i = 0; i < 3; i++) {
		request_begin(&ctx);
		seqno = request_end(&ctx);
		context_submit(&ctx);
		bad += !engine_wait_promoted(ctx.engine, SOON_MS);
	}
	tap_eq(bad, 0, "what it submits is taken");
	tap_eq(never_given(s.vgpu, ctx.engine), 3, "and waits");
	spinning_begin(&rest);
	p = part_of(&rest, 1, standstill_us(), 1000000);
	tap_ok(p.share[0] + p.off >= 800, "another has all of the time");
	bad += !spinning_end(&rest);
	/* All that makes vGPUs stand still for a moment, and go on. */
	bad += gpu_attr_try("policy", "cap") != 0 || gpu_attr_try("policy", "rr") != 0;
	gpu_attr_set("copy_policy", "sparse");
	gpu_attr_set("copy_policy", "cached");
	bad += knob_set(s.vgpu->uuid, STOP, 1) != 0 || knob_set(s.vgpu->uuid, WEIGHT, 7) != 0;
	sleep_us(500000);
	tap_eq(busy_ns(s.vgpu), busy, "it has not run");
	tap_ok(!request_done(&ctx, seqno), "nothing of it");
	tap_eq(knob_set(s.vgpu->uuid, STOP, 0), 0, "it is let go");
	tap_ok(request_wait(&ctx, seqno, SOON_MS) && engine_wait_idle(ctx.engine, SOON_MS),
	       "what it submitted is done");
	tap_eq(never_given(s.vgpu, ctx.engine), 0, "and nothing waits");
	tap_ok(wait_for(busy_ns(s.vgpu) > busy, SOON_MS), "and it spins again");

	bad += knob_set(s.vgpu->uuid, STOP, 1) != 0;
	tap_ok(vgpu_reset(s.vgpu), "it is reset while it is stopped");
	context_init(&s.ctx, s.vgpu, RCS, NULL);
	request_begin(&s.ctx);
	seqno = request_end(&s.ctx);
	context_submit(&s.ctx);
	sleep_us(300000);
	tap_ok(!request_done(&s.ctx, seqno), "and still stopped");
	tap_ok(engine_reset(s.ctx.engine), "its guest can reset an engine");
	bad += knob_set(s.vgpu->uuid, STOP, 0) != 0;
	tap_ok(vgpu_works(s.vgpu), "and works when it is let go");
	bad += knob_set(s.vgpu->uuid, STOP, 1) != 0;
	tap_eq(-vgpu_free(s.vgpu), 0, "one that is stopped can be removed");
	tap_eq(bad, 0, "all that was set was accepted");
	vgpu_free(other);
}

/*
 * How long one request of @good waits for @bad, which never yields, ms; and how much of that the
 * machine may have stood still.
 */
static u32 wait_behind(struct vgpu *good, struct vgpu *bad, u32 *off)
{
	struct context endless, ctx;
	struct spinner spin;
	u64 t0, stood;
	u32 seqno;

	vgpu_reset(bad);
	vgpu_reset(good);
	context_init(&endless, bad, RCS, NULL);
	context_init(&ctx, good, RCS, NULL);
	spinner_init(&spin, &endless, false);
	seqno = spinner_request(&spin, &endless);
	context_submit(&endless);
	if (!request_wait_started(&endless, seqno, SOON_MS))
		return 0;
	request_begin(&ctx);
	seqno = request_end(&ctx);
	stood = standstill_us();
	t0 = now_us();
	context_submit(&ctx);
	if (!request_wait(&ctx, seqno, SOON_MS))
		return 0;
	t0 = now_us() - t0;
	*off = (standstill_us() - stood) / 1000;
	engine_wait_idle(ctx.engine, SOON_MS);
	spinner_end(&spin);
	engine_reset(endless.engine);
	endless.engine->bad = false;
	tap_diag("waited for %llu ms; the machine stood still for %u",
		 (unsigned long long)t0 / 1000, *off);
	return t0 / 1000;
}

static void check_preempt_timeout(void)
{
	struct vgpu *good = vgpu_new(MDEV_TYPE_SMALL), *bad = vgpu_new(MDEV_TYPE_SMALL);
	u32 ms[2], off;

	ms[0] = wait_behind(good, bad, &off);
	tap_eq(knob_set(bad->uuid, PREEMPT_TIMEOUT_US, 20000), 0, "less time to yield");
	ms[1] = wait_behind(good, bad, &off);
	tap_ok(ms[0] >= 600, "by default one waits for who does not yield");
	tap_ok(ms[1] && ms[1] * 2 < ms[0] + 2 * off, "and less if that one has less time");
	tap_ok(vgpu_works(bad) && vgpu_works(good), "both work");
	vgpu_free(good);
	vgpu_free(bad);
}

#define TENANTS	4
#define ROUNDS	12
#define STORES	16

/**
 * struct tenant - a vGPU that has work on all engines
 * @vgpu: the vGPU
 * @ctx: its contexts
 * @gpa: their pages
 * @addr: where these are
 * @seqno: of the requests under way
 */
struct tenant {
	struct vgpu *vgpu;
	struct context ctx[VGPU_NR_ENGINES];
	u64 gpa;
	u64 addr;
	u32 seqno[VGPU_NR_ENGINES];
};

static struct tenant tenants[TENANTS];
static struct rng rng = { 7 };

static void tenant_init(struct tenant *t)
{
	u32 i;

	t->vgpu = vgpu_new(MDEV_TYPE_SMALL);
	t->gpa = ram_alloc(&t->vgpu->ram, VGPU_NR_ENGINES);
	t->addr = ggtt_bind(t->vgpu, t->gpa, VGPU_NR_ENGINES);
	for (i = 0; i < VGPU_NR_ENGINES; i++)
		context_init(&t->ctx[i], t->vgpu, i, NULL);
}

/* A few requests on each engine, the last of them of @value. Return: how many were not taken. */
static u32 tenant_submit(struct tenant *t, u32 value)
{
	u32 e, k, i, bad = 0;

	for (k = 0; k < 3; k++) {
		for (e = 0; e < VGPU_NR_ENGINES; e++) {
			struct context *ctx = &t->ctx[e];

			request_begin(ctx);
			for (i = 0; i < STORES; i++)
				cs_store(&ctx->ring, GGTT, t->addr + e * PAGE_SIZE + i * 4,
					 value + k + i);
			t->seqno[e] = request_end(ctx);
			context_submit(ctx);
			bad += !engine_wait_promoted(ctx->engine, SOON_MS);
		}
	}
	return bad;
}

/* Return: how many requests are not done, or have not stored what they should. */
static u32 tenant_finish(struct tenant *t, u32 value)
{
	u32 e, i, bad = 0;

	for (e = 0; e < VGPU_NR_ENGINES; e++) {
		struct context *ctx = &t->ctx[e];

		bad += !request_wait(ctx, t->seqno[e], SOON_MS) ||
		       !engine_wait_idle(ctx->engine, SOON_MS) || ctx->engine->bad;
		for (i = 0; i < STORES; i++)
			bad += ram_read32(&t->vgpu->ram, t->gpa + e * PAGE_SIZE + i * 4) !=
			       value + 2 + i;
	}
	return bad;
}

/* Policies and knobs change while requests are queued, run and end; nobody notices. */
static void check_change_under_load(void)
{
	u32 round, i, k, bad = 0, unset = 0, value = 0x1000000;

	for (i = 0; i < TENANTS; i++)
		tenant_init(&tenants[i]);
	for (round = 0; round < ROUNDS; round++) {
		for (i = 0; i < TENANTS; i++)
			bad += tenant_submit(&tenants[i], value + (i << 16));
		for (k = 0; k < 6; k++) {
			struct tenant *t = &tenants[rng_below(&rng, TENANTS)];

			unset += gpu_attr_try("policy", any_policy(&rng)) != 0;
			unset += knob_set(t->vgpu->uuid, CAP,
					  100 + rng_below(&rng, 900)) != 0;
			unset += knob_set(t->vgpu->uuid, WEIGHT,
					  1 + rng_below(&rng, 10000)) != 0;
		}
		for (i = 0; i < TENANTS; i++)
			bad += tenant_finish(&tenants[i], value + (i << 16));
		value += 0x100;
	}
	tap_eq(bad, 0, "every request is done, once, while policies change");
	tap_eq(unset, 0, "all that was set was accepted");
	for (i = 0; i < TENANTS; i++) {
		tap_eq(counters_number(tenants[i].vgpu, "exec", "hangs"), 0, "none has hung");
		for (k = 0; k < VGPU_NR_ENGINES; k++)
			bad += never_given(tenants[i].vgpu, tenants[i].ctx[k].engine) != 0;
		tap_ok(ram_canary_intact(&tenants[i].vgpu->ram), "no stray write");
		vgpu_free(tenants[i].vgpu);
	}
	tap_eq(bad, 0, "nothing waits any more");
	restore();
}

static void *change_copy_policy(void *unused __maybe_unused)
{
	u32 i;

	for (i = 0; i < 30; i++) {
		gpu_attr_set("copy_policy", "demand");
		gpu_attr_set("copy_policy", "cached");
	}
	return NULL;
}

/* Both have all vGPUs stand still, at the same time. */
static void check_change_of_both(void)
{
	struct spinning s[TENANTS];
	u64 resets = counters_gpu_number("sched", "engine_resets");
	u32 i, ended = 0, bad = 0;
	pthread_t thread;

	for (i = 0; i < TENANTS; i++)
		spinning_begin(&s[i]);
	if (pthread_create(&thread, NULL, change_copy_policy, NULL))
		tap_die("no thread");
	for (i = 0; i < 60; i++)
		bad += gpu_attr_try("policy", policies[(i + 1) % ARRAY_SIZE(policies)]) != 0;
	pthread_join(thread, NULL);
	for (i = 0; i < TENANTS; i++)
		ended += spinning_end(&s[i]);
	tap_eq(bad, 0, "the copy policy changes at the same time");
	tap_eq(ended, TENANTS, "and all go on");
	tap_eq(counters_gpu_number("sched", "engine_resets"), resets, "without a reset");
	gpu_attr_set("copy_policy", "cached");
	restore();
}

/* With endless requests: each change takes them off, where they yield, and none is reset. */
static void check_change_of_spinners(void)
{
	struct spinning s[TENANTS];
	u64 resets = counters_gpu_number("sched", "engine_resets");
	u32 i, ended = 0, bad = 0;

	for (i = 0; i < TENANTS; i++)
		spinning_begin(&s[i]);
	for (i = 0; i < 60; i++)
		bad += gpu_attr_try("policy", policies[(i + 1) % ARRAY_SIZE(policies)]) != 0;
	for (i = 0; i < TENANTS; i++)
		ended += spinning_end(&s[i]);
	tap_eq(bad, 0, "sixty changes while four spin");
	tap_eq(ended, TENANTS, "all go on");
	tap_eq(counters_gpu_number("sched", "engine_resets"), resets, "no engine was reset");
	restore();
}

/* And with one that does not yield: a change waits for it, and not for ever. */
static void check_change_of_hung(void)
{
	struct vgpu *vgpu = vgpu_new(MDEV_TYPE_SMALL), *other = vgpu_new(MDEV_TYPE_SMALL);
	struct context ctx;
	struct spinner spin;
	u32 seqno;
	u64 t0;

	context_init(&ctx, vgpu, RCS, NULL);
	spinner_init(&spin, &ctx, false);
	seqno = spinner_request(&spin, &ctx);
	context_submit(&ctx);
	tap_ok(request_wait_started(&ctx, seqno, SOON_MS), "one does not yield");
	t0 = now_us();
	tap_eq(gpu_attr_try("policy", "credit"), 0, "the policy is changed");
	tap_ok(now_us() - t0 < SOON_MS * 1000, "soon");
	tap_ok(vgpu_works(other), "another works");
	spinner_end(&spin);
	engine_reset(ctx.engine);
	ctx.engine->bad = false;
	tap_ok(vgpu_works(vgpu), "and so does the one, after a reset");
	vgpu_free(vgpu);
	vgpu_free(other);
	restore();
}

static struct {
	pthread_mutex_t lock;
	char uuid[MDEV_UUID_SIZE];
	bool over;
} shown = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void show_uuid(const char *uuid)
{
	pthread_mutex_lock(&shown.lock);
	snprintf(shown.uuid, sizeof(shown.uuid), "%s", uuid);
	pthread_mutex_unlock(&shown.lock);
}

/* An administrator who does not look whether what he writes to is still there. */
static void *administrate(void *arg)
{
	struct rng own = { (u64)(uintptr_t)arg };
	char uuid[MDEV_UUID_SIZE];

	while (!READ_ONCE(shown.over)) {
		pthread_mutex_lock(&shown.lock);
		memcpy(uuid, shown.uuid, sizeof(uuid));
		pthread_mutex_unlock(&shown.lock);
		knob_set(uuid, WEIGHT, 1 + rng_below(&own, 10000));
		knob_set(uuid, RESERVE, rng_below(&own, 1001));
		knob_set(uuid, CAP, 300 + rng_below(&own, 701));
		knob_set(uuid, STOP, rng_below(&own, 2));
		if (!rng_below(&own, 4))
			gpu_attr_set("policy", any_policy(&own));
		knob_set(uuid, STOP, 0);
		sleep_us(rng_below(&own, 5000));
	}
	return NULL;
}

#define COMINGS	15

static void check_coming_and_going(void)
{
	pthread_t thread[2];
	u32 i, bad = 0;

	show_uuid("none");
	shown.over = false;
	for (i = 0; i < ARRAY_SIZE(thread); i++)
		if (pthread_create(&thread[i], NULL, administrate, (void *)(uintptr_t)(i + 1)))
			tap_die("no thread");
	for (i = 0; i < COMINGS; i++) {
		struct vgpu *vgpu = vgpu_new(MDEV_TYPE_SMALL);

		show_uuid(vgpu->uuid);
		bad += !vgpu_works(vgpu);
		bad += !vgpu_works(vgpu);
		bad += vgpu_free(vgpu) != 0;
	}
	WRITE_ONCE(shown.over, true);
	for (i = 0; i < ARRAY_SIZE(thread); i++)
		pthread_join(thread[i], NULL);
	tap_eq(bad, 0, "vGPUs come, work, are reset and go, whatever is written meanwhile");
	restore();
}

int main(void)
{
	vgpu_test_init(180);
	standstill_watch();
	check_bad_values();
	check_reserve();
	check_life();
	check_stop();
	check_preempt_timeout();
	check_change_under_load();
	check_change_of_spinners();
	check_change_of_both();
	check_change_of_hung();
	check_coming_and_going();
	check_quantum();
	check_fair();
	check_cap();
	check_credit();
	return vgpu_test_done();
}
