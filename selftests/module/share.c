// SPDX-License-Identifier: GPL-2.0
/* What a guest that never yields can take from one that always does. */
#include "clock.h"
#include "context.h"
#include "tap.h"
#include "vgpu.h"

#define RUN_US		8000000
#define TURN_US		700000	/* by then it was taken off, if it was on */
#define USUAL_US	60000	/* an honest request takes no longer, on a busy machine */

/* An endless loop without an arbitration point, again and again. */
struct hostile {
	struct context ctx;
	struct spinner spin;
	u32 seqno;
	u32 turns;
	u64 started;
};

static void hostile_submit(struct hostile *h)
{
	h->seqno = spinner_request(&h->spin, &h->ctx);
	h->started = 0;
	context_submit(&h->ctx);
}

/* Its reset, as soon as it was taken off; then it begins anew. */
static bool hostile_due(struct hostile *h)
{
	if (!h->started && request_started(&h->ctx, h->seqno)) {
		h->started = now_us();
		h->turns++;
	}
	return h->started && now_us() - h->started > TURN_US;
}

static void hostile_again(struct hostile *h)
{
	engine_reset(h->ctx.engine);
	h->ctx.engine->bad = false;
	h->ctx.state[LRC_RING_HEAD] = cs_offset(&h->ctx.ring);
	hostile_submit(h);
}

int main(void)
{
	struct vgpu *bad, *good;
	struct context honest;
	struct hostile h;
	u64 t0, end, lost = 0, worst = 0;
	u32 requests = 0, percent;

	vgpu_test_init(60);
	bad = vgpu_new(MDEV_TYPE_SMALL);
	good = vgpu_new(MDEV_TYPE_SMALL);
	context_init(&h.ctx, bad, RCS, NULL);
	spinner_init(&h.spin, &h.ctx, false);
	h.turns = 0;
	context_init(&honest, good, RCS, NULL);
	hostile_submit(&h);
	tap_ok(wait_for((hostile_due(&h), h.started), SOON_MS), "a guest that never yields");

	end = now_us() + RUN_US;
	while (now_us() < end) {
		u32 seqno;
		u64 took;

		request_begin(&honest);
		seqno = request_end(&honest);
		t0 = now_us();
		context_submit(&honest);
		while (!wait_for(request_done(&honest, seqno) || hostile_due(&h), SOON_MS) ||
		       !request_done(&honest, seqno)) {
			if (now_us() - t0 > 20 * 1000000ull)
				tap_die("an honest request is not done");
			if (hostile_due(&h))
				hostile_again(&h);
		}
		engine_wait_idle(honest.engine, SOON_MS);
		took = now_us() - t0;
		requests++;
		if (took > worst)
			worst = took;
		if (took > USUAL_US)
			lost += took - USUAL_US;
		if (hostile_due(&h))
			hostile_again(&h);
	}
	percent = 100 - lost * 100 / RUN_US;
	tap_diag("%u requests, longest wait %llu ms, %u turns of the other, share %u%%", requests,
		 (unsigned long long)worst / 1000, h.turns, percent);
	tap_ok(h.turns >= 3, "who never yields has its turns, too");
	tap_ok(percent >= 40, "who yields has two fifths of the GPU at least");
	tap_ok(worst < 2000000, "and never waits long");
	engine_reset(h.ctx.engine);
	h.ctx.engine->bad = false;
	tap_ok(vgpu_works(bad), "the one goes on after a reset");
	tap_ok(vgpu_works(good), "the other without");
	vgpu_free(bad);
	vgpu_free(good);
	return vgpu_test_done();
}
