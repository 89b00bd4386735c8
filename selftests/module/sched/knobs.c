// SPDX-License-Identifier: GPL-2.0
/*
 * The scheduling policy and the vGPUs' scheduling attributes: an administrator can change both at
 * any time, under load, without losing a request; invalid values are refused; valid ones take
 * effect.
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

/* The default of each attribute, and some invalid values. */
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

/* A write of 0 bytes does not reach the driver: use a newline. */
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
		tap_eq(knob_get(vgpu->uuid, knobs[i].knob), knobs[i].first, "%s has its default",
		       knobs[i].knob);
		for (k = 0; k < ARRAY_SIZE(knobs[i].bad); k++)
			tap_eq(-knob_write(vgpu->uuid, knobs[i].knob, line(knobs[i].bad[k])),
			       EINVAL, "%s refuses \"%s\"", knobs[i].knob, knobs[i].bad[k]);
		tap_eq(knob_get(vgpu->uuid, knobs[i].knob), knobs[i].first, "%s is unchanged",
		       knobs[i].knob);
	}
	tap_ok(gpu_attr_is("policy", "fair"), "the default policy is fair");
	for (i = 0; i < ARRAY_SIZE(policy); i++)
		tap_eq(-gpu_attr_set("policy", policy[i]), EINVAL,
		       "an unknown policy is refused, %u", i);
	memset(text, 'r', sizeof(text) - 1);
	text[sizeof(text) - 1] = 0;
	tap_eq(-gpu_attr_set("policy", text), EINVAL, "a long name is refused");
	tap_ok(gpu_attr_is("policy", "fair"), "it is unchanged");
	tap_eq(gpu_attr_number("exec_quantum_ms"), 16, "the default quantum is 16 ms");
	for (i = 0; i < ARRAY_SIZE(ms); i++)
		tap_eq(-gpu_attr_set("exec_quantum_ms", ms[i]), EINVAL,
		       "an invalid quantum is refused, %u", i);
	tap_eq(gpu_attr_number("exec_quantum_ms"), 16, "it is unchanged");
	vgpu_free(vgpu);
}

/* A reserve must not exceed the cap, nor the sum of reserves the whole. */
static void check_reserve(void)
{
	struct vgpu *a = vgpu_new(MDEV_TYPE_SMALL), *b = vgpu_new(MDEV_TYPE_SMALL);

	tap_eq(knob_set(a->uuid, CAP, 600), 0, "a cap of 600 is accepted");
	tap_eq(-knob_set(a->uuid, RESERVE, 601), EINVAL, "a reserve above the cap is refused");
	tap_eq(knob_set(a->uuid, RESERVE, 600), 0, "a reserve of the whole cap is accepted");
	tap_eq(-knob_set(a->uuid, CAP, 599), EINVAL, "a cap below the reserve is refused");
	tap_eq(-knob_set(b->uuid, RESERVE, 401), ENOSPC, "a reserve beyond the sum is refused");
	tap_eq(knob_set(b->uuid, RESERVE, 400), 0, "a reserve of the rest is accepted");
	tap_eq(-knob_set(a->uuid, RESERVE, 1000), EINVAL, "a reserve of the whole GPU is refused");
	tap_eq(knob_get(a->uuid, RESERVE), 600, "it is unchanged");
	vgpu_free(a);
	tap_eq(knob_set(b->uuid, RESERVE, 1000), 0, "removing a vGPU frees its reserve");
	vgpu_free(b);
}

/* A vGPU that is stopped before it is opened does not run after the open. */
static void check_stopped_before(const char *uuid)
{
	struct context ctx;
	struct vgpu *vgpu;
	u32 seqno;

	tap_eq(knob_set(uuid, STOP, 1), 0, "a closed vGPU is stopped");
	vgpu = vgpu_open(uuid);
	vgpu_start(vgpu);
	context_init(&ctx, vgpu, RCS, NULL);
	request_begin(&ctx);
	seqno = request_end(&ctx);
	context_submit(&ctx);
	sleep_us(300000);
	tap_ok(!request_done(&ctx, seqno), "it is still stopped after the open");
	tap_eq(knob_set(uuid, STOP, 0), 0, "it is started again");
	tap_ok(request_wait(&ctx, seqno, SOON_MS) && engine_wait_idle(ctx.engine, SOON_MS),
	       "it works after that");
	vgpu_close(vgpu);
}

