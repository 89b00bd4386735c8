// SPDX-License-Identifier: GPL-2.0
/*
 * The host needs memory: vGPUs give back what their guests do not use now, and get it again when it
 * is used. What runs stays pinned. A vGPU whose memory does not arrive keeps no other from that.
 */
#include <pthread.h>

#include "clock.h"
#include "context.h"
#include "counters.h"
#include "ggtt.h"
#include "spinning.h"
#include "migration.h"
#include "pressure.h"
#include "space.h"
#include "stuck.h"
#include "tap.h"
#include "vgpu.h"

#define BIG_PAGES	6000u
#define SMALL_PAGES	500u
#define VALUE		0x9e550000u
/* More than the second after which memory is given. */
#define UNUSED_US	1500000
#define GIVEN_MS	(5000 * slowness())
#define ROUNDS		10u
#define REQUESTS	200u

/*
 * Nearly all of its vGPU's pages were unpinned. Now and then only: to show that, debugfs takes the
 * lock that unpinning needs.
 */
static bool is_given(const struct space *s)
{
	sleep_us(50000);
	return counters_pins(s->ctx.vgpu) < s->pages / 5;
}

static u64 reclaimed(const struct vgpu *vgpu)
{
	return counters_number(vgpu, "state", "reclaimed_pages");
}

/* All that is not pinned any more was given since the counter was @before. */
static bool is_counted(const struct space *s, u64 before)
{
	sleep_us(50000);
	return reclaimed(s->ctx.vgpu) - before + counters_pins(s->ctx.vgpu) >= s->pages;
}

/* @arg: says when to stop. */
static void *press(void *arg)
{
	while (!READ_ONCE(*(bool *)arg)) {
		pressure_once();
		sleep_us(2000);
	}
	return NULL;
}

static void check_unused(struct space *big, struct space *small, u32 round)
{
	u64 before = reclaimed(big->ctx.vgpu), away = counters_memory(big->ctx.vgpu, "away");
	u64 back = counters_memory(big->ctx.vgpu, "brought_back");
	/* The rest of the last page table is a page, too. */
	u64 most = (big->pages + 1) * (u64)PAGE_SIZE;

	tap_ok(space_runs(big, VALUE + round), "a vGPU runs, %u", round);
	tap_eq(counters_memory(big->ctx.vgpu, "away"), 0, "nothing of it is away then, %u", round);
	back = counters_memory(big->ctx.vgpu, "brought_back") - back;
	tap_ok(back >= away && back <= most && (round == 1 || back),
	       "what was away is brought back, %u", round);
	tap_diag("%llu pages", (unsigned long long)back / PAGE_SIZE);
	tap_ok(space_is_used(big) && space_runs(small, VALUE + round) && space_is_used(small),
	       "and another one, %u", round);
	sleep_us(UNUSED_US);
	pressure_once();
	tap_ok(wait_for(is_given(big) && is_given(small), GIVEN_MS),
	       "the host needs memory: they give it, %u", round);
	tap_ok(wait_for(is_counted(big, before), GIVEN_MS), "so the counter says, %u", round);
	away = counters_memory(big->ctx.vgpu, "away");
	tap_ok(away > big->pages / 5 * 4 * PAGE_SIZE && away <= most,
	       "what its address space has is away, %u", round);
	tap_diag("%llu pages given, %llu away, %llu left",
		 (unsigned long long)(reclaimed(big->ctx.vgpu) - before),
		 (unsigned long long)away / PAGE_SIZE,
		 (unsigned long long)counters_pins(big->ctx.vgpu));
}

static void check_running(struct space *big, struct space *small)
{
	struct spinner spin;
	u32 seqno;
	u64 used;

	spinner_init(&spin, &big->ctx, true);
	seqno = spinner_request_arb(&spin, &big->ctx);
	context_submit(&big->ctx);
	tap_ok(request_wait_started(&big->ctx, seqno, SOON_MS), "a batch runs");
	used = counters_used(big->ctx.vgpu);
	tap_ok(space_runs(small, VALUE) && space_is_used(small), "the other vGPU runs");
	sleep_us(UNUSED_US);
	pressure_once();
	tap_ok(wait_for(is_given(small), GIVEN_MS), "the other vGPU gives its memory");
	tap_ok(counters_used(big->ctx.vgpu) == used && space_is_used(big) &&
	       !request_done(&big->ctx, seqno), "all memory of what runs stays pinned");
	spinner_end(&spin);
	tap_ok(request_wait(&big->ctx, seqno, SOON_MS) &&
	       engine_wait_idle(big->ctx.engine, SOON_MS), "the batch ends");
}

/*
 * How many pages a request has while the host asks for memory all the time: it is interrupted all
 * the while, and pinning a page and dropping caches wait for each other to drain the LRU batches of
 * all processors. On the debug kernel a page takes up to 16 ms.
 */
