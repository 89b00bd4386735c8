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
 * If vGPUs have pinned more than they may, or one owns a turn to get room (room.c), the same steps
 * are taken for that.
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
/* So long the worker is not interrupted in a submission. */
#define SHRINK_GRACE	(HZ / 10)
/* So many pages in an interval are progress. */
#define SHRINK_PROGRESS	64
/* After so many intervals without it, vGPUs that still have work from the last step are left. */
#define SHRINK_STALLS	50
/* For about so long a vGPU's lock is taken again and again; then others have it for as long. */
#define SHRINK_STRETCH	(HZ / 100)
/* So long the next step waits for vGPUs that go on giving. */
#define SHRINK_STEP	HZ
/* With room for so many pages the owner of a turn goes on. */
#define SHRINK_ROOM	2048
/* After all steps have not given enough: meanwhile more becomes unused for long enough. */
#define SHRINK_REST	(HZ / 5)

static long shrink_pinned(const struct gslot_vgpus *vgpus)
{
	return atomic_long_read(&vgpus->room.pinned.count);
}

/* Change what is wanted: never below 0, or above what is pinned. Return: the new value. */
static long shrink_want(struct gslot_vgpus *vgpus, long more)
{
	struct gslot_vgpus_shrink *s = &vgpus->shrink;
	long old = atomic_long_read(&s->wanted), wanted;

	do {
		wanted = clamp(old + more, 0L, shrink_pinned(vgpus));
	} while (!atomic_long_try_cmpxchg(&s->wanted, &old, wanted));
	return wanted;
}

/* How many pages are to be unpinned: for the host, or by the limit. */
static u64 shrink_wanted(const struct gslot_vgpus *vgpus)
{
	return max_t(u64, atomic_long_read(&vgpus->shrink.wanted),
		     gslot_pinned_shortfall(&vgpus->room.pinned));
}

/*
 * Unpin a batch of pages, @most at most, or drop some page tables, with the vGPU's lock held.
 * @idle_age: for how long pages must have been idle; 0 once page tables were dropped. Return:
 * whether there may be more.
 */
static bool shrink_batch(struct gslot_vgpu *vgpu, unsigned long age, unsigned long *idle_age,
			 u64 most, u32 *unpinned)
{
	*unpinned = 0;
	/* Each page might wait for VFIO's lock, which the unmapping needs. */
	if (gslot_guestmem_is_unmapping(&vgpu->mem))
		return false;
	*unpinned = gslot_guestmem_unpin_unused(&vgpu->mem, *idle_age, min_t(u64, most, U32_MAX));
	if (*unpinned)
		return true;
	if (!gslot_exec_trim(vgpu->exec, age, READ_ONCE(vgpu->shrink.prepared)))
		return false;
	*idle_age = 0;
	return true;
}

/*
 * To take the vGPU's lock interrupts its worker, and to go on costs that more than a few pages are
 * worth. So if the worker prepares a submission, it may end that before.
 */
static void shrink_grace(const struct gslot_vgpu *vgpu)
{
	unsigned long until = jiffies + SHRINK_GRACE;

	while (!READ_ONCE(vgpu->shrink.prepared) && gslot_exec_prepares(vgpu->exec) &&
	       time_before(jiffies, until))
		msleep(GSLOT_LOCK_POLL_MS);
}

/*
 * Let others have the vGPU's lock: a caller that polls for it would hardly ever find it free, and
 * the worker would hardly prepare a submission. @since: when the present stretch began, jiffies.
 * @prepares: the worker has one
 */
static void shrink_pause(struct gslot_vgpu *vgpu, unsigned long *since, bool prepares)
{
	unsigned long took = jiffies - *since;
	bool contended = gslot_vgpu_lock_contended(&vgpu->lock);

	if (took < SHRINK_STRETCH && !contended) {
		cond_resched();
		return;
	}
	/* It may have waited for VFIO for much longer. */
	took = contended || prepares ? min_t(unsigned long, took, SHRINK_STRETCH) : 0;
	msleep(jiffies_to_msecs(took) + 2 * GSLOT_LOCK_POLL_MS);
	*since = jiffies;
}

/*
 * @most: so many more pages this work may unpin. A guest can pin pages and make them idle all the
 * while, which must not keep the next step from coming.
 */
static bool shrink_is_wanted(const struct gslot_vgpu *vgpu, u64 most)
{
	const struct gslot_vgpus *vgpus = vgpu->vgpus;
	/* What is in use is given for the owner of a turn alone. */
	u64 wanted = READ_ONCE(vgpu->shrink.prepared) ?
		     gslot_pinned_shortfall(&vgpus->room.pinned) : shrink_wanted(vgpus);

	return most && wanted && gslot_vgpu_is_active(vgpu) && !READ_ONCE(vgpus->parked);
}

