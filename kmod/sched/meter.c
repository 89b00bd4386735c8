// SPDX-License-Identifier: GPL-2.0
/*
 * What a vGPU has used, from its creation to its removal, across opens and closes; and what all
 * vGPUs have used together. The holder of a reference may read a meter at any time, also when its
 * vGPU, or even the GPU, is gone: then it does not count any more.
 *
 * perf reads with interrupts off, and holds locks that the kernel's scheduler takes within the lock
 * of a CPU's run queue; and the holder of gslot_sched.lock wakes threads, which takes the lock of a
 * CPU's run queue. So a reader must not wait for gslot_sched.lock. It trylocks for a moment, then
 * falls back to the last snapshot, which while an engine works is at most SCHED_WATCH_NS old.
 */
#include <linux/err.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "sched_priv.h"

/* Longer than the lock is held, unless its holder waits for the reader. */
#define READ_TRIES	1000

/* Readers without the lock must see whole values. */
static void meter_show(struct sched_engine_meter *m, enum gslot_meter_count what, u64 ns)
{
	if (ns > m->seen[what])
		WRITE_ONCE(m->seen[what], ns);
}

static void meter_bump(struct gslot_meter *meter, enum gslot_engine_id id,
		       enum gslot_meter_count what, u64 n)
{
	struct sched_engine_meter *m = &meter->engine[id];

	WRITE_ONCE(m->count[what], m->count[what] + n);
	if (what < GSLOT_METER_NR_TIMES)
		meter_show(m, what, m->count[what]);
}

/* Count use of an engine by a client; NULL: it counts for the GPU only. */
void sched_meter_add(struct sched_engine *engine, struct gslot_client *client,
		     enum gslot_meter_count what, u64 n)
{
	lockdep_assert_held(&engine->sched->lock);
	meter_bump(engine->sched->meter, engine->id, what, n);
	if (client)
		meter_bump(client->meter, engine->id, what, n);
}

/* Raise a counter that is a maximum. */
static void meter_raise(struct gslot_meter *meter, enum gslot_engine_id id,
			enum gslot_meter_count what, u64 ns)
{
	struct sched_engine_meter *m = &meter->engine[id];

	if (ns > m->count[what])
		meter_bump(meter, id, what, ns - m->count[what]);
}

/* Count how long the owner, which still has the engine, took to yield. */
void sched_meter_yielded(struct sched_engine *engine, u64 now)
{
	u64 ns = now - engine->runq->policy.leaving_since;

	lockdep_assert_held(&engine->sched->lock);
	gslot_histogram_add(&engine->sched->meter->engine[engine->id].yielded, ns);
	gslot_histogram_add(&engine->owner->meter->engine[engine->id].yielded, ns);
	meter_raise(engine->sched->meter, engine->id, GSLOT_METER_YIELD_NS, ns);
	meter_raise(engine->owner->meter, engine->id, GSLOT_METER_YIELD_NS, ns);
}

/* Count how long a request of the engine's owner waited to be submitted for the first time. */
void sched_meter_queued(struct sched_engine *engine, u64 ns)
{
	lockdep_assert_held(&engine->sched->lock);
	gslot_histogram_add(&engine->sched->meter->engine[engine->id].queued, ns);
	gslot_histogram_add(&engine->owner->meter->engine[engine->id].queued, ns);
}

/*
 * Count that an engine was given to a client. If the client was behind, it was most so until now.
 * It is no switch if it was also the last owner.
 */
void sched_meter_given(struct sched_engine *engine)
{
	u64 lag_ns = sched_policy_client(engine->runq, engine->owner)->fair.most_lag_ns;

	lockdep_assert_held(&engine->sched->lock);
	meter_raise(engine->sched->meter, engine->id, GSLOT_METER_LAG_NS, lag_ns);
	meter_raise(engine->owner->meter, engine->id, GSLOT_METER_LAG_NS, lag_ns);
	if (engine->last == engine->owner->meter)
		return;
	engine->last = engine->owner->meter;
	sched_meter_add(engine, engine->owner, GSLOT_METER_SWITCHES, 1);
}

/* What is not over yet, on top of the counter. */
static u64 meter_under_way(struct sched_engine *engine, enum gslot_meter_count what, u64 now)
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

static u64 meter_time(const struct gslot_meter *meter, struct sched_engine *engine,
		      enum gslot_meter_count what, u64 now)
{
	u64 ns = meter->engine[engine->id].count[what];

	if (!engine->owner || (meter != engine->sched->meter && meter != engine->owner->meter))
		return ns;
	if (what != GSLOT_METER_YIELD_NS)
		return ns + meter_under_way(engine, what, now);
	return sched_engine_leaving(engine) ?
	       max(ns, now - engine->runq->policy.leaving_since) : ns;
}

/*
 * The use of an engine up to now. The time of a context that runs is an estimate until the hardware
 * has saved it; a reader that has seen more never sees less.
 */
u64 sched_meter_now(struct gslot_meter *meter, struct sched_engine *engine,
		    enum gslot_meter_count what)
{
	struct sched_engine_meter *m = &meter->engine[engine->id];

