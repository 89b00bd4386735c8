// SPDX-License-Identifier: GPL-2.0
/*
 * Preempt contexts, one per engine: they have no work. Submitting one preempts what runs and leaves
 * the engine idle at once.
 *
 * Golden contexts. Before any other context, each engine gets its preempt context, which is loaded
 * with its restore inhibited. That sets the blitter's setup, which no reset does, and the hardware
 * saves what the reset has left in the engine, where this GPU has it: no table of this driver says
 * where that is.
 */
#include <linux/device.h>
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "sched_priv.h"
#include "core/ctx/lrc.h"
#include "gen/cmds.h"
#include "gen/gtt.h"
#include "gen/lrc.h"
#include "gen/regs.h"

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
int sched_preempt_create(struct sched_engine *engine)
{
	struct gslot_hw *hw = engine->sched->hw;
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
	engine->preempt.desc = gslot_lrc_desc(gen, gslot_bo_ggtt(image));
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

/* It takes some microseconds. */
#define RECORD_JIFFIES	HZ

static bool golden_engine_quiet(struct sched_engine *engine)
{
	bool quiet;

	spin_lock_irq(&engine->sched->lock);
	quiet = sched_engine_quiet(engine);
	spin_unlock_irq(&engine->sched->lock);
	return quiet;
}

static int golden_run_preempt(struct sched_engine *engine)
{
	spin_lock_irq(&engine->sched->lock);
	sched_engine_submit_preempt(engine);
	spin_unlock_irq(&engine->sched->lock);
	if (!wait_event_timeout(engine->wait, golden_engine_quiet(engine), RECORD_JIFFIES))
		return -ETIMEDOUT;
	return 0;
}

static int golden_record(struct sched_engine *engine)
{
	struct gslot_golden *golden = &engine->golden;
	u32 gen = gslot_hw_gen(engine->sched->hw), missing;
	u32 bytes = (gslot_context_pages(engine->id, gen) - LRC_STATE_PAGE) * GEN_PAGE_SIZE;
	int ret;

	golden->dwords = bytes / sizeof(u32);
	golden->room = golden->dwords / 2;
	golden->state = kvmalloc(bytes, GFP_KERNEL);
	golden->regs = kvmalloc_array(golden->room, sizeof(*golden->regs), GFP_KERNEL);
	if (!golden->state || !golden->regs)
		return -ENOMEM;
	ret = golden_run_preempt(engine);
	if (ret)
		return ret;
	memcpy(golden->state, engine->preempt.state, bytes);
	if (engine->id == GSLOT_RCS0)
		golden->l3sqcreg4 = gslot_hw_read(engine->sched->hw, GEN_L3SQCREG4);
	ret = gslot_golden_init(golden, engine->id, gen, &missing);
	if (missing)
		dev_err(gslot_hw_dev(engine->sched->hw), "%s does not save register 0x%x\n",
			gslot_engines[engine->id].name, missing);
	return ret;
}

/**
 * gslot_sched_record() - record the golden contexts of all engines, once: later resets keep them
 * @sched: the scheduler; the hardware was reset and started, and has run nothing yet
 *
 * Return: 0; -ENOMEM; -ETIMEDOUT: an engine does not run a context; -EINVAL or -ENODATA: it does
 * not save what it should, see gslot_golden_init().
 * Context: may sleep.
 */
int gslot_sched_record(struct gslot_sched *sched)
{
	struct sched_engine *engine;
	int ret;

	for (engine = sched->engine; engine < sched_engines_end(sched); engine++) {
		ret = golden_record(engine);
		if (ret)
			return dev_err_probe(gslot_hw_dev(sched->hw), ret,
					     "%s has no golden context\n",
					     gslot_engines[engine->id].name);
	}
	return 0;
}

/**
 * gslot_sched_golden() - the golden context of an engine
 * @client: any client of the GPU
 * @engine: the engine
 *
 * Return: the context, which lives as long as the scheduler and does not change.
 * Context: any.
 */
const struct gslot_golden *gslot_sched_golden(struct gslot_client *client,
					      enum gslot_engine_id engine)
{
	return &client->sched->engine[engine].golden;
}

void sched_golden_fini(struct sched_engine *engine)
{
	kvfree(engine->golden.regs);
	kvfree(engine->golden.state);
}
