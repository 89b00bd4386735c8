// SPDX-License-Identifier: GPL-2.0
/*
 * What a vGPU does in a step of memory reclaim (shrink.c): in its work item it unpins idle pages,
 * and drops page tables of address spaces, which makes their pages idle.
 */
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/sched.h>
#include <linux/workqueue.h>

#include "vgpu_priv.h"
#include "base/trace.h"

/* For a vGPU's lock; then it gives nothing more in this step. */
#define GIVE_TIMEOUT	HZ
/* How long a vGPU gives pages in a step. */
#define GIVE_TIME	(2 * HZ)
/* The worker is not interrupted in a submission for this long. */
#define GIVE_GRACE	(HZ / 10)
/* A vGPU's lock is taken again and again for about this long; then others have it for as long. */
#define GIVE_STRETCH	(HZ / 100)
/* The same if nothing is known to wait for it: a reader of debugfs does not say that it does. */
#define GIVE_LONG_STRETCH	(HZ / 10)

/*
 * Unpin a batch of pages, or drop some page tables, with the vGPU's lock held. @order: what is left
 * of it to give. @idle_age: for how long pages must have been idle; 0 once page tables were
 * dropped. Return: whether there may be more.
 */
static bool give_batch(struct gslot_vgpu *vgpu, const struct gslot_reclaim_order *order,
		       unsigned long *idle_age, u32 *unpinned)
{
	u64 count = READ_ONCE(vgpu->mem.count);
	u64 most = min(order->pages, count - min(count, order->keep));
	const struct gslot_exec_trim trim = {
		.pages = min(most, gslot_shrink_wanted(vgpu->vgpus)),
		.idle_ms = order->idle_ms,
		.prepared = order->prepared,
		.random = order->random,
	};

	*unpinned = 0;
	if (!most)
		return false;
	/* Each page might wait for VFIO's lock, which the unmapping needs. */
	if (gslot_guestmem_is_unmapping(&vgpu->mem))
		return false;
	*unpinned = gslot_guestmem_unpin_unused(&vgpu->mem, *idle_age,
						min_t(u64, trim.pages, U32_MAX));
	if (*unpinned)
		return true;
	if (!gslot_exec_trim(vgpu->exec, &trim))
		return false;
	*idle_age = 0;
	return true;
}

/*
 * To take the vGPU's lock interrupts its worker, and to go on costs that more than a few pages are
 * worth. So if the worker prepares a submission, it may end that before, unless a vGPU waits for
 * room.
 */
static void give_grace(const struct gslot_vgpu *vgpu)
{
	unsigned long until = jiffies + GIVE_GRACE;

	while (!READ_ONCE(vgpu->vgpus->shrink.token_held) && gslot_exec_prepares(vgpu->exec) &&
	       time_before(jiffies, until))
		msleep(GSLOT_LOCK_POLL_MS);
}

/*
 * Let others have the vGPU's lock: a caller that polls for it would hardly ever find it free, and
 * the worker would hardly prepare a submission. @since: when the present stretch began, jiffies.
 * @wanted: the worker wants the lock
 */
static void give_pause(struct gslot_vgpu *vgpu, unsigned long *since, bool wanted)
{
	unsigned long took = jiffies - *since;
	bool contended = gslot_vgpu_lock_contended(&vgpu->lock);

	if (!contended && took < (wanted ? GIVE_STRETCH : GIVE_LONG_STRETCH)) {
		cond_resched();
		return;
	}
	/* It may have waited for VFIO for much longer. */
	took = contended || wanted ? min_t(unsigned long, took, GIVE_STRETCH) : 0;
	msleep(jiffies_to_msecs(took) + 2 * GSLOT_LOCK_POLL_MS);
	*since = jiffies;
}

/*
 * @order: what is left of it to give. A guest can pin pages and make them idle all the while, which
 * must not keep the next step from coming.
 */
static bool give_is_wanted(const struct gslot_vgpu *vgpu, const struct gslot_reclaim_order *order)
{
	const struct gslot_vgpus *vgpus = vgpu->vgpus;

	return order->pages && gslot_shrink_wanted(vgpus) && gslot_vgpu_is_active(vgpu) &&
	       !READ_ONCE(vgpus->parked);
}

/* What is in use, or prepared, is given for a limit alone: not to keep pages free. */
static void give_restrict(const struct gslot_vgpu *vgpu, struct gslot_reclaim_order *order)
{
	const struct gslot_vgpus *vgpus = vgpu->vgpus;

	if (!order->prepared || gslot_pinned_excess(&vgpus->room.pinned) ||
	    READ_ONCE(vgpus->shrink.over))
		return;
	order->prepared = false;
	order->idle_ms = max_t(u32, order->idle_ms, GSLOT_RECLAIM_YOUNG_MS);
}

