// SPDX-License-Identifier: GPL-2.0
/*
 * Virtual engines: what the guest is told of its work, by events and by the ring
 * registers that it reads.
 */
#include "exec_priv.h"
#include "gen/regs.h"

/**
 * exec_notify() - tell the guest of events
 * @exec: the vGPU's
 * @engine: the engine
 * @events: what happened on it, in order
 *
 * Context: lock held; may sleep.
 */
void exec_notify(struct gslot_exec *exec, enum gslot_engine_id engine,
		 const struct gslot_vexec_events *events)
{
	const struct gslot_exec_ops *ops = exec->cfg.ops;
	u32 i;

	lockdep_assert_held(&exec->cfg.lock->mutex);
	for (i = 0; i < events->count; i++)
		ops->csb(exec->cfg.data, engine, events->event[i].status, events->event[i].id);
	if (events->count)
		ops->csb_irq(exec->cfg.data, engine);
}

/**
 * exec_any_queued() - has the vGPU requests in its V-Channels?
 * @exec: the vGPU's
 *
 * Return: true if so.
 * Context: lock held.
 */
bool exec_any_queued(const struct gslot_exec *exec)
{
	u32 i;

	lockdep_assert_held(&exec->cfg.lock->mutex);
	for (i = 0; i < GSLOT_NR_ENGINES; i++)
		if (exec->engine[i].queued)
			return true;
	return false;
}

/**
 * gslot_exec_read_reg() - a ring register as the guest reads it
 * @exec: the vGPU's
 * @id: the engine
 * @reg: RING_HEAD, RING_TAIL, RING_START, RING_ACTHD or
 *	RING_EXECLIST_STATUS_HI, by which a driver knows what it has to blame
 *
 * Return: its value as of the last completion; 0 for others.
 * Context: any.
 */
u32 gslot_exec_read_reg(struct gslot_exec *exec, enum gslot_engine_id id, u32 reg)
{
	const struct exec_engine *engine = &exec->engine[id];

	switch (reg) {
	case RING_HEAD:
		return READ_ONCE(engine->head);
	case RING_TAIL:
		return READ_ONCE(engine->tail);
	case RING_START:
		return READ_ONCE(engine->start);
	case RING_ACTHD:
		return READ_ONCE(engine->start) + READ_ONCE(engine->head);
	case RING_EXECLIST_STATUS_HI:
		return READ_ONCE(engine->ports.active[0].valid) ?
		       READ_ONCE(engine->ports.active[0].id) : 0;
	default:
		return 0;
	}
}
