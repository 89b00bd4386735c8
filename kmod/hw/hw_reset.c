// SPDX-License-Identifier: GPL-2.0
/*
 * Reset of an engine, and of the whole GPU, and initialisation for execlists after it.
 *
 * An engine is asked to stop at a command boundary and to report that it is ready for the reset. A
 * hung one may not stop, but must report. The context on it is lost; memory, the GGTT and other
 * engines are not affected.
 *
 * All waits sleep: a hung engine delays its GPU, but no processor and no interrupt.
 *
 * If a reset fails, the GPU is wedged until the driver is bound again, which begins with a reset.
 * Memory that the GPU may still use must not be freed, and normally a context switch or a reset
 * ends its use. So its bus mastering is turned off, which does not depend on the GPU: it cannot
 * access memory any more, whatever it does.
 */
#include <linux/interrupt.h>

#include "base/trace.h"
#include "hw_priv.h"

/* Their sum bounds gslot_hw_engine_reset(). */
#define STOP_TIMEOUT_US		500
#define READY_TIMEOUT_US	700
#define RESET_TIMEOUT_US	1500

#define ENGINE_ERRORS	(RING_ERROR_INSTRUCTION | RING_ERROR_PAGE_TABLE)

static void hw_reset_clear_errors(struct hw_engine *engine)
{
	/* Masked meanwhile: a stale error must not raise an interrupt. */
	hw_ring_write(engine, RING_EMR, ~0u);
	hw_ring_write(engine, RING_EIR, ~0u);
	hw_ring_write(engine, RING_EMR, ~ENGINE_ERRORS);
}

/* Initialise an engine for execlists; it was just reset, and has no work. */
static void hw_reset_start_engine(struct hw_engine *engine)
{
	hw_irq_mask_engine(engine);
	/* Interrupts are not written to the status page. */
	hw_ring_write(engine, RING_HWSTAM, ~0u);
	hw_ring_write(engine, RING_MODE, GEN_MASKED_ENABLE(RING_MODE_RUN_LIST));
	hw_ring_write(engine, RING_MI_MODE, GEN_MASKED_DISABLE(MI_MODE_STOP_RING));
	hw_ring_write(engine, RING_HWS_PGA, gslot_bo_ggtt(engine->hwsp));
	hw_ring_read(engine, RING_HWS_PGA);

	hw_reset_clear_errors(engine);
	hw_csb_reset(engine);
	hw_workarounds_engine(engine);
	hw_mocs_init(engine);
}

/* Stop the engine and ask it to get ready for a reset. Return: 0 or -ETIMEDOUT. */
static int hw_reset_prepare(struct hw_engine *engine)
{
	hw_ring_write(engine, RING_MI_MODE, GEN_MASKED_ENABLE(MI_MODE_STOP_RING));
	/* No error if it does not: it may hang within a command. */
	hw_ring_wait(engine, RING_MI_MODE, MI_MODE_IDLE, MI_MODE_IDLE, STOP_TIMEOUT_US);

	/* A catastrophic error must be acknowledged instead. */
	if (hw_ring_read(engine, RING_RESET_CTL) & RESET_CTL_CATASTROPHIC) {
		hw_ring_write(engine, RING_RESET_CTL, GEN_MASKED_ENABLE(RESET_CTL_CATASTROPHIC));
		return hw_ring_wait(engine, RING_RESET_CTL, RESET_CTL_CATASTROPHIC, 0,
				    READY_TIMEOUT_US);
	}
	hw_ring_write(engine, RING_RESET_CTL, GEN_MASKED_ENABLE(RESET_CTL_REQUEST));
	return hw_ring_wait(engine, RING_RESET_CTL, RESET_CTL_READY, RESET_CTL_READY,
			    READY_TIMEOUT_US);
}

static void hw_reset_unprepare(struct hw_engine *engine)
{
	hw_ring_write(engine, RING_RESET_CTL, GEN_MASKED_DISABLE(RESET_CTL_REQUEST));
}

static int hw_reset_domains(struct gslot_hw *hw, u32 domains)
{
	hw_write(hw, GEN_GDRST, domains);
	return hw_wait(hw, GEN_GDRST, domains, 0, RESET_TIMEOUT_US);
}

/* A fault raises no interrupt: the engine just stops until its reset. */
static void hw_reset_trace_fault(struct hw_engine *engine)
{
	u64 addr;
	u32 fault;

	fault = hw_fault_take(engine, &addr);
	if (fault)
		trace_gslot_fault(engine->id, hw_ring_read(engine, RING_EIR), fault, addr);
}

