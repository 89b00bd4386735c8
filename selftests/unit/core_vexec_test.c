// SPDX-License-Identifier: GPL-2.0
/*
 * Virtual execlists: the events that a guest gets, judged by the state machine
 * that i915 enforces: one promote for each list, completions of what runs and
 * nothing else, in order.
 */
#include "test.h"
#include "gen/lrc.h"
#include "core/ctx/vexec.h"

#define LITE	(CSB_PREEMPTED | CSB_LITE_RESTORE)
#define DONE	(CSB_COMPLETE | CSB_ACTIVE_IDLE)
#define SWITCH	(CSB_COMPLETE | CSB_ELEMENT_SWITCH)

static struct gslot_vexec v;
static struct gslot_vexec_events ev;
static u32 next_event;

static void submit(u32 lrca0, u64 last0, u32 lrca1, u64 last1)
{
	struct gslot_vexec_element list[2] = {
		{ .lrca = lrca0, .id = lrca0 + 1000, .last = last0, .valid = true },
		{ .lrca = lrca1, .id = lrca1 + 1000, .last = last1, .valid = lrca1 },
	};

	gslot_vexec_submit(&v, list, &ev);
	next_event = 0;
}

static void retire(u64 seqno)
{
	gslot_vexec_retire(&v, seqno, &ev);
	next_event = 0;
}

static void expect(u32 status, u32 lrca)
{
	assert_true(next_event < ev.count);
	assert_int_equal(ev.event[next_event].status, status);
	assert_int_equal(ev.event[next_event].id, lrca ? lrca + 1000 : 0);
	next_event++;
}

static void expect_end(void)
{
	assert_int_equal(next_event, ev.count);
}

static void test_one(void **state)
{
	(void)state;
	memset(&v, 0, sizeof(v));
	assert_false(v.active[0].valid);
	submit(1, 1, 0, 0);
	expect(CSB_IDLE_ACTIVE, 0);
	expect_end();
	assert_true(v.active[0].valid);
	retire(1);
	expect(DONE, 1);
	expect_end();
	assert_false(v.active[0].valid);
}

static void test_two(void **state)
{
	(void)state;
	memset(&v, 0, sizeof(v));
	submit(1, 1, 2, 2);
	expect(CSB_IDLE_ACTIVE, 0);
	expect_end();
	retire(1);
	expect(SWITCH, 1);
	expect_end();
	retire(2);
	expect(DONE, 2);
	expect_end();
}

static void test_lite_restore(void **state)
{
	(void)state;
	memset(&v, 0, sizeof(v));
	submit(1, 1, 0, 0);
	submit(1, 2, 0, 0);
	expect(LITE, 1);
	expect_end();
	retire(1);
	expect_end();		/* the element now goes up to 2 */
	submit(1, 2, 2, 3);
	expect(LITE, 1);
	expect_end();
	retire(3);
	expect(SWITCH, 1);
	expect(DONE, 2);
	expect_end();
}

static void test_other_waits(void **state)
{
	(void)state;
	memset(&v, 0, sizeof(v));
	submit(1, 1, 0, 0);
	submit(2, 2, 0, 0);
	expect_end();
	retire(1);
	expect(DONE, 1);
	expect(CSB_IDLE_ACTIVE, 0);
	expect_end();
	retire(2);
	expect(DONE, 2);
	expect_end();
}

/* A list that begins with the second of the running ones fits when it is first. */
static void test_waits_for_second(void **state)
{
	(void)state;
	memset(&v, 0, sizeof(v));
	submit(1, 1, 2, 2);
	submit(2, 3, 3, 4);
	expect_end();
	retire(1);
	expect(SWITCH, 1);
	expect(LITE, 2);
	expect_end();
	retire(4);
	expect(SWITCH, 2);
	expect(DONE, 3);
	expect_end();
}

static void test_work_already_done(void **state)
{
	(void)state;
	memset(&v, 0, sizeof(v));
	retire(5);
	expect_end();
	submit(1, 5, 0, 0);
	expect(CSB_IDLE_ACTIVE, 0);
	expect(DONE, 1);
	expect_end();
	submit(1, 5, 2, 0);
	expect(CSB_IDLE_ACTIVE, 0);
	expect(SWITCH, 1);
	expect(DONE, 2);
	expect_end();
}

static void test_hang_and_reset(void **state)
{
	(void)state;
	memset(&v, 0, sizeof(v));
	submit(1, 1, 0, 0);
	gslot_vexec_hang(&v);
	retire(1);
	expect_end();
	submit(2, 2, 0, 0);
	expect_end();
	gslot_vexec_reset(&v);
	assert_false(v.active[0].valid);
	submit(2, 2, 0, 0);
	expect(CSB_IDLE_ACTIVE, 0);
	expect_end();
	retire(2);
	expect(DONE, 2);
	expect_end();
}

