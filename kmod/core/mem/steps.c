// SPDX-License-Identifier: GPL-2.0
#include "steps.h"

/* Does the last step go on? vGPUs give pages, or it is too early to tell. */
static bool steps_lasts(struct gslot_steps *steps, const struct gslot_steps_look *look)
{
	bool progress;

	steps->fell += look->fell;
	progress = look->busy && steps->fell >= GSLOT_STEP_PROGRESS;
	if (look->busy && look->now < steps->looked + GSLOT_STEP_LOOK_MS)
		return true;
	steps->looked = look->now;
	steps->fell = 0;
	steps->stalls = progress ? 0 : steps->stalls + 1;
	return progress && look->now < steps->began + GSLOT_STEP_MAX_MS;
}

/* All steps have been taken, and the holder of the pin token waits. */
static enum gslot_steps_action steps_repeat(struct gslot_steps *steps,
					    const struct gslot_steps_look *look)
{
	u64 pause = look->given >= GSLOT_STEP_PROGRESS ? GSLOT_STEP_PAUSE_MS : GSLOT_STEP_LOOK_MS;

	if (look->now < steps->began + pause)
		return GSLOT_STEPS_WAIT;
	steps->next = look->count - 1;
	return GSLOT_STEPS_TAKE;
}

/**
 * gslot_steps_look() - say what to do after a look at what vGPUs have given
 * @steps: the steps that are taken
 * @look: what was found; the time never goes back
 *
 * Return: what to do.
 */
enum gslot_steps_action gslot_steps_look(struct gslot_steps *steps,
					 const struct gslot_steps_look *look)
{
	if (steps_lasts(steps, look))
		return GSLOT_STEPS_LAST;
	if (!steps->next && look->now < steps->first_at + GSLOT_STEP_LOOK_MS)
		return GSLOT_STEPS_WAIT;
	if (steps->next < look->count)
		return GSLOT_STEPS_TAKE;
	if (look->urgent)
		return steps_repeat(steps, look);
	if (look->busy && steps->stalls < GSLOT_STEP_STALLS)
		return GSLOT_STEPS_WAIT;
	steps->next = 0;
	return GSLOT_STEPS_END;
}

/**
 * gslot_steps_taken() - note that a step was taken
 * @steps: the steps
 * @now: the time, ms
 */
void gslot_steps_taken(struct gslot_steps *steps, u64 now)
{
	if (!steps->next)
		steps->first_at = now;
	steps->next++;
	steps->began = now;
	steps->fell = 0;
	steps->stalls = 0;
}

/**
 * gslot_steps_restart() - note that the pin token has changed hands
 * @steps: the steps; they begin with the first one, unless that was taken just now
 * @now: the time, ms
 */
void gslot_steps_restart(struct gslot_steps *steps, u64 now)
{
	if (now >= steps->first_at + GSLOT_STEP_AGAIN_MS)
		steps->next = 0;
}
