// SPDX-License-Identifier: GPL-2.0
/*
 * A guest's MI_USER_INTERRUPT interrupts the host as often as the guest likes. So the hardware's
 * mask is that of the engine's owner, and an engine that interrupts too often is masked for a while
 * (core/sched/storm), after which the owner is told that there may have been an interrupt.
 *
 * A user interrupt belongs to the engine's owner at the time that it is reported. When the engine
 * is taken from its owner, one that has happened and is not reported yet is passed to it first.
 */
#include "sched_priv.h"

static void irq_apply(struct sched_engine *engine)
{
	const struct gslot_client *client = engine->owner;
	bool on = client && client->user_irq_mask & BIT(engine->id) &&
		  !engine->user_irqs.masked_until;

	if (on == engine->user_irqs.on)
		return;
	engine->user_irqs.on = on;
	gslot_hw_user_interrupts(engine->sched->hw, engine->id, on);
}

static void irq_notify(struct gslot_client *client, enum gslot_engine_id engine)
{
	client->ops->user_interrupt(client->data, engine);
}

/* The hardware reported a user interrupt: tell the engine's owner. */
void sched_user_interrupt(struct sched_engine *engine)
{
	ktime_t now = ktime_get();
	u64 masked;

	lockdep_assert_held(&engine->sched->lock);
	if (engine->owner)
		irq_notify(engine->owner, engine->id);
	masked = gslot_storm_event(&engine->user_irqs.storm, ktime_to_ns(now));
	if (!masked)
		return;
	engine->user_irqs.masked_until = ktime_add_ns(now, masked);
	irq_apply(engine);
	sched_update(engine->sched);	/* for the timer */
}

/*
 * An engine was given to a client. It is unmasked, as the last owner's storm is not the client's.
 */
void sched_user_irqs_given(struct sched_engine *engine)
{
	lockdep_assert_held(&engine->sched->lock);
	engine->user_irqs.masked_until = 0;
	irq_apply(engine);
}

/* An engine was taken from a client: tell the client of interrupts that are not reported yet. */
void sched_user_irqs_left(struct sched_engine *engine, struct gslot_client *client)
{
	lockdep_assert_held(&engine->sched->lock);
	if (engine->user_irqs.masked_until || gslot_hw_user_pending(engine->sched->hw, engine->id))
		irq_notify(client, engine->id);
}

/* Unmask an engine, masked or not, if it is time. */
void sched_user_irqs_unmask(struct sched_engine *engine)
{
	ktime_t until = engine->user_irqs.masked_until;

	lockdep_assert_held(&engine->sched->lock);
	if (!until || ktime_before(ktime_get(), until))
		return;
	engine->user_irqs.masked_until = 0;
	irq_apply(engine);
	if (engine->owner)
		irq_notify(engine->owner, engine->id);
}

/**
 * gslot_client_update_user_irqs() - a guest changed the user interrupts that it wants
 * @client: the client
 *
 * Context: any, without the locks that &gslot_client_ops.user_irq_mask takes.
 */
void gslot_client_update_user_irqs(struct gslot_client *client)
{
	struct gslot_sched *sched = client->sched;
	struct sched_engine *engine;
	unsigned long flags;

	spin_lock_irqsave(&sched->lock, flags);
	client->user_irq_mask = client->ops->user_irq_mask(client->data);
	for (engine = sched->engine; engine < sched_engines_end(sched); engine++)
		if (engine->owner == client)
			irq_apply(engine);
	spin_unlock_irqrestore(&sched->lock, flags);
}
