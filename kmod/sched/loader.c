// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: loading before a turn
 *
 * If vGPUs have places in graphics memory, what one names may have to be loaded before it runs,
 * which takes too long for an interrupt. So a turn begins with a state of its own: nobody has
 * an engine, and a thread loads. When it is done the owner of the turn gets the engines, and
 * its time begins. Who was the last one to have them needs no loading, and no thread.
 * There is one turn for all engines then, the first one.
 *
 * While one has the GPU the next one may be loaded already, as far as it is not in the way.
 */
#include <linux/err.h>
#include <linux/ktime.h>

#include "sched_priv.h"
#include "base/compat.h"

/* It has been loaded; perhaps it is not its turn any more. */
static void loaded(struct gslot_sched *sched, struct gslot_client *client)
{
	struct sched_loader *loader = &sched->loader;
	struct sched_runq *runq = &sched->runq[0];
	u64 now = ktime_get_ns();

	loader->client = NULL;
	loader->loaded = client;
	loader->ns += now - loader->since;
	if (sched_owner(runq) == client && !runq->policy.leaving) {
		gslot_policy_begin(&runq->policy, now);
		sched_give_all(runq, now);
	}
	sched_update(sched);
}

/* Return: whom to load, or NULL if there is nobody left. */
static struct gslot_client *take(struct gslot_sched *sched, bool *ahead)
{
	struct sched_loader *loader = &sched->loader;

	lockdep_assert_held(&sched->lock);
	*ahead = !loader->client;
	loader->busy = *ahead ? loader->ahead : loader->client;
	loader->ahead = NULL;
	return loader->busy;
}

static void load_work(struct kthread_work *work)
{
	struct gslot_sched *sched = container_of(work, struct gslot_sched, loader.work);
	struct gslot_client *client;
	bool ahead;

	spin_lock_irq(&sched->lock);
	while ((client = take(sched, &ahead))) {
		spin_unlock_irq(&sched->lock);
		client->ops->load(client->data, ahead);
		spin_lock_irq(&sched->lock);
		sched->loader.busy = NULL;
		if (!ahead)
			loaded(sched, client);
		wake_up_all(&sched->loader.wait);
	}
	spin_unlock_irq(&sched->lock);
}

/**
 * sched_load() - have the owner of a turn loaded before it gets the engines
 * @runq: the turn; its engines are nobody's
 * @now: time, ns
 *
 * Return: false if it need not be: it gets them now.
 * Context: lock held.
 */
bool sched_load(struct sched_runq *runq, u64 now)
{
	struct gslot_sched *sched = runq->sched;
	struct gslot_client *client = sched_owner(runq);
	struct sched_loader *loader = &sched->loader;

	lockdep_assert_held(&sched->lock);
	loader->foreseen = NULL;
	if (!loader->mode || loader->loaded == client)
		return false;
	loader->client = client;
	loader->since = now;
	kthread_queue_work(loader->worker, &loader->work);
	return true;
}

/**
 * sched_look_at_copies() - who of a turn would have to be loaded?
 * @runq: the turn
 *
 * For the policy, before it is asked.
 *
 * Context: lock held.
 */
void sched_look_at_copies(struct sched_runq *runq)
{
	struct gslot_sched *sched = runq->sched;
	struct gslot_client *client;

	lockdep_assert_held(&sched->lock);
	if (!sched->loader.mode)
		return;
	list_for_each_entry(client, &sched->clients, link) {
		struct gslot_policy_client *c = sched_policy_client(runq, client);

		if (c->awake)
			c->load.to_copy = client->ops->to_copy(client->data);
	}
}

/**
 * sched_load_ahead() - have loaded whose turn is next, if it is known
 * @runq: the turn
 * @now: time, ns
 *
 * Once in a turn for each that is found to be next.
 *
 * Context: lock held.
 */
void sched_load_ahead(struct sched_runq *runq, u64 now)
{
	struct gslot_sched *sched = runq->sched;
	struct sched_loader *loader = &sched->loader;
	struct gslot_client *client;

	lockdep_assert_held(&sched->lock);
	if (loader->mode != GSLOT_SCHED_LOAD_AHEAD || loader->client || !runq->policy.owner)
		return;
	client = sched_client(runq, gslot_policy_next(&runq->policy, now));
	if (!client || client == loader->foreseen)
		return;
	loader->foreseen = client;
	loader->ahead = client;
	kthread_queue_work(loader->worker, &loader->work);
}

static bool is_through(struct gslot_client *client)
{
	struct gslot_sched *sched = client->sched;
	struct sched_loader *loader = &sched->loader;
	bool through;

	spin_lock_irq(&sched->lock);
	if (loader->ahead == client)
		loader->ahead = NULL;
	through = loader->client != client && loader->busy != client;
	if (through && loader->loaded == client)
		loader->loaded = NULL;
	if (through && loader->foreseen == client)
		loader->foreseen = NULL;
	spin_unlock_irq(&sched->lock);
	return through;
}

/**
 * sched_loader_forget() - what a client names may change its place, or go
 * @client: the client, paused: before it is given the GPU again it is loaded anew
 *
 * Context: may sleep, as long as the thread takes.
 */
void sched_loader_forget(struct gslot_client *client)
{
	wait_event(client->sched->loader.wait, is_through(client));
}

/**
 * gslot_sched_set_loading() - say what is to be done before a client is given the GPU
 * @sched: the scheduler, halted, and its clients paused
 * @loading: what; if anything is, all engines have one turn
 *
 * Context: may sleep.
 */
void gslot_sched_set_loading(struct gslot_sched *sched, enum gslot_sched_loading loading)
{
	spin_lock_irq(&sched->lock);
	sched->loader.mode = loading;
	sched_regroup(sched, loading != GSLOT_SCHED_LOAD_NOTHING);
	sched_update(sched);
	spin_unlock_irq(&sched->lock);
}

/**
 * sched_loader_init() - make what loads
 * @sched: the scheduler
 *
 * Return: 0 or -errno.
 * Context: may sleep.
 */
int sched_loader_init(struct gslot_sched *sched)
{
	struct sched_loader *loader = &sched->loader;
	struct kthread_worker *worker;

	init_waitqueue_head(&loader->wait);
	kthread_init_work(&loader->work, load_work);
	worker = kthread_run_worker(0, "gslot/load");
	if (IS_ERR(worker))
		return PTR_ERR(worker);
	sched_set_fifo(worker->task);
	loader->worker = worker;
	return 0;
}

/**
 * sched_loader_fini() - undo sched_loader_init()
 * @sched: the scheduler; it has no clients
 *
 * Context: may sleep.
 */
void sched_loader_fini(struct gslot_sched *sched)
{
	kthread_destroy_worker(sched->loader.worker);
}