static void shrink_vgpu_work(struct work_struct *work)
{
	struct gslot_vgpu *vgpu = container_of(work, struct gslot_vgpu, shrink.work);
	unsigned long age = READ_ONCE(vgpu->shrink.age), idle_age = age;
	struct gslot_vgpus_shrink *s = &vgpu->vgpus->shrink;
	u64 most = READ_ONCE(vgpu->shrink.most), given = 0;
	unsigned long since = jiffies;
	bool more, prepares;
	u32 n;

	shrink_grace(vgpu);
	do {
		if (!gslot_vgpu_lock_exec_until(vgpu, jiffies + SHRINK_TIMEOUT))
			break;
		more = shrink_batch(vgpu, age, &idle_age, most - given, &n);
		prepares = gslot_exec_prepares(vgpu->exec);
		gslot_exec_unlock(vgpu->exec);
		given += n;
		atomic64_add(n, &vgpu->shrink.reclaimed);
		atomic_long_add(n, &s->given);
		shrink_want(vgpu->vgpus, -(long)n);
		shrink_pause(vgpu, &since, prepares);
	} while (more && shrink_is_wanted(vgpu, most - given));
	if (given)
		trace_gslot_shrink(gslot_vgpu_name(vgpu), jiffies_to_msecs(age), given);
	/* The owner of a turn does not wait for the next look. */
	if (atomic_dec_and_test(&s->busy) && READ_ONCE(s->in_turn))
		mod_delayed_work(s->wq, &s->work, 0);
}

/* Have a vGPU give what a step asks for: at once, or when it is done with the step before. */
static void shrink_queue_step(struct gslot_vgpu *vgpu, u64 share, bool owner)
{
	struct gslot_vgpus_shrink *s = &vgpu->vgpus->shrink;
	const struct gslot_reclaim_vgpu has = {
		.pinned = READ_ONCE(vgpu->mem.count),
		.min = gslot_room_pages(gslot_vgpu_knob(vgpu, GSLOT_KNOB_PINNED_MIN_MB)),
		.low = gslot_room_pages(gslot_vgpu_knob(vgpu, GSLOT_KNOB_PINNED_LOW_MB)),
		.owner = owner,
		.waits = READ_ONCE(vgpu->room.member.waits),
	};
	struct gslot_reclaim_order order = gslot_reclaim_order(s->step, &has, share);

	if (!order.pages)
		return;
	if (order.postpones)
		gslot_exec_postpone(vgpu->exec, true);
	WRITE_ONCE(vgpu->shrink.prepared, order.prepared);
	WRITE_ONCE(vgpu->shrink.most, order.pages);
	WRITE_ONCE(vgpu->shrink.age, msecs_to_jiffies(order.age_ms));
	atomic_inc(&s->busy);
	if (!queue_work(s->give_wq, &vgpu->shrink.work))
		atomic_dec(&s->busy);
}

static void shrink_begin_step(struct gslot_vgpus *vgpus, const struct gslot_vgpu *owner,
			      const struct gslot_reclaim_need *need)
{
	struct gslot_vgpus_shrink *s = &vgpus->shrink;
	struct gslot_vgpu *vgpu;
	u32 count = 0;
	u64 share;

	mutex_lock(&vgpus->lock);
	list_for_each_entry(vgpu, &vgpus->list, link)
		count += gslot_vgpu_is_active(vgpu);
	share = gslot_reclaim_share(need->wanted, need->total, max(count, 1U));
	list_for_each_entry(vgpu, &vgpus->list, link)
		if (gslot_vgpu_is_active(vgpu))
			shrink_queue_step(vgpu, share, vgpu == owner);
	mutex_unlock(&vgpus->lock);
	s->step++;
	s->stalls = 0;
	s->began = jiffies;
}

/* Is the present step under way? The next one does not wait for vGPUs that hardly unpin a page. */
static bool shrink_step_lasts(struct gslot_vgpus_shrink *s)
{
	long given = atomic_long_read(&s->given);
	bool busy = atomic_read(&s->busy);
	bool progress = busy && given - s->seen >= SHRINK_PROGRESS;

	/* It may look more often. */
	if (busy && time_before(jiffies, s->judged + SHRINK_INTERVAL))
		return true;
	s->judged = jiffies;
	s->seen = given;
	s->stalls = progress ? 0 : s->stalls + 1;
	return progress && time_before(jiffies, s->began + SHRINK_STEP);
}

