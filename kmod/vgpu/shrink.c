// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: the shrinker
 *
 * The kernel asks the GPU's shrinker for pages when the host is short of memory. The shrinker runs
 * wherever memory is allocated, perhaps with locks of VFIO or of a vGPU held: so it only adds up
 * what is wanted, and queues a work item. That takes the steps of core/mem/reclaim.h, until vGPUs
 * have given as much. In each step a work item of each vGPU unpins pages that have been idle for as
 * long as the step says, and drops page tables of address spaces that were unused for as long,
 * which makes their pages idle; then it unpins all idle pages. A context that runs again gets its
 * page tables and pages anew, at its submission. A submission may be interrupted, by the shrinker,
 * too, and go on later: the page tables that it has built until then stay.
 *
 * The next step follows when the vGPUs are done, or none of them unpins anything any more, or after
 * a second. One that waits for its memory holds its lock for as long: it gives nothing, but the
 * others do. It takes the next step when it is done with the last. If the steps do not find enough,
 * there is a pause: to look again at once would find little, and slow the vGPUs' workers down.
 *
 * The steps have a work queue of their own: where the kernel cannot create threads, one thread does
 * the work of a queue, and the next step does not wait for a vGPU's locks. Both are freezable: no
 * page is unmapped for a device that sleeps.
 */
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/pci.h>
#include <linux/sched.h>
#include <linux/shrinker.h>
#include <linux/workqueue.h>

#include "vgpu_priv.h"
#include "base/compat.h"
#include "base/trace.h"
#include "core/mem/reclaim.h"

/* Between two looks at what vGPUs have given. */
#define SHRINK_INTERVAL	(HZ / 50)
/* For a vGPU's lock; then it gives nothing more in this step. */
#define SHRINK_TIMEOUT	HZ
/* So many pages in an interval are progress. */
#define SHRINK_PROGRESS	64
/* After so many intervals without it, vGPUs that still have work from the last step are left. */
#define SHRINK_STALLS	50
/* For about so long a vGPU's lock is taken again and again; then others have it for as long. */
#define SHRINK_TURN	(HZ / 100)
/* So long the next step waits for vGPUs that go on giving. */
#define SHRINK_STEP	HZ
/* After all steps have not given enough: meanwhile more becomes unused for long enough. */
#define SHRINK_REST	(HZ / 5)

/* Change what is wanted: never below 0, or above what is pinned. Return: the new value. */
static long shrink_want(struct gslot_vgpus_shrink *s, long more)
{
	long old = atomic_long_read(&s->wanted), wanted;

	do {
		wanted = clamp(old + more, 0L, atomic_long_read(&s->pinned));
	} while (!atomic_long_try_cmpxchg(&s->wanted, &old, wanted));
	return wanted;
}

/*
 * Unpin a batch of pages, or drop some page tables, with the vGPU's lock held. @idle_age: for how
 * long pages must have been idle; 0 once page tables were dropped. Return: whether there may be
 * more.
 */
static bool shrink_batch(struct gslot_vgpu *vgpu, unsigned long age, unsigned long *idle_age,
			 u32 *unpinned)
{
	*unpinned = 0;
	/* Each page might wait for VFIO's lock, which the unmapping needs. */
	if (gslot_guestmem_is_unmapping(&vgpu->mem))
		return false;
	*unpinned = gslot_guestmem_unpin_unused(&vgpu->mem, *idle_age);
	if (*unpinned)
		return true;
	if (!gslot_exec_trim(vgpu->exec, age))
		return false;
	*idle_age = 0;
	return true;
}

/*
 * Let others have the vGPU's lock: a caller that polls for it would hardly ever find it free, and
 * the worker would hardly submit. @since: when the turn began, jiffies.
 */
static void shrink_pause(struct gslot_vgpu *vgpu, unsigned long *since)
{
	unsigned long took = jiffies - *since;

	if (took < SHRINK_TURN && !gslot_vgpu_lock_contended(&vgpu->lock)) {
		cond_resched();
		return;
	}
	/* It may have waited for VFIO for much longer. */
	msleep(jiffies_to_msecs(min_t(unsigned long, took, SHRINK_TURN)) + 2 * GSLOT_LOCK_POLL_MS);
	*since = jiffies;
}

/*
 * The VMM of a frozen vGPU waits for functions that need its lock: it is held for no longer than a
 * batch that has begun.
 */
static bool shrink_may_give(const struct gslot_vgpu *vgpu)
{
	return gslot_vgpu_is_active(vgpu) && !READ_ONCE(vgpu->frozen);
}

