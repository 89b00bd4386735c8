// SPDX-License-Identifier: GPL-2.0
/* The context status events that the guest receives, exactly and in order. */
#include "clock.h"
#include "context.h"
#include "tap.h"
#include "vgpu.h"

struct expectation {
	u32 status;
	u32 id;
};

/* The events since engine_forget_events(). Ids of idle->active events have no meaning. */
static void check_events(struct engine *e, const struct expectation *want, u32 count,
			 const char *what)
{
	bool ok = e->events == count && !e->bad;
	u32 i;

	for (i = 0; ok && i < count; i++) {
		struct csb_event got = engine_event(e, count - 1 - i);

		ok = got.status == want[i].status &&
		     (got.status & CSB_IDLE_ACTIVE || got.id == want[i].id);
	}
	if (tap_ok(ok, "%s: %s", e->info->name, what))
		return;
	for (i = 0; i < e->events && i < CSB_LOG_SIZE; i++) {
		struct csb_event got = engine_event(e, e->events - 1 - i);

		tap_diag("event %u: %#x, id %#x", i, got.status, got.id);
	}
	for (i = 0; i < count; i++)
		tap_diag("expected %u: %#x, id %#x", i, want[i].status, want[i].id);
}

static u32 nop(struct context *ctx)
{
	request_begin(ctx);
	return request_end(ctx);
}

static void check_one(struct context *a)
{
	const struct expectation want[] = {
		{ CSB_IDLE_ACTIVE, 0 },
		{ CSB_COMPLETE | CSB_ACTIVE_IDLE, a->id },
	};

	engine_forget_events(a->engine);
	request_run(a, nop(a));
	check_events(a->engine, want, 2, "one element");
}

static void check_two(struct context *a, struct context *b)
{
	const struct expectation want[] = {
		{ CSB_IDLE_ACTIVE, 0 },
		{ CSB_COMPLETE | CSB_ELEMENT_SWITCH, a->id },
		{ CSB_COMPLETE | CSB_ACTIVE_IDLE, b->id },
	};
	u32 sa = nop(a), sb = nop(b);

	engine_forget_events(a->engine);
	context_submit2(a, b);
	tap_ok(request_wait(a, sa, SOON_MS) && request_wait(b, sb, SOON_MS),
	       "%s: two elements run", a->engine->info->name);
	engine_wait_idle(a->engine, SOON_MS);
	check_events(a->engine, want, 3, "two elements");
}

static void check_lite_restore(struct context *a)
{
	const struct expectation want[] = {
		{ CSB_IDLE_ACTIVE, 0 },
		{ CSB_PREEMPTED | CSB_LITE_RESTORE, a->id },
		{ CSB_COMPLETE | CSB_ACTIVE_IDLE, a->id },
	};
	struct spinner spin;
	u32 s1, s2;

	engine_forget_events(a->engine);
	spinner_init(&spin, a, true);
	s1 = spinner_request(&spin, a);
	context_submit(a);
	tap_ok(engine_wait_promoted(a->engine, SOON_MS), "%s: the submission is promoted",
	       a->engine->info->name);
	request_wait_started(a, s1, SOON_MS);
	s2 = nop(a);
	context_submit(a);
	tap_ok(engine_wait_promoted(a->engine, SOON_MS), "%s: a lite restore is reported at once",
	       a->engine->info->name);
	tap_ok(!request_done(a, s1), "%s: the first request still runs then",
	       a->engine->info->name);
	spinner_end(&spin);
	tap_ok(request_wait(a, s2, SOON_MS), "%s: both requests are done",
	       a->engine->info->name);
	engine_wait_idle(a->engine, SOON_MS);
	check_events(a->engine, want, 3, "lite restore");
}

/* A runs; then submit A with B behind it, as a driver fills the second port. */
static void check_append(struct context *a, struct context *b)
{
	const struct expectation want[] = {
		{ CSB_IDLE_ACTIVE, 0 },
		{ CSB_PREEMPTED | CSB_LITE_RESTORE, a->id },
		{ CSB_COMPLETE | CSB_ELEMENT_SWITCH, a->id },
		{ CSB_COMPLETE | CSB_ACTIVE_IDLE, b->id },
	};
	struct spinner spin;
	u32 s1, s2;

	engine_forget_events(a->engine);
	spinner_init(&spin, a, true);
	s1 = spinner_request(&spin, a);
	context_submit(a);
	request_wait_started(a, s1, SOON_MS);
	engine_wait_promoted(a->engine, SOON_MS);
	s2 = nop(b);
	context_submit2(a, b);
	tap_ok(engine_wait_promoted(a->engine, SOON_MS),
	       "%s: a second element behind a running one", a->engine->info->name);
	tap_ok(!request_done(b, s2), "%s: the second element waits", a->engine->info->name);
	spinner_end(&spin);
	tap_ok(request_wait(b, s2, SOON_MS), "%s: it runs when the first completes",
	       a->engine->info->name);
	engine_wait_idle(a->engine, SOON_MS);
	check_events(a->engine, want, 4, "element appended");
}

