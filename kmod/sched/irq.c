// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: user interrupts
 *
 * MI_USER_INTERRUPT of a guest interrupts the host as often as the guest likes.
 * So the hardware's mask is that of the guest whose turn it is; and an engine
 * that interrupts too often is masked for a while (core/storm), after which its
 * owner is told that there may have been one.
 *
 * An interrupt is its who is on the engine when it is reported. When the owner
 * leaves, one that has happened and is not reported yet is told to it first.
 */
#include "sched_priv.h"

static void apply(struct sched_engine *engine)
{
	const struct gslot_client *owner = sched_owner(engine->sched);
	bool on = owner && owner->listens & BIT(engine->id) && !engine->masked_until;

	if (!engine->present || on == engine->user_irqs)
		return;
	engine->user_irqs = on;
	gslot_hw_user_interrupts(engine->sched->hw, engine->id, on);
}

static void tell(struct gslot_client *client, enum gslot_engine_id engine)
{
	client->ops->user_interrupt(client->data, engine);
}

/* The hardware reported one. */
void sched_user_interrupt(struct sched_engine *engine)
{
	struct gslot_sched *sched = engine->sched;
	struct gslot_client *owner = sched_owner(sched);
	ktime_t now = ktime_get();
	u64 masked;

	if (owner)
		tell(owner, engine->id);
	masked = gslot_storm_event(&engine->storm, ktime_to_ns(now));
	if (!masked)
		return;
	engine->masked_until = ktime_add_ns(now, masked);
	apply(engine);
	sched_update(sched);	/* for the timer */
}

/* The GPU was given to somebody: nobody else's storm is held against it. */
void sched_user_irqs_give(struct gslot_sched *sched)
{
	u32 i;

	for (i = 0; i < GSLOT_NR_ENGINES; i++) {
		sched->engine[i].masked_until = 0;
		apply(&sched->engine[i]);
	}
}

/* Nothing of @client is on the hardware any more. */
void sched_user_irqs_left(struct gslot_sched *sched, struct gslot_client *client)
{
	u32 i, late = gslot_hw_user_pending(sched->hw);

	for (i = 0; i < GSLOT_NR_ENGINES; i++)
		if (late & BIT(i) || sched->engine[i].masked_until)
			tell(client, i);
}

/* Those whose time is over. */
void sched_user_irqs_unmask(struct gslot_sched *sched)
{
	struct gslot_client *owner = sched_owner(sched);
	ktime_t now = ktime_get();
	u32 i;

	for (i = 0; i < GSLOT_NR_ENGINES; i++) {
		struct sched_engine *engine = &sched->engine[i];

		if (!engine->masked_until || ktime_before(now, engine->masked_until))
			continue;
		engine->masked_until = 0;
		apply(engine);
		if (owner)
			tell(owner, i);
	}
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
	for (i = 0; sched_owner(sched) == client && i < GSLOT_NR_ENGINES; i++)
		apply(&sched->engine[i]);
	spin_unlock_irqrestore(&sched->lock, flags);
}
