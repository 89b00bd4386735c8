// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: what a migration saves of execution
 *
 * All contexts are written back (exec_stop.c), so their state is in guest memory. The stream holds
 * the rest: which contexts the virtual engines have, in which order, and where the first one
 * stopped in a batch.
 */
#include "exec_priv.h"
#include "gen/regs.h"

/* The list under way, and those of a full inbox, but for one: a list that runs goes there, too. */
static_assert(GSLOT_EXEC_NR_SUBMITS + 1 <= EXEC_INBOX_SIZE);

/* Was a context preempted in a batch, and goes on there? */
bool exec_context_in_batch(const struct exec_context *ctx)
{
	return ctx->in_flight && ctx->loaded && !ctx->hw.banned &&
	       ctx->hw.state[LRC_BB_ADDR] & RING_BB_VALID;
}

/* A batch that ran over the end of the address space goes on at its beginning. */
static u64 save_address(const u32 *state, u32 upper, u32 lower)
{
	return ((u64)state[upper] << 32 | state[lower]) & (BIT_ULL(GEN_PPGTT_ADDR_BITS) - 1);
}

static u64 save_desc(const struct gslot_vexec_element *element)
{
	return (u64)element->id << 32 | element->lrca | CTX_DESC_VALID |
	       CTX_ADDRESSING_LEGACY_64B << CTX_DESC_ADDRESSING_SHIFT;
}

/* The newest is replaced if there are too many: the same that gslot_exec_submit() does. */
static void save_submit(struct gslot_exec_saved *to, u64 desc0, u64 desc1)
{
	if (to->nr_submits == GSLOT_EXEC_NR_SUBMITS)
		to->nr_submits--;
	to->submit[to->nr_submits][0] = desc0;
	to->submit[to->nr_submits++][1] = desc1;
}

static void save_ports(const struct gslot_vexec *ports, struct gslot_exec_saved *to)
{
	const struct gslot_vexec_element *active = ports->active, *pending = ports->pending;
	u32 i;

	to->hung = ports->hung;
	for (i = 0; i < 2 && active[i].valid; i++)
		to->active[to->nr_active++] = save_desc(&active[i]);
	if (pending[0].valid)
		save_submit(to, save_desc(&pending[0]),
			    pending[1].valid ? save_desc(&pending[1]) : 0);
}

/* One that an earlier migration brought may not be processed yet. */
static void save_submission(const struct exec_submission *submission, struct gslot_exec_saved *to)
{
	u32 i;

	if (!submission->promoted) {
		save_submit(to, submission->desc[0], submission->desc[1]);
		return;
	}
	for (i = 0; i < 2 && submission->desc[i] && to->nr_active < ARRAY_SIZE(to->active); i++)
		to->active[to->nr_active++] = submission->desc[i];
}

/* The submission under way begins anew, and those that wait for it follow. */
static void save_submissions(struct gslot_exec *exec, enum gslot_engine_id id,
			     struct gslot_exec_saved *to)
{
	const struct exec_attempt *attempt = &exec->engine[id].attempt;
	struct exec_inbox *inbox = &exec->worker.inbox;
	const struct exec_submission *waiting = inbox->submission[id];
	u32 i;

	if (attempt->valid)
		save_submission(&attempt->submission, to);
	spin_lock_irq(&inbox->lock);
	for (i = 0; i < inbox->nr_submissions[id]; i++)
		save_submission(&waiting[i], to);
	spin_unlock_irq(&inbox->lock);
}

static struct gslot_exec_position save_context_batch(const struct exec_context *ctx)
{
	const u32 *state = ctx->hw.state;
	struct gslot_exec_position batch = {
		.lrca = ctx->hw.lrca,
		.head = state[LRC_RING_HEAD] & RING_HEAD_ADDR,
		.addr = save_address(state, LRC_BB_ADDR_UDW, LRC_BB_ADDR),
	};

	if (state[LRC_SBB_ADDR] & RING_BB_VALID)
		batch.second_addr = save_address(state, LRC_SBB_ADDR_UDW, LRC_SBB_ADDR);
	return batch;
}

/* Requests of an engine run in order: only the first context can be in a batch. */
static void save_batch(const struct gslot_exec *exec, enum gslot_engine_id id,
		       struct gslot_exec_saved *to)
{
	const struct exec_context *ctx;

	to->batch = exec->engine[id].batch;
	if (to->batch.lrca)
		return;
	list_for_each_entry(ctx, &exec->contexts.list, link) {
		if (ctx->engine != id || !exec_context_in_batch(ctx))
			continue;
		to->batch = save_context_batch(ctx);
		break;
	}
}

/**
 * gslot_exec_save_engine() - save a virtual engine
 * @exec: the vGPU's, stopped by gslot_exec_stop()
 * @id: the engine
 * @to: out
 *
 * Return: 0; or -EBUSY if the guest is resetting the engine.
 * Context: the vGPU's lock is held.
 */
int gslot_exec_save_engine(struct gslot_exec *exec, enum gslot_engine_id id,
			   struct gslot_exec_saved *to)
{
	const struct exec_engine *engine = &exec->engine[id];

	lockdep_assert_held(&exec->cfg.lock->mutex);
	if (engine->resetting)
		return -EBUSY;
	memset(to, 0, sizeof(*to));
	to->head = engine->head;
	to->tail = engine->tail;
	to->start = engine->start;
	save_ports(&engine->ports, to);
	save_submissions(exec, id, to);
	if (!engine->ports.hung)
		save_batch(exec, id, to);
	return 0;
}