/* The attributes belong to the vGPU until its removal, over all users. */
static void check_life(void)
{
	char uuid[MDEV_UUID_SIZE];
	struct vgpu *vgpu;

	mdev_new_uuid(uuid);
	tap_eq(-mdev_create(MDEV_TYPE_SMALL, uuid), 0, "a vGPU that is not open");
	tap_eq(knob_set(uuid, WEIGHT, 300), 0, "its weight can be set");
	tap_eq(knob_set(uuid, CAP, 500), 0, "its cap can be set");
	vgpu = vgpu_open(uuid);
	vgpu_start(vgpu);
	tap_eq(knob_set(uuid, EXEC_QUANTUM_MS, 7), 0, "its quantum can be set while it is open");
	tap_ok(vgpu_works(vgpu), "it works after a reset");
	tap_ok(knob_get(uuid, WEIGHT) == 300 && knob_get(uuid, CAP) == 500 &&
	       knob_get(uuid, EXEC_QUANTUM_MS) == 7, "the attributes survive a reset");
	vgpu_close(vgpu);
	tap_ok(knob_get(uuid, WEIGHT) == 300 && knob_get(uuid, CAP) == 500 &&
	       knob_get(uuid, EXEC_QUANTUM_MS) == 7, "the attributes survive a close");
	check_stopped_before(uuid);
	mdev_remove(uuid);
	tap_eq(-mdev_create(MDEV_TYPE_SMALL, uuid), 0, "a new vGPU of the same name");
	tap_ok(knob_get(uuid, WEIGHT) == 100 && knob_get(uuid, CAP) == 1000 &&
	       knob_get(uuid, EXEC_QUANTUM_MS) == 0, "the new vGPU has the defaults");
	mdev_remove(uuid);
}

static u64 busy_ns(const struct vgpu *vgpu)
{
	return counters_number(vgpu, "exec", "rcs0_channel: busy_ns");
}

/* Requests that have never been on an engine. */
static u64 never_given(const struct vgpu *vgpu, const struct engine *engine)
{
	char path[512], key[32], text[16384], *at;

	snprintf(key, sizeof(key), "%s_channel:", engine->info->name);
	if (!counters_vgpu_path(path, vgpu, "exec") || file_read(path, text, sizeof(text)) < 0)
		tap_die("debugfs does not count requests");
	at = strstr(text, key);
	at = at ? strstr(at, "waiting=") : NULL;
	return at ? strtoull(at + strlen("waiting="), NULL, 10) : ~0ull;
}

static bool within(u32 value, u32 min, u32 max)
{
	return value >= min && value <= max;
}

/**
 * struct part - the vGPUs' shares of the engine in a period
 * @share: of each, per mille
 * @off: tolerance of each, per mille: the machine's standstills, in this period and before
 *	under the
 *	same load, count for a vGPU and may be compensated
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

/* Has a vGPU its due share? */
static bool has(const struct part *p, u32 i, u32 min, u32 max)
{
	return p->share[i] + p->off >= min && p->share[i] <= max + p->off;
}

/* The ratio of @a to @b, per cent. */
static bool has_times(const struct part *p, u32 a, u32 b, u32 min, u32 max)
{
	u32 more = p->share[a] + p->off, less = p->share[b] > p->off ? p->share[b] - p->off : 0;

	if (more * 100 < min * less)
		return false;
	more = p->share[b] + p->off;
	less = p->share[a] > p->off ? p->share[a] - p->off : 0;
	return less * 100 <= max * (more + 1);
}

/* gOver's policy: at most a part of each second, whether or not others have work. */
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
	tap_ok(p.share[1] + p.off >= 400, "cap: the other has the rest, or most of it");
	bad += knob_set(s[0].vgpu->uuid, CAP, 300) != 0;
	bad += knob_set(s[1].vgpu->uuid, CAP, 600) != 0;
	sleep_us(1000000);
	p = part_of(s, 2, stood, 3000000);
	tap_ok(has_times(&p, 1, 0, 140, 280), "cap: one has twice the share of the other");
	tap_ok(has(&p, 0, 210, 370) && has(&p, 1, 0, 680), "cap: it has its whole cap");
	tap_eq(gpu_attr_set("policy", "rr"), 0, "rr ignores caps");
	p = part_of(s, 2, stood, 2000000);
	tap_ok(has_times(&p, 0, 1, 70, 140), "rr: both have equal shares");
	tap_ok(spinning_end(&s[0]) && spinning_end(&s[1]), "both vGPUs work");
	tap_eq(bad, 0, "all settings are accepted");
	restore();
}

