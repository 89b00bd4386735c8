// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: what a vGPU has used
 *
 * A meter counts, for each engine, from the vGPU's creation to its removal, whoever opens it; one
 * more counts what all of them do together, and goes on when one of them is gone. Who has a
 * reference may read a meter at any time, also when its vGPU, or even the GPU, is gone: it stands
 * still then.
 *
 * perf reads with interrupts off, and holds locks that the kernel's scheduler takes within its own
 * runqueue's; and whoever has &gslot_sched.lock wakes threads, which takes the lock of a runqueue.
 * So who reads must not wait for &gslot_sched.lock. He tries for a moment; and if he does not get
 * it, times are those of the last look, which while an engine works is at most SCHED_WATCH_NS old.
 */
#include <linux/err.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "sched_priv.h"

/* Longer than anybody has the lock, unless he waits for who reads. */
#define READ_TRIES	1000

/* What is read without the lock is written at once. */
static void show_time(struct sched_engine_meter *m, enum gslot_meter_count what, u64 ns)
{
	if (ns > m->seen[what])
		WRITE_ONCE(m->seen[what], ns);
}

static void bump(struct gslot_meter *meter, enum gslot_engine_id id, enum gslot_meter_count what,
		 u64 n)
{
	struct sched_engine_meter *m = &meter->engine[id];

	WRITE_ONCE(m->count[what], m->count[what] + n);
	if (what < GSLOT_METER_NR_TIMES)
		show_time(m, what, m->count[what]);
}

/**
 * sched_meter_add() - somebody used an engine
 * @engine: the engine
 * @client: who; NULL: nobody, but it counts for the GPU
 * @what: what of
 * @n: how much
 *
 * Context: lock held.
 */
void sched_meter_add(struct sched_engine *engine, struct gslot_client *client,
		     enum gslot_meter_count what, u64 n)
{
	lockdep_assert_held(&engine->sched->lock);
	bump(engine->sched->meter, engine->id, what, n);
	if (client)
		bump(client->meter, engine->id, what, n);
}

static void yielded(struct gslot_meter *meter, enum gslot_engine_id id, u64 ns)
{
	struct sched_engine_meter *m = &meter->engine[id];

	gslot_histogram_add(&m->yielded, ns);
	m->count[GSLOT_METER_YIELD_NS] = max(m->count[GSLOT_METER_YIELD_NS], ns);
	show_time(m, GSLOT_METER_YIELD_NS, ns);
}

/**
 * sched_meter_yielded() - a client that was to let go of an engine has done so
 * @engine: the engine, still the client's
 * @now: time, ns
 *
 * Context: lock held.
 */
void sched_meter_yielded(struct sched_engine *engine, u64 now)
{
	u64 ns = now - engine->leaving_since;

	lockdep_assert_held(&engine->sched->lock);
	yielded(engine->sched->meter, engine->id, ns);
	yielded(engine->client->meter, engine->id, ns);
}

/**
 * sched_meter_queued() - the hardware is given a request for the first time
 * @engine: the engine, its client's
 * @ns: how long ago it was queued
 *
 * Context: lock held.
 */
void sched_meter_queued(struct sched_engine *engine, u64 ns)
{
	lockdep_assert_held(&engine->sched->lock);
	gslot_histogram_add(&engine->sched->meter->engine[engine->id].queued, ns);
	gslot_histogram_add(&engine->client->meter->engine[engine->id].queued, ns);
}

static void behind(struct gslot_meter *meter, enum gslot_engine_id id, u64 ns)
{
	struct sched_engine_meter *m = &meter->engine[id];

	WRITE_ONCE(m->count[GSLOT_METER_LAG_NS], max(m->count[GSLOT_METER_LAG_NS], ns));
}

/**
 * sched_meter_given() - an engine was given to a client
 * @engine: the engine
 *
 * It was behind until now, if at all. If nobody else had it since, that is no switch.
 *
 * Context: lock held.
 */
void sched_meter_given(struct sched_engine *engine)
{
	u64 lag_ns = sched_policy_client(engine->runq, engine->client)->fair.most_lag_ns;

	lockdep_assert_held(&engine->sched->lock);
	behind(engine->sched->meter, engine->id, lag_ns);
	behind(engine->client->meter, engine->id, lag_ns);
	if (engine->last == engine->client->meter)
		return;
	engine->last = engine->client->meter;
	sched_meter_add(engine, engine->client, GSLOT_METER_SWITCHES, 1);
}

