// SPDX-License-Identifier: GPL-2.0
/*
 * Reset of one engine, and of the whole GPU.
 *
 * An engine is asked to stop at a command boundary and to say that it is ready
 * to be reset; a hung one may not do the first, but must do the second. The
 * context that was loaded is lost; memory, the GGTT and other engines are not.
 *
 * All of this sleeps while it waits: a hung engine keeps its GPU waiting, not
 * the processor, and its interrupts.
 */
#include <linux/interrupt.h>

#include "base/trace.h"
#include "hw_priv.h"

/* Together the bound of gslot_hw_engine_reset(). */
#define STOP_TIMEOUT_US		500
#define READY_TIMEOUT_US	700
#define RESET_TIMEOUT_US	1500

/* Stops the engine and asks it to get ready for a reset. */
static int engine_prepare_reset(struct hw_engine *engine)
{
	hw_ring_write(engine, RING_MI_MODE, GEN_MASKED_ENABLE(MI_MODE_STOP_RING));
	/* It may hang in the middle of a command: no matter. */
	hw_ring_wait(engine, RING_MI_MODE, MI_MODE_IDLE, MI_MODE_IDLE, STOP_TIMEOUT_US);

	/* After a catastrophic error that must be acknowledged instead. */
	if (hw_ring_read(engine, RING_RESET_CTL) & RESET_CTL_CATASTROPHIC) {
		hw_ring_write(engine, RING_RESET_CTL, GEN_MASKED_ENABLE(RESET_CTL_CATASTROPHIC));
		return hw_ring_wait(engine, RING_RESET_CTL, RESET_CTL_CATASTROPHIC, 0,
				    READY_TIMEOUT_US);
	}
	hw_ring_write(engine, RING_RESET_CTL, GEN_MASKED_ENABLE(RESET_CTL_REQUEST));
	return hw_ring_wait(engine, RING_RESET_CTL, RESET_CTL_READY, RESET_CTL_READY,
			    READY_TIMEOUT_US);
}

static void engine_unprepare_reset(struct hw_engine *engine)
{
	hw_ring_write(engine, RING_RESET_CTL, GEN_MASKED_DISABLE(RESET_CTL_REQUEST));
}

static int domain_reset(struct gslot_hw *hw, u32 domains)
{
	hw_write(hw, GEN_GDRST, domains);
	return hw_wait(hw, GEN_GDRST, domains, 0, RESET_TIMEOUT_US);
}

/* A fault makes no interrupt: its engine just stands still until this. */
static void report_fault(struct hw_engine *engine)
{
	u64 addr;
	u32 fault;

	fault = hw_fault_take(engine, &addr);
	if (fault)
		trace_gslot_fault(engine->id, hw_ring_read(engine, RING_EIR), fault, addr);
}

static int engine_reset(struct hw_engine *engine)
{
	int ret;

	lockdep_assert_held(&engine->hw->reset_mutex);
	ret = engine_prepare_reset(engine);
	if (!ret) {
		report_fault(engine);
		ret = domain_reset(engine->hw, engine->info->gdrst);
	}
	engine_unprepare_reset(engine);
	if (!ret) {
		engine->resets++;
		hw_engine_start(engine);
	}
	return ret;
}

/**
 * gslot_hw_engine_reset() - stop and reset one engine
 * @hw: the GPU
 * @engine: the engine
 *
 * Its CSB starts anew, and entries not yet reported are dropped: no event of
 * before is delivered after it returns.
 *
 * Return: 0; or -ETIMEDOUT: the engine does not answer, gslot_hw_full_reset()
 * is needed.
 * Context: may sleep, a few milliseconds.
 */
int gslot_hw_engine_reset(struct gslot_hw *hw, enum gslot_engine_id engine)
{
	struct hw_engine *e = &hw->engines[engine];
	int ret;

	mutex_lock(&hw->reset_mutex);
	/* A GPU without power, or without access to memory, has nothing to reset. */
	ret = hw_usable(hw) ? engine_reset(e) : 0;
	hw_csb_finish(e);
	mutex_unlock(&hw->reset_mutex);
	if (ret)
		dev_err_ratelimited(&hw->pdev->dev, "%s does not reset\n", e->info->name);
	return ret;
}

/**
 * gslot_hw_resets() - how often an engine had to be reset
 * @hw: the GPU
 * @engine: the engine
 *
 * Return: resets of this engine and of the whole GPU.
 * Context: any.
 */
u32 gslot_hw_resets(struct gslot_hw *hw, enum gslot_engine_id engine)
{
	return READ_ONCE(hw->engines[engine].resets) + READ_ONCE(hw->full_resets);
}

/**
 * hw_reset_gpu() - reset everything that is not memory
 * @hw: the GPU; it is as if just switched on after it
 *
 * Return: 0 or -ETIMEDOUT.
 * Context: may sleep; one at a time (reset_mutex, or nobody else has the GPU).
 */
int hw_reset_gpu(struct gslot_hw *hw)
{
	struct hw_engine *engine;
	int ret;

	/* Whether they are ready or not: there is nothing left but this. */
	for (engine = hw->engines; engine < hw_engines_end(hw); engine++)
		engine_prepare_reset(engine);
	ret = domain_reset(hw, GDRST_FULL);
	for (engine = hw->engines; engine < hw_engines_end(hw); engine++)
		engine_unprepare_reset(engine);
	hw_write(hw, GEN_RING_FAULT, 0);

	if (ret)
		dev_err(&hw->pdev->dev, "the GPU does not reset\n");
	return ret;
}

/**
 * hw_start_gpu() - from reset to taking work
 * @hw: the GPU; interrupts are another matter (hw_irq_enable())
 *
 * Context: as hw_reset_gpu().
 */
void hw_start_gpu(struct gslot_hw *hw)
{
	struct hw_engine *engine;

	hw_workarounds_gt(hw);
	hw_pat_init(hw);
	hw_fences_restore(hw);
	for (engine = hw->engines; engine < hw_engines_end(hw); engine++)
		hw_engine_start(engine);
	hw_power_init(hw);
	gslot_hw_ggtt_flush(hw);
}

static int full_reset(struct gslot_hw *hw)
{
	bool started = hw->events;
	int ret;

	lockdep_assert_held(&hw->reset_mutex);
	if (started)
		disable_irq(hw->irq);
	hw_irq_reset(hw);
	ret = hw_reset_gpu(hw);
	hw->full_resets++;
	if (ret) {
		hw_wedge(hw, "it does not reset");
	} else {
		hw_start_gpu(hw);
		if (started)
			hw_irq_enable(hw);
	}
	if (started)
		enable_irq(hw->irq);
	return ret;
}

/**
 * gslot_hw_full_reset() - reset the whole GPU
 * @hw: the GPU
 *
 * Everything that was submitted is lost. GGTT, fences and settings are as
 * before; interrupts are on if they were.
 *
 * Return: 0, or -ETIMEDOUT: the GPU is beyond help, and wedged.
 * Context: may sleep; nobody submits meanwhile.
 */
int gslot_hw_full_reset(struct gslot_hw *hw)
{
	struct hw_engine *engine;
	int ret = 0;

	mutex_lock(&hw->reset_mutex);
	if (hw_usable(hw))
		ret = full_reset(hw);
	for (engine = hw->engines; engine < hw_engines_end(hw); engine++)
		hw_csb_finish(engine);
	mutex_unlock(&hw->reset_mutex);
	return ret;
}
