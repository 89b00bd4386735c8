// SPDX-License-Identifier: GPL-2.0
/*
 * Events of the hardware without a cause, duplicate ones, and early ones: the host ignores them,
 * and the vGPU with work on that engine can continue.
 */
#include "clock.h"
#include "context.h"
#include "counters.h"
#include "model.h"
#include "tap.h"
#include "vgpu.h"
#include "witness.h"

#define UNKNOWN		0xabcdeULL
#define EVENT(status)	((u64)(status) | UNKNOWN << 32)

static bool over(const char *what, const char *engine)
{
	return wait_for(!model_injections(what, engine), SOON_MS);
}

/*
 * The same, and wait until the host has handled it: interrupts are enabled again, and none is
 * pending. Work submitted earlier would be on the engine when the host handles it. Work submitted
 * now may precede the host's handling of the engine, and has to wait for that.
 */
static bool seen(const char *what, const char *engine)
{
	return over(what, engine) &&
	       wait_for(counters_register("master_irq") == MASTER_IRQ_ENABLE, SOON_MS);
}

static bool runs(struct vgpu *vgpu, u32 engine)
{
	struct context ctx;

	context_init(&ctx, vgpu, engine, NULL);
	request_begin(&ctx);
	return request_run(&ctx, request_end(&ctx));
}

/* On an idle engine they have no effect. */
static void check_spurious(struct vgpu *vgpu, struct witness *w, u32 engine)
{
	static const u64 events[] = {
		EVENT(CSB_COMPLETE | CSB_ACTIVE_IDLE), EVENT(CSB_COMPLETE | CSB_ELEMENT_SWITCH),
		EVENT(CSB_PREEMPTED), EVENT(CSB_PREEMPTED | CSB_LITE_RESTORE),
		EVENT(CSB_IDLE_ACTIVE), EVENT(0), ~0ULL,
	};
	const char *name = engine_infos[engine].name;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(events); i++) {
		model_inject("csb-event", name, events[i]);
		tap_ok(seen("csb-storm", name), "%s: an event %#llx without a cause", name,
		       (unsigned long long)events[i]);
	}
	tap_ok(runs(vgpu, engine), "%s: a request runs after that", name);
	tap_ok(witness_ok(w), "%s: another vGPU is not affected", name);
}

/* While a context runs: its request may be lost, but the engine must keep working. */
static void check_busy(struct vgpu *vgpu, struct witness *w, u32 engine)
{
	const char *name = engine_infos[engine].name;
	struct context ctx;
	struct spinner spin;
	u32 seqno;
	u64 resets;

	context_init(&ctx, vgpu, engine, NULL);
	spinner_init(&spin, &ctx, true);
	seqno = spinner_request(&spin, &ctx);
	context_submit(&ctx);
	tap_ok(request_wait_started(&ctx, seqno, SOON_MS), "%s: the engine is busy", name);
	resets = model_engine_counter(name, "resets");
	model_inject("csb-event", name, EVENT(CSB_COMPLETE | CSB_ACTIVE_IDLE));
	tap_ok(over("csb-storm", name), "%s: a completion without a cause", name);
	tap_ok(wait_for(model_engine_counter(name, "resets") > resets, SOON_MS),
	       "%s: the host resets it", name);
	spinner_end(&spin);
	survived(vgpu, w, name);
}

static void check_twice(struct vgpu *vgpu, struct witness *w, u32 engine)
{
	const char *name = engine_infos[engine].name;
	struct context ctx;

	context_init(&ctx, vgpu, engine, NULL);
	request_begin(&ctx);
	request_end(&ctx);
	model_inject("csb-twice", name, 1);
	context_submit(&ctx);
	tap_ok(seen("csb-twice", name), "%s: a duplicate event", name);
	survived(vgpu, w, name);
}

static void check_storm(struct vgpu *vgpu, struct witness *w, u32 engine)
{
	const char *name = engine_infos[engine].name;

	model_inject("csb-event", name, EVENT(CSB_COMPLETE | CSB_ACTIVE_IDLE));
	model_inject("csb-storm", name, 20000);
	tap_ok(seen("csb-storm", name), "%s: a storm of events ends", name);
	survived(vgpu, w, name);
}

/* The hardware reports completion too early: the host must not resubmit forever. */
static void check_short(struct vgpu *vgpu, struct witness *w, u32 engine)
{
	const char *name = engine_infos[engine].name;
	struct engine *e = &vgpu->engines[engine];
	u32 errors = e->error_irqs;
	struct context ctx;

	context_init(&ctx, vgpu, engine, NULL);
	request_begin(&ctx);
	request_end(&ctx);
	model_inject("csb-short", name, 1);
	context_submit(&ctx);
	tap_ok(irq_wait(vgpu, &e->error_irqs, errors + 1, SOON_MS),
	       "%s: completion before the tail is an error", name);
	tap_ok(over("csb-short", name), "%s: it completed early once", name);
	survived(vgpu, w, name);
}

/*
 * The same, and the host receives the event after it has submitted the context once more: the
 * context's memory must not be released before the engine has left it. If the host receives the
 * event earlier, the second request never starts.
 */
static void check_short_again(struct vgpu *vgpu, struct witness *w, u32 engine)
{
	const char *name = engine_infos[engine].name;
	struct engine *e = &vgpu->engines[engine];
	u32 errors = e->error_irqs, seqno;
	struct context ctx;
	struct spinner spin;
	u64 resets;

	context_init(&ctx, vgpu, engine, NULL);
	spinner_init(&spin, &ctx, true);
	seqno = spinner_request(&spin, &ctx);
	context_submit(&ctx);
	tap_ok(request_wait_started(&ctx, seqno, SOON_MS) && seen("csb-short", name),
	       "%s: the engine is busy", name);
	resets = model_engine_counter(name, "resets");
	model_set("drop-interrupts", 1);
	model_inject("csb-short", name, 1);
	spinner_end(&spin);
	tap_ok(over("csb-short", name), "%s: completion before the tail, without an interrupt",
	       name);
	spinner_again(&spin);
	seqno = spinner_request(&spin, &ctx);
	context_submit(&ctx);
	tap_ok(irq_wait(vgpu, &e->error_irqs, errors + 1, SOON_MS), "%s: that is an error", name);
	tap_ok(!request_started(&ctx, seqno) || model_engine_counter(name, "resets") > resets,
	       "%s: later submissions have left the engine by then", name);
	model_set("drop-interrupts", 0);
	spinner_end(&spin);
	survived(vgpu, w, name);
}

int main(void)
{
	struct vgpu *vgpu;
	struct witness w;
	u64 value;
	u32 i;

	vgpu_test_init(300);
	if (!model_get("csb-storm-rcs0", &value))
		tap_skip_all("no GPU model");
	witness_init(&w);
	vgpu = vgpu_new(MDEV_TYPE_SMALL);
	for (i = 0; i < VGPU_NR_ENGINES; i++) {
		check_spurious(vgpu, &w, i);
		check_busy(vgpu, &w, i);
		check_twice(vgpu, &w, i);
		check_storm(vgpu, &w, i);
		check_short(vgpu, &w, i);
		check_short_again(vgpu, &w, i);
	}
	vgpu_free(vgpu);
	witness_free(&w);
	return vgpu_test_done();
}