/*
 * Note that pages were unpinned. The host gets those that no limit needs. Each time that vGPUs have
 * given many there is a look, so that the holder of the token goes on.
 */
static void give_note(struct gslot_vgpu *vgpu, u32 n)
{
	struct gslot_vgpus *vgpus = vgpu->vgpus;
	unsigned long given = atomic_long_add_return(n, &vgpus->shrink.given);

	atomic64_add(n, &vgpu->shrink.reclaimed);
	if (!gslot_pinned_shortfall(&vgpus->room.pinned))
		gslot_shrink_want(vgpus, -(long)n);
	if (READ_ONCE(vgpus->shrink.token_held) &&
	    given / GSLOT_SHRINK_ROOM != (given - n) / GSLOT_SHRINK_ROOM)
		gslot_shrink_look(vgpus);
}

static struct gslot_reclaim_order give_order(struct gslot_vgpu *vgpu)
{
	struct gslot_reclaim_order order;

	spin_lock(&vgpu->shrink.lock);
	order = vgpu->shrink.order;
	spin_unlock(&vgpu->shrink.lock);
	return order;
}

static void give_work(struct work_struct *work)
{
	struct gslot_vgpu *vgpu = container_of(work, struct gslot_vgpu, shrink.work);
	struct gslot_vgpus_shrink *s = &vgpu->vgpus->shrink;
	struct gslot_reclaim_order order = give_order(vgpu);
	bool limit = gslot_pinned_shortfall(&vgpu->vgpus->room.pinned);
	/* At a limit, pages that nothing names go first. */
	unsigned long idle_age = limit ? 0 : msecs_to_jiffies(order.idle_ms), since = jiffies;
	unsigned long until = jiffies + GIVE_TIME;
	bool more = true, wanted;
	u64 given = 0;
	u32 n;

	give_grace(vgpu);
	while (more && give_is_wanted(vgpu, &order) && time_before(jiffies, until)) {
		give_restrict(vgpu, &order);
		if (!gslot_vgpu_lock_exec_until(vgpu, jiffies + GIVE_TIMEOUT))
			break;
		more = give_batch(vgpu, &order, &idle_age, &n);
		wanted = gslot_exec_wants_lock(vgpu->exec);
		gslot_exec_unlock(vgpu->exec);
		given += n;
		order.pages -= n;
		give_note(vgpu, n);
		if (more)
			give_pause(vgpu, &since, wanted);
	}
	if (given)
		trace_gslot_shrink(gslot_vgpu_name(vgpu), order.idle_ms, given);
	/* The holder of the token does not wait for the next look. */
	if (atomic_dec_and_test(&s->busy) && READ_ONCE(s->token_held))
		mod_delayed_work(s->wq, &s->work, 0);
}

/*
 * May the vGPU have what an order asks for? To take the lock of a busy vGPU interrupts its worker,
 * and the next step waits for it: so a vGPU that has nothing is left alone. An idle page counts
 * whatever its age. Reads without the lock.
 */
static bool give_may_have(const struct gslot_vgpu *vgpu, const struct gslot_reclaim_order *order)
{
	return !order->idle_ms || READ_ONCE(vgpu->mem.nr_idle) ||
	       gslot_exec_may_trim(vgpu->exec, order->idle_ms);
}

/*
 * Have a vGPU follow an order: at once, or when it is done with the one before. Return: whether it
 * has something to do.
 */
bool gslot_give(struct gslot_vgpu *vgpu, const struct gslot_reclaim_order *order)
{
	struct gslot_vgpus_shrink *s = &vgpu->vgpus->shrink;

	if (!order->pages)
		return false;
	/* In any case: an older one may wait for the work item. */
	spin_lock(&vgpu->shrink.lock);
	vgpu->shrink.order = *order;
	spin_unlock(&vgpu->shrink.lock);
	if (!give_may_have(vgpu, order))
		return false;
	if (order->postpones)
		gslot_exec_postpone(vgpu->exec, GSLOT_POSTPONE_FOR_TOKEN);
	atomic_inc(&s->busy);
	if (!queue_work(s->give_wq, &vgpu->shrink.work))
		atomic_dec(&s->busy);
	return true;
}

/* @vgpu is being created. */
void gslot_give_init(struct gslot_vgpu *vgpu)
{
	spin_lock_init(&vgpu->shrink.lock);
	INIT_WORK(&vgpu->shrink.work, give_work);
}

/*
 * The vGPU is being closed: @leaving is set, so its work is not queued any more. May sleep, without
 * the vGPU's locks.
 */
void gslot_give_end(struct gslot_vgpu *vgpu)
{
	if (cancel_work_sync(&vgpu->shrink.work))
		atomic_dec(&vgpu->vgpus->shrink.busy);
}
