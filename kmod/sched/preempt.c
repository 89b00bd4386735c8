// SPDX-License-Identifier: GPL-2.0
/*
 * Preempt contexts, one per engine: they have no work. Submitting one preempts what runs and leaves
 * the engine idle at once. Its first load, before any other context, also gives the engine the
 * state that no reset does (sched/sched_golden.c).
 */
#include <linux/err.h>

#include "sched_priv.h"
#include "core/ctx/lrc.h"
#include "gen/cmds.h"
#include "gen/gtt.h"
#include "gen/lrc.h"

/* Page 0 is the ring. */
#define PREEMPT_PML4_PAGE	1
#define PREEMPT_PAGES	2

/*
 * Sets all of the blitter's setup, which drawing commands of a later context would find. It is the
 * last command of the ring, without one after it.
 */
static const u32 preempt_bcs_setup[] = {
	CMD_CLIENT_BLT << 29 | OP_XY_SETUP_BLT << 22 | (10 - 2),
	0, 0, 0, 0, 0, 0, 0, 0, 0,
};

/* Return: 0; or -ENOMEM or -ENOSPC, as gslot_bo_create(). */
int sched_preempt_create(struct sched_engine *engine, struct gslot_hw *hw)
{
	u32 gen = gslot_hw_gen(hw);
	struct gslot_lrc lrc = { .size = GEN_PAGE_SIZE, .inhibit = true };
	struct gslot_bo *image, *ring;

	image = gslot_bo_create(hw, NULL, gslot_context_pages(engine->id, gen));
	if (IS_ERR(image))
		return PTR_ERR(image);
	ring = gslot_bo_create(hw, NULL, PREEMPT_PAGES);
	if (IS_ERR(ring)) {
		gslot_bo_destroy(image);
		return PTR_ERR(ring);
	}
	engine->preempt_image = image;
	engine->preempt_ring = ring;
	engine->preempt.state = image->vaddr + LRC_STATE_PAGE * GEN_PAGE_SIZE;
	engine->preempt.desc = gslot_bo_ggtt(image) | CTX_DESC_VALID | CTX_DESC_PRIVILEGE |
			    CTX_ADDRESSING_LEGACY_64B << CTX_DESC_ADDRESSING_SHIFT;
	if (gen == 8)
		engine->preempt.desc |= CTX_DESC_L3LLC_COHERENT;
	lrc.start = gslot_bo_ggtt(ring);
	if (engine->id == GSLOT_BCS0) {
		lrc.head = GEN_PAGE_SIZE - sizeof(preempt_bcs_setup);
		memcpy(ring->vaddr + lrc.head, preempt_bcs_setup, sizeof(preempt_bcs_setup));
	}
	lrc.pml4 = ring->dma[PREEMPT_PML4_PAGE];
	gslot_lrc_build(engine->id, gen, engine->preempt.state, &lrc);
	return 0;
}

/* The hardware has released the context. */
void sched_preempt_destroy(struct sched_engine *engine)
{
	gslot_bo_destroy(engine->preempt_ring);
	gslot_bo_destroy(engine->preempt_image);
}
