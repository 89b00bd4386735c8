// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: the loader
 *
 * A thread loads the entries of a vGPU before it gets the engines (sched/sched_copy.c). The vGPU
 * that had them last needs no loading, and no thread. While a vGPU has the engines, units of the
 * next one may be loaded already, but not into runs that the first one needs.
 */
#include <linux/err.h>
#include <linux/sched.h>

#include "places_priv.h"
#include "base/compat.h"
#include "sched/sched.h"

/* Return: what to load next; NULL: nothing. */
static struct gslot_ggtt *loader_take(struct places_loader *loader, bool *ahead)
{
	lockdep_assert_held(&loader->lock);
	*ahead = !loader->ggtt;
	loader->busy = *ahead ? loader->ahead : loader->ggtt;
	loader->ahead = NULL;
	return loader->busy;
}

static void loader_work(struct kthread_work *work)
{
	struct places_loader *loader = container_of(work, struct places_loader, work);
	struct gslot_gpu_places *places = container_of(loader, struct gslot_gpu_places, loader);
	struct gslot_ggtt *ggtt;
	bool ahead;

	spin_lock_irq(&loader->lock);
	while ((ggtt = loader_take(loader, &ahead))) {
		spin_unlock_irq(&loader->lock);
		placed_load(places, ggtt, ahead ? GSLOT_LOADING_AHEAD : GSLOT_LOADING_SWITCH);
		if (!ahead) {
			spin_lock_irq(&loader->lock);
			loader->ggtt = NULL;
			loader->loaded = ggtt;
			spin_unlock_irq(&loader->lock);
			/* loader_forget() waits for this: @busy is set. */
			gslot_sched_loaded(places->vgpus->sched, ggtt);
		}
		spin_lock_irq(&loader->lock);
		loader->busy = NULL;
		wake_up_all(&loader->wait);
	}
	spin_unlock_irq(&loader->lock);
}

bool loader_give(struct gslot_copy_policy *policy, struct gslot_ggtt *ggtt)
{
	struct places_loader *loader = &places_of(policy)->loader;
	unsigned long flags;
	bool load;

	spin_lock_irqsave(&loader->lock, flags);
	loader->foreseen = NULL;
	load = loader->loaded != ggtt;
	if (load) {
		loader->ggtt = ggtt;
		kthread_queue_work(loader->worker, &loader->work);
	}
	spin_unlock_irqrestore(&loader->lock, flags);
	return load;
}

/* Each vGPU is loaded ahead once, until the engines are given to another one. */
void loader_next(struct gslot_copy_policy *policy, struct gslot_ggtt *ggtt)
{
	struct gslot_gpu_places *places = places_of(policy);
	struct places_loader *loader = &places->loader;
	unsigned long flags;

	if (!places->loading.rule->ahead)
		return;
	spin_lock_irqsave(&loader->lock, flags);
	if (ggtt != loader->foreseen) {
		loader->foreseen = ggtt;
		loader->ahead = ggtt;
		kthread_queue_work(loader->worker, &loader->work);
	}
	spin_unlock_irqrestore(&loader->lock, flags);
}

static bool loader_done(struct places_loader *loader, const struct gslot_ggtt *ggtt)
{
	bool done;

	spin_lock_irq(&loader->lock);
	if (loader->ahead == ggtt)
		loader->ahead = NULL;
	done = loader->ggtt != ggtt && loader->busy != ggtt;
	if (done && loader->loaded == ggtt)
		loader->loaded = NULL;
	if (done && loader->foreseen == ggtt)
		loader->foreseen = NULL;
	spin_unlock_irq(&loader->lock);
	return done;
}

/* The client is paused. This waits for the thread. */
void loader_forget(struct gslot_copy_policy *policy, struct gslot_ggtt *ggtt)
{
	struct places_loader *loader = &places_of(policy)->loader;

	wait_event(loader->wait, loader_done(loader, ggtt));
}

void loader_init(struct gslot_gpu_places *places)
{
	struct places_loader *loader = &places->loader;

	spin_lock_init(&loader->lock);
	init_waitqueue_head(&loader->wait);
}

/*
 * Start the thread. Return: 0; -ENOMEM or -EAGAIN if the host has no room for a thread; or -EINTR
 * if the process is being killed.
 */
int loader_start(struct gslot_gpu_places *places)
{
	struct kthread_worker *worker;

	lockdep_assert_held(&places->lock);
	worker = kthread_run_worker(0, "gslot/load");
	if (IS_ERR(worker))
		return PTR_ERR(worker);
	sched_set_fifo(worker->task);
	/* The work remembers the worker that it had. */
	kthread_init_work(&places->loader.work, loader_work);
	places->loader.worker = worker;
	return 0;
}

/* End the thread, if there is one. No vGPU has a place. */
void loader_stop(struct gslot_gpu_places *places)
{
	struct kthread_worker *worker = places->loader.worker;

	lockdep_assert_held(&places->lock);
	places->loader.worker = NULL;
	if (worker)
		kthread_destroy_worker(worker);
}
