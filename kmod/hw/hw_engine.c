// SPDX-License-Identifier: GPL-2.0
/*
 * Bringing a command streamer into the state in which it takes execlists, at
 * start and after each reset of it.
 */
#include "hw_priv.h"

#define ENGINE_ERRORS	(RING_ERROR_INSTRUCTION | RING_ERROR_PAGE_TABLE)

/**
 * hw_engine_setup() - make an engine known: enough for its registers to be accessed
 * @hw: the GPU
 * @id: which engine
 *
 * Context: any; nobody uses the engine yet.
 */
void hw_engine_setup(struct gslot_hw *hw, enum gslot_engine_id id)
{
	struct hw_engine *engine = &hw->engines[id];

	engine->hw = hw;
	engine->id = id;
	engine->info = &gslot_engines[id];
	spin_lock_init(&engine->csb_lock);
}

/**
 * hw_engine_init() - get the memory that an engine needs
 * @engine: the engine, set up
 *
 * Return: 0; or -ENOMEM or -ENOSPC, as gslot_bo_create() says.
 * Context: may sleep.
 */
int hw_engine_init(struct hw_engine *engine)
{
	struct gslot_bo *hwsp = gslot_bo_create(engine->hw, NULL, 1);

	if (IS_ERR(hwsp))
		return PTR_ERR(hwsp);
	engine->hwsp = hwsp;
	return 0;
}

/**
 * hw_engine_fini() - undo hw_engine_init()
 * @engine: the engine, which does not run; initialised or not
 *
 * Context: may sleep.
 */
void hw_engine_fini(struct hw_engine *engine)
{
	gslot_bo_destroy(engine->hwsp);
	engine->hwsp = NULL;
}

static void clear_errors(struct hw_engine *engine)
{
	/* Masked while cleared: a stale error must not become an interrupt. */
	hw_ring_write(engine, RING_EMR, ~0u);
	hw_ring_write(engine, RING_EIR, ~0u);
	hw_ring_write(engine, RING_EMR, ~ENGINE_ERRORS);
}

/**
 * hw_engine_start() - from reset to taking execlists
 * @engine: the engine; it was just reset, and nothing is submitted to it
 *
 * Context: any; one at a time (reset_mutex, or nobody else has the GPU).
 */
void hw_engine_start(struct hw_engine *engine)
{
	hw_irq_mask_engine(engine);
	/* Interrupts go to the CPU only, not into the status page. */
	hw_ring_write(engine, RING_HWSTAM, ~0u);
	hw_ring_write(engine, RING_MODE, GEN_MASKED_ENABLE(RING_MODE_RUN_LIST));
	hw_ring_write(engine, RING_MI_MODE, GEN_MASKED_DISABLE(MI_MODE_STOP_RING));
	hw_ring_write(engine, RING_HWS_PGA, gslot_bo_ggtt(engine->hwsp));
	hw_ring_read(engine, RING_HWS_PGA);

	clear_errors(engine);
	hw_csb_reset(engine);
	hw_workarounds_engine(engine);
	hw_mocs_init(engine);
}