/* Shares by weight; a cap that holds, alone or not; and a reserve, whatever the weights are. */
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
	tap_ok(has_times(&p, 0, 2, 320, 500), "fair: four times the weight, four times the share");
	tap_ok(has_times(&p, 1, 2, 160, 250), "fair: twice the weight, twice the share");
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
	tap_ok(p.share[2] + p.off > 100, "fair: not more than the reserve");
	tap_ok(spinning_end(&s[1]) && spinning_end(&s[2]), "two vGPUs end their work");
	sleep_us(500000);
	p = part_of(s, 1, stood, 3000000);
	tap_ok(has(&p, 0, 100, 230), "fair: a cap holds alone");
	tap_ok(spinning_end(&s[0]), "the vGPU works");
	tap_eq(bad, 0, "all settings are accepted");
}

#define BLOCKS	24

/*
 * VMCG's policy: a submission costs a credit, and credits are granted by weight. The minimum weight
 * gives one each second, while another vGPU always has work.
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
	/* The initial credits are used up after a second. */
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
	       "credit: with the minimum weight, a submission a second");
	bad += knob_set(vgpu->uuid, WEIGHT, 10000) != 0;
	tap_ok(request_wait(&ctx, seqno, SOON_MS),
	       "credit: with equal weight, all the others complete");
	tap_ok(engine_wait_idle(ctx.engine, SOON_MS) && !ctx.engine->bad,
	       "credit: no submission is lost");
	tap_ok(spinning_end(&other), "the other vGPU works");
	tap_eq(bad, 0, "all settings are accepted");
	vgpu_free(vgpu);
	restore();
}

/* The default quantum, and a vGPU's own. */
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
	tap_ok(has_times(&p, 0, 1, 180, 450), "three times the quantum, three times the share");
	bad += knob_set(s[0].vgpu->uuid, EXEC_QUANTUM_MS, 0) != 0;
	p = part_of(s, 2, stood, 2000000);
	tap_ok(has_times(&p, 0, 1, 70, 140), "equal quanta, equal shares");
	tap_ok(spinning_end(&s[0]) && spinning_end(&s[1]), "both vGPUs work");
	tap_eq(bad, 0, "all settings are accepted");
	restore();
}

/* A stopped vGPU does not run, whatever else is done to it, until it is started again. */
static void check_stop(void)
{
	struct vgpu *other = vgpu_new(MDEV_TYPE_SMALL);
	struct spinning s, rest;
	struct context ctx;
	u32 i, seqno = 0, bad = 0;
	struct part p;
	u64 busy;

	spinning_begin(&s);
	tap_ok(request_wait_started(&s.ctx, s.seqno, SOON_MS), "a vGPU spins");
	tap_eq(knob_set(s.vgpu->uuid, STOP, 1), 0, "it is stopped while it spins");
	busy = busy_ns(s.vgpu);
	tap_ok(vgpu_works(other), "other vGPUs work");
	context_init(&ctx, s.vgpu, BCS, NULL);
	for (i = 0; i < 3; i++) {
		request_begin(&ctx);
		seqno = request_end(&ctx);
		context_submit(&ctx);
		bad += !engine_wait_promoted(ctx.engine, SOON_MS);
	}
	tap_eq(bad, 0, "a stopped vGPU accepts submissions");
	tap_eq(never_given(s.vgpu, ctx.engine), 3, "they wait");
	spinning_begin(&rest);
	p = part_of(&rest, 1, standstill_us(), 1000000);
	tap_ok(p.share[0] + p.off >= 800, "another vGPU gets all of the time");
	bad += !spinning_end(&rest);
	/* Operations that pause all vGPUs for a moment. */
	bad += gpu_attr_try("policy", "cap") != 0 || gpu_attr_try("policy", "rr") != 0;
	gpu_attr_set("copy_policy", "sparse");
	gpu_attr_set("copy_policy", "cached");
	bad += knob_set(s.vgpu->uuid, STOP, 1) != 0 || knob_set(s.vgpu->uuid, WEIGHT, 7) != 0;
	sleep_us(500000);
	tap_eq(busy_ns(s.vgpu), busy, "the stopped vGPU has not run");
	tap_ok(!request_done(&ctx, seqno), "no request of it has completed");
	tap_eq(knob_set(s.vgpu->uuid, STOP, 0), 0, "it is started again");
	tap_ok(request_wait(&ctx, seqno, SOON_MS) && engine_wait_idle(ctx.engine, SOON_MS),
	       "its submissions complete");
	tap_eq(never_given(s.vgpu, ctx.engine), 0, "no request waits any more");
	tap_ok(wait_for(busy_ns(s.vgpu) > busy, SOON_MS), "it spins again");

	bad += knob_set(s.vgpu->uuid, STOP, 1) != 0;
	tap_ok(vgpu_reset(s.vgpu), "it is reset while it is stopped");
	context_init(&s.ctx, s.vgpu, RCS, NULL);
	request_begin(&s.ctx);
	seqno = request_end(&s.ctx);
	context_submit(&s.ctx);
	sleep_us(300000);
	tap_ok(!request_done(&s.ctx, seqno), "it is still stopped after a reset");
	tap_ok(engine_reset(s.ctx.engine), "its guest can reset an engine while it is stopped");
	bad += knob_set(s.vgpu->uuid, STOP, 0) != 0;
	tap_ok(vgpu_works(s.vgpu), "it works when it is started");
	bad += knob_set(s.vgpu->uuid, STOP, 1) != 0;
	tap_eq(-vgpu_free(s.vgpu), 0, "a stopped vGPU can be removed");
	tap_eq(bad, 0, "all settings are accepted");
	vgpu_free(other);
}

