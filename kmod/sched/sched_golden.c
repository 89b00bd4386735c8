// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: golden contexts
 *
 * Before any other context, each engine gets its preempt context, which is loaded with its restore
 * inhibited: so the hardware saves what the reset has left in the engine, in the places where this
 * GPU has it. No table of this driver says where that is.
 */
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "sched_priv.h"
#include "gen/gtt.h"
#include "gen/lrc.h"

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
	ret = gslot_golden_init(golden, engine->id, gen, &missing);
	if (missing)
		dev_err(gslot_hw_dev(engine->sched->hw), "%s does not save register 0x%x\n",
			gslot_engines[engine->id].name, missing);
	return ret;
}

/**
 * gslot_sched_record() - record the golden contexts of all engines
 * @sched: the scheduler; the hardware was reset and started, and has run nothing yet
 *
 * To be done once; they hold for later resets.
 *
 * Return: 0; -ENOMEM; -ETIMEDOUT: an engine does not run a context; -EINVAL or -ENODATA: it does
 * not save what it should, see gslot_golden_init().
 * Context: may sleep.
 */
int gslot_sched_record(struct gslot_sched *sched)
{
	int ret = 0;
	u32 i;

	for (i = 0; !ret && i < GSLOT_NR_ENGINES; i++) {
		ret = golden_record(&sched->engine[i]);
		if (ret)
			dev_err_probe(gslot_hw_dev(sched->hw), ret, "%s has no golden context\n",
				      gslot_engines[i].name);
	}
	return ret;
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