/* What comes on top of what is counted, as it is not over. */
static u64 under_way(struct sched_engine *engine, enum gslot_meter_count what, u64 now)
{
	switch (what) {
	case GSLOT_METER_BUSY_NS:
		return sched_busy_running(engine);
	case GSLOT_METER_HELD_NS:
		return now - engine->given_at;
	default:
		return 0;
	}
}

static u64 time_of(const struct gslot_meter *meter, struct sched_engine *engine,
		   enum gslot_meter_count what, u64 now)
{
	u64 ns = meter->engine[engine->id].count[what];

	if (!engine->client || (meter != engine->sched->meter && meter != engine->client->meter))
		return ns;
	if (what != GSLOT_METER_YIELD_NS)
		return ns + under_way(engine, what, now);
	return engine->leaving ? max(ns, now - engine->leaving_since) : ns;
}

/**
 * sched_meter_now() - how much of an engine was used, as of now?
 * @meter: by whom
 * @engine: the engine
 * @what: what of
 *
 * What runs is estimated, until the hardware has saved it: who has seen more sees no less.
 *
 * Return: that.
 * Context: lock held.
 */
u64 sched_meter_now(struct gslot_meter *meter, struct sched_engine *engine,
		    enum gslot_meter_count what)
{
	struct sched_engine_meter *m = &meter->engine[engine->id];

	lockdep_assert_held(&engine->sched->lock);
	if (what >= GSLOT_METER_NR_TIMES)
		return m->count[what];
	show_time(m, what, time_of(meter, engine, what, ktime_get_ns()));
	return m->seen[what];
}

/**
 * sched_meter_look() - who cannot have the lock is to see what runs
 * @sched: the scheduler
 *
 * Context: lock held.
 */
void sched_meter_look(struct gslot_sched *sched)
{
	enum gslot_meter_count what;
	u32 i;

	lockdep_assert_held(&sched->lock);
	for (i = 0; i < GSLOT_NR_ENGINES; i++) {
		struct sched_engine *engine = &sched->engine[i];

		for (what = 0; engine->client && what < GSLOT_METER_NR_TIMES; what++) {
			sched_meter_now(sched->meter, engine, what);
			sched_meter_now(engine->client->meter, engine, what);
		}
	}
}

static void look(struct gslot_sched *sched, struct gslot_meter *meter, enum gslot_engine_id id,
		 enum gslot_meter_count what)
{
	unsigned long flags;
	u32 i;

	for (i = 0; i < READ_TRIES; i++) {
		if (spin_trylock_irqsave(&sched->lock, flags)) {
			sched_meter_now(meter, &sched->engine[id], what);
			spin_unlock_irqrestore(&sched->lock, flags);
			return;
		}
		cpu_relax();
	}
}

/**
 * gslot_meter_read() - how much of an engine was used?
 * @meter: by whom
 * @id: which engine
 * @what: what of
 *
 * Return: that; never less than before.
 * Context: any.
 */
u64 gslot_meter_read(struct gslot_meter *meter, enum gslot_engine_id id,
		     enum gslot_meter_count what)
{
	const struct sched_engine_meter *m = &meter->engine[id];
	struct gslot_sched *sched;

	if (what >= GSLOT_METER_NR_TIMES)
		return READ_ONCE(m->count[what]);
	rcu_read_lock();
	sched = rcu_dereference(meter->sched);
	if (sched)
		look(sched, meter, id, what);
	rcu_read_unlock();
	return READ_ONCE(m->seen[what]);
}

static struct gslot_meter *create(struct gslot_sched *sched, u32 id)
{
	struct gslot_meter *meter = kzalloc(sizeof(*meter), GFP_KERNEL);

	if (!meter)
		return ERR_PTR(-ENOMEM);
	kref_init(&meter->kref);
	spin_lock_init(&meter->worker_lock);
	INIT_LIST_HEAD(&meter->link);
	meter->id = id;
	RCU_INIT_POINTER(meter->sched, sched);
	return meter;
}