static void test_replaced(void **state)
{
	(void)state;
	memset(&v, 0, sizeof(v));
	submit(1, 1, 0, 0);
	submit(2, 2, 0, 0);
	submit(3, 3, 0, 0);
	expect_end();
	retire(1);
	expect(DONE, 1);
	expect(CSB_IDLE_ACTIVE, 0);
	expect_end();
	retire(2);
	expect_end();
	retire(3);
	expect(DONE, 3);
	expect_end();
}

static void adopt(u32 lrca0, u64 last0, u32 lrca1, u64 last1)
{
	struct gslot_vexec_element list[2] = {
		{ .lrca = lrca0, .id = lrca0 + 1000, .last = last0, .valid = true },
		{ .lrca = lrca1, .id = lrca1 + 1000, .last = last1, .valid = lrca1 },
	};

	gslot_vexec_adopt(&v, list, &ev);
	next_event = 0;
}

/* A list that was promoted elsewhere has no second promote event. */
static void test_adopt(void **state)
{
	(void)state;
	memset(&v, 0, sizeof(v));
	adopt(1, 1, 2, 2);
	expect_end();
	submit(3, 3, 0, 0);
	expect_end();
	retire(1);
	expect(SWITCH, 1);
	expect_end();
	retire(2);
	expect(DONE, 2);
	expect(CSB_IDLE_ACTIVE, 0);
	expect_end();
	retire(3);
	expect(DONE, 3);
	expect_end();

	/* The next list is of the same context. */
	adopt(1, 4, 0, 0);
	expect_end();
	submit(1, 5, 0, 0);
	expect(LITE, 1);
	expect_end();
	retire(5);
	expect(DONE, 1);
	expect_end();

	/* All of its work is done. */
	adopt(1, 5, 2, 5);
	expect(SWITCH, 1);
	expect(DONE, 2);
	expect_end();

	gslot_vexec_hang(&v);
	adopt(1, 6, 0, 0);
	expect_end();
	assert_false(v.active[0].valid);
}

/* What i915 keeps of its ports, and what it would call an error. */
struct driver {
	u32 active[3];		/* lrca, 0-terminated */
	u32 pending[3];
	u64 active_last[2];	/* the last request of each element */
	u64 pending_last[2];
};

static void driver_events(struct driver *d, u64 retired)
{
	for (u32 i = 0; i < ev.count; i++) {
		if (ev.event[i].status & CSB_PROMOTE) {
			assert_int_not_equal(d->pending[0], 0);
			memcpy(d->active, d->pending, sizeof(d->active));
			memcpy(d->active_last, d->pending_last, sizeof(d->active_last));
			memset(d->pending, 0, sizeof(d->pending));
		} else {
			assert_int_not_equal(d->active[0], 0);
			assert_int_equal(ev.event[i].id, d->active[0] + 1000);
			assert_true(d->active_last[0] <= retired);
			d->active[0] = d->active[1];
			d->active_last[0] = d->active_last[1];
			d->active[1] = 0;
		}
	}
}

/* A driver as i915 in a vGPU: never submits before the promote of the last. */
static void test_random(void **state)
{
	struct driver d = { };
	u64 queued = 0, retired = 0;
	u64 last[8] = { };	/* of each context */

	(void)state;
	memset(&v, 0, sizeof(v));
	for (unsigned int i = 0; i < rounds(200000); i++) {
		if (!d.pending[0] && rnd_below(2)) {
			u32 a = d.active[0] && rnd_below(3) ? d.active[0] : 1 + rnd_below(7);
			u32 b = rnd_below(2) ? 1 + rnd_below(7) : 0;

			b = a == b ? 0 : b;
			if (rnd_below(3))
				last[a] = ++queued;
			if (b)
				last[b] = ++queued;
			d.pending[0] = a;
			d.pending[1] = b;
			d.pending_last[0] = last[a];
			d.pending_last[1] = last[b];
			submit(a, last[a], b, last[b]);
		} else {
			if (retired < queued)
				retired++;
			retire(retired);
		}
		assert_true(ev.count <= GSLOT_VEXEC_MAX_EVENTS);
		driver_events(&d, retired);
	}
	retire(queued);
	driver_events(&d, queued);
	assert_false(v.active[0].valid);
	assert_int_equal(d.active[0] | d.pending[0], 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one),
		cmocka_unit_test(test_two),
		cmocka_unit_test(test_lite_restore),
		cmocka_unit_test(test_other_waits),
		cmocka_unit_test(test_waits_for_second),
		cmocka_unit_test(test_work_already_done),
		cmocka_unit_test(test_hang_and_reset),
		cmocka_unit_test(test_replaced),
		cmocka_unit_test(test_adopt),
		cmocka_unit_test(test_random),
	};

	return run_tap_tests("core_vexec", tests);
}
