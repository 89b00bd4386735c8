// SPDX-License-Identifier: GPL-2.0
/*
 * The states of an engine: state_next[] has the transitions.
 *
 * An engine is reset if it is late or has failed, if its TLB is stuck, if its owner's guest asks,
 * or if another engine cannot be reset alone. One that is late or has failed may
 * become quiet just before that: then it goes on, and is not reset.
 *
 * FAILED and RESETTING outlast the owner: an engine may leave, or be given to, a client in them.
 */
#include "sched_priv.h"
#include "base/trace.h"

#define S(state)	BIT(SCHED_ENGINE_##state)

static const u8 state_next[] = {
	[SCHED_ENGINE_FREE] = S(OWNED) | S(FAILED) | S(RESETTING),
	[SCHED_ENGINE_OWNED] = S(FREE) | S(DRAINING) | S(FAILED) | S(RESETTING),
	[SCHED_ENGINE_DRAINING] = S(FREE) | S(OWNED) | S(LATE) | S(FAILED) | S(RESETTING),
	/* It stays late if it fails: it will be reset anyway, and its owner pays for that. */
	[SCHED_ENGINE_LATE] = S(FREE) | S(OWNED) | S(RESETTING),
	[SCHED_ENGINE_FAILED] = S(FREE) | S(OWNED) | S(RESETTING),
	[SCHED_ENGINE_RESETTING] = S(FREE) | S(OWNED),
};

/* base/trace.h has their names. */
static_assert(SCHED_ENGINE_FREE == 0 && SCHED_ENGINE_OWNED == 1 && SCHED_ENGINE_DRAINING == 2 &&
	      SCHED_ENGINE_LATE == 3 && SCHED_ENGINE_FAILED == 4 && SCHED_ENGINE_RESETTING == 5);

static bool state_may_become(const struct sched_engine *engine, enum sched_engine_state state)
{
	return state_next[engine->state] & BIT(state);
}

/* The new state may follow the present one, or is the same. */
void sched_engine_set_state(struct sched_engine *engine, enum sched_engine_state state)
{
	lockdep_assert_held(&engine->sched->lock);
	if (engine->state == state)
		return;
	WARN_ON_ONCE(!state_may_become(engine, state));
	trace_gslot_engine_state(engine->owner ? engine->owner->name : "-", engine->id,
				 engine->state, state);
	if (state == SCHED_ENGINE_RESETTING)
		engine->reset_from = engine->state;
	engine->state = state;
}

/*
 * The engine need not yield any more, has been reset, or need not be reset: its owner has it as
 * before.
 */
void sched_engine_set_ready(struct sched_engine *engine)
{
	sched_engine_set_state(engine, engine->owner ? SCHED_ENGINE_OWNED : SCHED_ENGINE_FREE);
}

/* Give an engine, with nothing of a client on it, to a client; NULL: it becomes free. */
void sched_engine_set_owner(struct sched_engine *engine, struct gslot_client *owner)
{
	engine->owner = owner ?: engine->owner;	/* for the trace */
	if (engine->state < SCHED_ENGINE_FAILED)
		sched_engine_set_state(engine, owner ? SCHED_ENGINE_OWNED : SCHED_ENGINE_FREE);
	engine->owner = owner;
}

/*
 * The engine stopped with an error, or its events make no sense. It is reset if it is not quiet
 * when the work item runs.
 */
void sched_engine_fail(struct sched_engine *engine)
{
	if (state_may_become(engine, SCHED_ENGINE_FAILED))
		sched_engine_set_state(engine, SCHED_ENGINE_FAILED);
	queue_work(system_highpri_wq, &engine->sched->reset_work);
}