static int hw_reset_engine(struct hw_engine *engine)
{
	int ret;

	lockdep_assert_held(&engine->hw->reset_mutex);
	ret = hw_reset_prepare(engine);
	if (!ret) {
		hw_reset_trace_fault(engine);
		ret = hw_reset_domains(engine->hw, engine->info->gdrst);
	}
	hw_reset_unprepare(engine);
	if (!ret)
		hw_reset_start_engine(engine);
	return ret;
}

/**
 * gslot_hw_engine_reset() - stop and reset an engine
 * @hw: the GPU
 * @engine: the engine
 *
 * Its CSB is reset, and entries that are not reported yet are dropped: no earlier event is reported
 * after it returns.
 *
 * Return: 0; or -ETIMEDOUT: the engine does not answer, and needs gslot_hw_full_reset().
 * Context: may sleep, a few milliseconds.
 */
int gslot_hw_engine_reset(struct gslot_hw *hw, enum gslot_engine_id engine)
{
	struct hw_engine *e = &hw->engines[engine];
	int ret;

	mutex_lock(&hw->reset_mutex);
	/* Without power or bus mastering there is nothing to reset. */
	ret = hw_usable(hw) ? hw_reset_engine(e) : 0;
	hw_csb_finish(e);
	mutex_unlock(&hw->reset_mutex);
	if (ret)
		dev_err_ratelimited(&hw->pdev->dev, "%s: reset timed out\n", e->info->name);
	return ret;
}

/*
 * Reset the GPU to its state after power-on, except for memory. One at a time: reset_mutex is held,
 * or the GPU is not in use yet. Return: 0 or -ETIMEDOUT.
 */
int hw_reset_gpu(struct gslot_hw *hw)
{
	struct hw_engine *engine;
	int ret;

	/* The last resort: done even if engines are not ready. */
	for (engine = hw->engines; engine < hw_engines_end(hw); engine++)
		hw_reset_prepare(engine);
	ret = hw_reset_domains(hw, GDRST_FULL);
	for (engine = hw->engines; engine < hw_engines_end(hw); engine++)
		hw_reset_unprepare(engine);
	hw_write(hw, GEN_RING_FAULT, 0);

	if (ret)
		dev_err(&hw->pdev->dev, "full reset timed out\n");
	return ret;
}

/* Initialise the GPU for execution after hw_reset_gpu(), without interrupts. */
void hw_start_gpu(struct gslot_hw *hw)
{
	struct hw_engine *engine;

	hw_workarounds_gt(hw);
	hw_pat_init(hw);
	hw_fences_restore(hw);
	for (engine = hw->engines; engine < hw_engines_end(hw); engine++)
		hw_reset_start_engine(engine);
	hw_power_init(hw);
	gslot_hw_ggtt_flush(hw);
}

/*
 * Give the GPU up: it does not access memory any more when this returns. @why is a constant string,
 * for messages. May sleep.
 */
void hw_wedge(struct gslot_hw *hw, const char *why)
{
	u16 command;

	pci_clear_master(hw->pdev);
	/* The answer arrives after all that the GPU has written. */
	pci_read_config_word(hw->pdev, PCI_COMMAND, &command);
	if (!cmpxchg(&hw->wedged, NULL, why))
		dev_crit(&hw->pdev->dev,
			 "wedged: %s; no DMA and no work until the driver is bound again\n", why);
}

/**
 * gslot_hw_wedged() - whether the GPU is wedged, and so does not access memory
 * @hw: the GPU
 *
 * Return: why it is wedged, or NULL.
 * Context: any.
 */
const char *gslot_hw_wedged(const struct gslot_hw *hw)
{
	return READ_ONCE(hw->wedged);
}

static int hw_reset_full(struct gslot_hw *hw)
{
	bool started = hw->events;
	int ret;

	lockdep_assert_held(&hw->reset_mutex);
	if (started)
		disable_irq(hw->irq);
	hw_irq_reset(hw);
	ret = hw_reset_gpu(hw);
	if (ret) {
		hw_wedge(hw, "full reset failed");
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
 * All submitted work is lost. GGTT, fences, settings and the interrupt enable are kept.
 *
 * Return: 0; or -ETIMEDOUT: the GPU is wedged.
 * Context: may sleep; nothing is submitted meanwhile.
 */
int gslot_hw_full_reset(struct gslot_hw *hw)
{
	struct hw_engine *engine;
	int ret = 0;

	mutex_lock(&hw->reset_mutex);
	if (hw_usable(hw))
		ret = hw_reset_full(hw);
	for (engine = hw->engines; engine < hw_engines_end(hw); engine++)
		hw_csb_finish(engine);
	mutex_unlock(&hw->reset_mutex);
	return ret;
}
