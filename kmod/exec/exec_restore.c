// SPDX-License-Identifier: GPL-2.0
/*
 * What a migration brings is not trusted. Lists that ran or waited elsewhere go into the inbox, and
 * are processed as if the guest had just written them: images are audited, rings scanned, page
 * tables shadowed. Nothing of this touches guest memory before the vGPU runs.
 */
#include "exec_priv.h"
#include "gen/regs.h"

/* What BB_ADDR and SBB_ADDR may be: addresses of commands in an address space of 48 bits. */
static bool restore_valid_address(u64 addr)
{
	return addr & RING_BB_VALID && !(addr >> GEN_PPGTT_ADDR_BITS) &&
	       !((u32)addr & 3 & ~RING_BB_VALID);
}

static bool restore_valid_batch(enum gslot_engine_id id, const struct gslot_exec_position *batch)
{
	return id != GSLOT_BCS0 && !(batch->lrca & ~CTX_DESC_LRCA) &&
	       restore_valid_address(batch->addr) &&
	       (!batch->second_addr || restore_valid_address(batch->second_addr));
}

static bool restore_valid(enum gslot_engine_id id, const struct gslot_exec_saved *from)
{
	return from->nr_active <= ARRAY_SIZE(from->active) &&
	       from->nr_submits <= ARRAY_SIZE(from->submit) &&
	       (!from->batch.lrca || restore_valid_batch(id, &from->batch));
}

/* What ran goes first, and what waits for it follows. */
static void restore_lists(struct gslot_exec *exec, enum gslot_engine_id id,
			  const struct gslot_exec_saved *from)
{
	struct exec_submission list = {
		.desc = { from->active[0], from->nr_active > 1 ? from->active[1] : 0 },
		.promoted = true,
	};
	u32 i;

	if (from->nr_active)
		exec_inbox_put(exec, id, &list);
	for (i = 0; i < from->nr_submits; i++)
		gslot_exec_submit(exec, id, from->submit[i][0], from->submit[i][1]);
}

/* A hung engine keeps what a driver looks at to find the context to blame, and runs nothing. */
static void restore_hung(struct exec_engine *engine, const struct gslot_exec_saved *from)
{
	u32 i;

	for (i = 0; i < from->nr_active; i++)
		engine->ports.active[i] = (struct gslot_vexec_element) {
			.lrca = from->active[i] & CTX_DESC_LRCA,
			.id = upper_32_bits(from->active[i]),
			.valid = true,
		};
	gslot_vexec_hang(&engine->ports);
}

/**
 * gslot_exec_restore_engine() - restore a virtual engine
 * @exec: the vGPU's, quiesced, and as after gslot_exec_drop_all()
 * @id: the engine
 * @from: its state, from elsewhere
 *
 * Its work begins when the vGPU is resumed.
 *
 * Return: 0; or -EINVAL, and nothing is changed.
 * Context: the vGPU's lock is held.
 */
int gslot_exec_restore_engine(struct gslot_exec *exec, enum gslot_engine_id id,
			      const struct gslot_exec_saved *from)
{
	struct exec_engine *engine = &exec->engine[id];

	lockdep_assert_held(&exec->cfg.lock->mutex);
	if (!restore_valid(id, from))
		return -EINVAL;
	WRITE_ONCE(engine->head, from->head);
	WRITE_ONCE(engine->tail, from->tail);
	WRITE_ONCE(engine->start, from->start);
	if (from->hung) {
		restore_hung(engine, from);
	} else {
		engine->batch = from->batch;
		restore_lists(exec, id, from);
	}
	return 0;
}

static void restore_address(u32 *state, u32 upper, u32 lower, u32 batch_state, u64 addr)
{
	state[upper] = upper_32_bits(addr);
	state[lower] = lower_32_bits(addr);
	state[batch_state] = RING_BB_PPGTT;
}

/*
 * Let a context go on in the batch in which it stopped elsewhere, if its image still has the same
 * HEAD. The batch has no privilege, whatever the source says, like any that its ring starts.
 */
void exec_restore_batch(struct exec_context *ctx)
{
	const struct gslot_exec_position *batch = &ctx->exec->engine[ctx->engine].batch;
	u32 *state = ctx->hw.state;

	lockdep_assert_held(&ctx->exec->cfg.lock->mutex);
	if (batch->lrca != ctx->hw.lrca || !batch->lrca || batch->head != ctx->lrc.head)
		return;
	restore_address(state, LRC_BB_ADDR_UDW, LRC_BB_ADDR, LRC_BB_STATE, batch->addr);
	if (batch->second_addr)
		restore_address(state, LRC_SBB_ADDR_UDW, LRC_SBB_ADDR, LRC_SBB_STATE,
				batch->second_addr);
}