/*
 * The time for which a request of @good waits for @bad, which never yields, ms; and the part of
 * that in which the machine may have stood still.
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
	tap_eq(knob_set(bad->uuid, PREEMPT_TIMEOUT_US, 20000), 0,
	       "a shorter preempt timeout is set");
	ms[1] = wait_behind(good, bad, &off);
	tap_ok(ms[0] >= 600, "by default, a request waits for the preempt timeout");
	tap_ok(ms[1] && ms[1] * 2 < ms[0] + 2 * off, "with a shorter timeout it waits less");
	tap_ok(vgpu_works(bad) && vgpu_works(good), "both vGPUs work");
	vgpu_free(good);
	vgpu_free(bad);
}

#define TENANTS	4
#define ROUNDS	12
#define STORES	16

/**
 * struct tenant - a vGPU with work on all engines
 * @vgpu: the vGPU
 * @ctx: its contexts
 * @gpa: bus addresses of their pages
 * @addr: graphics addresses of these
 * @seqno: of the current requests
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

/* A few requests on each engine, the last one stores @value. Return: the number not accepted. */
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

/* Return: the number of requests that are not done, or have stored wrong values. */
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

/* Policies and attributes change while requests are queued, run and end, without effect on them. */
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
	tap_eq(bad, 0, "each request completes once while policies change");
	tap_eq(unset, 0, "all settings are accepted");
	for (i = 0; i < TENANTS; i++) {
		tap_eq(counters_number(tenants[i].vgpu, "exec", "hangs"), 0, "no context hangs");
		for (k = 0; k < VGPU_NR_ENGINES; k++)
			bad += never_given(tenants[i].vgpu, tenants[i].ctx[k].engine) != 0;
		tap_ok(ram_canary_intact(&tenants[i].vgpu->ram), "no stray write");
		vgpu_free(tenants[i].vgpu);
	}
	tap_eq(bad, 0, "no request waits any more");
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

/* Both pause all vGPUs, at the same time. */
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
	tap_eq(ended, TENANTS, "all vGPUs work");
	tap_eq(counters_gpu_number("sched", "engine_resets"), resets,
	       "no engine is reset meanwhile");
	gpu_attr_set("copy_policy", "cached");
	restore();
}

/* With endless requests: each change preempts them, and none is reset. */
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
	tap_eq(bad, 0, "sixty changes while four vGPUs spin");
	tap_eq(ended, TENANTS, "all four work");
	tap_eq(counters_gpu_number("sched", "engine_resets"), resets, "no engine is reset");
	restore();
}

/* With one that does not yield: a change waits for it, but not forever. */
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
	tap_ok(request_wait_started(&ctx, seqno, SOON_MS), "a vGPU does not yield");
	t0 = now_us();
	tap_eq(gpu_attr_try("policy", "credit"), 0, "the policy can be changed");
	tap_ok(now_us() - t0 < SOON_MS * 1000, "soon");
	tap_ok(vgpu_works(other), "another vGPU works");
	spinner_end(&spin);
	engine_reset(ctx.engine);
	ctx.engine->bad = false;
	tap_ok(vgpu_works(vgpu), "the vGPU works after a reset");
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

/* An administrator that writes attributes of vGPUs that may not exist any more. */
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
	tap_eq(bad, 0,
	       "vGPUs are created, work, are reset and removed while attributes are written");
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