	lockdep_assert_held(&engine->sched->lock);
	if (what >= GSLOT_METER_NR_TIMES)
		return m->count[what];
	meter_show(m, what, meter_time(meter, engine, what, ktime_get_ns()));
	return m->seen[what];
}

/* Take a snapshot for readers that cannot get the lock. */
void sched_meter_look(struct gslot_sched *sched)
{
	enum gslot_meter_count what;
	struct sched_engine *engine;

	lockdep_assert_held(&sched->lock);
	for (engine = sched->engine; engine < sched_engines_end(sched); engine++) {
		for (what = 0; engine->owner && what < GSLOT_METER_NR_TIMES; what++) {
			sched_meter_now(sched->meter, engine, what);
			sched_meter_now(engine->owner->meter, engine, what);
		}
	}
}

static void meter_look(struct gslot_sched *sched, struct gslot_meter *meter,
		       enum gslot_engine_id id, enum gslot_meter_count what)
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
 * gslot_meter_read() - read a counter
 * @meter: the meter
 * @id: the engine
 * @what: which counter
 *
 * Return: the counter, up to now; never less than before.
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
		meter_look(sched, meter, id, what);
	rcu_read_unlock();
	return READ_ONCE(m->seen[what]);
}

static struct gslot_meter *meter_create(struct gslot_sched *sched, u32 id)
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

/* Create the meter of all vGPUs together. Return: 0 or -ENOMEM. */
int sched_meters_init(struct gslot_sched *sched)
{
	ida_init(&sched->meter_ids);
	INIT_LIST_HEAD(&sched->meters);
	sched->meter = meter_create(sched, GSLOT_METER_ALL);
	return PTR_ERR_OR_ZERO(sched->meter);
}

/* Count what runs; the meter does not count from now on. */
static void meter_stop(struct gslot_meter *meter, struct gslot_sched *sched)
{
	enum gslot_meter_count what;
	struct sched_engine *engine;

	spin_lock_irq(&sched->lock);
	list_del_init(&meter->link);
	for (engine = sched->engine; engine < sched_engines_end(sched); engine++) {
		for (what = 0; what < GSLOT_METER_NR_TIMES; what++)
			sched_meter_now(meter, engine, what);
		if (engine->last == meter)
			engine->last = NULL;
	}
	RCU_INIT_POINTER(meter->sched, NULL);
	spin_unlock_irq(&sched->lock);
}

/* No vGPU has a meter any more. No reader uses the scheduler when this returns. */
void sched_meters_fini(struct gslot_sched *sched)
{
	meter_stop(sched->meter, sched);
	synchronize_rcu();
	gslot_meter_put(sched->meter);
	ida_destroy(&sched->meter_ids);
}

/**
 * gslot_meter_create() - create the meter of a vGPU
 * @sched: the scheduler
 *
 * Its number is the smallest, from 1 on, that is free on the GPU.
 *
 * Return: the meter, or ERR_PTR: -ENOMEM, or -ENOSPC if no number is free.
 * Context: may sleep.
 */
struct gslot_meter *gslot_meter_create(struct gslot_sched *sched)
{
	struct gslot_meter *meter;
	int id = ida_alloc_min(&sched->meter_ids, GSLOT_METER_ALL + 1, GFP_KERNEL);

	if (id < 0)
		return ERR_PTR(id);
	meter = meter_create(sched, id);
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
 * @meter: the meter; no client uses it any more
 *
 * Context: may sleep.
 */
void gslot_meter_end(struct gslot_meter *meter)
{
	struct gslot_sched *sched = rcu_dereference_protected(meter->sched, true);

	meter_stop(meter, sched);
	ida_free(&sched->meter_ids, meter->id);
	gslot_meter_put(meter);
}

static void meter_free(struct kref *kref)
{
	kfree(container_of(kref, struct gslot_meter, kref));
}

/**
 * gslot_meter_put() - drop a reference
 * @meter: the meter
 *
 * Context: any.
 */
void gslot_meter_put(struct gslot_meter *meter)
{
	kref_put(&meter->kref, meter_free);
}

/**
 * gslot_meter_find() - find a meter by its number
 * @sched: the scheduler
 * @id: the number, or GSLOT_METER_ALL
 *
 * Return: a reference, or NULL.
 * Context: may sleep.
 */
struct gslot_meter *gslot_meter_find(struct gslot_sched *sched, u32 id)
{
	struct gslot_meter *meter, *found = id == GSLOT_METER_ALL ? sched->meter : NULL;

	spin_lock_irq(&sched->lock);
	list_for_each_entry(meter, &sched->meters, link) {
		if (meter->id == id) {
			found = meter;
			break;
		}
	}
	if (found)
		kref_get(&found->kref);
	spin_unlock_irq(&sched->lock);
	return found;
}

/**
 * gslot_meter_id() - the number of a meter
 * @meter: the meter
 *
 * Return: the number; another vGPU may get it when this one is gone.
 * Context: any.
 */
u32 gslot_meter_id(const struct gslot_meter *meter)
{
	return meter->id;
}