/*
 * @given: so many pages were unpinned by this work. No more than were pinned when it began: a guest
 * can pin pages and make them idle all the while, which would keep other vGPUs' turn from coming.
 */
static bool shrink_is_wanted(const struct gslot_vgpu *vgpu, u64 given, u32 pinned)
{
	return given < pinned && atomic_long_read(&vgpu->vgpus->shrink.wanted) &&
	       shrink_may_give(vgpu) && !READ_ONCE(vgpu->vgpus->parked);
}

static void shrink_vgpu_work(struct work_struct *work)
{
	struct gslot_vgpu *vgpu = container_of(work, struct gslot_vgpu, shrink.work);
	unsigned long age = READ_ONCE(vgpu->shrink.age), idle_age = age;
	struct gslot_vgpus_shrink *s = &vgpu->vgpus->shrink;
	u32 pinned = READ_ONCE(vgpu->mem.count);
	unsigned long since = jiffies;
	u64 given = 0;
	bool more;
	u32 n;

	do {
		if (!shrink_may_give(vgpu) ||
		    !gslot_vgpu_lock_exec_until(vgpu, jiffies + SHRINK_TIMEOUT))
			break;
		more = shrink_batch(vgpu, age, &idle_age, &n);
		gslot_exec_unlock(vgpu->exec);
		given += n;
		atomic64_add(n, &vgpu->shrink.reclaimed);
		atomic_long_add(n, &s->given);
		shrink_want(s, -(long)n);
		shrink_pause(vgpu, &since);
	} while (more && shrink_is_wanted(vgpu, given, pinned));
	if (given)
		trace_gslot_shrink(gslot_vgpu_name(vgpu), jiffies_to_msecs(age), given);
	atomic_dec(&s->busy);
}

/* What a vGPU is to give, in a step. If it is not done with the last one, it takes it after that. */
static void shrink_queue_step(struct gslot_vgpu *vgpu, u64 share)
{
	struct gslot_vgpus_shrink *s = &vgpu->vgpus->shrink;
	u32 ms = gslot_reclaim_age_ms(s->step, READ_ONCE(vgpu->mem.count), share);

	if (ms == GSLOT_RECLAIM_NOTHING)
		return;
	WRITE_ONCE(vgpu->shrink.age, msecs_to_jiffies(ms));
	atomic_inc(&s->busy);
	if (!queue_work(s->give_wq, &vgpu->shrink.work))
		atomic_dec(&s->busy);
}

static void shrink_begin_step(struct gslot_vgpus *vgpus, u64 wanted, u64 total)
{
	struct gslot_vgpus_shrink *s = &vgpus->shrink;
	struct gslot_vgpu *vgpu;
	u32 count = 0;
	u64 share;

	mutex_lock(&vgpus->lock);
	list_for_each_entry(vgpu, &vgpus->list, link)
		count += gslot_vgpu_is_active(vgpu);
	share = gslot_reclaim_share(wanted, total, max(count, 1U));
	list_for_each_entry(vgpu, &vgpus->list, link)
		if (gslot_vgpu_is_active(vgpu))
			shrink_queue_step(vgpu, share);
	mutex_unlock(&vgpus->lock);
	s->step++;
	s->stalls = 0;
	s->began = jiffies;
}

/* Is the present step under way? The next one does not wait for vGPUs that hardly unpin a page. */
static bool shrink_step_lasts(struct gslot_vgpus_shrink *s)
{
	long given = atomic_long_read(&s->given);
	bool progress = atomic_read(&s->busy) && given - s->seen >= SHRINK_PROGRESS;

	s->seen = given;
	s->stalls = progress ? 0 : s->stalls + 1;
	return progress && time_before(jiffies, s->began + SHRINK_STEP);
}

/* Return: whether to look again: the host has not got what it wanted, but may get more. */
static bool shrink_goes_on(struct gslot_vgpus *vgpus)
{
	struct gslot_vgpus_shrink *s = &vgpus->shrink;
	u64 wanted = atomic_long_read(&s->wanted), total = atomic_long_read(&s->pinned);

	if (!wanted)
		return false;
	if (shrink_step_lasts(s))
		return true;
	if (s->step < gslot_reclaim_steps(wanted, total)) {
		shrink_begin_step(vgpus, wanted, total);
		return true;
	}
	if (atomic_read(&s->busy) && s->stalls < SHRINK_STALLS)
		return true;
	WRITE_ONCE(s->rest_until, jiffies + SHRINK_REST);
	return false;
}

