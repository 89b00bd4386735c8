// SPDX-License-Identifier: GPL-2.0
/*
 * Guests that close their vGPU and open it again all the time gain nothing by that: what they owe,
 * and what they have used of their limits, stays with the vGPU.
 */
#include <errno.h>
#include <string.h>

#include "clock.h"
#include "context.h"
#include "knob.h"
#include "ppgtt.h"
#include "spinning.h"
#include "standstill.h"
#include "tap.h"
#include "used.h"
#include "vgpu.h"

#define RUN_US		8000000
#define LOOK_US		500

/* How long a guest that does not get what it wants waits before it opens its vGPU again. */
#define PAUSE_US	20000

/* Limits, per mille. */
#define CAP_LIMIT	100
#define CPU_LIMIT	10

#define TABLES		64
#define TABLES_ADDR	0x10000000000ULL

/**
 * struct visitor - a guest that closes its vGPU and opens it again
 * @uuid: the vGPU
 * @yields: its request has an arbitration point
 * @vgpu: the vGPU while it is open, or NULL
 * @ctx: its context
 * @spin: the batch of its request
 * @seqno: of the request
 * @resets: the vGPU's count of resets when that was submitted
 * @since: when the vGPU was opened, us
 * @visits: how often it was opened
 */
struct visitor {
	char uuid[MDEV_UUID_SIZE];
	bool yields;
	struct vgpu *vgpu;
	struct context ctx;
	struct spinner spin;
	u32 seqno;
	long resets;
	u64 since;
	u32 visits;
};

static void visitor_init(struct visitor *v, bool yields)
{
	*v = (struct visitor) { .yields = yields };
	mdev_new_uuid(v->uuid);
	if (mdev_create(MDEV_TYPE_SMALL, v->uuid))
		tap_die("no vGPU");
}

static void visitor_open(struct visitor *v)
{
	v->vgpu = vgpu_open(v->uuid);
	if (!v->vgpu)
		tap_die("open a vGPU again: %s", strerror(errno));
	vgpu_start(v->vgpu);
	context_init(&v->ctx, v->vgpu, RCS, NULL);
	v->visits++;
}

static void visitor_close(struct visitor *v)
{
	vgpu_close(v->vgpu);
	v->vgpu = NULL;
}

/* It wants the engine for as long as it may have it. */
static void visitor_enter(struct visitor *v)
{
	visitor_open(v);
	spinner_init(&v->spin, &v->ctx, v->yields);
	v->resets = used_get(v->uuid, RCS, "resets");
	v->seqno = spinner_request(&v->spin, &v->ctx);
	context_submit(&v->ctx);
	v->since = now_us();
}

static void visitor_again(struct visitor *v)
{
	visitor_close(v);
	visitor_enter(v);
}

/* Is the vGPU as good as any other? Removes it. */
static void visitor_end(struct visitor *v, const char *name)
{
	if (v->vgpu)
		visitor_close(v);
	v->vgpu = vgpu_open(v->uuid);
	tap_ok(v->vgpu && vgpu_works(v->vgpu), "%s: its vGPU works", name);
	if (v->vgpu)
		vgpu_free(v->vgpu);
}

static bool has_waited(const struct visitor *v)
{
	return now_us() - v->since >= PAUSE_US * slowness();
}

/* It has been taken off the engine, or is not let on it. */
static bool is_barred(const struct visitor *v)
{
	if (used_get(v->uuid, RCS, "resets") > v->resets)
		return true;
	return has_waited(v) && !request_started(&v->ctx, v->seqno);
}

/**
 * struct share - what a vGPU gets of the engine
 * @uuid: the vGPU
 * @held: for how long it had been given it until @t0, ns
 * @t0: when that was, us
 * @stood: how long the machine had stood still then, us
 */
struct share {
	const char *uuid;
	u64 held;
	u64 t0;
	u64 stood;
};

static struct share share_from_now(const char *uuid)
{
	return (struct share) {
		.uuid = uuid,
		.held = used_get(uuid, RCS, "held"),
		.t0 = now_us(),
		.stood = standstill_us(),
	};
}

/* Per mille. Time for which the machine stood still may count for either vGPU. */
static u32 share_now(const struct share *s, const char *name)
{
	u64 us = now_us() - s->t0;
	u32 share = (used_get(s->uuid, RCS, "held") - s->held) / us;

	tap_diag("%s: %u per mille of %llu ms; the machine stood still for %llu ms", name, share,
		 (unsigned long long)us / 1000,
		 (unsigned long long)(standstill_us() - s->stood) / 1000);
	return share;
}

