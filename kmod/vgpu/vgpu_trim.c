// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: releasing memory in pre-copy
 *
 * VFIO's type 1 container counts all pinned pages as dirty, and QEMU sends them in each round. So
 * in PRE_COPY a page is unpinned that will be idle for about a second (core/mem/reclaim.h), and the
 * page tables that name it are dropped before: a vGPU keeps those of all its contexts otherwise. A
 * context that runs again gets them anew, at its submission.
 *
 * What the vGPU uses all the time is released as well, for a while, before the end of one of the
 * VMM's rounds: core/mem/precopy.h.
 *
 * A work item does that, as a vGPU's worker sleeps while its guest submits nothing. A change of
 * state does not wait for it: it may wait for guest memory that does not arrive.
 */
#include <linux/jiffies.h>
#include <linux/minmax.h>
#include <linux/sched.h>
#include <linux/workqueue.h>

#include "vgpu_priv.h"
#include "vgpu_state.h"
#include "base/trace.h"

/* How many pages are released at a time, and for how long they will be idle at least */
#define TRIM_PAGES	4096
#define TRIM_IDLE_MS	1000
#define TRIM_INTERVAL	(HZ / 4)
/* While submissions are held, until all is released; no lock is waited for any longer. */
#define TRIM_HELD_INTERVAL	msecs_to_jiffies(5)
/* For the vGPU's lock; then the next time. */
#define TRIM_TIMEOUT	HZ

static u64 trim_now_ms(void)
{
	return ktime_get_ns() / NSEC_PER_MSEC;
}

/* @next: when something changes, ms; U64_MAX: not known. Return: the delay of the work item. */
static unsigned long trim_delay(u64 next, u64 now)
{
	if (next == U64_MAX)
		return TRIM_INTERVAL;
	return min_t(unsigned long, msecs_to_jiffies(next > now ? next - now : 0), TRIM_INTERVAL);
}

static void trim_set_held(struct gslot_vgpu *vgpu, bool held)
{
	struct gslot_vgpu_trim *t = &vgpu->trim;

	lockdep_assert_held(&t->lock);
	if (t->held == held)
		return;
	t->held = held;
	trace_gslot_precopy_hold(vgpu->name, held, READ_ONCE(vgpu->mem.count));
	if (held)
		gslot_exec_postpone(vgpu->exec, GSLOT_POSTPONE_IN_PRECOPY);
	else
		gslot_exec_unpostpone(vgpu->exec, GSLOT_POSTPONE_IN_PRECOPY);
}

/* Return: whether submissions are held; @delay: of the next look at that */
static bool trim_look(struct gslot_vgpu *vgpu, unsigned long *delay)
{
	struct gslot_vgpu_trim *t = &vgpu->trim;
	u64 now = trim_now_ms(), next = U64_MAX;
	bool held;

	spin_lock(&t->lock);
	if (t->on)
		trim_set_held(vgpu, gslot_precopy_update(&t->precopy, now, &next));
	held = t->held;
	*delay = trim_delay(next, now);
	spin_unlock(&t->lock);
	return held;
}

/*
 * Drop some page tables. @timeout: for the vGPU's lock, jiffies; @done: set to whether none is left
 * that a request does not use, and none is used. Return: whether to go on at once: more may be
 * left, and no other caller waits for the lock.
 */
static bool trim_some(struct gslot_vgpu *vgpu, const struct gslot_exec_trim *trim,
		      unsigned long timeout, bool *done)
{
	bool used, more;

	if (!READ_ONCE(vgpu->trim.on) || !gslot_vgpu_lock_exec_until(vgpu, jiffies + timeout))
		return false;
	used = gslot_exec_has_requests(vgpu->exec);
	more = gslot_exec_trim(vgpu->exec, trim);
	*done = !used && !more;
	gslot_exec_unlock(vgpu->exec);
	cond_resched();
	/* A caller that polls for the lock would hardly ever find it free. */
	return more && !gslot_vgpu_lock_contended(&vgpu->lock);
}

/* Release what will be idle for a while. */
static void trim_idle(struct gslot_vgpu *vgpu)
{
	static const struct gslot_exec_trim trim = { .pages = TRIM_PAGES, .idle_ms = TRIM_IDLE_MS };
	bool done;

	while (trim_some(vgpu, &trim, TRIM_TIMEOUT, &done))
		;
}