static void shrink_work(struct work_struct *work)
{
	struct gslot_vgpus *vgpus = container_of(to_delayed_work(work), struct gslot_vgpus,
						 shrink.work);
	struct gslot_vgpus_shrink *s = &vgpus->shrink;
	bool more = shrink_goes_on(vgpus);

	/* Only now: it may have waited for the list of vGPUs. */
	WRITE_ONCE(s->looked, jiffies);
	if (more) {
		queue_delayed_work(s->wq, &s->work, SHRINK_INTERVAL);
		return;
	}
	atomic_long_set(&s->wanted, 0);
	s->step = 0;
}

/* Have the work item look now, but not within an interval after its last look. */
static void shrink_look(struct gslot_vgpus_shrink *s)
{
	bool early = time_before(jiffies, READ_ONCE(s->looked) + SHRINK_INTERVAL);

	queue_delayed_work(s->wq, &s->work, early ? SHRINK_INTERVAL : 0);
}

static bool shrink_rests(const struct gslot_vgpus_shrink *s)
{
	return time_before(jiffies, READ_ONCE(s->rest_until));
}

static unsigned long shrink_count(struct shrinker *shrinker, struct shrink_control *sc)
{
	struct gslot_vgpus *vgpus = gslot_shrinker_data(shrinker);

	return shrink_rests(&vgpus->shrink) ? 0 : atomic_long_read(&vgpus->shrink.pinned);
}

/* Return: 0, as nothing is given yet; SHRINK_STOP if no more can be wanted. */
static unsigned long shrink_scan(struct shrinker *shrinker, struct shrink_control *sc)
{
	struct gslot_vgpus *vgpus = gslot_shrinker_data(shrinker);
	struct gslot_vgpus_shrink *s = &vgpus->shrink;

	if (shrink_rests(s))
		return SHRINK_STOP;
	if (shrink_want(s, min_t(unsigned long, sc->nr_to_scan, LONG_MAX / 2)))
		shrink_look(s);
	return atomic_long_read(&s->wanted) < atomic_long_read(&s->pinned) ? 0 : SHRINK_STOP;
}

/* @vgpu is being created. */
void gslot_shrink_init(struct gslot_vgpu *vgpu)
{
	INIT_WORK(&vgpu->shrink.work, shrink_vgpu_work);
}

/*
 * The vGPU is being closed: @leaving is set, so its work is not queued any more. May sleep, without
 * the vGPU's locks.
 */
void gslot_shrink_end(struct gslot_vgpu *vgpu)
{
	if (cancel_work_sync(&vgpu->shrink.work))
		atomic_dec(&vgpu->vgpus->shrink.busy);
}

/**
 * gslot_vgpus_init_shrink() - let vGPUs give memory back when the host needs it
 * @vgpus: the GPU
 *
 * Return: 0 or -ENOMEM.
 * Context: may sleep.
 */
int gslot_vgpus_init_shrink(struct gslot_vgpus *vgpus)
{
	struct gslot_vgpus_shrink *s = &vgpus->shrink;
	const char *name = pci_name(vgpus->pdev);

	s->rest_until = jiffies;
	s->looked = jiffies - SHRINK_INTERVAL;
	INIT_DELAYED_WORK(&s->work, shrink_work);
	s->wq = alloc_ordered_workqueue("gslot/%s", WQ_MEM_RECLAIM | WQ_FREEZABLE, name);
	if (!s->wq)
		return -ENOMEM;
	s->give_wq = alloc_workqueue("gslot-give/%s", WQ_UNBOUND | WQ_MEM_RECLAIM | WQ_FREEZABLE, 0,
				     name);
	if (!s->give_wq)
		goto err_wq;
	s->shrinker = gslot_shrinker_create(name, shrink_count, shrink_scan, vgpus);
	if (s->shrinker)
		return 0;
	destroy_workqueue(s->give_wq);
err_wq:
	destroy_workqueue(s->wq);
	return -ENOMEM;
}

/**
 * gslot_vgpus_fini_shrink() - undo gslot_vgpus_init_shrink()
 * @vgpus: the GPU; no vGPU is open
 *
 * Context: may sleep.
 */
void gslot_vgpus_fini_shrink(struct gslot_vgpus *vgpus)
{
	struct gslot_vgpus_shrink *s = &vgpus->shrink;

	gslot_shrinker_destroy(s->shrinker);
	cancel_delayed_work_sync(&s->work);
	destroy_workqueue(s->wq);
	destroy_workqueue(s->give_wq);
}
