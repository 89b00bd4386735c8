// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: user interrupts
 *
 * MI_USER_INTERRUPT of a guest interrupts the host as often as the guest likes.
 * So the hardware's mask is that of the guest whose engine it is; and an engine
 * that interrupts too often is masked for a while (core/sched/storm), after which its
 * client is told that there may have been one.
 *
 * An interrupt is its whose the engine is when it is reported. When the engine
 * is taken from a client, one that has happened and is not reported yet is told to
 * that client first.
 */
#include "sched_priv.h"

static void apply(struct sched_engine *engine)
{
	const struct gslot_client *client = engine->client;
	bool on = client && client->listens & BIT(engine->id) && !engine->masked_until;

	if (on == engine->user_irqs)
		return;
	engine->user_irqs = on;
	gslot_hw_user_interrupts(engine->sched->hw, engine->id, on);
}

static void notify(struct gslot_client *client, enum gslot_engine_id engine)
{
	client->ops->user_interrupt(client->data, engine);
}

/**
 * sched_user_interrupt() - the hardware reported a user interrupt
 * @engine: of this engine; whose it is, is told
 *
 * Context: lock held.
 */
void sched_user_interrupt(struct sched_engine *engine)
{
	ktime_t now = ktime_get();
	u64 masked;

	lockdep_assert_held(&engine->sched->lock);
	if (engine->client)
		notify(engine->client, engine->id);
	masked = gslot_storm_event(&engine->storm, ktime_to_ns(now));
	if (!masked)
		return;
	engine->masked_until = ktime_add_ns(now, masked);
	apply(engine);
	sched_update(engine->sched);	/* for the timer */
}

/**
 * sched_user_irqs_given() - an engine was given to somebody, or to nobody
 * @engine: the engine
 *
 * Nobody else's storm is held against its client.
 * Context: lock held.
 */
void sched_user_irqs_given(struct sched_engine *engine)
{
	lockdep_assert_held(&engine->sched->lock);
	engine->masked_until = 0;
	apply(engine);
}

/**
 * sched_user_irqs_left() - nothing of a client is on an engine any more
 * @engine: the engine
 * @client: whose it was; is told what it may not have been told yet
 *
 * Context: lock held.
 */
void sched_user_irqs_left(struct sched_engine *engine, struct gslot_client *client)
{
	lockdep_assert_held(&engine->sched->lock);
	if (engine->masked_until || gslot_hw_user_pending(engine->sched->hw, engine->id))
		notify(client, engine->id);
}

/**
 * sched_user_irqs_unmask() - listen to an engine again, if its time is over
 * @engine: the engine, masked or not
 *
 * Context: lock held.
 */
void sched_user_irqs_unmask(struct sched_engine *engine)
{
	lockdep_assert_held(&engine->sched->lock);
	if (!engine->masked_until || ktime_before(ktime_get(), engine->masked_until))
		return;
	engine->masked_until = 0;
	apply(engine);
	if (engine->client)
		notify(engine->client, engine->id);
}

/**
 * gslot_client_listen() - a guest changed what it wants to be told
 * @client: the client
 *
 * Context: any, without the locks that &gslot_client_ops.listens takes.
 */
void gslot_client_listen(struct gslot_client *client)
{
	struct gslot_sched *sched = client->sched;
	unsigned long flags;
	u32 i;

	spin_lock_irqsave(&sched->lock, flags);
	client->listens = client->ops->listens(client->data);
	for (i = 0; i < GSLOT_NR_ENGINES; i++)
		if (sched->engine[i].client == client)
			apply(&sched->engine[i]);
	spin_unlock_irqrestore(&sched->lock, flags);
}