/**
 * sched_meters_init() - the meter of all
 * @sched: the scheduler
 *
 * Return: 0 or -ENOMEM.
 * Context: may sleep.
 */
int sched_meters_init(struct gslot_sched *sched)
{
	ida_init(&sched->meter_ids);
	INIT_LIST_HEAD(&sched->meters);
	sched->meter = create(sched, GSLOT_METER_ALL);
	return PTR_ERR_OR_ZERO(sched->meter);
}

/* What runs is counted, and it stands still from now on. */
static void stop(struct gslot_meter *meter, struct gslot_sched *sched)
{
	enum gslot_meter_count what;
	u32 i;

	spin_lock_irq(&sched->lock);
	list_del_init(&meter->link);
	for (i = 0; i < GSLOT_NR_ENGINES; i++) {
		for (what = 0; what < GSLOT_METER_NR_TIMES; what++)
			sched_meter_now(meter, &sched->engine[i], what);
		if (sched->engine[i].last == meter)
			sched->engine[i].last = NULL;
	}
	RCU_INIT_POINTER(meter->sched, NULL);
	spin_unlock_irq(&sched->lock);
}

/**
 * sched_meters_fini() - undo sched_meters_init()
 * @sched: the scheduler; no vGPU has a meter any more
 *
 * Context: may sleep; nobody who reads a meter is at the scheduler when this returns.
 */
void sched_meters_fini(struct gslot_sched *sched)
{
	stop(sched->meter, sched);
	synchronize_rcu();
	gslot_meter_put(sched->meter);
	ida_destroy(&sched->meter_ids);
}

/**
 * gslot_meter_create() - begin to count what a vGPU uses
 * @sched: the scheduler
 *
 * Its number is the smallest that no other vGPU of the GPU has, from 1 on.
 *
 * Return: the meter, or ERR_PTR.
 * Context: may sleep.
 */
struct gslot_meter *gslot_meter_create(struct gslot_sched *sched)
{
	struct gslot_meter *meter;
	int id = ida_alloc_min(&sched->meter_ids, GSLOT_METER_ALL + 1, GFP_KERNEL);

	if (id < 0)
		return ERR_PTR(id);
	meter = create(sched, id);
	if (IS_ERR(meter)) {
		ida_free(&sched->meter_ids, id);
		return meter;
	}
	spin_lock_irq(&sched->lock);
	list_add_tail(&meter->link, &sched->meters);
	spin_unlock_irq(&sched->lock);
	return meter;
}

/**
 * gslot_meter_end() - undo gslot_meter_create()
 * @meter: the meter; no client has it any more
 *
 * Context: may sleep.
 */
void gslot_meter_end(struct gslot_meter *meter)
{
	struct gslot_sched *sched = rcu_dereference_protected(meter->sched, true);

	stop(meter, sched);
	ida_free(&sched->meter_ids, meter->id);
	gslot_meter_put(meter);
}

static void free_meter(struct kref *kref)
{
	kfree(container_of(kref, struct gslot_meter, kref));
}

/**
 * gslot_meter_put() - give back a reference
 * @meter: the meter; who gives it back does not read it any more
 *
 * Context: any.
 */
void gslot_meter_put(struct gslot_meter *meter)
{
	kref_put(&meter->kref, free_meter);
}

/**
 * gslot_meter_find() - a meter by its number
 * @sched: the scheduler
 * @id: the number, or GSLOT_METER_ALL
 *
 * Return: a reference, or NULL if there is none of that number.
 * Context: may sleep.
 */
struct gslot_meter *gslot_meter_find(struct gslot_sched *sched, u32 id)
{
	struct gslot_meter *meter, *found = id == GSLOT_METER_ALL ? sched->meter : NULL;

	spin_lock_irq(&sched->lock);
	list_for_each_entry(meter, &sched->meters, link)
		if (meter->id == id)
			found = meter;
	if (found)
		kref_get(&found->kref);
	spin_unlock_irq(&sched->lock);
	return found;
}

/**
 * gslot_meter_id() - a meter's number
 * @meter: the meter
 *
 * Return: that; another vGPU may have it when this one is gone.
 * Context: any.
 */
u32 gslot_meter_id(const struct gslot_meter *meter)
{
	return meter->id;
}
