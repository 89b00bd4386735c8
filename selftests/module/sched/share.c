// SPDX-License-Identifier: GPL-2.0
/* The loss of a guest that always yields by one that never does. */
#include "clock.h"
#include "context.h"
#include "counters.h"
#include "hog.h"
#include "tap.h"
#include "used.h"
#include "vgpu.h"

#define RUN_US		8000000
/* Plus the time to take the vGPU that does not yield off the engine, once. */
#define REST_US		1360000

static bool has_its_part(u64 good_ns, u64 sum)
{
	return good_ns * 5 >= sum * 2;
}

static bool is_used(u64 sum, u64 us)
{
	return sum / 1000 * 10 >= us * 9;
}

static bool fair(u64 good_ns, u64 sum, u64 us)
{
	return has_its_part(good_ns, sum) && is_used(sum, us);
}

/*
 * The guest that yields always has work, so the module's policy alone decides which guest has the
 * GPU: a slow machine changes nothing in it.
 */
static void check_share(struct hog *h, struct vgpu *bad, struct vgpu *good)
{
	u64 t0, bad_ns, good_ns, bad_before, good_before, sum, passed;
	struct context endless;
	struct spinner spin;
	u32 seqno;

	context_init(&endless, good, RCS, NULL);
	spinner_init(&spin, &endless, true);
	seqno = spinner_request(&spin, &endless);
	context_submit(&endless);
	tap_ok(request_wait_started(&endless, seqno, SOON_MS), "a guest that always yields");
	bad_before = counters_held(bad, RCS);
	good_before = counters_held(good, RCS);
	t0 = now_us();
	/* What was too much as the machine stood still is made up for in as much time. */
	do {
		if (wait_for(hog_is_reset(h), 100))
			hog_again(h);
		passed = now_us() - t0;
		bad_ns = counters_held(bad, RCS) - bad_before;
		good_ns = counters_held(good, RCS) - good_before;
		sum = bad_ns + good_ns;
	} while (passed < RUN_US || (passed < 2 * RUN_US && !fair(good_ns, sum, passed)));
	tap_diag("of %llu ms, %llu and %llu", (unsigned long long)passed / 1000,
		 (unsigned long long)good_ns / 1000000, (unsigned long long)bad_ns / 1000000);
	tap_ok(has_its_part(good_ns, sum),
	       "the yielding guest has at least two fifths of the engine");
	tap_ok(is_used(sum, passed), "nearly all of the time is used");
	spinner_end(&spin);
	tap_ok(request_wait(&endless, seqno, SOON_MS) &&
	       engine_wait_idle(endless.engine, SOON_MS), "the yielding guest works");
}

/* A guest that yields, with occasional work. Return: its longest wait, us. */
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
	u64 worst, yield;
	struct hog h;

	vgpu_test_init(90);
	bad = vgpu_new(MDEV_TYPE_SMALL);
	good = vgpu_new(MDEV_TYPE_SMALL);
	hog_init(&h, bad, RCS);
	tap_ok(wait_for(hog_started(&h), SOON_MS), "a guest that never yields");
	check_share(&h, bad, good);
	worst = longest_wait(&h, good);
	yield = used_get(bad->uuid, RCS, "longest-yield") / 1000;
	tap_diag("taking the guest that does not yield off took at most %llu ms",
		 (unsigned long long)yield / 1000);
	tap_ok(worst < yield + REST_US, "the yielding guest's waits are bounded");
	tap_ok(h.turns >= 6, "the guest that never yields has turns as well");
	hog_end(&h);
	tap_ok(vgpu_works(bad), "the guest that never yields works after a reset");
	tap_ok(vgpu_works(good), "the yielding guest works without one");
	vgpu_free(bad);
	vgpu_free(good);
	return vgpu_test_done();
}
