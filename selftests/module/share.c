// SPDX-License-Identifier: GPL-2.0
/* What a guest that never yields can take from one that always does. */
#include "clock.h"
#include "context.h"
#include "counters.h"
#include "hog.h"
#include "tap.h"
#include "vgpu.h"

#define RUN_US		8000000

/*
 * Who yields always has work, so it is by the module's policy alone who has the GPU: a slow machine
 * changes nothing in it.
 */
static void check_share(struct hog *h, struct vgpu *bad, struct vgpu *good)
{
	u64 t0, bad_ns, good_ns, sum;
	struct context endless;
	struct spinner spin;
	u32 seqno;

	context_init(&endless, good, RCS, NULL);
	spinner_init(&spin, &endless, true);
	seqno = spinner_request(&spin, &endless);
	context_submit(&endless);
	tap_ok(request_wait_started(&endless, seqno, SOON_MS), "a guest that always yields");
	bad_ns = counters_held(bad, RCS);
	good_ns = counters_held(good, RCS);
	t0 = now_us();
	while (now_us() - t0 < RUN_US)
		if (wait_for(hog_is_reset(h), 100))
			hog_again(h);
	t0 = now_us() - t0;
	bad_ns = counters_held(bad, RCS) - bad_ns;
	good_ns = counters_held(good, RCS) - good_ns;
	sum = bad_ns + good_ns;
	tap_diag("of %llu ms, %llu and %llu", (unsigned long long)t0 / 1000,
		 (unsigned long long)good_ns / 1000000, (unsigned long long)bad_ns / 1000000);
	tap_ok(good_ns * 5 >= sum * 2, "it has two fifths of the engine at least");
	tap_ok(sum / 1000 * 10 >= t0 * 9, "nearly all of the time is somebody's");
	spinner_end(&spin);
	tap_ok(request_wait(&endless, seqno, SOON_MS) &&
	       engine_wait_idle(endless.engine, SOON_MS), "and goes on");
}

/* Who yields, and has work now and then. Return: its longest wait, us. */
static u64 longest_wait(struct hog *h, struct vgpu *good)
{
	struct context honest;
	u64 t0, end, worst = 0;
	u32 requests = 0;

	context_init(&honest, good, RCS, NULL);
	for (end = now_us() + RUN_US; now_us() < end; requests++) {
		u32 seqno;

		request_begin(&honest);
		seqno = request_end(&honest);
		t0 = now_us();
		context_submit(&honest);
		while (!wait_for(request_done(&honest, seqno) || hog_is_reset(h), SOON_MS) ||
		       !request_done(&honest, seqno)) {
			if (now_us() - t0 > 20 * 1000000ull)
				tap_die("an honest request is not done");
			if (hog_is_reset(h))
				hog_again(h);
		}
		engine_wait_idle(honest.engine, SOON_MS);
		worst = now_us() - t0 > worst ? now_us() - t0 : worst;
		if (hog_is_reset(h))
			hog_again(h);
	}
	tap_diag("%u requests, longest wait %llu ms", requests, (unsigned long long)worst / 1000);
	return worst;
}

int main(void)
{
	struct vgpu *bad, *good;
	struct hog h;

	vgpu_test_init(60);
	bad = vgpu_new(MDEV_TYPE_SMALL);
	good = vgpu_new(MDEV_TYPE_SMALL);
	hog_init(&h, bad, RCS);
	tap_ok(wait_for(hog_started(&h), SOON_MS), "a guest that never yields");
	check_share(&h, bad, good);
	tap_ok(longest_wait(&h, good) < 2000000, "who yields never waits long");
	tap_ok(h.turns >= 6, "who never yields has its turns, too");
	hog_end(&h);
	tap_ok(vgpu_works(bad), "the one goes on after a reset");
	tap_ok(vgpu_works(good), "the other without");
	vgpu_free(bad);
	vgpu_free(good);
	return vgpu_test_done();
}