static bool has_run(const struct share *s)
{
	return now_us() - s->t0 - (standstill_us() - s->stood) >= RUN_US;
}

/*
 * One that does not yield has the engine for a quantum and its patience, 656 ms, and a reset. It
 * owes that then (docs/scheduling.md, "vGPUs that do not yield"): debtors get about half. The
 * measured time may end with a turn of 656 ms, so the other has 46 % of it at least. Beside one
 * that gets rid of its debts it would only have a quantum, and the time of the open, for each turn.
 */
static void check_debts(void)
{
	struct share good, bad;
	struct spinning honest;
	struct visitor v;

	spinning_begin(&honest);
	visitor_init(&v, false);
	visitor_enter(&v);
	tap_ok(request_wait_started(&v.ctx, v.seqno, SOON_MS), "debts: a guest that never yields");
	good = share_from_now(honest.vgpu->uuid);
	bad = share_from_now(v.uuid);
	while (!has_run(&good)) {
		if (is_barred(&v))
			visitor_again(&v);
		sleep_us(LOOK_US);
	}
	tap_diag("its vGPU was opened %u times", v.visits);
	tap_ok(share_now(&good, "the guest that yields") >= 400,
	       "debts: one that yields has at least two fifths");
	tap_ok(share_now(&bad, "the guest that does not") >= 100,
	       "debts: the one that does not has its turns");
	tap_ok(spinning_end(&honest), "debts: the one that yields works");
	visitor_end(&v, "debts");
}

/* The bucket of a cap is full once only. */
static void check_cap(void)
{
	struct share share;
	struct visitor v;
	u32 got;

	visitor_init(&v, true);
	tap_eq(knob_set(v.uuid, CAP, CAP_LIMIT), 0, "cap: a guest has a tenth at most");
	visitor_enter(&v);
	share = share_from_now(v.uuid);
	while (!has_run(&share)) {
		if (has_waited(&v))
			visitor_again(&v);
		sleep_us(LOOK_US);
	}
	tap_diag("its vGPU was opened %u times", v.visits);
	got = share_now(&share, "the guest with a cap");
	tap_ok(got <= CAP_LIMIT * 3 / 2, "cap: it does not get more");
	/* It has nothing to do while it is opened. */
	tap_ok(got >= CAP_LIMIT / 2 / slowness(), "cap: it gets that");
	visitor_end(&v, "cap");
}

/* A submission that costs its worker some milliseconds. */
static void submit_tables(struct visitor *v)
{
	u32 i;

	for (i = 0; i < TABLES; i++)
		ppgtt_map(v->ctx.ppgtt, TABLES_ADDR + i * MB(2), RAM_BASE, GEN_PTES_PER_PAGE);
	request_begin(&v->ctx);
	v->seqno = request_end(&v->ctx);
	context_submit(&v->ctx);
}

/*
 * So is the bucket of the worker's CPU time. Opening and closing cost CPU time that the limit does
 * not bound: four times the limit is far below what submissions take without it.
 */
static void check_cpu(void)
{
	struct visitor v;
	struct share time;
	u64 cpu, us;

	visitor_init(&v, true);
	tap_eq(knob_set(v.uuid, CPU_MAX, CPU_LIMIT), 0, "cpu: a worker has a hundredth at most");
	time = share_from_now(v.uuid);
	while (!has_run(&time)) {
		visitor_open(&v);
		submit_tables(&v);
		wait_for(request_done(&v.ctx, v.seqno), PAUSE_US / 1000);
		visitor_close(&v);
	}
	cpu = knob_get(v.uuid, CPU_NS);
	us = now_us() - time.t0;
	tap_diag("cpu: %llu per mille of %llu ms, opened %u times", (unsigned long long)cpu / us,
		 (unsigned long long)us / 1000, v.visits);
	tap_ok(cpu / us >= CPU_LIMIT / 2, "cpu: it gets that");
	tap_ok(cpu / us <= 5 * CPU_LIMIT, "cpu: it does not get more");
	knob_set(v.uuid, CPU_MAX, 1000);
	visitor_end(&v, "cpu");
}

int main(void)
{
	vgpu_test_init(180);
	standstill_watch();
	check_debts();
	check_cap();
	check_cpu();
	return vgpu_test_done();
}