static u32 pressed_pages(void)
{
	return slowness() > 1 ? SMALL_PAGES : BIG_PAGES;
}

/*
 * The neighbour's worker holds its lock until the page arrives, so it gives nothing. The host asks
 * for memory all the time.
 */
static void check_stuck(void)
{
	struct stuck stuck = { };
	bool stop = false;
	pthread_t thread;
	struct vgpu *vgpu;
	struct space s;

	if (!stuck_begin(&stuck)) {
		tap_skip("no FUSE", "a vGPU waits for its memory");
		return;
	}
	vgpu = vgpu_new(MDEV_TYPE_SMALL);
	space_init(&s, vgpu, pressed_pages());
	tap_ok(space_runs(&s, VALUE) && space_is_used(&s),
	       "a vGPU runs beside one that waits for its memory");
	if (pthread_create(&thread, NULL, press, &stop))
		tap_die("no thread");
	tap_ok(wait_for(is_given(&s), GIVEN_MS), "it gives its memory all the same");
	tap_ok(space_runs(&s, VALUE + 1), "it runs again");
	WRITE_ONCE(stop, true);
	pthread_join(thread, NULL);
	vgpu_free(vgpu);
	tap_ok(stuck_end(&stuck), "the page arrives, and the other one works");
}

/* All the time, while vGPUs are opened and closed, and use memory or not. */
static void check_always(void)
{
	u32 requests = REQUESTS / slowness();
	bool ok = true, stop = false;
	struct space big, small;
	struct vgpu *vgpu;
	pthread_t thread;
	u32 i, k;

	if (pthread_create(&thread, NULL, press, &stop))
		tap_die("no thread");
	for (i = 0; i < ROUNDS; i++) {
		vgpu = vgpu_new(MDEV_TYPE_SMALL);
		space_init(&big, vgpu, pressed_pages());
		space_init(&small, vgpu, SMALL_PAGES);
		for (k = 0; k < requests / ROUNDS; k++)
			ok = space_runs(k % 4 ? &small : &big, VALUE + k) && ok;
		ok = ram_canary_intact(&vgpu->ram) && ok;
		ok = !vgpu_free(vgpu) && ok;
	}
	WRITE_ONCE(stop, true);
	pthread_join(thread, NULL);
	tap_ok(ok, "the host needs memory all the time: %u requests of %u vGPUs run", requests,
	       ROUNDS);
}

/*
 * The VMM stops a vGPU at the moment when an address space goes that the guest has destroyed: its
 * tables still name its pages, but it has no root any more. The GGTT names the root's page, so that
 * no page is idle, either.
 */
static void check_dying(void)
{
	struct vgpu *vgpu = vgpu_new(MDEV_TYPE_SMALL);
	struct spinner spin;
	struct space s;
	u32 seqno;

	space_init(&s, vgpu, BIG_PAGES);
	ggtt_bind(vgpu, s.ctx.ppgtt->root, 1);
	ggtt_flush(vgpu);
	spinner_init(&spin, &s.ctx, false);
	seqno = spinner_request(&spin, &s.ctx);
	context_submit(&s.ctx);
	tap_ok(request_wait_started(&s.ctx, seqno, SOON_MS), "a request does not yield");
	ppgtt_notify(vgpu, s.ctx.ppgtt, false);
	tap_ok(!mig_set(&vgpu->dev, MIG_STOP, NULL) && counters_pins(vgpu) >= BIG_PAGES,
	       "its address space is destroyed, and the vGPU is stopped");
	sleep_us(UNUSED_US);
	pressure_once();
	tap_ok(wait_for(is_given(&s), GIVEN_MS), "the stopped vGPU gives what that had");
	spinner_end(&spin);
	tap_ok(!mig_set(&vgpu->dev, MIG_RUNNING, NULL), "the vGPU runs again");
	vgpu_free(vgpu);
}

int main(void)
{
	struct vgpu *first, *second;
	struct space big, small;

	vgpu_test_init(180);
	check_stuck();
	first = vgpu_new(MDEV_TYPE_SMALL);
	second = vgpu_new(MDEV_TYPE_SMALL);
	space_init(&big, first, BIG_PAGES);
	space_init(&small, second, SMALL_PAGES);
	check_unused(&big, &small, 1);
	check_unused(&big, &small, 2);
	check_running(&big, &small);
	tap_ok(space_runs(&big, VALUE) && space_runs(&small, VALUE), "both run again");
	tap_ok(ram_canary_intact(&first->ram) && ram_canary_intact(&second->ram),
	       "no stray write");
	vgpu_free(first);
	vgpu_free(second);
	check_always();
	check_dying();
	return vgpu_test_done();
}