/*
 * Submit another context instead of the running one. Hardware would preempt at the next arbitration
 * point; a driver on a vGPU never asks for that, and the host lets the second context wait until
 * the first ends. The request on @elsewhere, another engine, is submitted later: when it is done,
 * the host has seen the earlier submission.
 */
static void check_no_preemption(struct context *a, struct context *b, struct context *elsewhere)
{
	const struct expectation want[] = {
		{ CSB_IDLE_ACTIVE, 0 },
		{ CSB_COMPLETE | CSB_ACTIVE_IDLE, a->id },
		{ CSB_IDLE_ACTIVE, 0 },
		{ CSB_COMPLETE | CSB_ELEMENT_SWITCH, b->id },
		{ CSB_COMPLETE | CSB_ACTIVE_IDLE, a->id },
	};
	const char *name = a->engine->info->name;
	struct spinner spin;
	u32 s1, s2;

	engine_forget_events(a->engine);
	spinner_init(&spin, a, true);
	s1 = spinner_request_arb(&spin, a);
	context_submit(a);
	request_wait_started(a, s1, SOON_MS);
	engine_wait_promoted(a->engine, SOON_MS);
	s2 = nop(b);
	context_submit2(b, a);
	tap_ok(request_run(elsewhere, nop(elsewhere)), "%s: another engine runs", name);
	engine_process(a->engine);
	tap_ok(a->engine->pending && !request_done(a, s1) && !request_done(b, s2),
	       "%s: a submission waits for the running context", name);
	spinner_end(&spin);
	tap_ok(request_wait(a, s1, SOON_MS) && request_wait(b, s2, SOON_MS),
	       "%s: both requests complete", name);
	engine_wait_idle(a->engine, SOON_MS);
	check_events(a->engine, want, ARRAY_SIZE(want), "one after the other");
}

/* No new commands in the ring: promoted and completed as well. */
static void check_empty(struct context *a)
{
	const struct expectation want[] = {
		{ CSB_IDLE_ACTIVE, 0 },
		{ CSB_COMPLETE | CSB_ACTIVE_IDLE, a->id },
	};

	engine_forget_events(a->engine);
	context_submit(a);
	engine_wait_idle(a->engine, SOON_MS);
	check_events(a->engine, want, 2, "an empty request");
}

/* Many submissions, as fast as the protocol allows. */
static void check_stream(struct context *a, struct context *b)
{
	struct engine *e = a->engine;
	u32 i, sa = 0, sb = 0, submissions = 0;
	u64 t0 = now_us();

	engine_forget_events(e);
	for (i = 0; i < 300; i++) {
		if (!engine_wait_promoted(e, SOON_MS))
			break;
		/* Do not overfill the ring. */
		if (i % 16 == 15 &&
		    (!request_wait(a, sa, SOON_MS) || !request_wait(b, sb, SOON_MS)))
			break;
		sa = nop(a);
		sb = nop(b);
		if (i % 3 == 0)
			context_submit2(a, b);
		else if (i % 3 == 1)
			context_submit2(b, a);
		else
			context_submit2(a, b);
		submissions++;
	}
	tap_eq(i, 300, "%s: a stream of submissions", e->info->name);
	tap_ok(request_wait(a, sa, SOON_MS) && request_wait(b, sb, SOON_MS) &&
	       engine_wait_idle(e, SOON_MS), "%s: all requests complete", e->info->name);
	tap_eq(e->promotions, submissions, "%s: each submission is promoted once", e->info->name);
	tap_ok(!e->bad, "%s: the execlist protocol is kept", e->info->name);
	tap_diag("%llu us each", (unsigned long long)(now_us() - t0) / 300);
}

/* The ring's tail wraps around several times. */
static void check_wrap(struct context *a)
{
	u32 i, seqno = 0;

	for (i = 0; i < 600; i++) {
		seqno = nop(a);
		if (i % 8)
			continue;
		if (!engine_wait_promoted(a->engine, SOON_MS))
			break;
		context_submit(a);
		if (!request_wait(a, seqno, SOON_MS))
			break;
	}
	tap_eq(i, 600, "%s: requests run while a ring wraps around", a->engine->info->name);
	engine_wait_idle(a->engine, SOON_MS);
	tap_ok(request_run(a, nop(a)), "%s: the ring works afterwards", a->engine->info->name);
}

int main(void)
{
	struct vgpu *vgpu;
	u32 i;

	vgpu_test_init(200);
	vgpu = vgpu_new(MDEV_TYPE_SMALL);
	for (i = 0; i < VGPU_NR_ENGINES; i++) {
		struct context a, b, elsewhere;

		context_init(&a, vgpu, i, NULL);
		context_init(&b, vgpu, i, NULL);
		context_init(&elsewhere, vgpu, (i + 1) % VGPU_NR_ENGINES, NULL);
		check_one(&a);
		check_two(&a, &b);
		check_lite_restore(&a);
		check_append(&a, &b);
		check_no_preemption(&a, &b, &elsewhere);
		check_empty(&a);
		check_stream(&a, &b);
		check_wrap(&a);
	}
	tap_ok(ram_canary_intact(&vgpu->ram), "no stray write");
	vgpu_free(vgpu);
	return vgpu_test_done();
}