/* Is there room for the owner of the turn: all that it asked for, or much? */
static bool shrink_has_room(const struct gslot_vgpus *vgpus)
{
	const struct gslot_pinned *all = &vgpus->room.pinned;

	return !gslot_pinned_shortfall(all) ||
	       gslot_pinned_room(all, READ_ONCE(all->owner)) >= SHRINK_ROOM;
}

/*
 * If a turn has ended, the others process submissions again. The owner of a new turn, or one that
 * has room, tries again.
 */
static void shrink_follow_turn(struct gslot_vgpus *vgpus, const struct gslot_room_turn *turn)
{
	struct gslot_vgpus_shrink *s = &vgpus->shrink;
	bool ended = s->turn != turn->number;
	struct gslot_vgpu *vgpu;

	if (!ended && (!turn->owner || !shrink_has_room(vgpus)))
		return;
	mutex_lock(&vgpus->lock);
	list_for_each_entry(vgpu, &vgpus->list, link) {
		if (!gslot_vgpu_is_active(vgpu))
			continue;
		if (ended)
			gslot_exec_postpone(vgpu->exec, false);
		if (vgpu == turn->owner)
			gslot_exec_retry(vgpu->exec);
	}
	mutex_unlock(&vgpus->lock);
	if (ended)
		s->step = 0;
	s->turn = turn->number;
}

/* In a turn the last step is taken again and again, as requests end and memory gets older. */
static void shrink_repeat_step(struct gslot_vgpus *vgpus, const struct gslot_vgpu *owner,
			       const struct gslot_reclaim_need *need)
{
	struct gslot_vgpus_shrink *s = &vgpus->shrink;

	if (atomic_read(&s->busy) || time_before(jiffies, s->began + SHRINK_INTERVAL))
		return;
	s->step--;
	shrink_begin_step(vgpus, owner, need);
}

/* Return: whether to look again: not enough was given, but more may be. */
static bool shrink_goes_on(struct gslot_vgpus *vgpus, const struct gslot_room_turn *turn)
{
	struct gslot_vgpus_shrink *s = &vgpus->shrink;
	const struct gslot_reclaim_need need = {
		.wanted = shrink_wanted(vgpus),
		.total = shrink_pinned(vgpus),
		.limit = gslot_pinned_shortfall(&vgpus->room.pinned),
		.may_postpone = turn->may_postpone,
	};

	if (!need.wanted)
		return false;
	if (shrink_step_lasts(s))
		return true;
	if (s->step < gslot_reclaim_steps(&need)) {
		shrink_begin_step(vgpus, turn->owner, &need);
		return true;
	}
	if (turn->owner && need.limit) {
		shrink_repeat_step(vgpus, turn->owner, &need);
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
	struct gslot_room_turn turn = gslot_room_turn(vgpus);
	bool more;

	WRITE_ONCE(s->in_turn, !!turn.owner);
	shrink_follow_turn(vgpus, &turn);
	more = shrink_goes_on(vgpus, &turn);
	/* Only now: it may have waited for the list of vGPUs. */
	WRITE_ONCE(s->looked, jiffies);
	if (!more)
		atomic_long_set(&s->wanted, 0);
	if (more || turn.owner)
		queue_delayed_work(s->wq, &s->work, SHRINK_INTERVAL);
	else
		s->step = 0;
}

/* Have the work item look now: the turn has changed, or what is needed for it, or the limit. */
void gslot_shrink_look(struct gslot_vgpus *vgpus)
{
	mod_delayed_work(vgpus->shrink.wq, &vgpus->shrink.work, 0);
}

/* The same, but not within an interval after its last look. */
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

	return shrink_rests(&vgpus->shrink) ? 0 : shrink_pinned(vgpus);
}

/* Return: 0, as nothing is given yet; SHRINK_STOP if no more can be wanted. */
static unsigned long shrink_scan(struct shrinker *shrinker, struct shrink_control *sc)
{
	struct gslot_vgpus *vgpus = gslot_shrinker_data(shrinker);
	struct gslot_vgpus_shrink *s = &vgpus->shrink;

	if (shrink_rests(s))
		return SHRINK_STOP;
	if (shrink_want(vgpus, min_t(unsigned long, sc->nr_to_scan, LONG_MAX / 2)))
		shrink_look(s);
	return atomic_long_read(&s->wanted) < shrink_pinned(vgpus) ? 0 : SHRINK_STOP;
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