/*
 * Submissions are held: release all that no request uses. @delay: until the next look at whether
 * they are, jiffies. Return: the same, or less while there is more to release.
 */
static unsigned long trim_all(struct gslot_vgpu *vgpu, unsigned long delay)
{
	static const struct gslot_exec_trim trim = { .pages = TRIM_PAGES, .prepared = true };
	struct gslot_vgpu_trim *t = &vgpu->trim;
	unsigned long until = jiffies + delay;
	bool done = false;

	/* A submission that was under way may have asked for room, and would keep the token. */
	gslot_room_done(vgpu);
	while (trim_some(vgpu, &trim, TRIM_HELD_INTERVAL, &done) && time_before(jiffies, until))
		;
	gslot_guestmem_unpin_idle(&vgpu->mem);
	if (!done || READ_ONCE(vgpu->mem.nr_idle))
		return min_t(unsigned long, delay, TRIM_HELD_INTERVAL);
	spin_lock(&t->lock);
	if (t->held)
		gslot_precopy_released(&t->precopy, trim_now_ms());
	spin_unlock(&t->lock);
	return delay;
}

static void trim_work(struct work_struct *work)
{
	struct gslot_vgpu *vgpu = container_of(to_delayed_work(work), struct gslot_vgpu, trim.work);
	unsigned long delay;

	if (trim_look(vgpu, &delay))
		delay = trim_all(vgpu, delay);
	else
		trim_idle(vgpu);
	if (READ_ONCE(vgpu->trim.on))
		queue_delayed_work(system_freezable_wq, &vgpu->trim.work, delay);
}

/* @vgpu is being created. */
void gslot_trim_init(struct gslot_vgpu *vgpu)
{
	spin_lock_init(&vgpu->trim.lock);
	INIT_DELAYED_WORK(&vgpu->trim.work, trim_work);
}

/* The vGPU is about to be closed, and is not in PRE_COPY. May sleep, without the vGPU's locks. */
void gslot_trim_end(struct gslot_vgpu *vgpu)
{
	cancel_delayed_work_sync(&vgpu->trim.work);
	vgpu->trim.precopy = (struct gslot_precopy) {};
}

/**
 * gslot_vgpu_trim() - start or stop releasing unused page tables and pages early
 * @vgpu: the vGPU; open if @trim
 * @trim: whether to release what will be idle for about a second
 *
 * Takes no lock that is held for long. Ends a hold of submissions.
 *
 * Context: process; calls are serialised.
 */
void gslot_vgpu_trim(struct gslot_vgpu *vgpu, bool trim)
{
	struct gslot_vgpu_trim *t = &vgpu->trim;

	if (t->on == trim)
		return;
	spin_lock(&t->lock);
	WRITE_ONCE(t->on, trim);
	if (trim)
		gslot_precopy_enter(&t->precopy, trim_now_ms());
	else
		gslot_precopy_leave(&t->precopy, trim_now_ms());
	trim_set_held(vgpu, false);
	spin_unlock(&t->lock);
	gslot_guestmem_unpin_soon(&vgpu->mem, trim);
	if (trim)
		queue_delayed_work(system_freezable_wq, &t->work, TRIM_INTERVAL);
	else
		cancel_delayed_work(&t->work);
}

/**
 * gslot_vgpu_precopy_asked() - the VMM asks in pre-copy how much is left
 * @vgpu: the vGPU, open
 *
 * Context: process.
 */
void gslot_vgpu_precopy_asked(struct gslot_vgpu *vgpu)
{
	struct gslot_vgpu_trim *t = &vgpu->trim;
	u64 now = trim_now_ms(), next;

	spin_lock(&t->lock);
	if (t->on) {
		gslot_precopy_asked(&t->precopy, now, READ_ONCE(vgpu->mem.count));
		if (gslot_precopy_update(&t->precopy, now, &next) && !t->held)
			next = now;
		/* Else a VMM that asks often would keep the work item from running. */
		if (next != U64_MAX && (!t->held || t->precopy.released))
			mod_delayed_work(system_freezable_wq, &t->work, trim_delay(next, now));
	}
	spin_unlock(&t->lock);
}
